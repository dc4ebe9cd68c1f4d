"""What the tables of the rule vectors share: the row, its notation, and rows that many rules have in common.

make_rule_vectors.py turns them into JSON. A row starts from a base record, applies `setup` to get the legal neighbour
and `change` to get the breaking record. Both are lists of `offset=value`, the value in hex in memory order or a word:

    S32.100   SBUF partition 32, byte 0x100        R5   address register 5
    P32.100   PSUM partition 32, byte 0x100        J5   index list in address register 5
    I32.100   as S32.100, marked as an index word

so that one row serves generations with different partition strides. Generations are named by letter: S SUNDA, C CAYMAN,
M MARIANA, V MAVERICK. Source: isa/01 to 06; the sections stand beside each family.
"""

from dataclasses import dataclass

ALL, OLD, INDIRECT = "SCMV", "SCM", "MV"  # generation letters; OLD: those with a PSUM region
GENERATIONS = {"S": "SUNDA", "C": "CAYMAN", "M": "MARIANA", "V": "MAVERICK"}


@dataclass
class Row:
    id: str
    rule: str
    base: bytes
    change: str
    field: str
    why: str
    setup: str = ""
    on: str = ALL
    also: tuple = ()  # rules that inevitably fail with it
    leaf: object = None  # one name, or {generation letters: name}
    assume: dict = None
    confidence: str = "H"
    not_modelled: bool = False


def record(*parts):
    raw = bytes.fromhex("".join(parts))
    assert len(raw) == 64, len(raw)
    return raw


NO_EVENTS = "00000000 00000000"
DIMS3 = "0100 0100 0100 0400 0100 0100"  # steps 1, 1, 1; counts 4, 1, 1
DIMS2 = "0100 0100 0400 0100"


def moved(text, by):
    """Shift the offsets of a change list, so that operand rows can be written relative to the operand."""
    return " ".join(f"{int(at) + by}={value}" for at, value in (item.split("=") for item in text.split()))


def preamble_rows(base, prefix, events=True, on=ALL, full=False):
    """Header and events rules; H1 and E3 are in UNBREAKABLE. full: every kind of wrong byte, else one of each."""
    code = f"0x{base[0]:02x}"
    lengths = ("40", "0f", "11", "00") if full else ("40",)
    for value in lengths:
        yield Row(f"{code}-inst-word-len-0x{value}", prefix + "1", base, f"1={value}", "header.inst_word_len",
            "the length byte must be 16", on=on, leaf="has_valid_inst_len")
    if not events:
        return
    for value in ("10", "80", "fd", "ff") if full else ("ff",):
        yield Row(f"{code}-wait-mode-0x{value}", prefix + "2", base, f"4={value}", "events.wait_mode",
            "no member of WAIT_MODE: 0..15 and 0xFE", on=on, leaf="is_valid_enum", confidence="M")
    for value in ("0b", "10", "1b", "fe") if full else ("1b",):
        yield Row(f"{code}-update-mode-0x{value}", prefix + "2", base, f"6={value}", "events.update_mode",
            "no member of UPDATE_MODE: 0..10 and 17..26", on=on, leaf="is_valid_enum", confidence="M")


# Code -> first failing check of is_valid_dtype(FP32R not allowed); 02 section 4.3
ENUM = "is_valid_enum"
DTYPE_FAULTS = {
    "00": {ALL: "dtype_invalid_check"},
    "01": {ALL: "dtype_uint64_illegal_check"},
    "0b": {ALL: "dtype_fp32r_illegal_check"},
    "0c": {ALL: "dtype_int64_illegal_check"},
    "10": {"SC": ENUM, "M": "dtype_fp4_illegal_check", "V": "dtype_4bit_illegal_check"},
    "11": {OLD: ENUM},
    "12": {OLD: ENUM, "V": "dtype_4bit_illegal_check"},
    "13": {OLD: ENUM, "V": "dtype_scale_illegal_check"},
    "16": {OLD: ENUM, "V": "dtype_scale_illegal_check"},
    "17": {ALL: ENUM},
    "18": {ALL: ENUM},
    "19": {"SC": ENUM},
    "1f": {"SC": ENUM},
    "20": {ALL: ENUM},
    "ff": {ALL: ENUM},
}


