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

from scopa_env._jit import jit, lowest_bit, popcount, write_bits
from scopa_env.captures import BIT, best_replies, list_takes, takes
from scopa_env.cards import CARDS, NUM_CARDS, SETTEBELLO
from scopa_env.game import NONE, next_seat, plays_left, sweep_counts, sweep_scores
from scopa_env.rules import Rules
from scopa_env.view import unseen

__all__ = ["BLOCKS", "OBSERVATION_VERSION", "Field", "Layout", "encode", "observe", "observe_views"]

#: Changes whenever a slice, its scale or its meaning does; checkpoints record and check it.
OBSERVATION_VERSION = 1

BLOCKS = ("full", "raw")
HAND_LIMIT = 10
WORK = 64  # floats of scratch that the encoder needs

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
#: Mean worth of the cards of a rank, by which of its suits (4 bits): ``float32[10, 16]``.
MEAN_WORTH = np.array(
    [
        [
            np.mean([WORTH[4 * r + s] for s in range(4) if suits >> s & 1] or [0])
            for suits in range(16)
        ]
        for r in range(10)
    ],
    np.float32,
)


@jit
def worth(bits: Any) -> Any:
    """What a set of captured cards is worth in points, by WORTH."""
    total = 0.0
    while bits != 0:
        total += WORTH[lowest_bit(bits)]
        bits &= bits - 1
    return total


@jit
def _best_take(g: Any, table: Any, card: Any, scopa: Any) -> tuple[Any, Any]:
    """The take of a card worth most, and its worth: the card and a scopa's points included."""
    count, take, _, _ = takes(g, table, card, 0)
    if count == 1:
        return take, _take_worth(table, card, take, scopa)
    options = np.empty(count, np.int64)
    count = list_takes(g, table, card, 0, options)
    best = -1.0
    for i in range(count):
        value = _take_worth(table, card, options[i], scopa)
        if value > best:
            best = value
            take = options[i]
    return take, best


@jit
def _take_worth(table: Any, card: Any, take: Any, scopa: Any) -> Any:
    if take == 0:
        return 0.0
    return worth(take | BIT[card]) + (scopa if take == table else 0.0)


@jit
def _write_consequences(
    g: Any, card: Any, take: Any, hidden: Any, at: Any, out: Any, work: Any
) -> None:
    """Write the consequences of one whole move at place ``at`` of each consequence slice."""
    table = g.table
    if take != 0:
        got = take | BIT[card]
        out[at] = 0.1 * popcount(got)
        out[at + NUM_CARDS] = worth(got)
        left = table & ~take
        if left == 0 and sweep_scores(g, card, take, plays_left(g) - 1):
            out[at + 2 * NUM_CARDS] = 1.0
    else:
        left = table | BIT[card]
    # The next player's hand: what is in it, or a fresh one if the round ends with this card.
    follower = next_seat(g, g.to_move)
    held = g.hand_count[follower]
    if held == 0:
        held = g.hand_size if g.dealt < g.ranks * g.suits else 0
    held = min(held, HAND_LIMIT)  # more only in positions set up by hand
    if left == 0 or held == 0:
        return
    scopa = np.float32(g.scopa_value)
    if not sweep_counts(g, follower, plays_left(g) - 2):
        scopa = np.float32(0)
    value, best, copies = work[:10], work[10:20], work[20:30]
    sweeps = best_replies(g, left, WORTH, value, work[30:])
    if scopa == 0:
        sweeps = 0
    takers = 0
    sweepers = 0
    n = 0
    for rank in range(10):
        same = (hidden >> (4 * rank)) & 15
        if same == 0 or value[rank] < 0:
            continue
        number = popcount(same)
        sweeping = (sweeps >> rank) & 1
        takers += number
        sweepers += number * sweeping
        # The card itself is won too: on average over the copies it may be.
        total = value[rank] + MEAN_WORTH[rank, same] + scopa * sweeping
        i = n  # insertion sort, best reply first
        while i > 0 and best[i - 1] < total:
            best[i] = best[i - 1]
            copies[i] = copies[i - 1]
            i -= 1
        best[i] = total
        copies[i] = number
        n += 1
    # The mean of the best reply: a rank is the best in the hand if it, but no better one, is there.
    chance = AT_LEAST_ONE[popcount(hidden), held]
    mean = np.float32(0)
    good = 0
    before = np.float32(0)
    for i in range(n):
        good += np.int64(copies[i])
        mean += (chance[good] - before) * best[i]
        before = chance[good]
    out[at + 3 * NUM_CARDS] = chance[sweepers]
    out[at + 4 * NUM_CARDS] = chance[takers]
    out[at + 5 * NUM_CARDS] = mean


