"""The rules of a game as one frozen record, and the named presets.

Each field says what it means and which values it takes; the table in ``docs/rules.md`` is
printed from here. :attr:`Rules.code` is the same record as small integers, which every game
carries so that a view of it says by which rules it is played.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["PRESETS", "Rules", "fields_table", "presets_table"]

MAX_PLAYERS = 6


def _option(default: Any, meaning: str, *allowed: Any, compiled: bool = True) -> Any:
    """A field of Rules: its default, its meaning, its allowed values, whether kernels read it."""
    return field(
        default=default, metadata={"meaning": meaning, "allowed": allowed, "compiled": compiled}
    )


@dataclass(frozen=True)
class Rules:
    """One set of rules. Make one with :meth:`preset`; override any field by name.

    Raises:
        ValueError: for a value or a combination that makes no game; the message names the
            field, the value and what is allowed.
    """

    name: str = _option("scopa", "what reports call these rules", compiled=False)

    players: int = _option(2, "seats at the table", 2, 3, 4, 6)
    sides: tuple[tuple[int, ...], ...] | None = _option(
        None,
        "the seats of each side; None: each alone at 2 and 3, opposite seats together at 4 and 6",
        compiled=False,
    )

    ranks: int = _option(10, "ranks in the deck, 1 upwards", *range(1, 11))
    suits: int = _option(4, "suits in the deck, denari first", 1, 2, 3, 4)
    hand: int = _option(3, "cards a player is dealt in a round", *range(1, 11))
    table: int = _option(4, "cards laid face up before the first play", *range(0, 11))
    redeals: bool = _option(
        True,
        "new hands are dealt from the stock until it is used up",
        False,
        True,
        compiled=False,
    )
    kings_redeal: int = _option(
        3, "so many kings on the opening table void the deal; 0: never", 0, 1, 2, 3, 4
    )
    aces_redeal: int = _option(
        0, "so many aces on the opening table void the deal; 0: never", 0, 1, 2, 3, 4
    )
    fifteen_scope: int = _option(
        0, "scope that the dealer makes of an opening table worth 15, which he takes", *range(0, 4)
    )
    thirty_scope: int = _option(0, "the same, of one worth 30", *range(0, 4))
    small9_scope: int = _option(0, "the same, of one worth 9 or less", *range(0, 4))
    bonus_beats_redeal: bool = _option(
        False, "a table that pays the dealer does not void the deal", False, True
    )

    equal: bool = _option(True, "a card takes one card of its own rank", False, True)
    sum: bool = _option(True, "a card takes cards that add up to its rank", False, True)
    equal_priority: bool = _option(
        True, "no sum may be taken while a card of the same rank lies there", False, True
    )
    fifteen: bool = _option(False, "a card takes cards that make 15 with it", False, True)
    fewest_cards: bool = _option(
        False, "of a card's captures only those of fewest cards are allowed", False, True
    )
    compulsory: str = _option(
        "played_card",
        "whether a card that can take must take, or may be laid",
        "played_card",
        "optional",
    )
    ace_sweep: bool = _option(False, "an ace takes the whole table", False, True)
    ace_sweep_scores: bool = _option(False, "an ace's sweep of that kind is a scopa", False, True)
    ace_with_ace_on_table: str = _option(
        "takes_ace", "what a sweeping ace does if an ace lies there", "takes_ace", "sweeps"
    )
    ace_on_empty_table: str = _option(
        "stays", "what a sweeping ace does on an empty table", "stays", "takes_itself"
    )
    ace_first_play: str = _option(
        "free",
        "the very first card of a deal may be an ace; may not, with another in hand; "
        "or may, but sweeps nothing",
        "free",
        "forbidden",
        "no_sweep",
    )

    scopa_value: int = _option(1, "points for a scopa", *range(0, 4))
    scopa_last_play: str = _option(
        "never",
        "whether sweeping with the very last card is a scopa",
        "never",
        "counts",
        "dealer_team_counts",
    )

    carte: int = _option(1, "points for most cards", 0, 1)
    denari: int = _option(1, "points for most denari", 0, 1)
    settebello: int = _option(1, "points for the 7 of denari", 0, 1)
    primiera: str = _option(
        "standard",
        "the scale of the primiera point",
        "standard",
        "trentino",
        "southern",
        "most_sevens",
        "off",
    )
    primiera_missing: str = _option(
        "disqualified",
        "a side without a suit: cannot win the primiera; counts 0 for that suit; "
        "or does so only when no side has all suits",
        "disqualified",
        "zero",
        "compare_partial",
    )
    all_sevens: int = _option(0, "points for all sevens", 0, 1)
    re_bello: int = _option(0, "points for the king of denari", 0, 1)
    napola: str = _option(
        "off",
        "ace, 2 and 3 of denari score the length of the run from the ace: to 10, or up to 6",
        "off",
        "full",
        "cap6",
    )
    napoleone: str = _option(
        "points",
        "all ten denari: no more than the run's points, or the match at once",
        "points",
        "wins",
    )
    hand_bonus: bool = _option(
        False,
        "a hand of three worth 9 or less pays 3, three of a kind 10, and is shown; "
        "the 7 of coppe stands for any card",
        False,
        True,
    )
    coin_runs: bool = _option(
        False,
        "ace, 2 and 3 of denari pay the run from the ace, up to 6; the three figures 5",
        False,
        True,
    )

    target: int = _option(11, "points that end a match", *range(1, 1000))
    tie_over_target: str = _option(
        "higher_else_play_on",
        "several sides at the target: the highest wins, level ones play on; or the last deal is "
        "counted point by point, and the first to get there wins",
        "higher_else_play_on",
        "parlett_order",
    )

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            allowed = item.metadata["allowed"]
            if not allowed:
                continue
            value = getattr(self, item.name)
            if isinstance(value, np.generic):
                value = value.item()
            if isinstance(allowed[0], bool) and value in (0, 1):
                value = bool(value)
            if (
                value not in allowed
                or isinstance(value, float)
                or (isinstance(value, bool) is not isinstance(allowed[0], bool))
            ):
                raise ValueError(f"{item.name}={value!r}: allowed are {_spell(allowed)}")
            object.__setattr__(self, item.name, value)
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name={self.name!r}: a text is wanted")
        object.__setattr__(self, "sides", self._check_sides())
        self._check_deal()
        self._check_options()

    def _check_sides(self) -> tuple[tuple[int, ...], ...]:
        n = self.players
        if self.sides is None:
            opposite = n // 2 if n in (4, 6) else n
            return tuple(tuple(range(s, n, opposite)) for s in range(opposite))
        allowed = (
            f"every seat 0..{n - 1} once, at least two sides, all of the same size, "
            "in playing order, such as ((0, 2), (1, 3))"
        )
        try:
            sides = tuple(tuple(int(seat) for seat in side) for side in self.sides)
        except (TypeError, ValueError):
            raise ValueError(f"sides={self.sides!r}: wanted {allowed}") from None
        count = len(sides)
        # Fair play needs sides that take turns: seat s belongs to side s modulo the sides.
        if (
            count < 2
            or n % count
            or sides != tuple(tuple(range(s, n, count)) for s in range(count))
        ):
            raise ValueError(f"sides={self.sides!r}: wanted {allowed}")
        return sides

    def _check_deal(self) -> None:
        deck, dealt = self.deck_size, self.players * self.hand
        left = deck - self.table
        if self.redeals:
            if left < dealt or left % dealt:
                raise ValueError(
                    f"hand={self.hand}, table={self.table}: the {max(left, 0)} cards beside the "
                    f"table must come out even in rounds of {self.players} x {self.hand}"
                )
        elif left != dealt:
            raise ValueError(
                f"hand={self.hand}, table={self.table}: without redeals {self.players} hands and "
                f"the table must use the {deck} cards, not {dealt + self.table}"
            )
        for name, rank in (("kings_redeal", 10), ("aces_redeal", 1)):
            least = getattr(self, name)
            if least and rank <= self.ranks and self._never_stops(least):
                raise ValueError(f"{name}={least}: every deal would be void; 0 turns it off")

    def _never_stops(self, least: int) -> bool:
        """Whether even the opening table with the fewest such cards holds ``least`` of them."""
        others = self.suits * (self.ranks - 1)
        return self.table - others >= least

    def _check_options(self) -> None:
        if not (self.equal or self.sum or self.fifteen):
            raise ValueError("equal=False, sum=False, fifteen=False: no card could take anything")
        points = (self.carte, self.denari, self.settebello, self.re_bello, self.all_sevens)
        more = (self.scopa_value, self.primiera != "off", self.napola != "off")
        if not any((*points, *more, self.hand_bonus, self.coin_runs)):
            raise ValueError("carte=0, denari=0, ...: no points could be made, no match would end")
        if self.ace_sweep_scores and not self.ace_sweep:
            raise ValueError("ace_sweep_scores=True: only with ace_sweep=True")
        if self.ace_on_empty_table != "stays" and not self.ace_sweep:
            raise ValueError("ace_on_empty_table='takes_itself': only with ace_sweep=True")
        if self.ace_with_ace_on_table != "takes_ace" and not self.ace_sweep:
            raise ValueError("ace_with_ace_on_table='sweeps': only with ace_sweep=True")
        if self.ranks < 7 and self.settebello:
            raise ValueError(f"settebello=1: a deck of {self.ranks} ranks has no seven; use 0")
        if self.ranks < 7 and self.all_sevens:
            raise ValueError(f"all_sevens=1: a deck of {self.ranks} ranks has no seven; use 0")
        for name in ("re_bello", "coin_runs"):
            if self.ranks < 10 and getattr(self, name):
                raise ValueError(
                    f"{name}={getattr(self, name)}: a deck of {self.ranks} ranks has no king; "
                    f"use {type(getattr(self, name))(0)}"
                )
        if self.napoleone == "wins" and self.ranks < 10:
            raise ValueError("napoleone='wins': a deck without ten denari has none; use 'points'")
        if self.ace_first_play == "no_sweep" and not self.ace_sweep:
            raise ValueError("ace_first_play='no_sweep': only with ace_sweep=True")
        if self.hand_bonus and self.hand != 3:
            raise ValueError(f"hand_bonus=True: hands of 3 are wanted, not hand={self.hand}")
        bonuses = ("fifteen_scope", "thirty_scope", "small9_scope")
        for name in bonuses:
            if getattr(self, name) and not self.table:
                raise ValueError(f"{name}={getattr(self, name)}: only with cards on the table")
        if self.bonus_beats_redeal and not (
            any(getattr(self, name) for name in bonuses) and (self.kings_redeal or self.aces_redeal)
        ):
            raise ValueError(
                "bonus_beats_redeal=True: only with an opening bonus (fifteen_scope, thirty_scope, "
                "small9_scope) and a redeal (kings_redeal, aces_redeal)"
            )

    @classmethod
    def preset(cls, preset: str, **overrides: Any) -> Rules:
        """The rules of that name, with fields overridden: ``Rules.preset("scopa", target=21)``.

        A preset may be dealt otherwise at another number of players, see AT_PLAYERS.

        Raises:
            ValueError: for an unknown preset, field or value; the message lists what there is.
        """
        if not isinstance(preset, str) or preset not in PRESETS:
            raise ValueError(f"rules={preset!r}: the presets are {', '.join(PRESETS)}")
        usual = PRESETS[preset]
        for (name, players), changes in AT_PLAYERS.items():
            if (name, players) == (preset, overrides.get("players")):
                usual = usual | changes
        return _make(f"rules {preset!r}", {"name": preset, **usual, **overrides})

    @classmethod
    def of(cls, rules: Rules | str | Mapping[str, Any]) -> Rules:
        """Rules from what a user may pass: rules, the name of a preset, or a dict of fields."""
        if isinstance(rules, Rules):
            return rules
        if isinstance(rules, str):
            return cls.preset(rules)
        if not isinstance(rules, Mapping):
            raise ValueError(f"rules={rules!r}: Rules, the name of a preset or a dict are wanted")
        return _make("rules", dict(rules))

    def replace(self, **overrides: Any) -> Rules:
        """The same rules with fields overridden (new players: the sides are theirs, unless given).

        Raises:
            ValueError: as :meth:`preset`.
        """
        if overrides.get("players", self.players) != self.players:
            overrides.setdefault("sides", None)
        return _make("rules", {**self.to_dict(), **overrides})

    def to_dict(self) -> dict[str, Any]:
        """Every field by name, as JSON takes them; ``Rules.of`` reads them back."""
        return {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}

    @property
    def deck_size(self) -> int:
        """Cards in the deck: 40, or fewer in a small game."""
        return self.ranks * self.suits

    @property
    def plays(self) -> int:
        """Cards played in one deal: all but those of the opening table."""
        return self.deck_size - self.table

    @property
    def num_sides(self) -> int:
        """How many sides play."""
        assert self.sides is not None
        return len(self.sides)

    def side_of(self, seat: int) -> int:
        """The side that a seat plays for."""
        return seat % self.num_sides

    @cached_property
    def code(self) -> np.void:
        """The fields that kernels read as a scalar of :data:`RULES_DTYPE`."""
        code = np.zeros((), RULES_DTYPE)
        code["num_sides"] = self.num_sides
        for item in COMPILED:
            allowed = item.metadata["allowed"]
            value = getattr(self, item.name)
            code[_code_name(item.name)] = allowed.index(value) if isinstance(value, str) else value
        return code[()]  # type: ignore[return-value]


def _make(what: str, fields: dict[str, Any]) -> Rules:
    """Rules from named fields; ValueError for a name that is no field."""
    known = [item.name for item in dataclasses.fields(Rules)]
    for name in fields:
        if name not in known:
            raise ValueError(f"{what} have no field {name!r}; the fields are {', '.join(known)}")
    return Rules(**fields)


def _spell(allowed: tuple[Any, ...]) -> str:
    if len(allowed) > 12:
        return f"{allowed[0]} to {allowed[-1]}"
    return ", ".join(repr(value) for value in allowed)


def _code_name(name: str) -> str:
    """A field's name in a game record, which has cards in ``hand`` and ``table``, and a method
    ``sum``."""
    return {"hand": "hand_size", "table": "table_size", "sum": "sums"}.get(name, name)


COMPILED = [item for item in dataclasses.fields(Rules) if item.metadata["compiled"]]

#: The rules as kernels read them: one small integer a field; a text is its place among the
#: allowed values.
RULES_DTYPE = np.dtype(
    [("num_sides", np.int16), *((_code_name(item.name), np.int16) for item in COMPILED)]
)

#: Eight cards, two a hand: small enough to be solved exactly.
_MINI = {"ranks": 4, "suits": 2, "hand": 2, "table": 0, "kings_redeal": 0, "settebello": 0}
_FIFTEEN = {"equal": False, "sum": False, "fifteen": True, "kings_redeal": 0, "target": 21}

#: What differs from plain two-player scopa, preset by preset.
PRESETS: dict[str, dict[str, Any]] = {
    "scopa": {},
    "scopa_3p": {"players": 3, "target": 16},
    "scopa_teams": {"players": 4, "target": 21},
    "scopa_6p": {"players": 6, "target": 21},
    "scopone": {"players": 4, "hand": 9, "redeals": False, "target": 21},
    "scopone_10": {
        "players": 4,
        "hand": 10,
        "table": 0,
        "redeals": False,
        "kings_redeal": 0,
        "target": 21,
    },
    "scopa_assi": {"ace_sweep": True, "target": 21},
    "asso_piglia_tutto": {"ace_sweep": True, "ace_sweep_scores": True},
    "quindici": _FIFTEEN,
    "quindici_both": {**_FIFTEEN, "equal": True, "sum": True},
    "quindici_asso": {
        **_FIFTEEN,
        "equal": True,
        "sum": True,
        "ace_sweep": True,
        "ace_sweep_scores": True,
        "target": 31,
    },
    "escoba": {**_FIFTEEN, "fifteen_scope": 1, "thirty_scope": 1},
    "cirulla": {
        "players": 4,
        "kings_redeal": 0,
        "aces_redeal": 2,
        "fifteen_scope": 1,
        "thirty_scope": 2,
        "fifteen": True,
        "ace_sweep": True,
        "ace_sweep_scores": True,
        "hand_bonus": True,
        "coin_runs": True,
        "target": 51,
    },
    "chkobba": {"primiera": "most_sevens"},
    "mini_2p": _MINI,
    "mini_teams": {**_MINI, "players": 4, "redeals": False},
}

_TEN_EACH = {"hand": 10, "table": 0, "redeals": False}

#: What also differs at another number of players than the preset's own.
AT_PLAYERS: dict[tuple[str, Any], dict[str, Any]] = {
    ("scopa_assi", 4): {**_TEN_EACH, "napola": "full"},
    ("asso_piglia_tutto", 4): _TEN_EACH,
}


def presets_table() -> str:
    """Every preset as a row of a Markdown table: what it changes of plain ``scopa``."""
    plain = Rules.preset("scopa")
    rows = ["| preset | players | what differs from `scopa` |", "|---|---|---|"]
    for preset in PRESETS:
        rules = Rules.preset(preset)
        differs = [
            f"`{item.name}={getattr(rules, item.name)!r}`"
            for item in dataclasses.fields(Rules)
            if item.name not in ("name", "players", "sides")
            and getattr(rules, item.name) != getattr(plain, item.name)
        ]
        rows.append(f"| `{preset}` | {rules.players} | {', '.join(differs) or '-'} |")
    for (preset, players), changes in AT_PLAYERS.items():
        also = ", ".join(f"`{name}={value!r}`" for name, value in changes.items())
        rows.append(f"| `{preset}` | {players} | as above, and {also} |")
    return "\n".join(rows)


def fields_table() -> str:
    """Every field of :class:`Rules` as a row of a Markdown table."""
    rows = ["| field | values (default first) | meaning |", "|---|---|---|"]
    for item in dataclasses.fields(Rules):
        allowed = item.metadata["allowed"]
        others = tuple(value for value in allowed if value != item.default)
        values = f"`{item.default!r}`"
        if others and len(allowed) > 12:
            values += f" ({_spell(allowed)})"
        elif others:
            values += ", " + ", ".join(f"`{value!r}`" for value in others)
        rows.append(f"| `{item.name}` | {values} | {item.metadata['meaning']} |")
    return "\n".join(rows)
