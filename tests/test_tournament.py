"""Measuring: statistics, duplicate deals, duels and the tournament's command line."""

import csv
import os

import numpy as np
import pytest
from scipy.stats import binom

from agents import Agent, make
from experiments import tournament as tournament_module
from experiments.match import IllegalAction, duel_seatings, evaluate, play_deals
from experiments.statistics import mean_interval, paired_interval, wilson_interval
from experiments.tournament import CSV_COLUMNS, Tournament, main
from scopa_env import Rules
from scopa_env.game import legal_bits

SEATS = ["scopa", "scopa_3p", "scopa_teams", "scopa_6p"]


class LowestCard(Agent):
    """Takes the lowest legal action: as sure of itself as greedy, and weaker."""

    name = "lowest"

    def act(self, views, rng):
        legal = np.array([legal_bits(g) for g in views])
        return np.array([int(bits & -bits).bit_length() - 1 for bits in legal])


class Spy(LowestCard):
    """Remembers what it was shown."""

    name = "spy"

    def __init__(self, sees_everything=False):
        self.sees_everything = sees_everything
        self.shown = []

    def act(self, views, rng):
        self.shown.append(views.copy())
        return super().act(views, rng)


class Fixed(Agent):
    """Answers the same whatever it sees."""

    def __init__(self, answer):
        self.name = "cheat"
        self.answer = answer

    def act(self, views, rng):
        return self.answer(views)


# ---------------------------------------------------------------------------------------------
# Statistics
# ---------------------------------------------------------------------------------------------


def test_mean_interval_by_hand():
    found = mean_interval([1.0, 2.0, 3.0, 4.0])
    half = 3.182446 * np.std([1, 2, 3, 4], ddof=1) / 2  # t of 3 degrees of freedom
    assert found.mean == 2.5
    assert found.interval == pytest.approx((2.5 - half, 2.5 + half), abs=1e-5)
    assert found.half_width == pytest.approx(half, abs=1e-5)
    assert mean_interval([5.0, 5.0]).interval == (5.0, 5.0)
    assert mean_interval([5.0]).interval == (-np.inf, np.inf)
    with pytest.raises(ValueError, match="at least one"):
        mean_interval([])


def test_mean_interval_covers_the_truth_as_often_as_it_says():
    samples = np.random.default_rng(0).normal(1.0, 2.0, (2000, 12))
    found = [mean_interval(sample) for sample in samples]
    covered = np.mean([one.low <= 1.0 <= one.high for one in found])
    assert covered == pytest.approx(0.95, abs=0.015)


def test_paired_interval_is_that_of_the_differences():
    first = np.arange(10.0) + np.random.default_rng(0).normal(0, 0.1, 10)
    second = np.arange(10.0) - 1
    assert paired_interval(first, second) == mean_interval(first - second)
    assert paired_interval(first, second).half_width < mean_interval(first).half_width / 10
    with pytest.raises(ValueError, match="pairs are wanted"):
        paired_interval([1.0], [1.0, 2.0])


@pytest.mark.parametrize(("share", "count"), [(0.5, 40), (0.1, 100), (0.02, 200)])
def test_wilson_interval_covers_the_truth_as_often_as_it_says(share, count):
    found = [wilson_interval(k, count) for k in range(count + 1)]
    covers = [one.low <= share <= one.high for one in found]
    assert binom.pmf(np.arange(count + 1), count, share) @ covers == pytest.approx(0.95, abs=0.03)


def test_wilson_interval_at_the_ends():
    assert wilson_interval(0, 10).interval == pytest.approx((0, 0.27753), abs=1e-5)
    assert wilson_interval(10, 10).interval == pytest.approx((0.72247, 1), abs=1e-5)
    with pytest.raises(ValueError, match="successes=11"):
        wilson_interval(11, 10)


