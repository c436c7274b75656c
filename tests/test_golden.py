"""Golden playthroughs: one deal of each preset as text, compared line by line. A change of the
rules, of dealing or of the order of moves shows as a difference that can be read. After a wanted
change write them anew with ``python tests/test_golden.py`` and look at the difference."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scopa_env import PRESETS, Game, Match, Move, Rules

FOLDER = Path(__file__).parent / "golden"
SEED = 2024
DEALS = 2


def choose(moves: list[Move]) -> Move:
    """The fixed policy: most cards captured, then most denari, then the first in card order."""
    return max(moves, key=lambda m: (len(m.captured), sum(c.suit == "D" for c in m.captured)))


def playthrough(preset: str) -> Iterator[str]:
    """A match's first deals, a line for each thing that happens."""
    rules = Rules.preset(preset)
    for name, value in rules.to_dict().items():
        yield f"rules {name}: {value!r}"
    match = Match(rules, dealer=Game.deal(rules, seed=SEED).dealer)
    for deal in range(DEALS):
        game = Game.deal(rules, seed=SEED + deal, dealer=match.dealer)
        yield ""
        yield f"deal {deal + 1}: seed {SEED + deal}, dealer {game.dealer}, redeals {game.redeals}"
        yield f"opening: {game.table or '-'}"
        ply, in_stock = 0, None
        while not game.is_over:
            if len(game.stock) != in_stock:
                in_stock = len(game.stock)
                yield f"round dealt, stock {in_stock}"
            seat, hand, scope = game.to_move, game.hands[game.to_move], list(game.scope)
            moves = game.legal_moves()
            move = choose(moves)
            game.play(move)
            ply += 1
            sweep = " scopa" if game.scope != scope else ""
            legal = ", ".join(map(str, moves))
            yield (
                f"{ply:2} seat {seat} [{hand}] of {legal}: {move}{sweep}; table {game.table or '-'}"
            )
        yield f"last capture: seat {game.last_capturer}"
        for side, (pile, row) in enumerate(zip(game.piles, game.scores(), strict=True)):
            yield f"side {side} pile: {pile or '-'}"
            yield f"side {side} points: {', '.join(f'{k} {v}' for k, v in row.items())}"
        match.add(game.scores())
        yield f"match: {match.scores}, winner {match.winner}"


@pytest.mark.parametrize("preset", PRESETS)
def test_golden(preset: str) -> None:
    wanted = (FOLDER / f"{preset}.txt").read_text("utf-8").splitlines()
    found = list(playthrough(preset))
    for number, (line, other) in enumerate(zip(found, wanted, strict=False), start=1):
        assert line == other, f"line {number} of {preset}.txt"
    assert len(found) == len(wanted)


def test_each_preset_has_a_playthrough_and_each_file_a_preset() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(PRESETS)
    assert all(file.suffix == ".txt" for file in FOLDER.rglob("*.*"))


def test_playthroughs_hold_what_they_should() -> None:
    """The fixed policy brings up sweeps, choices and rounds, so that the files say something."""
    texts = {preset: "\n".join(playthrough(preset)) for preset in PRESETS}
    assert sum(text.count(" scopa;") for text in texts.values()) >= len(PRESETS)
    assert any(text.count(" x ") for text in texts.values())


def main() -> None:
    """Write all playthroughs anew."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.txt"):
        if file.stem not in PRESETS:
            file.unlink()
    for preset in PRESETS:
        text = "\n".join(playthrough(preset)) + "\n"
        (FOLDER / f"{preset}.txt").write_text(text, "utf-8")
        print(f"{FOLDER.name}/{preset}.txt: {text.count(chr(10))} lines")


if __name__ == "__main__":
    sys.exit(main())
