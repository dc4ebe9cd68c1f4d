"""The ALU codes equal tables/aluops.json, and the validator accepts for each family the codes the table says."""

import numpy as np
import pytest

from dve_engine.isa import aluops as alu

from .tables import BY_NAME, ORDER, first_failures, table

TABLE = table("aluops")
ROWS = {row["code"]: row for row in TABLE["aluops"]}
OP_RULES = {
    "tensor_scalar_valid_ops",
    "is_valid_aluop",
    "is_valid_enum",
    "s3s3d3_tt_valid_op",
    "is_valid_tensor_tensor_arith_dve",
    "s3s3d3_tt_valid_int_signness",
    "has_valid_select_reduce_op",
    "s3s3d3_tt_is_zero_op",
    "tensor_scalar_shift_chk",
}

each_generation = pytest.mark.parametrize("generation", ORDER)


def test_same_codes():
    assert {int(op): op.name for op in alu.AluOp} == {code: row["name"] for code, row in ROWS.items()}
    assert len(ROWS) == 65


@each_generation
def test_presence(generation):
    present = {code for code, row in ROWS.items() if row["presence"][generation]}
    assert alu.codes(BY_NAME[generation]) == present
    assert len(present) == TABLE["enumerator_counts"][generation]


def test_arity_datapaths_and_formula():
    for code, row in ROWS.items():
        info = alu.ALU_OPS[alu.AluOp(code)]
        assert (info.arity, list(info.datapaths), info.formula) == (row["arity"], row["compute"], row["formula"]), code


def test_same_classes():
    assert set(alu.CLASSES) == set(TABLE["class_sizes"])
    assert all(set(row["member"]) == set(alu.CLASSES) for row in ROWS.values())


@each_generation
@pytest.mark.parametrize("name", alu.CLASSES)
def test_class(name, generation):
    """Members and size; a null of the table is an open membership, which the class leaves out."""
    g = BY_NAME[generation]
    got = alu.present(alu.CLASSES[name])(g)
    assert got == {code for code, row in ROWS.items() if row["member"][name] and row["presence"][generation]}
    if generation in TABLE["predicate_presence"].get(name, ORDER):
        assert len(got) == TABLE["class_sizes"][name][generation]


def test_integer_band():
    assert [c for c in range(256) if alu.is_integer_band(c) and c in ROWS] == list(range(0xC4, 0xE2))
    assert not {int(c, 16) for c in TABLE["unassigned_base_codes"]} & set(ROWS)


# --- the accept/reject matrix ----------------------------------------------------------------------------------------


def record(opcode, **bytes_at):
    """A legal record of a seed family, FP32 or UINT32, one channel, one element."""
    raw = bytearray(64)
    raw[0], raw[1] = opcode, 0x10
    for name, value in {**LEGAL[opcode], **bytes_at}.items():
        offset = int(name.removeprefix("b"))
        raw[offset : offset + len(value)] = value
    return bytes(raw)


def pattern(address, dims=3):
    counts = np.ones(dims, "<u2").tobytes()
    return np.uint32(address).tobytes() + np.ones(dims, "<i2").tobytes() + counts


def s3d3_ts(dtype):
    return {"b16": pattern(0), "b32": bytes((dtype, dtype, 1)), "b48": pattern(0x400)}


def s3s3d3(pair, out):
    return {"b12": bytes((pair, out, 0, 1)), "b16": pattern(0), "b32": pattern(0x100), "b48": pattern(0x400)}


LEGAL = {opcode: s3d3_ts(0x0A) for opcode in (0x43, 0x44)} | {opcode: s3d3_ts(0x09) for opcode in (0x53, 0x54)}
LEGAL |= {
    0x93: {
        **s3d3_ts(0x0A),
        "b16": pattern(0, 2)[:4] + bytes.fromhex("010001000100200001000100"),
        "b34": b"\x20",
        "b48": pattern(0x400)[:4] + bytes.fromhex("010001000100200001000100"),
    }
}
LEGAL |= {0x41: s3s3d3(0xAA, 0x0A), 0x51: s3s3d3(0x99, 0x09), 0x72: s3s3d3(0xA9, 0x0A), 0x99: s3s3d3(0xA9, 0x0A)}
LEGAL[0xEA] = {
    "b12": pattern(0, 2),
    "b24": pattern(0x100, 2),
    "b37": b"\x08",
    "b40": bytes((0xA9, 0x0A, 1, 0x0A)),
    "b44": b"\x03",
    "b48": pattern(0x400, 2),
}
OP = {0x41: "b14", 0x51: "b14", 0x72: "b14", 0x99: "b14"}  # the op byte of S3S3D3_TT; the others have op0, op1
SEED_FAMILIES = ("ts_arith", "ts_bitvec", "tt_arith_dve", "tt_bitvec", "select_reduce", "cast_copy_pred_bn_backprop")


def op_variants(opcode, code):
    """Records that carry `code` where the table's symbol speaks of it: (role, record)."""
    if opcode in OP:
        return [("op", record(opcode, **{OP[opcode]: bytes((code,))}))]
    if opcode == 0xEA:
        return [("op0", record(opcode, b36=bytes((code,)))), ("op1", record(opcode, b37=bytes((code,))))]
    plain = 0x00 if code == 0x00 else 0x04 if opcode in (0x43, 0x44, 0x93) else 0x0A
    partner = 0xC4 if alu.is_integer_band(code) else plain
    return [
        ("op0", record(opcode, b36=bytes((code, 0x00)))),
        ("op1", record(opcode, b36=bytes((partner if code else 0x00, code)))),
    ]


def is_accepted(symbol, role, generation, code):
    """What the table's symbol says of a code in a role on a generation; None where it leaves the role open."""
    if symbol in ("Y", "Y!"):
        return True
    if symbol == "V":
        return generation == "MAVERICK"
    if symbol == "R":
        return role == "op0"
    if symbol in ("op0", "op1"):
        return role == symbol
    return False  # null; P and ? are refused by the Vector Engine's defaults


@each_generation
@pytest.mark.parametrize("family", SEED_FAMILIES)
def test_accept_matrix(family, generation):
    """Each of the 256 codes in each role of each opcode of the family: refused by an op rule or by none."""
    opcodes = [int(c, 16) for c in TABLE["accepted_families"][family]]
    opcodes = [c for c in opcodes if c in LEGAL]
    labels, records = [], []
    for opcode in opcodes:
        for code in range(256):
            for role, raw in op_variants(opcode, code):
                labels.append((opcode, code, role))
                records.append(raw)
    wrong = []
    for (opcode, code, role), failure in zip(labels, first_failures(records, generation), strict=True):
        row = ROWS.get(code)
        member = row is not None and row["presence"][generation]
        expected = member and is_accepted(row["accepted"][family], role, generation, code)
        if (failure is None) != expected or (failure is not None and failure.rule not in OP_RULES):
            wrong.append((f"0x{opcode:02X} {role} 0x{code:02X}", row and row["accepted"][family], failure))
    assert not wrong, wrong[:5]
    roles = 1 if opcodes[0] in OP else 2
    assert len(records) == 256 * roles * len(opcodes)


def test_matrix_covers_every_symbol():
    symbols = {row["accepted"][family] for row in ROWS.values() for family in SEED_FAMILIES}
    assert symbols <= {*TABLE["accepted_legend"], None}
    assert all(set(row["accepted"]) == set(TABLE["accepted_families"]) for row in ROWS.values())
