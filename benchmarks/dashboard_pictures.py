"""The pictures of docs/dashboard.md: studies of a made-up compiler with 183 flags, photographed in Chromium.

Needs Debian's chromium, or one whose path stands in CHROMIUM; nothing is downloaded.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Locator, sync_playwright

import rembo
from rembo.problems import Branin, Padded
from rembo.study import Study

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
WIDE, PHONE = {"width": 1280, "height": 1400}, {"width": 375, "height": 812}
FLAGS = [f"{kind}-{number}" for number, kind in enumerate(["inline", "unroll", "vectorize", "hoist", "merge"] * 36)]
DEFAULT = {"inline-limit": 600, "cost": 0.125, "model": "cheap", **dict.fromkeys(FLAGS, False)}
SPACE = rembo.Space(
    {
        "inline-limit": rembo.Integer(1, 2000),
        "cost": rembo.Float(0.0, 1.0),
        "model": rembo.Categorical(["cheap", "dynamic", "unlimited"]),
        **{flag: rembo.Bool() for flag in FLAGS},
    },
    default=DEFAULT,
)


def seconds(x: dict[str, Any]) -> float:
    """What a run takes: a handful of flags help, two do harm."""
    helps = sum(x[flag] for flag in (FLAGS[7], FLAGS[41], FLAGS[122]))
    harms = sum(x[flag] for flag in (FLAGS[60], FLAGS[161]))
    limit = abs(math.log10(x["inline-limit"] / 200.0))
    return 20.0 - 1.1 * helps + 0.8 * harms + 2.0 * limit + 3.0 * (x["cost"] - 0.3) ** 2 - (x["model"] == "dynamic")


def fragile(x: dict[str, Any]) -> float:
    """The same compiler, which some flags together break."""
    if x[FLAGS[3]] and x["inline-limit"] > 900:
        raise RuntimeError("internal compiler error: segmentation fault (signal 11)")
    return seconds(x)


def write_studies(folder: Path) -> None:
    """A folder as one might have it after a day."""
    branin = Padded(Branin(), 10**9, seed=0)
    made = [
        ("flags", rembo.Growing(SPACE, seed=0), seconds, 120),
        ("with failures", rembo.Growing(SPACE, seed=1), fragile, 120),
        ("random", rembo.RandomSearch(SPACE, seed=0), seconds, 120),
        ("branin", rembo.Rembo(branin.space, embedding_dim=2, seed=0), branin, 60),
    ]
    for name, optimizer, f, n_trials in made:
        with Study(optimizer.space, optimizer=optimizer, storage=folder / "compiler.db", name=name) as study:
            study.optimize(f, n_trials, progress=False)


@contextmanager
def dashboard(folder: Path) -> Iterator[str]:
    """The address of a running `rembo dashboard`."""
    command = [sys.executable, "-P", "-m", "rembo", "dashboard", str(folder), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None
        try:
            yield found.group()
        finally:
            process.terminate()


def address(name: str, *more: tuple[str, str]) -> str:
    """Where the page of a study is."""
    return "study?" + urlencode([("file", "compiler.db"), ("name", name), *more])


def photograph(browser: Browser, url: str, name: str, part: str | None = None, **options: Any) -> None:
    """A page, or a part of it, as docs/pictures/NAME.png."""
    page = browser.new_page(**options)
    page.goto(url)
    page.wait_for_selector(".js-plotly-plot", timeout=120_000)
    if page.query_selector("#card"):
        page.wait_for_selector("#card table", timeout=120_000)
        page.reload()  # now what matters is known to the server
        page.wait_for_selector("#card table", timeout=120_000)
    page.wait_for_timeout(1_000)
    if part is not None:  # the banner would stand before a part that is higher than the window
        page.eval_on_selector_all(".banner, .contents", "all => all.forEach(each => each.style.position = 'static')")
    shown: Locator | Any = page if part is None else page.locator(part)
    picture = Image.open(BytesIO(shown.screenshot())).convert("RGB")
    picture.quantize(256, kmeans=3).save(FOLDER / f"{name}.png", optimize=True)
    page.close()


def main() -> None:
    """Search, serve, photograph."""
    columns = [
        ("column", "inline-limit"),
        ("column", "model"),
        ("column", FLAGS[7]),
        ("sort", "value"),
        ("order", "rising"),
    ]
    chosen = [
        ("study", urlencode({"file": "compiler.db", "name": name})) for name in ("flags", "with failures", "random")
    ]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_studies(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        with dashboard(Path(folder)) as url:
            flags = url + address("flags", ("target", "16"), *columns)
            photograph(browser, flags, "dashboard", viewport=WIDE)
            photograph(browser, flags, "dashboard_phone", viewport=PHONE, device_scale_factor=1.5)
            photograph(browser, flags, "dashboard_trials", "#trials", viewport={**WIDE, "height": 900})
            photograph(browser, flags, "dashboard_parallel", "#parallel", viewport=WIDE)
            photograph(browser, url + address("with failures"), "dashboard_dark", viewport=WIDE, color_scheme="dark")
            photograph(browser, url + address("branin"), "dashboard_landscape", "#landscape", viewport=WIDE)
            photograph(browser, f"{url}compare?{urlencode(chosen)}", "dashboard_compare", "#comparison", viewport=WIDE)
        browser.close()
    print(f"pictures in {FOLDER}")


if __name__ == "__main__":
    main()
