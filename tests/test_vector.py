"""Many games at once: the same deals whatever the batch, the threads or the process; new deals
with the dealer moved on; rewards that add up to the points; illegal actions that change nothing;
no global generator touched; flat memory; and the same play without compilation."""

from __future__ import annotations

import gc
import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import run_python, same

from scopa_env import PRESETS, Cards, Game, Rules, VectorGame
from scopa_env.game import GAME_DTYPE, legal_mask
from scopa_env.observation import observe
from scopa_env.scoring import decided_points, point_difference


def legal_action(mask: np.ndarray, draws: np.random.Generator) -> np.ndarray:
    """A legal action in each game, at random."""
    return (mask * draws.random(mask.shape)).argmax(1)


def first_action(mask: np.ndarray) -> np.ndarray:
    """The first legal action in each game: the same play whatever lies around."""
    return mask.argmax(1)


def finish(vector: VectorGame, draws: np.random.Generator, deals: int = 1) -> None:
    """Step until each game has ended so many deals."""
    ended = np.zeros(vector.num_games, int)
    while (ended < deals).any():
        ended += vector.step(legal_action(vector.action_mask, draws)).done


def state(vector: VectorGame) -> list[tuple[str, bytes]]:
    """All arrays that a vector of games holds, as bytes, field by field."""
    found = []
    for name, array in vars(vector).items():
        if isinstance(array, np.ndarray) and array.dtype.names:
            found += [(f"{name}.{field}", array[field].tobytes()) for field in array.dtype.names]
        elif isinstance(array, np.ndarray):
            found.append((name, array.tobytes()))
    return found


# -- seeds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_lane_0_deals_as_a_game_does(preset: str) -> None:
    for seed in (0, 7, 2**70):
        assert same(VectorGame(preset, 1, seed).games[0], Game.deal(preset, seed=seed).record)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_lane_does_not_depend_on_the_batch(threads: int) -> None:
    """Lanes of 1,000 games equal those of smaller batches, also after the first deal."""
    large = VectorGame("scopa", 1000, seed=5, num_threads=threads)
    small = {n: VectorGame("scopa", n, seed=5) for n in (1, 2, 7)}
    for _ in range(80):
        large.step(first_action(large.action_mask))
        for few, vector in small.items():
            vector.step(first_action(vector.action_mask))
            assert all(same(vector.games[i], large.games[i]) for i in (0, few - 1))
            for name in ("observation", "action_mask", "to_move", "reward", "done", "scores"):
                mine, theirs = getattr(vector, name), getattr(large, name)[:few]
                assert np.array_equal(mine, theirs), name
    decks = {tuple(deck) for deck in large.games["deck"].tolist()}
    assert len(decks) == 1000


def test_deals_do_not_depend_on_play() -> None:
    """Whatever is played, lane by lane the deals that follow are the same."""
    decks: list[Any] = []
    for play in range(3):
        vector, draws = VectorGame("scopa_3p", 20, seed=3), np.random.default_rng(play)
        seen: list[list[bytes]] = [[] for _ in range(20)]
        while min(map(len, seen)) < 4:
            done = vector.step(legal_action(vector.action_mask, draws)).done
            for lane in np.nonzero(done)[0]:
                game = vector.games[lane]
                seen[lane].append(game["deck"].tobytes() + bytes([int(game["dealer"])]))
        decks.append([lane[:4] for lane in seen])
    assert decks[0] == decks[1] == decks[2]
    assert len({deck for lane in decks[0] for deck in lane}) == 80


def test_threads_play_alike() -> None:
    one = VectorGame("scopone", 37, seed=1)
    two = VectorGame("scopone", 37, seed=1, num_threads=2)
    for _ in range(90):
        action = first_action(one.action_mask)
        one.step(action)
        two.step(action)
        assert state(one) == state(two)


def test_seeds_differ_and_none_is_new_each_time() -> None:
    def decks(seed: int | None) -> bytes:
        return VectorGame("scopa", 3, seed).games["deck"].tobytes()

    assert len({decks(seed) for seed in [None, None, None, 0, 1, 42]}) == 6
    assert decks(0) == decks(0)
    vector = VectorGame("scopa", 3, seed=4, pay="decided")
    for _ in range(100):
        vector.step(first_action(vector.action_mask))
    vector.reset(4)
    fresh = VectorGame("scopa", 3, seed=4, pay="decided")
    for _ in range(100):
        for name in GAME_DTYPE.names:
            assert np.array_equal(vector.games[name], fresh.games[name])
        for mine, new in zip(vector.step(first_action(vector.action_mask)),
                             fresh.step(first_action(fresh.action_mask)), strict=True):  # fmt: skip
            assert np.array_equal(mine, new)


