"""The distribution, its lock files and its declared dependencies agree with the tree."""

import ast
import re
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
WHEEL = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
PACKAGES = {Path(path).name: ROOT / path for path in WHEEL["packages"]}
EXTRAS = PROJECT["optional-dependencies"]

# Spelled so that this file does not find itself.
FORBIDDEN = re.compile(
    r"(?<![\w.-])/(?:work|root|home)" + r"/|" + "|".join(("pypi" + r"\.org", "python" + r"hosted", "npm" + r"js\."))
)


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements):
    return {canonical(re.match(r"[\w.-]+", requirement)[0]) for requirement in requirements}


def locked(lock):
    """Return distribution -> (pin with its marker, number of hashes)."""
    text = re.sub(r"^ *#.*\n", "", (ROOT / lock).read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    pins = {}
    for line in text.splitlines():
        pin, *hashes = re.split(r"\s+--hash=sha256:", line)
        pins[canonical(pin.partition("==")[0])] = (pin.strip(), len(hashes))
    return pins


# --- lock files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-run.lock"])
def test_lock_pins_every_line_with_hashes_and_names_no_host(lock):
    pins = locked(lock)
    assert len(pins) > 40
    for pin, hashes in pins.values():
        assert re.fullmatch(r"[\w.-]+==[\w.!+]+( ; .+)?", pin), pin
        assert hashes, pin
    text = (ROOT / lock).read_text()
    assert not re.search(r"https?:|file:|--(?:extra-)?index-url|--find-links", text)
    assert not FORBIDDEN.search(text)


def test_run_lock_is_part_of_the_whole_lock():
    whole = {pin.partition(" ;")[0] for pin, _ in locked("requirements.lock").values()}
    run = {pin.partition(" ;")[0] for pin, _ in locked("requirements-run.lock").values()}
    assert run < whole


def test_locks_hold_what_pyproject_asks_for():
    asked = names(PROJECT["dependencies"]).union(*(names(extra) for extra in EXTRAS.values()))
    assert asked <= locked("requirements.lock").keys()
    run = names(PROJECT["dependencies"] + EXTRAS["service"] + EXTRAS["client"] + EXTRAS["build"])
    assert run <= locked("requirements-run.lock").keys()


def test_the_build_backend_is_locked_too():
    assert names(PYPROJECT["build-system"]["requires"]) == names(EXTRAS["build"])


# --- packages ----------------------------------------------------------------------------------------------


def test_wheel_holds_the_typed_packages_the_command_and_the_plugin(tmp_path):
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(path) as wheel:
        inside = set(wheel.namelist())
        (entry_points,) = [wheel.read(name).decode() for name in inside if name.endswith("entry_points.txt")]
    assert {name.split("/")[0] for name in inside if ".dist-info/" not in name} == set(PACKAGES)
    assert len(PACKAGES) == 5
    for package, folder in PACKAGES.items():
        assert f"{package}/__init__.py" in inside
        assert f"{package}/py.typed" in inside
        modules = {f"{package}/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*.py")}
        assert modules <= inside
    assert "[console_scripts]\ndvesim = dve_client.cli:main" in entry_points
    assert "[pytest11]\ndvesim = dve_pytest" in entry_points


def third_party(package):
    """Return the top-level modules a package imports, without the standard library and our own."""
    found = set()
    for path in PACKAGES[package].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - PACKAGES.keys()


def test_engine_imports_numpy_and_ml_dtypes_and_nothing_else():
    assert third_party("dve_engine") <= {"numpy", "ml_dtypes"}


# The client's in-process transport and `dvesim serve` use the service, and say so when its extra is missing.
@pytest.mark.parametrize(
    ("package", "extras"),
    [
        ("dve_service", ("service",)),
        ("dve_client", ("client", "service")),
        ("dve_pytest", ("test",)),
        ("dve_proto", ("client",)),
    ],
)
def test_every_import_is_declared(package, extras):
    declared = names(PROJECT["dependencies"]).union(*(names(EXTRAS[extra]) for extra in extras))
    declared |= {"starlette"} if "service" in extras else set()  # FastAPI's own face
    distributions = packages_distributions()
    for module in third_party(package):
        providers = {canonical(name) for name in distributions.get(module, [module])}
        assert providers & declared, f"{package} imports {module}, which no extra of {extras} declares"


# --- the tree ----------------------------------------------------------------------------------------------


def tracked_text():
    skip = {"build", "dist", "node_modules", "__pycache__"}
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        hidden = any(part.startswith(".") and part != ".ci" for part in parts[:-1])
        hidden = hidden or path.name == ".git"  # a file where the checkout is a worktree
        if path.is_file() and not hidden and not skip & set(parts) and path.stat().st_size < 2_000_000:
            try:
                yield path, path.read_text()
            except UnicodeDecodeError:
                continue


def test_no_file_names_a_machine_path_or_a_registry_host():
    files = list(tracked_text())
    assert len(files) > 20
    hits = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path, text in files
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN.search(line)
    ]
    assert not hits, "\n".join(hits)
