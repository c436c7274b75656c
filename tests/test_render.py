"""Tables as text, SVG and images: they show what lies there, once, and nothing that is hidden."""

from __future__ import annotations

import math
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers import ROOT, random_play, random_touch, run_python

from scopa_env import CARDS, PRESETS, Card, Game, Rules
from scopa_env._art import CARD_HEIGHT, CARD_WIDTH, card_back, card_face
from scopa_env._scene import Scene, Shape, Symbol, Use, Words, box, circle, to_image
from scopa_env._strokes import PATHS, glyph
from scopa_env._table import scopa_cards
from scopa_env.notation import replay, write
from scopa_env.render import card_text, main, table_image, table_svg, table_text

STYLES = ("codes", "names", "french")
SMALL = Rules(
    ranks=4, suits=2, hand=2, table=0, kings_redeal=0, settebello=0, redeals=True, players=2
)
ALL_RULES = [*PRESETS, SMALL]


def rules_name(rules: Any) -> str:
    return rules if isinstance(rules, str) else f"changed {rules.name}"


SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"

#: The styles once more, by hand.
NAMES = dict(zip(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], (
    "asso", "due", "tre", "quattro", "cinque", "sei", "sette", "fante", "cavallo", "re"
), strict=True))  # fmt: skip
SUITS = {"D": "denari", "C": "coppe", "S": "spade", "B": "bastoni"}
SPELT = {
    "codes": {str(c): str(c) for c in CARDS},
    "names": {f"{NAMES[c[:-1]]} di {SUITS[c[-1]]}": str(c) for c in CARDS},
    "french": {
        {"1": "A", "8": "J", "9": "Q", "10": "K"}.get(c[:-1], c[:-1])
        + dict(zip("DCSB", "♦♥♠♣", strict=True))[c[-1]]: str(c)
        for c in CARDS
    },
}


def states(rules: Any, seed: int = 1, every: int = 5) -> Iterator[Game]:
    """Some states of a deal played at random: whole moves and moves under way, and its end."""
    game, rng = Game.deal(rules, seed=seed), random.Random(seed)
    touches = 0
    while not game.is_over:
        if touches % every == 0 or game.touched is not None:
            yield game
        random_touch(game, rng)
        touches += 1
    yield game


def under_way(rules: Any, seed: int = 0) -> Game:
    """A game with a move under way."""
    game, rng = Game.deal(rules, seed=seed), random.Random(seed)
    while game.touched is None:
        if game.is_over:
            game = Game.deal(rules, seed=rng.randrange(10**6))
        random_touch(game, rng)
    return game


def read_cards(text: str, style: str) -> list[str | None]:
    """The cards of a line's text, None for one face down."""
    if text == "-":
        return []
    words = text.split(", " if style == "names" else " ")
    return [None if word == "##" else SPELT[style][word] for word in words]


def read_text(text: str, style: str) -> tuple[dict[int, list[str | None]], list[str | None]]:
    """Hands by seat and the table as a text says them."""
    hands = {
        int(seat): read_cards(rest, style)
        for seat, rest in re.findall(r"^[> ] player_(\d)   (.*)$", text, re.M)
    }
    (table,) = re.findall(r"^  table      (.*)$", text, re.M)
    return hands, read_cards(table, style)


# ---------------------------------------------------------------------------------------- text


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_name)
def test_text_says_every_card_where_it_lies(rules: Any, style: Any) -> None:
    for game in states(rules):
        text = table_text(game, cards=style)
        hands, table = read_text(text, style)
        assert hands == {seat: list(hand) for seat, hand in enumerate(game.hands)}
        assert table == list(game.table)
        if game.to_move is not None:
            assert f"> player_{game.to_move}   " in text
        assert text.count(">") == (0 if game.is_over else 1)
        assert f"player_{game.dealer} (dealer), and round again" in text


@pytest.mark.parametrize("style", STYLES)
def test_cards_in_each_style(style: Any) -> None:
    assert {card_text(one, style): str(one) for one in CARDS} == SPELT[style]
    assert card_text("10d", style) == card_text(36, style)