@jit
def _consequences(g: Any, seat: Any, start: Any, out: Any, work: Any) -> None:
    """Write the block for each card the seat can touch; all 0 if it is not its turn."""
    if g.to_move != seat:
        return
    hidden = unseen(g, seat)
    if g.touched == NONE:
        hand = g.hand[seat]
        while hand != 0:
            card = lowest_bit(hand)
            hand &= hand - 1
            take, _ = _best_take(g, g.table, card, 1.0)
            _write_consequences(g, card, take, hidden, start + card, out, work)
        return
    # A move under way: a table card stands for the take worth most that contains it.
    card = g.touched
    count, _, touchable, _ = takes(g, g.table, card, g.chosen)
    options = np.empty(count, np.int64)
    count = list_takes(g, g.table, card, g.chosen, options)
    while touchable != 0:
        one = lowest_bit(touchable)
        touchable &= touchable - 1
        best = -1.0
        take = 0
        for i in range(count):
            if options[i] & BIT[one]:
                value = _take_worth(g.table, card, options[i], 1.0)
                if value > best:
                    best = value
                    take = options[i]
        _write_consequences(g, card, take, hidden, start + one, out, work)


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
        work: scratch, ``float32[WORK]``, to be allocated once for many calls.
    """
    players = g.players
    at = _write_cards(g.hand[seat], 0, out)
    at = _write_cards(g.table, at, out)
    touched = 0
    if g.to_move == seat and g.touched != NONE:
        touched = g.chosen | BIT[g.touched]
    at = _write_cards(touched, at, out)
    side = g.side[seat]
    for k in range(g.num_sides):
        other = side + k if side + k < g.num_sides else side + k - g.num_sides
        at = _write_cards(g.pile[other], at, out)
    for k in range(1, players):
        other = seat + k if seat + k < players else seat + k - players
        at = _write_cards(g.played[other], at, out)
    for i in range(at, len(out)):
        out[i] = 0.0
    step = np.float32(1) / np.float32(g.ranks * g.suits - g.table_size)
    for ply in range(g.ply):
        card = np.int64(g.card_at[ply])
        if card >= 0:
            out[at + card] = np.float32(ply + 1) * step
    at += NUM_CARDS
    best = -1
    for k in range(g.num_sides):
        other = side + k if side + k < g.num_sides else side + k - g.num_sides
        out[at + k] = 0.25 * g.scope[other]
        if k > 0:
            best = max(best, g.match_scores[other])
    at += g.num_sides
    for k in range(players):
        other = seat + k if seat + k < players else seat + k - players
        out[at + k] = g.hand_count[other] / g.hand_size
        if other == g.dealer:
            out[at + players + 1 + k] = 1.0
        if other == g.last_capturer:
            out[at + 2 * players + 1 + k] = 1.0
    out[at + players] = (g.ranks * g.suits - g.dealt) / (g.ranks * g.suits)
    at += 3 * players + 1
    out[at] = g.match_scores[side] / g.target
    out[at + 1] = best / g.target
    if full:
        _consequences(g, seat, at + 2, out, work)


@jit
def _encode_all(games: Any, seats: Any, full: Any, out: Any) -> None:
    work = np.empty(WORK, np.float32)
    for i in range(len(games)):
        encode(games[i], seats[i], full, out[i], work)


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
    encode(record, seat, layout.observation == "full", out, np.empty(WORK, np.float32))
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
