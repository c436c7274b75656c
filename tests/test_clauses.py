"""One scripted position for each clause of the rules that the presets use: captures, sweeps, the
end of a deal, opening tables, points, matches, the order of dealing, and what an illegal move
leaves behind. The expected answers are worked by hand."""

from __future__ import annotations

import itertools
import random

import pytest
from helpers import NAMES, WHOLE_DECK, other_cards, shuffled, snapshot

from scopa_env import (
    PRESETS,
    Cards,
    Game,
    Match,
    Move,
    Rules,
    hand_bonus,
    legal_captures,
    primiera,
    score_deal,
)
from scopa_env.game import DONE

SCOPA = Rules.preset("scopa")
# One preset for each number of seats.
BY_SEATS = {2: "scopa", 3: "scopa_3p", 4: "scopa_teams", 6: "scopa_6p"}


def takes(played: str, table: str, **options: object) -> set[str]:
    """The captures of a card as texts, cards in card order."""
    return {str(taken) for taken in legal_captures(played, table, Rules(**options))}


def moves(game: Game) -> set[str]:
    return {str(move) for move in game.legal_moves()}


def points(piles: list[str] | list[list[str]], rules: Rules | str = "scopa") -> list:
    """By side: the categories that are not 0 and are no counts."""
    counts = {"total", "n_cards", "n_denari", "primiera_total"}
    return [
        {kind: n for kind, n in side.items() if n and kind not in counts}
        for side in score_deal(piles, rules=rules)
    ]


# -- captures -----------------------------------------------------------------------------------


def test_equal_card_goes_before_any_sum() -> None:
    assert takes("8B", "8C 5D 3S") == {"8C"}
    assert takes("8B", "5D 3S") == {"3S 5D"}
    assert takes("8B", "8C 5D 3S", equal_priority=False) == {"8C", "3S 5D"}


def test_equal_cards_one_of_them_by_choice() -> None:
    assert takes("7D", "7C 7S 4D 3B") == {"7C", "7S"}
    assert takes("5B", "5D 5C 5S 9S") == {"5D", "5C", "5S"}
    game = Game.from_position(SCOPA, ["7D 2C", "5B"], table="7C 7S 4D 3B")
    assert moves(game) == {"7D x 7C", "7D x 7S", "2C"}
    assert not game.act(24)
    assert game.legal_actions() == [25, 26]
    assert game.act(26)
    assert game.piles[0] == {"7D", "7S"}
    assert game.table == {"7C", "4D", "3B"}


def test_equal_and_sum_can_be_switched_off() -> None:
    assert takes("8B", "8C 5D 3S", equal=False) == {"3S 5D"}
    assert takes("8B", "5D 3S", sum=False) == set()
    assert takes("8B", "8C 5D 3S", sum=False) == {"8C"}


def test_fifteen() -> None:
    table = "8D 5C 2S 10B"
    assert takes("5D", table, fifteen=True, equal=False, sum=False) == {"10B", "2S 8D"}
    assert takes("5D", table, fifteen=True) == {"5C", "10B", "2S 8D"}
    # Table cards may add up to more than 10 (pitfall B05), up to 14 with an ace.
    assert takes("3B", "10D 2C 4S", fifteen=True) == {"2C 10D"}
    assert takes("1B", "10D 4S", fifteen=True) == {"4S 10D"}


def test_fewest_cards() -> None:
    table = "1D 3C 4S 5B 8D"
    assert takes("9C", table) == {"1D 8D", "4S 5B", "1D 3C 5B"}
    assert takes("9C", table, fewest_cards=True) == {"1D 8D", "4S 5B"}
    assert takes("5D", "8D 5C 2S 10B", fifteen=True, fewest_cards=True) == {"5C", "10B"}


def test_taking_is_compulsory_but_no_card_is() -> None:
    game = Game.from_position(SCOPA, ["7D 8C 2B", "5B"], table="7S")
    assert moves(game) == {"7D x 7S", "8C", "2B"}
    with pytest.raises(ValueError, match="not legal"):
        game.play(Move.parse("7D"))
    assert game.act(24)
    assert game.piles[0] == {"7D", "7S"}


def test_taking_is_optional() -> None:
    optional = Rules(compulsory="optional")
    game = Game.from_position(optional, ["7D 8C 2B", "5B"], table="7S")
    assert moves(game) == {"7D", "7D x 7S", "8C", "2B"}
    assert not game.act(24)
    assert game.legal_actions() == [26, DONE]
    assert game.act(DONE)
    assert game.table == {"7D", "7S"}
    assert game.piles[0] == set()
    assert game.last_capturer is None
    assert takes("7D", "7S", compulsory="optional") == {"7S"}


def test_done_where_a_larger_capture_holds_a_smaller_one() -> None:
    rules = Rules(fifteen=True, ace_sweep=True, ace_sweep_scores=True)
    game = Game.from_position(rules, ["1S", "3C"], table="9D 5C 2B")
    assert moves(game) == {"1S x 5C 9D", "1S x 2B 5C 9D"}
    five, nine, two = (Cards(name).bits.bit_length() - 1 for name in ("5C", "9D", "2B"))
    assert not game.act(2)
    assert game.legal_actions() == sorted([two, five, nine])
    assert not game.act(nine)
    whole = game.clone()
    assert whole.act(two)
    assert whole.piles[0] == {"1S", "9D", "5C", "2B"}
    assert not game.act(five)
    assert game.legal_actions() == [two, DONE]
    assert game.act(DONE)
    assert game.table == {"2B"}
    assert game.piles[0] == {"1S", "9D", "5C"}


