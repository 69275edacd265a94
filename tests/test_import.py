"""What importing rembo costs, and what its public names say about themselves."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import rembo


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)


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


def test_plot_is_loaded_when_it_is_first_used():
    pytest.importorskip("plotly")
    done = run(
        "import rembo, sys; print('plotly' in sys.modules, callable(rembo.plot.plot_slice), 'plot' in dir(rembo))"
    )
    assert (done.stdout, done.stderr) == ("False True True\n", "")


def test_problems_are_loaded_when_they_are_first_used():
    done = run("import rembo, sys; print('rembo.problems' in sys.modules, rembo.problems.Branin().optimum < 0.4)")
    assert (done.stdout, done.stderr) == ("False True\n", "")


def test_name_that_rembo_does_not_have_is_an_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = rembo.no_such_name


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


@pytest.fixture(scope="module")
def source_tree(tmp_path_factory):
    """What runs a program where there are the core's dependencies and rembo's source tree, and nothing is installed."""
    folder = tmp_path_factory.mktemp("bare")
    for name in ("numpy", "scipy", "cmaes", "threadpoolctl"):
        file = Path(import_module(name).__file__)
        place = file.parent if file.stem == "__init__" else file
        (folder / place.name).symlink_to(place)
    path = [str(Path(rembo.__file__).parent.parent), str(folder)]

    def run_there(program):
        command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {path}; {program}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder)

    return run_there


def test_source_tree_has_no_metadata(source_tree):
    done = source_tree("import importlib.metadata; importlib.metadata.version('rembo')")
    assert "PackageNotFoundError" in done.stderr


def test_source_tree_minimizes_without_installation(source_tree):
    done = source_tree("import rembo; print(rembo.minimize(lambda x: x[0] ** 2, rembo.Box(9), 12, seed=0).nfev)")
    assert (done.stdout, done.stderr) == ("12\n", "")


def test_source_tree_keeps_a_study_in_a_file_without_installation(source_tree):
    program = "import rembo; study = rembo.Study(rembo.Box(9), storage='study.db', name='bare', seed=0); "
    done = source_tree(program + "study.optimize(lambda x: x[0] ** 2, 12); print(len(study.trials))")
    assert (done.stdout, done.stderr) == ("12\n", "")


def test_source_tree_tells_its_version_without_installation(source_tree):
    done = source_tree("sys.argv[1:] = ['--version']; from rembo.cli import main; sys.exit(main())")
    assert (done.stdout, done.stderr) == (f"rembo {rembo.__version__}\n", "")
