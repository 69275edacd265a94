"""How a command ends: its exit code, and the error that a user can mend."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a shell is told; docs/tune.md has the same list."""

    DONE = 0
    FAILED = 1  # a study does not verify, or no trial has succeeded
    USAGE = 2  # in the arguments, the scenario, or what it names
    STORAGE = 3  # a study's file cannot be read or written
    UNKNOWN = 4  # whether a study verifies cannot be told here
    INTERRUPTED = 130
    TERMINATED = 143


class UsageError(Exception):
    """A user's mistake that is none of a scenario's file; the sentence names the cure."""
