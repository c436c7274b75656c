"""The game for people, tests and notebooks: thin objects over records and kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

import scopa_env.game as verbs
from scopa_env._random import below, fresh_states, seed_words, start_stream
from scopa_env.captures import list_takes, takes
from scopa_env.cards import DENARI, Card, CardLike, Cards, CardsLike, card, cards, to_bits
from scopa_env.game import GAME_DTYPE, NONE, NUM_ACTIONS, new_games
from scopa_env.rules import MAX_PLAYERS, RULES_DTYPE, Rules
from scopa_env.scoring import (
    CATEGORIES,
    NOBODY,
    PRIMIERA_OFF,
    deal_points,
    match_leader,
    match_side,
    primiera_total,
)
from scopa_env.view import known, sample_game, view

__all__ = ["Game", "Match", "Move", "hand_bonus", "legal_captures", "primiera", "score_deal"]

RulesLike = Any  # Rules, the name of a preset, or a dict of fields


class Move(NamedTuple):
    """A whole move: the card played and the table cards it captures (none: it is laid).

    ``Move.parse("7D x 4C 3S")`` reads what ``str(move)`` writes.
    """

    card: Card
    captured: Cards

    @classmethod
    def parse(cls, text: str) -> Move:
        """Read ``7D``, ``7D x 7S`` or ``10C x 4D 6S``. Raises ValueError for anything else."""
        played, cross, taken = re.sub(r"\s+", " ", text.strip() + " ").partition(" x ")
        if cross and not taken.strip():
            raise ValueError(f"{text!r}: after x the captured cards are wanted, as in 7D x 4C 3S")
        return cls(card(played), Cards(taken))

    def __str__(self) -> str:
        return f"{self.card} x {self.captured}" if self.captured else str(self.card)

    def __repr__(self) -> str:
        return f"Move({str(self)!r})"


class Game:
    """One deal, from dealing to the last card. Make one with :meth:`deal` or :meth:`from_position`.

    Seats are numbered in playing order; sides as in ``rules.sides``. ``record`` is the state
    itself (a scalar of ``GAME_DTYPE``) and may be handed to any kernel.
    """

    def __init__(self, rules: RulesLike, record: Any) -> None:
        """Raises ValueError for a record that was dealt by other rules."""
        self.rules = Rules.of(rules)
        self._games = np.array([record], GAME_DTYPE)
        names = list(RULES_DTYPE.names or ())
        own, wanted = self._games[names][0].tolist(), self.rules.code.tolist()
        if own != wanted:
            other = [name for name, a, b in zip(names, own, wanted, strict=True) if a != b]
            raise ValueError(f"record: dealt by other rules than these: {', '.join(other)}")

    @classmethod
    def deal(
        cls,
        rules: RulesLike,
        seed: int | None = None,
        dealer: int | None = None,
        deck: CardsLike | None = None,
    ) -> Game:
        """Deal a game.

        Args:
            rules: Rules, the name of a preset, or a dict of fields.
            seed: any integer from 0; None draws one. The same seed deals the same cards
                whatever the dealer, and the first game of ``VectorGame(rules, n, seed)``.
            dealer: the seat that deals; None draws it by lot (with the seed).
            deck: fixes the deal, all cards of it: the table first, then each round's hands, a
                whole hand at a time, in playing order from the leader. Should its table void the
                deal (three kings), the redeal comes from the seed and ``redeals`` counts it.

        Raises:
            ValueError: for a seat that is not at the table, a bad seed, or a deck that is not
                exactly the cards of these rules.
        """
        rules = Rules.of(rules)
        games = new_games(rules.code, 1)
        g = games[0]
        start_stream(g["rng"], seed_words(seed), 0)
        by_lot = draw_dealer(g)
        seat = by_lot if dealer is None else _seat("dealer", dealer, rules)
        if deck is None:
            verbs.start_deal(g, seat)
        else:
            order = cards(deck)
            if to_bits(order) != g["all_cards"]:
                raise ValueError(
                    f"deck: all {rules.deck_size} cards once each are wanted, not {len(order)}"
                    + _difference(int(g["all_cards"]), to_bits(order))
                )
            g["deck"][: len(order)] = [c.number for c in order]
            verbs.deal_stacked(g, seat)
        return cls(rules, g)

    @classmethod
    def from_position(
        cls,
        rules: RulesLike,
        hands: Sequence[CardsLike],
        table: CardsLike = "",
        stock: CardsLike = "",
        piles: Sequence[CardsLike] | None = None,
        scope: Sequence[int] | None = None,
        dealer: int | None = None,
        to_move: int = 0,
        last_capturer: int | None = None,
    ) -> Game:
        """A game in the middle of a deal.

        Args:
            hands: by seat, in playing order.
            stock: in the order in which it will be dealt: whole rounds of hands.
            piles, scope: by side; empty if not given. Cards may be missing from the position.
            dealer: None: the seat that would play the last card if all hands are played out.
            to_move: the seat to move.
            last_capturer: the seat that captured last, None: nobody yet.

        Raises:
            ValueError: for cards that come twice or are not in the deck, for seats or sides that
                do not exist, for a seat to move without cards, or for a stock that does not come
                out even in rounds.
        """
        rules = Rules.of(rules)
        games = new_games(rules.code, 1)
        g = games[0]
        start_stream(g["rng"], seed_words(0), 0)
        if len(hands) != rules.players:
            raise ValueError(f"hands: {rules.players} are wanted, not {len(hands)}")
        piles = [""] * rules.num_sides if piles is None else piles
        scope = [0] * rules.num_sides if scope is None else scope
        for name, given in (("piles", piles), ("scope", scope)):
            if len(given) != rules.num_sides:
                raise ValueError(f"{name}: {rules.num_sides} are wanted, one a side")
        seen = 0
        where = [(f"hand {s}", h) for s, h in enumerate(hands)]
        where += [("table", table), ("stock", stock)]
        where += [(f"pile {s}", p) for s, p in enumerate(piles)]
        for name, some in where:
            bits = to_bits(some)
            if bits & ~int(g["all_cards"]):
                raise ValueError(f"{name}: {Cards.from_bits(bits & ~int(g['all_cards']))}: "
                                 f"not in the deck of these rules")  # fmt: skip
            if bits & seen:
                raise ValueError(f"{name}: {Cards.from_bits(bits & seen)} lies elsewhere too")
            seen |= bits
        left = cards(stock)
        if len(left) % (rules.players * rules.hand):
            raise ValueError(
                f"stock: {len(left)} cards do not come out even in rounds of "
                f"{rules.players} x {rules.hand}"
            )
        for seat, hand in enumerate(hands):
            g["hand"][seat] = to_bits(hand)
            g["hand_count"][seat] = len(cards(hand))
        for side, pile in enumerate(piles):
            g["pile"][side] = to_bits(pile)
            g["scope"][side] = _points("scope", scope[side])
        g["table"] = g["opening"] = to_bits(table)
        g["deck"] = verbs.UNKNOWN
        g["dealt"] = rules.deck_size - len(left)
        for place, one in enumerate(left, start=int(g["dealt"])):
            g["deck"][place] = one.number
        still = int(g["hand_count"].sum()) + len(left)
        g["ply"] = max(0, rules.plays - still)
        g["card_at"] = NONE
        g["to_move"] = _seat("to_move", to_move, rules)
        last = (int(to_move) + int(g["hand_count"].sum()) - 1) % rules.players
        g["dealer"] = last if dealer is None else _seat("dealer", dealer, rules)
        g["last_capturer"] = (
            NONE if last_capturer is None else _seat("last_capturer", last_capturer, rules)
        )
        g["touched"] = NONE
        if g["hand_count"].sum() == 0:
            raise ValueError("hands: no hand has a card, so there is nothing to play")
        if g["hand_count"][to_move] == 0:
            raise ValueError(f"to_move={to_move}: this seat has no card")
        return cls(rules, g)

    @property
    def record(self) -> Any:
        """The state, a scalar of ``GAME_DTYPE``; writing to it changes the game."""
        return self._games[0]

    def clone(self) -> Game:
        """A copy that goes on by itself, dealing the same cards."""
        return Game(self.rules, self.record)

    def view(self, seat: int) -> Any:
        """What a seat sees: see :func:`scopa_env.view.view`."""
        return view(self, seat)

    @property
    def hands(self) -> list[Cards]:
        """Cards in hand, by seat."""
        return [Cards.from_bits(bits) for bits in self.record["hand"][: self.rules.players]]

    @property
    def table(self) -> Cards:
        """Cards on the table."""
        return Cards.from_bits(self.record["table"])

    @property
    def stock(self) -> list[Card]:
        """Cards still to be dealt, in the order they will be."""
        g = self.record
        return [card(int(c)) for c in g["deck"][int(g["dealt"]) : self.rules.deck_size]]

    @property
    def piles(self) -> list[Cards]:
        """Cards captured, by side."""
        return [Cards.from_bits(bits) for bits in self.record["pile"][: self.rules.num_sides]]

    @property
    def scope(self) -> list[int]:
        """Points for scope so far, by side."""
        return [int(n) for n in self.record["scope"][: self.rules.num_sides]]

    @property
    def bonus(self) -> list[int]:
        """Points for hands shown so far, by side."""
        return [int(n) for n in self.record["bonus"][: self.rules.num_sides]]

    @property
    def shown(self) -> list[Cards]:
        """Cards in hand that a seat has had to show, by seat."""
        return [Cards.from_bits(known(self.record, s)) for s in range(self.rules.players)]

    @property
    def to_move(self) -> int | None:
        """The seat to move; None when the deal is over."""
        return _or_none(self.record["to_move"])

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self.record["dealer"])

    @property
    def last_capturer(self) -> int | None:
        """The seat that captured last; None before the first capture."""
        return _or_none(self.record["last_capturer"])

    @property
    def redeals(self) -> int:
        """How many void deals came before this one."""
        return int(self.record["redeals"])

    @property
    def is_over(self) -> bool:
        """Whether the deal is over."""
        return bool(self.record["to_move"] == NONE)

    @property
    def touched(self) -> Card | None:
        """The hand card touched in a move under way, None outside one."""
        one = _or_none(self.record["touched"])
        return None if one is None else card(one)

    @property
    def chosen(self) -> Cards:
        """The table cards chosen in a move under way."""
        return Cards.from_bits(self.record["chosen"])

    @property
    def plays(self) -> list[Move]:
        """The moves made since the deal (or the position) began, first to last."""
        g = self.record
        return [
            Move(card(int(c)), Cards.from_bits(t))
            for c, t in zip(g["card_at"], g["take_at"], strict=True)
            if c != NONE
        ]

    def legal_moves(self) -> list[Move]:
        """Every legal whole move of the seat to move, in card order; empty when it is over.

        In a move under way: those that contain what has been touched.
        """
        if self.is_over:
            return []
        g = self.record
        if g["touched"] != NONE:
            hand, chosen = [card(int(g["touched"]))], int(g["chosen"])
        else:
            hand, chosen = list(Cards.from_bits(verbs.playable(g))), 0
        return [
            Move(one, Cards.from_bits(bits))
            for one in hand
            for bits in _all_takes(g, int(g["table"]), one.number, chosen)
        ]

    def legal_actions(self) -> list[int]:
        """The actions 0..40 that are legal now (see :mod:`scopa_env.game`)."""
        return actions_of(verbs.legal_bits(self.record))

    def play(self, move: Move | str | CardLike) -> None:
        """Make a whole move: a Move, ``"7D x 4C 3S"``, or a card that has one legal capture.

        Raises:
            ValueError: if it is not legal; the message lists what is, and nothing has changed.
        """
        legal = self.legal_moves()
        if self.is_over:
            raise ValueError(f"{move}: the deal is over")
        try:
            if isinstance(move, Move):
                wanted = move
            else:
                wanted = Move.parse(move) if isinstance(move, str) else Move(card(move), Cards())
        except ValueError as problem:
            raise ValueError(f"{problem}; legal are: {_list(legal)}") from None
        if wanted not in legal and not wanted.captured:
            same_card = [other for other in legal if other.card == wanted.card]
            if len(same_card) == 1 and not isinstance(move, Move):
                wanted = same_card[0]
        if wanted not in legal:
            raise ValueError(f"{wanted} is not legal; legal are: {_list(legal)}")
        verbs.play(self.record, wanted.card.number, wanted.captured.bits)

    def act(self, action: int) -> bool:
        """Touch a card (0..39) or say done (40); whether that completed a move.

        Raises:
            ValueError: if it is not legal; the message lists what is, and nothing has changed.
        """
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"action {action!r} is not legal; {describe_actions(legal)}")
        return bool(verbs.touch(self.record, int(action)))

    def scores(self) -> list[dict[str, Any]]:
        """The points of the finished deal, by side: each category and ``total``.

        ``n_cards``, ``n_denari`` and ``primiera_total`` (None: disqualified) tell where they
        come from.

        Raises:
            ValueError: while cards are left to play.
        """
        if not self.is_over:
            raise ValueError("the deal is not over: points are counted when all cards are played")
        return score_record(self.record, self.rules)

    def sample(self, seat: int, rng: np.random.Generator) -> Game:
        """A game that looks the same to a seat, drawn uniformly from all that do."""
        return Game(self.rules, sample_game(self.view(seat), rng))

    def __str__(self) -> str:
        lines = [f"{self.rules.name}, dealer {self.dealer}, table: {self.table or '-'}"]
        for seat, hand in enumerate(self.hands):
            mark = ">" if seat == self.to_move else " "
            lines.append(f"{mark} seat {seat}: {hand or '-'}")
        for side, pile in enumerate(self.piles):
            bonus = f", {self.bonus[side]} for hands shown" if self.rules.hand_bonus else ""
            lines.append(f"  side {side}: {len(pile)} cards, {self.scope[side]} scope{bonus}")
        return "\n".join(lines)


class Match:
    """Deals up to the target of the rules: points are added after each deal, the dealer moves on.

    Attributes:
        rules, scores (points by side), dealer (seat that deals next), deals (deals so far).
    """

    def __init__(
        self, rules: RulesLike = "scopa", scores: Sequence[int] | None = None, dealer: int = 0
    ) -> None:
        """Raises ValueError if there is not one score a side, or for a seat not at the table."""
        self.rules = Rules.of(rules)
        self.scores = (
            [0] * self.rules.num_sides if scores is None else [_points("scores", s) for s in scores]
        )
        self._one_each(self.scores)
        self.dealer = _seat("dealer", dealer, self.rules)
        self.deals = 0
        self._winner = match_winner(self.rules, self.scores)

    def _one_each(self, points: Sequence[Any]) -> None:
        if len(points) != self.rules.num_sides:
            raise ValueError(f"{self.rules.num_sides} sides play, not {len(points)}: {points}")

    def add(self, points: Iterable[int | dict[str, Any]]) -> None:
        """Add a deal's points by side, numbers or ``Game.scores()``; the deal moves to the right.

        Raises:
            ValueError: if the match is over, or if there are not points for each side.
        """
        if self.is_over:
            raise ValueError(f"the match is over: {self.scores}, side {self.winner} has won")
        deal: list[Any] = list(points)
        self._one_each(deal)
        totals = [_points("points", p["total"] if isinstance(p, dict) else p) for p in deal]
        counted = all(isinstance(p, dict) for p in deal)
        if not counted and (
            self.rules.napoleone == "wins" or self.rules.tie_over_target == "parlett_order"
        ):
            raise ValueError(
                f"points: {deal}: napoleone={self.rules.napoleone!r} and "
                f"tie_over_target={self.rules.tie_over_target!r} want what Game.scores() gives"
            )
        self.scores = [have + more for have, more in zip(self.scores, totals, strict=True)]
        self._winner = match_winner(self.rules, self.scores, deal if counted else None)
        self.dealer = (self.dealer + 1) % self.rules.players
        self.deals += 1

    @property
    def winner(self) -> int | None:
        """The side that has won, None while the match goes on."""
        return self._winner

    @property
    def is_over(self) -> bool:
        """Whether a side has won."""
        return self.winner is not None


def legal_captures(played: CardLike, table: CardsLike, rules: RulesLike = "scopa") -> list[Cards]:
    """Every set of table cards that a card may take; empty if the card stays on the table.

    Raises:
        ValueError: for what are no cards, or a played card that lies on the table.
    """
    one, lying = card(played), to_bits(table)
    if lying >> one.number & 1:
        raise ValueError(f"{one} cannot be played: it lies on the table")
    g = new_games(Rules.of(rules).code, 1)[0]
    return [Cards.from_bits(bits) for bits in _all_takes(g, lying, one.number, 0) if bits]


def hand_bonus(hand: CardsLike, rules: RulesLike = "cirulla") -> int:
    """The points that a hand of three pays when it is dealt and shown: 10, 3 or 0.

    Raises:
        ValueError: for other than three cards, or rules without this bonus.
    """
    if not Rules.of(rules).hand_bonus:
        raise ValueError(f"{Rules.of(rules).name}: these rules pay for no hand (hand_bonus=False)")
    if len(cards(hand)) != 3:
        raise ValueError(f"hand: three cards are wanted, not {len(cards(hand))}")
    return int(verbs.hand_bonus(to_bits(hand)))


def primiera(
    pile: CardsLike, scale: str = "standard", missing: str = "disqualified"
) -> float | None:
    """A pile's primiera total; None where a missing suit disqualifies.

    Args:
        scale: a value of ``Rules.primiera``; for ``most_sevens`` the number only ranks.
        missing: a value of ``Rules.primiera_missing``.

    Raises:
        ValueError: for an unknown scale or treatment.
    """
    rules = Rules(primiera=scale, primiera_missing=missing)
    if scale == "off":
        raise ValueError("scale='off' has no totals")
    return _primiera(to_bits(pile), rules)


def score_deal(
    piles: Sequence[CardsLike], scope: Sequence[int] | None = None, rules: RulesLike = "scopa"
) -> list[dict[str, Any]]:
    """The points of a deal from the piles and scope by side; see :meth:`Game.scores`.

    Raises:
        ValueError: if there is not one pile a side, or a card lies in two.
    """
    rules = Rules.of(rules)
    g = new_games(rules.code, 1)[0]
    scope = [0] * len(piles) if scope is None else scope
    if len(piles) != rules.num_sides or len(scope) != rules.num_sides:
        raise ValueError(
            f"{rules.num_sides} sides play {rules.name}: one pile and one number of scope a side"
        )
    seen = 0
    for side, pile in enumerate(piles):
        bits = to_bits(pile)
        if bits & seen:
            raise ValueError(f"{Cards.from_bits(bits & seen)} lies in two piles")
        seen |= bits
        g["pile"][side] = bits
        g["scope"][side] = int(scope[side]) * rules.scopa_value
    return score_record(g, rules)


def match_winner(
    rules: Rules, scores: Sequence[int], deal: Sequence[dict[str, Any]] | None = None
) -> int | None:
    """The side that has won a match, None while it goes on.

    Args:
        scores: points by side, the last deal included.
        deal: the last deal, as :meth:`Game.scores` gives it; without it the scores decide.
    """
    g = new_games(rules.code, 1)[0]
    points = np.zeros((MAX_PLAYERS, len(CATEGORIES)), np.int64)
    for side, row in enumerate(deal or ()):
        points[side] = [row[name] for name in CATEGORIES]
        if row["n_denari"] == 10:
            g["pile"][side] = DENARI
    given = np.array(scores, np.int64)
    winner = int(match_side(g, given, points)) if deal else int(match_leader(g, given, points))
    return None if winner == NOBODY else winner


def score_record(g: Any, rules: Rules) -> list[dict[str, Any]]:
    """The points of a record's piles and scope, by side, as :meth:`Game.scores` gives them."""
    points = np.zeros((MAX_PLAYERS, len(CATEGORIES)), np.int64)
    deal_points(g, points)
    found = []
    for side in range(rules.num_sides):
        pile = Cards.from_bits(g["pile"][side])
        row: dict[str, Any] = {name: int(points[side, i]) for i, name in enumerate(CATEGORIES)}
        row["total"] = sum(row.values())
        row["n_cards"] = len(pile)
        row["n_denari"] = sum(c.suit == "D" for c in pile)
        row["primiera_total"] = None if rules.primiera == "off" else _primiera(pile.bits, rules)
        found.append(row)
    if rules.primiera_missing == "compare_partial" and rules.primiera not in ("off", "most_sevens"):
        suits = [len({c.suit for c in Cards.from_bits(g["pile"][s])}) for s in range(len(found))]
        if rules.suits in suits:  # a side without a suit takes no part
            for row, number in zip(found, suits, strict=True):
                if number < rules.suits:
                    row["primiera_total"] = None
    return found


