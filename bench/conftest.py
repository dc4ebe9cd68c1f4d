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
        groups.setdefault(bench.group, {})[bench.extra_info.get("role", bench.name)] = bench.stats.median
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    terminalreporter.section(f"ratios to the baseline, medians ({machine})")
    for group, roles in groups.items():
        base = roles.get("baseline")
        for role, median in roles.items():
            if role != "baseline" and base:
                micros = f"{median * 1e6:>10.0f} us {base * 1e6:>10.0f} us bare"
                terminalreporter.write_line(f"{group:<44} {role:<12} {micros} {median / base:>8.2f} x")


@pytest.fixture
def measured(benchmark):
    """Measure a function under a group and a role."""

    def run(group, role, function):
        benchmark.group, benchmark.extra_info["role"] = group, role
        return benchmark(function)

    return run
