"""What every search needs: whole moves, the worth of a finished deal, many games at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from scopa_env._jit import jit, lowest_bit
from scopa_env.captures import BIT, list_takes, takes
from scopa_env.game import NONE, playable
from scopa_env.rules import MAX_PLAYERS
from scopa_env.scoring import NUM_CATEGORIES, deal_points

__all__ = ["MAX_MOVES", "REWARDS", "deal_margin", "list_moves", "search_all", "usable_cores"]

#: Whole moves that a search looks at in one position, at most: far more than come up in play.
MAX_MOVES = 1024

#: What a search makes the most of: the point difference, or winning the deal (1, 0, -1).
REWARDS = ("points", "win")

#: A compiled search of some views: ``(views GAME_DTYPE[n], seeds uint32[n, 4], actions int64[n])``;
#: writes the actions, each from its view and seed alone.
Search = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


@jit
def list_moves(g: Any, cards: Any, captured: Any) -> Any:
    """Write the whole legal moves of the seat to move; return how many.

    In a move under way, those that contain what is touched. Beyond :data:`MAX_MOVES` the moves of
    further cards are left out.

    Args:
        cards: ``int64[MAX_MOVES]``, the card of each move.
        captured: ``int64[MAX_MOVES]``, the table cards that it takes, bits.
    """
    hand = playable(g) if g.touched == NONE else BIT[g.touched]
    n = 0
    while hand != 0:
        card = lowest_bit(hand)
        hand &= hand - 1
        count, take, _, _ = takes(g, g.table, card, g.chosen)
        if n + count > MAX_MOVES:
            break
        if count == 1:
            captured[n] = take
        else:
            count = list_takes(g, g.table, card, g.chosen, captured[n:])
        for i in range(n, n + count):
            cards[i] = card
        n += count
    return n


@jit
def deal_margin(g: Any, seat: Any, points: Any) -> Any:
    """A finished deal's points of a seat's side less those of the best other side.

    Args:
        points: scratch, ``int64[6, categories]``.
    """
    deal_points(g, points)
    own = g.side[seat]
    best = -1
    for side in range(g.num_sides):
        if side != own:
            best = max(best, points[side].sum())
    return points[own].sum() - best


@jit
def new_points() -> Any:
    """Scratch for :func:`deal_margin`."""
    return np.empty((MAX_PLAYERS, NUM_CATEGORIES), np.int64)


def usable_cores() -> int:
    """Cores that this process may use; the environment variable ``SCOPA_THREADS`` sets another.

    Raises:
        ValueError: for a variable that is no whole number from 1.
    """
    text = os.environ.get("SCOPA_THREADS")
    if text is not None:
        if not text.isdecimal() or int(text) < 1:
            raise ValueError(f"SCOPA_THREADS={text!r}: a whole number from 1 is wanted")
        return int(text)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def search_all(search: Search, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Search every view, several at once on all usable cores; the actions, ``int64[B]``.

    Each view gets a seed of its own first, so the actions are the same on any number of cores,
    and the first of a batch those of a batch of one.
    """
    actions = np.empty(len(views), np.int64)
    seeds = rng.integers(0, 1 << 32, (len(views), 4), np.uint32)
    threads = min(usable_cores(), len(views))
    if threads <= 1:
        search(views, seeds, actions)
        return actions
    step = max(1, len(views) // (8 * threads))  # pieces small enough that none is waited for long

    def piece(first: int) -> None:
        here = slice(first, first + step)
        search(views[here], seeds[here], actions[here])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(piece, range(0, len(views), step)))
    return actions
