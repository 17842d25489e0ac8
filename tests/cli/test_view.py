"""`rigidsim view` and `run --view`, as they are typed."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest

import rigidsim
from rigidsim.views.view import PAGE
from spinning_brick import remains


@pytest.fixture(autouse=True)
def trajectory(made):
    made("run.h5", "a.h5")


def is_page(path: Path) -> bool:
    return PAGE.is_one(path)


def test_a_page_beside_the_trajectory(call, workplace):
    assert call("view", "a.h5") == (0, "a.html\n", "") and is_page(workplace / "a.html")
    again = call("view", "a.h5")
    assert again.code == 5 and "a.html exists already; use --force to overwrite it, or use -o" in again.err
    assert call("view", "a.h5", "--force").code == 0
    assert remains(workplace) == {"scene.yaml", "a.h5", "a.html"}


def test_what_is_shown_can_be_chosen(call, workplace):
    options = ["--frame", "brick", "--follow", "mark", "--from", "100 ms", "--to", "0.5", "--fps", "10"]
    assert call("view", "a.h5", *options, "-o", "b.html") == (0, "b.html\n", "")
    assert (workplace / "b.html").stat().st_size < 1e6


def test_a_scene_is_shown_at_its_start(call, workplace):
    assert call("view", "scene.yaml") == (0, "scene.html\n", "") and is_page(workplace / "scene.html")


def test_the_browser_opens_on_demand_only(call, workplace, monkeypatch):
    seen = []
    monkeypatch.setattr(webbrowser, "open", seen.append)
    call("view", "a.h5")
    assert seen == []
    call("view", "a.h5", "--open", "--force")
    assert seen == [(workplace / "a.html").as_uri()]


def test_a_run_is_shown_on_demand(call, workplace):
    answer = call("run", "scene.yaml", "-o", "b.h5", "--view")
    assert answer.code == 0 and answer.out.endswith("\nb.html\n") and is_page(workplace / "b.html")
    assert call("run", "scene.yaml", "-q", "-o", "c.h5", "--view", "d.html") == (0, "", "")
    assert is_page(workplace / "d.html")
    refused = call("run", "scene.yaml", "-o", "e.h5", "--view", "d.html")
    assert refused.code == 5 and not (workplace / "e.h5").exists()
    wrong = call("run", "--view", "scene.yaml")
    assert wrong.code == 2 and "--view scene.yaml: this is not the name of a page" in wrong.err


def test_without_trimesh_one_sentence_before_the_run(call, workplace, monkeypatch):
    from rigidsim.views import page

    page.three.cache_clear()
    monkeypatch.setattr(page, "find_spec", lambda name: None)
    sentence = 'error: the view needs trimesh; install it with: pip install "rigidsim[view]"\n'
    assert call("view", "a.h5") == (2, "", sentence)
    assert call("run", "scene.yaml", "-o", "b.h5", "--view") == (2, "", sentence)
    assert not (workplace / "b.h5").exists()


def test_notes_are_reported(call, workplace):
    record = "simulation.record=[{bodies: [brick/mark], of: [world]}]"
    assert call("run", "scene.yaml", "-q", "-o", "b.h5", "--set", record).code == 0
    answer = call("view", "b.h5")
    assert answer == (0, "b.html\n", "note: 1 body is not shown because its poses were not recorded: brick\n")


def test_from_python(workplace):
    with rigidsim.load("a.h5") as history:
        view = history.view("brick", begin=0.1)
        view.save("b.html")
        with pytest.raises(rigidsim.RigidsimError, match=r"b\.html exists already; use force=True"):
            view.save("b.html")
        view.save(workplace / "b.html", force=True)
    assert (workplace / "b.html").read_text() == view.html
    shown = view._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;') and 'sandbox="allow-scripts"' in shown
    assert rigidsim.Scene.from_file("scene.yaml").view("brick").notes == ()


def test_a_page_that_would_be_too_large_has_fewer_frames(workplace, monkeypatch):
    with rigidsim.load("a.h5") as history:
        whole = history.view()
        monkeypatch.setattr("rigidsim.views.view.MOST_BYTES", len(whole.html) - 1)
        assert len(history.view().html) < len(whole.html)
