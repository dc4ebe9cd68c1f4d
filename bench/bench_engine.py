"""The engine against the bare NumPy expression, decoding, validation and the address walk included.

The work is one TENSOR_SCALAR (x * 2 + 1) over 128 lanes; the baseline is the same arithmetic on arrays that are already
decoded.
"""

import ml_dtypes
import numpy as np
import pytest

from dve_engine import CAYMAN, Choices, Machine, MachineState, Region, Space
from dve_engine.isa.aluops import AluOp
from dve_engine.isa.dtypes import Dtype
from dve_engine.isa.layout import S3D3_TS
from dve_engine.isa.opcodes import Opcode

NUMPY = {Dtype.FP32: np.float32, Dtype.BFLOAT16: ml_dtypes.bfloat16}
SRC, DST = 0, 0x10000
CASES = [(columns, dtype) for columns in (512, 4096) for dtype in NUMPY]
SCALE, BIAS = np.float32(2.0), np.float32(1.0)


def record(columns, dtype):
    """TENSOR_SCALAR: MULT by 2.0, then ADD 1.0, contiguous, all lanes."""
    fields = np.zeros(1, S3D3_TS.dtype)[0]
    fields["header"]["opcode"], fields["header"]["inst_word_len"] = Opcode.TENSOR_SCALAR_ARITH_OP, 16
    for name, start in (("src_mem_pattern", SRC), ("dst_mem_pattern", DST)):
        fields[name]["start_addr"], fields[name]["step_elem"] = start, (1, 0, 0)
        fields[name]["num_elem"] = (columns, 1, 1)
    fields["in_dtype"] = fields["out_dtype"] = dtype
    fields["num_active_channels"] = 128
    fields["op0"], fields["op1"] = AluOp.MULT, AluOp.ADD
    fields["imm0"], fields["imm1"] = SCALE.view(np.uint32), BIAS.view(np.uint32)
    return fields.tobytes()


def inputs(columns, dtype):
    values = np.random.default_rng(0).normal(size=(128, columns)).astype(np.float32)
    return values.astype(NUMPY[dtype])


def bare(values):
    """The same two steps in NumPy, rounded to fp32 after each and to the dtype at the end."""
    result = values.astype(np.float32) if values.dtype != np.float32 else values
    result = result * SCALE
    result += BIAS
    return result.astype(values.dtype, copy=False)


@pytest.mark.parametrize(("columns", "dtype"), CASES, ids=lambda v: getattr(v, "name", str(v)))
@pytest.mark.parametrize("role", ["baseline", "engine"])
def test_tensor_scalar(measured, role, columns, dtype):
    values = inputs(columns, dtype)
    group = f"TENSOR_SCALAR mult+add {dtype.name} 128x{columns}"
    if role == "baseline":
        measured(group, role, lambda: bare(values))
        return
    state = MachineState.fresh(CAYMAN)
    state.memory.write(Region(Space.SBUF, 0, 128, SRC, values[0].nbytes), values.tobytes())
    machine, program = Machine(CAYMAN, Choices()), record(columns, dtype)
    measured(group, role, lambda: machine.run(program, state))
    stored = state.memory.read(Region(Space.SBUF, 0, 128, DST, values[0].nbytes))
    assert stored.tobytes() == bare(values).tobytes()
