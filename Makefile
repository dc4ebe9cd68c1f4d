# Every habit of the project is a target. `make` lists them.
#
#   PYTHON   the Python that makes the virtual environment (3.11 or newer)
#   VENV     where it is made
#   ARGS     passed on to the command of run, demo, unit, conformance, fuzz and bench
#   WORKERS  pytest processes

PYTHON  ?= python3
VENV    ?= .venv
ARGS    ?=
WORKERS ?= 2

BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet --only-binary :all: --require-hashes
PROJECT := $(PIP) install --quiet --no-deps --no-build-isolation --editable .
PYTEST  := $(BIN)/python -m pytest
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
           --no-emit-index-url --custom-compile-command "make lock"

.DEFAULT_GOAL := help
.PHONY: help run demo test unit lint types proto proto-check conformance coverage fuzz bench bench-check lint-deploy \
        audit-free lock wheel clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 14

# --- environment: two locks, so that running needs less than developing --------------------------------------

$(VENV)/.run: requirements-run.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dvesim needs Python 3.11 or newer: set PYTHON")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what dvesim runs with into $(VENV)"
	@$(INSTALL) -r requirements-run.lock
	@$(PROJECT)
	@touch $@

$(VENV)/.dev: requirements.lock $(VENV)/.run
	@echo "Installing what dvesim is developed with into $(VENV)"
	@$(INSTALL) -r requirements.lock
	@touch $@

# --- use -----------------------------------------------------------------------------------------------------

run: $(VENV)/.run  ## serve on 127.0.0.1: HTTP on 8080, gRPC on 8081, a private store
	$(BIN)/dvesim serve $(ARGS)

demo: $(VENV)/.run  ## install, start a private service and run the main job against it
	$(BIN)/dvesim demo $(ARGS)

# --- prove ---------------------------------------------------------------------------------------------------

test: lint types proto-check unit  ## install, then everything a change must pass

unit: $(VENV)/.dev  ## the default pytest suite
	$(PYTEST) -n $(WORKERS) --dist worksteal --benchmark-disable $(ARGS)

lint: $(VENV)/.dev  ## ruff and the import contracts between the floors
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(VENV)/.dev  ## mypy --strict
	$(BIN)/mypy

conformance: $(VENV)/.dev  ## every vector, through the engine, HTTP and gRPC
	$(PYTEST) -n $(WORKERS) --dist worksteal --benchmark-disable tests/conformance $(ARGS)
	$(BIN)/python -m tests.conformance.coverage

coverage: $(VENV)/.dev  ## publish the coverage matrix: docs/coverage.md and the copy the service hands out
	$(BIN)/python -m tests.conformance.coverage --write

fuzz: $(VENV)/.dev  ## the property tests, with new and many more examples
	DVESIM_HYPOTHESIS=fuzz DVESIM_MODEL_CASES=5000 DVESIM_MODEL_SEED=$$$$ $(PYTEST) -n $(WORKERS) --timeout 3600 --benchmark-disable tests/property $(ARGS)

bench: $(VENV)/.dev  ## measure: the table of docs/performance.md, then the suites of bench/
	$(BIN)/python -m bench.performance
	@mkdir -p build
	$(PYTEST) bench --benchmark-only --timeout 3600 --benchmark-json build/bench.json $(ARGS)

bench-check: $(VENV)/.dev  ## measure the table, and fail where a ratio is 30 % worse than bench/performance/ratios.json
	$(BIN)/python -m bench.performance --check

audit-free: $(VENV)/.dev  ## no machine path and no registry host in a tracked file or a lock
	$(PYTEST) tests/unit/test_packaging.py tests/unit/test_deploy_files.py --benchmark-disable

# Beyond the structure checks of tests/unit/test_deploy_files.py; needs nginx and docker-compose on the machine.
lint-deploy: $(VENV)/.dev  ## hadolint, nginx -t and docker-compose config over deploy files
	$(BIN)/hadolint Dockerfile
	deploy/check-nginx
	docker-compose config --quiet

# --- make ----------------------------------------------------------------------------------------------------

proto: $(VENV)/.dev  ## generate proto/dve_proto from proto/dve/v1
	$(BIN)/python proto/build.py

proto-check: $(VENV)/.dev  ## is proto/dve_proto what proto/dve/v1 says?
	$(BIN)/python proto/build.py --check

lock: $(VENV)/.dev  ## pin the newest versions that fit pyproject.toml, with hashes
	$(COMPILE) --upgrade --all-extras --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra service --extra client --extra build --constraint requirements.lock \
	    --output-file requirements-run.lock pyproject.toml

wheel: $(VENV)/.dev  ## build dist/dvesim-*.whl without fetching anything
	$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean:  ## remove what the targets made, the virtual environment included
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
