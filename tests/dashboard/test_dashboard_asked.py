"""What an address asks for: read, written, and refused where it cannot be."""

import pytest

from rembo.dashboard.asked import Asked, Range
from rembo.dashboard.catalogue import Place, UnknownPlaceError
from rembo.dashboard.links import compared, comparison
from rembo.optimizer import TrialState

FULL = Asked(
    page=2,
    columns=("rate", "<b>"),
    sort="p.rate",
    rising=True,
    state=TrialState.FAIL,
    values=Range(-1.5, None),
    ranges={"rate": Range(0.1, 0.2), "<b>": Range()},
    names={"<b>": "on"},
    target=1e-9,
    of=300,
)


def test_what_is_written_into_an_address_is_read_from_it():
    assert Asked.read(FULL.pairs()) == FULL


def test_an_address_that_asks_for_nothing_is_short():
    assert Asked().pairs() == []


def test_fields_that_were_left_empty_say_nothing():
    assert Asked.read([("target", ""), ("of", " "), ("low", ""), ("column", ""), ("state", "")]) == Asked()


@pytest.mark.parametrize("text", ["x", "nan", "inf", "1e999"])
@pytest.mark.parametrize("key", ["target", "low", "high"])
def test_what_is_no_number_is_refused_with_its_name(key, text):
    with pytest.raises(UnknownPlaceError, match=f"{key} '{text}' must be a number"):
        Asked.read([(key, text)])


@pytest.mark.parametrize("text", ["-1", "1.5", "x", "9999999999"])
def test_a_number_of_trials_that_is_not_whole_is_refused(text):
    with pytest.raises(UnknownPlaceError, match="must be a whole number"):
        Asked.read([("of", text)])


def test_a_state_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(UnknownPlaceError, match="state 'GONE' must be one of WAITING, RUNNING"):
        Asked.read([("state", "GONE")])


def test_more_columns_than_can_be_shown_are_refused():
    with pytest.raises(UnknownPlaceError, match="31 columns are too many: at most 30"):
        Asked.read([("column", f"p{number}") for number in range(31)])


def test_sorting_by_the_same_twice_turns_the_order():
    once = Asked().sorted_by("value")
    assert (once.rising, once.sorted_by("value").rising) == (True, False)


def test_a_column_goes_with_what_was_asked_of_it():
    left = FULL.without("rate")
    assert (left.columns, left.sort, "low.rate" in dict(left.pairs())) == (("<b>",), "trial", False)


def test_studies_to_compare_are_written_and_read_with_any_name():
    places = [Place("a.db", "x&name=y"), Place("b.db", "<b>")]
    pairs = [("study", place.query()) for place in places]
    assert compared([*pairs, pairs[0]]) == places
    assert comparison(places, Asked(target=0.5)).endswith("&target=0.5")


def test_more_studies_than_can_be_compared_are_refused():
    with pytest.raises(UnknownPlaceError, match="25 studies are too many to compare: choose at most 24"):
        compared([("study", Place("a.db", str(number)).query()) for number in range(25)])
