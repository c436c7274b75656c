"""One deal as a short text: written, read back and replayed.

    rules scopa target=21
    seed 7
    dealer 1
    7D x 4C 3S
    8C

First comes what was dealt: the preset with the fields that differ from it, then a seed or the
whole deck (as ``Game.deal`` takes it: the table, then each round's hands from the leader on), then
the dealer. Then come the moves, a line each, in the spelling of ``str(move)``. Text after ``#``
and empty lines mean nothing. A card that can capture in one way only may be written alone.

``python -m scopa_env.notation replay FILE`` prints a deal and its points.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from scopa_env.cards import Card, cards
from scopa_env.face import Game, Move
from scopa_env.rules import PRESETS, Rules
from scopa_env.scoring import CATEGORIES

__all__ = ["Deal", "read", "replay", "write"]

CARDS_A_LINE = 10


@dataclass(frozen=True)
class Deal:
    """A deal as its text says it: exactly one of ``seed`` and ``deck`` is given."""

    rules: Rules
    seed: int | None
    deck: tuple[Card, ...] | None
    dealer: int
    moves: tuple[Move, ...]

    def start(self) -> Game:
        """The game before the first move."""
        return Game.deal(self.rules, seed=self.seed or 0, dealer=self.dealer, deck=self.deck)

    def __str__(self) -> str:
        lines = [f"rules {_spell_rules(self.rules)}"]
        if self.deck is None:
            lines.append(f"seed {self.seed}")
        else:
            for first in range(0, len(self.deck), CARDS_A_LINE):
                lines.append(f"deck {' '.join(self.deck[first : first + CARDS_A_LINE])}")
        lines += [f"dealer {self.dealer}", *map(str, self.moves)]
        return "\n".join(lines) + "\n"


def write(game: Game, seed: int | None = None) -> str:
    """The text of a deal and the moves made so far.

    Args:
        game: a game that was dealt, by now anywhere between its first move and its end.
        seed: the seed it was dealt from, to be written instead of the deck.

    Raises:
        ValueError: for a position set up by hand, a view, a move under way, or a seed that deals
            other cards.
    """
    numbers = _deck(game)
    if min(numbers) < 0:
        raise ValueError("only a game that was dealt can be written: this deck is not known")
    if game.touched is not None:
        raise ValueError(f"a move is under way: {game.touched} is touched; complete it first")
    if seed is not None and _deck(Game.deal(game.rules, seed, game.dealer)) != numbers:
        raise ValueError(f"seed={seed}: it deals other cards than this game has")
    deck = None if seed is not None else tuple(cards(numbers))
    return str(Deal(game.rules, seed, deck, game.dealer, tuple(game.plays)))


def read(text: str) -> Deal:
    """The deal that a text says. Its moves are those of the game, whole and legal.

    Raises:
        ValueError: for a text that is none; the message names the line and what was expected.
    """
    return _read(text)[0]


def replay(text: str) -> Game:
    """The game after all moves of a text. Raises ValueError as :func:`read`."""
    return _read(text)[1]


def _read(text: str) -> tuple[Deal, Game]:
    rules: Rules | None = None
    seed: int | None = None
    dealer: int | None = None
    deck: list[Card] = []
    moves: list[Move] = []
    game: Game | None = None
    given: set[str] = set()
    number = 0

    def begin() -> Game:
        if rules is None:
            raise ValueError("'rules PRESET' is expected before the moves")
        if (seed is None) == (not deck):
            raise ValueError("'seed NUMBER' or 'deck CARDS' is expected, one of them")
        if dealer is None:
            raise ValueError("'dealer SEAT' is expected before the moves")
        return Game.deal(rules, seed=seed or 0, dealer=dealer, deck=deck or None)

    try:
        for line in text.splitlines():
            number += 1
            words = line.partition("#")[0].split()
            if not words:
                continue
            key, rest = words[0], words[1:]
            if key in ("rules", "seed", "deck", "dealer"):
                if game is not None:
                    raise ValueError(f"'{key}' is expected before the moves")
                if key in given and key != "deck":
                    raise ValueError(f"'{key}' comes twice")
                given.add(key)
                if key == "rules":
                    rules = _read_rules(rest)
                elif key == "deck":
                    deck = cards([*deck, *rest])
                elif key == "seed":
                    seed = _read_number(key, rest)
                else:
                    dealer = _read_number(key, rest)
                continue
            if game is None:
                game = begin()
            moves.append(_move(game, " ".join(words)))
        if game is None:
            number += 1
            game = begin()
    except ValueError as problem:
        raise ValueError(f"line {number}: {problem}") from None
    assert rules is not None
    assert dealer is not None
    return Deal(rules, seed, tuple(deck) or None, dealer, tuple(moves)), game


def _move(game: Game, text: str) -> Move:
    """Make a move, and say in full what it was."""
    if game.is_over:
        raise ValueError(f"{text!r}: the deal is over, nothing more is expected")
    game.play(text)
    return game.plays[-1]


def _deck(game: Game) -> list[int]:
    return [int(n) for n in game.record["deck"][: game.rules.deck_size]]


def _spell_rules(rules: Rules) -> str:
    preset = rules.name if rules.name in PRESETS else "scopa"
    usual = Rules.preset(preset, players=rules.players).to_dict()
    words = [preset]
    if rules.players != Rules.preset(preset).players:
        words.append(f"players={rules.players}")
    for name, value in rules.to_dict().items():
        if value != usual[name]:
            words.append(f"{name}={str(value).replace(' ', '')}")
    return " ".join(words)


def _read_rules(words: list[str]) -> Rules:
    if not words:
        raise ValueError(f"a preset is expected after 'rules': {', '.join(PRESETS)}")
    fields: dict[str, Any] = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r}: field=value is expected, such as target=21")
        try:
            fields[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            fields[name] = value
    if "preset" in fields:
        raise ValueError("'preset': no such field")
    return Rules.preset(words[0], **fields)


def _read_number(key: str, words: list[str]) -> int:
    if len(words) != 1 or not words[0].isascii() or not words[0].isdigit() or len(words[0]) > 80:
        raise ValueError(f"{' '.join(words)!r}: one whole number is expected after '{key}'")
    return int(words[0])


def _replay(file: tyro.conf.Positional[Path]) -> int:
    """Print the deal of a file move by move, and its points.

    Args:
        file: the deal as text, see the head of this page.
    """
    try:
        deal = read(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "no text"
        print(f"notation: {file}: {reason}", file=sys.stderr)
        return 2
    except ValueError as problem:
        print(f"notation: {file}: {problem}", file=sys.stderr)
        return 1
    game = deal.start()
    print(f"rules {_spell_rules(deal.rules)}, dealer {deal.dealer}, table {game.table or '-'}")
    for number, move in enumerate(deal.moves, start=1):
        seat, hand, scope = game.to_move, game.hands[int(game.to_move or 0)], game.scope
        game.play(move)
        sweep = ", scopa" if game.scope != scope else ""
        print(f"{number:3} seat {seat} of {hand}: {move}{sweep}; table {game.table or '-'}")
    if not game.is_over:
        print(f"not over: seat {game.to_move} is to move")
        return 0
    for side, row in enumerate(game.scores()):
        made = [f"{name} {row[name]}" for name in CATEGORIES if row[name]]
        print(f"side {side}: {row['total']} points ({', '.join(made) or '-'})")
    return 0


def main() -> int:
    """The command line."""
    return tyro.extras.subcommand_cli_from_dict({"replay": _replay}, description=__doc__)


if __name__ == "__main__":
    sys.exit(main())
