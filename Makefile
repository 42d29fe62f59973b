# `make demo` runs Warpcourt and `make test` tests it. Both set up the checkout first.
# Plain `make` lists all targets.
.DEFAULT_GOAL := help
.PHONY: help demo serve test unit check prove prove-all lint lint-quick format lock setup setup-test frontend

PY := .venv/bin/python
# The floor of coverage holds for a whole run. `make test PYTEST=...` may select tests, and measures nothing.
COVERAGE ?= $(if $(PYTEST),,--cov)
# More than two cores, since some tests wait. `make test PROCESSES=...` suits a machine with other numbers.
PROCESSES ?= 3
# Many processes of the tests import the same modules, so they keep the bytecode, whatever the shell says.
test unit prove prove-all: export PYTHONDONTWRITEBYTECODE =
triton := $(if $(filter 0,$(TRITON)),--no-triton)

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /make \1: /p' Makefile

demo: setup ## Set up, judge the sample submissions and serve the site. ONCE=1 exits after the results
	@$(PY) -m worker.demo $(if $(ONCE),--once)

serve: setup ## Set up and serve the site with a worker
	@$(PY) -m worker.supervise

test: setup-test lint ## Set up and run all tests that this machine can run
	@$(PY) -m tests.prepare
	@$(PY) -m pytest -n $(PROCESSES) --dist loadgroup --no-loadscope-reorder --durations 10 $(COVERAGE) $(PYTEST)

# The importers of sets run each set in processes, which takes as long as all other unit tests.
unit: ## Run the tests that need no database, compiler or browser (after `make setup-test`)
	@$(PY) -m pytest -q -n $(PROCESSES) tests/unit --ignore tests/unit/web --ignore tests/unit/translator \
	  --ignore tests/unit/problems/importing $(PYTEST)

check: ## Check the style of FILES (default: changed files), and run the unit tests that import them
	@$(PY) -m deploy.check $(FILES)

# The tests that receipts can cover; tests/file_receipts.py deselects the others in these folders.
proven := tests/integration/functional tests/integration/judge tests/integration/problems tests/integration/sandbox \
  tests/integration/threats tests/unit/problems

prove: setup-test ## Run the proofs and tests of the engine that no receipt covers, and write their receipts
	@PROVE=missing $(PY) -m pytest -q -n $(PROCESSES) --dist loadgroup $(proven) $(PYTEST)

prove-all: setup-test ## Run all proofs and tests of the engine, and write receipts for those that pass
	@PROVE=all $(PY) -m pytest -q -n $(PROCESSES) --dist loadgroup $(proven) $(PYTEST)

lint-quick: ## Check style, types and layers; takes seconds once the mypy daemon runs
	@deploy/lint --quick

lint: setup-test ## Check style, types, layers, migrations and the front end
	@deploy/lint

format: setup-test ## Format Python, templates and the front end
	@deploy/lint --fix

frontend: setup-test ## Build the front-end assets; commit them
	@cd web/frontend && export PATH=$(CURDIR)/.venv/bin:$$PATH && npm ci --silent && npm run build

lock: setup-test ## Update the pinned Python dependencies
	@for name in run otel s3 test triton nvcc gpu libraries; do .venv/bin/uv pip compile -q --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  -o deploy/requirements/$$name.txt deploy/requirements/$$name.in || exit; done

setup:
	@deploy/setup $(triton)

setup-test:
	@deploy/setup --test $(triton)
