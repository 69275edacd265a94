"""Pictures of studies, by Plotly (extra `plot`): each function takes a study, a result or a list, and returns a figure.

Beside the path: above `study` and `optimize`, which know nothing of it. `data` says what a picture shows, as plain
numbers that follow from the trials and the model; `draw` says how. No picture evaluates f, and none costs D: a study of
a billion parameters is drawn as quickly as one of ten.

>>> from rembo import Box, minimize
>>> figure = plot_optimization_history(minimize(lambda x: x[17] ** 2, Box(10**9), n_trials=10, seed=0))
>>> figure.layout.xaxis.title.text
'evaluations'
"""

from rembo.plot.draw.calibration import plot_calibration
from rembo.plot.draw.card import plot_method_card
from rembo.plot.draw.clipping import plot_clipping
from rembo.plot.draw.history import plot_optimization_history
from rembo.plot.draw.importance import plot_param_importances
from rembo.plot.draw.landscape import plot_landscape
from rembo.plot.draw.parallel import plot_parallel_coordinate
from rembo.plot.draw.scales import plot_length_scales
from rembo.plot.draw.slices import plot_slice
from rembo.plot.draw.theme import DARK, LIGHT, Theme
from rembo.plot.draw.timeline import plot_timeline
from rembo.plot.draw.times import plot_times
from rembo.plot.draw.tree import plot_tree

__all__ = [
    "DARK",
    "LIGHT",
    "Theme",
    "plot_calibration",
    "plot_clipping",
    "plot_landscape",
    "plot_length_scales",
    "plot_method_card",
    "plot_optimization_history",
    "plot_parallel_coordinate",
    "plot_param_importances",
    "plot_slice",
    "plot_timeline",
    "plot_times",
    "plot_tree",
]
