"""The notebooks run, and show what they have stored."""

from __future__ import annotations

import json
import re

import pytest

import make_notebooks

NOTEBOOKS = sorted(make_notebooks.FOLDER.glob("*.ipynb"))
QUICK = "turntable"
ROUNDING = re.compile(r"\d[\d.]*e-\d+")
"""Errors and differences; NumPy rounds cosines as the processor likes."""


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem != QUICK)) for path in NOTEBOOKS]
)
def test_a_notebook_shows_what_it_stores(path):
    stored = json.loads(path.read_text())
    shown = make_notebooks.texts_of(make_notebooks.executed(stored))
    assert len(shown) >= 2
    assert [ROUNDING.sub("X", text) for text in shown] == [
        ROUNDING.sub("X", text) for text in make_notebooks.texts_of(stored)
    ]


def test_the_notebooks_are_of_each_kind():
    assert [path.stem for path in NOTEBOOKS] == [
        *("fit", "robot_arm", "satellite", "sensitivities", "sweep", "top", "turntable"),
    ]
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text())
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert all(cell["execution_count"] == k + 1 for k, cell in enumerate(code))
        assert "data:image/png" in make_notebooks.as_markdown(notebook)


def test_a_cell_shows_its_last_expression_and_what_it_prints():
    names = {}
    assert make_notebooks.run_cell("x = 2", names) == []
    printed, value = make_notebooks.run_cell("print(x)\nx + 1", names)
    assert printed["text"] == ["2\n"]
    assert value["data"] == {"text/plain": ["3"]}
