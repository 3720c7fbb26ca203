# Needs make and Python 3.11 or newer with pip. Everything else goes into .venv, pinned and checked by hash.
# Another interpreter: make PYTHON=/path/to/python3. `make clean` starts afresh.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
    $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet # errors only
LOCKED := --no-deps --require-hashes

UV := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
    --custom-compile-command "make lock" $(UPGRADE)

say = @printf '\n== %s\n' '$(1)'

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test lint types cov docs-check bench lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

demo: $(VENV)/run.stamp ## a reliability table from bundled ratings, and the page demo/report.html
	@$(BIN)/dialgauge demo

test: lint types cov ## every check, as in CI; stops at the first that fails

lint: $(VENV)/dev.stamp ## style, format, and which module may import which
	$(call say,ruff check: style)
	@$(BIN)/ruff check
	$(call say,ruff format: layout)
	@$(BIN)/ruff format --check
	$(call say,lint-imports: layers)
	@$(BIN)/lint-imports --no-logo

types: $(VENV)/dev.stamp ## static types
	$(call say,mypy: types)
	@$(BIN)/mypy

cov: $(VENV)/dev.stamp ## the tests, the code blocks of the docs among them, with coverage
	$(call say,pytest: tests and the code blocks of the docs)
	@$(BIN)/python -m pytest --numprocesses=logical --maxprocesses=4 --dist=loadfile --cov --cov-report=term

docs-check: $(VENV)/dev.stamp ## the code blocks of the docs alone
	@$(BIN)/python -m pytest tests/docs

bench: $(VENV)/bench.stamp ## processor time beside other tools, in one run
	@for script in bench/bench_*.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

lock: $(VENV)/dev.stamp ## new requirements/*.txt from the wishes; UPGRADE=--upgrade takes newer releases
	@$(UV) --all-extras -o requirements/dev.txt pyproject.toml requirements/dev.in
	@$(UV) -o requirements/run.txt -c requirements/dev.txt pyproject.toml
	@$(UV) -o requirements/setup.txt -c requirements/dev.txt requirements/setup.in
	@$(UV) -o requirements/bench.txt -c requirements/dev.txt requirements/bench.in

clean: ## remove .venv and all that was made
	@rm -rf $(VENV) build dist demo htmlcov .coverage .coverage.* \
	    .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

# Where Python comes without its venv module (Debian without python3-venv), virtualenv does the same.
$(VENV)/made.stamp:
	@test -n "$(PYTHON)" || { echo 'Python 3.11 or newer is needed, and none was found: install it, or say make PYTHON=/path/to/python3' >&2; exit 1; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version), once" >&2
	@rm -rf $(VENV)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null && $(PYTHON) -m venv $(VENV) || { \
	    rm -rf $(VENV) && \
	    $(PYTHON) -m pip --disable-pip-version-check --quiet --quiet install --target $(VENV)/setup $(LOCKED) -r requirements/setup.txt && \
	    PYTHONPATH=$(VENV)/setup $(PYTHON) -m virtualenv --quiet --no-download $(VENV) && \
	    rm -rf $(VENV)/setup; }
	@touch $@

$(VENV)/run.stamp: requirements/run.txt requirements/setup.txt pyproject.toml $(VENV)/made.stamp
	@$(PIP) install $(LOCKED) -r requirements/run.txt -r requirements/setup.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/run.stamp
	@$(PIP) install $(LOCKED) -r requirements/dev.txt
	@touch $@

$(VENV)/bench.stamp: requirements/bench.txt $(VENV)/dev.stamp
	@$(PIP) install $(LOCKED) -r requirements/bench.txt
	@touch $@
