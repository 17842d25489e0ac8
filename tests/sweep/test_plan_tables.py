"""Tables of runs: what is written is read back, and what is not a table is refused with line and column."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.errors import StorageError, UsageError
from rigidsim.sweeps.plan import make_plan

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20)
WORDS = st.sampled_from(["rkmk4", "a b", 'a "quoted", word', "[1, 2]", "{name: magnus, terms: 4}"])
PARSED = {"[1, 2]": [1, 2], "{name: magnus, terms: 4}": {"name": "magnus", "terms": 4}}


@pytest.fixture
def table(tmp_path):
    """The plan of a table with this text."""

    def plan(text: str | bytes):
        path = tmp_path / "runs.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return make_plan(table=path)

    return plan


@given(data=st.data(), numbers=NUMBERS)
def test_what_is_written_is_read_back(tmp_path_factory, data, numbers):
    words = data.draw(st.lists(WORDS, min_size=len(numbers), max_size=len(numbers)))
    path = tmp_path_factory.mktemp("table") / "runs.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["bodies.top.mass", "spin", "word"])
        writer.writerows([number, f"{number!r} rpm", word] for number, word in zip(numbers, words, strict=True))
    plan = make_plan(table=path)
    assert (plan.runs, plan.units) == (len(numbers), {"bodies.top.mass": "", "spin": "rpm", "word": ""})
    columns = plan.values(slice(None))
    assert columns["bodies.top.mass"].tolist() == columns["spin"].tolist() == numbers
    assert columns["word"] == [PARSED.get(word, word) for word in words]


def test_the_table_is_the_plan_side_by_side(table):
    plan = table("\ufeffspin, mass\r\n\r\n0 rpm,1\r\n30 rpm,2\r\n\r\n60 rpm,5e0\r\n")
    assert plan.digest == make_plan(vary={"spin": ["0 rpm", "30 rpm", "60 rpm"], "mass": [1, 2, 5]}, zip=True).digest
    assert plan.describe() == "3 runs, side by side: spin 0, 30, 60 rpm, mass 1, 2, 5"
    assert table("a,b\n1,2\n1,2\n2,2\n").notes == ("1 of 3 runs have the same values as an earlier one",)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "", "the table is empty; its first line has the names"),
        ("\n\n", "", "the table is empty"),
        ("spin,mass\n", "", "there are no lines below the header, which makes zero runs"),
        ("spin,,mass\n1,2,3\n", ":1:2", "this column has no name"),
        ("spin,mass,spin\n1,2,3\n", ":1:3", "'spin' is the name of an earlier column, too"),
        ("spin;mass\n1;2\n", ":1:1", "separated by commas, got 'spin;mass'"),
        ("spin,mass\n1,2\n1\n", ":3", "expected 2 cells as in the header, got 1"),
        ("spin,mass\n1,2\n\n1,2,3\n", ":4", "expected 2 cells as in the header, got 3"),
        ("spin,mass\n1,2\n3, \n", ":3:2", "the cell is empty; each run needs a value"),
        ("spin,mass\n1,2\n3,heavy\n", ":3:2", "expected a number or a quantity, as in the lines above, got heavy"),
        ("spin,mass\n1,2 kg\n\n3,4 m\n", ":4:2", "'m' is a unit of length, but 'kg' is one of mass"),
        ("spin,mass\n1 rpm,2\n3,4\n", ":3:1", "'3' has no unit, but '1 rpm' has one; write '3 rpm'"),
        ("spin\n1\n1e999\n", ":3:1", "inf is not finite"),
        ("spin\n[1\n", ":2:1", ""),
        ("spin\n# none\n", "", "there are no lines below the header"),
        ('spin\n"1\n', ":2", "this is not CSV"),
        (b"spin\n\xff\n", "", "this is not UTF-8 text"),
    ],
)
def test_what_is_no_table(table, text, place, message):
    with pytest.raises(UsageError) as caught:
        table(text)
    reported = str(caught.value)
    assert f"runs.csv{place}: " in reported and message in reported and "\n" not in reported


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(StorageError, match=r"none\.csv cannot be read: No such file"):
        make_plan(table=tmp_path / "none.csv")
    with pytest.raises(StorageError, match="is not a regular file; a table is a CSV file"):
        make_plan(table=tmp_path)
    with pytest.raises(UsageError, match=r"table: the character U\+0000 is not allowed"):
        make_plan(table="a\0b")
