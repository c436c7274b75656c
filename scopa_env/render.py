"""Drawing a table: as text, and as an image made with NumPy alone.

Both are for people who watch and show every hand; what one seat may see is an observation or a
view (:mod:`scopa_env.view`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np

from scopa_env.cards import Card, Cards
from scopa_env.face import Game

__all__ = ["draw", "table_image", "table_text"]


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


def table_text(game: Game) -> str:
    """The table as lines of text, every hand open; the points once the deal is over."""
    rules = game.rules
    plays = game.plays
    lines = [
        f"{rules.name}, deal {int(game.record['deal_number']) + 1}, "
        f"{int(game.record['ply'])} of {rules.plays} cards played, player_{game.dealer} dealt"
    ]
    if plays:
        before = _seat_of_last_play(game)
        who = "" if before is None else f"player_{before} "
        lines.append(f"  last move  {who}{plays[-1]}")
    if game.touched is not None:
        lines.append(f"  touched    {game.touched}{' with ' if game.chosen else ''}{game.chosen}")
    lines.append(f"  table      {game.table or '-'}")
    for seat, hand in enumerate(game.hands):
        mark = ">" if seat == game.to_move else " "
        lines.append(f"{mark} player_{seat}   {hand or '-'}")
    match_scores = game.record["match_scores"][: rules.num_sides].tolist()
    for side in range(rules.num_sides):
        line = f"  {_players(game, side)}: {len(game.piles[side])} cards, {game.scope[side]} scope"
        if rules.hand_bonus:
            line += f", {game.bonus[side]} for hands shown"
        if any(match_scores):
            line += f", {match_scores[side]} points before this deal"
        lines.append(line)
    if game.stock:
        lines.append(f"  {len(game.stock)} cards left to deal")
    if game.is_over:
        for side, points in enumerate(game.scores()):
            made = [f"{name} {points[name]}" for name in _categories(points) if points[name]]
            lines.append(
                f"  {_players(game, side)} made {points['total']}: {', '.join(made) or '-'}"
            )
    return "\n".join(lines)


def _categories(points: dict[str, Any]) -> Iterable[str]:
    """The names of what pays, as they come before the total."""
    names = list(points)
    return names[: names.index("total")]


def _players(game: Game, side: int) -> str:
    seats = game.rules.sides[side] if game.rules.sides else ()
    return " and ".join(f"player_{seat}" for seat in seats)


def _seat_of_last_play(game: Game) -> int | None:
    """Who played the last card; None where the position does not tell."""
    last = int(game.plays[-1].card)
    for seat in range(game.rules.players):
        if int(game.record["played"][seat]) >> last & 1:
            return seat
    return None


# An image is uint8[height, width, 3]; shapes are small pictures of dots, drawn enlarged.

FELT = (24, 96, 62)
PAPER = (250, 247, 238)
EDGE = (60, 60, 60)
CHOSEN = (255, 176, 0)
FAINT = (168, 205, 184)
WHITE = (255, 255, 255)
MOVER = (255, 221, 87)
SUIT_COLOUR = {"D": (196, 138, 0), "C": (186, 30, 40), "S": (28, 70, 160), "B": (38, 110, 40)}

CARD_WIDTH, CARD_HEIGHT, GAP = 46, 64, 6
MARGIN, LABEL_WIDTH, ROW_CARDS = 10, 122, 10
ROW_HEIGHT = CARD_HEIGHT + 12
LINE_HEIGHT = 22
WIDTH = 2 * MARGIN + LABEL_WIDTH + ROW_CARDS * (CARD_WIDTH + GAP)

SUIT_PICTURE = {
    "D": """
        ...#####...
        .##.....##.
        .#..###..#.
        #..#...#..#
        #.#..#..#.#
        #.#.###.#.#
        #.#..#..#.#
        #..#...#..#
        .#..###..#.
        .##.....##.
        ...#####...""",
    "C": """
        ###########
        #.........#
        ##.......##
        .##.....##.
        ..#######..
        ....###....
        .....#.....
        .....#.....
        ....###....
        ..#######..
        .#########.""",
    "S": """
        .........##
        ........###
        .......###.
        ......###..
        .....###...
        #...###....
        .#.###.....
        ..###......
        ..##.......
        .#..#......
        #....#.....""",
    "B": """
        .......###.
        ......#####
        .....######
        .....#####.
        ....#####..
        ....####...
        ...###.....
        ..###......
        .###.......
        ###........
        ##.........""",
}

