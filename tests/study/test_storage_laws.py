"""What every storage keeps: the studies as they were stored, one writer at a time, and no other settings."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_trials import BOX, FOREST, MIXED, all_facts, complete, facts, header, of_all_kinds, trial

import rembo
from rembo.study.codec import encode
from rembo.study.memory import Memory
from rembo.study.opening import open_storage
from rembo.study.sqlite import SQLite
from rembo.study.storage import Header, StorageError


@pytest.fixture(params=["memory", "sqlite"])
def storage(request, tmp_path):
    return open_storage(None if request.param == "memory" else tmp_path / "tune.db")


def closed(record):
    record.close()
    return record


@pytest.mark.parametrize("space", [BOX, MIXED], ids=["box", "mixed"])
def test_trials_of_all_kinds_are_read_as_they_were_stored(storage, space):
    with storage.begin(header(space=space)) as record:
        for each in of_all_kinds(space):
            record.add(each)
    assert all_facts(storage.read("tuning").trials) == all_facts(of_all_kinds(space))


@pytest.mark.parametrize("space", [BOX, MIXED, rembo.Bool(), rembo.Float(0.0, 1.0)], ids=repr)
def test_space_is_read_as_it_was_stored(storage, space):
    storage.begin(header(space=space)).close()
    assert storage.read("tuning").header.space == space


def test_header_is_read_as_it_was_stored(storage):
    given = Header("a/b é", "maximize", MIXED, encode(rembo.Growth()), 1.7e9 + 0.1, "0.1.0", {"by": ("me", 1.0)})
    storage.begin(given).close()
    read = storage.read("a/b é").header
    assert encode(vars(read)) == encode(vars(given))


def test_trials_are_read_by_number(storage):
    with storage.begin(header()) as record:
        for number in (2, 0, 1):
            record.add(trial(number))
    assert [each.number for each in storage.read("tuning").trials] == [0, 1, 2]


def test_update_replaces_what_was_known_of_a_trial(storage):
    with storage.begin(header()) as record:
        record.add(trial(0))
        record.add(trial(1))
        record.update(complete(0))
        assert all_facts(record.trials()) == all_facts([complete(0), trial(1)])


def test_study_that_is_begun_again_has_its_trials(storage):
    with storage.begin(header()) as record:
        record.add(complete(0))
    with storage.begin(header()) as again:
        again.add(trial(1))
        assert all_facts(again.trials()) == all_facts([complete(0), trial(1)])


def test_study_that_is_begun_again_has_its_first_header(storage):
    storage.begin(header(created_at=1.0, user_attrs={"a": 1})).close()
    with storage.begin(header(created_at=2.0)) as again:
        assert (again.header.created_at, again.header.user_attrs) == (1.0, {"a": 1})


def test_study_can_be_read_while_it_is_written(storage):
    with storage.begin(header()) as record:
        record.add(trial(0))
        assert all_facts(storage.read("tuning").trials) == all_facts([trial(0)])


def test_what_was_read_does_not_change_when_more_is_written(storage):
    with storage.begin(header()) as record:
        read = storage.read("tuning").trials
        record.add(trial(0))
    assert read == []


def test_studies_do_not_see_each_other(storage):
    with storage.begin(header("a")) as first, storage.begin(header("b")) as second:
        first.add(trial(0))
        second.add(complete(0, 7.0))
    assert all_facts(storage.read("a").trials) == all_facts([trial(0)])
    assert all_facts(storage.read("b").trials) == all_facts([complete(0, 7.0)])


def test_names_stand_in_the_order_of_their_beginning(storage):
    for name in ("c", "a", "b"):
        storage.begin(header(name)).close()
    assert storage.names() == ["c", "a", "b"]


def test_study_is_not_written_twice_at_a_time(storage):
    with storage.begin(header()), pytest.raises(StorageError, match=r"study 'tuning' is being written"):
        storage.begin(header())


def test_refused_second_writer_leaves_the_first_its_study(storage):
    with storage.begin(header()) as record:
        with pytest.raises(StorageError, match="is being written"):
            storage.begin(header())
        record.add(trial(0))
        with pytest.raises(StorageError, match="is being written"):
            storage.begin(header())


def test_other_settings_are_refused_with_the_differences(storage):
    other = rembo.Box(9, 0.0, 2.0)
    storage.begin(header(optimizer=encode(rembo.Growing(BOX, seed=1)))).close()
    with pytest.raises(StorageError) as refusal:
        storage.begin(header(space=other, optimizer=encode(rembo.Growing(other, seed=2))))
    assert "study 'tuning' was begun with other settings: space.size is 1000000000 in the file and 9 here; " in str(
        refusal.value
    )
    assert "optimizer.space" not in str(refusal.value)
    assert "; optimizer.seed is 1 in the file and 2 here. Give it the settings it has, or give" in str(refusal.value)


def test_setting_that_an_older_version_did_not_know_has_its_default(storage):
    older = {"$type": "rembo.Growing", "space": encode(BOX), "seed": 1, "settings": {"x0": None}}
    storage.begin(header(optimizer=older)).close()
    with storage.begin(header(optimizer=encode(rembo.Growing(BOX, seed=1)))) as record:
        assert record.header.optimizer == older


def test_another_direction_is_refused(storage):
    storage.begin(header()).close()
    with pytest.raises(StorageError, match="direction is 'minimize' in the file and 'maximize' here"):
        storage.begin(Header("tuning", "maximize", BOX))


def test_refusal_names_no_more_than_eight_differences(storage):
    storage.begin(header(space=rembo.Space({name: rembo.Bool() for name in "abcdefghij"}))).close()
    with pytest.raises(StorageError, match=r"space\.h is Bool\(\) .*; and 2 more\. Give"):
        storage.begin(header(space=rembo.Space({name: rembo.Float(0, 1) for name in "abcdefghij"})))


def test_refused_study_can_be_begun_with_its_own_settings(storage):
    storage.begin(header()).close()
    with pytest.raises(StorageError):
        storage.begin(header(space=MIXED))
    storage.begin(header()).close()


def test_trial_is_added_once(storage):
    with storage.begin(header()) as record:
        record.add(trial(0))
        with pytest.raises(StorageError, match=r"study 'tuning' has a trial 0 already: use update"):
            record.add(complete(0))
        record.add(trial(1))
        assert all_facts(record.trials()) == all_facts([trial(0), trial(1)])


def test_trial_is_updated_after_it_was_added(storage):
    with storage.begin(header()) as record:
        with pytest.raises(StorageError, match=r"study 'tuning' has no trial 0 yet: add it first"):
            record.update(trial(0))
        assert record.trials() == []


def test_trial_that_was_told_is_never_overwritten(storage):
    with storage.begin(header()) as record:
        record.add(complete(0, 1.0))
        with pytest.raises(StorageError, match=r"trial 0 of study 'tuning' is finished and never overwritten: open"):
            record.update(complete(0, 2.0))
        assert all_facts(record.trials()) == all_facts([complete(0, 1.0)])


def test_same_update_may_be_made_twice(storage):
    with storage.begin(header()) as record:
        record.add(trial(0))
        record.update(told := complete(0))
        record.update(told)
        assert all_facts(record.trials()) == all_facts([told])


def test_trial_that_was_kept_is_told_later(storage):
    kept = replace(complete(0), told=None)
    with storage.begin(header()) as record:
        record.add(trial(0))
        record.update(kept)
        record.update(replace(kept, told=7))
        assert all_facts(record.trials()) == all_facts([replace(kept, told=7)])


def test_record_follows_another_if_nobody_else_wrote_between(storage):
    first, second, third = (closed(storage.begin(header())) for _ in range(3))
    assert (second.follows(first), third.follows(second), third.follows(first)) == (True, True, False)


def test_study_that_is_there_is_resumed(storage):
    with storage.begin(header()) as record:
        record.add(trial(0))
    with storage.resume(header()) as again:
        assert all_facts(again.trials()) == all_facts([trial(0)])
        with pytest.raises(StorageError, match="is being written"):
            storage.resume(header())


def test_study_that_is_not_there_is_not_resumed(storage):
    storage.begin(header("a")).close()
    with pytest.raises(StorageError, match=r"has no study named 'b': it has 'a'"):
        storage.resume(header("b"))
    assert storage.names() == ["a"]


def test_unknown_study_is_refused_with_those_there_are(storage):
    storage.begin(header("a")).close()
    with pytest.raises(StorageError, match=r"has no study named 'b': it has 'a'"):
        storage.read("b")


def test_closed_record_takes_no_trials(storage):
    record = storage.begin(header())
    record.close()
    with pytest.raises(StorageError, match=r"closed"):
        record.add(trial(0))


def test_record_may_be_closed_twice(storage):
    record = storage.begin(header())
    record.close()
    with storage.begin(header()) as again:
        record.close()
        again.add(trial(0))
        assert [each.number for each in again.trials()] == [0]


@pytest.mark.parametrize("name", ["", " ", 3, "a\nb", "\udc80"])
def test_name_that_cannot_be_read_is_refused(name):
    with pytest.raises(ValueError, match="a study's name must be a string that can be read"):
        header(name)


def test_direction_must_be_one_of_two():
    with pytest.raises(ValueError, match="direction 'up' must be 'minimize' or 'maximize'"):
        Header("a", "up", BOX)


def test_header_needs_a_space():
    with pytest.raises(TypeError, match="space must be a Box"):
        header(space=3)


@pytest.mark.parametrize("where", ["sqlite:///tune.db", ":memory:", ""])
def test_storage_that_is_no_path_is_refused(where):
    with pytest.raises(ValueError, match=r"must be the path of a file, e\.g\. 'tune\.db', or None for memory"):
        open_storage(where)


def test_storage_of_another_type_is_refused():
    with pytest.raises(TypeError, match=r"storage must be the path of a file, or None .*, not 3"):
        open_storage(3)


def test_storage_without_a_path_is_memory():
    assert isinstance(open_storage(None), Memory)


def test_storage_with_a_path_is_sqlite(tmp_path):
    assert isinstance(open_storage(str(tmp_path / "a.db")), SQLite)


@settings(max_examples=25, deadline=None)
@given(value=st.floats(allow_nan=False), bits=st.binary(min_size=32, max_size=32))
def test_numbers_are_read_bit_for_bit(tmp_path_factory, value, bits):
    storage = SQLite(tmp_path_factory.mktemp("bits") / "a.db")
    point = rembo.Point(FOREST, np.frombuffer(bits, dtype=np.float64))
    with storage.begin(header()) as record:
        record.add(replace(complete(0, value), point=point, ask_seconds=value))
        (read,) = record.trials()
    assert (read.y.tobytes(), facts(read)["value"], facts(read)["ask_seconds"]) == (bits, encode(value), encode(value))
