"""Trials of all kinds for the tests of storages, and what makes two of them the same."""

from dataclasses import fields

import numpy as np

from rembo import Bool, Box, Categorical, Float, GaussianEmbedding, Integer, Point, Space, TrialState
from rembo.embedding import Forest, Layout
from rembo.study.codec import encode
from rembo.study.storage import Header
from rembo.study.trial import Origin, Reason, StudyTrial

BOX = Box(10**9, low=0.0, high=2.0)
MIXED = Space(
    {
        "rate": Float(1e-5, 1e-1, log=True),
        "layers": Integer(1, 8),
        "solver": Categorical(["adam", 3, None, (1.5, True)]),
        "warm": Bool(),
        "weights": Box(1000),
    },
    default={"rate": 0.001, "layers": 2, "solver": None, "warm": False, "weights": np.zeros(1000)},
)
FOREST = Forest.planted(Layout.numbers(10**9), leaves=4, seed=7)


def header(name="tuning", space=BOX, **others):
    return Header(name, "minimize", space, **others)


def trial(number=0, space=BOX, embedding=None, **others):
    """A trial that waits, at a point that depends on its number."""
    embedding = embedding or GaussianEmbedding(space.size, 3, seed=1)
    y = np.sin(np.arange(embedding.embedding_dim) + number)
    return StudyTrial(space, number, Point(embedding, y), asked=2 * number, **others)


def complete(number=0, value=0.5, seconds=1e-4, **others):
    """A trial that was evaluated."""
    times = {"asked_at": 1.7e9, "started_at": 1.7e9, "finished_at": 1.7e9 + seconds}
    return trial(number, state=TrialState.COMPLETE, told=2 * number + 1, value=value, **times, **others)


def of_all_kinds(space=BOX):
    """A trial of each kind, by number."""
    many = np.linspace(-1.0, 1.0, 6).reshape(2, 3)
    failed = {"state": TrialState.FAIL, "told": 9, "reason": Reason.TIMEOUT, "error": "too slow: \u2713\x00"}
    return [
        trial(0, space),
        trial(1, space, state=TrialState.RUNNING, worker="a", attempts=2, started_at=1.7e9 + 0.1, ask_seconds=0.1),
        complete(2, -0.0, space=space, nominees=many, user_attrs={"loss": [1, 1.0, None], "$x": (True, "\u00e9")}),
        complete(3, 1e-300, space=space, run=1, origin=Origin.HURRIED),
        trial(4, space, **failed),
        trial(5, space, origin=Origin.GIVEN, state=TrialState.PRUNED, told=11),
    ]


def facts(each):
    """All that a trial says, bit by bit, in a form that can be compared."""
    said = {field.name: getattr(each, field.name) for field in fields(each)}
    enums = {name: said[name] and said[name].value for name in ("origin", "state", "reason")}
    return encode(said | enums)


def all_facts(trials):
    return [facts(each) for each in trials]