PROGRAM = """
import hashlib, json, sys
import numpy as np
from scopa_env import PRESETS, Game, VectorGame
from scopa_env.game import GAME_DTYPE
from scopa_env.observation import Layout, observe
from scopa_env.view import sample_game, view

digests, seen = {}, {}
for preset in PRESETS:
    digest = hashlib.sha256()
    vector = VectorGame(preset, 1, seed=11, pay="decided", observation="raw")
    while True:  # to the end of the first deal, and the next one dealt
        step = vector.step(vector.action_mask.argmax(1))
        for name in GAME_DTYPE.names:
            digest.update(np.ascontiguousarray(vector.games[name]).tobytes())
        for array in step:
            digest.update(array.tobytes())
        if step.done[0]:
            break
    game, layout, observations = Game.deal(preset, seed=5), Layout(preset), []
    while not game.is_over:
        if game.record["ply"] % 5 == 0:
            twin = sample_game(view(game, game.to_move), np.random.default_rng(1))
            for name in GAME_DTYPE.names:
                digest.update(np.asarray(twin[name]).tobytes())
            observations.append(observe(twin, game.to_move, layout))
        game.act(game.legal_actions()[-1])
    digest.update(json.dumps(game.scores()).encode())
    digests[preset], seen[preset] = digest.hexdigest(), np.array(observations)
np.savez(sys.argv[1], **seen)
print(json.dumps(digests))
"""


def test_processes_and_plain_python_play_alike(tmp_path: Path) -> None:
    """Two hash seeds, compiled; and uncompiled, which warns of any overflow (pitfall B23)."""
    digests, seen = [], []
    for i, how in enumerate(
        [{"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"}, {"NUMBA_DISABLE_JIT": "1"}]
    ):
        file = tmp_path / f"{i}.npz"
        digests.append(json.loads(run_python(PROGRAM, str(file), **how)))
        seen.append(np.load(file))
    assert list(digests[0]) == list(PRESETS)
    assert digests[0] == digests[1] == digests[2]
    for preset in PRESETS:
        assert np.array_equal(seen[0][preset], seen[1][preset])
        np.testing.assert_allclose(seen[0][preset], seen[2][preset], atol=1e-5)


# -- deals that follow one another --------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_a_finished_game_is_dealt_anew_and_the_dealer_moves_on(preset: str) -> None:
    rules = Rules.preset(preset)
    vector, draws = VectorGame(preset, 30, seed=2), np.random.default_rng(2)
    led = np.zeros(rules.players, int)
    dealer = vector.games["dealer"].copy()
    ended = np.zeros(30, int)
    while (ended < 2 * rules.players).any():
        before = vector.games.copy()
        actions = legal_action(vector.action_mask, draws)
        step = vector.step(actions)
        assert np.array_equal(step.to_move, vector.games["to_move"])
        for lane in np.nonzero(step.done)[0]:
            game = Game(rules, before[lane])
            game.act(int(actions[lane]))
            assert game.is_over
            assert [row["total"] for row in game.scores()] == vector.scores[lane].tolist()
            new = vector.games[lane]
            assert new["dealer"] == (dealer[lane] + 1) % rules.players
            assert new["to_move"] == (new["dealer"] + 1) % rules.players
            assert (new["ply"], new["touched"]) == (0, -1)
            begun = Game(rules, new)
            assert [len(hand) for hand in begun.hands] == [rules.hand] * rules.players
            opening = Cards.from_bits(new["opening"])
            if begun.table:
                assert begun.table == opening
            assert sum(map(len, begun.piles)) == len(opening) - len(begun.table)
            assert (new["last_capturer"] == -1) == (not new["pile"].any())
            assert (sum(begun.scope) > 0) == bool(new["pile"].any())
            led[new["to_move"]] += 1
        dealer = vector.games["dealer"].copy()
        ended += step.done
    assert led.max() - led.min() < led.sum() / rules.players  # each seat leads


def test_void_deals_are_dealt_again_by_the_same_dealer() -> None:
    rules = Rules(kings_redeal=1)
    vector, draws = VectorGame(rules, 50, seed=1), np.random.default_rng(1)
    redeals: list[int] = []
    for _ in range(150):
        dealer = vector.games["dealer"].copy()
        done = vector.step(legal_action(vector.action_mask, draws)).done
        assert np.array_equal(vector.games["dealer"], (dealer + done) % 2)
        redeals += vector.games["redeals"][done].tolist()
    assert max(redeals) > 1
    assert (vector.games["opening"] >> 36 == 0).all()


