"""Views as numbers: the named layout and its encoder.

A seat's observation is one ``float32`` vector in two named blocks: ``raw`` (the public record
and the own hand) and ``consequences`` (for each card that can be touched, what playing it would
do). ``observation="full"`` is both, the default; ``"raw"`` leaves the second out. Seats and
sides are relative to the seat: me, next, partner, previous. :class:`Layout` names every slice.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np

from scopa_env._jit import U, add_where_below, jit, lowest_bit, popcount, write_bits
from scopa_env.captures import (
    BIT,
    HEAVIEST,
    LANES,
    add_cards,
    best_replies,
    list_takes,
    no_cards,
    rank_counts,
    takes,
    with_card,
)
from scopa_env.cards import CARDS, NUM_CARDS, SETTEBELLO
from scopa_env.game import NONE, next_seat, playable, plays_left, sweep_counts, sweep_scores
from scopa_env.rules import Rules
from scopa_env.view import known, unseen

__all__ = ["BLOCKS", "OBSERVATION_VERSION", "Field", "Layout", "encode", "observe", "observe_views"]

#: Changes whenever a slice, its scale or its meaning does; checkpoints record and check it.
OBSERVATION_VERSION = 1

BLOCKS = ("full", "raw")
HAND_LIMIT = 10

#: What the encoder works with, a record of which ``np.empty(1, SCRATCH)[0]`` is passed for many
#: calls. ``number``, ``mean_worth``: of the unseen cards of each rank; ``before``, ``after``: the
#: table now and after a move; ``copies``, ``worth``, ``better``: by rank of the reply, how many
#: cards make it, what it brings, and how many cards make a better one.
SCRATCH = np.dtype(
    (
        np.record,
        [
            ("before", HEAVIEST),
            ("after", HEAVIEST),
            ("number", np.int32, LANES),
            ("mean_worth", np.float32, LANES),
            ("copies", np.int32, LANES),
            ("worth", np.float32, LANES),
            ("better", np.int32, LANES),
        ],
    )
)

CONSEQUENCES = (
    ("gain_cards", "cards gained by playing it, itself included, / 10; 0: it is laid"),
    ("gain_worth", "what these cards are worth, in points (see `WORTH`)"),
    ("gain_scopa", "1 if it is a scopa"),
    ("reply_scopa", "chance that the next player holds a card that sweeps what is left"),
    ("reply_chance", "chance that the next player holds a card that takes something"),
    (
        "reply_worth",
        "points the next player's best capture is worth, scopa included, on average; "
        "cards of a rank are worth what the unseen ones are on average",
    ),
)


def _at_least_one() -> np.ndarray:
    """``[unseen, hand, good]``: chance that a hand drawn from the unseen holds a good card."""
    table = np.zeros((NUM_CARDS + 1, HAND_LIMIT + 1, NUM_CARDS + 1), np.float32)
    for total in range(NUM_CARDS + 1):
        for hand in range(min(total, HAND_LIMIT) + 1):
            for good in range(total + 1):
                table[total, hand, good] = 1 - comb(total - good, hand) / comb(total, hand)
    return table


AT_LEAST_ONE = _at_least_one()


class Field(NamedTuple):
    """One named slice of an observation."""

    name: str
    start: int
    size: int
    meaning: str

    @property
    def slice(self) -> slice:
        """The slice of the last axis."""
        return slice(self.start, self.start + self.size)


class Layout:
    """The names, slices and meanings of an observation under some rules.

    ``layout["hand"]`` is a slice; ``layout.size`` the length; iterating gives every Field.

    Raises:
        ValueError: for a block other than ``"full"`` or ``"raw"``.
    """

    def __init__(self, rules: Any, observation: str = "full") -> None:
        if observation not in BLOCKS:
            raise ValueError(f"observation={observation!r}: allowed are 'full', 'raw'")
        self.rules = Rules.of(rules)
        self.observation = observation
        self.version = OBSERVATION_VERSION
        self.fields: list[Field] = []
        seats = seat_names(self.rules)
        sides = ["me", *(f"side+{k}" for k in range(1, self.rules.num_sides))]
        each = "one number a card, by card index: 1 if it is "
        self._add("hand", NUM_CARDS, each + "in my hand")
        self._add("table", NUM_CARDS, each + "on the table")
        self._add("touched", NUM_CARDS, each + "touched in my move under way")
        for k, side in enumerate(sides):
            whose = "my side" if k == 0 else f"the side {k} after mine"
            self._add(f"pile_{side}", NUM_CARDS, each + f"captured by {whose}")
        for k, seat in enumerate(seats[1:], start=1):
            self._add(f"played_{seat}", NUM_CARDS, each + f"played so far by the seat {k} after me")
        if self.rules.hand_bonus:
            for k, seat in enumerate(seats[1:], start=1):
                self._add(f"shown_{seat}", NUM_CARDS, each + f"shown by the seat {k} after me and "
                          "still in its hand")  # fmt: skip
            self._add("bonus", len(sides), "points for hands shown / 10, by side as scope")
        self._add("played_when", NUM_CARDS, "by card: its play number from 1 / plays in a deal")
        self._add("scope", len(sides), "points for scope / 4: my side, then the others in order")
        self._add("hand_count", len(seats), "cards in hand / a round's hand: me, then in order")
        self._add("stock", 1, "cards still to be dealt / cards in the deck")
        self._add("dealer", len(seats), "1 at the seat that dealt: me, next, ...")
        self._add("last_capturer", len(seats), "1 at the seat that captured last: me, next, ...")
        self._add("match", 2, "points of the match / target: my side, best other side")
        self.raw_size = self.size
        if observation == "full":
            for name, meaning in CONSEQUENCES:
                self._add(name, NUM_CARDS, f"by card that I can touch: {meaning}")

    def _add(self, name: str, size: int, meaning: str) -> None:
        self.fields.append(Field(name, self.size, size, meaning))

    @property
    def size(self) -> int:
        """The number of floats."""
        return self.fields[-1].start + self.fields[-1].size if self.fields else 0

    def __getitem__(self, name: str) -> slice:
        for item in self.fields:
            if item.name == name:
                return item.slice
        raise KeyError(f"{name!r}: the fields are {', '.join(f.name for f in self.fields)}")

    def __iter__(self) -> Any:
        return iter(self.fields)

    def explain(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """An observation ``[..., size]`` cut into its named slices."""
        return {item.name: observation[..., item.slice] for item in self.fields}

    def table(self) -> str:
        """The layout as a Markdown table."""
        rows = ["| slice | name | meaning |", "|---|---|---|"]
        rows += [
            f"| {f.start}:{f.start + f.size} | `{f.name}` | {f.meaning} |" for f in self.fields
        ]
        return "\n".join(rows)


def seat_names(rules: Rules) -> list[str]:
    """Names of the seats seen from one: me, next, ..., partner, previous."""
    names = ["me"]
    for k in range(1, rules.players):
        alone = sum(rules.side_of(s) == 0 for s in range(rules.players)) == 2
        if k == 1:
            names.append("next")
        elif alone and rules.side_of(k) == 0:
            names.append("partner")
        else:
            names.append("previous" if k == rules.players - 1 else f"seat+{k}")
    return names


def _card_worth() -> np.ndarray:
    primiera = {1: 0.06, 5: 0.04, 6: 0.10, 7: 0.25}
    worth = np.array([0.04 + primiera.get(c.rank, 0) + 0.12 * (c.suit == "D") for c in CARDS])
    worth[SETTEBELLO] += 1
    return worth.astype(np.float32)


#: Roughly what a captured card is worth in points, ``float32[40]``: a yardstick, not a rule.
#: 0.04 a card, 0.12 more a denari, 1 more the settebello; towards the primiera 0.25 a seven,
#: 0.10 a six, 0.06 an ace, 0.04 a five.
WORTH = _card_worth()
#: Mean worth of the cards of a rank, by which of its suits (4 bits): ``float32[10, 16]``. The
#: ranks differ by a millionth, so that of two replies one is always the better.
MEAN_WORTH = np.array(
    [
        [
            np.mean([WORTH[4 * r + s] for s in range(4) if suits >> s & 1] or [0]) + 1e-6 * r
            for suits in range(16)
        ]
        for r in range(10)
    ],
    np.float32,
)
#: Worth of each eighth of the deck, by which of its cards (8 bits): ``float32[5, 256]``.
SET_WORTH = np.array(
    [
        [sum(WORTH[first + i] for i in range(8) if cards >> i & 1) for cards in range(256)]
        for first in range(0, NUM_CARDS, 8)
    ],
    np.float32,
)


@jit
def worth(bits: Any) -> Any:
    """What a set of captured cards is worth in points, by WORTH."""
    total = np.float32(0)
    for i in range(NUM_CARDS // 8):
        total += SET_WORTH[i, U((bits >> (8 * i)) & 255)]
    return total


@jit
def _best_take(g: Any, table: Any, card: Any, scopa: Any) -> tuple[Any, Any]:
    """The take of a card worth most, and its worth: the card and a scopa's points included."""
    count, take, _, _ = takes(g, table, card, 0)
    if count == 1:
        return take, _take_worth(table, card, take, scopa)
    options = np.empty(count, np.int64)
    count = list_takes(g, table, card, 0, options)
    best = np.float32(-1)
    for i in range(count):
        value = _take_worth(table, card, options[i], scopa)
        if value > best:
            best = value
            take = options[i]
    return take, best


