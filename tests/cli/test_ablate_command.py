"""`rembo ablate`: the changes that carry the gain of a tuned study, stored, resumed and told."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from rembo import Study
from rembo.optimizer import TrialState
from rembo.study import open_storage

NAMES = "abcdefghij"
SWITCH = '{{type = "bool", default = false, arguments = {{true = "-{0}", false = ""}}}}'
PARAMETERS = "\n".join(f"{name} = {SWITCH.format(name)}" for name in NAMES)
# 10 - 3 b - 5 (c and e); each run is one line of the file runs
SCRIPT = """
value=10; c=0
for word in "$@"; do case $word in
    -b) value=$((value - 3));;
    -c) c=1;;
    -e) [ $c = 1 ] && value=$((value - 5));;
esac; done
echo "run $*" >> runs
echo $value
"""


@pytest.fixture
def tuned(folder, rembo):
    """A folder with a study of ten switches, whose best trial has all of them on."""
    folder.program(SCRIPT)
    folder.scenario(command="./program {parameters}", parameters=PARAMETERS)
    past = [",".join(["value", *NAMES]), "10" + ",false" * len(NAMES), "2" + ",true" * len(NAMES)]
    (folder / "past.csv").write_text("\n".join(past) + "\n")
    assert rembo("import", "past.csv", "--scenario", "scenario.toml")[0] == 0
    assert rembo("tune", "scenario.toml", "--n-trials", 2)[0] == 0
    (folder / "runs").unlink()
    return folder


def lines(folder):
    path = folder / "runs"
    return path.read_text().splitlines() if path.exists() else []


def patiently(condition, seconds=120):
    """Wait for a condition; a limit that only catches what hangs."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing in {seconds} seconds")
        time.sleep(0.02)


def test_changes_that_carry_the_gain_are_printed(tuned, rembo):
    code, out, _ = rembo("ablate", "scenario.db")
    assert code == 0
    assert "from 10 to 2 (80.0% lower): 3 of 10 changes carry 100.0% of the gain" in out
    assert "only together: c, e" in out


def test_command_of_these_changes_alone_is_printed(tuned, rembo):
    _, out, _ = rembo("ablate", "scenario.db")
    assert out.splitlines()[-1].endswith("./program -b -c -e")


def test_trials_of_the_study_are_not_evaluated_again(tuned, rembo):
    rembo("ablate", "scenario.db")
    assert not {"run ", f"run {' '.join(f'-{name}' for name in NAMES)}"} & set(lines(tuned))


def test_evaluations_are_trials_of_a_study_in_the_same_file(tuned, rembo):
    _, out, err = rembo("ablate", "scenario.db")
    trials = tuned.trials(name="scenario-ablation")
    assert {trial.state for trial in trials} == {TrialState.COMPLETE}
    assert len(trials) == len(lines(tuned)) == len(err.splitlines())
    assert f"{len(trials)} evaluations; trying every change at every step takes 56" in out


def test_second_ablation_evaluates_nothing(tuned, rembo):
    _, first, _ = rembo("ablate", "scenario.db", "--json")
    count = len(lines(tuned))
    _, second, _ = rembo("ablate", "scenario.db", "--json")
    assert (len(lines(tuned)), json.loads(second)["steps"]) == (count, json.loads(first)["steps"])


def test_json_has_the_path_the_rest_and_the_flips(tuned, rembo):
    _, out, err = rembo("ablate", "scenario.db", "--json")
    told = json.loads(out)
    assert [[change["name"] for change in step["changes"]] for step in told["steps"]] == [["b"], ["c", "e"]]
    assert [step["share"] for step in told["steps"]] == [0.375, 0.625]
    assert (told["rest"]["share"], len(told["rest"]["changes"]), err) == (0.0, 7, "")
    assert told["flips"][0] == {"name": "b", "value": 5.0, "loss": 0.375}


def test_workers_find_the_same(tuned, rembo):
    _, alone, _ = rembo("ablate", "scenario.db", "--json")
    with Study.load("scenario.db", "scenario-ablation") as study:
        assert {trial.worker for trial in study.trials} != {None}
    (tuned / "scenario.db").rename(tuned / "alone.db")
    rembo("import", "past.csv", "--scenario", "scenario.toml")
    rembo("tune", "scenario.toml", "--n-trials", 2)
    _, together, _ = rembo("ablate", "scenario.db", "--json", "--workers", 2)
    assert json.loads(together) == {**json.loads(alone), "command": json.loads(together)["command"]}
    assert len({trial.worker for trial in tuned.trials(name="scenario-ablation")}) > 1


