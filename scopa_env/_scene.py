"""Drawings: shapes, words and symbols, written as SVG or painted as an image with NumPy alone.

Lengths are pixels, y grows downwards. Paths are SVG's, of absolute ``M L Q C Z``. In SVG words
are text; in an image they are drawn with the strokes of :mod:`scopa_env._strokes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from scopa_env._strokes import glyph

__all__ = [
    "Item",
    "Scene",
    "Shape",
    "Symbol",
    "Use",
    "Words",
    "box",
    "circle",
    "ellipse",
    "to_image",
    "to_svg",
    "words_width",
]

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
ROUND = 0.5523  # handles of the cubic curve that is nearest to a quarter of a circle


class Shape(NamedTuple):
    """A path, filled and outlined in colours ``#rrggbb``."""

    path: str
    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    opacity: float = 1.0


class Words(NamedTuple):
    """A line of text; ``x`` is its start, middle or end, ``y`` its baseline."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: str = "start"
    bold: bool = False


@dataclass(frozen=True, eq=False)
class Symbol:
    """A drawing to be used many times. Make each once: a painted one is kept with the object."""

    name: str
    items: tuple[Shape | Use, ...]


class Use(NamedTuple):
    """A symbol with its origin put at ``(x, y)``, turned clockwise by quarters, then scaled.

    ``role`` says in SVG, as ``class``, what it is there for.
    """

    symbol: Symbol
    x: float
    y: float
    scale: float = 1.0
    quarters: int = 0
    role: str = ""


Item = Shape | Words | Use


class Scene(NamedTuple):
    """A whole drawing; the background is painted once and kept."""

    width: int
    height: int
    title: str
    background: Symbol
    items: tuple[Item, ...]


def box(x: float, y: float, width: float, height: float, radius: float = 0.0) -> str:
    """The path of a rectangle with round corners."""
    right, bottom, r, k = x + width, y + height, radius, radius * (1 - ROUND)
    if not r:
        return _path("M", x, y, "L", right, y, "L", right, bottom, "L", x, bottom, "Z")
    return _path(
        *("M", x + r, y, "L", right - r, y, "C", right - k, y, right, y + k, right, y + r),
        *("L", right, bottom - r, "C", right, bottom - k, right - k, bottom, right - r, bottom),
        *("L", x + r, bottom, "C", x + k, bottom, x, bottom - k, x, bottom - r),
        *("L", x, y + r, "C", x, y + k, x + k, y, x + r, y, "Z"),
    )


def ellipse(x: float, y: float, a: float, b: float) -> str:
    """The path of an ellipse with half axes ``a`` and ``b``."""
    p, q = a * ROUND, b * ROUND
    return _path(
        *("M", x + a, y, "C", x + a, y + q, x + p, y + b, x, y + b),
        *("C", x - p, y + b, x - a, y + q, x - a, y, "C", x - a, y - q, x - p, y - b, x, y - b),
        *("C", x + p, y - b, x + a, y - q, x + a, y, "Z"),
    )


def circle(x: float, y: float, radius: float) -> str:
    """The path of a circle."""
    return ellipse(x, y, radius, radius)


def _path(*parts: str | float) -> str:
    return " ".join(part if isinstance(part, str) else _number(part) for part in parts)


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


# --------------------------------------------------------------------------------------- SVG


def to_svg(scene: Scene) -> str:
    """The drawing as an SVG document; the same drawing gives the same text."""
    used: dict[str, Symbol] = {}
    _collect(scene.items, used)
    size = f'width="{scene.width}" height="{scene.height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'{size} viewBox="0 0 {scene.width} {scene.height}" role="img" '
        f'font-family="{FONT}" stroke-linejoin="round" stroke-linecap="round">',
        f"<title>{_escape(scene.title)}</title>",
        "<defs>",
    ]
    for symbol in used.values():
        lines.append(f'<g id="{symbol.name}">{"".join(map(_element, symbol.items))}</g>')
    lines.append("</defs>")
    lines += map(_element, (*scene.background.items, *scene.items))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _collect(items: Iterable[Item], used: dict[str, Symbol]) -> None:
    """Every symbol of some items by name, each after those that it uses itself."""
    for item in items:
        if isinstance(item, Use) and item.symbol.name not in used:
            _collect(item.symbol.items, used)
            used[item.symbol.name] = item.symbol


def _element(item: Item) -> str:
    if isinstance(item, Use):
        move = f"translate({_number(item.x)} {_number(item.y)})"
        move += f" rotate({90 * item.quarters})" if item.quarters else ""
        move += f" scale({_number(item.scale)})" if item.scale != 1 else ""
        role = f" class={quoteattr(item.role)}" if item.role else ""
        # The older spelling of href, since some converters to PDF know no other.
        return f'<use xlink:href="#{item.symbol.name}" transform="{move}"{role}/>'
    if isinstance(item, Words):
        anchor = f' text-anchor="{item.anchor}"' if item.anchor != "start" else ""
        weight = ' font-weight="bold"' if item.bold else ""
        return (
            f'<text x="{_number(item.x)}" y="{_number(item.y)}" font-size="{_number(item.size)}" '
            f'fill="{item.colour}"{anchor}{weight}>{_escape(item.text)}</text>'
        )
    stroke = f' stroke="{item.stroke}" stroke-width="{_number(item.width)}"' if item.stroke else ""
    opacity = f' opacity="{_number(item.opacity)}"' if item.opacity != 1 else ""
    return f'<path d="{item.path}" fill="{item.fill or "none"}"{stroke}{opacity}/>'


def _escape(text: str) -> str:
    """Text for XML, which allows no control characters however they are written."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text))