def dtype_rows(label, rule, base, at, field, setup="", skip=(), also=()):
    """Each elementary dtype check on a full-byte field; `setup` puts the operand's address in a register."""
    for code, leaf in DTYPE_FAULTS.items():
        if code not in skip:
            yield Row(f"{label}-code-0x{code}", rule, base, f"{at}={code}", field,
                "dtype code not admitted by the gate", setup=setup, on="".join(leaf), leaf=leaf, also=also)


def nibble_rows(label, rule, base, high, field, setup="", also=(), codes=("0", "1", "b", "c")):
    """The same for one half of in0_in1_dtype, which holds codes 0..15 only. high: the half is dtype_hi."""
    at = 40 if base[0] == 0xEA else 12
    pair = f"{base[at]:02x}"
    for code in codes:
        value = code + pair[1] if high else pair[0] + code
        yield Row(f"{label}-code-0x{code}", rule, base, f"{at}={value}", field, "dtype code not admitted by the gate",
            setup=setup, leaf=DTYPE_FAULTS["0" + code][ALL], also=also)


@dataclass
class Operand:
    """One pattern of a struct, and which rules look at it."""

    label: str
    name: str
    at: int
    base: bytes
    channels_at: int
    pattern: str  # the rule that tests the pattern
    start: str  # the rule that tests start partition against channels
    dims: int = 3
    repeats: tuple = ()  # rules that make the pattern test a second time
    counts: tuple = ()  # rules that compare its element count
    quadrant: str = None  # rule that an index word in a foreign quadrant breaks; None: never indirect
    apart: str = ""  # setup that puts the other source in a register, so that the two-source rule passes
    align: tuple = ()  # (label, setup, misaligned low address byte)
    write: bool = False
    wide: str = ""  # setup that makes the dtype 4 bytes wide
    zero: tuple = ("", "", ALL, "H")  # (setup of the neighbour, how the counts stay equal, generations, confidence)
    leaf: object = None
    gather: str = ""  # setup that keeps the count rules content when the operand is indirect
    num: str = "0400"  # its number of elements then


