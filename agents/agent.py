"""What an agent is, and how one is made from a line of text."""

from __future__ import annotations

import importlib
import inspect
import os
import typing
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from scopa_env.rules import Rules

__all__ = ["AGENTS", "Agent", "describe_agents", "make"]


class Agent(Protocol):
    """A player: a batch of views in, one action for each out.

    An agent keeps nothing between two calls: all it may use is in the view. The same agent may
    sit on several seats, and a single decision is a batch of one. It moves by touching cards
    (see :mod:`scopa_env.game`): in a move under way the view's ``touched`` and ``chosen`` say
    what has been touched so far, and :func:`scopa_env.game.move_to_touch` gives the next touch
    of a whole move.

    Attributes:
        name: what reports call the agent; :func:`make` puts the text it was made from here.
        sees_everything: whether it is handed whole games instead of views. Only players that
            are meant as an upper bound set it, and every report marks them.
    """

    name: str
    sees_everything: bool = False

    def act(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose an action in each of B games.

        Args:
            views: ``GAME_DTYPE[B]``, contiguous; in each the viewer is the seat to move. Whole
                games, viewer -1, for an agent that sees everything. The array is the agent's own
                to write to.
            rng: the only source of randomness to use.

        Returns:
            ``int64[B]``: actions 0..40, each legal for the seat ``to_move`` of its view.
        """
        ...


#: Agents by name: where the factory is, ``module:name``, and a line on how it plays. The
#: factory's parameters are the agent's options; one called ``rules`` is given the rules.
AGENTS: dict[str, tuple[str, str]] = {
    "random": ("agents.random:RandomAgent", "any legal action, all equally likely"),
    "greedy": ("agents.greedy:GreedyAgent", "a scopa, else a safe and valuable capture"),
}


def check_views(views: Any) -> None:
    """Raise TypeError for what is no batch of views."""
    from scopa_env.game import GAME_DTYPE  # compiled kernels wait until somebody plays

    if not isinstance(views, np.ndarray) or views.dtype != GAME_DTYPE or views.ndim != 1:
        raise TypeError(
            "an agent acts on views, an array GAME_DTYPE[B] such as VectorGame.views() or "
            f"scopa_env.view.views(games, seats), not on {type(views).__name__}"
        )


def make(spec: str, rules: Rules | str | None = None) -> Agent:
    """Make an agent from text.

    Args:
        spec: ``"greedy"``, ``"name:option=value,option2=value"``, or the path of a checkpoint
            (its folder or its ``.safetensors`` file).
        rules: the rules it is going to play by. Rule agents play by any; a network refuses rules
            that it cannot play. None: not known yet.

    Raises:
        ValueError: for an unknown agent, option or value (the message lists the known ones), a
            path where nothing is, or a checkpoint that does not fit.
    """
    rules = None if rules is None else Rules.of(rules)
    name, _, options = spec.partition(":")
    if name in AGENTS:
        factory = _factory(name)
        agent: Agent = factory(**_parse_options(name, factory, options, rules))
        agent.name = spec
        return agent
    if os.path.exists(spec):
        from agents.checkpoint import load_agent

        loaded: Agent = load_agent(spec, rules)
        return loaded
    if "/" in spec or os.sep in spec:
        raise ValueError(f"agent {spec!r}: there is no checkpoint at this path")
    raise ValueError(
        f"agent {spec!r}: the known agents are {', '.join(AGENTS)}, and paths of checkpoints"
    )


def describe_agents() -> str:
    """The known agents with their options and defaults, a line each."""
    lines = []
    for name, (_, meaning) in AGENTS.items():
        options = _options(_factory(name))
        shown = ",".join(
            f"{option}={'...' if item.default is item.empty else item.default}"
            for option, item in options.items()
        )
        lines.append(f"{name}{':' if shown else ''}{shown}  {meaning}")
    return "\n".join(lines)


def _factory(name: str) -> Callable[..., Any]:
    module, _, attribute = AGENTS[name][0].partition(":")
    return getattr(importlib.import_module(module), attribute)


def _options(factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(factory).parameters
    return {name: item for name, item in parameters.items() if name != "rules"}


def _parse_options(
    name: str, factory: Callable[..., Any], text: str, rules: Rules | None
) -> dict[str, Any]:
    """Keyword arguments for a factory out of ``option=value,option2=value``."""
    known = _options(factory)
    target = factory.__init__ if inspect.isclass(factory) else factory
    types = typing.get_type_hints(target)
    arguments: dict[str, Any] = {}
    if "rules" in inspect.signature(factory).parameters:
        arguments["rules"] = rules
    for part in filter(None, text.split(",")):
        option, equals, value = part.partition("=")
        if option not in known:
            listed = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"agent {name!r} has no option {option!r}; {listed}")
        if not equals:
            raise ValueError(f"agent {name!r}: a value is wanted, as in {option}=...")
        if option in arguments:
            raise ValueError(f"agent {name!r}: option {option} is given twice")
        arguments[option] = _parse_value(f"agent {name!r}: {option}", types[option], value)
    for option, item in known.items():
        if option not in arguments and item.default is item.empty:
            raise ValueError(f"agent {name!r}: option {option} has no default; give {option}=...")
    return arguments


def _parse_value(what: str, kind: type, text: str) -> Any:
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{what}={text!r}: allowed are true, false")
        return text.lower() == "true"
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise ValueError(f"{what}={text!r}: {wanted} is wanted") from None
