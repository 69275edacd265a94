"""Studies: an optimizer, a storage and workers; durable, resumable, parallel.

Ninth step of the path (optimizer -> study -> optimize), the imperative shell. `study` has the API, `book` the one order
of asks and tells, `run` the loop, `pace` its two orders; `evaluation`, `isolation` and `workers` call f. What is
kept, and how, is in `storage`, `sqlite`, `memory` and `codec`; `verification` proves it.
"""

from rembo.study.backups import backup
from rembo.study.evaluation import Catch, Evaluation, Outcome
from rembo.study.failure import EvaluationError, TrialPruned
from rembo.study.isolation import Limits
from rembo.study.opening import open_storage
from rembo.study.run import End
from rembo.study.searcher import default_optimizer
from rembo.study.storage import StorageError
from rembo.study.study import Callback, Study
from rembo.study.trial import Reason, StudyTrial
from rembo.study.verification import Verdict, Verification, verify
from rembo.study.workers import OnLost

__all__ = [
    "Callback",
    "Catch",
    "End",
    "Evaluation",
    "EvaluationError",
    "Limits",
    "OnLost",
    "Outcome",
    "Reason",
    "StorageError",
    "Study",
    "StudyTrial",
    "TrialPruned",
    "Verdict",
    "Verification",
    "backup",
    "default_optimizer",
    "open_storage",
    "verify",
]
