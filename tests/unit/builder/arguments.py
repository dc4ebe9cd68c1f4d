"""The arguments that a legal record was made from, read from its bytes by the layout tables and the operand table."""

from dve_engine import Space
from dve_engine.builder import Bits, Indirect, Microscaled, Operand, at_register
from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.struct import code_of, decode, indirect_arm
from dve_engine.memory.address import locate

EVENTS = ("wait_mode", "wait_idx", "update_mode", "update_idx", "semaphore_value")
_INDIRECT_FROM = 2  # the order of MARIANA


class NotSaid(Exception):
    """The record has bits that no argument stands for: bytes without meaning, or an address word with ignored bits."""


def arguments_of(record, generation):
    """Keyword arguments of the builder. Raises NotSaid."""
    family = INSTRUCTIONS[record[0]]
    fields = family.struct.view(decode(record))[0]
    lanes = int(fields["num_active_channels"]) if "num_active_channels" in fields.dtype.names else 1
    given, spent = {}, {"header", "events"}
    for tensor in family.tensors:
        given[tensor.name] = tensor_of(fields, tensor, lanes, generation, family.struct)
        spent |= {tensor.field, tensor.dtype.partition(".")[0]}
    for mx in family.mx:
        field = fields[mx.field]
        shape, dtype = (lanes, int(field["num"])), code_of(fields, mx.dtype)
        data = place(int(field["data_addr"]), dtype, shape, (int(field["step"]),), generation)
        scales = place(int(field["scale_addr"]), 3, (lanes, 1), (1,), generation)
        given[mx.name] = Microscaled(data, scales, int(field["scale_partition_index"]))
        spent |= {mx.field, mx.dtype}
    for immediate in family.immediates:
        given[immediate.name] = immediate_of(fields, immediate, lanes, generation)
        spent.add(immediate.field)
        spent |= {immediate.dtype} if given[immediate.name].dtype is not None else set()
        spent |= {immediate.source.partition(".")[0]} if immediate.source else set()
    given |= {name: int(fields["events"][name]) for name in EVENTS}
    given |= {name: int(fields["header"][name]) for name in ("inst_word_len", "debug_cmd", "debug_hint")}
    for field in family.struct.fields:
        if field.name in spent or field.reserved:
            continue
        value = fields[field.name]
        if field.undescribed or field.type == "SECOND_WAIT":
            if value.tobytes().strip(b"\0"):
                raise NotSaid
        elif value.shape:
            given[field.name] = value.tolist()
        else:
            given[field.name] = Bits(int(value)) if field.type == "f32" else int(value)
    return given


def tensor_of(fields, tensor, lanes, generation, layout):
    pattern, dtype = fields[tensor.field], code_of(fields, tensor.dtype)
    first = int(pattern["start_addr"])
    union = layout.by_name[tensor.field].type.startswith(("PATTERN", "MEM_PATTERN"))
    if union and generation.order >= _INDIRECT_FROM and first >> 29 & 3 == 1:
        arm = indirect_arm(pattern)
        if any(arm["inert"]):
            raise NotSaid
        count = int(arm["num"])
        data = place(int(arm["data_addr"]), dtype, (lanes, count), (1,), generation)
        return Indirect(data, place(first ^ 0x2000_0000, 5, (lanes, count), (1,), generation))
    counts, steps = ([int(v) for v in pattern[name][::-1]] for name in ("num_elem", "step_elem"))
    return place(first, dtype, (lanes, *counts), tuple(steps), generation)


def place(word, dtype, shape, steps, generation):
    if word >> 31:
        if word & 0x7FFF_FFC0:
            raise NotSaid
        return at_register(word & 0xFF, dtype, shape, steps)
    found = locate(word, generation)
    if found is None or word >> 29:
        raise NotSaid
    return Operand(Space(found.space), found.partition, found.byte, dtype, shape, steps)


def immediate_of(fields, immediate, lanes, generation):
    word = int(fields[immediate.field])
    source = 1 if immediate.source is None else code_of(fields, immediate.source)
    fixed = isinstance(immediate.dtype, int)
    dtype = immediate.dtype if fixed else code_of(fields, immediate.dtype)
    if source == 0 and immediate.inline:
        return Bits(word, dtype or None)
    if source == 0 or dtype == 0:
        raise NotSaid  # another spelling of a pointer; a dtype that stands for another
    return at_register(word, dtype, (lanes, 1)) if source == 2 else place(word, dtype, (lanes, 1), (1,), generation)
