# `make lab` opens the lab, `make test` tests it. Both build .venv first and again when what it needs changes.

PYTHON ?= python3
BIN := .venv/bin
FIRST := notebooks/00_play.ipynb
# JupyterLab asks at its first start whether to fetch news; a lesson has no use for the question.
QUIET_LAB = $(BIN)/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements

.PHONY: lab test notebooks clean

lab: .venv/lab
	$(BIN)/jupyter lab --allow-root --ServerApp.root_dir="$(CURDIR)" --LabApp.default_url=/lab/tree/$(FIRST)

test: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

# For authors: runs every notebook and keeps its results, but no timestamps and no dead widgets.
notebooks: .venv/test
	$(BIN)/jupyter nbconvert --to notebook --inplace --execute notebooks/*.ipynb
	$(BIN)/jupyter nbconvert --to notebook --inplace --TagRemovePreprocessor.enabled=True \
	    --TagRemovePreprocessor.remove_all_outputs_tags=live \
	    --ClearMetadataPreprocessor.enabled=True --ClearMetadataPreprocessor.preserve_cell_metadata_mask=tags \
	    --ClearMetadataPreprocessor.preserve_nb_metadata_mask=kernelspec notebooks/*.ipynb

clean:
	rm -rf .venv

.venv/lab: requirements.txt pyproject.toml | .venv/bin/pip
	$(BIN)/pip install --quiet --editable .
	$(QUIET_LAB)
	touch $@

.venv/test: requirements.txt pyproject.toml | .venv/bin/pip
	$(BIN)/pip install --quiet --editable '.[test]'
	$(QUIET_LAB)
	touch $@ .venv/lab

# Debian keeps venv in a package of its own; root may install it, others are told how to.
.venv/bin/pip:
	@echo "Building .venv, once; this takes a minute or two."
	@$(PYTHON) -m venv .venv || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	    && apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv --clear .venv; } \
	    || { rm -rf .venv; echo "Python 3.11 or later with its venv module is needed. On Debian or Ubuntu: sudo apt install python3-venv"; exit 1; }
