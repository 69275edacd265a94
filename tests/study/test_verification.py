"""Verification: every suggestion follows from what was told before it, or the first that does not is named."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from study_searches import BOX, bowl, default_study, random_study, troubled, uneven_bowl

from rembo import BayesOpt, Interleaved, RandomSearch, Rembo
from rembo.study import StorageError, Study, Verdict, open_storage, rows, verify
from rembo.study.codec import to_text
from rembo.study.database import checksum_of
from rembo.study.environment import environment
from rembo.study.storage import Header

OPTIMIZERS = {
    "Rembo": lambda: Rembo(BOX, embedding_dim=2, runs=2, seed=0),
    "BayesOpt": lambda: BayesOpt(BOX, seed=0),
    "Interleaved": lambda: Interleaved([Rembo(BOX, embedding_dim=2, seed=0), RandomSearch(BOX, seed=1)]),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A file with a study of twelve trials of the default optimizer, one of them given."""
    path = tmp_path_factory.mktemp("finished") / "tune.db"
    with default_study(storage=path) as study:
        study.optimize(bowl, 8)
        study.tell(study.adopt(study.best_params), 1.0)
        study.optimize(bowl, 12)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


@pytest.fixture
def copy(finished, path):
    return shutil.copy(finished, path)


def tamper(path, number, **changed):
    """Change a trial as one would who knows of the checksums."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, value in changed.items():
            connection.execute(f"UPDATE trial SET {name} = ? WHERE number = ?", (value, number))
        columns = ", ".join(rows.TRIAL)
        row = connection.execute(f"SELECT {columns} FROM trial WHERE number = ?", (number,)).fetchone()
        connection.execute("UPDATE trial SET checksum = ? WHERE number = ?", (checksum_of(row), number))


@pytest.mark.parametrize("use", [verify, lambda path: Study.load(path).trials], ids=["verify", "trials"])
def test_missing_trial_is_noticed(copy, use):
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DELETE FROM trial WHERE number = 3")
    with pytest.raises(StorageError, match="trial 3 is missing, though there is trial 4"):
        use(copy)


def test_suggestions_of_a_study_follow_from_what_was_told(finished):
    proof = verify(finished)
    assert (proof.holds, proof.followed, proof.given, proof.name) == (True, 11, 1, "study")


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_study_of_every_optimizer_is_verified(path, make):
    with Study(BOX, optimizer=make(), storage=path) as study:
        study.optimize(bowl, 10)
    assert verify(path).followed == 10


def test_study_of_several_workers_is_verified(path):
    with default_study(storage=path) as study:
        study.optimize(uneven_bowl, 10, n_workers=2)
    assert verify(path).followed == 10


def test_maximisation_is_verified(path):
    with default_study(storage=path, direction="maximize") as study:
        study.optimize(bowl, 10)
    assert verify(path).followed == 10


def test_study_with_failures_and_pruned_trials_is_verified(path):
    with default_study(storage=path) as study:
        study.optimize(troubled, 10)
    assert verify(path).followed == 10


def test_hurried_suggestions_are_verified(path):
    with default_study(storage=path) as study:
        study.optimize(bowl, 10, max_overhead=0.01)
    assert verify(path).followed == 10


def test_study_that_was_resumed_is_verified(path):
    for n_trials in (4, 8):
        with default_study(storage=path) as study:
            study.optimize(bowl, n_trials, deterministic=3)
    assert verify(path).followed == 8


def test_study_with_a_trial_that_runs_is_verified_while_it_is_open(path):
    with random_study(storage=path) as study:
        study.optimize(bowl, 3)
        study.ask()
        assert verify(path).followed == 4


def test_value_that_was_changed_makes_a_later_suggestion_stray(copy):
    tamper(copy, 2, value=-5.0)
    proof = verify(copy)
    assert not proof.holds
    assert proof.stray.number > 2
    assert proof.farthest > 0.0


def test_point_that_was_changed_is_the_stray_one(copy):
    with closing(sqlite3.connect(copy)) as connection:
        y = np.frombuffer(connection.execute("SELECT y FROM trial WHERE number = 4").fetchone()[0])
    tamper(copy, 4, y=(y + 0.25).tobytes())
    proof = verify(copy)
    assert (proof.stray.number, proof.followed, proof.farthest) == (4, 4, pytest.approx(0.25))


def test_order_that_was_changed_is_noticed(copy):
    tamper(copy, 5, told=100)
    assert not verify(copy).holds


# Where a study was written


def rewrite_environment(path, **changed):
    """Let a file say that it was written in another environment than it was."""
    with closing(sqlite3.connect(path)) as connection, connection:
        row = list(connection.execute(f"SELECT {', '.join(rows.ENVIRONMENT)} FROM environment").fetchone())
        row[-1] = to_text({**environment(), **changed})
        connection.execute("UPDATE environment SET description = ?, checksum = ?", (row[-1], checksum_of(row)))


def test_study_that_holds_has_that_verdict_wherever_it_was_written(copy):
    rewrite_environment(copy, numpy="1.26.4")
    assert verify(copy).verdict is Verdict.HOLDS


def test_difference_in_the_same_environment_is_a_failure(copy):
    tamper(copy, 2, value=-5.0)
    proof = verify(copy)
    assert (proof.verdict, proof.elsewhere) == (Verdict.FAILS, ())


@pytest.mark.parametrize("part", ["numpy", "scipy", "BLAS", "CPU"])
def test_difference_in_another_environment_proves_nothing(copy, part):
    tamper(copy, 2, value=-5.0)
    rewrite_environment(copy, **{part: "another"})
    proof = verify(copy)
    assert (proof.holds, proof.verdict) == (False, Verdict.UNKNOWN)
    assert proof.elsewhere == (f"{part} another there, {environment()[part]} here",)


def test_difference_in_a_file_of_an_earlier_version_proves_nothing(copy):
    tamper(copy, 2, value=-5.0)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DROP TABLE environment")
        connection.execute("ALTER TABLE study DROP COLUMN nonce")
    proof = verify(copy)
    assert (proof.verdict, proof.elsewhere[0][:26]) == (Verdict.UNKNOWN, "an earlier version of remb")


def test_environment_is_that_of_the_trial_that_does_not_follow(copy):
    rewrite_environment(copy, numpy="1.26.4")
    with default_study(storage=copy) as study:
        study.optimize(bowl, 14)
    tamper(copy, 13, y=(study.trials[13].y + 0.25).tobytes())
    proof = verify(copy)
    assert (proof.stray.number, proof.verdict) == (13, Verdict.FAILS)


WITH_OTHER_INSTRUCTIONS = """
import sys
from study_searches import bowl, default_study
with default_study(storage=sys.argv[1]) as study:
    study.optimize(bowl, 20, progress=False)
"""


@pytest.mark.skipif("X86_V4" not in environment()["CPU"], reason="this CPU has no AVX-512 to be left out")
def test_study_of_another_cpu_is_not_said_to_be_forged(path):
    fewer = {**os.environ, "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", WITH_OTHER_INSTRUCTIONS, path], env=fewer, check=True, timeout=120)
    proof = verify(path)
    assert (proof.verdict, "CPU" in proof.elsewhere[0]) == (Verdict.UNKNOWN, True)


def test_one_of_several_studies_must_be_named(path):
    for name in ("first", "second"):
        with random_study(storage=path, name=name) as study:
            study.optimize(bowl, 2)
    with pytest.raises(StorageError, match="'first', 'second': name one of them"):
        verify(path)
    assert verify(path, "second").name == "second"


def test_study_without_a_described_optimizer_cannot_be_verified(path):
    open_storage(path).begin(Header("study", "minimize", BOX)).close()
    with pytest.raises(StorageError, match="does not say which optimizer it has"):
        verify(path)
