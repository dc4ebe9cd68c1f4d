"""Masks: algebra, folds, tails, width changes, flags, kill masks, the FS bank. Source: isa/07 sections 4 to 7."""

from tests.vbool_model.words import ALL, digits, from_digits, low_bits, pack

BITWISE = {  # what two digits give
    "andb": {"00": "0", "01": "0", "10": "0", "11": "1"},
    "orb": {"00": "0", "01": "1", "10": "1", "11": "1"},
    "xorb": {"00": "0", "01": "1", "10": "1", "11": "0"},
    "andnotb": {"00": "0", "01": "0", "10": "1", "11": "0"},
    "ornotb": {"00": "1", "01": "0", "10": "1", "11": "1"},
}


def bitwise(op, a, b):
    return from_digits("".join(BITWISE[op][x + y] for x, y in zip(digits(a), digits(b), strict=True)))


def inverted(a):
    return ALL - a


def joined(hi, lo):
    """The even digits of both, the low half first."""
    return from_digits(digits(lo)[::2] + digits(hi)[::2])


def doubled(half):
    return from_digits("".join(digit * 2 for digit in half))


def low_half(vb):
    return doubled(digits(vb)[:32])


def high_half(vb):
    return doubled(digits(vb)[32:])


def every(vb, field):
    return int(all(low_bits(vb, field)))


def some(vb, field):
    return int(any(low_bits(vb, field)))


def tail(count, field):
    """The wrapping form: the count is taken modulo the number of lanes."""
    size = 64 // field
    return pack([lane < count % size for lane in range(size)], field)


def saturating_tail(count, field, cap):
    """count is a signed 32-bit word. cap: True keeps the last lane out."""
    size = 64 // field
    number = count - (1 << 32) if count >> 31 else count
    if cap:
        number = min(number, size - 1)
    return pack([lane < number for lane in range(size)], field)


def packed_flags(flags, field):
    return pack([flags >> lane & 1 for lane in range(64 // field)], field)


def sticky_flag(flags, vb, field):
    return int(any(flags >> lane & 1 and live for lane, live in enumerate(low_bits(vb, field))))


def killed(pred, bits):
    """Ones where the old destination stays."""
    return (1 << bits) - 1 if pred % 2 == 0 else 0


def transposed(vec):
    """FSn holds bit n of each byte lane."""
    return [pack([byte >> n & 1 for byte in vec], 1) for n in range(8)]


def from_bank(fs):
    rows = [digits(one) for one in fs]
    return bytes(sum(1 << n for n in range(8) if rows[n][lane] == "1") for lane in range(64))


def either(masks):
    total = 0
    for mask in masks:
        total = bitwise("orb", total, mask)
    return total
