"""TuRBO's trust region: when it doubles, halves, and stays."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("botorch")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


@pytest.fixture
def turbo():
    from harness.methods import turbo

    return turbo


def batch(turbo, *values):
    return turbo.Data(torch.zeros(len(values), 8), torch.tensor(values))


def test_third_success_in_a_row_doubles_the_region(turbo):
    region = turbo.TrustRegion(0.4, successes=2)
    assert turbo.TuRBO().advance(region, batch(turbo, 1.0), batch(turbo, 0.5)) == turbo.TrustRegion(0.8)


def test_region_grows_no_further_than_its_limit(turbo):
    region = turbo.TrustRegion(1.6, successes=2)
    assert turbo.TuRBO().advance(region, batch(turbo, 1.0), batch(turbo, 0.5)).side == 1.6


def test_as_many_failures_as_dimensions_over_batch_halve_the_region(turbo):
    region = turbo.TrustRegion(0.4, failures=1)
    assert turbo.TuRBO(batch=4).advance(region, batch(turbo, 1.0), batch(turbo, 2.0)) == turbo.TrustRegion(0.2)


def test_tiny_improvement_counts_as_a_failure(turbo):
    after = turbo.TuRBO().advance(turbo.TrustRegion(0.4), batch(turbo, 1.0), batch(turbo, 0.9995))
    assert after == turbo.TrustRegion(0.4, failures=1)


def test_success_ends_a_row_of_failures(turbo):
    after = turbo.TuRBO().advance(turbo.TrustRegion(0.4, failures=1), batch(turbo, 1.0), batch(turbo, 0.5))
    assert after == turbo.TrustRegion(0.4, successes=1)
