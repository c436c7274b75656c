"""Many games at once: lockstep over an array of game records, for training and measuring."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from scopa_env._jit import jit
from scopa_env.face import actions_of, describe_actions, start_games
from scopa_env.game import (
    NONE,
    NUM_ACTIONS,
    check_games,
    legal_bits,
    next_seat,
    start_deal,
    touch,
    write_mask,
)
from scopa_env.observation import SCRATCH, Layout, encode_consequences, encode_raw
from scopa_env.rules import MAX_PLAYERS, Rules
from scopa_env.scoring import NUM_CATEGORIES, deal_result, decided_points, point_difference
from scopa_env.view import views

__all__ = ["REWARDS", "Step", "VectorGame"]

REWARDS = ("points", "win")
PAY = ("end", "decided")
CHUNK = 64  # games that one task goes through before the next task, so that they stay in the cache


class Step(NamedTuple):
    """What :meth:`VectorGame.step` leaves, the same arrays at each call.

    ``observation`` ``float32[B, N]`` and ``action_mask`` ``int8[B, 41]`` (1: legal) of the seat
    ``to_move`` ``int64[B]``; ``reward`` ``float32[B, players]`` that the step paid to each seat;
    ``done`` ``bool[B]``: the step ended a deal, and what is observed is the next one.
    """

    observation: np.ndarray
    action_mask: np.ndarray
    to_move: np.ndarray
    reward: np.ndarray
    done: np.ndarray


@jit
def _look(
    games: Any, lo: Any, hi: Any, full: Any, legal: Any, to_move: Any, mask: Any, observation: Any
) -> None:
    """Write what the seats to move see. One short loop a task: the processor learns each."""
    for i in range(lo, hi):
        g = games[i]
        bits = legal_bits(g)
        legal[i] = bits
        to_move[i] = g.to_move
        write_mask(bits, mask[i])
    for i in range(lo, hi):
        encode_raw(games[i], to_move[i], observation[i])
    if full:
        work = np.empty(1, SCRATCH)
        for i in range(lo, hi):
            encode_consequences(games[i], to_move[i], observation[i], work[0])


@jit
def _illegal(legal: Any, actions: Any) -> Any:
    """The first game whose action is not legal, -1 if there is none."""
    for i in range(len(actions)):
        if not (0 <= actions[i] < NUM_ACTIONS and (legal[i] >> actions[i]) & 1):
            return i
    return NONE


@jit
def _step(
    games: Any,
    lo: Any,
    hi: Any,
    actions: Any,
    full: Any,
    win: Any,
    decided: Any,
    paid: Any,
    legal: Any,
    to_move: Any,
    mask: Any,
    observation: Any,
    reward: Any,
    done: Any,
    scores: Any,
) -> None:
    for start in range(lo, hi, CHUNK):
        stop = min(start + CHUNK, hi)
        _act(games, start, stop, actions, win, decided, paid, reward, done, scores)
        _look(games, start, stop, full, legal, to_move, mask, observation)


@jit
def _act(
    games: Any,
    lo: Any,
    hi: Any,
    actions: Any,
    win: Any,
    decided: Any,
    paid: Any,
    reward: Any,
    done: Any,
    scores: Any,
) -> None:
    points = np.empty((MAX_PLAYERS, NUM_CATEGORIES), np.int64)
    total = np.empty(MAX_PLAYERS, np.int64)
    worth = np.empty(MAX_PLAYERS, np.int64)
    for i in range(lo, hi):
        g = games[i]
        played = touch(g, actions[i])
        done[i] = g.to_move == NONE
        for seat in range(g.players):
            reward[i, seat] = 0.0
        if decided and played:
            decided_points(g, total)
            point_difference(g, total, worth)
            for seat in range(g.players):
                reward[i, seat] = worth[seat] - paid[i, seat]
                paid[i, seat] = worth[seat]
    for i in range(lo, hi):
        if done[i]:
            g = games[i]
            deal_result(g, points, total, worth)
            for side in range(g.num_sides):
                scores[i, side] = total[side]
            for seat in range(g.players):
                if win:
                    worth[seat] = (worth[seat] > 0) - (worth[seat] < 0)
                reward[i, seat] += worth[seat] - paid[i, seat]
                paid[i, seat] = 0
            start_deal(g, next_seat(g, g.dealer))


class VectorGame:
    """``num_games`` deals in lockstep; a finished one is dealt anew at once, the dealer moving on.

    Game i follows stream i of the seed, so its deals do not depend on how many games or threads
    there are, nor on play. Arrays are allocated once and overwritten by each step.

    Args:
        rules: Rules, the name of a preset, or a dict of fields.
        num_games: games, B.
        seed: any integer from 0; None draws one.
        observation: ``"full"`` or ``"raw"``, see :mod:`scopa_env.observation`.
        reward: ``"points"``: a seat's side's points less those of the best other side;
            ``"win"``: the sign of that.
        pay: ``"end"``: when the deal ends; ``"decided"``: each point as soon as it can no longer
            change (a scopa, the settebello, most cards, most denari), the rest at the end. Both
            add up to the same.
        num_threads: threads that share the games.

    Attributes:
        games: the records, ``GAME_DTYPE[B]``; layout: the Layout of observations;
        scores: ``int64[B, sides]``, points by side of each game's last finished deal;
        observation, action_mask, to_move, reward, done: see :class:`Step`. The first two may
            be replaced by other arrays of the same kind for the next step to write to;
        legal: ``int64[B]``, the legal actions as bits; paid: ``int64[B, players]``, what the
            deal under way has paid so far.
    """

    def __init__(
        self,
        rules: Any = "scopa",
        num_games: int = 1024,
        seed: int | None = None,
        *,
        observation: str = "full",
        reward: str = "points",
        pay: str = "end",
        num_threads: int = 1,
    ) -> None:
        self.rules = Rules.of(rules)
        if num_games < 1 or num_threads < 1:
            raise ValueError(f"num_games={num_games}, num_threads={num_threads}: at least 1 each")
        if reward not in REWARDS:
            raise ValueError(f"reward={reward!r}: allowed are 'points', 'win'")
        if pay not in PAY or (pay == "decided" and reward == "win"):
            raise ValueError(f"pay={pay!r}: allowed are 'end' and, for points, 'decided'")
        self.layout = Layout(self.rules, observation)
        self.num_games = num_games
        self._full = observation == "full"
        self._win = reward == "win"
        self._decided = pay == "decided"
        players = self.rules.players
        self.observation = np.zeros((num_games, self.layout.size), np.float32)
        self.action_mask = np.zeros((num_games, NUM_ACTIONS), np.int8)
        self.to_move = np.zeros(num_games, np.int64)
        self.reward = np.zeros((num_games, players), np.float32)
        self.done = np.zeros(num_games, np.bool_)
        self.scores = np.zeros((num_games, self.rules.num_sides), np.int64)
        self.legal = np.zeros(num_games, np.int64)
        self.paid = np.zeros((num_games, players), np.int64)
        threads = min(num_threads, num_games)
        edges = np.linspace(0, num_games, threads + 1).astype(int)
        self._parts = [(int(lo), int(hi)) for lo, hi in pairwise(edges)]
        # A thread of its own for each part but the first, so that its games stay near its core.
        self._pools = [ThreadPoolExecutor(1) for _ in self._parts[1:]]
        self.reset(seed)

    def reset(self, seed: int | None = None) -> Step:
        """Begin again with first deals from a seed (None draws one)."""
        self.games = start_games(self.rules, self.num_games, seed)
        return self.set_games(self.games)

    def set_games(self, games: np.ndarray, paid: np.ndarray | None = None) -> Step:
        """Go on from other games ``GAME_DTYPE[B]`` under the same rules, such as saved ones.

        Args:
            paid: what their deals have paid so far, by seat; None: nothing.

        Raises:
            ValueError: for other numbers of games or rules, or for what are no games in play.
        """
        games = check_games(games, self.rules.code)
        if len(games) != self.num_games:
            raise ValueError(f"games: {self.num_games} are wanted, not {len(games)}")
        if paid is not None and (paid.shape != self.paid.shape or paid.dtype.kind not in "iu"):
            raise ValueError(f"paid: int{self.paid.shape} is wanted, not {paid.dtype}{paid.shape}")
        self.games[:] = games
        self.paid[:] = 0 if paid is None else paid
        self.reward[:] = 0
        self.done[:] = False
        self._share(_look, ())
        return self._now()

    def views(self) -> np.ndarray:
        """Views ``GAME_DTYPE[B]`` of the seats to move: what agents act on."""
        return views(self.games, self.to_move)

    def step(self, actions: np.ndarray) -> Step:
        """Take one action ``int[B]`` in every game.

        Raises:
            ValueError: if one is illegal; it lists the legal ones, and no game has changed.
        """
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise ValueError(f"actions: whole numbers are wanted, not {actions.dtype}")
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (self.num_games,):
            raise ValueError(f"actions: shape ({self.num_games},) is wanted, not {actions.shape}")
        bad = int(_illegal(self.legal, actions))
        if bad != NONE:
            legal = describe_actions(actions_of(self.legal[bad]))
            raise ValueError(f"game {bad}: action {actions[bad]} is not legal; {legal}")
        self._share(
            _step,
            (actions,),
            (self._win, self._decided, self.paid),
            (self.reward, self.done, self.scores),
        )
        return self._now()

    def _share(self, kernel: Any, before: Any, middle: Any = (), after: Any = ()) -> None:
        for name, size, kind in (
            ("observation", self.layout.size, np.float32),
            ("action_mask", NUM_ACTIONS, np.int8),
        ):
            array = getattr(self, name)
            if array.shape != (self.num_games, size) or array.dtype != kind:
                raise ValueError(f"{name}: {np.dtype(kind)}[{self.num_games}, {size}] is wanted")
        seen = (self.legal, self.to_move, self.action_mask, self.observation)
        rest = (*before, self._full, *middle, *seen, *after)
        parts = [(self.games, lo, hi, *rest) for lo, hi in self._parts]
        waiting = [
            pool.submit(kernel, *part) for pool, part in zip(self._pools, parts[1:], strict=True)
        ]
        kernel(*parts[0])
        for part in waiting:
            part.result()

    def _now(self) -> Step:
        return Step(self.observation, self.action_mask, self.to_move, self.reward, self.done)
