"""The instruction set as plain data, from the same tables the engine runs on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .instructions.catalog import INSTRUCTIONS
from .instructions.instruction import Instruction
from .isa import aluops as alu
from .isa import dtypes as dt
from .isa.assumptions import NOT_OFFERED, PROFILES, REGISTRY, Choices
from .isa.codes import CODE_SPACES
from .isa.generation import GENERATIONS, Generation, MemoryGeometry
from .isa.layout import struct_of
from .isa.opcodes import CATALOG, OpcodeInfo
from .isa.struct import Struct
from .rules.operands import MxOperand, TensorOperand
from .rules.rule import Rule
from .validator import not_executable
from .verdicts import record_class

Document = dict[str, Any]


def generations() -> list[Document]:
    """One line per generation."""
    return [{"name": g.name.lower(), "nc_version": g.nc_version, "aliases": list(g.aliases)} for g in GENERATIONS]


def generation(g: Generation) -> Document:
    """Geometry, features and counts of one generation."""
    return {
        "name": g.name.lower(),
        "nc_version": g.nc_version,
        "aliases": list(g.aliases),
        "max_channels": g.max_channels,
        "num_address_registers": g.num_address_registers,
        "sbuf": _geometry(g.sbuf),
        "psum": _geometry(g.psum),
        "features": vars(g.features).copy(),
        "fp8_default": vars(g.fp8_default).copy(),
        "counts": {
            "opcode_enumerators": sum(info.is_member(g) for info in CATALOG.values()),
            "aluop_enumerators": len(alu.codes(g)),
            "dtype_enumerators": len(dt.codes(g)),
        },
        "enums": {name: _codes(name, g) for name in CODE_SPACES},
    }


def _geometry(memory: MemoryGeometry) -> Document:
    return {
        "base": memory.base,
        "region_size": memory.region_bytes,
        "partitions": memory.partitions,
        "partition_stride": memory.stride_bytes,
        "partition_active_bytes": memory.active_bytes,
    }


def _codes(name: str, g: Generation) -> list[Document]:
    space = CODE_SPACES[name]
    names = {int(m): m.name for m in space.names}
    return [{"code": code, "name": names.get(code)} for code in sorted(space.codes(g))]


def instructions(g: Generation) -> list[Document]:
    """Every opcode of the catalogue, with what the emulator does with it on this generation."""
    return [_line(info, g) for info in CATALOG.values()]


def _line(info: OpcodeInfo, g: Generation) -> Document:
    member = info.is_member(g)
    legal = member and info.engine_check_leaf(g) is None
    return {
        "opcode": info.code,
        "mnemonic": info.name,
        "struct": info.struct,
        "engines": info.engines.split(),
        "member": member,
        "class": record_class(info.code, g) if member else None,
        "engine_check_leaf": info.engine_check_leaf(g),
        "rules_known": legal and info.code in INSTRUCTIONS,
        "executable": legal and not_executable(info.code, g, Choices()) is None,
        "reason": not_executable(info.code, g, Choices()) if legal else None,
    }


def instruction(g: Generation, mnemonic: str) -> Document:
    """Layout, rules, operands and semantics of one opcode.

    Raises KeyError if the catalogue has no such mnemonic.
    """
    info = next((i for i in CATALOG.values() if i.name == mnemonic.upper()), None)
    if info is None:
        raise KeyError(mnemonic)
    family, layout = INSTRUCTIONS.get(info.code), struct_of(info.code)
    document = _line(info, g) | {"layout": _layout(layout, g) if layout else None}
    if family is None:
        return document
    return document | {
        "family": family.family,
        "source": family.source,
        "semantics": family.description,
        "order_confidence": family.order_confidence,
        "operands": [
            {
                "name": t.name,
                "field": t.field,
                "dtype": t.dtype,
                "write": t.write,
                "may_be_indirect": t.indirection.value,
            }
            for t in _patterns(family)
        ],
        "immediates": [
            {"name": i.name, "field": i.field, "source": i.source, "dtype": i.dtype} for i in family.immediates
        ],
        "rules": [_rule(rule, g, position) for position, rule in enumerate(family.rules_on(g, info.code))],
    }


def _patterns(family: Instruction) -> list[TensorOperand | MxOperand]:
    return [*family.tensors, *family.mx]


def _layout(layout: Struct, g: Generation) -> list[Document]:
    return [
        {"name": f.name, "offset": f.offset, "size": f.size, "type": f.type_on(g), "reserved": f.reserved}
        for f in layout.fields
    ]


def _rule(rule: Rule, g: Generation, position: int) -> Document:
    parts = [p for p in rule.parts if g in p.generations]
    return {
        "position": position,
        "id": rule.id,
        "rule": rule.named_on(g),
        "fields": list(rule.fields),
        "confidence": rule.confidence,
        "named_by_us": rule.named_by_us,
        "shadowed_by": rule.shadowed_by,
        "only_under": dict((rule.only_under,)) if rule.only_under else None,
        "checks": [
            {"field": p.field, "leaf": p.leaf, "expected": p.expected if isinstance(p.expected, str) else None}
            for p in parts
        ],
    }


def dtypes(g: Generation) -> list[Document]:
    """Every dtype code of the generation."""
    alignment = dt.alignment_table(g)
    return [
        {
            "code": code,
            "name": dt.dtype_name(code),
            "size_bytes": dt.size_bytes(code) or None,
            "alignment": None if int(alignment[code]) == 0xFFFF_FFFF else int(alignment[code]) + 1,
            "kind": dt.DTYPES[dt.Dtype(code)].kind,
        }
        for code in sorted(dt.codes(g))
    ]


def aluops(g: Generation) -> list[Document]:
    """Every ALU code of the generation with its classes."""
    return [
        {
            "code": int(info.op),
            "name": info.op.name,
            "arity": info.arity,
            "datapaths": list(info.datapaths),
            "formula": info.formula,
            "classes": [name for name, members in alu.CLASSES.items() if info.op in members],
        }
        for info in alu.ALU_OPS.values()
        if info.op in alu.codes(g)
    ]


def assumptions() -> Sequence[Mapping[str, Any]]:
    """The registry of open questions, with the alternatives this engine does not offer."""
    return [
        {
            "id": row.id,
            "question": row.question,
            "alternatives": list(row.alternatives),
            "default": row.default,
            "profiles": {profile: row.under(profile) for profile in PROFILES},
            "confidence": row.confidence,
            "evidence": row.evidence,
            "instructions": row.instructions.split(),
            "generations": row.generations.split() or [g.name for g in GENERATIONS],
            "not_offered": {v: NOT_OFFERED[row.id, v] for v in row.alternatives if (row.id, v) in NOT_OFFERED},
        }
        for row in REGISTRY.values()
    ]
