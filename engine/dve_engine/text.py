"""One line of text for a record, in the notation profilers use. For people; it is not read back.

Source: isa/10 sections 2 to 4.
"""

from __future__ import annotations

import numpy as np

from .instructions.instruction import Instruction
from .isa.aluops import ALU_OPS, AluOp
from .isa.codes import AccumCmd, ImmSrc
from .isa.dtypes import Dtype, dtype_name
from .isa.opcodes import CATALOG
from .isa.struct import code_of, indirect_arm
from .memory import address as ad
from .rules.operands import ImmediateOperand, MxOperand, TensorOperand

_SHORT = {Dtype.BFLOAT16: "bf16", Dtype.FP8_EXP3: "fp8e3", Dtype.FP8_EXP4: "fp8e4", Dtype.FP8_EXP5: "fp8e5"}
_OPS = {AluOp.MULT: "MULTIPLY"}


def line(record: np.void, family: Instruction) -> str:
    """The record as one line: mnemonic, operands, then everything else as key=value."""
    names = record.dtype.names or ()
    words = [mnemonic(int(record["header"]["opcode"]))]
    words += [_tensor(record, operand) for operand in family.tensors]
    words += [_microscaled(record, operand) for operand in family.mx]
    words += [_immediate(record, operand) for operand in family.immediates]
    words += [f"channels={int(record['num_active_channels'])}"] if "num_active_channels" in names else []
    ops = [_op(int(record[n])) for n in ("op", "op0", "op1") if n in names]
    words += [f"{'op' if len(ops) == 1 else 'ops'}={','.join(ops)}"] if ops else []
    if "accumulator_cmd" in names and int(record["accumulator_cmd"]) in AccumCmd._value2member_map_:
        words.append(f"accumulator_cmd={AccumCmd(int(record['accumulator_cmd'])).name}")
    flags = [n for n in ("reverse_operands", "reversed_pred", "negated") if n in names and record[n]]
    words += [f"{n}={int(record[n])}" for n in flags]
    return " ".join(words)


def mnemonic(opcode: int) -> str:
    """The enumerator without its class suffix."""
    return CATALOG[opcode].name.removesuffix("_ARITH_OP").removesuffix("_BITVEC_OP")


def _op(code: int) -> str:
    if code not in ALU_OPS:
        return f"0x{code:02X}"
    return _OPS.get(AluOp(code), AluOp(code).name)


def _dtype(code: int) -> str:
    return _SHORT.get(Dtype(code), dtype_name(code).lower()) if code in Dtype._value2member_map_ else f"0x{code:02x}"


def _tensor(record: np.void, operand: TensorOperand) -> str:
    field = record[operand.field]
    code = operand.fixed_dtype if operand.fixed_dtype is not None else code_of(record, operand.dtype)
    prefix = f"{operand.name}={_dtype(code)}@"
    first = int(field["start_addr"])
    if first & ad.INDIRECT_BIT:
        arm = indirect_arm(field)
        return f"{prefix}[{_address(first & ~ad.INDIRECT_BIT)}]+{_address(int(arm['data_addr']))}[{int(arm['num'])}]"
    steps, counts = (",".join(str(int(v)) for v in field[m]) for m in ("step_elem", "num_elem"))
    return f"{prefix}{_address(first)}[{steps}][{counts}]"


def _microscaled(record: np.void, operand: MxOperand) -> str:
    field = record[operand.field]
    data, scale = (_address(int(field[member])) for member in ("data_addr", "scale_addr"))
    shape = f"[{int(field['step'])}][{int(field['num'])}]"
    return f"{operand.name}={_dtype(code_of(record, operand.dtype))}x4@{data},{scale}{shape}"


def _address(word: int) -> str:
    return f"$A[{word & 0xFF}]" if word & ad.REGISTER_BIT else f"0x{word:x}"


def _immediate(record: np.void, operand: ImmediateOperand) -> str:
    word = int(record[operand.field])
    source = ImmSrc.POINTER_IMMEDIATE if operand.source is None else code_of(record, operand.source)
    code = operand.dtype_code(lambda path: code_of(record, path))
    if source == ImmSrc.POINTER_IMMEDIATE or (source == ImmSrc.INSTRUCTION_IMMEDIATE and not operand.inline):
        return f"{operand.name}=[{_dtype(code)}@0x{word:x}]"
    if source == ImmSrc.REG_PTR_IMMEDIATE:
        return f"{operand.name}=[{_dtype(code)}@$A[{word & 0xFF}]]"
    if code == Dtype.FP32:
        return f"{operand.name}=fp32@{float(np.uint32(word).view(np.float32)):f}"
    return f"{operand.name}=0x{word:08x}"
