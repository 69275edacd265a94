"""`rembo tune` and `rembo resume`, with a real program."""

import json
import shutil
import subprocess

import pytest

from rembo import Float, Space
from rembo.study import Study


def test_tune_prints_a_command_that_gives_the_best_value(folder, rembo):
    code, out, _ = rembo("tune", "scenario.toml")
    best, line = out.splitlines()
    again = subprocess.run(line, shell=True, capture_output=True, text=True, check=True)
    assert (code, best.split()[2]) == (0, repr(float(again.stdout)))


def test_tune_starts_from_the_default_configuration(folder, rembo):
    rembo("tune", "scenario.toml")
    assert folder.trials()[0].x == {"x": 0.5}


def test_tune_says_where_the_search_stands_after_each_trial(folder, rembo):
    _, _, err = rembo("tune", "scenario.toml")
    assert [line.split(":")[0] for line in err.splitlines()[1:]] == [f"trial {number}" for number in range(1, 5)]
    assert "5/5: best" in err.splitlines()[-1]


def test_quiet_tune_prints_the_result_alone(folder, rembo):
    _, out, err = rembo("tune", "scenario.toml", "--quiet")
    assert (len(out.splitlines()), err) == (2, "")


def test_json_of_tune_has_a_line_for_each_trial_and_one_for_the_end(folder, rembo):
    _, out, err = rembo("tune", "scenario.toml", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["event"] for line in lines] == ["trial"] * 4 + ["end"]
    assert (lines[-1]["best"]["value"], lines[-1]["trials"], err) == (min(folder.values()), 5, "")


def test_tune_goes_on_with_the_study_that_is_there(folder, rembo):
    rembo("tune", "scenario.toml", "--n-trials", 3)
    before = folder.values()
    rembo("tune", "scenario.toml")
    assert (folder.values()[:3], len(folder.values())) == (before, 5)


def test_finished_study_is_told_and_not_run_again(folder, rembo):
    first = rembo("tune", "scenario.toml", "--quiet")
    assert rembo("tune", "scenario.toml", "--quiet") == first


def test_storage_and_name_say_where_the_study_is_kept(folder, rembo):
    rembo("tune", "scenario.toml", "--storage", "other.db", "--name", "mine")
    assert len(folder.values("other.db", "mine")) == 5


def test_scenario_elsewhere_keeps_its_study_beside_it(folder, rembo):
    (folder / "deep").mkdir()
    (folder / "scenario.toml").rename(folder / "deep" / "scenario.toml")
    (folder / "program").rename(folder / "deep" / "program")
    rembo("tune", "deep/scenario.toml")
    assert len(folder.values("deep/scenario.db")) == 5


def test_seed_of_the_command_line_reaches_the_program(folder, rembo):
    folder.scenario(command="echo {seed} {x}", top="objective = {pattern = '^(\\S+)'}")
    rembo("tune", "scenario.toml", "--seed", 7)
    assert folder.values() == [7.0] * 5


def test_maximised_scenario_reports_the_highest_value(folder, rembo):
    folder.scenario("direction = 'maximize'")
    _, out, _ = rembo("tune", "scenario.toml")
    assert out.startswith(f"best value {max(folder.values())!r} ")


def test_default_optimizer_tunes_too(folder, rembo):
    folder.scenario(optimizer="default")
    assert rembo("tune", "scenario.toml")[0] == 0
    assert folder.trials()[0].x["x"] == pytest.approx(0.5)


def test_optimizer_that_cannot_represent_the_default_starts_elsewhere(folder, rembo):
    folder.scenario(parameters="w = {type = 'array', size = 9, low = -1.0, high = 1.0, default = 0.7}")
    text = (folder / "scenario.toml").read_text().replace("{x}", "{w}")
    (folder / "scenario.toml").write_text(text.replace("'random'", "{name = 'rembo', embedding_dim = 2}"))
    folder.program("echo 1")
    assert rembo("tune", "scenario.toml", "--n-trials", 2)[0] == 0


def test_dry_run_prints_three_commands_and_runs_the_first(folder, rembo):
    code, out, _ = rembo("tune", "scenario.toml", "--dry-run")
    assert (code, out.count("./program "), out.splitlines()[-1]) == (0, 3, "the first gives 0.04")
    assert not (folder / "scenario.db").exists()


@pytest.mark.parametrize("arguments", [[], ["--dry-run"]])
def test_program_without_an_objective_stops_the_search_at_once(folder, rembo, arguments):
    folder.program("echo no result; echo run >> runs")
    code, _, err = rembo("tune", "scenario.toml", *arguments)
    assert (code, (folder / "runs").read_text()) == (2, "run\n")
    assert "the first run gives no objective: no number on stdout; the output ends in:\nno result" in err
    assert "Correct the command or the objective" in err
    assert not (folder / "scenario.db").exists()


