"""YAML text to located plain data, and every way in which a text can be no YAML."""

from __future__ import annotations

import os

import pytest

from rigidsim.errors import SceneError, StorageError
from rigidsim.scene import Scene
from rigidsim.scene.text import reader
from rigidsim.scene.text.reader import read_bytes, read_file, read_text


def refused(text):
    with pytest.raises(SceneError) as caught:
        document = read_text(text, "s.yaml")
        raise SceneError(document.problems)
    return caught.value.problems[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000.0),
        ("1.0e3", 1000.0),
        ("1E5", 1e5),
        ("-1e-3", -1e-3),
        ("+.5e-3", 5e-4),
        ("1.", 1.0),
        ("12e03", 12000.0),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("no", "no"),
        ("on", "on"),
        ("yes", "yes"),
        ("true", True),
        ("False", False),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("~", None),
        ("", None),
        ("null", None),
        ("-.inf", float("-inf")),
        (".Inf", float("inf")),
        ("nan", "nan"),
        ("=", "="),
        ("'1e3'", "1e3"),
        ("! 12", "12"),
        ("!!str 12", "12"),
        ("!!float 12", 12.0),
        ("!!int '12'", 12),
        ("!!bool true", True),
        ("!!null ''", None),
        ("9" * 5000, float("inf")),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(text, value):
    read = read_text(f"a: {text}", "s.yaml").data["a"]
    assert read == value
    assert type(read) is type(value)


def test_nan_is_read_as_nan():
    value = read_text("a: .nan", "s.yaml").data["a"]
    assert value != value


def test_values_and_keys_have_places():
    document = read_text("a:\n  bc: [1, {d: 2}]\n", "s.yaml")
    assert document.locate(("a",)) == (2, 3)
    assert document.locate(("a", "bc")) == (2, 7)
    assert document.locate(("a", "bc"), at_key=True) == (2, 3)
    assert document.locate(("a", "bc", 1, "d")) == (2, 15)
    assert document.locate(("a", "bc", 1, "missing")) == (2, 11)


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("a: 1\n\tb: 2", "syntax", 2, 1),
        ("a: [1, 2", "syntax", 1, 9),
        ("a: 1\n b: 2", "syntax", 2, 3),
        ("a: \0", "character", 1, 4),
        ("a: 1\nb: \x1b[31m", "character", 2, 4),
        ("a: \ud800", "character", 1, 4),
        ('a: "\\ud800"', "syntax", 1, 7),
        ("a: 1\n---\nb: 2", "document", 2, 1),
        ("a: 1\nb: 2\na: 3", "duplicate-key", 3, 1),
        ("1: 2", "key", 1, 1),
        ("[a]: 2", "key", 1, 1),
        ("? {a: 1}\n: 2", "key", 1, 3),
        ("a: &x 1\n*x : 2", "key", 2, 1),
        ("a: *x", "alias", 1, 4),
        ("a: &x [*x]", "alias", 1, 8),
        ("a: &x {y: 1}\nb: {<<: *x}", "merge-key", 2, 5),
        ("a: !!python/object/apply:os.system [ls]", "tag", 1, 4),
        ("a: !!binary aGk=", "tag", 1, 4),
        ("a: !!set {x}", "tag", 1, 4),
        ("a: !mine 3", "tag", 1, 4),
        ("a: !!int x", "tag", 1, 4),
        ("a: !!bool 1", "tag", 1, 4),
    ],
)
def test_bad_yaml_is_refused_where_it_is_bad(text, code, line, column):
    problem = refused(text)
    assert (problem.code, problem.line, problem.column) == (code, line, column)
    assert problem.file == "s.yaml"
    assert problem.source_line.isprintable() or "\t" in problem.source_line


def test_tabs_get_a_hint():
    assert "spaces" in refused("a:\n\tb: 1").hint


def test_duplicate_key_names_both_places_and_reading_goes_on():
    document = read_text("a: 1\na: {x: 1}\na: [2]\nb: 3\n", "s.yaml")
    assert [p.line for p in document.problems] == [2, 3]
    assert "first at line 1, column 1" in document.problems[0].message
    assert document.data == {"a": 1, "b": 3}


def test_aliases_are_read():
    assert read_text("a: &x {y: [1]}\nb: [*x, *x]\nc: &z 3\nd: *z\n", "s.yaml").data["b"] == [{"y": [1]}, {"y": [1]}]


def test_bad_utf8_is_placed():
    with pytest.raises(SceneError) as caught:
        read_bytes("a: 1\nbé: ".encode() + b"\xff\n", "s.yaml")
    (problem,) = caught.value.problems
    assert (problem.code, problem.line, problem.column) == ("encoding", 2, 5)


def test_byte_order_mark_is_ignored():
    assert read_bytes(b"\xef\xbb\xbfa: 1", "s.yaml").data == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ("# only\n", "is empty"), ("---\n", "is empty"), ("[1]", "got a list"), ("7", "single value")],
)
def test_what_is_no_mapping_says_what_was_expected(problem, text, message):
    only = problem(text)
    assert message in only.message
    assert "format, simulation and bodies" in only.message


def test_missing_directory_and_pipe_are_storage_errors(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, words in (("none.yaml", "No such file"), (".", "is a directory"), ("pipe", "not a regular file")):
        with pytest.raises(StorageError, match=words):
            Scene.from_file(tmp_path / name)
    with pytest.raises(StorageError, match="not a file name"):
        Scene.from_file("a\0b")


def test_unreadable_file_is_a_storage_error(tmp_path, monkeypatch):
    path = tmp_path / "s.yaml"
    path.write_text("a: 1")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(StorageError, match="Permission denied"):
        read_file(path)


def test_oversize_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MAX_BYTES", 2**20)
    path = tmp_path / "s.yaml"
    path.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(SceneError, match="larger than 1 MiB"):
        Scene.from_file(path)