#: Letters as seven rows of five dots, two hexadecimal digits a row.
LETTER = {
    "A": "0E11111F111111", "B": "1E11111E11111E", "C": "0E11101010110E", "D": "1E11111111111E",
    "E": "1F10101E10101F", "F": "1F10101E101010", "G": "0E11101711110F", "H": "1111111F111111",
    "I": "0E04040404040E", "J": "0702020202120C", "K": "11121418141211", "L": "1010101010101F",
    "M": "111B1515111111", "N": "11191513111111", "O": "0E11111111110E", "P": "1E11111E101010",
    "Q": "0E11111115120D", "R": "1E11111E141211", "S": "0F10100E01011E", "T": "1F040404040404",
    "U": "1111111111110E", "V": "11111111110A04", "W": "11111115151B11", "X": "11110A040A1111",
    "Y": "11110A04040404", "Z": "1F01020408101F", "0": "0E11131519110E", "1": "040C040404040E",
    "2": "0E11010608101F", "3": "0E11010601110E", "4": "02060A121F0202", "5": "1F101E0101110E",
    "6": "0608101E11110E", "7": "1F010204080808", "8": "0E11110E11110E", "9": "0E11110F01020C",
    "_": "0000000000001F", "-": "0000001F000000", ":": "00040000000400", ",": "00000000040408",
    "+": "0004041F040400", "(": "02040808080402", ")": "08040202020408", "&": "0C12140815120D",
}  # fmt: skip


def _dots(rows: str) -> np.ndarray:
    """A picture of dots as ``bool[height, width]``."""
    return np.array([[dot == "#" for dot in row] for row in rows.split()], np.bool_)


def _letter(code: str) -> np.ndarray:
    rows = np.frombuffer(bytes.fromhex(code), np.uint8)
    return ((rows[:, None] >> np.arange(4, -1, -1)) & 1).astype(np.bool_)


SUIT_DOTS = {suit: _dots(rows) for suit, rows in SUIT_PICTURE.items()}
LETTER_DOTS = {letter: _letter(code) for letter, code in LETTER.items()}


def table_image(game: Game) -> np.ndarray:
    """The table as an image, every hand open.

    Returns:
        ``uint8[height, width, 3]``; its size depends on the number of players only.
    """
    rules = game.rules
    height = 2 * MARGIN + LINE_HEIGHT * (2 + rules.num_sides) + ROW_HEIGHT * (rules.players + 1)
    image = np.empty((height, WIDTH, 3), np.uint8)
    image[:] = FELT
    top = MARGIN
    head = f"{rules.name} deal {int(game.record['deal_number']) + 1}, card "
    _write(image, MARGIN, top, f"{head}{int(game.record['ply'])} of {rules.plays}", FAINT)
    top += LINE_HEIGHT
    if game.plays:
        _write(image, MARGIN, top, f"last: {game.plays[-1]}", FAINT)
    top += LINE_HEIGHT
    # The move under way: its cards are marked where they lie.
    marked = set(game.chosen)
    if game.touched is not None:
        marked.add(game.touched)
    _row(image, top, "table", FAINT, game.table, marked)
    for seat, hand in enumerate(game.hands):
        top += ROW_HEIGHT
        colour = MOVER if seat == game.to_move else WHITE
        _row(image, top, f"player_{seat}", colour, hand, marked)
    top += ROW_HEIGHT
    totals = [points["total"] for points in game.scores()] if game.is_over else None
    before = game.record["match_scores"].tolist()
    for side, pile in enumerate(game.piles):
        text = f"{_players(game, side).replace(' and ', '+')}: {len(pile)} cards, "
        text += f"{game.scope[side]} scope" if totals is None else f"{totals[side]} points"
        if any(before):
            text += f" (+{before[side]})"
        _write(image, MARGIN, top, text, FAINT)
        top += LINE_HEIGHT
    return image


def _row(
    image: np.ndarray, top: int, label: str, colour: Any, hand: Cards, marked: set[Card]
) -> None:
    """Draw a label and cards; cards that are too many for the row overlap."""
    _write(image, MARGIN, top + CARD_HEIGHT // 2 - 7, label, colour)
    step = CARD_WIDTH + GAP
    if len(hand) > ROW_CARDS:
        step = (ROW_CARDS * step - CARD_WIDTH) // (len(hand) - 1)
    for place, one in enumerate(hand):
        _card(image, MARGIN + LABEL_WIDTH + place * step, top, one, one in marked)


def _card(image: np.ndarray, left: int, top: int, one: Card, marked: bool) -> None:
    edge = 3 if marked else 1
    face = image[top : top + CARD_HEIGHT, left : left + CARD_WIDTH]
    face[:] = CHOSEN if marked else EDGE
    face[edge:-edge, edge:-edge] = PAPER
    colour = SUIT_COLOUR[one.suit]
    _write(image, left + 5, top + 6, str(one.rank), colour)
    _stamp(image, left + CARD_WIDTH - 28, top + CARD_HEIGHT - 29, SUIT_DOTS[one.suit], colour)


def _write(image: np.ndarray, left: int, top: int, text: str, colour: Any) -> None:
    """Write text, 12 pixels a letter; what has no picture is blank, what has no room left out."""
    for letter in text.upper():
        if left + 12 > image.shape[1]:
            return
        if letter in LETTER_DOTS:
            _stamp(image, left, top, LETTER_DOTS[letter], colour)
        left += 12


def _stamp(image: np.ndarray, left: int, top: int, dots: np.ndarray, colour: Any) -> None:
    """Draw a picture of dots, each of them 2 x 2 pixels."""
    large = dots.repeat(2, axis=0).repeat(2, axis=1)
    height, width = large.shape
    image[top : top + height, left : left + width][large] = colour