def pattern_rows(o):
    """V5 to V10 and V15 to V17: every part of pattern validity."""
    low = f"{o.base[o.at]:02x}{o.base[o.at + 1]:02x}0000"  # the base record's start word

    def row(part, change, why, setup="", own="", on=ALL, also=(), confidence="M"):
        return Row(f"{o.label}-{part}", o.pattern, o.base, moved(change, o.at), o.name, why,
            f"{own} {moved(setup, o.at)}".strip(), on, o.repeats + also, o.leaf, confidence=confidence)

    yield row("register-64", "0=40", "address registers are 0..63", "0=R63", confidence="H")
    yield row("register-255", "0=ff", "address registers are 0..63", "0=R63", confidence="H")
    yield row("register-byte-1", "1=01", "bytes 1 and 2 of a register word are zero", "0=R5", confidence="H")
    yield row("register-byte-2", "2=01", "bytes 1 and 2 of a register word are zero", "0=R5", confidence="H")
    yield row("register-marker-0x81-on-sunda", "3=81",
        "SUNDA wants byte 3 exactly 0x80; later generations do not look at bits 24..28", "0=R5", on="S", confidence="H")
    yield row("register-marker-0xc0-on-sunda", "3=c0",
        "SUNDA has no register shape; later generations accept the marker", "0=R5", on="S", confidence="H")
    yield row("marker-0x60", "3=60", "bits 29 and 30 both set: no producer, no meaning")
    yield row("marker-0xe0", "3=e0", "bits 29 and 30 both set, register bit or not", "0=R5")
    direct_only = ALL if o.quadrant is None else "SC"
    yield row("indirect-marker-in-direct-field", "3=20", "the operand has no indirect form on these generations",
        on=direct_only)
    yield row("index-register-in-direct-field", "3=a0", "the operand has no indirect form on these generations", "0=R5",
        on=direct_only)
    for label, setup, bad in o.align:
        yield row(f"{label}-misaligned-{bad}", f"0={bad}", "start address not a multiple of the element size",
            own=setup, confidence="H")
    for where, change, on in (("behind-psum", "2=4002", OLD), ("behind-sbuf", "3=08", "V"),
        ("at-the-top", "3=1f", ALL)):
        yield row(f"no-region-{where}", change, "in no memory region; the start rule sees it too", own=o.apart, on=on,
            also=(o.start,), confidence="H")
    setup, how, on, confidence = o.zero
    for dim, axis in enumerate("xyzw"[: o.dims]):
        at = 4 + 2 * o.dims + 2 * dim
        change = f"{at}=0000" if o.dims == 3 else f"{at}=00"
        if how:
            yield row(f"zero-count-{axis}", change, f"a count of zero; {how}", own=setup, on=on, confidence=confidence)
        seen = "; the count rules see it too" if o.counts else ""
        yield row(f"zero-count-{axis}-unmatched", f"{at}=00", f"a count of zero{seen}", also=o.counts, confidence="H")
    if o.write:
        yield row("psum-16-bit", "3=02", "PSUM takes 4-byte elements only", setup=f"0={low}", own=o.align[0][1], on=OLD,
            confidence="H")
    if o.quadrant is None:
        return
    gather = "0=I0.400 4=S0.100 8=0400 10=000000000000"
    listed = "0=J5 4=S0.100 8=0400 10=000000000000"
    yield row("index-count-zero", "8=00",
        "num of an indirect pattern is at least 1; the index register waives the count rules", listed, on=INDIRECT)
    yield row("index-count-zero-static", "8=00", "num of an indirect pattern is at least 1; the count rules see it too",
        gather, on=INDIRECT, also=o.counts)
    yield row("index-misaligned-2", "0=02", "the index word is placed as a 4-byte element", gather, on=INDIRECT)
    yield row("index-misaligned-1", "0=01", "the index word is placed as a 4-byte element", gather, on=INDIRECT)
    if o.write:
        yield row("index-in-psum", "3=22",
            "the index list is an SBUF tensor; the source is in a register, so no quadrant is compared", gather,
            own=o.apart, on="M")
    else:
        yield row("index-in-psum", "3=22", "the index list is an SBUF tensor; data in PSUM, so no quadrant is compared",
            gather.replace("S0.", "P0."), on="M")
    yield row("index-register-64", "0=40", "address registers are 0..63, also under marker 0xA0",
        listed.replace("J5", "J63"), on=INDIRECT)
    yield row("index-register-byte-1", "1=01", "bytes 1 and 2 of a register word are zero", listed, on=INDIRECT)
    yield row("index-register-byte-2", "2=01", "bytes 1 and 2 of a register word are zero", listed, on=INDIRECT)
    for bit, value in (("29", "20"), ("30", "40"), ("31", "80")):
        yield row(f"data-word-bit-{bit}", f"7={value}",
            "the data word carries no marker bits; with bit 31 this one would name register 4",
            gather.replace("S0.100", "S0.4"), on=INDIRECT, confidence="H")
    for label, setup, bad in o.align:
        yield row(f"indirect-data-{label}-misaligned-{bad}", f"4={bad}",
            "data address not a multiple of the element size", gather, own=setup, on=INDIRECT, confidence="H")
    for where, change, on in (("behind-psum", "6=4002", "M"), ("behind-sbuf", "7=08", "V")):
        yield row(f"indirect-data-{where}", change, "in no memory region; the start rule sees it too", listed,
            own=o.apart, on=on, also=(o.start,), confidence="H")
    if o.write:
        yield row("indirect-data-psum-16-bit", "7=02", "PSUM takes 4-byte elements only", gather, own=o.align[0][1],
            on="M", confidence="H")


