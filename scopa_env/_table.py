"""Where everything lies in a drawing of a table: seats in playing order, anticlockwise, from
seat 0 at the bottom; the cards on the table in the middle; each side's pile by its first seat.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from scopa_env._art import CARD_HEIGHT, CARD_WIDTH, card_back, card_face, card_frame
from scopa_env._scene import Item, Scene, Shape, Symbol, Use, Words, box, circle, words_width
from scopa_env.cards import Card, Cards, card
from scopa_env.face import Game
from scopa_env.game import NONE, sweep_scores, takes_itself
from scopa_env.scoring import CATEGORIES

__all__ = ["THEMES", "last_was_scopa", "scopa_cards", "seat_of_last_play", "table_scene"]


class Theme(NamedTuple):
    """The colours of a table."""

    page: str
    table: str
    rim: str
    ink: str  # words on the page
    words: str  # words on the table
    faint: str
    label: str
    label_words: str
    sides: tuple[str, ...]


SIDES = ("#56b4e9", "#e69f00", "#cc79a7", "#f0e442", "#009e73", "#d55e00")

THEMES = {
    "felt": Theme(
        page="#103d2a",
        table="#1f6e48",
        rim="#6d4a2a",
        ink="#f4f1e4",
        words="#f4f1e4",
        faint="#b5d3c0",
        label="#14513a",
        label_words="#f4f1e4",
        sides=SIDES,
    ),
    "paper": Theme(
        page="#ffffff",
        table="#ffffff",
        rim="#9a9a9a",
        ink="#222222",
        words="#222222",
        faint="#666666",
        label="#eeeeee",
        label_words="#222222",
        sides=SIDES,
    ),
}

TO_MOVE, MOVER_WORDS = "#ffc93c", "#2b2000"
TOUCHED, LAST = "#ffa400", "#27a5e8"

SETTEBELLO = card("7D")

HEAD, FOOT, MARGIN = 58, 64, 16
LABEL = 24  # height of a name
LIFT = 14  # between a name and the cards below it; a touched card rises into it
WIDEST_HAND, GAP = 250, 5  # cards overlap where a hand would be wider
PANEL = LABEL + LIFT + CARD_HEIGHT
PILE_WIDTH, PILE_HEIGHT = 212, 108
SIDE = PANEL + 14 + PILE_HEIGHT  # a seat at the side has its pile below the hand


class Panel(NamedTuple):
    """A seat's place: upper left corner and width of its hand, upper left corner of its pile."""

    x: float
    y: float
    width: float
    pile_x: float
    pile_y: float


class Plan(NamedTuple):
    """The places of a table for some number of seats."""

    width: int
    height: int
    panels: tuple[Panel, ...]
    middle: tuple[float, float, float, float]  # x, y, width, height of the cards on the table


@cache
def _plan(players: int, cards: int) -> Plan:
    """The places for so many seats; hands of so many cards stand close to their piles."""
    hand = min(WIDEST_HAND, cards * (CARD_WIDTH + GAP) - GAP)
    width = 720 if players == 2 else 1072
    along = (players - 1) // 2  # seats along the right side, and as many along the left
    top_seat = players % 2 == 0
    top = HEAD + MARGIN
    middle_top = top + (PANEL + 20 if top_seat else 0)
    depth = 240
    if along:
        depth = max(SIDE, along * (SIDE + 20) - (2 if top_seat else 1) * (PANEL + 20))
    bottom = middle_top + depth + 20
    edge = 2 * MARGIN

    def level(y: float) -> Panel:
        x = (width - hand - 24 - PILE_WIDTH) / 2
        return Panel(x, y, hand, x + hand + 24, y + LABEL + LIFT - 6)

    def beside(x: float, place: int) -> Panel:
        """The place-th seat of a side, counted from the top."""
        y = (top if along > 1 else middle_top) + place * (SIDE + 20)
        return Panel(x, y, hand, x, y + PANEL + 14)

    far = width - edge - max(hand, PILE_WIDTH)
    right = [beside(far, place) for place in reversed(range(along))]
    left = [beside(edge, place) for place in range(along)]
    panels = (level(bottom), *right, *([level(top)] if top_seat else []), *left)
    inner = edge + (WIDEST_HAND + 16 if along else 0)
    middle = (inner, middle_top, width - 2 * inner, depth)
    return Plan(width, bottom + PANEL + MARGIN + FOOT, panels, middle)


