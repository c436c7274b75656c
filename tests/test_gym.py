"""The Gymnasium environment: the library's own checks, opponents, rewards, masks, seeds."""

from __future__ import annotations

import copy
import importlib.metadata
import pickle
import random

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from helpers import run_python, same

import scopa_env.gym as scopa_gym
from scopa_env import CARDS, Game, Rules, sample_game
from scopa_env.game import GAME_DTYPE, NONE, NUM_ACTIONS, legal_bits
from scopa_env.gym import ScopaEnv
from scopa_env.view import view

PRESETS = ["scopa", "scopa_3p", "scopa_teams", "scopa_6p", "scopone"]


class Forgiving(ScopaEnv):
    """Takes the first legal action for an illegal one: check_env draws them without the mask."""

    def step(self, action):
        mask = self.action_masks()
        return super().step(action if mask[action] else int(np.flatnonzero(mask)[0]))


class Spy:
    """Plays at random and keeps what it was shown."""

    def __init__(self, sees_everything=False):
        self.seen = []
        if sees_everything:
            self.sees_everything = True

    def act(self, views, rng):
        self.seen.append(views.copy())
        views["hand"] = 0  # the array is the agent's own
        shown = self.seen[-1][0]
        legal = [a for a in range(NUM_ACTIONS) if int(legal_bits(shown)) >> a & 1]
        return np.array([rng.choice(legal)])


def first(views, rng):
    """A function as an opponent: the lowest legal action."""
    bits = int(legal_bits(views[0]))
    return (bits & -bits).bit_length() - 1


def choose(info, rng):
    return int(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))


def play(env, info, rng, steps=10**9):
    """Play at random to the end, or for some steps; rewards and the last info."""
    rewards = []
    for _ in range(steps):
        _, reward, over, cut, info = env.step(choose(info, rng))
        assert cut is False
        rewards.append(reward)
        if over:
            break
    return rewards, info


# ---------------------------------------------------------------------------------------------
# The library
# ---------------------------------------------------------------------------------------------


@pytest.fixture
def forgiving():
    gymnasium.register("ForgivingScopa-v0", entry_point=lambda **given: Forgiving(**given))
    yield "ForgivingScopa-v0"
    del gymnasium.registry["ForgivingScopa-v0"]


@pytest.mark.parametrize(
    "given",
    [{}, {"rules": "scopone", "episode": "match", "observation": "raw"}, {"opponent": first}],
)
def test_what_gymnasium_checks(forgiving, given, capsys):
    check_env(gymnasium.make(forgiving, **given).unwrapped)


def test_gymnasium_makes_it():
    env = gymnasium.make("Scopa-v0", rules="scopa_3p", opponent=[None, first], seat=1)
    assert env.spec.id == "Scopa-v0"
    observation, info = env.reset(seed=1)
    assert observation in env.observation_space
    assert info["seat"] == 1
    rewards, info = play(env, info, random.Random(1))
    assert sum(rewards[:-1]) == 0
    assert env.get_wrapper_attr("action_masks")().dtype == np.bool_
    assert env.unwrapped.game.is_over


def test_many_of_them():
    envs = gymnasium.make_vec("Scopa-v0", num_envs=3, vectorization_mode="sync", seat=0)
    observation, _ = envs.reset(seed=1)
    rng = random.Random(1)
    hands = observation["observation"][:, :40]
    assert len({hand.tobytes() for hand in hands}) == 3
    over = np.zeros(3, np.bool_)
    for _ in range(60):
        masks = observation["action_mask"]
        assert (masks.any(axis=1) | over).all()
        actions = [rng.choice(np.flatnonzero(mask).tolist() or [0]) for mask in masks]
        observation, _, over, _, _ = envs.step(np.array(actions))
    envs.close()


