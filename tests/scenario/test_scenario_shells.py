"""Commands that a shell runs: which shell, what counts as a failure, and that values stay in their quotes."""

import json
import shutil
import subprocess

import pytest

from rembo.scenario import ScenarioError
from rembo.scenario.shell import Shell
from rembo.study.failure import EvaluationError

NO_PIPEFAIL = "/bin/dash"  # as of Debian 12
without_pipefail = pytest.mark.skipif(
    shutil.which(NO_PIPEFAIL) is None
    or subprocess.run([NO_PIPEFAIL, "-c", "set -o pipefail"], capture_output=True).returncode == 0,
    reason="needs a dash without pipefail",
)
OPTIONS = """
eps = {type = "float", low = 0.0, high = 1.0, switch = "-e "}
mode = {type = "categorical", choices = ["a b", "$(touch injected)", "'; touch injected; '", "*"]}
fast = {type = "bool", arguments = {true = "--fast --level 'very fast'", false = ""}}
"""
ARGUMENTS = "printf '<%s>' "


def failure(made):
    with pytest.raises(EvaluationError) as caught:
        made.evaluation()({"x": 0.5})
    return caught.value.text


def test_shell_of_a_scenario_is_bash(scenario):
    made = scenario("shell = true", "echo $BASH_VERSINFO {x} | cut -d' ' -f1")
    assert made.evaluation()({"x": 0.5}) >= 3.0


@pytest.mark.parametrize("command", ["./program {x} | wc -l", "cat none | ./program {x}", "(exit 3) | sort | tail -1"])
def test_failure_in_any_part_of_a_pipe_fails_the_run(scenario, program, command):
    program("echo 0; exit $(($# * 3))" if command.startswith("./") else "echo 0")
    assert failure(scenario("shell = true", command)).startswith("the program ended with exit code")


def test_pipe_whose_parts_all_succeed_gives_its_number(scenario):
    assert scenario("shell = true", "./program {x} 7 | tail -1").evaluation()({"x": 0.5}) == 7.0


def test_program_that_is_cut_off_by_head_is_told_why_it_failed(scenario):
    text = failure(scenario("shell = true", "yes {x} | head -1"))
    assert "exit code 141 (SIGPIPE: a later part of the pipe, e.g. head, ended before it had read all" in text


@pytest.mark.parametrize(("command", "fails"), [("false; echo {x}", False), ("false && echo {x}", True)])
def test_chain_fails_as_its_last_command_does(scenario, command, fails):
    made = scenario("shell = true", command)
    assert (failure(made) != "") if fails else (made.evaluation()({"x": 0.5}) == 0.5)


def test_set_e_lets_the_first_failure_end_a_chain(scenario):
    assert "exit code 1" in failure(scenario("shell = true", "set -e; false; echo {x}"))


@without_pipefail
@pytest.mark.parametrize("command", ["./program {x} | tail -1", "(./program {x})|tail -1", "./program {x} |& tail -1"])
def test_pipe_in_a_shell_without_pipefail_is_warned_of(scenario, tmp_path, command):
    made = scenario(f'shell = "{NO_PIPEFAIL}"', command)
    assert made.warnings == (
        f"{tmp_path}/scenario.toml: /bin/dash has no pipefail, so that the command counts as a success if only the "
        "last part of its pipe succeeds: set shell = true, which is bash, or write to a file and read that",
    )


@without_pipefail
@pytest.mark.parametrize(
    "command", ["./program {x} || true", "./program '|' {x}", "./program {x} >| out", "echo \\| {x}"]
)
def test_command_without_a_pipe_is_not_warned_of(scenario, command):
    assert scenario(f'shell = "{NO_PIPEFAIL}"', command).warnings == ()


@without_pipefail
def test_named_shell_runs_the_command(scenario):
    made = scenario('shell = "dash"', 'echo "v$BASH_VERSION" {x}')
    assert made.evaluation().run({"x": 0.5}).outputs["stdout"] == "v 0.5\n"


def test_named_shell_that_has_pipefail_uses_it(scenario):
    made = scenario('shell = "/bin/bash"', "false | echo {x}")
    assert (made.program.command.shell, made.warnings) == (Shell("/bin/bash", pipefail=True), ())
    assert "exit code 1" in failure(made)


def test_shell_named_by_a_path_is_that_of_the_folder(scenario, program):
    program('echo "mine $2"', "shell")
    made = scenario('shell = "./shell"', "echo {x}")
    assert made.evaluation().run({"x": 0.5}).outputs["stdout"].startswith("mine rembo_1=")


@pytest.mark.parametrize("shell", ["surely-no-such-shell", "./none", "/none/sh"])
def test_shell_that_is_not_there_is_told_with_its_line(scenario, shell):
    with pytest.raises(ScenarioError, match=r"scenario\.toml:3: the shell '.*' is not found: correct its name"):
        scenario(f'shell = "{shell}"')