def table_scene(game: Game, theme: str) -> Scene:
    """The drawing of a game, or of a view: what it does not know lies face down.

    Its size depends on the number of players only.
    """
    plan, look = _plan(game.rules.players, game.rules.hand), THEMES[theme]
    items = [
        *_header(game, plan, look),
        *_middle(game, plan, look),
        *(item for seat in range(game.rules.players) for item in _seat(game, seat, plan, look)),
        *(item for side in range(game.rules.num_sides) for item in _pile(game, side, plan, look)),
        *_last_move(game, plan, look),
    ]
    title = f"{game.rules.name}, {int(game.record['ply'])} of {game.rules.plays} cards played"
    background = _background(plan.width, plan.height, theme)
    return Scene(plan.width, plan.height, title, background, tuple(items))


@cache
def _background(width: int, height: int, theme: str) -> Symbol:
    look, edge = THEMES[theme], MARGIN - 6
    inside = box(edge, HEAD, width - 2 * edge, height - HEAD - FOOT, radius=26)
    return Symbol(
        f"background-{theme}-{height}",
        (
            Shape(box(0, 0, width, height), look.page),
            Shape(inside, look.table, look.rim, 6 if theme == "felt" else 1.2),
        ),
    )


def _header(game: Game, plan: Plan, look: Theme) -> list[Item]:
    rules = game.rules
    left = f"deal {int(game.record['deal_number']) + 1}, {int(game.record['ply'])} of "
    left += f"{rules.plays} cards played"
    left += "" if rules.players == 2 else " · play goes anticlockwise"
    score = ", ".join(
        f"{_side_name(game, side)}: {int(game.record['match_scores'][side])}"
        for side in range(rules.num_sides)
    )
    right = plan.width - MARGIN
    return [
        Words(MARGIN, 25, _short(rules.name, 28), 19, look.ink, bold=True),
        Words(MARGIN, 45, left, 13, look.ink),
        Words(right, 25, f"match to {rules.target}, before this deal", 13, look.ink, "end"),
        Words(right, 45, score, 13, look.ink, "end"),
    ]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _side_name(game: Game, side: int) -> str:
    seats = game.rules.sides[side] if game.rules.sides else ()
    return f"player_{' + '.join(map(str, seats))}"


# ------------------------------------------------------------------------------ seats and hands


def _seat(game: Game, seat: int, plan: Plan, look: Theme) -> list[Item]:
    panel = plan.panels[seat]
    return [*_label(game, seat, panel, look), *_hand(game, seat, panel)]


def _label(game: Game, seat: int, panel: Panel, look: Theme) -> list[Item]:
    """A seat's name, on yellow if it is to move; the colour of its side; whether it dealt."""
    moves = seat == game.to_move
    name = f"player_{seat}"
    width = 1.15 * words_width(name, 14) + 44
    middle = panel.y + LABEL / 2
    items: list[Item] = [
        Shape(box(panel.x, panel.y, width, LABEL, LABEL / 2), TO_MOVE if moves else look.label),
        Shape(
            circle(panel.x + 14, middle, 5.5), look.sides[game.rules.side_of(seat)], "#333333", 0.8
        ),
        Words(
            panel.x + 27, middle + 5, name, 14, MOVER_WORDS if moves else look.label_words,
            bold=True,
        ),
    ]  # fmt: skip
    notes = ["to move"] if moves else []
    notes += ["dealer"] if seat == game.dealer else []
    if notes:
        x = panel.x + width + 9
        items.append(Words(x, middle + 4.5, ", ".join(notes), 13, look.words))
    return items


