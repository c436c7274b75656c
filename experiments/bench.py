"""How fast it is, each figure beside a peer's: ``python -m experiments.bench``.

Ours and the peers take turns within one run, so that whatever else the machine does slows both.
Engine and environments run on one thread and count its processor time; training counts time on
the wall. A figure is the median of the repeats, with the least and the most; a ratio is the
median of the ratios within the repeats. The peers are PettingZoo's own Connect Four, played by
the same loop as ours, and sb3-contrib's MaskablePPO at its fastest settings.
"""

from __future__ import annotations

import dataclasses
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import tyro
from rich.console import Console

from experiments.report import check_out, markdown_table, print_report, write_report
from scopa_env._jit import jit, popcount
from scopa_env._random import below, fresh_states
from scopa_env.face import start_games
from scopa_env.game import next_seat, nth_bit, playout, start_deal
from scopa_env.rules import Rules
from scopa_env.vector import VectorGame

__all__ = [
    "GROUPS",
    "Figure",
    "Row",
    "describe_machine",
    "main",
    "measure",
]

Group = Literal["engine", "vector", "aec", "training", "import", "memory"]
GROUPS: tuple[Group, ...] = ("engine", "vector", "aec", "training", "import", "memory")

NUM_GAMES = 1024  # of the vector engine: a step has a fixed cost
MEMORY_DEALS = 200_000
MEMORY_LIMIT = 1.0  # MiB: what "flat" allows for
INSTALL = "not installed: pip install -e '.[interop]'"
PACKAGES = ("numpy", "numba", "torch", "gymnasium", "pettingzoo", "pygame", "sb3-contrib")

#: Measures one figure: units a second, seconds, or MiB.
Contender = Callable[[], float]
Kind = Literal["rate", "ratio", "seconds", "MiB"]


class Line(NamedTuple):
    """A line of the table before it is measured.

    ``ours`` and ``peer`` name contenders; ``limit`` is the target, of the rate or the ratio (at
    least), of the seconds or the MiB (less than); ``once``: not repeated.
    """

    group: Group
    what: str
    unit: str
    ours: str
    peer: str | None
    kind: Kind
    limit: float
    once: bool = False


LINES = (
    Line(
        "engine",
        "engine, random play of whole deals",
        "card plays/s",
        "engine",
        "Connect Four, raw",
        "rate",
        12e6,
    ),
    Line(
        "vector",
        "vector engine, raw observations and masks",
        "decisions/s",
        "vector raw",
        "Connect Four, raw",
        "rate",
        3e6,
    ),
    Line(
        "vector",
        "vector engine, full observations and masks",
        "decisions/s",
        "vector full",
        "Connect Four, raw",
        "rate",
        1e6,
    ),
    Line("aec", "AEC, raw", "steps/s", "aec raw", "Connect Four, raw", "ratio", 5.0),
    Line("aec", "AEC, wrapped", "steps/s", "aec wrapped", "Connect Four, wrapped", "ratio", 1.5),
    Line("training", "self-play PPO", "decisions/s", "self-play", "MaskablePPO", "ratio", 8.0),
    Line("import", "import scopa_env", "s", "import", "import Connect Four", "seconds", 1.0),
    Line(
        "import",
        "first deal of a process, compiled code on disk",
        "s",
        "first deal",
        "first game of Connect Four",
        "seconds",
        2.0,
    ),
    Line(
        "import",
        "first deal of a process, nothing compiled",
        "s",
        "first deal, cold",
        None,
        "seconds",
        30.0,
        once=True,
    ),
    Line("memory", "memory growth", "MiB", "memory", None, "MiB", MEMORY_LIMIT, once=True),
)


@dataclass(frozen=True)
class Figure:
    """The median of repeated measurements, the least and the most."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure:
        """The figure of these measurements."""
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes:
        what, unit: what was measured; target: what it should reach.
        ours: our figure, None where it cannot be measured.
        peer: the peer's name and theirs: its figure, None without one.
        ratio: how many times as fast as the peer, None without one.
        met: whether the target is met; None: it cannot be told, for want of a figure.
        note: why something is missing, or empty.
    """

    what: str
    unit: str
    ours: Figure | None
    peer: str | None
    theirs: Figure | None
    ratio: float | None
    target: str
    met: bool | None
    note: str


# ---------------------------------------------------------------------------------------------
# What is measured
# ---------------------------------------------------------------------------------------------


