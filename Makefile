# `make demo` shows what an editor would show; `make test` runs everything CI runs.
# Needs Python >= 3.10, git, make and the package registries, nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# akm's own configuration and bundles on this machine have no part in any check.
ALONE := env -u AKM_BUNDLE_DIR HOME=$(CURDIR)/build/home AKM_CONFIG_DIR=$(CURDIR)/build/home
WHEEL_VENV := build/wheel-venv
AKM_LS := $(ALONE) $(CURDIR)/$(WHEEL_VENV)/bin/akm-ls --data-dir $(CURDIR)/build/wheel-data

.PHONY: help demo picture rules test lint unit wheel vscode vscode-e2e vscode-pictures clean
.DEFAULT_GOAL := help

help:
	@echo "make demo     index the example bundle and show what an editor would show"
	@echo "make test     lint, type check, test, build the wheel and try it"
	@echo "make vscode   build and check the VS Code extension (needs node)"
	@echo "make vscode-e2e  the same, then try it in a real VS Code in headless Chromium"
	@echo "make rules    write docs/rules from the rules again"
	@echo "make picture  record the picture of the README again"
	@echo "make clean    remove what the others made"

demo: $(VENV)/.installed
	@$(BIN)/python scripts/demo.py

picture: $(VENV)/.installed
	@$(BIN)/python scripts/demo.py --svg docs/images/demo.svg

rules: $(VENV)/.installed
	$(BIN)/python scripts/rule_pages.py
	$(BIN)/python scripts/vscode_settings.py

test: lint unit wheel

lint: $(VENV)/.testable
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.testable
	$(BIN)/pytest --numprocesses auto --dist worksteal

# The wheel has to work where nothing else is installed.
wheel: $(VENV)/.testable
	rm -rf build/wheel build/wheel-data $(WHEEL_VENV)
	mkdir -p build/home
	$(BIN)/python -m build --wheel --outdir build/wheel >build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
	$(BIN)/python -m venv $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/python -m pip --disable-pip-version-check install --quiet build/wheel/*.whl
	@echo "akm-ls from the wheel:"
	@$(AKM_LS) --version
	@$(AKM_LS) check docs/example-bundle --exit-zero
	@$(AKM_LS) check docs/example-bundle/skills

vscode: $(VENV)/.testable
	cd vscode-client && npm ci --no-audit --no-fund && npm run check && npm run build && npm test
	cd vscode-client && npm run package

# VS Code and Chromium come by `vscode-client/e2e/prepare.mjs`: once, into ~/.cache/akm-ls-e2e.
vscode-e2e: vscode
	cd vscode-client && npm run --silent e2e

vscode-pictures: vscode
	cd vscode-client && npm run --silent e2e -- use --pictures

clean:
	rm -rf build $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf vscode-client/node_modules vscode-client/out vscode-client/wheel vscode-client/*.vsix

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python 3.10 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "$(PYTHON) cannot create environments (on Debian: apt install python3-venv)"; exit 1; }
	$(PIP) 'pip>=22.3'
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml
	$(PIP) --editable .
	@touch $@

$(VENV)/.testable: $(VENV)/.installed
	$(PIP) --editable '.[test,neovim]'
	@touch $@
