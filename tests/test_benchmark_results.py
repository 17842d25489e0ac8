"""Tables of benchmarks: from what they print to the page."""

from __future__ import annotations

import json

import make_benchmarks
import results

PRINTED = """\
compiling

### Pendulums, ns

| rods | ours |
|---|---|
| 2 | 99 |
| 5 | 143 |

| of another | table |
|---|---|
"""


def test_tables_are_found_in_what_a_benchmark_prints():
    first, second = results.tables_in(PRINTED)
    assert first == {"title": "Pendulums, ns", "columns": ["rods", "ours"], "rows": [["2", "99"], ["5", "143"]]}
    assert second["columns"] == ["of another", "table"]


def test_a_table_of_the_page_has_the_columns_that_it_names():
    found = {"tables": [*results.tables_in(PRINTED)]}
    assert make_benchmarks.table(found, "Pendulums", "ours") == "| ours |\n|---|\n| 99 |\n| 143 |"


def test_the_page_has_the_results():
    assert make_benchmarks.PAGE.read_text() == make_benchmarks.document(), "run python docs/make_benchmarks.py"
    assert len(make_benchmarks.BLOCK.findall(make_benchmarks.PAGE.read_text())) >= 4


def test_each_result_has_its_machine_and_versions():
    names = sorted(make_benchmarks.RESULTS.glob("*.json"))
    assert names
    for path in names:
        found = json.loads(path.read_text())
        assert found["machine"]["cores"] >= 1
        assert found["versions"]["rigidsim"] in make_benchmarks.conditions(found)
        assert all(len(row) == len(one["columns"]) for one in found["tables"] for row in one["rows"])
