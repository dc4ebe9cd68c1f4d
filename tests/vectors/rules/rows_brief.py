"""A few rows per rule for what the families beyond the seeds have in common; the full sets are in rows_common.py."""

from rows_common import ALL, DTYPE_FAULTS, INDIRECT, OLD, Row, moved


def only(rows, on):
    """Confine rows to the generations that know the instruction."""
    for row in rows:
        row.on = "".join(g for g in row.on if g in on)
        if row.on:
            yield row


def label(rows, prefix):
    for row in rows:
        row.id = f"{prefix}-{row.id}"
        yield row


GATE_CODES = ("00", "01", "0b", "0c", "10", "12", "17")


def gate_rows(name, rule, base, at, field, setup="", also=(), codes=GATE_CODES, leaf=True):
    """The elementary checks of a dtype gate; `setup` puts the operand's address in a register."""
    for code in codes:
        faults = DTYPE_FAULTS[code]
        yield Row(f"{name}-code-0x{code}", rule, base, f"{at}={code}", field, "dtype code not admitted by the gate",
            setup, "".join(faults), also, faults if leaf else None)


def half_rows(name, rule, base, at, high, field, setup="", also=(), codes=("0", "1", "b", "c")):
    """The same for one half of a dtype pair."""
    for code in codes:
        value = f"{code}{base[at] & 15:x}" if high else f"{base[at] >> 4:x}{code}"
        yield Row(f"{name}-code-0x{code}", rule, base, f"{at}={value}", field, "dtype code not admitted by the gate",
            setup, ALL, also, DTYPE_FAULTS["0" + code][ALL])


def value_rows(name, rule, base, at, values, field, why, **more):
    """One row per value; a value may be (value, generations)."""
    for item in values:
        value, on = item if isinstance(item, tuple) else (item, ALL)
        yield Row(f"{name}-0x{value}", rule, base, f"{at}={value}", field, why, on=on, **more)


def indirect(o, index, data="S0.100"):
    """An indirect arm: index word, data word, num, inert bytes."""
    return f"0={index} 4={data} 8={o.num} 10=" + "00" * (4 * o.dims - 6)


def place_rows(o, psum_ok=True, zero=True):
    """V5 to V10 and V15 to V17 on one operand: each part once."""
    low = f"{o.base[o.at]:02x}{o.base[o.at + 1]:02x}0000"
    start = (o.start,) if o.start else ()

    def row(part, change, why, setup="", own="", on=ALL, also=(), confidence="M"):
        return Row(f"{o.label}-{part}", o.pattern, o.base, moved(change, o.at), o.name, why,
            f"{own} {moved(setup, o.at)}".strip(), on, o.repeats + also, o.leaf, confidence=confidence)

    yield row("register-64", "0=40", "address registers are 0..63", "0=R63", confidence="H")
    yield row("register-byte-2", "2=01", "bytes 1 and 2 of a register word are zero", "0=R5", confidence="H")
    yield row("register-marker-0x81-on-sunda", "3=81", "SUNDA wants byte 3 exactly 0x80", "0=R5", on="S",
        confidence="H")
    yield row("marker-0x60", "3=60", "bits 29 and 30 both set: no meaning", own=o.apart)
    yield row("indirect-marker-in-direct-field", "3=20", "the operand has no indirect form on these generations",
        on=ALL if o.quadrant is None else "SC")
    for name, setup, bad in o.align:
        yield row(f"{name}-misaligned-{bad}", f"0={bad}", "start address not a multiple of the element size",
            own=setup, confidence="H")
    for where, change, on in (("behind-psum", "2=4002", OLD), ("behind-sbuf", "3=08", "V")):
        yield row(f"no-region-{where}", change, "in no memory region", own=o.apart, on=on, also=start, confidence="H")
    for dim in sorted({0, o.dims - 1}) if zero else ():
        yield row(f"zero-count-{'xyzw'[dim]}", f"{4 + 2 * o.dims + 2 * dim}=0000",
            "a count of zero" + ("; the count rules see it too" if o.counts else ""), also=o.counts, confidence="H")
    if not psum_ok:
        yield row("in-psum", "3=02", "SBUF only", setup=f"0={low}", own=o.apart, on="M", confidence="H")
    elif o.write:
        yield row("psum-narrow", "3=02", "PSUM takes 4-byte elements only", setup=f"0={low}", own=o.align[0][1],
            on=OLD, confidence="H")
    if o.quadrant is None:
        return
    gather, listed = indirect(o, "I0.400"), indirect(o, "J5")
    yield row("index-count-zero", "8=00",
        "num of an indirect pattern is at least 1; the index register waives the count rules", listed, on=INDIRECT)
    yield row("index-misaligned-2", "0=02", "the index word is placed as a 4-byte element", gather, own=o.gather,
        on=INDIRECT)
    yield row("index-register-64", "0=40", "address registers are 0..63, also under marker 0xA0",
        listed.replace("J5", "J63"), on=INDIRECT)
    yield row("data-word-bit-30", "7=40", "the data word carries no marker bits", gather, own=o.gather, on=INDIRECT,
        confidence="H")


