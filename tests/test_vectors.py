"""The worked positions of ``vectors.json`` through the public face. Every vector whose variant is
one of the presets is checked, with all its ``*_if`` alternatives; a vector counts as checked only
when each of its fields has been read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import NAMES, other_cards

from scopa_env import PRESETS, Game, Match, Rules, legal_captures, primiera, score_deal

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["vectors"]
BY_ID = {vector["id"]: vector for vector in VECTORS}
COVERED = [vector for vector in VECTORS if vector["variant"].partition("+")[0] in PRESETS]
UNCHECKED_FIELDS = {"id", "kind", "variant", "source", "note"}

#: How many vectors each preset has. Change it only together with vectors.json.
NUMBER = {
    "scopa": 48,
    "scopa_3p": 2,
    "scopa_teams": 2,
    "scopa_6p": 1,
    "scopone": 2,
    "scopone_10": 2,
    "scopa_assi": 3,
    "asso_piglia_tutto": 1,
    "quindici": 2,
    "quindici_both": 1,
    "quindici_asso": 0,
    "escoba": 6,
    "cirulla": 15,
}


class Reading(dict[str, Any]):
    """A vector that remembers which of its fields were read."""

    def __init__(self, vector: dict[str, Any]) -> None:
        super().__init__(vector)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def variant_rules(variant: str, **overrides: Any) -> Rules:
    """Rules of a variant; "scopa+napola" is scopa with the napola."""
    preset, _, extra = variant.partition("+")
    if extra:
        assert extra == "napola"
        overrides.setdefault("napola", "full")
    return Rules.preset(preset, **overrides)


def read_option(text: str) -> dict[str, Any]:
    """Turn "capture.fewest_cards=true" into ``{"fewest_cards": True}``."""
    name, _, value = text.partition("=")
    group, _, field = name.partition(".")
    if group in ("ace", "scopa"):
        field = f"{group}_{field}"
    if value in ("true", "false"):
        return {field: value == "true"}
    return {field: int(value) if value.isdigit() else value}


def answers(vector: Reading, field: str) -> Iterator[tuple[Rules, Any]]:
    """(rules, expected answer): under the variant's default, then under each ``*_if`` option."""
    if field in vector:
        yield variant_rules(vector["variant"]), vector[field]
    for option, answer in vector.get(f"{field}_if", {}).items():
        yield variant_rules(vector["variant"], **read_option(option)), answer


def sets_of(lists: list[list[str]]) -> set[frozenset[str]]:
    return {frozenset(some) for some in lists}


def position(rules: Rules, hand: list[str], table: list[str]) -> Game:
    """Seat 0 to move; every other seat holds one unseen card, so no play is the last one."""
    unseen = other_cards(*hand, *table)
    others = [[unseen.pop()] for _ in range(rules.players - 1)]
    return Game.from_position(rules, [hand, *others], table)


def moves_of(game: Game) -> list[tuple[str, frozenset[str]]]:
    return [(str(move.card), frozenset(map(str, move.captured))) for move in game.legal_moves()]


def check_capture(vector: Reading) -> None:
    played, table = vector["played"], vector["table"]
    for rules, expected in answers(vector, "legal_captures"):
        found = legal_captures(played, table, rules)
        assert len(found) == len(expected)
        assert set(found) == sets_of(expected)
        assert legal_captures(played, table[::-1], rules) == found
        moves = moves_of(position(rules, [played], table))
        assert set(moves) >= {(played, taken) for taken in sets_of(expected)}
        assert ((played, frozenset()) in moves) == (not expected or rules.compulsory == "optional")
    default = variant_rules(vector["variant"])
    if "clears_table" in vector:
        clears = frozenset(table) in legal_captures(played, table, default)
        assert clears == vector["clears_table"]
    for rules, allowed in answers(vector, "discard_allowed"):
        assert ((played, frozenset()) in moves_of(position(rules, [played], table))) == allowed
    if "scopa_scored" in vector:
        game = position(default, [played], table)
        game.play(f"{played} x {' '.join(table)}")
        assert game.scope[0] == int(vector["scopa_scored"])


def check_moves(vector: Reading) -> None:
    game = position(variant_rules(vector["variant"]), vector["hand"], vector["table"])
    expected = [(played, frozenset(taken)) for played, taken in vector["legal_moves"]]
    found = moves_of(game)
    assert len(found) == len(expected)
    assert set(found) == set(expected)


