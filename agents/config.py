"""The settings of training. Cheap to import: neither torch nor kernels are needed to read them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["PPOConfig", "SelfPlayConfig", "at_least", "config_from"]


@dataclass(frozen=True)
class PPOConfig:
    """The update's settings."""

    learning_rate: float = 2.8e-3
    """Adam's step size at the start; it falls linearly to 0."""
    epochs: int = 1
    """Passes over each rollout."""
    minibatch: int = 4096
    """Decisions in a gradient step."""
    clip: float = 0.2
    """How far the probability ratio may move before its gradient is cut."""
    value_coefficient: float = 0.5
    """Weight of the value loss."""
    entropy: float = 0.03
    """Weight of the entropy bonus at the start: more explores more."""
    entropy_end: float = 0.004
    """Weight of the entropy bonus at the end; it falls linearly."""
    gamma: float = 1.0
    """Discount from one decision of a seat to its next; points of a deal need none."""
    lam: float = 0.7
    """Lambda of generalised advantage estimation (Schulman et al. 2016): 0 trusts the value
    network, 1 only the points."""
    max_grad_norm: float = 0.5
    """Gradients longer than this are shortened to it."""

    def check(self) -> None:
        """Raise ValueError for a setting out of its range."""
        at_least(1, epochs=self.epochs, minibatch=self.minibatch)
        at_least(
            0,
            learning_rate=self.learning_rate,
            clip=self.clip,
            value_coefficient=self.value_coefficient,
            entropy=self.entropy,
            entropy_end=self.entropy_end,
            gamma=self.gamma,
            lam=self.lam,
            max_grad_norm=self.max_grad_norm,
        )


@dataclass(frozen=True)
class SelfPlayConfig:
    """How self-play gathers decisions, and how many."""

    steps: int = 14_000_000
    """Decisions to train on, all seats together."""
    seed: int = 1
    """Everything random follows from it: same seed, same weights."""
    hidden: tuple[int, ...] = (128, 128)
    """Widths of the network's hidden layers."""
    observation: Literal["full", "raw"] = "full"
    """What the network sees: the public record and its hand, with what each card would do
    (full) or without (raw)."""
    pay: Literal["decided", "end"] = "decided"
    """When points are paid: as soon as they cannot change any more, or when the deal ends."""
    num_games: int = 512
    """Games played in lockstep."""
    rollout: int = 64
    """Steps of all games between two updates."""
    ppo: PPOConfig = field(default_factory=PPOConfig)
    """The update."""

    def check(self) -> None:
        """Raise ValueError for a setting out of its range."""
        at_least(1, steps=self.steps, num_games=self.num_games, rollout=self.rollout)
        at_least(1, hidden=min(self.hidden, default=0))
        at_least(0, seed=self.seed)
        self.ppo.check()


def at_least(least: float, **settings: float) -> None:
    """Raise ValueError for the first setting below ``least``, or that is no finite number."""
    for name, value in settings.items():
        if not least <= value < float("inf"):
            raise ValueError(f"{name}={value!r}: at least {least} is wanted")


def config_from(data: dict[str, Any]) -> SelfPlayConfig:
    """A configuration out of what ``dataclasses.asdict`` and JSON made of one."""
    data = json.loads(json.dumps(data))
    ppo = PPOConfig(**data.pop("ppo"))
    return SelfPlayConfig(**{**data, "hidden": tuple(data["hidden"]), "ppo": ppo})
