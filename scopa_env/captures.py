"""Which cards of the table a card may take.

A *take* is a set of table cards that the rules allow a card to take. Takes are looked up by
rank: every way to make a value 1..14 out of ranks is tabulated once, and a table is asked which
ways it holds. Suits come in only where a rank lies there more often than the way needs it.

Kernels read the rules from a game record (see :mod:`scopa_env.game`) and work on sets of cards
as 40-bit integers; *counts* are such an integer with the number of cards of each rank in that
rank's digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scopa_env._jit import U, jit, lowest_bit, popcount
from scopa_env.cards import ACES

__all__ = [
    "add_cards",
    "best_replies",
    "list_takes",
    "no_cards",
    "rank_counts",
    "rank_sum",
    "ranks_present",
    "sweeps_as_plain_card",
    "takes",
    "takes_itself",
    "with_card",
]

MAX_VALUE = 14  # a fifteen with an ace
BIT = np.array([1 << i for i in range(40)], np.int64)
RANK_CARDS = np.array([0xF << (4 * r) for r in range(10)], np.int64)
CHOOSE = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0],
                   [1, 4, 6, 4, 1]], np.int64)  # fmt: skip
HIGH_BITS = 0x8888888888
NO_TAKE = np.float32(-1e9)  # the weight of a take that does not exist
LANES = 16  # numbers that a processor works on at once, at most
NO_WAY = 1 << 24  # a bit above those of all plain ways; its place in PLAIN_CARDS is empty


def _ways_to_make(value: int, least_rank: int = 1) -> list[tuple[int, ...]]:
    """Every multiset of ranks (at most four of each) that adds up to ``value``."""
    if value == 0:
        return [()]
    found = []
    for rank in range(least_rank, min(value, 10) + 1):
        for copies in range(1, 5):
            if rank * copies <= value:
                for rest in _ways_to_make(value - rank * copies, rank + 1):
                    found.append((rank,) * copies + rest)
    return found


def _tabulate() -> tuple[np.ndarray, ...]:
    ways = [sorted(_ways_to_make(v), key=lambda w: (len(w), w)) for v in range(1, MAX_VALUE + 1)]
    most = max(len(w) for w in ways)
    counts = np.zeros((MAX_VALUE + 1, most), np.int64)
    start = np.zeros((MAX_VALUE + 1, 1025), np.int32)
    within: list[int] = []
    sizes = np.zeros((MAX_VALUE + 1, most), np.int64)
    plain = [[w for w in some if len(set(w)) == len(w)] for some in ways]
    plain_cards = np.zeros((MAX_VALUE + 1, NO_WAY.bit_length()), np.int64)
    plain_fits = np.zeros((MAX_VALUE + 1, 1024), np.int64)
    present = np.arange(1024)
    for value, (some, distinct) in enumerate(zip(ways, plain, strict=True), start=1):
        wanted = [sum({1 << (rank - 1) for rank in way}) for way in some]
        for ranks in range(1024):
            start[value, ranks] = len(within)
            within += [i for i, want in enumerate(wanted) if ranks & want == want]
        start[value, 1024] = len(within)
        for i, way in enumerate(some):
            counts[value, i] = sum(1 << (4 * (rank - 1)) for rank in way)
            sizes[value, i] = len(way)
        for i, way in enumerate(distinct):
            plain_cards[value, i] = sum(0xF << (4 * (rank - 1)) for rank in way)
            want = sum(1 << (rank - 1) for rank in way)
            plain_fits[value] |= ((present & want) == want).astype(np.int64) << i
    return (
        counts,
        sizes,
        start,
        np.array(within, np.int16),
        plain_cards,
        plain_fits.astype(np.int32),
    )


#: Ways to make a value: counts and number of cards. Fewest cards first.
#: WAY_START, WAYS: for a value and a 10-bit mask of ranks, the ways of those ranks only are
#: ``WAYS[WAY_START[value, mask] : WAY_START[value, mask + 1]]``.
#: PLAIN_CARDS: the ways without a repeated rank, as all cards of their ranks.
#: PLAIN_FITS: for a value and a 10-bit mask of ranks, the bits of the plain ways within it.
WAY_COUNTS, WAY_SIZE, WAY_START, WAYS, PLAIN_CARDS, PLAIN_FITS = _tabulate()


@jit
def ranks_present(bits: Any) -> Any:
    """A set of cards as a 10-bit mask of its ranks."""
    x = bits | (bits >> 1)
    x = (x | (x >> 2)) & 0x1111111111
    x = (x | (x >> 3)) & 0x0303030303
    x = (x | (x >> 6)) & 0x000F000F000F
    x = (x | (x >> 12)) & 0x00FF000000FF
    return (x | (x >> 24)) & 0x3FF


@jit
def rank_counts(bits: Any) -> Any:
    """A set of cards as counts: one digit a rank, 0..4."""
    x = bits - ((bits >> 1) & 0x5555555555)
    return (x & 0x3333333333) + ((x >> 2) & 0x3333333333)


RANK_SUM = np.array(
    [
        [sum(i // 4 + 2 * eighth + 1 for i in range(8) if cards >> i & 1) for cards in range(256)]
        for eighth in range(5)
    ],
    np.int16,
)


@jit
def rank_sum(bits: Any) -> Any:
    """The ranks of a set of cards added up."""
    total = 0
    for i in range(5):
        total += RANK_SUM[i, U((bits >> (8 * i)) & 255)]
    return total


@jit
def _holds(counts: Any, way: Any) -> Any:
    """Whether no digit of ``way`` is above that of ``counts``."""
    return (((counts | HIGH_BITS) - way) & HIGH_BITS) == HIGH_BITS


@jit
def _ace_sweeps(g: Any, table: Any, card: Any) -> Any:
    """Whether the card is an ace that takes the whole table."""
    if card >= 4 or not g.ace_sweep or table == 0 or _barred(g, table):
        return False
    return (table & ACES) == 0 or g.ace_with_ace_on_table == 1


@jit
def _barred(g: Any, table: Any) -> Any:
    """Whether an ace sweeps nothing, since this is the first play; later tables are others."""
    return g.ace_first_play == 2 and g.ply == 0 and table == g.table


@jit
def takes_itself(g: Any, card: Any) -> Any:
    """Whether the card is an ace that takes itself from the empty table."""
    return g.ace_on_empty_table == 1 and card < 4 and g.table == 0 and not _barred(g, 0)


@jit
def sweeps_as_plain_card(g: Any, card: Any, take: Any) -> Any:
    """Whether the take of a whole table needs no sweeping ace, or such a sweep is a scopa too."""
    if card >= 4 or not g.ace_sweep or g.ace_sweep_scores:
        return True
    total = rank_sum(take)
    return (g.equal and total == 1) or (g.fifteen and total == 14)


@jit
def _value(g: Any, table: Any, card: Any, kind: Any) -> Any:
    """The value that table cards must make for a take of this kind, 0 if there is none.

    Kind 0: one equal card, or a sum to the card's rank. Kind 1: fifteen with the card.
    """
    rank = (card >> 2) + 1
    if kind == 0:
        if (g.equal or g.sums) and not (
            g.ace_with_ace_on_table == 1 and _ace_sweeps(g, table, card)
        ):
            return rank
    elif g.fifteen:
        return 15 - rank
    return 0


@jit
def _allowed(g: Any, table: Any, card: Any, kind: Any, size: Any, least: Any) -> Any:
    """Whether a take of this kind and number of cards is allowed; least: the fewest, or 0."""
    if least != 0 and size != least:
        return False
    if kind == 1:
        return True
    if size == 1:
        return g.equal != 0
    if g.sums == 0:
        return False
    return not (g.equal and g.equal_priority and (table & RANK_CARDS[card >> 2]) != 0)


@jit
def _plain_fits(g: Any, card: Any, kind: Any, present: Any) -> Any:
    """The allowed ways (bits) to take from a table on which no rank is repeated."""
    rank = (card >> 2) + 1
    if kind == 1:
        return np.int64(PLAIN_FITS[U(15 - rank), U(present)]) if g.fifteen else 0
    fits = np.int64(PLAIN_FITS[U(rank), U(present)])
    if not g.equal:
        fits &= ~1  # bit 0 is the way of one card
    if not g.sums or (g.equal and g.equal_priority and (fits & 1)):
        fits &= 1
    return fits


@jit
def _fewest(g: Any, table: Any, card: Any) -> Any:
    """The number of cards in the smallest take, 0 if there is none."""
    counts = rank_counts(table)
    present = ranks_present(table)
    least = popcount(table) if _ace_sweeps(g, table, card) else 0
    for kind in range(2):
        value = _value(g, table, card, kind)
        for n in range(WAY_START[value, present], WAY_START[value, present + 1]):
            i = WAYS[n]
            size = WAY_SIZE[value, i]
            if (
                (least == 0 or size < least)
                and _holds(counts, WAY_COUNTS[value, i])
                and _allowed(g, table, card, kind, size, 0)
            ):
                least = size
    return least


@jit
def takes(g: Any, table: Any, card: Any, chosen: Any) -> tuple[Any, Any, Any, Any]:
    """What a card may take, given the table cards chosen so far.

    Args:
        g: the game record; its rules are read.
        table: the cards on the table, bits.
        card: the card played, 0..39.
        chosen: table cards already chosen, bits.

    Returns:
        ``count``: how many takes contain all chosen cards, laying the card counted as the empty
        take wherever it is allowed; ``take``: the take where count is 1; ``touchable``: bits of
        the table cards that can be chosen next; ``exact``: whether the chosen cards are
        themselves a take.
    """
    present = ranks_present(table)
    repeated = popcount(table) != popcount(present)
    if not (repeated or g.ace_sweep or g.compulsory or g.fewest_cards) and chosen == 0:
        # Nearly every play: at most one way, looked up without a branch on whether there is one.
        low, high = _plain_fits(g, card, 0, present), _plain_fits(g, card, 1, present)
        count = popcount(low) + popcount(high)
        if count <= 1:
            rank = (card >> 2) + 1
            take = table & (
                PLAIN_CARDS[U(rank), U(lowest_bit(low | NO_WAY))]
                | PLAIN_CARDS[U(15 - rank), U(lowest_bit(high | NO_WAY))]
            )
            return 1, take, take, take == 0
    return _takes(g, table, card, chosen, present)


@jit
def _takes(g: Any, table: Any, card: Any, chosen: Any, present: Any) -> Any:
    """:func:`takes` in full: several ways, repeated ranks, chosen cards, every option."""
    sweeps = _ace_sweeps(g, table, card)
    count = 0
    take = 0
    union = 0
    exact = False
    least = _fewest(g, table, card) if g.fewest_cards else 0
    if sweeps and (least == 0 or popcount(table) == least):
        count = 1
        take = table
        union = table
        exact = chosen == table
    counts = rank_counts(table)
    chosen_counts = rank_counts(chosen)
    for kind in range(2):
        value = _value(g, table, card, kind)
        for n in range(WAY_START[U(value), U(present)], WAY_START[U(value), U(present + 1)]):
            i = WAYS[U(n)]
            way = WAY_COUNTS[U(value), U(i)]
            if (
                _holds(counts, way)
                and _holds(way, chosen_counts)
                and not (sweeps and way == counts)
                and _allowed(g, table, card, kind, WAY_SIZE[value, i], least)
            ):
                number = 1
                some = chosen
                rest = way
                while rest != 0:  # rank by rank
                    digit = lowest_bit(rest) & ~3
                    rest &= ~(15 << digit)
                    wanted = (way >> digit) & 15
                    have = (chosen_counts >> digit) & 15
                    if wanted > have:
                        lie = (counts >> digit) & 15
                        number *= CHOOSE[lie - have, wanted - have]
                        some |= table & (15 << digit)
                count += number
                take = some
                union |= some
                exact |= way == chosen_counts
    if chosen == 0 and (count == 0 or g.compulsory == 1):
        count += 1
        exact = True
    return count, take, union & ~chosen, exact


@jit
def list_takes(g: Any, table: Any, card: Any, chosen: Any, out: Any) -> Any:
    """Write every take of a card that contains the chosen cards; return how many.

    Args:
        out: ``int64[N]``, at least the count that :func:`takes` returns.
    """
    n = 0
    sweeps = _ace_sweeps(g, table, card)
    least = _fewest(g, table, card) if g.fewest_cards else 0
    if sweeps and (least == 0 or popcount(table) == least):
        out[0] = table
        n = 1
    counts = rank_counts(table)
    chosen_counts = rank_counts(chosen)
    present = ranks_present(table)
    for kind in range(2):
        value = _value(g, table, card, kind)
        for j in range(WAY_START[U(value), U(present)], WAY_START[U(value), U(present + 1)]):
            i = WAYS[U(j)]
            way = WAY_COUNTS[U(value), U(i)]
            if (
                _holds(counts, way)
                and _holds(way, chosen_counts)
                and not (sweeps and way == counts)
                and _allowed(g, table, card, kind, WAY_SIZE[value, i], least)
            ):
                out[n] = chosen
                n += _spread(table, chosen, way, out, n)
    if chosen == 0 and (n == 0 or g.compulsory == 1):
        out[n] = 0
        n += 1
    return n


@jit
def _spread(table: Any, chosen: Any, way: Any, out: Any, start: Any) -> Any:
    """Turn ``out[start]``, the chosen cards, into every set of table cards of a way."""
    n = 1
    rest = way
    while rest != 0:  # rank by rank
        digit = lowest_bit(rest) & ~3
        rest &= ~(15 << digit)
        wanted = (way >> digit) & 15
        have = (chosen >> digit) & 15
        if wanted <= popcount(have):
            continue
        lie = (table >> digit) & 15
        sets = 0
        first = 0
        for suits in range(1, 16):
            if (suits & ~lie) == 0 and (have & ~suits) == 0 and popcount(suits) == wanted:
                if sets == 0:
                    first = suits
                for j in range(n if sets > 0 else 0):
                    out[start + sets * n + j] = out[start + j] | (suits << digit)
                sets += 1
        for j in range(n):  # last, since the other sets start from the same entries
            out[start + j] |= first << digit
        n *= sets
    return n


#: What :func:`best_replies` needs to know of the cards on a table, by their weights: ``equal``,
#: the heaviest card of each rank; from place 16 of ``sums`` on, the heaviest set of cards that
#: add up to 0, 1, ...; :data:`NO_TAKE` where there is none. ``lanes`` is 16: a loop that cannot
#: know that is compiled to vectors, not unrolled.
HEAVIEST = np.dtype(
    (
        np.record,
        [("lanes", np.int64), ("equal", np.float32, LANES), ("sums", np.float32, 2 * LANES + 2)],
    )
)


@jit
def no_cards(heaviest: Any) -> None:
    """Begin a record of HEAVIEST with an empty table."""
    heaviest.lanes = LANES
    for i in range(LANES):
        heaviest.equal[i] = NO_TAKE
    for i in range(2 * LANES + 2):
        heaviest.sums[i] = NO_TAKE
    heaviest.sums[LANES] = 0


@jit
def with_card(source: Any, card: Any, weight: Any, heaviest: Any) -> None:
    """Begin a record of HEAVIEST with the cards of another and one more; it takes no others."""
    rank = (card >> 2) + 1
    own = weight[U(card)]
    for i in range(source.lanes):
        heaviest.equal[i] = source.equal[i]
    for i in range(source.lanes):
        heaviest.sums[LANES + i] = max(
            source.sums[LANES + i], source.sums[U(LANES + i - rank)] + own
        )
    heaviest.equal[U(rank - 1)] = max(source.equal[U(rank - 1)], own)
    heaviest.lanes = source.lanes


@jit
def add_cards(cards: Any, weight: Any, fifteen: Any, heaviest: Any) -> None:
    """Add cards (bits) with positive weights ``float32[40]`` to a record of HEAVIEST.

    Args:
        fifteen: whether sums over 10 are asked for.
    """
    sums, equal = heaviest.sums, heaviest.equal
    while cards != 0:
        card = lowest_bit(cards)
        cards &= cards - 1
        rank = (card >> 2) + 1
        own = weight[U(card)]
        equal[U(rank - 1)] = max(equal[U(rank - 1)], own)
        if fifteen:
            for i in range(LANES + MAX_VALUE, LANES + 10, -1):
                sums[i] = max(sums[i], sums[U(i - rank)] + own)
        for i in range(LANES + 10, LANES, -1):
            sums[i] = max(sums[i], sums[U(i - rank)] + own)


@jit
def best_replies(g: Any, table: Any, weight: Any, heaviest: Any, value: Any) -> Any:
    """For each rank, the heaviest take that a card of that rank has: all ranks at one go.

    Args:
        g: the game record; its rules are read.
        table: the cards on the table, bits.
        weight: positive weights of the cards, ``float32[40]``.
        heaviest: HEAVIEST of the cards on the table.
        value: written, ``float32[16]``, by rank from 0: weight of the heaviest take, negative if
            there is none.

    Returns:
        The ranks whose heaviest take is the whole table and may be a scopa, as a 10-bit mask.
    """
    if g.fewest_cards or not g.equal:
        return _best_replies_listed(g, table, weight, value)
    sums, equal = heaviest.sums, heaviest.equal
    bar = np.float32(0) if g.equal_priority else np.float32(np.inf)
    any_sum = np.float32(0) if g.sums else NO_TAKE
    for r in range(heaviest.lanes):
        some = max(equal[r], sums[LANES + 1 + r] + any_sum)
        value[r] = equal[r] if equal[r] > bar else some
    sweeps = 0
    total = rank_sum(table)
    if 0 < total <= 10 and (g.sums or popcount(table) == 1):
        sweeps |= 1 << (total - 1)
    if g.fifteen:
        for r in range(10):
            value[r] = max(value[r], sums[LANES + 14 - r])
        if 5 <= total <= 14:
            sweeps |= 1 << (14 - total)
    if _ace_sweeps(g, table, 0):
        value[0] = 0
        while table != 0:
            value[0] += weight[U(lowest_bit(table))]
            table &= table - 1
        sweeps |= g.ace_sweep_scores
    return sweeps


@jit
def _best_replies_listed(g: Any, table: Any, weight: Any, value: Any) -> Any:
    """:func:`best_replies` for options under which a card's takes have to be listed."""
    sweeps = 0
    for r in range(10):
        value[r] = NO_TAKE
        count, _, _, _ = takes(g, table, 4 * r, 0)
        options = np.empty(count, np.int64)
        for i in range(list_takes(g, table, 4 * r, 0, options)):
            heavy = np.float32(0)
            rest = options[i]
            while rest != 0:
                heavy += weight[lowest_bit(rest)]
                rest &= rest - 1
            if options[i] != 0 and heavy > value[r]:
                value[r] = heavy
                if options[i] == table and sweeps_as_plain_card(g, 4 * r, table):
                    sweeps |= 1 << r
    return sweeps
