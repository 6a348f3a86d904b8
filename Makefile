# The two main commands are `make demo` and `make test`; they install everything they need.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Wheels only, each with a known hash: no package may run code while it is installed, or be exchanged.
INSTALL := -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps --no-compile
PINNED := $(INSTALL) --require-hashes
# The environments are of this Python: each is made again for another one.
VERSION := $(shell $(PYTHON) -c 'import platform; print(platform.python_version())')
STAMP := $(CURDIR) $(VERSION) $(shell cat pyproject.toml $(addprefix requirements/,run.txt dev.txt build.txt extra-*.txt) | cksum)

.PHONY: demo test test-long short test-pythons newest chaos mutate check audit format docs dist data pins pin-report base-digest bench clean ready environments

# Exit 11: the emulator's database was created by another version, and is deleted.
demo: ready
	@echo "starting the emulator: the whole service on this machine, with the data of a shop"
	@$(BIN)/adsctl -q --profile local accounts list >/dev/null 2>&1; [ $$? -ne 11 ] || $(BIN)/adsctl emulator reset --yes
	@echo "pushing the feed of a shop into it: adsctl --profile local products push examples/products.csv"
	@$(BIN)/adsctl -q --profile local products push examples/products.csv
	@echo "done; look around with: . $(BIN)/activate && adsctl --profile local overview"