@pytest.mark.parametrize(
    "imports",
    [
        "import gymnasium, scopa_env.gym",
        "import scopa_env; import gymnasium",
        "import gymnasium; import scopa_env",
        "from scopa_env import scopa_v0; import gymnasium",
        "import gymnasium; gymnasium.make('scopa_env.gym:Scopa-v0')",
    ],
)
def test_it_is_registered_whatever_is_imported_first(imports):
    code = f"{imports}; print(gymnasium.make('Scopa-v0').unwrapped.rules.name)"
    assert run_python(code).strip() == "scopa"


def test_registering_twice_is_quiet():
    from scopa_env._register import (
        gymnasium_environments,
        pettingzoo_environments,
        register,
    )

    for _ in range(2):
        gymnasium_environments()
        pettingzoo_environments()
        register()


def test_registering_leaves_pettingzoo_and_torch_alone():
    code = "import sys, scopa_env; print([n for n in ('pettingzoo', 'torch') if n in sys.modules])"
    assert run_python(code).strip() == "[]"


# ---------------------------------------------------------------------------------------------
# Rewards
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("opponent", [None, first])
def test_rewards_add_up_to_the_point_difference(rules, opponent):
    """For every seat, whoever deals."""
    rules = Rules.preset(rules)
    env = ScopaEnv(rules=rules, opponent=opponent)
    rng = random.Random(1)
    for seat in range(rules.players):
        for dealer in range(rules.players):
            _, info = env.reset(seed=seat, options={"seat": seat, "dealer": dealer})
            assert env.game.dealer == dealer
            assert env.game.to_move == seat == info["seat"]
            rewards, info = play(env, info, rng)
            totals = [side["total"] for side in env.game.scores()]
            assert [side["total"] for side in info["scores"]] == totals
            own = totals.pop(rules.side_of(seat))
            assert sum(rewards) == own - max(totals)
            assert not any(rewards[:-1])
            assert all(isinstance(reward, float) for reward in rewards)


@pytest.mark.parametrize("rules", ["scopa", "scopa_3p", "scopone"])
@pytest.mark.parametrize("reward", ["points", "win"])
def test_rewards_of_a_match(rules, reward):
    rules = Rules.preset(rules, target=7)
    env = ScopaEnv(rules=rules, episode="match", reward=reward, opponent=first)
    for seed in range(4):
        _, info = env.reset(seed=seed)
        rewards, info = play(env, info, random.Random(seed))
        scores = list(info["match_scores"])
        assert max(scores) >= 7
        assert info["deals"] >= 2 or max(scores) >= 7
        own = scores.pop(rules.side_of(env.seat))
        if reward == "win":
            assert [sum(rewards)] == [1 if own > max(scores) else -1]
        elif rules.num_sides == 2:
            assert sum(rewards) == own - scores[0]


def test_random_against_random_is_fair():
    """Seats swapped over the same deals: no seat is paid for another's cards."""
    env = ScopaEnv(reward="win")
    results = []
    for seed in range(300):
        for seat in range(2):
            _, info = env.reset(seed=seed, options={"seat": seat})
            rewards, _ = play(env, info, random.Random(seed * 2 + seat))
            results.append(sum(rewards))
    mean, error = np.mean(results), np.std(results) / len(results) ** 0.5
    assert abs(mean) < 4 * error


# ---------------------------------------------------------------------------------------------
# Opponents
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["scopa", "scopa_teams"])
def test_opponents_get_views_of_their_own_seat(rules):
    spy = Spy()
    env = ScopaEnv(rules=rules, opponent=spy, seat=0)
    _, info = env.reset(seed=1)
    play(env, info, random.Random(1))
    assert len(spy.seen) >= env.rules.plays // env.rules.players
    for seen in spy.seen:
        assert seen.dtype == GAME_DTYPE
        assert seen.shape == (1,)
        record = seen[0]
        assert record["viewer"] == record["to_move"] != 0
        assert (record["deck"] == -1).all()
        assert not record["rng"].any()
        assert sum(bits != 0 for bits in record["hand"]) == 1


def test_an_opponent_that_declares_it_sees_everything():
    spy = Spy(sees_everything=True)
    env = ScopaEnv(opponent=spy, seat=0)
    _, info = env.reset(seed=1)
    play(env, info, random.Random(1))  # that it writes to what it sees changes nothing
    assert all(seen[0]["viewer"] == NONE for seen in spy.seen)
    assert all((seen[0]["deck"] >= 0).all() for seen in spy.seen)


