"""The slow reference implementation against the worked positions, and against itself."""

import json
import random
import sys
from itertools import combinations
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from reference import (
    DECK,
    PRESETS,
    SEATS,
    ReferenceGame,
    coin_runs,
    deck_of,
    hand_bonus,
    legal_captures,
    match_over,
    napola,
    next_dealer,
    opening,
    primiera,
    rank,
    rules,
    score_deal,
)

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["vectors"]
BY_ID = {vector["id"]: vector for vector in VECTORS}
ALL_TABLES = [(name, players) for name in PRESETS for players in SEATS[name]]


# ---------------------------------------------------------------------------------------------
# Worked positions
# ---------------------------------------------------------------------------------------------


def variant_rules(variant, **overrides):
    """Rules of a vector's variant; "scopa+napola" is scopa with the napola."""
    preset, _, extra = variant.partition("+")
    if extra:
        assert extra == "napola"
        overrides.setdefault("napola", "full")
    return rules(preset, **overrides)


def read_option(text):
    """Turn "capture.fewest_cards=true" into a keyword of rules(), {"fewest_cards": True}."""
    name, _, value = text.partition("=")
    group, _, field = name.partition(".")
    if group in ("ace", "scopa"):
        field = f"{group}_{field}"
    if value in ("true", "false"):
        return {field: value == "true"}
    return {field: int(value) if value.isdigit() else value}


def answers(vector, field):
    """(rules, expected answer): under the variant's default, then under each *_if option."""
    if field in vector:
        yield variant_rules(vector["variant"]), vector[field]
    for option, answer in vector.get(f"{field}_if", {}).items():
        yield variant_rules(vector["variant"], **read_option(option)), answer


def sets_of(lists):
    return {frozenset(cards) for cards in lists}


def position(record, hand, table, spare=True):
    """Seat 0 to move; every other seat holds one unseen card, so no play is the last one."""
    unseen = [card for card in DECK if card not in hand and card not in table]
    others = [{unseen.pop()} if spare else set() for _ in range(record["players"] - 1)]
    return ReferenceGame.from_position(record, [hand, *others], table)


def check_capture(vector):
    card, table = vector["played"], vector["table"]
    for record, answer in answers(vector, "legal_captures"):
        assert legal_captures(card, table, record) == sets_of(answer)
    default = variant_rules(vector["variant"])
    if "clears_table" in vector:
        clears = frozenset(table) in legal_captures(card, table, default)
        assert clears == vector["clears_table"]
    for record, allowed in answers(vector, "discard_allowed"):
        assert ((card, frozenset()) in position(record, {card}, table).legal_moves()) == allowed
    if "scopa_scored" in vector:
        game = position(default, {card}, table)
        game.play(card, table)
        assert game.scope[0] == int(vector["scopa_scored"])


def check_moves(vector):
    game = position(variant_rules(vector["variant"]), set(vector["hand"]), vector["table"])
    expected = {(card, frozenset(taken)) for card, taken in vector["legal_moves"]}
    assert game.legal_moves() == expected


def check_opening(vector):
    for record, expected in answers(vector, "expect"):
        redeal, scope = opening(vector["table"], record)
        assert redeal == expected["redeal"]
        assert scope == expected.get("dealer_scope", 0)
        assert bool(scope) == expected.get("dealer_takes", False)
        if "same_dealer" in expected:
            assert (next_dealer(1, record, redeal) == 1) == expected["same_dealer"]
        rest = [card for card in DECK if card not in vector["table"]]
        game = ReferenceGame.deal(record, vector["table"] + rest, dealer=1)
        assert game.needs_redeal == redeal
        assert game.scope[game.side_of(1)] == scope
        assert game.table == (set() if scope else set(vector["table"]))


def check_declaration(vector):
    assert hand_bonus(vector["hand"]) == vector["points"]


def denari(ranks):
    return {f"{number}D" for number in ranks}


def check_coin_runs(vector):
    expected = vector["expect"]
    assert coin_runs(denari(vector["denari"])) == (expected["piccola"], expected["grande"])


def check_napola(vector):
    for record, points in answers(vector, "points"):
        assert napola(denari(vector["denari"]), record["napola"]) == points


def check_primiera(vector):
    for scale, expected in vector["totals"].items():
        assert primiera(vector["pile"], scale) == expected
    if "partial_standard" in vector:
        assert primiera(vector["pile"], missing="zero") == vector["partial_standard"]
        assert primiera(vector["pile"], missing="compare_partial") == vector["partial_standard"]