def test_fourteen_captures_of_one_card_are_all_reachable() -> None:
    """Pitfall B03: none is taken away, none is made for the player.

    4+3 in two ways, 4+2+1 in four, 3+3+1 and 3+2+2 in two each, 3+2+1+1 in four.
    """
    table = "1D 2D 3D 4D 1C 2C 3C"
    assert len(legal_captures("7S", table, SCOPA)) == 14
    for played in ("10S", "7S"):
        for want in legal_captures(played, table, SCOPA):
            game = Game.from_position(SCOPA, [played, "9B"], table=table)
            done = game.act(Cards(played).bits.bit_length() - 1)
            for one in want:
                if not done:
                    done = game.act(one.number)
            if not done:
                done = game.act(DONE)
            assert done
            assert game.piles[0] == {*want, played}
            again = Game.from_position(SCOPA, [played, "9B"], table=table)
            again.play(f"{played} x {want}")
            assert snapshot(again) == snapshot(game)


def test_ace_sweep() -> None:
    sweep = {"ace_sweep": True}
    assert takes("1C", "7D 5C 3S") == set()
    assert takes("1C", "7D 5C 3S", **sweep) == {"3S 5C 7D"}
    assert takes("1C", "1D 7C 5S", **sweep) == {"1D"}
    assert takes("1C", "1D 7C 5S", **sweep, ace_with_ace_on_table="sweeps") == {"1D 5S 7C"}
    for scores in (False, True):
        rules = Rules(**sweep, ace_sweep_scores=scores)
        game = Game.from_position(rules, ["1C", "2B"], table="7D 5C 3S")
        game.play("1C")
        assert game.scope == [int(scores), 0]
        equal = Game.from_position(rules, ["1C", "2B"], table="1D")
        equal.play("1C")
        assert equal.scope == [1, 0]


def test_ace_on_an_empty_table() -> None:
    for option, pile in (("stays", set()), ("takes_itself", {"1B"})):
        rules = Rules(ace_sweep=True, ace_sweep_scores=True, ace_on_empty_table=option)
        game = Game.from_position(rules, ["1B", "2B"], table="", last_capturer=1)
        game.play("1B")
        assert game.piles[0] == pile
        assert game.table == {"1B"} - pile
        assert game.scope == [0, 0]
        assert game.last_capturer == (0 if pile else 1)


# -- sweeps -------------------------------------------------------------------------------------


def last_card(seats: int, option: str) -> list[int]:
    """The scope after the dealer sweeps with the very last card of a deal."""
    rules = Rules.preset(BY_SEATS[seats], scopa_last_play=option)
    hands = [""] * seats
    hands[seats - 1] = "7B"
    game = Game.from_position(rules, hands, table="3D 4C", to_move=seats - 1, last_capturer=0)
    assert game.dealer == seats - 1
    game.play("7B x 3D 4C")
    assert game.is_over
    assert game.piles[rules.side_of(seats - 1)] == {"7B", "3D", "4C"}
    return game.scope


@pytest.mark.parametrize("seats", BY_SEATS)
def test_sweep_with_the_very_last_card(seats: int) -> None:
    """Pitfall B06, under each value of the option."""
    side = Rules.preset(BY_SEATS[seats]).side_of(seats - 1)
    sides = Rules.preset(BY_SEATS[seats]).num_sides
    counted = [int(s == side) for s in range(sides)]
    assert last_card(seats, "never") == [0] * sides
    assert last_card(seats, "counts") == counted
    assert last_card(seats, "dealer_team_counts") == counted


@pytest.mark.parametrize("preset", WHOLE_DECK)
def test_sweep_with_the_last_card_but_one(preset: str) -> None:
    rules = Rules.preset(preset)
    if not rules.sum:
        pytest.skip("no sums in these rules")
    hands = [""] * rules.players
    hands[-2], hands[-1] = "7B", "10S"
    game = Game.from_position(rules, hands, table="3D 4C", to_move=rules.players - 2)
    game.play("7B x 3D 4C")
    assert game.scope[rules.side_of(rules.players - 2)] == rules.scopa_value


@pytest.mark.parametrize("seats", BY_SEATS)
def test_sweep_with_the_last_card_of_a_round(seats: int) -> None:
    """Pitfall B07: every hand is empty, yet cards are left in the stock."""
    rules = Rules.preset(BY_SEATS[seats])
    hands = [""] * seats
    hands[seats - 1] = "7B"
    stock = other_cards("7B 3D 4C")[: 3 * seats]
    game = Game.from_position(rules, hands, "3D 4C", stock, to_move=seats - 1)
    game.play("7B x 3D 4C")
    assert game.scope[rules.side_of(seats - 1)] == 1
    assert [len(hand) for hand in game.hands] == [3] * seats
    assert game.to_move == 0


