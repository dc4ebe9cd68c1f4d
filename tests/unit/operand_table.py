"""Where the tensors of every modelled instruction stand in its record: the test's own reading of the layouts.

Source: isa/01 sections 5.2, 9.4, 11; isa/03 to 06, layouts.
"""

READ, WRITE = False, True
DIRECT, EITHER = False, True


def low(byte):
    return lambda record: record[byte] & 0xF


def high(byte):
    return lambda record: record[byte] >> 4


def whole(byte):
    return lambda record: record[byte]


# Struct -> offset of the channel count, and of every tensor: offset, dimensions, dtype, direction, may be indirect on
# MARIANA and later.
STRUCTS = {
    "S3S3D3_TT": (
        15,
        [(16, 3, low(12), READ, EITHER), (32, 3, high(12), READ, DIRECT), (48, 3, whole(13), WRITE, EITHER)],
    ),
    "S3D3_TS": (34, [(16, 3, whole(32), READ, EITHER), (48, 3, whole(33), WRITE, EITHER)]),
    "S3D3_CP_PRED_SCALAR": (34, [(16, 3, whole(32), READ, EITHER), (48, 3, whole(42), WRITE, EITHER)]),
    "S2S2D2_STT": (
        42,
        [(12, 2, low(40), READ, DIRECT), (24, 2, high(40), READ, DIRECT), (48, 2, whole(41), WRITE, DIRECT)],
    ),
    "S4D4_TR": (34, [(12, 4, whole(32), READ, EITHER), (44, 4, whole(33), WRITE, EITHER)]),
    "S4D4_PL": (34, [(12, 4, whole(32), READ, DIRECT), (44, 4, whole(33), WRITE, DIRECT)]),
    "D4_MR": (34, [(44, 4, whole(32), WRITE, DIRECT)]),
    "CTRL_IM": (1, []),
    "D1_RD": (34, [(44, 1, whole(32), WRITE, DIRECT)]),
    "S3D3_TS_SELECT": (33, [(16, 3, whole(34), READ, DIRECT), (48, 3, whole(34), WRITE, DIRECT)]),
    "S2D2_RS": (12, [(24, 2, low(13), READ, DIRECT), (48, 2, high(13), WRITE, DIRECT)]),
    "S3D3_DROPOUT": (34, [(16, 3, whole(32), READ, DIRECT), (48, 3, whole(33), WRITE, DIRECT)]),
    "S4D2_BN": (34, [(12, 4, whole(32), READ, DIRECT), (48, 2, whole(33), WRITE, DIRECT)]),
    "S4D4_MR": (34, [(12, 4, whole(32), READ, DIRECT), (44, 4, whole(33), WRITE, DIRECT)]),
    "S2_BN": (34, [(16, 2, whole(32), READ, DIRECT)]),
    "S2_BNPL2": (34, [(12, 2, whole(32), READ, DIRECT)]),
    "S3S3D1_BN": (
        63,
        [(16, 3, low(60), READ, DIRECT), (32, 3, high(60), READ, DIRECT), (48, 1, whole(62), WRITE, DIRECT)],
    ),
    "S3S3D1_BN2": (
        63,
        [(16, 3, low(60), READ, DIRECT), (32, 3, high(60), READ, DIRECT), (48, 1, high(61), WRITE, DIRECT)],
    ),
    "D3_RAND": (34, [(48, 3, whole(32), WRITE, DIRECT)]),
    "D4_RAND": (34, [(44, 4, whole(32), WRITE, DIRECT)]),
    "S1_RAND": (13, [(16, 1, whole(15), READ, DIRECT)]),
    "S3D3_SC": (34, [(16, 3, whole(12), READ, DIRECT), (48, 3, whole(33), WRITE, DIRECT)]),
    "S2D2D2_SC": (
        34,
        [(20, 2, whole(12), READ, DIRECT), (40, 2, whole(32), WRITE, DIRECT), (52, 2, whole(33), WRITE, DIRECT)],
    ),
    "S3DMX1_QUANT": (33, [(16, 3, whole(34), READ, DIRECT)]),
    "S2D2D2_TS_WIDE": (
        15,
        [(16, 2, low(12), READ, DIRECT), (28, 2, low(13), WRITE, DIRECT), (40, 2, high(13), WRITE, DIRECT)],
    ),
}
MEMBERS = {
    "S3S3D3_TT": (0x41, 0x51, 0x72, 0x99, 0x65, 0x8A, 0x8B, 0x8F),
    "S3D3_TS": (0x43, 0x53, 0x44, 0x54, 0x93, 0x9A, 0xE6, 0x30),
    "S3D3_CP_PRED_SCALAR": (0xE8,),
    "S2S2D2_STT": (0xEA, 0x9D, 0x9E, 0xE5),
    "S4D4_TR": (0x42, 0x52, 0x83, 0x84, 0x8C, 0x8D, 0x4E, 0x5E, 0x46, 0x47, 0x48, 0x6A, 0x6B),
    "S4D4_PL": (0x45, 0x58),
    "D4_MR": (0x49, 0x4D, 0xE9),
    "CTRL_IM": (0x66, 0x69),
    "D1_RD": (0x9B,),
    "S3D3_TS_SELECT": (0x98,),
    "S2D2_RS": (0xBC,),
    "S3D3_DROPOUT": (0x7F,),
    "S4D2_BN": (0x60, 0x61, 0x62, 0x82, 0x6C, 0x6E),
    "S4D4_MR": (0x6F,),
    "S2_BN": (0x64, 0x6D),
    "S2_BNPL2": (0x8E,),
    "S3S3D1_BN": (0x63,),
    "S3S3D1_BN2": (0x94,),
    "D3_RAND": (0xE2,),
    "D4_RAND": (0x77,),
    "S1_RAND": (0x78,),
    "S3D3_SC": (0xE0,),
    "S2D2D2_SC": (0xE1,),
    "S3DMX1_QUANT": (0xE3,),
    "S2D2D2_TS_WIDE": (0xF4,),
}
STRUCT_OF = {opcode: struct for struct, opcodes in MEMBERS.items() for opcode in opcodes}

FEWER = (0x42, 0x52, 0x83, 0x84, 0x8C, 0x8D, 0x45, 0x58)  # one destination element per group
RESULTS = {0x6C: 8, 0x6E: 8, 0xE9: 8, 0x60: 3, 0x61: 6, 0x82: 6, 0x62: 2, 0x63: 3, 0x94: 3}  # a fixed number of them
NO_START_RULE = (0x8A, 0x8B, 0x8F, 0x8C, 0x8D, 0x64, 0x8E, 0x77, 0x78, 0xE0, 0xE1, 0xF4)  # isa/01 section 9.4
TILED = (0x93, 0x83, 0x84, 0x6B, 0x82)


def operands(record):
    """List (offset, dims, dtype, write, may be indirect) of a record's tensors, and its channel count.

    CTRL_IM has none: its byte means nothing.
    """
    channels, tensors = STRUCTS[STRUCT_OF[record[0]]]
    return [(offset, dims, dtype(record), *rest) for offset, dims, dtype, *rest in tensors], record[channels]
