"""Integer lanes: compares, ALU, flagged ALU, bit planes, select and expand.

Source: isa/07 sections 3.1, 3.5, 3.6, 7.4.
"""

from tests.vbool_model.words import clamp, lanes, low_bits, signed, vector

COMPARES = ("eq", "neq", "le", "leu", "lt", "ltu", "geu")


def compare(op, a, b, bits):
    if op == "geu":
        return a >= b
    if op in ("eq", "neq"):
        return (a == b) == (op == "eq")
    x, y = (a, b) if op.endswith("u") else (signed(a, bits), signed(b, bits))
    return x <= y if op.startswith("le") else x < y


def alu(op, a, b, bits):
    """One lane; the result is taken modulo the lane width by the caller's packing."""
    x, y = signed(a, bits), signed(b, bits)
    return {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "adds": lambda: clamp(x + y, bits),
        "subs": lambda: clamp(x - y, bits),
        "neg": lambda: -x,
        "negs": lambda: clamp(-x, bits),
        "max": lambda: max(x, y),
        "min": lambda: min(x, y),
        "maxu": lambda: max(a, b),
        "minu": lambda: min(a, b),
        "abssub": lambda: abs(x - y),
        "abssubu": lambda: abs(a - b),
    }[op]() % (1 << bits)


def flagged(op, a, b, bits, pin=0):
    """(data, flag) of one lane."""
    x, y = signed(a, bits), signed(b, bits)
    size = 1 << bits
    if op in ("bmax", "bmaxu"):
        flag = a > b if op == "bmaxu" else x > y
        return (a if flag else b), flag
    if op in ("bmin", "bminu"):
        flag = a < b if op == "bminu" else x < y
        return (a if flag else b), flag
    if op == "babs":
        return abs(x) % size, x < 0
    if op == "babssub":
        return abs(x - y) % size, x < y
    if op == "babssubu":
        return abs(a - b), a < b
    if op == "bxorabssubu":
        return abs(a - b), bool(pin % 2) != (a < b)
    exact = x + y if op == "baddnorm" else x - y
    over = not -(size >> 1) <= exact < size >> 1
    return (exact // 2 if over else exact) % size, over


def plane(vec, bits, bit):
    return [lane >> bit % bits & 1 for lane in lanes(vec, bits)]


def with_bit(base, bits, truth, bit):
    position = 1 << bit % bits
    return base // (2 * position) * (2 * position) + base % position + (position if truth else 0)


def selected(vr, vs, sr, bits):
    pool = lanes(vs, bits) + lanes(vr, bits)
    return vector([pool[control % len(pool)] for control in lanes(sr, bits)], bits)


def merged(old, new, vb, bits):
    live = low_bits(vb, bits // 8)
    return vector(
        [fresh if alive else kept for kept, fresh, alive in zip(lanes(old, bits), lanes(new, bits), live, strict=True)],
        bits,
    )


def expanded(vec, vb):
    out, used = [], 0
    for live in low_bits(vb, 1):
        out.append(vec[used] if live else vec[63])
        used += live
    return bytes(out)
