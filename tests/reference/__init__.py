"""A slow, plain second implementation of scopa, written from the rules text alone.

Cards are text ("7D", "10C"), sets of cards are frozensets, and captures are found by trying
every subset of the table that is not too large. It exists to check a fast engine move by move.
"""

from .game import (
    DECK,
    PRESETS,
    SEATS,
    ReferenceGame,
    deck_of,
    hand_bonus,
    legal_captures,
    next_dealer,
    opening,
    rank,
    rules,
    suit,
)
from .scoring import coin_runs, match_over, napola, primiera, score_deal

__all__ = [
    "DECK",
    "PRESETS",
    "SEATS",
    "ReferenceGame",
    "coin_runs",
    "deck_of",
    "hand_bonus",
    "legal_captures",
    "match_over",
    "napola",
    "next_dealer",
    "opening",
    "primiera",
    "rank",
    "rules",
    "score_deal",
    "suit",
]
