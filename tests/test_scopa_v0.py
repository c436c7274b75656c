"""The PettingZoo environment: the library's own checks, and what those do not see."""

from __future__ import annotations

import copy
import inspect
import pickle
import random

import gymnasium
import numpy as np
import pettingzoo
import pytest
from helpers import run_python, same
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from scopa_env import CARDS, Game, Match, Rules, sample_game, scopa_v0
from scopa_env.game import NONE, NUM_ACTIONS
from scopa_env.render import table_text
from scopa_env.view import view

PRESETS = ["scopa", "scopa_3p", "scopa_teams", "scopa_6p", "scopone"]
FORMS = [("scopa", "deal"), ("scopa_3p", "match"), ("scopone", "deal"), ("scopa_6p", "match")]

# PettingZoo's checks know by name which of its own environments observe a Dict, and find a mask
# of zeros odd, which is what a seat whose episode is over must get.
library_checks = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)


def choose(observation, rng):
    """A legal action at random."""
    return int(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))


def play(env, rng, plies=None):
    """Play at random, to the end or for some plies; what each agent got through last()."""
    got = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(plies if plies is not None else 10**9):
        observation, reward, termination, truncation, _ = env.last()
        got[agent] += reward
        env.step(None if termination or truncation else choose(observation, rng))
    return got


def everything(env):
    """All that a raw environment holds, as comparable values."""
    episode = env._episode
    return (
        episode.games.tobytes(),
        episode.observation.tobytes(),
        episode.mask.tobytes(),
        episode.to_move,
        list(episode.match_scores),
        env.agent_selection,
        list(env.agents),
        dict(env.rewards),
        dict(env._cumulative_rewards),
        dict(env.terminations),
        copy.deepcopy(env.infos),
    )


def seen_by(env, agent):
    """What an agent gets to see, as bytes and values."""
    observation = env.observe(agent)
    return (
        observation["observation"].tobytes(),
        observation["action_mask"].tobytes(),
        env.infos.get(agent),
    )


def difference(rules, totals, seat):
    """A seat's side's points less those of the best other side."""
    side = rules.side_of(seat)
    return totals[side] - max(points for s, points in enumerate(totals) if s != side)


# ---------------------------------------------------------------------------------------------
# The library's own checks
# ---------------------------------------------------------------------------------------------


@library_checks
@pytest.mark.parametrize(("rules", "episode"), FORMS)
def test_api(rules, episode, capsys):
    api_test(scopa_v0.env(rules=rules, episode=episode), num_cycles=150)
    api_test(scopa_v0.raw_env(rules=rules, episode=episode, observation="raw"), num_cycles=60)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize(("rules", "episode"), FORMS)
def test_seeds_as_the_library_checks_them(rules, episode):
    seed_test(lambda: scopa_v0.env(rules=rules, episode=episode), num_cycles=40)


def test_rendering_as_the_library_checks_it(capsys):
    render_test(lambda render_mode: scopa_v0.env(rules="scopone", render_mode=render_mode))
    assert "player_3" in capsys.readouterr().out


@pytest.mark.parametrize(("rules", "episode"), FORMS)
def test_parallel_view(rules, episode, capsys):
    parallel_api_test(
        turn_based_aec_to_parallel(scopa_v0.env(rules=rules, episode=episode)), num_cycles=60
    )


# ---------------------------------------------------------------------------------------------
# Form
# ---------------------------------------------------------------------------------------------


def test_what_it_says_of_itself():
    env = scopa_v0.env(rules="scopa_teams")
    assert env.metadata["name"] == str(env.unwrapped) == "scopa_v0"
    assert env.metadata["is_parallelizable"] is False
    assert set(env.metadata["render_modes"]) == {"ansi", "rgb_array", "human"}
    assert env.metadata["render_fps"] > 0
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    layers = []
    while env is not env.unwrapped:
        layers.append(type(env).__name__)
        env = env.env
    assert layers == [
        "OrderEnforcingWrapper",
        "AssertOutOfBoundsWrapper",
        "TerminateIllegalWrapper",
    ]


def test_spaces():
    env = scopa_v0.raw_env(rules="scopa_3p", observation="raw")
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent) == gymnasium.spaces.Discrete(NUM_ACTIONS)
        assert space["observation"].shape == (env.layout.size,)
        assert space["observation"].dtype == np.float32
        assert np.isfinite(space["observation"].high).all()
        assert space["action_mask"].dtype == np.int8