@jit
def _play_whole_deals(games: Any, deals: Any) -> Any:
    """Deal and play at random, over and over; the number of cards played."""
    g = games[0]
    plays = 0
    for _ in range(deals):
        start_deal(g, next_seat(g, g.dealer))
        playout(g, g.rng)
        plays += g.ply
    return plays


@jit
def _draw(legal: Any, rng: Any, actions: Any) -> None:
    """A random legal action for each game."""
    for i in range(len(actions)):
        actions[i] = nth_bit(legal[i], below(rng, popcount(legal[i])))


def rate(chunk: Callable[[], int], seconds: float, clock: Callable[[], float]) -> float:
    """Units a second of work that comes in chunks and tells how many units each one was."""
    units = 0
    start = clock()
    while True:
        units += chunk()
        passed = clock() - start
        if passed >= seconds and passed > 0:
            return units / passed


def _engine(rules: Rules) -> Callable[[], int]:
    games = start_games(rules, 1, 1)
    return lambda: int(_play_whole_deals(games, 1000))


def _vector(rules: Rules, observation: str) -> Callable[[], int]:
    games = VectorGame(rules, NUM_GAMES, 1, observation=observation)
    rng = fresh_states(1, 1)[0]
    actions = np.empty(NUM_GAMES, np.int64)

    def chunk() -> int:
        for _ in range(20):
            _draw(games.legal, rng, actions)
            games.step(actions)
        return 20 * NUM_GAMES

    return chunk


def _episodes(env: Any) -> Callable[[], int]:
    """Random play of one episode of any PettingZoo environment with action masks."""
    draw = random.Random(1).random

    def chunk() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(draw() * len(legal))]))
            steps += 1
        return steps

    return chunk


def _connect_four() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer's import is none of our business
        from pettingzoo.classic import connect_four_v3

        return connect_four_v3


def _self_play(rules: Rules, threads: int) -> Callable[[], int]:
    from agents.config import SelfPlayConfig
    from agents.selfplay import SelfPlay

    training = SelfPlay(rules, SelfPlayConfig(), threads=threads)

    def chunk() -> int:
        before = training.steps
        training.iterate()
        return training.steps - before

    return chunk


def _maskable_ppo(rules: Rules, threads: int, seconds: float) -> Contender:
    """MaskablePPO on one thread and on ``threads``, whichever is quicker at the time.

    Two threads that wait for each other collapse when another process keeps a core busy.
    """
    import torch

    from agents.config import SelfPlayConfig
    from experiments.compare_sb3 import FASTEST, make_sb3

    model = make_sb3(rules, FASTEST, SelfPlayConfig().hidden, 1)
    rollout = FASTEST.num_envs * FASTEST.n_steps

    def chunk() -> int:
        model.learn(rollout, reset_num_timesteps=False)
        return rollout

    def on(number: int) -> float:
        torch.set_num_threads(number)
        try:
            return rate(chunk, seconds, time.perf_counter)
        finally:
            torch.set_num_threads(1)

    on(1)  # fill caches
    return lambda: max(on(number) for number in {1, threads})


IMPORT = "import scopa_env"
FIRST_DEAL = """
from scopa_env import scopa_v0
env = scopa_v0.env(rules={rules!r})
env.reset(seed=1)
for agent in env.agent_iter():
    observation, _, over, _, _ = env.last()
    env.step(None if over else int(observation["action_mask"].argmax()))
"""
IMPORT_PEER = "from pettingzoo.classic import connect_four_v3"
FIRST_GAME = """
from pettingzoo.classic import connect_four_v3
env = connect_four_v3.env()
env.reset(seed=1)
for agent in env.agent_iter():
    observation, _, over, _, _ = env.last()
    env.step(None if over else int(observation["action_mask"].argmax()))
"""


