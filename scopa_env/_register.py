"""The environments' names in the registries of Gymnasium and PettingZoo. Cheap to import."""

from __future__ import annotations

import sys

__all__ = ["gymnasium_environments", "pettingzoo_environments", "register"]

GYMNASIUM_ID = "Scopa-v0"
PETTINGZOO_ID = "scopa_v0"


def gymnasium_environments() -> None:
    """Register ``Scopa-v0`` with Gymnasium, once."""
    import gymnasium

    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(id=GYMNASIUM_ID, entry_point="scopa_env.gym:ScopaEnv")


def pettingzoo_environments() -> None:
    """Register ``scopa_v0`` with PettingZoo, once, where it has a registry (from 1.27)."""
    import pettingzoo

    register = getattr(pettingzoo, "register", None)
    registry = getattr(pettingzoo, "aec_registry", None)
    if register is None or registry is None:
        return
    if PETTINGZOO_ID.replace("_v", "-v") not in registry:
        register("aec", PETTINGZOO_ID, entry_point="scopa_env.scopa_v0:env")


def register() -> None:
    """Register with Gymnasium, and with PettingZoo if that is imported already."""
    gymnasium_environments()
    if "pettingzoo" in sys.modules:
        pettingzoo_environments()
