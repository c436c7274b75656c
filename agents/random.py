"""The random player: the floor that every other agent is measured from."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.agent import Agent, check_views
from scopa_env._jit import jit, lowest_bit, popcount
from scopa_env.captures import list_takes, takes
from scopa_env.game import NONE, legal_bits, move_to_touch, nth_bit, playable

__all__ = ["RandomAgent"]

OVER = ("actions", "moves", "cards")


class RandomAgent(Agent):
    """Plays at random.

    Args:
        over: what is drawn uniformly. ``"actions"``: each action from the legal ones, so a
            capture is chosen touch by touch; ``"moves"``: a whole move from all legal pairs of
            a card and what it takes, so that a card with three captures is played three times
            as often; ``"cards"``: a card of the hand, then one of its captures. The three differ
            only where a card has more than one capture, in one to three plays of a hundred.

    Raises:
        ValueError: for another value of ``over``.
    """

    def __init__(self, over: str = "actions") -> None:
        if over not in OVER:
            raise ValueError(f"agent 'random': over={over!r}: allowed are {', '.join(OVER)}")
        self.name = "random"
        self.over = over

    def act(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions ``int64[B]`` for views ``GAME_DTYPE[B]``; draws one number for each view."""
        check_views(views)
        actions = np.empty(len(views), np.int64)
        draws = rng.random(len(views))
        if self.over == "actions":
            _draw_actions(views, draws, actions)
        else:
            _draw_moves(views, draws, self.over == "cards", actions)
        return actions


@jit
def _draw_actions(views: Any, draws: Any, actions: Any) -> None:
    for i in range(len(views)):
        legal = legal_bits(views[i])
        actions[i] = nth_bit(legal, np.int64(draws[i] * popcount(legal)))


@jit
def _draw_moves(views: Any, draws: Any, by_card: Any, actions: Any) -> None:
    for i in range(len(views)):
        g = views[i]
        if g.touched == NONE:
            actions[i] = _draw_card(g, draws[i], by_card)
        else:
            actions[i] = move_to_touch(g, g.touched, _draw_take(g, draws[i]))


@jit
def _draw_card(g: Any, draw: Any, by_card: Any) -> Any:
    """A card of the hand, each as likely as it has moves, or all equally."""
    hand = playable(g)
    if by_card:
        return nth_bit(hand, np.int64(draw * popcount(hand)))
    moves = 0
    rest = hand
    while rest != 0:
        moves += takes(g, g.table, lowest_bit(rest), 0)[0]
        rest &= rest - 1
    n = np.int64(draw * moves)
    while True:
        n -= takes(g, g.table, lowest_bit(hand), 0)[0]
        if n < 0:
            return lowest_bit(hand)
        hand &= hand - 1


@jit
def _draw_take(g: Any, draw: Any) -> Any:
    """One of the takes that the cards chosen so far lead to.

    A take is touched lowest card first. So what is chosen rules out every take that has a lower
    card left, and drawing anew at each touch still gives every take the same chance.
    """
    count = takes(g, g.table, g.touched, g.chosen)[0]
    options = np.empty(count, np.int64)
    count = list_takes(g, g.table, g.touched, g.chosen, options)
    n = 0
    for i in range(count):
        rest = options[i] & ~g.chosen
        if rest == 0 or (rest & -rest) > g.chosen:
            options[i], options[n] = options[n], options[i]
            n += 1
    if n == 0:  # somebody else began this move, in another order
        n = count
    return options[np.int64(draw * n)]
