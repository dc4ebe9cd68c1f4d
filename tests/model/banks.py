"""The banks: engine registers that instructions leave behind, as nested lists of integers, and what they hold after
reset.

Source: isa/06 section 5.0. Reset values are open there; these are the candidates it names.
"""

LANES = 128
ONES = 0xFFFFFFFF


def fresh(name):
    """Return a bank after reset."""
    if name in ("match_values", "match_flags", "scalar_registers"):
        return [[0] * 8 for _ in range(LANES)]
    if name == "index_registers":
        return [[ONES] * 8 for _ in range(LANES)]
    if name == "lane_mask":
        return list(range(32))
    if name == "parameter_ram":
        return [0] * 256
    if name == "batch_norm":
        return [[0] * 5 for _ in range(LANES)]
    if name in ("scalar_count", "random_draws_used"):
        return [0] * LANES
    if name == "xorwow":
        return [[[1] * 6 for _ in range(4)] for _ in range(LANES)]
    if name in ("lfsr", "output_lfsr"):
        return [[1] * 4 for _ in range(LANES)]
    if name == "random_draws":
        return [[] for _ in range(LANES)]
    raise KeyError(name)
