"""A study in a storage as one process sees it: it reads at any time, and writes when nobody else does."""

from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from rembo.study.book import Book
from rembo.study.evaluation import Outcome
from rembo.study.start import Start
from rembo.study.storage import Header, Storage, StorageError, StudyRecord


class Access:
    """The book of a study, kept up to date: with the storage while others may write it, by its own writes otherwise."""

    def __init__(self, storage: Storage, header: Header, book: Book, start: Start) -> None:
        self.header = header
        self._storage, self._book, self._start = storage, book, start
        self._stamp: Hashable | None = None
        self._latest: StudyRecord | None = None  # by which this process was the writer
        self._writers = 0

    @property
    def known(self) -> Book:
        """The book with all that is stored now; its optimizer may have to catch up.

        One that could not write all of its own is shown as it is.
        """
        if self._book.record is None and not self._book.owes:
            now = self._storage.stamp()
            if now is None or now != self._stamp:
                stored = self._storage.read(self.header.name, self._book.latest_told)
                self._check_same(stored.header)
                self._book.note(stored.trials)
                self._stamp = now
        return self._book

    @contextmanager
    def writing(self) -> Iterator[Book]:
        """The book, of which this process is the writer from now on; afterwards too, if there is more to tell."""
        if self._book.record is None:
            self._become_writer()
        self._writers += 1
        try:
            self._book.pay()
            yield self._book
        finally:
            self._writers -= 1
            if not self._writers and not self._book.busy:
                self._book.let_go()

    def begin(self) -> None:
        """Let the points to begin with wait to be evaluated, and tell known values, unless there are trials already."""
        if len(self._book):
            return
        several = len(self._start.points) > 1
        for number, (x, value) in enumerate(zip(self._start.points, self._start.values, strict=True)):
            try:
                trial = self._book.open(partial(self._book.optimizer.adopt, x), runs=False)
            except ValueError as refusal:
                raise ValueError(f"x0[{number}]: {refusal}" if several else str(refusal)) from None
            if value is not None:
                self._book.finish(trial, Outcome(value))

    def close(self) -> None:
        """Write what is still to be written, and let others write the study."""
        try:
            if self._book.record is not None or self._book.owes:
                with self.writing():
                    pass
        finally:
            self._book.let_go()

    def _become_writer(self) -> None:
        record = self._storage.resume(self.header)
        with ExitStack() as undo:
            undo.callback(record.close)
            undo.callback(self._book.let_go)
            self._check_same(record.header)
            self._check_mine(record)
            self._latest = record
            self._book.go_on(record)
            undo.pop_all()

    def _check_mine(self, record: StudyRecord) -> None:
        """Refuse to write what could not be written before, if another process has gone on with the study since."""
        if self._book.owes and self._latest is not None and not record.follows(self._latest):
            raise StorageError(
                f"study {self.header.name!r} was continued by another process, and this one has results that could not "
                "be written before: they are not stored. Open the study anew"
            )

    def _check_same(self, header: Header) -> None:
        """Refuse a study that was removed and begun again under the same name."""
        if header.created_at != self.header.created_at:
            raise StorageError(f"study {header.name!r} was removed and begun again by somebody else: open it anew")
