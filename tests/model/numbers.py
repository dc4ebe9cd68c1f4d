"""Number formats as integers: widen to fp32 bits, narrow from fp32 bits.

Nothing here uses a host floating-point number: a finite value is (sign, magnitude, exponent) with value
(-1)^sign * magnitude * 2^exponent, magnitude an int.
Source: isa/02 sections 5, 6, 8, 9, 10, 11.1.
"""

from dataclasses import dataclass

from .errors import NotModelled

INT8, UINT8, INT16, UINT16, BFLOAT16, FP16, INT32, UINT32, FP32, FP32R = range(0x2, 0xC)
FP8_EXP3, FP8_EXP4, FP8_EXP5, FP8_EXP2 = 0xD, 0xE, 0xF, 0x11

SIZES = {
    INT8: 1,
    UINT8: 1,
    INT16: 2,
    UINT16: 2,
    BFLOAT16: 2,
    FP16: 2,
    INT32: 4,
    UINT32: 4,
    FP32: 4,
    FP32R: 4,
    FP8_EXP3: 1,
    FP8_EXP4: 1,
    FP8_EXP5: 1,
    FP8_EXP2: 1,
}
SIGNED = (INT8, INT16, INT32)
UNSIGNED = (UINT8, UINT16, UINT32)
INT6 = SIGNED + UNSIGNED

SIGN = 0x80000000
INFINITY = 0x7F800000
QUIET = 0x00400000
QNAN = 0x7FC00000
ONE = 0x3F800000


@dataclass(frozen=True)
class Mode:
    """Engine state and open questions that conversions depend on (isa/02 section 6, isa/00 section 3)."""

    ocp: int = 0
    sat: int = 0
    sis: int = 0
    sns: int = 0
    e4m3: str = "by-generation-and-mode"
    e2m5: str = "finite-only"
    underflow: str = "round-to-nearest"
    fp32r_bits: int = 11
    nan_code: str = "quiet-keep-sign"
    int_rounding: str = "rne-saturate"
    int_nan: str = "sign-saturate"

    @classmethod
    def of(cls, generation, choice):
        """Return the power-on mode of a generation under a table of assumption values."""
        if generation in ("SUNDA", "CAYMAN"):
            ocp, sat = 0, 0
        elif generation == "MARIANA":
            ocp, sat = {"ocp-saturate": (1, 1), "ocp-no-saturate": (1, 0), "legacy": (0, 0)}[choice["fp8-mode-mariana"]]
        else:
            ocp, sat = 1, 1
        return cls(
            ocp,
            sat,
            0,
            0,
            choice["fp8-e4m3-variant"],
            choice["fp8-e2m5-format"],
            choice["fp8-underflow-half-step"],
            int(choice["fp32r-mantissa-bits"]),
            choice["nan-code-on-narrowing"],
            choice["float-to-int-rounding"],
            choice["float-to-int-nan"],
        )


@dataclass(frozen=True)
class Format:
    """A float format; codes are without the sign bit. None: the format has no such code."""

    width: int
    mantissa: int
    bias: int
    max_finite: int
    infinity: int | None
    nan: int | None


SINGLE = Format(32, 23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FC00000)
FORMATS = {
    BFLOAT16: Format(16, 7, 127, 0x7F7F, 0x7F80, 0x7FC0),
    FP16: Format(16, 10, 15, 0x7BFF, 0x7C00, 0x7E00),
    FP8_EXP3: Format(8, 4, 3, 0x6F, 0x70, 0x78),
    FP8_EXP5: Format(8, 2, 15, 0x7B, 0x7C, 0x7E),
    FP8_EXP2: Format(8, 5, 1, 0x7F, None, None),
}
E4M3_IEEE = Format(8, 3, 7, 0x77, 0x78, 0x7C)
E4M3_FN = Format(8, 3, 7, 0x7E, None, 0x7F)


def size_bytes(dtype):
    """Return the bytes per element. Raises NotModelled for a dtype without an addressing rule."""
    if dtype not in SIZES:
        raise NotModelled(f"elements of dtype {dtype:#04x}")
    return SIZES[dtype]


def format_of(dtype, mode):
    """Return the float format behind a dtype code under a mode."""
    if dtype == FP8_EXP4:
        if mode.e4m3 == "ieee-240":
            return E4M3_IEEE
        if mode.e4m3 == "fn-448":
            return E4M3_FN
        return E4M3_FN if mode.ocp else E4M3_IEEE
    if dtype == FP8_EXP2 and mode.e2m5 != "finite-only":
        raise NotModelled("FP8_EXP2 arithmetic")
    return FORMATS[dtype]


def is_nan(bits):
    return bits & 0x7FFFFFFF > INFINITY


def is_infinite(bits):
    return bits & 0x7FFFFFFF == INFINITY


def is_zero(bits):
    return bits & 0x7FFFFFFF == 0


def unpack(code, fmt):
    """Return (sign, magnitude, exponent) of a finite code."""
    sign = code >> (fmt.width - 1)
    fraction = code & ((1 << fmt.mantissa) - 1)
    exponent = (code >> fmt.mantissa) & ((1 << (fmt.width - 1 - fmt.mantissa)) - 1)
    if exponent == 0:
        return sign, fraction, 1 - fmt.bias - fmt.mantissa
    return sign, fraction + (1 << fmt.mantissa), exponent - fmt.bias - fmt.mantissa


