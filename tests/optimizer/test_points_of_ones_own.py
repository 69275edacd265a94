"""Points that the user brings: a partial x0 is completed, and an error names the parameter."""

import numpy as np
import pytest

from rembo import BayesOpt, Bool, Box, Categorical, Float, Growing, Integer, Interleaved, Space, Study, minimize
from rembo.embedding import Forest

PARAMETERS = {"rate": Float(0.0, 1.0), "layers": Integer(1, 9), "solver": Categorical(["adam", "sgd"]), "warm": Bool()}
PLAIN = Space(PARAMETERS)
WITH_DEFAULT = Space(PARAMETERS, {"rate": 0.3, "layers": 3, "solver": "sgd", "warm": True})


def test_partial_x0_is_completed_by_middles_and_first_choices():
    x = Growing(PLAIN, x0={"layers": 8}, seed=0).ask().x
    assert x == {"rate": 0.5, "layers": 8, "solver": "adam", "warm": False}


def test_partial_x0_is_completed_by_the_default():
    x = Growing(WITH_DEFAULT, x0={"layers": 8}, seed=0).ask().x
    assert x == {"rate": 0.3, "layers": 8, "solver": "sgd", "warm": True}


def test_partial_x0_is_completed_for_any_optimizer_of_a_study():
    study = Study(WITH_DEFAULT, optimizer=BayesOpt(WITH_DEFAULT, seed=0), x0={"solver": "adam"})
    assert study.ask().x == {"rate": 0.3, "layers": 3, "solver": "adam", "warm": True}


def test_several_partial_x0_are_completed_each():
    study = Study(WITH_DEFAULT, x0=[{"layers": 8}, {"solver": "adam"}], seed=0)
    study.optimize(lambda x: x["rate"], 2, progress=False)
    assert [trial.x["layers"] for trial in study.trials] == [8, 3]


@pytest.mark.parametrize(
    "bring",
    [
        lambda x: Growing(PLAIN, x0=x),
        lambda x: Growing(PLAIN).adopt(x),
        lambda x: BayesOpt(PLAIN).tell(x, 1.0),
        lambda x: Interleaved([BayesOpt(PLAIN)]).adopt(x),
        lambda x: minimize(lambda _: 0.0, PLAIN, 3, x0=x),
        lambda x: PLAIN.encode(x),
    ],
    ids=["x0", "adopt", "tell", "interleaved", "minimize", "encode"],
)
def test_error_about_a_value_names_the_parameter(bring):
    with pytest.raises(ValueError, match="parameter 'layers': 99 does not lie in Integer"):
        bring({"rate": 0.5, "layers": 99, "solver": "adam", "warm": True})


def test_unknown_name_in_x0_is_an_error_that_suggests_the_nearest():
    with pytest.raises(ValueError, match=r"'layer' is unknown, did you mean 'layers'\?"):
        Growing(PLAIN, x0={"layer": 3})


def test_point_that_is_told_must_be_whole():
    with pytest.raises(ValueError, match=r"\['rate', 'solver', 'warm'\] missing"):
        BayesOpt(WITH_DEFAULT, seed=0).tell({"layers": 8}, 1.0)


def test_error_about_an_array_names_the_parameter_and_the_coordinate():
    with pytest.raises(ValueError, match=r"parameter 'w': coordinate 2 is 7\.0, outside \[-1\.0, 1\.0\]"):
        Growing(Space({"w": Box(3)}), x0={"w": [0.0, 0.0, 7.0]})


def test_whole_number_that_would_become_another_is_refused():
    space = Space({f"n{number}": Integer(0, 2**40 - 1) for number in range(40)})
    with pytest.raises(ValueError, match=r"n0 shares a bin that tells no values as near.*give it as the only x0"):
        Growing(space, seed=0).adopt(dict.fromkeys(space.parameters, 2**39))


@pytest.mark.parametrize("trials", [1, 30])
def test_given_point_costs_a_few_readings_however_many_trials_there_are(trials, monkeypatch):
    optimizer, x, read = Growing(Box(20_000), seed=0), np.zeros(20_000), []
    optimizer.ask(trials)
    x[[17, 999]] = 0.5, -0.25
    image = Forest.image
    monkeypatch.setattr(Forest, "image", lambda self, y, index: read.append(len(index)) or image(self, y, index))
    optimizer.adopt(x)
    assert sum(read) < 10 * 20_000