def test_failing_configurations_are_the_worst(tuned, rembo):
    tuned.program(SCRIPT + 'case "$*" in *-a*-b*|*-b*) ;; *-a*) exit 3;; esac')
    code, out, err = rembo("ablate", "scenario.db")
    assert (code, "failed: " in err, "3 of 10 changes" in out) == (0, True, True)


def test_flip_that_fails_is_null_in_json(tuned, rembo):
    tuned.program(SCRIPT + 'case "$*" in *-a*-j) case "$*" in *-b*) ;; *) exit 3;; esac;; esac')
    _, out, _ = rembo("ablate", "scenario.db", "--json")
    assert {"name": "b", "value": None, "loss": None} in json.loads(out)["flips"]


def test_evaluations_end_at_their_bound(tuned, rembo):
    code, out, _ = rembo("ablate", "scenario.db", "--max-evaluations", 6)
    assert (code, len(lines(tuned)) <= 6) == (0, True)
    assert "ended by max_evaluations: 100.0% of the gain is not explained" in out


def test_share_says_how_much_to_explain(tuned, rembo):
    tuned.program('echo "run $*" >> runs; expr 100 - $#')
    _, out, _ = rembo("ablate", "scenario.db", "--share", 0.5, "--json")
    assert json.loads(out)["explained"] >= 0.5


def test_ablation_goes_on_to_a_new_best(tuned, rembo):
    rembo("ablate", "scenario.db")
    with Study.load("scenario.db", "scenario") as study:
        study.tell(study.adopt({**dict.fromkeys(NAMES, True), "j": False}), 1.0)
    _, out, _ = rembo("ablate", "scenario.db")
    assert "from 10 to 1 " in out


# Other commands


def test_show_shows_the_tuned_study_after_its_ablation(tuned, rembo):
    rembo("ablate", "scenario.db")
    assert rembo("show", "scenario.db")[1].startswith("study      scenario in scenario.db")
    assert rembo("show", "scenario.db", "--name", "scenario-ablation")[1].startswith("study      scenario-ablation")


def test_resume_goes_on_with_the_tuned_study_after_its_ablation(tuned, rembo):
    rembo("ablate", "scenario.db")
    assert rembo("resume", "scenario.db", "--n-trials", 4)[0] == 0
    assert len(tuned.trials()) == 6


def test_study_that_only_sounds_like_an_ablation_is_found(tuned, rembo):
    assert rembo("tune", "scenario.toml", "--storage", "other.db", "--name", "my-ablation")[0] == 0
    assert rembo("show", "other.db")[1].startswith("study      my-ablation")


# Interruptions


SLOW = "sleep 0.2" + SCRIPT


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_an_ablation_with_all_that_was_finished_stored(tuned, number, code):
    tuned.program(SLOW)
    process = tuned.start("ablate", "scenario.db")
    patiently(lambda: len(lines(tuned)) >= 3)
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert "evaluations are stored; go on with: rembo ablate scenario.db --name scenario" in err
    values = tuned.values(name="scenario-ablation")
    assert len([value for value in values if value is not None]) >= 3


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_second_signal_ends_an_ablation_at_once_with_its_program(tuned, number, code):
    tuned.program("echo $$ > pid.new; mv pid.new pid; exec sleep 600")
    process = tuned.start("ablate", "scenario.db")
    patiently((tuned / "pid").exists)
    process.send_signal(number)
    time.sleep(0.2)
    process.send_signal(number)
    process.communicate(timeout=120)
    assert process.returncode == code
    patiently(lambda: not Path(f"/proc/{(tuned / 'pid').read_text().strip()}").exists())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_ablation_goes_on_without_evaluating_twice(tuned, rembo, number):
    tuned.program(SLOW)
    process = tuned.start("ablate", "scenario.db")
    patiently(lambda: len(lines(tuned)) >= 4)
    process.send_signal(number)
    process.communicate(timeout=120)
    tuned.program(SCRIPT)
    code, out, _ = rembo("ablate", "scenario.db")
    assert (code, "3 of 10 changes carry 100.0% of the gain" in out) == (0, True)
    twice = len(lines(tuned)) - len(set(lines(tuned)))
    assert twice <= 1  # the one that was running, which may have written its line


