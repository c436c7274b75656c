"""A small random generator whose state lives inside a game record.

sfc32 (Chris Doty-Humphrey, PractRand): three words and a counter of 32 bits; additions, shifts
and xor only, so that compiled code and plain Python agree to the bit.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from scopa_env._jit import jit

__all__ = ["agents_generator", "below", "fresh_states", "next_word", "seed_words", "start_stream"]

WORD = 0xFFFFFFFF


@jit
def next_word(state: Any) -> Any:
    """The next 32 random bits of ``state`` (``uint32[4]``) as an integer."""
    a, b = np.int64(state[0]), np.int64(state[1])
    c, counter = np.int64(state[2]), np.int64(state[3])
    word = (a + b + counter) & WORD
    state[0] = b ^ (b >> 9)
    state[1] = (c + (c << 3)) & WORD
    state[2] = (((c << 21) & WORD) | (c >> 11)) + word & WORD
    state[3] = (counter + 1) & WORD
    return word


@jit
def below(state: Any, n: Any) -> Any:
    """A random integer 0..n-1; its bias is below n / 2**32."""
    return (next_word(state) * n) >> 32


@jit
def start_stream(state: Any, words: Any, stream: Any) -> None:
    """Start stream number ``stream`` of a seed in ``state``: streams of a seed are independent."""
    state[0] = words[0]
    state[1] = words[1]
    state[2] = stream & WORD
    state[3] = 1
    for _ in range(16):
        next_word(state)


def agents_generator(*words: int) -> np.random.Generator:
    """A generator for agents to draw with, out of whole numbers.

    Agents can read its state and how it was seeded. It is seeded through a one-way function, so
    that this says nothing of the cards, though both come from one seed.
    """
    text = " ".join(map(str, words)).encode()
    digest = hashlib.blake2b(text, digest_size=32, person=b"scopa agents").digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def seed_words(seed: int | None) -> np.ndarray:
    """``uint32[2]`` out of a seed (any integer from 0), or out of the system's entropy for None.

    Raises:
        ValueError: for a seed that is no integer, or below 0.
    """
    if seed is not None:
        try:
            seed = seed.__index__()
        except AttributeError:
            raise ValueError(f"seed={seed!r}: a whole number from 0 is wanted, or None") from None
        if seed < 0:
            raise ValueError(f"seed={seed}: a whole number from 0 is wanted, or None")
    return np.random.SeedSequence(seed).generate_state(2)


def fresh_states(seed: int | None, count: int) -> np.ndarray:
    """``uint32[count, 4]``: generators for streams 0..count-1 of a seed."""
    states = np.zeros((count, 4), np.uint32)
    words = seed_words(seed)
    for stream in range(count):
        start_stream(states[stream], words, stream)
    return states
