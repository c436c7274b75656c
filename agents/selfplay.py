"""Self-play: every seat is played by the network that learns.

:class:`SelfPlay` owns what training changes, and turns one rollout into one update at a time,
so that a loop around :meth:`SelfPlay.iterate` is all that a trainer needs.
"""

from __future__ import annotations

import dataclasses
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from agents.checkpoint import TRAINING, read_tensors, write_tensors
from agents.config import SelfPlayConfig, config_from
from agents.network import NetworkAgent, PolicyValueNet, act_on
from agents.ppo import Batch, Losses, advantages, update
from scopa_env.face import start_games
from scopa_env.game import GAME_DTYPE, NUM_ACTIONS
from scopa_env.observation import OBSERVATION_VERSION
from scopa_env.rules import Rules
from scopa_env.vector import VectorGame

__all__ = ["Progress", "SelfPlay"]

#: Parts into which the games, and every backward pass, are cut. Fixed, so that results do not
#: depend on the number of threads.
SHARDS = 2


class Progress(NamedTuple):
    """What one iteration did.

    ``steps``: decisions so far; ``deals``: deals finished so far; ``seconds``: by part of the
    work (game, policy, advantages, update); ``losses``: see Losses.
    """

    steps: int
    deals: int
    seconds: dict[str, float]
    losses: Losses


