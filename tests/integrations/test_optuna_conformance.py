"""Optuna's own cases for samplers: what every sampler does, those with one objective, and those with a model."""

import pytest

cases = pytest.importorskip("optuna.testing.pytest_samplers", reason="Optuna has such cases from version 4.8 on")

from rembo.integrations.optuna import RemboSampler  # noqa: E402


class TestRemboSampler(cases.BasicSamplerTestCase, cases.RelativeSamplerTestCase, cases.SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return RemboSampler
