"""Run a program: decode each 64-byte record, read everything, compute, then write.

Source: isa/03 sections 4 to 6, isa/04 sections 3 to 5, isa/05, isa/06 sections 5 to 7.
"""

from .assumptions import choices
from .batch_norm import aggregate, back_prop, gradients, load_parameter_ram, param_load, statistics
from .cached import cached
from .compress import compress, quantize
from .errors import NotModelled
from .memory import Memory
from .moves import load_mask_select, memset, move, stream_shuffle, stream_transpose
from .numbers import Mode
from .operands import Machine
from .predicated import copy_predicated, copy_predicated_scalar, read_accumulator, select_reduce
from .randoms import get_state, rand2, rng, set_state
from .reduce import pool, tensor_cumulative, tensor_reduce
from .scalar_tensor import scalar_tensor_tensor, tensor_tensor_scan
from .search import find_index8, match_replace8, match_value_load, max8, read_indices
from .select import dropout, range_select, tensor_scalar_select
from .tensor_scalar import tensor_scalar
from .tensor_tensor import tensor_tensor
from .wide import int_wide

OPCODES = {
    0x41: tensor_tensor,
    0x51: tensor_tensor,
    0x43: tensor_scalar,
    0x53: tensor_scalar,
    0x44: tensor_scalar,
    0x54: tensor_scalar,
    0x93: tensor_scalar,
    0x72: copy_predicated,
    0x99: copy_predicated,
    0xE8: copy_predicated_scalar,
    0xEA: select_reduce,
    0x9B: read_accumulator,
    0x9D: scalar_tensor_tensor,
    0x9E: scalar_tensor_tensor,
    0xE5: tensor_tensor_scan,
    0x9A: cached,
    0xE6: cached,
    0x30: cached,
    0x42: tensor_reduce,
    0x52: tensor_reduce,
    0x83: tensor_reduce,
    0x84: tensor_reduce,
    0x8C: tensor_reduce,
    0x8D: tensor_reduce,
    0x4E: tensor_cumulative,
    0x5E: tensor_cumulative,
    0x45: pool,
    0x58: pool,
    0x8A: tensor_tensor,
    0x8B: tensor_tensor,
    0x8F: tensor_tensor,
    0x46: move,
    0x47: move,
    0x48: move,
    0x49: memset,
    0x69: load_mask_select,
    0x6A: stream_shuffle,
    0x6B: stream_transpose,
    0xBC: range_select,
    0x98: tensor_scalar_select,
    0x7F: dropout,
    0x66: load_parameter_ram,
    0x60: statistics,
    0x61: statistics,
    0x82: statistics,
    0x62: aggregate,
    0x63: gradients,
    0x94: gradients,
    0x64: param_load,
    0x8E: param_load,
    0x65: back_prop,
    0x4D: rng,
    0xE2: rand2,
    0x77: get_state,
    0x78: set_state,
    0xE0: compress,
    0xE1: compress,
    0xE3: quantize,
    0xF4: int_wide,
    0x6C: max8,
    0x6D: match_value_load,
    0x6E: find_index8,
    0x6F: match_replace8,
    0xE9: read_indices,
}


def run(
    generation: str,
    program: bytes,
    memory: Memory,
    registers: dict[int, int],
    accumulators: list[int],
    tainted: list[bool],
    assumptions: dict[str, str] | None = None,
    profile: str = "notes",
    banks: dict[str, list] | None = None,
) -> None:
    """Run legal records in order, changing memory, accumulators, tainted and banks in place.

    accumulators: fp32 bit patterns of the 128 lanes. registers: number -> 32-bit value; an absent number is an unset
    register.
    banks: name -> nested lists of integers, the engine registers of isa/06 section 5.0; an absent one holds its reset
    value.
    Raises ModelError or NotModelled at the first record that cannot be finished; that record has then written nothing.
    """
    choice = choices(assumptions, profile)
    machine = Machine(
        generation,
        memory,
        registers,
        accumulators,
        tainted,
        choice,
        Mode.of(generation, choice),
        {} if banks is None else banks,
    )
    if len(program) % 64:
        raise ValueError("a program is a whole number of 64-byte records")
    for start in range(0, len(program), 64):
        step(machine, program[start : start + 64])


def step(machine, record):
    """Run one record."""
    opcode = record[0]
    if opcode not in OPCODES:
        raise NotModelled(f"opcode {opcode:#04x}")
    flags = record[3] if machine.choice["maverick-inst-flags-byte"] == "byte-3" else record[2]
    if machine.generation == "MAVERICK" and flags and machine.choice["maverick-tile-range"] != "ignore-flags":
        raise NotModelled("tile flags")
    OPCODES[opcode](machine, record)
