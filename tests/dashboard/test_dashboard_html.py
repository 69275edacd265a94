"""HTML as values: text is escaped, what is HTML already is not."""

import pytest

from rembo.dashboard.html import Html, element, join


def test_text_in_an_element_is_escaped():
    assert element("p", '<b> & "quotes"') == "<p>&lt;b&gt; &amp; &quot;quotes&quot;</p>"


def test_an_element_in_an_element_is_not_escaped_again():
    assert element("p", element("b", "<")) == "<p><b>&lt;</b></p>"


def test_an_attribute_cannot_be_left():
    assert element("a", title='" onclick="evil()') == '<a title="&quot; onclick=&quot;evil()"></a>'


@pytest.mark.parametrize(("value", "written"), [(True, "<p hidden></p>"), (False, "<p></p>"), (None, "<p></p>")])
def test_an_attribute_is_there_or_not(value, written):
    assert element("p", hidden=value) == written


def test_names_of_attributes_may_be_words_of_python():
    assert element("label", for_="x", aria_label="y") == '<label for="x" aria-label="y"></label>'


def test_an_element_that_holds_nothing_is_not_closed():
    assert element("input", name="token") == '<input name="token">'


def test_children_are_joined_whatever_they_are():
    assert join(["a", None, 3, [Html("<br>"), "<"]]) == "a3<br>&lt;"


def test_lone_surrogates_are_spelled_in_text_and_attributes():
    assert str(element("p", "caf\udce9", title="\ud800")).encode() == b'<p title="\\ud800">caf\\udce9</p>'