# One worker more than cores: many tests wait for a process or a terminal.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, (os.cpu_count() or 1) + 1))')
# Tests write many small files, and wait until they are stored: not on a disk, where 4 GB of memory are free.
MEMORY := $(shell { grep -q '/dev/shm .*noexec' /proc/mounts || \
	df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print $$6 }'; } 2>/dev/null)
# Compiled tests are kept, whatever the surroundings say: otherwise each worker compiles them all in each run.
test test-long short: export PYTHONDONTWRITEBYTECODE =
test test-long short: export TMPDIR := $(or $(MEMORY),$(TMPDIR))
test: environments
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# What takes long and seldom breaks alone, in tests/**/long_*.py: chaos, memory, browsers, other versions of libraries.
test-long: environments oldest-environment data-environment sdk-environment
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -o python_files='long_*.py'

# On the oldest and the newest Python of this machine: what depends most on the interpreter.
test-pythons:
	$(PYTHON) -m tools.pythons
# Files, signals, locks, threads and sockets; archives, XML and other readers; SQLite; start-up; whole pushes.
SHORT := tests/audiences tests/config tests/crash/long_crash.py $(wildcard tests/feeds/test_*.py) tests/runs tests/emulator/test_server.py \
	tests/feeds/locations/test_https.py tests/test_numbers.py tests/test_signals.py \
	$(addprefix tests/products/,feeds/fixes sync/test_database.py long_disk.py test_fix.py test_push.py test_resume.py) \
	$(addprefix tests/promises/,test_examples.py test_startup.py test_streams.py)
short: ready run-environment
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(SHORT)

# Pushes under a fault plan (network, kills, damaged disks), each from a seed; steps of the model of what the
# service must hold; a power failure at every moment of a command; then fuzzing of every reader.
# For example: make chaos RUNS=1000 STEPS=20000 SEED=1 FUZZ=100000
RUNS ?= 200
SYNCS ?= 300
UPLOADS ?= 100
STEPS ?= 2000
SEED ?= 1
FUZZ ?= 2000
FEED_CASES ?= 100000
HOURS ?= 10
# What tries more with THOROUGH; properties that set no number of their own do so too.
PROPERTIES = $(shell grep -lrE 'tests.effort|hypothesis' tests --include='test_*.py' --include='long_*.py')
chaos: ready
	$(BIN)/python -m tests.chaos $(RUNS) $(SEED)
	$(BIN)/python -m tests.chaos $(SYNCS) $(SEED) Synced
	$(BIN)/python -m tests.chaos $(SYNCS) $(SEED) SyncedCustomers
	$(BIN)/python -m tests.chaos.media $(UPLOADS) $(SEED)
	$(BIN)/python -m tests.model $(STEPS) $(SEED)
	CRASHES=1000 $(BIN)/python -m pytest -n auto --timeout=0 tests/crash/long_crash.py
	HOURS=$(HOURS) $(BIN)/python -m pytest -n auto --timeout=0 tests/client/long_runs.py
	FUZZ=$(FUZZ) $(BIN)/python -m pytest -n auto --timeout=0 tests/promises/test_fuzz.py tests/emulator/test_hostile.py
	FEED_CASES=$(FEED_CASES) FEED_SEED=$(SEED) $(BIN)/python -m pytest -n auto --timeout=0 tests/feeds/test_hostile_feeds.py
	THOROUGH=1 $(BIN)/python -m pytest -n auto --timeout=0 $(PROPERTIES)
	$(BIN)/python -m tests.coverage_fuzzing $(FUZZ)

# Mistakes put into the code where a wrong one costs money or people, as many as there is time for; a test must catch
# each. For example: make mutate MINUTES=20 SEED=1 MODULE=consent; MINUTES=0 tries all of them.
MINUTES ?= 20
MODULE ?=
mutate: export TMPDIR := $(or $(MEMORY),$(TMPDIR))
mutate: ready mutate-environment
	build/mutate/bin/python -m tools.mutate --python $(abspath $(BIN)/python) \
		--minutes $(MINUTES) --seed $(SEED) --module "$(MODULE)"

check: ready lint-environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	printf '%s\n' linux darwin win32 | xargs -P 3 -I{} $(BIN)/mypy --platform {} --cache-dir .mypy_cache/{}
	PYTHONPATH=. build/lint/bin/lint-imports --no-cache --no-logo

# --strict fails if a package could not be looked up, instead of treating it as safe.
audit: audit-environment
	build/audit/bin/pip-audit --strict --no-deps --disable-pip $(foreach file,$(wildcard requirements/*.txt),--requirement $(file))

format: ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The completion scripts, docs/commands.md, and man pages (man -M build/man adsctl).
docs: ready
	$(BIN)/python -m tools.write_reference .

# What is released, in dist/: wheel, sdist, SBOM and checksums; then installed by pip, pipx and uv, and tried.
dist: ready docs dist-environment
	$(BIN)/python -m tools.dist

# The ISO codes in ads_cli/api/iso_codes.py, and the names in ads_cli/audiences/countries.txt.
data: ready data-environment
	$(BIN)/python -m tools.iso_codes
	build/data/bin/python -m tools.country_names

# The hashes of all wheels of the versions in requirements/.
pins: ready
	$(BIN)/python -m tools.pin_hashes

# The age of each pinned version, the newest one and known advisories in one table.
pin-report: ready audit-environment
	$(BIN)/python -m tools.pin_report

# The digest of the base image's tag, as its registry has it today, into the Containerfile. Without skopeo, the tool that
# builds the image pulls it and says what it got.
base-digest:
	@base=$$(sed -nE 's/^ARG PYTHON=([^@]+).*/\1/p' Containerfile) && name=$${base%:*} && \
	if command -v skopeo >/dev/null; then \
		digest=$$(skopeo inspect --no-tags --format '{{.Digest}}' "docker://$$base"); \
	else \
		builder=$$(command -v podman || command -v docker) || { echo "base-digest needs podman, docker or skopeo" >&2; exit 1; }; \
		echo "pulling $$base" && "$$builder" pull --quiet "$$base" >/dev/null && \
		set -- $$("$$builder" image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$$base" \
			| sed -nE "s|^(.*/)?$${name##*/}@||p") && digest=$$1; \
	fi && [ -n "$$digest" ] && \
	sed -i.old "s|^ARG PYTHON=.*|ARG PYTHON=$$base@$$digest|" Containerfile && rm Containerfile.old && \
	grep '^ARG PYTHON=' Containerfile

bench: ready
	$(BIN)/python -m benchmarks

# Created again whenever the folder, the pinned versions or the interpreter have changed.
ready:
	@[ "$$(cat $(VENV)/stamp 2>/dev/null)" = "$(STAMP)" ] && $(BIN)/adsctl --version >/dev/null 2>&1 || { \
	echo "setting up $(VENV), once; this takes about a minute" && \
	echo "1/3 creating an environment of Python $(VERSION)" && \
	$(PYTHON) -m venv --clear $(VENV) && \
	echo "2/3 fetching $$(cat requirements/run.txt requirements/dev.txt | grep -c ==) packages from the index, each held against its hash" && \
	$(BIN)/python $(PINNED) -r requirements/run.txt -r requirements/dev.txt && \
	echo "3/3 installing adsctl into it" && \
	$(BIN)/python $(INSTALL) --no-build-isolation --editable . && \
	$(BIN)/python -m pip --disable-pip-version-check check && \
	echo "$(STAMP)" > $(VENV)/stamp; }

# Environments of their own, build/NAME of requirements/NAME.txt: run is what a user has, oldest the oldest versions
# that pyproject.toml allows; sdk, s3, container, data, dist, lint, mutate and audit hold what one test or command needs.
environments: ready $(addsuffix -environment,run s3 container)
%-environment: build/%/stamp-$(VERSION) ;
.SECONDARY:
build/%/stamp-$(VERSION): requirements/%.txt
	$(PYTHON) -m venv --clear build/$*
	build/$*/bin/python $(PINNED) -r $<
	touch $@

# Whether adsctl runs with the newest version of each library, whatever is pinned.
newest: ready
	ENVIRONMENTS=newest $(BIN)/python -m pytest tests/console/long_libraries.py
newest-environment:
	$(PYTHON) -m venv --clear build/newest
	build/newest/bin/python -m pip install --quiet --disable-pip-version-check .

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