def test_text_of_piles_scores_and_order() -> None:
    game = Game.from_position(
        "scopa_teams",
        hands=["2D", "3D", "4D", "5D"],
        table="2C",
        piles=["7D 10D 10B", "1S"],
        scope=[2, 0],
        dealer=1,
        to_move=0,
        last_capturer=3,
    )
    game.record["match_scores"][:2] = 4, 9
    assert table_text(game).splitlines()[1:] == [
        "  play       player_2, player_3, player_0, player_1 (dealer), and round again",
        "  sides      player_0 and player_2; player_1 and player_3",
        "  table      2C",
        "> player_0   2D",
        "  player_1   3D",
        "  player_2   4D",
        "  player_3   5D",
        "  player_0 and player_2: 3 cards, 2 denari, settebello, 2 scope, "
        "4 points before this deal",
        "    D 7 10  B 10",
        "  player_1 and player_3: 1 cards, 0 denari, 0 scope, captured last, "
        "9 points before this deal",
        "    S 1",
    ]
    game.play("2D x 2C")
    text = table_text(game, cards="french")
    assert "  last move  player_0 2♦ x 2♥, scopa\n" in text
    assert "    ♦ 2 7 K  ♥ 2  ♣ K\n" in text
    random_play(game, random.Random(1))
    totals = [points["total"] for points in game.scores()]
    text = table_text(game)
    assert re.search(rf"player_0 and player_2 made {totals[0]}: .*settebello 1, .*scope 3", text)
    assert f"; {9 + totals[1]} of 21 in the match" in text


def test_text_of_a_move_under_way_and_of_what_is_left() -> None:
    game = Game.from_position(
        "scopa", ["5C 9D", "1B"], table="2D 2C 3S 3B", stock="1D 2S 3D 4D 5D 6D"
    )
    game.act(CARDS.index("5C"))
    game.act(CARDS.index("2D"))
    text = table_text(game, cards="names")
    assert "  touched    cinque di coppe with due di denari\n" in text
    assert text.splitlines()[0].endswith(", 6 left to deal")
    assert "touched" not in table_text(game, seat=1)
    assert "touched" in table_text(game, seat=0)


@pytest.mark.parametrize("style", STYLES)
def test_colour_changes_nothing_else(style: Any) -> None:
    game = random_play(Game.deal("cirulla", seed=2), random.Random(2))
    for seen in (Game.deal("cirulla", seed=2), game):
        text = table_text(seen, cards=style, colour=True)
        assert text != table_text(seen, cards=style)
        assert re.sub(r"\x1b\[\d+m", "", text) == table_text(seen, cards=style)
    assert card_text("7D", colour=True) == "\x1b[33m7D\x1b[0m"
    assert len({card_text(f"7{suit}", colour=True)[:5] for suit in "DCSB"}) == 4


# ------------------------------------------------------------------------------ what is hidden


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_name)
def test_a_seat_sees_what_its_view_says(rules: Any) -> None:
    for game in states(rules, seed=3):
        for seat in range(game.rules.players):
            hands, table = read_text(table_text(game, seat=seat), "codes")
            assert table == list(game.table)
            drawn = read_svg(table_svg(game, seat=seat))
            for other, hand in enumerate(game.hands):
                open_cards = list(hand if other == seat else hand & game.shown[other])
                wanted = open_cards + [None] * (len(hand) - len(open_cards))
                assert hands[other] == wanted
                assert drawn.get(f"hand-{other}", []) == wanted


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_name)
def test_what_a_seat_cannot_see_changes_nothing(rules: Any) -> None:
    rng = np.random.default_rng(4)
    differed = 0
    for game in states(rules, seed=4, every=7):
        for seat in range(game.rules.players):
            other = game.sample(seat, rng)
            for draw in (table_text, table_svg):
                assert draw(game, seat=seat) == draw(other, seat=seat)
                differed += draw(game) != draw(other)
            assert np.array_equal(table_image(game, seat=seat), table_image(other, seat=seat))
            seen = Game(game.rules, game.view(seat))
            assert table_text(seen) == table_text(game, seat=seat)
            assert table_svg(seen) == table_svg(game, seat=seat)
    assert differed > 0


def test_cards_touched_by_another_stay_hidden() -> None:
    for preset in ("scopa", "escoba", "cirulla"):
        game = under_way(preset)
        before = game.clone()
        before.record["touched"], before.record["chosen"] = -1, 0
        for seat in range(game.rules.players):
            for draw in (table_text, table_svg):
                same = draw(game, seat=seat) == draw(before, seat=seat)
                assert same is (seat != game.to_move)