# ---------------------------------------------------------------------------------------------
# Deals
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEATS)
def test_agents_are_shown_their_own_views_only(name):
    spy = Spy()
    play_deals([spy, make("greedy")], [[0] + [1] * (Rules.preset(name).num_sides - 1)], name, 8)
    shown = np.concatenate(spy.shown)
    np.testing.assert_array_equal(shown["viewer"], shown["to_move"])
    assert (shown["deck"] == -1).all()
    assert (shown["rng"] == 0).all()
    others = np.arange(6) != shown["viewer"][:, None]
    assert (shown["hand"][others] == 0).all()
    assert (shown["side"][np.arange(len(shown)), shown["viewer"]] == 0).all()


def first_deals(name, agents, seatings, deals, **options):
    """Decks and dealers of the deals as a spy that sees everything meets them, in order."""
    spy = Spy(sees_everything=True)
    play_deals([spy, *agents], seatings, name, deals, **options)
    shown = np.concatenate(spy.shown)
    shown = shown[shown["ply"] <= 1]
    return {(g["deck"].tobytes(), int(g["dealer"])) for g in shown}


def test_the_deals_do_not_depend_on_who_plays_or_how():
    wanted = first_deals("scopa", [], [[0, 0]], 30, seed=4)
    assert len(wanted) == 30
    assert {dealer for _, dealer in wanted} == {0, 1}
    assert wanted == first_deals("scopa", [], [[0, 0]], 30, seed=4, chunk=7)
    assert wanted == first_deals("scopa", [make("greedy")], [[0, 1], [1, 0]], 30, seed=4, chunk=1)
    assert wanted < first_deals("scopa", [make("random")], [[1, 0], [0, 1]], 60, seed=4)
    assert not wanted & first_deals("scopa", [], [[0, 0]], 30, seed=5)


@pytest.mark.parametrize("chunk", [1, 7, 50, 64])
def test_same_seed_same_points_for_any_chunk(chunk):
    agents = [make("greedy"), LowestCard()]
    wanted = play_deals(agents, [[0, 1], [1, 0]], "scopa", 50, seed=3)
    np.testing.assert_array_equal(
        wanted, play_deals(agents, [[0, 1], [1, 0]], "scopa", 50, seed=3, chunk=chunk)
    )


def test_same_seed_same_points_of_agents_that_draw():
    agents = [make("random"), make("greedy")]
    first = play_deals(agents, [[0, 1], [1, 0]], "scopa", 40, seed=3, chunk=20)
    np.testing.assert_array_equal(
        first, play_deals(agents, [[0, 1], [1, 0]], "scopa", 40, seed=3, chunk=20)
    )
    longer = play_deals(agents, [[0, 1], [1, 0]], "scopa", 60, seed=3, chunk=20)
    np.testing.assert_array_equal(first, longer[:40])
    assert (first != play_deals(agents, [[0, 1], [1, 0]], "scopa", 40, seed=4, chunk=20)).any()


def test_the_global_generator_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    evaluate(make("random"), make("greedy"), deals=5)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_points_are_counted_by_side():
    points = play_deals([make("random")], [[0, 0]], "scopa", 300, seed=1)
    assert points.shape == (300, 1, 2)
    # Without scope, carte, denari, settebello and primiera are at most four points.
    assert 2.5 < points.sum(axis=2).mean() < 8
    assert points.min() >= 0


def test_deals_are_counted_as_they_finish():
    told = []
    agents = [make("random")]
    play_deals(agents, [[0, 0]], "scopa", 25, chunk=10, on_deals=told.append)
    assert told == [10, 10, 5]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda views: np.full(len(views), 40), "'cheat' chose action 40, .*legal are: "),
        (lambda views: np.full(len(views), -1), "'cheat' chose action -1"),
        (lambda views: np.full(len(views), 1 << 40), "'cheat' chose action 1099511627776"),
        (lambda views: np.zeros(1, np.int64), r"'cheat' returned int64\[1\]"),
        (lambda views: np.zeros(len(views)), "'cheat' returned float64"),
    ],
)
def test_an_illegal_action_is_reported_with_the_agents_name(answer, message):
    with pytest.raises(IllegalAction, match=message):
        evaluate(make("random"), Fixed(answer), deals=3)


