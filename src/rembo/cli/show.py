"""`rembo show`: what a study has found, read without waiting for who writes it."""

import shutil
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rembo.cli.ending import ExitCode
from rembo.cli.say import say
from rembo.cli.watch import trial_data, write_json
from rembo.legible import legible
from rembo.optimizer import Growing, Importance, TrialState
from rembo.progress import duration
from rembo.study import StudyTrial, open_storage
from rembo.study.book import Book
from rembo.study.codec import decode, own_classes
from rembo.study.comparison import compare_with_default, plain_default
from rembo.study.direction import best_first, sign_of
from rembo.study.memory import Memory
from rembo.study.opening import without_ablations
from rembo.study.storage import StoredStudy

_LISTED = 5  # of the best trials and the last ones
_LISTED_GROUPS = 10
_MOST_PARAMETERS = 50  # of the best trial, unless all are asked for
_LABEL = 10


def show_command(given: Namespace) -> int:
    """Show a study, or the list of studies where there are several and none is named."""
    storage = open_storage(given.file)
    chosen = without_ablations(storage.names()) if given.name is None else [given.name]
    studies = [storage.read(name) for name in chosen]
    show = _show_all if len(studies) != 1 else _show_one
    show(studies, given)
    return ExitCode.DONE


def _show_all(studies: Sequence[StoredStudy], given: Namespace) -> None:
    overview = [_overview(study) for study in studies]
    write_json(overview) if given.json else _print_overview(overview, given.file)


def _show_one(studies: Sequence[StoredStudy], given: Namespace) -> None:
    """What is quickly read comes first: to say what matters, the model is fitted again."""
    data = _described(studies[0])
    if not given.json:
        _print_study(data, given.file, plain_default(studies[0].header.space), given.all)
    data["importance"] = [] if given.no_importance else [_importance_data(each) for each in _importance(studies[0])]
    write_json(data) if given.json else _print_importance(data["importance"])


def _overview(study: StoredStudy) -> dict[str, Any]:
    best = _by_value(study)[:1]
    return {
        "name": study.header.name,
        "direction": study.header.direction,
        "trials": len(study.trials),
        "states": dict(Counter(trial.state.name for trial in study.trials)),
        "best": trial_data(best[0]) if best else None,
    }


def _described(study: StoredStudy) -> dict[str, Any]:
    """All that is shown of a study, as JSON data."""
    finished = [trial for trial in study.trials if trial.told is not None]
    return {
        **_overview(study),
        "default": _default_data(study),
        "optimizer": None if study.header.optimizer is None else study.header.optimizer["$type"].removeprefix("rembo."),
        "own_classes": own_classes(study.header.optimizer),
        "readable": all(trial.readable for trial in study.trials),
        "best_trials": [trial_data(trial) for trial in _by_value(study)[:_LISTED]],
        "last_trials": [trial_data(trial) for trial in finished[-_LISTED:]],
        "failures": _failures(study.trials),
    }


def _default_data(study: StoredStudy) -> dict[str, Any] | None:
    """The best trial beside the default configuration."""
    found = compare_with_default(study.header.space, study.trials, next(iter(_by_value(study)), None))
    if found is None:
        return None
    default = None if found.default is None else {"number": found.default.number, "value": found.default.value}
    return {"differing": list(found.differing), "of": found.of, "trial": default, "text": str(found)}


def _by_value(study: StoredStudy) -> list[StudyTrial]:
    """The complete trials, the best first."""
    return best_first(study.trials, study.header.direction)


def _importance(study: StoredStudy) -> Sequence[Importance]:
    """What the default optimizer says, brought to where it is in a copy of the study; nothing if it cannot say yet."""
    if own_classes(study.header.optimizer):
        return ()
    optimizer = decode(study.header.optimizer)
    if not isinstance(optimizer, Growing):
        return ()
    copy = Memory().begin(study.header)
    for trial in study.trials:
        copy.add(trial)
    Book(copy, optimizer, sign_of(study.header.direction))
    try:
        return optimizer.importance()[:_LISTED_GROUPS]
    except ValueError:  # too few values
        return ()


def _importance_data(group: Importance) -> dict[str, Any]:
    return {**asdict(group), "matters": group.matters}


def _failures(trials: Iterable[StudyTrial]) -> list[dict[str, Any]]:
    """Failures by reason, the most frequent first, each with its last error."""
    failed = [trial for trial in trials if trial.state is TrialState.FAIL]
    last = {_reason(trial): trial for trial in failed}
    counts = Counter(map(_reason, failed)).most_common()
    return [{"reason": reason, "count": count, "last": trial_data(last[reason])} for reason, count in counts]


def _reason(trial: StudyTrial) -> str:
    return "ERROR" if trial.reason is None else trial.reason.name


