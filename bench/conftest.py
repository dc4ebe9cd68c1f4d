"""Ratios: each benchmark group has one `baseline`; what is reported is how many times longer the others take."""

import platform

import pytest


def pytest_terminal_summary(terminalreporter, config):
    """Print the table of ratios below pytest-benchmark's own."""
    session = getattr(config, "_benchmarksession", None)
    if session is None or not session.benchmarks:
        return
    groups = {}
    for bench in session.benchmarks:
        whole = bench.stats.median * bench.extra_info.get("scale", 1)
        groups.setdefault(bench.group, {})[bench.extra_info.get("role", bench.name)] = whole
    terminalreporter.section(
        f"ratios to the baseline, medians ({platform.machine()}, Python {platform.python_version()})"
    )
    for group, roles in groups.items():
        base = roles.get("baseline")
        for role, median in roles.items():
            if role != "baseline" and base:
                times = f"{median * 1e6:>10.0f} us {base * 1e6:>10.0f} us bare"
                terminalreporter.write_line(f"{group:<44} {role:<12} {times} {median / base:>8.2f} x")


@pytest.fixture
def measured(benchmark):
    """Measure a function under a group and a role. scale: how many times it would do its work to do the baseline's."""

    def run(group, role, function, scale=1):
        benchmark.group, benchmark.extra_info["role"], benchmark.extra_info["scale"] = group, role, scale
        return benchmark(function)

    return run
