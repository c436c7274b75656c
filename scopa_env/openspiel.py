"""Scopa as OpenSpiel games, one a preset, for its algorithms: CFR, best responses, PSRO, ...

    import pyspiel
    import scopa_env.openspiel

    game = pyspiel.load_game("python_scopa")
    game = pyspiel.load_game("python_mini_2p", {"napola": "full"})

A game is one deal. Every field of Rules but its name and sides is a parameter; three more are:
``num_sides`` (0: as usual at that number of players), ``dealer`` (-1: the last seat, so that
player 0 leads) and ``observation`` (the blocks of the observation tensor, see ``Layout``).
:func:`load` makes a game from any Rules.

- Players are seats, actions the 41 touches of :mod:`scopa_env.game`, returns the points of the
  own side less those of the best other. Two sides are zero-sum, three general-sum.
- Chance deals card by card, the opening table first and then each round's hands from the leader
  on. Within the table or a hand the cards come in ascending order, with the probabilities that
  follow: so a hand is one path, not one for each order. Tables that void a deal do not come up.
- Information states are the own hands and all that was public, in order, with the own touches:
  perfect recall. Observations are the environment's own.

Needs the extra ``openspiel``: ``pip install 'scopa-env[openspiel]'``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property, lru_cache
from math import comb
from typing import Any

import numpy as np

import scopa_env.game as verbs
from scopa_env._random import seed_words, start_stream
from scopa_env.cards import CARDS, NUM_CARDS, Card, Cards, card
from scopa_env.face import RulesLike, actions_of
from scopa_env.game import (
    DONE,
    GAME_BYTES,
    GAME_DTYPE,
    NONE,
    NUM_ACTIONS,
    UNKNOWN,
    new_games,
)
from scopa_env.observation import CONSEQUENCES, Layout, observe
from scopa_env.rules import MAX_PLAYERS, PRESETS, Rules
from scopa_env.scoring import CATEGORIES, deal_result
from scopa_env.view import known, sample_game, view

try:
    import pyspiel
except ImportError as missing:  # pragma: no cover
    raise ImportError(
        "scopa_env.openspiel needs OpenSpiel: pip install 'scopa-env[openspiel]'"
    ) from missing

__all__ = ["ScopaGame", "ScopaState", "load", "registered_name"]

CHANCE = int(pyspiel.PlayerId.CHANCE)
TERMINAL = int(pyspiel.PlayerId.TERMINAL)

#: Fields of Rules that a game takes as parameters of the same name.
PARAMETERS = [item.name for item in dataclasses.fields(Rules) if item.name not in ("name", "sides")]
USUAL_SIDES, LAST_SEAT = 0, -1
#: What only its own seat sees of an observation.
PRIVATE = ("hand", "touched", *(name for name, _ in CONSEQUENCES))


def registered_name(preset: str) -> str:
    """The name under which OpenSpiel loads a preset: ``python_scopa`` for ``scopa``."""
    return f"python_{preset}"


def load(rules: RulesLike = "scopa", dealer: int | None = None, observation: str = "full") -> Any:
    """One deal under any rules as an OpenSpiel game.

    Args:
        rules: Rules, the name of a preset, or a dict of fields.
        dealer: the seat that deals; None: the last, so that player 0 leads.
        observation: the blocks of the observation tensor, see ``Layout``.

    Raises:
        ValueError: for rules that make no game, a seat not at the table, or an unknown block.
    """
    rules = Rules.of(rules)
    preset = rules.name if rules.name in PRESETS else "scopa"
    usual = Rules.preset(preset)
    if rules.players != usual.players:
        usual = Rules.preset(preset, players=rules.players)
    given = {
        name: getattr(rules, name)
        for name in PARAMETERS
        if getattr(rules, name) != getattr(usual, name)
    }
    if rules.players != Rules.preset(preset).players:
        given["players"] = rules.players
    if rules.num_sides != usual.num_sides:
        given["num_sides"] = rules.num_sides
    if dealer is not None:
        given["dealer"] = dealer
    if observation != "full":
        given["observation"] = observation
    game = _GAMES[preset](given)
    if game.rules.replace(name=rules.name) != rules:
        changed = [name for name in PARAMETERS if getattr(game.rules, name) != getattr(rules, name)]
        raise ValueError(
            f"{', '.join(changed)}: what {preset!r} has at {Rules.preset(preset).players} players "
            f"cannot be asked for at {rules.players}; give the rules the name of another preset"
        )
    return game


class Setup:
    """What all states of a game share: its rules, its layout and the odds of the opening."""

    def __init__(self, preset: str, params: dict[str, Any]) -> None:
        usual = Rules.preset(preset)
        # OpenSpiel hands over every parameter: one at its default leaves the preset as it is
        # dealt at that number of players.
        fields = {
            name: value
            for name, value in params.items()
            if name in PARAMETERS and value != getattr(usual, name)
        }
        rules = Rules.preset(preset, **fields)
        num_sides = params.get("num_sides", USUAL_SIDES)
        if num_sides != USUAL_SIDES:
            sides = tuple(
                tuple(range(side, rules.players, num_sides)) for side in range(max(num_sides, 0))
            )
            rules = rules.replace(sides=sides)
        dealer = params.get("dealer", LAST_SEAT)
        if not LAST_SEAT <= dealer < rules.players:
            raise ValueError(
                f"dealer={dealer}: the seats are 0 to {rules.players - 1}; -1: the last"
            )
        self.rules = rules
        self.dealer = rules.players - 1 if dealer == LAST_SEAT else dealer
        self.layout = Layout(rules, params.get("observation", "full"))
        self.fresh = new_games(rules.code, 1)
        self.fresh["dealer"] = self.dealer
        self.fresh["deck"] = UNKNOWN
        self.fresh["card_at"] = NONE
        self.fresh["last_capturer"] = NONE
        self.fresh["touched"] = NONE
        start_stream(self.fresh[0]["rng"], seed_words(0), 0)
        self.deck = list(Cards.from_bits(self.fresh[0]["all_cards"]))
        self._known_openings: dict[tuple[int, ...], int] = {}

    @property
    def seats(self) -> range:
        """The seats."""
        return range(self.rules.players)

    @property
    def a_round(self) -> int:
        """Cards dealt in a round."""
        return self.rules.players * self.rules.hand

    @property
    def rounds(self) -> int:
        """Rounds in a deal."""
        return self.rules.plays // self.a_round

    @cached_property
    def game_type(self) -> Any:
        """The kind of game these rules make, a ``pyspiel.GameType``."""
        zero_sum = self.rules.num_sides == 2
        return _game_type(self.rules, zero_sum, self.rules.players, self.rules.players)

    @cached_property
    def game_info(self) -> Any:
        """Its bounds, a ``pyspiel.GameInfo``."""
        rules, most = self.rules, float(_most_points(self.rules))
        return pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=NUM_CARDS,
            num_players=rules.players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0 if rules.num_sides == 2 else None,
            # A play touches its card, table cards, each of which it takes, and may say done.
            max_game_length=2 * rules.plays + rules.deck_size,
        )

    def slot(self, laid: int) -> tuple[int, int]:
        """Where in the deck the table or the hand begins and ends that the next card goes to."""
        table, hand = self.rules.table, self.rules.hand
        if laid < table:
            return 0, table
        start = laid - (laid - table) % hand
        return start, start + hand

    def hand_slot(self, seat: int, number: int) -> slice:
        """Where in the deck a seat's hand lies, rounds counted from 0."""
        place = (seat - self.dealer - 1) % self.rules.players
        start = self.rules.table + number * self.a_round + place * self.rules.hand
        return slice(start, start + self.rules.hand)

    def outcomes(self, deck: Any, laid: int) -> list[tuple[int, float]]:
        """The next cards of a deck of which ``laid`` are known, with their probabilities."""
        start, stop = self.slot(laid)
        used = set(deck[:laid].tolist())
        above = int(deck[laid - 1]) if laid > start else -1
        left = [c.number for c in self.deck if c.number > above and c.number not in used]
        more = stop - laid - 1
        if stop == self.rules.table:
            so_far = [CARDS[c] for c in deck[:laid]]
            ways = [self._openings_with(so_far, self.deck[int(self._place[c])], more) for c in left]
        else:
            ways = [comb(len(left) - i - 1, more) for i in range(len(left))]
        total = sum(ways)
        return [(c, n / total) for c, n in zip(left, ways, strict=True) if n]

    @cached_property
    def _place(self) -> np.ndarray:
        """The place of each card in the sorted deck, ``int[40]``."""
        place = np.full(NUM_CARDS, -1)
        place[[c.number for c in self.deck]] = range(len(self.deck))
        return place

    def _openings_with(self, so_far: list[Card], one: Card, more: int) -> int:
        """How many opening tables begin with these cards and then this one."""
        table = [*so_far, one]
        kings = sum(c.rank == 10 for c in table)
        aces = sum(c.rank == 1 for c in table)
        total = sum(c.rank for c in table)
        return self._openings(int(self._place[one.number]) + 1, more, kings, aces, total)

    def _openings(self, *seen: int) -> int:
        """How many ways to choose more cards of the deck from a place on void no deal.

        Args:
            seen: the place, the number of cards, and of those before the kings, the aces and the
                sum.
        """
        if seen in self._known_openings:
            return self._known_openings[seen]
        place, more, kings, aces, total = seen
        if more == 0:
            found = int(not verbs.voids(self.fresh[0], kings, aces, total))
        elif place + more > len(self.deck):
            found = 0
        else:
            one = self.deck[place]
            king, ace = one.rank == 10, one.rank == 1
            found = self._openings(place + 1, more, kings, aces, total)
            found += self._openings(place + 1, more - 1, kings + king, aces + ace, total + one.rank)
        self._known_openings[seen] = found
        return found


