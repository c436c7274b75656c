"""The learner: advantages, masked policies, a small game learned to its optimum, same seed same
weights, resuming, and checkpoints."""

import dataclasses
import json
import signal
import subprocess
import sys
import time
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.agent import make
from agents.checkpoint import load_agent, read_card, read_tensors, save_model, write_tensors
from agents.config import PPOConfig, SelfPlayConfig
from agents.network import PolicyValueNet, act_on, masked_log_probs
from agents.ppo import advantages
from agents.selfplay import SelfPlay
from scopa_env import Game, Layout, Rules
from scopa_env.view import views

ROOT = Path(__file__).parent.parent


def estimate(to_move, reward, done, value, last_to_move, last_value, gamma=1.0, lam=0.5):
    """Advantages of one game: sequences over T steps in, lists out."""
    steps = len(to_move)
    advantage = np.zeros((steps, 1), np.float32)
    usable = np.zeros((steps, 1), np.bool_)
    advantages(
        np.array(to_move, np.int64)[:, None],
        np.array(reward, np.float32)[:, None, :],
        np.array(done, np.bool_)[:, None],
        np.array(value, np.float32)[:, None],
        np.array([last_to_move]),
        np.array([last_value], np.float32),
        gamma,
        lam,
        advantage,
        usable,
    )
    return advantage[:, 0].tolist(), usable[:, 0].tolist()


def test_advantages_alternate_between_seats():
    # Seat 0 scores 1 with its first play, seat 1 scores 2 with its second, then the deal ends.
    reward = [[1, -1], [0, 0], [0, 0], [-2, 2]]
    advantage, usable = estimate([0, 1, 0, 1], reward, [0, 0, 0, 1], [0.5, 0.25, 1, 2], 0, 9)
    # Seat 1, last decision: 2 - 2. Seat 0, last: it loses 2 on seat 1's play: -2 - 1.
    # Seat 1, first: nothing comes until it decides again: 2 - 0.25 + 0.5 * 0.
    # Seat 0, first: 1 + 1 - 0.5 + 0.5 * -3. What seat 0's first play cost seat 1 came before
    # seat 1 had decided anything, so nobody is paid for it.
    assert advantage == [0.0, 1.75, -3.0, 0.0]
    assert usable == [True] * 4


def test_advantages_with_two_touches_in_one_move():
    # Seat 0 touches twice (its card, then a table card), then seat 1 ends the deal.
    reward = [[0, 0], [1, -1], [-1, 1]]
    advantage, usable = estimate([0, 0, 1], reward, [0, 0, 1], [0.2, 0.4, 0.6], 1, 9)
    # Seat 0's second touch: +1 at once, -1 by seat 1's play: 0 - 0.4. Its first: 0.4 - 0.2
    # + 0.5 * -0.4. Seat 1: 1 - 0.6.
    assert advantage == pytest.approx([0.0, -0.4, 0.4])
    assert usable == [True] * 3


def test_advantages_at_the_end_of_a_rollout():
    # No deal ends. Seat 0 is to move: its last decision looks ahead to 3. Seat 1's cannot.
    reward = [[0, 0], [0, 0], [1, -1], [0, 0]]
    advantage, usable = estimate([0, 1, 0, 1], reward, [0] * 4, [0.5, 1, 2, 4], 0, 3)
    assert usable == [True, True, True, False]
    assert advantage[2] == 1 + 3 - 2
    assert advantage[1] == -1 + 4 - 1
    assert advantage[0] == 0 + 2 - 0.5 + 0.5 * 2


def test_advantages_do_not_cross_the_end_of_a_deal():
    reward = [[3, -3], [0, 0], [0, 0]]
    advantage, usable = estimate([0, 1, 0], reward, [1, 0, 0], [1, 50, 70], 1, 100)
    assert advantage[0] == 3 - 1
    assert usable == [True, True, False]
    assert advantage[1] == 100 - 50


def test_masked_policy_agrees_with_brute_force():
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(50, 41, generator=generator)
    legal = torch.rand(50, 41, generator=generator) < 0.1
    legal[:, 7] = True
    log_probs, entropy = masked_log_probs(logits, legal)
    for row in range(50):
        allowed = legal[row].nonzero().flatten().tolist()
        weights = {a: float(torch.exp(logits[row, a].double())) for a in allowed}
        total = sum(weights.values())
        expected = {a: w / total for a, w in weights.items()}
        for action in range(41):
            got = float(log_probs[row, action].exp())
            assert got == pytest.approx(expected.get(action, 0.0), abs=1e-6)
        spread = -sum(p * np.log(p) for p in expected.values())
        assert float(entropy[row]) == pytest.approx(spread, abs=1e-5)


