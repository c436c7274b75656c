"""Cards, rule records, captures and the flow of one deal.

Comments name the clause of rules.md they follow, for example "disagreement 8".
"""

from .scoring import score_deal

SUITS = "DCSB"  # denari, coppe, spade, bastoni
DECK = [f"{number}{letter}" for number in range(1, 11) for letter in SUITS]
MATTA = "7C"  # disagreement 20: the seven of coppe, a joker for the hand bonuses only


def rank(card):
    """Capture value of a card: 1 to 7, fante 8, cavallo 9, re 10."""
    return int(card[:-1])


def suit(card):
    """Suit letter of a card."""
    return card[-1]


def deck_of(rules):
    """The cards of the deck: all forty, or those of fewer ranks or suits."""
    suits = SUITS[: rules["suits"]]
    return [card for card in DECK if rank(card) <= rules["ranks"] and suit(card) in suits]


def total(cards):
    """Sum of the capture values."""
    return sum(rank(card) for card in cards)


# ---------------------------------------------------------------------------------------------
# Rule records
# ---------------------------------------------------------------------------------------------

SINGLES_2 = ((0,), (1,))
SINGLES_3 = ((0,), (1,), (2,))
PAIRS_4 = ((0, 2), (1, 3))
PAIRS_6 = ((0, 3), (1, 4), (2, 5))  # disagreement 32
DEFAULT_SIDES = {2: SINGLES_2, 3: SINGLES_3, 4: PAIRS_4, 6: PAIRS_6}

SCOPA = {
    "players": 2,
    "sides": SINGLES_2,
    "ranks": 10,
    "suits": 4,
    "hand": 3,
    "table": 4,
    "redeals": True,
    "kings_redeal": 3,  # disagreement 10
    "aces_redeal": 0,  # disagreement 16
    "fifteen_scope": 0,
    "thirty_scope": 0,
    "small9_scope": 0,
    "bonus_beats_redeal": False,  # disagreement 22
    "equal": True,
    "sum": True,
    "equal_priority": True,  # disagreement 5
    "fifteen": False,
    "fewest_cards": False,  # disagreement 7
    "compulsory": "played_card",  # disagreement 4
    "ace_sweep": False,
    "ace_sweep_scores": False,
    "ace_with_ace_on_table": "takes_ace",  # disagreement 11
    "ace_on_empty_table": "stays",  # disagreement 12
    "ace_first_play": "free",  # disagreement 14
    "scopa_value": 1,
    "scopa_last_play": "never",  # disagreement 8
    "carte": 1,
    "denari": 1,
    "settebello": 1,
    "primiera": "standard",  # disagreement 3
    "primiera_missing": "disqualified",  # disagreements 1 and 2
    "all_sevens": 0,  # disagreement 26
    "re_bello": 0,  # disagreement 29
    "napola": "off",
    "napoleone": "points",  # disagreement 28
    "hand_bonus": False,
    "coin_runs": False,
    "target": 11,  # disagreement 31
    "tie_over_target": "higher_else_play_on",  # disagreement 30
}

# The table "Presets (only what differs from scopa)".
TEAMS = {**SCOPA, "players": 4, "sides": PAIRS_4, "target": 21}
ASSI = {**SCOPA, "ace_sweep": True}
QUINDICI = {  # disagreement 17
    **SCOPA,
    "kings_redeal": 0,
    "equal": False,
    "sum": False,
    "fifteen": True,
    "target": 21,
}
# "Free choice" is between the normal capture and the fifteen; within the normal capture the
# equal card still goes before a sum (disagreement 5), as seed 000 describes it.
QUINDICI_BOTH = {**QUINDICI, "equal": True, "sum": True}

MINI = {  # not from rules.md: eight cards, for exact solutions
    **SCOPA,
    "ranks": 4,
    "suits": 2,
    "hand": 2,
    "table": 0,
    "kings_redeal": 0,
    "settebello": 0,
}

