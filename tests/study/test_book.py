"""The book: one order of asks and tells, on disk before it is used, from which a search is brought to where it was."""

import pytest
from study_searches import BOX, bowl, full_disk

from rembo import BayesOpt, Growing, Interleaved, RandomSearch, Rembo, TrialState
from rembo.study import Reason, StorageError, open_storage
from rembo.study.book import MOST_ATTEMPTS, Book
from rembo.study.evaluation import Outcome
from rembo.study.memory import Memory
from rembo.study.storage import Header

HEADER = Header("study", "minimize", BOX)
OPTIMIZERS = {
    "RandomSearch": lambda: RandomSearch(BOX, seed=0),
    "Growing": lambda: Growing(BOX, seed=0),
    "Rembo": lambda: Rembo(BOX, embedding_dim=2, runs=2, seed=0),
    "BayesOpt": lambda: BayesOpt(BOX, seed=0),
    "Interleaved": lambda: Interleaved([Growing(BOX, seed=0), RandomSearch(BOX, seed=1)]),
}


class Killed(BaseException):
    """The end of a process, for which nobody is prepared."""


class Mortal:
    """A record that is killed before or after the write of a number: 0.5 is before the first, 1 after it."""

    def __init__(self, record, instant):
        self.record, self.left = record, instant

    def trials(self, after=-1):
        return self.record.trials(after)

    def add(self, trial):
        self._write(self.record.add, trial)

    def update(self, trial):
        self._write(self.record.update, trial)

    def _write(self, write, trial):
        if self.left == 0.5:
            raise Killed
        write(trial)
        self.left -= 1
        if self.left == 0:
            raise Killed


def book_of(record, optimizer=None, sign=1.0):
    return Book(record, optimizer or RandomSearch(BOX, seed=0), sign)


def opened(book, count=1):
    return [book.open(book.optimizer.ask) for _ in range(count)]


def evaluate(book, n_trials, ahead=2):
    """Ask some ahead, evaluate the first of those that run or wait, and so on."""
    running = [book.begin(trial) for trial in book.waiting]
    while running or len(book) < n_trials:
        while len(running) < ahead and len(book) < n_trials:
            running += opened(book)
        trial = running.pop(0)
        book.finish(trial, Outcome(bowl(trial.x)))
    return book


def story(book):
    return [(trial.number, trial.point, trial.value, trial.asked, trial.told) for trial in book.trials]


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def book(memory):
    return book_of(memory.begin(HEADER))


@pytest.fixture
def on_disk(tmp_path):
    with open_storage(tmp_path / "tune.db").begin(HEADER) as record:
        yield book_of(record)


def again(book, optimizer=None):
    """The book as the next process finds it."""
    return book_of(book.record, optimizer)


# What is written


def test_trial_is_stored_as_running_when_it_is_opened(book):
    trial = opened(book)[0]
    assert [(each.number, each.state, each.attempts) for each in book.record.trials()] == [(0, TrialState.RUNNING, 1)]
    assert trial.ask_seconds > 0


def test_trial_may_wait_from_the_beginning(book):
    trial = book.open(book.optimizer.ask, runs=False)
    assert (trial.state, trial.attempts, book.waiting) == (TrialState.WAITING, 0, [trial])


def test_trial_that_begins_counts_its_attempts(book):
    trial = book.begin(book.open(book.optimizer.ask, runs=False))
    assert (trial.state, trial.attempts, book.waiting) == (TrialState.RUNNING, 1, [])


def test_trial_that_is_put_back_waits_as_if_it_had_not_begun(book):
    trial = book.put_back(opened(book)[0])
    assert (book.record.trials()[0].state, trial.attempts) == (TrialState.WAITING, 0)


def test_asks_and_tells_stand_in_one_order(book):
    first, second = opened(book, 2)
    book.finish(second, Outcome(1.0))
    book.finish(first, Outcome(2.0))
    assert [(trial.asked, trial.told) for trial in book.record.trials()] == [(0, 3), (1, 2)]


def test_trial_that_is_kept_is_stored_and_not_told(book):
    trial = book.keep(opened(book)[0], Outcome(1.0))
    assert (book.record.trials()[0].value, trial.told, book.optimizer.pending[0].number) == (1.0, None, 0)


def test_trial_that_is_learned_is_told_to_the_optimizer(book):
    book.learn(book.keep(opened(book)[0], Outcome(1.0)))
    assert (book.optimizer.best_trial.value, book.unlearned) == (1.0, [])


def test_attributes_of_the_outcome_are_kept(book):
    book.finish(opened(book)[0], Outcome(1.0, user_attrs={"epochs": 3}, worker="here"))
    assert (book.record.trials()[0].user_attrs, book.record.trials()[0].worker) == ({"epochs": 3}, "here")


def test_failure_is_told_as_one(book):
    book.finish(opened(book)[0], Outcome.failed(Reason.MEMORY, "Traceback\ntoo much"))
    assert book.optimizer.trials[0].failure == "too much"


def test_pruned_trial_is_told_as_a_failure(book):
    book.finish(opened(book)[0], Outcome(state=TrialState.PRUNED))
    assert book.optimizer.trials[0].failure == "pruned"


