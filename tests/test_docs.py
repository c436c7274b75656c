"""The documentation is true: its Python runs, and its tables are what the code prints."""

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


@pytest.mark.parametrize("block", BLOCKS)
def test_python_blocks_run(block):
    exec(compile(block, "<documentation>", "exec"), {"__name__": "documentation"})


def test_there_are_blocks():
    assert len(BLOCKS) >= 6


def test_layout_table_is_printed_from_the_code():
    page = (ROOT / "docs" / "environment.md").read_text()
    table = re.search(r"<!-- layout:scopa -->\n(.*?)\n<!-- end -->", page, re.S)
    assert table is not None
    assert table.group(1) == Layout("scopa").table()


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


@pytest.mark.parametrize(("name", "table"), [("presets", presets_table), ("fields", fields_table)])
def test_tables_of_rules_are_printed_from_the_code(name, table):
    page = (ROOT / "docs" / "rules.md").read_text()
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", page, re.S)
    assert found is not None
    assert found.group(1) == table()


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
