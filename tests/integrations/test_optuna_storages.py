"""Several processes share a study in each of Optuna's storages: nothing is lost, nothing is evaluated twice."""

from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context

import pytest

optuna = pytest.importorskip("optuna", reason="the Optuna sampler needs optuna")

from optuna.trial import TrialState, create_trial  # noqa: E402
from optuna_worker import SPACE, STUDY, bowl, opened, work  # noqa: E402
from postgres import server  # noqa: E402

from rembo.integrations.optuna import RemboSampler  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:JournalStorage is experimental")  # as it was before Optuna 4

PROCESSES = {"postgresql": 4, "sqlite": 2, "journal": 2}
N_TRIALS = 32


def place(kind, folder):
    """Where a study can be kept for a while."""
    if kind == "postgresql":
        pytest.importorskip("psycopg2", reason="PostgreSQL needs psycopg2")
        return server()
    return nullcontext({"sqlite": f"sqlite:///{folder}/study.db", "journal": f"{folder}/study.log"}[kind])


@pytest.fixture(scope="module", params=PROCESSES)
def shared(request, tmp_path_factory):
    """A study that several processes have worked on."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    processes = PROCESSES[request.param]
    with place(request.param, tmp_path_factory.mktemp("storage")) as url:
        study = optuna.create_study(study_name=STUDY, storage=opened(url))
        with ProcessPoolExecutor(processes, get_context("forkserver")) as pool:
            list(pool.map(work, [url] * processes, [N_TRIALS // processes] * processes, timeout=300))
        yield study
        study._storage.remove_session()
    optuna.logging.set_verbosity(optuna.logging.INFO)


def test_no_trial_of_several_processes_is_lost(shared):
    assert [trial.number for trial in shared.trials] == list(range(N_TRIALS))
    assert {trial.state for trial in shared.trials} == {TrialState.COMPLETE}


def test_no_point_is_evaluated_twice_by_several_processes(shared):
    assert len({tuple(trial.params[name] for name in SPACE) for trial in shared.trials}) == N_TRIALS


def test_every_trial_of_several_processes_belongs_to_one_search(shared):
    marks = [trial.system_attrs["rembo:mark"] for trial in shared.trials]
    assert len({(mark["kind"], mark["seed"], mark["center"]) for mark in marks}) == 1


def test_several_processes_are_ahead_of_random_sampling(shared):
    random = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    random.optimize(bowl, N_TRIALS)
    assert shared.best_value < 0.5 * random.best_value


def suggested_again(study, number):
    """What a sampler that has seen nothing of a study yet suggests for one of its trials, in a copy of it."""
    again = optuna.create_study(sampler=RemboSampler(search_space=SPACE, seed=0))
    again.add_trials(study.trials[:number])
    pending = study.trials[number].system_attrs["rembo:pending"]
    again.add_trial(create_trial(state=TrialState.RUNNING, system_attrs={"rembo:pending": pending}))
    return again.sampler.sample_relative(again, again.trials[number], SPACE)


def test_suggestion_in_one_of_several_processes_follows_from_what_the_storage_has(shared):
    assert suggested_again(shared, N_TRIALS - 1) == shared.trials[-1].params