@jit
def _take_worth(table: Any, card: Any, take: Any, scopa: Any) -> Any:
    if take == 0:
        return np.float32(0)
    return worth(take | BIT[card]) + (scopa if take == table else np.float32(0))


@jit
def _write_consequences(
    g: Any, card: Any, take: Any, held: Any, total: Any, scopa: Any, at: Any, out: Any, work: Any
) -> None:
    """Write the consequences of one whole move at place ``at`` of each consequence slice.

    Args:
        held: cards that the next player will hold; total: cards unseen, of which they are some;
        scopa: what a scopa would bring it;
        work: SCRATCH, as :func:`_prepare` left it.
    """
    left = g.table | BIT[U(card)]
    if take != 0:
        got = take | BIT[U(card)]
        left = g.table & ~take
        out[U(at)] = np.float32(0.1) * np.float32(popcount(got))
        out[U(at + NUM_CARDS)] = worth(got)
        if left == 0 and sweep_scores(g, card, take, plays_left(g) - 1):
            out[U(at + 2 * NUM_CARDS)] = 1.0
    if left == 0 or held == 0:
        return
    if take != 0:
        no_cards(work.after)
        add_cards(left, WORTH, g.fifteen, work.after)
    else:
        with_card(work.before, card, WORTH, work.after)
    sweepers = _replies(g, left, scopa, work)
    takers = 0
    for rank in range(work.after.lanes):
        takers += work.copies[rank]
    mean = np.float32(0)
    for rank in range(10):
        better = np.int64(work.better[rank])
        chance = AT_LEAST_ONE[U(total), U(held), U(better + work.copies[rank])]
        mean += (chance - AT_LEAST_ONE[U(total), U(held), U(better)]) * work.worth[rank]
    out[U(at + 3 * NUM_CARDS)] = AT_LEAST_ONE[U(total), U(held), U(sweepers)]
    out[U(at + 4 * NUM_CARDS)] = AT_LEAST_ONE[U(total), U(held), U(takers)]
    out[U(at + 5 * NUM_CARDS)] = mean


