"""The network that plays: an observation in, a logit for each action and a value out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.agent import check_views
from scopa_env._jit import jit
from scopa_env.game import NUM_ACTIONS, legal_bits
from scopa_env.observation import Layout, observe_views
from scopa_env.rules import Rules

__all__ = ["NetworkAgent", "PolicyValueNet", "act_on", "legal_of", "masked_log_probs"]


class PolicyValueNet(nn.Module):
    """A multilayer perceptron with two heads.

    Args:
        observation_size: floats in an observation, N.
        hidden: widths of the hidden layers.
    """

    def __init__(self, observation_size: int, hidden: Sequence[int] = (128, 128)) -> None:
        super().__init__()
        self.observation_size = observation_size
        self.hidden = tuple(int(width) for width in hidden)
        widths = (observation_size, *self.hidden)
        layers: list[nn.Module] = []
        for before, after in pairwise(widths):
            layers += [_orthogonal(nn.Linear(before, after), 2**0.5), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.policy = _orthogonal(nn.Linear(widths[-1], NUM_ACTIONS), 0.01)
        self.value = _orthogonal(nn.Linear(widths[-1], 1), 1.0)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits ``float32[B, 41]``, legal and illegal, and values ``float32[B]`` in points.

        Args:
            observation: ``float32[B, N]``.
        """
        hidden = self.trunk(observation)
        return self.policy(hidden), self.value(hidden).squeeze(-1)


def _orthogonal(layer: nn.Linear, gain: float) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def masked_log_probs(
    logits: torch.Tensor, legal: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities over the legal actions, and the entropy.

    Args:
        logits: ``float32[B, 41]``.
        legal: ``bool[B, 41]``, True where legal; at least one in each row.

    Returns:
        ``float32[B, 41]``, a very low number where illegal, and ``float32[B]`` in nats.
    """
    log_probs = torch.log_softmax(logits.masked_fill(~legal, -1e9), dim=-1)
    # Not exp of the very low numbers: that takes a processor a hundred times as long.
    known = log_probs.masked_fill(~legal, 0.0)
    return log_probs, -(known.exp() * known).sum(-1)


@jit
def act_on(logits: Any, legal: Any, draw: Any, actions: Any, log_probs: Any) -> None:
    """Draw an action in each of B games from the softmax of the legal logits.

    Args:
        logits: ``float32[B, 41]``.
        legal: ``int64[B]``, legal actions as bits.
        draw: ``float64[B]``, uniform numbers in [0, 1); a negative one takes the likeliest.
        actions: written, ``int64[B]``; log_probs: written, ``float32[B]``.
    """
    for i in range(len(actions)):
        best = -1
        for action in range(NUM_ACTIONS):
            if (legal[i] >> action) & 1 and (best < 0 or logits[i, action] > logits[i, best]):
                best = action
        total = 0.0
        for action in range(NUM_ACTIONS):
            if (legal[i] >> action) & 1:
                total += np.exp(logits[i, action] - logits[i, best])
        chosen = best
        left = draw[i] * total
        if left >= 0:
            for action in range(NUM_ACTIONS):
                if (legal[i] >> action) & 1:
                    chosen = action
                    left -= np.exp(logits[i, action] - logits[i, best])
                    if left < 0:
                        break
        actions[i] = chosen
        log_probs[i] = logits[i, chosen] - logits[i, best] - np.log(total)


@jit
def legal_of(views: Any, legal: Any) -> None:
    """Write the legal actions of each view's seat to move as bits, ``int64[B]``."""
    for i in range(len(views)):
        legal[i] = legal_bits(views[i])


class NetworkAgent:
    """A network behind the protocol of agents.

    Args:
        network: the network.
        rules: the rules it was trained on.
        observation: the block it was trained on, ``"full"`` or ``"raw"``.
        sample: draw from the policy; otherwise its likeliest action is played.
        name: what reports call it.
    """

    sees_everything = False

    def __init__(
        self,
        network: PolicyValueNet,
        rules: Rules,
        observation: str = "full",
        *,
        sample: bool = False,
        name: str = "network",
    ) -> None:
        self.network = network
        self.layout = Layout(rules, observation)
        if network.observation_size != self.layout.size:
            raise ValueError(
                f"the network takes {network.observation_size} numbers, an observation of "
                f"{rules.name} ({observation}) has {self.layout.size}"
            )
        self.sample = sample
        self.name = name

    def act(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``int64[B]``: an action for each of the views ``GAME_DTYPE[B]``."""
        check_views(views)
        device = next(self.network.parameters()).device
        observations = torch.from_numpy(observe_views(views, self.layout))
        with torch.inference_mode():
            logits, _ = self.network(observations.to(device))
        legal = np.empty(len(views), np.int64)
        legal_of(views, legal)
        draw = rng.random(len(views)) if self.sample else np.full(len(views), -1.0)
        actions = np.empty(len(views), np.int64)
        act_on(logits.cpu().numpy(), legal, draw, actions, np.empty(len(views), np.float32))
        return actions
