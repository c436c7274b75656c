"""One seat of a scopa table as a Gymnasium environment; other players sit on the other seats.

    import gymnasium
    import scopa_env

    env = gymnasium.make("Scopa-v0", rules="scopa", opponent="greedy")
    observation, info = env.reset(seed=7)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, over, _, info = env.step(action)

Opponents by name come from packages that offer some; :data:`opponents` and the entry point group
``scopa_env.opponents`` are how they do.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from scopa_env._episode import RENDER_MODES, Episode, choice, observation_space
from scopa_env._random import agents_generator
from scopa_env._register import gymnasium_environments
from scopa_env.face import Game
from scopa_env.game import NONE, NUM_ACTIONS
from scopa_env.render import draw
from scopa_env.rules import Rules
from scopa_env.view import views

__all__ = ["ScopaEnv", "find_opponent", "opponents"]

#: Opponents by name, for programs that bring their own: ``opponents["mine"] = make`` with
#: ``make(spec, rules)`` returning an opponent. Looked up by what stands before the first colon.
opponents: dict[str, Callable[[str, Rules], Any]] = {}

GROUP = "scopa_env.opponents"  # entry points: functions make(spec, rules) -> opponent


def find_opponent(spec: str, rules: Rules) -> Any:
    """The opponent that a text such as ``"greedy"`` or ``"name:option=value"`` means.

    ``"random"`` needs nobody. Then :data:`opponents` is asked, then each installed package with
    an entry point in the group ``scopa_env.opponents``: a function ``make(spec, rules)`` that
    returns an opponent or raises ValueError.

    Raises:
        ValueError: if nobody knows it; the message says who was asked.
    """
    name = spec.partition(":")[0]
    if spec == "random":
        return None
    if name in opponents:
        return opponents[name](spec, rules)
    refusals = []
    for entry in entry_points(group=GROUP):
        try:
            return entry.load()(spec, rules)
        except (ImportError, AttributeError, ValueError) as problem:
            refusals.append(f"{entry.value}: {problem}")
    if not refusals:
        refusals.append(f"no installed package offers opponents (entry point group {GROUP})")
    known = ", ".join(map(repr, ["random", *opponents]))
    raise ValueError(f"opponent={spec!r}: known here are {known}; {'; '.join(refusals)}")


class ScopaEnv(gymnasium.Env[dict[str, np.ndarray], int]):
    """One seat at the table: the others play inside :meth:`reset` and :meth:`step`.

    Args:
        rules: Rules, the name of a preset, or a dict of fields.
        opponent: who plays the other seats, partners included. None: any legal action, all
            equally likely. A text: see :func:`find_opponent`. An agent: an object with
            ``act(views, rng)``, or a function of these two, that gets ``GAME_DTYPE[1]``, the
            view of the seat to move (see :mod:`scopa_env.view`), and a generator, and returns
            one action ``int[1]``; it is handed the whole game only if it declares
            ``sees_everything = True``. Or a list of such, one for each other seat in playing
            order from the one after yours.
        seat: your seat; None: drawn at each reset.
        episode: ``"deal"``, or ``"match"``: deals up to ``rules.target``; level at the top
            plays on, and the deal passes to the next seat.
        reward: ``"points"``: when a deal ends, your side's points less those of the best other
            side; 0 otherwise. ``"win"``: +1, 0 or -1, the sign of that; in a match once, when
            the match ends.
        observation: ``"full"`` or ``"raw"``, see :mod:`scopa_env.observation`.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` (prints after each step) or None.

    Attributes:
        seat: your seat in this episode; layout: the Layout that names an observation's slices.

    Raises:
        ValueError: for rules, or a value, that there are not; it says what is allowed.

    The spaces are those of :class:`scopa_env.scopa_v0.raw_env`: actions ``Discrete(41)``,
    observations a dict of ``observation`` ``float32[layout.size]`` and ``action_mask``
    ``int8[41]``, 1 for a legal action, all 0 once the episode is over. The mask is in
    ``info["action_mask"]`` as well, and :meth:`action_masks` gives it to sb3-contrib. ``info``
    also has ``seat`` and, from the end of the first deal on, ``scores`` (of the last finished
    deal, by side, a dict of the points by category and their ``total``), ``match_scores`` (by
    side) and ``deals``. Episodes end; they are never cut short.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Any = "scopa",
        opponent: Any = None,
        seat: int | None = None,
        episode: str = "deal",
        reward: str = "points",
        observation: str = "full",
        render_mode: str | None = None,
    ) -> None:
        choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode = render_mode
        self._episode = Episode(rules, episode, reward, observation)
        self.rules = self._episode.rules
        self.layout = self._episode.layout
        self._fixed_seat = None if seat is None else self._check_seat(seat)
        self.seat = self._fixed_seat or 0
        self._others = self._make_others(opponent)
        self._at: dict[int, Any] = {}  # opponents by seat, None for one that plays at random
        self.action_space: Any = spaces.Discrete(NUM_ACTIONS)
        self.observation_space: Any = observation_space(self.layout)

    def _check_seat(self, seat: Any) -> int:
        choice("seat", seat, range(self.rules.players))
        return int(seat)

    def _make_others(self, opponent: Any) -> list[Any]:
        """One opponent for each other seat, in playing order; None plays at random."""
        number = self.rules.players - 1
        if isinstance(opponent, (list, tuple)):
            if len(opponent) != number:
                raise ValueError(
                    f"opponent: {number} are wanted, one for each other seat, not {len(opponent)}"
                )
            return [self._make_other(one) for one in opponent]
        return [self._make_other(opponent)] * number

    def _make_other(self, opponent: Any) -> Any:
        if isinstance(opponent, str):
            opponent = find_opponent(opponent, self.rules)
        if opponent is not None and not callable(getattr(opponent, "act", opponent)):
            raise ValueError(
                f"opponent={opponent!r}: wanted are None, a name, an agent with "
                "act(views, rng), a function of these two, or a list of such"
            )
        return opponent

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin an episode and play on to your first turn.

        Args:
            seed: any integer from 0: the cards and the dealer of ``Game.deal(rules, seed)``,
                and the random choices (your seat, the opponents') that go with it. None: the
                next deal of the stream that an earlier seed began, the seat after the last
                dealer dealing; out of the system's entropy if there was no seed.
            options: ``seat``: yours in this episode; ``dealer``: the seat that deals;
                ``scores``: points of the match so far, by side; ``deck``: fixes the deal as for
                ``Game.deal``. Other keys are ignored.

        Returns:
            The observation and the info.

        Raises:
            ValueError: for a bad value of a known option.
        """
        super().reset(seed=seed)
        wanted = (options or {}).get("seat")
        if wanted is not None:
            self.seat = self._check_seat(wanted)
        elif self._fixed_seat is not None:
            self.seat = self._fixed_seat
        else:
            self.seat = int(self.np_random.integers(self.rules.players))
        seats = [(self.seat + 1 + k) % self.rules.players for k in range(len(self._others))]
        self._at = dict(zip(seats, self._others, strict=True))
        robots = sum(1 << seat for seat, other in self._at.items() if other is None)
        dice = self.np_random.integers(0, 1 << 32, 4, np.uint32)
        self._others_rng = agents_generator(*self.np_random.integers(0, 1 << 32, 4).tolist())
        self._episode.watch(self.seat, robots, dice)
        self._episode.begin(seed, options)
        self._let_others_play()
        if self.render_mode == "human":
            self.render()
        return self._episode.look(), self._info()

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Take an action and play on to your next turn, or to the end.

        Returns:
            Observation, reward, whether the episode is over, False, and the info.

        Raises:
            ValueError: if it is not legal; the message lists what is, and nothing has changed.
                Or if an opponent answers with what is not legal.
        """
        if self._episode.to_move not in (self.seat, NONE):
            raise ValueError("it is not your turn, since an opponent failed: reset() begins anew")
        self._episode.act(action)
        reward = int(self._episode.reward[self.seat])
        if self._episode.to_move not in (self.seat, NONE):
            reward += self._let_others_play()
        if self.render_mode == "human":
            self.render()
        over = self._episode.to_move == NONE
        return self._episode.look(), float(reward), over, False, self._info()

    def _let_others_play(self) -> int:
        """Ask the opponents until it is your turn or the episode is over; what that paid you."""
        reward = 0
        episode = self._episode
        while episode.to_move not in (self.seat, NONE):
            seat = episode.to_move
            other = self._at[seat]
            whole = getattr(other, "sees_everything", False)
            seen = episode.games.copy() if whole else views(episode.games, seat)
            answer = np.asarray(getattr(other, "act", other)(seen, self._others_rng))
            if answer.size != 1:
                raise ValueError(f"the opponent on seat {seat} answered {answer!r}, not one action")
            action = answer.reshape(-1)[0]
            try:
                episode.act(action)
            except ValueError:  # which lists the opponent's cards
                raise ValueError(
                    f"the opponent on seat {seat} answered {action}, which is not legal"
                ) from None
            reward += int(episode.reward[self.seat])
        return reward

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._episode.mask.copy(),
            "seat": self.seat,
            **self._episode.report(),
        }

    def action_masks(self) -> np.ndarray:
        """``bool[41]``: the legal actions, as sb3-contrib's MaskablePPO asks for them."""
        return self._episode.mask.astype(np.bool_)

    @property
    def game(self) -> Game:
        """A copy of the game as it stands, hidden cards and all, for tests and tools."""
        return self._episode.game

    def render(self) -> Any:
        """Draw the table for people who watch: all hands lie open.

        Returns:
            Text for ``"ansi"``; ``uint8[height, width, 3]``, always of the same size, for
            ``"rgb_array"``; None for ``"human"``, which prints the text.
        """
        return draw(self.game, self.render_mode, "Scopa-v0")


gymnasium_environments()
