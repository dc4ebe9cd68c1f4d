"""Control records: base records, rows, what cannot be broken."""

from rows_brief import OPCODE
from rows_common import ALL, INDIRECT, NO_EVENTS, Row, preamble_rows, record


def plain(opcode):
    return record(f"{opcode:02x} 10 0000", "00" * 60)


MOVE = record("a7 10 0000", NO_EVENTS, "00 09", "00" * 50)


def control():
    yield from preamble_rows(plain(0x9F), "ENOP-P", full=True)
    fields = {12: "param_ram_offset", 14: "imm_ptr_select", 15: "reserved0", 32: "immediate"}
    for at in (12, 13, 14, 15, 31, 32, 63):
        yield Row(f"byte-{at}", "ENOP-V1", plain(0x9F), f"{at}=01", fields[max(f for f in fields if f <= at)],
            "a no-operation without immediates", confidence="M")
    yield from preamble_rows(plain(0xA0), "ES-P", full=True)
    two_waits = "4=05 32=05"
    for value in ("10", "80", "ff"):
        yield Row(f"second-wait-mode-0x{value}", "ES-V1", plain(0xA0), f"32={value}", "second_wait.wait_mode",
            "no member of WAIT_MODE", two_waits, confidence="M")
    for at, name, value in ((34, "zero0", "13"), (34, "zero0", "ff"), (35, "zero1", "01")):
        yield Row(f"second-wait-byte-{at}-0x{value}", "ES-V2", plain(0xA0), f"{at}={value}", f"second_wait.{name}",
            "the second block waits and does not update", two_waits, confidence="M")
    strict = {"assume": {"control-record-body": "must-be-zero"}, "confidence": "L"}
    for at in (12, 20, 31, 40, 63):
        yield Row(f"body-byte-{at}", "ES-V3", plain(0xA0), f"{at}=01", "body0" if at < 32 else "body1",
            "only under that value of the assumption", two_waits, **strict)
    for opcode in (*range(0xA1, 0xA7), *range(0xB0, 0xB6)):
        yield from preamble_rows(plain(opcode), "CTL-P", on=INDIRECT if opcode == 0xB4 else ALL)
    for opcode in (0xA4, 0xB1):
        for at, name in ((12, "body0"), (31, "body0"), (32, "second_wait"), (36, "second_wait"), (40, "body1"),
            (63, "body1")):
            yield Row(f"0x{opcode:02x}-body-byte-{at}", "CTL-V1", plain(opcode), f"{at}=01", name,
                "only under that value of the assumption", **strict)
    yield from preamble_rows(MOVE, "MV-P")
    for code in ("00", "02", "06", "07", "0b", "0c", "01", "0e", "ff"):
        yield Row(f"dtype-0x{code}", "MV-V1", MOVE, f"13={code}", "dtype", "UINT32, INT32 or FP32")
    for opcode in range(0xA8, 0xAC):
        yield from preamble_rows(plain(opcode), "CTR-P")
    yield from preamble_rows(plain(0xB6), "CCI-P", events=False, on="V", full=True)


FAMILIES = {  # file: (what, sources, rows)
    "control": ("control records 0x9F, 0xA0..0xAB, 0xB0..0xB6",
        "isa/06 section 9.2; 01 sections 1.3, 1.4", control),
}

UNBREAKABLE = (
    *((rule, "opcode", (), OPCODE) for rule in ("ENOP-P3", "ES-P3", "CTL-P3", "MV-P3", "CTR-P3", "CCI-P3")),
)  # fmt: skip

PARTS = (
    ("has_valid_neuron_header", "H1",
        "a byte 0 outside the enum selects no list; vectors/instructions.json, dispatch, covers it"),
    ("has_valid_neuron_events", "E3", "the consistency of the two modes is open; every pair of members passes"),
)