# ------------------------------------------------------------------------------------- image

SAMPLES = 4  # a pixel of a fill is looked at in so many places along either side


class Layer(NamedTuple):
    """A painted item: where it lies, and its colours already multiplied by their opacity."""

    left: int
    top: int
    pixels: np.ndarray  # float32[height, width, 4]


class Place(NamedTuple):
    """From a drawing's coordinates to pixels: turned, scaled, moved."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    quarters: int = 0

    def put(self, points: np.ndarray) -> np.ndarray:
        """Points ``float[..., 2]`` as pixels."""
        x, y = points[..., 0], points[..., 1]
        for _ in range(self.quarters % 4):
            x, y = -y, x
        return np.stack([self.x + self.scale * x, self.y + self.scale * y], axis=-1)

    def inner(self, use: Use) -> Place:
        """The place of a symbol's items, used by a drawing at this place."""
        x, y = self.put(np.array([use.x, use.y]))
        return Place(float(x), float(y), self.scale * use.scale, self.quarters + use.quarters)


def to_image(scene: Scene) -> np.ndarray:
    """The drawing as ``uint8[height, width, 3]``. Symbols and words come to lie on whole pixels."""
    image = _background(scene.background, scene.width, scene.height).copy()
    for item in scene.items:
        if isinstance(item, Shape):
            layer = _shape(item, Place())
        elif isinstance(item, Words):
            layer = _words(item._replace(x=0.0, y=0.0))
            layer = _moved(layer, item.x, item.y)
        else:
            layer = _moved(_symbol(item.symbol, item.scale, item.quarters), item.x, item.y)
        _lay(image, layer)
    return image


def words_width(text: str, size: float) -> float:
    """How wide a line of text is in an image; in SVG, about."""
    return sum(glyph(sign).advance for sign in text) * size / 10


def _moved(layer: Layer, x: float, y: float) -> Layer:
    return layer._replace(left=layer.left + round(x), top=layer.top + round(y))


def _lay(canvas: np.ndarray, layer: Layer) -> None:
    """Lay a layer over an image ``uint8[H, W, 3]`` or over pixels ``float32[H, W, 4]``."""
    height, width = canvas.shape[:2]
    top, left = max(0, layer.top), max(0, layer.left)
    bottom = min(height, layer.top + layer.pixels.shape[0])
    right = min(width, layer.left + layer.pixels.shape[1])
    if top >= bottom or left >= right:
        return
    over = layer.pixels[top - layer.top : bottom - layer.top, left - layer.left :]
    over = over[:, : right - left]
    under = canvas[top:bottom, left:right]
    mixed = under * (1 - over[..., 3:])
    if canvas.dtype == np.uint8:
        mixed = mixed + 255 * over[..., :3] + 0.5
    else:
        mixed = mixed + over
    canvas[top:bottom, left:right] = mixed.astype(canvas.dtype)