@pytest.mark.parametrize("seats", BY_SEATS)
def test_sweeps_on_every_last_card_of_a_round(seats: int) -> None:
    """In a whole deal the last card of each round is made to sweep; all count but the very last."""
    rules = Rules.preset(BY_SEATS[seats], kings_redeal=0)
    deck = other_cards("")
    for rounds_before in range(rules.plays // (3 * seats)):
        game = Game.deal(rules, deck=deck, dealer=seats - 1)
        record = game.record
        last = rules.table + 3 * seats * (rounds_before + 1)
        while not (game.record["dealt"] == last and sum(map(len, game.hands)) == 1):
            game.play(game.legal_moves()[0])
        (card,) = game.hands[seats - 1]
        equal = next(c for c in NAMES if c[:-1] == card[:-1] and c != card)
        record["table"] = 1 << NAMES.index(equal)
        before = sum(game.scope)
        game.play(f"{card} x {equal}")
        assert sum(game.scope) - before == (0 if last == 40 else 1)


def test_scopa_value() -> None:
    for value in (0, 1, 2):
        game = Game.from_position(Rules(scopa_value=value), ["7B", "2C"], table="3D 4C")
        game.play("7B x 3D 4C")
        assert game.scope == [value, 0]
        assert score_deal(["7B", "2C"], [2, 1], Rules(scopa_value=value))[0]["scope"] == 2 * value


def test_laying_on_an_empty_table_is_no_scopa() -> None:
    """Pitfall B08."""
    game = Game.from_position(SCOPA, ["1B 5D", "2C 3C"], table="", last_capturer=1)
    game.play("1B")
    assert game.scope == [0, 0]
    assert game.table == {"1B"}
    assert game.piles == [set(), set()]


def deal_of_eighteen() -> tuple[Game, list[str]]:
    """A deal in which the leader sweeps with each card, and its plays.

    The table 1 1 4 4 goes to a king; what is left is 17 pairs and the last king: the dealer lays
    one of a pair on the empty table, the leader takes it with the other.
    """
    table = ["1D", "1C", "4D", "4C"]
    rest = other_cards("1D 1C 4D 4C 10D 10B")
    pairs = [(rest[i], rest[i + 1]) for i in range(0, 34, 2)]
    assert all(a[:-1] == b[:-1] for a, b in pairs)
    leader = ["10D", *(a for a, _ in pairs)]
    dealer = [*(b for _, b in pairs), "10B"]
    deck = list(table)
    for i in range(0, 18, 3):
        deck += leader[i : i + 3] + dealer[i : i + 3]
    plays = [card for both in zip(leader, dealer, strict=True) for card in both]
    return Game.deal("scopa", deck=deck, dealer=0), plays


def test_eighteen_scope_and_22_to_0() -> None:
    """The most there can be: never two scope in a row, and the last card scores none."""
    game, plays = deal_of_eighteen()
    scored = []
    for card in plays:
        before = list(game.scope)
        move = next(move for move in game.legal_moves() if move.card == card)
        game.play(move)
        scored.append([now - then for now, then in zip(game.scope, before, strict=True)])
    assert scored == [[0, 1], [0, 0]] * 18
    assert game.scope == [0, 18]
    assert [side["total"] for side in game.scores()] == [0, 22]
    assert game.piles == [set(), set(NAMES)]


# -- the end of a deal --------------------------------------------------------------------------


def test_leftovers_go_to_the_last_capturer_not_the_last_player() -> None:
    game = Game.from_position(SCOPA, ["5B", "8B"], table="9D 5C 2S", last_capturer=1)
    game.play("5B x 5C")
    game.play("8B")
    assert game.is_over
    assert game.table == set()
    assert game.piles == [{"5B", "5C", "9D", "2S", "8B"}, set()]
    assert game.scope == [0, 0]
    assert game.last_capturer == 0


def test_leftovers_go_to_the_side_of_the_last_capturer() -> None:
    hands = ["", "", "", "8B"]
    game = Game.from_position(
        "scopa_teams", hands, table="9D 5C 2S", to_move=3, last_capturer=2, piles=["1D", "2D"]
    )
    game.play("8B")
    assert game.piles == [{"1D", "9D", "5C", "2S", "8B"}, {"2D"}]


def test_leftovers_stay_if_nobody_captured() -> None:
    game = Game.from_position(SCOPA, ["10B", "8B"], table="9D 5C")
    game.play("10B")
    game.play("8B")
    assert game.is_over
    assert game.last_capturer is None
    assert game.table == {"9D", "5C", "10B", "8B"}
    assert game.piles == [set(), set()]
    assert [side["total"] for side in game.scores()] == [0, 0]


def test_no_points_before_the_end() -> None:
    game = Game.deal("scopa", seed=1)
    with pytest.raises(ValueError, match="not over"):
        game.scores()


# -- opening ------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", [p for p in PRESETS if Rules.preset(p).kings_redeal == 3])
def test_three_kings_void_the_deal(preset: str) -> None:
    rules = Rules.preset(preset)
    for table, void in (
        ("10D 10C 10S 4B", True),
        ("10D 10C 10S 10B", True),
        ("10D 10C 5S 4B", False),
    ):
        for dealer in range(rules.players):
            deck = table.split() + other_cards(table)
            game = Game.deal(rules, seed=5, dealer=dealer, deck=deck)
            assert (game.redeals > 0) == void
            assert game.dealer == dealer
            assert game.to_move == (dealer + 1) % rules.players
            assert sum(name.startswith("10") for name in game.table) < 3
            assert (game.table == set(table.split())) != void
            stands = Game.deal(rules.replace(kings_redeal=0), dealer=dealer, deck=deck)
            assert stands.redeals == 0
            assert stands.table == set(table.split())


def test_redeals_come_as_often_as_they_should() -> None:
    """Three or four kings among four cards: 145 of 91,390 tables; here one king voids."""
    rules = Rules(kings_redeal=1)
    redeals = [Game.deal(rules, seed=seed, dealer=0).redeals for seed in range(300)]
    void = 1 - (36 * 35 * 34 * 33) / (40 * 39 * 38 * 37)
    mean = void / (1 - void)
    assert abs(sum(redeals) / 300 - mean) < 5 * (mean * (1 + mean) / 300) ** 0.5
    twice = next(seed for seed in range(300) if redeals[seed] > 1)
    game = Game.deal(rules, seed=twice, dealer=1)
    assert (game.redeals, game.dealer) == (redeals[twice], 1)


def test_two_aces_void_the_deal_where_the_option_says_so() -> None:
    deck = ["1D", "1C", "5S", "4B", *other_cards("1D 1C 5S 4B")]
    assert Game.deal("scopa", dealer=0, deck=deck).redeals == 0
    assert Game.deal(Rules(aces_redeal=2), seed=1, dealer=0, deck=deck).redeals > 0
    assert Game.deal(Rules(aces_redeal=3), seed=1, dealer=0, deck=deck).redeals == 0


@pytest.mark.parametrize("preset", PRESETS)
def test_order_of_the_deal(preset: str) -> None:
    """The table first, then whole hands from the leader; new rounds in the same order."""
    rules = Rules.preset(preset)
    deck = shuffled(random.Random(2), rules)
    table = [name[:-1] for name in deck[: rules.table]]
    assert table.count("10") < 3
    assert table.count("1") < 2
    for dealer in range(rules.players):
        game = Game.deal(rules, dealer=dealer, deck=deck)
        assert game.table == set(deck[: rules.table])
        left = deck[rules.table :]
        while left:
            for step in range(1, rules.players + 1):
                seat = (dealer + step) % rules.players
                assert game.hands[seat] == set(left[: rules.hand])
                left = left[rules.hand :]
            assert game.stock == left
            order = []
            while not game.is_over and len(order) < rules.players * rules.hand:
                order.append(game.to_move)
                game.play(game.legal_moves()[0])
            one_trick = [(dealer + step) % rules.players for step in range(1, rules.players + 1)]
            assert order == one_trick * rules.hand
        assert game.is_over
        assert game.to_move is None


# -- points -------------------------------------------------------------------------------------


def split(first: str) -> list[list[str]]:
    """Two piles: these cards, and all others."""
    return [first.split(), other_cards(first)]


def test_most_cards_and_most_denari() -> None:
    piles = [[*NAMES[:21]], [*NAMES[21:]]]  # ranks 1..5 and 6D | the rest
    assert [side["n_cards"] for side in score_deal(piles)] == [21, 19]
    assert points(piles) == [
        {"carte": 1, "denari": 1},
        {"settebello": 1, "primiera": 1},
    ]


def test_ties_score_for_nobody() -> None:
    """Pitfall B12: 20-20 cards, 5-5 denari, equal primiera."""
    first = [f"{rank}{suit}" for rank in range(1, 11) for suit in ("DB" if rank % 2 else "CS")]
    second = [name for name in NAMES if name not in first]
    assert len(first) == len(second) == 20
    scores = score_deal([first, second])
    assert [(side["n_cards"], side["n_denari"]) for side in scores] == [(20, 5), (20, 5)]
    assert [side["primiera_total"] for side in scores] == [78, 78]
    assert points([first, second]) == [{"settebello": 1}, {}]


def test_fourteen_fourteen_twelve() -> None:
    """Three sides: the two that tie get nothing, and neither does the third."""
    piles = [NAMES[:14], NAMES[14:28], NAMES[28:]]
    for order in itertools.permutations(range(3)):
        scores = score_deal([piles[i] for i in order], rules="scopa_3p")
        assert [side["n_cards"] for side in scores] == [(14, 14, 12)[i] for i in order]
        assert [side["carte"] for side in scores] == [0, 0, 0]


def test_most_of_three_is_strict() -> None:
    """14 cards can be passed: 20 beat them (disagreement 34)."""
    piles = [NAMES[:14], NAMES[14:34], NAMES[34:]]
    assert [side["carte"] for side in score_deal(piles, rules="scopa_3p")] == [0, 1, 0]
    piles = [NAMES[:14], NAMES[14:27], NAMES[27:]]
    assert [side["carte"] for side in score_deal(piles, rules="scopa_3p")] == [1, 0, 0]


def test_settebello_goes_to_whoever_has_it_whatever_the_scope() -> None:
    """Pitfall B13."""
    for scope in ([0, 0], [3, 0], [0, 3]):
        assert [s["settebello"] for s in score_deal(split("7D"), scope)] == [1, 0]
        assert [s["settebello"] for s in score_deal(split("7C"), scope)] == [0, 1]
    assert [s["settebello"] for s in score_deal(split("7D"), rules=Rules(settebello=0))] == [0, 0]


def test_points_can_be_switched_off() -> None:
    rules = Rules(carte=0, denari=0, settebello=0, primiera="off")
    assert points([NAMES, []], rules) == [{}, {}]
    assert score_deal([NAMES, []], rules=rules)[0]["primiera_total"] is None


def test_primiera_scales() -> None:
    ranks = [7, 6, 1, 5, 4, 3, 2, 8, 9, 10]
    for scale, values in {
        "standard": [21, 18, 16, 15, 14, 13, 12, 10, 10, 10],
        "trentino": [7, 6, 5.5, 5, 4, 3, 2, 0.5, 0.5, 0.5],
        "southern": [21, 18, 16, 15, 14, 13, 12, 8, 9, 10],
    }.items():
        for rank, value in zip(ranks, values, strict=True):
            pile = [f"{rank}{suit}" for suit in "DCSB"]
            assert primiera(pile, scale=scale) == 4 * value
            assert primiera(pile[:1], scale=scale, missing="zero") == value
    # The best card of each suit counts, once.
    assert primiera("7D 6D 1D 7C 6B 1S") == 76


def test_most_sevens_counts_sevens_then_sixes_aces_and_on_down() -> None:
    order = [7, 6, 1, 5, 4, 3, 2]
    rules = Rules(primiera="most_sevens")
    for better, worse in itertools.pairwise(order):
        piles = [f"{better}C", f"{worse}C {worse}S"]
        assert [side["primiera"] for side in score_deal(piles, rules=rules)] == [1, 0]
    assert [s["primiera"] for s in score_deal(["2C", "8C 9C 10C"], rules=rules)] == [1, 0]
    assert [s["primiera"] for s in score_deal(["8C 9C", "10S 9S 8S"], rules=rules)] == [0, 1]
    assert [s["primiera"] for s in score_deal(["8C 9C", "10S 9S"], rules=rules)] == [0, 0]
    # No suit has to be there, so a missing one disqualifies nobody.
    assert [s["primiera"] for s in score_deal(["7C", "6C 6S 6D 6B"], rules=rules)] == [1, 0]


def test_missing_suits_in_the_primiera() -> None:
    complete, three = "1B 10D 10C 10S", "7D 7C 7S"
    low, high = "2D 2C", "7S 6B"

    def winner(piles: list[str], missing: str) -> list[int]:
        scores = score_deal(piles, rules=Rules(primiera_missing=missing))
        return [side["primiera"] for side in scores]

    assert winner([complete, three], "disqualified") == [1, 0]
    assert winner([three, complete], "disqualified") == [0, 1]
    assert winner([complete, three], "zero") == [0, 1]
    assert winner([complete, three], "compare_partial") == [1, 0]
    # Both lack a suit.
    assert winner([low, high], "disqualified") == [0, 0]
    assert winner([low, high], "zero") == [0, 1]
    assert winner([low, high], "compare_partial") == [0, 1]
    assert winner([low, "2S 2B"], "compare_partial") == [0, 0]
    # A side without cards.
    assert winner([NAMES, ""], "disqualified") == [1, 0]
    assert winner(["", ""], "zero") == [0, 0]


def test_primiera_of_three_sides() -> None:
    rules = Rules.preset("scopa_3p")
    a, b, c = "7D 7C 7S 7B", "6D 6C 6S 6B", "5D 5C 5S"
    for order in itertools.permutations([a, b, c]):
        scores = score_deal(list(order), rules=rules)
        assert [side["primiera"] for side in scores] == [int(pile == a) for pile in order]
    tie = ["7D 7C 6S 6B", "7S 7B 6D 6C", "5D 5C 5S 5B"]
    assert [side["primiera"] for side in score_deal(tie, rules=rules)] == [0, 0, 0]


def test_napola() -> None:
    for run, full, capped in ((2, 0, 0), (3, 3, 3), (5, 5, 5), (6, 6, 6), (7, 7, 6), (10, 10, 6)):
        pile = " ".join(f"{rank}D" for rank in range(1, run + 1))
        for mode, expected in (("off", 0), ("full", full), ("cap6", capped)):
            scores = score_deal(split(pile), rules=Rules(napola=mode))
            assert [side["napola"] for side in scores] == [expected, 0]
    assert score_deal(split("1D 2D 3D 5D 6D"), rules=Rules(napola="full"))[0]["napola"] == 3
    assert score_deal(split("2D 3D 4D"), rules=Rules(napola="full"))[0]["napola"] == 0
    assert score_deal(split("1C 2C 3C"), rules=Rules(napola="full"))[0]["napola"] == 0


def test_re_bello_and_all_sevens() -> None:
    assert points(split("10D"), Rules(re_bello=1))[0] == {"re_bello": 1}
    assert points(split("10C"), Rules(re_bello=1))[1]["re_bello"] == 1
    sevens = "7D 7C 7S 7B"
    assert points(split(sevens), Rules(all_sevens=1))[0]["all_sevens"] == 1
    assert all("all_sevens" not in side for side in points(split(sevens)))
    for lacking in sevens.split():
        three = " ".join(name for name in sevens.split() if name != lacking)
        assert all("all_sevens" not in side for side in points(split(three), Rules(all_sevens=1)))


def test_a_team_pools_its_piles_and_scope() -> None:
    game = Game.from_position("scopa_teams", ["7B", "1C", "2S", "3C"], table="3D 4C")
    for text in ("7B x 3D 4C", "1C", "2S", "3C x 1C 2S"):
        game.play(text)
    assert game.piles == [{"7B", "3D", "4C"}, {"3C", "1C", "2S"}]
    assert game.scope == [1, 0]
    game = Game.from_position("scopa_teams", ["7B", "9C", "9S", "3C"], table="3D 4C")
    for text in ("7B x 3D 4C", "9C", "9S x 9C", "3C"):
        game.play(text)
    assert game.piles == [{"7B", "3D", "4C", "9S", "9C", "3C"}, set()]
    assert game.scope == [2, 0]


def test_sides() -> None:
    assert Rules.preset("scopa_teams").sides == ((0, 2), (1, 3))
    assert Rules.preset("scopa_6p").sides == ((0, 3), (1, 4), (2, 5))
    two_of_three = Rules.preset("scopa_6p", sides=[[0, 2, 4], [1, 3, 5]])
    assert [two_of_three.side_of(seat) for seat in range(6)] == [0, 1, 0, 1, 0, 1]
    assert Rules.preset("scopa_3p").sides == ((0,), (1,), (2,))
    alone = Rules.preset("scopa_teams", sides=[[0], [1], [2], [3]])
    assert alone.num_sides == 4


# -- matches ------------------------------------------------------------------------------------


def test_a_match_is_decided_only_after_the_deal() -> None:
    match = Match("scopa", scores=[10, 3])
    match.add([0, 4])
    assert (match.is_over, match.winner, match.scores) == (False, None, [10, 7])
    match.add([1, 0])
    assert (match.is_over, match.winner, match.scores) == (True, 0, [11, 7])
    with pytest.raises(ValueError, match="over"):
        match.add([1, 1])


def test_both_over_the_target_the_higher_wins() -> None:
    match = Match("scopa", scores=[10, 9])
    match.add([2, 5])
    assert (match.winner, match.scores) == (1, [12, 14])


def test_level_over_the_target_plays_on() -> None:
    match = Match("scopa", scores=[9, 10])
    match.add([3, 2])
    assert (match.is_over, match.winner) == (False, None)
    match.add([2, 2])
    assert not match.is_over
    match.add([1, 0])
    assert (match.is_over, match.winner) == (True, 0)
    three = Match("scopa_3p", scores=[15, 15, 15])
    three.add([2, 2, 1])
    assert not three.is_over
    three.add([0, 0, 2])
    assert three.winner == 2


def test_the_dealer_rotates() -> None:
    """Pitfall B17."""
    for preset in PRESETS:
        rules = Rules.preset(preset, target=999)
        match = Match(rules, dealer=rules.players - 1)
        dealers = []
        for _ in range(2 * rules.players):
            dealers.append(match.dealer)
            match.add([1] * rules.num_sides)
        assert dealers == [rules.players - 1, *range(rules.players - 1)] * 2
        assert match.deals == 2 * rules.players


def test_a_match_takes_the_scores_of_a_game() -> None:
    game, plays = deal_of_eighteen()
    for card in plays:
        game.play(next(move for move in game.legal_moves() if move.card == card))
    match = Match("scopa")
    match.add(game.scores())
    assert match.scores == [0, 22]
    assert match.winner == 1


@pytest.mark.parametrize("bad", [[1], [1, 2, 3], []])
def test_a_match_wants_one_number_a_side(bad: list[int]) -> None:
    match = Match("scopa")
    with pytest.raises(ValueError, match="2 sides"):
        match.add(bad)
    with pytest.raises(ValueError, match="2 sides"):
        Match("scopa", scores=bad)
    assert match.scores == [0, 0]
    assert match.deals == 0


# -- what is not allowed ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "move",
    [
        "8B x 3S 5D",  # a sum beside an equal card
        "8B x 8C 3S",
        "9D",  # not in hand
        "2C x 8C",  # takes what it cannot
        "8B x 8D",  # not on the table
        "8B x",
        "11D",
        "",
        "x",
        Move.parse("8B"),  # laying a card that must take
        Move.parse("7B"),
    ],
)
def test_an_illegal_move_raises_and_changes_nothing(move: object) -> None:
    game = Game.from_position(SCOPA, ["8B 2C", "5B"], table="8C 5D 3S")
    before = snapshot(game)
    with pytest.raises(ValueError, match="legal are: 2C, 8B x 8C"):
        game.play(move)
    assert snapshot(game) == before