def test_program_that_crashes_at_first_stops_the_search(folder, rembo):
    folder.program("echo missing library >&2; exit 127")
    code, _, err = rembo("tune", "scenario.toml")
    assert code == 2
    assert "exit code 127; its stderr ends in:\nmissing library" in err


def test_missing_objective_is_told_even_where_failures_count_as_a_number(folder, rembo):
    folder.scenario("on_failure = 9.0")
    folder.program("echo no result")
    assert rembo("tune", "scenario.toml")[0] == 2


def test_first_crash_counts_where_failures_count_as_a_number(folder, rembo):
    folder.scenario("on_failure = 9.0")
    folder.program("exit 1")
    assert rembo("tune", "scenario.toml")[0] == 0
    assert folder.values() == [9.0] * 5


def test_search_goes_on_after_a_timeout_and_fails_if_nothing_succeeds(folder, rembo):
    folder.scenario("trial_timeout = 0.05")
    folder.program("sleep 60")
    code, out, err = rembo("tune", "scenario.toml", "--n-trials", 2)
    assert (code, out) == (1, "")
    assert "rembo: none of 2 trials has succeeded: 2 failed; the last failure was: not finished after 0.05" in err
    assert "trial 1 failed: " in err


def test_json_of_a_search_without_success_ends_without_a_best_trial(folder, rembo):
    folder.scenario("trial_timeout = 0.05")
    folder.program("sleep 60")
    code, out, _ = rembo("tune", "scenario.toml", "--n-trials", 1, "--json")
    end = json.loads(out.splitlines()[-1])
    assert (code, end["event"], end["failed"], end["best"]) == (1, "end", 1, None)


def test_failures_are_noted_while_the_search_runs(folder, rembo):
    folder.program('[ "$1" = 0.5 ] && echo 1 || { echo broken >&2; exit 3; }')
    code, out, err = rembo("tune", "scenario.toml")
    assert (code, "4 failed" in out, "trial 4 failed: broken" in err) == (0, True, True)


def test_changed_scenario_is_refused_with_the_differences(folder, rembo):
    rembo("tune", "scenario.toml")
    folder.scenario("trial_timeout = 9", command="./program {x} more")
    code, _, err = rembo("tune", "scenario.toml")
    assert code == 2
    assert "command is './program {x}' in the file and './program {x} more' here" in err
    assert "trial_timeout is missing in the file and 9 here" in err


def test_changed_parameter_file_is_refused(folder, rembo):
    (folder / "parameters.txt").write_text('x "" r (0, 1)\n')
    text = (folder / "scenario.toml").read_text().split("[parameters]")[0]
    (folder / "scenario.toml").write_text(f"{text}parameters = 'parameters.txt'\n")
    assert rembo("tune", "scenario.toml")[0] == 0
    (folder / "parameters.txt").write_text('x "" r (0, 2)\n')
    code, _, err = rembo("resume", "scenario.db")
    assert (code, "parameters.txt" in err) == (2, True)


def test_changed_number_of_trials_is_no_other_scenario(folder, rembo):
    rembo("tune", "scenario.toml")
    text = (folder / "scenario.toml").read_text()
    (folder / "scenario.toml").write_text(text.replace("n_trials = 5", "n_trials = 6"))
    assert (rembo("resume", "scenario.db")[0], len(folder.values())) == (0, 6)


def test_other_seed_than_the_study_has_is_refused(folder, rembo):
    rembo("tune", "scenario.toml")
    code, _, err = rembo("tune", "scenario.toml", "--seed", 2)
    assert (code, "study 'scenario' has the seed 1, not 2: leave --seed out" in err) == (2, True)


def test_seed_of_the_study_is_kept_when_it_was_given_once(folder, rembo):
    folder.scenario(command="echo {seed} {x}", top="objective = {pattern = '^(\\S+)'}")
    rembo("tune", "scenario.toml", "--seed", 7, "--n-trials", 2)
    assert rembo("tune", "scenario.toml")[0] == 0
    assert folder.values() == [7.0] * 5


def test_resume_finishes_what_tune_has_begun(folder, rembo):
    rembo("tune", "scenario.toml", "--storage", "whole.db")
    rembo("tune", "scenario.toml", "--n-trials", 2)
    assert rembo("resume", "scenario.db")[0] == 0
    assert folder.values() == folder.values("whole.db")


