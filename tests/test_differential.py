"""The engine against the slow reference, move by move: legal moves, legal touches at every touch,
hands, table, stock, piles, scope, the seat to move, the last capturer, the end and the points.

The suite plays ``SCOPA_GAMES`` random deals of each preset (default 40), and deals under random
combinations of options. A long run, in one process for each core::

    python tests/test_differential.py 20000 scopa scopone
"""

from __future__ import annotations

import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest
import reference
from helpers import NAMES, names, reference_rules, shuffled, touch_name
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scopa_env import PRESETS, Game, Rules, score_deal

GAMES = int(os.environ.get("SCOPA_GAMES", "40"))
CHUNK = 100  # deals of one task of a long run


class Reference(reference.ReferenceGame):
    """The reference, asking once only what a card takes from the table that lies there."""

    known: dict[Any, Any]

    def takes(self, card: str) -> Any:
        key = (frozenset(self.table), self.first_play)
        if self.__dict__.get("key") != key:
            self.key, self.known = key, {}
        if card not in self.known:
            self.known[card] = super().takes(card)
        return self.known[card]


def agree(what: str, ours: Any, theirs: Any, game: Game) -> None:
    """Fail with the whole position if two answers differ."""
    if ours != theirs:
        raise AssertionError(
            f"{what}: engine {ours!r}, reference {theirs!r}\n{game}\n"
            f"plays: {'; '.join(map(str, game.plays))}\nrules: {game.rules}"
        )


def legal(game: Game) -> Any:
    """The engine's legal moves as the reference gives them; none may come twice."""
    moves = [(str(move.card), frozenset(map(str, move.captured))) for move in game.legal_moves()]
    assert len(set(moves)) == len(moves)
    return set(moves)


def compare(game: Game, other: reference.ReferenceGame, start: int) -> None:
    """All that can be seen of a position; start is the ply at which it was set up."""
    record = game.record
    agree("over", game.is_over, other.is_over, game)
    for seat, hand in enumerate(other.hands):
        agree(f"hand {seat}", names(record["hand"][seat]), hand, game)
        agree(f"hand count {seat}", int(record["hand_count"][seat]), len(hand), game)
    agree("table", names(record["table"]), other.table, game)
    agree(
        "stock",
        [NAMES[c] for c in record["deck"][int(record["dealt"]) : game.rules.deck_size]],
        other.stock,
        game,
    )
    agree("piles", [names(b) for b in record["pile"][: len(other.piles)]], other.piles, game)
    value = game.rules.scopa_value
    agree("scope", game.scope, [n * value for n in other.scope], game)
    agree("bonus", game.bonus, other.hand_bonus, game)
    agree("last capturer", game.last_capturer, other.last_capturer, game)
    agree("ply", int(record["ply"]), start + len(other.plays), game)
    agree("to move", game.to_move, None if other.is_over else other.to_move, game)
    agree("legal moves", legal(game), set() if other.is_over else other.legal_moves(), game)


def compare_scores(game: Game, other: reference.ReferenceGame) -> None:
    theirs = other.scores()
    for ours, their in zip(game.scores(), theirs, strict=True):
        for kind, value in ours.items():
            agree(kind, value, their[kind], game)


def play_both(game: Game, other: reference.ReferenceGame, rng: random.Random) -> None:
    """Play one game by random touches, in both, comparing at each touch and after each move."""
    start = int(game.record["ply"])
    compare(game, other, start)
    while not game.is_over:
        touched, chosen = None, frozenset()
        while True:
            ours = game.legal_actions()
            theirs = other.legal_touches(touched, chosen)
            agree("touches", {touch_name(action) for action in ours}, set(theirs), game)
            action = rng.choice(ours)
            seat = game.to_move
            complete = game.act(action)
            kind, *rest = other.after_touch(touched, chosen, touch_name(action))
            agree("move complete", complete, kind == "move", game)
            if complete:
                break
            touched, chosen = rest
            agree("touched", (game.touched, game.chosen), (touched, chosen), game)
            agree("still to move", game.to_move, seat, game)
            agree(
                "legal moves under way",
                legal(game),
                {(c, t) for c, t in other.legal_moves() if c == touched and t >= chosen},
                game,
            )
        other.play(*rest)
        ply = int(game.record["ply"]) - 1
        move = NAMES[game.record["card_at"][ply]], names(game.record["take_at"][ply])
        agree("move", move, tuple(rest), game)
        compare(game, other, start)
    compare_scores(game, other)
    history = [(str(move.card), frozenset(map(str, move.captured))) for move in game.plays]
    agree("history", history, [play[1:3] for play in other.plays], game)


def random_deal(rules: Rules, rng: random.Random) -> None:
    """One random deal, played at random, in both."""
    record = reference_rules(rules)
    deck = shuffled(rng, rules)
    dealer = rng.randrange(rules.players)
    game = Game.deal(rules, seed=rng.randrange(2**32), dealer=dealer, deck=deck)
    other = Reference.deal(record, deck, dealer)
    agree("void", game.redeals > 0, other.needs_redeal, game)
    if other.needs_redeal:  # what was dealt instead comes from the seed
        agree("dealer after a redeal", game.dealer, dealer, game)
        deck = [NAMES[c] for c in game.record["deck"][: rules.deck_size]]
        other = Reference.deal(record, deck, dealer)
        agree("void again", False, other.needs_redeal, game)
    play_both(game, other, rng)