def _most_points(rules: Rules) -> int:
    """More points than a side can make in a deal."""
    seats = rules.players // rules.num_sides
    most = {
        "carte": rules.carte,
        "denari": rules.denari,
        "settebello": rules.settebello,
        "primiera": rules.primiera != "off",
        "scope": rules.scopa_value
        * (
            rules.plays // rules.num_sides
            + rules.fifteen_scope
            + rules.thirty_scope
            + rules.small9_scope
        ),
        "re_bello": rules.re_bello,
        "all_sevens": rules.all_sevens,
        "napola": rules.ranks * (rules.napola != "off"),
        "coin_runs": 11 * rules.coin_runs,
        "hand_bonus": 10 * rules.hand_bonus * seats * (rules.plays // (rules.players * 3) or 1),
    }
    return sum(most[name] for name in CATEGORIES)


def _game_type(rules: Rules, zero_sum: bool, fewest: int, most: int) -> Any:
    preset = rules.name
    usual = Rules.preset(preset)
    return pyspiel.GameType(
        short_name=registered_name(preset),
        long_name=f"Scopa, the rules {preset} (Python)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=(
            pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM
        ),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=fewest,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={
            **{name: getattr(usual, name) for name in PARAMETERS},
            "num_sides": USUAL_SIDES,
            "dealer": LAST_SEAT,
            "observation": "full",
        },
    )