def test_shown_hands_lie_open() -> None:
    games = (Game.deal("cirulla", seed=seed) for seed in range(1000))
    game = next(game for game in games if any(game.shown))
    shown = next(seat for seat, hand in enumerate(game.shown) if hand)
    drawn = read_svg(table_svg(game, seat=(shown + 1) % 4))
    assert drawn[f"hand-{shown}"] == list(game.hands[shown])
    assert drawn[f"hand-{(shown + 2) % 4}"] == [None] * 3 or game.shown[(shown + 2) % 4]


@pytest.mark.parametrize("draw", [table_text, table_svg, table_image])
def test_bad_seats_and_views_of_others(draw: Any) -> None:
    game = Game.deal("scopa", seed=1)
    with pytest.raises(ValueError, match="seat=2: the seats are 0 to 1"):
        draw(game, seat=2)
    with pytest.raises(ValueError, match="this is the view of seat 0"):
        draw(Game("scopa", game.view(0)), seat=1)


def test_bad_names() -> None:
    game = Game.deal("scopa", seed=1)
    bad: Any = "wood"
    for draw in (table_svg, table_image):
        with pytest.raises(ValueError, match="theme='wood': allowed are 'felt', 'paper'"):
            draw(game, theme=bad)
    for call in (lambda: table_text(game, cards=bad), lambda: card_text("7D", cards=bad)):
        with pytest.raises(ValueError, match="cards='wood': allowed are 'codes', 'names', 'fre"):
            call()
    with pytest.raises(ValueError, match="no such card"):
        card_text("11D")


# ----------------------------------------------------------------------------------------- SVG


def read_svg(text: str) -> dict[str, list[Any]]:
    """The cards drawn in each role (a class), None for one face down; the marks by colour."""
    root = ElementTree.fromstring(text)
    names = [item.get("id") for item in root.iter() if item.get("id")]
    assert len(set(names)) == len(names)
    found: dict[str, list[Any]] = {}
    for use in root.iter(f"{SVG}use"):
        name = use.get(HREF, "")[1:]
        assert name in names
        if use.get("class"):
            kind, _, rest = name.partition("-")
            what = rest if kind != "card" or rest != "back" else None
            found.setdefault(str(use.get("class")), []).append(what)
    return found


def words_of(text: str) -> list[str]:
    return [str(item.text) for item in ElementTree.fromstring(text).iter(f"{SVG}text")]


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_name)
def test_svg_shows_every_card_once(rules: Any) -> None:
    for number, game in enumerate(states(rules, seed=5)):
        text = table_svg(game, theme=("felt", "paper")[number % 2])
        assert text == table_svg(game.clone(), theme=("felt", "paper")[number % 2])
        drawn = read_svg(text)
        for seat, hand in enumerate(game.hands):
            assert drawn.pop(f"hand-{seat}", []) == list(hand)
        assert drawn.pop("table", []) == list(game.table)
        for side, pile in enumerate(game.piles):
            assert drawn.pop(f"scopa-{side}", []) == scopa_cards(game)[side]
            backs = drawn.pop(f"pile-{side}", [])
            assert bool(backs) == bool(pile)
            assert set(backs) <= {None}
        last = game.plays[-1:]
        assert drawn.pop("last", []) == [c for move in last for c in (move.card, *move.captured)]
        assert set(drawn.pop("stock", [])) <= {None}
        marks = drawn.pop("mark", [])
        assert marks.count("ffa400") == len(game.chosen) + (game.touched is not None)
        assert not drawn


def test_svg_in_words() -> None:
    game = Game.deal("scopone", seed=6)
    words = words_of(table_svg(game))
    assert {"scopone", "player_0", "player_3", "to move", "dealer", "no card has been played"} <= {
        *words
    }
    random_play(game, random.Random(6))
    words = words_of(table_svg(game))
    for points in game.scores():
        assert str(points["total"]) in words
    assert {"carte", "points", "match"} <= {*words}
    assert "to move" not in words


