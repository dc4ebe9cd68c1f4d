"""What each ALU code computes, on the three datapaths: fp32, raw 32-bit lanes, signed 32-bit integers.

`choice` is the table of assumption values. All operands and results are bit patterns.
Source: isa/03 sections 2.2, 2.3, 2.4.
"""

from .arithmetic import add, compare, multiply, reciprocal_root, subtract
from .errors import NotModelled
from .numbers import ONE, SIGN, SIGNED, SIZES, is_nan, is_zero

BYPASS, BITWISE_NOT, ARITH_SHIFT_LEFT, ARITH_SHIFT_RIGHT = 0x00, 0x01, 0x02, 0x03
ADD, SUBTRACT, MULT, MAX, MIN = 0x04, 0x05, 0x06, 0x08, 0x09
BITWISE_AND, BITWISE_OR, BITWISE_XOR = 0x0A, 0x0B, 0x0C
LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR = 0x0D, 0x0E, 0x0F
LOGICAL_SHIFT_LEFT, LOGICAL_SHIFT_RIGHT = 0x10, 0x11
IS_EQ, IS_GT, IS_GE, IS_LE, IS_LT = 0x12, 0x13, 0x14, 0x15, 0x16
ABSOLUTE_DIFF, IS_NE, ABSOLUTE_VALUE, RSQRT = 0x17, 0x18, 0x19, 0x1D
ABS_MAX, ABS_MIN, RE_LU, SQUARE, SYMMETRIC_CLAMP = 0x20, 0x21, 0x22, 0x23, 0x24

UNARY = (BYPASS, BITWISE_NOT, ABSOLUTE_VALUE, RSQRT, RE_LU, SQUARE)

ABSOLUTE = 0x7FFFFFFF
LANE = 0xFFFFFFFF


def alu_fp32(op, a, b, choice):
    """Return a op b in the fp32 datapath."""
    nans = choice["nan-results"]
    if op == BYPASS:
        return a
    if op == ADD:
        return add(a, b, nans)
    if op == SUBTRACT:
        return subtract(a, b, nans)
    if op == MULT:
        return multiply(a, b, nans)
    if op in (MAX, MIN):
        return larger(a, b, choice) if op == MAX else smaller(a, b, choice)
    if op == LOGICAL_AND:
        return truth(is_true(a, choice) and is_true(b, choice))
    if op == LOGICAL_OR:
        return truth(is_true(a, choice) or is_true(b, choice))
    if op == LOGICAL_XOR:
        return truth(is_true(a, choice) != is_true(b, choice))
    if op == IS_EQ:
        return truth(compare(a, b) == 0)
    if op == IS_GT:
        return truth(compare(a, b) == 1)
    if op == IS_GE:
        return truth(compare(a, b) in (0, 1))
    if op == IS_LE:
        return truth(compare(a, b) in (0, -1))
    if op == IS_LT:
        return truth(compare(a, b) == -1)
    if op == IS_NE:
        return truth(compare(a, b) != 0)
    if op == ABSOLUTE_DIFF:
        return subtract(a, b, nans) & ABSOLUTE
    if op == ABSOLUTE_VALUE:
        return a & ABSOLUTE
    if op == RSQRT:
        if choice["rsqrt-accuracy"] == "not-modelled":
            raise NotModelled("RSQRT")
        return reciprocal_root(a)
    if op == ABS_MAX:
        return larger(a & ABSOLUTE, b & ABSOLUTE, choice)
    if op == ABS_MIN:
        return smaller(a & ABSOLUTE, b & ABSOLUTE, choice)
    if op == RE_LU:
        if choice["relu-edge"] == "keep" and (is_nan(a) or is_zero(a)):
            return a
        return a if compare(a, 0) == 1 else 0
    if op == SQUARE:
        return multiply(a, a, nans)
    if op == SYMMETRIC_CLAMP and choice["symmetric-clamp"] != "reject":
        pick = larger if choice["symmetric-clamp"] == "accept-header-formula" else smaller
        return a & SIGN | pick(a & ABSOLUTE, b & ABSOLUTE, choice) & ABSOLUTE
    raise NotModelled(f"ALU code {op:#04x} on fp32")


def truth(condition):
    return ONE if condition else 0


def is_true(bits, choice):
    if is_nan(bits):
        return choice["logical-nan-truth"] == "nan-is-true"
    return not is_zero(bits)


def larger(a, b, choice):
    """Return MAX of two values under the policy of id max-nan."""
    return choose(a, b, 1, choice)


def smaller(a, b, choice):
    """Return MIN of two values under the policy of id max-nan."""
    return choose(a, b, -1, choice)


def choose(a, b, wanted, choice):
    """Return the operand that MAX (wanted = 1) or MIN (wanted = -1) picks, bits unchanged."""
    policy = choice["max-nan"]
    if policy == "select":
        return a if compare(a, b) == wanted else b
    if is_nan(a) or is_nan(b):
        if policy == "propagate":
            return a if is_nan(a) else b
        return b if is_nan(a) else a
    if is_zero(a) and is_zero(b) and choice["max-signed-zero"] == "positive-above-negative":
        return a & b if wanted == 1 else a | b
    return a if compare(a, b) == wanted else b


def alu_bits(op, a, b, choice):
    """Return a op b on zero-extended 32-bit lanes."""
    if op == BYPASS:
        return a
    if op == BITWISE_NOT:
        return a ^ LANE
    if op == BITWISE_AND:
        return a & b
    if op == BITWISE_OR:
        return a | b
    if op == BITWISE_XOR:
        return a ^ b
    count = b % 32 if choice["shift-count-range"] == "modulo-32" else b
    if op in (ARITH_SHIFT_LEFT, LOGICAL_SHIFT_LEFT):
        return (a << count) & LANE if count < 32 else 0
    if op == LOGICAL_SHIFT_RIGHT:
        return a >> count if count < 32 else 0
    if op == ARITH_SHIFT_RIGHT:
        return (as_signed(a) >> min(count, 31)) & LANE
    raise NotModelled(f"ALU code {op:#04x} on raw bits")


def as_signed(lane):
    """Return the signed value of a 32-bit lane."""
    return lane - (1 << 32) if lane >> 31 else lane


def sign_extended(code, dtype):
    """Return the 32-bit lane of an integer element, sign-extended for the signed dtypes."""
    width = 8 * SIZES[dtype]
    if dtype in SIGNED and code >> (width - 1):
        return code | (LANE >> width << width)
    return code


def alu_int(op, a, b):
    """Return a op b on signed 32-bit integers; a and b are lanes. Low 32 bits of every exact result are kept."""
    if op == BYPASS:
        return a
    left, right = as_signed(a), as_signed(b)
    if op == 0xC4:
        return (left + right) & LANE
    if op == 0xC5:
        return (left * right) & LANE
    if op == 0xC6:
        return (left - right) & LANE
    if op == 0xC9:
        return int(left == right)
    if op == 0xCA:
        return int(left != right)
    if op == 0xCB:
        return max(abs(left), abs(right)) & LANE
    if op == 0xCC:
        return min(abs(left), abs(right)) & LANE
    if op == 0xCD:
        return abs(left - right) & LANE
    if op == 0xCF:
        return max(left, right) & LANE
    if op == 0xD0:
        return min(left, right) & LANE
    if op == 0xD1:
        return int(left > right)
    if op == 0xD2:
        return int(left >= right)
    if op == 0xD3:
        return int(left <= right)
    if op == 0xD4:
        return int(left < right)
    raise NotModelled(f"ALU code {op:#04x} on integers")
