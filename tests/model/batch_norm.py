"""Batch norm: LOAD_PARAMETER_RAM 0x66, STATS 0x60, STATS2 0x61, transposed 0x82, AGGREGATE 0x62, GRAD_ACCUMULATE 0x63
/ 0x94,
PARAM_LOAD 0x64 / 0x8E, BACK_PROP 0x65.

Source: isa/06 sections 6.1 to 6.7.
"""

from .arithmetic import add, multiply, reciprocal, subtract
from .numbers import FP32, ONE, narrow, size_bytes, to_single, widen
from .operands import check, check_counts, check_sources, read, scalars, tensor, u16, u32, write
from .reduce import transposed


class Float:
    """An fp32 bit pattern with the operators of the formulas; every operation rounds once, under id nan-results."""

    def __init__(self, bits, policy):
        self.bits, self.policy = bits, policy

    def _with(self, function, other):
        return Float(function(self.bits, other.bits, self.policy), self.policy)

    def __add__(self, other):
        return self._with(add, other)

    def __sub__(self, other):
        return self._with(subtract, other)

    def __mul__(self, other):
        return self._with(multiply, other)

    def inverse(self):
        return Float(reciprocal(self.bits), self.policy)


def load_parameter_ram(machine, record):
    """Store eight fp32 words at an offset that is a multiple of 8."""
    offset = u16(record, 12)
    check(offset % 8 == 0 and offset <= 248, f"parameter RAM offset {offset}")
    machine.bank("parameter_ram")[offset : offset + 8] = [u32(record, 32 + 4 * k) for k in range(8)]


def statistics(machine, record):
    """Store count, mean and n * variance: of all elements (0x60), or of the even and of the odd ones."""
    opcode, in_dtype, out_dtype, channels = record[0], record[32], record[33], record[34]
    counts = [u32(record, 40), u32(record, 44)]

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels)
    target = tensor(machine, record, 48, 2, out_dtype, channels, write=True)
    check(target.count == (3 if opcode == 0x60 else 6), "three results per count")
    elements = read(machine, source)

    # COMPUTE
    if opcode == 0x82:
        elements = transposed(elements)
    result = []
    for row in elements:
        values = [widen(code, in_dtype, machine.mode) for code in row]
        parts = [values] if opcode == 0x60 else [values[0::2], values[1::2]]
        stored = []
        for count, part in zip(counts, parts, strict=False):
            stored += [count, *moments(machine, part)]
        result.append([narrow(bits, out_dtype, machine.mode) for bits in stored])

    # WRITE
    write(machine, target, result)


def moments(machine, values):
    """Return mean and n * variance of a list of fp32 patterns (id bn-accumulation)."""
    policy = machine.choice["nan-results"]
    one, mean, nvar = Float(ONE, policy), Float(0, policy), Float(0, policy)
    if machine.choice["bn-accumulation"] == "sum-and-square":
        return sums(policy, values)
    for k, bits in enumerate(values, 1):
        x, r, old = Float(bits, policy), Float(to_single(0, k, 0), policy).inverse(), mean
        mean = (one - r) * old + r * x
        nvar = nvar + (x - mean) * (x - old)
    return mean.bits, nvar.bits


def sums(policy, values):
    """Return mean and n * variance from sum and sum of squares."""
    total, squares = Float(0, policy), Float(0, policy)
    for bits in values:
        x = Float(bits, policy)
        total, squares = total + x, squares + x * x
    if not values:
        return 0, 0
    n = Float(to_single(0, len(values), 0), policy)
    mean = total * n.inverse()
    return mean.bits, (squares - n * (mean * mean)).bits


def aggregate(machine, record):
    """Merge tuples (count, mean, n * variance) of every lane to mean and variance."""
    in_dtype, out_dtype, channels = record[32], record[33], record[34]

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels)
    target = tensor(machine, record, 48, 2, out_dtype, channels, write=True)
    check(source.count % 3 == 0 and target.count == 2, "triples in, two results out")
    elements = read(machine, source)

    # COMPUTE
    policy, result = machine.choice["nan-results"], []
    for row in elements:
        words = [Float(widen(code, in_dtype, machine.mode), policy) for code in row]
        n = m = v = Float(0, policy)
        for k in range(0, len(words), 3):
            nt, mt, qt = words[k : k + 3]
            total = nt + n
            r, d = total.inverse(), m - mt
            m = (m * n + nt * mt) * r
            v = (v * n + qt) * r + nt * n * (d * d) * r * r
            n = total
        result.append([narrow(value.bits, out_dtype, machine.mode) for value in (m, v)])

    # WRITE
    write(machine, target, result)


