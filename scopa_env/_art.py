"""The pictures of the forty cards, of a back and of a deck, drawn from scratch.

A card is 60 wide and 96 high, its origin the upper left corner; a suit sign has its origin in its
middle.
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from scopa_env._scene import Shape, Symbol, Use, box, circle, ellipse
from scopa_env._strokes import glyph
from scopa_env.cards import Card

__all__ = ["CARD_HEIGHT", "CARD_WIDTH", "card_back", "card_face", "card_frame", "suit_sign"]

CARD_WIDTH, CARD_HEIGHT, CORNER = 60, 96, 6

PAPER = "#fffdf6"
EDGE = "#4b4438"
LINE = "#3a2a18"
GOLD, GOLD_LINE = "#eab530", "#7c5206"
WOOD_LINE = "#4a2d12"
RED, BLUE, GREEN = "#bf3b2b", "#2f5f9e", "#43813a"
SKIN, HAIR, WHITE, STEEL = "#f3cfa8", "#6b4423", "#fbf8ef", "#c9d9ea"

#: Of each suit: its index, and the two colours that its figures wear.
INK = {"D": "#a86a00", "C": "#b02a20", "S": "#234f8f", "B": "#2c6a26"}
WEAR = {"D": (GOLD, RED), "C": (RED, BLUE), "S": (BLUE, RED), "B": (GREEN, GOLD)}


def _star(points: int, outer: float, inner: float) -> str:
    """The path of a star around the origin."""
    corners = []
    for i in range(2 * points):
        radius, turn = (outer, inner)[i % 2], pi * i / points
        corners.append(f"{radius * sin(turn):.2f} {-radius * cos(turn):.2f}")
    return f"M {' L '.join(corners)} Z"


_SIGNS: dict[str, tuple[Shape, ...]] = {
    "D": (
        Shape(circle(0, 0, 9.4), GOLD, GOLD_LINE, 1.1),
        Shape(circle(0, 0, 7.2), "#f6d470", GOLD_LINE, 0.6),
        Shape(_star(8, 6.3, 3), RED, GOLD_LINE, 0.5),
        Shape(circle(0, 0, 2.1), GOLD, GOLD_LINE, 0.6),
    ),
    "C": (
        Shape("M -1.8 1 L 1.8 1 L 1.6 5 L -1.6 5 Z", GOLD, "#5c1710", 0.9),
        Shape("M -6.6 10 C -6.2 6.4 -3.4 4.6 0 4.6 C 3.4 4.6 6.2 6.4 6.6 10 Z", RED, "#5c1710", 1),
        Shape("M -8 -8 C -8 -1.6 -5 2.4 0 2.4 C 5 2.4 8 -1.6 8 -8 Z", RED, "#5c1710", 1),
        Shape("M -7.6 -4.4 C -4 -2.4 4 -2.4 7.6 -4.4", None, GOLD, 1.7),
        Shape(ellipse(0, -8, 8, 2.2), GOLD, "#5c1710", 0.9),
        Shape(ellipse(0, -8, 5.6, 1.1), "#7d2218"),
        Shape("M -6.3 9 L 6.3 9", None, GOLD, 1.2),
    ),
    "S": (
        Shape("M 0 -13.4 L 2.4 -9.6 L 1.9 5 L -1.9 5 L -2.4 -9.6 Z", STEEL, "#1d3b6c", 0.9),
        Shape("M 0 -10.5 L 0 4", None, "#6b8dbb", 0.8),
        Shape("M -1.5 6 L 1.5 6 L 1.3 11 L -1.3 11 Z", RED, "#5c1710", 0.8),
        Shape(
            "M -6.2 3.6 C -4.6 5 4.6 5 6.2 3.6 L 6.2 6.4 C 4.6 7.4 -4.6 7.4 -6.2 6.4 Z",
            GOLD,
            GOLD_LINE,
            0.8,
        ),
        Shape(circle(0, 12, 1.9), GOLD, GOLD_LINE, 0.8),
    ),
    "B": (
        Shape("M 2 3 C 4.4 2.6 6.6 .6 6.8 -2.4 C 4 -2.4 2 -.4 1.6 2.4 Z", GREEN, "#1d4518", 0.7),
        Shape(
            "M -2 -1 C -4.8 -1.4 -6.8 -3.6 -7 -6.6 C -4.2 -6.4 -2.2 -4.4 -2 -1.6 Z",
            GREEN,
            "#1d4518",
            0.7,
        ),
        Shape(
            "M -1.7 13 C -1.9 7 -2.2 2 -2.9 -4 C -4.4 -6.4 -4.2 -8.4 -3 -9.6 "
            "C -3.2 -12.4 -1.4 -13.6 .2 -13.4 C 2.4 -13.4 3.4 -12 3.2 -10 C 4.4 -8.4 4.2 -6 2.9 -4 "
            "C 2.2 2 1.9 7 1.7 13 Z",
            "#a8713a",
            WOOD_LINE,
            0.9,
        ),
        Shape("M -1.2 -9.6 C -1.8 -6 -1 -1 -.6 4 M 1 -3 C .8 1 .6 4 .5 8", None, "#d3a46a", 0.8),
        Shape(ellipse(1.2, -7.8, 0.9, 1.2), WOOD_LINE),
        Shape(ellipse(0, 12.9, 1.7, 0.8), "#e6cb97", WOOD_LINE, 0.7),
    ),
}


@cache
def suit_sign(suit: str) -> Symbol:
    """The sign of a suit, one of ``D C S B``; about 20 wide or 27 high."""
    return Symbol(f"suit-{suit}", _SIGNS[suit])


@cache
def _index(rank: int, suit: str) -> Symbol:
    """The rank as figures, 10 high, drawn with a pen so that every machine shows the same."""
    strokes, x = [], 0.0
    for figure in str(rank):
        words = glyph(figure).path.split()
        number = 0
        for place, word in enumerate(words):
            if not word.isalpha():
                words[place] = f"{float(word) + (x if number % 2 == 0 else 0):.2f}"
                number += 1
        strokes.append(" ".join(words))
        x += glyph(figure).advance - 0.2
    return Symbol(f"index-{rank}{suit}", (Shape(" ".join(strokes), None, INK[suit], 1.5),))


# Where the signs of a number stand about the middle, and how large.
_FOUR: list[tuple[float, float]] = [(x, y) for y in (-25, 25) for x in (-10.4, 10.4)]
_SIX: list[tuple[float, float]] = [(x, y) for y in (-30, 0, 30) for x in (-10.4, 10.4)]
_SPOTS: dict[int, tuple[float, list[tuple[float, float]]]] = {
    1: (2.0, [(0, 0)]),
    2: (1.35, [(0, -23), (0, 23)]),
    3: (1.0, [(0, -30), (0, 0), (0, 30)]),
    4: (0.98, _FOUR),
    5: (0.96, [*_FOUR, (0, 0)]),
    6: (0.96, _SIX),
    7: (0.86, [*((x, y) for x in (-13, 13) for y in (-16, 16)), *((0, y) for y in (-29, 0, 29))]),
}


def _blank(back: str = PAPER) -> list[Shape]:
    """A card without a picture, with the shadow that it throws."""
    return [
        Shape(box(0.8, 1.6, CARD_WIDTH, CARD_HEIGHT, CORNER), "#000000", opacity=0.22),
        Shape(box(0.5, 0.5, CARD_WIDTH - 1, CARD_HEIGHT - 1, CORNER), back, EDGE, 0.9),
    ]


@cache
def card_face(one: Card) -> Symbol:
    """A card face up; its name is ``card-7D``."""
    sign = suit_sign(one.suit)
    items: list[Shape | Use] = [*_blank()]
    wide = one.rank == 10
    items.append(Use(_index(one.rank, one.suit), 4.2 if wide else 5.6, 15.5, 1.25 if wide else 1.4))
    items.append(Use(sign, 8.8, 25.5, 0.52 if one.suit in "DC" else 0.46))
    if one.rank < 8:
        scale, spots = _SPOTS[one.rank]
        items += [Use(sign, 36 + x, 48 + y, scale) for x, y in spots]
    else:
        items += {8: _fante, 9: _cavallo, 10: _re}[one.rank](*WEAR[one.suit])
        items.append(Use(sign, 48.2, 23, 0.8))
    return Symbol(f"card-{one}", tuple(items))


def _head(x: float, y: float) -> list[Shape]:
    """A head without a hat."""
    return [
        Shape(
            f"M {x - 2} {y + 4} L {x + 2} {y + 4} L {x + 2.4} {y + 9} L {x - 2.4} {y + 9} Z", SKIN
        ),
        Shape(ellipse(x, y, 5.2, 6), SKIN, LINE, 0.8),
        Shape(ellipse(x - 1.9, y - 0.4, 0.6, 0.8), LINE),
        Shape(ellipse(x + 1.9, y - 0.4, 0.6, 0.8), LINE),
    ]


def _fante(main: str, other: str) -> list[Shape]:
    """The knave: a page who stands, a feather on his cap."""
    return [
        Shape("M 25.6 62 L 31.6 62 L 31 86 L 26.4 86 Z", other, LINE, 0.8),
        Shape("M 32.8 62 L 38.8 62 L 38 86 L 33.4 86 Z", WHITE, LINE, 0.8),
        Shape("M 31.4 84.4 L 31.4 89.6 L 22 89.6 C 22 86.6 25 86 26.2 84.4 Z", LINE),
        Shape("M 33 84.4 L 33 89.6 L 42.4 89.6 C 42.4 86.6 39.4 86 38.2 84.4 Z", LINE),
        Shape("M 36.6 42 L 45.6 33.2 L 48 35.6 L 40.4 48 Z", main, LINE, 0.8),
        Shape(circle(47, 34, 2.3), SKIN, LINE, 0.7),
        Shape("M 26.6 42.6 L 20.6 55 L 25.4 60 L 28 56.6 L 25.8 54 L 29 48 Z", main, LINE, 0.8),
        Shape("M 26 40 C 29 38.4 35.4 38.4 38.4 40 L 38.6 52 L 42 65 L 22.4 65 L 25.8 52 Z", main,
              LINE, 0.9),
        Shape("M 32.2 39.4 L 32.2 64.6", None, other, 2),
        Shape("M 25.6 52.4 L 38.8 52.4", None, LINE, 2.4),
        Shape("M 26 62.8 L 38.4 62.8", None, other, 1.6),
        Shape("M 26.2 32 C 24.6 24 27.8 19.6 32.2 19.6 C 36.6 19.6 39.8 24 38.2 32 Z", HAIR),
        *_head(32.2, 29),
        Shape("M 28 37.8 C 30.6 40 33.8 40 36.4 37.8 L 37.2 40.4 C 34 42.6 30.4 42.6 27.2 40.4 Z",
              WHITE, LINE, 0.7),
        Shape("M 25.2 24.4 C 24.6 17.4 30 15.6 33.4 16 C 38.4 16.4 40.4 20.4 39.2 24.4 "
              "C 34.6 22.6 29.8 22.6 25.2 24.4 Z", other, LINE, 0.8),
        Shape("M 26.6 19.4 C 22 16.4 20.4 11.4 22.6 8 C 26 9.4 29.6 13 29.6 17.6 Z", WHITE, LINE,
              0.7),
        Shape("M 24 10 C 24.6 13.4 26 15.6 27.6 17.6", None, LINE, 0.5),
    ]  # fmt: skip


def _re(main: str, other: str) -> list[Shape]:
    """The king: crown, beard and a wide robe with ermine."""
    return [
        Shape("M 20.4 46 C 24 38.4 42 38.4 44.8 46 L 52 89.6 L 13.2 89.6 Z", main, LINE, 0.9),
        Shape("M 29 41 L 36.4 41 L 40.6 89.6 L 24.8 89.6 Z", WHITE, LINE, 0.7),
        *(Shape(f"M {x} {y} L {x} {y + 2}", None, LINE, 1.1)
          for x, y in ((30.4, 58), (35.4, 63), (29.6, 69), (36.2, 75), (29.4, 81))),
        Shape("M 14 85.4 L 24.6 85.4 M 41 85.4 L 51.2 85.4", None, other, 2.6),
        Shape("M 21.4 46.6 C 17.4 54 18 60 21 66 L 27.4 63.4 C 25 58 25.4 54 28 50 Z", other, LINE,
              0.8),
        Shape(circle(24.6, 65.6, 2.5), SKIN, LINE, 0.7),
        Shape("M 38.6 49 L 45.4 34.6 L 49 36.6 L 45.6 54 Z", other, LINE, 0.8),
        Shape(circle(47.2, 34.8, 2.4), SKIN, LINE, 0.7),
        Shape("M 21.6 43.4 C 26 48.6 39.4 48.6 43.8 43.4 L 41.4 39.4 L 24 39.4 Z", WHITE, LINE,
              0.8),
        Shape("M 26 33 C 25 24 28 21 32.6 21 C 37.2 21 40.2 24 39.2 33 Z", "#8d8578"),
        *_head(32.6, 29.4),
        Shape("M 27.2 29.4 C 27.6 37 29.6 44.6 32.6 46 C 35.6 44.6 37.6 37 38 29.4 "
              "C 37.4 32.6 35.6 33.2 32.6 33.2 C 29.6 33.2 27.8 32.6 27.2 29.4 Z", "#b9b1a3",
              LINE, 0.7),
        Shape("M 30.8 35.2 L 34.4 35.2", None, RED, 1.1),
        Shape("M 25.6 24.6 L 24 12.6 L 28.4 17.4 L 32.6 10.4 L 36.8 17.4 L 41.2 12.6 L 39.6 24.6 "
              "C 35 22.8 30.2 22.8 25.6 24.6 Z", GOLD, GOLD_LINE, 0.9),
        Shape(circle(32.6, 19.6, 1.5), RED, GOLD_LINE, 0.5),
        Shape(circle(24, 12.4, 1.2), GOLD, GOLD_LINE, 0.6),
        Shape(circle(32.6, 10.2, 1.2), GOLD, GOLD_LINE, 0.6),
        Shape(circle(41.2, 12.4, 1.2), GOLD, GOLD_LINE, 0.6),
    ]  # fmt: skip


def _cavallo(main: str, other: str) -> list[Shape]:
    """The knight: a rider whose horse lifts a leg."""
    coat, dark = "#e9dfcb", "#8a6b45"
    return [
        Shape("M 50 62 C 55.4 63 55.4 74 51.6 80 C 51.8 73 50.4 69.4 47.4 67.6 Z", dark, LINE, 0.8),
        Shape("M 26.6 72 L 22 79 L 24.8 86 L 28 85 L 26.6 79.6 L 32 75 Z", "#d3c6ab", LINE, 0.8),
        Shape("M 43.6 72 L 47.6 79 L 46.4 89.6 L 50.2 89.6 L 51.4 78 L 50.6 68 Z", "#d3c6ab", LINE,
              0.8),
        Shape("M 16.4 52.4 C 16.8 47.4 19.6 43.4 23.4 42 L 23.6 38.4 L 26.8 41.6 "
              "C 31.4 44.4 32.6 50.4 33.4 56 C 38.4 58.4 44 57.4 48.4 58.6 "
              "C 52.4 60 53 66 50.4 71 C 48.4 75.4 46.2 78 45.6 82 L 45.2 89.6 L 41.2 89.6 "
              "L 41.2 80 L 39.6 74.6 C 36.6 75.6 33.8 75.8 31.4 75 L 30.6 81 L 31 89.6 "
              "L 27 89.6 L 26 80 C 25.6 76 24 73.6 23.4 69.6 C 22.6 65 23.8 60 23.6 55.4 "
              "C 21.6 56.4 20.6 58.6 18.4 58.6 C 16.2 58.4 15.6 55.6 16.4 52.4 Z", coat, LINE, 0.9),
        Shape("M 24.4 41.2 C 29.4 44 30.8 51 31.6 57.4 C 33.4 54 33.6 49 31.4 45.4 "
              "C 29.8 42.6 27 40.6 24.4 41.2 Z", dark, LINE, 0.6),
        Shape(circle(21.6, 47.6, 0.9), LINE),
        Shape("M 18.4 51 L 23.8 54 M 22.6 46 L 23.2 54.6 M 23 52.4 L 34 53.4", None, RED, 1),
        Shape("M 32.6 57.4 C 36 56 43 56 46.6 57.6 L 45.8 67.6 L 33.4 67.6 Z", other, LINE, 0.8),
        Shape("M 34 65.4 L 45.4 65.4", None, GOLD, 1.3),
        Shape("M 40 54 L 35 64 L 34.6 74.4 L 31.4 77.4 L 38 77.4 L 39.4 66.6 L 44.6 58 Z", WHITE,
              LINE, 0.8),
        Shape("M 39.4 44.4 L 46.8 35 L 49.4 37.2 L 44.4 48.6 Z", main, LINE, 0.8),
        Shape(circle(48, 35.4, 2.2), SKIN, LINE, 0.7),
        Shape("M 33.4 40.6 C 35.6 39 41.4 39 43.6 40.6 L 44.6 58 L 33.6 58 Z", main, LINE, 0.9),
        Shape("M 34 52.6 L 44.2 52.6", None, LINE, 1.8),
        Shape("M 34.4 41 L 30.2 50.8 L 33.6 54.4 L 37.4 46.6 Z", main, LINE, 0.8),
        Shape(circle(31.4, 52.6, 2), SKIN, LINE, 0.6),
        Shape("M 32.6 33 C 31.4 26 34 23.4 37.6 23.4 C 41.2 23.4 43.4 26 42.6 33 Z", HAIR),
        Shape("M 36 34.6 L 40 34.6 L 40.4 40.4 L 35.6 40.4 Z", SKIN),
        Shape(ellipse(37.4, 31, 4.5, 5.2), SKIN, LINE, 0.8),
        Shape(ellipse(35.2, 30.6, 0.55, 0.75), LINE),
        Shape(ellipse(38.6, 30.6, 0.55, 0.75), LINE),
        Shape("M 30.6 27.4 C 31.8 20.6 35 18.6 37.6 18.6 C 40.2 18.6 43 20.6 44.2 27.4 "
              "C 40 25.6 35 25.6 30.6 27.4 Z", other, LINE, 0.8),
    ]  # fmt: skip


@cache
def card_back() -> Symbol:
    """A card face down."""
    left, top, right, bottom = 5, 5, CARD_WIDTH - 5, CARD_HEIGHT - 5
    lattice = []
    for start in range(left - bottom, right, 8):
        for slope in (1, -1):
            ends = []
            for y in (top, bottom):
                x = start + (y if slope == 1 else bottom + top - y)
                ends.append((x, y))
            lattice.append(_clipped(ends[0], ends[1], left, right))
    return Symbol(
        "card-back",
        (
            *_blank(),
            Shape(box(left, top, right - left, bottom - top, 3), "#8c2f36", "#5d1a20", 0.8),
            Shape(" ".join(line for line in lattice if line), None, "#d9a4a0", 0.7),
            Shape(ellipse(30, 48, 12, 16), "#8c2f36", "#d9a4a0", 1),
            Use(_rosette(), 30, 48, 0.95),
        ),
    )


def _clipped(a: tuple[float, float], b: tuple[float, float], left: float, right: float) -> str:
    """The part of a straight line between two uprights as a path; empty if there is none."""
    (ax, ay), (bx, by) = a, b
    ends = []
    for part in (
        max(0.0, min((left - ax) / (bx - ax), (right - ax) / (bx - ax))),
        min(1.0, max((left - ax) / (bx - ax), (right - ax) / (bx - ax))),
    ):
        ends.append(f"{ax + part * (bx - ax):.2f} {ay + part * (by - ay):.2f}")
    return f"M {ends[0]} L {ends[1]}" if ends[0] != ends[1] else ""


@cache
def _rosette() -> Symbol:
    return Symbol(
        "rosette",
        (
            Shape(_star(8, 9, 4.4), "#e8c4b8", "#5d1a20", 0.6),
            Shape(circle(0, 0, 2.6), "#8c2f36", "#5d1a20", 0.6),
        ),
    )


@cache
def card_frame(colour: str) -> Symbol:
    """The frame that marks a card."""
    path = box(-1.5, -1.5, CARD_WIDTH + 3, CARD_HEIGHT + 3, CORNER + 2)
    return Symbol(f"frame-{colour[1:]}", (Shape(path, None, colour, 3.4),))
