"""RAND_GET_STATE (0x77) and RAND_SET_STATE (0x78): save and restore the generators' state words, per channel.

Generator and algorithm name the state: the four XORWOW generators (24 words), the LFSR or the output converter's LFSR
(4 words each). Setting a XORWOW shift register to five zero words puts 1 in its last word.
Source: isa/06 section 7.3 [rules and combinations H, order M; order of the 24 words L].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..isa.codes import RandAlgorithm, RandSrc, RandStateUpdate
from ..isa.dtypes import Dtype
from ..isa.layout import D4_RAND, S1_RAND
from ..isa.opcodes import Opcode
from ..memory.address import shape_from_register
from ..numerics.xorwow import repaired
from ..rules.batch import Batch, Bools
from ..rules.channels import check_active_channels
from ..rules.fields import among, dtype_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand, element_count, pattern_columns
from ..rules.patterns import pattern_valid
from ..rules.rule import Part, Rule, changed, numbered
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Operation, Words

DST = TensorOperand("dst", "dst_mem_pattern", "dtype", write=True, dims=4, start_rule=False)
SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", dims=1, psum=False, start_rule=False)

STATES = {  # (generator, algorithm) of the Vector Engine -> bank, words per channel
    (RandSrc.RNG_XORWOW, RandAlgorithm.XORWOW): ("xorwow", 24),
    (RandSrc.RNG_LFSR, RandAlgorithm.LFSR): ("lfsr", 4),
    (RandSrc.OUTPUT_CVT_LFSR, RandAlgorithm.LFSR): ("output_lfsr", 4),
}
_GENERATORS, _WORDS = 4, 6


def _words(batch: Batch) -> np.ndarray:
    """Words per channel of each record's state, 0 where generator and algorithm do not go together."""
    words = np.zeros(len(batch), np.uint32)
    for (generator, algorithm), (_, size) in STATES.items():
        words[(batch.column("rand_generator") == generator) & (batch.column("rand_algorithm") == algorithm)] = size
    return words


def _size_fits(operand: TensorOperand) -> Callable[[Batch], Bools]:
    def holds(batch: Batch) -> Bools:
        columns = pattern_columns(batch, operand)
        waived = shape_from_register(columns.first, batch.generation)
        return np.asarray((element_count(columns) == _words(batch)) | waived)

    return holds


def _combination(function: str, operand: TensorOperand, *more: Part) -> Rule:
    def expected(batch: Batch, row: int) -> str:
        return f"{int(_words(batch)[row])} words per channel"

    named = "1 (RNG_XORWOW) with algorithm 3, or 0 (RNG_LFSR) or 3 (OUTPUT_CVT_LFSR) with algorithm 0"
    parts = (
        Part(lambda batch: _words(batch) > 0, "rand_generator", named),
        Part(_size_fits(operand), f"{operand.field}.num_elem", expected),
        *more,
    )
    fields = ("rand_generator", "rand_algorithm", operand.field, *(part.field for part in more))
    return Rule(function, parts, fields, named_by_us=True)


def _from_tensor(batch: Batch) -> Bools:
    return np.asarray(batch.column("update_state") == RandStateUpdate.SRC_TENSOR)


def _imm_zero(batch: Batch) -> Bools:
    return np.asarray(~_from_tensor(batch) | (batch.column("imm_state") == 0).all(axis=1))


def _imm_philox(batch: Batch) -> Bools:
    return np.asarray(_from_tensor(batch) | (batch.column("rand_algorithm") == RandAlgorithm.PHILOX))


def _imm_last(batch: Batch) -> Bools:
    return np.asarray(_from_tensor(batch) | (batch.column("imm_state")[:, 7] == 0))


_set_imm = Rule(
    "has_valid_rand_set_state_imm",
    (
        Part(_imm_philox, "update_state", "0 (SRC_TENSOR): immediate state is for PHILOX alone"),
        Part(_imm_last, "imm_state", "zero in its last word"),
    ),
    ("update_state", "imm_state", "rand_algorithm"),
)
_imm_unused = Rule(
    "rand_set_state_imm_zero",
    (Part(_imm_zero, "imm_state", "zero where the state comes from the source"),),
    ("update_state", "imm_state"),
)
_tensor_only = Part(among("update_state", (RandStateUpdate.SRC_TENSOR,)), "update_state", "0 (SRC_TENSOR)")
_UINT32 = (Dtype.UINT32,)

