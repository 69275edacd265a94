"""Pictures of a search: what it found, what it believes, and whether few parameters matter at all.

Needs Plotly: pip install 'plotly>=6'.
"""

import tempfile
from pathlib import Path

import rembo
from rembo import plot
from rembo.problems import Branin, Padded

problem = Padded(Branin(), ambient_dim=10**9, seed=0)
found = rembo.minimize(problem, problem.space, n_trials=40, seed=0)
random = [
    rembo.minimize(problem, problem.space, n_trials=40, optimizer=rembo.RandomSearch(problem.space, seed=seed))
    for seed in range(5)
]

figures = {
    "history": plot.plot_optimization_history({"default": found, "random search": random}).update_yaxes(type="log"),
    "importances": plot.plot_param_importances(found),
    "tree": plot.plot_tree(found, theme=plot.DARK),
    "card": plot.plot_method_card(found, random_baseline=random),
}
folder = Path(tempfile.gettempdir()) / "rembo-plots"
folder.mkdir(exist_ok=True)
for name, figure in figures.items():
    figure.write_html(folder / f"{name}.html", include_plotlyjs="directory")

print(f"best value {found.fun:.6f}; {len(figures)} pictures in {folder}")