@jit
def _replies(g: Any, left: Any, scopa: Any, work: Any) -> Any:
    """Fill in copies, worth and better for a table; return how many unseen cards sweep it."""
    copies, value, better = work.copies, work.worth, work.better
    sweeps = best_replies(g, left, WORTH, work.after, value)
    for rank in range(work.after.lanes):
        copies[rank] = work.number[rank] if value[rank] >= 0 else np.int32(0)
        value[rank] += work.mean_worth[rank]  # the card itself is won too
        better[rank] = 0
    sweepers = 0
    while sweeps != 0 and scopa > 0:
        rank = lowest_bit(sweeps)
        sweeps &= sweeps - 1
        value[U(rank)] += scopa
        sweepers += copies[U(rank)]
    for other in range(10):
        add_where_below(better, copies[other], value, value[other])
    return sweepers


@jit
def _prepare(table: Any, hidden: Any, fifteen: Any, work: Any) -> None:
    """Work out what all moves of a seat that does not see the cards ``hidden`` share."""
    for rank in range(LANES):
        work.number[rank] = 0
    counts = rank_counts(hidden)
    for rank in range(10):
        work.number[rank] = (counts >> (4 * rank)) & 15
        work.mean_worth[rank] = MEAN_WORTH[rank, U((hidden >> (4 * rank)) & 15)]
    no_cards(work.before)
    add_cards(table, WORTH, fifteen, work.before)