@pytest.mark.parametrize("rules", PRESETS)
def test_every_observation_lies_in_its_space(rules):
    env = scopa_v0.raw_env(rules=rules, episode="match")
    env.reset(seed=1, options={"scores": [20] * env.rules.num_sides})
    rng = random.Random(1)
    for agent in env.agent_iter(200):
        for other in env.possible_agents:
            assert env.observe(other) in env.observation_space(other)
        assert env.state() in env.state_space
        observation, _, over, _, _ = env.last()
        env.step(None if over else choose(observation, rng))
        assert agent in env.possible_agents


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rules": "briscola"}, "rules='briscola': the presets are"),
        ({"rules": {"players": 5}}, "players=5: allowed are"),
        ({"episode": "game"}, "episode='game': allowed are 'deal', 'match'"),
        ({"reward": "money"}, "reward='money': allowed are 'points', 'win'"),
        ({"observation": "pixels"}, "observation='pixels': allowed are"),
        ({"render_mode": "3d"}, "render_mode='3d': allowed are None, 'ansi'"),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=message) as it:
        scopa_v0.env(**wrong)
    assert "\n" not in str(it.value)


def test_rules_may_be_a_record_a_name_or_a_dict():
    for rules in (Rules.preset("scopa", target=21), {"target": 21}):
        assert scopa_v0.raw_env(rules=rules).rules.target == 21
    assert scopa_v0.raw_env(rules="scopone").rules == Rules.preset("scopone")


def test_ezpickle_gets_every_argument():
    given = ("scopone", "match", "win", "raw", "ansi")
    env = scopa_v0.raw_env(*given)
    names = list(inspect.signature(scopa_v0.raw_env.__init__).parameters)[1:]
    assert env._ezpickle_args == given
    assert len(names) == len(given)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo before 1.27")
def test_the_registry_of_pettingzoo():
    env = pettingzoo.make("aec", "scopa_v0", rules="scopa_3p")
    assert len(env.possible_agents) == 3


# ---------------------------------------------------------------------------------------------
# Rewards
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("reward", ["points", "win"])
def test_rewards_through_last_are_the_point_difference(rules, episode, reward):
    """Whoever deals: an independent Game is played along and counted by a Match."""
    rules = Rules.preset(rules, target=6)
    env = scopa_v0.raw_env(rules=rules, episode=episode, reward=reward)
    for dealer in range(rules.players):
        rng = random.Random(dealer)
        env.reset(seed=dealer + 10, options={"dealer": dealer})
        shadow = Game.deal(rules, seed=dealer + 10, dealer=dealer)
        match = Match(rules, dealer=dealer)
        got = dict.fromkeys(env.possible_agents, 0.0)
        wanted = [0] * rules.players
        for agent in env.agent_iter():
            observation, paid, over, _, info = env.last()
            got[agent] += paid
            if over:
                assert info["match_scores"] == match.scores
                env.step(None)
                continue
            assert agent == f"player_{shadow.to_move}"
            assert np.flatnonzero(observation["action_mask"]).tolist() == shadow.legal_actions()
            action = choose(observation, rng)
            env.step(action)
            shadow.act(action)
            if not shadow.is_over:
                assert not any(env.rewards.values())
                continue
            assert env.infos[agent]["scores"] == [
                {k: v for k, v in side.items() if k in env.infos[agent]["scores"][0]}
                for side in shadow.scores()
            ]
            match.add(shadow.scores())
            totals = [side["total"] for side in shadow.scores()]
            if episode == "match" and reward == "win":
                totals = match.scores if match.is_over else [0] * rules.num_sides
            worth = [difference(rules, totals, seat) for seat in range(rules.players)]
            if reward == "win":
                worth = [(w > 0) - (w < 0) for w in worth]
            wanted = [have + more for have, more in zip(wanted, worth, strict=True)]
            assert list(env.rewards.values()) == worth
            if rules.num_sides == 2:
                assert sum(worth[: rules.num_sides]) == 0
            ended = episode == "deal" or match.is_over
            assert set(env.terminations.values()) == {ended}
            if not ended:
                shadow = env.game
                assert shadow.dealer == match.dealer
                assert shadow.record["match_scores"][: rules.num_sides].tolist() == match.scores
                assert env.infos[agent]["deals"] == match.deals
        assert [got[agent] for agent in env.possible_agents] == wanted
        for side in rules.sides:
            assert len({got[f"player_{seat}"] for seat in side}) == 1