@pytest.mark.parametrize("action", [-1, 41, 1000, 29, 3, DONE, "8B", None, 31.5])
def test_an_illegal_action_raises_and_changes_nothing(action: object) -> None:
    game = Game.from_position(SCOPA, ["8B 2C", "5B"], table="8C 5D 3S")
    before = snapshot(game)
    with pytest.raises(ValueError, match=r"legal are: 5 \(2C\), 31 \(8B\)"):
        game.act(action)
    assert snapshot(game) == before


def test_nothing_is_legal_after_the_end() -> None:
    game = Game.from_position(SCOPA, ["8B", ""], table="8C")
    game.play("8B")
    assert game.legal_moves() == []
    assert game.legal_actions() == []
    before = snapshot(game)
    with pytest.raises(ValueError, match="over"):
        game.play("8B")
    with pytest.raises(ValueError, match="none"):
        game.act(31)
    assert snapshot(game) == before


def test_odd_decks_raise() -> None:
    whole = other_cards("")
    for deck in (
        whole[:-1],
        whole[:-1] + ["1D"],
        [*whole, "1D"],
        [],
        "7D 7D",
        [*whole[:-1], "11D"],
    ):
        with pytest.raises(ValueError, match=r"deck|twice|no such card"):
            Game.deal("scopa", deck=deck)


