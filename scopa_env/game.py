"""The state of one deal as a fixed-size record, and the verbs of the game.

A game is a scalar of :data:`GAME_DTYPE`; many games are an array of them. So a copy is a clone,
an array is a batch, and ``numpy.save`` is saving. Verbs work on a record in place.

A move is made by touching cards: the card played, then, where it could take in more than one
way, table cards until one take is left. Actions 0..39 touch a card, :data:`DONE` says that the
chosen cards are all (or that the card is laid although it could take).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scopa_env._jit import jit, lowest_bit, popcount, write_bits
from scopa_env._random import below
from scopa_env.captures import (
    BIT,
    rank_sum,
    ranks_present,
    sweeps_as_plain_card,
    takes,
    takes_itself,
)
from scopa_env.cards import ACES, KINGS, MATTA, NUM_CARDS
from scopa_env.rules import MAX_PLAYERS, RULES_DTYPE

__all__ = [
    "DONE",
    "GAME_DTYPE",
    "NUM_ACTIONS",
    "check_games",
    "copy_games",
    "deal_round",
    "deal_stacked",
    "hand_bonus",
    "is_legal",
    "lay_out",
    "legal_mask",
    "move_to_touch",
    "new_games",
    "play",
    "playable",
    "playout",
    "random_action",
    "start_deal",
    "touch",
    "voids",
    "write_mask",
]

DONE = 40
NUM_ACTIONS = 41

NONE = -1  # no seat, no card
UNKNOWN = -1  # a deck place whose card is not known to the viewer

#: Every field of a game: name, dtype, shape, meaning. The rules come first (RULES_DTYPE).
GAME_FIELDS: tuple[tuple[str, Any, tuple[int, ...], str], ...] = (
    ("side", np.int64, (MAX_PLAYERS,), "side of each seat"),
    ("all_cards", np.int64, (), "cards of the deck"),
    ("rng", np.uint32, (4,), "generator of this game's deals (hidden)"),
    ("deck", np.int8, (NUM_CARDS,), "cards in the order they are dealt; -1: unknown (hidden)"),
    ("dealt", np.int64, (), "cards of the deck dealt so far"),
    ("hand", np.int64, (MAX_PLAYERS,), "cards in hand, by seat (others' hidden)"),
    ("hand_count", np.int64, (MAX_PLAYERS,), "number of cards in hand, by seat"),
    ("table", np.int64, (), "cards on the table"),
    ("pile", np.int64, (MAX_PLAYERS,), "cards captured, by side"),
    ("scope", np.int64, (MAX_PLAYERS,), "points for scope so far, by side"),
    ("bonus", np.int64, (MAX_PLAYERS,), "points for hands shown so far, by side"),
    ("shown", np.int64, (MAX_PLAYERS,), "cards of the hand that a seat had to show, its round"),
    ("opening", np.int64, (), "cards that lay on the table before the first play"),
    ("played", np.int64, (MAX_PLAYERS,), "cards played so far, by seat"),
    ("ply", np.int64, (), "cards played so far, their number"),
    ("card_at", np.int8, (NUM_CARDS,), "card of each play, by ply; -1: not yet"),
    ("take_at", np.int64, (NUM_CARDS,), "table cards that each play took, by ply"),
    ("to_move", np.int64, (), "seat to move; -1 when the deal is over"),
    ("dealer", np.int64, (), "seat that dealt"),
    ("last_capturer", np.int64, (), "seat that captured last, -1: nobody yet"),
    ("redeals", np.int64, (), "void deals before this one"),
    ("touched", np.int64, (), "card touched in the move under way, -1: none (mover's own)"),
    ("chosen", np.int64, (), "table cards chosen in the move under way (mover's own)"),
    ("deal_number", np.int64, (), "deals of the match before this one"),
    ("match_scores", np.int64, (MAX_PLAYERS,), "points of the match before this deal, by side"),
    ("viewer", np.int64, (), "seat whose view this record is, -1: the whole game"),
)


def _game_dtype() -> np.dtype[Any]:
    """A record without padding, so that equal games are equal bytes."""
    rules = [(name, RULES_DTYPE[name]) for name in RULES_DTYPE.names or ()]
    fields = [(name, np.dtype((kind, shape))) for name, kind, shape, _ in GAME_FIELDS]
    fields = sorted([*fields, *rules], key=lambda item: -item[1].base.itemsize)
    size = sum(dtype.itemsize for _, dtype in fields)
    if size % 8:
        fields.append(("spare", np.dtype((np.int8, (-size % 8,)))))
    dtype = np.dtype((np.record, np.dtype(fields, align=True)))
    assert dtype.itemsize == size + -size % 8
    return dtype


GAME_DTYPE = _game_dtype()

#: A record as bare bytes: NumPy copies these many times as fast as field by field.
GAME_BYTES = np.dtype((np.void, GAME_DTYPE.itemsize))


def copy_games(games: np.ndarray, index: Any = slice(None)) -> np.ndarray:
    """A copy of some games of a contiguous array ``GAME_DTYPE[B]``."""
    return np.array(games.view(GAME_BYTES)[index]).view(GAME_DTYPE)


def new_games(code: np.void, count: int) -> np.ndarray:
    """``GAME_DTYPE[count]``: games under the rules of ``code`` that are yet to be dealt."""
    games = np.zeros(count, GAME_DTYPE)
    for name in RULES_DTYPE.names or ():
        games[name] = code[name]
    deck = [4 * rank + suit for rank in range(code["ranks"]) for suit in range(code["suits"])]
    games["all_cards"] = sum(1 << card for card in deck)
    for seat in range(MAX_PLAYERS):
        games["side"][:, seat] = seat % code["num_sides"]
    games["viewer"] = NONE
    games["to_move"] = NONE
    return games


def check_games(games: Any, code: np.void) -> np.ndarray:
    """Games as a contiguous array, if kernels may be let loose on them.

    Raises:
        ValueError: for what are no games in play under the rules of ``code``.
    """
    games = np.ascontiguousarray(games)
    if games.dtype != GAME_DTYPE or games.ndim != 1:
        raise ValueError(f"games: an array GAME_DTYPE[B] is wanted, not {games.dtype.name[:40]}")
    for name in RULES_DTYPE.names or ():
        if (games[name] != code[name]).any():
            raise ValueError(f"games: dealt by other rules, of another {name}")
    players, cards = int(code["players"]), int(code["ranks"]) * int(code["suits"])
    own = new_games(code, 1)
    limits = {
        "to_move": (0, players - 1),
        "dealer": (0, players - 1),
        "last_capturer": (NONE, players - 1),
        "touched": (NONE, NUM_CARDS - 1),
        "dealt": (0, cards),
        "ply": (0, NUM_CARDS - 1),
        "hand_count": (0, NUM_CARDS),
        "deck": (UNKNOWN, NUM_CARDS - 1),
        "card_at": (NONE, NUM_CARDS - 1),
        "viewer": (NONE, NONE),
    }
    good = np.ones(len(games), np.bool_)
    for name, (low, high) in limits.items():
        inside = (games[name] >= low) & (games[name] <= high)
        good &= inside.reshape(len(games), -1).all(1)
    for name in ("side", "all_cards"):
        good &= (games[name] == own[name]).reshape(len(games), -1).all(1)
    seen = np.zeros(len(games), np.int64)
    for place in [games["table"], *games["hand"].T, *games["pile"].T]:
        good &= (place & (seen | ~own["all_cards"][0])) == 0
        seen |= place
    held = np.vectorize(lambda bits: int(bits).bit_count(), otypes=[np.int64])(
        games["hand"] & int(own["all_cards"][0])
    )
    good &= (held == games["hand_count"]).all(1)
    mover = np.clip(games["to_move"], 0, players - 1)
    good &= games["hand_count"][np.arange(len(games)), mover] > 0
    good &= (games["chosen"] & ~games["table"]) == 0
    good &= games["hand_count"].sum(1) + cards - games["dealt"] + games["ply"] <= NUM_CARDS
    if not good.all():
        raise ValueError(f"games: number {int(np.argmin(good))} is no game in play")
    return games


@jit
def next_seat(g: Any, seat: Any) -> Any:
    """The seat that plays after this one."""
    return seat + 1 if seat + 1 < g.players else 0


@jit
def start_deal(g: Any, dealer: Any) -> None:
    """Shuffle and deal, again while the opening table voids the deal; ``dealer`` keeps dealing."""
    shuffle(g)
    deal_stacked(g, dealer)


@jit
def deal_stacked(g: Any, dealer: Any) -> None:
    """Deal the deck that lies in ``g.deck``; shuffle and deal again while the table voids it."""
    g.dealer = dealer
    g.redeals = 0
    while lay_out(g):
        g.redeals += 1
        shuffle(g)


@jit
def shuffle(g: Any) -> None:
    """Put the deck in random order with the game's own generator (Fisher-Yates)."""
    n = 0
    for card in range(4 * g.ranks):
        if card & 3 < g.suits:
            g.deck[n] = card
            n += 1
    for i in range(n - 1, 0, -1):
        j = below(g.rng, i + 1)
        other = g.deck[i]
        g.deck[i] = g.deck[j]
        g.deck[j] = other