@jit
def encode_consequences(g: Any, seat: Any, out: Any, work: Any) -> None:
    """Write the block for each card that a seat can touch; all 0 if it is not its turn.

    Args:
        g: the game record, or the seat's view of it.
        out: its end is written, ``float32[layout.size]``.
        work: a record of SCRATCH.
    """
    start = len(out) - len(CONSEQUENCES) * NUM_CARDS
    for i in range(len(CONSEQUENCES) * NUM_CARDS):
        out[U(start + i)] = 0.0
    if g.to_move != seat:
        return
    hidden = unseen(g, seat)
    # The next player's hand: what is in it, or a fresh one if the round ends with this card.
    follower = next_seat(g, seat)
    held = g.hand_count[follower]
    if held == 0:
        held = g.hand_size if g.dealt < g.ranks * g.suits else 0
    held = min(held, HAND_LIMIT)  # more only in positions set up by hand
    scopa = np.float32(g.scopa_value)
    if not sweep_counts(g, follower, plays_left(g) - 2):
        scopa = np.float32(0)
    if known(g, follower) != 0:  # a hand that was shown
        hidden = known(g, follower)
    total = popcount(hidden)
    _prepare(g.table, hidden, g.fifteen, work)
    if g.touched == NONE:
        hand = playable(g)
        while hand != 0:
            card = lowest_bit(hand)
            hand &= hand - 1
            take, _ = _best_take(g, g.table, card, np.float32(1))
            _write_consequences(g, card, take, held, total, scopa, start + card, out, work)
        return
    # A move under way: a table card stands for the take worth most that contains it.
    card = g.touched
    count, _, touchable, _ = takes(g, g.table, card, g.chosen)
    options = np.empty(count, np.int64)
    count = list_takes(g, g.table, card, g.chosen, options)
    while touchable != 0:
        one = lowest_bit(touchable)
        touchable &= touchable - 1
        best = np.float32(-1)
        take = 0
        for i in range(count):
            if options[i] & BIT[one]:
                value = _take_worth(g.table, card, options[i], np.float32(1))
                if value > best:
                    best = value
                    take = options[i]
        _write_consequences(g, card, take, held, total, scopa, start + one, out, work)


@jit
def _write_cards(bits: Any, at: Any, out: Any) -> Any:
    """Write a set of cards as 40 numbers 0 or 1; return the place after them."""
    write_bits(bits, 5, out, at)
    return at + NUM_CARDS


@jit
def encode(g: Any, seat: Any, full: Any, out: Any, work: Any) -> None:
    """Write what a seat sees of a game, or of its view, as numbers.

    Reads nothing that the seat's view does not hold.

    Args:
        g: the game record, or the seat's view of it.
        full: whether to write the block of consequences too.
        out: written, ``float32[layout.size]``.
        work: a record of SCRATCH.
    """
    encode_raw(g, seat, out)
    if full:
        encode_consequences(g, seat, out, work)