class ScopaGame(pyspiel.Game):
    """One deal of a preset; ``setup`` holds what its states share. Made by :func:`load`."""

    preset = "scopa"

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.setup = Setup(self.preset, params or {})
        # The usual is left out, so that a game's name stays short.
        usual = self.setup.game_type.parameter_specification
        given = {name: value for name, value in (params or {}).items() if value != usual[name]}
        super().__init__(self.setup.game_type, self.setup.game_info, given)
        #: How its states begin: the record as bytes, and the number of cards laid.
        self.start: tuple[np.ndarray, int] = (self.setup.fresh.view(GAME_BYTES), 0)
        first = ScopaState(self)
        first._deal_what_is_certain()
        self.start = first._bytes, first._laid

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self.setup.rules

    def new_initial_state(self) -> ScopaState:
        """The state before the first card is dealt."""
        return ScopaState(self)

    def max_chance_nodes_in_history(self) -> int:
        """At most as many chance nodes lie on a way as there are cards."""
        return self.rules.deck_size

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What a player sees: observations, or information states for ``perfect_recall``."""
        return Observer(
            self.setup, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params
        )


class ScopaState(pyspiel.State):
    """A deal as far as it has been dealt and played.

    ``record`` is the game as :mod:`scopa_env.game` has it; places of the deck that chance has
    not come to are unknown.
    """

    def __init__(self, game: ScopaGame) -> None:
        super().__init__(game)
        #: The touches of the moves that took more than one, by ply.
        self._touches: dict[int, list[int]] = {}
        #: The record as bare bytes: OpenSpiel copies states by copying what they hold, and NumPy
        #: copies bytes many times as fast as fields.
        self._bytes = game.start[0].copy()
        #: Cards of the deck that chance has named: as many as are dealt, but for a round under way.
        self._laid = game.start[1]
        #: Who moves: a seat, CHANCE or TERMINAL.
        self._player = CHANCE

    @property
    def setup(self) -> Setup:
        """What it shares with all states of its game."""
        return self.get_game().setup

    @property
    def record(self) -> Any:
        """The state, a scalar of ``GAME_DTYPE``."""
        return self._bytes.view(GAME_DTYPE)[0]

    def _place(self, number: int) -> None:
        """Lay the next card of the deck; deal once the round's last one lies."""
        g = self.record
        g["deck"][self._laid] = number
        self._laid += 1
        in_hands = self._laid - self.setup.rules.table
        if in_hands <= 0 or in_hands % self.setup.a_round:
            return
        if g["dealt"] == 0:
            verbs.deal_stacked(g, self.setup.dealer)
        else:
            verbs.deal_round(g)
        self._player = int(g["to_move"])

    def _deal_what_is_certain(self) -> None:
        """Lay the cards that leave no choice, so that no chance node has one outcome."""
        while self._player == CHANCE:
            outcomes = self.chance_outcomes()
            if len(outcomes) > 1:
                return
            self._place(outcomes[0][0])

    def current_player(self) -> int:
        """The seat to move, or that chance is, or that the deal is over."""
        return self._player

    def is_terminal(self) -> bool:
        """Whether the deal is over."""
        return self._player == TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Cards that may be dealt next, with their probabilities."""
        return self.setup.outcomes(self.record["deck"], self._laid)

    def _legal_actions(self, player: int) -> list[int]:
        return actions_of(verbs.legal_bits(self.record))

    def _apply_action(self, action: int) -> None:
        if self._player == CHANCE:
            self._place(action)
        else:
            g = self.record
            ply = int(g["ply"])
            whole = verbs.touch(g, action)
            if not whole or ply in self._touches:
                self._touches.setdefault(ply, []).append(action)
            seat = int(g["to_move"])
            if seat == NONE:
                self._player = TERMINAL
            else:
                self._player = seat if g["hand_count"][seat] else CHANCE
        self._deal_what_is_certain()

    def _action_to_string(self, player: int, action: int) -> str:
        name = "done" if action == DONE else str(card(action))
        return f"deal {name}" if player == CHANCE else name

    def returns(self) -> list[float]:
        """By seat: its side's points less those of the best other side; 0 until the end."""
        players = self.setup.rules.players
        if not self.is_terminal():
            return [0.0] * players
        points = np.zeros((MAX_PLAYERS, len(CATEGORIES)), np.int64)
        total, difference = np.zeros(MAX_PLAYERS, np.int64), np.zeros(players, np.int64)
        deal_result(self.record, points, total, difference)
        return [float(more) for more in difference]

    def resample_from_infostate(self, player: int, probability_sampler: Any) -> ScopaState:
        """A state that a player cannot tell from this one, drawn uniformly from all such.

        Args:
            probability_sampler: called once for a number in [0, 1), the seed of the draw.

        Raises:
            ValueError: while cards are being dealt.
        """
        if self._player == CHANCE:
            raise ValueError("cards are being dealt: nobody is to move, nothing is resampled")
        rng = np.random.default_rng(int(probability_sampler() * (1 << 53)))
        g = self.record
        deck = g["deck"].tolist()
        if self._player != TERMINAL:
            twin, number = sample_game(view(g, player), rng), self.rounds_dealt() - 1
            for seat in self.setup.seats:
                slot = self.setup.hand_slot(seat, number)
                gone = _bits(deck[slot]) & ~int(g["hand"][seat])
                deck[slot] = _numbers(int(twin["hand"][seat]) | gone)
        other = self.get_game().new_initial_state()
        for step in self.full_history():
            if step.player != CHANCE:
                while other.is_chance_node():
                    other.apply_action(deck[other._laid])
                other.apply_action(step.action)
        while other.is_chance_node():
            other.apply_action(deck[other._laid])
        return other

    def rounds_dealt(self) -> int:
        """Rounds whose hands are out."""
        dealt = int(self.record["dealt"]) - self.setup.rules.table
        return max(0, dealt) // self.setup.a_round

    def hands_dealt(self) -> list[list[int]]:
        """The cards (bits) of each round's hands, by seat."""
        deck = self.record["deck"].tolist()
        return [
            [_bits(deck[self.setup.hand_slot(seat, number)]) for seat in self.setup.seats]
            for number in range(self.rounds_dealt())
        ]

    def touches_of(self, seat: int) -> dict[int, list[int]]:
        """A seat's touches in its moves of more than one, by ply."""
        leader, players = self.setup.dealer + 1, self.setup.rules.players
        return {
            ply: touches
            for ply, touches in self._touches.items()
            if (leader + ply - seat) % players == 0
        }

    def __str__(self) -> str:
        if self._laid == 0:
            return "not dealt"
        laid = self._laid - int(self.record["dealt"])
        text = _story(self, range(self.setup.rules.players))
        if laid > 0:
            more = [card(int(c)) for c in self.record["deck"][: self._laid][-laid:]]
            text += f"; dealt {' '.join(map(str, more))}"
        return text


