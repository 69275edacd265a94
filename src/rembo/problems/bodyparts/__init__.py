"""Body parts in depth images: pictures of people, a forest that tells their parts, and the problem of tuning it.

solids     ellipsoids and capsules, and how far away they are seen
anatomy    the nineteen parts of a body
pose       how a person stands, drawn at random
render     depth and label of each pixel
pixels     what is learned from, and what is judged
settings   the fourteen parameters; offsets: ten of them
budget     how long a forest may grow
loops      the inner loops, compiled; needs numba
forest     trees, grown and asked
problem    the error rate as a function of the parameters
"""

from rembo.problems.bodyparts.budget import Budget, Seconds, Work
from rembo.problems.bodyparts.pixels import Size, Stream
from rembo.problems.bodyparts.pose import Pose, random_pose
from rembo.problems.bodyparts.problem import BodyParts
from rembo.problems.bodyparts.render import Picture, render

__all__ = ["BodyParts", "Budget", "Picture", "Pose", "Seconds", "Size", "Stream", "Work", "random_pose", "render"]
