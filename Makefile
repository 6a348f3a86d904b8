# The two main commands are `make demo` and `make test`; they install everything they need.

PYTHON ?= python3
BIN := .venv/bin
LINT := build/lint/bin
READY := ready
# Wheels only: no package may run code while it is installed.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --constraint constraints.txt
STAMP := $(CURDIR) $(shell cat pyproject.toml constraints.txt | cksum)

.PHONY: demo test chaos mutate check audit format docs data bench clean ready

# Exit 11: the emulator's database was created by another version, and is deleted.
demo: $(READY)
	@$(BIN)/adsctl -q --profile local accounts list >/dev/null 2>&1; [ $$? -ne 11 ] || $(BIN)/adsctl emulator reset --yes
	$(BIN)/adsctl --profile local products push examples/products.csv

# Two workers a core: many tests wait for a process, a browser or a terminal.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, 2 * (os.cpu_count() or 1)))')
test: $(READY)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Pushes under a fault plan (network, kills, damaged disks), each from a seed; steps of the model of what the
# service must hold; a power failure at every moment of a command; then fuzzing of every reader.
# For example: make chaos RUNS=1000 STEPS=20000 SEED=1 FUZZ=100000
RUNS ?= 200
STEPS ?= 2000
SEED ?= 1
FUZZ ?= 2000
chaos: $(READY)
	$(BIN)/python -m tests.chaos $(RUNS) $(SEED)
	$(BIN)/python -m tests.model $(STEPS) $(SEED)
	CRASHES=1000 $(BIN)/python -m pytest -n auto --timeout=0 tests/crash
	FUZZ=$(FUZZ) $(BIN)/python -m pytest -n auto --timeout=0 tests/test_fuzz.py tests/emulator/test_hostile.py
	$(BIN)/python -m tests.coverage_fuzzing $(FUZZ)

# Mistakes put into the code one by one: a test must catch each. For example: make mutate WORD=generation
mutate: $(READY)
	$(BIN)/python -m tools.mutants $(WORD)

check: $(READY) $(LINT)/lint-imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin
	$(BIN)/mypy --platform win32
	PYTHONPATH=. $(LINT)/lint-imports --no-cache --no-logo

# --strict fails if a package could not be looked up, instead of treating it as safe.
audit:
	$(PYTHON) -m venv build/audit
	build/audit/bin/pip install --quiet --disable-pip-version-check --only-binary :all: pip-audit
	build/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The completion scripts, docs/commands.md, and man pages (man -M build/man adsctl).
docs: $(READY)
	$(BIN)/python -m ads_cli.cli.write_reference .

# The ISO codes in ads_cli/api/iso_codes.py.
data: $(READY)
	$(BIN)/python -m tools.iso_codes

bench: $(READY)
	$(BIN)/python -m benchmarks

# Created again whenever the folder, the pinned versions or the interpreter have changed.
$(READY):
	@[ "$$(cat .venv/stamp 2>/dev/null)" = "$(STAMP)" ] && $(BIN)/adsctl --version >/dev/null 2>&1 || { \
	echo "setting up .venv" && \
	$(PYTHON) -m venv --clear .venv && \
	$(PIP) --upgrade pip hatchling editables && \
	$(PIP) --no-build-isolation --editable '.[dev]' && \
	echo "$(STAMP)" > .venv/stamp; }

# In an environment of its own: it brings click, beside which httpx imports rich at every start.
$(LINT)/lint-imports: constraints.txt
	$(PYTHON) -m venv --clear build/lint
	$(LINT)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --constraint constraints.txt import-linter
	touch $@

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