PRESETS = {
    "scopa": SCOPA,
    "scopa_3p": {**SCOPA, "players": 3, "sides": SINGLES_3, "target": 16},
    "scopa_teams": TEAMS,
    "scopa_6p": {**SCOPA, "players": 6, "sides": PAIRS_6, "target": 21},
    "scopone": {**TEAMS, "hand": 9, "table": 4, "redeals": False},  # disagreement 9
    "scopone_10": {**TEAMS, "hand": 10, "table": 0, "redeals": False, "kings_redeal": 0},
    "scopa_assi": {**ASSI, "ace_sweep_scores": False, "target": 21},  # disagreement 13
    "asso_piglia_tutto": {**ASSI, "ace_sweep_scores": True, "target": 11},
    "quindici": QUINDICI,
    "quindici_both": QUINDICI_BOTH,
    "quindici_asso": {**QUINDICI_BOTH, "ace_sweep": True, "ace_sweep_scores": True, "target": 31},
    "escoba": {**QUINDICI, "fifteen_scope": 1, "thirty_scope": 1},  # disagreement 25
    "cirulla": {
        **TEAMS,
        "kings_redeal": 0,
        "aces_redeal": 2,
        "fifteen_scope": 1,  # disagreement 21
        "thirty_scope": 2,
        "fifteen": True,
        "ace_sweep": True,
        "ace_sweep_scores": True,
        "hand_bonus": True,
        "coin_runs": True,
        "target": 51,
    },
    "chkobba": {**SCOPA, "primiera": "most_sevens"},  # disagreement 3
    "mini_2p": MINI,
    "mini_teams": {**MINI, "players": 4, "sides": PAIRS_4, "redeals": False},
}
PRESETS = {name: dict(record) for name, record in PRESETS.items()}

# Numbers of seats each preset is meant for, its own first.
SEATS = {
    "scopa": (2,),
    "scopa_3p": (3,),
    "scopa_teams": (4,),
    "scopa_6p": (6,),
    "scopone": (4,),
    "scopone_10": (4,),
    "scopa_assi": (2, 3, 4),
    "asso_piglia_tutto": (2, 3, 4),
    "quindici": (2, 3, 4),
    "quindici_both": (2, 3, 4),
    "quindici_asso": (2, 3, 4),
    "escoba": (2, 3, 4),
    "cirulla": (4, 2, 3),
    "chkobba": (2, 4),
    "mini_2p": (2,),
    "mini_teams": (4,),
}


def rules(preset, **overrides):
    """Flat rule record of a preset, with any field overridden.

    Another number of players brings its usual sides and, in the ace games at four, its deal.
    """
    if preset not in PRESETS:
        raise ValueError(f"unknown preset {preset!r}")
    record = dict(PRESETS[preset])
    for field in overrides:
        if field not in record:
            raise ValueError(f"unknown field {field!r}")
    players = overrides.get("players", record["players"])
    if players not in DEFAULT_SIDES:
        raise ValueError(f"players={players!r}: 2, 3, 4 or 6")
    if players != record["players"]:
        record["players"] = players
        record["sides"] = DEFAULT_SIDES[players]
        if preset in ("scopa_assi", "asso_piglia_tutto") and players == 4:
            # disagreement 15: ten cards each and an empty table
            record.update(hand=10, table=0, redeals=False)
            if preset == "scopa_assi":
                record["napola"] = "full"
    record.update(overrides)
    record["sides"] = tuple(tuple(side) for side in record["sides"])
    if sorted(seat for side in record["sides"] for seat in side) != list(range(players)):
        raise ValueError(f"sides={record['sides']!r}: every seat belongs to exactly one side")
    return record


# ---------------------------------------------------------------------------------------------
# Captures
# ---------------------------------------------------------------------------------------------


def subsets_up_to(limit, cards):
    """Every non-empty subset of the cards whose values add up to at most the limit."""
    subsets = [frozenset()]
    for card in cards:
        with_card = [subset | {card} for subset in subsets]
        subsets += [subset for subset in with_card if total(subset) <= limit]
    return [subset for subset in subsets if subset]


def ordinary_captures(card, table, rules):
    """Captures by equal card, by sum and by fifteen; no ace sweep, no fewest-cards rule."""
    equals, sums, fifteens = set(), set(), set()
    wanted = (rank(card), 15 - rank(card))
    for subset in subsets_up_to(max(wanted), table):
        value = total(subset)
        # disagreement 6: one equal card, never several
        if rules["equal"] and len(subset) == 1 and value == rank(card):
            equals.add(subset)
        if rules["sum"] and len(subset) >= 2 and value == rank(card):
            sums.add(subset)
        if rules["fifteen"] and value + rank(card) == 15:
            fifteens.add(subset)
    # disagreement 5: the equal card goes before a sum, but not before a fifteen
    if rules["equal_priority"] and equals:
        sums = set()
    return equals | sums | fifteens