def test_odd_positions_raise() -> None:
    good = {"hands": ["8B 2C", "5B"], "table": "8C"}
    Game.from_position(SCOPA, **good)
    for problem, bad in {
        "elsewhere": {"table": "8B"},
        "twice": {"table": "8C 8C"},
        "hands: 2": {"hands": ["8B"]},
        "piles: 2": {"piles": ["7D"]},
        "scope: 2": {"scope": [1, 0, 0]},
        "stock: 1 cards": {"stock": "7D"},
        "dealer=2": {"dealer": 2},
        "to_move=-1": {"to_move": -1},
        "last_capturer=5": {"last_capturer": 5},
        "no hand has a card": {"hands": ["", ""]},
        "this seat has no card": {"hands": ["", "8B"]},
        "no such card": {"table": "8X"},
    }.items():
        with pytest.raises(ValueError, match=problem):
            Game.from_position(SCOPA, **{**good, **bad})


@pytest.mark.parametrize("seed", [-1, 0.5, "7", [1]])
def test_odd_seeds_raise(seed: object) -> None:
    with pytest.raises(ValueError, match="seed="):
        Game.deal("scopa", seed=seed)


@pytest.mark.parametrize("dealer", [-1, 2, True, "1"])
def test_odd_dealers_raise(dealer: object) -> None:
    with pytest.raises(ValueError, match="dealer="):
        Game.deal("scopa", dealer=dealer)
    with pytest.raises(ValueError, match="dealer="):
        Match("scopa", dealer=dealer)


