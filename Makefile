# `make lab` opens the lab, `make test` tests it. Both build .venv first, and rebuild it when its requirements change.

include exercises/grading/bundle/Makefile  # how the lab is opened and .venv is built

NAMES := search qubic
NOTEBOOKS := $(wildcard notebooks/*.ipynb exercises/*/*.ipynb)
INSTALLED := requirements.txt pyproject.toml $(wildcard notebooks/lab/jupyter/*) notebooks/lab/drawing/style.css .venv/place

unexport PYTHONDONTWRITEBYTECODE  # or every process compiles all modules again

.PHONY: test test-all oldest bench notebooks pictures site clean

test: .venv/test
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python -m pytest $(TESTS)

# Before a release, this also runs the slow tests and tests with other software: an older kernel, Notebook 7, Pyodide, a
# cluster, and the oldest versions of all packages.
test-all: TESTS := -m ''
test-all: test oldest

# Runs the tests that need no browser with the oldest versions that the ranges allow, in their own environment. These
# versions were made for Python 3.11, which is used if it is installed.
oldest: .venv/oldest/made
	.venv/oldest/bin/python -m pytest -m 'not browser and not npm and not slow' tests ttt notebooks/lab

.venv/oldest/made: requirements.txt pyproject.toml .venv/place
	$$(command -v python3.11 || echo $(PYTHON)) -m venv --clear .venv/oldest
	grep -hoE '(^|")[A-Za-z][A-Za-z0-9-]*>=[0-9.]+' requirements.txt pyproject.toml | tr -d '"' | sed 's/>=/==/' \
	    > .venv/oldest/versions.txt
	.venv/oldest/bin/python -m pip install --quiet --editable '.[test]' --constraint .venv/oldest/versions.txt
	@touch $@

# Compares our searches with others: writes benchmarks.md and its plots. `make bench NAMES=search` runs only some.
bench: .venv/test
	$(BIN)/python tests/benchmarks $(NAMES) --out benchmarks.md

# Builds the lab in the browser, with nothing to install, and the reference, for any static host.
site: .venv/site
	@command -v npm >/dev/null || { echo "npm is needed. On Debian or Ubuntu: sudo apt install npm"; exit 1; }
	$(BIN)/python .site/build.py _site

# For authors: runs every notebook and keeps its results, without timestamps, progress bars, dead widgets and tracebacks.
notebooks: .venv/test
	TQDM_DISABLE=1 $(BIN)/python -m jupyter nbconvert --to notebook --inplace --execute $(NOTEBOOKS)
	$(BIN)/python tests/kept.py $(NOTEBOOKS)

# For authors: makes the pictures in the README and at the top of lessons, as notebooks and boards look today.
pictures: .venv/test
	PICTURES=notebooks/images $(BIN)/python -m pytest -n0 -m '' tests/test_pictures.py

clean:
	rm -rf .venv _site

.venv/lab: $(INSTALLED)

.venv/site: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[site]'
	@touch $@

.venv/test: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ .venv/lab .venv/site
