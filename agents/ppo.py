"""Proximal policy optimisation (Schulman et al. 2017) for games in which seats take turns.

A rollout is ``T`` steps of ``B`` games in lockstep; at each step one seat of each game decides.
Each seat has a trajectory of its own, strung across the other seats' decisions and across the
several touches of one move: :func:`advantages` follows it. Letters in shapes: T steps, B games,
P players, M decisions of a minibatch, N floats of an observation.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from agents.config import PPOConfig
from agents.network import PolicyValueNet, masked_log_probs
from scopa_env._jit import jit

__all__ = ["Batch", "Losses", "advantages", "update"]


@jit
def advantages(
    to_move: Any,
    reward: Any,
    done: Any,
    value: Any,
    last_to_move: Any,
    last_value: Any,
    gamma: Any,
    lam: Any,
    advantage: Any,
    usable: Any,
) -> None:
    """Generalised advantage estimates, each seat's along its own decisions.

    A decision is paid whatever its seat receives until the seat decides again or the deal ends.
    A seat that has not decided again when the rollout ends has nothing to look ahead to, unless
    it is the one to move: that last decision is marked unusable.

    Args:
        to_move: ``int64[T, B]``, the seat that decided; reward: ``float32[T, B, P]``, paid to
            each seat by the step; done: ``bool[T, B]``, the step ended a deal; value:
            ``float32[T, B]``, of the seat that decided.
        last_to_move: ``int64[B]`` and last_value: ``float32[B]``: the state after step T.
        advantage: written, ``float32[T, B]``; usable: written, ``bool[T, B]``.
    """
    steps, games = to_move.shape
    players = reward.shape[2]
    next_value = np.empty(players, np.float64)
    next_advantage = np.empty(players, np.float64)
    income = np.empty(players, np.float64)
    known = np.empty(players, np.bool_)
    for b in range(games):
        for seat in range(players):
            next_value[seat] = 0.0
            next_advantage[seat] = 0.0
            income[seat] = 0.0
            known[seat] = False
        next_value[last_to_move[b]] = last_value[b]
        known[last_to_move[b]] = True
        for t in range(steps - 1, -1, -1):
            for seat in range(players):
                if done[t, b]:
                    next_value[seat] = 0.0
                    next_advantage[seat] = 0.0
                    income[seat] = 0.0
                    known[seat] = True
                income[seat] += reward[t, b, seat]
            seat = to_move[t, b]
            delta = income[seat] + gamma * next_value[seat] - value[t, b]
            advantage[t, b] = delta + gamma * lam * next_advantage[seat]
            usable[t, b] = known[seat]
            next_value[seat] = value[t, b]
            next_advantage[seat] = advantage[t, b] if known[seat] else 0.0
            income[seat] = 0.0
            known[seat] = True


class Batch(NamedTuple):
    """Decisions, M of them.

    ``observation`` ``float32[M, N]``, ``legal`` ``bool[M, 41]``, ``action`` ``int64[M]``,
    ``log_prob`` ``float32[M]`` of the action when it was drawn, ``advantage`` ``float32[M]``
    normalised, ``target`` ``float32[M]`` of the value, in points.
    """

    observation: torch.Tensor
    legal: torch.Tensor
    action: torch.Tensor
    log_prob: torch.Tensor
    advantage: torch.Tensor
    target: torch.Tensor

    def take(self, index: torch.Tensor) -> Batch:
        """The decisions at these places."""
        return Batch(*(tensor.index_select(0, index) for tensor in self))


class Losses(NamedTuple):
    """Means over the decisions of an update.

    ``policy``: the clipped surrogate; ``value``: squared error in points; ``entropy``: nats;
    ``kl``: of the new policy from the old, estimated; ``clipped``: share of ratios cut.
    """

    policy: float
    value: float
    entropy: float
    kl: float
    clipped: float


def loss_of(
    network: PolicyValueNet, batch: Batch, config: PPOConfig, entropy_weight: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss summed over a batch, and the sums behind :class:`Losses`, ``float32[5]``."""
    logits, value = network(batch.observation)
    log_probs, entropy = masked_log_probs(logits, batch.legal)
    log_prob = log_probs.gather(1, batch.action[:, None]).squeeze(1)
    log_ratio = log_prob - batch.log_prob
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    gain = torch.minimum(ratio * batch.advantage, clipped * batch.advantage).sum()
    error = (value - batch.target).square().sum()
    surprise = entropy.sum()
    loss = -gain + config.value_coefficient * error - entropy_weight * surprise
    with torch.no_grad():
        kl = (ratio - 1 - log_ratio).sum()  # Schulman's low-variance estimator
        cut = (ratio != clipped).sum()
        sums = torch.stack([-gain, error, surprise, kl, cut.to(gain.dtype)])
    return loss, sums


def update(
    network: PolicyValueNet,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    usable: torch.Tensor,
    config: PPOConfig,
    entropy_weight: float,
    rng: np.random.Generator,
    pool: Executor,
    shards: int,
) -> Losses:
    """Improve the network on a rollout: ``config.epochs`` passes in random minibatches.

    Each minibatch is cut into ``shards`` parts whose gradients are computed side by side and
    added in a fixed order, so that the result does not depend on the number of threads.

    Args:
        batch: the rollout; usable: ``int64[K]``, the places in it to learn from.
    """
    parameters = list(network.parameters())
    total = len(usable)
    sums = torch.zeros(5)
    seen = 0

    def gradients(part: Batch) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
        loss, part_sums = loss_of(network, part, config, entropy_weight)
        return torch.autograd.grad(loss, parameters), part_sums

    for _ in range(config.epochs):
        order = usable[torch.from_numpy(rng.permutation(total)).to(usable.device)]
        for start in range(0, total, config.minibatch):
            index = order[start : start + config.minibatch]
            parts = list(pool.map(lambda i: gradients(batch.take(i)), index.tensor_split(shards)))
            for i, parameter in enumerate(parameters):
                gradient = parts[0][0][i]
                for other, _ in parts[1:]:
                    gradient = gradient + other[i]
                parameter.grad = gradient / len(index)
            nn.utils.clip_grad_norm_(parameters, config.max_grad_norm)
            optimizer.step()
            for _, part_sums in parts:
                sums += part_sums.cpu()
            seen += len(index)
    return Losses(*(sums / seen).tolist())
