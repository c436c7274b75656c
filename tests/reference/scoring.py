"""Points of a deal and the end of a match."""

SUITS = "DCSB"

# disagreement 3: what each rank is worth for the primiera
STANDARD = {7: 21, 6: 18, 1: 16, 5: 15, 4: 14, 3: 13, 2: 12, 8: 10, 9: 10, 10: 10}
SCALES = {
    "standard": STANDARD,
    "trentino": {7: 7, 6: 6, 5: 5, 4: 4, 3: 3, 2: 2, 1: 5.5, 8: 0.5, 9: 0.5, 10: 0.5},
    "southern": {**STANDARD, 8: 8, 9: 9, 10: 10},
}

# Order in which parlett_order counts the last deal (disagreement 30); further bonuses last.
COUNTING_ORDER = (
    "carte",
    "denari",
    "settebello",
    "primiera",
    "scope",
    "re_bello",
    "all_sevens",
    "napola",
    "coin_runs",
    "hand_bonus",
)


def _rank(card):
    return int(card[:-1])


def _denari(cards):
    """Ranks of the denari among the cards."""
    return {_rank(card) for card in cards if card.endswith("D")}


def _most_sevens(cards):
    """A number that ranks piles by sevens, then sixes, aces, fives ... twos, figures."""
    ranks = [_rank(card) for card in cards]
    counts = [ranks.count(number) for number in (7, 6, 1, 5, 4, 3, 2)]
    counts.append(ranks.count(8) + ranks.count(9) + ranks.count(10))
    number = 0
    for count in counts:
        number = 13 * number + count  # no count is above 12
    return number


def primiera(cards, scale="standard", missing="disqualified", suits=4):
    """Primiera total of a pile, or None if it lacks a suit and that disqualifies it.

    With missing="zero" or "compare_partial" the missing suit counts nothing.
    """
    cards = set(cards)
    if scale == "off":
        return None
    if scale == "most_sevens":
        return _most_sevens(cards)
    worth = SCALES[scale]
    result = 0
    for letter in SUITS[:suits]:
        in_suit = [worth[_rank(card)] for card in cards if card.endswith(letter)]
        if in_suit:
            result += max(in_suit)
        elif missing == "disqualified":
            return None
    return result


def napola(cards, mode="full"):
    """Length of the run of denari from the ace, if it reaches the three (disagreement 27)."""
    if mode == "off":
        return 0
    length = _denari_run(cards)
    if length < 3:
        return 0
    return min(length, 6) if mode == "cap6" else length


def _denari_run(cards):
    held = _denari(cards)
    length = 0
    while length + 1 in held:
        length += 1
    return length


def coin_runs(cards):
    """Cirulla (piccola, grande) points (disagreement 24)."""
    run = _denari_run(cards)
    piccola = min(run, 6) if run >= 3 else 0
    grande = 5 if {8, 9, 10} <= _denari(cards) else 0
    return piccola, grande


def _strict_most(values):
    """Index of the single highest value, or None; None values do not take part."""
    best = max((value for value in values if value is not None), default=None)
    holders = [index for index, value in enumerate(values) if value is not None and value == best]
    return holders[0] if len(holders) == 1 else None


def _primiera_totals(piles, rules):
    """What each side brings to the comparison; None takes no part."""
    scale, missing = rules["primiera"], rules["primiera_missing"]
    suits = rules["suits"]
    strict = [primiera(pile, scale, "disqualified", suits) for pile in piles]
    if missing == "zero":
        return [primiera(pile, scale, "zero", suits) for pile in piles]
    # disagreement 1: partial totals are compared only when nobody has four suits
    if missing == "compare_partial" and all(value is None for value in strict):
        return [primiera(pile, scale, "compare_partial", suits) for pile in piles]
    return strict


def score_deal(piles, scope, rules, hand_bonus=None):
    """Points of each side, with the counts they rest on (n_cards, n_denari, primiera_total).

    "napoleone" tells that the side took all ten denari; it is no point by itself.
    """
    piles = [set(pile) for pile in piles]
    sides = range(len(piles))
    if hand_bonus is None:
        hand_bonus = [0 for _ in sides]
    totals = _primiera_totals(piles, rules)
    # Ties go to nobody; with several sides "most" is strict (disagreement 34).
    most_cards = _strict_most([len(pile) for pile in piles])
    most_denari = _strict_most([len(_denari(pile)) for pile in piles])
    best_primiera = _strict_most(totals)

    result = []
    for side in sides:
        pile = piles[side]
        points = {
            "carte": rules["carte"] if side == most_cards else 0,
            "denari": rules["denari"] if side == most_denari else 0,
            "settebello": rules["settebello"] if "7D" in pile else 0,
            "primiera": 1 if side == best_primiera else 0,
            "scope": scope[side] * rules["scopa_value"],
            "napola": napola(pile, rules["napola"]),
            "re_bello": rules["re_bello"] if "10D" in pile else 0,
            "all_sevens": rules["all_sevens"] if {"7D", "7C", "7S", "7B"} <= pile else 0,
            "coin_runs": sum(coin_runs(pile)) if rules["coin_runs"] else 0,
            "hand_bonus": hand_bonus[side],
        }
        points["total"] = sum(points.values())
        points["n_cards"] = len(pile)
        points["n_denari"] = len(_denari(pile))
        points["primiera_total"] = totals[side]
        points["napoleone"] = len(_denari(pile)) == 10
        result.append(points)
    return result


def match_over(scores, rules, deal=None):
    """(is the match over, winning side or None), after a deal has been added to the scores.

    deal is what score_deal gave for the last deal: needed for tie_over_target="parlett_order"
    and for napoleone="wins"; without it the higher total decides.
    """
    if deal is not None and rules["napoleone"] == "wins":  # disagreement 28
        for side, points in enumerate(deal):
            if points["napoleone"]:
                return True, side
    reached = [side for side, score in enumerate(scores) if score >= rules["target"]]
    if not reached:
        return False, None
    if len(reached) > 1 and deal is not None and rules["tie_over_target"] == "parlett_order":
        # disagreement 30: count the deal in order; the first to reach the target wins. Sides
        # that get there by the same kind of point are told apart by the higher total.
        running = [score - points["total"] for score, points in zip(scores, deal, strict=True)]
        for kind in COUNTING_ORDER:
            running = [score + points[kind] for score, points in zip(running, deal, strict=True)]
            there = [side for side, score in enumerate(running) if score >= rules["target"]]
            if there:
                reached = there
                break
    winner = _strict_most([score if side in reached else None for side, score in enumerate(scores)])
    # Level at the top: another whole deal.
    return (False, None) if winner is None else (True, winner)
