"""Tables for people: on a terminal, in Markdown and in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.files import check_folder, write_json, write_whole

__all__ = ["check_out", "markdown_table", "print_report", "write_report"]


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of rows, header first."""
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def print_report(
    title: str, machine: str, rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
) -> None:
    """Print a table, header first: drawn on a terminal, Markdown elsewhere."""
    console = Console()
    print(machine)
    if console.is_terminal:
        table = Table(title=title, title_justify="left")
        for column in rows[0]:
            table.add_column(column, overflow="fold")
        for row in rows[1:]:
            table.add_row(*row)
        console.print(table, markup=False)
    else:
        print(f"{title}\n\n{markdown_table(rows)}")
    for note in notes:
        print(note)


def check_out(path: Path) -> None:
    """See that a report can be written there. Raises ValueError."""
    if path.suffix not in (".md", ".json"):
        raise ValueError(f"--out {path}: a name that ends in .md or .json is wanted")
    check_folder(path.parent)


def write_report(path: Path, markdown: str, data: Any) -> None:
    """Write a report as its name asks: Markdown, or JSON. Raises OSError."""
    if path.suffix == ".json":
        write_json(path, data)
    else:
        write_whole({path: markdown})