def legal_captures(card, table, rules, first_play=False):
    """Every set of table cards the played card may take; the empty set if it can take nothing.

    first_play says that this is the very first card of the deal (for ace_first_play).
    """
    table = frozenset(table)
    captures = ordinary_captures(card, table, rules)
    if rank(card) == 1 and rules["ace_sweep"] and table:
        aces = {frozenset([other]) for other in table if rank(other) == 1}
        barred = first_play and rules["ace_first_play"] == "no_sweep"  # disagreement 14
        if not barred and not aces:
            captures.add(table)
        if not barred and aces and rules["ace_with_ace_on_table"] == "sweeps":
            # disagreement 11: takes everything anyway, instead of the one ace
            captures = (captures - aces) | {table}
    if rules["fewest_cards"] and captures:  # disagreement 7
        fewest = min(len(capture) for capture in captures)
        captures = {capture for capture in captures if len(capture) == fewest}
    return captures


# ---------------------------------------------------------------------------------------------
# The opening
# ---------------------------------------------------------------------------------------------


def opening(table, rules):
    """What the opening table means: (would be redealt, scope the dealer makes of it)."""
    ranks = [rank(card) for card in table]
    kings, aces = ranks.count(10), ranks.count(1)
    redeal = bool(rules["kings_redeal"]) and kings >= rules["kings_redeal"]
    redeal = redeal or (bool(rules["aces_redeal"]) and aces >= rules["aces_redeal"])
    scope = 0
    if sum(ranks) == 15:
        scope = rules["fifteen_scope"]
    elif sum(ranks) == 30:
        scope = rules["thirty_scope"]
    elif 0 < sum(ranks) < 10:
        scope = rules["small9_scope"]
    # disagreement 22: a table that is redealt gives no bonus, unless the bonus goes first
    if redeal and scope and rules["bonus_beats_redeal"]:
        redeal = False
    return redeal, 0 if redeal else scope


def hand_bonus(hand):
    """Cirulla points of a hand of three: triple 10, nine or less 3, only the larger one."""
    # disagreements 18, 19 and 20
    if len(hand) != 3:
        return 0
    others = [rank(card) for card in hand if card != MATTA]
    best = 0
    for matta in range(1, 11):
        ranks = [*others, matta] if MATTA in hand else others
        if len(set(ranks)) == 1:
            best = max(best, 10)
        if sum(ranks) <= 9:
            best = max(best, 3)
    return best


def next_dealer(dealer, rules, redeal=False):
    """Seat that deals next: the seat after the dealer, or the same one after a redeal."""
    return dealer if redeal else (dealer + 1) % rules["players"]


# ---------------------------------------------------------------------------------------------
# One deal
# ---------------------------------------------------------------------------------------------