@lru_cache(maxsize=8)
def _background(symbol: Symbol, width: int, height: int) -> np.ndarray:
    pixels = np.zeros((height, width, 4), np.float32)
    for layer in _layers(symbol.items, Place()):
        _lay(pixels, layer)
    return (255 * pixels[..., :3] + 0.5).astype(np.uint8)


@lru_cache(maxsize=256)
def _symbol(symbol: Symbol, scale: float, quarters: int) -> Layer:
    layers = list(_layers(symbol.items, Place(0.0, 0.0, scale, quarters)))
    left, top = min(x.left for x in layers), min(x.top for x in layers)
    right = max(x.left + x.pixels.shape[1] for x in layers)
    bottom = max(x.top + x.pixels.shape[0] for x in layers)
    pixels = np.zeros((bottom - top, right - left, 4), np.float32)
    for layer in layers:
        _lay(pixels, layer._replace(left=layer.left - left, top=layer.top - top))
    return Layer(left, top, pixels)


def _layers(items: Iterable[Shape | Use], place: Place) -> Iterator[Layer]:
    for item in items:
        if isinstance(item, Use):
            yield from _layers(item.symbol.items, place.inner(item))
        else:
            yield _shape(item, place)


def _shape(shape: Shape, place: Place) -> Layer:
    lines = [place.put(line) for line in _lines(shape.path)]
    width = shape.width * place.scale if shape.stroke else 0.0
    points = np.concatenate(lines)
    left, top = (int(n) for n in np.floor(points.min(axis=0) - width / 2 - 1))
    right, bottom = (int(n) for n in np.ceil(points.max(axis=0) + width / 2 + 1))
    lines = [line - (left, top) for line in lines]
    pixels = np.zeros((bottom - top, right - left, 4), np.float32)
    if shape.fill:
        _tint(pixels, _filled(lines, bottom - top, right - left) * shape.opacity, shape.fill)
    if shape.stroke:
        drawn = _stroked(lines, width, bottom - top, right - left)
        _tint(pixels, drawn * shape.opacity, shape.stroke)
    return Layer(left, top, pixels)


def _tint(pixels: np.ndarray, cover: np.ndarray, colour: str) -> None:
    """Lay a colour over pixels, as far as it covers them: ``float[H, W]`` from 0 to 1."""
    over = np.empty_like(pixels)
    over[..., 3] = cover
    over[..., :3] = cover[..., None] * np.array(
        [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)], np.float32
    )
    pixels *= 1 - over[..., 3:]
    pixels += over


@lru_cache(maxsize=512)
def _words(words: Words) -> Layer:
    """A line of text, painted with its anchor at the origin."""
    unit = words.size / 10
    start = {"start": 0.0, "middle": -0.5, "end": -1.0}[words.anchor]
    start *= words_width(words.text, words.size)
    left, top = int(np.floor(start)) - 1, -int(np.ceil(words.size))
    width = int(np.ceil(words_width(words.text, words.size))) + 4
    height = int(np.ceil(1.4 * words.size)) + 1
    cover = np.zeros((height, width), np.float32)
    x = start - left
    for sign in words.text:
        # Glyphs stand at quarters of a pixel, so that each is painted four times at most.
        whole, quarter = divmod(round(4 * x), 4)
        _blot(cover, whole, _glyph(sign, words.size, words.bold, quarter))
        x += glyph(sign).advance * unit
    pixels = np.zeros((height, width, 4), np.float32)
    _tint(pixels, cover, words.colour)
    return Layer(left, top, pixels)


def _blot(cover: np.ndarray, left: int, sign: np.ndarray) -> None:
    inside = cover[:, left : left + sign.shape[1]]
    np.maximum(inside, sign[:, : inside.shape[1]], out=inside)


