"""A door whose library is missing says so in a sentence that names the cure."""

import sys
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ("door", "imported", "sentence"),
    [
        ("sklearn", "sklearn.exceptions", r"EmbeddedSearchCV needs scikit-learn: pip install 'scikit-learn>=1.5'"),
        ("configspace", "ConfigSpace", r"configspace needs ConfigSpace: pip install 'configspace>=1.2' 'pyyaml>=6'"),
        ("gest", "gest_api", r"RemboGenerator needs gest-api: pip install 'gest-api>=0.2'"),
        ("ray", "ray", r"RemboSearcher needs Ray Tune: pip install 'ray\[tune\]>=2.40'"),
    ],
)
def test_missing_library_is_a_sentence_that_names_the_cure(monkeypatch, door, imported, sentence):
    monkeypatch.delitem(sys.modules, f"rembo.integrations.{door}", raising=False)
    monkeypatch.setitem(sys.modules, imported, None)
    with pytest.raises(ModuleNotFoundError, match=sentence):
        import_module(f"rembo.integrations.{door}")