def test_what_is_shown_is_what_a_game_shows() -> None:
    for preset in PRESETS:
        vector, draws = VectorGame(preset, 5, seed=3), np.random.default_rng(3)
        mask = np.empty(41, np.int8)
        for _ in range(60):
            for lane in range(5):
                seat = int(vector.to_move[lane])
                legal_mask(vector.games[lane], seat, mask)
                assert np.array_equal(vector.action_mask[lane], mask)
                seen = observe(vector.games[lane], seat, vector.layout)
                assert seen.tobytes() == vector.observation[lane].tobytes()
            vector.step(legal_action(vector.action_mask, draws))


# -- rewards ------------------------------------------------------------------------------------


def result(totals: list[int], rules: Rules) -> list[int]:
    """By seat: the side's points less those of the best other side."""
    found = []
    for seat in range(rules.players):
        side = rules.side_of(seat)
        others = [n for s, n in enumerate(totals) if s != side]
        found.append(totals[side] - max(others))
    return found


@pytest.mark.parametrize("pay", ["end", "decided"])
@pytest.mark.parametrize("preset", PRESETS)
def test_rewards_add_up_to_the_point_difference(preset: str, pay: str) -> None:
    rules = Rules.preset(preset)
    vector, draws = VectorGame(preset, 20, seed=4, pay=pay), np.random.default_rng(4)
    total = np.zeros((20, rules.players))
    deals = 0
    while deals < 60:
        step = vector.step(legal_action(vector.action_mask, draws))
        total += step.reward
        if rules.num_sides == 2:
            for seat in range(rules.players):
                partner = [s for s in range(rules.players) if s % 2 == seat % 2]
                assert (step.reward[:, partner] == step.reward[:, [seat]]).all()
            assert (step.reward[:, 0] == -step.reward[:, 1]).all()
        if pay == "end":
            assert not step.reward[~step.done].any()
        for lane in np.nonzero(step.done)[0]:
            assert total[lane].tolist() == result(vector.scores[lane].tolist(), rules)
            total[lane] = 0
            deals += 1


@pytest.mark.parametrize("preset", PRESETS)
def test_win_rewards_are_signs(preset: str) -> None:
    rules = Rules.preset(preset)
    vector, draws = VectorGame(preset, 20, seed=4, reward="win"), np.random.default_rng(4)
    deals = 0
    while deals < 60:
        step = vector.step(legal_action(vector.action_mask, draws))
        assert not step.reward[~step.done].any()
        for lane in np.nonzero(step.done)[0]:
            wanted = np.sign(result(vector.scores[lane].tolist(), rules))
            assert step.reward[lane].tolist() == wanted.tolist()
            deals += 1


@pytest.mark.parametrize("preset", PRESETS)
def test_decided_points_stay_decided(preset: str) -> None:
    """What is paid early is never lost again, and is all of these points once none is open."""
    rules = Rules.preset(preset)
    for seed in range(40):
        game, rng = Game.deal(rules, seed=seed), random.Random(seed)
        now, before = np.zeros(6, np.int64), np.zeros(6, np.int64)
        parts = []
        while not game.is_over:
            game.play(rng.choice(game.legal_moves()))
            decided_points(game.record, now)
            parts.append(now[: rules.num_sides].copy())
            assert (now >= before).all()
            before[:] = now
        for side, row in enumerate(game.scores()):
            assert now[side] <= row["total"]
            if game.last_capturer is not None:
                sure = row["carte"] + row["denari"] + row["settebello"] + row["scope"]
                sure += row["hand_bonus"]
                assert parts[-1][side] == sure


def test_point_difference_with_three_and_four_sides() -> None:
    for sides, totals in ((3, [5, 2, 4]), (3, [1, 1, 0]), (4, [0, 7, 7, 2])):
        rules = Rules(players=sides, sides=tuple((s,) for s in range(sides)))
        game = Game.deal(rules, seed=1)
        difference = np.zeros(sides, np.int64)
        point_difference(game.record, np.array([*totals, *[99] * (6 - sides)]), difference)
        assert difference.tolist() == result(totals, rules)


# -- what is not allowed ------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("bad", [-1, 41, 40, 2**40, -(2**40), "another's card"])
def test_an_illegal_action_raises_and_changes_nothing(bad: Any, threads: int) -> None:
    vector, draws = VectorGame("scopa", 9, 1, num_threads=threads), np.random.default_rng(1)
    for _ in range(17):
        vector.step(legal_action(vector.action_mask, draws))
    before = state(vector)
    for lane in (0, 4, 8):
        actions = legal_action(vector.action_mask, draws)
        illegal = np.nonzero(vector.action_mask[lane] == 0)[0]
        actions[lane] = illegal[0] if bad == "another's card" else bad
        with pytest.raises(ValueError, match=rf"game {lane}: .*; legal are: \d+ \(\d+[DCSB]\)"):
            vector.step(actions)
        assert state(vector) == before
    vector.step(legal_action(vector.action_mask, draws))
    assert state(vector) != before


