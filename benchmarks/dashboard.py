"""What a page costs, and what it does to the study that it shows: a server, a writer and Chromium as real processes.

`python benchmarks/dashboard.py` measures both parts; with the name of one, that alone:

- large: a page of 20,000 trials of random search, from the request to the drawn history, and the server's memory.
- soak: 2,000 trials are written while the page is open in a browser and asked for again and again by others; the study
  must be the one that is written alone, and the log beside its file no longer.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import rembo
from rembo.problems import Branin, Padded
from rembo.study import Study
from rembo.study.sqlite import SQLite
from results import load, save

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PROBLEM = Padded(Branin(), 100, seed=0)
LARGE, SOAK = 20_000, 2_000
NAME = "study"
LOADS = 5


def slow_branin(x: rembo.Point) -> float:
    """Branin in five milliseconds."""
    time.sleep(0.005)
    return PROBLEM(x)


def random_study(path: Path) -> Study:
    """A random search in a file."""
    return Study(PROBLEM.space, optimizer=rembo.RandomSearch(PROBLEM.space, seed=0), storage=path, name=NAME)


@contextmanager
def dashboard(path: Path) -> Iterator[tuple[int, str]]:
    """A running `rembo dashboard`: its process and the address of a study's page, less what the page is."""
    command = [sys.executable, "-m", "rembo", "dashboard", str(path), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None
        try:
            yield process.pid, found.group()
        finally:
            process.terminate()


def address(url: str, page: str, path: Path) -> str:
    """Where a page of the study is."""
    return f"{url}{page}?{urlencode({'file': path.name, 'name': NAME})}"


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def megabytes(process: int, line: str) -> float:
    """A process' memory: VmRSS, what it has, or VmHWM, the most that it had."""
    found = re.search(rf"^{line}:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text(), flags=re.MULTILINE)
    assert found is not None
    return round(int(found.group(1)) / 1024, 1)


def processor_seconds(process: int) -> float:
    """How long a process has kept a processor busy since it was started."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def seconds_of(action: Any) -> float:
    """How long something takes."""
    began = time.perf_counter()
    action()
    return round(time.perf_counter() - began, 3)


def large() -> dict[str, Any]:
    """A page of many trials in a browser: the first time, when all is read, and then again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.db"
        with random_study(path) as study:
            study.optimize(PROBLEM, LARGE, progress=False)
        with dashboard(path) as (process, url), chromium() as browser:
            page = browser.new_page()
            loads = [drawn_and_painted(page, address(url, "study", path)) for _ in range(LOADS)]
            busy = processor_seconds(process)
            page.wait_for_selector("#card table", timeout=300_000)
            return {
                "trials": LARGE,
                "seconds_until_the_first_paint": [painted for _, painted in loads],
                "seconds_until_the_history_is_drawn": [drawn for drawn, _ in loads],
                "server_processor_seconds": busy,
                "bytes": {kind: size_of(address(url, kind, path)) for kind in ("study", "charts", "belief")},
                "server_megabytes": {"now": megabytes(process, "VmRSS"), "most": megabytes(process, "VmHWM")},
            }


def drawn_and_painted(page: Any, url: str) -> tuple[float, float]:
    """Open a study's page: seconds until its history is drawn, and until all that is text was there."""
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(".js-plotly-plot[data-chart=history]")
    drawn = time.perf_counter() - began
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return round(drawn, 3), round(painted / 1000.0, 3)


def size_of(url: str) -> int:
    """How long an answer is, in bytes."""
    with urlopen(url) as answer:
        return len(answer.read())


def soak() -> dict[str, Any]:
    """A study that is written alone, and one beside which a page is open and asked for again and again."""
    with tempfile.TemporaryDirectory() as folder:
        alone, watched = Path(folder) / "alone.db", Path(folder) / "watched.db"
        measured = {"trials": SOAK, "alone": written_by(alone), "watched": watched_while_written(watched)}
        measured["equals_the_study_alone"] = story(alone) == story(watched)
    return measured


def watched_while_written(path: Path) -> dict[str, Any]:
    """A page in a browser, which is live, and beside it one request after the other, while a process writes."""
    random_study(path).close()
    with dashboard(path) as (process, url), chromium() as browser:
        page = browser.new_page()
        open_page(page, address(url, "study", path))
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(written_by, path)
            answers = Counter(status_of(address(url, "study", path)) for _ in iter(writing.done, True))
        page.wait_for_selector(f"#head strong:text-is('{SOAK:,}')", timeout=60_000)
        return {**writing.result(), "answers": dict(answers), "server_megabytes": megabytes(process, "VmHWM")}


def open_page(page: Any, url: str) -> None:
    """Open the page of a study that has nothing to draw yet."""
    page.goto(url)
    page.wait_for_selector(".live.connected")


def status_of(url: str) -> int:
    """What a server answers; not more often than ten times a second."""
    time.sleep(0.1)
    with urlopen(url) as answer:
        answer.read()
        return int(answer.status)


def written_by(path: Path) -> dict[str, Any]:
    """What a process says that has written a study."""
    done = subprocess.run([sys.executable, __file__, "write", str(path)], check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def write(path: str) -> None:
    """Write a study; print what a trial took beside f, and how long the log beside the file became."""
    log, longest = Path(f"{path}-wal"), [0]
    with random_study(Path(path)) as study:
        look = lambda *_: longest.append(log.stat().st_size)  # noqa: E731
        took = seconds_of(lambda: study.optimize(slow_branin, SOAK, callbacks=[look], progress=False))
        beside = took - sum(trial.duration or 0.0 for trial in study.trials)
    print(json.dumps({"milliseconds_per_trial_beside_f": 1000.0 * beside / SOAK, "log_bytes": max(longest)}))


def story(path: Path) -> list[tuple[Any, ...]]:
    """All that must be the same in two files, trial by trial."""
    trials = SQLite(path).read(NAME).trials
    return [(trial.number, trial.point, trial.value, trial.asked, trial.told) for trial in trials]


PARTS: dict[str, Callable[[], dict[str, Any]]] = {"large": large, "soak": soak}


def main(names: Sequence[str]) -> None:
    """Measure some parts, or all, and keep what was measured of the others."""
    measured: dict[str, Any] = {}
    with suppress(FileNotFoundError):
        measured = load("dashboard")
    for name in names or PARTS:
        load_before = os.getloadavg()[0]
        measured[name] = {**PARTS[name](), "load_average_before": load_before}
        save("dashboard", **measured)


if __name__ == "__main__":
    write(sys.argv[2]) if sys.argv[1:2] == ["write"] else main(sys.argv[1:])
