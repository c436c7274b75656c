"""Who plays: agents take views of games and give actions.

    from agents import make
    agent = make("greedy")
    actions = agent.act(views, rng)

Importing this package is cheap: an agent's own module is loaded when the agent is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.agent import AGENTS, Agent, make

__all__ = ["AGENTS", "Agent", "make"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from agents import agent

        return getattr(agent, name)
    raise AttributeError(f"module 'agents' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
