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

from scopa_env._jit import jit, lowest_bit, popcount
from scopa_env.cards import ACES

__all__ = ["best_replies", "list_takes", "rank_counts", "rank_sum", "ranks_present", "takes"]

MAX_VALUE = 14  # a fifteen with an ace
BIT = np.array([1 << i for i in range(40)], np.int64)
RANK_CARDS = np.array([0xF << (4 * r) for r in range(10)], np.int64)
CHOOSE = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0],
                   [1, 4, 6, 4, 1]], np.int64)  # fmt: skip
HIGH_BITS = 0x8888888888
NO_TAKE = np.float32(-1e9)  # the weight of a take that does not exist
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
    sizes = np.zeros((MAX_VALUE + 1, most), np.int64)
    number = np.zeros(MAX_VALUE + 1, np.int64)
    plain = [[w for w in some if len(set(w)) == len(w)] for some in ways]
    plain_cards = np.zeros((MAX_VALUE + 1, NO_WAY.bit_length()), np.int64)
    plain_fits = np.zeros((MAX_VALUE + 1, 1024), np.int64)
    present = np.arange(1024)
    for value, (some, distinct) in enumerate(zip(ways, plain, strict=True), start=1):
        number[value] = len(some)
        for i, way in enumerate(some):
            counts[value, i] = sum(1 << (4 * (rank - 1)) for rank in way)
            sizes[value, i] = len(way)
        for i, way in enumerate(distinct):
            plain_cards[value, i] = sum(0xF << (4 * (rank - 1)) for rank in way)
            wanted = sum(1 << (rank - 1) for rank in way)
            plain_fits[value] |= ((present & wanted) == wanted).astype(np.int64) << i
    return counts, sizes, number, plain_cards, plain_fits.astype(np.int32)


#: Ways to make a value: counts, number of cards, how many ways. Fewest cards first.
WAY_COUNTS, WAY_SIZE, NUM_WAYS, PLAIN_CARDS, PLAIN_FITS = _tabulate()
#: PLAIN_CARDS: the ways without a repeated rank, as all cards of their ranks.
#: PLAIN_FITS: for a value and a 10-bit mask of ranks, the bits of the plain ways within it.


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


@jit
def rank_sum(bits: Any) -> Any:
    """The ranks of a set of cards added up."""
    total = 0
    while bits != 0:
        total += (lowest_bit(bits) >> 2) + 1
        bits &= bits - 1
    return total


@jit
def _holds(counts: Any, way: Any) -> Any:
    """Whether no digit of ``way`` is above that of ``counts``."""
    return (((counts | HIGH_BITS) - way) & HIGH_BITS) == HIGH_BITS


@jit
def _ace_sweeps(g: Any, table: Any, card: Any) -> Any:
    """Whether the card is an ace that takes the whole table."""
    if card >= 4 or not g.ace_sweep or table == 0:
        return False
    return (table & ACES) == 0 or g.ace_with_ace_on_table == 1


@jit
def _value(g: Any, table: Any, card: Any, kind: Any) -> Any:
    """The value that table cards must make for a take of this kind, 0 if there is none.

    Kind 0: one equal card, or a sum to the card's rank. Kind 1: fifteen with the card.
    """
    rank = (card >> 2) + 1
    if kind == 0:
        if (g.equal or g.sum) and not (
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
    if g.sum == 0:
        return False
    return not (g.equal and g.equal_priority and (table & RANK_CARDS[card >> 2]) != 0)


@jit
def _plain_fits(g: Any, card: Any, kind: Any, present: Any) -> Any:
    """The allowed ways (bits) to take from a table on which no rank is repeated."""
    rank = (card >> 2) + 1
    if kind == 1:
        return np.int64(PLAIN_FITS[15 - rank, present]) if g.fifteen else 0
    fits = np.int64(PLAIN_FITS[rank, present])
    if not g.equal:
        fits &= ~1  # bit 0 is the way of one card
    if not g.sum or (g.equal and g.equal_priority and (fits & 1)):
        fits &= 1
    return fits


@jit
def _fewest(g: Any, table: Any, card: Any) -> Any:
    """The number of cards in the smallest take, 0 if there is none."""
    counts = rank_counts(table)
    least = popcount(table) if _ace_sweeps(g, table, card) else 0
    for kind in range(2):
        value = _value(g, table, card, kind)
        for i in range(NUM_WAYS[value]):
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
                PLAIN_CARDS[rank, lowest_bit(low | NO_WAY)]
                | PLAIN_CARDS[15 - rank, lowest_bit(high | NO_WAY)]
            )
            return 1, take, take, take == 0
    return _takes(g, table, card, chosen, present, repeated)


