"""The points of a finished deal, and of a match over deals."""

from __future__ import annotations

from typing import Any

import numpy as np

from scopa_env._jit import jit, popcount
from scopa_env.captures import BIT
from scopa_env.cards import DENARI, RE_BELLO, SETTEBELLO
from scopa_env.rules import MAX_PLAYERS

__all__ = [
    "CATEGORIES",
    "deal_points",
    "deal_result",
    "decided_points",
    "match_leader",
    "match_side",
    "point_difference",
    "primiera_total",
]

#: What a deal pays for, in the order in which a match may be counted out (rules.md, 30).
CATEGORIES = (
    "carte",
    "denari",
    "settebello",
    "primiera",
    "scope",
    "re_bello",
    "all_sevens",
    "napola",
    "coin_runs",
    "hand_bonus",
)
NUM_CATEGORIES = len(CATEGORIES)
CARTE, DENARI_POINT, SETTEBELLO_POINT, PRIMIERA = range(4)
SCOPE, RE_BELLO_POINT, ALL_SEVENS, NAPOLA, COIN_RUNS, HAND_BONUS = range(4, NUM_CATEGORIES)
SEVENS = 0xF << 24
COIN_FIGURES = DENARI & (0xFFF << 28)

#: Value of each rank 1..10 by scale, in the order of Rules.primiera; trentino is doubled to be
#: whole. most_sevens counts cards, not suits: sevens first, then 6, ace, 5, 4, 3, 2, figures.
PRIMIERA_VALUE = np.array(
    [
        [16, 12, 13, 14, 15, 18, 21, 10, 10, 10],
        [11, 4, 6, 8, 10, 12, 14, 1, 1, 1],
        [16, 12, 13, 14, 15, 18, 21, 8, 9, 10],
        [13**5, 13, 13**2, 13**3, 13**4, 13**6, 13**7, 1, 1, 1],
    ],
    np.int64,
)
TRENTINO, MOST_SEVENS, PRIMIERA_OFF = 1, 3, 4
DISQUALIFIED, ZERO, COMPARE_PARTIAL = 0, 1, 2
OFF, FULL, CAP6 = 0, 1, 2
WINS, PARLETT_ORDER = 1, 1
NOBODY = -1


@jit
def primiera_total(pile: Any, scale: Any) -> tuple[Any, Any]:
    """A pile's primiera on a scale (its place in Rules.primiera) and its number of suits.

    A missing suit adds nothing. The trentino scale is doubled.
    """
    total = 0
    suits = 0
    for suit in range(4):
        best = 0
        for rank in range(10):
            if pile & BIT[4 * rank + suit]:
                value = PRIMIERA_VALUE[scale, rank]
                best = best + value if scale == MOST_SEVENS else max(best, value)
        total += best
        suits += best > 0
    return total, suits


@jit
def _strict_most(value: Any, sides: Any) -> Any:
    """The side with the strictly highest value; NOBODY on a tie or if the highest is below 0."""
    best = 0
    tie = False
    for side in range(1, sides):
        if value[side] > value[best]:
            best = side
            tie = False
        elif value[side] == value[best]:
            tie = True
    return NOBODY if tie or value[best] < 0 else best


@jit
def _primiera_winner(g: Any, value: Any) -> Any:
    """The side that wins the primiera, or NOBODY; ``value`` is scratch, ``int64[6]``."""
    complete = 0
    for side in range(g.num_sides):
        value[side], suits = primiera_total(g.pile[side], g.primiera)
        full = suits == g.suits or g.primiera == MOST_SEVENS
        complete += full
        if not full and g.primiera_missing == DISQUALIFIED:
            value[side] = NOBODY
    if g.primiera_missing == COMPARE_PARTIAL and complete > 0 and g.primiera != MOST_SEVENS:
        for side in range(g.num_sides):
            if primiera_total(g.pile[side], g.primiera)[1] < g.suits:
                value[side] = NOBODY
    return _strict_most(value, g.num_sides)


@jit
def _napola(pile: Any, mode: Any) -> Any:
    """Points for the run of denari from the ace; mode as in Rules.napola: off, full, cap6."""
    length = 0
    while length < 10 and pile & BIT[4 * length]:
        length += 1
    if mode == OFF or length < 3:
        return 0
    return min(length, 6) if mode == CAP6 else length


