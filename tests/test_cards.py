"""Cards, sets of cards and moves: names, numbers, order, and errors for what is no card."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from helpers import NAMES

from scopa_env import CARDS, Card, Cards, Game, Move, legal_captures, primiera, score_deal
from scopa_env.cards import ALL_CARDS, DENARI, KINGS, SETTEBELLO, card, cards, to_bits


def test_forty_cards() -> None:
    assert len(CARDS) == 40
    assert [str(c) for c in CARDS] == [f"{r}{s}" for r in range(1, 11) for s in "DCSB"]
    for number, one in enumerate(CARDS):
        assert int(one) == one.number == number == 4 * (one.rank - 1) + "DCSB".index(one.suit)
        assert card(number) is card(str(one)) is card(one) is one
    assert CARDS[SETTEBELLO] == "7D"
    assert Cards.from_bits(DENARI) == {f"{rank}D" for rank in range(1, 11)}
    assert Cards.from_bits(KINGS) == {"10D", "10C", "10S", "10B"}
    assert Cards.from_bits(ALL_CARDS) == set(NAMES)


def test_what_a_card_may_be_given_as() -> None:
    for given in ("7D", " 7d ", 24, np.int64(24), np.uint8(24), CARDS[24]):
        assert card(given) == "7D"
    for given in ("7D 10C", "7D,10C", " 7D ,  10C ", ["7D", 37], ("7d", CARDS[37]), iter([24, 37])):
        assert cards(given) == ["7D", "10C"]
        assert Cards("7D 10C").bits == 1 << 24 | 1 << 37
    assert cards(24) == cards(CARDS[24]) == ["7D"]
    assert cards("") == cards([]) == []
    assert to_bits({"1D", "1C"}) == 3
    assert to_bits("") == 0


@pytest.mark.parametrize(
    "bad", ["", "7", "D", "0D", "11D", "7X", "D7", "7DD", "-1D", 40, -1, 1.0, None, True, [], b"7D"]
)
def test_what_is_no_card(bad: Any) -> None:
    with pytest.raises(ValueError, match="no such card"):
        card(bad)
    if bad != "" and bad != []:
        with pytest.raises(ValueError, match="no such card"):
            cards([bad])


@pytest.mark.parametrize("twice", ["7D 7D", "7D 8C 7d", [24, "7D"]])
def test_no_card_twice(twice: Any) -> None:
    with pytest.raises(ValueError, match="7D comes twice"):
        cards(twice)
    with pytest.raises(ValueError, match="7D comes twice"):
        Cards(twice)
    for use in (
        lambda: legal_captures("1D", twice),
        lambda: primiera(twice),
        lambda: score_deal([twice, ""]),
        lambda: Game.from_position("scopa", [twice, "1D"]),
    ):
        with pytest.raises(ValueError, match="7D comes twice"):
            use()


def test_cards_sort_by_number() -> None:
    mixed = list(CARDS)
    random.Random(1).shuffle(mixed)
    assert sorted(mixed) == list(CARDS)
    assert card("7D") < card("10D")


def test_cards_compare_by_number() -> None:
    assert max(card("7D"), card("10D")) == "10D"
    assert min(card("7D"), card("10D")) == "7D"
    assert card("10D") > card("7D")
    assert card("7D") <= card("10D")
    assert card("10D") >= card("7D")
    assert sorted(CARDS, reverse=True) == list(CARDS)[::-1]


def test_sets_of_cards() -> None:
    some = Cards("10C 7D 1B")
    assert str(some) == "1B 7D 10C"
    assert repr(some) == "{1B 7D 10C}"
    assert list(some) == ["1B", "7D", "10C"]
    assert some == {"7D", "10C", "1B"} == Cards(["1B", 24, 37])
    assert hash(some) == hash(Cards("1B 7D 10C"))
    assert Cards.from_bits(some.bits) == some
    assert "7D" in some
    assert str(Cards()) == ""
    assert not Cards()


def test_cards_can_be_copied_and_pickled() -> None:
    for thing in (CARDS[24], Cards("7D 10C"), Move.parse("7D x 4C 3S")):
        for other in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
            assert other == thing
            assert type(other) is type(thing)
            assert str(other) == str(thing)


def test_moves_as_text() -> None:
    for text in ("7D", "7D x 7S", "10C x 4D 6S", "9B x 1D 2C 6S"):
        move = Move.parse(text)
        assert str(move) == text
        assert Move.parse(str(move)) == move
        assert repr(move) == f"Move({text!r})"
    assert Move.parse("  7d   x 6S  1c ") == Move(card("7D"), Cards("1C 6S"))
    for bad in ("", "x", "7D x", "7D x 11D", "x 7D", "7D 7S", "7D x 7S x 7C", "7D x 7S 7S"):
        with pytest.raises(ValueError, match=r"no such card|after x|twice"):
            Move.parse(bad)


def test_what_play_takes() -> None:
    for move in ("7D x 7S", "7D", " 7d x 7s", card("7D"), Move.parse("7D x 7S")):
        game = Game.from_position("scopa", ["7D 8C", "5B"], table="7S")
        game.play(move)
        assert game.piles[0] == {"7D", "7S"}


def test_play_takes_the_number_of_a_card() -> None:
    game = Game.from_position("scopa", ["7D 8C", "5B"], table="7S")
    game.play(24)
    assert game.piles[0] == {"7D", "7S"}


def test_captures_of_odd_cards_raise() -> None:
    with pytest.raises(ValueError, match="lies on the table"):
        legal_captures("7D", "7D 8C")
    with pytest.raises(ValueError, match="no such card"):
        legal_captures("7D 8D", "1C")
    with pytest.raises(ValueError, match="scale"):
        primiera("7D", scale="off")
    with pytest.raises(ValueError, match="two piles"):
        score_deal(["7D", "8C 7D"])
    with pytest.raises(ValueError, match="one pile"):
        score_deal(["7D"])
    assert isinstance(CARDS[0], Card)


def test_sets_of_cards_stay_sets_of_cards() -> None:
    some, other = Cards("7D 8C"), Cards("8C 5B")
    for found, named in (
        (some | other, "5B 7D 8C"),
        (some & other, "8C"),
        (some - other, "7D"),
        (some ^ other, "5B 7D"),
        (some | {card("1D")}, "1D 7D 8C"),
    ):
        assert isinstance(found, Cards)
        assert str(found) == named
