"""The page about ablation says what is true."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "ablation.md").read_text()


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def test_code_of_the_page_prints_what_it_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(code, "docs/ablation.md", "exec"), {})
    assert indented(capsys.readouterr().out) in PAGE