def test_a_name_may_hold_anything() -> None:
    name = 'a <b> & "c"\x00\x1b]]>' + 40 * "x"
    text = table_svg(Game.deal(Rules(name=name), seed=1))
    assert name[:9] in words_of(text)[0]
    assert len(words_of(text)[0]) <= 28
    assert "\x1b" not in text
    assert table_image(Game.deal(Rules(name="ünknown ♦"), seed=1)).dtype == np.uint8


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_seats_go_anticlockwise_from_the_bottom(players: int) -> None:
    game = Game.deal(Rules.preset("scopa", players=players), seed=1)
    root = ElementTree.fromstring(table_svg(game))
    middle = int(root.get("width", 0)) / 2, int(root.get("height", 0)) / 2
    angles = []
    for seat in range(players):
        first = next(use for use in root.iter(f"{SVG}use") if use.get("class") == f"hand-{seat}")
        x, y = map(float, re.findall(r"[\d.]+", str(first.get("transform")))[:2])
        dx, dy = x + CARD_WIDTH - middle[0], y + CARD_HEIGHT / 2 - middle[1]
        angles.append(math.atan2(dx, dy) % (2 * math.pi))
    assert angles[0] > 1.5 * math.pi or angles[0] < 0.5 * math.pi
    turns = [(angle - angles[0]) % (2 * math.pi) for angle in angles]
    assert turns == sorted(turns)


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_drawings_stay_on_the_page(players: int) -> None:
    """Also with more cards on the table than there can be, and none upon another."""
    rules = Rules.preset("quindici", players=players)
    few = [str(c) for c in CARDS[: 2 * players]]
    hands = [few[2 * seat : 2 * seat + 2] for seat in range(players)]
    game = Game.from_position(rules, hands, table=[str(c) for c in CARDS[2 * players :]])
    root = ElementTree.fromstring(table_svg(game))
    width, height = int(root.get("width", 0)), int(root.get("height", 0))
    boxes = []
    for use in root.iter(f"{SVG}use"):
        if use.get("class") == "table":
            numbers = [*map(float, re.findall(r"[\d.]+", str(use.get("transform")))), 1.0]
            boxes.append(tuple(numbers[:3]))
    assert len(boxes) == 40 - 2 * players
    for x, y, scale in boxes:
        assert 0 < x < width - scale * CARD_WIDTH
        assert 0 < y < height - scale * CARD_HEIGHT
    for i, (x, y, scale) in enumerate(boxes):
        for other_x, other_y, _ in boxes[:i]:
            apart = abs(x - other_x) >= scale * CARD_WIDTH
            assert apart or abs(y - other_y) >= scale * CARD_HEIGHT


@pytest.mark.parametrize(
    "rules",
    [
        *PRESETS,
        Rules.preset("scopa", scopa_value=2),
        Rules.preset("scopa_assi", ace_on_empty_table="takes_itself"),
        Rules.preset("escoba", small9_scope=3),
    ],
    ids=rules_name,
)
def test_the_cards_that_made_a_scopa(rules: Any) -> None:
    for seed in range(6):
        game, rng = Game.deal(rules, seed=seed), random.Random(seed)
        value, dealers = game.rules.scopa_value, game.rules.side_of(game.dealer)
        wanted: list[list[Card | None]] = [[] for _ in game.scope]
        wanted[dealers] = scopa_cards(game)[dealers]
        assert len(wanted[dealers]) * value == game.scope[dealers]
        assert {*wanted[dealers]} <= game.piles[dealers]
        while not game.is_over:
            before, side = game.scope, game.rules.side_of(int(game.to_move or 0))
            moves = game.legal_moves()
            move = rng.choice([move for move in moves if move.captured] or moves)
            game.play(move)
            if game.scope[side] > before[side]:
                wanted[side].append(move.card)
            assert scopa_cards(game) == wanted


def test_a_scopa_from_before_the_position_lies_face_down() -> None:
    game = Game.from_position("scopa", ["2D", "3D"], piles=["7D 7C", ""], scope=[1, 0], table="2C")
    game.play("2D x 2C")
    assert scopa_cards(game) == [[None, "2D"], []]
    assert read_svg(table_svg(game))["scopa-0"] == [None, "2D"]


