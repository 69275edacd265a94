"""From values to arguments: what a value becomes, where, and that it stays one argument."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rembo import Box, Point, RandomSearch
from rembo.scenario import ScenarioError
from rembo.scenario.template import Flag, Value, parse_shell, parse_text, parse_word

PARAMETERS = """
eps = {type = "float", low = 0.0, high = 1.0}
threads = {type = "integer", low = 1, high = 16}
method = {type = "categorical", choices = ["a b", "$(touch injected)", "--rm", "'; x"], arguments = {"a b" = "-m ab",
"$(touch injected)" = "", "--rm" = "-m 'r m'", "'; x" = "-q"}}
presolve = {type = "bool"}
weights = {type = "array", size = 3, low = 0.0, high = 1.0}
""".replace(',\n"$', ', "$')
VALUES = {"eps": 0.1, "threads": 4, "method": "a b", "presolve": True, "weights": [0.0, 0.5, 1.0]}


def arguments(scenario, command, top="", **changed):
    return scenario(top, command, PARAMETERS).commands(VALUES | changed)[0][1:]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("{eps}", ["0.1"]),
        ("--eps={eps:.3e}", ["--eps=1.000e-01"]),
        ("{threads}{eps}", ["40.1"]),
        ("{method}", ["a b"]),
        ("'-x {threads}'", ["-x 4"]),
        ("{presolve}", ["true"]),
        ("{presolve:d}", ["1"]),
        ("{weights}", ["0.0,0.5,1.0"]),
        ("{weights:.1f}", ["0.0,0.5,1.0"]),
        ("{{eps}}", ["{eps}"]),
        ("{{{threads}}}", ["{4}"]),
        ("{flag:presolve}", ["--presolve"]),
        ("{flag:method}", ["-m", "ab"]),
        ("$HOME ~ *", ["$HOME", "~", "*"]),
    ],
)
def test_word_of_a_command_becomes_arguments(scenario, word, expected):
    assert arguments(scenario, f"./program {word}") == expected


def test_flag_of_a_false_option_is_no_argument(scenario):
    assert arguments(scenario, "./program {flag:presolve} end", presolve=False) == ["end"]


def test_argument_of_a_choice_keeps_its_quoted_spaces(scenario):
    assert arguments(scenario, "./program {flag:method}", method="--rm") == ["-m", "r m"]


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_float_is_written_to_the_last_bit(number):
    assert float(parse_text("{x}", Value).filled({"x": number})) == number


def test_numpy_number_is_written_as_a_plain_one():
    assert parse_text("{x} {n}", Value).filled({"x": np.float64(0.1), "n": np.int64(3)}) == "0.1 3"


@given(value=st.text(min_size=1))
def test_any_value_stays_one_argument(value):
    assert parse_word("--name={x}", Value).arguments({"x": value}) == (f"--name={value}",)


def test_parameters_are_passed_with_their_names(scenario):
    assert arguments(scenario, "./program {parameters}") == [
        "--eps=0.1", "--threads=4", "-m", "ab", "--presolve", "--weights=0.0,0.5,1.0",
    ]  # fmt: skip


def test_switch_that_ends_in_a_space_is_an_argument_of_its_own(scenario):
    options = 'x = {type = "float", low = 0, high = 1, switch = "--fast -x "}\nb = {type = "bool", switch = "-b{}="}'
    commands = scenario(command="./program {parameters}", parameters=options).commands({"x": 0.5, "b": False})
    assert commands == [["./program", "--fast", "-x", "0.5", "-b{}=false"]]


def test_seed_is_that_of_the_scenario(scenario):
    assert arguments(scenario, "./program {seed}", top="seed = 7") == ["7"]


def test_commands_are_one_for_each_instance(scenario):
    made = scenario("instances = [3, 1]", "./program {instance} {x}").commands({"x": 0.5})
    assert made == [["./program", "3", "0.5"], ["./program", "1", "0.5"]]


@pytest.mark.parametrize("method", ["a b", "$(touch injected)", "'; x"])
def test_shell_gets_values_in_quotes(scenario, tmp_path, method):
    made = scenario("shell = true", "printf '%s\\n' {method} | wc -l", PARAMETERS)
    ending = made.evaluation().run(VALUES | {"method": method})
    assert (ending.outputs["stdout"].strip(), ending.outputs["stderr"]) == ("1", "")
    assert not (tmp_path / "injected").exists()


@pytest.mark.parametrize(
    "command",
    [
        "echo '{x}'",
        'echo "{x}"',
        "echo `echo {x}`",
        'echo "$(echo "{x}")"',
        "cat <<END\n{x}\nEND",
        "echo ${x}",
        "echo \\{x}",
        "echo \\\"'{x}'",
    ],
)
def test_field_inside_the_quotes_of_a_shell_command_is_refused(command):
    with pytest.raises(ValueError, match="stands inside quotes, or after a"):
        parse_shell(command, Value)


@pytest.mark.parametrize(
    "command",
    ["echo 'a' {x}", 'echo "a\\"" {x}', "echo \\' {x}", "echo $(echo {x})", "a `b` {x}", "echo $ {x} \\\\{x}"],
)
def test_field_outside_the_quotes_of_a_shell_command_is_taken(command):
    assert set(parse_shell(command, Value).fields) == {Value("x")}


@pytest.mark.parametrize(
    "command",
    [
        "echo $(( {x} ))",
        "(( n = {x} )) && echo",
        "[[ {x} -eq 1 ]]",
        "a[{x}]=1",
        "eval {x}",
        "true; let n={x}",
        "declare -i n={x}",
    ],
)
def test_field_where_a_shell_would_run_what_it_says_is_refused(command):
    with pytest.raises(ValueError, match="where the shell would run what the value says"):
        parse_shell(command, Value)


@pytest.mark.parametrize(
    "command", ["echo $((1 + 2)) {x}", "[[ -n $HOME ]] && echo {x}", "echo '((' {x}", "let n=1; e {x}"]
)
def test_field_beside_what_a_shell_evaluates_is_taken(command):
    assert set(parse_shell(command, Value).fields) == {Value("x")}


def test_flag_in_a_shell_command_is_quoted_argument_by_argument():
    flag = Flag("f", (("true", ("-a", "b c")),))
    assert parse_shell("x {f}", lambda name: flag).filled({"f": True}, repr) == "x '-a' 'b c'"


def test_array_travels_as_a_file_of_lines(scenario):
    made = scenario(command="cat {file:weights}", parameters=PARAMETERS)
    assert made.evaluation().run(VALUES).outputs["stdout"] == "0.0\n0.5\n1.0\n"


def test_lazy_point_is_an_array_too(scenario):
    point = Point(RandomSearch(Box(3), seed=1).ask().point.embedding, [0.0]).scaled(0.0, 1.0)
    made = scenario(command="cat {file:weights}", parameters=PARAMETERS)
    lines = made.evaluation().run(VALUES | {"weights": point}).outputs["stdout"].split()
    assert [float(line) for line in lines] == list(point)


def test_parameter_file_is_written_for_the_run(scenario, tmp_path):
    (tmp_path / "params.ini").write_text("# {{tuned}}\nx = {x:.2f}\n")
    made = scenario(command="cat {parameter_file}", tables='[parameter_file]\ntemplate = "params.ini"')
    assert made.evaluation().run({"x": 0.5}).outputs["stdout"] == "# {tuned}\nx = 0.50\n"
    assert made.commands({"x": 0.5})[0][1].endswith("/params.ini")


def test_environment_variable_is_set_beside_the_inherited_ones(scenario, program, monkeypatch):
    monkeypatch.setenv("INHERITED", "there")
    program('echo "$LEVEL $COUNT $INHERITED"')
    made = scenario(command="./program", tables='[environment]\nLEVEL = "level {x}"\nCOUNT = 3')
    assert made.evaluation().run({"x": 0.5}).outputs["stdout"] == "level 0.5 3 there\n"


@pytest.mark.parametrize(
    ("top", "command"), [('stdin = "model.lp"', "cat"), ("", "cat < model.lp"), ('stdin = "{instance}"', "cat")]
)
def test_program_reads_its_input_from_a_file(scenario, tmp_path, top, command):
    (tmp_path / "model.lp").write_text("max: 3x;")
    instances = 'instances = ["model.lp"]' if "instance" in top else ""
    made = scenario(f"{top}\n{instances}", command)
    assert made.evaluation().run({"x": 0.5}, "model.lp").outputs["stdout"] == "max: 3x;"


def test_program_without_an_input_reads_nothing(scenario):
    assert scenario(command="cat").evaluation().run({"x": 0.5}).outputs["stdout"] == ""


def test_program_runs_in_the_folder_of_the_scenario(scenario, tmp_path):
    assert scenario(command="pwd").evaluation().run({"x": 0.5}).outputs["stdout"].strip() == str(tmp_path.resolve())


def test_evaluation_survives_pickling(scenario):
    evaluation = scenario(command="./program {x}").evaluation()
    assert pickle.loads(pickle.dumps(evaluation)) == evaluation
    assert pickle.loads(pickle.dumps(evaluation))({"x": 0.25}) == 0.25


def test_parameter_that_is_used_nowhere_is_a_warning(scenario):
    made = scenario(command="./program")
    assert [text.partition(": ")[2] for text in made.warnings] == [
        "parameter 'x' is used nowhere: put {x} into the command"
    ]


def test_parameters_that_are_used_give_no_warning(scenario):
    command = "./program {eps:.1f} {threads} {flag:method} {presolve} {file:weights}"
    assert scenario(command=command, parameters=PARAMETERS).warnings == ()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("./program {epps}", "unknown name {epps}: did you mean 'eps'?"),
        ("./program {flag:presolv}", "unknown name {presolv}: did you mean 'presolve'?"),
        ("./program {flag:eps}", "{flag:eps} needs what to pass for each value"),
        ("./program -{flag:presolve}", "a flag must be a word of its own"),
        ("./program x{parameters}", "{parameters} must be a word of its own"),
        ("./program {file:eps}", "{file:eps} needs an array, which 'eps' is not: write {eps}"),
        ("./program {method:.3e}", "is no format for 'a b'"),
        ("./program {eps", "brace without its other half in '{eps': double a brace"),
        ("./program {}", "unknown name {}: known are eps"),
        ("./program eps}", "brace without its other half"),
        ("./program 'x", "No closing quotation"),
        ("  ", "the command is empty"),
        ("< program", "the command is empty"),
        ("./program {eps} | tail -1", "'|' means nothing without a shell: remove it, or set shell = true"),
        ("./program < model.lp {eps}", "'<' means nothing without a shell"),
        ("./program < model.lp", "input 'model.lp' is not there"),
        ("./program {seed}", "{seed} is used and there is no seed: add e.g. seed = 1"),
        ("./program {instance}", "{instance} is used and there is none"),
        ("./program {parameter_file}", "{parameter_file} is used and there is none"),
        ("./missing {eps}", "program './missing' is not there"),
        ("surely-no-such-program", "program 'surely-no-such-program' is not found: install it"),
        ("program", "program 'program' is not found: write ./program"),
    ],
)  # fmt: skip
def test_mistake_in_a_command_is_told_with_its_line(scenario, command, message):
    with pytest.raises(ScenarioError) as caught:
        scenario(command=command, parameters=PARAMETERS)
    assert "scenario.toml:1: " in str(caught.value)
    assert message in str(caught.value)


def test_program_that_is_not_executable_is_told_with_the_cure(scenario, program):
    program("exit 0", "data").chmod(0o644)
    with pytest.raises(ScenarioError, match=r"program './data' is not executable: chmod \+x"):
        scenario(command="./data")


def test_program_found_by_a_path_of_the_environment_is_not_looked_for(scenario, tmp_path):
    made = scenario(command="program 7", tables=f'[environment]\nPATH = "{tmp_path}:/usr/bin:/bin"')
    assert made.evaluation()({"x": 0.5}) == 7.0


def test_array_too_long_for_an_argument_is_refused(scenario):
    weights = 'w = {type = "array", size = 5001, low = 0.0, high = 1.0}'
    with pytest.raises(ScenarioError, match=r"pass the name of a file with \{file:w\}"):
        scenario(command="./program {w}", parameters=weights)


def test_unknown_name_in_a_parameter_file_is_told_with_its_own_line(scenario, tmp_path):
    (tmp_path / "params.ini").write_text("[solver]\ny = {y}\n")
    with pytest.raises(ScenarioError, match=r"params\.ini:2: unknown name \{y\}"):
        scenario(command="./program {parameter_file}", tables='[parameter_file]\ntemplate = "params.ini"')


def test_parameter_file_that_reaches_no_program_is_refused(scenario, tmp_path):
    (tmp_path / "params.ini").write_text("{x}")
    with pytest.raises(ScenarioError, match=r"scenario\.toml:7: the parameter file reaches no program"):
        scenario(command="./program", tables='\n[parameter_file]\ntemplate = "params.ini"')


def test_impossible_name_of_an_environment_variable_is_refused(scenario):
    with pytest.raises(ScenarioError, match=r"scenario\.toml:7: no environment variable can be called 'A=B'"):
        scenario(tables='[environment]\n"A=B" = "{x}"')


def test_missing_template_of_a_parameter_file_is_told(scenario):
    with pytest.raises(ScenarioError, match=r"scenario\.toml:7: template '.*none\.ini' cannot be read"):
        scenario(command="./program {parameter_file}", tables='[parameter_file]\ntemplate = "none.ini"')