@jit
def encode_raw(g: Any, seat: Any, out: Any) -> None:
    """Write the raw block: the beginning of ``out``, ``float32[layout.size]``."""
    players, sides = g.players, g.num_sides
    at = _write_cards(g.hand[seat], 0, out)
    at = _write_cards(g.table, at, out)
    touched = 0
    if g.to_move == seat and g.touched != NONE:
        touched = g.chosen | BIT[g.touched]
    at = _write_cards(touched, at, out)
    side = g.side[seat]
    for k in range(sides):
        at = _write_cards(g.pile[U(_after(side, k, sides))], at, out)
    for k in range(1, players):
        at = _write_cards(g.played[U(_after(seat, k, players))], at, out)
    if g.hand_bonus:
        for k in range(1, players):
            at = _write_cards(known(g, _after(seat, k, players)), at, out)
        for k in range(sides):
            out[U(at + k)] = np.float32(0.1) * g.bonus[U(_after(side, k, sides))]
        at += sides
    for i in range(NUM_CARDS):
        out[U(at + i)] = 0.0
    step = np.float32(1) / np.float32(g.ranks * g.suits - g.table_size)
    for ply in range(g.ply):
        card = np.int64(g.card_at[ply])
        if card >= 0:
            out[U(at + card)] = np.float32(ply + 1) * step
    at += NUM_CARDS
    best = -1
    for k in range(sides):
        other = _after(side, k, sides)
        out[U(at + k)] = np.float32(0.25) * g.scope[U(other)]
        if k > 0:
            best = max(best, g.match_scores[U(other)])
    at += sides
    share = np.float32(1) / np.float32(g.hand_size)
    for k in range(players):
        other = _after(seat, k, players)
        out[U(at + k)] = share * np.float32(g.hand_count[U(other)])
        out[U(at + players + 1 + k)] = other == g.dealer
        out[U(at + 2 * players + 1 + k)] = other == g.last_capturer
    deck = np.float32(g.ranks * g.suits)
    out[U(at + players)] = (deck - np.float32(g.dealt)) / deck
    at += 3 * players + 1
    share = np.float32(1) / np.float32(g.target)
    out[U(at)] = share * np.float32(g.match_scores[side])
    out[U(at + 1)] = share * np.float32(best)


@jit
def _after(first: Any, k: Any, count: Any) -> Any:
    """The seat or side ``k`` after the first, going round."""
    return first + k if first + k < count else first + k - count


@jit
def _encode_all(games: Any, seats: Any, full: Any, out: Any) -> None:
    work = np.empty(1, SCRATCH)
    for i in range(len(games)):
        encode(games[i], seats[i], full, out[i], work[0])


def _check_table(layout: Layout, players: int, sides: int) -> None:
    """Refuse a game of other seats or sides, whose observation has another size."""
    if (players, sides) != (layout.rules.players, layout.rules.num_sides):
        raise ValueError(
            f"this layout is for {layout.rules.players} seats on {layout.rules.num_sides} sides, "
            f"the game has {players} on {sides}"
        )


def observe(game: Any, seat: int, layout: Layout) -> np.ndarray:
    """The observation ``float32[layout.size]`` of a seat, from a game or the seat's view.

    Raises:
        ValueError: for a seat that is not at the table, or the layout of another table.
    """
    record = getattr(game, "record", game)
    _check_table(layout, int(record["players"]), int(record["num_sides"]))
    if not 0 <= seat < record["players"]:
        raise ValueError(f"seat={seat!r}: the seats are 0 to {record['players'] - 1}")
    out = np.empty(layout.size, np.float32)
    encode(record, seat, layout.observation == "full", out, np.zeros(1, SCRATCH)[0])
    return out


def observe_views(views: np.ndarray, layout: Layout) -> np.ndarray:
    """Observations ``float32[B, layout.size]`` of views ``GAME_DTYPE[B]``, each of its viewer.

    Raises:
        ValueError: for games that are no views, or the layout of another table.
    """
    players, sides, seats = views["players"], views["num_sides"], views["viewer"]
    other = (players != layout.rules.players) | (sides != layout.rules.num_sides)
    if other.any():
        first = int(other.argmax())
        _check_table(layout, int(players[first]), int(sides[first]))
    if ((seats < 0) | (seats >= players)).any():
        raise ValueError("views are wanted, not games: scopa_env.view.views(games, seats)")
    out = np.empty((len(views), layout.size), np.float32)
    _encode_all(views, np.ascontiguousarray(seats), layout.observation == "full", out)
    return out
