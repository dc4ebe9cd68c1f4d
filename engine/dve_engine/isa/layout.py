"""The 64-byte operand structs as NumPy structured dtypes, and which opcode uses which.

Source: isa/01 sections 1, 3, 5 to 7 and 11, isa/03 to isa/06 for each struct [H unless tables/layouts.json says
otherwise].

A struct is written as its fields in byte order, `name:TYPE`; offsets follow and are proved to end at 64 (struct.py).
Every struct begins with HEADER and EVENTS. A name that starts with `reserved` must be zero; `gap` and `body` are bytes
no source describes. The types PATTERNnD are TENSORnD fields that become a direct-or-indirect union (MEM_PATTERNnD)
where the generation has one; size and place never change.
"""

from __future__ import annotations

from .generation import CAYMAN, MARIANA, MAVERICK, since
from .opcodes import CATALOG
from .struct import Struct, struct

S3S3D3_TT = struct(
    "S3S3D3_TT", "41 51 65 72 99 8A 8B 8F",
    "in0_in1_dtype:DTYPE_PAIR out_dtype:DTYPE op:ALU_OP num_active_channels:u8 src0_mem_pattern:PATTERN3D "
    "src1_mem_pattern:PATTERN3D dst_mem_pattern:PATTERN3D",
)  # fmt: skip
S3D3_TS = struct(
    "S3D3_TS", "30 43 53 44 54 93 9A E6",
    "accumulator_cmd:ACCUM_CMD reserved0:u8[3] src_mem_pattern:PATTERN3D in_dtype:DTYPE out_dtype:DTYPE "
    "num_active_channels:u8 imm0_src:IMM_SRC op0:ALU_OP op1:ALU_OP reverse_operands:TENS_SCALAR_REV_OPS "
    "imm1_src:IMM_SRC imm0:IMM_VAL_INST_FIELD imm1:IMM_VAL_INST_FIELD dst_mem_pattern:PATTERN3D",
)  # fmt: skip
S2S2D2_STT = struct(
    "S2S2D2_STT", "9D 9E E5 EA",
    "src0_mem_pattern:TENSOR2D src1_mem_pattern:TENSOR2D op0:ALU_OP op1:ALU_OP "
    "reverse_operands:TENS_SCALAR_REV_OPS imm0_src:IMM_SRC in0_in1_dtype:DTYPE_PAIR out_dtype:DTYPE "
    "num_active_channels:u8 imm0_dtype:DTYPE accumulator_cmd:ACCUM_CMD reserved:u8[3] dst_mem_pattern:TENSOR2D "
    "imm0:IMM_VAL_INST_FIELD",
)  # fmt: skip
S3D3_CP_PRED_SCALAR = struct(
    "S3D3_CP_PRED_SCALAR", "E8",
    "reserved0:u8[4] pred_mem_pattern:PATTERN3D pred_dtype:DTYPE reversed_pred:u8 num_active_channels:u8 "
    "reserved1:u8[6] in_dtype:DTYPE out_dtype:DTYPE src0_imm_src:IMM_SRC src0_imm:IMM_VAL_INST_FIELD "
    "dst_mem_pattern:PATTERN3D",
)  # fmt: skip
S3D3_TS_SELECT = struct(
    "S3D3_TS_SELECT", "98",
    "reserved0:u8[4] src0_mem_pattern:TENSOR3D reversed_pred:u8 num_active_channels:u8 dtype:DTYPE "
    "pred_imm_dtype:DTYPE reserved1:u8[2] src1_imm_src:IMM_SRC pred_imm_src:IMM_SRC src1_imm:IMM_VAL_INST_FIELD "
    "pred_imm:IMM_VAL_INST_FIELD dst_mem_pattern:TENSOR3D",
)  # fmt: skip
S2D2_RS = struct(
    "S2D2_RS", "BC",
    "num_active_channels:u8 in_out_dtype:DTYPE_PAIR reduce_cmd:ACCUM_CMD reduce_op:ALU_OP base:f32 fill_val:u32 "
    "src_mem_pattern:TENSOR2D comp_op0:ALU_OP comp_op1:ALU_OP bound0_src:IMM_SRC bound1_src:IMM_SRC "
    "bound0:IMM_VAL_INST_FIELD bound1:IMM_VAL_INST_FIELD dst_mem_pattern:TENSOR2D reserved1:u8[4]", since(CAYMAN),
)  # fmt: skip
S4D4_TR = struct(
    "S4D4_TR", "42 52 83 84 4E 5E 46 47 48 6A 6B 8C 8D",
    "src_mem_pattern:PATTERN4D in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 negated:u8 op:ALU_OP "
    "op_dim:TENSOR_SUBDIM mask_enable:u8 reserved1:u8[5] dst_mem_pattern:PATTERN4D",
)  # fmt: skip
S4D4_PL = struct(
    "S4D4_PL", "45 58",
    "src_mem_pattern:TENSOR4D in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 reserved0:u8 "
    "pool_func:POOL_TYPE pool_dim:TENSOR_SUBDIM reserved1:u8[2] pool_scale:f32 dst_mem_pattern:TENSOR4D",
)  # fmt: skip
S4D4_TSM = struct(
    "S4D4_TSM", "4F 5F 87 88",
    "src_mem_pattern:TENSOR4D in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 reserved0:u8 op:ALU_OP "
    "op_dim:TENSOR_SUBDIM reverse_operands:TENS_SCALAR_REV_OPS reserved1:u8[5] dst_mem_pattern:TENSOR4D",
)  # fmt: skip
S4D2_BN = struct(
    "S4D2_BN", "60 61 82 62 6C 6E",
    "src_mem_pattern:TENSOR4D in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 reserved0:u8[5] "
    "even_count:f32 odd_count:f32 dst_mem_pattern:TENSOR2D reserved1:u8[4]",
)  # fmt: skip
S2_BN = struct(
    "S2_BN", "64 6D 70 71",
    "reserved0:u8[4] src_mem_pattern:TENSOR2D imm1:IMM_VAL_INST_FIELD dtype:DTYPE reserved1:u8 "
    "num_active_channels:u8 reserved2:u8[9] imm0_ptr:IMM_VAL_INST_FIELD imm0_src:IMM_SRC reserved3:u8[15]",
)  # fmt: skip
S2_BNPL2 = struct(
    "S2_BNPL2", "8E",
    "src_mem_pattern:TENSOR2D reserved0:u8[4] element_count:f32 src_dtype:DTYPE immediate_dtype:DTYPE "
    "num_active_channels:u8 reserved1:u8[5] imm0_ptr:IMM_VAL_INST_FIELD imm1_ptr:IMM_VAL_INST_FIELD "
    "imm0_src:IMM_SRC imm1_src:IMM_SRC reserved2:u8[14]",
)  # fmt: skip
S3S3D1_BN = struct(
    "S3S3D1_BN", "63",
    "imm0:PARTITION_OFFSET src0_mem_pattern:TENSOR3D src1_mem_pattern:TENSOR3D dst_mem_pattern:TENSOR1D "
    "imm1:PARTITION_OFFSET in0_in1_dtype:DTYPE_PAIR immediate_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8",
)  # fmt: skip
S3S3D1_BN2 = struct(
    "S3S3D1_BN2", "94",
    "imm0:IMM_VAL_INST_FIELD src0_mem_pattern:TENSOR3D src1_mem_pattern:TENSOR3D dst_mem_pattern:TENSOR1D "
    "imm1:IMM_VAL_INST_FIELD in0_in1_dtype:DTYPE_PAIR immediate_out_dtype:DTYPE_PAIR imm0_imm1_src:IMM_SRC_PAIR "
    "num_active_channels:u8",
)  # fmt: skip
S4D4_MR = struct(
    "S4D4_MR", "6F",
    "src_mem_pattern:TENSOR4D in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 reserved0:u8[5] immediate:f32 "
    "dst_mem_pattern:TENSOR4D",
)  # fmt: skip
D4_MR = struct(
    "D4_MR", "49 4D 4B E9",
    "reserved0:u8[16] dst_element_count:u32 dtype:DTYPE reserved1:u8 num_active_channels:u8 reserved2:u8 "
    "serialization_mode:REG_SERIAL_MODE reserved3:u8[3] set_value:u32 dst_mem_pattern:TENSOR4D",
)  # fmt: skip
D1_RD = struct(
    "D1_RD", "24 9B",
    "reserved0:u8[16] dst_element_count:u32 dtype:DTYPE negated:u8 num_active_channels:u8 reserved1:u8[9] "
    "dst_mem_pattern:TENSOR1D reserved2:u8[12]",
)  # fmt: skip
CTRL_IM = struct(
    "CTRL_IM", "66 69 7A 9F",
    "param_ram_offset:u16 imm_ptr_select:u8 reserved0:u8[17] immediate:u8[32]",
)  # fmt: skip
D4_RAND = struct(
    "D4_RAND", "76 77",
    "rand_algorithm:RAND_ALGORITHM rand_num_steps:u8 post_process:RAND_POST_PROC rand_generator:RAND_SRC "
    "params:u32[4] dtype:DTYPE reserved1:u8 num_active_channels:u8 reserved2:u8[9] dst_mem_pattern:TENSOR4D",
)  # fmt: skip
S1_RAND = struct(
    "S1_RAND", "78",
    "rand_algorithm:RAND_ALGORITHM num_active_channels:u8 update_state:RAND_STATE_UPDATE in_dtype:DTYPE "
    "src_mem_pattern:TENSOR1D rand_generator:RAND_SRC reserved:u8[7] imm_state:u32[8]",
)  # fmt: skip
D3_RAND = struct(
    "D3_RAND", "E2",
    "rand_algorithm:RAND_ALGORITHM reserved0:u8 post_process:RAND_POST_PROC reserved1:u8[17] dtype:DTYPE "
    "reserved2:u8 num_active_channels:u8 reserved3:u8[3] min_src:IMM_SRC max_src:IMM_SRC min:IMM_VAL_INST_FIELD "
    "max:IMM_VAL_INST_FIELD dst_mem_pattern:TENSOR3D", since(MARIANA),
)  # fmt: skip
S3D3_SC = struct(
    "S3D3_SC", "E0",
    "in_dtype:DTYPE transpose_src:u8 reserved0:u8[2] src_mem_pattern:TENSOR3D out_data_dtype:DTYPE "
    "out_struct_dtype:DTYPE num_active_channels:u8 reserved1:u8 op:COMPRESS_OP op_dim:TENSOR_SUBDIM "
    "reserved2:u8[10] dst_mem_pattern:TENSOR3D", since(MARIANA),
)  # fmt: skip
S2D2D2_SC = struct(
    "S2D2D2_SC", "E1",
    "in_dtype:DTYPE transpose_src:u8 packed_tags:u8 reserved0:u8[5] src_mem_pattern:TENSOR2D out_data_dtype:DTYPE "
    "out_tag_dtype:DTYPE num_active_channels:u8 reserved1:u8 op:COMPRESS_OP op_dim:TENSOR_SUBDIM reserved2:u8[2] "
    "data_dst_mem_pattern:TENSOR2D tag_dst_mem_pattern:TENSOR2D", since(MARIANA),
)  # fmt: skip
S3DMX1_QUANT = struct(
    "S3DMX1_QUANT", "E3",
    "reserved0:u8[4] src_mem_pattern:TENSOR3D reserved1:u8 num_active_channels:u8 in_dtype:DTYPE out_dtype:DTYPE "
    "reserved2:u8[12] dst_mem_pattern:MXMEM_PATTERN1D", since(MARIANA),
)  # fmt: skip
S3D3_DROPOUT = struct(
    "S3D3_DROPOUT", "7F",
    "reserved0:u8[4] src_mem_pattern:TENSOR3D in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 "
    "threshold_src:IMM_SRC threshold_dtype:DTYPE reserved1:u8[6] threshold_type:DROPOUT_THRESHOLD_TYPE "
    "threshold:IMM_VAL_INST_FIELD dst_mem_pattern:TENSOR3D",
)  # fmt: skip
S2D2D2_TS_WIDE = struct(
    "S2D2D2_TS_WIDE", "F4",
    "in_imm_dtype:DTYPE_PAIR out0_out1_dtype:DTYPE_PAIR op:ALU_OP num_active_channels:u8 "
    "src_mem_pattern:MEM_PATTERN2D dst0_mem_pattern:MEM_PATTERN2D dst1_mem_pattern:MEM_PATTERN2D imm_src:IMM_SRC "
    "reserved0:u8[3] imm:IMM_VAL_INST_FIELD reserved1:u8[4]", since(MAVERICK),
)  # fmt: skip
S2S2D2D2_TT = struct(
    "S2S2D2D2_TT", "F3",
    "in0_in1_dtype:DTYPE_PAIR out0_out1_dtype:DTYPE_PAIR op:ALU_OP num_active_channels:u8 "
    "src0_mem_pattern:MEM_PATTERN2D src1_mem_pattern:MEM_PATTERN2D dst0_mem_pattern:MEM_PATTERN2D "
    "dst1_mem_pattern:MEM_PATTERN2D", since(MAVERICK),
)  # fmt: skip
D4_IOTA = struct(
    "D4_IOTA", "7E",
    "data:DATA4D reserved0:u8 out_dtype:DTYPE num_active_channels:u8 reserved1:u8 channel_multiplier:i32 "
    "reserved2:u8[4] dst_mem_pattern:TENSOR4D",
)  # fmt: skip
S2D2_AC = struct(
    "S2D2_AC", "25",
    "src_mem_pattern:TENSOR2D relu_param_src:IMM_SRC imm0_src:IMM_SRC reduce_cmd:ACCUM_CMD imm1_src:IMM_SRC "
    "imm_dtype:DTYPE op0:ALU_OP op1:ALU_OP reduce_op:ALU_OP in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 "
    "activation_func:u8 imm0:IMM_VAL_INST_FIELD imm1:IMM_VAL_INST_FIELD relu_param:IMM_VAL_INST_FIELD "
    "dst_mem_pattern:TENSOR2D reverse_operands:TENS_SCALAR_REV_OPS gap0:u8[3]", since(MARIANA),
)  # fmt: skip
S1S2D2_AM = struct(
    "S1S2D2_AM", "26",
    "src_mem_pattern:TENSOR2D imm0_src:IMM_SRC reduce_cmd:ACCUM_CMD gap0:u8 imm_dtype:DTYPE op0:ALU_OP op1:ALU_OP "
    "reduce_op:ALU_OP in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 activation_func:u8 "
    "reverse_operands:TENS_SCALAR_REV_OPS imm0:IMM_VAL_INST_FIELD prev_pass_mem_pattern:TENSOR1D "
    "dst_mem_pattern:TENSOR2D imm1:IMM_VAL_INST_FIELD", since(MAVERICK),
)  # fmt: skip
S2D2_ADDR = struct(
    "S2D2_ADDR", "74",
    "src_mem_pattern:TENSOR2D imm0:u64 imm1:u64 imm0_imm1_dtype:DTYPE_PAIR in_out_dtype:DTYPE_PAIR "
    "imm0_src:IMM_SRC imm1_src:IMM_SRC op0:ALU_OP op1:ALU_OP num_active_channels:u8 "
    "reverse_operands:TENS_SCALAR_REV_OPS gap0:u8[4] dst_mem_pattern:TENSOR2D",
)  # fmt: skip
S3D3_TENS_DEQUANT = struct(
    "S3D3_TENS_DEQUANT", "7B",
    "src_mem_pattern:TENSOR3D gap0:u8[4] in_dtype:DTYPE out_dtype:DTYPE num_active_channels:u8 dequant_fmt:u8 "
    "group_size:u8 gap1:u8[7] dst_mem_pattern:TENSOR3D gap2:u8[4]", since(CAYMAN),
)  # fmt: skip
S3D3_NONZERO_WITH_COUNT = struct(
    "S3D3_NONZERO_WITH_COUNT", "F2",
    "gap0:u8[4] src_mem_pattern:TENSOR3D index_offset:i32 gap1:u8[4] pad_value:i32 dst_mem_pattern:TENSOR3D "
    "gap2:u8[4]", since(CAYMAN),
)  # fmt: skip
S4D4_CR = struct(
    "S4D4_CR", "7C 7D",
    "gap0:u8[23] reduce_op:u8 reduce_axis:u8 gap1:u8[3] scale:f32 gap2:u8[20]",
)  # fmt: skip
CTRL = struct(
    "CTRL", "A0 A1 A2 A3 A4 A5 A6 B0 B1 B2 B3 B4 B5",
    "body0:u8[20] second_wait:SECOND_WAIT body1:u8[24]",
)  # fmt: skip
MOVE = struct(
    "MOVE", "A7",
    "body0:u8 dtype:DTYPE body1:u8[50]",
)  # fmt: skip

BARE = struct("RECORD", "", "body:u8[52]")  # header and events are all that is described

STRUCTS = {s.name: s for s in list(globals().values()) if isinstance(s, Struct) and s is not BARE}


def struct_of(opcode: int) -> Struct | None:
    """The layout an opcode is bound to, or None where the sources describe none."""
    info = CATALOG.get(opcode)
    return STRUCTS.get(info.struct) if info is not None and info.struct is not None else None


def layout_of(opcode: int) -> Struct:
    """The layout that reads an opcode's bytes: the one it is bound to, or the bare one."""
    return struct_of(opcode) or BARE
