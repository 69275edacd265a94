"""Studies of spaces with conditions and forbidden clauses: stored, resumed, exported and ablated."""

import pytest

from rembo import Bool, Box, Categorical, Float, Greater, Integer, Is, RandomSearch, Space, Study, ablate
from rembo.study import StorageError, verify
from rembo.study.exchange import export_trials, import_trials, read_csv

SPACE = Space(
    {
        "solver": Categorical(["adam", "sgd"]),
        "momentum": Float(0.0, 1.0).when(Is("solver", "sgd")),
        "warm": Bool(),
        "steps": Integer(1, 40).when(Is("warm", True)),
        "weights": Box(2).when(Is("warm", True)),
    },
    default={"solver": "adam", "warm": False},
    forbidden=[Is("solver", "adam") & Greater("steps", 20)],
)


def loss(x):
    value = 1.0 - 0.5 * (x["solver"] == "sgd") - 0.3 * x["warm"]
    return value + (x.get("momentum", 0.9) - 0.9) ** 2 + abs(x.get("steps", 30) - 30) / 100.0


@pytest.fixture
def path(tmp_path):
    with Study(SPACE, storage=tmp_path / "tune.db", seed=0) as study:
        study.optimize(loss, 12)
    return tmp_path / "tune.db"


def test_study_goes_on_as_if_it_had_never_ended(path):
    Study(SPACE, storage=path, seed=0).optimize(loss, 25)
    whole = Study(SPACE, seed=0)
    whole.optimize(loss, 25)
    stored = Study.load(path)
    assert stored.space == SPACE
    assert [(trial.point, trial.value) for trial in stored.trials] == [
        (trial.point, trial.value) for trial in whole.trials
    ]
    assert verify(path).holds


def test_study_with_other_rules_is_another_one(path):
    with pytest.raises(StorageError, match=r"space\.forbidden is .*than=20.* in the file and missing here"):
        Study(Space(SPACE.declared, SPACE.default), storage=path, seed=0)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_trials_are_exported(path, tmp_path, suffix):
    export_trials(Study.load(path).trials, tmp_path / f"trials{suffix}")
    assert (tmp_path / f"trials{suffix}").stat().st_size > 500


def test_table_with_empty_cells_is_read_back(path, tmp_path):
    trials = Study.load(path).trials
    export_trials(trials, tmp_path / "trials.csv")
    past = read_csv(tmp_path / "trials.csv", SPACE)
    assert [set(each.x) for each in past] == [set(trial.x) for trial in trials]
    other = Study(SPACE, optimizer=RandomSearch(SPACE, seed=1))
    assert import_trials(other, past).told == 12


def test_ablation_evaluates_legal_configurations_alone():
    seen = []

    def watched(x):
        seen.append(x)
        return loss(x)

    goal = {"solver": "sgd", "momentum": 0.9, "warm": True, "steps": 30, "weights": [0.0, 0.0]}
    found = ablate(watched, SPACE, SPACE.active(SPACE.default), goal)
    names = {change.name for step in found.steps for change in step.changes}
    assert names == {"solver", "warm", "momentum", "steps"}
    assert [SPACE.active(x) for x in seen] == seen
    assert all(SPACE.rules.violated(x) is None for x in seen)


def test_workers_evaluate_conditional_spaces():
    alone, together = (Study(SPACE, seed=0) for _ in range(2))
    alone.optimize(loss, 8, deterministic=True)
    together.optimize(loss, 8, n_workers=2, deterministic=True)
    assert [(each.point, each.value) for each in alone.trials] == [(each.point, each.value) for each in together.trials]
