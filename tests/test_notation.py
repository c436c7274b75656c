"""Deals as text: written, read back, and refused with the line that is wrong."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from helpers import other_cards, random_play, random_touch, run_python

from scopa_env import PRESETS, Game, Rules
from scopa_env.game import GAME_DTYPE
from scopa_env.notation import main, read, replay, write

TEXT = """\
# a deal of two
rules scopa target=21
seed 7
dealer 1
"""


def public(game: Game) -> dict[str, Any]:
    """All of a record but its generator, which a deck does not say, and what came before."""
    return {
        name: np.asarray(game.record[name]).tolist()
        for name in GAME_DTYPE.names
        if name not in ("rng", "redeals")
    }


@pytest.mark.parametrize("preset", PRESETS)
def test_written_and_read_back(preset: str) -> None:
    for seed in range(5):
        game = random_play(Game.deal(preset, seed=seed), random.Random(seed))
        for text in (write(game), write(game, seed=seed)):
            again = replay(text)
            assert public(again) == public(game)
            assert again.scores() == game.scores()
            assert str(read(text)) == text


def test_a_deal_in_the_middle() -> None:
    game = Game.deal("scopone", seed=3, dealer=2)
    for _ in range(5):
        game.play(game.legal_moves()[0])
    assert public(replay(write(game))) == public(game)
    assert read(write(game)).moves == tuple(game.plays)


def test_rules_that_differ_from_their_preset() -> None:
    for rules in (
        Rules.preset("cirulla", players=2, primiera="trentino", hand_bonus=False),
        Rules.preset("scopa_assi", players=4),
        Rules.preset("scopa_6p", sides=((0, 2, 4), (1, 3, 5))),
        Rules.preset("scopa", fewest_cards=True, target=21),
    ):
        assert read(write(Game.deal(rules, seed=1))).rules == rules


def test_a_card_alone_is_enough_where_it_captures_in_one_way() -> None:
    begin = ["8C", "2D", "3S", "4B", "8B", "1C", "1D", "5S", "6S", "9D"]
    deck = " ".join([*begin, *other_cards(*begin)])
    text = f"rules scopa\ndeck {deck}\ndealer 1\n8B # takes the eight\n"
    assert str(read(text).moves[0]) == "8B x 8C"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: 'rules PRESET' is expected"),
        ("rules\n", "line 1: a preset is expected after 'rules'"),
        ("rules briscola\n", "line 1: rules='briscola': the presets are"),
        ("rules scopa target\n", "line 1: 'target': field=value is expected"),
        ("rules scopa target=x\n", "line 1: target='x'"),
        ("rules scopa players=[1,2]\n", r"line 1: players=\[1, 2\]"),
        ("rules scopa preset=x\n", "line 1: 'preset': no such field"),
        ("rules scopa players=" + "-" * 3000 + "1\n", "line 1: players="),
        ("rules scopa\nrules scopa\n", "line 2: 'rules' comes twice"),
        ("rules scopa\n7D\n", "line 2: 'seed NUMBER' or 'deck CARDS' is expected"),
        ("rules scopa\nseed x\n", "line 2: 'x': one whole number is expected after 'seed'"),
        ("rules scopa\nseed 1 2\n", "line 2: '1 2': one whole number"),
        ("rules scopa\nseed 1\n", "line 3: 'dealer SEAT' is expected"),
        ("rules scopa\nseed 1\ndealer 2\n7D\n", "line 4: dealer=2: the seats are 0 to 1"),
        ("rules scopa\ndeck 7D 7D\n", "line 2: card 7D comes twice"),
        ("rules scopa\ndeck 7D\ndealer 0\n", "line 4: deck: all 40 cards"),
        ("rules scopa\nseed 1\ndeck 7D\ndealer 0\n7D\n", "line 5: 'seed NUMBER' or 'deck CARDS'"),
        (TEXT + "\n11D\n", "line 6: .*no such card.*legal are"),
        (TEXT + "7D x\n", "line 5: .*after x the captured cards are wanted"),
        (TEXT + "hello there\n", "line 5: .*legal are"),
    ],
)
def test_malformed_lines_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(text)


def test_illegal_and_late_moves_are_named() -> None:
    game = random_play(Game.deal("scopa", seed=7, dealer=1), random.Random(1))
    text = write(game, seed=7)
    with pytest.raises(ValueError, match=r"line 40: '7D': the deal is over"):
        read(text + "7D\n")
    with pytest.raises(ValueError, match=r"line 40: 'seed' is expected before the moves"):
        read(text + "seed 1\n")
    lines = text.splitlines()
    other = next(c for c in map(str, Game.deal("scopa", seed=7, dealer=1).hands[1]))
    lines[3] = other
    with pytest.raises(ValueError, match=rf"line 4: {other} is not legal; legal are"):
        read("\n".join(lines))


def test_what_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="this deck is not known"):
        write(Game.from_position("scopa", ["7D", "5B"]))
    game = Game.deal("scopa", seed=1, dealer=0)
    with pytest.raises(ValueError, match="deals other cards"):
        write(game, seed=2)
    rng = random.Random(1)
    while game.touched is None:
        random_touch(game, rng)
        if game.is_over:
            game = Game.deal("scopa", seed=rng.randrange(1000), dealer=0)
    with pytest.raises(ValueError, match="a move is under way"):
        write(game)


def test_replay_command(tmp_path: Any) -> None:
    game = random_play(Game.deal("cirulla", seed=4, dealer=1), random.Random(2))
    (tmp_path / "deal.txt").write_text(write(game))
    code = "import sys; from scopa_env.notation import main; sys.exit(main())"
    printed = run_python(code, "replay", str(tmp_path / "deal.txt"))
    assert f"side 1: {game.scores()[1]['total']} points" in printed
    assert printed.count(" seat ") == 36


def test_replay_of_bad_files_is_one_line(
    tmp_path: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.txt").write_text(TEXT + "99X\n")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    for name, message in (
        ("bad.txt", "line 5: no such card"),
        ("none.txt", "No such file"),
        ("binary.txt", "no text"),
    ):
        monkeypatch.setattr("sys.argv", ["notation", "replay", str(tmp_path / name)])
        assert main() != 0
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
