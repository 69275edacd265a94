"""What the documents show runs as it stands: the README's Python, and every example."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_readme_code_runs_from_top_to_bottom(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    exec(compile("\n".join(blocks), "README.md", "exec"), {})
    best = float(capsys.readouterr().out.splitlines()[0])
    assert 0.0 <= best < 0.34  # the value at the middle of the box, from which the search starts


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_prints_what_it_found(example):
    run = subprocess.run([sys.executable, "-W", "error", str(example)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "best" in run.stdout


def test_code_in_the_page_on_the_default_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "growing.md").read_text(), flags=re.DOTALL)
    exec(compile("\n".join(blocks), "growing.md", "exec"), {})
    assert "of the variation" in capsys.readouterr().out


def test_code_in_the_page_on_pictures_runs():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "plots.md").read_text(), flags=re.DOTALL)
    shown = {}
    exec(compile("\n".join(blocks), "plots.md", "exec"), shown)
    assert "default (one search)" in [trace.name for trace in shown["figure"].data]


def test_every_relative_link_of_the_documents_leads_somewhere():
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    links = [(page, link) for page in documents for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []
