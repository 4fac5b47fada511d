# The few commands of a working day; `make all` is everything, the others are parts of it or what leads up to it.
PYTHON ?= python3
CACHE ?= $(or $(HARNESS_GUARD_CACHE),$(HOME)/.cache/harness-guard-tests)
BIN = $(firstword $(wildcard $(CACHE)/venv-*/bin))

.PHONY: check all fix test deep setup lock
check:
	$(PYTHON) tests/run.py tests/unit tests/properties tests/architecture

setup:
	$(PYTHON) tests/run.py --only generated

all:
	$(PYTHON) tests/run.py

fix:
	$(PYTHON) hooks/harness_guard.py manifests
	$(BIN)/ruff check --fix --no-cache .
	$(BIN)/ruff format --no-cache .

test:
	$(PYTHON) tests/run.py --only tests $(T)

deep:
	HYPOTHESIS_PROFILE=deep $(PYTHON) tests/run.py

# Needs uv; the locks hold the hashes of every wheel for every supported Python and machine.
lock:
	cd requirements && for name in runtime dev; do uv pip compile $$name.in --universal --python-version 3.11 \
		--generate-hashes --no-annotate --custom-compile-command "make lock" -o $$name.lock; done
	$(PYTHON) hooks/harness_guard.py manifests
