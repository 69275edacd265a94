"""How an evaluation says that it failed: by an exception that knows its reason."""

from rembo.study.trial import Reason


class EvaluationError(Exception):
    """An evaluation that gave no value, for one of the reasons that a study knows; a picklable exception."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(reason, text)
        self.reason = reason
        self.text = text

    def __str__(self) -> str:
        return self.text


class TrialPruned(Exception):  # noqa: N818  # the name is Optuna's
    """For f to raise when it sees that a trial is not worth finishing; the place counts as a bad one."""
