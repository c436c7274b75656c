"""What a seat sees. Twin test: a game drawn anew from a view gives the same view, observations
and mask, at every touch; hidden fields are erased; draws are uniform; and observations equal an
independent account of the public record and of each move's consequences."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from math import comb
from typing import Any

import numpy as np
import pytest
from helpers import NAMES, bits, other_cards, random_play, random_touch, same
from scipy.stats import chi2

from scopa_env import CARDS, PRESETS, Game, Layout, Rules, hand_bonus, legal_captures, sample_game
from scopa_env.game import GAME_DTYPE, GAME_FIELDS, legal_mask
from scopa_env.observation import observe, observe_views
from scopa_env.rules import RULES_DTYPE
from scopa_env.view import sample_games, unseen, view, views

TWIN_GAMES = 4
HIDDEN_FROM_ALL = ("deck", "rng")


def mask_of(record: Any, seat: int) -> np.ndarray:
    mask = np.empty(41, np.int8)
    legal_mask(record, seat, mask)
    return mask


def games_of(preset: str, count: int, **options: Any) -> list[tuple[Game, random.Random]]:
    rules = Rules.preset(preset, **options)
    return [(Game.deal(rules, seed=s), random.Random(f"{preset} {s}")) for s in range(count)]


# -- views --------------------------------------------------------------------------------------


def check_twin(game: Game, layouts: list[Layout], rng: np.random.Generator) -> None:
    for seat in range(game.rules.players):
        seen = view(game, seat)
        twin = Game(game.rules, sample_game(seen, rng))
        assert same(view(twin, seat), seen)
        assert view(twin, seat).tobytes() == seen.tobytes()
        assert twin.record["viewer"] == -1
        for layout in layouts:
            observation = observe(game, seat, layout)
            assert observation.tobytes() == observe(twin, seat, layout).tobytes()
            assert observation.tobytes() == observe(seen, seat, layout).tobytes()
        mask = mask_of(game.record, seat)
        assert (mask.sum() > 0) == (seat == game.to_move)
        assert mask.tobytes() == mask_of(seen, seat).tobytes()
        assert mask.tobytes() == mask_of(twin.record, seat).tobytes()
        if seat == game.to_move:
            assert twin.legal_moves() == game.legal_moves()


@pytest.mark.parametrize("preset", PRESETS)
def test_twin_at_every_touch(preset: str) -> None:
    """Pitfall B19: nothing that a seat sees depends on what it cannot see."""
    layouts = [Layout(preset, "full"), Layout(preset, "raw")]
    for i, (game, rng) in enumerate(games_of(preset, TWIN_GAMES)):
        draws = np.random.default_rng(i)
        while True:
            check_twin(game, layouts, draws)
            if game.is_over:
                break
            random_touch(game, rng)


def test_twin_in_moves_under_way() -> None:
    """Moves of many touches: the others must not see what the mover has touched."""
    rules = Rules(fifteen=True, compulsory="optional", equal_priority=False)
    layouts = [Layout(rules, "full"), Layout(rules, "raw")]
    rng, draws, under_way = random.Random(1), np.random.default_rng(1), 0
    for _ in range(20):
        deck = rng.sample(NAMES, 40)
        game = Game.from_position(rules, [deck[:3], deck[3:6]], deck[6:14], deck[14:26])
        for _ in range(12):
            if game.is_over:
                break
            check_twin(game, layouts, draws)
            if game.touched is not None:
                under_way += 1
                other = 1 - game.to_move
                seen = view(game, other)
                assert (seen["touched"], seen["chosen"]) == (-1, 0)
                own = view(game, game.to_move)
                assert own["touched"] == game.touched.number
                assert own["chosen"] == bits(game.chosen)
            random_touch(game, rng)
    assert under_way > 50


@pytest.mark.parametrize("preset", PRESETS)
def test_a_view_erases_what_is_hidden_and_nothing_else(preset: str) -> None:
    public = {*GAME_DTYPE.names} - {"hand", "touched", "chosen", "viewer", *HIDDEN_FROM_ALL}
    for game, rng in games_of(preset, 3):
        for _ in range(min(10, game.rules.plays - 1)):
            random_touch(game, rng)
        for seat in range(game.rules.players):
            seen = view(game, seat)
            assert seen["viewer"] == seat
            assert (seen["deck"] == -1).all()
            assert (seen["rng"] == 0).all()
            hands = [int(hand) for hand in seen["hand"]]
            assert hands[seat] == game.record["hand"][seat]
            for other, hand in enumerate(hands):
                assert other == seat or hand == bits([*game.shown, *[()] * 6][other])
            for name in public:
                assert np.array_equal(seen[name], game.record[name]), name
            assert same(game.view(seat), seen)
            assert same(view(seen, seat), seen)


def test_every_field_is_marked_hidden_or_public() -> None:
    hidden = {name for name, _, _, meaning in GAME_FIELDS if "hidden" in meaning}
    assert hidden == {"hand", *HIDDEN_FROM_ALL}
    movers = {name for name, _, _, meaning in GAME_FIELDS if "mover's own" in meaning}
    assert movers == {"touched", "chosen"}
    fields = [*RULES_DTYPE.names, *(name for name, *_ in GAME_FIELDS)]
    assert set(GAME_DTYPE.names) - {"spare"} == set(fields)
    assert len(set(fields)) == len(fields)


def test_views_are_for_one_seat() -> None:
    game = Game.deal("scopa_teams", seed=1)
    seen = view(game, 1)
    for seat in (0, 2, 3):
        with pytest.raises(ValueError, match="view of seat 1"):
            view(seen, seat)
    for seat in (-1, 4, 100):
        with pytest.raises(ValueError, match="seats are 0 to 3"):
            view(game, seat)
    with pytest.raises(ValueError, match="a view is wanted"):
        sample_game(game, np.random.default_rng(1))
    with pytest.raises(ValueError, match="a view is wanted"):
        sample_games(game.record, 3, np.random.default_rng(1))


def test_views_of_many() -> None:
    games = [random_play(g, r) if i % 3 == 0 else g
             for i, (g, r) in enumerate(games_of("scopa_3p", 9))]  # fmt: skip
    records = np.array([game.record for game in games], GAME_DTYPE)
    before = records.copy()
    seats = np.arange(9) % 3
    for many, want in ((views(records, seats), seats), (views(records, 2), [2] * 9)):
        for one, game, seat in zip(many, games, want, strict=True):
            assert same(one, view(game, int(seat)))
    assert all(same(a, b) for a, b in zip(records, before, strict=True))
    layout = Layout("scopa_3p")
    together = observe_views(views(records, seats), layout)
    for row, game, seat in zip(together, games, seats, strict=True):
        assert row.tobytes() == observe(game, int(seat), layout).tobytes()


# -- drawing games from a view ------------------------------------------------------------------


def uniform(counts: Counter[Any], cells: int) -> bool:
    """Chi-square at the level 0.1%: whether draws look uniform over so many cells."""
    expected = counts.total() / cells
    statistic = sum((n - expected) ** 2 for n in counts.values()) / expected
    statistic += (cells - len(counts)) * expected
    return len(counts) <= cells and statistic < chi2.ppf(0.999, cells - 1)


def test_draws_are_uniform_over_all_hands() -> None:
    """Three players, two hidden hands of two: 6 ways; with a stock of nine: all its orders."""
    rest = other_cards("1D 2D 3D 4D 5D")
    game = Game.from_position("scopa_3p", ["1D", "2D 3D", "4D 5D"], piles=[rest, "", ""])
    drawn = sample_games(view(game, 0), 12_000, np.random.default_rng(3))
    assert (drawn["hand"][:, 0] == 1).all()
    assert ((drawn["hand"][:, 1] | drawn["hand"][:, 2]) == bits(["2D", "3D", "4D", "5D"])).all()
    assert uniform(Counter(drawn["hand"][:, 1].tolist()), 6)


def test_draws_are_uniform_over_hand_and_stock() -> None:
    """Nine hidden cards: 84 hands of three, and each card in each place of the stock."""
    mine, hidden = ["1D", "1C", "1S"], NAMES[3:12]
    rest = other_cards(*mine, *hidden)
    game = Game.from_position("scopa", [mine, hidden[:3]], stock=hidden[3:], piles=[rest, ""])
    drawn = sample_games(view(game, 0), 25_200, np.random.default_rng(4))
    assert uniform(Counter(drawn["hand"][:, 1].tolist()), 84)
    stock = drawn["deck"][:, 34:]
    assert (drawn["deck"][:, :34] == -1).all()
    for place in range(6):
        assert uniform(Counter(stock[:, place].tolist()), 9)
    pairs = Counter(zip(stock[:, 0].tolist(), stock[:, 5].tolist(), strict=True))
    assert uniform(pairs, 72)
    assert len({tuple(row) for row in drawn["rng"].tolist()}) == len(drawn)


@pytest.mark.parametrize("preset", PRESETS)
def test_drawn_games_are_games(preset: str) -> None:
    """Each hidden card once, hands of the right size, and they play on to the end."""
    for game, rng in games_of(preset, 4):
        for _ in range(rng.randrange(game.rules.plays)):
            random_touch(game, rng)
        for seat in range(game.rules.players):
            twin = game.sample(seat, np.random.default_rng(seat))
            assert [len(hand) for hand in twin.hands] == [len(hand) for hand in game.hands]
            assert len(twin.stock) == len(game.stock)
            hidden = [*twin.stock, *(c for s, h in enumerate(twin.hands) if s != seat for c in h)]
            assert len(set(hidden)) == len(hidden)
            assert twin.shown == game.shown
            shown = set().union(*(hand for s, hand in enumerate(game.shown) if s != seat))
            hidden = [card for card in hidden if card not in shown]
            assert bits(hidden) == unseen(game.record, seat) == unseen(view(game, seat), seat)
            random_play(twin, rng)
            lying = [card for place in [twin.table, *twin.piles] for card in place]
            assert bits(lying) == game.record["all_cards"]
            assert len(lying) == game.rules.deck_size


def test_drawn_hands_would_not_have_had_to_be_shown() -> None:
    """Cirulla: a hand that was not shown pays nothing, also one of which a card is played."""
    checked = 0
    for game, rng in games_of("cirulla", 12):
        hands = list(game.hands)
        for _ in range(rng.randrange(4)):
            game.play(rng.choice(game.legal_moves()))
        played = [set(hand) - set(now) for hand, now in zip(hands, game.hands, strict=True)]
        for seat in range(4):
            for draw in range(20):
                twin = game.sample(seat, np.random.default_rng(draw))
                for other in {0, 1, 2, 3} - {seat}:
                    if not hand_bonus(hands[other]):
                        checked += 1
                        assert hand_bonus([*twin.hands[other], *played[other]]) == 0
    assert checked > 1000


def test_who_led_an_ace_where_that_is_forbidden_holds_only_aces() -> None:
    rules = Rules.preset("scopa", ace_first_play="forbidden")
    begin = ["9D", "4C", "8S", "2B", "1D", "1C", "1S"]
    deck = [*begin, *other_cards(*begin)]
    game = Game.deal(rules, seed=1, dealer=0, deck=deck)
    game.play("1D")
    for seed in range(30):
        twin = game.sample(0, np.random.default_rng(seed))
        assert all(card.rank == 1 for card in twin.hands[1])


def test_draws_follow_the_generator() -> None:
    seen = view(Game.deal("scopa", seed=1), 0)
    first = sample_game(seen, np.random.default_rng(5))
    assert same(first, sample_game(seen, np.random.default_rng(5)))
    assert not same(first, sample_game(seen, np.random.default_rng(6)))


# -- observations: the layout -------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_layout_has_no_gaps(preset: str) -> None:
    rules = Rules.preset(preset)
    for observation in ("full", "raw"):
        layout = Layout(preset, observation)
        fields = list(layout)
        assert [field.start for field in fields] == [
            0, *itertools.accumulate(field.size for field in fields[:-1])
        ]  # fmt: skip
        assert layout.size == sum(field.size for field in fields)
        assert len({field.name for field in fields}) == len(fields)
        assert all(field.meaning and layout[field.name] == field.slice for field in fields)
        table = layout.table()
        assert all(f"`{field.name}`" in table for field in fields)
        cut = layout.explain(np.arange(layout.size))
        assert np.array_equal(np.concatenate(list(cut.values())), np.arange(layout.size))
    raw, full = Layout(preset, "raw"), Layout(preset, "full")
    seats, sides = rules.players, rules.num_sides
    shown = 40 * (seats - 1) + sides if rules.hand_bonus else 0
    size = 40 * (3 + sides + seats - 1 + 1) + sides + 3 * seats + 3
    assert raw.size == full.raw_size == size + shown
    assert full.size == raw.size + 6 * 40
    assert list(full)[: len(list(raw))] == list(raw)


def test_layout_sizes_of_plain_scopa() -> None:
    assert (Layout("scopa", "raw").size, Layout("scopa").size) == (291, 531)
    with pytest.raises(ValueError, match="observation='half'"):
        Layout("scopa", "half")
    with pytest.raises(KeyError, match="gain_cards"):
        Layout("scopa")["nothing"]


def test_seats_are_named_from_the_viewer() -> None:
    played = [f.name for f in Layout("scopa_teams") if f.name.startswith("played_")]
    assert played == ["played_next", "played_partner", "played_previous", "played_when"]
    played = [f.name for f in Layout("scopa_6p") if f.name.startswith("played_")]
    assert len(set(played)) == 6
    assert played[2] == "played_partner"


def test_writing_an_observation_stays_within_it() -> None:
    """Kernels know no bounds: what lies beside the mask and the observation stays as it was."""
    from scopa_env.observation import SCRATCH, encode

    for preset in PRESETS:
        for full, layout in ((True, Layout(preset)), (False, Layout(preset, "raw"))):
            for game, rng in games_of(preset, 2):
                guarded = np.full(layout.size + 64, 123, np.float32)
                scratch = np.full(3 * SCRATCH.itemsize, 123, np.uint8)
                own = scratch.view(SCRATCH)[1]
                while not game.is_over:
                    encode(game.record, game.to_move, full, guarded[32:-32], own)
                    assert (guarded[:32] == 123).all()
                    assert (guarded[-32:] == 123).all()
                    assert (scratch[: SCRATCH.itemsize] == 123).all()
                    assert (scratch[-SCRATCH.itemsize :] == 123).all()
                    random_touch(game, rng)


# -- observations: the raw part told again ------------------------------------------------------


def flags(cards: Any) -> list[float]:
    some = {*map(str, cards)}
    return [float(name in some) for name in NAMES]


def raw_part(
    game: Game, seat: int, match: list[int], history: list[tuple[int, str]]
) -> dict[str, list[float]]:
    """What the raw fields should be, from the public face and the history alone."""
    rules = game.rules
    seats = [(seat + k) % rules.players for k in range(rules.players)]
    side = rules.side_of(seat)
    sides = [(side + k) % rules.num_sides for k in range(rules.num_sides)]
    touched = []
    if game.to_move == seat and game.touched is not None:
        touched = [game.touched, *game.chosen]
    layout = Layout(rules, "raw")
    pile_names = [f.name for f in layout if f.name.startswith("pile_")]
    played_names = [f.name for f in layout if f.name.startswith("played_")][:-1]
    when = dict.fromkeys(NAMES, 0.0)
    when.update({card: (ply + 1) / rules.plays for ply, (_, card) in enumerate(history)})
    return {
        "hand": flags(game.hands[seat]),
        "table": flags(game.table),
        "touched": flags(touched),
        **{name: flags(game.piles[s]) for name, s in zip(pile_names, sides, strict=True)},
        **{
            name: flags(card for by, card in history if by == s)
            for name, s in zip(played_names, seats[1:], strict=True)
        },
        **(
            {
                **{
                    f.name: flags(game.shown[s])
                    for f, s in zip(
                        [f for f in layout if f.name.startswith("shown_")], seats[1:], strict=True
                    )
                },
                "bonus": [game.bonus[s] / 10 for s in sides],
            }
            if rules.hand_bonus
            else {}
        ),
        "played_when": [when[name] for name in NAMES],
        "scope": [game.scope[s] / 4 for s in sides],
        "hand_count": [len(game.hands[s]) / rules.hand for s in seats],
        "stock": [len(game.stock) / rules.deck_size],
        "dealer": [float(s == game.dealer) for s in seats],
        "last_capturer": [float(s == game.last_capturer) for s in seats],
        "match": [match[side] / rules.target, max(match[s] for s in sides[1:]) / rules.target],
    }


@pytest.mark.parametrize("preset", PRESETS)
def test_raw_observations(preset: str) -> None:
    layout = Layout(preset, "raw")
    for game, rng in games_of(preset, 2):
        match = [rng.randrange(20) for _ in range(game.rules.num_sides)]
        game.record["match_scores"][: len(match)] = match
        players = game.rules.players
        while True:
            plays = enumerate(game.plays, start=game.dealer + 1)
            history = [(turn % players, str(move.card)) for turn, move in plays]
            for seat in range(game.rules.players):
                wanted = raw_part(game, seat, match, history)
                observation = observe(game, seat, layout)
                assert observation.dtype == np.float32
                found = layout.explain(observation)
                assert list(found) == list(wanted)
                for name, values in wanted.items():
                    np.testing.assert_allclose(found[name], values, atol=2e-6, err_msg=name)
                full = observe(game, seat, Layout(preset))
                assert full[: layout.size].tobytes() == observation.tobytes()
            if game.is_over:
                break
            random_touch(game, rng)


# -- observations: the consequences told again --------------------------------------------------


def worth(cards: Any) -> float:
    """The yardstick of the documentation."""
    total = 0.0
    for name in map(str, cards):
        rank = int(name[:-1])
        total += 0.04 + 0.12 * (name[-1] == "D") + (name == "7D")
        total += {7: 0.25, 6: 0.10, 1: 0.06, 5: 0.04}.get(rank, 0)
    return total


def at_least_one(total: int, good: int, held: int) -> float:
    return 1 - comb(total - good, held) / comb(total, held)


def best_reply(values: list[float], held: int) -> float:
    """The mean, over hands of so many cards, of the largest value in the hand."""
    mean, before = 0.0, 0.0
    for good, value in enumerate(sorted(values, reverse=True), start=1):
        chance = at_least_one(len(values), good, held)
        mean += (chance - before) * value
        before = chance
    return mean


def consequences(game: Game, card: str, taken: Any) -> list[float]:
    """The six numbers of one move, by trying every reply."""
    rules, seat = game.rules, game.to_move
    ply = int(game.record["ply"])
    table = {*map(str, game.table)}
    taken = {*map(str, taken)}
    left = table - taken if taken else table | {card}
    gain = [0.0, 0.0, 0.0]
    if taken:
        after = game.clone()
        after.play(f"{card} x {' '.join(taken)}")
        scopa = sum(after.scope) > sum(game.scope)
        gain = [(len(taken) + 1) / 10, worth([card, *taken]), float(scopa)]
    follower = (seat + 1) % rules.players
    held = len(game.hands[follower]) or (rules.hand if game.stock else 0)
    if not left or not held:
        return [*gain, 0.0, 0.0, 0.0]
    hidden = [*game.stock, *(c for s, hand in enumerate(game.hands) if s != seat for c in hand)]
    hidden = [card for card in hidden if not any(card in hand for hand in game.shown)]
    if game.shown[follower]:
        hidden = list(game.shown[follower])
    counts = rules.scopa_value and (ply + 1 < rules.plays - 1 or rules.scopa_last_play != "never")
    takers, sweepers = 0, 0
    values = {}
    for reply in map(str, hidden):
        options = legal_captures(reply, left, rules)
        counted = {option for option in options if counts and counts_as_scopa(reply, option, rules)}
        sweeping = left in counted
        takers += bool(options)
        sweepers += bool(sweeping)
        values[reply] = max(
            (
                worth([reply, *option])
                + rules.scopa_value * bool(option == left and option in counted)
                for option in options
            ),
            default=0.0,
        )
    for rank in range(1, 11):  # each card of a rank is worth what they are on average
        same_rank = [name for name in values if int(name[:-1]) == rank]
        mean = sum(values[name] for name in same_rank) / (len(same_rank) or 1)
        values.update(dict.fromkeys(same_rank, mean))
    return [
        *gain,
        at_least_one(len(hidden), sweepers, held),
        at_least_one(len(hidden), takers, held),
        best_reply(list(values.values()), held),
    ]


def counts_as_scopa(card: str, taken: Any, rules: Rules) -> bool:
    """Whether a sweep is more than an ace's own, or that is a scopa too."""
    if rules.ace_sweep_scores or not rules.ace_sweep or not card.startswith("1") or card[1] == "0":
        return True
    return taken in legal_captures(card, taken, rules.replace(
        ace_sweep=False, ace_with_ace_on_table="takes_ace", ace_on_empty_table="stays",
        ace_first_play="free"))  # fmt: skip


