"""Scopa as OpenSpiel games: its own checks, our engine state by state, hidden information, the
odds of the deal, golden playthroughs, and the small games solved."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from helpers import NAMES, names, reference_rules

from scopa_env import PRESETS, Game, Layout, Rules, hand_bonus
from scopa_env.observation import observe
from scopa_env.view import view

pyspiel = pytest.importorskip("pyspiel")

from scopa_env import openspiel  # noqa: E402
from scopa_env.openspiel import registered_name  # noqa: E402

FOLDER = Path(__file__).parent / "golden" / "openspiel"
MINI = ("mini_2p", "mini_teams")
#: Rules in which much that is rare happens: choices, laying by choice, shown hands, three sides.
ODD = {
    "many ways": Rules(fifteen=True, compulsory="optional", equal_priority=False),
    "shown": Rules.preset("cirulla", players=3, fewest_cards=True),
    "alone": Rules.preset("scopa", players=4, sides=((0,), (1,), (2,), (3,)), redeals=True),
    "ace first": Rules.preset("asso_piglia_tutto", players=4, ace_first_play="forbidden"),
    "three ranks": Rules(
        ranks=3, suits=4, hand=2, table=4, kings_redeal=0, settebello=0, aces_redeal=2
    ),
}


def game_of(name: str) -> Any:
    return openspiel.load(ODD.get(name, name))


def random_states(game: Any, rng: random.Random) -> Iterator[Any]:
    """The states of one deal played at random, the first and the last included."""
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        if state.is_chance_node():
            cards, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(cards, odds)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        yield state


def all_seen(state: Any, player: int, kinds: list[Any]) -> list[Any]:
    """Everything that OpenSpiel shows a player of a state."""
    seen: list[Any] = [state.information_state_string(player), state.observation_string(player)]
    seen += [state.information_state_tensor(player), state.observation_tensor(player)]
    if state.current_player() == player:
        seen.append(state.legal_actions())
    for kind in kinds:
        kind.set_from(state, player)
        seen += [kind.tensor.tolist(), kind.string_from(state, player)]
    return seen


# -- names and kinds ----------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_registered(preset: str) -> None:
    rules = Rules.preset(preset)
    assert registered_name(preset) in pyspiel.registered_names()
    game = pyspiel.load_game(registered_name(preset))
    assert game.rules == rules
    assert game.num_players() == rules.players
    assert game.num_distinct_actions() == 41
    two = pyspiel.GameType.Utility.ZERO_SUM
    three = pyspiel.GameType.Utility.GENERAL_SUM
    assert game.get_type().utility == (two if rules.num_sides == 2 else three)
    assert str(pyspiel.load_game(str(game))) == str(game)


def test_parameters_are_fields_of_the_rules() -> None:
    game = pyspiel.load_game("python_scopa(napola=full,players=3,kings_redeal=0)")
    assert game.rules == Rules.preset("scopa", napola="full", players=3, kings_redeal=0)
    assert game.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    alone = pyspiel.load_game("python_scopone", {"num_sides": 4, "dealer": 1})
    assert alone.rules.num_sides == 4
    assert alone.setup.dealer == 1
    # As many cards each as rules.md says for four; the usual at two seats is not insisted on.
    assert pyspiel.load_game("python_scopa_assi", {"players": 4}).rules == Rules.preset(
        "scopa_assi", players=4
    )


@pytest.mark.parametrize("name", [*PRESETS, *ODD])
def test_games_of_any_rules(name: str) -> None:
    rules = ODD[name] if name in ODD else Rules.preset(name)
    game = openspiel.load(rules, dealer=0)
    assert game.rules.replace(name=rules.name) == rules
    again = pyspiel.load_game(str(game))
    assert again.rules == game.rules
    assert again.setup.dealer == 0
    state = again.deserialize_state(again.new_initial_state().serialize())
    assert state.is_chance_node()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"players": 5}, "players=5"),
        ({"dealer": 2}, "dealer=2: the seats are 0 to 1"),
        ({"dealer": -2}, "dealer=-2"),
        ({"observation": "all"}, "observation='all'"),
        ({"primiera": "best"}, "primiera='best'"),
        ({"num_sides": 3}, "sides"),
        ({"hand": 7}, "hand=7"),
    ],
)
def test_bad_parameters_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game("python_scopa", params)


def test_rules_that_parameters_cannot_say_are_refused() -> None:
    rules = Rules.preset("asso_piglia_tutto", players=4, hand=3, table=4, redeals=True)
    with pytest.raises(ValueError, match="hand"):
        openspiel.load(rules)


# -- OpenSpiel's own checks ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [*PRESETS, *ODD])
def test_random_simulation(name: str) -> None:
    pyspiel.random_sim_test(game_of(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", [*PRESETS, *ODD])
def test_bounds_hold(name: str) -> None:
    game, rng = game_of(name), random.Random(name)
    for _ in range(5):
        *_, state = random_states(game, rng)
        steps = state.full_history()
        assert sum(step.player >= 0 for step in steps) <= game.max_game_length()
        assert sum(step.player < 0 for step in steps) <= game.max_chance_nodes_in_history()
        returns = state.returns()
        assert game.min_utility() <= min(returns)
        assert max(returns) <= game.max_utility()
        if game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM:
            assert sum(returns) == 0
        assert state.rewards() == returns


def playthrough(preset: str) -> str:
    """OpenSpiel's record of a deal; tensors are left out but in the smallest game."""
    from open_spiel.python.algorithms import generate_playthrough

    text = generate_playthrough.playthrough(registered_name(preset), None, seed=2026)
    if preset == "mini_2p":
        return text + "\n"
    lines, tensor = [], False
    for line in text.splitlines():
        tensor = "Tensor(" in line or (tensor and line.startswith("  "))
        if not tensor:
            lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("preset", PRESETS)
