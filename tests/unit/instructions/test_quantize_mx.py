"""QUANTIZE_MX. Known answers from isa/06 section 7.5 and W14 under both profiles, the rest by hand."""

import numpy as np
import pytest

from dve_engine import Choices, ExecutionError, Fp8Mode, Machine, NotModelled
from tests.unit.instructions.support import (
    BF16,
    COMPONENTS,
    E3M4,
    E4M3,
    E5M2,
    FP16,
    FP32,
    at,
    bf16,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

G = "MARIANA"
DATA, SCALE = 0x1000, 0x2000


def quantize(
    count=4, target=E4M3, source=FP16, lanes=32, length=16, data=DATA, scale=SCALE, num=None, step=1, **fields
):
    base = {
        "src_mem_pattern": pattern(0, count, dims=3),
        "num_active_channels": lanes,
        "in_dtype": source,
        "out_dtype": target,
        "dst_mem_pattern__data_addr": data,
        "dst_mem_pattern__scale_addr": scale,
        "dst_mem_pattern__num": count // 4 if num is None else num,
        "dst_mem_pattern__step": step,
    }
    program = bytearray(record(0xE3, **(base | fields)))
    program[1] = length
    return bytes(program)


def filled(rows, lanes=32, source=FP16, columns=4):
    """rows: lane -> elements; all others are zero."""
    state = fresh(G)
    for lane in range(lanes):
        values = np.zeros(columns, np.float32)
        values[: len(rows.get(lane, ()))] = rows.get(lane, ())
        put(state, lane, 0, values.astype("<f2") if source == FP16 else bf16(*values))
    return state


@pytest.mark.parametrize("profile", ["notes", "nki"])
@pytest.mark.parametrize(("target", "name"), [(E4M3, "e4m3"), (E5M2, "e5m2")])
def test_block_scale_components(profile, target, name):
    """The block of 8 lanes by 4 elements; profile nki lowers EMAX by one."""
    known = COMPONENTS[f"06-W14-{name}" + ("-nki" if profile == "nki" else "")]
    state = filled({0: known["row0"], 7: [0, 0, 0, known["element_7_3"]]})
    result = run(quantize(target=target), state, profile)
    assert get(state, 0, SCALE, 1, "u1").tolist() == [known["e8m0"]]
    assert get(state, 0, DATA, 4, "u1").tolist() == [int(code, 16) for code in known["codes_row0"]]
    assert get(state, 7, DATA, 4, "u1").tolist() == [0, 0, 0, int(known["code_7_3"], 16)]
    assert result.assumptions["quantize-mx-scale"] == known["assumptions"]["quantize-mx-scale"][0]


@pytest.mark.parametrize(("profile", "suffix"), [("notes", ""), ("nki", "-nki")])
def test_zero_block_components(profile, suffix):
    known = COMPONENTS[f"06-W14-zero{suffix}"]
    state = filled({0: [-0.0]})
    result = run(quantize(), state, profile)
    assert get(state, 0, SCALE, 1, "u1").tolist() == [known["e8m0"]]
    assert get(state, 1, DATA, 4, "u1").tolist() == [known["data"]] * 4
    assert get(state, 0, DATA, 1, "u1").tolist() == [0x80]
    assert result.assumptions["quantize-mx-zero-block"] == ("zero" if profile == "nki" else "one")
    assert "quantize-mx-scale" not in result.assumptions


def test_bf16_subnormals_are_no_zero_block():
    """Their biased exponent is 0, so the scale is 1 under both profiles."""
    state = filled({}, source=BF16)
    put(state, 0, 0, np.array([1, 0, 0, 0], "<u2"))
    result = run(quantize(source=BF16), state, "nki")
    assert get(state, 0, SCALE, 4, "u1")[0] == 1
    assert get(state, 1, SCALE, 1, "u1")[0] == 0
    assert result.assumptions["quantize-mx-zero-block"] == "zero"  # for the other blocks


# -- where scales and codes go -----------------------------------------------------------------------------------------


def test_scales_sit_in_the_first_partitions_of_each_quadrant():
    """Lane group g = lane // 8: partition 32 (g // 4) + g % 4, one byte per column of four."""
    rows = {lane: [2.0 ** (lane // 8)] * 4 + [2.0 ** -(lane // 8)] * 4 for lane in range(128)}
    state = filled(rows, 128, columns=8)
    run(quantize(8, lanes=128), state)
    for group in range(16):
        got = get(state, 32 * (group // 4) + group % 4, SCALE, 2, "u1").tolist()
        assert got == [127 + group - 8, 127 - group - 8]
    for partition in set(range(128)) - {32 * q + k for q in range(4) for k in range(4)}:
        assert not get(state, partition, SCALE, 2, "u1").any()


def test_first_code_in_the_low_byte_and_step_in_groups():
    state = filled({0: [1, 2, 4, 8, 256, 256, 256, 256]}, columns=8)
    run(quantize(8, step=3), state)
    assert get(state, 0, DATA, 1, "<u4").tolist() == [0x7870_6860]  # scale 2^-5: 32, 64, 128, 256
    assert get(state, 0, DATA + 12, 4, "u1").tolist() == [0x78] * 4
    assert get(state, 0, SCALE, 4, "u1").tolist() == [122, 0, 0, 127]
    assert not get(state, 0, DATA + 4, 8, "u1").any()


def test_another_start_partition():
    state = fresh(G)
    put(state, 64, 0, *[np.full(4, 3, "<f2")] * 32)
    a = {name: at(64, byte, generation=G) for name, byte in (("data", DATA), ("scale", SCALE))}
    run(quantize(src_mem_pattern=pattern(at(64, generation=G), 4, dims=3), **a), state)
    assert get(state, 67, SCALE, 1, "u1").tolist() == [128 - 8]
    assert get(state, 95, DATA, 4, "u1").tolist() == [0x7C] * 4  # 384


def test_addresses_from_registers():
    state = filled({0: [1]})
    state.registers = {1: DATA, 2: SCALE}
    run(quantize(data=0x8000_0001, scale=0x8000_0002), state)
    assert get(state, 0, SCALE, 1, "u1").tolist() == [119]
    state.registers[1] = DATA + 2
    with pytest.raises(ExecutionError, match="aligned"):
        run(quantize(data=0x8000_0001, scale=0x8000_0002), state)


# -- special values ----------------------------------------------------------------------------------------------------


def test_infinity_saturates_and_nan_stays():
    state = filled({0: [np.inf, -np.inf, np.nan, 1]})
    put(state, 1, 0, np.array([0xFE00, 0x7C01, 0, 0], "<u2"))
    result = run(quantize(), state)
    assert get(state, 0, SCALE, 1, "u1").tolist() == [255 - 8]
    assert get(state, 0, DATA, 4, "u1").tolist() == [0x7E, 0xFE, 0x7F, 0]
    assert get(state, 1, DATA, 4, "u1").tolist() == [0xFF, 0x7F, 0, 0]
    assert "nan-results" not in result.assumptions  # no arithmetic meets the NaN


def test_length_byte_and_saturation():
    """0x10 saturates too unless the flag is to be followed; then overflow becomes NaN in E4M3FN."""
    saturated, loose = [0x7E, 0, 0, 0], [0x7F, 0, 0, 0]
    for length, choices, want in (
        (0x10, {}, saturated),
        (0x11, {}, saturated),
        (0x11, {"quantize_mx_length_byte": "accept-follow-flag"}, saturated),
        (0x10, {"quantize_mx_length_byte": "accept-follow-flag"}, loose),
    ):
        state = filled({0: [511.0]})
        result = run(quantize(length=length), state, **choices)
        assert get(state, 0, DATA, 4, "u1").tolist() == want
        assert "quantize-mx-length-byte" in result.assumptions
    assert failures(quantize(length=0x11), G) == []
    assert failures(quantize(length=0x11), G, quantize_mx_length_byte="only-0x10") == ["QMX-P1"]
    assert failures(quantize(length=0x12), G) == ["QMX-P1"]


def test_an_engine_in_the_alternative_mode_is_not_lowered_twice():
    state = filled({0: [1]})
    state.fp8_mode = Fp8Mode(ocp=True, sat=True, emax_e4m3=7)
    run(quantize(), state, "nki")
    assert get(state, 0, SCALE, 1, "u1").tolist() == [127 - 7]


def test_e5m2_does_not_depend_on_the_power_on_mode():
    state = filled({0: [1, 5]})
    assert "fp8-mode-mariana" not in run(quantize(target=E5M2), state).assumptions
    assert "fp8-mode-mariana" in run(quantize(), state).assumptions


# -- rules and refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "rules"),
    [
        ({}, []),
        ({"source": FP32}, ["V5"]),
        ({"target": E3M4}, ["V6"]),
        ({"lanes": 48}, ["V7"]),
        ({"num": 0}, ["V4"]),
        ({"data": DATA + 2}, ["V4"]),
        ({"scale": SCALE + 1}, []),
        ({"scale": at(32, SCALE, generation=G)}, ["V4"]),
        ({"scale": 0x200_0000}, ["V4"]),
        ({"data": 0x2000_0000 | DATA}, ["V4"]),
        ({"data": 0x8000_0040}, ["V4"]),
        ({"src_mem_pattern": pattern(2, 4, dims=3)}, ["V3"]),
        ({"src_mem_pattern": pattern(0x200_0000, 4, dims=3)}, ["V3"]),
        ({"reserved1": 1}, ["V1"]),
    ],
)
def test_breaks(fields, rules):
    assert failures(quantize(**fields), G) == [f"QMX-{r}" for r in rules]


def test_counts_are_compared_at_run_time():
    """No rule of the list ties four source elements to one packed group."""
    program = quantize(8, num=1)
    assert failures(program, G) == []
    with pytest.raises(ExecutionError, match="1 groups of four for 8"):
        run(program, fresh(G))


def test_scale_partition_index_is_not_modelled():
    program = quantize(dst_mem_pattern__scale_partition_index=4)
    assert failures(program, G) == []
    with pytest.raises(NotModelled, match="scale partition index"):
        run(program, fresh(G))


def test_written_regions_and_text():
    state = filled({0: [1]})
    result = Machine(state.generation, Choices()).run(quantize(), state, trace="full")
    assert {(r.partition, r.partitions, r.byte, r.size) for r in result.written} == {
        (0, 4, DATA, 4), (4, 28, DATA, 4), (0, 4, SCALE, 1),
    }  # fmt: skip
    assert "dst=fp8e4x4@0x1000,0x2000[1][1]" in result.trace[0]["text"]