def _print_overview(overview: Sequence[dict[str, Any]], file: Path) -> None:
    say(f"{file} has {len(overview)} studies; --name shows one of them")
    for study in overview:
        best = "no value" if study["best"] is None else f"best {study['best']['value']!r}"
        say(f"  {study['name']}: {study['trials']} trials, {best}")


def _print_study(data: dict[str, Any], file: Path, default: Mapping[str, Any], everything: bool) -> None:
    states = ", ".join(f"{count} {state}" for state, count in data["states"].items())
    _print("study", f"{data['name']} in {file}: {data['direction']}, by {data['optimizer']}")
    if data["own_classes"]:
        _print("", f"with classes that are not rembo's: {', '.join(data['own_classes'])}")
    _print("trials", f"{data['trials']}: {states}" if states else "none yet")
    if data["best"] is not None:
        _print_best(data, default, everything)
    _print_table("best ones", data["best_trials"], default)
    _print_table("last ones", data["last_trials"], default)
    for failure in data["failures"]:
        _print("failures", f"{failure['count']} {failure['reason']}, the last in trial {failure['last']['number']}:")
        _print("", str(failure["last"]["error"]))


def _print_best(data: dict[str, Any], default: Mapping[str, Any], everything: bool) -> None:
    """The best trial: what differs from the default first, and of the rest how many there are."""
    params, compared = data["best"]["params"], data["default"]
    differing = list(params) if compared is None else compared["differing"]
    _print("best", f"{data['best']['value']!r} in trial {data['best']['number']}")
    if compared is not None:
        _print_against_default(compared)
    names = [*differing, *(name for name in params if name not in set(differing))]
    shown = names if everything else differing[:_MOST_PARAMETERS]
    unread = "too many numbers to show" if data["readable"] else "known where the class above is imported"
    for name in shown:
        beside = f" (default {default[name]!r})" if compared is not None and name in set(differing) else ""
        _print("", f"{name}: {unread}" if params[name] is None else f"{name} = {params[name]!r}{beside}")
    if len(shown) < len(names):
        _print("", f"and {len(names) - len(shown)} more parameters: --all shows them")


def _print_against_default(compared: dict[str, Any]) -> None:
    if compared["trial"] is not None:
        _print("default", f"{compared['trial']['value']!r} in trial {compared['trial']['number']}")
    _print("", compared["text"])


def _print_table(label: str, trials: Sequence[dict[str, Any]], default: Mapping[str, Any]) -> None:
    """A line for each trial, with the parameters that are not as in the default."""
    for trial in trials:
        outcome = trial["reason"] or trial["state"] if trial["value"] is None else f"{trial['value']:.6g}"
        seconds = "" if trial["seconds"] is None else duration(trial["seconds"])
        changed = {
            name: value for name, value in trial["params"].items() if name not in default or value != default[name]
        }
        params = " ".join(f"{name}={_short(value)}" for name, value in changed.items())
        _print(label, f"{trial['number']:>5} {outcome:>12} {seconds:>8}  {params}")
        label = ""


def _print_importance(groups: Sequence[dict[str, Any]]) -> None:
    """What changing a group alone does, first of those that surely do something, then of those that may."""
    if not groups:
        return
    _print(
        "", "change of f, for the worse if positive, and its 90 % range, if this alone is changed in the best trial:"
    )
    sure = [group for group in groups if group["matters"]]
    _print_groups("matters", sure) if sure else _print("matters", "nothing surely, by the trials so far")
    _print_groups("may matter", [group for group in groups if not group["matters"]])


def _print_groups(label: str, groups: Sequence[dict[str, Any]]) -> None:
    for group in groups:
        change = f"{group['effect']:>+10.3g} ({group['effect_low']:+.3g} to {group['effect_high']:+.3g})"
        _print(label, f"{change:<36} {_group_name(group)}")
        label = ""


def _group_name(group: dict[str, Any]) -> str:
    """The parameters of a group; several were never moved apart, so that the trials cannot tell them apart."""
    if not group["parameters"]:
        return f"one or more of {group['size']:,} parameters, not told apart"
    names = ", ".join(group["parameters"])
    more = group["size"] - len(group["parameters"])
    listed = f"{names} and {more:,} more" if more else names
    return listed if group["size"] == 1 else f"one or more of {group['size']:,}, not told apart: {listed}"


def _short(value: Any) -> str:
    return (
        f"{value:.4g}" if isinstance(value, float) else "..." if isinstance(value, (list, type(None))) else str(value)
    )


def _print(label: str, text: str) -> None:
    width = shutil.get_terminal_size(fallback=(200, 24)).columns - _LABEL - 1
    say(f"{label:<{_LABEL}} {legible(text)[:width]}".rstrip())