def test_killed_ablation_ends_as_if_it_had_never_been_killed(tuned, rembo):
    tuned.program(SLOW)
    process = tuned.start("ablate", "scenario.db", "--workers", "2")
    patiently(lambda: len(lines(tuned)) >= 5)
    process.kill()
    process.communicate(timeout=120)
    _, out, _ = rembo("ablate", "scenario.db", "--json")
    told = json.loads(out)
    assert [step["value"] for step in told["steps"]] == [7.0, 2.0]
    assert told["evaluations"] == len(tuned.trials(name="scenario-ablation"))


# What is refused


def test_study_without_a_default_is_refused(folder, rembo):
    folder.scenario(parameters='x = {type = "float", low = 0.0, high = 1.0}')
    rembo("tune", "scenario.toml")
    code, _, err = rembo("ablate", "scenario.db")
    assert (code, "has no default configuration to start from: in Python, rembo.ablate" in err) == (2, True)


def test_best_that_is_the_default_is_refused(folder, rembo):
    folder.scenario(parameters='x = {type = "float", low = 0.0, high = 1.0, default = 0.3}')
    rembo("tune", "scenario.toml")
    code, _, err = rembo("ablate", "scenario.db")
    assert (code, "the best configuration of study 'scenario' is its default" in err) == (2, True)


def test_study_without_a_value_is_refused(tuned, rembo):
    (tuned / "past.csv").write_text("value,state," + ",".join(NAMES) + "\n,FAIL" + ",true" * len(NAMES) + "\n")
    rembo("import", "past.csv", "--scenario", "scenario.toml", "--storage", "failed.db")
    code, _, err = rembo("ablate", "failed.db")
    assert (code, "has no value yet: go on with rembo resume failed.db" in err) == (2, True)


def test_files_of_the_printed_command_are_kept_beside_the_study(folder, rembo):
    folder.program("awk '{s += ($1 - 0.5)^2} END {print s}' \"$1\"")
    folder.scenario(
        command="./program {file:w}",
        parameters='w = {type = "array", size = 3, low = 0.0, high = 1.0, default = [0.0, 0.0, 0.0]}',
    )
    assert rembo("tune", "scenario.toml", "--n-trials", 6)[0] == 0
    command = rembo("ablate", "scenario.db")[1].splitlines()[-1]
    assert str(folder / "scenario-ablated") in command
    assert float(subprocess.run(command, shell=True, capture_output=True, check=True).stdout) < 0.75


def test_study_of_python_is_refused_and_the_function_named(folder, rembo):
    from rembo import Box

    with Study(Box(3), storage="python.db", name="mine") as study:
        study.optimize(lambda x: x[0], 2)
    code, _, err = rembo("ablate", "python.db")
    assert (code, "study 'mine' was begun by no scenario" in err, "or by rembo.ablate" in err) == (2, True, True)


def test_scenario_that_has_changed_is_refused(tuned, rembo):
    text = (tuned / "scenario.toml").read_text()
    (tuned / "scenario.toml").write_text(text.replace("{parameters}", "-z {parameters}"))
    code, _, err = rembo("ablate", "scenario.db")
    assert (code, "was begun by another scenario" in err, lines(tuned)) == (2, True, [])


@pytest.mark.parametrize("share", ["1.5", "0", "nan", "much"])
def test_share_beyond_the_gain_is_refused_before_anything_is_stored(tuned, rembo, share, capsys):
    with pytest.raises(SystemExit, match="2"):
        rembo("ablate", "scenario.db", "--share", share)
    assert f"'{share}' must be a share of the gain, above 0 and not above 1" in capsys.readouterr().err
    assert open_storage(tuned / "scenario.db").names() == ["scenario"]


def test_bound_below_the_two_ends_is_refused_before_anything_is_stored(tuned, rembo, capsys):
    with pytest.raises(SystemExit, match="2"):
        rembo("ablate", "scenario.db", "--max-evaluations", 1)
    assert "'1' must be a whole number of at least 2" in capsys.readouterr().err
    assert open_storage(tuned / "scenario.db").names() == ["scenario"]