def check_opening(vector: Reading) -> None:
    for rules, expected in answers(vector, "expect"):
        rest = [name for name in NAMES if name not in vector["table"]]
        game = Game.deal(rules, seed=3, dealer=1, deck=vector["table"] + rest)
        assert (game.redeals > 0) == expected["redeal"]
        if "same_dealer" in expected:
            assert (game.dealer == 1) == expected["same_dealer"]
        if expected["redeal"]:
            continue
        takes = expected.get("dealer_takes", False)
        side = rules.side_of(1)
        assert game.scope[side] == expected.get("dealer_scope", 0)
        assert sum(game.scope) == game.scope[side]
        assert game.table == (set() if takes else set(vector["table"]))
        assert game.piles[side] == (set(vector["table"]) if takes else set())
        assert game.last_capturer == (1 if takes else None)


def check_declaration(vector: Reading) -> None:
    from scopa_env import hand_bonus  # comes with the first preset that has it

    assert hand_bonus(vector["hand"], rules=variant_rules(vector["variant"])) == vector["points"]


def check_coin_runs(vector: Reading) -> None:
    pile = [f"{rank}D" for rank in vector["denari"]]
    rules = variant_rules(vector["variant"])
    points = sum(vector["expect"].values())
    found = [side["coin_runs"] for side in score_deal([pile, "1C"], rules=rules)]
    assert found == [points, 0]


def check_napola(vector: Reading) -> None:
    pile = [f"{rank}D" for rank in vector["denari"]]
    for rules, points in answers(vector, "points"):
        assert [side["napola"] for side in score_deal([pile, "1C"], rules=rules)] == [points, 0]
        assert [side["napola"] for side in score_deal([[], pile], rules=rules)] == [0, points]


def check_primiera(vector: Reading) -> None:
    pile = vector["pile"]
    for scale, expected in vector["totals"].items():
        assert primiera(pile, scale=scale) == expected
        rules = variant_rules(vector["variant"], primiera=scale)
        assert score_deal([pile, []], rules=rules)[0]["primiera_total"] == expected
    if "partial_standard" in vector:
        for missing in ("zero", "compare_partial"):
            assert primiera(pile, missing=missing) == vector["partial_standard"]


def check_primiera_compare(vector: Reading) -> None:
    rules = variant_rules(vector["variant"], primiera=vector["scale"])
    piles = [BY_ID[vector["a"]]["pile"], BY_ID[vector["b"]]["pile"]]
    points = [int(vector["winner"] == name) for name in "AB"]
    assert [side["primiera"] for side in score_deal(piles, [0, 0], rules)] == points
    assert [side["primiera"] for side in score_deal(piles[::-1], [0, 0], rules)] == points[::-1]


def check_deal(vector: Reading) -> None:
    sides = list(vector["piles"])
    piles = [vector["piles"][name] for name in sides]
    scope = [vector["scope"][name] for name in sides]
    default = variant_rules(vector["variant"])
    for turn in range(len(sides)):  # whoever is side 0, the points are the same
        order = [*range(turn, len(sides)), *range(turn)]
        scores = score_deal([piles[i] for i in order], [scope[i] for i in order], default)
        for i, score in zip(order, scores, strict=True):
            expected = vector["expect"][sides[i]]
            assert {field: score[field] for field in expected} == expected
    for rules, totals in answers(vector, "total"):
        scores = score_deal(piles, scope, rules)
        assert [score["total"] for score in scores] == [totals[name] for name in sides]
    if "seat_piles" in vector:
        assert [list(side) for side in default.sides] == vector["teams"]
        for side, seats in enumerate(default.sides):
            merged = [name for seat in seats for name in vector["seat_piles"][str(seat)]]
            assert sorted(merged) == sorted(piles[side])
            assert sum(vector["seat_scope"][str(seat)] for seat in seats) == scope[side]


