"""The record of rules: presets as the table of the rules says, round trips, replaced fields, and
errors that name the field, the value and what is allowed."""

from __future__ import annotations

import dataclasses
import json
import pickle
import random
from typing import Any

import numpy as np
import pytest
import reference
from helpers import NAMES, names, reference_rules, shuffled

from scopa_env import PRESETS, Game, Match, Rules

FIELDS = {item.name: item for item in dataclasses.fields(Rules)}


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_those_of_the_reference(preset: str) -> None:
    rules = Rules.preset(preset)
    assert rules.name == preset
    assert reference_rules(rules) == reference.PRESETS[preset]


def test_presets_of_plain_scopa() -> None:
    deals = {
        "scopa": (2, 3, 4, True, 3, 11),
        "scopa_3p": (3, 3, 4, True, 3, 16),
        "scopa_teams": (4, 3, 4, True, 3, 21),
        "scopa_6p": (6, 3, 4, True, 3, 21),
        "scopone": (4, 9, 4, False, 3, 21),
        "scopone_10": (4, 10, 0, False, 0, 21),
    }
    for preset, wanted in deals.items():
        r = Rules.preset(preset)
        assert (r.players, r.hand, r.table, r.redeals, r.kings_redeal, r.target) == wanted
        assert r.plays == 40 - r.table
        assert r.deck_size == 40


@pytest.mark.parametrize("preset", PRESETS)
def test_round_trips(preset: str) -> None:
    rules = Rules.preset(preset, napola="cap6", target=31)
    fields = rules.to_dict()
    assert set(fields) == set(FIELDS)
    assert Rules.of(fields) == rules
    assert Rules.of(json.loads(json.dumps(fields))) == rules
    assert Rules(**fields) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(Rules.of(fields)) == hash(rules)
    assert Rules.of(rules) is rules
    assert Rules.of(preset) == Rules.preset(preset)
    assert rules != Rules.preset(preset)
    assert eval(repr(rules), {"Rules": Rules}) == rules
    assert rules.replace(target=rules.target) == rules


def test_every_field_says_what_it_means_and_allows() -> None:
    for item in FIELDS.values():
        assert item.metadata["meaning"]
        allowed = item.metadata["allowed"]
        assert not allowed or item.default in allowed
    code = Rules().code
    for name in ("players", "sums", "napola", "target"):
        assert name in code.dtype.names


def test_code_of_each_value() -> None:
    """Kernels see every value of every field they read: a number, or a text's place."""
    for name, item in FIELDS.items():
        allowed = item.metadata["allowed"]
        if not item.metadata["compiled"]:
            continue
        needs = {"ace_sweep": True} if name.startswith("ace_") and name != "ace_sweep" else {}
        if name == "bonus_beats_redeal":
            needs = {"fifteen_scope": 1}
        seen = 0
        for place, value in enumerate(allowed):
            try:
                code = Rules(**{**needs, name: value}).code
            except ValueError:  # no game with our other fields
                continue
            seen += 1
            where = {"hand": "hand_size", "table": "table_size", "sum": "sums"}.get(name, name)
            assert code[where] == (place if isinstance(value, str) else value)
        assert seen == len(allowed) or name in ("players", "ranks", "suits", "hand", "table")
        assert seen >= 1


def test_replace_brings_the_usual_sides_of_new_seats() -> None:
    assert Rules.preset("scopa").replace(players=4).sides == ((0, 2), (1, 3))
    assert Rules.preset("scopa_teams").replace(players=2).sides == ((0,), (1,))
    six = Rules.preset("scopa_6p", sides=[[0, 2, 4], [1, 3, 5]])
    assert six.replace(target=11).sides == six.sides
    assert Rules.preset("scopa", players=6).sides == ((0, 3), (1, 4), (2, 5))


def test_values_of_numpy_and_json_are_taken() -> None:
    assert Rules(players=np.int64(3), sum=np.bool_(True), target=np.int8(9)).players == 3
    assert Rules(redeals=1, sum=1).redeals is True
    assert type(Rules(target=np.int8(9)).target) is int


