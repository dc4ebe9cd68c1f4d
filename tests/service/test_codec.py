"""Answers survive being kept, bit for bit."""

from __future__ import annotations

import dataclasses
import random
import struct

import numpy as np
import pytest

from dve_engine import GENERATIONS, Generation, validate
from dve_service import documents
from dve_service.codec import Kept, decode, encode
from dve_service.machine_state import snapshot
from dve_service.plans import Plans
from tests.generate import OPCODES, legal_case, legal_generations
from tests.service.programs import COPY, ILLEGAL, NO_OPCODE
from tests.service.test_plans import CAYMAN, answer, asked, order_of, told

PLANS = Plans(0)
NAN = struct.unpack(">d", bytes.fromhex("7ff4000000000bad"))[0]


@pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
def test_every_answer_comes_back(generation: Generation) -> None:
    rng, kept = random.Random(5), 0
    for opcode in (o for o in sorted(OPCODES) if generation.name in legal_generations(o)):
        done = answer(order_of(legal_case(rng, opcode, generation.name), generation), PLANS)
        before = Kept(done.answer, snapshot(done.state))
        after = decode(encode(before))
        assert told(after.answer) == told(before.answer)
        assert after.machine == before.machine
        assert documents.ran(after.answer) == documents.ran(before.answer)
        assert encode(after) == encode(before)
        kept += 1
    assert kept >= 51


def kept_copy() -> Kept:
    done = answer(asked(COPY, read=None), PLANS)
    return Kept(done.answer, snapshot(done.state))


def test_failures_come_back() -> None:
    done = answer(asked(COPY + ILLEGAL + NO_OPCODE, on_invalid="skip"), PLANS)
    judged = validate(bytes(range(64)) * 3, CAYMAN, asked(COPY).program.choices).verdicts
    before = dataclasses.replace(done.answer, verdicts=[*done.answer.verdicts, *judged])
    after = decode(encode(Kept(before, snapshot(done.state)))).answer
    assert after.verdicts == before.verdicts
    assert len(after.verdicts) == 5 and all(one.failures for one in after.verdicts)


def test_bits_and_types_come_back() -> None:
    found = {
        "nan": NAN,
        "zero": -0.0,
        "big": 2**64 - 1,
        "tuple": (1, [2, (3,)]),
        "array": np.array([[0x7FA0_0BAD, 1]], np.uint32).view(np.float32),
        "scalar": np.uint8(7),
        "bytes": b"\0\xff",
        "flag": True,
        3: None,
    }
    before = dataclasses.replace(kept_copy(), answer=dataclasses.replace(kept_copy().answer, diagnostics=[found]))
    [after] = decode(encode(before)).answer.diagnostics
    assert struct.pack(">d", after["nan"]).hex() == "7ff4000000000bad"
    assert struct.pack(">d", after["zero"]).hex() == "8000000000000000"
    assert after["array"].tobytes() == found["array"].tobytes()  # type: ignore[union-attr]
    assert (after["array"].dtype, after["array"].shape) == (np.float32, (1, 2))
    assert (type(after["scalar"]), after["scalar"]) == (np.uint8, 7)
    rest = ("big", "tuple", "bytes", "flag", 3)
    assert [(after[name], type(after[name])) for name in rest] == [(found[name], type(found[name])) for name in rest]
    with pytest.raises(TypeError, match="no answer holds a set"):
        encode(dataclasses.replace(before, answer=dataclasses.replace(before.answer, diagnostics=[{"a": {1}}])))


def test_other_bytes_are_refused() -> None:
    data = encode(kept_copy())
    for broken in (b"", data[:-1], data[:100] + bytes([data[100] ^ 1]) + data[101:], data[1:]):
        with pytest.raises(ValueError, match="not those that were kept"):
            decode(broken)