GET_RULES = numbered(
    "RGS",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_rand_get_state_opcode", 0x77, named_by_us=True)),
    ("V1", reserved_zero("rand_get_state_unused_field_zero", "rand_num_steps", "post_process", "params")),
    ("V2", dtype_in("rand_get_state_dtype", "dtype", _UINT32, named_by_us=True)),
    ("V3", reserved_zero("d4_rand_reserved_zero", "reserved1", "reserved2", named_by_us=True)),
    ("V4", changed(check_active_channels, function="has_valid_rand_state_channels")),
    ("V5", pattern_valid(DST)),
    ("V6", _combination("rand_get_state_combination", DST)),
)

SET_RULES = numbered(
    "RSS",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_rand_set_state_opcode", 0x78, named_by_us=True)),
    ("V1", reserved_zero("s1_rand_reserved_zero", "reserved", named_by_us=True)),
    ("V2", dtype_in("rand_set_state_in_dtype", "in_dtype", _UINT32, named_by_us=True)),
    ("V3", pattern_valid(SRC)),
    ("V4", _imm_unused),
    ("V5", _set_imm),
    ("V6", _combination("rand_set_state_combination", SRC, _tensor_only)),
)


def _whole_state(record: np.void, binding: Binding, _: object) -> None:
    """Raise ExecutionError where a waived rule let another count through than the state has words."""
    words = STATES[RandSrc(record["rand_generator"]), RandAlgorithm(record["rand_algorithm"])][1]
    for name, tensor in binding.tensors.items():
        if tensor.elements != words:
            raise ExecutionError(f"{name}: {tensor.elements} elements; expected {words}", operand=name)


def _bank(op: Operation) -> str:
    return STATES[RandSrc(op.code("rand_generator")), RandAlgorithm(op.code("rand_algorithm"))][0]


def execute_get(op: Operation) -> None:
    """Write the state words of each channel."""
    # READ
    name = _bank(op)
    state = op.state.banks[name][: op.lanes].astype(np.uint32)
    # COMPUTE
    words = _in_memory_order(op, state) if name == "xorwow" else state
    # WRITE
    op.write("dst", words)


def execute_set(op: Operation) -> None:
    """Replace the state words of each channel."""
    # READ
    name, words = _bank(op), op.read("src")
    # WRITE
    state = repaired(_by_generator(op, words)) if name == "xorwow" else words
    op.state.banks[name][: op.lanes] = state


def _in_memory_order(op: Operation, state: Words) -> Words:
    """(lanes, generators, words) as stored: word by word over all generators, or generator by generator."""
    by_word, by_generator = (s.reshape(op.lanes, _GENERATORS * _WORDS) for s in (state.transpose(0, 2, 1), state))
    if np.array_equal(by_word, by_generator) or op.choices["xorwow-word-order"] == "word-major":
        return by_word
    return by_generator


def _by_generator(op: Operation, words: np.ndarray) -> Words:
    by_word = words.reshape(op.lanes, _WORDS, _GENERATORS).transpose(0, 2, 1)
    by_generator = words.reshape(op.lanes, _GENERATORS, _WORDS)
    if np.array_equal(by_word, by_generator) or op.choices["xorwow-word-order"] == "word-major":
        return by_word.astype(np.uint32)
    return by_generator.astype(np.uint32)


INSTRUCTIONS = (
    Instruction(
        family="rand_get_state",
        opcodes=(Opcode.RAND_GET_STATE,),
        struct=D4_RAND,
        rules=GET_RULES,
        tensors=(DST,),
        execute=execute_get,
        check=_whole_state,
        order_confidence="M",
        source="isa/06 section 7.3",
    ),
    Instruction(
        family="rand_set_state",
        opcodes=(Opcode.RAND_SET_STATE,),
        struct=S1_RAND,
        rules=SET_RULES,
        tensors=(SRC,),
        execute=execute_set,
        check=_whole_state,
        order_confidence="M",
        source="isa/06 section 7.3",
    ),
)
