"""Round robin of agents: ``python -m experiments.tournament random greedy --rules scopa``.

Every pair of agents plays the same deals, each deal once for every way of seating the two (see
:mod:`experiments.match`). The cross table tells by how many points a deal the agent of the row
beats the agent of the column.
"""

from __future__ import annotations

import csv
import io
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import tyro
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from agents.agent import Agent, describe_agents, make
from agents.files import check_folder, write_whole
from experiments.match import IllegalAction, Result, evaluate
from experiments.report import markdown_table
from experiments.statistics import Estimate, mean_interval
from scopa_env.rules import PRESETS, Rules

__all__ = ["Standing", "Tournament", "main"]

CSV_COLUMNS = (
    "agent",
    "opponent",
    "rules",
    "deals",
    "seed",
    "points_per_deal",
    "points_low",
    "points_high",
    "wins",
    "ties",
    "losses",
    "win_share",
    "win_low",
    "win_high",
    "tie_share",
    "tie_low",
    "tie_high",
    "loss_share",
    "loss_low",
    "loss_high",
    "points_dealing",
    "points_not_dealing",
    "agent_sees_everything",
    "opponent_sees_everything",
)


class Standing(NamedTuple):
    """An agent's place: its label, how many opponents it met, the mean over them.

    ``points``: point difference a deal; ``win``, ``tie``, ``loss``: shares of the games.
    Intervals are over deals, each deal's value being the mean over the opponents.
    """

    label: str
    opponents: int
    points: Estimate
    win: Estimate
    tie: Estimate
    loss: Estimate


class Tournament:
    """A round robin, pair by pair.

    Args:
        agents: at least two; two of the same name are told apart by a number.
        rules: Rules, the name of a preset, or a dict of fields.
        deals: deals for each pair, at least two: one tells nothing of the spread.
        seed: any integer from 0. All pairs play the same deals.

    Attributes:
        labels: what tables call the agents, ``*`` marking those that see everything;
        results: a Result for each finished pair of places ``(i, j)``, i < j.

    Raises:
        ValueError: for fewer than two agents or deals, or bad rules.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        rules: Rules | str = "scopa",
        deals: int = 2000,
        seed: int = 1,
    ) -> None:
        if len(agents) < 2:
            raise ValueError("agents: at least two are wanted, such as: random greedy")
        if deals < 2:
            raise ValueError(f"deals={deals}: at least 2 are wanted")
        if seed < 0:
            raise ValueError(f"seed={seed}: a whole number from 0 is wanted")
        self.agents = list(agents)
        self.rules = Rules.of(rules)
        self.deals = deals
        self.seed = seed
        self.labels = _labels(self.agents)
        self.results: dict[tuple[int, int], Result] = {}

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of places, in the order in which they play."""
        return list(combinations(range(len(self.agents)), 2))

    def play(self, i: int, j: int, on_deals: Callable[[int], Any] | None = None) -> Result:
        """Play the pair (i, j), i < j, and keep its result. Raises IllegalAction."""
        result = evaluate(
            self.agents[i], self.agents[j], self.rules, self.deals, self.seed, on_deals=on_deals
        )
        self.results[i, j] = result
        return result

    def points(self, i: int, j: int) -> Estimate | None:
        """Points a deal by which i beats j; None if they have not met."""
        if (i, j) in self.results:
            result, sign = self.results[i, j], 1.0
        elif (j, i) in self.results:
            result, sign = self.results[j, i], -1.0
        else:
            return None
        return mean_interval(sign * result.differences)

    def standings(self) -> list[Standing]:
        """Agents that have met someone, best first, by mean point difference over opponents."""
        found = []
        for i, label in enumerate(self.labels):
            met = [self._seen_by(i, pair) for pair in self.results if i in pair]
            if met:
                mean = np.mean(met, axis=0)
                found.append(Standing(label, len(met), *(mean_interval(row) for row in mean)))
        return sorted(found, key=lambda standing: -standing.points.mean)

    def _seen_by(self, i: int, pair: tuple[int, int]) -> np.ndarray:
        """``float64[4, deals]``: difference, wins, ties, losses of agent i in a pair."""
        result = self.results[pair]
        if pair[0] == i:
            return np.stack([result.differences, result.won, result.tied, result.lost])
        return np.stack([-result.differences, result.lost, result.tied, result.won])

    def cross_table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the cross table as text."""
        header = ["points a deal", *self.labels]
        rows = []
        for i, label in enumerate(self.labels):
            cells = (self.points(i, j) for j in range(len(self.labels)))
            rows.append([label, *("" if cell is None else _signed(cell) for cell in cells)])
        return header, rows

    def ranking(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the ranking as text."""
        header = ["", "agent", "points a deal", "wins %", "ties %", "losses %"]
        rows = []
        for place, row in enumerate(self.standings(), start=1):
            shares = (_percent(share) for share in (row.win, row.tie, row.loss))
            rows.append([str(place), row.label, _signed(row.points), *shares])
        if len(self.results) < len(self.pairs):  # stopped early: not all have met all
            header.append("opponents")
            for cells, row in zip(rows, self.standings(), strict=True):
                cells.append(str(row.opponents))
        return header, rows

    def notes(self) -> str:
        """What the tables mean, in a few sentences."""
        sides = self.rules.num_sides
        games = 2 if sides == 2 else 2 * sides
        text = (
            f"Rules {self.rules.name}, seed {self.seed}, {self.deals} deals a pair, each played "
            f"{games} times: every way of seating the two agents, same deck, same dealer. "
            "± is half a 95% interval, taken over deals."
        )
        if any(agent.sees_everything for agent in self.agents):
            text += " * sees all cards: an upper bound, not a player."
        return text

    def to_csv(self) -> str:
        """A line for each finished pair; columns as in :data:`CSV_COLUMNS`."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(CSV_COLUMNS)
        for (i, j), result in self.results.items():
            shares = (result.win_share, result.tie_share, result.loss_share)
            writer.writerow(
                [
                    *(self.agents[i].name, self.agents[j].name, self.rules.name),
                    *(self.deals, self.seed, result.points_per_deal, *result.interval),
                    *(result.wins, result.ties, result.losses),
                    *(value for share in shares for value in share[:3]),
                    *(result.dealing.mean, result.not_dealing.mean),
                    *(self.agents[i].sees_everything, self.agents[j].sees_everything),
                ]
            )
        return text.getvalue()

    def to_markdown(self, command: str | None = None) -> str:
        """Both tables and what they mean, with the command that made them if it is given."""
        parts = [f"# Tournament, {self.rules.name}", self.notes()]
        if command is not None:
            parts.append(f"    {command}")
        parts += ["## Who beats whom", "The row over the column.", _table(*self.cross_table())]
        parts += ["## Ranking", "Means over all opponents.", _table(*self.ranking())]
        return "\n\n".join(parts) + "\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown_table([header, *rows])


def _labels(agents: Sequence[Agent]) -> list[str]:
    labels: list[str] = []
    for i, agent in enumerate(agents):
        before = sum(other.name == agent.name for other in agents[:i])
        number = f" ({before + 1})" if before else ""
        labels.append(agent.name + number + ("*" if agent.sees_everything else ""))
    return labels


def _signed(estimate: Estimate) -> str:
    return f"{estimate.mean:+.2f} ±{estimate.half_width:.2f}"


def _percent(share: Estimate) -> str:
    return f"{100 * share.mean:.1f} ±{100 * share.half_width:.1f}"


AgentSpecs = Annotated[tuple[str, ...], tyro.conf.arg(metavar="AGENT...", help_behavior_hint="")]


@dataclass
class Options:
    """The command line of a tournament."""

    agents: tyro.conf.Positional[AgentSpecs]
    """Two agents or more: names, names with options (name:option=value,option2=value), or paths
    of checkpoints (the folder or its .safetensors file)."""

    rules: Annotated[str, tyro.conf.arg(metavar="PRESET")] = "scopa"
    """The rules to play by."""

    deals: Annotated[int, tyro.conf.arg(metavar="N")] = 2000
    """Deals for each pair of agents. Twice the precision takes four times the deals."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of decks and agents; the same seed gives the same table."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None
    """Folder for results.csv and results.md; nothing is written without it."""


