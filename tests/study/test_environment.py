"""What the last bits of a suggestion depend on, in words."""

import numpy as np
import pytest
import scipy

from rembo.blas import blas_libraries
from rembo.study.environment import differing, environment


def test_environment_names_the_versions():
    here = environment()
    assert (here["numpy"], here["scipy"]) == (np.__version__, scipy.__version__)


def test_environment_names_the_libraries_for_linear_algebra():
    assert environment()["BLAS"] == ", ".join(blas_libraries())


def test_environment_differs_nowhere_from_itself():
    assert differing(environment(), environment()) == ()


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ({"numpy": "1", "CPU": "arm64"}, ("numpy 1 there, 2 here",)),
        ({"CPU": "arm64"}, ("numpy unknown there, 2 here",)),
        ({"numpy": "2", "CPU": "arm64", "later": "3"}, ("later 3 there, unknown here",)),
    ],
)
def test_difference_is_told_in_words(there, words):
    assert differing(there, {"numpy": "2", "CPU": "arm64"}) == words
