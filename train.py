"""Train an agent by self-play: ``python train.py``.

A live panel shows how fast it learns and how strong it is against the greedy bot, with the 95%
interval. Ctrl-C saves; ``--resume FOLDER`` goes on with the same weights as if there had been no
stop. The checkpoint is an agent for every other command: ``python -m experiments.tournament
greedy runs/NAME``.
"""

from __future__ import annotations

import dataclasses
import datetime
import os
import platform
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from agents.config import SelfPlayConfig, at_least
from agents.files import check_folder

if TYPE_CHECKING:  # torch and the compiled kernels wait until the arguments are known to be good
    from agents.selfplay import Progress, SelfPlay
    from experiments.match import Result

LOSSES = {"policy": "policy loss", "value": "value loss", "entropy": "entropy (nats)",
          "kl": "KL", "clipped": "clipped"}  # fmt: skip


@dataclass(frozen=True)
class TrainConfig:
    """Train a scopa agent by self-play PPO."""

    rules: str = "scopa"
    """The game: a preset, such as scopa, scopa_teams, scopone, cirulla (docs/rules.md has all)."""
    learning: Annotated[SelfPlayConfig, tyro.conf.OmitArgPrefixes] = dataclasses.field(
        default_factory=SelfPlayConfig
    )
    """What is learned from, and how."""
    out: Path | None = None
    """Folder of the run; by default a new one under runs/."""
    resume: Path | None = None
    """Go on with the run in this folder; its own settings are used."""
    device: str = "cpu"
    """Where the network computes: cpu or cuda."""
    threads: int = dataclasses.field(default_factory=lambda: min(2, os.cpu_count() or 1))
    """Threads on the CPU. The weights do not depend on it."""

    eval_every: float = 30.0
    """Seconds between measurements of strength during training; 0: only at the end."""
    eval_deals: int = 500
    """Deals in each of them."""
    final_deals: int = 5000
    """Deals of the measurement at the end, against each opponent."""
    opponents: tuple[str, ...] = ("greedy", "random")
    """Agents to be measured against; the first one during training too."""
    save_every: float = 60.0
    """Seconds between saves during training."""


class Stop:
    """Whether the user has asked to stop: Ctrl-C or a polite kill, noticed between updates."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def restore(self) -> None:
        """From now on Ctrl-C stops at once."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)

    def _ask(self, *_: Any) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


