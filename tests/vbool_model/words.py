"""Registers as text: a mask is a string of 64 binary digits, read from the right. Source: isa/07 section 1.2."""

FIELD = {8: 1, 16: 2, 32: 4, 64: 8}  # lane bits -> bits per lane of a mask
TOKENS = {8: "2nx8", 16: "nx16", 32: "n_2x32"}
FLOATS = {16: "nxf16", 32: "n_2xf32"}
ALL = (1 << 64) - 1


def digits(mask):
    """Binary digits, bit 0 first."""
    return format(mask & ALL, "064b")[::-1]


def from_digits(text):
    return int(text[::-1], 2)


def pack(truths, field):
    """Each truth becomes `field` equal digits, lane 0 first."""
    return from_digits("".join(("1" if truth else "0") * field for truth in truths))


def low_bits(mask, field):
    """The low bit of each field; the others are ignored."""
    return [digit == "1" for digit in digits(mask)[::field]]


def lanes(vec, bits):
    """Lane values, lane 0 first: little-endian, lane 0 at byte 0."""
    size = bits // 8
    return [int.from_bytes(vec[start : start + size], "little") for start in range(0, 64, size)]


def vector(values, bits):
    return b"".join((value % (1 << bits)).to_bytes(bits // 8, "little") for value in values)


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def clamp(value, bits):
    top = (1 << (bits - 1)) - 1
    return max(-top - 1, min(top, value))
