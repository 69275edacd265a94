"""Text of others: what a terminal would obey is spelled, and what UTF-8 does not have, too."""

import pytest

from rembo.legible import encodable, legible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwritten", "over\\rwritten"),
        ("\x9b31m", "\\x9b31m"),
        ("turned \u202eround", "turned \\u202eround"),
        ("caf\udce9", "caf\\udce9"),
    ],
)
def test_what_a_terminal_would_obey_is_spelled(text, shown):
    assert legible(text) == shown


@pytest.mark.parametrize("text", ["plain", "two\nlines\tand a tab", "Größe 你好 🙂", "\\x1b"])
def test_text_that_is_only_text_stays_as_it_is(text):
    assert legible(text) == text


def test_lone_surrogates_are_spelled_and_controls_kept_for_files():
    assert encodable("\x1b caf\udce9") == "\x1b caf\\udce9"
