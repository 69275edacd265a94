"""What is installed only by whoever needs it: the sentence that names a missing package and the command that brings it.

The command names the package itself and not an extra of rembo, `rembo[optuna]`: so it works wherever rembo came from,
be it an index, a clone or a source tree that is not installed. The versions are those of the extras in pyproject.toml.
"""

REQUIREMENTS = {
    "botorch": "botorch>=0.18",
    "configspace": "configspace>=1.2",
    "distributed": "distributed>=2025.1",
    "gest-api": "gest-api>=0.2",
    "gpytorch": "gpytorch>=1.15",
    "greenlet": "greenlet>=3",
    "matplotlib": "matplotlib>=3.8",
    "numba": "numba>=0.61",
    "optuna": "optuna>=3.6",
    "pandas": "pandas>=2",
    "plotly": "plotly>=6",
    "pyarrow": "pyarrow>=15",
    "pyyaml": "pyyaml>=6",
    "ray": "ray[tune]>=2.40",
    "rich": "rich>=13",
    "scikit-learn": "scikit-learn>=1.5",
    "smac": "smac>=2.4",
    "starlette": "starlette>=0.41",
    "torch": "torch>=2.13",
    "tqdm": "tqdm>=4.60",
    "uvicorn": "uvicorn>=0.30",
}


def absent(complaint: str, *packages: str) -> ModuleNotFoundError:
    """The error that says who needs what, and how to install these packages.

    Parameters
    ----------
    complaint
        Who needs what, e.g. "the progress bar needs tqdm".
    packages
        What to install, by the names in `REQUIREMENTS`.

    Returns
    -------
    ModuleNotFoundError
        To be raised `from` the one that the import raised.

    Examples
    --------
    >>> absent("the progress bar needs tqdm", "tqdm")
    ModuleNotFoundError("the progress bar needs tqdm: pip install 'tqdm>=4.60'")
    """
    return ModuleNotFoundError(f"{complaint}: {command(*packages)}")


def command(*packages: str) -> str:
    """The command that installs these packages, at the versions that rembo allows.

    Parameters
    ----------
    packages
        What to install, by the names in `REQUIREMENTS`.

    Returns
    -------
    str
        A command for a shell.

    Examples
    --------
    >>> command("optuna", "greenlet")
    "pip install 'optuna>=3.6' 'greenlet>=3'"
    """
    return " ".join(["pip install", *(f"'{REQUIREMENTS[package]}'" for package in packages)])