def test_optimizer_that_minimises_gets_the_sign_of_a_maximisation(memory):
    book = book_of(memory.begin(Header("study", "maximize", BOX)), sign=-1.0)
    book.finish(opened(book)[0], Outcome(3.0))
    assert (book.optimizer.trials[0].value, book.best.value) == (-3.0, 3.0)


@pytest.mark.parametrize(("sign", "best"), [(1.0, 1), (-1.0, 0)])
def test_best_is_the_first_of_the_best_values(memory, sign, best):
    book = book_of(memory.begin(HEADER), sign=sign)
    for value in (2.0, 1.0, 2.0, 1.0):
        book.finish(opened(book)[0], Outcome(value))
    assert book.best.number == best


def test_best_of_equals_has_the_lowest_number_whichever_was_told_first(book):
    first, second = opened(book, 2)
    book.finish(second, Outcome(1.0))
    book.finish(first, Outcome(1.0))
    assert book.best.number == 0


def test_first_untold_passes_over_what_was_told_before_its_turn(book):
    first, second, third = opened(book, 3)
    book.finish(second, Outcome(1.0))
    before = book.first_untold
    book.finish(first, Outcome(1.0))
    assert (before, book.first_untold) == (0, third.number)


def test_trial_that_is_not_there_cannot_be_told(book):
    with pytest.raises(ValueError, match="the study has no trial 0: it has 0, counted from 0"):
        book.unfinished(0)


def test_trial_that_was_told_cannot_be_told_again(book):
    book.finish(opened(book)[0], Outcome(1.0))
    with pytest.raises(ValueError, match=r"trial 0 was told already, with value 1\.0: each trial is told once"):
        book.unfinished(0)


# Another process


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_optimizer_is_brought_to_where_it_was(memory, make):
    book = evaluate(book_of(memory.begin(HEADER), make()), 12)
    opened(book, 2)
    resumed = again(book, make())
    assert resumed.optimizer.ask().point == book.optimizer.ask().point


@pytest.mark.parametrize("instant", [half / 2 for half in range(1, 25)])
def test_book_that_is_killed_at_any_write_goes_on_as_if_it_was_not(memory, instant):
    whole = evaluate(book_of(Memory().begin(HEADER), Growing(BOX, seed=0)), 6)
    record = memory.begin(HEADER)
    with pytest.raises(Killed):
        evaluate(book_of(Mortal(record, instant), Growing(BOX, seed=0)), 6)
    assert story(evaluate(book_of(record, Growing(BOX, seed=0)), 6)) == story(whole)


def test_what_was_running_waits_and_keeps_its_attempts(book):
    opened(book, 2)
    assert [(trial.number, trial.attempts) for trial in again(book).waiting] == [(0, 1), (1, 1)]


def test_what_was_kept_is_told_by_the_next_process(book):
    book.keep(opened(book)[0], Outcome(1.0))
    resumed = again(book)
    resumed.learn(resumed.unlearned[0])
    assert resumed.optimizer.best_trial.value == 1.0


def test_trial_at_which_the_process_died_too_often_fails(book):
    opened(book)
    for _ in range(MOST_ATTEMPTS - 1):
        book = again(book)
        book.begin(book.waiting[0])
    trial = again(book).trials[0]
    assert (trial.reason, trial.attempts) == (Reason.CRASHED, MOST_ATTEMPTS)
    assert "died each of the 10 times" in trial.error


def test_best_of_an_earlier_process_is_known(book):
    book.finish(opened(book)[0], Outcome(1.0))
    assert again(book).best.value == 1.0


# A full disk


def test_result_that_cannot_be_written_is_owed_and_paid_later(on_disk):
    trial = opened(on_disk)[0]
    with full_disk(), pytest.raises(StorageError, match="full"):
        on_disk.finish(trial, Outcome(1.0))
    assert on_disk.record.trials()[0].state is TrialState.RUNNING
    on_disk.pay()
    assert on_disk.record.trials()[0].value == 1.0


def test_result_is_told_only_when_it_is_written(on_disk):
    trial = opened(on_disk)[0]
    with full_disk(), pytest.raises(StorageError):
        on_disk.finish(trial, Outcome(1.0))
    assert len(on_disk.optimizer.pending) == 1
    on_disk.pay()
    assert on_disk.optimizer.pending == ()


def test_nothing_is_asked_while_something_is_owed(on_disk):
    with full_disk(), pytest.raises(StorageError):
        opened(on_disk)
    with full_disk(), pytest.raises(StorageError):
        opened(on_disk)
    assert len(on_disk) == len(on_disk.optimizer.trials) == 1


@pytest.mark.parametrize("runs", [True, False])
def test_new_trial_that_cannot_be_written_waits(on_disk, runs):
    with full_disk(), pytest.raises(StorageError):
        on_disk.open(on_disk.optimizer.ask, runs)
    on_disk.pay()
    stored = on_disk.record.trials()[0]
    assert (stored.state, stored.attempts, len(on_disk.waiting)) == (TrialState.WAITING, 0, 1)


def test_trial_that_cannot_be_written_to_begin_waits(on_disk):
    waiting = on_disk.open(on_disk.optimizer.ask, runs=False)
    with full_disk(), pytest.raises(StorageError):
        on_disk.begin(waiting)
    on_disk.pay()
    assert [(trial.state, trial.attempts) for trial in on_disk.record.trials()] == [(TrialState.WAITING, 0)]
