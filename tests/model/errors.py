"""The two ways in which a run of the model ends early.

Exception
|-- ModelError     the run fails: a walk leaves memory, a register is not set, a resolved address breaks a rule
`-- NotModelled    the sources do not say what happens, or this model does not follow the chosen alternative
"""


class ModelError(Exception):
    """Stop the run before the failing instruction has written a byte."""


class NotModelled(Exception):
    """Decline to answer; nothing has been written by the instruction."""