@pytest.mark.parametrize(
    ("seatings", "options", "message"),
    [
        ([[0, 1, 0]], {}, "2 sides"),
        ([[0, 2]], {}, "agents 0 to 1"),
        ([[0, 1]], {"deals": 0}, "deals=0"),
        ([[0, 1]], {"seed": -1}, "seed=-1"),
        ([[0, 1]], {"chunk": 0}, "chunk=0"),
        ([[0, 1]], {"rules": "scoppa"}, "presets are"),
    ],
)
def test_deals_that_make_no_sense(seatings, options, message):
    with pytest.raises(ValueError, match=message):
        play_deals([make("random"), make("random")], seatings, **options)


# ---------------------------------------------------------------------------------------------
# Duels
# ---------------------------------------------------------------------------------------------


def test_duel_seatings_are_fair():
    assert duel_seatings(2).tolist() == [[0, 1], [1, 0]]
    for sides in (3, 4, 6):
        seatings = duel_seatings(sides)
        assert seatings.shape == (2 * sides, sides)
        assert (seatings.mean(axis=0) == 0.5).all()
        mirrored = sorted((1 - seatings).tolist())
        assert sorted(seatings.tolist()) == mirrored


@pytest.mark.parametrize("name", SEATS)
def test_an_agent_against_itself_is_exactly_level(name):
    result = evaluate(make("greedy"), make("greedy"), name, deals=60, seed=2)
    np.testing.assert_allclose(result.differences, 0, atol=1e-12)
    assert result.wins == result.losses
    assert result.wins + result.ties + result.losses == 60 * len(
        duel_seatings(Rules.preset(name).num_sides)
    )


@pytest.mark.parametrize("name", SEATS)
def test_a_duel_seen_from_the_other_side(name):
    one = evaluate(make("greedy"), LowestCard(), name, deals=30, seed=2)
    other = evaluate(LowestCard(), make("greedy"), name, deals=30, seed=2)
    np.testing.assert_allclose(one.differences, -other.differences, atol=1e-12)
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert one.dealing.mean == pytest.approx(-other.not_dealing.mean)
    both = (one.dealing.mean + one.not_dealing.mean) / 2
    assert both == pytest.approx(one.points_per_deal)


@pytest.mark.parametrize("name", SEATS)
def test_random_against_random_is_level(name):
    result = evaluate(make("random"), make("random"), name, deals=1500, seed=1)
    low, high = result.interval
    # Twice the 95% interval: a fair duel leaves it once in ten thousand times.
    assert abs(result.points_per_deal) < high - low < 0.6


@pytest.mark.parametrize("name", [*SEATS, "scopone"])
def test_greedy_beats_random(name):
    result = evaluate(make("greedy"), make("random"), name, deals=300, seed=1)
    assert result.interval[0] > 0.5
    assert result.win_share.low > result.loss_share.high
    assert result.dealing.low > 0
    assert result.not_dealing.low > 0


def test_four_who_play_alone():
    rules = Rules.preset("scopa_teams", sides=((0,), (1,), (2,), (3,)))
    assert evaluate(make("greedy"), make("random"), rules, deals=200).interval[0] > 0


def test_the_result_says_who_and_how_much():
    result = evaluate(make("greedy"), make("random"), deals=200)
    low, high = result.interval
    assert low < result.points_per_deal < high
    assert result.deals == len(result.differences) == 200
    assert result.points_per_deal == pytest.approx(result.differences.mean())
    assert result.win_share.mean == pytest.approx(result.wins / 400)
    assert str(result).startswith("greedy over random: +1.")


# ---------------------------------------------------------------------------------------------
# Tournament
# ---------------------------------------------------------------------------------------------


def played(agents, **options):
    found = Tournament(agents, **options)
    for i, j in found.pairs:
        found.play(i, j)
    return found