DESCRIPTION = """Play every pair of agents on the same deals and print who beats whom.

Each deal is played once for every way of seating the two agents, same deck, same dealer. The
cross table tells by how many points a deal the agent of the row beats the agent of the column,
with 95% intervals.

Examples:

  python -m experiments.tournament random greedy
  python -m experiments.tournament greedy runs/NAME --rules scopone --out results

Agents, with their options:

  {agents}

Rules: {rules}."""


def _description() -> str:
    agents = describe_agents().replace("\n", "\n  ")
    return DESCRIPTION.format(agents=agents, rules=", ".join(PRESETS))


def _print(tournament: Tournament) -> None:
    console = Console()
    for title, (header, rows) in (
        ("Who beats whom: the row over the column", tournament.cross_table()),
        ("Ranking: means over all opponents", tournament.ranking()),
    ):
        table = Table(title=title, title_justify="left")
        for column in header:
            table.add_column(
                escape(column), justify="left" if column == "agent" else "right", overflow="fold"
            )
        for row in rows:
            table.add_row(*map(escape, row))
        console.print(table)
    console.print(tournament.notes(), markup=False, highlight=False)


def _run(tournament: Tournament) -> None:
    """Play all pairs under a progress bar."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("deals"),
        TimeRemainingColumn(),
    )
    pairs = tournament.pairs
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=len(pairs) * tournament.deals)
        for i, j in pairs:
            labels = tournament.labels
            progress.update(bar, description=f"{labels[i]} v {labels[j]}")
            tournament.play(i, j, lambda count: progress.advance(bar, count))


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 0, 1 stopped by an agent, 2 usage, 130 Ctrl-C."""
    argv = list(sys.argv[1:] if argv is None else argv)
    prog = "python -m experiments.tournament"
    options = tyro.cli(Options, args=argv, prog=prog, description=_description())
    try:
        rules = Rules.preset(options.rules)
        agents = [make(spec, rules) for spec in options.agents]
        tournament = Tournament(agents, rules, options.deals, options.seed)
        if options.out is not None:
            check_folder(options.out)
    except (ValueError, OSError) as problem:
        print(f"tournament: {problem}", file=sys.stderr)
        return 2
    status, message = 0, ""
    try:
        _run(tournament)
    except KeyboardInterrupt:
        status, message = 130, "stopped"
    except IllegalAction as problem:
        status, message = 1, str(problem)
    if tournament.results:
        _print(tournament)
    if status:
        done = f"{len(tournament.results)} of {len(tournament.pairs)} pairs are finished"
        unwritten = "" if options.out is None else f"; nothing written to {options.out}"
        print(f"tournament: {message}; {done}{unwritten}", file=sys.stderr)
        return status
    if options.out is not None:
        markdown = tournament.to_markdown(f"{prog} {shlex.join(argv)}")
        try:
            write_whole(
                {
                    options.out / "results.csv": tournament.to_csv(),
                    options.out / "results.md": markdown,
                }
            )
        except OSError as problem:
            print(f"tournament: {problem}", file=sys.stderr)
            return 2
        print(f"written: {options.out / 'results.csv'}, {options.out / 'results.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
