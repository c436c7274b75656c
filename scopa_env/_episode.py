"""One episode, a deal or a match, action by action: what the environments share.

:class:`Episode` holds the game record and the arrays that one compiled call per action fills;
the PettingZoo and Gymnasium environments put their own forms around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces

from scopa_env._jit import jit, popcount
from scopa_env._random import below, seed_words, start_stream
from scopa_env.cards import Card, cards
from scopa_env.face import Game, actions_of, describe_actions, draw_dealer, match_winner
from scopa_env.game import (
    GAME_DTYPE,
    NONE,
    NUM_ACTIONS,
    deal_stacked,
    legal_bits,
    new_games,
    next_seat,
    nth_bit,
    start_deal,
    touch,
    write_mask,
)
from scopa_env.observation import SCRATCH, Layout, encode
from scopa_env.rules import MAX_PLAYERS, Rules
from scopa_env.scoring import (
    CATEGORIES,
    NOBODY,
    NUM_CATEGORIES,
    deal_result,
    match_side,
)

__all__ = ["RENDER_MODES", "Episode", "choice", "observation_space"]

EPISODES = ("deal", "match")
REWARDS = ("points", "win")
RENDER_MODES = ("ansi", "rgb_array", "human")

DEAL = -2  # the action of advance that deals
ILLEGAL = -2  # what advance returns for an action that is not legal

#: Rows of the numbers that advance reads and writes, ``int64[10, 8]`` (one array, since handing
#: an array over costs more than using it): settings; points of the match before a deal, by side;
#: what the call paid, by seat; the generator of the random players; the points of the deal that
#: ended, by side and category.
SETTINGS, SCORES, REWARD, DICE, POINTS = range(5)
#: The settings: the observation is full; pay for wins; a match; the seat whose observation is
#: written (-1: of the seat to move); seats that play at random, as bits; the seat that deals.
FULL, WIN, MATCH, WATCHER, ROBOTS, DEALER = range(6)

MOST_TARGETS = 100  # scores of a match may reach so many times the target
#: The highest value of an observation's fields; 1 where none is given.
HIGHEST = {
    "played_when": 1.001,  # 1 but for rounding
    "bonus": 10.0,
    "match": float(MOST_TARGETS),
    "gain_cards": 4.0,
    "gain_worth": 10.0,
    "reply_worth": 10.0,
}


@jit
def _end_deal(g: Any, win: Any, match: Any, reward: Any, points: Any) -> None:
    """Count a finished deal, pay for it and, while the match goes on, deal the next one."""
    total = np.zeros(MAX_PLAYERS, np.int64)
    scores = np.zeros(MAX_PLAYERS, np.int64)
    worth = np.zeros(MAX_PLAYERS, np.int64)
    deal_result(g, points, total, worth)
    for side in range(g.num_sides):
        scores[side] = g.match_scores[side] + total[side]
    winner = match_side(g, scores, points) if match else NOBODY
    over = not match or winner != NOBODY
    if match and win:
        for seat in range(g.players):
            worth[seat] = 0
            if over:
                worth[seat] = 1 if g.side[seat] == winner else -1
    for seat in range(g.players):
        if win:
            worth[seat] = (worth[seat] > 0) - (worth[seat] < 0)
        reward[seat] = worth[seat]
    if not over:
        for side in range(g.num_sides):
            g.match_scores[side] = scores[side]
        g.deal_number += 1
        start_deal(g, next_seat(g, g.dealer))


@jit
def advance(raw: Any, action: Any, numbers: Any, mask: Any, observation: Any) -> tuple[Any, Any]:
    """Take an action, let the random players move, and look at the game.

    Args:
        raw: ``uint8[N]``, the bytes of one game record (bytes are quicker to hand over).
        action: 0..40; -1: none, only go on from here; -2: deal.
        numbers: ``int64[10, 10]``, see SETTINGS.
        mask: written, ``int8[41]``.
        observation: written, ``float32[layout.size]``.

    Returns:
        The seat to move (-1: the episode is over; ILLEGAL: the action is not legal, and nothing
        has changed), and whether a deal has ended.
    """
    g = raw.view(GAME_DTYPE)[0]
    settings = numbers[SETTINGS]
    reward = numbers[REWARD]
    if action == DEAL:
        for side in range(MAX_PLAYERS):
            g.match_scores[side] = numbers[SCORES, side]
        g.deal_number = 0
        start_deal(g, settings[DEALER])
        action = NONE
    for seat in range(MAX_PLAYERS):
        reward[seat] = 0
    ended = False
    while True:
        legal = legal_bits(g)
        if action == NONE:
            if g.to_move == NONE or not (settings[ROBOTS] >> g.to_move) & 1:
                break
            action = nth_bit(legal, below(numbers[DICE], popcount(legal)))
        elif not (0 <= action < NUM_ACTIONS and (legal >> action) & 1):
            return ILLEGAL, False
        touch(g, action)
        action = NONE
        if g.to_move == NONE:
            ended = True
            _end_deal(g, settings[WIN] != 0, settings[MATCH] != 0, reward, numbers[POINTS:])
    seat = g.to_move if settings[WATCHER] == NONE else settings[WATCHER]
    if seat != NONE:
        if seat != g.to_move:
            legal = 0
        write_mask(legal, mask)
        encode(g, seat, settings[FULL] != 0, observation, np.empty(1, SCRATCH)[0])
    return g.to_move, ended


class Episode:
    """A deal or a match, and the arrays that each action refills.

    Args:
        rules: Rules, the name of a preset, or a dict of fields.
        episode: ``"deal"``, or ``"match"``: deals up to ``rules.target``, level at the top
            plays on.
        reward: ``"points"``: after each deal, a seat's side's points less those of the best
            other side; ``"win"``: the sign of that, in a match only once, at its end.
        observation: ``"full"`` or ``"raw"``, see :mod:`scopa_env.observation`.

    Attributes:
        games: ``GAME_DTYPE[1]``, the game; layout: the Layout of observations.
        to_move: the seat to move, -1 when the episode is over.
        reward: ``int64[10]``, what the last action paid, by seat.
        mask, observation: ``int8[41]``, ``float32[layout.size]`` of the seat watched: the one
            to move, unless :meth:`watch` said otherwise.
        match_scores: points of the match by side, the last finished deal included.

    Raises:
        ValueError: for rules, or a value, that there are not.
    """

    def __init__(self, rules: Any, episode: str, reward: str, observation: str) -> None:
        self.rules = Rules.of(rules)
        self.layout = Layout(self.rules, observation)
        choice("episode", episode, EPISODES)
        choice("reward", reward, REWARDS)
        self.games = new_games(self.rules.code, 1)
        self.to_move = NONE
        self.match_scores = [0] * self.rules.num_sides
        self.mask = np.zeros(NUM_ACTIONS, np.int8)
        self.observation = np.zeros(self.layout.size, np.float32)
        self._numbers = np.zeros((POINTS + MAX_PLAYERS, NUM_CATEGORIES), np.int64)
        settings = (observation == "full", reward == "win", episode == "match", NONE, 0, NONE)
        self._numbers[SETTINGS, : len(settings)] = settings
        self._deals = 0
        self._dealt = False
        self._link()

    def _link(self) -> None:
        """The arrays that are the same memory as others."""
        self.reward = self._numbers[REWARD]
        self._settings = self._numbers[SETTINGS]
        self._bytes = self.games.view(np.uint8)

    def __getstate__(self) -> dict[str, Any]:
        linked = ("reward", "_settings", "_bytes")
        return {name: value for name, value in self.__dict__.items() if name not in linked}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._link()

    @property
    def game(self) -> Game:
        """A copy of the game as it stands."""
        return Game(self.rules, self.games[0])

    def watch(self, seat: int, robots: int, dice: np.ndarray) -> None:
        """Whose observation and mask to write, and who plays at random.

        Args:
            seat: the seat to watch.
            robots: bits of the seats that play at random; they move inside :meth:`begin` and
                :meth:`act`.
            dice: ``uint32[4]``, the state to start their generator from.
        """
        self._settings[WATCHER] = seat
        self._settings[ROBOTS] = robots
        self._numbers[DICE, : len(dice)] = dice

    def begin(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal, and go on to the first seat that has to be asked.

        Args:
            seed: any integer from 0: the cards and the dealer of ``Game.deal(rules, seed)``.
                None: the next deal of the stream that a seed began (out of the system's entropy
                if none has), the seat after the last dealer dealing.
            options: ``dealer``: the seat that deals. ``scores``: points of the match so far, by
                side. ``deck``: all cards in the order they are dealt, as for ``Game.deal``.
                Other keys are ignored.

        Raises:
            ValueError: for a bad seed or a bad value of a known option; nothing has changed.
        """
        options = options or {}
        dealer, scores, deck = (options.get(name) for name in ("dealer", "scores", "deck"))
        if dealer is not None or deck is not None:
            Game.deal(self.rules, 0, dealer, deck)  # refuses what is no seat and no deck
        scores = [0] * self.rules.num_sides if scores is None else self._scores(scores)
        words = seed_words(seed) if seed is not None or not self._dealt else None

        seat = (int(self.games["dealer"][0]) + 1) % self.rules.players
        if words is not None:
            start_stream(self.games["rng"][0], words, 0)
            seat = draw_dealer(self.games[0])
        if dealer is not None:
            seat = int(dealer)
        self._dealt = True
        self._deals = 0
        self.match_scores = scores
        self._numbers[SCORES, : len(scores)] = scores
        self._settings[DEALER] = seat
        if deck is None:
            self.go_on(DEAL)
        else:
            self._lay_out(cards(deck), seat)
            self.go_on(NONE)

    def _lay_out(self, deck: list[Card], dealer: int) -> None:
        """Deal a fixed deck; the redeal, should its table void it, comes from the generator."""
        g = self.games[0]
        g["match_scores"] = self._numbers[SCORES, :MAX_PLAYERS]
        g["deal_number"] = 0
        g["deck"][: self.rules.deck_size] = [one.number for one in deck]
        deal_stacked(g, dealer)

    def _scores(self, scores: Any) -> list[int]:
        allowed = f"{self.rules.num_sides} whole numbers from 0, one a side"
        try:
            given = [index(score) for score in scores]
        except TypeError:
            raise ValueError(f"scores={scores!r}: wanted are {allowed}") from None
        most = MOST_TARGETS * self.rules.target // 2
        if len(given) != self.rules.num_sides or min(given) < 0 or max(given) > most:
            raise ValueError(f"scores={scores!r}: wanted are {allowed}, at most {most}")
        if match_winner(self.rules, given) is not None:
            raise ValueError(f"scores={scores!r}: with {self.rules.target} the match is over")
        return given

    def act(self, action: Any) -> bool:
        """Take an action of the seat to move; whether that ended a deal.

        Raises:
            ValueError: if it is not legal; the message lists what is, and nothing has changed.
        """
        try:
            number = index(action)
        except TypeError:
            raise self._illegal(action) from None
        if not 0 <= number < NUM_ACTIONS:
            raise self._illegal(number)
        return self.go_on(number)

    def go_on(self, number: int) -> bool:
        """Take an action 0..40, -1: none, or -2: deal; then let the random players move."""
        seat, ended = advance(self._bytes, number, self._numbers, self.mask, self.observation)
        if seat == ILLEGAL:
            raise self._illegal(number)
        self.to_move = seat
        if ended:
            self._deals += 1
            totals = self._numbers[POINTS:].sum(axis=1).tolist()
            self.match_scores = [
                before + more for before, more in zip(self.match_scores, totals, strict=False)
            ]
        return ended

    def _illegal(self, action: Any) -> ValueError:
        legal = describe_actions(actions_of(legal_bits(self.games[0])))
        return ValueError(f"seat {self.to_move}: action {action!r} is not legal; {legal}")

    def look(self) -> dict[str, np.ndarray]:
        """What the seat watched observes, in fresh arrays."""
        return {"observation": self.observation.copy(), "action_mask": self.mask.copy()}

    def look_from(self, seat: int) -> dict[str, np.ndarray]:
        """What any seat observes, in fresh arrays; the mask is all 0 unless it is to move."""
        floats, mask = np.empty_like(self.observation), np.empty_like(self.mask)
        watched = self._settings[WATCHER]
        self._settings[WATCHER] = seat
        advance(self._bytes, NONE, self._numbers, mask, floats)
        self._settings[WATCHER] = watched
        return {"observation": floats[: self.layout.size], "action_mask": mask}

    def report(self) -> dict[str, Any]:
        """What everybody may know of the deals finished in this episode; empty before the first.

        ``scores``: the last one's points by side, a dict of the categories and ``total``;
        ``match_scores``: points of the match by side; ``deals``: how many are finished.
        """
        if self._deals == 0:
            return {}
        scores = []
        for row in self._numbers[POINTS : POINTS + self.rules.num_sides].tolist():
            scores.append({**dict(zip(CATEGORIES, row, strict=True)), "total": sum(row)})
        return {"scores": scores, "match_scores": list(self.match_scores), "deals": self._deals}


def choice(name: str, value: Any, allowed: Any) -> None:
    """Raise ValueError, naming what is allowed, for a value that is not."""
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: allowed are {', '.join(map(repr, allowed))}")


def observation_space(layout: Layout) -> spaces.Dict:
    """The space of what a seat observes.

    ``observation``: a Box ``float32[layout.size]``; ``action_mask``: a Box ``int8[41]``, 1 for
    a legal action.
    """
    high = np.ones(layout.size, np.float32)
    for field in layout:
        high[field.slice] = HIGHEST.get(field.name, 1.0)
    high[layout["scope"]] = max(1.0, 0.25 * layout.rules.plays * layout.rules.scopa_value)
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros_like(high), high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
    )
