"""Published results measured again, on a few deals only."""

import pytest

from agents import make
from experiments import published
from experiments.published import main, measure_seats


@pytest.fixture(autouse=True)
def few_plays(monkeypatch):
    monkeypatch.setattr(published, "PLAYS_OF_A_DECK", 5)


def test_seats_of_random_players():
    rows = measure_seats(make("random"), deals=8000, seed=3)
    assert [row.name for row in rows] == ["deck wins", "hand wins", "tie"]
    assert sum(row.ours.mean for row in rows) == pytest.approx(1)
    deck, hand, tie = rows
    assert deck.ours.low > hand.ours.high
    for row in rows:
        assert row.ours.low < row.published + 0.015
        assert row.ours.high > row.published - 0.015
        assert row.spread > row.ours.half_width / 3
        assert row.agrees
    assert tie.interval is None


def test_another_player_is_told_from_the_published_one():
    rows = measure_seats(make("greedy"), deals=4000, seed=3)
    assert not all(row.agrees for row in rows)


def test_command_line(capsys):
    assert main(["--deals", "500"]) == 0
    printed = capsys.readouterr().out
    assert "45.7 [45.3, 46.1]" in printed
    assert "agrees" in printed
    assert main(["--agent", "gredy"]) == 2
    assert main(["--deals", "0"]) == 2
    assert capsys.readouterr().err.count("\n") == 2
