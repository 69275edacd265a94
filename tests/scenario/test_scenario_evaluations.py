"""What a run is worth: the objectives, failures and their reasons, instances and their mean."""

import time

import pytest

from rembo.scenario import ScenarioError
from rembo.scenario.objective import JsonField, LastNumber, Pattern
from rembo.scenario.process import Ending
from rembo.study.failure import EvaluationError
from rembo.study.trial import Reason


def ending(text, source="stdout"):
    return Ending(0, 1.0, False, {source: text})


def failure(scenario, *, values=None, **settings):
    with pytest.raises(EvaluationError) as caught:
        scenario(**settings).evaluation()(values or {"x": 0.5})
    return caught.value


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("cost 3\ncost 2.5\n", 2.5),
        ("cost: -1.5e-3.", -0.0015),
        ("x1 = 7 done", 7.0),
        ("took .5s", 0.5),
        ("f = 1.25D+02", 125.0),
        ("[1, 2]", 2.0),
        ("value=+4", 4.0),
        ("version 1.2.3", 1.2),
        ("3 information", 3.0),
    ],
)
def test_last_number_of_an_output_is_found(text, number):
    assert LastNumber().value(ending(text)) == number


@pytest.mark.parametrize(
    "text", ["", "nothing here", "step 7 cost nan", "step 7 cost -inf", "step 7 cost Infinity", "1e999"]
)
def test_output_that_ends_in_no_finite_number_is_refused(text):
    with pytest.raises(EvaluationError, match="no number on stdout") as caught:
        LastNumber().value(ending(text))
    assert caught.value.reason is Reason.NO_NUMBER


def test_error_quotes_the_end_of_a_long_output():
    with pytest.raises(EvaluationError) as caught:
        LastNumber().value(ending("first line\n" * 1000 + "the last line"))
    assert caught.value.text.endswith("first line\nthe last line")
    assert len(caught.value.text) < 700


@pytest.mark.parametrize(("pattern", "number"), [(r"cost: (\S+)", 2.0), (r"^time (\d+)$", 7.0), (r"(?:a|b)=(.*)", 0.5)])
def test_pattern_gives_its_group_at_the_last_match(pattern, number):
    assert Pattern(pattern).value(ending("cost: 1\ntime 7\ncost: 2\nb=0.5\nlate time 9")) == number


@pytest.mark.parametrize("pattern", [r"costs: (\S+)", r"is (\w+)"])
def test_pattern_that_gives_no_number_is_a_failure(pattern):
    with pytest.raises(EvaluationError, match="gives no number on stderr") as caught:
        Pattern(pattern, "stderr").value(ending("cost: 1 is high", "stderr"))
    assert caught.value.reason is Reason.NO_NUMBER


@pytest.mark.parametrize(
    ("field", "text", "number"),
    [
        ("cost", '{"cost": 3}', 3.0),
        ("result.cost", 'log line\n{"result": {"cost": 0.5}}\n', 0.5),
        ("runs.1.cost", '{"runs": [{"cost": 1}, {"cost": "2.5"}]}', 2.5),
    ],
)
def test_json_field_is_found(field, text, number):
    assert JsonField(field).value(ending(text)) == number


@pytest.mark.parametrize(
    "text", ["", "cost 3", '{"costs": 3}', '{"cost": null}', '{"cost": true}', '{"cost": NaN}', "[3]"]
)
def test_json_without_a_number_in_the_field_is_a_failure(text):
    with pytest.raises(EvaluationError, match="no number in the field 'cost'"):
        JsonField("cost").value(ending(text))


@pytest.mark.parametrize(
    ("objective", "value"),
    [
        ('"last_number"', 12.0),
        ('{from = "stderr"}', 13.0),
        ('{from = "output_file"}', 14.0),
        ('{pattern = "t (.*)"}', 11.0),
        ('{json = "cost", from = "output_file"}', 14.0),
    ],
)
def test_objective_is_read_from_where_the_scenario_says(scenario, program, objective, value):
    program("""echo t 11; echo 12; echo 13 >&2; echo '{"cost": 14}' > $2""")
    made = scenario(f"objective = {objective}", "./program {x} {output_file}")
    assert made.evaluation()({"x": 0.5}) == value


