"""The table of unmodelled records: verdict and run answer alike, and each names the assumptions it depended on."""

import pytest

from dve_engine import GENERATIONS, Choices, ExecutionError, NotModelled, generation_named, validate
from dve_engine.instructions.catalog import FAMILIES
from tests.unit.records import FP32, INT32, grouped, pattern, record, run, tensor_scalar

ADD, RSQRT, ADD_INT, E2M5, CPTC5 = 0x04, 0x1D, 0xC4, 0x11, 0x1D
SHAPED = tensor_scalar(ADD, src=pattern(0x4000_0000))
FLAGGED = bytes((0x66, 0x10, 0, 7)) + bytes(60)  # LOAD_PARAMETER_RAM, whose rules do not look at the flags

BY_RULES = {"extended-dtype-codes"}  # what a rule of these records asks for

# record, generation, overrides; the reason, and what the verdict depended on
REFUSED = [
    (SHAPED, "CAYMAN", {}, "src: its shape comes from a register", {"shape-register"}),
    (FLAGGED, "MAVERICK", {}, "header.inst_flags is 7", {"maverick-inst-flags-byte", "maverick-tile-range"}),
    (tensor_scalar(ADD_INT), "MAVERICK", {}, "an integer ALU code with FP32", {"int-tensor-scalar-dtypes"}),
    (tensor_scalar(ADD, dtypes=(FP32, CPTC5), dst=pattern(0x8000_0001)), "MARIANA", {},
     "dst: elements of CPTC5 have no known size", set()),
    (tensor_scalar(RSQRT), "CAYMAN", {"rsqrt-accuracy": "not-modelled"}, "ALU operation RSQRT", {"rsqrt-accuracy"}),
    (record(0xA7, dtype=INT32), "CAYMAN", {}, "no source gives the operands", {"control-register-ops"}),
    (grouped(0x47, (1,), (1,), dtypes=(E2M5, FP32)), "MAVERICK", {"fp8-e2m5-format": "not-modelled"},
     "dtype FP8_EXP2 has no conversion", {"fp8-e2m5-format"}),
]  # fmt: skip

# the same under another value: the verdict names nothing of it, the run does
EXECUTED = [
    (SHAPED, "CAYMAN", {"shape-register": "treat-as-static"}, {"shape-register"}),
    (FLAGGED, "MAVERICK", {"maverick-inst-flags-byte": "byte-2"}, {"maverick-inst-flags-byte"}),
    (FLAGGED, "MAVERICK", {"maverick-tile-range": "ignore-flags"}, {"maverick-inst-flags-byte", "maverick-tile-range"}),
    (tensor_scalar(RSQRT), "CAYMAN", {}, {"rsqrt-accuracy"}),
    (record(0xA7, dtype=INT32), "CAYMAN", {"control-register-ops": "skip"}, {"control-register-ops"}),
    (grouped(0x47, (1,), (1,), dtypes=(E2M5, E2M5)), "MAVERICK", {"fp8-e2m5-format": "not-modelled"},
     {"equal-dtype-conversion"}),
]  # fmt: skip


def judged(raw, generation, choices):
    found = validate(raw, generation_named(generation), choices, legal_on=False)
    return found.verdicts[0], set(found.assumptions)


@pytest.mark.parametrize(("raw", "generation", "overrides", "reason", "asked"), REFUSED, ids=[r[3] for r in REFUSED])
def test_a_refused_record(raw, generation, overrides, reason, asked):
    choices = Choices(overrides=overrides)
    verdict, named = judged(raw, generation, choices)
    assert (verdict.valid, verdict.executable, named - BY_RULES) == (True, False, asked)
    assert verdict.reason.startswith(reason)
    with pytest.raises(NotModelled) as caught:
        run(raw, generation, choices=choices)
    assert (caught.value.reason, caught.value.instruction) == (verdict.reason, 0)


@pytest.mark.parametrize(("raw", "generation", "overrides", "asked"), EXECUTED, ids=range(len(EXECUTED)))
def test_an_executed_record(raw, generation, overrides, asked):
    choices = Choices(overrides=overrides)
    verdict, named = judged(raw, generation, choices)
    assert (verdict.valid, verdict.executable, verdict.reason) == (True, True, None)
    assert named.isdisjoint(asked)
    result, _ = run(raw, generation, choices=choices)
    assert asked <= set(result.assumptions)


def test_records_of_one_program_are_judged_apart():
    plain = tensor_scalar(ADD)
    found = validate(plain + SHAPED + plain, generation_named("CAYMAN"), Choices(), legal_on=False)
    assert [v.executable for v in found.verdicts] == [True, False, True]


def test_an_illegal_record_has_no_reason():
    """Its failures say what is wrong; what a run would make of it is not asked."""
    verdict, named = judged(tensor_scalar(0xFF, src=pattern(0x4000_0000)), "CAYMAN", Choices())
    assert (verdict.valid, verdict.executable, verdict.reason) == (False, False, None)
    assert "shape-register" not in named


def test_a_refusal_comes_before_an_error_of_the_run():
    unset = {"dst": pattern(0x8000_0005)}
    with pytest.raises(ExecutionError, match="register 5"):
        run(tensor_scalar(ADD, **unset))
    with pytest.raises(NotModelled, match="shape-register"):
        run(tensor_scalar(ADD, src=pattern(0x4000_0000), **unset))


def test_every_family_executes_has_no_effect_or_says_why():
    for family in FAMILIES:
        control = family.family in {"control", "control_register", "compact_control"}
        assert family.execute is not None or control or family.of_every_record


def test_an_entry_exists_on_some_generation():
    entries = [entry for family in FAMILIES for entry in family.refused]
    assert len(entries) > 100
    assert all(entry.generations and entry.generations <= set(GENERATIONS) for entry in entries)