class Monitor:
    """What the user sees while training runs: a live panel, or plain lines where output is no
    terminal; and TensorBoard's log where it is installed."""

    def __init__(self, training: SelfPlay, folder: Path) -> None:
        from rich.console import Console
        from rich.live import Live

        self.training, self.folder = training, folder
        self.console = Console()
        self.strength: list[Result] = []
        self.start, self.first_step = time.monotonic(), training.steps
        self.recent: list[tuple[float, int]] = [(self.start, training.steps)]
        self.last_line = 0.0
        self.progress: Progress | None = None
        self.live = Live(console=self.console, auto_refresh=False, transient=False)
        if self.console.is_terminal:
            self.live.start()
        self.log = _tensorboard(folder)

    def update(self, progress: Progress) -> None:
        """Show what an iteration did. Training goes on although nobody listens any more."""
        with suppress(OSError):
            self._update(progress)

    def _update(self, progress: Progress) -> None:
        self.progress = progress
        now = time.monotonic()
        self.recent = [*self.recent[-200:], (now, progress.steps)]
        if self.log is not None:
            for name, value in progress.losses._asdict().items():
                self.log.add_scalar(f"losses/{name}", value, progress.steps)
            self.log.add_scalar("speed/decisions_per_second", self.speed(), progress.steps)
        if self.live.is_started:
            self.live.update(self._panel(), refresh=True)
        elif now - self.last_line > 10:
            self.last_line = now
            print(self._line(), flush=True)

    def measured(self, result: Result) -> None:
        """Show a measurement of strength."""
        self.strength.append(result)
        if self.log is not None and self.progress is not None:
            name = f"strength/over_{result.opponent}"
            self.log.add_scalar(name, result.points_per_deal, self.progress.steps)

    def close(self) -> None:
        """Leave the panel as it is."""
        with suppress(OSError):
            if self.live.is_started:
                self.live.stop()
        if self.log is not None:
            self.log.close()

    def speed(self) -> float:
        """Decisions a second, lately."""
        (t0, s0), (t1, s1) = self.recent[0], self.recent[-1]
        return (s1 - s0) / max(t1 - t0, 1e-9)

    def _left(self) -> str:
        assert self.progress is not None
        left = self.training.config.steps - self.progress.steps
        return _duration(max(0, left) / max(self.speed(), 1e-9))

    def _split(self) -> str:
        assert self.progress is not None
        total = sum(self.progress.seconds.values())
        return "  ".join(f"{k} {v / total:.0%}" for k, v in self.progress.seconds.items())

    def _line(self) -> str:
        assert self.progress is not None
        losses = self.progress.losses
        text = (
            f"{self.progress.steps:,}/{self.training.config.steps:,} decisions  "
            f"{self.speed():,.0f}/s  {self._left()} left  entropy {losses.entropy:.3f}  "
            f"value loss {losses.value:.3f}"
        )
        return f"{text}  {_strength(self.strength[-1])}" if self.strength else text

    def _panel(self) -> Any:
        from rich.panel import Panel
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        assert self.progress is not None
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="bold")
        grid.add_column()
        steps, goal = self.progress.steps, self.training.config.steps
        grid.add_row("progress", ProgressBar(goal, min(steps, goal), width=40))
        grid.add_row("decisions", f"{steps:,} of {goal:,}   {self.progress.deals:,} deals")
        grid.add_row("speed", f"{self.speed():,.0f} decisions/s   {self._left()} left")
        grid.add_row("time goes to", self._split())
        losses = self.progress.losses._asdict()
        grid.add_row("losses", "  ".join(f"{LOSSES[k]} {v:.3f}" for k, v in losses.items()))
        shown = self.strength[-3:] or None
        grid.add_row(
            "strength", "\n".join(_strength(r) for r in shown) if shown else "not measured yet"
        )
        grid.add_row("checkpoint", str(self.folder))
        return Panel(grid, title=f"scopa self-play PPO: {self.training.rules.name}")


def _tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))


def _strength(result: Result) -> str:
    return (
        f"{result.points_per_deal:+.2f} +/- {result.half_width:.2f} points a deal over "
        f"{result.opponent} ({result.deals:,} deals)"
    )


def _say(text: str) -> None:
    """Print, also if nobody listens any more: training is worth more than its last words."""
    with suppress(OSError):
        print(text, flush=True)


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02d}"


def begin(config: TrainConfig) -> tuple[SelfPlay, Path]:
    """The training that a configuration asks for, new or resumed, and its folder.

    Raises:
        ValueError: for settings that do not go together; the message is one line.
    """
    import torch

    from agents.agent import make
    from agents.selfplay import SelfPlay
    from scopa_env.rules import Rules

    if config.device.partition(":")[0] not in ("cpu", "cuda"):
        raise ValueError(f"device={config.device!r}: cpu and cuda are allowed")
    try:
        device = torch.device(config.device)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as problem:
        first = str(problem).splitlines()[0]
        raise ValueError(f"device={config.device!r} cannot be used here: {first}") from None
    at_least(1, threads=config.threads, eval_deals=config.eval_deals)
    at_least(2, final_deals=config.final_deals)
    at_least(0, eval_every=config.eval_every, save_every=config.save_every)
    if config.resume is not None:
        training = SelfPlay.load(config.resume, threads=config.threads, device=config.device)
        for opponent in config.opponents:
            make(opponent, training.rules)
        if (config.rules, config.learning) != (TrainConfig.rules, SelfPlayConfig()):
            print(f"note: {config.resume} goes on with its own rules and settings of learning")
        return training, config.resume
    config.learning.check()
    rules = Rules.of(config.rules)
    for opponent in config.opponents:
        make(opponent, rules)
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = config.out or Path("runs") / f"{rules.name}-{stamp}"
    if (folder / "training.safetensors").exists():
        raise ValueError(f"{folder} holds a run: --resume {folder} goes on with it")
    check_folder(folder)
    training = SelfPlay(rules, config.learning, threads=config.threads, device=config.device)
    return training, folder