def test_a_list_seats_opponents_in_playing_order():
    spies = [Spy(), Spy(), Spy()]
    env = ScopaEnv(rules="scopa_teams", opponent=spies, seat=2)
    _, info = env.reset(seed=1)
    play(env, info, random.Random(1))
    assert [{int(seen[0]["viewer"]) for seen in spy.seen} for spy in spies] == [{3}, {0}, {1}]


def test_an_opponent_plays_what_it_answers():
    env = ScopaEnv(opponent=first, seat=0)
    _, info = env.reset(seed=5)
    while True:
        before = env.game
        action = choose(info, random.Random(1))
        before.act(action)
        while before.to_move == 1:
            before.act(before.legal_actions()[0])
        _, _, over, _, info = env.step(action)
        assert same(env.game.record, before.record)
        if over:
            break


@pytest.mark.parametrize(
    ("answer", "message"),
    [(99, "answered 99, which is not legal$"), ([1, 2], "not one action"), (0.5, "not legal")],
)
def test_an_opponent_that_cheats_is_named(answer, message):
    env = ScopaEnv(opponent=lambda views, rng: np.array(answer), seat=0)
    _, info = env.reset(seed=1, options={"dealer": 1})
    with pytest.raises(ValueError, match=f"seat 1.*{message}"):
        play(env, info, random.Random(1))


def test_names_of_opponents(monkeypatch):
    made = []

    def make(spec, rules):
        made.append((spec, rules.name))
        if not spec.startswith("spy"):
            raise ValueError(f"no agent {spec!r}")
        return Spy()

    class Entry:
        value = "somewhere:make"

        def load(self):
            return make

    monkeypatch.setattr(scopa_gym, "entry_points", lambda group: [Entry()])
    env = ScopaEnv(rules="scopone", opponent="spy:loud=true")
    assert made == [("spy:loud=true", "scopone")]
    assert isinstance(env._others[0], Spy)
    with pytest.raises(ValueError, match=r"opponent='nobody'.*somewhere:make: no agent") as it:
        ScopaEnv(opponent="nobody")
    assert "\n" not in str(it.value)
    monkeypatch.setitem(scopa_gym.opponents, "nobody", lambda spec, rules: first)
    assert ScopaEnv(opponent="nobody")._others == [first]
    assert ScopaEnv(opponent="random")._others == [None]
    monkeypatch.setattr(scopa_gym, "entry_points", lambda group: [])
    with pytest.raises(ValueError, match="no installed package offers opponents") as it:
        ScopaEnv(opponent="greedy")
    assert "\n" not in str(it.value)


def test_a_package_that_does_not_load_is_named(monkeypatch):
    entry = importlib.metadata.EntryPoint("make", "no.such.package:make", scopa_gym.GROUP)
    monkeypatch.setattr(scopa_gym, "entry_points", lambda group: [entry])
    with pytest.raises(ValueError, match=r"no\.such\.package:make: No module named"):
        ScopaEnv(opponent="greedy")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rules": "briscola"}, "rules='briscola'"),
        ({"episode": "game"}, "episode='game'"),
        ({"reward": "money"}, "reward='money'"),
        ({"observation": "pixels"}, "observation='pixels'"),
        ({"render_mode": "3d"}, "render_mode='3d'"),
        ({"seat": 2}, "seat=2"),
        ({"opponent": 5}, "opponent=5"),
        ({"opponent": [None, None]}, "opponent: 1 are wanted"),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=message) as it:
        ScopaEnv(**wrong)
    assert "\n" not in str(it.value)