def test_seeds() -> None:
    """Pitfall B23: no seed, seed 0 and seed 42 are three things; each seed deals anew."""

    def deal(seed: int | None) -> str:
        game = Game.deal("scopa", seed=seed)
        return f"{game.dealer} {game.table} {game.hands} {game.stock}"

    assert len({deal(None) for _ in range(200)}) == 200
    assert len({deal(seed) for seed in range(200)}) == 200
    assert deal(0) == deal(0)
    assert len({deal(0), deal(None), deal(42)}) == 3
    first = Game.deal("scopa", seed=9, dealer=0)
    second = Game.deal("scopa", seed=9, dealer=1)
    assert first.table == second.table
    assert first.hands == second.hands[::-1]
    assert {Game.deal("scopa_6p", seed=seed).dealer for seed in range(100)} == set(range(6))


# -- openings, hands and matches of the family --------------------------------------------------


def stacked(rules: Rules, *begin: str, dealer: int = 0) -> Game:
    """A deal that begins with these cards: the table, then the hands from the leader on."""
    return Game.deal(rules, seed=1, dealer=dealer, deck=[*begin, *other_cards(*begin)])


def test_opening_bonuses() -> None:
    rules = Rules.preset("escoba", thirty_scope=2, small9_scope=3)
    for table, scope in (
        ("1D 2C 5S 7B", 1),
        ("10D 5C 8S 7B", 2),
        ("1D 2C 2S 3B", 3),
        ("1D 2C 3S 4B", 0),
        ("10D 9C 8S 4B", 0),
    ):
        game = stacked(rules, *table.split(), dealer=1)
        assert game.scope == [0, scope]
        assert game.piles[1] == (set(table.split()) if scope else set())
        assert game.table == (set() if scope else set(table.split()))
        assert game.last_capturer == (1 if scope else None)
        assert game.to_move == 0


