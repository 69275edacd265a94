"""What the documents show runs as it stands: the README's Python, and every example."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rembo.problems.lpsolve import COMPILER, LP_SOLVE

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def code_in(page):
    """All Python of a page, compiled as one program."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    return compile("\n".join(blocks), page, "exec")


def test_readme_code_runs_from_top_to_bottom(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    exec(code_in("README.md"), {})
    best = float(re.match(r"best value: (\S+) in trial", capsys.readouterr().out)[1])
    assert 0.0 <= best < 0.34  # the value at the middle of the box, from which the search starts


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_prints_what_it_found(example):
    run = subprocess.run([sys.executable, "-W", "error", str(example)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "best" in run.stdout


def test_code_in_the_page_on_the_default_runs(capsys):
    exec(code_in("docs/growing.md"), {})
    assert "of the variation" in capsys.readouterr().out


def test_code_in_the_page_on_spaces_runs(capsys):
    exec(code_in("docs/spaces.md"), {})
    assert "'cache': 1000000000" in capsys.readouterr().out


def test_code_in_the_page_on_the_paper_runs():
    found = {}
    exec(code_in("docs/paper.md"), found)
    assert found["result"].fun < 3.0  # the middle of the box has 24


def test_code_in_the_page_on_pictures_runs():
    shown = {}
    exec(code_in("docs/plots.md"), shown)
    assert "default (one search)" in [trace.name for trace in shown["figure"].data]


@pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence)
@pytest.mark.skipif(not COMPILER.available, reason=COMPILER.absence)
def test_code_in_the_page_on_lp_solve_prints_what_it_says(capsys):
    exec(code_in("docs/lpsolve.md"), {})
    assert f"# {capsys.readouterr().out}" in (ROOT / "docs" / "lpsolve.md").read_text()


def test_every_relative_link_of_the_documents_leads_somewhere():
    documents = [
        *ROOT.glob("*.md"),
        *(page for folder in ("docs", "benchmarks", "experiments") for page in ROOT.glob(f"{folder}/**/*.md")),
    ]
    links = [(page, link) for page in documents for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []
