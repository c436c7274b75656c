"""Means and shares with their 95% intervals.

Values given to these functions must be independent of each other: deals are, the games of one
deal are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

__all__ = [
    "CONFIDENCE",
    "Estimate",
    "mean_interval",
    "paired_interval",
    "share_interval",
    "wilson_interval",
]

CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """An estimate: its value, its interval ``low`` to ``high``, and of how many values."""

    mean: float
    low: float
    high: float
    size: int

    @property
    def half_width(self) -> float:
        """Half the length of the interval: the number after the plus-minus sign."""
        return (self.high - self.low) / 2

    @property
    def interval(self) -> tuple[float, float]:
        """``(low, high)``."""
        return self.low, self.high


def mean_interval(values: Sequence[float] | np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """The mean of independent values with Student's t interval.

    One value alone tells nothing of the spread: its interval is infinite.

    Raises:
        ValueError: for no value at all.
    """
    values = np.asarray(values, np.float64)
    count = values.size
    if count == 0:
        raise ValueError("values: at least one is wanted")
    mean = float(values.mean())
    if count == 1:
        return Estimate(mean, -inf, inf, 1)
    quantile = float(stdtrit(count - 1, (1 + confidence) / 2))
    half = quantile * float(values.std(ddof=1)) / sqrt(count)
    return Estimate(mean, mean - half, mean + half, count)


def share_interval(values: Sequence[float] | np.ndarray) -> Estimate:
    """:func:`mean_interval` of shares, cut at 0 and 1. Raises ValueError for no value."""
    found = mean_interval(values)
    return found._replace(low=max(0.0, found.low), high=min(1.0, found.high))


def paired_interval(
    first: Sequence[float] | np.ndarray,
    second: Sequence[float] | np.ndarray,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The mean of ``first - second`` where value i of both comes from the same deal.

    Raises:
        ValueError: if there are not as many of one as of the other, or none.
    """
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if first.shape != second.shape:
        raise ValueError(f"pairs are wanted, not {first.size} and {second.size} values")
    return mean_interval(first - second, confidence)


def wilson_interval(successes: int, count: int, confidence: float = CONFIDENCE) -> Estimate:
    """A share of independent trials with Wilson's score interval.

    Good for any count and share, 0 and 1 included, unlike the usual plus-minus.

    Raises:
        ValueError: unless ``0 <= successes <= count`` and ``count`` is at least 1.
    """
    if count < 1 or not 0 <= successes <= count:
        raise ValueError(f"successes={successes}, count={count}: 0 <= successes <= count is wanted")
    share = successes / count
    z = float(ndtri((1 + confidence) / 2))
    shrink = 1 + z * z / count
    centre = (share + z * z / (2 * count)) / shrink
    half = z / shrink * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half), count)
