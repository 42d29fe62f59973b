# Two commands do everything: `make demo` runs Warpcourt, `make test` tests it. Both set up first.
.PHONY: demo serve test lint format lock setup setup-test frontend clean

PY := .venv/bin/python
triton := $(if $(filter 0,$(TRITON)),--no-triton)

demo: setup ## Set up, judge the sample submissions, and keep serving. ONCE=1 exits after the table
	@$(PY) -m worker.demo $(if $(ONCE),--once)

serve: setup ## Set up and serve the site with a worker
	@$(PY) -m worker.supervise

test: setup-test lint ## Set up and run every test that this machine can run
	@$(PY) -m pytest -n 3 --dist loadgroup --no-loadscope-reorder $(PYTEST)

lint: setup-test ## Check style, types, layers, migrations and the front end
	@deploy/lint

format: setup-test ## Format Python, templates and the front end
	@deploy/lint --fix

frontend: setup-test ## Build the front-end assets, which are committed
	@cd web/frontend && export PATH=$(CURDIR)/.venv/bin:$$PATH && npm ci --silent && npm run build

lock: setup-test ## Pin the Python dependencies anew
	@for name in run otel test triton nvcc gpu; do .venv/bin/uv pip compile -q --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  -o deploy/requirements/$$name.txt deploy/requirements/$$name.in || exit; done

setup:
	@deploy/setup $(triton)

setup-test:
	@deploy/setup --test $(triton)