def random_position(rules: Rules, rng: random.Random) -> None:
    """A position with a full table, so that cards have many captures, played on in both."""
    record = reference_rules(rules)
    deck = shuffled(rng, rules)
    hand = rng.randint(1, min(3, rules.hand))
    hands = [deck[hand * seat : hand * (seat + 1)] for seat in range(rules.players)]
    deck = deck[hand * rules.players :]
    size = rng.randint(0, 10)
    table, deck = deck[:size], deck[size:]
    one_round = rules.players * rules.hand
    stock = deck[:one_round] if rng.random() < 0.2 and len(deck) >= one_round else []
    deck = deck[len(stock) :]
    cut = rng.randint(0, len(deck))
    piles = [sorted(deck[:cut]), sorted(deck[cut:])] + [[]] * (rules.num_sides - 2)
    scope = [rng.randrange(3) for _ in piles]
    given: dict[str, Any] = {
        "hands": hands,
        "table": table,
        "stock": stock,
        "piles": piles,
        "to_move": rng.randrange(rules.players),
        "last_capturer": rng.choice([None, *range(rules.players)]),
        "dealer": rng.randrange(rules.players),
    }
    game = Game.from_position(rules, scope=[n * rules.scopa_value for n in scope], **given)
    play_both(game, Reference.from_position(record, scope=scope, **given), rng)


@pytest.mark.parametrize("preset", PRESETS)
def test_random_deals(preset: str) -> None:
    rules = Rules.preset(preset)
    for i in range(GAMES):
        random_deal(rules, random.Random(f"{preset} {i}"))


@pytest.mark.parametrize("preset", PRESETS)
def test_random_positions(preset: str) -> None:
    rules = Rules.preset(preset)
    for i in range(max(10, GAMES // 5)):
        random_position(rules, random.Random(f"{preset} position {i}"))


def test_redeals() -> None:
    """Enough opening tables with kings and aces that void deals come up."""
    rng = random.Random(5)
    for kings, aces in ((1, 0), (2, 0), (0, 1), (0, 2), (1, 1)):
        for _ in range(3):
            random_deal(Rules(kings_redeal=kings, aces_redeal=aces), rng)


# -- options ------------------------------------------------------------------------------------

OPTIONS = {
    "equal": [True, False],
    "sum": [True, False],
    "equal_priority": [True, False],
    "fifteen": [True, False],
    "fewest_cards": [True, False],
    "compulsory": ["played_card", "optional"],
    "ace_sweep": [True, False],
    "ace_sweep_scores": [True, False],
    "ace_with_ace_on_table": ["takes_ace", "sweeps"],
    "ace_on_empty_table": ["stays", "takes_itself"],
    "scopa_last_play": ["never", "counts", "dealer_team_counts"],
    "scopa_value": [0, 1, 2, 3],
    "primiera": ["standard", "trentino", "southern", "most_sevens", "off"],
    "primiera_missing": ["disqualified", "zero", "compare_partial"],
    "napola": ["off", "full", "cap6"],
    "re_bello": [0, 1],
    "all_sevens": [0, 1],
    "carte": [0, 1],
    "denari": [0, 1],
    "settebello": [0, 1],
    "kings_redeal": [0, 1, 2, 3, 4],
    "aces_redeal": [0, 1, 2],
    "fifteen_scope": [0, 1, 3],
    "thirty_scope": [0, 1, 2],
    "small9_scope": [0, 1, 3],
    "bonus_beats_redeal": [True, False],
    "ace_first_play": ["free", "forbidden", "no_sweep"],
    "hand_bonus": [True, False],
    "coin_runs": [True, False],
    "napoleone": ["points", "wins"],
    "tie_over_target": ["higher_else_play_on", "parlett_order"],
}


def make(preset: str, options: dict[str, Any]) -> Rules:
    """Rules with these options, made consistent: what needs the ace's sweep goes without it."""
    if not options.get("ace_sweep", Rules.preset(preset).ace_sweep):
        for name in ("ace_sweep_scores", "ace_with_ace_on_table", "ace_on_empty_table"):
            options.pop(name, None)
        if Rules.preset(preset).ace_sweep_scores:
            options["ace_sweep_scores"] = False
        if options.get("ace_first_play") == "no_sweep":
            del options["ace_first_play"]
    usual = Rules.preset(preset)
    if usual.hand != 3:
        options.pop("hand_bonus", None)
    if usual.ranks < 10:
        for name in ("settebello", "all_sevens", "re_bello", "coin_runs", "napoleone"):
            options.pop(name, None)
    if not usual.table:
        for name in ("fifteen_scope", "thirty_scope", "small9_scope"):
            options.pop(name, None)
    try:
        return Rules.preset(preset, **options)
    except ValueError as problem:
        assume("no card could take anything" not in str(problem))
        assume("bonus_beats_redeal" not in str(problem))
        assume("no match would end" not in str(problem))
        raise


combinations = st.builds(
    make,
    st.sampled_from(list(PRESETS)),
    st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(values) for name, values in OPTIONS.items()}
    ),
)


