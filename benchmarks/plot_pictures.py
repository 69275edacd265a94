"""The pictures of docs/plots.md: Branin hidden in a billion dimensions, drawn by rembo.plot, photographed in Chromium.

Needs Debian's chromium, or one whose path stands in CHROMIUM; nothing is downloaded.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import math
import tempfile
import time
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import rembo
from rembo import plot
from rembo.problems import Branin, Padded

PROBLEM = Padded(Branin(), 10**9, seed=0)
FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def slow(x: rembo.Point) -> float:
    """Branin, longer where it is low, and without a value in a corner."""
    value = PROBLEM(x)
    time.sleep(0.05 + 0.3 / (1.0 + abs(value)))
    if value > 120.0:
        raise ValueError(f"{value:.1f} is too much")
    return value


def several(optimizer: type[rembo.Optimizer], seeds: int, n_trials: int, **settings: object) -> list:
    """Searches that differ by their seeds."""
    return [
        rembo.minimize(PROBLEM, PROBLEM.space, n_trials, optimizer=optimizer(PROBLEM.space, seed=seed, **settings))
        for seed in range(seeds)
    ]


def network() -> rembo.Study:
    """A study of parameters of all kinds, whose names say what they are."""
    kinds = {"rate": rembo.Float(1e-5, 1e-1, log=True), "layers": rembo.Integer(1, 8), "dropout": rembo.Float(0.0, 0.5)}
    names = {"optimizer": rembo.Categorical(["adam", "sgd", "rmsprop"]), "nesterov": rembo.Bool()}
    study = rembo.Study(rembo.Space({**kinds, **names}), seed=0, name="network", direction="maximize")
    study.optimize(accuracy, 80, progress=False)
    return study


def accuracy(x: dict) -> float:
    """What such a network might reach."""
    rate = (math.log10(x["rate"]) + 2.7) ** 2
    return (
        0.95 - 0.03 * rate - 0.004 * abs(x["layers"] - 5) - 0.02 * (x["optimizer"] != "adam") - 0.1 * x["dropout"] ** 2
    )


def figures() -> dict:
    """All pictures by name."""
    growing, random = several(rembo.Growing, 5, 60), several(rembo.RandomSearch, 5, 60)
    rembos = several(rembo.Rembo, 5, 60, embedding_dim=2, runs=4)
    single = several(rembo.Rembo, 1, 80, embedding_dim=2)
    with rembo.Study(
        PROBLEM.space, optimizer=rembo.Rembo(PROBLEM.space, 2, runs=4, seed=0), name="parallel"
    ) as parallel:
        parallel.optimize(slow, 60, n_workers=4)
    compared = {"Growing": growing, "Rembo, d = 2, k = 4": rembos, "random search": random}
    return {
        "history": plot.plot_optimization_history(compared).update_yaxes(type="log"),
        "landscape": plot.plot_landscape(single),
        "slices": plot.plot_slice(growing[0]),
        "parallel": plot.plot_parallel_coordinate(network()),
        "units": plot.plot_slice(network()),
        "importances": plot.plot_param_importances(growing[0]),
        "tree": plot.plot_tree(growing[0], theme=plot.DARK),
        "scales": plot.plot_length_scales(single),
        "times": plot.plot_times(parallel),
        "timeline": plot.plot_timeline(parallel),
        "calibration": plot.plot_calibration(growing[0]),
        "clipping": plot.plot_clipping({"Rembo": single, "Growing": growing[0]}),
        "card": plot.plot_method_card(growing[0], random_baseline=random),
    }


def photograph(page: Page, name: str, figure: object, folder: Path) -> None:
    """One picture as docs/pictures/plot_NAME.png."""
    path = folder / f"{name}.html"
    figure.write_html(path, include_plotlyjs="directory")
    page.goto(path.as_uri())
    page.wait_for_selector(".main-svg")
    page.wait_for_timeout(300)
    picture = BytesIO(page.locator(".plotly-graph-div").screenshot())
    Image.open(picture).convert("RGB").quantize(256, kmeans=3).save(FOLDER / f"plot_{name}.png", optimize=True)


def main() -> None:
    """Search, draw, photograph."""
    drawn = figures()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        page = browser.new_page(viewport={"width": 820, "height": 430})
        for name, figure in drawn.items():
            photograph(page, name, figure, Path(folder))
        browser.close()
    print(f"{len(drawn)} pictures in {FOLDER}")


if __name__ == "__main__":
    main()
