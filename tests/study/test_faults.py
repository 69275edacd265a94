"""An f that is itself at fault: the search ends, says where, and loses nothing."""

import traceback

import pytest
from study_searches import bowl, random_study, states

from rembo import Study, TrialState
from rembo.study import EvaluationError


def misspelt(x):
    return bowll(x)  # noqa: F821  # the fault


class Worsening:
    """bowl until so many calls, then an f that raises the errors in turn."""

    def __init__(self, good, *errors):
        self.good, self.errors, self.called = good, errors, 0

    def __call__(self, x):
        self.called += 1
        if self.called <= self.good:
            return bowl(x)
        raise self.errors[(self.called - self.good - 1) % len(self.errors)]


@pytest.mark.parametrize(
    "error", [NameError("n"), TypeError("t"), AttributeError("a"), ImportError("i"), SyntaxError("s")], ids=repr
)
def test_first_programming_error_is_raised(error):
    f = Worsening(0, error)
    with pytest.raises(type(error)):
        random_study().optimize(f, 30)
    assert f.called == 1


def test_traceback_shows_the_line_of_f_and_the_cure():
    with pytest.raises(NameError) as caught:
        random_study().optimize(misspelt, 30)
    text = "".join(traceback.format_exception(caught.value))
    assert "return bowll(x)" in text
    assert "catch=Exception" in text


def test_trial_waits_for_a_corrected_f(tmp_path):
    study = random_study(storage=tmp_path / "tune.db")
    with pytest.raises(NameError):
        study.optimize(misspelt, 5)
    assert (states(study), study.trials[0].attempts) == (["WAITING"], 0)
    study.optimize(bowl, 5)
    whole = random_study()
    whole.optimize(bowl, 5)
    assert [trial.value for trial in study.trials] == [trial.value for trial in whole.trials]


@pytest.mark.parametrize("returned", [None, "0.5", object()], ids=["None", "text", "object"])
def test_result_that_is_no_number_at_all_is_a_programming_error(returned):
    with pytest.raises(EvaluationError, match=r"f returned .*, which is not a finite number"):
        random_study().optimize(lambda x: returned, 30)


def test_result_that_is_not_finite_is_a_failed_trial():
    study = random_study()
    study.optimize(lambda x: float("nan"), 3)
    assert states(study) == ["FAIL"] * 3


def test_other_errors_are_failed_trials_from_the_first_on():
    study = random_study()
    study.optimize(Worsening(0, KeyError("k"), ValueError("v"), ZeroDivisionError()), 6)
    assert states(study) == ["FAIL"] * 6


def test_third_equal_programming_error_in_a_row_ends_a_search_that_had_values():
    study, f = random_study(), Worsening(2, TypeError("at some places"))
    with pytest.raises(TypeError):
        study.optimize(f, 30)
    assert (f.called, states(study)) == (5, ["COMPLETE"] * 2 + ["FAIL"] * 2 + ["WAITING"])


def test_programming_errors_that_differ_do_not_end_a_search_that_had_values():
    study = random_study()
    study.optimize(Worsening(1, TypeError("a"), TypeError("b")), 9)
    assert states(study) == ["COMPLETE"] + ["FAIL"] * 8


@pytest.mark.parametrize("catch", [NameError, (ValueError, NameError), Exception], ids=repr)
def test_what_is_caught_is_a_failed_trial(catch):
    study = random_study()
    study.optimize(misspelt, 4, catch=catch)
    assert states(study) == ["FAIL"] * 4


@pytest.mark.parametrize("catch", [TypeError, Exception], ids=repr)
def test_result_that_is_no_number_is_a_failed_trial_where_it_is_caught(catch):
    study = random_study()
    study.optimize(lambda x: None, 4, catch=catch)
    assert states(study) == ["FAIL"] * 4


def test_programming_error_in_another_process_comes_with_its_traceback():
    study = random_study()
    with pytest.raises(EvaluationError, match=r"(?s)return bowll\(x\).*NameError.*catch=Exception"):
        study.optimize(misspelt, 30, n_workers=2)
    assert {trial.state for trial in study.trials} == {TrialState.WAITING}


def test_programming_error_under_a_limit_ends_the_search():
    with pytest.raises(EvaluationError, match="NameError"):
        random_study().optimize(misspelt, 30, trial_timeout=60)


@pytest.mark.parametrize("catch", ["NameError", 5, (NameError, "x"), int])
def test_what_cannot_be_caught_is_refused(catch):
    with pytest.raises(TypeError, match="catch must be an exception class or a tuple of them"):
        random_study().optimize(bowl, 2, catch=catch)


def test_study_without_trials_is_still_there_after_a_fault(tmp_path):
    with pytest.raises(NameError), random_study(storage=tmp_path / "tune.db") as study:
        study.optimize(misspelt, 5)
    assert len(Study.load(tmp_path / "tune.db").trials) == 1