@jit
def lay_out(g: Any) -> Any:
    """Begin the deal that lies in ``g.deck``; return whether its opening table voids it."""
    for seat in range(MAX_PLAYERS):
        g.hand[seat] = 0
        g.hand_count[seat] = 0
        g.pile[seat] = 0
        g.scope[seat] = 0
        g.bonus[seat] = 0
        g.shown[seat] = 0
        g.played[seat] = 0
    for ply in range(NUM_CARDS):
        g.card_at[ply] = NONE
        g.take_at[ply] = 0
    table = 0
    for i in range(g.table_size):
        table |= BIT[g.deck[i]]
    g.table = table
    g.opening = table
    g.dealt = g.table_size
    g.ply = 0
    g.last_capturer = NONE
    g.touched = NONE
    g.chosen = 0
    g.to_move = next_seat(g, g.dealer)
    total = rank_sum(table)
    if voids(g, popcount(table & KINGS), popcount(table & ACES), total):
        return True
    scope = _opening_scope(g, total)
    if scope > 0:
        side = g.side[g.dealer]
        g.scope[side] += scope * g.scopa_value
        g.pile[side] |= table
        g.table = 0
        g.last_capturer = g.dealer
    deal_round(g)
    return False


@jit
def voids(g: Any, kings: Any, aces: Any, total: Any) -> Any:
    """Whether an opening table with so many kings and aces, worth so much, voids the deal."""
    if g.bonus_beats_redeal and _opening_scope(g, total) > 0:
        return False
    return (0 < g.kings_redeal <= kings) or (0 < g.aces_redeal <= aces)