def test_a_bonus_may_go_before_a_redeal() -> None:
    table = ["1D", "1C", "3S", "10B"]
    for first, scope, redeals in ((False, 0, True), (True, 1, False)):
        game = stacked(Rules.preset("cirulla", bonus_beats_redeal=first), *table, dealer=3)
        assert (game.redeals > 0) == redeals
        if not redeals:
            assert game.scope == [0, scope]
            assert game.piles[1] == set(table)


def test_the_first_play_of_an_ace() -> None:
    begin = ["9D", "4C", "8S", "2B", "1D", "5C", "7S"]  # the leader holds the 1D
    forbidden = stacked(Rules.preset("scopa", ace_first_play="forbidden"), *begin)
    assert forbidden.legal_actions() == [17, 26]
    assert {str(move.card) for move in forbidden.legal_moves()} == {"5C", "7S"}
    forbidden.play("5C")
    assert forbidden.legal_actions() == [card.number for card in forbidden.hands[0]]
    aces = ["9D", "4C", "8S", "2B", "1D", "1C", "1S"]
    only = stacked(Rules.preset("scopa", ace_first_play="forbidden"), *aces)
    assert only.legal_actions() == [0, 1, 2]
    free = stacked(Rules.preset("asso_piglia_tutto"), *begin)
    assert "1D x 2B 4C 8S 9D" in map(str, free.legal_moves())
    later = ["9D", "4C", "8S", "2B", "5C", "7S", "6S", "1D", "3C", "3S"]
    game = stacked(Rules.preset("asso_piglia_tutto", ace_first_play="no_sweep"), *later)
    game.play("5C")
    assert "1D x 2B 4C 5C 8S 9D" in map(str, game.legal_moves())
    game = stacked(Rules.preset("asso_piglia_tutto", ace_first_play="no_sweep"), *begin)
    assert "1D" in map(str, game.legal_moves())
    game.play("1D")
    assert "1D" in game.table


