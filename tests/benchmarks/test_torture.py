"""The campaigns of `make torture`, each in a tiny size; and what they say where something is broken on purpose."""

import os
import random
import time

import pytest

pytest.importorskip("distributed", reason="one of the modes needs Dask")

import rembo
from rembo.study import Study
from torture.budget import Budget
from torture.children import verdicts
from torture.damage import BYTES, USES, Damage, compared, exhibits, judged, state_of
from torture.fuzz import KINDS, checked, same
from torture.kills import OfFunction, OfProgram, Witness, doubled
from torture.misbehaving import MODES, Report, faults
from torture.side_log import Kill, Line, attempts
from torture.verdict import of
from torture.worker_kills import struck

# Whole campaigns


CONDUCTED = """
import json, sys
from torture.__main__ import CAMPAIGNS
from torture.budget import Budget
print(json.dumps(CAMPAIGNS[sys.argv[1]].run(Budget(float(sys.argv[2]), int(sys.argv[3])), 0)))
"""


@pytest.mark.parametrize(
    ("name", "seconds", "count"),
    [("worker_kills", 0.5, 1), ("misbehaving", 60.0, 3), ("locks", 60.0, 1)],
)
def test_campaign_finds_no_fault(run, name, seconds, count):
    assert run("-c", CONDUCTED, name, str(seconds), str(count))["faults"] == []


KILLED = """
import json, tempfile
from pathlib import Path
from torture import kills
from torture.budget import Budget
from torture.children import adopt_orphans
from torture.side_log import Logged

class Repeating(kills.OfFunction):
    def function(self, log):
        return Twice(str(log), 0.005, 0.06)

class Twice(Logged):
    def __call__(self, x):
        super().__call__(x)
        return super().__call__(x)

class Fickle(kills.OfFunction):
    def function(self, log):
        return Drifting(str(log), 0.005, 0.06)

class Drifting(Logged):
    def __call__(self, x):
        return super().__call__(x) + 1.0

kills.LONGEST_LIFE, kills.MOST_KILLS = 0.25, 3
adopt_orphans()
tally = kills.Tally()
with tempfile.TemporaryDirectory() as folder:
    kills.kill_until_done(KIND("tiny", WORKERS, True, n_trials=10), 0, Budget(60.0), Path(folder), tally)
print(json.dumps(vars(tally)))
"""


def killed(run, kind, workers=1):
    return run("-c", KILLED.replace("KIND", kind).replace("WORKERS", str(workers)))


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_study_is_the_uninterrupted_one(run, workers):
    tally = killed(run, "kills.OfFunction", workers)
    wrong = {name for name, count in tally.items() if count}
    assert wrong <= {"studies", "kills", "evaluations", "in_flight", "oldest_in_flight_s"}
    assert tally["kills"] == 3


def test_evaluation_that_is_made_again_without_a_kill_is_counted(run):
    tally = killed(run, "Repeating")
    assert tally["finished_evaluations_lost"] > 0
    assert tally["finished_evaluations_lost"] + tally["in_flight"] >= 10  # the last before a kill counts as in flight


def test_value_that_f_did_not_give_is_counted(run):
    assert killed(run, "Fickle")["wrong_values"] == 10


# What they are made of


@pytest.fixture
def stored(tmp_path):
    with Study(rembo.Box(20), optimizer=rembo.RandomSearch(rembo.Box(20), seed=0), storage=tmp_path / "s.db") as study:
        for value in (1.0, 2.0):
            study.tell(study.ask(), value)
    return study.trials


def test_trial_that_is_gone_or_another_is_lost(stored):
    witness = Witness()
    assert witness.lost_or_changed(stored) == 0
    assert witness.lost_or_changed(stored[:1]) == 2  # neither what was told nor its point is there
    assert witness.lost_or_changed(stored) == 0


def test_trial_that_is_there_twice_is_doubled(stored):
    assert doubled(stored) == 0
    assert doubled([*stored, stored[0]]) == 4  # its number, its point, and its two places in the order


def test_evaluation_that_had_finished_long_before_the_kill_was_not_hit_by_it():
    lines = [Line("begun", "k", 1.0, (7, 1)), Line("finished", "k", 2.0, (7, 1)), Line("begun", "k", 4.0, (8, 1))]
    first, second = attempts(lines, [Kill(7, 3.0)])
    assert (first.age, first.was_hit(0.25), first.was_hit(1.5)) == (1.0, False, True)
    assert (second.finished_at, second.was_hit(0.25)) == (None, False)