class Observer:
    """Observations of a state, as OpenSpiel's ``make_observation`` wants them.

    ``tensor`` is flat, ``float32``; ``dict`` has its named pieces. With ``perfect_recall`` they
    are, for ``P`` players, ``R`` rounds and ``N`` plays in a deal:

    ========= ========== ===================================================================
    player    [P]        1 at the player who looks
    opening   [40]       1 for each card of the opening table
    shown     [R, P, 40] hands that had to be shown, by round and seat (with ``hand_bonus``)
    card_at   [N, 40]    the card of each play
    take_at   [N, 40]    the cards that it took
    hands     [R, 40]    the own hand as it was dealt in each round (private)
    touches   [40]       cards touched in an own move of more than one touch: which came
                         first, second, ... in that move, / 10 (private)
    ========= ========== ===================================================================

    Without, they are the fields of the game's ``Layout``.
    """

    def __init__(self, setup: Setup, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"params={params}: an observation of scopa takes none")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("private_info: all players' hands at once are not offered")
        self.setup = setup
        self.recall = kind.perfect_recall
        self.public = kind.public_info
        self.private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        pieces = list(self._pieces())
        self.tensor = np.zeros(sum(int(np.prod(shape)) for _, shape in pieces), np.float32)
        self.dict = {}
        start = 0
        for name, shape in pieces:
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + size].reshape(shape)
            start += size

    def _pieces(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        rules, rounds = self.setup.rules, self.setup.rounds
        if not self.recall:
            for field in self.setup.layout:
                if self.private if field.name in PRIVATE else self.public:
                    yield field.name, (field.size,)
            return
        if self.public:
            yield "player", (rules.players,)
            yield "opening", (NUM_CARDS,)
            if rules.hand_bonus:
                yield "shown", (rounds, rules.players, NUM_CARDS)
            yield "card_at", (rules.plays, NUM_CARDS)
            yield "take_at", (rules.plays, NUM_CARDS)
        if self.private:
            yield "hands", (rounds, NUM_CARDS)
            yield "touches", (NUM_CARDS,)

    def set_from(self, state: ScopaState, player: int) -> None:
        """Write what a player sees of a state into ``tensor``."""
        if not self.recall:
            layout = self.setup.layout
            seen = observe(state.record, player, layout)
            for name, piece in self.dict.items():
                piece[:] = seen[layout[name]]
            return
        self.tensor.fill(0)
        g, rules = state.record, self.setup.rules
        if self.public:
            self.dict["player"][player] = 1
            self.dict["opening"][_numbers(g["opening"])] = 1
            for ply in range(int(g["ply"])):
                self.dict["card_at"][ply, g["card_at"][ply]] = 1
                self.dict["take_at"][ply, _numbers(g["take_at"][ply])] = 1
            if rules.hand_bonus:
                for number, hands in enumerate(state.hands_dealt()):
                    for seat, hand in enumerate(hands):
                        if verbs.hand_bonus(hand) > 0:
                            self.dict["shown"][number, seat, _numbers(hand)] = 1
        if self.private:
            for number, hands in enumerate(state.hands_dealt()):
                self.dict["hands"][number, _numbers(hands[player])] = 1
            for touches in state.touches_of(player).values():
                for place, action in enumerate(touches, start=1):
                    if action != DONE:
                        self.dict["touches"][action] = place / 10

    def string_from(self, state: ScopaState, player: int) -> str:
        """What a player sees of a state, as text."""
        if self.recall:
            own = [player] if self.private else []
            who = f"player {player}; " if self.public else ""
            return who + _story(state, own, self.public)
        return _glance(state.record, self.setup.rules, player, self.public, self.private)


def _story(state: ScopaState, seats: Any, public: bool = True) -> str:
    """The deal as it went: what is public and what the given seats had in hand and touched."""
    g, rules = state.record, state.setup.rules
    parts = []
    if public and rules.table:
        parts.append(f"table {_spell(g['opening'])}")
    own = {ply: touches for seat in seats for ply, touches in state.touches_of(seat).items()}
    card_at, take_at = g["card_at"].tolist(), g["take_at"].tolist()
    in_round = state.setup.a_round
    for number, hands in enumerate(state.hands_dealt()):
        for seat, hand in enumerate(hands):
            if seat in seats:
                parts.append(f"hand {seat}: {_spell(hand)}")
            elif public and rules.hand_bonus and verbs.hand_bonus(hand) > 0:
                parts.append(f"shown {seat}: {_spell(hand)}")
        for ply in range(number * in_round, (number + 1) * in_round):
            text = ""
            if public and card_at[ply] != NONE:
                text = _spell_play(card_at[ply], take_at[ply])
            if ply in own:
                text = f"{text} ({_spell_touches(own[ply])})".strip()
            if text:
                parts.append(text)
    return "; ".join(parts)


def _spell_play(number: int, take: int) -> str:
    """A play such as ``7D x 4C 3S``."""
    return f"{CARDS[number]} x {_spell(take)}" if take else str(CARDS[number])


def _spell_touches(touches: list[int]) -> str:
    return " ".join("done" if action == DONE else str(CARDS[action]) for action in touches)


def _glance(g: Any, rules: Rules, player: int, public: bool, private: bool) -> str:
    """What lies there now, as far as a player sees it."""
    parts = []
    if private:
        parts.append(f"hand {_spell(g['hand'][player])}")
        if g["to_move"] == player and g["touched"] != NONE:
            parts.append(f"touched {card(int(g['touched']))} {_spell(g['chosen'])}")
    if public:
        sides = range(rules.num_sides)
        parts += [
            f"player {player}",
            f"to move {int(g['to_move'])}",
            f"table {_spell(g['table'])}",
            *(f"pile {side}: {_spell(g['pile'][side])}" for side in sides),
            f"scope {' '.join(str(int(g['scope'][side])) for side in sides)}",
            f"in hand {' '.join(str(int(n)) for n in g['hand_count'][: rules.players])}",
            f"stock {rules.deck_size - int(g['dealt'])}",
            f"last capture {int(g['last_capturer'])}",
        ]
        played = [card(int(c)) for c in g["card_at"][: int(g["ply"])]]
        parts.append(f"played {' '.join(map(str, played)) or '-'}")
        if rules.hand_bonus:
            shown = [f"{s}: {_spell(known(g, s))}" for s in range(rules.players) if known(g, s)]
            parts.append(f"shown {', '.join(shown) or '-'}")
            parts.append(f"bonus {' '.join(str(int(g['bonus'][side])) for side in sides)}")
    return "; ".join(parts)


@lru_cache(maxsize=1 << 16)
def _spell_bits(bits: int) -> str:
    return str(Cards.from_bits(bits)) or "-"


def _spell(bits: Any) -> str:
    return _spell_bits(int(bits))


@lru_cache(maxsize=1 << 16)
def _numbers_of(bits: int) -> list[int]:
    return [c.number for c in Cards.from_bits(bits)]


def _numbers(bits: Any) -> list[int]:
    return _numbers_of(int(bits))


def _bits(numbers: Any) -> int:
    return sum(1 << int(c) for c in numbers if c >= 0)


def _register(preset: str) -> type[ScopaGame]:
    """The class of a preset's game, made known to OpenSpiel."""
    usual = Rules.preset(preset)
    kind = type("ScopaGame", (ScopaGame,), {"preset": preset, "__doc__": ScopaGame.__doc__})
    pyspiel.register_game(_game_type(usual, usual.num_sides == 2, 2, MAX_PLAYERS), kind)
    return kind


_GAMES = {preset: _register(preset) for preset in PRESETS}
