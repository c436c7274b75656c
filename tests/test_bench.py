"""The benchmarks run and tell the truth about what they lack; nothing here looks at a clock."""

import json
import math
import sys

import pytest

from experiments import bench
from experiments.bench import Figure, main, measure


def test_figures_of_every_quick_line():
    rows = measure(only=("engine", "vector", "aec"), repeats=2, seconds=0.001)
    assert [row.what for row in rows] == [
        "engine, random play of whole deals",
        "vector engine, raw observations and masks",
        "vector engine, full observations and masks",
        "AEC, raw",
        "AEC, wrapped",
    ]
    for row in rows:
        assert 0 < row.ours.low <= row.ours.median <= row.ours.high
        assert (row.theirs is None) == (row.ratio is None) == bool(row.note)


def test_without_the_peer_a_line_says_what_to_install(monkeypatch):
    def not_there():
        raise ModuleNotFoundError("No module named 'pygame'", name="pygame")

    monkeypatch.setattr(bench, "_connect_four", not_there)
    (row, _) = measure(only=("aec",), repeats=1, seconds=0)
    assert (row.theirs, row.ratio, row.met) == (None, None, None)
    assert "pygame" in row.note
    assert "pip install" in row.note


def test_memory():
    (row,) = measure(only=("memory",), repeats=3, memory_deals=600)
    assert row.target == "under 1 MiB"
    if row.note:
        pytest.skip(row.note)
    assert math.isfinite(row.ours.median)
    assert row.ours.low == row.ours.high, "measured once"


def test_what_cannot_be_measured_says_so(monkeypatch):
    def nothing():
        raise FileNotFoundError(2, "No such file or directory", "/proc/self/statm")

    monkeypatch.setattr(bench, "_resident", nothing)
    (row,) = measure(only=("memory",), repeats=1)
    assert (row.ours, row.met) == (None, None)
    assert row.note == "memory: /proc/self/statm is not there"


def test_training_beside_maskable_ppo():
    pytest.importorskip("sb3_contrib")
    (row,) = measure(only=("training",), repeats=1, seconds=0, threads=1)
    assert row.peer == "MaskablePPO"
    assert row.ratio == pytest.approx(row.ours.median / row.theirs.median)


def test_numbers():
    assert Figure.of([3.0, 1.0, 2.0]) == Figure(2.0, 1.0, 3.0)
    assert bench._figure(Figure(2.5e6, 2e6, 3e6)) == "2.5M (2.0M-3.0M)"
    assert bench._figure(Figure(1234.0, 900.0, 45_600.0)) == "1,234 (900-46k)"


def test_command_line(tmp_path, capsys):
    quick = ["--only", "engine", "--repeats", "1", "--seconds", "0"]
    assert main([*quick, "--out", str(tmp_path / "speed.json")]) == 0
    written = json.loads((tmp_path / "speed.json").read_text())
    assert written["rows"][0]["unit"] == "card plays/s"
    assert main([*quick, "--out", str(tmp_path / "speed.md")]) == 0
    assert "| engine, random play of whole deals, card plays/s |" in capsys.readouterr().out
    for bad in (
        ["--rules", "briscola"],
        ["--repeats", "0"],
        ["--threads", "0"],
        ["--out", "/proc/nowhere/speed.md"],
        ["--out", str(tmp_path / "speed.txt")],
    ):
        assert main([*quick, *bad]) == 2
        assert capsys.readouterr().err.strip().count("\n") == 0


def test_comparison_command_line(tmp_path, capsys):
    pytest.importorskip("sb3_contrib")
    from experiments.compare_sb3 import main as compare

    out = tmp_path / "comparison.json"
    small = ["--minutes", "0.002", "--hidden", "8", "--deals", "20", "--threads", "1"]
    small += ["--sb3.num-envs", "2", "--sb3.n-steps", "4", "--sb3.batch-size", "8"]
    assert compare([*small, "--out", str(out)]) == 0
    written = json.loads(out.read_text())
    assert [side["name"] for side in written["sides"]] == ["self-play PPO", "MaskablePPO"]
    assert all(side["decisions"] > 0 for side in written["sides"])
    assert compare([*small, "--minutes", "0"]) == 2
    assert compare([*small, "--rules", "briscola"]) == 2
    assert capsys.readouterr().err.strip().count("\n") == 1


def test_comparison_without_sb3_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    from experiments.compare_sb3 import main as compare

    assert compare(["--minutes", "0.001", "--hidden", "8"]) == 2
    assert "pip install -e '.[interop]'" in capsys.readouterr().err
