"""Which studies there are in a file or a folder."""

import sqlite3

import pytest

from rembo.dashboard.catalogue import Catalogue, UnknownPlaceError


def test_a_folder_has_the_files_with_a_suffix_of_databases(tmp_path):
    for name in ("b.sqlite", "a.db", "notes.txt", "a.db-1.lock"):
        (tmp_path / name).touch()
    assert list(Catalogue(tmp_path).files()) == ["a.db", "b.sqlite"]


def test_a_shelf_has_the_studies_of_a_file(studies, hostile):
    (shelf,) = Catalogue(studies).shelves()
    assert [study.header.name for study in shelf.studies] == ["bowl", hostile.name]


def test_a_file_that_is_missing_is_a_shelf_that_says_so(tmp_path):
    (shelf,) = Catalogue(tmp_path / "later.db").shelves()
    assert "does not exist: check the path, or begin a study there" in shelf.problem


def test_a_file_of_another_program_is_a_shelf_that_says_so(tmp_path):
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    assert "of another program" in Catalogue(tmp_path).shelves()[0].problem


def test_a_file_that_is_not_in_the_catalogue_is_never_opened(studies):
    with pytest.raises(UnknownPlaceError, match=r"There is no file '\.\./studies0/tune\.db'"):
        Catalogue(studies).storage("../studies0/tune.db")