def test_a_known_deal_pays_what_it_is_worth():
    """Both play the only or the first legal card of a deal fixed to the last card."""
    deck = [c for c in CARDS if c.rank != 10] + [c for c in CARDS if c.rank == 10]
    env = scopa_v0.raw_env()
    env.reset(seed=0, options={"deck": " ".join(deck), "dealer": 1})
    game = Game.deal("scopa", deck=deck, dealer=1)
    while not game.is_over:
        action = game.legal_actions()[0]
        game.act(action)
        env.step(action)
    first, second = (side["total"] for side in game.scores())
    assert first != second
    assert env.rewards == {"player_0": first - second, "player_1": second - first}


def test_level_at_the_top_plays_on():
    """A match of one point more than enough goes on while the best sides are level."""
    level = 0
    for seed in range(12):
        env = scopa_v0.raw_env(rules={"target": 2}, episode="match")
        env.reset(seed=seed)
        rng = random.Random(seed)
        while not any(env.terminations.values()):
            scores = env.infos["player_0"].get("match_scores", [0, 0])
            assert scores[0] == scores[1] or max(scores) < 2
            level += max(scores) >= 2
            env.step(choose(env.last()[0], rng))
    assert level > 0


# ---------------------------------------------------------------------------------------------
# What a seat sees
# ---------------------------------------------------------------------------------------------


def stage(env):
    """What changes when hidden cards come to light: hands are dealt, or the deal ends."""
    record = env.game.record
    return int(record["dealt"]), int(record["deal_number"]), env.game.is_over


@pytest.mark.parametrize("rules", ["scopa", "scopa_3p", "scopa_teams", "scopone"])
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_what_is_hidden_changes_nothing_a_seat_gets(rules, episode):
    """At every ply, for every seat: the hidden cards dealt anew, and played on from there."""
    env = scopa_v0.raw_env(rules=rules, episode=episode)
    env.reset(seed=3)
    rng = random.Random(3)
    generator = np.random.default_rng(3)
    deal = env.rules.plays
    changed = 0
    for _ in range(deal if episode == "deal" else deal + 6):
        for seat, agent in enumerate(env.possible_agents):
            twin = copy.deepcopy(env)
            twin._episode.games[0] = sample_game(view(env.game, seat), generator)
            twin._episode.go_on(NONE)
            changed += twin._episode.games["hand"].tobytes() != env._episode.games["hand"].tobytes()
            assert seen_by(twin, agent) == seen_by(env, agent)
            if agent == env.agent_selection:
                after = copy.deepcopy(env)
                action = choose(env.observe(agent), rng)
                after.step(action)
                twin.step(action)
                if stage(after) == stage(env):
                    assert seen_by(twin, agent) == seen_by(after, agent)
        env.step(choose(env.last()[0], rng))
        if any(env.terminations.values()):
            break
    assert changed > deal


@pytest.mark.parametrize(("rules", "episode"), FORMS)
def test_masks_are_the_legal_actions_and_zero_for_the_others(rules, episode):
    env = scopa_v0.env(rules=rules, episode=episode)
    for seed in range(3):
        env.reset(seed=seed)
        rng = random.Random(seed)
        for _ in range(120):
            game = env.unwrapped.game
            for seat, agent in enumerate(env.possible_agents):
                mask = env.observe(agent)["action_mask"]
                assert mask.dtype == np.int8
                wanted = game.legal_actions() if seat == game.to_move else []
                assert np.flatnonzero(mask).tolist() == wanted
                assert mask.sum() == len(wanted)
            if any(env.terminations.values()):
                break
            assert 0 < env.last()[0]["action_mask"].sum() < NUM_ACTIONS
            env.step(choose(env.last()[0], rng))


@pytest.mark.parametrize("make", [scopa_v0.env, scopa_v0.raw_env])
def test_anyone_may_look_at_any_time_also_at_the_end(make):
    env = make(rules="scopa_3p")
    env.reset(seed=2)
    play(env, random.Random(2), plies=env.unwrapped.rules.plays + 20)
    assert env.agents == []
    for agent in env.possible_agents:
        observation = env.observe(agent)
        assert not observation["action_mask"].any()
        assert observation in env.observation_space(agent)
        assert observation["observation"].any()


