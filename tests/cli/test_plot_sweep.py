"""`rigidsim plot` of the result file of a sweep."""

from __future__ import annotations

from pathlib import Path

import pytest

PNG = b"\x89PNG"


@pytest.fixture
def swept(made, monkeypatch):
    """The result file of a sweep of the small scene, with a metric; pictures have few pixels."""
    monkeypatch.setenv("RIGIDSIM_PLOT_DPI", "40")
    made("sweep.h5", "s.h5")
    return "s.h5"


def test_a_picture_beside_the_file_is_not_overwritten(call, swept):
    assert call("plot", swept) == (0, "s.png\n", "")
    assert Path("s.png").read_bytes().startswith(PNG)
    answer = call("plot", swept, "top", "--over", "mass")
    assert answer.code == 5 and "s.png" in answer.err and "--force" in answer.err
    assert call("plot", swept, "top", "--over", "mass", "--log", "--title", "one $", "--force").code == 0
    assert call("plot", swept, "-o", "a.svg").code == 0 and "<svg" in Path("a.svg").read_text()


def test_the_names_are_listed(call, swept):
    assert call("plot", swept, "--list").out.splitlines() == ["top", "--over bodies.brick.mass"]
    assert not Path("s.png").exists()