def channel_fit_rows(o):
    """V11 to V14 on one operand: start partition against channel count, and the active part of a partition."""

    def row(part, change, why, setup="", channels=None, on=ALL, also=(), confidence="H"):
        field, text = f"{o.name}.start_addr", moved(change, o.at)
        if channels is not None:
            field, text = "num_active_channels", f"{o.channels_at}={channels}"
        return Row(f"{o.label}-{part}", o.start, o.base, text, field, why,
            " ".join((o.wide, o.apart, moved(setup, o.at))).strip(), on, also, confidence=confidence)

    yield row("partition-1", "0=S1.100", "start partitions are 0, 32, 64 and 96", "0=S0.100")
    yield row("partition-33", "0=S33.100", "start partitions are 0, 32, 64 and 96", "0=S32.100")
    yield row("partition-32-with-64-channels", "", "too many channels for the start partition", "0=S32.100", "40")
    for on, last, first in (("S", "f8ff0200", "00000300"), ("C", "f87f0300", "00800300"),
        ("V", "f8ff0700", "00000800")):
        yield row(f"padding-on-{on.lower()}", f"0={first}", "first byte behind the active part of the partition",
            f"0={last}", on=on)
    yield row("psum-partition-1", "0=P1.100", "start partitions are 0, 32, 64 and 96", "0=P0.100", on=OLD,
        confidence="M")
    if o.quadrant is not None:
        yield row("indirect-data-partition-1", "4=S1.100", "the data word obeys the start rule",
            indirect(o, "J5"), on=INDIRECT, confidence="M")


def operand_rows(o, psum_ok=True, zero=True):
    yield from place_rows(o, psum_ok, zero)
    if o.start:
        yield from channel_fit_rows(o)


def scalar_rows(name, rule, base, imm_at, imm_field, channels_at, source=None, align=(), inline="", also=(),
    legal_sources=("00", "01", "02")):
    """I1 to I4, few of each. source: (offset, field), None for an always-pointer slot."""
    point = f"{source[0]}=01 {inline}" if source else inline

    def row(part, change, why, setup, on=ALL, confidence="M", field=imm_field):
        return Row(f"{name}-{part}", rule, base, change, field, why, setup.strip(), on, also, confidence=confidence)

    if source:
        yield row("source-0x03", f"{source[0]}=03", "immediate sources are 0, 1 and 2", inline, confidence="H",
            field=source[1])
        if "02" in legal_sources:
            named = f"{source[0]}=02 {imm_at}=3f000000 {inline}"
            yield row("register-64", f"{imm_at}=40", "immediate registers are 0..63", named)
            yield row("register-byte-3", f"{imm_at + 3}=01", "the bytes behind the register number are zero", named,
                confidence="H")
    yield row("pointer-partition-1", f"{imm_at}=S1.400", "a pointer starts in partition 0, 32, 64 or 96",
        f"{point} {imm_at}=S0.400")
    for where, change, on in (("behind-psum", f"{imm_at + 2}=4002", OLD), ("behind-sbuf", f"{imm_at + 3}=08", "V")):
        yield row(f"pointer-{where}", change, "in no memory region", f"{point} {imm_at}=S0.400", on)
    yield row("pointer-bit-31", f"{imm_at + 3}=80", "a pointer is a whole word without marker bits",
        f"{point} {imm_at}=S0.400")
    for kind, setup, bad in align:
        yield row(f"pointer-{kind}-misaligned-{bad}", f"{imm_at}={bad}", "pointer not aligned to its element",
            f"{point} {imm_at}=S0.400 {setup}", confidence="H")


def quadrant_pair_rows(src_rule, dst_rule, base, src, dst):
    """V23 and V24 on two operands that may be indirect."""
    gather, scatter = moved(indirect(src, "I0.400"), src.at), moved(indirect(dst, "I0.500", "S0.200"), dst.at)
    listed = moved(indirect(src, "J5"), src.at)
    away = moved("0=I32.500", dst.at)
    for name, change in (("data-away-from-index", "4=S32.100"), ("index-away-from-data", "0=I64.400")):
        yield Row(name, src_rule, base, moved(change, src.at), src.name,
            "index and data of an indirect source share a quadrant", f"{src.gather} {gather}".strip(), INDIRECT,
            confidence="M")
    yield Row("scatter-index-away-from-source", dst_rule, base, away, dst.name,
        "the index of an indirect destination shares the quadrant of the source data",
        f"{dst.gather} {scatter}".strip(), INDIRECT, confidence="M")
    yield Row("scatter-index-away-from-listed-data", dst_rule, base, away, dst.name,
        "an index register of the source does not waive the comparison with its SBUF data", f"{listed} {scatter}",
        INDIRECT, confidence="M")


def two_source_rows(rule, base, src0, src1, field, starts):
    """V25."""
    yield Row("two-psum-sources", rule, base, moved("0=P0.200", src1), field, "at most one source in PSUM",
        moved("0=P0.100", src0), on=OLD)
    yield Row("two-psum-sources-apart", rule, base, moved("0=P32.200", src1), field,
        "at most one source in PSUM, whatever the partitions", moved("0=P0.100", src0), on=OLD)
    yield Row("sources-in-quadrants-0-and-96", rule, base, moved("0=S96.200", src1), field,
        "two SBUF sources start in the same quadrant")
    if starts:
        yield Row("sources-both-in-partition-1", rule, base, f"{moved('0=S1.100', src0)} {moved('0=S1.200', src1)}",
            field, "a quadrant is known by its first partition; the start rules see it too", also=starts)


OPCODE = "byte 0 chooses the list, so the opcode rule of a list cannot fail"
SUBSET = "the set of the later rule lies inside the gate"
NO_CODE = "a code outside the generation's enum is in no class either"
REPEAT = "the composite rule makes the same test earlier in the list"
BLOCKS = "0 and more than 128 channels are no multiple of 32 up to 128 either; tile flags are not modelled"


def opcode_rule(*rules):
    return tuple((rule, "opcode", (), OPCODE) for rule in rules)
