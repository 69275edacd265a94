# Every target makes what it needs: .venv, and with root and apt the system packages too.
.DEFAULT_GOAL := help
.PHONY: help demo test check lowest format ray bench quality studies torture peers suites ablate paper lpsolve lpsolve-timed bodyparts clean

PYTHON := .venv/bin/python
export OMP_NUM_THREADS := 1

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

.venv/demo: pyproject.toml scripts/setup
	@scripts/setup progress
	@touch $@

.venv/dev: pyproject.toml scripts/setup
	@scripts/setup dev
	@touch $@ .venv/demo

.venv/bench: pyproject.toml scripts/setup
	@scripts/setup dev,bench
	@touch $@ .venv/demo .venv/dev

.venv/peers: pyproject.toml scripts/setup
	@scripts/setup dev,benchmarks
	@touch $@ .venv/demo .venv/dev

.venv/ray: pyproject.toml scripts/setup
	@scripts/setup dev,ray
	@touch $@ .venv/demo .venv/dev

.venv/paper: pyproject.toml scripts/setup
	@scripts/setup progress,bench
	@touch $@ .venv/demo

.venv/experiments: pyproject.toml scripts/setup
	@scripts/setup experiments
	@touch $@ .venv/demo

.venv-lowest/ready: pyproject.toml scripts/lowest | .venv/dev
	@echo "setup: installing the lowest versions of pyproject.toml into .venv-lowest"
	@$(PYTHON) -m venv --clear .venv-lowest
	@$(PYTHON) scripts/lowest optuna sklearn > .venv-lowest/requirements.txt
	@.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -r .venv-lowest/requirements.txt \
		hypothesis pytest pytest-xdist
	@touch $@

demo: .venv/demo ## minimise Branin hidden in a billion dimensions
	@$(PYTHON) examples/billion.py

test: .venv/dev ## run the tests
	@$(PYTHON) -m pytest -q -n auto

check: .venv/dev .venv-lowest/ready ## format, lint, types, import order, tests, with the lowest versions too: what CI runs
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m mypy
	@.venv/bin/lint-imports --no-logo
	@$(PYTHON) -m pytest -q -n auto
	@$(MAKE) --no-print-directory lowest

# It runs from the source tree, which is not installed there, and without the longest file, as contracts test the default,
# too. -qq leaves the closing line to the run of all tests.
LOWEST := space embedding kernel gp maximizer optimizer contracts test_acquisition.py test_learning.py test_blas.py \
	test_optimize.py study/test_study.py study/test_codec.py integrations/test_optuna_sampler.py \
	integrations/test_optuna_storages.py
lowest: .venv-lowest/ready ## run the tests of the core and of the Optuna sampler with the lowest versions that pyproject.toml states
	@echo "== with $$(tr '\n' ' ' < .venv-lowest/requirements.txt)"
	@PYTHONPATH=src .venv-lowest/bin/python -m pytest -qq -n auto --ignore tests/optimizer/growing/test_growing.py \
		$(addprefix tests/,$(LOWEST))
	@echo "== the lowest versions pass"

format: .venv/dev ## format the code and mend what the linter can
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check --fix .

ray: .venv/ray ## install Ray Tune (500 MB) and run the tests that need it, on a cluster of this machine
	@$(PYTHON) -m pytest -q -m slow tests/integrations

bench: .venv/bench ## measure speed, memory and quality again; results go to benchmarks/results (about 15 minutes)
	@for script in footprint billion ask_speed blas_threads table1_best_cell many_trials picture growing_pictures; do \
		echo "== $$script"; $(PYTHON) benchmarks/$$script.py || exit 1; done

quality: .venv/bench ## measure what the default finds, 30 seeds of each problem (about 20 minutes)
	@$(PYTHON) benchmarks/quality.py

studies: .venv/dev ## measure what a study holds to: in parallel, hurried, soaked, looked at (about 15 minutes)
	@$(PYTHON) benchmarks/studies.py
	@$(PYTHON) benchmarks/dashboard.py

torture: .venv/dev ## attack studies: kills, misbehaving functions, damaged files, second writers, fuzzed inputs (30 minutes of 2 cores); SECONDS=600, CAMPAIGNS="kills locks", SEED=1
	@PYTHONPATH=benchmarks $(PYTHON) -m torture $(CAMPAIGNS) --seconds $(or $(SECONDS),1800) --seed $(or $(SEED),0)

peers: .venv/peers ## run rembo beside its peers, what is not finished yet; SEEDS=3 for the first 3 of 30 seeds (hours)
	@$(PYTHON) experiments/peers.py --seeds $(or $(SEEDS),30)

# LassoBench and BAxUS have environments of their own, see experiments/README.md.
suites: .venv/peers ## run rembo beside its peers on COCO and PBO, what is not finished yet (days); SEEDS=1 for the first of 5 seeds, FAMILIES="bbob-5 pbo-64", METHODS="default turbo"
	@$(PYTHON) experiments/suites.py --seeds $(or $(SEEDS),5) \
		--families $(or $(FAMILIES),bbob-5 bbob-20 mixint-10 mixint-40 hidden-1000 subspace-1000 pbo-64) \
		--methods $(or $(METHODS),default random climber mutation cma tpe turbo optuna-gp botorch smac)

ablate: .venv/dev ## take away each mechanism of the default in turn, what is not finished yet (15 minutes a seed on one core); SEEDS=1 for the first of 10
	@$(PYTHON) experiments/ablate.py --seeds $(or $(SEEDS),10)

paper: .venv/paper ## the paper's synthetic experiments, what is not finished yet (an hour); FULL=1 for all 50 seeds (5 hours)
	@for script in box_simulation failure_probability regret; do \
		echo "== $$script"; $(PYTHON) experiments/$$script.py || exit 1; done
	@for script in discrete_branin standard; do \
		echo "== $$script"; $(PYTHON) experiments/$$script.py $(if $(FULL),--seeds 50) || exit 1; done
	@echo "== table1"; $(PYTHON) experiments/table1.py
	@$(if $(FULL),$(PYTHON) experiments/table1.py --seeds 50 --methods "*-released" "*-y")
	@$(PYTHON) experiments/overview.py

lpsolve: .venv/dev ## configure lp_solve with all methods, what is not finished yet (hours); SEEDS=3 for the first 3 of 30 seeds
	@PYTHONHASHSEED=0 $(PYTHON) experiments/lpsolve.py --seeds $(or $(SEEDS),30)
	@$(PYTHON) experiments/lpsolve_importance.py
	@$(PYTHON) experiments/overview.py

lpsolve-timed: .venv/dev ## the same, 5 seconds a run, on a machine that does nothing else (50 minutes a seed on 2 cores); SEEDS=1 for one of 3
	@$(PYTHON) experiments/lpsolve_disturbance.py
	@PYTHONHASHSEED=0 $(PYTHON) experiments/lpsolve_timed.py --seeds $(or $(SEEDS),3)
	@$(PYTHON) experiments/lpsolve_again.py
	@$(PYTHON) experiments/overview.py

bodyparts: .venv/experiments ## tune the classifier of body parts, what is not finished yet (an hour); SEEDS=50 for all seeds
	@PYTHONHASHSEED=0 $(PYTHON) experiments/bodyparts.py --seeds $(or $(SEEDS),10)
	@$(PYTHON) experiments/bodyparts_test.py
	@$(PYTHON) experiments/overview.py

clean: ## remove .venv, .venv-lowest and caches
	rm -rf .venv .venv-lowest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