def start_rows(o):
    """V11 to V14: start partition against channel count, and the active part of a partition."""

    def row(part, change, why, setup="", own="", channels=None, on=ALL, also=(), confidence="H"):
        field, text = f"{o.name}.start_addr", moved(change, o.at)
        if channels is not None:
            field, text = "num_active_channels", f"{o.channels_at}={channels}"
        return Row(f"{o.label}-{part}", o.start, o.base, text, field, why,
            " ".join((o.wide, o.apart, own, moved(setup, o.at))).strip(), on, also, confidence=confidence)

    for partition, legal in ((1, 0), (31, 0), (33, 32), (127, 96)):
        yield row(f"partition-{partition}", f"0=S{partition}.100", "start partitions are 0, 32, 64 and 96",
            f"0=S{legal}.100")
    for partition, before, after in ((32, "20", "21"), (32, "20", "40"), (64, "40", "41"), (64, "40", "80"),
        (96, "20", "21")):
        yield row(f"partition-{partition}-with-{int(after, 16)}-channels", "",
            "too many channels for the start partition", f"0=S{partition}.100", f"{o.channels_at}={before}", after)
    for on, last, first in (("S", "f8ff0200", "00000300"), ("C", "f87f0300", "00800300"),
        ("V", "f8ff0700", "00000800")):
        yield row(f"padding-on-{GENERATIONS[on].lower()}", f"0={first}",
            "first byte behind the active part of the partition", f"0={last}", on=on)
    yield row("psum-padding", "0=00400002", "first byte behind the active part of the PSUM partition", "0=f83f0002",
        on=OLD, confidence="M")
    yield row("psum-partition-1", "0=P1.100", "start partitions are 0, 32, 64 and 96", "0=P0.100", on=OLD,
        confidence="M")
    yield row("psum-partition-32-with-33-channels", "", "too many channels for the start partition", "0=P32.100",
        channels="21", on=OLD, confidence="M")
    if o.quadrant is None:
        return
    tail = " 8=0400 10=000000000000"
    yield row("indirect-data-partition-1", "4=S1.100", "the data word obeys the start rule", "0=J5 4=S0.100" + tail,
        on=INDIRECT, confidence="M")
    if o.write:
        yield row("index-partition-1", "0=I1.400",
            "the index word obeys the start rule; the source is in a register, so no quadrant is compared",
            "0=I0.400 4=S0.100" + tail, on=INDIRECT, confidence="M")
    else:
        yield row("index-partition-1", "0=I1.400",
            "the index word obeys the start rule; data in PSUM, so no quadrant is compared", "0=I0.400 4=P0.100" + tail,
            on="M", confidence="M")
        yield row("index-partition-1-of-sbuf-data", "0=I1.400",
            "the index word obeys the start rule; partition 1 is in no quadrant either", "0=I0.400 4=S0.100" + tail,
            on=INDIRECT, also=(o.quadrant,), confidence="M")


def quadrant_rows(src_rule, dst_rule, src, dst, base, apart=""):
    """V23 on an indirect source, V24 on an indirect destination; src and dst are (label, field, offset)."""
    (_, src_field, s), (_, dst_field, d) = src, dst
    tail = " 8=0400 10=000000000000"
    gather, scatter = "0=I0.400 4=S0.100" + tail, "0=I0.500 4=S0.200" + tail
    yield Row("index-and-data-in-two-quadrants", src_rule, base, moved("4=S32.100", s), src_field,
        "index and data of an indirect source share a quadrant", f"{apart} {moved(gather, s)}", INDIRECT,
        confidence="M")
    yield Row("index-quadrant-away-from-data", src_rule, base, moved("0=I64.400", s), src_field,
        "index and data of an indirect source share a quadrant", f"{apart} {moved(gather, s)}", INDIRECT,
        confidence="M")
    yield Row("scatter-index-away-from-source", dst_rule, base, moved("0=I32.500", d), dst_field,
        "the index of an indirect destination shares the quadrant of the source data", moved(scatter, d), INDIRECT,
        confidence="M")
    yield Row("scatter-index-away-from-gathered-data", dst_rule, base, moved("0=I32.500", d), dst_field,
        "an index register of the source does not waive the comparison with its SBUF data",
        f"{moved('0=J5 4=S0.100' + tail, s)} {moved(scatter, d)}", INDIRECT, confidence="M")
    yield Row("scatter-index-away-from-gather-index", dst_rule, base, moved("0=I32.500", d), dst_field,
        "source data in PSUM: the two index words share a quadrant",
        f"{moved('0=I0.400 4=P0.100' + tail, s)} {moved(scatter, d)}", "M", confidence="M")


