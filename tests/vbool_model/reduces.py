"""Reduces as folds over the lanes. Source: isa/07 section 8."""

from tests.vbool_model import floats
from tests.vbool_model.words import FIELD, clamp, lanes, low_bits, pack, signed


def live_lanes(vec, bits, pred):
    live = [True] * (512 // bits) if pred is None else low_bits(pred, FIELD[bits])
    return [(index, lane) for index, lane in enumerate(lanes(vec, bits)) if live[index]]


def total(vec, bits, result_bits, *, unsigned=False, saturate=False, pred=None):
    values = [lane if unsigned else signed(lane, bits) for _, lane in live_lanes(vec, bits, pred)]
    exact = sum(values)
    return (clamp(exact, 16) if saturate else exact) % (1 << result_bits)


def extremum(vec, bits, *, largest, unsigned, pred=None, empty="identity", old=None):
    def order(lane):
        return lane if unsigned else signed(lane, bits)

    alive = [lane for _, lane in live_lanes(vec, bits, pred)]
    if alive:
        return max(alive, key=order) if largest else min(alive, key=order)
    if empty == "old-value":
        return old
    top, low = (1 << bits) - 1, 1 << (bits - 1)
    if largest:
        return 0 if unsigned else low
    return top if unsigned else low - 1


def winners(vec, bits, *, largest, unsigned):
    """Start from lane 0; a better lane replaces value and mask, an equal one joins the mask."""
    def order(lane):
        return lane if unsigned else signed(lane, bits)

    values = lanes(vec, bits)
    best, mask = values[0], {0}
    for index, lane in enumerate(values[1:], 1):
        if lane == best:
            mask.add(index)
        elif (order(lane) > order(best)) == largest:
            best, mask = lane, {index}
    return best, pack([index in mask for index in range(len(values))], FIELD[bits])


def number_extremum(vec, bits, *, largest, pred=None, empty="identity", zeros="equal-bits", old=None):
    """(value, winner mask, invalid)."""
    op = "maxnum" if largest else "minnum"
    alive = live_lanes(vec, bits, pred)
    if not alive:
        infinity = floats.INFINITY[bits] | (1 << (bits - 1) if largest else 0)
        return {"identity": infinity, "old-value": old, "quiet-nan": floats.CANONICAL[bits]}[empty], 0, 0
    invalid = int(any(floats.is_signalling(lane, bits) for _, lane in alive))
    best = alive[0][1]
    for _, lane in alive[1:]:
        best, _ = floats.number(op, best, lane, bits)
    if floats.is_nan(best, bits):
        return floats.quiet(best, bits), 0, invalid
    same = set()
    for index, lane in alive:
        equal = lane == best if zeros == "equal-bits" else floats.value(lane, bits) == floats.value(best, bits)
        if equal:
            same.add(index)
    return best, pack([index in same for index in range(512 // bits)], FIELD[bits]), invalid
