"""Hypothesis profiles: the default suite is repeatable, `make fuzz` looks for something new each time."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=100)
settings.register_profile(
    "fuzz", deadline=None, max_examples=5000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("DVESIM_HYPOTHESIS", "suite"))
