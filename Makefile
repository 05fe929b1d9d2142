# Every target sets itself up in .venv, from Python 3.11 or newer and, for one kernel, a C++
# compiler. A stamp file inside .venv records each finished step, so that nothing is repeated until
# setup.cfg, pyproject.toml or constraints.txt change.
#
#   make test PYTHON=python3.12              another interpreter
#   make test ARGS="tests/test_graphs.py"    a part of the suite

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
# -qq leaves errors and nothing else
PIP_INSTALL := $(BIN)/python -m pip install -qq -c constraints.txt
REQUIREMENTS := setup.cfg pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help verify test lint style types layers bench docs wheel newcomer clean

help: ## show these lines
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

verify: .venv/base.stamp ## the main job: settle every claim of the paper by computation
	$(BIN)/polyfilter verify

test: .venv/dev.stamp .venv/gcn.stamp .venv/docs.stamp ## the test suite and every doctest, warnings as errors
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(ARGS)

lint: style types layers ## ruff (lint and format), mypy, and the layer rule

style: .venv/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/dev.stamp .venv/gcn.stamp
	$(BIN)/mypy

layers: .venv/dev.stamp
	$(BIN)/lint-imports --no-logo

bench: .venv/dev.stamp .venv/gcn.stamp ## measure the figures that must hold, as ratios and errors of one run
	$(BIN)/python -m experiments.bench

docs: .venv/docs.stamp ## the site, in docs/_build/html: warnings as errors, every example run
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -j 2 docs docs/_build/html

wheel: .venv/dev.stamp .venv/gcn.stamp ## build sdist and wheel, and use them where nothing else is
	tools/try-wheel

newcomer: ## both commands of the README in a fresh clone and an empty home, timed
	tools/try-as-newcomer

clean: ## remove .venv and everything that a target has made
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis docs/_build docs/api docs/gallery/*.md
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"Python 3.11 or newer is needed: make PYTHON=<path to one>")'
	$(PYTHON) -m venv .venv
	@touch $@

# all that the mathematics needs: no torch, which is a gigabyte
.venv/base.stamp: .venv/python.stamp $(REQUIREMENTS)
	$(PIP_INSTALL) -e .
	@touch $@

.venv/dev.stamp: .venv/base.stamp $(REQUIREMENTS)
	$(PIP_INSTALL) -e '.[dev]'
	@touch $@

.venv/gcn.stamp: .venv/dev.stamp $(REQUIREMENTS) tools/install-torch-scatter
	$(PIP_INSTALL) torch torch_geometric setuptools wheel
	@tools/install-torch-scatter .venv
	@touch $@

.venv/docs.stamp: .venv/gcn.stamp $(REQUIREMENTS)
	$(PIP_INSTALL) -e '.[docs]'
	@touch $@
