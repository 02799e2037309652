# Every target sets up what it needs in .venv. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test check lint bench schema clean

$(VENV)/.core: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "locodyn needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.test: $(VENV)/.core
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

demo: $(VENV)/.core        ## simulate a robot; write result, plot and report to out/
	mkdir -p out
	$(BIN)/locodyn run satellite --out out/satellite.nc --plot out/satellite.png --report out/satellite.html
	@echo "Look at out/satellite.png and out/satellite.html; the numbers are in out/satellite.nc."

test: $(VENV)/.test        ## everything: style, types, all tests
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

check: $(VENV)/.test       ## the quick part, within 3 minutes
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "not slow"

bench: $(VENV)/.test       ## times against Pinocchio and MuJoCo
	$(BIN)/python benchmarks/rigid.py

schema: $(VENV)/.core      ## JSON schemas of robot and scenario files, from their tables
	$(BIN)/python -m locodyn.files.schema

clean:
	rm -rf $(VENV) out