def test_kill_hits_what_its_process_evaluates():
    logged = {
        "a": [Line("begun", "a", 1.0, (7, 1)), Line("finished", "a", 2.0, (7, 1))],
        "b": [Line("begun", "b", 3.0, (7, 1))],
    }
    assert struck(logged, [Kill(7, 4.0), Kill(7, 2.5), Kill(9, 4.0)]) == ["b", None, None]


def test_child_that_hangs_or_dies_is_told_and_replaced():
    def check(case):
        return {"sleep": lambda: time.sleep(60), "die": lambda: os._exit(3), "speak": lambda: "spoken"}[case]()

    said = list(verdicts(["speak", "sleep", "die", "speak"], check, patience=1.0))
    assert [verdict for _, verdict in said] == ["spoken", "HUNG", "DIED: exit code 3", "spoken"]


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        (lambda: "fine", "fine"),
        (lambda: rembo.Float(1.0, 0.0), "refused"),
        (lambda: int("x"), "ACCIDENT"),
        (lambda: [][0], "CRASH"),
        (lambda: (_ for _ in ()).throw(ValueError("no")), "CRASH"),
    ],
)
def test_errors_are_told_apart(action, kind):
    assert of(action).split(":")[0] == kind


def test_x_of_another_type_or_another_bit_is_not_the_same():
    assert same({"a": 0.1, "b": 1}, {"a": 0.1, "b": 1})
    assert not same({"a": 0.1, "b": 1}, {"a": 0.1, "b": 1.0})
    assert not same({"a": 0.1}, {"a": 0.1 + 2e-17})


@pytest.mark.parametrize("kind", KINDS)
def test_fuzzed_input_is_fine_or_refused(kind):
    assert {checked(kind, luck) for luck in range(5)} <= {"fine", "refused"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return exhibits(tmp_path_factory.mktemp("exhibits"))


def test_state_that_never_was_is_silently_wrong(kept):
    whole, _ = kept
    last = whole.states[-1]
    other = {**last, "mixed": (*last["mixed"][:-1], last["mixed"][-2])}
    assert [compared(state, whole.states) for state in (last, whole.states[0])] == ["right", "earlier"]
    assert compared(other, whole.states).startswith("SILENT: mixed had 24 trials, has 24")


@pytest.mark.parametrize("use", USES)
def test_damaged_file_is_refused_or_right(kept, use):
    luck = random.Random(0)
    said = {judged(Damage(luck.choice(kept), how, luck.randrange(99), use)) for how in BYTES}
    assert said <= {"right", "earlier", "refused"}


def test_budget_is_spent_by_count_and_by_time():
    assert list(Budget(count=3).rounds()) == [0, 1, 2]
    assert list(Budget(seconds=0.0).rounds()) == [0]


def report(first_value=0.1, **others):
    """A case as it should be, but for what is given."""
    box = rembo.Box(2)
    study = Study(box, optimizer=rembo.RandomSearch(box, seed=0))
    study.tell(study.adopt([0.1, 0.0]), first_value)
    given = {"starts": 1, "code": 0, "end": "COMPLETED", "trials": study.trials, "left": (), **others}
    return Report(**given)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({}, []),
        ({"code": None}, ["hung"]),
        ({"end": "RuntimeError: broken"}, ["ended the study: RuntimeError: broken (exit code 0)"]),
        ({"first_value": 0.7}, ["innocent trials failed: 0.7 instead of 0.1"]),
        ({"left": ("sleep 600",)}, ["left sleep 600"]),
    ],
)
def test_what_a_misbehaviour_must_not_do_is_told(broken, words):
    isolated = next(mode for mode in MODES if mode.name == "isolated")
    assert faults(isolated, "leave_a_child", report(**broken)) == words


@pytest.mark.parametrize("series", [OfFunction("tiny", 1, False, n_trials=4), OfProgram("tiny", 1, n_trials=4)])
def test_series_differs_where_a_value_does(series, tmp_path):
    series.live(tmp_path / "s.db", tmp_path / "log", 0)
    trials = Study.load(tmp_path / "s.db").trials
    assert not series.differs(tmp_path / "s.db", trials, 0)
    assert series.differs(tmp_path / "s.db", trials[:-1], 0)
    (state,) = state_of(tmp_path / "s.db").values()
    assert len(state) == 5