def test_arrays_are_fresh():
    env = scopa_v0.raw_env()
    env.reset(seed=4)
    for _ in range(6):
        kept = [env.observe(a) for a in env.possible_agents for _ in range(2)] + [env.last()[0]]
        before = [copy.deepcopy(one) for one in kept]
        states = [env.state(), env.state()]
        states[0][:] = 7
        assert not (states[1] == 7).all()
        env.step(choose(env.last()[0], random.Random(1)))
        for one, was in zip(kept, before, strict=True):
            for name, array in one.items():
                assert np.array_equal(array, was[name])
                array[:] = 1  # whoever keeps it may write to it
        arrays = [array for one in kept for array in one.values()]
        assert len({array.ctypes.data for array in arrays}) == len(arrays)
    for agent in env.possible_agents:
        assert env.observe(agent)["action_mask"].sum() < NUM_ACTIONS


def test_last_and_rewards_agree():
    env = scopa_v0.raw_env(rules={"target": 3}, episode="match")
    env.reset(seed=5)
    rng = random.Random(5)
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, over, _, info = env.last()
        assert reward == owed[agent]
        assert info is env.infos[agent]
        owed[agent] = 0.0
        env.step(None if over else choose(observation, rng))
        for one, paid in env.rewards.items():
            owed[one] += paid


def test_the_state_shows_everything():
    env = scopa_v0.raw_env(rules="scopa_3p", episode="match")
    env.reset(seed=6, options={"scores": [3, 1, 4]})
    fields = {field.name: field.slice for field in env.state_fields}
    assert env.state_fields[-1].slice.stop == env.state_space.shape[0]
    rng = random.Random(6)
    for _ in range(20):
        state, game = env.state(), env.game
        assert state.dtype == np.float32
        assert state in env.state_space
        for seat, hand in enumerate(game.hands):
            name = "hand" if seat == 0 else f"hand_player_{seat}"
            assert np.flatnonzero(state[fields[name]]).tolist() == [int(c) for c in hand]
        touched = set(game.chosen) | ({game.touched} if game.touched else set())
        assert set(np.flatnonzero(state[fields["touched_by_mover"]])) == {int(c) for c in touched}
        assert np.flatnonzero(state[fields["to_move"]]).tolist() == [game.to_move]
        assert np.allclose(state[fields["match_by_side"]] * env.rules.target, [3, 1, 4])
        env.step(choose(env.last()[0], rng))


# ---------------------------------------------------------------------------------------------
# Illegal actions
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["scopa", "scopone"])
def test_an_illegal_action_changes_nothing_and_is_told_what_is_legal(rules):
    env = scopa_v0.raw_env(rules=rules)
    env.reset(seed=7)
    rng = random.Random(7)
    for _ in range(25):
        legal = env.game.legal_actions()
        wrong = [a for a in range(NUM_ACTIONS) if a not in legal]
        for action in [*wrong, -1, -2, 41, 2**70, "7D", None, 1.5, np.int64(41)]:
            before = everything(env)
            with pytest.raises(ValueError, match="is not legal; legal are: ") as it:
                env.step(action)
            assert all(str(a) in str(it.value) for a in legal)
            assert "\n" not in str(it.value)
            assert everything(env) == before
        env.step(np.int32(rng.choice(legal)))


def test_any_integer_type_is_an_action():
    env = scopa_v0.raw_env()
    for kind in (int, np.int8, np.int32, np.int64, np.uint8, np.array):
        env.reset(seed=8)
        before = env.game
        env.step(kind(before.legal_actions()[0]))
        assert not same(env.game.record, before.record)


def test_wrapped_an_illegal_action_ends_the_episode():
    env = scopa_v0.env(rules="scopa_3p")
    env.reset(seed=9)
    agent = env.agent_selection
    illegal = next(a for a in range(40) if a not in env.unwrapped.game.legal_actions())
    env.step(illegal)
    got = play(env, random.Random(9))
    assert got == {a: -1.0 if a == agent else 0.0 for a in env.possible_agents}


def test_wrapped_order_and_bounds():
    env = scopa_v0.env()
    for call in (env.render, env.state, lambda: env.observe("player_0"), lambda: env.step(0)):
        with pytest.raises(AssertionError, match="needs to be called before"):
            call()
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(41)