def test_golden_playthroughs(preset: str) -> None:
    """Write them anew with ``python tests/test_openspiel.py``."""
    assert playthrough(preset) == (FOLDER / f"{preset}.txt").read_text("utf-8")


# -- the same game as the engine's --------------------------------------------------------------


@pytest.mark.parametrize("name", [*PRESETS, *ODD])
def test_agrees_with_the_engine_state_by_state(name: str) -> None:
    game, rng = game_of(name), random.Random(name)
    rules, layout = game.rules, Layout(game.rules)
    for _ in range(4):
        *_, last = random_states(game, rng)
        deck = [NAMES[card] for card in last.record["deck"][: rules.deck_size]]
        engine = Game.deal(rules, seed=0, dealer=rules.players - 1, deck=deck)
        assert engine.redeals == 0
        state = game.new_initial_state()
        for step in last.full_history():
            assert state.current_player() == step.player
            if step.player >= 0:
                same_position(state, engine, layout)
                engine.act(step.action)
            state.apply_action(step.action)
        assert state.is_terminal()
        assert engine.is_over
        same_position(state, engine, layout)
        totals = [row["total"] for row in engine.scores()]
        for seat in range(rules.players):
            side = rules.side_of(seat)
            rest = max(points for other, points in enumerate(totals) if other != side)
            assert state.returns()[seat] == totals[side] - rest


def same_position(state: Any, engine: Game, layout: Layout) -> None:
    for seat in range(engine.rules.players):
        assert view(state.record, seat).tobytes() == view(engine, seat).tobytes()
        assert np.array_equal(state.observation_tensor(seat), observe(engine, seat, layout))
        wanted = engine.legal_actions() if engine.to_move == seat else []
        assert state.legal_actions(seat) == wanted


def test_agrees_with_the_reference() -> None:
    """Legal actions and results from the second implementation of the rules."""
    for name in ("scopa", "cirulla", "quindici_asso", "mini_2p"):
        game, rng = game_of(name), random.Random(name)
        *_, last = random_states(game, rng)
        deck = [NAMES[card] for card in last.record["deck"][: game.rules.deck_size]]
        other = reference.ReferenceGame.deal(
            reference_rules(game.rules), deck, game.rules.players - 1
        )
        for card, take in zip(last.record["card_at"], last.record["take_at"], strict=True):
            if card >= 0:
                other.play(NAMES[card], names(take))
        totals = [row["total"] for row in other.scores()]
        assert last.returns()[0] == totals[0] - max(totals[1:])


# -- what a player is shown ---------------------------------------------------------------------


def observers(game: Any) -> list[Any]:
    from open_spiel.python.observation import make_observation

    kinds = []
    for recall in (True, False):
        for public in (True, False):
            for private in ("SINGLE_PLAYER", "NONE"):
                kind = pyspiel.IIGObservationType(
                    public, recall, getattr(pyspiel.PrivateInfoType, private)
                )
                kinds.append(make_observation(game, kind))
    return kinds


@pytest.mark.parametrize("name", [*PRESETS, *ODD])
def test_twins_look_alike(name: str) -> None:
    """A state drawn from what a player knows shows it the same in every way."""
    game, rng = game_of(name), random.Random(name)
    kinds, differ = observers(game), 0
    decks = 1 if game.rules.deck_size > 12 else 4
    states = [s.clone() for _ in range(decks) for s in random_states(game, rng)]
    for state in states:
        if state.is_chance_node() or rng.random() < 0.5:
            continue
        for player in range(game.num_players()):
            twin = state.resample_from_infostate(player, rng.random)
            assert all_seen(twin, player, kinds) == all_seen(state, player, kinds)
            differ += str(twin) != str(state)
    assert differ > 3


