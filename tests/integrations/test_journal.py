"""A journal: an optimizer that can be saved as JSON and goes on where it was."""

import json
from functools import partial

import pytest
from doors import SPACE, cost

from rembo import BayesOpt, Growing, Rembo
from rembo.integrations.journal import Journal

KINDS = [Growing, BayesOpt, partial(Rembo, embedding_dim=2, runs=2)]


def written(optimizer):
    """A journal with values, a failure, and a trial that is still running."""
    journal = Journal(optimizer)
    for _ in range(6):
        trial = journal.ask()
        journal.tell(trial.number, cost(trial.x))
    journal.fail(journal.ask().number, "out of memory")
    journal.ask()
    return journal


def saved(journal):
    return Journal.of_data(json.loads(json.dumps(journal.data(), allow_nan=False)))


@pytest.mark.parametrize("kind", KINDS, ids=["Growing", "BayesOpt", "Rembo"])
def test_saved_journal_goes_on_as_if_nothing_had_happened(kind):
    journal = written(kind(SPACE, seed=0))
    copy = saved(journal)
    assert [copy.ask().x for _ in range(3)] == [journal.ask().x for _ in range(3)]


def test_saved_journal_has_the_same_trials():
    journal = written(Growing(SPACE, seed=0))
    assert repr(saved(journal).optimizer.trials) == repr(journal.optimizer.trials)


def test_journal_can_be_saved_again_after_it_was_saved():
    journal = written(Growing(SPACE, seed=0))
    assert saved(journal).data() == journal.data()


def test_point_of_the_users_own_is_saved():
    journal = written(BayesOpt(SPACE, seed=0))
    journal.tell(journal.adopt({"a": 0.3, "b": 4.0, "c": 7, "d": "q"}).number, 0.0)
    assert saved(journal).optimizer.best_trial.value == 0.0


def test_trial_that_was_running_can_be_told_afterwards():
    copy = saved(written(Growing(SPACE, seed=0)))
    copy.tell(7, 0.5)
    assert copy.optimizer.trials[7].value == 0.5


def test_event_that_is_not_known_is_refused():
    data = {**written(Growing(SPACE, seed=0)).data(), "events": [{"forget": 3}]}
    with pytest.raises(ValueError, match="is no event of a journal: was it written by another version of rembo"):
        Journal.of_data(data)