@jit
def _takes(g: Any, table: Any, card: Any, chosen: Any, present: Any, repeated: Any) -> Any:
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

    counts = 0
    chosen_counts = 0
    if repeated:
        counts = rank_counts(table)
        chosen_counts = rank_counts(chosen)

    for kind in range(2):
        value = _value(g, table, card, kind)
        if value == 0:
            continue
        if not repeated:
            fits = _plain_fits(g, card, kind, present)
            while fits != 0:
                i = lowest_bit(fits)
                fits &= fits - 1
                some = table & PLAIN_CARDS[value, i]
                if (
                    (chosen & ~some) == 0
                    and not (sweeps and some == table)
                    and (least == 0 or popcount(some) == least)
                ):
                    count += 1
                    take = some
                    union |= some
                    exact |= some == chosen
        else:
            for i in range(NUM_WAYS[value]):
                way = WAY_COUNTS[value, i]
                if (
                    _holds(counts, way)
                    and _holds(way, chosen_counts)
                    and not (sweeps and way == counts)
                    and _allowed(g, table, card, kind, WAY_SIZE[value, i], least)
                ):
                    number = 1
                    some = chosen
                    for r in range(10):
                        wanted = (way >> (4 * r)) & 15
                        have = (chosen_counts >> (4 * r)) & 15
                        if wanted > have:
                            lie = (counts >> (4 * r)) & 15
                            number *= CHOOSE[lie - have, wanted - have]
                            some |= table & RANK_CARDS[r]
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
    for kind in range(2):
        value = _value(g, table, card, kind)
        for i in range(NUM_WAYS[value]):
            way = WAY_COUNTS[value, i]
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
    for r in range(10):
        wanted = (way >> (4 * r)) & 15
        have = (chosen >> (4 * r)) & 15
        if wanted <= popcount(have):
            continue
        lie = (table >> (4 * r)) & 15
        sets = 0
        first = 0
        for suits in range(1, 16):
            if (suits & ~lie) == 0 and (have & ~suits) == 0 and popcount(suits) == wanted:
                if sets == 0:
                    first = suits
                for j in range(n if sets > 0 else 0):
                    out[start + sets * n + j] = out[start + j] | (suits << (4 * r))
                sets += 1
        for j in range(n):  # last, since the other sets start from the same entries
            out[start + j] |= first << (4 * r)
        n *= sets
    return n


@jit
def best_replies(g: Any, table: Any, weight: Any, value: Any, work: Any) -> Any:
    """For each rank, the heaviest take that a card of that rank has: all ranks at one go.

    The heaviest set for every value 1..14 comes from one pass over the table's cards.

    Args:
        g: the game record; its rules are read.
        table: the cards on the table, bits.
        weight: positive weights of the cards, ``float32[40]``.
        value: written, ``float32[10]``: weight of the heaviest take, negative if there is none.
        work: scratch, ``float32[25]``.

    Returns:
        The ranks whose heaviest take is the whole table, as a 10-bit mask.
    """
    if g.fewest_cards or not g.equal:
        return _best_replies_listed(g, table, weight, value)
    equal, best = work[:10], work[10:25]
    for v in range(10):
        equal[v] = NO_TAKE
    for v in range(MAX_VALUE + 1):
        best[v] = NO_TAKE
    best[0] = 0
    highest = MAX_VALUE if g.fifteen else 10
    total = 0
    whole = np.float32(0)
    rest = table
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        rank = (card >> 2) + 1
        total += rank
        whole += weight[card]
        equal[rank - 1] = max(equal[rank - 1], weight[card])
        for v in range(highest, rank - 1, -1):
            best[v] = max(best[v], best[v - rank] + weight[card])
    for r in range(10):
        some = best[r + 1] if g.sum else NO_TAKE
        bars = g.equal_priority and equal[r] > 0
        value[r] = equal[r] if bars else max(equal[r], some)
    sweeps = 0
    if 0 < total <= 10 and (g.sum or popcount(table) == 1):
        sweeps |= 1 << (total - 1)
    if g.fifteen:
        for r in range(10):
            value[r] = max(value[r], best[14 - r])
        if 5 <= total <= 14:
            sweeps |= 1 << (14 - total)
    if _ace_sweeps(g, table, 0):
        value[0] = whole
        sweeps |= 1
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
                if options[i] == table:
                    sweeps |= 1 << r
    return sweeps