def test_a_hand_that_is_shown() -> None:
    """Both sides see it, until it is played out."""
    begin = ["10D", "10C", "9S", "9B", "1D", "2C", "6S", "4D", "4C", "7C", "8B", "8C", "8D"]
    begin += ["5D", "6C", "9C"]
    rules = Rules.preset("cirulla")
    game = stacked(rules, *begin, dealer=3)
    assert [str(hand) for hand in game.shown[:3]] == ["1D 2C 6S", "4D 4C 7C", "8D 8C 8B"]
    assert game.bonus == [3 + 10, 10]
    for seat in range(4):
        assert [str(hand) for hand in Game(rules, game.view(seat)).shown] == list(
            map(str, game.shown)
        )
        assert game.view(seat)["hand"][0] == game.record["hand"][0]
    assert game.view(0)["hand"][3] == 0
    game.play("6S x 9S")
    assert str(game.shown[0]) == "1D 2C"
    assert [row["hand_bonus"] for row in score_deal(["7D", "8C"], rules=rules.replace(
        players=2, hand_bonus=False))] == [0, 0]  # fmt: skip


@pytest.mark.parametrize(
    ("hand", "points"),
    [("1D 2C 6S", 3), ("1D 2C 7S", 0), ("5D 5C 5B", 10), ("1D 1C 1B", 10), ("7C 9D 9B", 10),
     ("7C 3D 5S", 3), ("7C 4D 5S", 0), ("7D 7S 7C", 10), ("7D 1S 1C", 3)],
)  # fmt: skip
def test_points_of_a_hand(hand: str, points: int) -> None:
    assert hand_bonus(hand) == points


def test_hands_that_pay_nothing_raise() -> None:
    with pytest.raises(ValueError, match="three cards"):
        hand_bonus("7C 3D")
    with pytest.raises(ValueError, match="pay for no hand"):
        hand_bonus("7C 3D 5S", rules="scopa")


def test_coin_runs() -> None:
    rules = Rules.preset("cirulla", players=2)
    for pile, points in (
        ("1D 2D", 0),
        ("1D 2D 3D", 3),
        ("1D 2D 3D 4D 5D 6D 7D", 6),
        ("8D 9D 10D", 5),
        ("1D 2D 3D 8D 9D 10D", 8),
    ):
        assert score_deal([pile, "7C"], rules=rules)[0]["coin_runs"] == points


def test_napoleone_wins_the_match() -> None:
    piles = [[f"{rank}D" for rank in range(1, 11)], "7C 7S 7B 6C"]
    for napoleone, winner in (("points", None), ("wins", 0)):
        match = Match(Rules(napola="full", napoleone=napoleone, target=51))
        match.add(score_deal(piles, rules=match.rules))
        assert match.winner == winner
    match = Match(Rules(napoleone="wins", target=51))
    with pytest.raises(ValueError, match=r"Game.scores\(\)"):
        match.add([1, 2])


def test_counting_out_in_order() -> None:
    """Both pass the target: side 1 has more points, side 0 has most cards and gets there first."""
    piles = [other_cards("7D 7C 7S 7B 6D 5D 8D 9D 10D 6C 1S")[:22]]
    piles.append(other_cards(" ".join(piles[0])))
    for order, winner in (("higher_else_play_on", 1), ("parlett_order", 0)):
        match = Match(Rules(tie_over_target=order), scores=[10, 9])
        rows = score_deal(piles, scope=[0, 1], rules=match.rules)
        assert rows[0]["carte"] == 1
        assert rows[1]["total"] >= 3
        match.add(rows)
        assert match.winner == winner
