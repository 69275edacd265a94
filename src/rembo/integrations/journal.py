"""An optimizer and the one order in which it was asked and told, as JSON data: what a door saves where it must.

An equal optimizer that goes through that order once more stands where the first one stood. A study keeps the same order
in its file, trial by trial; this is for hosts that have their own files and call for everything at once.
"""

from typing import Any

from rembo.optimizer import Optimizer, Suggestion, Trial
from rembo.study.codec import Data, decode, encode


class Journal:
    """Passes on to an optimizer what it is asked and told, and remembers it.

    >>> from rembo import Box, Growing
    >>> journal = Journal(Growing(Box(9), seed=0))
    >>> journal.tell(journal.ask().number, 0.5)
    >>> Journal.of_data(journal.data()).ask().point == journal.ask().point
    True
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self._new = encode(optimizer, "optimizer")
        self._events: list[Data] = []

    @staticmethod
    def of_data(data: Data) -> "Journal":
        """The journal that was saved, with an optimizer that stands where the saved one stood."""
        journal = Journal(decode(data["optimizer"]))
        for event in data["events"]:
            journal._repeat(event)
        return journal

    def data(self) -> Data:
        """All that is needed to go on elsewhere: what `json.dumps` takes."""
        return {"optimizer": self._new, "events": list(self._events)}

    def ask(self) -> Trial:
        """The optimizer's next trial."""
        return self._opened(self.optimizer.ask())

    def adopt(self, x: Any) -> Trial:
        """A trial at a point of the user's own."""
        return self._opened(self.optimizer.adopt(x))

    def tell(self, number: int, value: float) -> None:
        """The value of the trial of that number."""
        self.optimizer.tell(self.optimizer.trials[number], value)
        self._events.append({"tell": [number, value]})

    def fail(self, number: int, reason: str) -> None:
        """Why the trial of that number has no value."""
        self.optimizer.fail(self.optimizer.trials[number], reason)
        self._events.append({"fail": [number, reason]})

    def _opened(self, trial: Trial) -> Trial:
        self._events.append({"open": encode(Suggestion.of(trial))})
        return trial

    def _repeat(self, event: Data) -> None:
        match event:
            case {"open": suggestion}:
                self._opened(self.optimizer.recall(decode(suggestion)))
            case {"tell": [number, value]}:
                self.tell(number, value)
            case {"fail": [number, reason]}:
                self.fail(number, reason)
            case _:
                raise ValueError(f"{event} is no event of a journal: was it written by another version of rembo?")
