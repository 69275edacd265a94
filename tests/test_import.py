"""What importing rembo costs, and what its public names say about themselves."""

import json
import subprocess
import sys

import pytest

import rembo


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def loaded():
    """The modules that are there after `import rembo` in a fresh process."""
    done = run("import rembo, sys, json; print(json.dumps(sorted(sys.modules)))")
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_importing_rembo_prints_nothing():
    done = run("import rembo")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["numpy", "scipy", "rembo"])
def test_importing_rembo_loads_what_it_stands_on(loaded, name):
    assert name in loaded


@pytest.mark.parametrize(
    "name",
    [
        "scipy.stats",
        "scipy.optimize",
        "scipy.linalg",
        "scipy.spatial",
        "scipy.special",
        "cmaes",
        "threadpoolctl",
        "tqdm",
        "pandas",
        "matplotlib",
        "plotly",
        "sklearn",
    ],
)
def test_importing_rembo_leaves_heavy_modules_for_later(loaded, name):
    assert name not in loaded


@pytest.mark.parametrize("name", rembo.__all__)
def test_public_name_has_a_docstring_of_its_own(name):
    public = getattr(rembo, name)
    assert public.__doc__  # a class does not inherit it
    assert not public.__doc__.startswith(f"{name}(")  # what a dataclass without one gets


def test_public_names_are_listed_once():
    assert len(set(rembo.__all__)) == len(rembo.__all__)


@pytest.mark.parametrize("name", [name for name, public in vars(rembo).items() if isinstance(public, type)])
def test_class_at_the_top_is_public(name):
    assert name in rembo.__all__


WITHOUT_TQDM = "import sys; sys.modules['tqdm'] = None; import rembo; box = rembo.Box(9); "
SEARCH = "print(rembo.minimize(lambda x: x[0], box, 3, optimizer=rembo.RandomSearch(box){}).nfev)"


def test_missing_tqdm_is_a_sentence_that_names_the_cure():
    done = run(WITHOUT_TQDM + SEARCH.format(", progress=True"))
    assert "ModuleNotFoundError: the progress bar needs tqdm: pip install 'tqdm>=4.60'" in done.stderr


def test_missing_tqdm_does_not_matter_when_no_bar_is_asked_for():
    done = run(WITHOUT_TQDM + SEARCH.format(""))
    assert (done.stdout, done.stderr) == ("3\n", "")


def test_missing_tqdm_does_not_matter_on_a_terminal():
    pretend = "sys.stderr.isatty = lambda: True; "
    done = run(WITHOUT_TQDM + pretend + SEARCH.format(""))
    assert (done.stdout, done.stderr) == ("3\n", "")