def immediate_rows(label, rule, base, imm_at, imm_field, channels_at, source=None, align=(), inline=""):
    """I1 to I4. source: (offset, field), None for an always-pointer slot; align: (label, setup, bad low byte)."""
    point = f"{source[0]}=01 {inline}" if source else ""

    def row(part, change, why, setup, on=ALL, confidence="H"):
        return Row(f"{label}-{part}", rule, base, change, imm_field, why, setup.strip(), on, confidence=confidence)

    if source:
        for value in ("03", "ff"):
            yield Row(f"{label}-source-0x{value}", rule, base, f"{source[0]}={value}", source[1],
                "immediate sources are 0, 1 and 2", inline)
    yield row("pointer-partition-1", f"{imm_at}=S1.400", "a pointer starts in partition 0, 32, 64 or 96",
        f"{point} {imm_at}=S0.400", confidence="M")
    yield row("pointer-partition-32-with-64-channels", f"{imm_at}=S32.400",
        "too many channels for the pointer's partition", f"{point} {imm_at}=S64.400 {channels_at}=40", confidence="M")
    yield row("psum-pointer-partition-1", f"{imm_at}=P1.400", "a pointer starts in partition 0, 32, 64 or 96",
        f"{point} {imm_at}=P0.400", on=OLD, confidence="M")
    for on, last, first in (("S", "fcff0200", "00000300"), ("C", "fc7f0300", "00800300"),
        ("V", "fcff0700", "00000800")):
        yield row(f"pointer-into-padding-on-{GENERATIONS[on].lower()}", f"{imm_at}={first}",
            "first byte behind the active part of the partition", f"{point} {imm_at}={last}", on=on, confidence="M")
    for where, change, on in (("behind-psum", f"{imm_at + 2}=4002", OLD), ("behind-sbuf", f"{imm_at + 3}=08", "V")):
        yield row(f"pointer-{where}", change, "in no memory region", f"{point} {imm_at}=S0.400", on=on, confidence="M")
    for bit, value in (("29", "20"), ("30", "40"), ("31", "80")):
        yield row(f"pointer-bit-{bit}", f"{imm_at + 3}={value}", "a pointer is a whole word without marker bits",
            f"{point} {imm_at}=S0.400", confidence="M")
    for name, setup, bad in align:
        yield row(f"pointer-{name}-misaligned-{bad}", f"{imm_at}={bad}", "pointer not aligned to its element",
            f"{point} {imm_at}=S0.400 {setup}")
    if source:
        named = f"{source[0]}=02 {imm_at}=3f000000 {inline}"
        yield row("register-64", f"{imm_at}=40", "immediate registers are 0..63", named, confidence="M")
        for byte in (1, 2, 3):
            yield row(f"register-reserved-byte-{byte}", f"{imm_at + byte}=01",
                "the three bytes behind the register number are zero", named)


def channel_rows(rule, base, at, registers, also=(), label="", fewest="01"):
    """V1 and V2 alone: every address in a register, where the start rules pass."""
    for value, legal in (("00", fewest), ("81", "80"), ("ff", "80")):
        yield Row(f"{label}channels-{int(value, 16)}", rule, base, f"{at}={value}", "num_active_channels",
            "1..128 channels; addresses come from registers, so no start rule fails", f"{registers} {at}={legal}",
            also=also)


def tile_rows(rule, base, label=""):
    for value in ("01", "80"):
        yield Row(f"{label}tile-flags-0x{value}", rule, base, f"3={value}", "num_active_channels",
            "inst_flags name a tile: neither legal nor illegal here", on="V", confidence="L", not_modelled=True)


def zero_bytes_rows(rule, base, offsets, field_of, why, label="reserved", **more):
    for at in offsets:
        yield Row(f"{label}-byte-{at}", rule, base, f"{at}=01", field_of(at), why, **more)


def partition_pair_rows(rule, base, src0, src1, field, starts):
    """V25 without indirect operands."""
    yield Row("two-psum-sources", rule, base, moved("0=P0.200", src1), field, "at most one source in PSUM",
        moved("0=P0.100", src0), on=OLD)
    yield Row("two-psum-sources-apart", rule, base, moved("0=P32.200", src1), field,
        "at most one source in PSUM, whatever the partitions", moved("0=P0.100", src0), on=OLD)
    for q in (32, 64, 96):
        yield Row(f"sources-in-quadrants-0-and-{q}", rule, base, moved(f"0=S{q}.200", src1), field,
            "two SBUF sources start in the same quadrant")
    yield Row("sources-both-in-partition-1", rule, base, f"{moved('0=S1.100', src0)} {moved('0=S1.200', src1)}", field,
        "a quadrant is known by its first partition; the start rules see it too", also=starts)
