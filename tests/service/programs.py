"""Programs and memory that the tests of the service share. Source: isa/01 section 12.5."""

from __future__ import annotations

import struct

# COPY_PREDICATED_SCALAR, 32 lanes x 4: predicates at partition 0 byte 256; writes 0xFF800000 at partition 32 byte 512
# where the predicate is 0 and keeps the old bytes elsewhere.
COPY = bytes.fromhex(
    "e8100000000000000000000000000000000100000100010001000400010001000300200000000000000a0a00000080ff00028000010001000100040001000100"
)
ILLEGAL = COPY[:33] + b"\x02" + COPY[34:]  # reversed_pred is 2
NO_OPCODE = b"\x00" + COPY[1:]
FAR = COPY[:48] + struct.pack("<I", 0x0083_7FFC) + COPY[52:]  # dst runs past the end of a CAYMAN partition
PREDICATE = {"space": "sbuf", "partition": 0, "partitions": 32, "byte": 256, "size": 4}
OUTPUT = {"space": "sbuf", "partition": 32, "partitions": 32, "byte": 512, "size": 16}
REGISTER_MOVE = bytes.fromhex("a7100000000000000000000000090000" + "00" * 48)  # legal, but what it does is not modelled
FILL = bytes.fromhex("000080ff")  # -inf
REGISTER = COPY[:48] + struct.pack("<I", 0x8000_0005) + COPY[52:]  # dst address in register 5
FEW = COPY[:34] + b"\x10" + COPY[35:]  # 16 lanes
