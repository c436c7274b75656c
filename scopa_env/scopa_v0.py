"""Scopa as a PettingZoo AEC environment.

    from scopa_env import scopa_v0

    env = scopa_v0.env(rules="scopone")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None
        if not (termination or truncation):
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

``player_i`` sits on seat i; seats are numbered in playing order, partners sit opposite. An action
touches a card (0..39) or says done (40), see :mod:`scopa_env.game`; nearly every move is one
action, and a player that has to choose what to take is simply to move again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from scopa_env._episode import RENDER_MODES, Episode, choice, observation_space
from scopa_env._register import gymnasium_environments, pettingzoo_environments
from scopa_env.cards import NUM_CARDS
from scopa_env.face import Game
from scopa_env.game import NUM_ACTIONS
from scopa_env.observation import Field, Layout, observe
from scopa_env.render import draw
from scopa_env.view import views

__all__ = ["env", "raw_env"]


def env(**kwargs: Any) -> AECEnv[str, dict[str, np.ndarray], int]:
    """The environment in PettingZoo's usual wrappers; arguments as for :class:`raw_env`.

    From the inside out: TerminateIllegalWrapper (an illegal action ends the episode and pays the
    seat that tried it -1, the others nothing), AssertOutOfBoundsWrapper, OrderEnforcingWrapper.
    They take most of the time: to go fast use ``raw_env`` or :class:`scopa_env.VectorGame`.
    """
    wrapped: Any = wrappers.TerminateIllegalWrapper(raw_env(**kwargs), illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv[str, dict[str, np.ndarray], int], EzPickle):
    """The environment without wrappers.

    Args:
        rules: Rules, the name of a preset, or a dict of fields.
        episode: ``"deal"``: one deal; ``"match"``: deals up to ``rules.target``; level at the
            top plays on, and the deal passes to the next seat.
        reward: ``"points"``: when a deal ends each seat gets its side's points less those of the
            best other side (two sides: the sum is zero; partners get the same). ``"win"``:
            +1, 0 or -1, the sign of that; in a match once, when the match ends.
        observation: ``"full"`` or ``"raw"``, see :mod:`scopa_env.observation`.
        render_mode: ``"ansi"``: :meth:`render` returns text; ``"rgb_array"``: an image;
            ``"human"``: the text is printed after each step; None: no rendering.

    Attributes:
        layout: the Layout that names the slices of an observation.
        state_space: the Box of :meth:`state`; state_fields: its slices, a list of Field.

    Raises:
        ValueError: for rules, or a value, that there are not; it says what is allowed.

    Every seat has the same spaces. An observation is a dict of two fresh arrays:
    ``observation`` ``float32[layout.size]``, seen from the seat, with nothing in it that the
    seat cannot see; and ``action_mask`` ``int8[41]``, 1 for a legal action, all 0 unless the
    seat is to move. ``infos`` are empty until a deal has ended; then they hold what
    everybody may know of it: ``scores`` (by side, a dict of the points by category and their
    ``total``), ``match_scores`` (by side) and ``deals`` (finished in this episode).
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "scopa_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Any = "scopa",
        episode: str = "deal",
        reward: str = "points",
        observation: str = "full",
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(self, rules, episode, reward, observation, render_mode)
        super().__init__()
        choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode = render_mode
        self._episode = Episode(rules, episode, reward, observation)
        self.rules = self._episode.rules
        self.layout = self._episode.layout
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: observation_space(self.layout) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        self._raw_layout = Layout(self.rules, "raw")
        self.state_fields = _state_fields(self._raw_layout)
        high = np.ones(self.state_fields[-1].slice.stop, np.float32)
        raw_space: Any = observation_space(self._raw_layout)["observation"]
        high[: self._raw_layout.size] = raw_space.high
        high[self.state_fields[-1].slice] = high[self._raw_layout["match"]].max()
        self.state_space = spaces.Box(np.zeros_like(high), high, dtype=np.float32)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._paid = False

    def __getstate__(self) -> dict[str, Any]:
        return {**EzPickle.__getstate__(self), "now": self.__dict__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        EzPickle.__setstate__(self, state)
        self.__dict__.update(state["now"])  # goes on where it was

    def view(self, agent: str) -> np.ndarray:
        """The view ``GAME_DTYPE[1]`` of an agent: what :mod:`agents` act on."""
        return views(self._episode.games, self._seats[agent])

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """A Dict of ``observation``, Box ``float32[layout.size]``, and ``action_mask``."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """``Discrete(41)``: 0..39 touch a card, 40 says done."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: any integer from 0: the cards and the dealer of ``Game.deal(rules, seed)``.
                None: the next deal of the stream that an earlier seed began, the seat after the
                last dealer dealing; out of the system's entropy if there was no seed.
            options: ``dealer``: the seat that deals; ``scores``: points of the match so far, by
                side; ``deck``: fixes the deal as for ``Game.deal``. Other keys are ignored.

        Raises:
            ValueError: for a bad seed or a bad value of a known option; nothing has changed.
        """
        self._episode.begin(seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._episode.to_move]
        self._skip_agent_selection = None
        self._paid = False
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Take an action of the agent to move, or None for one whose episode is over.

        Raises:
            ValueError: if it is not legal; the message lists what is, and nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        episode = self._episode
        deal_ended = episode.act(action)
        if self._paid:
            self._clear_rewards()
        self._paid = deal_ended
        self._cumulative_rewards[agent] = 0.0
        if deal_ended:
            self._pay()
        if episode.to_move >= 0:
            self.agent_selection = self.possible_agents[episode.to_move]
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[(self._seats[agent] + 1) % len(self.agents)]
        if self.render_mode == "human":
            self.render()

    def _pay(self) -> None:
        """Hand out what the deal that has just ended is worth."""
        for agent in self.agents:
            self.rewards[agent] = float(self._episode.reward[self._seats[agent]])
            self.infos[agent] = self._episode.report()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now, in fresh arrays; at any time after reset, also at the end."""
        seat = self._seats[agent]
        if seat == self._episode.to_move:
            return self._episode.look()
        return self._episode.look_from(seat)

    def state(self) -> np.ndarray:
        """Everything on and around the table but the order of the stock, for central critics.

        Returns:
            ``float32[N]``, cut by ``state_fields``: the ``"raw"`` observation of player_0, then
            the hands of the other players, the cards touched by the one to move, who that is,
            and the points of the match by side / target.
        """
        game = self._episode.games[0]
        state = np.zeros(self.state_space.shape, np.float32)
        state[: self._raw_layout.size] = observe(game, 0, self._raw_layout)
        fields = {field.name: field.slice for field in self.state_fields}
        for seat, agent in enumerate(self.possible_agents[1:], start=1):
            state[fields[f"hand_{agent}"]] = _as_numbers(game["hand"][seat])
        if self._episode.to_move >= 0:
            state[fields["to_move"].start + self._episode.to_move] = 1
            if game["touched"] >= 0:
                state[fields["touched_by_mover"]] = _as_numbers(game["chosen"])
                state[fields["touched_by_mover"].start + game["touched"]] = 1
        scores = game["match_scores"][: self.rules.num_sides]
        state[fields["match_by_side"]] = scores / self.rules.target
        return state

    @property
    def game(self) -> Game:
        """A copy of the game as it stands, hidden cards and all, for tests and tools."""
        return self._episode.game

    def render(self) -> str | np.ndarray | None:
        """Draw the table for people who watch: all hands lie open.

        Returns:
            Text for ``"ansi"``; ``uint8[height, width, 3]``, always of the same size, for
            ``"rgb_array"``; None for ``"human"``, which prints the text.
        """
        return draw(self.game, self.render_mode, "scopa_v0")

    def close(self) -> None:
        """Nothing to release."""


def _state_fields(layout: Layout) -> list[Field]:
    """The slices of the state."""
    fields = list(layout)
    rules = layout.rules
    rest = [
        *(
            (f"hand_player_{seat}", NUM_CARDS, f"by card: 1 if player_{seat} holds it")
            for seat in range(1, rules.players)
        ),
        ("touched_by_mover", NUM_CARDS, "by card: 1 if touched in the move under way"),
        ("to_move", rules.players, "1 at the player to move"),
        ("match_by_side", rules.num_sides, "points of the match / target, by side"),
    ]
    for name, size, meaning in rest:
        fields.append(Field(name, fields[-1].slice.stop, size, meaning))
    return fields


def _as_numbers(bits: Any) -> np.ndarray:
    """A set of cards as 40 numbers 0 or 1."""
    return (np.int64(bits) >> np.arange(NUM_CARDS)) & 1


gymnasium_environments()
pettingzoo_environments()
