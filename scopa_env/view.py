"""What one seat may know of a game, and games that fit what it knows.

A view is a game record with everything erased that the seat cannot see: the other hands, the
deck and its generator, and the cards another player has touched before the move is made.
Agents get views, so none can act on what is hidden.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scopa_env._jit import jit, lowest_bit, popcount
from scopa_env._random import below, next_word
from scopa_env.cards import ACES, NUM_CARDS
from scopa_env.game import GAME_DTYPE, NONE, UNKNOWN, copy_games, hand_bonus, next_seat
from scopa_env.rules import MAX_PLAYERS

__all__ = ["hide", "known", "sample_game", "sample_games", "unseen", "view", "views"]

TRIES = 20_000  # to deal hidden hands that fit what was and was not shown


@jit
def hide(g: Any, seat: Any) -> None:
    """Turn a game record into the view of a seat, in place."""
    for other in range(MAX_PLAYERS):
        if other != seat:
            g.hand[other] &= g.shown[other]
    for i in range(NUM_CARDS):
        g.deck[i] = UNKNOWN
    for i in range(4):
        g.rng[i] = 0
    if g.to_move != seat:
        g.touched = NONE
        g.chosen = 0
    g.viewer = seat


@jit
def _hide_all(games: Any, seats: Any) -> None:
    for i in range(len(games)):
        hide(games[i], seats[i])


@jit
def known(g: Any, seat: Any) -> Any:
    """The cards (bits) in a seat's hand that everybody has seen there: all of them, or none."""
    return g.shown[seat] & ~g.played[seat]


@jit
def unseen(g: Any, seat: Any) -> Any:
    """The cards (bits) that a seat has not seen: in the stock or in the other hands."""
    seen = g.hand[seat] | g.table
    for other in range(g.players):
        seen |= known(g, other)
    for side in range(g.num_sides):
        seen |= g.pile[side]
    return g.all_cards & ~seen


@jit
def fill_in(g: Any, seed: Any) -> None:
    """Turn a view into a game that fits it, in place: hidden cards drawn uniformly.

    A hand that would have had to be shown fits only if it was, and one that led an ace where
    that is forbidden only if it holds no other card; for as long as TRIES find one that does:
    in a position set up by hand there may be none.

    Args:
        seed: ``uint32[4]``, the generator to draw with; its state moves on. The game gets a
            generator of its own from it, so that its next deal is random too.
    """
    seat = g.viewer
    cards = np.empty(NUM_CARDS, np.int64)
    n = 0
    hidden = unseen(g, seat)
    while hidden != 0:
        cards[n] = lowest_bit(hidden)
        hidden &= hidden - 1
        n += 1
    used = 0
    for _ in range(TRIES):
        for i in range(n - 1, 0, -1):
            j = below(seed, i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        used = 0
        fits = True
        for other in range(g.players):
            if other == seat:
                continue
            hand = known(g, other)
            for _ in range(min(g.hand_count[other] - popcount(hand), n - used)):
                hand |= np.int64(1) << cards[used]
                used += 1
            g.hand[other] = hand
            if g.hand_bonus and g.shown[other] == 0:
                fits = fits and hand_bonus(hand | _played_of_hand(g, other)) == 0
            if _led_an_ace(g, other):
                fits = fits and (hand & ~ACES) == 0
        if fits:
            break
    for i in range(g.dealt, g.ranks * g.suits):
        if used < n:
            g.deck[i] = cards[used]
            used += 1
    for i in range(4):
        g.rng[i] = next_word(seed)
    g.viewer = NONE


@jit
def _led_an_ace(g: Any, seat: Any) -> Any:
    """Whether a seat began the deal with an ace, which it may only if it holds nothing else."""
    return (
        g.ace_first_play == 1
        and 0 < g.ply <= g.players * g.hand_size
        and seat == next_seat(g, g.dealer)
        and 0 <= g.card_at[0] < 4
    )


@jit
def _played_of_hand(g: Any, seat: Any) -> Any:
    """The cards (bits) that a seat has played of the hand that it holds."""
    cards = 0
    more = g.hand_size - g.hand_count[seat]
    who = g.to_move
    for ply in range(g.ply - 1, -1, -1):
        who = who - 1 if who > 0 else g.players - 1
        if who == seat and more > 0:
            more -= 1
            if g.card_at[ply] >= 0:
                cards |= np.int64(1) << np.int64(g.card_at[ply])
    return cards


@jit
def _fill_in_all(games: Any, seed: Any) -> None:
    for i in range(len(games)):
        fill_in(games[i], seed)


def _record(game: Any) -> Any:
    """The record behind a Game, or a record as it is."""
    return getattr(game, "record", game)


def views(games: np.ndarray, seats: Any) -> np.ndarray:
    """Views ``GAME_DTYPE[B]`` of games ``GAME_DTYPE[B]`` for one seat each, ``int[B]`` or int.

    Raises:
        ValueError: for a seat that is not at the table, or a game that is itself the view of
            another seat.
    """
    seen = copy_games(np.ascontiguousarray(games, GAME_DTYPE))
    of = np.ascontiguousarray(np.broadcast_to(seats, len(seen)), np.int64)
    if ((of < 0) | (of >= seen["players"])).any():
        raise ValueError(f"seats={seats!r}: one is not at the table")
    if ((seen["viewer"] != NONE) & (seen["viewer"] != of)).any():
        raise ValueError(f"seats={seats!r}: one of the games is the view of another seat")
    _hide_all(seen, of)
    return seen


def view(game: Any, seat: int) -> Any:
    """The view of one seat: a record of :data:`~scopa_env.game.GAME_DTYPE`.

    Raises:
        ValueError: for a seat that is not at the table, or a record that is itself the view of
            another seat.
    """
    record = _record(game)
    if not 0 <= seat < record["players"]:
        raise ValueError(f"seat={seat!r}: the seats are 0 to {record['players'] - 1}")
    if record["viewer"] not in (NONE, seat):
        raise ValueError(f"seat={seat}: this is the view of seat {record['viewer']}")
    return views(np.array([record], GAME_DTYPE), int(seat))[0]


def sample_games(seen: Any, count: int, rng: np.random.Generator) -> np.ndarray:
    """``GAME_DTYPE[count]``: games that fit a view, drawn uniformly and independently."""
    record = _record(seen)
    if record["viewer"] == NONE:
        raise ValueError("a view is wanted, not a game: view(game, seat)")
    games = np.repeat(np.array([record], GAME_DTYPE), count)
    _fill_in_all(games, rng.integers(0, 1 << 32, 4, np.uint32))
    return games


def sample_game(seen: Any, rng: np.random.Generator) -> Any:
    """One game that fits a view, drawn uniformly from all that do.

    The cards not seen are dealt at random to the other hands and the stock. Deck places that
    were dealt before stay unknown.

    Raises:
        ValueError: for a record that is no view.
    """
    return sample_games(seen, 1, rng)[0]