def test_after_the_end_only_none_is_an_action():
    env = scopa_v0.raw_env()
    env.reset(seed=1)
    while not env.terminations["player_0"]:
        env.step(choose(env.last()[0], random.Random(1)))
    with pytest.raises(ValueError, match="None"):
        env.step(3)


# ---------------------------------------------------------------------------------------------
# Seeds and options
# ---------------------------------------------------------------------------------------------


def deck_of(env):
    """The deal under way: the deck and who dealt it."""
    record = env.unwrapped.game.record
    return record["deck"].tobytes(), int(record["dealer"])


@pytest.mark.parametrize("rules", PRESETS)
def test_a_seed_deals_the_cards_of_game_deal(rules):
    env = scopa_v0.env(rules=rules)
    for seed in (0, 1, 42, 2**40, np.int64(5)):
        env.reset(seed=seed)
        assert same(env.unwrapped.game.record, Game.deal(rules, seed=seed).record)


def test_without_a_seed_every_deal_is_another():
    env = scopa_v0.raw_env(rules="scopa_3p")
    env.reset(seed=0)
    decks, dealers = set(), []
    for _ in range(1000):
        env.reset()
        deck, dealer = deck_of(env)
        decks.add(deck)
        dealers.append(dealer)
    assert len(decks) == 1000
    assert dealers[3:] == dealers[:-3]
    assert len(set(dealers[:3])) == 3


def test_seed_0_is_not_none_nor_another():
    def decks(seed, count=3):
        env = scopa_v0.raw_env()
        env.reset(seed=seed)
        found = [deck_of(env)]
        for _ in range(count):
            env.reset()
            found.append(deck_of(env))
        return found

    assert decks(0) == decks(0)
    assert decks(42) == decks(42)
    assert decks(None) != decks(None)
    assert len({tuple(decks(seed)) for seed in (0, None, 42, None)}) == 4


def test_the_stream_goes_on_whatever_was_played():
    one, other = scopa_v0.raw_env(), scopa_v0.raw_env()
    one.reset(seed=11)
    other.reset(seed=11)
    play(one, random.Random(1), plies=9)
    play(other, random.Random(2))
    one.reset()
    other.reset()
    assert deck_of(one) == deck_of(other)


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_a_bad_seed_is_refused(seed):
    env = scopa_v0.raw_env()
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(ValueError, match="seed="):
        env.reset(seed=seed)
    assert everything(env) == before


def test_no_global_generator_is_touched():
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    env = scopa_v0.env(episode="match", rules={"target": 2})
    env.reset(seed=1)
    play(env, random.Random(1))
    env.reset()
    play(env, random.Random(2))
    after = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    assert after == before


def test_the_same_seed_deals_the_same_in_every_process():
    code = """if True:
        import hashlib, random
        from scopa_env import scopa_v0
        log = hashlib.sha256()
        env = scopa_v0.raw_env(rules="scopa_teams")
        env.reset(seed=42)
        rng = random.Random(1)
        for _ in range(3):
            for agent in env.agent_iter():
                observation, reward, over, _, info = env.last()
                legal = observation["action_mask"].nonzero()[0].tolist()
                log.update(repr((agent, reward, legal, info)).encode())
                log.update(observation["observation"].tobytes())
                env.step(None if over else rng.choice(legal))
            env.reset()
        print(log.hexdigest())
    """
    first, second = (run_python(code, PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert first == second
    assert len(first.strip()) == 64


def test_options():
    env = scopa_v0.raw_env(rules="scopa_teams", episode="match")
    env.reset(seed=1, options={"dealer": 2, "scores": [20, 7], "colour": "blue"})
    game = env.game
    assert (game.dealer, game.to_move, env.agent_selection) == (2, 3, "player_3")
    assert game.record["match_scores"].tolist()[:2] == [20, 7]
    assert game.hands == Game.deal("scopa_teams", seed=1, dealer=2).hands
    env.reset()
    assert env.game.dealer == 3
    assert env.game.record["match_scores"].tolist()[:2] == [0, 0]

    deck = list(CARDS)
    random.Random(4).shuffle(deck)
    for given in (deck, " ".join(deck), [int(c) for c in deck]):
        env.reset(options={"deck": given, "dealer": 0})
        wanted = Game.deal("scopa_teams", deck=deck, dealer=0)
        assert (env.game.hands, env.game.table, env.game.stock) == (
            wanted.hands,
            wanted.table,
            wanted.stock,
        )
    kings = [c for c in CARDS if c.rank == 10] + [c for c in CARDS if c.rank < 10]
    env.reset(seed=3, options={"deck": kings, "dealer": 1})
    wanted = Game.deal("scopa_teams", seed=3, deck=kings, dealer=1)
    assert env.game.redeals == wanted.redeals >= 1
    assert same(env.game.record, wanted.record)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dealer": 2}, "dealer=2: the seats are 0 to 1"),
        ({"dealer": "me"}, "dealer='me'"),
        ({"scores": [1]}, "scores="),
        ({"scores": [1, -1]}, "scores="),
        ({"scores": 7}, "scores=7"),
        ({"scores": [11, 3]}, "the match is over"),
        ({"scores": [10**6, 10**6]}, "at most"),
        ({"deck": "7D 7D"}, "7D comes twice"),
        ({"deck": "7D 1C"}, "deck: all 40 cards"),
    ],
)
def test_a_bad_option_is_named_and_changes_nothing(options, message):
    env = scopa_v0.raw_env()
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(ValueError, match=message) as it:
        env.reset(seed=2, options=options)
    assert "\n" not in str(it.value)
    assert everything(env) == before


