"""Scenarios: a TOML file that says which program to run, with which parameters, and which number to make small.

Outside the path of the data: a scenario becomes a space, an optimizer and an f that runs the program; the rest is a
study like any other.
"""

from rembo.scenario.error import ScenarioError
from rembo.scenario.evaluation import ProgramEvaluation
from rembo.scenario.scenario import Scenario

__all__ = ["ProgramEvaluation", "Scenario", "ScenarioError"]
