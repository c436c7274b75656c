"""The documentation is true: its Python runs, and its tables are what the code prints. After a
wanted change print them anew with ``python tests/test_docs.py``."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scopa_env import PRESETS, Layout, Rules
from scopa_env.rules import fields_table, presets_table

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))
]
#: Tables between ``<!-- name -->`` and ``<!-- end -->``: their page, and what prints them.
TABLES = {
    "layout:scopa": (ROOT / "docs" / "environment.md", lambda: Layout("scopa").table()),
    "presets": (ROOT / "docs" / "rules.md", presets_table),
    "fields": (ROOT / "docs" / "rules.md", fields_table),
}


def marked(name):
    return rf"(<!-- {name} -->\n)(.*?)(\n<!-- end -->)"


@pytest.mark.parametrize("block", BLOCKS)
def test_python_blocks_run(block):
    exec(compile(block, "<documentation>", "exec"), {"__name__": "documentation"})


def test_there_are_blocks():
    assert len(BLOCKS) >= 6


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_printed_from_the_code(name):
    page, table = TABLES[name]
    found = re.search(marked(name), page.read_text(), re.S)
    assert found is not None
    assert found.group(2) == table()


def test_readme_lists_every_preset_with_its_target():
    readme = (ROOT / "README.md").read_text()
    for preset in PRESETS:
        row = re.search(rf"^\| `{preset}` \|.*$", readme, re.M)
        assert row is not None, preset
        assert row.group(0).endswith(f"| {Rules.preset(preset).target} |")


def test_the_gymnasium_block_runs_in_a_process_of_its_own():
    """Registration is part of what the block shows, and here nothing else has done it."""
    block = next(
        b for b in re.findall(r"```python\n(.*?)```", PAGES[0].read_text(), re.S) if "Scopa-v0" in b
    )
    subprocess.run([sys.executable, "-c", block], check=True, cwd=ROOT)


def test_the_tests_that_the_rules_name_exist():
    page = (ROOT / "docs" / "rules.md").read_text()
    written = "".join(path.read_text() for path in (ROOT / "tests").glob("test_*.py"))
    for name in re.findall(r"`(test_\w+)(?:\*?)`", page):
        assert f"def {name}" in written, name


def test_the_rules_name_every_field():
    page = (ROOT / "docs" / "rules.md").read_text().partition("## Presets")[0]
    free = {"name", "players", "sides"}
    for field in set(Rules.__dataclass_fields__) - free:
        assert f"`{field}`" in page, field


def main():
    """Print all tables anew."""
    for name, (page, table) in TABLES.items():
        old = re.search(marked(name), page.read_text(), re.S)
        page.write_text(page.read_text().replace(old.group(0), old[1] + table() + old[3]))


if __name__ == "__main__":
    main()
