"""An independent model of the predicate unit: isa/07 on Python integers, one lane and one bit at a time.

Slow and obvious; it knows nothing of the engine and the engine knows nothing of it. A mask is an int, a vector register
64 bytes.
`MODEL[operation](inputs, choices)` takes and gives dictionaries by the names of vectors/vbool.json.
"""

from tests.vbool_model.catalog import MODEL

__all__ = ["MODEL"]