def test_draws_follow_the_policy():
    rng = np.random.default_rng(1)
    logits = np.tile(rng.normal(size=41).astype(np.float32), (200_000, 1))
    allowed = [3, 11, 40]
    legal = np.full(len(logits), sum(1 << a for a in allowed))
    actions, log_probs = np.empty(len(logits), np.int64), np.empty(len(logits), np.float32)
    act_on(logits, legal, rng.random(len(logits)), actions, log_probs)
    weights = np.exp(logits[0, allowed].astype(float))
    for action, expected in zip(allowed, weights / weights.sum(), strict=True):
        drawn = actions == action
        assert drawn.mean() == pytest.approx(expected, abs=0.005)
        assert log_probs[drawn] == pytest.approx(np.log(expected), abs=1e-5)
    assert set(np.unique(actions)) == set(allowed)
    act_on(logits, legal, np.full(len(logits), -1.0), actions, log_probs)
    assert (actions == allowed[int(weights.argmax())]).all()


# A game so small that its optimum is known: six cards, two in each hand and two on the table.
# Who sees its own hand and the table knows the other hand, so minimax solves it.
TINY = Rules(name="tiny", ranks=3, suits=2, hand=2, table=2, redeals=False, settebello=0)


@cache
def best_value(cards_left, table, piles, scope, mover, last):
    """Minimax value for side 0 of a position of the tiny game, in points."""
    game = position(cards_left, table, piles, scope, mover, last)
    values = []
    for move in game.legal_moves():
        after = game.clone()
        after.play(move)
        values.append(difference(after) if after.is_over else best_value(*key(after)))
    return max(values) if mover == 0 else min(values)


def position(cards_left, table, piles, scope, mover, last):
    return Game.from_position(
        TINY, list(cards_left), table, piles=piles, scope=scope, to_move=mover, last_capturer=last
    )


def key(game):
    hands = tuple(str(hand) for hand in game.hands)
    piles = tuple(str(pile) for pile in game.piles)
    return hands, str(game.table), piles, tuple(game.scope), game.to_move, game.last_capturer


def difference(game):
    mine, theirs = game.scores()
    return mine["total"] - theirs["total"]


def every_tiny_deal():
    deck = ["1D", "1C", "2D", "2C", "3D", "3C"]
    for table in combinations(deck, 2):
        rest = [c for c in deck if c not in table]
        for hand in combinations(rest, 2):
            other = [c for c in rest if c not in hand]
            yield [*table, *hand, *other]


def value_against_perfect_play(agent):
    """Points a deal of an agent against a perfect player, over every deal and both seats."""
    rng = np.random.default_rng(0)
    total, count, optimum = 0.0, 0, 0.0
    for deck in every_tiny_deal():
        for seat in (0, 1):
            game = Game.deal(TINY, deck=deck, dealer=1)
            optimum += best_value(*key(game)) * (1 if seat == 0 else -1)
            while not game.is_over:
                if game.to_move == seat:
                    game.act(int(agent.act(views(np.array([game.record]), seat), rng)[0]))
                    continue
                worth = []
                for move in game.legal_moves():
                    after = game.clone()
                    after.play(move)
                    worth.append(difference(after) if after.is_over else best_value(*key(after)))
                pick = np.argmax(worth) if game.to_move == 0 else np.argmin(worth)
                game.play(game.legal_moves()[int(pick)])
            total += difference(game) * (1 if seat == 0 else -1)
            count += 1
    return total / count, optimum / count


def test_a_small_game_is_learned_to_its_optimum():
    config = SelfPlayConfig(
        steps=160_000,
        num_games=128,
        rollout=32,
        hidden=(64, 64),
        ppo=PPOConfig(minibatch=512, entropy=0.02, entropy_end=0.0),
    )
    training = SelfPlay(TINY, config)
    before, optimum = value_against_perfect_play(training.agent())
    while not training.is_done:
        training.iterate()
    after, _ = value_against_perfect_play(training.agent())
    assert before < optimum - 0.2
    assert after > optimum - 0.04


SMALL = SelfPlayConfig(
    steps=40_000, num_games=32, rollout=16, hidden=(16,), ppo=PPOConfig(minibatch=128)
)


def weights_after(training, iterations):
    for _ in range(iterations):
        training.iterate()
    return {name: tensor.clone() for name, tensor in training.network.state_dict().items()}


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name in first:
        assert torch.equal(first[name], second[name]), name


@pytest.mark.parametrize("rules", ["scopa", "scopa_3p", "scopone"])
def test_same_seed_same_weights_on_any_number_of_threads(rules):
    before = torch.random.get_rng_state()
    numpy_before = np.random.get_state()[1].copy()  # noqa: NPY002
    one = weights_after(SelfPlay(rules, SMALL, threads=1), 4)
    two = weights_after(SelfPlay(rules, SMALL, threads=2), 4)
    assert_same(one, two)
    assert torch.equal(before, torch.random.get_rng_state())
    assert (numpy_before == np.random.get_state()[1]).all()  # noqa: NPY002


def test_other_seed_other_weights():
    one = weights_after(SelfPlay("scopa", SMALL), 1)
    two = weights_after(SelfPlay("scopa", dataclasses.replace(SMALL, seed=2)), 1)
    assert not torch.equal(one["policy.weight"], two["policy.weight"])


