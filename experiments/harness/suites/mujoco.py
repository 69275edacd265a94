"""Linear policies of gymnasium's robots, simulated by MuJoCo (Todorov et al. 2012): the return of one episode."""

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from rembo.border import check_whole
from rembo.space import Box

# (actions, observations) of each robot: a weight for each pair.
SHAPES = MappingProxyType(
    {"Swimmer-v5": (2, 8), "Hopper-v5": (3, 11), "Walker2d-v5": (6, 17), "HalfCheetah-v5": (6, 17)}
)
STEPS = 1000


@dataclass(frozen=True)
class LinearPolicy:
    """f(W) = minus the return of one episode in which state s is answered by the action clip(W s).

    The seed fixes the state that the episode begins in, so f has no noise. It ends after 1000 steps, or when the robot
    falls. The lowest value is not known: `optimum` is 0, so a gap is the value itself, and can be negative.
    """

    name: str
    seed: int
    optimum: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in SHAPES:
            raise ValueError(f"{self.name!r} is not a robot known here: choose from {', '.join(SHAPES)}")
        check_whole(self.seed, "seed", 0)

    @property
    def space(self) -> Box:
        """[-1,1]^D, the weights row by row."""
        actions, observations = SHAPES[self.name]
        return Box(actions * observations)

    def __call__(self, x: Any) -> float:
        """Minus the return of the policy with the weights x, an array or a Point of D numbers."""
        return -_episode(_load(self.name), np.asarray(x, dtype=float).reshape(SHAPES[self.name]), self.seed)


def _episode(robot: Any, W: np.ndarray, seed: int) -> float:
    """The sum of the rewards of one episode.   W: (actions, observations)"""
    state, _ = robot.reset(seed=seed)
    low, high = robot.action_space.low, robot.action_space.high
    total, over = 0.0, False
    while not over:
        state, reward, fallen, late, _ = robot.step(np.clip(W @ state, low, high))
        total, over = total + float(reward), fallen or late
    return total


@cache
def _load(name: str) -> Any:
    """gymnasium's environment, made once in each process."""
    try:
        import gymnasium
        import mujoco  # noqa: F401  (gymnasium does not bring it, and says so late)
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("policies need MuJoCo: pip install 'gymnasium[mujoco]>=1.0'") from missing
    return gymnasium.make(name, max_episode_steps=STEPS, disable_env_checker=True)