# What is wrong, and what the message has to name: the field, the value, and what is allowed.
BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({"players": 5}, ["players=5", "2, 3, 4, 6"]),
    ({"players": 1}, ["players=1", "2, 3, 4, 6"]),
    ({"players": "2"}, ["players='2'", "2, 3, 4, 6"]),
    ({"players": True}, ["players=True"]),
    ({"players": 2.0}, ["players=2.0"]),
    ({"hand": 0}, ["hand=0", "1", "10"]),
    ({"hand": 4}, ["hand=4", "36", "2 x 4"]),
    ({"table": 11}, ["table=11", "0, 1, 2", "10"]),
    ({"table": 5}, ["table=5", "35"]),
    ({"redeals": False}, ["redeals", "40"]),
    ({"redeals": "yes"}, ["redeals='yes'", "False, True"]),
    ({"kings_redeal": 5}, ["kings_redeal=5", "0, 1, 2, 3, 4"]),
    ({"aces_redeal": -1}, ["aces_redeal=-1", "0, 1, 2, 3, 4"]),
    ({"equal": None}, ["equal=None", "False, True"]),
    ({"equal": False, "sum": False}, ["equal=False", "sum=False", "fifteen=False"]),
    ({"compulsory": "always"}, ["compulsory='always'", "'played_card', 'optional'"]),
    ({"ace_sweep_scores": True}, ["ace_sweep_scores=True", "ace_sweep=True"]),
    ({"ace_on_empty_table": "takes_itself"}, ["ace_on_empty_table", "ace_sweep=True"]),
    ({"ace_with_ace_on_table": "sweeps"}, ["ace_with_ace_on_table", "ace_sweep=True"]),
    ({"ace_with_ace_on_table": "both"}, ["ace_with_ace_on_table='both'", "'takes_ace', 'sweeps'"]),
    ({"scopa_value": 4}, ["scopa_value=4", "0, 1, 2, 3"]),
    ({"scopa_last_play": True}, ["scopa_last_play=True", "'never', 'counts'"]),
    ({"carte": 2}, ["carte=2", "0, 1"]),
    ({"settebello": True}, ["settebello=True", "0, 1"]),
    ({"primiera": "northern"}, ["primiera='northern'", "'trentino', 'southern'"]),
    ({"primiera_missing": ""}, ["primiera_missing=''", "'disqualified', 'zero'"]),
    ({"napola": 3}, ["napola=3", "'off', 'full', 'cap6'"]),
    ({"target": 0}, ["target=0", "1 to 999"]),
    ({"target": 11.0}, ["target=11.0", "1 to 999"]),
    ({"name": ""}, ["name=''"]),
    ({"name": 3}, ["name=3"]),
    ({"ranks": 11}, ["ranks=11"]),
    ({"suits": 0}, ["suits=0"]),
    ({"sides": [[0, 1]]}, ["sides=[[0, 1]]", "every seat 0..1 once"]),
    ({"sides": [[0], [0]]}, ["sides=", "every seat"]),
    ({"sides": [[1], [0]]}, ["sides=", "playing order"]),
    ({"sides": 7}, ["sides=7", "every seat"]),
    ({"players": 4, "sides": [[0, 1], [2, 3]]}, ["sides=", "((0, 2), (1, 3))"]),
    ({"players": 4, "sides": [[0], [1, 2, 3]]}, ["sides=", "same size"]),
    ({"players": 3, "sides": [[0, 2], [1]]}, ["sides=", "same size"]),
    ({"aim": 3}, ["'aim'", "target"]),
]


@pytest.mark.parametrize(("fields", "named"), BAD, ids=[str(fields) for fields, _ in BAD])
def test_bad_rules_name_what_is_wrong(fields: dict[str, Any], named: list[str]) -> None:
    for make in (
        lambda: Rules.preset("scopa", **fields),
        lambda: Rules.of({"name": "scopa", **fields}),
        lambda: Rules.preset("scopa").replace(**fields),
        lambda: Game.deal({**fields}),
    ):
        with pytest.raises(ValueError, match=r".") as caught:
            make()
        for text in named:
            assert text in str(caught.value)


def test_sides_of_no_numbers_name_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="sides="):
        Rules(sides=[["a"], ["b"]])


@pytest.mark.parametrize("value", [[], {}, (1,), object(), float("nan"), b"1"])
def test_values_of_odd_types_raise(value: Any) -> None:
    for name in ("players", "sum", "compulsory", "target", "kings_redeal"):
        with pytest.raises(ValueError, match=f"{name}="):
            Rules(**{name: value})


def test_unknown_presets_are_told_of_the_known_ones() -> None:
    for make in (Rules.preset, Rules.of, Game.deal):
        with pytest.raises(ValueError, match="'briscola': the presets are scopa, scopa_3p"):
            make("briscola")


def test_rules_cannot_be_changed() -> None:
    rules = Rules.preset("scopa")
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.target = 21
    rules.to_dict()["target"] = 21
    assert rules.target == 11
    assert PRESETS["scopa"] == {}


def test_every_game_carries_its_rules() -> None:
    for preset in PRESETS:
        rules = Rules.preset(preset)
        record = Game.deal(rules, seed=1).record
        for name in rules.code.dtype.names:
            assert record[name] == rules.code[name]
        assert names(record["all_cards"]) == set(shuffled(random.Random(0), rules))
        seats = [int(s) for s in record["side"][: rules.players]]
        assert seats == [rules.side_of(seat) for seat in range(rules.players)]
        assert all(seats[seat] == i for i, side in enumerate(rules.sides) for seat in side)
    assert len(NAMES) == 40


def test_what_is_no_rules_is_refused() -> None:
    for odd in (None, 3, ["scopa"]):
        with pytest.raises(ValueError, match="the name of a preset"):
            Rules.of(odd)
    record = Game.deal("scopa", seed=1).record
    with pytest.raises(ValueError, match="players, hand_size, target"):
        Game("scopone", record)


@pytest.mark.parametrize("odd", [1.5, -1, True, "1"])
def test_points_are_whole_numbers(odd: Any) -> None:
    with pytest.raises(ValueError, match="whole number"):
        Match().add([odd, 2])
    with pytest.raises(ValueError, match="whole number"):
        Match(scores=[odd, 2])
    with pytest.raises(ValueError, match="whole number"):
        Game.from_position("scopa", ["7D", "5B"], scope=[odd, 0])


def test_a_match_that_could_not_end_is_refused() -> None:
    nothing = {"carte": 0, "denari": 0, "settebello": 0, "primiera": "off", "scopa_value": 0}
    with pytest.raises(ValueError, match="no match would end"):
        Rules(**nothing)
    assert Rules(**{**nothing, "re_bello": 1}).re_bello == 1
