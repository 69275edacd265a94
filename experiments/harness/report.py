"""What an experiment found, as tables on the terminal, a page of markdown, and a figure."""

import math
from collections.abc import Sequence

import numpy as np

from harness.contest import Experiment
from harness.figures import curves_figure, save
from harness.methods.method import titled
from harness.search import Line
from harness.statistics import Band, Summary, band, curves, rank_tests
from harness.tables import Table, rank_table

LEGEND = """\
Gap between the best value found and the optimum, lower is better. Seconds are per search: `asking` is wall-clock time
outside of f, `CPU` all CPU time of the search but for programs that f runs."""
TESTS = "Mann-Whitney U tests of the final gaps, two-sided, all pairs, with Bonferroni correction:"


def by_method(experiment: Experiment, problem: str) -> dict[str, list[Line]]:
    """The finished searches of a task by the method's title, in the experiment's order; one for each seed."""
    found = {line.key: line for line in experiment.lines if line.problem == problem}
    grouped = {
        entry.title: [line for key, line in sorted(found.items(), key=lambda item: item[0].seed) if key.method == name]
        for name, entry in experiment.methods.items()
    }
    return {label: lines for label, lines in grouped.items() if lines}


def gaps(lines: Sequence[Line]) -> tuple[float, ...]:
    """The gaps at the end."""
    return tuple(line.gap for line in lines)


def in_panel(experiment: Experiment, problem: str, panel: str = "") -> dict[str, Summary]:
    """The gaps of a panel's methods on a task, by label, in the experiment's order."""
    found = by_method(experiment, problem)
    entries = [entry for entry in experiment.methods.values() if entry.panel == panel and entry.title in found]
    return {entry.label: Summary(gaps(found[entry.title])) for entry in entries}


def summary_table(experiment: Experiment, problem: str) -> Table:
    """A row of statistics for each method."""
    rows = [[label, *_statistics(lines)] for label, lines in by_method(experiment, problem).items()]
    return Table(["method", "seeds", "mean", "std", "median", "worst", "asking s", "CPU s"], rows)


def _statistics(lines: Sequence[Line]) -> list[str]:
    found = Summary(gaps(lines))
    asking = float(np.mean([math.nan if line.ask_s is None else line.ask_s for line in lines]))
    cpu = float(np.mean([line.cpu_s for line in lines]))
    numbers = (found.mean, found.std, found.median, found.worst)
    return [str(len(lines)), *(_told(each, ".3g") for each in numbers), _told(asking, ".1f"), _told(cpu, ".1f")]


def _told(number: float, form: str) -> str:
    """The number, or nothing where there is none: a single seed has no spread, old lines no seconds of asking."""
    return "" if math.isnan(number) else format(number, form)


def comparison_table(experiment: Experiment, problem: str) -> Table:
    """Every pair of methods compared."""
    return rank_table(rank_tests({label: gaps(lines) for label, lines in by_method(experiment, problem).items()}))


def draw(experiment: Experiment) -> None:
    """The figure of all tasks that have finished searches: mean gap against evaluations."""
    panels: dict[str, dict[str, Band]] = {}
    for problem, task in experiment.tasks.items():
        found = by_method(experiment, problem)
        for entry in experiment.methods.values():
            if entry.title in found:
                title = titled(task.title, entry.panel)
                panels.setdefault(title, {})[entry.label] = band(curves(found[entry.title], task.n_trials))
    save(curves_figure(panels), experiment.name, experiment.figures)


def report(experiment: Experiment, title: str, notes: Sequence[str] = ()) -> None:
    """Print the tables, write them to results/<name>.md, and draw the figure."""
    finished = [problem for problem in experiment.tasks if by_method(experiment, problem)]
    if not finished:
        print(f"{experiment.name}: nothing is finished yet")
        return
    page = [f"# {title}", LEGEND, *notes]
    for problem in finished:
        task, found, tests = experiment.tasks[problem], *_tables(experiment, problem)
        print(f"{task.title}, {task.n_trials} evaluations ({problem})\n{found}\n\n{tests}\n")
        page += [f"## {task.title}, {task.n_trials} evaluations", found.markdown, TESTS, tests.markdown]
    print(*notes, sep="\n\n")
    (experiment.results / f"{experiment.name}.md").write_text("\n\n".join(page) + "\n")
    draw(experiment)


def _tables(experiment: Experiment, problem: str) -> tuple[Table, Table]:
    return summary_table(experiment, problem), comparison_table(experiment, problem)
