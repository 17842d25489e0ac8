"""Tables of benchmarks: from what they print to the pages."""

from __future__ import annotations

import json

import pytest

import make_benchmarks
import results

PRINTED = """\
compiling

### Pendulums, ns

compiled in 2 s

| rods | ours |
|---|---|
| 2 | 99 |
| 5 | 143 |

| of another | table |
|---|---|
"""
BLOCKS = {"benchmarks": 8, "accuracy": 6, "README": 0}
"""How many tables of results a page has at least."""


def test_tables_are_found_in_what_a_benchmark_prints():
    first, second = results.tables_in(PRINTED)
    assert first == {"title": "Pendulums, ns", "columns": ["rods", "ours"], "rows": [["2", "99"], ["5", "143"]]}
    assert second["columns"] == ["of another", "table"]


def test_a_table_of_the_page_has_the_columns_and_rows_that_it_names():
    found = {"tables": [*results.tables_in(PRINTED)]}
    assert make_benchmarks.table(found, "Pendulums", "ours") == "| ours |\n|---|\n| 99 |\n| 143 |"
    assert make_benchmarks.table(found, "Pendulums", "rods; ours", "5") == "| rods | ours |\n|---|---|\n| 5 | 143 |"
    assert make_benchmarks.table(found, "Pendulums", "", "2") == "| rods | ours |\n|---|---|\n| 2 | 99 |"


@pytest.mark.parametrize("page", make_benchmarks.PAGES, ids=lambda page: page.stem)
def test_the_pages_have_the_results(page):
    text = page.read_text()
    assert text == make_benchmarks.document(page), "run python docs/make_benchmarks.py"
    assert len(make_benchmarks.BLOCK.findall(text)) >= BLOCKS[page.stem]


def test_each_result_has_its_machine_and_versions():
    names = sorted(make_benchmarks.RESULTS.glob("*.json"))
    assert names
    for path in names:
        found = json.loads(path.read_text())
        assert found["machine"]["cores"] >= 1
        assert found["versions"]["rigidsim"] in make_benchmarks.conditions(found)
        assert all(len(row) == len(one["columns"]) for one in found["tables"] for row in one["rows"])
