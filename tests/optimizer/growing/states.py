"""States and models for tests: of forty coordinates in four bins."""

from dataclasses import replace

import numpy as np

from rembo import Box
from rembo.embedding import Forest, Layout
from rembo.gp import Data, LogTail
from rembo.kernel import Leaves
from rembo.optimizer.additive import axes_kernel
from rembo.optimizer.growing.directions import Directions
from rembo.optimizer.growing.model import Axes, Model
from rembo.optimizer.growing.state import State

FOREST = Forest.planted(Layout.numbers(40), 4, seed=1)
SPACE = Box(40)
SCALES = np.array([0.5, 1.0, 2.0, 4.0])


def state_of(values, forest=FOREST, space=SPACE, **settings):
    """A state that has seen these values at random points."""
    d = forest.embedding_dim
    leaves = Leaves.of(space, forest)
    data = Data(leaves.snap(np.random.default_rng(0).uniform(-1.0, 1.0, (len(values), d))), np.array(values))
    return replace(State.of(space, forest), data=data, **settings)


def model_of(state, lengths=None, directions=None, advantage=0.0):
    """A model of a state with these length scales, any c, a and b, and this advantage of directions."""
    lengths = np.resize(SCALES, state.dim) if lengths is None else np.asarray(lengths)
    kernel = axes_kernel(state.leaves).with_scales(np.append(lengths, [2.0, 0.5, 0.5]))
    level = Model(state.forest, len(state.data), LogTail(), Axes(kernel, 1e-6, 0.0), directions)
    axes = Axes(kernel, 1e-6, 0.0 if directions is None else level.advantage - advantage)
    return Model(state.forest, len(state.data), LogTail(), axes, directions)


def directions(d=4):
    return Directions(np.random.default_rng(4).normal(size=(d, 2)), -3.0, 1e-8)