def save(
    training: SelfPlay, folder: Path, seconds: float, strength: dict[str, Any] | None = None
) -> None:
    """Write the weights with their card, and the state of training."""
    from agents.checkpoint import git_commit, save_model

    card = {
        "rules": training.rules.to_dict(),
        "observation": training.config.observation,
        "configuration": dataclasses.asdict(training.config),
        "git_commit": git_commit(),
        "trained": {
            "how": "self-play PPO",
            "decisions": training.steps,
            "deals": training.deals,
            "seconds": round(seconds, 1),
            "finished": training.is_done,
            "date": datetime.date.today().isoformat(),
            "machine": f"{platform.machine()}, {os.cpu_count()} CPU cores, {training.device}",
        },
        "strength": strength or {},
    }
    save_model(folder, training.network, card)
    training.save(folder, seconds)


def train(config: TrainConfig) -> Path:
    """Train, showing progress; the folder of the checkpoint.

    Raises:
        ValueError: as :func:`begin`.
    """
    from agents.agent import make
    from experiments.match import evaluate

    training, folder = begin(config)
    stop = Stop()
    monitor = Monitor(training, folder)
    _say(
        f"rules {training.rules.name}, seed {training.config.seed}, run in {folder}; "
        "compiling takes a moment the first time",
    )
    start = time.monotonic() - training.seconds
    saved = measured = time.monotonic()
    opponents = [make(name, training.rules) for name in config.opponents]
    rival = opponents[0] if opponents else None
    try:
        while not training.is_done and not stop.asked:
            monitor.update(training.iterate())
            now = time.monotonic()
            if rival is not None and config.eval_every and now - measured > config.eval_every:
                monitor.measured(
                    evaluate(training.agent(), rival, training.rules, config.eval_deals, seed=0)
                )
                measured = time.monotonic()
            if now - saved > config.save_every:
                save(training, folder, now - start)
                saved = time.monotonic()
    finally:
        monitor.close()
    seconds = time.monotonic() - start
    if stop.asked:
        save(training, folder, seconds)
        again = f"python train.py --resume {folder}"
        _say(f"stopped and saved after {training.steps:,} decisions; go on with: {again}")
        return folder
    save(training, folder, seconds)  # before measuring, which takes a while
    stop.restore()
    _say(f"trained and saved in {folder}; measuring over {config.final_deals:,} deals")
    strength = {}
    for name, opponent in zip(config.opponents, opponents, strict=True):
        result = evaluate(training.agent(), opponent, training.rules, config.final_deals, seed=1)
        _say(_strength(result))
        strength[name] = {
            "points_per_deal": round(result.points_per_deal, 4),
            "interval": [round(edge, 4) for edge in result.interval],
            "deals": result.deals,
        }
    save(training, folder, seconds, strength)
    command = f"python -m experiments.tournament greedy {folder} --rules {training.rules.name}"
    _say(f"trained for {_duration(seconds)}; the agent is in {folder}: {command}")
    return folder


def main() -> None:
    """The command line."""
    config = tyro.cli(TrainConfig, description=__doc__)
    try:
        train(config)
    except ValueError as problem:
        sys.exit(f"train.py: {problem}")
    except KeyboardInterrupt:
        sys.exit("train.py: interrupted; what was saved before is in the run's folder")
    except OSError as problem:
        sys.exit(f"train.py: {problem.filename}: {problem.strerror}")


if __name__ == "__main__":
    main()
