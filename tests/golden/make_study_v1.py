"""Writes study_v1.db, a file of format 1 that must open for ever: run once, then kept. STUDIES says what it holds."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from rembo import (
    Bool,
    Box,
    Categorical,
    Float,
    GaussianEmbedding,
    HashEmbedding,
    IdentityEmbedding,
    Integer,
    Point,
    Space,
    TreeEmbedding,
    TrialState,
)
from rembo.embedding import Forest, Layout, Scatter
from rembo.optimizer import Origin
from rembo.study.codec import encode
from rembo.study.sqlite import SQLite
from rembo.study.storage import Header
from rembo.study.trial import Reason, StudyTrial

BOX = Box(10**9, low=-5.0, high=10.0)
MIXED = Space(
    {
        "rate": Float(1e-5, 1e-1, log=True),
        "depth": Integer(1, 64, log=True),
        "solver": Categorical(["adam", 2, 0.5, None, True, ("a", (1.5, False))]),
        "warm": Bool(),
        "weights": Box(3, low=0.0),
    },
    default={"rate": 0.01, "depth": 4, "solver": None, "warm": True, "weights": [0.25, 0.5, 1.0]},
)
SETTINGS = {"x0": None, "noise": 1e-8}
OPTIMIZER = {"$type": "rembo.Growing", "space": encode(MIXED), "seed": 2**63 + 1, "settings": SETTINGS}


def evaluated(space, number, point, **others):
    times = {"asked_at": 1700000000.5, "started_at": 1700000001.25, "finished_at": 1700000002.0 + number}
    told = {"told": 2 * number + 1, "attempts": 1, "worker": "host-1", "ask_seconds": 0.0123}
    return StudyTrial(space, number, point, asked=2 * number, **times, **told, **others)


def failed(space, number, point, reason):
    return evaluated(space, number, point, state=TrialState.FAIL, reason=reason, error=f"{reason.value}: caf\u00e9\n")


def box_trials():
    embeddings = [
        GaussianEmbedding(10**9, 2, seed=2**64 - 1),
        HashEmbedding(10**9, 3, seed=5),
        TreeEmbedding.grown(10**9, 5, seed=6),
        Forest.planted(Layout.numbers(10**9), leaves=4, seed=7),
        Scatter(10**9, seed=8),
    ]
    points = [Point(each, np.linspace(-0.9, 0.8, each.embedding_dim) + 0.1) for each in embeddings]
    done = [
        evaluated(BOX, number, point, run=number, state=TrialState.COMPLETE, value=value)
        for number, (point, value) in enumerate(zip(points, [0.1, -0.0, 5e-324, -1.7e308, 3.0], strict=True))
    ]
    outside = Point(embeddings[0], [2.0, -3.0], projected=False)
    nominated = replace(done[0], number=5, nominees=np.array([[0.1, 0.2], [0.3, -0.0]]), origin=Origin.HURRIED)
    return [*done, nominated, replace(done[0], number=6, point=outside)]


def mixed_trials():
    layout = Layout.of(MIXED)
    center = Point(IdentityEmbedding(7), np.linspace(-1.0, 1.0, 7))
    forest = Forest.planted(layout, leaves=2, seed=1, center=center)
    points = [Point(each, np.linspace(-1.0, 0.7, each.embedding_dim)) for each in (forest, IdentityEmbedding(7))]
    failures = [failed(MIXED, number, points[number % 2], reason) for number, reason in enumerate(Reason)]
    attrs = {"loss": [1, 1.0, True, None], "$odd": ("caf\u00e9", {"nested": float("inf")})}
    return [
        *failures,
        evaluated(MIXED, 6, points[0], state=TrialState.PRUNED),
        evaluated(MIXED, 7, points[1], state=TrialState.COMPLETE, value=2.5, origin=Origin.GIVEN, user_attrs=attrs),
        StudyTrial(MIXED, 8, points[0], asked=16, state=TrialState.RUNNING, attempts=3, started_at=1700000100.0),
        StudyTrial(MIXED, 9, points[1], asked=17),
    ]


STUDIES = {
    "a billion": (Header("a billion", "minimize", BOX, None, 1700000000.25, "0.1.0"), box_trials()),
    "solver": (Header("solver", "maximize", MIXED, OPTIMIZER, 1.7e9, "0.1.0", {"by": "caf\u00e9"}), mixed_trials()),
    "flag": (Header("flag", "maximize", Bool(), None, 1.7e9, "0.1.0"), []),
}

if __name__ == "__main__":
    storage = SQLite(Path(__file__).with_name("study_v1.db"))
    for header, trials in STUDIES.values():
        with storage.begin(header) as record:
            for trial in trials:
                record.add(trial)