# -------------------------------------------------------------------------------------- images


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_name)
def test_drawings_keep_their_size(rules: Any) -> None:
    sizes, pictures = set(), set()
    for game in states(rules, seed=7):
        image = table_image(game)
        assert image.dtype == np.uint8
        root = ElementTree.fromstring(table_svg(game))
        sizes.add((*image.shape, root.get("width"), root.get("height")))
        pictures.add(image.tobytes())
    ((height, width, depth, as_width, as_height),) = sizes
    assert (str(width), str(height), depth) == (as_width, as_height, 3)
    assert len(pictures) > 2


def test_images_of_the_same_game_are_the_same_and_another_card_shows() -> None:
    game = Game.from_position("scopa", ["2D 7D", "3D"], table="2C")
    image = table_image(game)
    assert np.array_equal(image, table_image(game.clone()))
    image[:] = 0  # an image is the caller's own
    assert table_image(game).any()
    other = Game.from_position("scopa", ["2D 7S", "3D"], table="2C")
    differs = (table_image(game) != table_image(other)).any(axis=2)
    rows, columns = np.nonzero(differs)
    assert 100 < differs.sum() < CARD_WIDTH * CARD_HEIGHT
    assert np.ptp(columns) < CARD_WIDTH
    assert np.ptp(rows) < CARD_HEIGHT
    paper = table_image(game, theme="paper")
    assert (paper[0, 0] == 255).all()
    assert (paper == 255).all(axis=2).mean() > 0.5


def paint(*items: Any, width: int = 120, height: int = 120) -> np.ndarray:
    """Items on black, as grey levels from 0 to 1."""
    page = Symbol("page", (Shape(box(0, 0, width, height), "#000000"),))
    return to_image(Scene(width, height, "", page, items)).mean(axis=2) / 255


def test_shapes_are_painted_where_and_as_large_as_they_are() -> None:
    disc = paint(Shape(circle(50.3, 60.7, 20), "#ffffff"))
    assert disc.sum() == pytest.approx(math.pi * 400, rel=0.01)
    rows, columns = np.indices(disc.shape) + 0.5
    assert (disc * columns).sum() / disc.sum() == pytest.approx(50.3, abs=0.1)
    assert (disc * rows).sum() / disc.sum() == pytest.approx(60.7, abs=0.1)
    assert ((disc > 0.1) & (disc < 0.9)).any()  # its edge is smooth
    line = paint(Shape("M 10 10 L 70 90", None, "#ffffff", 3))
    assert line.sum() == pytest.approx(300 + math.pi * 1.5**2, rel=0.02)
    hair = paint(Shape("M 10 10 L 70 90", None, "#ffffff", 0.5))
    assert hair.sum() == pytest.approx(50, rel=0.1)
    faint = paint(Shape(box(10, 10, 20, 30), "#ffffff", opacity=0.5))
    assert faint.sum() == pytest.approx(300, rel=0.01)
    ring = paint(Shape(f"{circle(60, 60, 20)}", "#ffffff"), Shape(circle(60, 60, 10), "#000000"))
    assert ring.sum() == pytest.approx(math.pi * 300, rel=0.02)
    assert paint(Shape(box(-50, -50, 400, 400), "#ffffff")).min() == 1  # cut off at the page
    assert not paint(Shape(box(300, 300, 9, 9), "#ffffff")).any()


def test_symbols_are_moved_scaled_and_turned() -> None:
    face = card_face(CARDS[24])
    upright = paint(Use(face, 10, 10))
    assert np.allclose(paint(Use(face, 17, 13))[3:, 7:], upright[:-3, :-7])
    turned = paint(Use(face, 110, 10, 1, 1))
    # A quarter clockwise: what was right of the origin is now below it.
    assert np.allclose(np.rot90(upright, -1), turned, atol=0.2)
    assert np.abs(np.rot90(upright, -1) - turned).mean() < 0.02
    small = paint(Use(face, 10, 10, 0.5))
    assert small.sum() == pytest.approx(upright.sum() / 4, rel=0.05)


def test_all_cards_look_different() -> None:
    pictures = {paint(Use(symbol, 1, 1)).tobytes() for symbol in map(card_face, CARDS)}
    assert len(pictures | {paint(Use(card_back(), 1, 1)).tobytes()}) == 41