def test_nothing_is_drawn_while_cards_are_dealt() -> None:
    with pytest.raises(ValueError, match="being dealt"):
        openspiel.load("scopa").new_initial_state().resample_from_infostate(0, random.random)


def test_only_the_own_hand_is_shown() -> None:
    game = openspiel.load("cirulla")
    for seed in range(3):
        for state in random_states(game, random.Random(seed)):
            if state.is_chance_node():
                continue
            hands = state.hands_dealt()[-1]
            for player in range(4):
                text = state.information_state_string(player).split("; ")
                last = [part for part in text if part.startswith(("hand", "shown"))][-4:]
                for seat, hand in enumerate(hands):
                    cards = " ".join(sorted(names(hand), key=NAMES.index))
                    assert (f"hand {seat}: {cards}" in last) == (seat == player)
                    shown = seat != player and hand_bonus(cards) > 0
                    assert (f"shown {seat}: {cards}" in last) == shown


def test_public_and_private_parts_make_the_whole() -> None:
    game = openspiel.load("cirulla", observation="raw")
    whole, public, private, nothing = observers(game)[:1] + observers(game)[1:4]
    for state in random_states(game, random.Random(1)):
        for player in range(4):
            for kind in (whole, public, private, nothing):
                kind.set_from(state, player)
            assert {*whole.dict} == {*public.dict} | {*private.dict}
            for name, piece in whole.dict.items():
                part = public.dict if name in public.dict else private.dict
                assert np.array_equal(piece, part[name])
            assert nothing.tensor.size == 0


def test_all_hands_at_once_are_not_offered() -> None:
    kind = pyspiel.IIGObservationType(True, False, pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="private_info"):
        openspiel.load("scopa").make_py_observer(kind)
    with pytest.raises(ValueError, match="params"):
        openspiel.load("scopa").make_py_observer(None, {"a": 1})


@pytest.mark.parametrize("name", ["many ways", "cirulla", "scopa"])
def test_tensors_tell_what_strings_tell(name: str) -> None:
    """Two information states are one by their tensors just if they are one by their strings."""
    game, rng = game_of(name), random.Random(name)
    tensors: dict[bytes, str] = {}
    strings: dict[str, bytes] = {}
    for _ in range(10):
        for state in random_states(game, rng):
            player = state.current_player()
            if player >= 0:
                text = state.information_state_string(player)
                tensor = np.array(state.information_state_tensor(player)).tobytes()
                assert tensors.setdefault(tensor, text) == text
                assert strings.setdefault(text, tensor) == tensor
    assert len(strings) > 200


def test_the_way_a_move_was_touched_is_the_movers_own() -> None:
    """Perfect recall includes it; the others see the whole move only."""
    rules = Rules(fifteen=True, equal=False, sum=False, kings_redeal=0)
    game = openspiel.load(rules, dealer=1)
    # 5C takes 10 in many ways: 4D 6C, 4D 6S, 1D 3D 6C, ...
    ways = []
    for order in ([17, 12, 20], [17, 20, 12]):
        state = game.new_initial_state()
        for name in ["4D", "6C", "6S", "10D"]:
            if state.is_chance_node():
                state.apply_action(NAMES.index(name))
        hands = ["5C", "8D", "9D", "1D", "2D", "3D"]
        order = [NAMES.index(n) for n in ("5C", "4D", "6C")] if order[1] == 12 else [
            NAMES.index(n) for n in ("5C", "6C", "4D")
        ]  # fmt: skip
        for name in hands:
            state.apply_action(NAMES.index(name))
        for action in order:
            if state.current_player() == 0:
                state.apply_action(action)
        assert state.current_player() == 1
        ways.append(state)
    first, second = ways
    assert names(first.record["take_at"][0]) == names(second.record["take_at"][0]) == {"4D", "6C"}
    assert first.information_state_string(0) != second.information_state_string(0)
    assert first.information_state_tensor(0) != second.information_state_tensor(0)
    assert first.information_state_string(1) == second.information_state_string(1)
    assert first.information_state_tensor(1) == second.information_state_tensor(1)


# -- chance -------------------------------------------------------------------------------------