@lru_cache(maxsize=4096)
def _glyph(sign: str, size: float, bold: bool, quarter: int) -> np.ndarray:
    unit = size / 10
    width = int(np.ceil(glyph(sign).advance * unit)) + 2
    height = int(np.ceil(1.4 * size)) + 1
    place = Place(quarter / 4 + 0.5 * unit, float(np.ceil(size)), unit)
    lines = [place.put(line) for line in _lines(glyph(sign).path)]
    return _stroked(lines, unit * (1.45 if bold else 0.95), height, width)


@lru_cache(maxsize=2048)
def _lines(path: str) -> list[np.ndarray]:
    """A path as polylines ``float[N, 2]``; curves become twelve pieces."""
    words = path.split()
    lines: list[list[np.ndarray]] = []
    t = np.linspace(0, 1, 13)[1:, None]
    place = 0
    while place < len(words):
        verb = words[place]
        count = {"M": 1, "L": 1, "Q": 2, "C": 3, "Z": 0}[verb]
        given = [float(word) for word in words[place + 1 : place + 1 + 2 * count]]
        points = np.array(given).reshape(count, 2)
        place += 1 + 2 * count
        if verb == "M":
            lines.append([points[0]])
        elif verb == "L":
            lines[-1].append(points[0])
        elif verb == "Z":
            lines[-1].append(lines[-1][0])
        else:
            bend = np.stack([lines[-1][-1], *points])
            while len(bend) > 1:  # de Casteljau, for all t at once
                bend = np.array([(1 - t) * a + t * b for a, b in pairwise(bend)])
            lines[-1].extend(bend[0])
    return [np.array(line) for line in lines]


def _filled(lines: list[np.ndarray], height: int, width: int) -> np.ndarray:
    """How much of each pixel lies inside (winding number not 0): ``float32[height, width]``."""
    a = np.concatenate(lines)
    b = np.concatenate([np.roll(line, -1, axis=0) for line in lines])
    y = (np.arange(height * SAMPLES) + 0.5)[:, None] / SAMPLES
    down, up = (a[:, 1] <= y) & (b[:, 1] > y), (b[:, 1] <= y) & (a[:, 1] > y)
    row, edge = np.nonzero(down | up)
    step = (y[row, 0] - a[edge, 1]) / (b[edge, 1] - a[edge, 1])
    x = a[edge, 0] + step * (b[edge, 0] - a[edge, 0])
    column = np.clip(np.ceil(x * SAMPLES - 0.5), 0, width * SAMPLES).astype(np.int64)
    turns = np.zeros((height * SAMPLES, width * SAMPLES + 1), np.int16)
    np.add.at(turns, (row, column), np.where(down[row, edge], 1, -1))
    inside = np.cumsum(turns, axis=1, dtype=np.int16)[:, :-1] != 0
    return inside.reshape(height, SAMPLES, width, SAMPLES).mean(axis=(1, 3), dtype=np.float32)


def _stroked(lines: list[np.ndarray], thick: float, height: int, width: int) -> np.ndarray:
    """How much of each pixel a pen with a round tip covers: ``float32[height, width]``."""
    cover = np.zeros((height, width), np.float32)
    reach = max(thick, 1.0) / 2 + 0.5
    strength = min(thick, 1.0)
    for line in lines:
        for a, b in pairwise(line):
            _stroke(cover, a, b, reach)
    return cover * np.float32(strength)


def _stroke(cover: np.ndarray, a: Any, b: Any, reach: float) -> None:
    """One straight stroke; ``reach`` is how far from it a pixel's middle stays white."""
    height, width = cover.shape
    left, top = np.maximum(np.floor(np.minimum(a, b) - reach), 0).astype(int)
    right, bottom = np.ceil(np.maximum(a, b) + reach).astype(int) + 1
    x = np.arange(left, min(right, width)) + 0.5 - a[0]
    y = (np.arange(top, min(bottom, height)) + 0.5 - a[1])[:, None]
    along = b - a
    length = float(along @ along)
    part = np.clip((x * along[0] + y * along[1]) / length, 0, 1) if length else 0.0
    far = np.hypot(x - part * along[0], y - part * along[1])
    inside = cover[top:bottom, left:right]
    np.maximum(inside, np.clip(reach - far, 0, 1), out=inside)