def check_primiera_compare(vector):
    record = variant_rules(vector["variant"], primiera=vector["scale"])
    piles = [BY_ID[vector["a"]]["pile"], BY_ID[vector["b"]]["pile"]]
    points = [side["primiera"] for side in score_deal(piles, [0, 0], record)]
    assert points == [int(vector["winner"] == "A"), int(vector["winner"] == "B")]


def check_deal(vector):
    names = list(vector["piles"])
    piles = [vector["piles"][name] for name in names]
    scope = [vector["scope"][name] for name in names]
    default = variant_rules(vector["variant"])
    scores = score_deal(piles, scope, default)
    for name, score in zip(names, scores, strict=True):
        for field, value in vector["expect"][name].items():
            assert score[field] == value, (name, field)
    for record, totals in answers(vector, "total"):
        scores = score_deal(piles, scope, record)
        assert [score["total"] for score in scores] == [totals[name] for name in names]
    if "seat_piles" in vector:
        assert [list(side) for side in default["sides"]] == vector["teams"]
        for side, seats in enumerate(default["sides"]):
            merged = [card for seat in seats for card in vector["seat_piles"][str(seat)]]
            assert sorted(merged) == sorted(piles[side])
            assert sum(vector["seat_scope"][str(seat)] for seat in seats) == scope[side]


def check_sequence(vector):
    for record, expected in answers(vector, "expect"):
        state = vector["state"]
        players = len(state["hands"])
        assert players == record["players"]
        hands = [set(state["hands"][str(seat)]) for seat in range(players)]
        seen = set(state["table"]).union(*hands)
        stock = [card for card in DECK if card not in seen][: state["stock"]]
        order = [(state["to_play"] + step) % players for step in range(players)]
        dealer = [seat for seat in order if len(hands[seat]) == len(hands[order[0]])][-1]
        game = ReferenceGame.from_position(
            record,
            hands,
            state["table"],
            stock,
            dealer=dealer,
            to_move=state["to_play"],
            last_capturer=state["last_capturer"],
        )
        piles = {seat: set() for seat in range(players)}
        for play in vector["plays"]:
            assert game.to_move == play["player"]
            game.play(play["card"], play["take"])
            if play["take"]:
                piles[play["player"]] |= {play["card"], *play["take"]}
        scope = dict.fromkeys(range(players), 0)
        for seat, _, _, scopa in game.plays:
            scope[seat] += scopa
        assert {str(seat): count for seat, count in scope.items()} == expected["scope"]
        for side, seats in enumerate(record["sides"]):
            assert game.scope[side] == sum(scope[seat] for seat in seats)
        if "table" in expected:
            assert game.table == set(expected["table"])
        if expected.get("leftover_to") is not None:
            taken = set().union(*piles.values())
            piles[expected["leftover_to"]] |= set().union(*game.piles) - taken
        if "piles_add" in expected:
            for seat, cards in expected["piles_add"].items():
                assert piles[int(seat)] == set(cards)
        for side, seats in enumerate(record["sides"]):
            assert game.piles[side] == set().union(*(piles[seat] for seat in seats))


def check_match_end(vector):
    names = list(vector["before"])
    record = variant_rules(vector["variant"], target=vector["target"])
    scores = [vector["before"][name] + vector["deal"][name] for name in names]
    assert dict(zip(names, scores, strict=True)) == vector["expect"]["scores"]
    over, winner = match_over(scores, record)
    assert over == vector["expect"]["over"]
    assert (None if winner is None else names[winner]) == vector["expect"]["winner"]


def check_rotation(vector):
    record, expected = variant_rules(vector["variant"]), vector["expect"]
    assert record["players"] == vector["n_players"]
    game = ReferenceGame.deal(record, DECK, vector["dealer"])
    assert next_dealer(vector["dealer"], record) == expected["next_dealer"]
    assert record["players"] * record["hand"] == expected["deals_per_round"]
    if "teams" in expected:
        assert [list(side) for side in record["sides"]] == expected["teams"]
    rounds, stock = 1, len(game.stock)
    while not game.is_over:
        game.play(*min(game.legal_moves(), key=lambda move: (move[0], sorted(move[1]))))
        rounds += len(game.stock) != stock
        stock = len(game.stock)
    assert rounds == expected["rounds"]
    assert game.plays[0][0] == expected["first"]
    assert game.plays[-1][0] == expected["last"]


def check_sweeping_ranks(vector):
    record, table = variant_rules(vector["variant"]), frozenset(vector["table"])
    others = [card for card in DECK if card not in table]
    sweeping = {rank(card) for card in others if table in legal_captures(card, table, record)}
    assert sweeping == set(vector["ranks"])