def actions_of(bits: Any) -> list[int]:
    """Legal actions given as bits 0..40, as a list."""
    return [action for action in range(NUM_ACTIONS) if int(bits) >> action & 1]


def describe_actions(actions: Iterable[int]) -> str:
    """Legal actions for an error message: ``legal are: 24 (7D), 40 (done)``."""
    named = [f"{a} ({'done' if a == verbs.DONE else card(a)})" for a in actions]
    return f"legal are: {', '.join(named) or 'none'}"


def draw_dealer(g: Any) -> int:
    """Draw the first dealer by lot with the game's generator. Every deal from a seed begins so."""
    return int(below(g["rng"], int(g["players"])))


def start_games(rules: Rules, count: int, seed: int | None) -> np.ndarray:
    """``GAME_DTYPE[count]``: first deals of the streams 0..count-1 of a seed, dealers by lot."""
    games = new_games(rules.code, count)
    games["rng"] = fresh_states(seed, count)
    for g in games:
        verbs.start_deal(g, draw_dealer(g))
    return games


def _all_takes(g: Any, table: int, number: int, chosen: int) -> list[int]:
    count, _, _, _ = takes(g, table, number, chosen)
    found = np.zeros(max(1, int(count)), np.int64)
    return sorted(int(bits) for bits in found[: list_takes(g, table, number, chosen, found)])


def _primiera(pile: int, rules: Rules) -> float | None:
    scale = int(rules.code["primiera"])
    assert scale != PRIMIERA_OFF
    total, suits = primiera_total(pile, scale)
    if rules.primiera == "most_sevens":
        return float(total)
    if suits < rules.suits and rules.primiera_missing == "disqualified":
        return None
    return total / 2 if rules.primiera == "trentino" else int(total)


def _seat(name: str, seat: Any, rules: Rules) -> int:
    if isinstance(seat, bool) or seat not in range(rules.players):
        raise ValueError(f"{name}={seat!r}: the seats are 0 to {rules.players - 1}")
    return int(seat)


def _points(name: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise ValueError(f"{name}: {number!r}: a whole number from 0 is wanted")
    return int(number)


def _or_none(number: Any) -> int | None:
    return None if number == NONE else int(number)


def _list(moves: list[Move]) -> str:
    return ", ".join(str(move) for move in moves)


def _difference(wanted: int, given: int) -> str:
    missing, extra = wanted & ~given, given & ~wanted
    text = f"; missing {Cards.from_bits(missing)}" if missing else ""
    return text + (f"; not in it {Cards.from_bits(extra)}" if extra else "")