def _hand(game: Game, seat: int, panel: Panel) -> list[Item]:
    """A hand: the cards that are known open, the others face down."""
    known = list(game.hands[seat])
    hidden = int(game.record["hand_count"][seat]) - len(known)
    faces: list[Card | None] = [*known, *[None] * hidden]
    top = panel.y + LABEL + LIFT
    items: list[Item] = []
    for place, one in enumerate(faces):
        x = panel.x + place * _step(len(faces), panel.width)
        touched = one is not None and one == game.touched
        y = top - LIFT + 4 if touched else top
        items.append(_card(one, x, y, f"hand-{seat}"))
        if touched:
            items.append(_frame(TOUCHED, x, y))
    return items


def _step(count: int, width: float, scale: float = 1.0, gap: float = GAP) -> float:
    """From one card of a row to the next: side by side, overlapping where there is no room."""
    wide = CARD_WIDTH * scale
    return min(wide + gap, (width - wide) / max(1, count - 1))


def _card(
    one: Card | None, x: float, y: float, role: str, scale: float = 1.0, quarters: int = 0
) -> Use:
    return Use(card_back() if one is None else card_face(one), x, y, scale, quarters, role)


def _frame(colour: str, x: float, y: float, scale: float = 1.0) -> Use:
    return Use(card_frame(colour), x, y, scale, 0, "mark")


# -------------------------------------------------------------------------------- in the middle


def _middle(game: Game, plan: Plan, look: Theme) -> list[Item]:
    x, y, width, height = plan.middle
    items: list[Item] = []
    left = game.rules.deck_size - int(game.record["dealt"])
    if game.rules.redeals and not game.is_over:
        items += _stock(left, x, y + height / 2, look)
        x, width = x + 96, width - 96
    if game.is_over:
        if game.table:
            items += _spread(game, x, y, width * 0.4, height)
            x, width = x + width * 0.42, width * 0.58
        return [*items, *_points(game, x, y, width, height, look)]
    return [*items, *_spread(game, x, y, width, height)]


def _stock(left: int, x: float, middle: float, look: Theme) -> list[Item]:
    """The cards still to be dealt."""
    top = middle - CARD_HEIGHT / 2 - 8
    items: list[Item] = []
    if not left:
        items.append(_empty(x, top, look))
    for layer in range(_layers(left)):
        items.append(_card(None, x + 2 * layer, top - 2 * layer, "stock"))
    text = f"{left} to deal"
    items.append(Words(x + CARD_WIDTH / 2, top + CARD_HEIGHT + 20, text, 13, look.words, "middle"))
    return items