def test_odd_arguments_raise() -> None:
    vector = VectorGame("scopa", 3, seed=1)
    before = state(vector)
    for actions in ([1], [[1, 2, 3]], 1, [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="shape"):
            vector.step(np.array(actions))
    assert state(vector) == before
    for bad, message in (
        ({"num_games": 0}, "num_games=0"),
        ({"num_threads": 0}, "num_threads=0"),
        ({"reward": "money"}, "reward='money'"),
        ({"pay": "never"}, "pay='never'"),
        ({"pay": "decided", "reward": "win"}, "pay='decided'"),
        ({"observation": "half"}, "observation='half'"),
        ({"seed": -1}, "seed=-1"),
        ({"rules": "poker"}, "poker"),
    ):
        with pytest.raises(ValueError, match=message):
            VectorGame(**{"num_games": 2, **bad})


def test_actions_of_other_integer_types() -> None:
    vector = VectorGame("scopa", 3, seed=1)
    other = VectorGame("scopa", 3, seed=1)
    for dtype in (np.int8, np.uint8, np.int32, np.int64):
        actions = first_action(vector.action_mask)
        vector.step(actions.astype(dtype))
        other.step(actions.tolist())
        assert state(vector) == state(other)


# -- side effects and memory --------------------------------------------------------------------


def test_global_generators_are_left_alone() -> None:
    """Pitfall B23."""
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    mine, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    vector = VectorGame("scopa", 4)
    finish(vector, np.random.default_rng(1))
    vector.reset(3)
    Game.deal("scopa").sample(0, np.random.default_rng(1))
    assert random.getstate() == mine
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(a, b) for a, b in zip(after, numpys, strict=True))


def test_memory_is_flat() -> None:
    """Some 5,000 deals in the same arrays."""
    vector, draws = VectorGame("scopa", 250, seed=1), np.random.default_rng(1)
    finish(vector, draws)
    arrays = [id(array) for array in (vector.observation, vector.reward, vector.games)]
    gc.collect()
    tracemalloc.start()
    finish(vector, draws)
    first = tracemalloc.get_traced_memory()[0]
    finish(vector, draws, deals=20)
    gc.collect()
    last = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert last - first < 20_000
    assert arrays == [id(array) for array in (vector.observation, vector.reward, vector.games)]


@pytest.mark.parametrize("actions", [[1.0, 2.0], [True, True], ["1", "2"], [None, 1]])
def test_actions_that_are_no_whole_numbers_raise(actions: Any) -> None:
    games = VectorGame("scopa", 2, seed=1)
    with pytest.raises(ValueError, match="whole numbers"):
        games.step(np.array(actions))


def test_games_that_are_none_are_refused() -> None:
    """Kernels know no bounds, so nothing else may reach them."""
    vector = VectorGame("scopa", 4, seed=1)
    good = vector.games.copy()
    noise = np.random.default_rng(1).integers(0, 256, good.nbytes, np.uint8).view(GAME_DTYPE)
    for games, message in (
        (VectorGame("scopa_6p", 4, seed=1).games, "other rules"),
        (good[:3], "4 are wanted"),
        (noise, "games:"),
        (good["table"], "GAME_DTYPE"),
    ):
        with pytest.raises(ValueError, match=message):
            vector.set_games(games)
    for name, value in (("to_move", 2), ("to_move", -1), ("ply", 40), ("hand_count", 4),
                        ("table", 1 << 41), ("deck", 40), ("touched", 41)):  # fmt: skip
        games = good.copy()
        games[name][2] = value
        with pytest.raises(ValueError, match="number 2 is no game in play"):
            vector.set_games(games)
    assert same(vector.games, good)
    assert vector.set_games(good).to_move.tolist() == good["to_move"].tolist()
    for paid in (np.zeros((4, 3), int), np.zeros((4, 2))):
        with pytest.raises(ValueError, match="paid"):
            vector.set_games(good, paid)


def test_arrays_to_write_to_must_fit() -> None:
    for name, array in (
        ("observation", np.zeros((4, 10), np.float32)),
        ("observation", np.zeros((4, 531))),
        ("action_mask", np.zeros((4, 40), np.int8)),
    ):
        vector = VectorGame("scopa", 4, seed=1)
        setattr(vector, name, array)
        with pytest.raises(ValueError, match=f"{name}: .* is wanted"):
            vector.step(legal_first(vector))


def legal_first(vector: VectorGame) -> np.ndarray:
    return np.array([(int(b) & -int(b)).bit_length() - 1 for b in vector.legal])