def check_consequences(game: Game, layout: Layout) -> None:
    """The block of the seat to move, and zeros for all others."""
    blocks = observe(game, game.to_move, layout)[layout.raw_size :].reshape(6, 40)
    moves: dict[int, list[Any]] = {}
    for move in game.legal_moves():
        touches = [move.card] if game.touched is None else set(move.captured) - set(game.chosen)
        for one in touches:
            moves.setdefault(int(one), []).append(move)
    for place in range(40):
        if place not in moves:
            assert not blocks[:, place].any()
            continue

        # The move worth most stands for the touch; where several are, any of them.
        def value(move: Any) -> float:
            scopa = 1.0 if move.captured == game.table else 0.0
            return worth([move.card, *move.captured]) + scopa if move.captured else 0.0

        best = max(map(value, moves[place]))
        wanted = [
            consequences(game, str(move.card), move.captured)
            for move in moves[place]
            if value(move) > best - 1e-6
        ]
        assert any(np.allclose(blocks[:, place], one, atol=2e-5) for one in wanted), (
            f"{NAMES[place]}: {blocks[:, place]} is none of {wanted}\n{game}"
        )
    for seat in range(game.rules.players):
        if seat != game.to_move:
            assert not observe(game, seat, layout)[layout.raw_size :].any()