class SelfPlay:
    """A network in training by self-play.

    Args:
        rules: Rules, the name of a preset, or a dict of fields.
        config: what to do.
        threads: threads for the game and the network; any number gives the same weights.
        device: where the network computes: ``"cpu"``, ``"cuda"``.
    """

    def __init__(
        self,
        rules: Any,
        config: SelfPlayConfig,
        *,
        threads: int = 2,
        device: str = "cpu",
    ) -> None:
        self.rules = Rules.of(rules)
        self.config = config
        self.device = torch.device(device)
        self.rng = np.random.default_rng(np.random.SeedSequence(config.seed).spawn(1)[0])
        self.shards = min(SHARDS, config.num_games) if self.device.type == "cpu" else 1
        games = start_games(self.rules, config.num_games, config.seed)
        edges = np.linspace(0, config.num_games, self.shards + 1).astype(int)
        self.parts = [(slice(lo, hi), self._part(games[lo:hi])) for lo, hi in pairwise(edges)]
        self.layout = self.parts[0][1].layout
        with seeded_torch(config.seed):
            self.network = PolicyValueNet(self.layout.size, config.hidden)
        self.network.to(self.device)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), config.ppo.learning_rate, eps=1e-5, fused=True
        )
        self.steps = 0
        self.deals = 0
        self.seconds = 0.0  # spent before the last stop
        self.pool = ThreadPoolExecutor(min(threads, self.shards), initializer=_one_thread)
        self._allocate()

    def _part(self, games: np.ndarray) -> VectorGame:
        part = VectorGame(
            self.rules,
            len(games),
            self.config.seed,
            observation=self.config.observation,
            pay=self.config.pay,
        )
        part.set_games(games)
        return part

    def _allocate(self) -> None:
        steps, games = self.config.rollout, self.config.num_games
        players, size = self.rules.players, self.layout.size
        self.observation = torch.empty(steps + 1, games, size)
        self.mask = torch.empty(steps + 1, games, NUM_ACTIONS, dtype=torch.int8)
        self.to_move = np.empty((steps + 1, games), np.int64)
        self.action = np.empty((steps, games), np.int64)
        self.log_prob = np.empty((steps, games), np.float32)
        self.value = np.empty((steps + 1, games), np.float32)
        self.reward = np.empty((steps, games, players), np.float32)
        self.done = np.empty((steps, games), np.bool_)
        self.advantage = np.empty((steps, games), np.float32)
        self.usable = np.empty((steps, games), np.bool_)

    @property
    def is_done(self) -> bool:
        """Whether all decisions asked for have been made."""
        return self.steps >= self.config.steps

    def agent(self, name: str = "network") -> NetworkAgent:
        """The network as it is now, as an agent (sharing its weights)."""
        return NetworkAgent(self.network, self.rules, self.config.observation, name=name)

    def iterate(self) -> Progress:
        """Play one rollout and learn from it."""
        clock = _Clock()
        ppo = self.config.ppo
        left = max(0.0, 1 - self.steps / self.config.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = ppo.learning_rate * left
        entropy_weight = ppo.entropy_end + (ppo.entropy - ppo.entropy_end) * left
        with _intra_op_threads(1 if self.shards > 1 else None):
            draw = self.rng.random(self.action.shape)
            for seconds in self.pool.map(lambda part: self._play(*part, draw), self.parts):
                for name, some in seconds.items():
                    clock.add(name, some / len(self.parts))
            with clock("advantages"):
                batch, usable = self._batch()
            with clock("update"):
                losses = update(
                    self.network,
                    self.optimizer,
                    batch,
                    usable,
                    ppo,
                    entropy_weight,
                    self.rng,
                    self.pool,
                    self.shards,
                )
        self.steps += self.action.size
        self.deals += int(self.done.sum())
        return Progress(self.steps, self.deals, clock.seconds, losses)

    def _play(self, here: slice, games: VectorGame, draw: np.ndarray) -> dict[str, float]:
        """Fill in some games' part of the rollout; the seconds that it took.

        Args:
            draw: ``float64[T, B]``, uniform numbers for all games.
        """
        clock = _Clock()
        self.observation[0, here] = torch.from_numpy(games.observation)
        self.mask[0, here] = torch.from_numpy(games.action_mask)
        steps = self.config.rollout
        for t in range(steps + 1):
            with clock("policy"):
                logits, value = self._evaluate(self.observation[t, here])
                self.value[t, here] = value
                self.to_move[t, here] = games.to_move
                if t == steps:  # what the last step led to is only valued
                    break
                action = self.action[t, here]
                act_on(logits, games.legal, draw[t, here], action, self.log_prob[t, here])
            with clock("game"):
                # The engine writes what it shows next straight into the rollout.
                games.observation = self.observation[t + 1, here].numpy()
                games.action_mask = self.mask[t + 1, here].numpy()
                games.step(action)
                self.reward[t, here] = games.reward
                self.done[t, here] = games.done
        return clock.seconds

    def _evaluate(self, observation: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Logits ``float32[B, 41]`` and values ``float32[B]`` of observations ``[B, N]``."""
        with torch.inference_mode():
            logits, value = self.network(observation.to(self.device))
        return logits.cpu().numpy(), value.cpu().numpy()

    def _batch(self) -> tuple[Batch, torch.Tensor]:
        """The rollout, and the places ``int64[K]`` in it to learn from."""
        ppo = self.config.ppo
        value = self.value[:-1]
        advantages(
            self.to_move[:-1],
            self.reward,
            self.done,
            value,
            self.to_move[-1],
            self.value[-1],
            ppo.gamma,
            ppo.lam,
            self.advantage,
            self.usable,
        )
        kept = self.advantage[self.usable]

        def flat(data: Any) -> torch.Tensor:
            tensor = torch.as_tensor(data)[: self.config.rollout]
            return tensor.flatten(0, 1).to(self.device)

        batch = Batch(
            flat(self.observation),
            flat(self.mask).bool(),
            flat(self.action),
            flat(self.log_prob),
            flat((self.advantage - kept.mean()) / (kept.std() + 1e-8)),
            flat(self.advantage + value),
        )
        return batch, torch.from_numpy(np.flatnonzero(self.usable)).to(self.device)

    def save(self, folder: Path, seconds: float = 0.0) -> None:
        """Write the state of training into a folder: all that :meth:`load` needs to go on.

        Args:
            seconds: time spent so far, kept for the record.
        """
        tensors = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        for i, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{i}.{k}": v for k, v in state.items()}
        games = np.concatenate([part.games for _, part in self.parts])
        tensors["games"] = torch.from_numpy(games.view(np.uint8))
        tensors["paid"] = torch.from_numpy(np.concatenate([part.paid for _, part in self.parts]))
        meta = {
            "steps": self.steps,
            "deals": self.deals,
            "seconds": seconds,
            "rng": self.rng.bit_generator.state,
            "rules": self.rules.to_dict(),
            "config": dataclasses.asdict(self.config),
            "observation_version": OBSERVATION_VERSION,
            "game_dtype": repr(GAME_DTYPE),
        }
        folder.mkdir(parents=True, exist_ok=True)
        write_tensors(folder / TRAINING, tensors, meta)

    @classmethod
    def load(cls, folder: Path, *, threads: int = 2, device: str = "cpu") -> SelfPlay:
        """Go on from what :meth:`save` wrote, as if there had been no stop.

        Raises:
            ValueError: if there is nothing to go on from, or it is of another version.
        """
        tensors, meta = read_tensors(Path(folder) / TRAINING)
        if (meta["observation_version"], meta["game_dtype"]) != (
            OBSERVATION_VERSION,
            repr(GAME_DTYPE),
        ):
            raise ValueError(
                f"{folder}: this training was begun by another version of the code; begin it anew"
            )
        self = cls(meta["rules"], config_from(meta["config"]), threads=threads, device=device)
        weights = {k.removeprefix("network."): v for k, v in tensors.items() if k[:8] == "network."}
        self.network.load_state_dict(weights)
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            if kind == "optimizer":
                number, _, key = rest.partition(".")
                state.setdefault(int(number), {})[key] = tensor
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})
        games, paid = tensors["games"].numpy().view(GAME_DTYPE), tensors["paid"].numpy()
        for here, part in self.parts:
            part.set_games(games[here], paid[here])
        self.rng.bit_generator.state = meta["rng"]
        self.steps, self.deals = meta["steps"], meta["deals"]
        self.seconds = meta["seconds"]
        return self


@contextmanager
def seeded_torch(seed: int) -> Any:
    """Torch's generator seeded for a while, then as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextmanager
def _intra_op_threads(number: int | None) -> Any:
    before = torch.get_num_threads()
    if number is not None:
        torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _one_thread() -> None:
    torch.set_num_threads(1)


class _Clock:
    """Adds up the seconds of named parts of the work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def add(self, part: str, seconds: float) -> None:
        self.seconds[part] = self.seconds.get(part, 0.0) + seconds

    @contextmanager
    def __call__(self, part: str) -> Any:
        start = time.perf_counter()
        yield
        self.add(part, time.perf_counter() - start)
