# make run    the page, the API and a worker on this machine; PORT=8000 overrides the port
# make test   the fast tests: says what it left out and how to get it; CI=true makes a missing tool a failure
# make test-all  every test whose needs are met: also browser, LibreOffice, PostgreSQL, Redis and what takes long
# make plans  the plans that tests of pages and documents start from, made anew by the engine
# make gallery  all requests of examples/gallery with what must hold for each answer
# make lint   format, lint, types, import contracts, migrations
# make audit  known weaknesses of what we install, unsafe calls of our own, bill of materials in build/
# make fuzz   generated requests against the API in every phase; FUZZ="--seed 7 --examples 60"
# make faults  everything that can break, broken at random while people work (docs/faults.md); FAULTS="--minutes 30 --seed 7"
#
# Needs make and Python 3.11 or newer with venv; everything else is installed into .venv from ready-made wheels.

.DEFAULT_GOAL := run
.PHONY: run test test-all plans gallery lint audit fuzz faults lock clean

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)
BIN := .venv/bin
# Wheels only: no compiler is needed, and no package runs code while it is installed.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:
WORKERS ?= 2
ROOMS := $(patsubst %/__init__.py,%,$(wildcard */__init__.py))

run: .venv/.base
	@exec $(BIN)/python manage.py up

# Compiled once, also where Python is told to write no bytecode: every process of the tests would read 380 files of tests anew,
# and so would some hundred processes of ours that they start with the rooms. Files that take longest begin first (tests/longest.py).
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test: .venv/.dev
	@$(BIN)/python -m compileall -q $(ROOMS)
	@exec $(PYTEST) --fast

test-all: .venv/.dev
	@$(BIN)/python -m compileall -q $(ROOMS)
	@exec $(PYTEST)

plans: .venv/.dev
	@exec $(BIN)/python -m tests.plans

gallery: .venv/.base
	@exec $(BIN)/python manage.py gallery

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python manage.py check
	$(BIN)/python manage.py makemigrations --check --dry-run

audit: .venv/.dev
	$(BIN)/python requirements/audit.py

fuzz: .venv/.dev
	$(BIN)/python -m tests.api.fuzz $(FUZZ)

faults: .venv/.dev
	$(BIN)/python -m tests.faults $(FAULTS)

lock:
	requirements/lock.sh --upgrade

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Sextant needs Python 3.11 or newer with its venv module (Debian: apt install python3-venv); or name one: make run PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Making .venv with $(PYTHON)"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/.base: requirements/base.txt | .venv/bin/python
	@echo "Installing requirements/base.txt"
	@$(INSTALL) --requirement requirements/base.txt
	@touch $@

.venv/.dev: requirements/dev.txt | .venv/bin/python
	@echo "Installing requirements/dev.txt"
	@$(INSTALL) --requirement requirements/dev.txt
	@touch $@ .venv/.base