CHECKS = {name[6:]: check for name, check in list(globals().items()) if name.startswith("check_")}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vector(vector):
    CHECKS[vector["kind"]](vector)


# ---------------------------------------------------------------------------------------------
# Captures and touches
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_captures_against_all_subsets(name):
    """The same answer as from the rules read over literally every subset of the table."""
    record, rng = rules(name), random.Random(name)
    for _ in range(60):
        played, *table = rng.sample(DECK, rng.randint(1, 10))
        subsets = [
            frozenset(subset)
            for size in range(1, len(table) + 1)
            for subset in combinations(table, size)
        ]
        values = [sum(rank(card) for card in subset) for subset in subsets]
        same_rank = any(rank(card) == rank(played) for card in table)
        expected = set()
        for subset, value in zip(subsets, values, strict=True):
            single = len(subset) == 1
            if record["equal"] and single and value == rank(played):
                expected.add(subset)
            if record["sum"] and not single and value == rank(played) and not same_rank:
                expected.add(subset)
            if record["fifteen"] and value + rank(played) == 15:
                expected.add(subset)
        if record["ace_sweep"] and rank(played) == 1 and table and not same_rank:
            expected.add(frozenset(table))
        assert legal_captures(played, table, record) == expected


def every_move_by_touching(game, touched=None, chosen=frozenset()):
    """Moves at the end of every legal sequence of touches."""
    for touch in game.legal_touches(touched, chosen):
        answer = game.after_touch(touched, chosen, touch)
        if answer[0] == "move":
            yield answer[1:]
        else:
            yield from every_move_by_touching(game, *answer[1:])


@pytest.mark.parametrize("compulsory", ["played_card", "optional"])
@pytest.mark.parametrize("name", PRESETS)
def test_touches_reach_exactly_the_legal_moves(name, compulsory):
    rng = random.Random(name)
    for _ in range(30):
        record = rules(name, compulsory=compulsory)
        cards = rng.sample(DECK, 10)
        game = position(record, set(cards[:3]), cards[3 : rng.randint(3, 10)])
        assert set(every_move_by_touching(game)) == game.legal_moves()


def test_done_where_a_larger_take_contains_a_smaller_one():
    game = position(rules("cirulla", players=2), {"1S"}, {"9D", "5C", "2B"})
    assert game.legal_touches(None, frozenset()) == {"1S"}
    assert game.after_touch(None, frozenset(), "1S") == ("touching", "1S", frozenset())
    assert game.legal_touches("1S", frozenset()) == {"9D", "5C", "2B"}
    assert game.after_touch("1S", {"9D"}, "2B") == ("move", "1S", {"9D", "5C", "2B"})
    assert game.after_touch("1S", {"9D"}, "5C") == ("touching", "1S", {"9D", "5C"})
    assert game.legal_touches("1S", {"9D", "5C"}) == {"2B", "done"}
    assert game.after_touch("1S", {"9D", "5C"}, "done") == ("move", "1S", {"9D", "5C"})


def test_done_lays_a_card_only_where_taking_is_optional():
    table = {"7S", "8D"}
    game = position(rules("scopa", compulsory="optional"), {"7D"}, table)
    assert game.after_touch(None, frozenset(), "7D") == ("touching", "7D", frozenset())
    assert game.legal_touches("7D", frozenset()) == {"7S", "done"}
    game = position(rules("scopa"), {"7D"}, table)
    assert game.after_touch(None, frozenset(), "7D") == ("move", "7D", {"7S"})


# ---------------------------------------------------------------------------------------------
# Options
# ---------------------------------------------------------------------------------------------


def test_ace_with_an_ace_on_the_table():
    table = {"1D", "7C", "5S"}
    assert legal_captures("1B", table, rules("scopa_assi")) == {frozenset({"1D"})}
    sweeps = rules("scopa_assi", ace_with_ace_on_table="sweeps")
    assert legal_captures("1B", table, sweeps) == {frozenset(table)}


@pytest.mark.parametrize(("option", "pile"), [("stays", set()), ("takes_itself", {"1B"})])
def test_ace_on_an_empty_table(option, pile):
    game = position(rules("asso_piglia_tutto", ace_on_empty_table=option), {"1B"}, set())
    game.play("1B")
    assert game.piles[0] == pile
    assert game.table == {"1B"} - pile
    assert game.scope == [0, 0]


def test_ace_taking_a_lone_ace_is_a_scopa_where_the_sweep_is_none():
    game = position(rules("scopa_assi"), {"1B"}, {"1D"})
    game.play("1B", {"1D"})
    assert game.scope == [1, 0]


