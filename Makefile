# The two main commands are `make demo` and `make test`; they install everything they need.

PYTHON ?= python3
BIN := .venv/bin
LINT := build/lint/bin
READY := ready
RUN := build/run/bin
SDK := build/sdk/bin
S3 := build/s3/bin
CONTAINER := build/container/bin
DATA := build/data/bin
AUDIT := build/audit/bin
DIST := build/dist/bin
# Wheels only, each with a known hash: no package may run code while it is installed, or be exchanged.
INSTALL := -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps
PINNED := $(INSTALL) --require-hashes
STAMP := $(CURDIR) $(shell cat pyproject.toml requirements/run.txt requirements/dev.txt | cksum)

.PHONY: demo test chaos mutate check audit format docs dist data pins bench run-environment sdk-environment s3-environment container-environment data-environment clean ready

# Exit 11: the emulator's database was created by another version, and is deleted.
demo: $(READY)
	@$(BIN)/adsctl -q --profile local accounts list >/dev/null 2>&1; [ $$? -ne 11 ] || $(BIN)/adsctl emulator reset --yes
	$(BIN)/adsctl --profile local products push examples/products.csv

# Two workers a core: many tests wait for a process, a browser or a terminal.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, 2 * (os.cpu_count() or 1)))')
# Tests write many small files, and wait until they are stored: not on a disk, where 4 GB of memory are free.
MEMORY := $(shell { grep -q '/dev/shm .*noexec' /proc/mounts || \
	df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print $$6 }'; } 2>/dev/null)
# Compiled tests are kept, whatever the surroundings say: otherwise each worker compiles them all in each run.
test: export PYTHONDONTWRITEBYTECODE =
test: export TMPDIR := $(or $(MEMORY),$(TMPDIR))
test: $(READY) run-environment sdk-environment s3-environment container-environment data-environment
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Pushes under a fault plan (network, kills, damaged disks), each from a seed; steps of the model of what the
# service must hold; a power failure at every moment of a command; then fuzzing of every reader.
# For example: make chaos RUNS=1000 STEPS=20000 SEED=1 FUZZ=100000
RUNS ?= 200
SYNCS ?= 300
STEPS ?= 2000
SEED ?= 1
FUZZ ?= 2000
FEED_CASES ?= 100000
HOURS ?= 10
# What tries more with THOROUGH; properties that set no number of their own do so too.
PROPERTIES = $(shell grep -lrE 'tests.effort|hypothesis' tests --include='test_*.py')
chaos: $(READY)
	$(BIN)/python -m tests.chaos $(RUNS) $(SEED)
	$(BIN)/python -m tests.chaos $(SYNCS) $(SEED) Synced
	$(BIN)/python -m tests.model $(STEPS) $(SEED)
	CRASHES=1000 $(BIN)/python -m pytest -n auto --timeout=0 tests/crash
	HOURS=$(HOURS) $(BIN)/python -m pytest -n auto --timeout=0 tests/client/test_long_runs.py
	FUZZ=$(FUZZ) $(BIN)/python -m pytest -n auto --timeout=0 tests/test_fuzz.py tests/emulator/test_hostile.py
	FEED_CASES=$(FEED_CASES) FEED_SEED=$(SEED) $(BIN)/python -m pytest -n auto --timeout=0 tests/feeds/test_hostile_feeds.py
	THOROUGH=1 $(BIN)/python -m pytest -n auto --timeout=0 $(PROPERTIES)
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
audit: $(AUDIT)/pip-audit
	$(AUDIT)/pip-audit --strict --no-deps --disable-pip $(foreach file,$(wildcard requirements/*.txt),--requirement $(file))

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The completion scripts, docs/commands.md, and man pages (man -M build/man adsctl).
docs: $(READY)
	$(BIN)/python -m ads_cli.cli.write_reference .

# What is released, in dist/: wheel, sdist, SBOM and checksums; then installed by pip, pipx and uv, and tried.
dist: $(READY) docs $(DIST)/pipx
	$(BIN)/python -m tools.dist

# The ISO codes in ads_cli/api/iso_codes.py, and the names in ads_cli/audiences/countries.txt.
data: $(READY) data-environment
	$(BIN)/python -m tools.iso_codes
	$(DATA)/python -m tools.country_names

# The hashes of all wheels of the versions in requirements/.
pins: $(READY)
	$(BIN)/python -m tools.pin_hashes

bench: $(READY)
	$(BIN)/python -m benchmarks

# Created again whenever the folder, the pinned versions or the interpreter have changed.
$(READY):
	@[ "$$(cat .venv/stamp 2>/dev/null)" = "$(STAMP)" ] && $(BIN)/adsctl --version >/dev/null 2>&1 || { \
	echo "setting up .venv" && \
	$(PYTHON) -m venv --clear .venv && \
	$(BIN)/python $(PINNED) -r requirements/run.txt -r requirements/dev.txt && \
	$(BIN)/python $(INSTALL) --no-build-isolation --editable . && \
	$(BIN)/python -m pip --disable-pip-version-check check && \
	echo "$(STAMP)" > .venv/stamp; }

$(DIST)/pipx: requirements/dist.txt
	$(PYTHON) -m venv --clear build/dist
	$(DIST)/python $(PINNED) -r $<
	touch $@

# In an environment of its own: only `make check` needs it.
$(LINT)/lint-imports: requirements/lint.txt
	$(PYTHON) -m venv --clear build/lint
	$(LINT)/python $(PINNED) -r $<
	touch $@

$(AUDIT)/pip-audit: requirements/audit.txt
	$(PYTHON) -m venv --clear build/audit
	$(AUDIT)/python $(PINNED) -r $<
	touch $@

# What a user has: nothing that only development needs.
run-environment: $(RUN)/stamp
$(RUN)/stamp: requirements/run.txt
	$(PYTHON) -m venv --clear build/run
	$(RUN)/python $(PINNED) -r $<
	touch $@

# The public SDK, which a test drives against the emulator.
sdk-environment: $(SDK)/stamp
$(SDK)/stamp: requirements/sdk.txt
	$(PYTHON) -m venv --clear build/sdk
	$(SDK)/python $(PINNED) -r $<
	touch $@

# The S3 server that tests read feeds from.
s3-environment: $(S3)/stamp
$(S3)/stamp: requirements/s3.txt
	$(PYTHON) -m venv --clear build/s3
	$(S3)/python $(PINNED) -r $<
	touch $@

# What checks the Containerfile and the manifest for Kubernetes.
container-environment: $(CONTAINER)/stamp
$(CONTAINER)/stamp: requirements/container.txt
	$(PYTHON) -m venv --clear build/container
	$(CONTAINER)/python $(PINNED) -r $<
	touch $@

# Names of places in many languages, which no user and no other test needs.
data-environment: $(DATA)/stamp
$(DATA)/stamp: requirements/data.txt
	$(PYTHON) -m venv --clear build/data
	$(DATA)/python $(PINNED) -r $<
	touch $@

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
