"""The pages on the doors: their Python runs as it stands."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "integrations"


@pytest.mark.parametrize("page", ["sklearn", "scipy", "configspace", "gest"])
def test_code_in_the_page_of_a_door_runs_and_prints(page, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (PAGES / f"{page}.md").read_text(), flags=re.DOTALL)
    exec(compile("\n".join(blocks), f"{page}.md", "exec"), {})
    assert capsys.readouterr().out
