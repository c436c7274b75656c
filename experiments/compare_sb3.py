"""Our self-play PPO beside sb3-contrib's MaskablePPO: ``python -m experiments.compare_sb3``.

Both train for the same minutes of wall time, one after the other, with the same hidden sizes;
then both are measured against the greedy bot and against each other on the same deals.

MaskablePPO cannot play itself here: it learns on the Gymnasium environment ``Scopa-v0``, where
others sit on the other seats. :class:`Sb3Config` holds the settings at which it became strongest
in a few short trials, one seed each: small minibatches and several epochs beat speed, a random
opponent beat the greedy one, which is slower and teaches a beginner less. :data:`FASTEST` are
those at which it is quickest; ``experiments.bench`` uses them, so its ratio of speeds is the
harder test and not the one printed here. Both sides' learning rates fall to 0 over the given
minutes, for which the speed is measured first.

MaskablePPO gets more than one thread of torch only where that is quicker each time it is tried:
beside another busy process two threads that wait for each other can be ten times slower than
one, which would flatter us.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import gymnasium
import numpy as np
import torch
import tyro
from rich.console import Console

from agents.agent import Agent, make
from agents.config import SelfPlayConfig
from agents.network import legal_of
from agents.selfplay import SelfPlay
from experiments.bench import describe_machine
from experiments.match import Result, evaluate
from experiments.report import check_out, markdown_table, print_report, write_report
from scopa_env.game import NUM_ACTIONS
from scopa_env.gym import ScopaEnv
from scopa_env.observation import Layout, observe_views
from scopa_env.rules import Rules

__all__ = [
    "FASTEST",
    "FlatScopa",
    "Sb3Agent",
    "Sb3Config",
    "Side",
    "main",
    "make_sb3",
    "train_ours",
    "train_sb3",
]

TARGET = 8.0  # times as many decisions a second
TRIALS = 3  # of each number of threads
INSTALL = "sb3-contrib is not installed: pip install -e '.[interop]'"


@dataclass(frozen=True)
class Sb3Config:
    """MaskablePPO's settings."""

    num_envs: int = 128
    """Environments, one after the other in this process: a step is far quicker than the way to
    another process and back."""
    n_steps: int = 16
    """Steps of all environments between two updates."""
    batch_size: int = 256
    """Decisions in a gradient step."""
    epochs: int = 4
    """Passes over each rollout."""
    learning_rate: float = 2e-3
    """Adam's step size at the start; it falls linearly to 0."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    gamma: float = 1.0
    """Discount; points of a deal need none."""
    gae_lambda: float = 0.95
    """Lambda of the advantage estimates."""
    opponent: str = "random"
    """Who sits on the other seats."""


#: Settings of most decisions a second, at a price in strength.
FASTEST = Sb3Config(n_steps=32, batch_size=1024, epochs=1)


class FlatScopa(gymnasium.ObservationWrapper[np.ndarray, int, dict[str, np.ndarray]]):
    """``Scopa-v0`` whose observation is the floats alone: MaskablePPO asks for masks apart."""

    def __init__(self, env: ScopaEnv) -> None:
        super().__init__(env)
        self.scopa = env
        space: Any = env.observation_space
        self.observation_space = space["observation"]

    def observation(self, observation: dict[str, np.ndarray]) -> np.ndarray:
        """The floats, ``float32[layout.size]``."""
        return observation["observation"]

    def action_masks(self) -> np.ndarray:
        """``bool[41]``: the legal actions."""
        return self.scopa.action_masks()


class Sb3Agent(Agent):
    """A MaskablePPO model behind the protocol of agents; it plays its likeliest action.

    Args:
        model: trained on :class:`FlatScopa` with these rules.
        rules: the rules; name: what reports call it.
    """

    def __init__(self, model: Any, rules: Rules, name: str = "MaskablePPO") -> None:
        self.model = model
        self.layout = Layout(rules, "full")
        self.name = name

    def act(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``int64[B]``: an action for each of the views ``GAME_DTYPE[B]``."""
        legal = np.empty(len(views), np.int64)
        legal_of(views, legal)
        masks = (legal[:, None] >> np.arange(NUM_ACTIONS)) & 1 == 1
        seen = observe_views(views, self.layout)
        actions, _ = self.model.predict(seen, action_masks=masks, deterministic=True)
        return actions.astype(np.int64)


