"""Every struct equals tables/layouts.json: offsets, sizes, types per generation, reserved and undescribed bytes."""

import numpy as np
import pytest

from dve_engine.isa.generation import names
from dve_engine.isa.layout import STRUCTS
from dve_engine.isa.struct import DATA4D, EVENTS, HEADER, INDIRECT, MXMEM_PATTERN1D, SECOND_WAIT, TENSOR

from .tables import BY_NAME, ORDER, table

TABLE = table("layouts")["structs"]
SUBTYPES = table("layouts")["subtypes"]

each_struct = pytest.mark.parametrize("name", TABLE)


def test_same_structs():
    assert list(STRUCTS) == list(TABLE)
    assert len(TABLE) == 36
    assert sum(len(s.fields) for s in STRUCTS.values()) == sum(len(row["fields"]) for row in TABLE.values())


@each_struct
def test_fields(name):
    got = [(f.name, f.offset, f.size, f.reserved) for f in STRUCTS[name].fields]
    assert got == [(f["name"], f["offset"], f["size"], f["reserved"]) for f in TABLE[name]["fields"]]


@each_struct
def test_undescribed_bytes(name):
    assert [f.undescribed for f in STRUCTS[name].fields] == [f.get("undescribed", False) for f in TABLE[name]["fields"]]
    assert TABLE[name]["complete"] == (not any(f.undescribed for f in STRUCTS[name].fields))


@each_struct
@pytest.mark.parametrize("generation", ORDER)
def test_types(name, generation):
    for field, row in zip(STRUCTS[name].fields, TABLE[name]["fields"], strict=True):
        expected = row.get("type_by_generation", {}).get(generation, row["type"])
        assert field.type_on(BY_NAME[generation]) == expected, field.name


@each_struct
def test_opcodes_and_generations(name):
    assert [f"0x{c:02X}" for c in STRUCTS[name].opcodes] == TABLE[name]["opcodes"]
    assert list(names(STRUCTS[name].generations)) == TABLE[name].get("generations", list(ORDER))


@each_struct
def test_numpy_type_covers_the_record(name):
    """Offsets inside the structured dtype are the declared ones, and every byte belongs to exactly one field."""
    layout = STRUCTS[name]
    assert layout.dtype.itemsize == TABLE[name]["size"] == 64
    owners = np.zeros(64, int)
    for field in layout.fields:
        kind, offset = layout.dtype.fields[field.name][:2]
        assert (offset, kind.itemsize) == (field.offset, field.size)
        owners[offset : offset + kind.itemsize] += 1
    assert (owners == 1).all()


def members(dtype):
    return [(name, offset, kind.itemsize) for name, (kind, offset) in dtype.fields.items()]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("HEADER", HEADER), ("EVENTS", EVENTS), ("SECOND_WAIT", SECOND_WAIT), ("DATA4D", DATA4D),
        ("MXMEM_PATTERN1D", MXMEM_PATTERN1D),
        *((f"TENSOR{n}D", TENSOR[n]) for n in (1, 2, 3, 4)),
        *((f"INDIRECT{size}B", INDIRECT[size]) for size in (12, 16, 20)),
    ],
)  # fmt: skip
def test_subtype(name, dtype):
    row = SUBTYPES[name]
    assert dtype.itemsize == row["size"]
    assert members(dtype) == [(f["name"], f["offset"], f["size"]) for f in row["fields"]]


def test_span_of_a_member():
    layout = STRUCTS["S3D3_TS"]
    assert layout.span("events.update_mode") == (6, 1)
    assert layout.span("src_mem_pattern.num_elem") == (26, 6)
    assert layout.span("dst_mem_pattern.data_addr") == (52, 4)
    assert STRUCTS["S3S3D3_TT"].span("in0_in1_dtype.dtype_hi") == (12, 1)