@jit
def deal_points(g: Any, points: Any) -> None:
    """Write the points of a finished deal into ``int64[6, 10]``: by side and category."""
    value = np.zeros(MAX_PLAYERS, np.int64)
    for side in range(MAX_PLAYERS):
        for category in range(NUM_CATEGORIES):
            points[side, category] = 0
    for side in range(g.num_sides):
        pile = g.pile[side]
        points[side, SCOPE] = g.scope[side]
        points[side, NAPOLA] = _napola(pile, g.napola)
        points[side, HAND_BONUS] = g.bonus[side]
        if g.coin_runs:
            figures = pile & COIN_FIGURES == COIN_FIGURES
            points[side, COIN_RUNS] = _napola(pile, CAP6) + (5 if figures else 0)
        if pile & BIT[SETTEBELLO]:
            points[side, SETTEBELLO_POINT] = g.settebello
        if pile & BIT[RE_BELLO]:
            points[side, RE_BELLO_POINT] = g.re_bello
        if pile & SEVENS == g.all_cards & SEVENS:
            points[side, ALL_SEVENS] = g.all_sevens
        value[side] = popcount(pile)
    winner = _strict_most(value, g.num_sides)
    if winner != NOBODY:
        points[winner, CARTE] = g.carte
    for side in range(g.num_sides):
        value[side] = popcount(g.pile[side] & DENARI)
    winner = _strict_most(value, g.num_sides)
    if winner != NOBODY:
        points[winner, DENARI_POINT] = g.denari
    if g.primiera != PRIMIERA_OFF:
        winner = _primiera_winner(g, value)
        if winner != NOBODY:
            points[winner, PRIMIERA] = 1


@jit
def point_difference(g: Any, total: Any, difference: Any) -> None:
    """By seat: its side's total less that of the best other side.

    Args:
        total: points by side, ``[6]``.
        difference: written, ``[players]``.
    """
    for seat in range(g.players):
        best = NOBODY
        for side in range(g.num_sides):
            if side != g.side[seat] and (best == NOBODY or total[side] > total[best]):
                best = side
        difference[seat] = total[g.side[seat]] - total[best]


@jit
def deal_result(g: Any, points: Any, total: Any, difference: Any) -> None:
    """The result of a finished deal.

    Args:
        points: written, ``int64[6, categories]``; total: written, by side, ``[6]``;
        difference: written, by seat, ``[players]``: own side less the best other.
    """
    deal_points(g, points)
    for side in range(MAX_PLAYERS):
        total[side] = 0
        for category in range(NUM_CATEGORIES):
            total[side] += points[side, category]
    point_difference(g, total, difference)


@jit
def decided_points(g: Any, total: Any) -> None:
    """Write the points that can no longer change, by side: ``total[6]``.

    Scope made; hands shown; the settebello once captured; carte and denari once no other side
    can reach the leader even with every card that is not captured yet. The rest waits.
    """
    cards = 0
    denari = 0
    for side in range(g.num_sides):
        cards |= g.pile[side]
    open_cards = popcount(g.all_cards & ~cards)
    denari = popcount(g.all_cards & ~cards & DENARI)
    for side in range(g.num_sides):
        pile = g.pile[side]
        lead_cards = True
        lead_denari = True
        for other in range(g.num_sides):
            if other != side:
                theirs = g.pile[other]
                if popcount(pile) <= popcount(theirs) + open_cards:
                    lead_cards = False
                if popcount(pile & DENARI) <= popcount(theirs & DENARI) + denari:
                    lead_denari = False
        total[side] = (
            g.scope[side]
            + g.bonus[side]
            + (g.settebello if pile & BIT[SETTEBELLO] else 0)
            + (g.carte if lead_cards else 0)
            + (g.denari if lead_denari else 0)
        )


@jit
def match_side(g: Any, scores: Any, points: Any) -> Any:
    """The side that has won a match with the deal just finished, or NOBODY while it goes on.

    Args:
        g: the game record, of which the rules and the piles are read; scores, points: see
            :func:`match_leader`.
    """
    side = _napoleone(g)
    return side if side != NOBODY else match_leader(g, scores, points)


@jit
def match_leader(g: Any, scores: Any, points: Any) -> Any:
    """The side that has won a match by its points, or NOBODY while it goes on.

    The highest score at or over the target wins; level at the top, another deal is played, or
    the last deal is counted category by category (rules.md, disagreement 30).

    Args:
        g: the game record; its rules are read.
        scores: ``int64``, by side, the last deal included.
        points: ``int64[6, categories]``, the points of the last deal.
    """
    value = np.empty(MAX_PLAYERS, np.int64)
    there = 0
    for side in range(g.num_sides):
        value[side] = scores[side] if scores[side] >= g.target else NOBODY
        there += scores[side] >= g.target
    if there > 1 and g.tie_over_target == PARLETT_ORDER:
        running = scores[: g.num_sides].copy()
        for side in range(g.num_sides):
            for category in range(NUM_CATEGORIES):
                running[side] -= points[side, category]
        for category in range(NUM_CATEGORIES):
            first = False
            for side in range(g.num_sides):
                running[side] += points[side, category]
                first = first or running[side] >= g.target
            if first:
                for side in range(g.num_sides):
                    if running[side] < g.target:
                        value[side] = NOBODY
                break
    return _strict_most(value, g.num_sides)


@jit
def _napoleone(g: Any) -> Any:
    """The side that wins the match at once with all ten denari, or NOBODY."""
    if g.napoleone == WINS:
        for side in range(g.num_sides):
            if popcount(g.pile[side] & DENARI) == 10:
                return side
    return NOBODY
