"""Charts: what plotly.js is given, at once or after the optimizer was told all again."""

import json

import pytest
from dashboard_client import SCRIPT

from rembo import Box, RandomSearch, Rembo
from rembo.dashboard.belief import belief
from rembo.study import Study
from rembo.study.sqlite import SQLite


@pytest.fixture(scope="module")
def believed(client, bowl):
    return json.loads(client.get(f"/belief?{bowl.query()}").text)


def study_of(path, optimizer, n_trials, name="study"):
    with Study(optimizer.space, optimizer=optimizer, storage=path, name=name) as study:
        study.optimize(lambda x: x[0] ** 2 + x[1], n_trials, progress=False)
    return SQLite(path)


def test_quick_charts_come_in_the_colours_of_both_themes(client, bowl):
    charts = json.loads(client.get(f"/charts?{bowl.query()}").text)
    assert list(charts) == ["history", "workers", "times"]
    grounds = [charts["history"][theme]["layout"]["template"]["layout"]["paper_bgcolor"] for theme in ("light", "dark")]
    assert grounds == ["#ffffff", "#15181c"]


def test_the_model_says_what_matters(believed):
    figure = believed["charts"]["importance"]["light"]
    assert figure["data"][0]["type"] == "bar"


def test_the_method_card_says_what_was_used(believed):
    assert '<th scope="row">Method</th><td>Growing</td>' in believed["card"]


def test_charts_that_an_optimizer_does_not_have_say_why(client, hostile):
    charts = json.loads(client.get(f"/belief?{hostile.query()}").text)["charts"]
    assert charts["importance"]["problem"].startswith("RandomSearch does not tell what matters")


def test_names_in_charts_and_cards_are_escaped(client, hostile):
    quick, model = (client.get(f"/{kind}?{hostile.query()}").text for kind in ("charts", "belief"))
    assert SCRIPT not in quick + model


def test_two_dimensions_are_drawn_as_a_landscape(tmp_path):
    storage = study_of(tmp_path / "tune.db", Rembo(Box(30), embedding_dim=2, runs=1, seed=0), 12)
    assert belief(storage, "study").charts["landscape"].light["data"][0]["type"] == "contour"


def test_more_dimensions_are_drawn_as_slices(tmp_path):
    storage = study_of(tmp_path / "tune.db", Rembo(Box(30), embedding_dim=3, runs=1, seed=0), 12)
    assert belief(storage, "study").charts["landscape"].light["data"][0]["type"] == "scatter"


def test_a_search_is_compared_with_a_random_search_of_the_same_file(tmp_path):
    storage = study_of(tmp_path / "tune.db", Rembo(Box(30), embedding_dim=2, runs=1, seed=0), 12)
    assert "would be compared here" in belief(storage, "study").card
    study_of(tmp_path / "tune.db", RandomSearch(Box(30), seed=0), 12, name="random")
    assert "best values after 12 evaluations each" in belief(storage, "study").card


def test_a_search_is_not_compared_with_its_own_ablation(tmp_path):
    storage = study_of(tmp_path / "tune.db", Rembo(Box(30), embedding_dim=2, runs=1, seed=0), 12)
    study_of(tmp_path / "tune.db", RandomSearch(Box(30), seed=0), 12, name="study-ablation")
    assert "would be compared here" in belief(storage, "study").card
