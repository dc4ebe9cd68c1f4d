"""Floor 4: the instructions. One family, one file: the fields it uses, its rules in header order, what it does.

instruction.py     Instruction: what a family declares
binding.py         resolving a record's operands: registers, addresses, walks, bounds
bound.py           bound operands: where they lie, what they may touch
register_checks.py rules on addresses that come from registers
groups.py          the blocks that reductions, scans and pools cut a stream into
accumulation.py    what accumulating instructions share
stages.py          one stage of a two-operation instruction
draws.py           random words: a caller's, then the lane's generator
operation.py       Operation: one bound record while it executes; the READ, COMPUTE, WRITE vocabulary
errors.py          what can go wrong at run time
catalog.py         the explicit list of families, opcode -> Instruction
"""