def test_round_robin():
    found = played([make("random"), make("greedy"), Spy(sees_everything=True)], deals=100)
    assert found.pairs == [(0, 1), (0, 2), (1, 2)]
    assert found.labels == ["random", "greedy", "spy*"]
    for i, j in found.pairs:
        here, there = found.points(i, j), found.points(j, i)
        assert here.interval == pytest.approx((-there.high, -there.low))
    standings = found.standings()
    assert standings[0].label == "greedy"
    assert sum(row.points.mean for row in standings) == pytest.approx(0)
    for row in standings:
        assert row.win.mean + row.tie.mean + row.loss.mean == pytest.approx(1)
        assert row.opponents == 2
    best = (found.points(1, 0).mean + found.points(1, 2).mean) / 2
    assert standings[0].points.mean == pytest.approx(best)
    assert "sees all cards" in found.notes()
    header, rows = found.cross_table()
    assert header == ["points a deal", "random", "greedy", "spy*"]
    assert [row[i + 1] for i, row in enumerate(rows)] == ["", "", ""]


def test_agents_of_one_name_are_told_apart():
    agents = [make("random"), make("greedy"), make("random"), make("random")]
    labels = Tournament(agents).labels
    assert labels == ["random", "greedy", "random (2)", "random (3)"]


def test_command_line_prints_and_writes(tmp_path, capsys):
    out = tmp_path / "deep" / "er"
    words = ["random", "greedy", "random:over=moves", "--deals", "50", "--out", str(out)]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "Ranking" in printed
    assert "greedy" in printed
    assert sorted(path.name for path in out.iterdir()) == ["results.csv", "results.md"]
    with open(out / "results.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert [(row["agent"], row["opponent"]) for row in rows] == [
        ("random", "greedy"),
        ("random", "random:over=moves"),
        ("greedy", "random:over=moves"),
    ]
    result = evaluate(make("random"), make("greedy"), deals=50, seed=1)
    assert float(rows[0]["points_per_deal"]) == result.points_per_deal
    assert float(rows[0]["points_low"]) == result.interval[0]
    assert int(rows[0]["wins"]) == result.wins
    markdown = (out / "results.md").read_text("utf-8")
    assert "python -m experiments.tournament random greedy random:over=moves" in markdown
    assert "| greedy |" in markdown
    assert main(words) == 0  # again, over the old files
    assert (out / "results.md").read_text("utf-8") == markdown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["random"], "at least two"),
        (["random", "gredy"], "known agents are random, greedy"),
        (["random", "no/where"], "no checkpoint at this path"),
        (["random", "greedy", "--rules", "scoppa"], "presets are scopa"),
        (["random", "greedy", "--deals", "1"], "deals=1: at least 2"),
        (["random", "greedy", "--seed", "-1"], "seed=-1"),
    ],
)
def test_command_line_errors_are_one_line(words, message, capsys):
    assert main(words) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_folder_that_cannot_be_written_to_is_found_before_the_play(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["random", "greedy", "--out", str(tmp_path / "file")]) == 2
    assert "cannot write there" in capsys.readouterr().err


def test_files_are_written_whole_or_not_at_all(tmp_path, capsys, monkeypatch):
    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    assert main(["random", "greedy", "--deals", "2", "--out", str(tmp_path)]) == 2
    assert "No space left" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("stop", "status", "message"),
    [(KeyboardInterrupt(), 130, "stopped"), (IllegalAction("agent 'x' ..."), 1, "agent 'x'")],
)
def test_what_is_finished_is_printed_when_it_is_stopped(
    stop, status, message, tmp_path, capsys, monkeypatch
):
    def second_fails(agent, opponent, *rest, **options):
        if agent.name == "greedy":
            raise stop
        return evaluate(agent, opponent, *rest, **options)

    monkeypatch.setattr(tournament_module, "evaluate", second_fails)
    words = ["random", "greedy", "random:over=moves", "--deals", "20", "--out", str(tmp_path)]
    assert main(words) == status
    printed = capsys.readouterr()
    assert "Ranking" in printed.out
    assert message in printed.err
    assert "2 of 3 pairs are finished; nothing written" in printed.err
    assert list(tmp_path.iterdir()) == []
