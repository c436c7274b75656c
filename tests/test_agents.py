"""Agents: the protocol for every registered one, the rules that greedy plays by, making by name."""

import numpy as np
import pytest

from agents import AGENTS, make
from agents.greedy import CARD_VALUE
from agents.random import OVER
from scopa_env import CARDS, PRESETS, Cards, Game, Move, Rules, legal_captures
from scopa_env.game import is_legal
from scopa_env.view import sample_games, views

OPTIONS = {
    "fifteen": {"fifteen": True},
    "ace_sweep": {"ace_sweep": True, "ace_sweep_scores": True},
    "ace_takes_itself": {"ace_sweep": True, "ace_on_empty_table": "takes_itself"},
    "fewest_cards": {"fewest_cards": True},
    "optional": {"compulsory": "optional"},
    "last_play": {"scopa_last_play": "counts"},
}


def rules_named(name):
    return Rules.preset("scopa", **OPTIONS[name]) if name in OPTIONS else Rules.preset(name)


def positions(rules, count):
    """Views of random play: half of them of moves under way, if there are so many."""
    rng = np.random.default_rng(0)
    fresh, begun = [], []
    for seed in range(24):
        game = Game.deal(rules, seed=seed)
        while not game.is_over:
            (begun if game.touched else fresh).append(game.view(game.to_move))
            game.act(int(rng.choice(game.legal_actions())))
    begun = begun[: count // 2]
    some = rng.choice(len(fresh), count - len(begun), replace=False)
    return np.array([*begun, *(fresh[i] for i in some)])


@pytest.fixture(scope="module", params=[*PRESETS])
def seen(request):
    return positions(rules_named(request.param), 120)


@pytest.fixture(scope="module", params=[*AGENTS])
def agent(request):
    return make(request.param)


def act(agent, seen, seed=0):
    return agent.act(seen.copy(), np.random.default_rng(seed))


def test_actions_are_legal(agent, seen):
    actions = act(agent, seen)
    assert actions.dtype == np.int64
    assert actions.shape == seen.shape
    assert all(is_legal(g, action) for g, action in zip(seen, actions, strict=True))


def test_same_generator_same_actions(agent, seen):
    np.testing.assert_array_equal(act(agent, seen, 5), act(agent, seen, 5))


def test_a_move_does_not_depend_on_what_is_hidden(agent, seen):
    if agent.sees_everything:
        pytest.skip("sees everything")
    for one in seen[:10]:
        seat = int(one["viewer"])
        twins = [views(sample_games(one, 1, np.random.default_rng(s)), seat) for s in range(5)]
        assert len({int(act(agent, twin)[0]) for twin in twins}) == 1


@pytest.mark.parametrize("name", [*(f"random:over={over}" for over in OVER), "greedy"])
def test_a_batch_of_one_is_a_batch_of_many(name, seen):
    agent, rng = make(name), np.random.default_rng(3)
    one_by_one = [int(agent.act(seen[i : i + 1], rng)[0]) for i in range(len(seen))]
    assert one_by_one == act(agent, seen, 3).tolist()


# ---------------------------------------------------------------------------------------------
# Random
# ---------------------------------------------------------------------------------------------


def shares(game, name, touches):
    """How often each sequence of touches comes up, by its whole move."""
    agent, rng, count = make(name), np.random.default_rng(1), 20_000
    lanes = np.repeat(np.array([game.record]), count)
    done = {}
    for _ in range(touches):
        actions = agent.act(views(lanes, lanes["to_move"]), rng)
        lanes_left = []
        for action in np.unique(actions):
            now = Game(game.rules, lanes[actions == action][0])
            if now.act(int(action)):
                done[str(now.plays[-1])] = (actions == action).sum() / count
            else:
                lanes_left.append(np.repeat(np.array([now.record]), (actions == action).sum()))
        if not lanes_left:
            return done
        assert len(lanes_left) == 1, "one card with a choice, or the lanes would part"
        lanes = lanes_left[0]
    return done


@pytest.mark.parametrize(
    ("over", "expected"),
    [("actions", (1 / 2, 1 / 6)), ("cards", (1 / 2, 1 / 6)), ("moves", (1 / 4, 1 / 4))],
)
def test_random_draws_uniformly(over, expected):
    # 9S can only be laid; 6C takes one of three sixes, the third touch of nothing else.
    game = Game.from_position("scopa", hands=["9S 6C", "1C"], table="6D 6S 6B")
    found = shares(game, f"random:over={over}", touches=2)
    laid, each = expected
    assert found.pop("9S") == pytest.approx(laid, abs=0.015)
    assert len(found) == 3
    assert [*found.values()] == pytest.approx([each] * 3, abs=0.015)


def test_random_over_moves_reaches_every_take_equally():
    # 5C takes 4C+1, 3C+2C or 2C+1+1...: takes that share their lowest cards.
    game = Game.from_position("scopa", hands=["5C", "9C"], table="1D 1S 2C 3C 4C 10S")
    legal = game.legal_moves()
    agent, rng, count = make("random:over=moves"), np.random.default_rng(2), 1500
    seen = {str(move): 0 for move in legal}
    lanes = [game.clone() for _ in range(count)]
    while lanes:
        batch = np.array([lane.view(0) for lane in lanes])
        for lane, action in zip(lanes, agent.act(batch, rng), strict=True):
            if lane.act(int(action)):
                seen[str(lane.plays[-1])] += 1
        lanes = [lane for lane in lanes if lane.to_move == 0]
    assert len(legal) == 4
    assert [n / count for n in seen.values()] == pytest.approx([1 / 4] * 4, abs=0.05)


# ---------------------------------------------------------------------------------------------
# Greedy
# ---------------------------------------------------------------------------------------------


def greedy_move(game):
    """The whole move that greedy makes of the seat to move, touch by touch."""
    game, agent = game.clone(), make("greedy")
    while not game.act(int(agent.act(views(np.array([game.record]), game.to_move), None)[0])):
        pass
    return str(game.plays[-1])


@pytest.mark.parametrize(
    ("hand", "table", "gone", "expected"),
    [
        ("7D 4C", "3S 1C", "", "4C x 1C 3S"),  # a scopa
        ("7D 7S", "7C", "", "7D x 7C"),  # of two scope, the one that captures more
        ("9C 5C", "9S 3D 2B", "5D 5S 5B", "9C x 9S"),  # safe: nobody has a five
        ("9C 5C", "9S 3D 2B", "5D 5S", "5C x 2B 3D"),  # neither is safe: more value
        ("9C 10C", "9S 6D", "", "10C"),  # a safe card laid rather than an unsafe capture
        ("7C", "7D 7S 10B", "", "7C x 7D"),  # the settebello of two sevens
        ("10B", "7D 3C 6S 4C", "", "10B x 3C 7D"),  # the settebello in a sum
        ("6C 1S", "6S 1B 10D 9D", "", "6C x 6S"),  # 18 each is more than 16 each
        ("7S 2D 8C 1C", "10D 10C", "", "8C"),  # nothing captures: the least valuable
        ("9C 8C", "10D 10C", "", "8C"),  # level: the lower index
    ],
)
def test_greedy_plays_by_its_rules(hand, table, gone, expected):
    game = Game.from_position("scopa", hands=[hand, "4S"], table=table, piles=[gone, ""])
    assert greedy_move(game) == expected


def test_greedy_values():
    value = dict(zip(map(str, CARDS), CARD_VALUE.tolist(), strict=True))
    assert [value[f"{rank}C"] for rank in range(1, 11)] == [16, 12, 13, 14, 15, 18, 29, 10, 10, 10]
    assert value["7D"] == 21 + 8 + 10 + 100
    assert value["10D"] == 20


def slow_greedy(game):
    """Greedy once more, written from its rules on the game's Python face."""
    seat, table, rules = game.to_move, game.table, game.rules
    piles = set().union(*game.piles)
    seen = game.hands[seat] | table | piles
    deck = Cards.from_bits(game.record["all_cards"])
    unseen = {card.rank: card for card in deck if card not in seen}.values()  # equals take alike

    def captures(move):
        after = game.clone()
        after.play(move)
        return move.card in set().union(*after.piles)

    def makes_scopa(move):
        after = game.clone()
        after.play(move)
        return sum(after.scope) > sum(game.scope)

    def is_safe(move):
        left = table - move.captured if captures(move) else table | {move.card}
        return not left or not any(left in legal_captures(card, left, rules) for card in unseen)

    def value(move):
        return sum(CARD_VALUE[card] for card in {move.card, *move.captured})

    moves = game.legal_moves()
    scope = [move for move in moves if makes_scopa(move)]
    kept = scope or [move for move in moves if is_safe(move)] or moves
    taking = [move for move in kept if captures(move)]
    if taking:
        return max(taking, key=lambda m: (value(m), -int(m.card), -m.captured.bits))
    return min(kept, key=lambda m: (value(m), int(m.card)))


@pytest.mark.parametrize("name", [*PRESETS, *OPTIONS])
def test_greedy_agrees_with_its_rules_in_python(name):
    rules = rules_named(name)
    checked = 0
    for seed in range(max(3, 100 // rules.plays)):
        game, rng = Game.deal(rules, seed=seed), np.random.default_rng(seed)
        while not game.is_over:
            last = int(game.record["hand_count"].sum()) == 1 and not game.stock
            if (
                not last and rng.random() < 0.3
            ):  # the last play also gathers the table, which hides who took what
                expected = slow_greedy(game)
                assert greedy_move(game) == str(expected)
                checked += 1
            moves = game.legal_moves()
            game.play(moves[rng.integers(len(moves))])
    assert checked > 10


def test_greedy_goes_on_with_a_move_that_somebody_else_began():
    game = Game.from_position("scopa", hands=["7C 10C", "1C"], table="7D 7S 10D")
    game.act(int(Move.parse("7C").card))
    assert int(make("greedy").act(np.array([game.view(0)]), None)[0]) == 24


# ---------------------------------------------------------------------------------------------
# Making agents by name
# ---------------------------------------------------------------------------------------------


def test_made_agents_carry_the_text_they_were_made_from():
    assert make("random").name == "random"
    assert make("random:over=cards", "scopone").name == "random:over=cards"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gredy", f"known agents are {', '.join(AGENTS)}"),
        ("", "known agents are"),
        ("random:ovr=cards", "no option 'ovr'; its options are over"),
        ("greedy:depth=3", "no option 'depth'; it has no options"),
        ("random:over", "a value is wanted"),
        ("random:over=cards,over=moves", "given twice"),
        ("random:over=suits", "allowed are actions, moves, cards"),
        ("no/such/checkpoint", "no checkpoint at this path"),
    ],
)
def test_make_says_what_there_is(spec, message):
    with pytest.raises(ValueError, match=message):
        make(spec)


def some_agent(depth: int, share: float = 0.5, sure: bool = False, rules: Rules | None = None):
    agent = make("random")
    agent.options = (depth, share, sure, rules)
    return agent


def test_options_are_read_by_the_types_of_the_factory(monkeypatch):
    monkeypatch.setitem(AGENTS, "some", (f"{__name__}:some_agent", "for this test"))
    made = make("some:depth=3,share=1e-2,sure=true", "scopa_3p")
    assert made.options == (3, 0.01, True, Rules.preset("scopa_3p"))
    for spec, message in {
        "some:depth=3.5": "depth='3.5': a whole number is wanted",
        "some:depth=1,share=x": "share='x': a number is wanted",
        "some:depth=1,sure=maybe": "allowed are true, false",
        "some:depth=1,rules=scopa": "no option 'rules'",
        "some": "option depth has no default",
    }.items():
        with pytest.raises(ValueError, match=message):
            make(spec)


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_no_batch_of_views_is_refused(name):
    record = Game.deal("scopa", seed=1).view(0)
    for odd in ({"observation": 1}, np.zeros((2, 531)), record, [record]):
        with pytest.raises(TypeError, match="acts on views"):
            make(name).act(odd, np.random.default_rng(1))


def test_agents_sit_at_an_environment_and_at_many_games():
    from scopa_env import VectorGame, scopa_v0

    env, games, rng = scopa_v0.env(), VectorGame("scopa", 8, seed=3), np.random.default_rng(1)
    env.reset(seed=3)
    seen = env.unwrapped.view(env.agent_selection)
    assert seen["viewer"] == seen["to_move"]
    assert (games.views()["viewer"] == games.to_move).all()
    for name in AGENTS:
        games.step(make(name).act(games.views(), rng))
        action = int(make(name).act(env.unwrapped.view(env.agent_selection), rng)[0])
        env.step(action)