def test_resume_works_after_scenario_and_study_have_moved_together(folder, rembo, monkeypatch):
    (folder / "old").mkdir()
    (folder / "program").rename(folder / "old" / "program")
    (folder / "scenario.toml").rename(folder / "old" / "scenario.toml")
    rembo("tune", "old/scenario.toml", "--n-trials", 2)
    (folder / "old").rename(folder / "new")
    assert (rembo("resume", "new/scenario.db")[0], len(folder.values("new/scenario.db"))) == (0, 5)


def test_resume_says_how_to_go_on_without_the_scenario_of_the_study(folder, rembo):
    rembo("tune", "scenario.toml")
    (folder / "scenario.toml").unlink()
    code, _, err = rembo("resume", "scenario.db")
    assert (code, "rembo tune SCENARIO --storage scenario.db --name scenario" in err) == (2, True)


def test_study_that_no_scenario_has_begun_is_not_resumed(folder, rembo):
    Study(Space({"x": Float(0.0, 1.0)}), storage=folder / "python.db", seed=0).close()
    code, _, err = rembo("resume", "python.db")
    assert (code, "was begun by no scenario, so its f is unknown here: go on with it in Python" in err) == (2, True)


def test_best_command_with_a_parameter_file_can_be_run(folder, rembo):
    (folder / "params.in").write_text("x {x}\n")
    folder.program('read name x < "$1"; awk "BEGIN {print ($x - 0.3)^2 + $OFFSET}"')
    tables = "[environment]\nOFFSET = '1'\n[parameter_file]\ntemplate = 'params.in'\n"
    folder.scenario(tables, command="./program {parameter_file}")
    _, out, _ = rembo("tune", "scenario.toml")
    again = subprocess.run(out.splitlines()[1], shell=True, capture_output=True, text=True, check=True)
    assert again.stdout.strip() == f"{min(folder.values()):.6g}"


def test_command_for_the_first_of_several_instances_is_shown(folder, rembo):
    folder.scenario("instances = [3, 4]", command="./program {x} {instance}")
    _, out, _ = rembo("tune", "scenario.toml")
    assert (out.splitlines()[1][-2:], out.splitlines()[2]) == (" 3", "that is the first of 2 instances")


def test_unused_parameter_is_warned_of(folder, rembo):
    folder.scenario(command="echo 1")
    assert "parameter 'x' is used nowhere" in rembo("tune", "scenario.toml")[2]


@pytest.mark.parametrize("where", [["--workers", 2], ["--dask", "local:2"], ["--workers", 1]])
def test_deterministic_study_is_the_same_wherever_it_runs(folder, rembo, where):
    rembo("tune", "scenario.toml", "--deterministic")
    rembo("tune", "scenario.toml", "--deterministic", "--storage", "other.db", *where)
    assert folder.values("other.db") == folder.values()


def test_resumed_study_is_deterministic_if_it_was_begun_so(folder, rembo):
    folder.scenario(optimizer="default")
    rembo("tune", "scenario.toml", "--deterministic", "--n-trials", 3)
    shutil.copy("scenario.db", "other.db")
    rembo("resume", "scenario.db", "--n-trials", 12)
    rembo("resume", "other.db", "--n-trials", 12, "--workers", 2)
    assert folder.values() == folder.values("other.db")


def test_first_trial_has_times_and_a_worker_as_the_others_have(folder, rembo):
    folder.program('sleep 0.1; awk "BEGIN {print ($1 - 0.3)^2}"')
    rembo("tune", "scenario.toml", "--n-trials", 2)
    first, second = folder.trials()
    assert first.duration >= 0.1
    assert (first.worker, first.finished_at <= second.started_at) == (second.worker, True)


def test_export_has_the_duration_of_every_trial(folder, rembo):
    rembo("tune", "scenario.toml")
    rembo("export", "scenario.db", "-o", "out.jsonl")
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [row["duration"] > 0.0 for row in rows] == [True] * 5


def test_first_run_that_takes_too_long_is_not_run_again(folder, rembo):
    folder.scenario("trial_timeout = 0.5")
    folder.program("echo run >> runs; sleep 60")
    rembo("tune", "scenario.toml", "--n-trials", 2)
    assert (folder / "runs").read_text() == "run\n" * 2
    assert folder.trials()[0].duration >= 0.5


GONE = 'echo run >> runs; awk "BEGIN {print ($1 - 0.3)^2}"; [ $(wc -l < runs) -lt 3 ] || '