@jit
def _opening_scope(g: Any, total: Any) -> Any:
    """How many scope an opening table worth so much brings the dealer."""
    if total == 15:
        return g.fifteen_scope
    if total == 30:
        return g.thirty_scope
    return g.small9_scope if 0 < total < 10 else 0


@jit
def deal_round(g: Any) -> None:
    """Deal each player a hand, a whole hand at a time from the seat after the dealer."""
    seat = g.dealer
    for _ in range(g.players):
        seat = next_seat(g, seat)
        hand = 0
        for i in range(g.dealt, g.dealt + g.hand_size):
            hand |= BIT[g.deck[i]]
        g.hand[seat] = hand
        g.hand_count[seat] = g.hand_size
        g.dealt += g.hand_size
        g.shown[seat] = 0
        if g.hand_bonus:
            points = hand_bonus(hand)
            if points > 0:
                g.bonus[g.side[seat]] += points
                g.shown[seat] = hand


@jit
def hand_bonus(hand: Any) -> Any:
    """Points for a hand of three: 10 three of a kind, else 3 worth 9 or less, else 0.

    The matta stands for the rank that pays most.
    """
    plain = hand & ~MATTA
    if popcount(ranks_present(plain)) == 1:
        return 10
    return 3 if rank_sum(plain) + popcount(hand & MATTA) <= 9 else 0


@jit
def plays_left(g: Any) -> Any:
    """Cards still to be played: in the hands and in the stock."""
    left = g.ranks * g.suits - g.dealt
    for seat in range(g.players):
        left += g.hand_count[seat]
    return left


@jit
def sweep_counts(g: Any, seat: Any, left: Any) -> Any:
    """Whether a sweep by a seat is a scopa with ``left`` cards to be played after it."""
    if left > 0 or g.scopa_last_play == 1:
        return True
    return g.scopa_last_play == 2 and g.side[seat] == g.side[g.dealer]


@jit
def sweep_scores(g: Any, card: Any, take: Any, left: Any) -> Any:
    """Whether a take of the whole table by the seat to move is a scopa.

    Args:
        left: cards to be played after this one.
    """
    return sweep_counts(g, g.to_move, left) and sweeps_as_plain_card(g, card, take)


