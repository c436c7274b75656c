"""What holds in every deal: the cards of the deck once each, masks, captures reachable in any
order of touching, no two scope in a row, leftovers, sums of points, parity, and that suits and
seats are only names. Copies and saved games go on alike; captures equal brute force."""

from __future__ import annotations

import io
import itertools
import random
from typing import Any

import numba
import numpy as np
import pytest
import reference
from helpers import (
    NAMES,
    WHOLE_DECK,
    bits,
    names,
    other_cards,
    random_play,
    random_touch,
    reference_rules,
    same,
    shuffled,
    touch_name,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from scopa_env import PRESETS, Game, Layout, Rules
from scopa_env.captures import list_takes, takes
from scopa_env.game import DONE, GAME_DTYPE, legal_mask, new_games, playout
from scopa_env.observation import observe
from scopa_env.view import view

presets = st.sampled_from(list(PRESETS))
seeds = st.integers(0, 2**32 - 1)


def count_cards(game: Game) -> None:
    """Each card of the deck lies in exactly one place."""
    record = game.record
    places = [*record["hand"], record["table"], *record["pile"]]
    places += [1 << int(c) for c in record["deck"][int(record["dealt"]) : game.rules.deck_size]]
    assert sum(int(place) for place in places) == int(record["all_cards"])
    together = 0
    for place in places:
        assert together & int(place) == 0
        together |= int(place)


@given(preset=presets, seed=seeds)
def test_every_card_once_at_every_ply(preset: str, seed: int) -> None:
    game, rng = Game.deal(preset, seed=seed), random.Random(seed)
    while not game.is_over:
        count_cards(game)
        counts = [len(hand) for hand in game.hands]
        assert counts == list(game.record["hand_count"][: game.rules.players])
        random_touch(game, rng)
    count_cards(game)
    assert game.stock == []
    assert not any(game.hands)
    if game.last_capturer is not None:
        assert game.table == set()


@given(preset=presets, seed=seeds)
def test_mask(preset: str, seed: int) -> None:
    """The mask of each seat is the reference's answer at every touch, and 0 out of turn."""
    rules, rng = Rules.preset(preset), random.Random(seed)
    deck, dealer = shuffled(rng, rules), rng.randrange(rules.players)
    game = Game.deal(rules, seed=seed, dealer=dealer, deck=deck)
    if game.redeals:
        return
    other = reference.ReferenceGame.deal(reference_rules(rules), deck, dealer)
    guarded = np.full(41 + 16, 77, np.int8)
    mask = guarded[8:49]
    while not game.is_over:
        touched, chosen = game.touched, frozenset(game.chosen)
        wanted = other.legal_touches(None if touched is None else str(touched), chosen)
        assert wanted
        for seat in range(rules.players):
            mask[:] = 7
            legal_mask(game.record, seat, mask)
            allowed = {touch_name(action) for action in np.nonzero(mask == 1)[0]}
            assert set(np.unique(mask)) <= {0, 1}
            assert allowed == (set(wanted) if seat == game.to_move else set())
        ply = int(game.record["ply"])
        random_touch(game, rng)
        if game.record["ply"] > ply:
            other.play(NAMES[game.record["card_at"][ply]], names(game.record["take_at"][ply]))
    for seat in range(rules.players):
        legal_mask(game.record, seat, mask)
        assert not mask.any()
    assert (guarded[:8] == 77).all()
    assert (guarded[49:] == 77).all()


def touch_out(game: Game, move: Any, order: list[int]) -> None:
    """Make a move by touching its cards in this order, and check each step's mask."""
    game = game.clone()
    seat, side = game.to_move, game.rules.side_of(game.to_move)
    before, table = game.piles[side], game.table
    assert move.card.number in game.legal_actions()
    complete = game.act(move.card.number)
    for one in order:
        if complete:
            break
        assert one in game.legal_actions()
        complete = game.act(one)
    if not complete:
        assert DONE in game.legal_actions()
        assert game.to_move == seat
        complete = game.act(DONE)
    assert complete
    won = {move.card, *move.captured} if move.captured else set()
    assert int(game.record["card_at"][int(game.record["ply"]) - 1]) == move.card.number
    assert names(game.record["take_at"][int(game.record["ply"]) - 1]) == move.captured
    if not game.is_over:
        assert game.piles[side] == before | won
        assert game.table == (table - move.captured if won else table | {move.card})


ALL_WAYS = Rules(fifteen=True, ace_sweep=True, ace_sweep_scores=True, equal_priority=False)


@given(
    seed=seeds,
    rules=st.sampled_from(
        [Rules(), ALL_WAYS, ALL_WAYS.replace(compulsory="optional"), Rules(fewest_cards=True)]
    ),
    size=st.integers(0, 11),
)
def test_captures_can_be_touched_in_any_order(seed: int, rules: Rules, size: int) -> None:
    rng = random.Random(seed)
    deck = shuffled(rng, rules)
    game = Game.from_position(rules, [deck[:3], deck[3:6]], table=deck[6 : 6 + size])
    for move in game.legal_moves():
        chosen = [card.number for card in move.captured]
        orders = list(itertools.islice(itertools.permutations(chosen), 24))
        rng.shuffle(chosen)
        for order in [*orders, chosen]:
            touch_out(game, move, list(order))


@given(preset=presets, seed=seeds, last=st.sampled_from(["never", "counts"]))
def test_never_two_scope_in_a_row(preset: str, seed: int, last: str) -> None:
    rules = Rules.preset(preset, scopa_last_play=last)
    game, rng = Game.deal(rules, seed=seed), random.Random(seed)
    sweeps = []
    while not game.is_over:
        before = sum(game.scope)
        game.play(rng.choice(game.legal_moves()))
        sweeps.append(sum(game.scope) - before)
    assert set(sweeps) <= {0, 1}
    assert (1, 1) not in set(itertools.pairwise(sweeps))
    assert sum(sweeps) <= (rules.plays + 1) // 2
    if last == "never":
        assert sweeps[-1] == 0


def test_leftovers_and_piles_follow_from_the_history() -> None:
    """Piles, scope and leftovers told again from who played what; the last capturer is often
    not the last player, so that a wrong rule would show (pitfall B09)."""
    differ = 0
    for preset in PRESETS:
        rules = Rules.preset(preset)
        for seed in range(60):
            game = random_play(Game.deal(rules, seed=seed), random.Random(seed))
            piles: list[set[str]] = [set() for _ in rules.sides]
            table = set(names(game.record["opening"]))
            seat, last = (game.dealer + 1) % rules.players, None
            scope = [0] * rules.num_sides
            total = sum(int(name[:-1]) for name in table)
            bonus = {15: rules.fifteen_scope, 30: rules.thirty_scope}.get(total, 0)
            if bonus:
                last = game.dealer
                scope[rules.side_of(last)] = bonus
                piles[rules.side_of(last)] |= table
                table = set()
            for ply, move in enumerate(game.plays):
                if move.captured:
                    assert move.captured <= table
                    table -= move.captured
                    piles[rules.side_of(seat)] |= {move.card, *move.captured}
                    last = seat
                    if not table and ply < rules.plays - 1:
                        scope[rules.side_of(seat)] += rules.scopa_value
                else:
                    table.add(move.card)
                seat = (seat + 1) % rules.players
            assert game.last_capturer == last
            assert (seat - 1) % rules.players == game.dealer
            differ += last != game.dealer
            if last is not None:
                piles[rules.side_of(last)] |= table
                table = set()
            assert game.piles == piles
            assert game.table == table
            if not rules.ace_sweep:
                assert game.scope == scope
    assert differ > 30


@given(preset=presets, seed=seeds)
def test_points_of_a_deal(preset: str, seed: int) -> None:
    game = random_play(Game.deal(preset, seed=seed), random.Random(seed))
    scores = game.scores()
    categories = set(scores[0]) - {"total", "n_cards", "n_denari", "primiera_total"}
    for row in scores:
        assert row["total"] == sum(row[kind] for kind in categories)
    if game.last_capturer is None:
        return
    assert sum(row["n_cards"] for row in scores) == game.rules.deck_size
    assert sum(row["n_denari"] for row in scores) == game.rules.ranks
    assert sum(row["settebello"] for row in scores) == game.rules.settebello
    for point, count in (("carte", "n_cards"), ("denari", "n_denari")):
        counts = [row[count] for row in scores]
        alone = counts.count(max(counts)) == 1
        assert [row[point] for row in scores] == [
            int(alone and n == max(counts)) * getattr(game.rules, point) for n in counts
        ]
    if game.rules.num_sides == 2:
        (a, b) = scores
        assert a["carte"] + b["carte"] == (a["n_cards"] != b["n_cards"]) * game.rules.carte
        assert a["denari"] + b["denari"] == (a["n_denari"] != b["n_denari"]) * game.rules.denari


@given(preset=st.sampled_from([p for p in PRESETS if not Rules.preset(p).fifteen
                               and not Rules.preset(p).ace_sweep]), seed=seeds)  # fmt: skip
def test_values_not_captured_are_even(preset: str, seed: int) -> None:
    """The deck is worth 220, and a capture by equal card or sum takes twice the card's value."""
    game, rng = Game.deal(preset, seed=seed), random.Random(seed)
    while not game.is_over:
        game.play(rng.choice(game.legal_moves()))
        caught = sum(card.rank for pile in game.piles for card in pile)
        assert caught % 2 == 0
        if not game.is_over:
            left = [*game.table, *game.stock, *(c for hand in game.hands for c in hand)]
            assert sum(card.rank for card in left) % 2 == 0


# -- suits and seats are names ------------------------------------------------------------------


def permuted(cards: Any, to: str) -> list[str]:
    """Cards with the suits C, S, B renamed; denari stay."""
    new = dict(zip("DCSB", "D" + to, strict=True))
    return [name[:-1] + new[name[-1]] for name in map(str, cards)]


def move_key(move: Any) -> tuple[str, frozenset[str]]:
    return str(move.card), frozenset(map(str, move.captured))


@settings(max_examples=max(15, settings.default.max_examples // 2))
@given(
    preset=st.sampled_from(WHOLE_DECK),
    seed=seeds,
    to=st.sampled_from(["CBS", "SCB", "SBC", "BCS", "BSC"]),
)
def test_plain_suits_are_only_names(preset: str, seed: int, to: str) -> None:
    """Renaming coppe, spade and bastoni renames moves, piles and observations, no more."""
    rules, rng = Rules.preset(preset), random.Random(seed)
    if rules.hand_bonus:
        to = "CBS"  # the matta is the 7 of coppe
    deck = shuffled(rng, rules)
    dealer = rng.randrange(rules.players)
    game = Game.deal(rules, seed=1, dealer=dealer, deck=deck)
    other = Game.deal(rules, seed=1, dealer=dealer, deck=permuted(deck, to))
    if game.redeals:
        assert other.redeals
        return
    layout = Layout(rules)
    swap = np.array([NAMES.index(permuted([name], to)[0]) for name in NAMES])
    place = np.arange(layout.size)
    for field in layout:
        if field.size == 40:
            place[field.start + swap] = np.arange(field.start, field.start + 40)
    while True:
        assert set(permuted(game.table, to)) == other.table
        assert [set(permuted(pile, to)) for pile in game.piles] == other.piles
        assert game.scope == other.scope
        assert (game.to_move, game.last_capturer) == (other.to_move, other.last_capturer)
        for seat in range(rules.players):
            seen = observe(game, seat, layout)[place]
            np.testing.assert_allclose(seen, observe(other, seat, layout), atol=1e-5)
        if game.is_over:
            break
        moves = {
            (permuted([card], to)[0], frozenset(permuted(taken, to)))
            for card, taken in map(move_key, game.legal_moves())
        }
        assert moves == set(map(move_key, other.legal_moves()))
        action = random_touch(game, rng)
        other.act(DONE if action == DONE else int(swap[action]))
    assert game.scores() == other.scores()


@settings(max_examples=max(15, settings.default.max_examples // 2))
@given(preset=presets, seed=seeds)
def test_seats_are_only_names(preset: str, seed: int) -> None:
    """With the dealer moved on, everything is the same one seat, and one side, further on."""
    rules, rng = Rules.preset(preset), random.Random(seed)
    deck, layout = shuffled(rng, rules), Layout(preset)
    dealer = rng.randrange(rules.players)

    def after(seat: int | None) -> int | None:
        return None if seat is None else (seat + 1) % rules.players

    def moved(by_place: list[Any]) -> list[Any]:
        return by_place[-1:] + by_place[:-1]

    game = Game.deal(rules, seed=1, dealer=dealer, deck=deck)
    other = Game.deal(rules, seed=1, dealer=after(dealer), deck=deck)
    assert game.redeals == other.redeals
    if game.redeals:
        return
    while True:
        assert other.hands == moved(game.hands)
        assert other.piles == moved(game.piles)
        assert other.scope == moved(game.scope)
        assert other.table == game.table
        assert other.to_move == after(game.to_move)
        assert other.last_capturer == after(game.last_capturer)
        for seat in range(rules.players):
            ours, theirs = observe(game, seat, layout), observe(other, after(seat), layout)
            np.testing.assert_array_equal(ours, theirs)
        if game.is_over:
            break
        assert other.legal_actions() == game.legal_actions()
        other.act(random_touch(game, rng))
    assert other.scores() == moved(game.scores())


# -- copies -------------------------------------------------------------------------------------


def saved_and_loaded(games: np.ndarray) -> np.ndarray:
    file = io.BytesIO()
    np.save(file, games, allow_pickle=False)
    file.seek(0)
    return np.load(file, allow_pickle=False)


@given(preset=presets, seed=seeds, touches=st.integers(0, 30))
def test_copies_go_on_alike(preset: str, seed: int, touches: int) -> None:
    """A clone and a saved game are their own games, and go on to the same end."""
    game, rng = Game.deal(preset, seed=seed), random.Random(seed)
    for _ in range(min(touches, game.rules.plays - 1)):
        random_touch(game, rng)
    clone = game.clone()
    loaded = saved_and_loaded(np.array([game.record, game.record]))
    assert loaded.dtype == GAME_DTYPE
    saved = Game(game.rules, loaded[1])
    seen = Game(game.rules, saved_and_loaded(np.array([view(game, 0)]))[0])
    assert same(seen.record, view(game, 0))
    before = game.clone()
    random_play(clone, random.Random(seed))
    assert same(game.record, before.record)
    for other in (saved, game):
        random_play(other, random.Random(seed))
        assert same(other.record, clone.record)


def test_loaded_games_go_through_kernels() -> None:
    """A file gives plain structured arrays; seen as GAME_DTYPE they are games again."""
    games = np.array([Game.deal("scopone", seed=seed).record for seed in range(5)], GAME_DTYPE)
    loaded = saved_and_loaded(games).view(GAME_DTYPE)
    for one, other in zip(games, loaded, strict=True):
        playout(one, np.arange(4, dtype=np.uint32))
        playout(other, np.arange(4, dtype=np.uint32))
        assert one["to_move"] == -1
        assert same(one, other)


def test_records_have_no_padding() -> None:
    """Bytes that no field owns hold what lay in memory, so equal games differ as bytes."""
    ends = [GAME_DTYPE.fields[name][1] + GAME_DTYPE[name].itemsize for name in GAME_DTYPE.names]
    starts = [GAME_DTYPE.fields[name][1] for name in GAME_DTYPE.names]
    assert starts == [0, *ends[:-1]]
    assert ends[-1] == GAME_DTYPE.itemsize


# -- captures against brute force ---------------------------------------------------------------

TABLES = 100_000


def brute_force(rules: Rules, cards: np.ndarray, sums: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Which subsets of each table its card may take, ``bool[tables, subsets]``.

    Args:
        cards: the card played, by table; sums, sets: value and bits of each table's subsets.
    """
    rank = cards[:, None] // 4 + 1
    single = (sets & (sets - 1)) == 0
    whole = sets == sets[:, -1:]
    equal = single & (sums == rank) & rules.equal
    some = ~single & (sums == rank) & rules.sum
    if rules.equal_priority:
        some &= ~equal.any(1, keepdims=True)
    found = equal | some
    if rules.fifteen:
        found |= sums == 15 - rank
    if rules.ace_sweep:
        aces = (sets[:, -1:] & 0xF) != 0
        found |= (rank == 1) & ~aces & whole
        if rules.ace_with_ace_on_table == "sweeps":
            sweeps = (rank == 1) & aces
            found = (found & ~(sweeps & single & (sums == 1))) | (sweeps & whole)
    found &= sets != 0
    if rules.fewest_cards:
        size = ((np.arange(sets.shape[1])[:, None] >> np.arange(12)) & 1).sum(1)
        least = np.where(found, size, 99).min(1, keepdims=True)
        found &= size == least
    return found


@numba.njit
def ask(games: Any, cards: Any, tables: Any, chosen: Any, answer: Any, out: Any) -> Any:
    """What the kernels say of many tables: ``takes`` by row of answer, all listed takes in out."""
    n = 0
    for i in range(len(cards)):
        count, take, touchable, exact = takes(games[0], tables[i], cards[i], chosen[i])
        answer[i, 0], answer[i, 1], answer[i, 2], answer[i, 3] = count, take, touchable, exact
        answer[i, 4] = list_takes(games[0], tables[i], cards[i], chosen[i], out[n:])
        n += answer[i, 4]
    return n


def compare_takes(
    games: np.ndarray,
    cards: np.ndarray,
    tables: np.ndarray,
    chosen: np.ndarray,
    row: np.ndarray,
    wanted: np.ndarray,
) -> None:
    """Check the kernels on tables; ``wanted`` are all takes, of the tables in ``row``, 0: none."""
    answer = np.zeros((len(cards), 5), np.int64)
    out = np.zeros(len(wanted) + 1000, np.int64)
    number = ask(games, cards, tables, chosen, answer, out)
    assert number == len(wanted)
    count = np.bincount(row, minlength=len(cards))
    assert np.array_equal(answer[:, 0], count)
    assert np.array_equal(answer[:, 4], count)
    order = np.lexsort((wanted, row))
    row, wanted = row[order], wanted[order]
    listed = out[:number][np.lexsort((out[:number], np.repeat(np.arange(len(cards)), count)))]
    assert np.array_equal(listed, wanted)
    union, exact = np.zeros(len(cards), np.int64), np.zeros(len(cards), np.int64)
    np.bitwise_or.at(union, row, wanted)
    exact[row[wanted == chosen[row]]] = 1
    assert np.array_equal(answer[:, 2], union & ~chosen)
    assert np.array_equal(answer[:, 3], exact)
    single = count[row] == 1
    assert np.array_equal(answer[row[single], 1], wanted[single])


def check_tables(rules: Rules, number: int, seed: int) -> None:
    """Compare what the capture kernels say on random tables with brute force."""
    rng = np.random.default_rng(seed)
    games = new_games(rules.code, 1)
    sizes = rng.choice(12, number, p=np.array([1, 2, 4, 6, 8, 8, 8, 6, 4, 2, 1, 1]) / 51)
    for size, total in enumerate(np.bincount(sizes, minlength=12)):
        members = (np.arange(1 << size)[:, None] >> np.arange(size)) & 1
        for tables in [1000] * (total // 1000) + [total % 1000]:
            # The cards of each table, and last the card played.
            deal = np.argsort(rng.random((tables, 40)), axis=1)[:, : size + 1]
            cards, lying = deal[:, size].copy(), deal[:, :size]
            sets = (1 << lying) @ members.T
            found = brute_force(rules, cards, (lying // 4 + 1) @ members.T, sets)
            lay = ~found.any(1) if rules.compulsory == "played_card" else np.ones(tables, bool)
            row, which = np.nonzero(found)
            wanted = sets[row, which]
            compare_takes(
                games, cards, sets[:, -1].copy(), np.zeros(tables, np.int64),
                np.concatenate([row, np.nonzero(lay)[0]]),
                np.concatenate([wanted, np.zeros(lay.sum(), np.int64)]),
            )  # fmt: skip
            # And once a part of a capture is chosen.
            part = wanted & rng.integers(1 << 40, size=len(wanted))
            some, first = np.unique(row[part != 0], return_index=True)
            chosen = part[part != 0][first]
            place = np.searchsorted(some, row)
            known = np.isin(row, some)
            left = np.zeros(len(row), bool)
            left[known] = (wanted[known] & chosen[place[known]]) == chosen[place[known]]
            compare_takes(games, cards[some], sets[some, -1], chosen, place[left], wanted[left])


FIFTEEN_ONLY = {"equal": False, "sum": False, "fifteen": True}


@pytest.mark.parametrize(
    ("options", "number"),
    [
        ({}, TABLES),
        ({"fifteen": True}, TABLES),
        (FIFTEEN_ONLY, TABLES // 5),
        ({"equal_priority": False}, TABLES // 10),
        ({"fewest_cards": True}, TABLES // 10),
        ({"compulsory": "optional", "fifteen": True}, TABLES // 10),
        ({"ace_sweep": True, "fifteen": True}, TABLES // 10),
        ({"ace_sweep": True, "ace_with_ace_on_table": "sweeps"}, TABLES // 10),
        ({**FIFTEEN_ONLY, "ace_sweep": True, "fewest_cards": True}, TABLES // 10),
        ({"equal": False}, TABLES // 20),
        ({"sum": False}, TABLES // 20),
    ],
    ids=str,
)
def test_captures_against_brute_force(options: dict[str, Any], number: int) -> None:
    check_tables(Rules(**options), number, seed=11)


def test_the_whole_deck_on_the_table() -> None:
    """The largest tables there can be: 39 cards, against the count of all subsets by value."""
    for rules in (Rules(equal_priority=False), Rules(fifteen=True, equal_priority=False)):
        g = new_games(rules.code, 1)[0]
        for card in range(0, 40, 3):
            table = bits(other_cards(NAMES[card]))
            ways = [1, *[0] * 15]
            for other in other_cards(NAMES[card]):
                value = int(other[:-1])
                for total in range(15, value - 1, -1):
                    ways[total] += ways[total - value]
            rank = card // 4 + 1
            wanted = ways[rank] + (ways[15 - rank] if rules.fifteen else 0)
            assert takes(g, table, card, 0)[0] == wanted
            out = np.zeros(wanted, np.int64)
            assert list_takes(g, table, card, 0, out) == wanted
            assert len(np.unique(out)) == wanted
            values = {sum(int(name[:-1]) for name in names(one)) for one in out[:50]}
            assert values <= {rank, 15 - rank}
