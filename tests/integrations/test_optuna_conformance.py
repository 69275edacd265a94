"""Optuna's own cases for samplers: what every sampler does, those with one objective, and those with a model."""

import pytest

optuna = pytest.importorskip("optuna", reason="the Optuna sampler needs optuna")

from optuna.testing.pytest_samplers import (  # noqa: E402
    BasicSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from rembo.integrations.optuna import RemboSampler  # noqa: E402


class TestRemboSampler(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return RemboSampler