def _fresh_process(code: str, **environment: str) -> float:
    """Seconds that code takes in a Python that has just started."""
    timed = (
        f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", timed],
        cwd=Path(__file__).resolve().parent.parent,
        env={**os.environ, "PYGAME_HIDE_SUPPORT_PROMPT": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def _cold(code: str) -> float:
    with tempfile.TemporaryDirectory() as empty:
        return _fresh_process(code, NUMBA_CACHE_DIR=empty)


def _growth(rules: Rules, deals: int) -> float:
    """MiB by which this process grows while a vector engine plays so many deals."""
    games = VectorGame(rules, NUM_GAMES, 1)
    rng = fresh_states(1, 1)[0]
    actions = np.empty(NUM_GAMES, np.int64)

    def play(deals: int) -> None:
        finished = 0
        while finished < deals:
            _draw(games.legal, rng, actions)
            finished += int(games.step(actions).done.sum())

    play(deals // 10)
    before = _resident()
    play(deals)
    return (_resident() - before) / 2**20


def _resident() -> int:
    """Bytes of memory that this process holds.

    Raises:
        OSError: where there is no /proc to tell.
    """
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _contender(name: str, rules: Rules, threads: int, seconds: float, deals: int) -> Contender:
    """The contender of this name, ready and warm.

    Raises:
        ImportError, OSError: if it cannot be had here.
    """

    def timed(chunk: Callable[[], int], clock: Any = time.thread_time) -> Contender:
        chunk()  # compile, fill caches
        return lambda: rate(chunk, seconds, clock)

    if name == "engine":
        return timed(_engine(rules))
    if name == "vector raw":
        return timed(_vector(rules, "raw"))
    if name == "vector full":
        return timed(_vector(rules, "full"))
    if name in ("aec raw", "aec wrapped"):
        from scopa_env import scopa_v0

        make_env = scopa_v0.raw_env if "raw" in name else scopa_v0.env
        return timed(_episodes(make_env(rules=rules)))
    if name in ("Connect Four, raw", "Connect Four, wrapped"):
        peer = _connect_four()
        return timed(_episodes(peer.raw_env() if "raw" in name else peer.env()))
    if name == "self-play":
        return timed(_self_play(rules, threads), time.perf_counter)
    if name == "MaskablePPO":
        return _maskable_ppo(rules, threads, seconds)
    if name == "import":
        return lambda: _fresh_process(IMPORT)
    if name == "import Connect Four":
        _connect_four()
        return lambda: _fresh_process(IMPORT_PEER)
    if name == "first game of Connect Four":
        _connect_four()
        return lambda: _fresh_process(FIRST_GAME)
    first_deal = FIRST_DEAL.format(rules=rules.to_dict())
    if name == "first deal":
        _fresh_process(first_deal)  # leaves the compiled code on disk
        return lambda: _fresh_process(first_deal)
    if name == "first deal, cold":
        return lambda: _cold(first_deal)
    _resident()
    return lambda: _growth(rules, deals)


# ---------------------------------------------------------------------------------------------
# The run
# ---------------------------------------------------------------------------------------------


def measure(
    rules: Rules | str = "scopa",
    only: Sequence[str] = GROUPS,
    repeats: int = 5,
    seconds: float = 0.5,
    threads: int = 2,
    *,
    cold: bool = False,
    memory_deals: int = MEMORY_DEALS,
    on_start: Callable[[str], Any] = lambda _: None,
) -> list[Row]:
    """Measure the table.

    Args:
        rules: Rules, the name of a preset, or a dict of fields.
        only: groups of lines, out of GROUPS.
        repeats: measurements of each contender; they take turns.
        seconds: least length of one measurement.
        threads: of our training; the peer's has as many or one, whichever is quicker.
        cold: also the first deal of a process with nothing compiled.
        memory_deals: deals over which memory is watched.
        on_start: called with what is about to be measured.

    Raises:
        ValueError: for rules that there are not, or numbers that make no sense.
    """
    rules = Rules.of(rules)
    for name, value, least in (("repeats", repeats, 1), ("threads", threads, 1)):
        if value < least:
            raise ValueError(f"{name}={value}: at least {least} is wanted")
    lines = [line for line in LINES if line.group in only and (cold or "cold" not in line.ours)]
    missing: dict[str, str] = {}
    contenders: dict[str, Contender] = {}
    for line in lines:
        for name in (line.ours, line.peer):
            if name is None or name in contenders or name in missing:
                continue
            on_start(f"{name}: warming up")
            try:
                contenders[name] = _contender(name, rules, threads, seconds, memory_deals)
            except ImportError as problem:
                missing[name] = f"{name}: {problem.name or 'a package'} is {INSTALL}"
            except OSError as problem:
                missing[name] = f"{name}: {problem.filename} is not there"
    once = {line.ours for line in lines if line.once}
    values: dict[str, list[float]] = {name: [] for name in contenders}
    for repeat in range(repeats):
        for name, contender in contenders.items():
            if repeat == 0 or name not in once:
                on_start(f"{name}: {repeat + 1} of {repeats}")
                values[name].append(contender())
    return [_row(line, values, missing, memory_deals) for line in lines]


def _row(
    line: Line, values: dict[str, list[float]], missing: dict[str, str], memory_deals: int
) -> Row:
    ours, theirs = (
        Figure.of(values[name]) if name in values else None for name in (line.ours, line.peer)
    )
    ratio = None
    if ours is not None and line.peer in values:
        pairs = zip(values[line.ours], values[line.peer], strict=True)
        ratio = median(b / a if line.kind == "seconds" else a / b for a, b in pairs)
    measured = ratio if line.kind == "ratio" else None if ours is None else ours.median
    if line.kind in ("rate", "ratio"):
        target = f"{line.limit:g}x the peer" if line.kind == "ratio" else _number(line.limit)
        met = None if measured is None else measured >= line.limit
    else:
        target = f"under {line.limit:g} {line.unit}"
        met = None if measured is None else measured < line.limit
    what = f"{line.what} over {memory_deals:,} deals" if line.kind == "MiB" else line.what
    note = missing.get(line.ours) or missing.get(line.peer or "", "")
    return Row(what, line.unit, ours, line.peer, theirs, ratio, target, met, note)


def describe_machine() -> str:
    """Processor, cores, load and versions, in a line."""
    model = platform.processor() or platform.machine()
    try:
        for entry in Path("/proc/cpuinfo").read_text().splitlines():
            if entry.startswith("model name"):
                model = entry.partition(":")[2].strip()
                break
    except OSError:
        pass
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return f"{model}, {os.cpu_count()} cores{load}; {', '.join(versions)}"


def _number(value: float) -> str:
    if value >= 1e6:
        return f"{value / 1e6:.1f}M"
    if value >= 1e4:
        return f"{value / 1e3:.0f}k"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    if figure.low == figure.high:
        return _number(figure.median)
    return f"{_number(figure.median)} ({_number(figure.low)}-{_number(figure.high)})"


def as_table(rows: Sequence[Row]) -> list[list[str]]:
    """The rows as text, header first."""
    table = [["what", "ours", "peer", "the peer's", "ratio", "target", "met"]]
    for row in rows:
        ratio = "-" if row.ratio is None else f"{row.ratio:,.{0 if row.ratio >= 100 else 1}f}"
        met = {True: "yes", False: "NO", None: "unknown"}[row.met]
        peer = row.peer or "-"
        texts = [_figure(row.ours), peer, _figure(row.theirs), ratio, row.target, met]
        table.append([f"{row.what}, {row.unit}", *texts])
    return table


@dataclass
class Options:
    """The command line of the benchmark."""

    repeats: Annotated[int, tyro.conf.arg(metavar="N")] = 5
    """Measurements of each figure."""

    rules: Annotated[str, tyro.conf.arg(metavar="PRESET")] = "scopa"
    """The rules to play by. The targets are for scopa."""

    only: tuple[Group, ...] = GROUPS
    """Which lines of the table."""

    seconds: Annotated[float, tyro.conf.arg(metavar="N")] = 0.5
    """Least length of one measurement."""

    threads: Annotated[int, tyro.conf.arg(metavar="N")] = dataclasses.field(
        default_factory=lambda: min(2, os.cpu_count() or 1)
    )
    """Threads of our training, and the most that the peer's may take. All else runs on one."""

    cold: bool = False
    """Also time the first deal of a process with nothing compiled: up to half a minute."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """A file for the table: .md or .json."""


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 0, 2 usage, 130 Ctrl-C."""
    options = tyro.cli(Options, args=argv, prog="python -m experiments.bench", description=__doc__)
    machine = describe_machine()
    try:
        if options.out is not None:
            check_out(options.out)
        with Console(stderr=True).status("") as status:
            rows = measure(
                options.rules,
                options.only,
                options.repeats,
                options.seconds,
                options.threads,
                cold=options.cold,
                on_start=status.update,
            )
    except ValueError as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as problem:
        reason = (problem.stderr.strip() or "no message").splitlines()[-1]
        print(f"bench: a fresh process failed: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    texts = as_table(rows)
    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    print_report(f"Speed, {options.rules}", machine, texts, notes)
    if options.out is not None:
        markdown = "\n\n".join([machine, markdown_table(texts), *notes]) + "\n"
        data = {"machine": machine, "rows": [dataclasses.asdict(row) for row in rows]}
        write_report(options.out, markdown, data)
        print(f"written: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