def shift_to_nearest(magnitude, shift):
    """Return magnitude / 2^shift rounded to an integer, ties to even."""
    if shift <= 0:
        return magnitude << -shift
    quotient = magnitude >> shift
    rest = magnitude - (quotient << shift)
    half = 1 << (shift - 1)
    if rest > half or (rest == half and quotient % 2 == 1):
        quotient += 1
    return quotient


def round_magnitude(magnitude, exponent, fmt):
    """Return the sign-less code nearest to magnitude * 2^exponent; beyond fmt.max_finite it means overflow."""
    if magnitude == 0:
        return 0
    leading = magnitude.bit_length() - 1 + exponent
    quantum = max(leading, 1 - fmt.bias) - fmt.mantissa
    steps = shift_to_nearest(magnitude, quantum - exponent)
    # With the hidden bit in steps, adding it to the shifted exponent field lets every carry fall into place.
    return ((quantum + fmt.mantissa + fmt.bias) << fmt.mantissa) + steps - (1 << fmt.mantissa)


def to_single(sign, magnitude, exponent):
    """Return the fp32 bits nearest to a value; infinity on overflow."""
    code = round_magnitude(magnitude, exponent, SINGLE)
    if code > SINGLE.max_finite:
        code = INFINITY
    return sign << 31 | code


def signed_value(code, dtype):
    """Return the integer that the code of an integer dtype stands for."""
    width = 8 * SIZES[dtype]
    if dtype in SIGNED and code >> (width - 1):
        return code - (1 << width)
    return code


def widen(code, dtype, mode):
    """Return the fp32 bits of an element."""
    if dtype in INT6:
        value = signed_value(code, dtype)
        return to_single(int(value < 0), abs(value), 0)
    if dtype in (FP32, FP32R):
        return code
    if dtype == BFLOAT16:
        return code << 16
    fmt = format_of(dtype, mode)
    sign = code >> (fmt.width - 1)
    magnitude = code & ((1 << (fmt.width - 1)) - 1)
    if fmt.infinity is not None and magnitude == fmt.infinity:
        return sign << 31 | INFINITY
    if magnitude > fmt.max_finite:
        return sign << 31 | QNAN
    return to_single(*unpack(code, fmt))


def narrow(bits, dtype, mode):
    """Return the code of dtype for an fp32 value."""
    if dtype in INT6:
        return narrow_to_int(bits, dtype, mode)
    if dtype == FP32:
        return bits
    if dtype == FP32R:
        return narrow_to_fp32r(bits, mode)
    fmt = format_of(dtype, mode)
    sign = bits >> 31
    top = sign << (fmt.width - 1)
    if is_nan(bits):
        if dtype == FP8_EXP2:
            return fmt.max_finite
        if dtype in (FP8_EXP3, FP8_EXP4, FP8_EXP5) and not mode.ocp and mode.sns:
            return top
        return fmt.nan if mode.nan_code == "quiet-positive" else top | fmt.nan
    if is_infinite(bits):
        return top | overflow_code(dtype, fmt, mode)
    sign, magnitude, exponent = unpack(bits, SINGLE)
    flushes = mode.underflow == "flush-to-zero" and (fmt is E4M3_FN or dtype == FP8_EXP5)
    if flushes and magnitude.bit_length() - 1 + exponent < 1 - fmt.bias - fmt.mantissa:
        return top
    code = round_magnitude(magnitude, exponent, fmt)
    if code > fmt.max_finite:
        code = overflow_code(dtype, fmt, mode)
    return top | code


def overflow_code(dtype, fmt, mode):
    """Return the sign-less code for a value beyond the largest finite one (table of isa/02 section 9)."""
    if dtype == FP8_EXP2:
        return fmt.max_finite
    if mode.ocp and mode.sat and dtype in (FP8_EXP4, FP8_EXP5):
        return fmt.max_finite
    if not mode.ocp and mode.sis and dtype in (FP8_EXP3, FP8_EXP4, FP8_EXP5):
        return fmt.max_finite
    return fmt.nan if fmt.infinity is None else fmt.infinity


def narrow_to_fp32r(bits, mode):
    """Round the mantissa field on its own grid, subnormals included (isa/02 section 5.4)."""
    if is_nan(bits):
        return QNAN if mode.nan_code == "quiet-positive" else bits & SIGN | QNAN
    dropped = 23 - mode.fp32r_bits
    return bits & SIGN | shift_to_nearest(bits & 0x7FFFFFFF, dropped) << dropped


def narrow_to_int(bits, dtype, mode):
    """Round to an integer and saturate; the code is two's complement (isa/02 section 10)."""
    width = 8 * SIZES[dtype]
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if dtype in SIGNED else (0, (1 << width) - 1)
    negative = bits >> 31
    if is_nan(bits):
        value = {"sign-saturate": low if negative else high, "zero": 0, "max": high}[mode.int_nan]
    elif is_infinite(bits):
        value = low if negative else high
    else:
        _, magnitude, exponent = unpack(bits, SINGLE)
        if mode.int_rounding == "rne-saturate":
            value = shift_to_nearest(magnitude, -exponent)
        else:
            value = magnitude << exponent if exponent >= 0 else magnitude >> -exponent
        value = -value if negative else value
        if mode.int_rounding != "truncate-wrap":
            value = min(max(value, low), high)
    return value % (1 << width)
