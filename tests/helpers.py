"""What several test modules share: cards between the engine and the reference, random deals and
random play, comparison of records, and a clean subprocess."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import reference

from scopa_env import CARDS, PRESETS, Game, Rules
from scopa_env.game import DONE, GAME_DTYPE

ROOT = Path(__file__).resolve().parents[1]
NAMES = [str(card) for card in CARDS]
#: The presets that are played with all 40 cards.
WHOLE_DECK = [preset for preset in PRESETS if Rules.preset(preset).deck_size == len(NAMES)]


def names(bits: Any) -> frozenset[str]:
    """A 40-bit set of cards as the texts the reference uses."""
    return _names(int(bits))


@lru_cache(100_000)
def _names(bits: int) -> frozenset[str]:
    return frozenset(NAMES[i] for i in range(40) if bits >> i & 1)


def number(name: str) -> int:
    """The index of a card, worked out without the engine."""
    return 4 * (int(name[:-1]) - 1) + "DCSB".index(name[-1])


def bits(cards: Any) -> int:
    """Texts as a 40-bit set of cards, worked out without the engine."""
    return sum(1 << number(name) for name in cards)


def other_cards(*places: str) -> list[str]:
    """The cards of the full deck that lie in none of these places, texts such as ``"7D 8C"``."""
    used = set(" ".join(places).split())
    return [name for name in NAMES if name not in used]


def shuffled(rng: random.Random, rules: Rules) -> list[str]:
    """The deck of some rules in random order."""
    deck = [name for name in NAMES if int(name[:-1]) <= rules.ranks]
    deck = [name for name in deck if "DCSB".index(name[-1]) < rules.suits]
    rng.shuffle(deck)
    return deck


def reference_rules(rules: Rules) -> dict[str, Any]:
    """The reference's record of the same rules: its preset's, with all that ours says."""
    record = dict(reference.PRESETS.get(rules.name, reference.PRESETS["scopa"]))
    record.update((key, value) for key, value in rules.to_dict().items() if key in record)
    return record


def same(a: Any, b: Any) -> bool:
    """Whether two records agree in every field."""
    return all(np.array_equal(a[name], b[name]) for name in GAME_DTYPE.names)


def snapshot(game: Game) -> bytes:
    """Every field of a game's record as bytes."""
    return b"".join(np.asarray(game.record[name]).tobytes() for name in GAME_DTYPE.names)


def random_touch(game: Game, rng: random.Random) -> int:
    """Touch something legal at random; return what."""
    action = rng.choice(game.legal_actions())
    game.act(action)
    return action


def random_play(game: Game, rng: random.Random) -> Game:
    """Play a game on to its end at random."""
    while not game.is_over:
        random_touch(game, rng)
    return game


def touch_name(action: int) -> str:
    """An action as the reference spells it."""
    return "done" if action == DONE else NAMES[action]


def run_python(code: str, *arguments: str, **environment: str) -> str:
    """What a fresh Python, with warnings as errors, prints for a program."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