# ---------------------------------------------------------------------------------------------
# Copies
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [scopa_v0.env, scopa_v0.raw_env])
@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("plies", [0, 7, 45])
def test_a_copy_goes_on_identically_by_itself(make, how, plies):
    env = make(rules={"target": 5}, episode="match", observation="raw")
    env.reset(seed=12)
    play(env, random.Random(12), plies=plies)
    env.action_space("player_0").seed(3)
    twin = how(env)
    before = everything(twin.unwrapped)
    rng = random.Random(1)
    for _ in range(30):  # the copy stays where it is
        env.step(choose(env.last()[0], rng))
    assert everything(twin.unwrapped) == before
    rng = random.Random(1)
    for _ in range(30):
        twin.step(choose(twin.last()[0], rng))
    for _ in range(2):
        assert everything(twin.unwrapped) == everything(env.unwrapped)
        assert play(twin, random.Random(2)) == play(env, random.Random(2))
        env.reset()
        twin.reset()
    sample = [e.action_space("player_0").sample() for e in (env, twin)]
    assert sample[0] == sample[1]


def test_a_copy_before_the_first_reset():
    env = pickle.loads(pickle.dumps(scopa_v0.env(rules="scopone")))
    env.reset(seed=1)
    assert same(env.unwrapped.game.record, Game.deal("scopone", seed=1).record)


# ---------------------------------------------------------------------------------------------
# Rendering
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS)
def test_images_keep_their_size_and_text_names_every_card(rules):
    image = scopa_v0.env(rules=rules, render_mode="rgb_array")
    text = scopa_v0.env(rules=rules, render_mode="ansi")
    rng = random.Random(1)
    image.reset(seed=1)
    text.reset(seed=1)
    shapes, pictures = set(), set()
    while not image.terminations["player_0"]:
        picture = image.render()
        assert picture.dtype == np.uint8
        shapes.add(picture.shape)
        pictures.add(picture.tobytes())
        game = text.unwrapped.game
        lines = text.render()
        assert lines == table_text(game)
        for hand in [*game.hands, game.table]:
            assert str(hand) in lines
        action = choose(image.last()[0], rng)
        image.step(action)
        text.step(action)
    assert len(shapes) == 1
    assert len(pictures) > game.rules.plays // 2
    for side in text.unwrapped.game.scores():
        assert f"made {side['total']}" in text.render()


def test_human_prints_and_none_warns(capsys):
    env = scopa_v0.env(render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    assert capsys.readouterr().out.count("player_0 ") >= 2
    env = scopa_v0.env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="no render_mode"):
        assert env.render() is None
    assert capsys.readouterr().out == ""


def test_drawing_imports_nothing_heavy():
    code = """if True:
        import sys
        from scopa_env import scopa_v0
        for mode in ("ansi", "rgb_array"):
            env = scopa_v0.env(render_mode=mode)
            env.reset(seed=1)
            env.render()
        print([name for name in ("matplotlib", "PIL", "pygame", "torch") if name in sys.modules])
    """
    assert run_python(code).strip() == "[]"