def play_and_check(rules: Rules, games: int) -> None:
    layout = Layout(rules)
    for seed in range(games):
        game, rng = Game.deal(rules, seed=seed), random.Random(seed)
        while not game.is_over:
            if game.touched is not None or rng.random() < 0.5:
                check_consequences(game, layout)
            random_touch(game, rng)
        assert not observe(game, 0, layout)[layout.raw_size :].any()


@pytest.mark.parametrize("preset", PRESETS)
def test_consequences(preset: str) -> None:
    """Gains, and what the next player may do, by trying every reply.

    For the points of the reply, cards of a rank are each worth what they are on average.
    """
    play_and_check(Rules.preset(preset), 2)


@pytest.mark.parametrize(
    "options",
    [
        {"fifteen": True},
        {"equal": False, "sum": False, "fifteen": True},
        {"compulsory": "optional", "fifteen": True},
        {"fewest_cards": True, "fifteen": True},
        {"equal_priority": False},
        {"scopa_last_play": "counts", "scopa_value": 2},
        {"ace_sweep": True, "ace_sweep_scores": True},
        {"ace_sweep": True, "ace_sweep_scores": True, "ace_with_ace_on_table": "sweeps"},
    ],
    ids=str,
)
def test_consequences_under_options(options: dict[str, Any]) -> None:
    play_and_check(Rules(**options), 2)