def test_exit_code_can_be_the_objective(scenario, program):
    program("exit 42")
    assert scenario('objective = "exit_code"').evaluation()({"x": 0.5}) == 42.0


def test_run_time_can_be_the_objective(scenario, program):
    program("sleep $1")
    assert 0.2 <= scenario('objective = "run_time"').evaluation()({"x": 0.2}) < 10.0


def test_exit_codes_of_success_can_be_named(scenario, program):
    program("echo 1.5; exit 10")
    assert scenario("exit_codes = [0, 10, 20]").evaluation()({"x": 0.5}) == 1.5


def test_crash_tells_exit_code_and_the_end_of_stderr(scenario, program):
    program("echo 1.5; echo 'matrix is singular' >&2; exit 3")
    error = failure(scenario)
    assert error.reason is Reason.CRASHED
    assert error.text == "the program ended with exit code 3; its stderr ends in:\nmatrix is singular"


@pytest.mark.parametrize("objective", ["last_number", "exit_code"])
def test_death_by_a_signal_is_a_crash_that_names_it(scenario, program, objective):
    program("kill -SEGV $$")
    error = failure(scenario, top=f'objective = "{objective}"')
    assert (error.reason, "signal SIGSEGV" in error.text) == (Reason.CRASHED, True)


def test_timeout_is_told_with_its_limit(scenario, program):
    program("echo started 7; sleep 100")
    error = failure(scenario, top="trial_timeout = 0.5")
    assert error.reason is Reason.TIMEOUT
    assert error.text == "not finished after 0.5 seconds; its output ends in:\nstarted 7"


HUNGRY = "python3 -c 'bytearray(10**9); print(1.5)'"


def test_program_that_exceeds_its_memory_is_told_so(scenario, program):
    program(HUNGRY)
    assert failure(scenario, top='trial_memory = "200 MB"').reason is Reason.MEMORY


def test_program_within_its_memory_runs(scenario, program):
    program(HUNGRY)
    assert scenario('trial_memory = "3 GiB"').evaluation()({"x": 0.5}) == 1.5


def test_error_about_memory_without_a_limit_is_a_crash(scenario, program):
    program("echo out of memory >&2; exit 1")
    assert failure(scenario).reason is Reason.CRASHED


def test_program_that_vanished_is_a_crash(scenario, tmp_path):
    made = scenario()
    (tmp_path / "program").unlink()
    with pytest.raises(EvaluationError, match="the program cannot be started") as caught:
        made.evaluation()({"x": 0.5})
    assert caught.value.reason is Reason.CRASHED


@pytest.mark.parametrize("script", ["exit 1", "echo none", "sleep 100", "kill -9 $$"])
def test_failure_counts_the_number_that_the_scenario_gives(scenario, program, script):
    program(script)
    assert scenario("on_failure = 1000\ntrial_timeout = 0.5").evaluation()({"x": 0.5}) == 1000.0


def test_instances_count_with_their_mean(scenario):
    assert scenario("instances = [1, 2, 6]", "./program {x} {instance}").evaluation()({"x": 0.5}) == 3.0


def test_failure_on_an_instance_names_it(scenario, program):
    program("echo 1; exit $1")
    error = failure(scenario, top="instances = [0, 7]", command="./program {instance}")
    assert error.text.startswith("on 7: the program ended with exit code 7")


def test_par10_counts_a_timeout_as_ten_times_the_limit(scenario, program):
    program("sleep $1; echo 1")
    top = 'instances = [0, 100]\ntrial_timeout = 0.5\naggregate = "par10"\non_failure = 77'
    assert scenario(top, "./program {instance}").evaluation()({"x": 0.5}) == (1.0 + 5.0) / 2.0