@dataclass(frozen=True)
class Side:
    """One trained side.

    ``agent`` plays; it learnt from so many ``decisions`` in so many ``seconds`` on ``threads``.
    """

    agent: Agent
    decisions: int
    seconds: float
    threads: int

    @property
    def speed(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds


def make_sb3(rules: Rules, config: Sb3Config, hidden: Sequence[int], seed: int) -> Any:
    """An untrained MaskablePPO on environments of its own.

    Raises:
        ImportError: if sb3-contrib is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its import is none of our business
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv

    opponent = None if config.opponent == "random" else make(config.opponent, rules)
    envs = DummyVecEnv([lambda: FlatScopa(ScopaEnv(rules, opponent))] * config.num_envs)
    return MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=lambda left: config.learning_rate * max(left, 0.0),
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        ent_coef=config.entropy,
        policy_kwargs={"net_arch": list(hidden), "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )


def train_sb3(
    rules: Rules, config: Sb3Config, hidden: Sequence[int], seconds: float, seed: int, threads: int
) -> Side:
    """Train MaskablePPO for so many seconds.

    Args:
        threads: of torch, at most; one if more are not quicker.

    Raises:
        ImportError: if sb3-contrib is not installed.
    """
    trial = make_sb3(rules, config, hidden, seed)
    rollout = config.num_envs * config.n_steps
    trial.learn(rollout)
    speeds: dict[int, list[float]] = {1: [], threads: []}
    for _ in range(TRIALS):
        for number, found in speeds.items():
            torch.set_num_threads(number)
            start = time.perf_counter()
            trial.learn(rollout)
            found.append(rollout / (time.perf_counter() - start))
    best = threads if min(speeds[threads]) > max(speeds[1]) else 1
    speed = median(speeds[best])
    torch.set_num_threads(best)
    model = make_sb3(rules, config, hidden, seed)
    start = time.perf_counter()

    def in_time(*_: Any) -> bool:
        return time.perf_counter() - start < seconds

    model.learn(max(rollout, int(speed * seconds)), callback=in_time)
    return Side(Sb3Agent(model, rules), model.num_timesteps, time.perf_counter() - start, best)


def train_ours(
    rules: Rules, hidden: Sequence[int], seconds: float, seed: int, threads: int
) -> Side:
    """Train by self-play with the default settings for so many seconds."""
    config = SelfPlayConfig(hidden=tuple(hidden), seed=seed)
    trial = SelfPlay(rules, config, threads=threads)
    trial.iterate()
    start, before = time.perf_counter(), trial.steps
    while time.perf_counter() - start < min(5.0, seconds / 4):
        trial.iterate()
    speed = (trial.steps - before) / (time.perf_counter() - start)
    config = dataclasses.replace(config, steps=max(1, int(speed * seconds)))
    training = SelfPlay(rules, config, threads=threads)
    start = time.perf_counter()
    while not training.is_done and time.perf_counter() - start < seconds:
        training.iterate()
    passed = time.perf_counter() - start
    return Side(training.agent("self-play PPO"), training.steps, passed, threads)


@dataclass
class Options:
    """The command line of the comparison."""

    minutes: Annotated[float, tyro.conf.arg(metavar="N")] = 5.0
    """Minutes of training for each side."""

    rules: Annotated[str, tyro.conf.arg(metavar="PRESET")] = "scopa"
    """The rules to play by."""

    hidden: tuple[int, ...] = (128, 128)
    """Widths of the hidden layers of both."""

    deals: Annotated[int, tyro.conf.arg(metavar="N")] = 5000
    """Deals of each measurement of strength."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of both trainings and of the deals."""

    threads: Annotated[int, tyro.conf.arg(metavar="N")] = dataclasses.field(
        default_factory=lambda: min(2, os.cpu_count() or 1)
    )
    """Threads of our side, and the most that MaskablePPO may take."""

    sb3: Sb3Config = dataclasses.field(default_factory=Sb3Config)
    """Settings of MaskablePPO."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """A file for the results: .md or .json."""


def _strength(result: Result) -> str:
    return f"{result.points_per_deal:+.2f} ±{result.half_width:.2f}"


def compare(options: Options, console: Console) -> tuple[list[list[str]], dict[str, Any]]:
    """Train and measure both.

    Returns:
        The table, header first, and the same as data.

    Raises:
        ValueError: for rules that there are not, or numbers that make no sense.
        ImportError: if sb3-contrib is not installed.
    """
    rules = Rules.of(options.rules)
    if min(options.minutes, options.deals, options.threads, *options.hidden) <= 0:
        raise ValueError("minutes, deals, threads and hidden must be above 0")
    greedy, seconds, deals = make("greedy", rules), 60 * options.minutes, options.deals
    make_sb3(rules, dataclasses.replace(options.sb3, num_envs=1), options.hidden, options.seed)
    with console.status(f"self-play PPO trains for {options.minutes:g} minutes"):
        ours = train_ours(rules, options.hidden, seconds, options.seed, options.threads)
    with console.status(f"MaskablePPO trains for {options.minutes:g} minutes"):
        theirs = train_sb3(
            rules, options.sb3, options.hidden, seconds, options.seed, options.threads
        )
    with console.status("measuring strength"):
        over = [evaluate(side.agent, greedy, rules, deals, 1) for side in (ours, theirs)]
        duel = evaluate(ours.agent, theirs.agent, rules, deals, 2)
    ratio = ours.speed / theirs.speed
    header = ["", ours.agent.name, theirs.agent.name]
    rows = [
        header,
        ["decisions", f"{ours.decisions:,}", f"{theirs.decisions:,}"],
        ["seconds", f"{ours.seconds:.0f}", f"{theirs.seconds:.0f}"],
        ["threads", str(ours.threads), str(theirs.threads)],
        ["decisions/s", f"{ours.speed:,.0f}", f"{theirs.speed:,.0f}"],
        ["points a deal over greedy", *map(_strength, over)],
        ["points a deal over the other", _strength(duel), ""],
        [
            "times the decisions/s",
            f"{ratio:.1f} (at least {TARGET:g}: {'met' if ratio >= TARGET else 'missed'})",
            "1",
        ],
    ]
    data = {
        "settings": {**dataclasses.asdict(options), "out": None},
        "ratio": ratio,
        "sides": [
            {
                "name": side.agent.name,
                "decisions": side.decisions,
                "seconds": side.seconds,
                "threads": side.threads,
                "over_greedy": result.points_per_deal,
                "interval": result.interval,
            }
            for side, result in zip((ours, theirs), over, strict=True)
        ],
        "duel": {"points_per_deal": duel.points_per_deal, "interval": duel.interval},
    }
    return rows, data


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 0, 2 usage or something missing, 130 Ctrl-C."""
    options = tyro.cli(
        Options, args=argv, prog="python -m experiments.compare_sb3", description=__doc__
    )
    try:
        if options.out is not None:
            check_out(options.out)
        rows, data = compare(options, Console(stderr=True))
    except ImportError:
        print(f"compare_sb3: {INSTALL}", file=sys.stderr)
        return 2
    except ValueError as problem:
        print(f"compare_sb3: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("compare_sb3: stopped", file=sys.stderr)
        return 130
    machine = describe_machine()
    title = f"{options.rules}, {options.minutes:g} minutes each, 95% intervals over deals"
    print_report(title, machine, rows)
    if options.out is not None:
        markdown = f"{machine}\n\n{title}\n\n{markdown_table(rows)}\n"
        write_report(options.out, markdown, {"machine": machine, **data})
        print(f"written: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