def test_a_resumed_run_has_the_weights_of_an_uninterrupted_one(tmp_path):
    whole = weights_after(SelfPlay("scopa", SMALL), 6)
    first = SelfPlay("scopa", SMALL)
    weights_after(first, 3)
    first.save(tmp_path)
    again = SelfPlay.load(tmp_path)
    assert again.steps == first.steps
    assert_same(whole, weights_after(again, 3))


def test_partners_are_paid_the_same():
    training = SelfPlay("scopa_teams", SMALL)
    for _ in range(6):
        training.iterate()
        assert (training.reward[:, :, 0] == training.reward[:, :, 2]).all()
        assert (training.reward[:, :, 0] == -training.reward[:, :, 1]).all()


def card_of(rules="scopa"):
    return {"rules": Rules.of(rules).to_dict(), "observation": "raw", "strength": {}}


def saved(folder, rules="scopa"):
    network = PolicyValueNet(Layout(rules, "raw").size, (8,))
    save_model(folder, network, card_of(rules))
    return network


def test_checkpoint_round_trip(tmp_path):
    network = saved(tmp_path / "run")
    for path in (tmp_path / "run", tmp_path / "run" / "model.safetensors"):
        agent = load_agent(path)
        assert_same(network.state_dict(), agent.network.state_dict())
        assert make(str(path), "scopa").network.hidden == (8,)
    card = json.loads((tmp_path / "run" / "card.json").read_text())
    assert card == read_card(tmp_path / "run")
    assert card["rules"]["name"] == "scopa"


def test_checkpoints_that_do_not_fit_are_refused_in_one_line(tmp_path):
    saved(tmp_path / "run")
    file = tmp_path / "run" / "model.safetensors"
    with pytest.raises(ValueError, match="cannot play scopone with 4"):
        load_agent(file, "scopone")
    tensors, card = read_tensors(file)
    write_tensors(file, tensors, {**card, "observation_version": -1})
    with pytest.raises(ValueError, match="observation version -1"):
        load_agent(file)
    write_tensors(file, tensors, {**card, "hidden": [9]})
    with pytest.raises(ValueError, match="do not fit the card") as problem:
        load_agent(file)
    assert "\n" not in str(problem.value)
    write_tensors(file, tensors, {"rules": "scopa"})
    with pytest.raises(ValueError, match="card lacks"):
        load_agent(file)
    file.write_bytes(b"\x80\x04K\x01.")  # a pickle is not even looked at
    with pytest.raises(ValueError, match="no safetensors file"):
        load_agent(file)
    with pytest.raises(ValueError, match="no such file"):
        load_agent(tmp_path / "nothing.safetensors")


def command(*options):
    fast = ["--num-games", "32", "--rollout", "16", "--hidden", "16", "--minibatch", "128"]
    return [sys.executable, str(ROOT / "train.py"), *fast, "--final-deals", "20", *options]


def test_command_line_trains_and_reports(tmp_path):
    folder = tmp_path / "run"
    done = subprocess.run(
        command("--steps", "2000", "--out", str(folder), "--rules", "scopone"),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert "points a deal over greedy (20 deals)" in done.stdout
    card = read_card(folder)
    assert card["rules"]["name"] == "scopone"
    assert card["trained"]["decisions"] >= 2000
    assert card["trained"]["finished"] is True
    for opponent in ("greedy", "random"):
        low, high = card["strength"][opponent]["interval"]
        assert low <= card["strength"][opponent]["points_per_deal"] <= high
        assert card["strength"][opponent]["deals"] == 20
    assert load_agent(folder).layout.rules.players == 4


def test_ctrl_c_saves_says_where_and_goes_on(tmp_path):
    folder = tmp_path / "run"
    running = subprocess.Popen(
        command("--steps", "100000000", "--out", str(folder), "--save-every", "0.1"),
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    deadline = time.monotonic() + 120
    while not (folder / "training.safetensors").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert f"--resume {folder}" in output
    training = SelfPlay.load(folder)
    assert 0 < training.steps < 100_000_000
    assert read_card(folder)["trained"]["decisions"] == training.steps


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rules", "briscola"], "the presets are"),
        (["--device", "abacus"], "device='abacus'"),
        (["--opponents", "nobody"], "the known agents are"),
        (["--resume", "nowhere"], "no such file"),
        (["--out", "/proc/nowhere"], "cannot write there"),
        (["--minibatch", "0"], "minibatch=0: at least 1"),
        (["--steps", "0"], "steps=0: at least 1"),
        (["--threads", "0"], "threads=0: at least 1"),
        (["--eval-deals", "0"], "eval_deals=0: at least 1"),
        (["--save-every", "nan"], "save_every=nan: at least 0"),
    ],
)
def test_command_line_errors_are_one_line(options, message):
    done = subprocess.run(command(*options), capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode != 0
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
