"""Drawing a table: as text, as SVG for papers and pages, and as an image made with NumPy alone.

    from scopa_env.render import table_text

    print(table_text(game, cards="names"))

All are for people who watch and show every hand, unless ``seat`` says who looks: then they are
made from that seat's view (:mod:`scopa_env.view`), and what it cannot see lies face down.

``python -m scopa_env.render FILE --move 12 --out table.svg`` draws a deal that is written as in
:mod:`scopa_env.notation`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np

from scopa_env._scene import to_image, to_svg
from scopa_env._table import THEMES, last_was_scopa, seat_of_last_play, table_scene
from scopa_env.cards import SUITS, Card, CardLike, Cards, card
from scopa_env.face import Game
from scopa_env.scoring import CATEGORIES

__all__ = ["card_text", "draw", "table_image", "table_svg", "table_text"]

CardStyle = Literal["codes", "names", "french"]
ThemeName = Literal["felt", "paper"]

FACE_DOWN = "##"
RANK_NAMES = ["asso", "due", "tre", "quattro", "cinque", "sei", "sette", "fante", "cavallo", "re"]
SUIT_NAMES = {"D": "denari", "C": "coppe", "S": "spade", "B": "bastoni"}
FRENCH_RANKS = "A234567JQK"
FRENCH_SUITS = {"D": "♦", "C": "♥", "S": "♠", "B": "♣"}
#: The terminal's yellow, red, blue and green.
ANSI_COLOUR = {"D": 33, "C": 31, "S": 34, "B": 32}

#: How each style writes a rank, a suit and a card of both, and what comes between two cards.
STYLES: dict[str, tuple[Callable[[int], str], Callable[[str], str], str, str]] = {
    "codes": (str, str, "{}{}", " "),
    "names": (lambda rank: RANK_NAMES[rank - 1], SUIT_NAMES.__getitem__, "{} di {}", ", "),
    "french": (lambda rank: FRENCH_RANKS[rank - 1], FRENCH_SUITS.__getitem__, "{}{}", " "),
}


def draw(game: Game, mode: str | None, name: str) -> str | np.ndarray | None:
    """What an environment's ``render`` gives for one of its render modes.

    Args:
        mode: ``"ansi"``, ``"rgb_array"``, ``"human"``, or None, which warns and draws nothing.
        name: the environment's name, for the warning.

    Returns:
        Text for ``"ansi"``; ``uint8[height, width, 3]``, always of the same size, for
        ``"rgb_array"``; None for ``"human"``, which prints the text.
    """
    if mode is None:
        gymnasium.logger.warn(f"render() draws nothing: no render_mode was given to {name}")
        return None
    if mode == "rgb_array":
        return table_image(game)
    text = table_text(game)
    if mode == "ansi":
        return text
    print(text, flush=True)
    return None


def table_svg(game: Game, seat: int | None = None, theme: ThemeName = "felt") -> str:
    """The table as an SVG document.

    Args:
        seat: whose view to draw; None: every hand is open.
        theme: ``"felt"``, or ``"paper"``: on white.

    Returns:
        The document, to be saved as UTF-8. Width and height depend on the number of players only,
        and the same game gives the same text.

    Raises:
        ValueError: for a seat that is not at the table, for a game that is itself the view of
            another seat, or for a theme that there is not.
    """
    _choice("theme", theme, THEMES)
    return to_svg(table_scene(_seen(game, seat), theme))


def table_image(game: Game, seat: int | None = None, theme: ThemeName = "felt") -> np.ndarray:
    """The table as an image: what :func:`table_svg` draws, with letters of our own.

    Returns:
        ``uint8[height, width, 3]``; its size depends on the number of players only. The first
        image of a card takes some 20 ms more: painted cards are kept.

    Raises:
        ValueError: as :func:`table_svg`.
    """
    _choice("theme", theme, THEMES)
    return to_image(table_scene(_seen(game, seat), theme))


def card_text(one: CardLike, cards: CardStyle = "codes", colour: bool = False) -> str:
    """A card in words.

    Args:
        cards: ``"codes"``: 7D, 10C; ``"names"``: sette di denari, re di coppe; ``"french"``: 7♦,
            K♥. On a French deck denari are ♦, coppe ♥, spade ♠ and bastoni ♣; the fante (8) is J,
            the cavallo (9) Q, the re (10) K and the asso A.
        colour: in the colour of its suit on a terminal.

    Raises:
        ValueError: for what is no card, or a style that there is not.
    """
    _choice("cards", cards, STYLES)
    one = card(one)
    rank, suit, form, _ = STYLES[cards]
    return _tinted(form.format(rank(one.rank), suit(one.suit)), one.suit, colour)


def table_text(
    game: Game, cards: CardStyle = "codes", colour: bool = False, seat: int | None = None
) -> str:
    """The table as lines of text: the order of play, hands, piles, and at the end the points.

    Args:
        cards: how cards are written, see :func:`card_text`; one face down is ``##``.
        colour: cards in the colour of their suit, by a terminal's escape codes.
        seat: whose view to show; None: every hand is open.

    Raises:
        ValueError: for a style that there is not, or as :func:`table_svg`.
    """
    _choice("cards", cards, STYLES)
    game = _seen(game, seat)

    def spell(some: Iterable[Card], hidden: int = 0) -> str:
        words = [card_text(one, cards, colour) for one in some] + hidden * [FACE_DOWN]
        return STYLES[cards][3].join(words) or "-"

    lines = [_headline(game), f"  play       {_order(game)}"]
    if game.rules.num_sides < game.rules.players:
        sides = "; ".join(_players(game, side) for side in range(game.rules.num_sides))
        lines.append(f"  sides      {sides}")
    if game.plays:
        lines.append(f"  last move  {_last_move(game, spell)}")
    if game.touched is not None:
        chosen = f" with {spell(game.chosen)}" if game.chosen else ""
        lines.append(f"  touched    {spell([game.touched])}{chosen}")
    lines.append(f"  table      {spell(game.table)}")
    for place, hand in enumerate(game.hands):
        mark = ">" if place == game.to_move else " "
        hidden = int(game.record["hand_count"][place]) - len(hand)
        lines.append(f"{mark} player_{place}   {spell(hand, hidden)}")
    for side, pile in enumerate(game.piles):
        lines.append(f"  {_players(game, side)}: {_counts(game, side)}")
        if pile:
            lines.append(f"    {_by_suit(pile, cards, colour)}")
    if game.is_over:
        lines += [f"  {line}" for line in _made(game)]
    return "\n".join(lines)


def _choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: allowed are {', '.join(map(repr, allowed))}")


def _seen(game: Game, seat: int | None) -> Game:
    """The game as a seat sees it, with nothing else in it."""
    return game if seat is None else Game(game.rules, game.view(seat))


def _headline(game: Game) -> str:
    left = game.rules.deck_size - int(game.record["dealt"])
    return (
        f"{game.rules.name}, deal {int(game.record['deal_number']) + 1}, "
        f"{int(game.record['ply'])} of {game.rules.plays} cards played"
        + (f", {left} left to deal" if left else "")
    )


def _order(game: Game) -> str:
    players = game.rules.players
    seats = [(game.dealer + 1 + turn) % players for turn in range(players)]
    return f"{', '.join(f'player_{seat}' for seat in seats)} (dealer), and round again"


def _players(game: Game, side: int) -> str:
    seats = game.rules.sides[side] if game.rules.sides else ()
    return " and ".join(f"player_{seat}" for seat in seats)


def _last_move(game: Game, spell: Callable[..., str]) -> str:
    played, captured = game.plays[-1]
    text = f"player_{seat_of_last_play(game)} {spell([played])}"
    text += f" x {spell(captured)}" if captured else ""
    return text + (", scopa" if last_was_scopa(game) else "")


def _counts(game: Game, side: int) -> str:
    rules, pile = game.rules, game.piles[side]
    parts = [f"{len(pile)} cards", f"{sum(one.suit == 'D' for one in pile)} denari"]
    if "7D" in pile:
        parts.append("settebello")
    parts.append(f"{game.scope[side]} scope")
    if rules.hand_bonus:
        parts.append(f"{game.bonus[side]} for hands shown")
    if game.last_capturer is not None and rules.side_of(game.last_capturer) == side:
        parts.append("captured last")
    match_scores = game.record["match_scores"].tolist()
    if any(match_scores):
        parts.append(f"{match_scores[side]} points before this deal")
    return ", ".join(parts)


def _by_suit(pile: Cards, cards: str, colour: bool) -> str:
    """A pile in short: each suit with its ranks."""
    rank, suit, _, _ = STYLES[cards]
    parts = []
    for letter in SUITS:
        ranks = [rank(one.rank) for one in pile if one.suit == letter]
        if ranks:
            parts.append(_tinted(f"{suit(letter)} {' '.join(ranks)}", letter, colour))
    return "  ".join(parts)


def _tinted(text: str, suit: str, colour: bool) -> str:
    return f"\x1b[{ANSI_COLOUR[suit]}m{text}\x1b[0m" if colour else text


def _made(game: Game) -> list[str]:
    """The points of a finished deal, a line a side."""
    lines = []
    for side, points in enumerate(game.scores()):
        made = [f"{name} {points[name]}" for name in CATEGORIES if points[name]]
        before = int(game.record["match_scores"][side])
        match = f"; {before + points['total']} of {game.rules.target} in the match"
        lines.append(
            f"{_players(game, side)} made {points['total']}: {', '.join(made) or '-'}{match}"
        )
    return lines


# --------------------------------------------------------------------------------- command line


def _draw_file(
    file: Path,
    /,
    move: int | None = None,
    out: Path | None = None,
    seat: int | None = None,
    theme: ThemeName = "felt",
    cards: CardStyle = "codes",
    colour: bool = False,
) -> int:
    """Draw a deal that is written as text, see scopa_env.notation.

    Args:
        file: the deal.
        move: after so many of its moves; all, if not given.
        out: where to draw: a name in .svg, or in .txt for text; if not given, the text is printed.
        seat: the seat that looks; every hand is open, if not given.
        theme: of an SVG: felt, or paper, on white.
        cards: of a text: codes (7D), names (sette di denari) or french (7♦).
        colour: of a text: with a terminal's colours.
    """
    from scopa_env.notation import read

    try:
        deal = read(file.read_text("utf-8"))
        game = deal.start()
        if move is not None and not 0 <= move <= len(deal.moves):
            raise ValueError(f"move={move}: the deal has moves 0 to {len(deal.moves)}")
        for one in deal.moves[:move]:
            game.play(one)
        if out is not None and out.suffix == ".svg":
            text = table_svg(game, seat, theme)
        elif out is None or out.suffix == ".txt":
            text = table_text(game, cards, colour, seat) + "\n"
        else:
            raise ValueError(f"out={str(out)!r}: a name in .svg or .txt is wanted")
        if out is None:
            print(text, end="")
        else:
            out.write_text(text, "utf-8")
    except UnicodeDecodeError:
        print(f"render: {file}: no text", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"render: {problem.filename}: {problem.strerror}", file=sys.stderr)
        return 2
    except ValueError as problem:
        print(f"render: {file}: {problem}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    """The command line."""
    import tyro

    return tyro.cli(_draw_file)


if __name__ == "__main__":
    sys.exit(main())
