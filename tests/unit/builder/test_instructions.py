"""Every method: a legal record from keywords is the record its text assembles to, and what is illegal is refused with
the validator's verdict.
"""

import inspect
import random
import typing

import pytest

from dve_engine import GENERATIONS, Choices, assemble, generation_named, validate
from dve_engine.assembly import mnemonic
from dve_engine.builder import IllegalInstruction, ProgramBuilder
from dve_engine.builder.encode import keywords
from dve_engine.builder.generate import TARGET, in_scope, method_name, rendered
from dve_engine.builder.instructions import Common, Instructions
from dve_engine.instructions.catalog import INSTRUCTIONS
from tests.generate import OPCODES, legal_generations, legal_record

from .arguments import NotSaid, arguments_of

SCOPE = in_scope()
CONTROL = tuple(code for code in SCOPE if INSTRUCTIONS[code].family.startswith("control"))
EACH, DRAWN = 4, 60  # records of an opcode and generation that arguments say in full, out of as many drawn


def test_the_module_is_what_the_tables_say():
    assert TARGET.read_text() == rendered(), "run python -m dve_engine.builder.generate"


def test_every_instruction_has_its_method():
    methods = {name for name, _ in inspect.getmembers(Instructions, inspect.isfunction) if not name.startswith("_")}
    assert methods == {method_name(code) for code in SCOPE}
    assert len(methods) == len(SCOPE) == 89
    assert set(OPCODES) <= set(SCOPE)


@pytest.mark.parametrize("opcode", SCOPE, ids=mnemonic)
def test_the_signature_names_every_argument(opcode):
    method = getattr(ProgramBuilder, method_name(opcode))
    parameters = {name for name, p in inspect.signature(method).parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert parameters | set(typing.get_type_hints(Common)) == set(keywords(opcode)) | {"events"}
    assert f"(0x{opcode:02X})" in method.__doc__
    assert "Source: isa/" in method.__doc__


def said(opcode, name):
    """Legal records that arguments say in full, with the arguments."""
    rng, generation, found = random.Random(opcode), generation_named(name), []
    for _ in range(DRAWN):
        record = legal_record(rng, opcode, name)
        try:
            found.append((record, arguments_of(record, generation)))
        except NotSaid:
            continue
        if len(found) == EACH:
            break
    return found


@pytest.mark.parametrize("opcode", OPCODES, ids=mnemonic)
def test_legal_records_from_keywords(opcode):
    for name in legal_generations(opcode):
        records = said(opcode, name)
        assert len(records) == EACH
        program = ProgramBuilder(name)
        for record, arguments in records:
            assert getattr(program, method_name(opcode))(**arguments) == record
        assert program.bytes == b"".join(record for record, _ in records)
        assert len(program) == EACH
        assert assemble(program.text, generation_named(name)) == program.bytes


@pytest.mark.parametrize("opcode", CONTROL, ids=mnemonic)
def test_control_records(opcode):
    for generation in GENERATIONS:
        program = ProgramBuilder(generation, check=False)
        dtype = {"dtype": "uint32"} if mnemonic(opcode) == "MOVE" else {}
        record = getattr(program, method_name(opcode))(events="S[3]>=2 S[4]++@complete", **dtype)
        assert record[:8] == bytes((opcode, 16, 0, 0, 5, 3, 0x13, 4))
        legal = validate(record, generation, Choices()).valid
        if legal:
            assert ProgramBuilder(generation).raw(record) == record
            assert assemble(program.text, generation) == record


@pytest.mark.parametrize("opcode", OPCODES, ids=mnemonic)
def test_illegal_arguments_get_the_verdict(opcode):
    """Each argument in turn out of what is legal, on each generation: accepted exactly where `validate` accepts."""
    refused = 0
    for name in legal_generations(opcode):
        generation = generation_named(name)
        ((_, arguments), *_) = said(opcode, name)
        for argument, value in arguments.items():
            if not isinstance(value, int):
                continue
            changed = arguments | {argument: 0x77}
            record = getattr(ProgramBuilder(generation, check=False), method_name(opcode))(**changed)
            verdict = validate(record, generation, Choices()).verdicts[0]
            checked = ProgramBuilder(generation)
            if verdict.valid:
                assert getattr(checked, method_name(opcode))(**changed) == record
                continue
            with pytest.raises(IllegalInstruction) as caught:
                getattr(checked, method_name(opcode))(**changed)
            assert caught.value.verdict == verdict
            assert (caught.value.record, len(checked)) == (record, 0)
            assert verdict.failures[0].rule in str(caught.value)
            refused += 1
    assert refused >= len(legal_generations(opcode))


@pytest.mark.parametrize("opcode", OPCODES, ids=mnemonic)
def test_generations_without_the_instruction(opcode):
    have = legal_generations(opcode)
    ((_, arguments), *_) = said(opcode, have[-1])
    lacking = [g for g in GENERATIONS if g.name not in have]
    assert len(lacking) + len(have) == 4
    for generation in lacking:
        # bytes that are legal elsewhere, so that the operands' own errors do not come first
        record = getattr(ProgramBuilder(have[-1], check=False), method_name(opcode))(**arguments)
        with pytest.raises(IllegalInstruction) as caught:
            ProgramBuilder(generation).raw(record)
        assert caught.value.verdict.failures[0].rule in ("has_valid_neuron_header", "instruction_engine_check")