def _layers(count: int) -> int:
    return min(5, (count + 4) // 5)


def _empty(x: float, y: float, look: Theme) -> Shape:
    path = box(x + 1, y + 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, 6)
    return Shape(path, None, look.faint, 1, 0.6)


def _spread(game: Game, x: float, y: float, width: float, height: float) -> list[Item]:
    """The cards on the table in rows, smaller if they are many."""
    lying = list(game.table)
    if not lying:
        return []
    scale, rows = max((_fit(len(lying), rows, width, height), -rows) for rows in (1, 2, 3, 4))
    rows = -rows
    across = -(-len(lying) // rows)
    down = CARD_HEIGHT * scale + 12
    top = y + (height - rows * down + 12) / 2
    fresh = game.plays[-1].card if game.plays and not game.plays[-1].captured else None
    items: list[Item] = []
    for row in range(rows):
        some = lying[row * across : (row + 1) * across]
        step = (CARD_WIDTH + 10) * scale
        left = x + (width - len(some) * step + 10 * scale) / 2
        for place, one in enumerate(some):
            at = left + place * step, top + row * down
            items.append(_card(one, *at, "table", scale))
            if one in game.chosen:
                items.append(_frame(TOUCHED, *at, scale))
            elif one == fresh:
                items.append(_frame(LAST, *at, scale))
    return items


def _fit(count: int, rows: int, width: float, height: float) -> float:
    """The scale at which so many cards fit in so many rows, in steps of an eighth."""
    across = -(-count // rows)
    scale = min(
        1.0, width / (across * (CARD_WIDTH + 10)), (height - 12 * rows) / (rows * CARD_HEIGHT)
    )
    return max(1, int(8 * scale)) / 8


def _points(game: Game, x: float, y: float, width: float, height: float, look: Theme) -> list[Item]:
    """The points of the finished deal, a row a category, a column a side."""
    scores = game.scores()
    before = game.record["match_scores"].tolist()
    rows = [
        (name.replace("_", " "), [points[name] for points in scores])
        for name in CATEGORIES
        if any(points[name] for points in scores)
    ]
    rows.append(("points", [points["total"] for points in scores]))
    rows.append(("match", [before[side] + p["total"] for side, p in enumerate(scores)]))
    line = min(23.0, (height - 30) / (len(rows) + 1))
    wide = min(112.0, (width - 110) / len(scores))
    left = x + (width - 110 - wide * len(scores)) / 2
    top = y + (height - line * (len(rows) + 1)) / 2 + 10
    columns = [left + 110 + wide * (side + 0.5) for side in range(len(scores))]
    items: list[Item] = []
    for side, column in enumerate(columns):
        name = _side_name(game, side)
        size = min(13.0, 13 * (wide - 8) / words_width(name, 13))
        items.append(Words(column, top, name, size, look.words, "middle", True))
    right = left + 110 + wide * len(scores)
    for number, (name, values) in enumerate(rows, start=1):
        base = top + number * line
        total = number > len(rows) - 2
        if number == len(rows) - 1 or number == 1:
            rule = f"M {left:.1f} {base - line + 6:.1f} L {right:.1f} {base - line + 6:.1f}"
            items.append(Shape(rule, None, look.faint, 1))
        items.append(Words(left, base, name, 14, look.words, bold=total))
        for column, value in zip(columns, values, strict=True):
            colour = look.words if value or total else look.faint
            text = str(value) if value or total else "-"
            items.append(Words(column, base, text, 14, colour, "middle", total))
    return items


# ---------------------------------------------------------------------------------------- piles


def _pile(game: Game, side: int, plan: Plan, look: Theme) -> list[Item]:
    """A side's pile: a scopa is the card that made it, face up crosswise in the pile."""
    panel, pile = plan.panels[side], game.piles[side]
    x, y = panel.pile_x, panel.pile_y
    crosswise = scopa_cards(game)[side]
    items: list[Item] = []
    step = min(13.0, (PILE_HEIGHT - CARD_WIDTH) / max(1, len(crosswise) - 1))
    for place, one in enumerate(crosswise):
        # Turned by a quarter, a card lies to the left of its origin.
        at = x + CARD_HEIGHT + 4, y + place * step
        items.append(_card(one, *at, f"scopa-{side}", 1.0, 1))
    if not pile:
        items.append(_empty(x, y + 6, look))
    for layer in range(_layers(len(pile))):
        items.append(_card(None, x + 1.5 * layer, y + 8 - 1.5 * layer, f"pile-{side}"))
    last = game.plays[-1] if game.plays else None
    if last is not None and last.captured and game.rules.side_of(seat_of_last_play(game)) == side:
        up = 1.5 * (_layers(len(pile)) - 1)
        items.append(_frame(LAST, x + up, y + 8 - up))
    text_x, text_y = x + CARD_HEIGHT + 14, y + 18
    for number, (text, bold) in enumerate(_pile_words(game, side, pile)):
        items.append(Words(text_x, text_y + 17 * number, text, 13, look.words, bold=bold))
    return items


def _pile_words(game: Game, side: int, pile: Cards) -> list[tuple[str, bool]]:
    denari = sum(one.suit == "D" for one in pile)
    lines = [
        (f"{len(pile)} cards", False),
        (f"{denari} denari", False),
        (f"{game.scope[side]} scope", game.scope[side] > 0),
    ]
    if SETTEBELLO in pile:
        lines.append(("settebello", False))
    if game.rules.hand_bonus:
        lines.append((f"{game.bonus[side]} for hands", False))
    if game.last_capturer is not None and game.rules.side_of(game.last_capturer) == side:
        lines.append(("captured last", False))
    return lines


def scopa_cards(game: Game) -> list[list[Card | None]]:
    """The cards that made each side's scope, in order; None for one that the game cannot tell.

    That is one from before the position began. A scopa that the opening table brought the dealer
    is told by a card of that table.
    """
    rules, opening = game.rules, _taken_at_once(game)
    found = _sweeping_cards(game, int(game.record["opening"]) & ~opening)
    marks: list[list[Card | None]] = []
    for side, known in enumerate(found):
        wanted = game.scope[side] // rules.scopa_value if rules.scopa_value else 0
        missing = max(0, wanted - len(known))
        first = list(Cards.from_bits(opening if side == rules.side_of(game.dealer) else 0))[::-1]
        marks.append([*[*first, *[None] * missing][:missing], *known][:wanted])
    return marks


def _taken_at_once(game: Game) -> int:
    """The opening table (bits) if the dealer took it before the first play, else 0: no card of it
    has been there to be taken since."""
    seen = int(game.record["table"])
    for take in game.record["take_at"]:
        seen |= int(take)
    opening = int(game.record["opening"])
    return 0 if opening & seen else opening


def _sweeping_cards(game: Game, table: int) -> list[list[Card]]:
    """The cards that were played as a scopa, by side, found by playing from a table (bits)."""
    g = game.record.copy()
    found: list[list[Card]] = [[] for _ in range(game.rules.num_sides)]
    for ply, number in enumerate(g["card_at"].tolist()):
        if number == NONE:
            continue
        take = int(g["take_at"][ply])
        g["ply"], g["table"], g["to_move"] = ply, table, _player_of(game, number)
        if take:
            left = game.rules.plays - ply - 1
            if take == table and sweep_scores(g, number, take, left):
                found[game.rules.side_of(int(g["to_move"]))].append(card(number))
            table &= ~take
        elif not takes_itself(g, number):
            table |= 1 << number
    return found


def _player_of(game: Game, number: int) -> int:
    """The seat that played a card; NONE if none did."""
    for seat in range(game.rules.players):
        if int(game.record["played"][seat]) >> number & 1:
            return seat
    return NONE


def seat_of_last_play(game: Game) -> int:
    """Who played the last card."""
    return _player_of(game, int(game.plays[-1].card))


# ------------------------------------------------------------------------------------ last move


def _last_move(game: Game, plan: Plan, look: Theme) -> list[Item]:
    """What was played last, in words and small cards.

    The words end, or are centred, where the cards begin: how wide they are depends on the font.
    """
    middle = plan.height - FOOT / 2
    base, top, small = middle + 5, middle - CARD_HEIGHT / 4, CARD_WIDTH / 2
    if not game.plays:
        return [Words(MARGIN, base, "no card has been played", 14, look.ink)]
    (one, captured), seat = game.plays[-1], seat_of_last_play(game)
    x = MARGIN + 206.0
    items: list[Item] = [
        Words(x - 10, base, f"last move: player_{seat} played", 14, look.ink, "end"),
        _card(one, x, top, "last", 0.5),
    ]
    x += small
    if not captured:
        itself = one not in game.table and not game.is_over
        items.append(Words(x + 10, base, "and took it" if itself else "", 14, look.ink))
        return items
    items.append(Words(x + 42, base, "and took", 14, look.ink, "middle"))
    x += 84
    step = _step(len(captured), plan.width - MARGIN - 80 - x, 0.5, 4)
    items += [_card(c, x + place * step, top, "last", 0.5) for place, c in enumerate(captured)]
    if last_was_scopa(game):
        x += (len(captured) - 1) * step + small + 12
        items.append(Words(x, base, "scopa", 15, look.ink, bold=True))
    return items


def last_was_scopa(game: Game) -> bool:
    """Whether the last play made a scopa. The game has one."""
    side = scopa_cards(game)[game.rules.side_of(seat_of_last_play(game))]
    return bool(side) and side[-1] == game.plays[-1].card