@pytest.mark.parametrize("last", ["rm program", "chmod -x program", "echo '#!/none' > program"])
def test_program_that_can_no_longer_be_started_ends_the_search(folder, rembo, last):
    folder.program(GONE + last)
    code, out, err = rembo("tune", "scenario.toml", "--n-trials", 100)
    assert (code, len(folder.trials())) == (2, 3 + 5)
    assert out.startswith(f"best value {min(folder.values()[:3])!r} in trial ")
    assert "rembo: given up, since the program could not be started 5 times in a row: the program cannot be" in err
    assert "Mend it, and go on with: rembo resume scenario.db --name scenario" in err


@pytest.mark.parametrize(("top", "code"), [("shell = true", 127), ("shell = true\non_failure = 9.0", 127)])
def test_shell_that_no_longer_finds_the_program_ends_the_search(folder, rembo, top, code):
    folder.scenario(top)
    folder.program(GONE + "rm program")
    assert (rembo("tune", "scenario.toml", "--n-trials", 100)[0], len(folder.trials())) == (2, 8)
    assert f"exit code {code}" in folder.trials()[-1].error


def test_search_goes_on_once_the_program_is_mended(folder, rembo):
    folder.program(GONE + "rm program")
    rembo("tune", "scenario.toml", "--n-trials", 100)
    folder.program()
    assert rembo("resume", "scenario.db", "--n-trials", 10)[0] == 0
    assert sum(value is not None for value in folder.values()) == 3 + 2


def test_json_says_that_a_search_was_given_up(folder, rembo):
    folder.program(GONE + "rm program")
    code, out, _ = rembo("tune", "scenario.toml", "--n-trials", 100, "--json")
    end = json.loads(out.splitlines()[-1])
    assert (code, end["end"], end["trials"], end["failed"]) == (2, "STOPPED", 8, 5)
    assert end["best"]["value"] == min(folder.values()[:3])


def test_crashes_of_a_program_that_runs_do_not_end_the_search(folder, rembo):
    folder.program('[ "$1" = 0.5 ] && echo 1 || { echo broken >&2; exit 3; }')
    assert rembo("tune", "scenario.toml", "--n-trials", 12)[0] == 0
    assert len(folder.trials()) == 12


def test_starts_that_fail_now_and_then_do_not_end_the_search(folder, rembo):
    folder.program("echo run >> runs; [ $(($(wc -l < runs) % 5)) = 1 ] && echo 1 || exit 127")
    assert rembo("tune", "scenario.toml", "--n-trials", 15)[0] == 0
    assert len(folder.trials()) == 15


def test_program_that_cannot_be_started_at_first_stops_even_where_failures_count(folder, rembo):
    folder.scenario("on_failure = 9.0")
    folder.program("exit 127")
    assert rembo("tune", "scenario.toml")[0] == 2


def test_failed_and_pruned_trials_are_counted_apart(folder, rembo):
    past = ["params_x,value,state", "0.1,,PRUNED", "0.2,,FAIL", "0.3,7.0,COMPLETE"]
    (folder / "past.csv").write_text("\n".join(past))
    rembo("import", "past.csv", "--scenario", "scenario.toml")
    _, out, err = rembo("tune", "scenario.toml", "--n-trials", 1)
    assert out.splitlines()[0].endswith(" of 4, 1 failed, 1 pruned")
    assert err.splitlines()[-1].endswith("1 failed)")


def test_search_of_pruned_trials_alone_has_no_success(folder, rembo):
    folder.scenario("trial_timeout = 0.05")
    folder.program("sleep 60")
    (folder / "past.csv").write_text("params_x,value,state\n0.1,,PRUNED\n")
    rembo("import", "past.csv", "--scenario", "scenario.toml")
    code, _, err = rembo("tune", "scenario.toml", "--n-trials", 1)
    assert (code, "none of 2 trials has succeeded: 1 failed, 1 pruned; the last" in err) == (1, True)


def test_pipe_that_fails_does_not_give_a_best_value(folder, rembo):
    folder.scenario("shell = true", command="./program {x} > out && cat none | wc -l")
    code, out, err = rembo("tune", "scenario.toml")
    assert (code, out) == (2, "")
    assert "the first run gives no objective: the program ended with exit code 1" in err


@pytest.mark.parametrize("command", ["tune", "resume"])
def test_warnings_are_told_before_each_run(folder, rembo, command):
    folder.scenario(command="echo 1")
    rembo("tune", "scenario.toml", "--n-trials", 2)
    file = "scenario.toml" if command == "tune" else "scenario.db"
    assert "parameter 'x' is used nowhere" in rembo(command, file)[2]
