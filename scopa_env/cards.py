"""The forty cards, their names, and sets of cards as bits.

A card is a number 0..39: ``4 * (rank - 1) + suit``, ranks 1..10 (8 fante, 9 cavallo, 10 re),
suits 0 D denari, 1 C coppe, 2 S spade, 3 B bastoni. A set of cards is a 40-bit integer, bit i
for card i, so each rank is one hexadecimal digit and equal cards share a digit.

People write ``7D`` and ``10C``; :class:`Card` and :class:`Cards` are those texts with the
numbers behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["CARDS", "NUM_CARDS", "SUITS", "Card", "Cards", "card", "cards", "to_bits"]

NUM_CARDS = 40
SUITS = "DCSB"

ALL_CARDS = (1 << NUM_CARDS) - 1
DENARI = 0x1111111111  # one suit: the same bit of every digit; suit s is DENARI << s
SETTEBELLO = 4 * 6  # the card 7D
RE_BELLO = 4 * 9  # the card 10D
KINGS = 0xF << 36
ACES = 0xF
MATTA = 1 << (4 * 6 + 1)  # the 7C, which stands for any card in a hand that is shown


class Card(str):
    """One card: the text ``7D`` that also counts as its number (``int(card)``) and sorts by it."""

    __slots__ = ("number",)
    number: int

    def __new__(cls, number: int) -> Card:
        self = super().__new__(cls, f"{number // 4 + 1}{SUITS[number % 4]}")
        self.number = number
        return self

    @property
    def rank(self) -> int:
        """1..10."""
        return self.number // 4 + 1

    @property
    def suit(self) -> str:
        """One of ``D C S B``."""
        return SUITS[self.number % 4]

    def __int__(self) -> int:
        return self.number

    __index__ = __int__

    def __lt__(self, other: Any) -> bool:
        return self.number < other.number if isinstance(other, Card) else super().__lt__(other)

    def __le__(self, other: Any) -> bool:
        return self.number <= other.number if isinstance(other, Card) else super().__le__(other)

    def __gt__(self, other: Any) -> bool:
        return self.number > other.number if isinstance(other, Card) else super().__gt__(other)

    def __ge__(self, other: Any) -> bool:
        return self.number >= other.number if isinstance(other, Card) else super().__ge__(other)

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> Any:
        return (card, (str(self),))


CARDS: tuple[Card, ...] = tuple(Card(i) for i in range(NUM_CARDS))
_BY_NAME = {str(c): c for c in CARDS}

CardLike = str | int | Card
CardsLike = str | CardLike | Iterable[CardLike]


def card(one: CardLike) -> Card:
    """The card meant by a text such as ``"7D"``, by a number 0..39, or by a card.

    Raises:
        ValueError: if there is no such card.
    """
    if isinstance(one, Card):
        return one
    if isinstance(one, str):
        found = _BY_NAME.get(one.strip().upper())
        if found is not None:
            return found
    elif not isinstance(one, bool):
        try:
            number = one.__index__()
        except AttributeError:
            number = -1
        if 0 <= number < NUM_CARDS:
            return CARDS[number]
    raise ValueError(
        f"no such card: {one!r}; a card is a rank 1..10 and a suit D, C, S or B, such as 7D or 10C"
    )


def cards(many: CardsLike) -> list[Card]:
    """The cards in ``many``, in the order given: ``"7D 10C"``, ``["7D", 37]`` or cards.

    Raises:
        ValueError: if one of them is no card, or one comes twice.
    """
    if isinstance(many, str):
        given: Iterable[CardLike] = many.replace(",", " ").split()
    elif isinstance(many, Iterable):
        given = many
    else:
        given = [many]
    found = [card(one) for one in given]
    if len(set(found)) != len(found):
        twice = next(c for c in found if found.count(c) > 1)
        raise ValueError(f"card {twice} comes twice in {' '.join(found)}")
    return found


def to_bits(many: CardsLike) -> int:
    """The set of cards as a 40-bit integer. Raises ValueError as :func:`cards` does."""
    bits = 0
    for one in cards(many):
        bits |= 1 << one.number
    return bits


class Cards(frozenset[Card]):
    """A set of cards that prints as ``7D 10C``, in card order, and compares with plain sets."""

    __slots__ = ()

    def __new__(cls, many: CardsLike = ()) -> Cards:
        return super().__new__(cls, cards(many))

    @classmethod
    def from_bits(cls, bits: int) -> Cards:
        """The cards whose bits are set in a 40-bit integer."""
        bits = int(bits)
        return cls(c for c in CARDS if bits >> c.number & 1)

    @property
    def bits(self) -> int:
        """The set as a 40-bit integer."""
        return sum(1 << c.number for c in frozenset.__iter__(self))

    def __iter__(self) -> Iterator[Card]:
        return iter(sorted(frozenset.__iter__(self), key=int))

    def __and__(self, other: Any) -> Any:
        return self._like(super().__and__(other))

    def __or__(self, other: Any) -> Any:
        return self._like(super().__or__(other))

    def __sub__(self, other: Any) -> Any:
        return self._like(super().__sub__(other))

    def __xor__(self, other: Any) -> Any:
        return self._like(super().__xor__(other))

    def _like(self, found: Any) -> Any:
        return found if found is NotImplemented else Cards(found)

    def __str__(self) -> str:
        return " ".join(self)

    def __repr__(self) -> str:
        return "{" + str(self) + "}"

    def __reduce__(self) -> Any:
        return (Cards, (str(self),))