def check_sequence(vector: Reading) -> None:
    state, plays = vector["state"], vector["plays"]
    for rules, expected in answers(vector, "expect"):
        hands = [state["hands"][str(seat)] for seat in range(rules.players)]
        stock = other_cards(*state["table"], *(c for hand in hands for c in hand))
        game = Game.from_position(
            rules,
            hands,
            state["table"],
            stock[: state["stock"]],
            to_move=state["to_play"],
            last_capturer=state["last_capturer"],
        )
        seat_piles: dict[int, set[str]] = {seat: set() for seat in range(rules.players)}
        seat_scope = dict.fromkeys(range(rules.players), 0)
        for play in plays:
            seat, before = game.to_move, sum(game.scope)
            assert seat == play["player"]
            game.play(f"{play['card']} x {' '.join(play['take'])}" if play["take"]
                      else play["card"])  # fmt: skip
            if play["take"]:
                seat_piles[seat] |= {play["card"], *play["take"]}
            seat_scope[seat] += sum(game.scope) - before
        assert {str(seat): n for seat, n in seat_scope.items()} == expected["scope"]
        for side, seats in enumerate(rules.sides):
            assert game.scope[side] == sum(seat_scope[seat] for seat in seats)
        if "table" in expected:
            assert game.table == set(expected["table"])
        if expected.get("leftover_to") is not None:
            taken = set().union(*seat_piles.values())
            seat_piles[expected["leftover_to"]] |= set().union(*game.piles) - taken
            assert game.last_capturer == expected["leftover_to"]
        for seat, some in expected.get("piles_add", {}).items():
            assert seat_piles[int(seat)] == set(some)
        for side, seats in enumerate(rules.sides):
            assert game.piles[side] == set().union(*(seat_piles[seat] for seat in seats))


def check_match_end(vector: Reading) -> None:
    sides, expected = list(vector["before"]), vector["expect"]
    match = Match(
        variant_rules(vector["variant"], target=vector["target"]),
        scores=[vector["before"][name] for name in sides],
    )
    assert not match.is_over
    match.add([vector["deal"][name] for name in sides])
    assert dict(zip(sides, match.scores, strict=True)) == expected["scores"]
    assert match.is_over == expected["over"]
    assert (None if match.winner is None else sides[match.winner]) == expected["winner"]


def check_rotation(vector: Reading) -> None:
    rules, expected = variant_rules(vector["variant"]), vector["expect"]
    assert rules.players == vector["n_players"]
    match = Match(rules, dealer=vector["dealer"])
    game = Game.deal(rules, seed=1, dealer=match.dealer)
    match.add([0] * rules.num_sides)
    assert match.dealer == expected["next_dealer"]
    assert sum(len(hand) for hand in game.hands) == expected["deals_per_round"]
    if "teams" in expected:
        assert [list(side) for side in rules.sides] == expected["teams"]
    order, stocks = [], {len(game.stock)}
    while not game.is_over:
        order.append(game.to_move)
        game.play(game.legal_moves()[0])
        stocks.add(len(game.stock))
    assert len(stocks) == expected["rounds"]
    assert order[0] == expected["first"]
    assert order[-1] == expected["last"]


def check_sweeping_ranks(vector: Reading) -> None:
    rules, table = variant_rules(vector["variant"]), vector["table"]
    sweeping = {
        int(name[:-1])
        for name in other_cards(*table)
        if frozenset(table) in legal_captures(name, table, rules)
    }
    assert sweeping == set(vector["ranks"])


CHECKS = {name[6:]: check for name, check in list(globals().items()) if name.startswith("check_")}


@pytest.mark.parametrize("vector", COVERED, ids=[vector["id"] for vector in COVERED])
def test_vector(vector: dict[str, Any]) -> None:
    reading = Reading(vector)
    CHECKS[vector["kind"]](reading)
    assert set(vector) - reading.read <= UNCHECKED_FIELDS


def test_no_vector_is_skipped() -> None:
    """As many vectors as known for every preset, no variant unknown, no id twice."""
    found = dict.fromkeys(NUMBER, 0)
    for vector in VECTORS:
        found[vector["variant"].partition("+")[0]] += 1
    assert found == NUMBER
    assert len(BY_ID) == len(VECTORS)
    assert len(COVERED) == sum(NUMBER[preset] for preset in PRESETS if preset in NUMBER)
    assert {vector["kind"] for vector in COVERED} <= set(CHECKS)


@pytest.mark.parametrize(
    "option",
    sorted({o for v in COVERED for k in v if k.endswith("_if") for o in v[k]}),
)
def test_every_option_of_a_vector_is_a_field(option: str) -> None:
    """No alternative can be skipped because its option means nothing to the rules."""
    (field,) = read_option(option)
    assert field in Rules.__dataclass_fields__