def test_missing_bash_is_told_and_no_other_shell_is_taken(scenario, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ScenarioError, match=r"the shell 'bash' is not found: install it, or name another, e\.g\."):
        scenario("shell = true", "echo {x}")


def test_shell_that_cannot_be_run_is_told(scenario, program):
    program("", "shell").write_bytes(b"\x7fELF broken")
    with pytest.raises(ScenarioError, match=r"scenario\.toml:3: the shell '.*/shell' cannot be run"):
        scenario('shell = "./shell"')


def test_shell_passes_all_parameters(scenario):
    made = scenario("shell = true", ARGUMENTS + "{parameters}", OPTIONS)
    ending = made.evaluation().run({"eps": 0.5, "mode": "a b", "fast": True})
    assert ending.outputs["stdout"] == "<-e><0.5><--mode=a b><--fast><--level><very fast>"


@pytest.mark.parametrize("mode", ["$(touch injected)", "'; touch injected; '", "*"])
def test_shell_takes_no_part_of_a_parameter_for_a_command(scenario, tmp_path, mode):
    made = scenario("shell = true", ARGUMENTS + "{parameters} | cat", OPTIONS)
    ending = made.evaluation().run({"eps": 0.5, "mode": mode, "fast": False})
    assert ending.outputs["stdout"] == f"<-e><0.5><--mode={mode}>"
    assert not (tmp_path / "injected").exists()


@pytest.mark.parametrize("command", ["(echo {parameters})", "echo {parameters}|cat", "echo $(echo {parameters}); true"])
def test_parameters_are_a_word_beside_the_signs_of_a_shell(scenario, command):
    made = scenario("shell = true", command)
    assert made.evaluation().run({"x": 0.5}).outputs["stdout"] == "--x=0.5\n"


@pytest.mark.parametrize("command", ["echo x{parameters}", "echo {parameters}x", "echo {parameters}{parameters}"])
def test_parameters_inside_a_word_of_a_shell_are_refused(scenario, command):
    with pytest.raises(ScenarioError, match=r"scenario\.toml:1: \{parameters\} must be a word of its own"):
        scenario("shell = true", command)


def test_parameters_inside_the_quotes_of_a_shell_are_refused(scenario):
    with pytest.raises(ScenarioError, match=r"field \{parameters\} stands inside quotes"):
        scenario("shell = true", 'echo "{parameters}"')


def test_parameters_that_a_shell_passes_are_used(scenario):
    assert scenario("shell = true", "echo {parameters}", OPTIONS).warnings == ()


def test_parameters_outside_of_the_command_are_refused(scenario):
    with pytest.raises(ScenarioError, match=r"\{parameters\} stands only in commands: list the parameters here"):
        scenario(tables='[environment]\nFLAGS = "{parameters}"')


# No value is a command


VALUES = ["$(touch injected)", "`touch injected`", "'; touch injected; '", '"; touch injected; "', "\ntouch injected\n",
          "a[$(touch injected)]", "*", "x\ty  z", "\\", "-n", "", "#", "$HOME", "${x}", "'", "it's"]  # fmt: skip
COMMANDS = {
    "printf '<%s>' {x}": "<{}>",
    "printf '<%s>' a$(printf %s {x} | cat)b": None,  # cut into words, as the scenario's author has it
    "say() {{ printf '<%s>' {x}; }}; say other": "<{}>",
    "set -- a b; shift; printf '<%s>' {x} $# $1": "<{}><1><b>",
    "printf '<%s>' 'it' $# {x}": "<it><0><{}>",
    "printf '<%s>' {x} # it's {x}, \"as\" `it` $( is\nprintf '<%s>' {x}": "<{0}><{0}>",
}


@pytest.mark.parametrize("shell", ["true", "'/bin/sh'"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_value_is_run_by_a_shell(scenario, tmp_path, shell, command):
    options = f"x = {{type = 'categorical', choices = {json.dumps(VALUES)}}}"
    evaluation = scenario(f"shell = {shell}", command, options).evaluation()
    for value in VALUES:
        printed = evaluation.run({"x": value}).outputs["stdout"]
        assert COMMANDS[command] is None or printed == COMMANDS[command].format(value)
    assert not (tmp_path / "injected").exists()


def test_quotes_of_bash_hide_no_field(scenario):
    made = scenario("shell = true", "printf '<%s>' $'it\\'s' {x}")
    assert made.evaluation().run({"x": 0.5}).outputs["stdout"] == "<it's><0.5>"


def test_name_of_an_instance_is_not_run_by_a_shell(scenario, tmp_path):
    (tmp_path / "$(touch injected).lp").touch()
    made = scenario("shell = true\ninstances = '*.lp'", "printf '<%s>' {instance}; test {x}")
    assert made.evaluation().run({"x": 0.5}, "$(touch injected).lp").outputs["stdout"] == "<$(touch injected).lp>"
    assert not (tmp_path / "injected").exists()
