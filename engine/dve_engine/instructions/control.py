"""Sequencer control records: legal in every engine's queue, run by its front end, without effect on data.

A third of a compiled stream can be EVENT_SEMAPHORE. Source: isa/06 section 9 [classes H, bodies M].
"""

from __future__ import annotations

from ..isa.dtypes import Dtype
from ..isa.generation import MAVERICK
from ..isa.layout import BARE, CTRL, CTRL_IM, MOVE
from ..isa.opcodes import CATALOG, Opcode
from ..isa.struct import Struct
from ..rules.fields import dtype_in, reserved_zero
from ..rules.header import event_mode_part, has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.rule import Rule, changed, numbered
from .instruction import Instruction
from .unmodelled import Unmodelled, every

_UNDESCRIBED = ("control-record-body", "must-be-zero")
_NO_OPERANDS = Unmodelled(
    every,
    "no source gives the operands of this control record in full (control-register-ops)",
    (("control-register-ops", "not-modelled"),),
)

_event_bodies = changed(
    reserved_zero("control_body_zero", "body0", "body1", named_by_us=True), confidence="L", only_under=_UNDESCRIBED
)
_bodies = changed(
    reserved_zero("control_body_zero", "body0", "second_wait", "body1", named_by_us=True),
    confidence="L",
    only_under=_UNDESCRIBED,
    opcodes=frozenset((0xA4, 0xB1)),
)
_second_wait = Rule(
    "event_semaphore_second_wait_mode",
    (event_mode_part("second_wait.wait_mode", "WAIT_MODE", None),),
    ("second_wait.wait_mode",),
    confidence="M",
    named_by_us=True,
)
_second_update = changed(
    reserved_zero("event_semaphore_second_update_zero", "second_wait.zero0", "second_wait.zero1", named_by_us=True),
    confidence="M",
)
_nop_body = changed(
    reserved_zero(
        "engine_nop_body_zero", "param_ram_offset", "imm_ptr_select", "reserved0", "immediate", named_by_us=True
    ),
    confidence="M",
)


def _family(
    prefix: str,
    layout: Struct,
    name: str,
    opcodes: tuple[int, ...],
    *own: tuple[str, Rule],
    events: bool = True,
    listed: tuple[int, ...] = (),
) -> Instruction:
    """A control family: the common prefix, then its own rules. listed: the opcodes of its opcode rule, if more."""
    head = [("P1", has_valid_neuron_header), ("P2", has_valid_neuron_events)]
    named = opcode_in(f"has_{name}_opcode", *(listed or opcodes), named_by_us=True)
    if not events:  # its commands start at byte 4, where EVENTS would be
        head, named = (
            [("P1", changed(has_valid_neuron_header, generations=_MAVERICK))],
            changed(named, generations=_MAVERICK),
        )
    return Instruction(
        family="control",
        opcodes=opcodes,
        struct=layout,
        rules=numbered(prefix, *head, ("P3", named), *own),
        order_confidence="M",
        source="isa/06 section 9",
        unmodelled=(_NO_OPERANDS,) if CATALOG[opcodes[0]].control == "register" else (),
    )


_MAVERICK = frozenset((MAVERICK,))
_PLAIN = (0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5)
_PLAIN_STEPS = tuple(c for c in _PLAIN if CATALOG[c].control != "register")
_PLAIN_REGISTER = tuple(c for c in _PLAIN if CATALOG[c].control == "register")
INSTRUCTIONS = (
    _family("ENOP", CTRL_IM, "engine_nop", (Opcode.ENGINE_NOP,), ("V1", _nop_body)),
    _family(
        "ES", CTRL, "event_semaphore", (Opcode.EVENT_SEMAPHORE,),
        ("V1", _second_wait), ("V2", _second_update), ("V3", _event_bodies),
    ),
    _family("CTL", CTRL, "control", _PLAIN_STEPS, ("V1", _bodies), listed=_PLAIN),
    _family("CTL", CTRL, "control", _PLAIN_REGISTER, ("V1", _bodies), listed=_PLAIN),
    _family(
        "MV", MOVE, "move", (0xA7,),
        ("V1", dtype_in("move_dtype", "dtype", (Dtype.UINT32, Dtype.INT32, Dtype.FP32), named_by_us=True)),
    ),
    _family("CTR", BARE, "control_register", (0xA8, 0xA9, 0xAA, 0xAB)),
    _family("CCI", BARE, "compact_control", (0xB6,), events=False),
)  # fmt: skip
