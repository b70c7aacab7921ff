# `make lab` opens the lab, `make test` tests it. Both build .venv first, and again when what it needs changes.

PYTHON ?= python3
BIN := .venv/bin
FIRST := notebooks/00_play.ipynb
NAMES := search qubic
NOTEBOOKS := $(wildcard notebooks/*.ipynb exercises/*/*.ipynb)
INSTALLED := requirements.txt pyproject.toml $(wildcard ttt/jupyter/*) .venv/place

.PHONY: lab test test-all oldest bench notebooks pictures site clean moved

# A terminal in the lab finds `ttt`: it is not a login shell, which might set another PATH. The tabs that come back are
# those of this folder, and not of another copy: its workspace is kept in .venv.
lab: .venv/lab .venv/trusted
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m jupyterlab --allow-root --log-level=WARN --ServerApp.root_dir="$(CURDIR)" \
	    --ServerApp.answer_yes=True --LabApp.default_url=/lab/tree/$(FIRST) --LabApp.workspaces_dir="$(CURDIR)/.venv/workspaces" \
	    --ServerApp.terminado_settings=shell_command="$${SHELL:-sh}"

test: .venv/test
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python -m pytest $(TESTS)

# Before a release, also what is slow or outside: an older kernel, Notebook 7, Pyodide, a cluster, the oldest versions.
test-all: TESTS := -m ''
test-all: test oldest

# With the oldest versions that the ranges allow, in an environment of their own, what needs no browser. They were made
# for Python 3.11, which is taken where there is one.
oldest: .venv/oldest/made
	.venv/oldest/bin/python -m pytest -m 'not browser and not npm and not slow' tests ttt

.venv/oldest/made: requirements.txt pyproject.toml .venv/place
	$$(command -v python3.11 || echo $(PYTHON)) -m venv --clear .venv/oldest
	grep -hoE '(^|")[A-Za-z][A-Za-z0-9-]*>=[0-9.]+' requirements.txt pyproject.toml | tr -d '"' | sed 's/>=/==/' \
	    > .venv/oldest/versions.txt
	.venv/oldest/bin/python -m pip install --quiet --editable '.[test]' --constraint .venv/oldest/versions.txt
	@touch $@

# What searches cost, next to others: benchmarks.md and its plots. `make bench NAMES=search` for some.
bench: .venv/test
	$(BIN)/python tests/benchmarks $(NAMES) --out benchmarks.md

# The lab in the browser, with nothing to install, and the reference, for any static host.
site: .venv/site
	@command -v npm >/dev/null || { echo "npm is needed. On Debian or Ubuntu: sudo apt install npm"; exit 1; }
	$(BIN)/python .site/build.py _site

# For authors: runs every notebook and keeps its results, but no timestamps, progress bars, dead widgets and tracebacks.
notebooks: .venv/test
	TQDM_DISABLE=1 $(BIN)/python -m jupyter nbconvert --to notebook --inplace --execute $(NOTEBOOKS)
	$(BIN)/python tests/kept.py $(NOTEBOOKS)

# For authors: the pictures of the README, and of the boards that lessons begin with, as a notebook shows them today.
pictures: .venv/test
	PICTURES=notebooks/images $(BIN)/python -m pytest -n0 tests/test_pictures.py

clean:
	rm -rf .venv _site

.venv/lab: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# Boards and trees that are kept in a notebook are shown as drawings in those that Jupyter trusts, and as text in others.
.venv/trusted: $(NOTEBOOKS) .venv/lab
	@$(BIN)/python -m jupyter trust $(NOTEBOOKS) >/dev/null
	@touch $@

.venv/site: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[site]'
	@touch $@

.venv/test: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ .venv/lab .venv/site

# A virtual environment knows where it stands: one that was moved with its folder is built anew.
ifneq ($(shell cat .venv/place 2>/dev/null),$(CURDIR))
.venv/place: moved
endif

# Debian keeps venv in a package of its own: root may install it, others are told how to.
.venv/place:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	    && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv; } \
	    || { echo "Python's venv module is needed. On Debian or Ubuntu: sudo apt install python3-venv"; exit 1; }
	@echo "Building .venv, once; this takes a minute or two."
	@$(PYTHON) -m venv --clear .venv
	@echo "$(CURDIR)" > $@
