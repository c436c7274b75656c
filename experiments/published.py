"""Published results, measured again: ``python -m experiments.published --table seats``.

``seats``: Di Palma and Lanzi, "Traditional Wisdom and Monte Carlo Tree Search Face-to-Face in
the Card Game Scopone" (IEEE Transactions on Games 10(3), 2018, arXiv 1807.06813): how often the
dealer's side (*deck*) and the side that leads (*hand*) win a deal of scopone when all four play
at random.

Here each deal is played once and deals are independent. Theirs were 1,000 fixed decks played
many times over, and decks differ, so their figures are less sure than the interval printed with
them. How much less is measured by playing such a sample here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Annotated, Literal, NamedTuple

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from agents.agent import Agent, make
from experiments.match import IllegalAction, play_deals
from experiments.statistics import Estimate, mean_interval, wilson_interval
from scopa_env.rules import Rules

__all__ = ["PUBLISHED_SEATS", "SeatRow", "main", "measure_seats"]

SEATS_RULES = "scopone"
#: Share of deals won by either side, and the interval printed with it, if there is one.
PUBLISHED_SEATS = {
    "deck wins": (0.457, (0.453, 0.461)),
    "hand wins": (0.417, (0.413, 0.421)),
    "tie": (0.126, None),
}
PUBLISHED_DECKS = 1000
PLAYS_OF_A_DECK = 60  # the printed intervals are those of about 60,000 games


class SeatRow(NamedTuple):
    """One result of the seats table.

    ``published`` and ``interval`` as printed; ``ours``: the share measured here with its 95%
    interval; ``spread``: half width of the 95% interval of a sample of as few decks as theirs;
    ``agrees``: whether the two shares differ by no more than such samples do.
    """

    name: str
    published: float
    interval: tuple[float, float] | None
    ours: Estimate
    spread: float
    agrees: bool


def measure_seats(agent: Agent, deals: int = 50_000, seed: int = 1) -> list[SeatRow]:
    """The seats table with ``agent`` on all four seats: rows deck wins, hand wins, tie.

    Raises:
        ValueError, IllegalAction: as :func:`~experiments.match.play_deals`.
    """
    ours = _outcomes(agent, deals, 1, seed)[:, 0]
    few_decks = _outcomes(agent, PUBLISHED_DECKS, PLAYS_OF_A_DECK, seed + 1)
    rows = []
    for outcome, (name, (share, interval)) in enumerate(PUBLISHED_SEATS.items()):
        estimate = wilson_interval(int((ours == outcome).sum()), deals)
        spread = mean_interval((few_decks == outcome).mean(axis=1)).half_width
        agrees = abs(estimate.mean - share) <= hypot(estimate.half_width, spread)
        rows.append(SeatRow(name, share, interval, estimate, spread, agrees))
    return rows


def _outcomes(agent: Agent, deals: int, times: int, seed: int) -> np.ndarray:
    """``int[deals, times]``: 0 the dealer's side won, 1 the other, 2 neither."""
    rules = Rules.preset(SEATS_RULES)
    seatings = np.zeros((times, rules.num_sides), np.int64)
    chunk = max(1, 8192 // times)  # so many games at once, whatever the plays of a deck
    points = play_deals([agent], seatings, rules, deals, seed, chunk=chunk)
    every = np.arange(deals)
    deck_side = every % rules.players % rules.num_sides
    lead = points[every, :, deck_side] - points[every, :, 1 - deck_side]
    return np.where(lead > 0, 0, np.where(lead < 0, 1, 2))


@dataclass
class Options:
    """Measure a published table again and print it beside the published figures.

    seats: Di Palma and Lanzi (IEEE Transactions on Games 10(3), 2018) on scopone.
    """

    table: Literal["seats"] = "seats"
    """Which table. seats: wins by the dealer's side and the leader's side of scopone, all four
    seats played by one agent at random."""

    deals: Annotated[int, tyro.conf.arg(metavar="N")] = 50_000
    """Deals to play, each once."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of decks and agents; the same seed gives the same figures."""

    agent: Annotated[str, tyro.conf.arg(metavar="SPEC")] = "random"
    """Who plays. random:over=moves and random:over=cards are other ways to play at random."""


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _print_seats(rows: Sequence[SeatRow], options: Options) -> None:
    table = Table(title=f"{SEATS_RULES}: {options.agent} on every seat, {options.deals} deals")
    table.add_column("% of deals")
    for header in ("published", "measured", "agree?"):
        table.add_column(header, justify="right")
    for row in rows:
        published = _percent(row.published)
        if row.interval is not None:
            published += " [{}, {}]".format(*map(_percent, row.interval))
        low, high = map(_percent, row.ours.interval)
        word = "agrees" if row.agrees else "differs"
        table.add_row(row.name, published, f"{_percent(row.ours.mean)} [{low}, {high}]", word)
    console = Console()
    console.print(table, markup=False)
    spreads = ", ".join(f"{_percent(row.spread)}" for row in rows)
    console.print(
        f"Brackets are 95% intervals. The published figures rest on {PUBLISHED_DECKS:,} decks, "
        f"so they are sure to +/- {spreads} only, as measured on such a sample here.",
        markup=False,
        highlight=False,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = tyro.cli(Options, args=argv, prog="python -m experiments.published")
    try:
        agent = make(options.agent, SEATS_RULES)
        rows = measure_seats(agent, options.deals, options.seed)
    except IllegalAction as problem:
        print(f"published: {problem}", file=sys.stderr)
        return 1
    except ValueError as problem:
        print(f"published: {problem}", file=sys.stderr)
        return 2
    _print_seats(rows, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
