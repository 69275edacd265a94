"""Numbers with separators of thousands: read if they are stated, refused with the cure if they are not."""

import time

import pytest

from rembo.scenario import ScenarioError
from rembo.scenario.numerals import Notation
from rembo.scenario.objective import JsonField, LastNumber, Pattern
from rembo.scenario.process import Ending
from rembo.study.failure import EvaluationError
from rembo.study.trial import Reason

PERF = " Performance counter stats:\n\n     45,069,059      instructions:u\n"
COMMAS = Notation(",")


def ending(text):
    return Ending(0, 1.0, False, {"stdout": text})


def refusal(objective, text):
    with pytest.raises(EvaluationError) as caught:
        objective.value(ending(text))
    assert caught.value.reason is Reason.NO_NUMBER
    return caught.value.text


@pytest.mark.parametrize(
    ("thousands", "text", "number"),
    [
        (",", PERF, 45069059.0),
        (",", "I refs: 1,234.5e1", 12345.0),
        (",", "cost -1,234", -1234.0),
        (",", "12,34,56,789", 123456789.0),
        (",", "no separator: 1234567", 1234567.0),
        (",", "1,234 then 5", 5.0),
        ("'", "45'069'059", 45069059.0),
        ("_", "45_069_059", 45069059.0),
        (" ", "took 45 069 059 steps", 45069059.0),
        ("\u202f", "45\u202f069", 45069.0),
    ],
)
def test_stated_separator_is_read_in_the_last_number(thousands, text, number):
    assert LastNumber(notation=Notation(thousands)).value(ending(text)) == number


@pytest.mark.parametrize("pattern", [r"([\d,]+)\s+instructions", r"^\s+(\S+)\s+instr"])
def test_stated_separator_is_read_by_a_pattern(pattern):
    assert Pattern(pattern, notation=COMMAS).value(ending(PERF)) == 45069059.0


def test_stated_separator_is_read_in_a_text_of_json():
    assert JsonField("n", notation=COMMAS).value(ending('{"n": "45,069,059"}')) == 45069059.0


@pytest.mark.parametrize(
    "objective",
    [LastNumber(), Pattern(r"(\d+)\s+instr"), Pattern(r"(\S+)\s+instr"), Pattern(r"^\s+(\d+)")],
)
def test_separator_that_is_not_stated_is_refused_with_the_cure(objective):
    text = refusal(objective, PERF)
    assert "'45,069,059' may be one number or several: if it is one, add thousands = \",\" to the objective" in text


def test_text_of_json_with_a_separator_that_is_not_stated_is_refused():
    assert 'add thousands = "," to the objective' in refusal(JsonField("n"), '{"n": "45,069"}')


@pytest.mark.parametrize("text", ["45'069'059", "45_069_059", "45\u00a0069", "45’069"])
def test_other_separator_than_the_stated_one_is_refused(text):
    assert f'add thousands = "{text[2]}" to the objective' in refusal(LastNumber(notation=COMMAS), text)


@pytest.mark.parametrize(
    ("text", "number"), [("[1, 234]", 234.0), ("1.5,200", 200.0), ("1,2", 2.0), ("1,2345", 2345.0), ("1 234", 234.0)]
)
def test_numbers_that_cannot_be_one_are_several(text, number):
    assert LastNumber().value(ending(text)) == number


@pytest.mark.parametrize("last", ["7", "777"])
def test_last_number_of_a_long_list_is_found_quickly(last):
    text = "123," * 200_000 + last
    began = time.process_time()
    assert LastNumber(notation=COMMAS).value(ending(text)) == float(last)
    assert time.process_time() - began < 20.0  # seconds; a search that is quadratic takes hours


@pytest.mark.parametrize(("pattern", "number"), [("^(\\d+),", 12.0), (",(\\d+)$", 678.0), (",(\\d+),", 345.0)])
def test_pattern_that_names_the_separator_takes_one_of_several_numbers(pattern, number):
    assert Pattern(pattern).value(ending("12,345,678")) == number


def test_pattern_that_catches_a_part_of_a_number_is_refused():
    text = refusal(Pattern(r"(\d+)\s+instr", notation=COMMAS), PERF)
    assert "only a part of '45,069,059' is caught: let the pattern's group match all of it" in text


def test_decimal_comma_is_not_read_as_a_separator():
    assert "'0,123' looks like a decimal comma" in refusal(LastNumber(notation=COMMAS), "cost 0,123")


@pytest.mark.parametrize("numeral", ["4,5", "1,23", "1,2345"])
def test_pattern_reads_no_group_of_other_than_three_digits(numeral):
    assert f"gives no number on stdout but '{numeral}'" in refusal(
        Pattern("cost (.*)", notation=COMMAS), f"cost {numeral}"
    )


@pytest.mark.parametrize(
    "objective", ['{pattern = "ran (.*)", thousands = ","}', '{thousands = ","}', '{thousands = ",", from = "stdout"}']
)
def test_scenario_states_the_separator_in_its_objective(scenario, program, objective):
    program("echo ran 45,069,059")
    assert scenario(f"objective = {objective}").evaluation()({"x": 0.5}) == 45069059.0


@pytest.mark.parametrize(
    ("thousands", "message"),
    [
        ('"."', "thousands '.' cannot be told from a decimal point: let the program write none, e.g. with LC_ALL"),
        ('";"', "thousands must be one of , ' _ or a space, not ';'"),
        ('",,"', "thousands must be one of , ' _ or a space, not ',,'"),
        ("true", "thousands must be a text, not True"),
    ],
)
def test_mistake_about_separators_is_told_with_its_line(scenario, thousands, message):
    with pytest.raises(ScenarioError) as caught:
        scenario(f"objective = {{thousands = {thousands}}}")
    assert "scenario.toml:3: " in str(caught.value)
    assert message in str(caught.value)