# ---------------------------------------------------------------------------------------------
# Observations and masks
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_masks_and_spaces(rules, episode):
    env = ScopaEnv(rules=rules, episode=episode)
    assert env.action_space == gymnasium.spaces.Discrete(NUM_ACTIONS)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        over = False
        while True:
            game = env.game
            wanted = game.legal_actions()
            assert observation in env.observation_space
            assert np.flatnonzero(info["action_mask"]).tolist() == wanted
            assert info["action_mask"].dtype == np.int8
            assert np.array_equal(observation["action_mask"], info["action_mask"])
            assert np.array_equal(env.action_masks(), info["action_mask"] == 1)
            assert over == game.is_over
            if over:
                break
            assert game.to_move == info["seat"]
            assert 0 < len(wanted) < NUM_ACTIONS
            observation, _, over, _, info = env.step(choose(info, random.Random(seed)))


def test_what_is_hidden_changes_nothing_you_get():
    """The hidden cards dealt anew at each of your turns."""
    env = ScopaEnv(rules="scopa_teams", episode="match", seat=1)
    observation, info = env.reset(seed=4)
    generator = np.random.default_rng(1)
    for _ in range(20):
        twin = copy.deepcopy(env)
        twin._episode.games[0] = sample_game(view(env.game, 1), generator)
        assert not same(twin.game.record, env.game.record)
        twin._episode.go_on(NONE)
        seen = twin._episode.look()
        for name, array in observation.items():
            assert seen[name].tobytes() == array.tobytes()
        assert str(twin._info()) == str(info)
        observation, _, _, _, info = env.step(choose(info, random.Random(1)))


def test_an_illegal_action_changes_nothing_and_is_told_what_is_legal():
    env = ScopaEnv()
    _, info = env.reset(seed=7)
    rng = random.Random(7)
    for _ in range(12):
        legal = env.game.legal_actions()
        for action in [a for a in [*range(NUM_ACTIONS), -1, 41, None, "7D"] if a not in legal]:
            before = pickle.dumps(env._episode), str(env.np_random.bit_generator.state)
            with pytest.raises(ValueError, match="is not legal; legal are: ") as it:
                env.step(action)
            assert all(str(a) in str(it.value) for a in legal)
            assert (pickle.dumps(env._episode), str(env.np_random.bit_generator.state)) == before
        _, _, over, _, info = env.step(choose(info, rng))
        assert not over


def test_arrays_are_fresh():
    env = ScopaEnv()
    kept, before = [], []
    observation, info = env.reset(seed=1)
    for _ in range(8):
        kept += [observation["observation"], observation["action_mask"], info["action_mask"]]
        kept.append(env.action_masks())
        before = [array.copy() for array in kept]
        observation, _, _, _, info = env.step(choose(info, random.Random(1)))
        assert all(np.array_equal(a, b) for a, b in zip(kept, before, strict=True))
    for array in kept:
        array[:] = 1
    assert len({array.ctypes.data for array in kept}) == len(kept)
    assert np.array_equal(env.action_masks(), info["action_mask"] == 1)
    assert info["action_mask"].sum() < NUM_ACTIONS


# ---------------------------------------------------------------------------------------------
# Seeds, options, copies
# ---------------------------------------------------------------------------------------------


def log_of(env, seed, episodes=3):
    """All that happens in some episodes, the first from a seed."""
    log = []
    _, info = env.reset(seed=seed)
    for _ in range(episodes):
        rewards, last = play(env, info, random.Random(1))
        log.append((str(info), rewards, str(last), env.game.record["card_at"].tobytes()))
        _, info = env.reset()
    return log


@pytest.mark.parametrize("opponent", [None, first, Spy()])
def test_a_seed_fixes_everything(opponent):
    logs = [log_of(ScopaEnv(rules="scopa_3p", opponent=opponent), seed) for seed in (0, 0, 1)]
    assert logs[0] == logs[1] != logs[2]
    assert len({str(entry) for entry in logs[0]}) == 3


def test_a_seed_deals_the_cards_of_game_deal():
    env = ScopaEnv(rules="scopa_teams")
    for seed in (0, 1, 42):
        env.reset(seed=seed)
        wanted = Game.deal("scopa_teams", seed=seed)
        assert env.game.record["deck"].tobytes() == wanted.record["deck"].tobytes()
        assert env.game.dealer == wanted.dealer