@settings(max_examples=2 * settings.default.max_examples)
@given(rules=combinations, seed=st.integers(0, 2**32 - 1))
def test_combinations_of_options(rules: Rules, seed: int) -> None:
    random_deal(rules, random.Random(seed))


@settings(max_examples=4 * settings.default.max_examples)
@given(rules=combinations, seed=st.integers(0, 2**32 - 1))
def test_combinations_of_options_from_positions(rules: Rules, seed: int) -> None:
    random_position(rules, random.Random(seed))


@pytest.mark.parametrize("name", OPTIONS)
def test_each_option_alone(name: str) -> None:
    rng = random.Random(name)
    needs = {"ace_sweep": True} if name.startswith("ace_") else {}
    if name == "bonus_beats_redeal":
        needs = {"fifteen_scope": 1, "thirty_scope": 2}
    for value in OPTIONS[name]:
        for preset in ("scopa", "scopa_3p"):
            rules = Rules.preset(preset, **{**needs, name: value})
            random_deal(rules, rng)
            random_position(rules, rng)


# -- clauses in which the two once differed ------------------------------------------------------


def test_ace_that_sweeps_in_an_ordinary_way() -> None:
    """A fifteen with all of the table is a scopa, also where the ace's own sweep is none."""
    rules = Rules(fifteen=True, ace_sweep=True)
    game = Game.from_position(rules, ["1B", "2C"], table="9D 5C")
    game.play("1B x 5C 9D")
    other = Reference.from_position(reference_rules(rules), [{"1B"}, {"2C"}], {"9D", "5C"})
    other.play("1B", {"9D", "5C"})
    assert other.scope == [1, 0]
    assert game.scope == [1, 0]


def test_ace_that_sweeps_a_lone_ace_without_equal_captures() -> None:
    rules = Rules(equal=False, ace_sweep=True, ace_with_ace_on_table="sweeps")
    game = Game.from_position(rules, ["1B", "2C"], table="1D")
    game.play("1B x 1D")
    assert game.scope == [0, 0]


def test_partial_primiera_total() -> None:
    """Where another side has all suits, one without takes no part: no total, as documented."""
    rules = Rules(primiera_missing="compare_partial")
    game_rows = score_deal(["7D 7C 7S", "2D 2C 2S 2B"], rules=rules)
    theirs = reference.score_deal(
        [{"7D", "7C", "7S"}, {"2D", "2C", "2S", "2B"}], [0, 0], reference_rules(rules)
    )
    assert [row["primiera_total"] for row in theirs] == [None, 48]
    assert [row["primiera_total"] for row in game_rows] == [None, 48]


def test_last_play_of_a_seat_that_did_not_deal() -> None:
    """Only positions set up by hand end so; in a deal the dealer always plays last."""
    rules = Rules(scopa_last_play="dealer_team_counts")
    game = Game.from_position(rules, ["", "7B"], table="7C", to_move=1, dealer=0)
    game.play("7B")
    assert game.scope == [0, 0]


def test_position_with_more_cards_to_play_than_a_deal_has() -> None:
    """All 40 cards in hand and none on the table: every sweep but the very last counts."""
    game = Game.from_position("scopa", [NAMES[0::2], NAMES[1::2]])
    while not game.is_over:
        moves = game.legal_moves()
        game.play(next((m for m in moves if m.captured and game.to_move == 1), moves[0]))
    assert game.scope == [0, 19]


# -- long runs ----------------------------------------------------------------------------------


def run_chunk(preset: str, chunk: int) -> tuple[int, str]:
    """Deals of one task; how many agreed, and what went wrong."""
    rules = Rules.preset(preset)
    for i in range(CHUNK):
        try:
            random_deal(rules, random.Random(f"long run {preset} {chunk} {i}"))
        except Exception as problem:
            return i, f"{preset}, deal {chunk}/{i}: {type(problem).__name__}: {problem}"
    return CHUNK, ""


def main() -> int:
    """``python tests/test_differential.py GAMES [PRESET ...]``: GAMES deals of each preset."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    presets = sys.argv[2:] or list(PRESETS)
    wrong = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for preset in presets:
            begin, agreed = time.monotonic(), 0
            tasks = [pool.submit(run_chunk, preset, c) for c in range(-(-games // CHUNK))]
            for done, task in enumerate(tasks, start=1):
                number, problem = task.result()
                agreed += number
                if problem:
                    wrong += 1
                    print(problem, flush=True)
                if done % 20 == 0 or done == len(tasks):
                    seconds = time.monotonic() - begin
                    print(f"{preset}: {agreed} deals agree ({seconds:.0f} s)", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
