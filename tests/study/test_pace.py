"""When a trial may be asked and when it is told: as results come, or in an order of their own."""

import pytest
from study_searches import BOX

from rembo import RandomSearch
from rembo.study.book import Book
from rembo.study.evaluation import Outcome
from rembo.study.memory import Memory
from rembo.study.pace import AsTheyCome, InOrder, places
from rembo.study.storage import Header


@pytest.fixture
def book():
    """A book with three trials that run."""
    made = Book(Memory().begin(Header("study", "minimize", BOX)), RandomSearch(BOX, seed=0), sign=1.0)
    for _ in range(3):
        made.open(made.optimizer.ask)
    return made


def taking(seconds):
    return Outcome(1.0, started_at=100.0, finished_at=100.0 + seconds)


def number_of(trial):
    return None if trial is None else trial.number


@pytest.mark.parametrize("room", [True, False])
def test_as_they_come_asks_where_there_is_room(book, room):
    assert AsTheyCome().may_ask(book, room) is room


def test_as_they_come_tells_the_first_that_is_finished(book):
    book.keep(book.trials[2], taking(1))
    book.keep(book.trials[1], taking(1))
    assert AsTheyCome().due(book, asks=True).number == 1


@pytest.mark.parametrize(("lookahead", "may"), [(3, False), (4, True)])
def test_in_order_asks_so_many_ahead_of_the_last_told(book, lookahead, may):
    assert InOrder(lookahead).may_ask(book, room=True) is may


def test_in_order_asks_though_there_is_no_room(book):
    assert InOrder(4).may_ask(book, room=False)


def test_in_order_asks_again_once_the_first_was_told(book):
    book.finish(book.trials[0], taking(1))
    assert InOrder(3).may_ask(book, room=True)


def test_in_order_does_not_tell_before_its_turn(book):
    book.keep(book.trials[1], taking(1))
    assert InOrder(3).due(book, asks=True) is None


def test_in_order_tells_the_first_that_is_not_told(book):
    book.keep(book.trials[1], taking(1))
    book.keep(book.trials[0], taking(1))
    assert number_of(InOrder(3).due(book, asks=True)) == 0


def test_in_order_tells_the_next_after_the_first(book):
    book.keep(book.trials[1], taking(1))
    book.finish(book.trials[0], taking(1))
    assert number_of(InOrder(2).due(book, asks=True)) == 1


def test_in_order_asks_before_it_tells(book):
    book.keep(book.trials[0], taking(1))
    assert InOrder(4).due(book, asks=True) is None


def test_in_order_tells_what_is_left_when_nothing_more_is_asked(book):
    book.keep(book.trials[0], taking(1))
    assert number_of(InOrder(4).due(book, asks=False)) == 0


@pytest.mark.parametrize(("share", "given"), [(0.019, 4), (0.03, 5), (0.3, 6), (0.99, 8), (30.0, 8)])
def test_workers_are_given_as_many_more_trials_as_finish_during_an_ask(book, share, given):
    book.finish(book.trials[0], taking(book.trials[0].ask_seconds / share))
    assert places(book, workers=4) == given


def test_evaluations_of_no_time_give_each_worker_one_trial_more(book):
    book.finish(book.trials[0], taking(0.0))
    assert places(book, workers=4) == 8


def test_one_worker_gets_one_trial(book):
    book.finish(book.trials[0], taking(1e-9))
    assert places(book, workers=1) == 1


def test_workers_get_one_trial_each_before_anything_is_known(book):
    assert places(book, workers=4) == 4
