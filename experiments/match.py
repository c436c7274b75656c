"""Deals played by agents: the same deal for every way of seating them.

The unit is a deal, played once for each seating with the same deck and the same dealer. Deals
are independent of each other, the games of one deal are not, so every interval is over deals.

Deck and agents have random streams of their own. Deal d of a seed has the same cards whoever
plays and however many deals are asked for; an agent's generator depends on the seed, on its
place among the agents, and on the chunk of deals. So the first thousand of two thousand deals
are the thousand deals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.agent import Agent, make
from experiments.statistics import Estimate, mean_interval, share_interval
from scopa_env._jit import jit
from scopa_env._random import agents_generator, start_stream
from scopa_env.face import actions_of, describe_actions
from scopa_env.game import (
    NONE,
    copy_games,
    is_legal,
    legal_bits,
    new_games,
    start_deal,
    touch,
)
from scopa_env.rules import MAX_PLAYERS, Rules
from scopa_env.scoring import NUM_CATEGORIES, deal_points
from scopa_env.view import hide

__all__ = ["CHUNK", "IllegalAction", "Result", "duel_seatings", "evaluate", "play_deals"]

#: Deals played in lockstep. Part of what a seed means for agents that draw: do not tune lightly.
CHUNK = 1024

DECK_STREAM, AGENT_STREAM = 0, 1

OnDeals = Callable[[int], Any]


class IllegalAction(ValueError):
    """An agent chose an action that is not legal; the message names it and what was legal."""


def play_deals(
    agents: Sequence[Agent],
    seatings: Any,
    rules: Rules | str = "scopa",
    deals: int = 1000,
    seed: int = 0,
    *,
    chunk: int = CHUNK,
    on_deals: OnDeals | None = None,
) -> np.ndarray:
    """Play each deal once for each seating.

    The dealer of deal d is seat d modulo the players, so all seats deal equally often.

    Args:
        agents: the players.
        seatings: ``int[G, sides]``: which of the agents plays for each side, in each of the G
            games of a deal. Partners are played by the same agent.
        rules: Rules, the name of a preset, or a dict of fields.
        deals: number of deals, D.
        seed: any integer from 0.
        chunk: deals played in lockstep.
        on_deals: called after each chunk with the number of its deals.

    Returns:
        ``int64[D, G, sides]``: the points of the deal, by side.

    Raises:
        IllegalAction: naming the agent and the legal actions.
        ValueError: for numbers that make no sense, or seatings that do not fit.
    """
    rules = Rules.of(rules)
    seating = np.ascontiguousarray(np.atleast_2d(np.asarray(seatings, np.int64)))
    if seating.ndim != 2 or seating.shape[1] != rules.num_sides:
        raise ValueError(f"seatings: one agent for each of {rules.num_sides} sides is wanted")
    if seating.min() < 0 or seating.max() >= len(agents):
        raise ValueError(f"seatings: agents 0 to {len(agents) - 1} are there")
    for name, value, least in (("deals", deals, 1), ("seed", seed, 0), ("chunk", chunk, 1)):
        if value < least:
            raise ValueError(f"{name}={value}: at least {least} is wanted")
    words = _stream(seed, DECK_STREAM).generate_state(2)
    points = np.zeros((deals, len(seating), rules.num_sides), np.int64)
    for number, first in enumerate(range(0, deals, chunk)):
        count = min(chunk, deals - first)
        rngs = [agents_generator(seed, AGENT_STREAM, place, number) for place in range(len(agents))]
        dealt = new_games(rules.code, count)
        _deal(dealt, words, first)
        games = np.repeat(dealt, len(seating))
        _play(games, agents, np.tile(seating, (count, 1)), rngs)
        _count_points(games, points[first : first + count].reshape(-1, rules.num_sides))
        if on_deals is not None:
            on_deals(count)
    return points


def _stream(seed: int, *key: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=key)


def _play(
    games: np.ndarray,
    agents: Sequence[Agent],
    seating: np.ndarray,
    rngs: Sequence[np.random.Generator],
) -> None:
    """Play games to their ends in lockstep; ``seating`` is ``int64[B, sides]``."""
    mover = np.empty(len(games), np.int64)
    while _find_movers(games, seating, mover):
        for k, agent in enumerate(agents):
            turn = np.flatnonzero(mover == k)
            if len(turn) == 0:
                continue
            seen = copy_games(games, turn)
            if not agent.sees_everything:
                _hide_from_movers(seen)
            actions = np.asarray(agent.act(seen, rngs[k]))
            if actions.shape != turn.shape or actions.dtype.kind not in "iu":
                raise IllegalAction(
                    f"agent {agent.name!r} returned {actions.dtype}{list(actions.shape)} for "
                    f"{len(turn)} views; int64[{len(turn)}] is wanted"
                )
            bad = _touch(games, turn, actions.astype(np.int64))
            if bad != NONE:
                g = games[turn[bad]]
                raise IllegalAction(
                    f"agent {agent.name!r} chose action {actions[bad]}, which is not legal; "
                    f"{describe_actions(actions_of(legal_bits(g)))}"
                )


@jit
def _deal(games: Any, words: Any, first: Any) -> None:
    """Deal games ``first``, ``first + 1``, ... of a seed, each from a stream of its own."""
    for i in range(len(games)):
        g = games[i]
        start_stream(g.rng, words, first + i)
        start_deal(g, (first + i) % g.players)


@jit
def _find_movers(games: Any, seating: Any, mover: Any) -> Any:
    """Write which agent moves in each game, -1: it is over; return how many are not over."""
    running = 0
    for i in range(len(games)):
        seat = games[i].to_move
        mover[i] = NONE
        if seat != NONE:
            mover[i] = seating[i, games[i].side[seat]]
            running += 1
    return running


@jit
def _hide_from_movers(games: Any) -> None:
    """Turn each game into the view of its seat to move."""
    for i in range(len(games)):
        hide(games[i], games[i].to_move)


@jit
def _touch(games: Any, turn: Any, actions: Any) -> Any:
    """Act in games ``turn``; stop at the first illegal action and return its place, else -1."""
    for i in range(len(turn)):
        g = games[turn[i]]
        if not is_legal(g, actions[i]):
            return i
        touch(g, actions[i])
    return NONE


@jit
def _count_points(games: Any, points: Any) -> None:
    """Write the points of finished deals into ``int64[B, sides]``."""
    by_category = np.empty((MAX_PLAYERS, NUM_CATEGORIES), np.int64)
    for i in range(len(games)):
        deal_points(games[i], by_category)
        for side in range(points.shape[1]):
            points[i, side] = by_category[side].sum()


def duel_seatings(sides: int) -> np.ndarray:
    """The seatings of a duel of agents 0 and 1, ``int64[G, sides]``.

    Each agent in turn plays each side alone against the other on all other sides. With two
    sides these are the two ways of seating them, G = 2; with more, G = twice the sides, since
    one against two and two against one are different games. Both agents play every side equally
    often, alone and not, so the duel is fair to both.
    """
    alone = np.eye(sides, dtype=np.int64)
    return np.unique(np.concatenate([alone, 1 - alone]), axis=0)


@dataclass(frozen=True)
class Result:
    """A duel as the first agent sees it. Points are points a deal; intervals are 95%, over deals.

    Attributes:
        agent, opponent: names.
        points_per_deal: mean point difference: the points of a side of the agent's less those of
            a side of the opponent's.
        interval: ``(low, high)`` of it.
        deals: deals, each played for all seatings.
        wins, ties, losses: games in which the side with most points was the agent's, both had
            one, or the opponent's.
        win_share, tie_share, loss_share: the same as shares of the games, 0..1.
        dealing, not_dealing: the point difference where the agent plays the dealer's side, and
            where it does not.
        differences: ``float64[deals]``: each deal's mean point difference over its seatings.
        won, tied, lost: ``float64[deals]``: the share of each deal's games.
    """

    agent: str
    opponent: str
    points_per_deal: float
    interval: tuple[float, float]
    deals: int
    wins: int
    ties: int
    losses: int
    win_share: Estimate
    tie_share: Estimate
    loss_share: Estimate
    dealing: Estimate
    not_dealing: Estimate
    differences: np.ndarray = field(repr=False)
    won: np.ndarray = field(repr=False)
    tied: np.ndarray = field(repr=False)
    lost: np.ndarray = field(repr=False)

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.interval[1] - self.interval[0]) / 2

    def __str__(self) -> str:
        return (
            f"{self.agent} over {self.opponent}: {self.points_per_deal:+.2f} +/- "
            f"{self.half_width:.2f} points a deal ({self.deals} deals)"
        )


def evaluate(
    agent: Agent | str,
    opponent: Agent | str,
    rules: Rules | str = "scopa",
    deals: int = 1000,
    seed: int = 0,
    *,
    chunk: int = CHUNK,
    on_deals: OnDeals | None = None,
) -> Result:
    """Measure an agent against another: each deal played for all :func:`duel_seatings`.

    Calls with the same seed play the same deals, so their ``differences`` can be compared deal
    by deal (:func:`~experiments.statistics.paired_interval`).

    Args:
        agent, opponent: agents, or what :func:`~agents.agent.make` makes them of.
        deals: number of deals; each is 2 games with two sides, 6 with three.
        seed, chunk, on_deals: as in :func:`play_deals`.

    Raises:
        IllegalAction, ValueError: as :func:`play_deals`.
    """
    rules = Rules.of(rules)
    agent, opponent = (make(a, rules) if isinstance(a, str) else a for a in (agent, opponent))
    seating = duel_seatings(rules.num_sides)
    points = play_deals(
        [agent, opponent], seating, rules, deals, seed, chunk=chunk, on_deals=on_deals
    )
    mine = seating == 0
    theirs = ~mine
    difference = (points * mine).sum(axis=2) / mine.sum(axis=1)
    difference -= (points * theirs).sum(axis=2) / theirs.sum(axis=1)
    best_mine = np.where(mine, points, -1).max(axis=2)
    best_theirs = np.where(theirs, points, -1).max(axis=2)
    outcomes = (best_mine > best_theirs, best_mine == best_theirs, best_mine < best_theirs)
    wins, ties, losses = (int(games.sum()) for games in outcomes)
    won, tied, lost = (games.mean(axis=1) for games in outcomes)
    dealer_side = np.arange(deals) % rules.players % rules.num_sides
    dealing = mine.T[dealer_side]
    differences = difference.mean(axis=1)
    overall = mean_interval(differences)
    return Result(
        agent=agent.name,
        opponent=opponent.name,
        points_per_deal=overall.mean,
        interval=overall.interval,
        deals=deals,
        wins=wins,
        ties=ties,
        losses=losses,
        win_share=share_interval(won),
        tie_share=share_interval(tied),
        loss_share=share_interval(lost),
        dealing=mean_interval(difference[dealing].reshape(deals, -1).mean(axis=1)),
        not_dealing=mean_interval(difference[~dealing].reshape(deals, -1).mean(axis=1)),
        differences=differences,
        won=won,
        tied=tied,
        lost=lost,
    )