def odds_of(game: Any, groups: list[list[int]]) -> float:
    """The probability that the first cards dealt are these sets, each in ascending order."""
    state, odds = game.new_initial_state(), 1.0
    cards = [card for group in groups for card in sorted(group)]
    for place, card in enumerate(cards):
        if state.record["deck"][place] >= 0:  # the last of a hand may be the only one that can be
            assert state.record["deck"][place] == card
            continue
        chances = dict(state.chance_outcomes())
        assert sum(chances.values()) == pytest.approx(1, abs=1e-12)
        if card not in chances:
            return 0.0
        odds *= chances[card]
        state.apply_action(card)
    return odds


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules.preset("scopa", aces_redeal=2, kings_redeal=2),
        Rules.preset("escoba", kings_redeal=2, bonus_beats_redeal=True),
        Rules.preset("escoba"),
        Rules.preset("scopone"),
    ],
)
def test_openings_that_void_no_deal_are_equally_likely(rules: Rules) -> None:
    def void(table: Any) -> bool:
        ranks = [card // 4 + 1 for card in table]
        pays = rules.bonus_beats_redeal and (
            (rules.fifteen_scope and sum(ranks) == 15) or (rules.thirty_scope and sum(ranks) == 30)
        )
        kings = rules.kings_redeal and ranks.count(10) >= rules.kings_redeal
        aces = rules.aces_redeal and ranks.count(1) >= rules.aces_redeal
        return bool(kings or aces) and not pays

    allowed = sum(not void(table) for table in combinations(range(40), 4))
    game, rng = openspiel.load(rules), random.Random(5)
    samples = [rng.sample(range(40), 4) for _ in range(150)]
    samples += [[36, 37, 38, rng.randrange(36)], [36, 37, 0, 4], [0, 1, 8, 12], [36, 37, 12, 20]]
    for table in samples:
        wanted = 0 if void(table) else 1 / allowed
        assert odds_of(game, [table]) == pytest.approx(wanted, rel=1e-9)


def test_hands_are_equally_likely() -> None:
    game, rng = openspiel.load("scopa_3p"), random.Random(6)
    opening = [0, 5, 10, 20]
    for _ in range(20):
        left = [card for card in range(40) if card not in opening]
        hands = [rng.sample(left, 3)]
        hands.append(rng.sample([c for c in left if c not in hands[0]], 3))
        chance = odds_of(game, [opening, *hands]) / odds_of(game, [opening])
        assert chance == pytest.approx(1 / prod([comb(36, 3), comb(33, 3)]), rel=1e-9)


def test_no_chance_node_has_one_outcome() -> None:
    for name in [*PRESETS, *ODD]:
        for state in random_states(game_of(name), random.Random(name)):
            assert not state.is_chance_node() or len(state.chance_outcomes()) > 1


# -- the small games ----------------------------------------------------------------------------

#: By chance, decision and end nodes; information states by player; expected returns by seat of
#: players that play at random.


class Tree:
    """A small game walked to all its ends."""

    def __init__(self, preset: str) -> None:
        self.game = pyspiel.load_game(registered_name(preset))
        self.nodes: Counter[str] = Counter()
        #: What each information state allows, and the own way there: one of each.
        self.actions: dict[str, list[int]] = {}
        self.way: dict[str, Any] = {}
        self.players: dict[str, int] = {}
        self.random_value = np.array(self._walk(self.game.new_initial_state(), {}))

    def _walk(self, state: Any, ways: dict[int, Any]) -> Any:
        if state.is_terminal():
            self.nodes["end"] += 1
            return np.array(state.returns())
        if state.is_chance_node():
            self.nodes["chance"] += 1
            outcomes = state.chance_outcomes()
            return sum(odds * self._walk(state.child(card), ways) for card, odds in outcomes)
        self.nodes["decision"] += 1
        player, legal = state.current_player(), state.legal_actions()
        text = state.information_state_string(player)
        assert self.actions.setdefault(text, legal) == legal
        assert self.way.setdefault(text, ways.get(player)) == ways.get(player)
        self.players[text] = player
        values = [
            self._walk(state.child(action), {**ways, player: (text, action)}) for action in legal
        ]
        return sum(values) / len(values)


@pytest.mark.parametrize("preset", MINI)
def test_small_games_whole(preset: str) -> None:
    """Their size is frozen, and what players make who play at random; no information state
    forgets what its player knew or did."""
    tree = Tree(preset)
    nodes, states = {
        "mini_2p": ({"chance": 5187, "decision": 115500, "end": 40320}, [50764, 62328]),
        "mini_teams": (
            {"chance": 1407, "decision": 199080, "end": 40320},
            [6748, 20328, 41160, 43680],
        ),
    }[preset]
    assert dict(tree.nodes) == nodes
    by_player = Counter(tree.players.values())
    assert [by_player[player] for player in range(tree.game.num_players())] == states
    dealers_side = np.arange(tree.game.num_players()) % 2 * 2 - 1
    assert tree.random_value == pytest.approx(2 / 3 * dealers_side, abs=1e-9)


def test_cfr_solves_the_small_game() -> None:
    """The leader loses 1.2357 points a deal; CFR+ is within 0.01 after 40 rounds."""
    game = pyspiel.convert_to_cached_tree(pyspiel.load_game("python_mini_2p"))
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(40):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert pyspiel.exploitability(game, policy) < 0.01
    value = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)[0]
    assert value == pytest.approx(-1.2357, abs=0.01)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for preset in sys.argv[1:] or PRESETS:
        (FOLDER / f"{preset}.txt").write_text(playthrough(preset), "utf-8")
