"""What a notebook shows of a scene, a state, a trajectory and a sweep: well-formed, escaped, small."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import rigidsim
from rigidsim.report.notebook import HEIGHT, _drawing
from rigidsim.report.sparklines import Sparkline
from rigidsim.trajectory.header import texts_of
from rigidsim.trajectory.trajectory import State
from spinning_brick import SCENE

HOSTILE = """<script>alert(1)</script>"'&<img src=x onerror=alert(1)>"""
ALLOWED = {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "svg", "polygon"}
ATTRIBUTES = {"style", "colspan", "width", "height", "role", "points", "fill", "stroke"}
MOST_BYTES = 20_000


class Found(HTMLParser):
    """The elements, attributes and text of a piece of HTML."""

    def __init__(self, piece: str):
        super().__init__()
        self.elements, self.attributes, self.text = set(), set(), []
        self.feed(piece)

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        self.text.append(data)


def checked(thing: object) -> list[str]:
    """The texts in the HTML of something, after checking it."""
    piece = thing._repr_html_()
    ElementTree.fromstring(piece)  # well-formed
    found = Found(piece)
    assert found.elements <= ALLOWED and found.attributes <= ATTRIBUTES
    assert len(piece.encode()) < MOST_BYTES
    return found.text


@pytest.fixture(scope="module")
def scene():
    return rigidsim.Scene.from_text(SCENE)


@pytest.fixture(scope="module")
def trajectory(scene):
    return rigidsim.simulate(scene)


def test_scene(scene):
    reported = checked(scene)
    assert "A spinning brick" in " ".join(reported)
    assert "brick" in reported and "\N{NO-BREAK SPACE}" * 4 + "mark" in reported  # indented below it
    assert repr(scene).startswith("<Scene")


def test_trajectory_and_state(trajectory):
    reported = checked(trajectory)
    assert {"brick", "brick/mark", "free", "fixed"} <= set(reported)
    assert any(text.startswith("kinetic energy: ") for text in reported)
    assert any("complete" in text for text in reported)
    x = trajectory["brick"].world.position[-1, 0]
    assert f"{x:.6g}" in reported
    assert f"{trajectory.at(0.5)['brick'].world.position[0]:.6g}" in checked(trajectory.at(0.5))


def test_hostile_text_is_text(scene, trajectory):
    """Titles come from the user, names of bodies and messages from a file that somebody else wrote."""
    resolved = json.loads(trajectory.header.scene_resolved) | {"title": HOSTILE}
    header = trajectory.header
    paths = (HOSTILE, f"{HOSTILE}/mark")
    fields = {"paths": paths, "parents": ("", HOSTILE), "texts": texts_of("", json.dumps(resolved))}
    about = type(header)(**{name: getattr(header, name) for name in header.__dataclass_fields__} | fields)
    history = rigidsim.Trajectory(about, trajectory.arrays, "failed", message=HOSTILE)
    reported = checked(history)
    assert [text.strip() for text in reported].count(HOSTILE) == 3  # title, message, body
    assert HOSTILE in checked(history.at(0.5))
    titled = rigidsim.Scene.from_dict({**json.loads(json.dumps(scene.resolved())), "title": HOSTILE})
    assert any(HOSTILE in text for text in checked(titled))


def test_ten_thousand_bodies_are_few_lines():
    text = SCENE.replace(
        "bodies:", "bodies:\n  dust: {repeat: {line: 10000, spacing: [1, 0, 0]}, mass: 1, inertia: point}", 1
    )
    large = rigidsim.Scene.from_text(text)
    reported = checked(large)
    assert "... and 9,962 more" in reported
    arrays = {f"world/{name}": np.zeros((10_002, n)) for name, n in (("position", 3), ("velocity", 3))}
    arrays |= {"world/orientation": np.zeros((10_002, 4)), "world/angular_velocity": np.zeros((10_002, 3))}
    header = rigidsim.Simulation(large).header
    assert "... and 9,990 more" in checked(State(header, 0.0, arrays))


def test_closed_file_says_so(trajectory, tmp_path):
    trajectory.save(tmp_path / "a.h5")
    with rigidsim.load(tmp_path / "a.h5") as opened:
        pass
    assert any("was closed before" in text for text in checked(opened))


def test_sweep(scene, tmp_path):
    values = {"bodies.brick.mass": [1, 2, -3]}
    metrics = {"top": '= max(speed("brick"))'}
    with rigidsim.sweep(scene, vary=values, metrics=metrics, path=tmp_path / "s.h5") as sweep:
        reported = checked(sweep)
        assert "  2 complete, 1 invalid; metrics of each run" in reported
        assert "  bodies.brick.mass: -3 to 2" in reported
        assert "top (m/s)" in reported and any(
            text.startswith("run 2 (bodies.brick.mass = -3.0): ") for text in reported
        )
        assert any("-3 kg" in text for text in reported)
    assert "not shown: the file is closed" in checked(sweep)


def course(low, high) -> Sparkline:
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    return Sparkline("x", "m", low[0], high[-1], float(np.nanmean(low)), np.arange(len(low)), low, high)


def heights(one: Sparkline) -> list[float]:
    points = ElementTree.fromstring(_drawing(one))[0].attrib["points"].split()
    return [float(point.partition(",")[2]) for point in points]


def test_drawing_goes_from_top_to_bottom():
    band = heights(course([0, 1, 2], [1, 2, 4]))
    assert min(band) == 1.0 and max(band) == HEIGHT + 2.0
    assert heights(course([5, 5], [5, 5])) == pytest.approx([HEIGHT / 2 + 1] * 2 + [HEIGHT / 2 + 2] * 2)
    assert np.isfinite(heights(course([0, np.nan, 2], [1, np.nan, 2]))).all()