def test_words_are_painted_with_their_anchor() -> None:
    columns = {
        anchor: np.nonzero(paint(Words(60, 60, "player_0", 14, "#ffffff", anchor)).any(axis=0))[0]
        for anchor in ("start", "middle", "end")
    }
    assert columns["start"].min() >= 59
    assert columns["end"].max() <= 61
    assert columns["middle"].mean() == pytest.approx(60, abs=2)
    bold = paint(Words(10, 60, "scopa", 14, "#ffffff", bold=True))
    assert bold.sum() > 1.2 * paint(Words(10, 60, "scopa", 14, "#ffffff")).sum()
    assert not paint(Words(10, 60, " ", 14, "#ffffff")).any()
    assert paint(Words(10, 60, "♦", 14, "#ffffff")).any()  # a frame stands for it


def test_every_letter_keeps_to_its_grid() -> None:
    signs = [paint(Words(20, 60, sign, 30, "#ffffff")).tobytes() for sign in PATHS]
    assert len(set(signs)) == len(signs)
    for sign in PATHS:
        painted = paint(Words(20, 60, sign, 30, "#ffffff"))
        assert np.nonzero(painted.any(axis=0))[0].max() < 20 + 3 * glyph(sign).advance
        rows = np.nonzero(painted.any(axis=1))[0]
        assert 60 - 27 < rows.min() <= rows.max() < 60 + 10


# ------------------------------------------------------------------------- files and commands


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["render", *words])
    return main()


def test_the_picture_of_the_readme_is_what_its_command_draws(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "rendering.md").read_text()
    found = re.search(r"^python -m scopa_env.render (.*) --out docs/table.svg$", page, re.M)
    assert found is not None
    monkeypatch.chdir(ROOT)
    out = tmp_path / "table.svg"
    assert run(monkeypatch, *found.group(1).split(), "--out", str(out)) == 0
    assert out.read_text("utf-8") == (ROOT / "docs" / "table.svg").read_text("utf-8")


def test_the_command_draws_after_any_move(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = random_play(Game.deal("escoba", seed=8), random.Random(8))
    file = tmp_path / "deal.txt"
    file.write_text(write(game, seed=8))
    assert run(monkeypatch, str(file)) == 0
    assert capsys.readouterr().out == table_text(game) + "\n"
    early = replay("\n".join(write(game, seed=8).splitlines()[:10]))
    for name, wanted in (
        ("a.svg", table_svg(early, 1, "paper")),
        ("a.txt", table_text(early, "names", True, 1) + "\n"),
    ):
        words = ["--move", str(len(early.plays)), "--out", str(tmp_path / name), "--seat", "1"]
        words += ["--theme", "paper", "--cards", "names", "--colour"]
        assert run(monkeypatch, str(file), *words) == 0
        assert (tmp_path / name).read_text("utf-8") == wanted


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["{}/none.txt"], 2, "render: {}/none.txt: No such file or directory\n"),
        (["{}/deal.txt", "--out", "{}/none/a.svg"], 2, "render: {}/none/a.svg: No such file or d"),
        (["{}/deal.txt", "--move", "1"], 1, "render: {}/deal.txt: move=1: the deal has moves 0 to"),
        (["{}/deal.txt", "--seat", "2"], 1, "render: {}/deal.txt: seat=2: the seats are 0 to 1\n"),
        (["{}/deal.txt", "--out", "a.png"], 1, "render: {}/deal.txt: out='a.png': a name in .svg"),
        (["{}/bad.txt"], 1, "render: {}/bad.txt: line 1: 'seed': "),
        (["{}/bytes.txt"], 2, "render: {}/bytes.txt: no text\n"),
    ],
)
def test_what_the_command_refuses(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
    message: str,
) -> None:
    (tmp_path / "deal.txt").write_text("rules scopa\nseed 1\ndealer 0\n")
    (tmp_path / "bad.txt").write_text("seed\n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    assert run(monkeypatch, *(word.format(tmp_path) for word in words)) == status
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith(message.format(tmp_path).replace("'seed': ", ""))
    assert seen.err.count("\n") == 1


def test_the_module_is_a_command() -> None:
    code = "import runpy, sys; sys.argv = ['render', 'docs/deal.txt', '--move', '3']\n"
    code += "try: runpy.run_module('scopa_env.render', run_name='__main__')\n"
    code += "except SystemExit as end: print('status', end.code)"
    assert run_python(f"import os; os.chdir({str(ROOT)!r})\n{code}").endswith("status 0\n")
