"""The commands about files: `rembo new`, `rembo export`, `rembo backup` and `rembo verify`."""

from argparse import Namespace

from rembo.cli.ending import ExitCode, UsageError
from rembo.cli.say import remark, say
from rembo.scenario import Scenario
from rembo.study import Verdict, Verification, backup, open_storage, verify
from rembo.study.exchange import export_trials
from rembo.study.opening import the_only


def new_command(given: Namespace) -> int:
    """Write a scenario to start from, where there is no file yet."""
    try:
        with open(given.scenario, "x", encoding="utf-8") as scenario:
            scenario.write(Scenario.new_text())
    except FileExistsError:
        raise UsageError(f"{given.scenario} is there already: give another name, e.g. rembo new mine.toml") from None
    say(f"{given.scenario} is written: edit it, then try it with: rembo tune {given.scenario} --dry-run")
    return ExitCode.DONE


def export_command(given: Namespace) -> int:
    """Write the trials of a study as a table."""
    storage = open_storage(given.file)
    study = storage.read(the_only(storage, given.name, given.file))
    export_trials(study.trials, given.output)
    say(f"{given.output}: {len(study.trials)} trials")
    return ExitCode.DONE


def backup_command(given: Namespace) -> int:
    """Copy a file of studies."""
    backup(given.file, given.copy)
    say(f"{given.copy} has the studies of {given.file} as they are now")
    return ExitCode.DONE


def verify_command(given: Namespace) -> int:
    """Compute every suggestion once more, and say whether all are the same."""
    found = verify(given.file, given.name)
    if found.verdict is Verdict.HOLDS:
        say(f"study {found.name!r} holds: {found.followed} suggestions follow, {found.given} points were given")
        return ExitCode.DONE
    remark(_stray(found))
    return ExitCode.UNKNOWN if found.verdict is Verdict.UNKNOWN else ExitCode.FAILED


def _stray(found: Verification) -> str:
    assert found.stray is not None  # asked of studies that do not hold
    what = (
        f"trial {found.stray.number} does not follow from what was told before it, its point lies {found.farthest:.3g} "
        f"away from the one suggested; {found.followed} before it do"
    )
    if found.verdict is Verdict.FAILS:
        return f"rembo: study {found.name!r} does not hold: {what}"
    return (
        f"rembo: whether study {found.name!r} holds cannot be told here: {what}. It was suggested elsewhere, "
        f"so its last bits may differ, and what follows from them: {'; '.join(found.elsewhere)}"
    )
