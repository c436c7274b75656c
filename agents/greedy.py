"""The greedy player: the rule agent that the literature measures against.

After the Greedy player of Di Palma and Lanzi, "Traditional Wisdom and Monte Carlo Tree Search
Face-to-Face in the Card Game Scopone" (IEEE Transactions on Games 10(3), 2018).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.agent import Agent, check_views
from scopa_env._jit import jit, lowest_bit
from scopa_env.captures import BIT, MAX_VALUE, list_takes, rank_sum, takes, takes_itself
from scopa_env.cards import SETTEBELLO
from scopa_env.game import NONE, move_to_touch, playable, plays_left, sweep_scores
from scopa_env.view import unseen

__all__ = ["CARD_VALUE", "GreedyAgent"]


def _card_values() -> np.ndarray:
    """``int64[40]``: primiera value, +10 for a denari, +8 for a seven, +100 for the settebello."""
    primiera = np.array([16, 12, 13, 14, 15, 18, 21, 10, 10, 10])
    value = np.repeat(primiera, 4)
    value[0::4] += 10
    value[24:28] += 8
    value[SETTEBELLO] += 100
    return value


#: What each card is worth to the greedy player; a yardstick of its own, not points.
CARD_VALUE = _card_values()

# A play's rank is one number. Each step outweighs every sum of card values (1,000 at most), and
# a safe play without a capture outweighs an unsafe one with it.
CAPTURES = 1 << 12
SAFE = 1 << 14
SCOPA = 1 << 16


class GreedyAgent(Agent):
    """Plays by four rules, under any rules of the game.

    1. A play that makes a scopa, if there is one.
    2. Otherwise only plays after which no card still unseen can take the whole table; all plays
       if there is none such.
    3. Of these, the capture with the greatest summed card value: the cards taken and the card
       played, since both go to the pile.
    4. If none captures, the least valuable card is laid.

    Of several scope, the one that captures most value. Plays that are level are decided by the
    lower card index, then by the lower set of captured cards (as a 40-bit number), so nothing is
    left to chance. Card values: :data:`CARD_VALUE`.
    """

    def __init__(self) -> None:
        self.name = "greedy"

    def act(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions ``int64[B]`` for views ``GAME_DTYPE[B]``; ``rng`` is not used."""
        check_views(views)
        actions = np.empty(len(views), np.int64)
        _act(views, actions)
        return actions


@jit
def _act(views: Any, actions: Any) -> None:
    for i in range(len(views)):
        g = views[i]
        card, take = greedy_move(g)
        actions[i] = move_to_touch(g, card, take)


@jit
def greedy_move(g: Any) -> tuple[Any, Any]:
    """The greedy player's whole move: a card 0..39 and the cards it takes, bits.

    In a move under way, the best of those that contain what is touched: the one it began.

    Args:
        g: a view, or a game; what the seat to move cannot see is not read.
    """
    seat = g.to_move
    hidden = unseen(g, seat)
    hand = playable(g) if g.touched == NONE else BIT[g.touched]
    best = -SCOPA
    best_card = 0
    best_take = 0
    while hand != 0:
        card = lowest_bit(hand)
        hand &= hand - 1
        count, take, _, _ = takes(g, g.table, card, g.chosen)
        if count == 1:
            rank = _rank(g, card, take, hidden, best)
            if rank > best:
                best, best_card, best_take = rank, card, take
            continue
        options = np.empty(count, np.int64)
        count = list_takes(g, g.table, card, g.chosen, options)
        for i in range(count):
            take = options[i]
            rank = _rank(g, card, take, hidden, best)
            if rank > best or (rank == best and card == best_card and take < best_take):
                best, best_card, best_take = rank, card, take
    return best_card, best_take


@jit
def _rank(g: Any, card: Any, take: Any, hidden: Any, best: Any) -> Any:
    """The rank of a play among all; too low, but below ``best``, if it cannot reach that."""
    if take == 0 and not takes_itself(g, card):
        rank = -CARD_VALUE[card]
        left = g.table | BIT[card]
    else:
        rank = CAPTURES + CARD_VALUE[card]
        left = g.table & ~take
        if left == 0 and take != 0 and sweep_scores(g, card, take, plays_left(g) - 1):
            rank += SCOPA
        while take != 0:
            rank += CARD_VALUE[lowest_bit(take)]
            take &= take - 1
    if rank + SAFE >= best and not _can_be_swept(g, left, hidden):
        rank += SAFE
    return rank


@jit
def _can_be_swept(g: Any, table: Any, hidden: Any) -> Any:
    """Whether one of the cards ``hidden`` can take the whole table."""
    if table == 0:
        return False
    if not g.ace_sweep and rank_sum(table) > MAX_VALUE:  # only an ace's sweep takes that much
        return False
    for rank in range(10):
        same = (hidden >> (4 * rank)) & 15
        if same == 0:
            continue
        card = 4 * rank + lowest_bit(same)  # equal cards take alike
        count, take, _, _ = takes(g, table, card, 0)
        if count > 1:  # several takes: whether all cards, once chosen, are one of them
            _, _, _, exact = takes(g, table, card, table)
            if exact:
                return True
        elif take == table:
            return True
    return False
