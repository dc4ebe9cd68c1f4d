"""Floor 3: the validator's vocabulary.

batch.py       Batch: records of one struct and the columns their rules keep asking for
rule.py        Part, Rule, Failure: what is checked, in which order, and how a failure reads
values.py      how an offending value is printed
operands.py    TensorOperand, MxOperand, ImmediateOperand: where an operand's pattern, dtype and place stand
header.py      header, events, opcode, engine, reserved bytes
fields.py      one field against a set of codes
dtypes.py      the dtype gates
predicates.py  the dtype of a predicate operand
channels.py    channel counts and start partitions
patterns.py    pattern validity, element counts
placement.py   quadrants of indirect operands, placement of two sources
search.py      what the search instructions share
immediates.py  scalars in the record, behind a pointer or a register
s4d4_tr.py     what the instructions on S4D4_TR share
sparsity.py    what the sparsity instructions share
mx.py          validity of microscaled patterns
packed_bf16.py what SUNDA's packed BF16 forms share
scalar_tensor_tensor.py, tensor_scalar.py   what the families on one struct share
"""
