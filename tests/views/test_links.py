"""What holds bodies in pictures: rods, springs and dampers between points, and what a camera follows."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.engine.laws.declaration import COIL, DASHPOT
from rigidsim.views.camera import Camera
from rigidsim.views.display import display_at, display_of, display_of_scene
from rigidsim.views.links import ROD, SYMBOLS
from rigidsim.views.page import page_of
from rigidsim.views.raytracing import BACKGROUND
from rigidsim.views.reel import Clip, Reel, Viewpoint
from rigidsim.views.scenery import JOINT_COLOUR, LINK_COLOUR, SYMBOL_WIDTH, Scenery, height_at, rgb, symbol

HEAD = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.01, "record_every": 0.1}}
POINT = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
CAMERA = Camera(np.zeros(3), 4.0, -np.pi / 2, 0.0, (640, 480))
"""It looks along y, with x to the right."""


def simulated(bodies, **world):
    scene = {**HEAD, "world": world, "bodies": bodies}
    return rigidsim.simulate(rigidsim.Scene.from_dict(scene))


def ends(display, link):
    """Both ends of a link at all times, (frame, 3)."""
    seen = display.poses.seen_from()
    return [display.places(seen, *end) for end in link.ends]


def test_links_are_where_the_mechanism_is(run):
    """In Andrews' squeezer loops hold points together, arms end where bodies are held, and the potential energy is that
    of a spring as long as it is drawn, k (l - l0)^2 / 2.
    """
    trajectory = run("andrews_squeezer")
    display = display_of(trajectory, fps=10)
    named = {(display.paths[link.body], link.kind): link for link in display.links if link.body != link.other}
    assert set(named) == {("middle", COIL)}  # loops of points and hinges have no length
    seen = display.poses.seen_from()
    arms = [link for link in display.links if link.body == link.other]
    points = {path: [tuple(link.other_point) for link in arms if display.paths[link.body] == path]
              for path in display.paths}  # fmt: skip
    assert points["middle"] == [(0.0, 0.0, 0.0), (0.0, -0.035, 0.0), (0.02, -0.018, 0.0)]
    bar, lever = (display.places(seen, display.row(path), point)
                  for path, point in (("crank/bar", (-0.028, 0.0, 0.0)), ("middle", (0.0, -0.035, 0.0))))  # fmt: skip
    assert np.abs(bar - lever).max() < 1e-15
    a, b = ends(display, named["middle", COIL])
    extension = np.linalg.norm(b - a, axis=1) - 0.07785
    at = np.searchsorted(trajectory.time, display.poses.time)
    stored = 0.5 * 4530 * extension**2
    assert np.abs(stored - trajectory.diagnostic("potential_energy")[at]).max() < 1e-9 * stored.max()


def test_a_slide_is_drawn_from_where_it_is_at_zero_and_a_spring_while_it_acts():
    spring = {"type": "spring", "to": "world", "to_at": [0, 0, 2], "stiffness": 1, "during": [0.3, 0.6]}
    damper = {"type": "damper", "to": "cart", "to_at": [0.5, 0, 0], "damping": 1}
    slide = {"slide": {"axis": [1, 0, 0], "rate": 2, "at": [0, 0, 0.25]}}
    cart = {**POINT, "position": [1, 0, 0], "scale": 2, "motion": slide}
    display = display_of(simulated({"cart": cart, "load": {**POINT, "forces": [spring, damper]}}), fps=10)
    links = {link.kind: link for link in display.links if link.body != link.other}
    assert set(links) == {ROD, COIL, DASHPOT}
    a, b = ends(display, links[ROD])
    assert np.abs(a - [1, 0, 0.5]).max() == 0.0
    assert np.linalg.norm(b - a, axis=1)[-1] > 1.0 and np.abs((b - a)[:, 1:]).max() < 1e-12
    assert [links[COIL].is_there(time) for time in (0.29, 0.3, 0.59, 0.6)] == [False, True, True, False]
    assert links[DASHPOT].is_there(0.0) and links[DASHPOT].other_point == (1.0, 0.0, 0.0)  # m, of 0.5 units
    assert (0, (0.0, 0.0, 0.5)) in display.ends


def test_what_rests_in_the_world_has_no_arms():
    post = {"motion": "fixed", "position": [0, 0, 1], "children": {"arm": {**POINT, "position": [0.2, 0, 0],
            "center_of_mass": [0, 0, -1], "motion": {"hinge": {"axis": [0, 1, 0]}}}}}  # fmt: skip
    display = display_of_scene(rigidsim.Scene.from_dict({**HEAD, "bodies": {"post": post}}))
    assert [(display.paths[link.body], link.point, link.other_point) for link in display.links] == [
        ("post/arm", (0.0, 0.0, -1.0), (0.0, 0.0, 0.0))
    ]


@pytest.mark.parametrize("kind", SYMBOLS)
def test_symbols_go_from_end_to_end_in_a_width_of_the_picture(kind):
    """A damper has a gap between piston and cylinder; no line leaves the symbol. A short one is slim."""
    for half in (1.0, 1e-3):
        a, b = np.array([-half, 0.0, 0.3]), np.array([half, 0.2, -0.3])
        lines = list(symbol(kind, a, b, CAMERA))
        assert np.array_equal(lines[0][0], a) and np.allclose(lines[-1][-1], b, rtol=0, atol=1e-15)
        along = (b - a) / np.linalg.norm(b - a)
        aside = np.concatenate([line - a - np.outer((line - a) @ along, along) for line in lines])
        widest = np.linalg.norm(aside, axis=1).max()
        expected = 0.5 * min(SYMBOL_WIDTH * height_at((a + b) / 2, CAMERA), 0.3 * np.linalg.norm(b - a))
        assert widest == pytest.approx(0.0 if kind == ROD else expected, abs=1e-15)
        assert np.abs(aside @ (a + b - 2 * CAMERA.position)).max() < 1e-12  # it faces the camera


def pixel_of(pixels, point):
    """The colour where a point of the plane y = 0 is seen."""
    x, _, z = np.asarray(point) / (CAMERA.distance * CAMERA.pixel)
    return pixels[round(CAMERA.size[1] / 2 - z), round(CAMERA.size[0] / 2 + x)] / 255.0


def test_rods_springs_and_joints_are_in_the_picture():
    """A pendulum on a rod, with a spring to the world, and a wheel about an axis that is seen through it. At 0.35 s the
    spring has ended.
    """
    ball = {"type": "sphere", "radius": 0.2, "position": [0, 0, -1]}
    spring = {
        "type": "spring",
        "at": [0, 0, -1],
        "to": "world",
        "to_at": [-1, 0, -1],
        "stiffness": 0.0,
        "during": [0, 0.3],
    }
    hinge = {"hinge": {"axis": [0, 1, 0]}}
    bodies = {
        "pendulum": {**POINT, "center_of_mass": [0, 0, -1], "shapes": [ball], "motion": hinge, "forces": [spring]},
        "wheel": {**POINT, "position": [0.8, 0, 0], "shapes": [{"type": "sphere", "radius": 0.2}],
                  "motion": {"hinge": {"axis": [1, 0, 0]}}},
    }  # fmt: skip
    display = display_at(simulated(bodies), np.array([0.0, 0.35]), 1.0)
    seen = display.poses.seen_from()
    scenery = Scenery(display, seen, display.framing(seen), [])
    first, later = (scenery.picture(frame, CAMERA).render() for frame in (0, 1))
    assert np.allclose(pixel_of(first, (0, 0, -0.5)), rgb(display.colours[0]), atol=0.01)  # the rod
    for pixels, is_there in ((first, True), (later, False)):
        lead = pixel_of(pixels, (-0.95, 0, -1))
        nearer = [np.abs(lead - colour).max() for colour in (rgb(LINK_COLOUR), BACKGROUND)]
        assert (nearer[0] < nearer[1]) == is_there
    axis, beside = (np.abs(pixel_of(first, (0.8, 0, z)) - rgb(JOINT_COLOUR)).max() for z in (0.0, 0.1))
    assert axis < 0.1 < beside


def test_the_page_draws_links(opened):
    """One instance for each line of a symbol, from its one end to the other; none when joints are switched off."""
    spring = {"type": "spring", "to": "world", "to_at": [0, 0, 2], "stiffness": 1}
    pendulum = {**POINT, "center_of_mass": [0, 0, -1], "motion": {"hinge": {"axis": [0, 1, 0]}}, "forces": [spring]}
    display = display_of(simulated({"pendulum": pendulum}))
    shown = opened(page_of(display)).ready()
    lines = sum(len(line) - 1 for line in SYMBOLS[COIL])
    assert shown("() => (rigidsim.setTime(0), rigidsim.page.show.links.count)") == lines + 1
    matrix = shown("() => Array.from(rigidsim.page.show.links.mesh.instanceMatrix.array.slice(0, 16))")
    target = shown("() => rigidsim.page.show.camera.target")
    first = np.array(matrix[12:15]) + target
    assert first == pytest.approx([0, 0, -1], abs=1e-6)  # a spring begins at the centre of mass
    shown("() => document.getElementById('joints').click()")
    assert shown("() => (rigidsim.setTime(0), rigidsim.page.show.links.count)") == 0


CAR = {**POINT, "velocity": [20, 0, 0], "shapes": [{"type": "box", "size": [2, 1, 0.5]}], "children": {
    "wheel": {**POINT, "position": [0.5, 0, 0], "motion": {"hinge": {"axis": [0, 1, 0]}},
              "shapes": [{"type": "sphere", "radius": 0.2}]}}}  # fmt: skip
RAMP = {"motion": "fixed", "shapes": [{"type": "box", "size": [1, 1, 1], "position": [10, 3, 0]}]}
HALL = {"motion": "fixed", "shapes": [{"type": "box", "size": [24, 1, 12], "position": [10, 4, 0]}]}


def leader(bodies, **world):
    display = display_of(simulated(bodies, **world))
    found = display.leader(display.poses.seen_from())
    return found and display.paths[found[0]]


def test_a_camera_follows_what_is_small_beside_its_way():
    """Not what swings, flies to and fro in a room, or leaves others behind; and not a point, which has no size."""
    swing = {**POINT, "center_of_mass": [0, 0, -1], "motion": {"hinge": {"axis": [0, 1, 0], "rate": 3}},
             "shapes": [{"type": "sphere", "radius": 0.05, "position": [0, 0, -1]}]}  # fmt: skip
    assert leader({"ramp": RAMP, "car": CAR}) == "car"
    assert leader({"hall": HALL, "car": CAR}) is None
    assert leader({"car": CAR, "other": {**POINT, "shapes": [{"type": "sphere", "radius": 0.5}]}}) is None
    assert leader({"pendulum": swing}, gravity=[0, 0, -9.81]) is None
    assert leader({"point": {**POINT, "velocity": [20, 0, 0]}}) is None


def test_the_picture_shows_what_is_followed_and_the_world_stays():
    """The same size at all times, from nearer than where the whole way is seen."""
    trajectory = simulated({"ramp": RAMP, "car": CAR})
    clip = Clip(np.linspace(0, 1, 5), 1.0, 30)
    of = {follow: Reel.of(trajectory, clip, Viewpoint("world", follow, -1.0, 0.3, None, ()), (320, 180))
          for follow in ("", "world")}  # fmt: skip
    distances = {follow: {camera.distance for camera in reel.cameras} for follow, reel in of.items()}
    assert len(distances[""]) == len(distances["world"]) == 1
    assert 2 < distances["world"].pop() / distances[""].pop() < 4
    ways = {follow: [camera.target[0] for camera in reel.cameras] for follow, reel in of.items()}
    assert ways[""] == pytest.approx([0, 5, 10, 15, 20], abs=1e-9) and np.ptp(ways["world"]) == 0.0


@pytest.mark.parametrize(("asked", "followed"), [("", "car"), ("world", ""), ("ramp", "ramp")])
def test_the_page_follows_what_a_video_does(opened, asked, followed):
    shown = opened(page_of(display_of(simulated({"ramp": RAMP, "car": CAR})), follow=asked)).ready()
    chosen = "() => { const list = document.getElementById('follow'); return list.options[list.selectedIndex].text; }"
    assert shown(chosen) == (followed or "nothing")


def test_labels_stay_near_their_bodies(opened):
    """Of twelve bodies and the world at one place at most four are named above it and three below; from near,
    more are.
    """
    bodies = {f"body_{k}": {**POINT, "position": [0.01 * k, 0, 0]} for k in range(12)}
    bodies["far"] = {**POINT, "position": [0, 50, 0]}
    shown = opened(page_of(display_of(simulated(bodies))), size=(1280, 720)).ready()
    shown("() => document.getElementById('labels').checked || document.getElementById('labels').click()")
    count = """() => {
      rigidsim.page.show.draw();
      rigidsim.page.placeLabels();
      return [...document.querySelectorAll(".label:not([hidden])")].filter((one) => one.textContent !== "far").length;
    }"""
    assert 4 <= shown(count) <= 7
    shown("() => { const { camera } = rigidsim.page.show; camera.target = [0.05, 0, 0]; camera.distance = 0.15; }")
    assert shown(count) >= 10
