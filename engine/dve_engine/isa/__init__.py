"""Floor 1: the facts of the instruction set as data. Nothing here computes on user input.

generation.py   the four generations: geometry, feature flags, default FP8 mode
codes.py        small enumerations (immediate sources, accumulator commands, event modes, ...)
dtypes.py       the dtype code space and its named sets and gates
aluops.py       the ALU code space and its classes
opcodes.py      the opcode catalogue: membership, engines, what the DVE does with each code
struct.py       what a 64-byte layout is; reading and decoding records
layout.py       the 64-byte structs as NumPy structured dtypes, struct <-> opcode bindings
assumptions/    the open questions, one file per section of isa/00, and the choices of one request
"""