@pytest.mark.parametrize(("game", "layout"), [("scopa_6p", "scopa"), ("scopa", "scopa_6p")])
def test_a_layout_of_another_table_is_refused(game: str, layout: str) -> None:
    dealt = Game.deal(game, seed=1)
    with pytest.raises(ValueError, match="this layout is for"):
        observe(dealt, 0, Layout(layout))
    with pytest.raises(ValueError, match="this layout is for"):
        observe_views(np.array([dealt.view(0)], GAME_DTYPE), Layout(layout))


def test_a_seat_that_is_not_there_is_refused() -> None:
    dealt = Game.deal("scopa", seed=1)
    for seat in (-1, 2, 5):
        with pytest.raises(ValueError, match="the seats are 0 to 1"):
            observe(dealt, seat, Layout("scopa"))
    with pytest.raises(ValueError, match="views are wanted"):
        observe_views(np.array([dealt.record], GAME_DTYPE), Layout("scopa"))


def test_hands_longer_than_any_deal_gives_have_chances() -> None:
    names = [str(c) for c in CARDS]
    game = Game.from_position("scopa", [names[0::2], names[1::2]])
    layout = Layout("scopa")
    seen = observe(game, 0, layout)
    for name in ("reply_scopa", "reply_chance"):
        chances = seen[layout[name]]
        assert ((chances >= 0) & (chances <= 1)).all()


def test_many_views_are_not_views_of_views() -> None:
    games = np.array([Game.deal("scopa", seed=s).record for s in range(3)], GAME_DTYPE)
    seen = views(games, [0, 1, 0])
    assert same(views(seen, [0, 1, 0]), seen)
    with pytest.raises(ValueError, match="view of another seat"):
        views(seen, [0, 0, 0])
    with pytest.raises(ValueError, match="not at the table"):
        views(games, 2)