def test_ace_as_first_play():
    def first(option, hand):
        record = rules("scopa_assi", ace_first_play=option)
        return ReferenceGame.from_position(
            record, [hand, {"8S"}], {"7C", "5S"}, to_move=0, first_play=True
        )

    sweep = frozenset({"7C", "5S"})
    nothing = frozenset()
    assert first("free", {"1B", "2C"}).legal_moves() == {("1B", sweep), ("2C", nothing)}
    assert first("no_sweep", {"1B", "2C"}).legal_moves() == {("1B", nothing), ("2C", nothing)}
    assert first("forbidden", {"1B", "2C"}).legal_moves() == {("2C", nothing)}
    assert first("forbidden", {"1B", "1C"}).legal_moves() == {("1B", sweep), ("1C", sweep)}
    game = first("forbidden", {"2C", "1B"})
    game.play("2C")
    game.play("8S")
    assert game.playable_cards() == {"1B"}


def test_two_aces_and_fifteen_on_the_opening_table():
    table = ["1D", "1C", "3S", "10B"]
    assert opening(table, rules("cirulla")) == (True, 0)
    assert opening(table, rules("cirulla", bonus_beats_redeal=True)) == (False, 1)
    assert opening(["1D", "2C", "3S", "3B"], rules("cirulla", small9_scope=3)) == (False, 3)


def test_most_sevens_goes_down_the_ranks():
    record = rules("escoba", primiera="most_sevens")
    sides = [["7D", "7C", "6S"], ["7S", "7B", "1C", "1D", "1S"]]
    assert [side["primiera"] for side in score_deal(sides, [0, 0], record)] == [1, 0]


def test_all_ten_denari():
    pile = denari(range(1, 11))
    record = rules("scopa", napola="full", napoleone="wins")
    deal = score_deal([pile, {"1C"}], [0, 0], record)
    assert deal[0]["napola"] == 10
    assert match_over([3, 5], record, deal) == (True, 0)
    assert match_over([3, 5], rules("scopa", napola="full"), deal) == (False, None)


def test_parlett_order():
    record = rules("scopa", tie_over_target="parlett_order")
    deal = score_deal([DECK[:25], DECK[25:]], [0, 5], record)
    assert deal[0]["carte"] == 1
    scores = [10 + deal[0]["total"], 10 + deal[1]["total"]]
    assert scores[1] > scores[0] >= 11
    assert match_over(scores, record, deal) == (True, 0)
    assert match_over(scores, rules("scopa"), deal) == (True, 1)


def test_level_over_the_target_plays_on():
    assert match_over([11, 11], rules("scopa")) == (False, None)
    assert match_over([17, 17, 16], rules("scopa_3p")) == (False, None)
    assert match_over([17, 17, 18], rules("scopa_3p")) == (True, 2)


# ---------------------------------------------------------------------------------------------
# Whole deals
# ---------------------------------------------------------------------------------------------


def play_at_random(record, rng):
    """A whole deal of random legal moves, with the cards counted after each."""
    deck = deck_of(record)
    rng.shuffle(deck)
    game = ReferenceGame.deal(record, deck, rng.randrange(record["players"]))
    while not game.is_over:
        moves = sorted(game.legal_moves(), key=lambda move: (move[0], sorted(move[1])))
        game.play(*rng.choice(moves))
        places = [*game.hands, game.table, game.stock, *game.piles]
        assert sorted(card for place in places for card in place) == sorted(deck)
    return game


@pytest.mark.parametrize(("name", "players"), ALL_TABLES)
def test_random_deals(name, players):
    record, rng = rules(name, players=players), random.Random(f"{name} {players}")
    for _ in range(5):
        game = play_at_random(record, rng)
        assert len(game.plays) == len(deck_of(record)) - record["table"]
        assert game.plays[-1][0] == game.dealer
        assert not game.plays[-1][3]
        if game.last_capturer is not None:
            assert not game.table
            assert sum(side["settebello"] for side in game.scores()) == record["settebello"]


def test_an_illegal_move_changes_nothing():
    game = position(rules("scopa"), {"8B"}, {"8C", "5D", "3S"})
    for card, taken in [("8B", {"5D", "3S"}), ("8B", set()), ("8D", {"8C"})]:
        with pytest.raises(ValueError, match="illegal move"):
            game.play(card, taken)
    assert game.plays == []
    assert game.hands[0] == {"8B"}
    assert game.table == {"8C", "5D", "3S"}