def test_par10_fails_where_an_instance_fails_otherwise(scenario, program):
    program("exit 1")
    top = 'instances = [0, 100]\ntrial_timeout = 0.5\naggregate = "par10"'
    assert failure(scenario, top=top, command="./program {instance}").reason is Reason.CRASHED


@pytest.mark.parametrize(
    ("top", "message"),
    [
        ('aggregate = "par10"', "par10 counts timeouts as ten times the limit: add e.g. trial_timeout = 60"),
        ('aggregate = "par10"\ntrial_timeout = 1\ndirection = "maximize"', "par10 makes timeouts large"),
        ('aggregate = "median"', "aggregate must be one of 'mean', 'par10', not 'median'"),
        ('objective = "number"', "objective must be one of 'last_number', 'exit_code', 'run_time', not 'number'"),
        ('objective = {pattern = "cost (.*"}', "is not a regular expression"),
        ('objective = {pattern = "cost .*"}', "has 0 groups and must have 1"),
        ('objective = {pattern = "(.*)", json = "cost"}', "keep one of them"),
        ('objective = {jsn = "cost"}', "unknown key 'jsn': did you mean 'json'?"),
        ('objective = {from = "file"}', "from must be one of 'stdout', 'stderr', 'output_file', not 'file'"),
        ('objective = {from = "output_file"}', "put {output_file} into the command"),
        ('on_failure = "stop"', "on_failure must be 'fail' or the number that a failed run counts, not 'stop'"),
        ("on_failure = inf", "on_failure must be 'fail' or the number"),
        ("exit_codes = [256]", "exit code 256 must lie between 0 and 255"),
        ("exit_codes = []", "exit_codes is empty"),
        ('exit_codes = [1]\nobjective = "exit_code"', "remove exit_codes"),
        ("trial_timeout = 0", "trial_timeout 0.0 must be a positive number of seconds"),
        ('trial_timeout = "1 h"', "trial_timeout must be a number, not '1 h'"),
        ('trial_memory = "2 gigs"', "trial_memory '2 gigs' must be a number and one of B, kB"),
        ("trial_memory = 2", "trial_memory of 2 bytes must be at least 1 MiB"),
        ('instances = ["none.lp"]', "instance 'none.lp' is not there"),
        ('instances = "none/*.lp"', "no instance matches 'none/*.lp'"),
        ("instances = []", "the list of instances is empty"),
        ("instances = [1.5]", "an instance must be a file's name or a whole number, not 1.5"),
        ("instances = [1]", "the instances reach no program: put {instance} into the command"),
    ],
)
def test_mistake_about_runs_is_told_with_its_line(scenario, top, message):
    with pytest.raises(ScenarioError) as caught:
        scenario(top)
    assert "scenario.toml:3: " in str(caught.value)
    assert message in str(caught.value)


def test_instances_of_a_pattern_come_in_the_order_of_their_names(scenario, touch):
    touch("b.lp", "d.lp", "a.lp", "e.lp", "c.lp", "a.txt")
    made = scenario('instances = "*.lp"', "./program {instance}")
    assert [command[1] for command in made.commands({"x": 0.5})] == ["a.lp", "b.lp", "c.lp", "d.lp", "e.lp"]


def test_output_without_end_of_a_word_is_searched_for_memory_errors_quickly(scenario, program):
    program("head -c 1000000 /dev/zero | tr '\\0' a | sed 's/aaaaa/alloc/g' >&2; exit 1")
    began = time.process_time()
    assert failure(scenario, top='trial_memory = "1 GiB"').reason is Reason.CRASHED
    assert time.process_time() - began < 5.0  # seconds; a search that is quadratic takes minutes


def test_json_nested_too_deeply_is_a_failure():
    with pytest.raises(EvaluationError, match="no number in the field 'cost'"):
        JsonField("cost").value(ending("[" * 100_000))