def test_without_a_seed_every_deal_is_another():
    env = ScopaEnv()
    for seed in (0, None):
        env.reset(seed=seed)
        found = set()
        for _ in range(500):
            env.reset()
            found.add((env.game.record["deck"].tobytes(), env.seat))
        assert len({deck for deck, _ in found}) == 500
        assert {seat for _, seat in found} == {0, 1}
    decks = []
    for seed in (0, None, 42, None):
        env = ScopaEnv()
        env.reset(seed=seed)
        decks.append(env.game.record["deck"].tobytes())
    assert len(set(decks)) == 4


def test_no_global_generator_is_touched():
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    log_of(ScopaEnv(), None)
    log_of(ScopaEnv(opponent=first), 3)
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # noqa: NPY002


def test_options():
    env = ScopaEnv(rules="scopa_3p", seat=1)
    deck = list(CARDS)
    random.Random(3).shuffle(deck)
    given = {"seat": 0, "dealer": 2, "scores": [1, 2, 3], "deck": deck, "colour": "blue"}
    _, info = env.reset(seed=1, options=given)
    game = Game.deal("scopa_3p", dealer=2, deck=deck)
    assert (info["seat"], env.game.dealer, env.game.hands) == (0, 2, game.hands)
    assert env.game.record["match_scores"].tolist()[:3] == [1, 2, 3]
    _, info = env.reset()
    assert info["seat"] == 1
    for options in ({"seat": 3}, {"dealer": -1}, {"scores": [1]}, {"deck": "7D"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            env.reset(options=options)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_identically_by_itself(how):
    env = ScopaEnv(rules="scopa_teams", episode="match", opponent=[first, None, first])
    _, info = env.reset(seed=2)
    _, info = play(env, info, random.Random(1), steps=7)
    twin = how(env)
    one = play(env, info, random.Random(2))
    other = play(twin, info, random.Random(2))
    assert str(one) == str(other)
    assert len(one[0]) > 9
    assert str(env.reset()) == str(twin.reset())


# ---------------------------------------------------------------------------------------------
# Rendering
# ---------------------------------------------------------------------------------------------


def test_rendering(capsys):
    env = ScopaEnv(render_mode="ansi")
    env.reset(seed=1)
    assert f"player_1   {env.game.hands[1]}" in env.render()
    env = gymnasium.make("Scopa-v0", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().dtype == np.uint8
    assert capsys.readouterr().out == ""
    env = ScopaEnv(render_mode="human")
    _, info = env.reset(seed=1)
    env.step(choose(info, random.Random(1)))
    assert capsys.readouterr().out.count("cards played") == 2
    env = ScopaEnv()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="no render_mode"):
        assert env.render() is None


def test_what_opponents_draw_with_says_nothing_of_the_cards():
    """Neither the state of their generator nor how it was seeded is that of the deal."""
    seeds = []

    def spy(views, rng):
        seeds.append(rng.bit_generator.seed_seq.entropy)
        bits = int(legal_bits(views[0]))
        return np.array([(bits & -bits).bit_length() - 1])

    env = ScopaEnv(opponent=spy, seat=0)
    for seed in (7, 123456789):
        env.reset(seed=seed, options={"dealer": 0})
        assert seeds
        for entropy in seeds:
            assert entropy != seed
            assert env.game.hands[1] != Game.deal("scopa", entropy, dealer=0).hands[1]
        seeds.clear()


def test_after_an_opponent_failed_its_cards_are_not_yours():
    def broken(views, rng):
        raise RuntimeError("no idea")

    env = ScopaEnv(opponent=broken, seat=0)
    _, info = env.reset(seed=7, options={"dealer": 1})
    with pytest.raises(RuntimeError, match="no idea"):
        env.step(int(info["action_mask"].argmax()))
    with pytest.raises(ValueError, match="not your turn") as caught:
        env.step(40)
    assert not any(card in str(caught.value) for card in map(str, env.game.hands[1]))
