"""scopa_env: scopa, Italy's card game, as a game engine and reinforcement learning environment.

    from scopa_env import Rules, Game, legal_captures, scopa_v0

Importing this package is cheap: each name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from scopa_env._register import register

__version__ = "0.1.0"

if TYPE_CHECKING:
    from scopa_env import scopa_v0
    from scopa_env.cards import CARDS, Card, Cards
    from scopa_env.face import Game, Match, Move, hand_bonus, legal_captures, primiera, score_deal
    from scopa_env.observation import Layout
    from scopa_env.rules import PRESETS, Rules
    from scopa_env.vector import VectorGame
    from scopa_env.view import sample_game

_HOME = {
    "CARDS": "cards",
    "Card": "cards",
    "Cards": "cards",
    "Game": "face",
    "Match": "face",
    "Move": "face",
    "hand_bonus": "face",
    "legal_captures": "face",
    "primiera": "face",
    "score_deal": "face",
    "Layout": "observation",
    "PRESETS": "rules",
    "Rules": "rules",
    "VectorGame": "vector",
    "sample_game": "view",
}

__all__ = [
    "CARDS",
    "PRESETS",
    "Card",
    "Cards",
    "Game",
    "Layout",
    "Match",
    "Move",
    "Rules",
    "VectorGame",
    "hand_bonus",
    "legal_captures",
    "primiera",
    "sample_game",
    "scopa_v0",
    "score_deal",
]


def __getattr__(name: str) -> Any:
    if name == "scopa_v0":
        return importlib.import_module("scopa_env.scopa_v0")
    if name in _HOME:
        return getattr(importlib.import_module(f"scopa_env.{_HOME[name]}"), name)
    raise AttributeError(f"module 'scopa_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


register()