@jit
def play(g: Any, card: Any, take: Any) -> None:
    """Play a whole legal move: the seat to move plays ``card`` and takes ``take`` (bits)."""
    seat = g.to_move
    side = g.side[seat]
    bit = BIT[card]
    g.hand[seat] &= ~bit
    g.hand_count[seat] -= 1
    g.played[seat] |= bit
    g.card_at[g.ply] = card
    g.take_at[g.ply] = take
    itself = takes_itself(g, card)
    # Selections, not branches: whether a card captures is a coin toss to the processor.
    captures = take != 0 or itself
    g.pile[side] |= take | bit if captures else 0
    g.last_capturer = seat if captures else g.last_capturer
    g.table = g.table & ~take if captures else g.table | bit
    if g.table == 0 and not itself and sweep_scores(g, card, take, plays_left(g)):
        g.scope[side] += g.scopa_value
    g.touched = NONE
    g.chosen = 0
    g.ply += 1
    seat = next_seat(g, seat)
    g.to_move = seat
    if g.hand_count[seat] == 0:
        _hand_is_empty(g)


@jit
def _hand_is_empty(g: Any) -> None:
    """The next seat has no card: the next one that has plays, or a round is dealt, or it ends.

    A deck that is unknown from here on, as in a view, is not dealt: the game waits, the seat to
    move without a card, for the deck to be filled in and :func:`deal_round`.
    """
    seat = g.to_move
    for _ in range(g.players):
        if g.hand_count[seat] > 0:
            g.to_move = seat
            return
        seat = next_seat(g, seat)
    if g.dealt < g.ranks * g.suits:
        if g.deck[g.dealt] != UNKNOWN:
            deal_round(g)
        return
    left = g.table
    if left != 0 and g.last_capturer != NONE:
        g.pile[g.side[g.last_capturer]] |= left
        g.table = 0
    g.to_move = NONE


@jit
def touch(g: Any, action: Any) -> Any:
    """Touch a card, or say done; return whether that completed a move. The action is legal."""
    if g.touched == NONE:
        g.touched = action
    elif action != DONE:
        g.chosen |= BIT[action]
    if action == DONE:
        play(g, g.touched, g.chosen)
        return True
    count, take, _, _ = takes(g, g.table, g.touched, g.chosen)
    if count == 1:
        play(g, g.touched, take)
        return True
    return False


@jit
def playable(g: Any) -> Any:
    """The cards (bits) that the seat to move may play."""
    hand = g.hand[g.to_move]
    if g.ace_first_play == 1 and g.ply == 0 and (hand & ~ACES) != 0:
        return hand & ~ACES
    return hand


@jit
def legal_bits(g: Any) -> Any:
    """The legal actions of the seat to move as bits 0..40; 0 when the deal is over."""
    if g.to_move == NONE:
        return 0
    if g.touched == NONE:
        return playable(g)
    _, _, touchable, exact = takes(g, g.table, g.touched, g.chosen)
    return touchable | (1 << DONE) if exact else touchable


@jit
def legal_mask(g: Any, seat: Any, mask: Any) -> None:
    """Write the legal actions of a seat into ``int8[41]``: all 0 if it is not its turn."""
    write_mask(legal_bits(g) if g.to_move == seat else 0, mask)


@jit
def write_mask(bits: Any, mask: Any) -> None:
    """Write legal actions, bits 0..40, into ``int8[41]``."""
    write_bits(bits, NUM_CARDS // 8, mask, 0)
    mask[DONE] = (bits >> DONE) & 1


@jit
def is_legal(g: Any, action: Any) -> Any:
    """Whether the seat to move may do this; False for numbers that are no action."""
    return 0 <= action < NUM_ACTIONS and (legal_bits(g) >> action) & 1 == 1


@jit
def move_to_touch(g: Any, card: Any, take: Any) -> Any:
    """The next action on the way to a whole move that agrees with what is touched already."""
    if g.touched == NONE:
        return card
    rest = take & ~g.chosen
    return DONE if rest == 0 else lowest_bit(rest)


@jit
def nth_bit(bits: Any, n: Any) -> Any:
    """The index of the n-th bit set, n from 0."""
    bits = bits & (bits - 1) if n > 0 else bits  # the first two without a branch
    bits = bits & (bits - 1) if n > 1 else bits
    for _ in range(n - 2):
        bits &= bits - 1
    return lowest_bit(bits)


@jit
def random_action(g: Any, rng: Any) -> Any:
    """A legal action, uniformly, with the generator ``rng`` (``uint32[4]``)."""
    bits = legal_bits(g)
    return nth_bit(bits, below(rng, popcount(bits)))


@jit
def playout(g: Any, rng: Any) -> None:
    """Play a deal to its end with random actions."""
    while g.to_move != NONE:
        if g.touched == NONE:
            hand = playable(g)
            card = nth_bit(hand, below(rng, popcount(hand)))
            count, take, _, _ = takes(g, g.table, card, 0)
            if count == 1:
                play(g, card, take)
            else:
                g.touched = card
        else:
            touch(g, random_action(g, rng))
