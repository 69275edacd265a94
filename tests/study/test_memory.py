"""Studies in memory: what they keep beyond the laws of all storages."""

from study_trials import header, trial

import rembo
from rembo.study.memory import Memory


def test_memory_keeps_the_very_trials_it_was_given():
    given = trial(0)
    with Memory().begin(header()) as record:
        record.add(given)
        assert record.trials()[0] is given


def test_memories_share_nothing():
    first, second = Memory(), Memory()
    first.begin(header()).close()
    assert second.names() == []


def test_trial_may_carry_what_no_file_can_hold():
    with Memory().begin(header()) as record:
        record.add(trial(0, user_attrs={"function": len}))
        assert record.trials()[0].user_attrs["function"] is len


def test_space_may_have_what_no_file_can_hold():
    space = rembo.Categorical([int, float])
    with Memory().begin(header(space=space)) as record:
        assert record.header.space == space