class ReferenceGame:
    """One deal, from the first hand-out to the leftovers."""

    def __init__(self, rules, dealer):
        players = rules["players"]
        self.rules = rules
        self.dealer = dealer
        self.hands = [set() for _ in range(players)]
        self.table = set()
        self.stock = []
        self.piles = [set() for _ in rules["sides"]]
        self.scope = [0 for _ in rules["sides"]]
        self.hand_bonus = [0 for _ in rules["sides"]]
        self.to_move = (dealer + 1) % players  # disagreements 35 and 36
        self.last_capturer = None
        self.needs_redeal = False
        self.first_play = True
        self.plays = []

    @classmethod
    def deal(cls, rules, deck, dealer):
        """Start from a deck: the table first, then round after round of whole hands."""
        deck = list(deck)
        handed_out = len(deck) - rules["table"]
        one_round = rules["players"] * rules["hand"]
        if len(set(deck)) != len(deck) or not set(deck) <= set(DECK):
            raise ValueError("the deck repeats a card or holds an unknown one")
        if handed_out < one_round or handed_out % one_round:
            raise ValueError("the deck does not come out even")
        if handed_out != one_round and not rules["redeals"]:
            raise ValueError("the deck is larger than the only round")
        game = cls(rules, dealer)
        game.table = set(deck[: rules["table"]])
        game.stock = deck[rules["table"] :]
        game.needs_redeal, scope = opening(game.table, rules)
        if scope:
            side = game.side_of(dealer)
            game.scope[side] += scope
            game.piles[side] |= game.table
            game.table = set()
            game.last_capturer = dealer
        game._hand_out()
        return game

    @classmethod
    def from_position(
        cls,
        rules,
        hands,
        table=(),
        stock=(),
        piles=None,
        scope=None,
        dealer=None,
        to_move=0,
        last_capturer=None,
        first_play=False,
    ):
        """Start from any position; no bonus is given for what lies there."""
        game = cls(rules, rules["players"] - 1 if dealer is None else dealer)
        game.hands = [set(hand) for hand in hands]
        game.table = set(table)
        game.stock = list(stock)
        if piles is not None:
            game.piles = [set(pile) for pile in piles]
        if scope is not None:
            game.scope = list(scope)
        game.to_move = to_move
        game.last_capturer = last_capturer
        game.first_play = first_play
        return game

    def side_of(self, seat):
        """Number of the side a seat belongs to."""
        for number, seats in enumerate(self.rules["sides"]):
            if seat in seats:
                return number
        raise ValueError(f"no side for seat {seat}")

    def _hand_out(self):
        """Give every player a hand from the stock, the leader first, and count hand bonuses."""
        players = self.rules["players"]
        for step in range(1, players + 1):
            seat = (self.dealer + step) % players
            self.hands[seat] = set(self.stock[: self.rules["hand"]])
            self.stock = self.stock[self.rules["hand"] :]
            if self.rules["hand_bonus"]:
                self.hand_bonus[self.side_of(seat)] += hand_bonus(self.hands[seat])

    @property
    def is_over(self):
        """True once every card has been played."""
        return not self.stock and not any(self.hands)

    # -- whole moves --------------------------------------------------------------------------

    def playable_cards(self):
        """Hand cards the player to move may play."""
        hand = set(self.hands[self.to_move])
        if self.first_play and self.rules["ace_first_play"] == "forbidden":
            # disagreement 14; a hand of nothing but aces may still be played
            return {card for card in hand if rank(card) != 1} or hand
        return hand

    def takes(self, card):
        """What the card may take; the empty set stands for laying it."""
        captures = legal_captures(card, self.table, self.rules, self.first_play)
        # disagreement 4: a card that can take must take, unless taking is optional
        if not captures or self.rules["compulsory"] == "optional":
            captures = captures | {frozenset()}
        return captures

    def legal_moves(self):
        """Set of (card, captured set); the empty set stands for laying the card."""
        return {(card, taken) for card in self.playable_cards() for taken in self.takes(card)}

    def play(self, card, taken=()):
        """Play one card; ValueError if the move is illegal."""
        taken = frozenset(taken)
        if (card, taken) not in self.legal_moves():
            raise ValueError(f"illegal move: {card} taking {sorted(taken)}")
        seat = self.to_move
        side = self.side_of(seat)
        swept = bool(taken) and taken == self.table
        ordinary = taken in ordinary_captures(card, self.table, self.rules)
        takes_itself = (  # disagreement 12
            not self.table
            and rank(card) == 1
            and self.rules["ace_sweep"]
            and self.rules["ace_on_empty_table"] == "takes_itself"
            and not (self.first_play and self.rules["ace_first_play"] == "no_sweep")
        )

        self.hands[seat].remove(card)
        if taken or takes_itself:
            self.piles[side] |= taken | {card}
            self.table -= taken
            self.last_capturer = seat
        else:
            self.table.add(card)

        # What only an ace sweep could take is a scopa only where the rules say so
        # (disagreement 13).
        scopa = swept and (ordinary or self.rules["ace_sweep_scores"])
        if self.is_over:  # disagreement 8: the very last card
            mode = self.rules["scopa_last_play"]
            dealers = side == self.side_of(self.dealer)
            scopa = scopa and (mode == "counts" or (mode == "dealer_team_counts" and dealers))
        if scopa:
            self.scope[side] += 1
        self.plays.append((seat, card, taken, scopa))
        self.first_play = False
        self.to_move = (seat + 1) % self.rules["players"]

        if self.is_over:
            # Leftovers go to the last capturer, are no scopa, and stay if nobody ever took.
            if self.last_capturer is not None:
                self.piles[self.side_of(self.last_capturer)] |= self.table
                self.table = set()
        elif not any(self.hands):
            self._hand_out()

    def scores(self):
        """Points of the deal, a dict for each side."""
        return score_deal(self.piles, self.scope, self.rules, self.hand_bonus)

    # -- touches ------------------------------------------------------------------------------

    def legal_touches(self, touched, chosen=frozenset()):
        """Cards that may be touched next, and "done" where stopping here is a choice."""
        if touched is None:
            return self.playable_cards()
        chosen = frozenset(chosen)
        takes = self.takes(touched)
        larger = [take for take in takes if take > chosen]
        touches = {card for take in larger for card in take - chosen}
        if chosen in takes and larger:
            touches.add("done")
        return touches

    def after_touch(self, touched, chosen, touch):
        """("move", card, taken) when the touch settles the move, else ("touching", ...)."""
        chosen = frozenset(chosen)
        if touch not in self.legal_touches(touched, chosen):
            raise ValueError(f"illegal touch {touch}")
        if touch == "done":
            return ("move", touched, chosen)
        if touched is None:
            touched, chosen = touch, frozenset()
        else:
            chosen = chosen | {touch}
        possible = [take for take in self.takes(touched) if take >= chosen]
        if len(possible) == 1:
            return ("move", touched, possible[0])
        return ("touching", touched, chosen)
