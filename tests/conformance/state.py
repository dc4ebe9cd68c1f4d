"""Engine state as the vectors spell it, and as the machine keeps it: register banks by name, little-endian bytes."""

import numpy as np

from dve_engine.banks import BY_NAME

_NAMES = {
    "mv": "match_values",
    "mv_matched": "match_flags",
    "idx8": "index_registers",
    "lane_mask": "lane_mask",
    "bn_param": "batch_norm",
    "dropout_draws": "random_draws",
}
_BATCH_NORM = ("N", "mean", "A", "B", "C")


def bank_name(name):
    """The bank that holds a vector's state entry."""
    return _NAMES[name]


def banks_of(state):
    """A vector's state as banks; lanes it does not list are as reset."""
    banks = {}
    for name, contents in state.items():
        spec = BY_NAME[_NAMES[name]]
        if isinstance(contents, list):
            banks[spec.name] = np.array(contents, spec.dtype).tobytes()
            continue
        width = spec.shape[1] or max(len(words(row)) for row in contents.values())
        array = np.broadcast_to(np.array(spec.reset, spec.dtype), (spec.shape[0], width)).copy()
        for lane, row in contents.items():
            array[int(lane)] = words(row)
        banks[spec.name] = array.tobytes()
    return banks


def words(row):
    """One lane's words: hex, numbers and flags as they are, floats by their bits."""
    values = [row[key] for key in _BATCH_NORM] if isinstance(row, dict) else row
    return [int(v, 16) if isinstance(v, str) else bits(v) if isinstance(v, float) else int(v) for v in values]


def bits(value):
    return int(np.float32(value).view(np.uint32))


def wrong_state(expected, banks):
    """What is wrong with the state a run left, or None. A word of null is not asserted."""
    for name, contents in expected.items():
        spec = BY_NAME[_NAMES[name]]
        got = np.frombuffer(banks.get(spec.name, spec.fresh().tobytes()), spec.dtype)
        if isinstance(contents, list):
            if got.tolist() != contents:
                return f"{name}: expected {contents}, got {got.tolist()}"
            continue
        rows = got.reshape(spec.shape[0], -1)
        for lane, row in contents.items():
            want = [None if v is None else words([v])[0] for v in (row if isinstance(row, list) else words(row))]
            if any(w is not None and w != g for w, g in zip(want, rows[int(lane)].tolist(), strict=True)):
                return f"{name}[{lane}]: expected {want}, got {rows[int(lane)].tolist()}"
    return None