def gradients(machine, record):
    """Store the sums of dy, (x - m) dy vf vf and (x - m) dy vf of every lane."""
    dtype0, dtype1, channels = record[60] & 0xF, record[60] >> 4, record[63]
    if record[0] == 0x63:
        imm_dtype, out_dtype, sources = record[61] or FP32, record[62], (1, 1)
    else:
        imm_dtype, out_dtype, sources = record[61] & 0xF, record[61] >> 4, (record[62] & 0xF, record[62] >> 4)

    # READ
    source0 = tensor(machine, record, 16, 3, dtype0, channels)
    source1 = tensor(machine, record, 32, 3, dtype1, channels)
    target = tensor(machine, record, 48, 1, out_dtype, channels, write=True)
    check_sources(machine, source0, source1)
    check_counts(source0, source1)
    check(target.count == 3, "three results")
    means = scalars(machine, sources[0], u32(record, 12), size_bytes(imm_dtype), channels)
    inverses = scalars(machine, sources[1], u32(record, 56), size_bytes(imm_dtype), channels)
    xs, dys = read(machine, source0), read(machine, source1)

    # COMPUTE
    policy, result = machine.choice["nan-results"], []
    for lane in range(channels):
        mean, vf = (Float(widen(row[lane], imm_dtype, machine.mode), policy) for row in (means, inverses))
        totals = [Float(0, policy)] * 3
        for x_code, dy_code in zip(xs[lane], dys[lane], strict=False):
            x, dy = (
                Float(widen(x_code, dtype0, machine.mode), policy),
                Float(widen(dy_code, dtype1, machine.mode), policy),
            )
            terms = (dy, (x - mean) * dy * vf * vf, (x - mean) * dy * vf)
            totals = [total + term for total, term in zip(totals, terms, strict=False)]
        result.append([narrow(total.bits, out_dtype, machine.mode) for total in totals])

    # WRITE
    write(machine, target, result)


def param_load(machine, record):
    """Keep N, mean, A, B and C of every lane."""
    dtype, channels = record[32], record[34]
    two = record[0] == 0x8E
    source = tensor(machine, record, 12 if two else 16, 2, dtype, channels, start_rule=False)
    check(source.count == (2 if two else 3), "the number of parameters")
    imm_dtype = record[33] if two else FP32
    # Source codes 0 and 1 both mean a pointer.
    first = scalars(machine, record[48] or 1, u32(record, 40 if two else 44), size_bytes(imm_dtype), channels)
    second = scalars(machine, record[49] or 1, u32(record, 44), size_bytes(imm_dtype), channels) if two else None
    rows = read(machine, source)
    for lane in range(channels):
        loaded = [widen(code, dtype, machine.mode) for code in rows[lane]]
        mean = widen(first[lane], imm_dtype, machine.mode)
        if two:
            scale = widen(second[lane], imm_dtype, machine.mode)
            if machine.choice["bn-param-load2-roles"] == "imm1-mean":
                mean, scale = scale, mean
            loaded = [scale, *loaded]
        machine.bank("batch_norm")[lane] = [u32(record, 28), mean, *loaded]


def back_prop(machine, record):
    """Compute (dy N - ((x - mean) C + B)) A with the parameters of the lane; x is src0, dy is src1."""
    dtype0, dtype1, out_dtype, channels = record[12] & 0xF, record[12] >> 4, record[13], record[15]
    some = machine.choice["s3s3d3-indirect"] != "no-operand"
    every = machine.choice["s3s3d3-indirect"] == "all-operands"

    # READ
    source0 = tensor(machine, record, 16, 3, dtype0, channels, indirect=some)
    source1 = tensor(machine, record, 32, 3, dtype1, channels, indirect=every)
    target = tensor(machine, record, 48, 3, out_dtype, channels, write=True, indirect=some)
    check_sources(machine, source0, source1)
    check_counts(source0, source1, target)
    xs, dys = read(machine, source0), read(machine, source1)

    # COMPUTE
    policy, result = machine.choice["nan-results"], []
    for lane in range(channels):
        n, mean, a, b, c = (Float(bits, policy) for bits in machine.bank("batch_norm")[lane])
        row = []
        for x_code, dy_code in zip(xs[lane], dys[lane], strict=False):
            x, dy = (
                Float(widen(x_code, dtype0, machine.mode), policy),
                Float(widen(dy_code, dtype1, machine.mode), policy),
            )
            row.append(narrow(((dy * n - ((x - mean) * c + b)) * a).bits, out_dtype, machine.mode))
        result.append(row)

    # WRITE
    write(machine, target, result)
