"""The page in a browser: it draws, plays, scrubs, looks from bodies, and executes nothing but its own scripts."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError
from rigidsim.views import page
from rigidsim.views.display import display_of, display_of_scene
from rigidsim.views.page import page_of
from rigidsim.views.view import MOST_BYTES, view
from thousand_balls import thousand_balls

PIXELS = """() => {
  rigidsim.page.show.draw();
  const gl = rigidsim.page.show.renderer.getContext();
  const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return new TextDecoder().decode(pixels.map((value) => value >> 1));
}"""


def pixels(shown):
    """The numbers of all pixels, 0 to 127."""
    return np.frombuffer(shown(PIXELS).encode(), np.uint8).astype(int)


@pytest.fixture(scope="module")
def turntable(run):
    return display_of(run("ball_on_turntable"))


@pytest.fixture
def shown(opened, turntable):
    return opened(page_of(turntable)).ready()


def test_the_page_draws_what_changes_with_time(shown):
    first = pixels(shown)
    assert np.count_nonzero(first != first[0]) > 1000  # not blank
    shown("() => rigidsim.setTime(3)")
    second = pixels(shown)
    assert np.count_nonzero(first != second) > 300
    shown("() => rigidsim.setTime(0)")
    assert np.array_equal(pixels(shown), first)


def test_bodies_are_drawn_where_they_are_said_to_be(shown):
    """The pixel at a ball has the ball's colour: its largest and smallest parts are the same."""
    shown("() => (rigidsim.page.show.drawn.axes = false)")
    for path, colour in (("table/let_go", [213, 94, 0]), ("table/left_behind", [0, 158, 115])):
        x, y = map(round, shown("(path) => rigidsim.positionOnScreen(path)", path))
        found = pixels(shown).reshape(600, 800, 4)[599 - y, x, :3]
        assert np.argsort(found).tolist() == np.argsort(colour).tolist(), found


def test_joints_are_shown_through_bodies_and_can_be_left_out(opened, run):
    scene = rigidsim.Scene.from_file(shipped_scenes()["satellite_reaction_wheels"])
    shown = opened(page_of(display_of_scene(scene))).ready()
    for part in ("axes", "grid", "paths"):
        shown("(part) => (rigidsim.page.show.drawn[part] = false)", part)
    x, y = map(round, shown("() => rigidsim.positionOnScreen('satellite/wheel_z')"))
    pixel = lambda: pixels(shown).reshape(600, 800, 4)[599 - y, x, :3]  # noqa: E731
    red, green, blue = pixel()
    assert red > green > blue  # in the middle of the satellite, which is blue
    shown("() => document.getElementById('joints').click()")
    red, green, blue = pixel()
    assert red < green < blue


@pytest.mark.parametrize("name", ["ball_on_turntable", "payload_release", "vehicle_on_earth"])
def test_the_page_composes_motions_as_python_does(run, opened, name):
    """At frames of both trees, from each body: poses to a few roundings, rates to those of 2^-15 of the largest."""
    display = display_of(run(name))
    shown = opened(page_of(display)).ready()
    frames = [0, len(display.poses.time) // 3, len(display.poses.time) - 1]
    for row in range(-1, len(display.paths)):
        ours = shown(
            "([row, frames]) => frames.map((f) => Array.from(rigidsim.page.display.seenFrom(row, f)))", [row, frames]
        )
        seen = display.poses.seen_from(row)
        theirs = np.concatenate([part[frames] for part in seen], axis=-1)
        found = np.array(ours).reshape(len(frames), -1, 13)
        found[..., 3:7] *= np.sign(np.sum(found[..., 3:7] * theirs[..., 3:7], axis=-1, keepdims=True))
        places = [slice(0, 3), slice(3, 7), *([slice(7, 10), slice(10, 13)] if len(display.paths) < 4 else [])]
        for place in places:
            largest = max(np.abs(theirs[..., place]).max(), 1e-3)
            assert (
                np.abs(found[..., place] - theirs[..., place]).max()
                < max(1e-12, 4 * 2.0**-15 * (place.start > 6)) * largest
            )


def test_between_frames_the_page_interpolates(shown, turntable):
    """Half-way between two frames of a straight line, and of a rotation at constant rate."""
    k, half = 100, (turntable.poses.time[100] + turntable.poses.time[101]) / 2
    shown("(time) => rigidsim.setTime(time)", half)
    assert shown("() => rigidsim.time()") == half
    position = turntable.poses.seen_from().position[[k, k + 1], 1].mean(axis=0)
    # The ball is a child of the table, in which its path is bent: h^2/8 of the acceleration of 2 m/s2.
    assert shown("() => rigidsim.position('table/let_go')") == pytest.approx(position, abs=2 * (1 / 60) ** 2 / 8 * 2)


def test_the_slider_and_the_keys_move_the_time(shown, turntable):
    shown("""() => {
      const slider = document.getElementById("time");
      slider.value = 250000;
      slider.dispatchEvent(new Event("input"));
    }""")
    assert shown("() => rigidsim.time()") == pytest.approx(1.5)
    shown.page.keyboard.press("ArrowRight")
    assert shown("() => rigidsim.time()") == min(turntable.poses.time[turntable.poses.time > 1.5])
    shown.page.keyboard.press("End")
    assert shown("() => rigidsim.time()") == 6
    shown.page.keyboard.press("Home")
    assert shown("() => rigidsim.time()") == 0


def test_it_plays_and_pauses(opened, turntable):
    shown = opened(page_of(turntable), plays=True).ready()
    shown.page.keyboard.press("Space")
    for _ in range(100):
        if shown("() => rigidsim.time()") > 0.05:
            break
        shown.page.wait_for_timeout(50)
    shown.page.click("#play")
    now = shown("() => rigidsim.time()")
    assert 0.05 < now <= 6
    shown.page.wait_for_timeout(100)
    assert shown("() => rigidsim.time()") == now


def test_seen_from_a_body_that_body_rests_and_others_move(shown):
    """From the table the straight path is bent, and what is at rest in the world moves on a circle."""
    world = [
        shown("([p, t]) => (rigidsim.setTime(t), rigidsim.positionOnScreen(p))", ["table/left_behind", t])
        for t in (0, 2)
    ]
    assert world[0] == pytest.approx(world[1], abs=1e-6)
    shown.page.select_option("#from", label="table")
    places = {}
    for path in ("table", "table/let_go", "table/left_behind"):
        places[path] = [
            shown("([p, t]) => (rigidsim.setTime(t), rigidsim.positionOnScreen(p))", [path, t]) for t in (0, 1, 2)
        ]
    assert np.ptp(places["table"], axis=0).max() < 1e-6
    assert min(np.ptp(places["table/let_go"], axis=0)) > 5
    assert min(np.ptp(places["table/left_behind"], axis=0)) > 5
    radii = [
        np.linalg.norm(shown("(t) => (rigidsim.setTime(t), rigidsim.position('table/left_behind'))", t))
        for t in (0, 1, 2)
    ]
    assert radii == pytest.approx([0.5] * 3, abs=1e-9)


def test_a_followed_body_stays_in_the_middle(shown):
    shown.page.select_option("#follow", label="table/let_go")
    places = [shown("(t) => (rigidsim.setTime(t), rigidsim.positionOnScreen('table/let_go'))", t) for t in (0, 2, 5)]
    assert np.ptp(places, axis=0).max() < 1e-6


def test_forces_of_contact_are_drawn_where_they_act(opened, dropped):
    """At the last sample: the dot at the point, and the force in the axes of the world."""
    display = display_of(dropped)
    shown = opened(page_of(display)).ready()
    shown("() => rigidsim.setTime(1)")
    (point,), (force,) = dropped.contacts[-1].point, dropped.contacts[-1].force
    drawn = shown("""() => {
      const { points, arrows, camera } = rigidsim.page.show;
      const place = Array.from(points.mesh.instanceMatrix.array.slice(12, 15), (x, i) => x + camera.target[i]);
      const heads = arrows.heads.mesh.instanceMatrix.array;
      const last = 16 * (arrows.heads.count - 1);
      return [points.count, place, Array.from(heads.slice(last + 12, last + 15), (x, i) => x + camera.target[i])];
    }""")
    assert drawn[0] == 1 and drawn[1] == pytest.approx(point, abs=1e-6)
    along = np.array(drawn[2]) - drawn[1]
    assert along / np.linalg.norm(along) == pytest.approx(force / np.linalg.norm(force), abs=1e-5)


def test_a_path_stays_thin_nearby(opened, run):
    """Its points are 250 m apart, the camera is at 15 m, and the origin of the world at 1.5e11 m. The line is 2.5
    pixels wide, and on the screen straight, as the bend in the picture is below 1e-9 of it.
    """
    shown = opened(page_of(display_of(run("vehicle_on_earth")))).ready()
    follow = """(time) => {
      Object.assign(rigidsim.page.show.drawn, { axes: false, grid: false });
      rigidsim.follow("orbit/stars/earth/ground/vehicle");
      rigidsim.page.show.camera.distance = 15;
      rigidsim.setTime(time);
    }"""
    for time in (3.3, 10.0, 17.7):
        shown(follow, time)
        drawn = pixels(shown).reshape(600, 800, 4)[..., 2]
        y, x = np.nonzero(drawn < 110)  # darker than the background
        line = np.polynomial.Polynomial.fit(y, x, 1)
        ball = np.hypot(x - line(300), y - 300) < 12
        assert np.abs(x - line(y))[~ball].max() < 4
        assert 500 < len(x) < 4000


def test_the_page_begins_as_it_was_asked_to(opened, turntable):
    shown = opened(page_of(turntable, "table", "table/let_go")).ready()
    assert shown("() => [...document.querySelectorAll('#from, #follow')].map((one) => one.value)") == ["0", "1"]
    with pytest.raises(UsageError, match="no body 'chair'"):
        page_of(turntable, "chair")


def test_a_notebook_shows_it_in_a_frame_that_reaches_nothing_outside(opened, run):
    outer = opened(f"<!DOCTYPE html><title>notebook</title>{view(run('ball_on_turntable'), 'table')._repr_html_()}")
    inner = outer.page.frames[1]
    for _ in range(300):
        if inner.evaluate("() => !!window.rigidsim"):
            break
        outer.page.wait_for_timeout(50)
    assert inner.evaluate("() => rigidsim.position('table')") == [0, 0, 0]
    reached = "() => { try { return parent.document.title; } catch (error) { return error.name; } }"
    assert inner.evaluate(reached) == "SecurityError"


def test_a_scene_has_no_player(opened, run):
    scene = rigidsim.Scene.from_text(run("ball_on_turntable").header.scene_text)
    shown = opened(scene.view("table").html).ready()
    assert not shown.page.is_visible("#player") and shown.page.is_visible("#panel")
    assert shown("() => rigidsim.position('table/let_go')") == [1, 0, 0]
    assert np.count_nonzero(np.diff(pixels(shown))) > 1000


def test_it_fits_a_phone(opened, turntable):
    shown = opened(page_of(turntable), size=(360, 640)).ready()
    assert shown("() => document.documentElement.scrollWidth") == 360
    shown.page.click("#menu")
    shown.page.select_option("#from", label="table")
    x, y = shown("() => rigidsim.positionOnScreen('table')")
    assert 0 < x < 360 and 0 < y < 640


FLYING = """\
format: rigidsim/1
title: A title that is long enough to be broken into two lines
simulation: {duration: 1, step: 0.01}
bodies:
  a_body_with_a_very_long_name_that_goes_on:
    mass: 1
    shapes: [{type: sphere, radius: 0.1}]
    position: ["= 0.2*index", 0, 0]
    velocity: [0, 0, 5]
    repeat: {line: 10, spacing: [0, 0, 0]}
"""
COVERED = """() => {
  const box = (one) => one.getBoundingClientRect();
  const labels = [...document.querySelectorAll(".label")].filter((label) => !label.hidden);
  const title = box(document.querySelector("header"));
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const theirs = labels.filter((label) => meet(box(label), title)).length;
  const widest = Math.max(...labels.map((label) => box(label).width));
  const lines = document.querySelectorAll("#leaders line[visibility=visible]");
  return [labels.length, theirs, widest, lines.length];
}"""


@pytest.mark.parametrize("size", [(420, 800), (1280, 720)])
def test_labels_have_lines_and_cover_no_title(opened, size):
    """Ten bodies with long names that fly across the title."""
    scene = rigidsim.Scene.from_text(FLYING)
    shown = opened(page_of(display_of(rigidsim.simulate(scene))), size=size).ready()
    shown("() => (rigidsim.page.show.camera.distance /= 3)")
    for time in (0.0, 0.5, 0.8):
        shown("(time) => (rigidsim.setTime(time), rigidsim.page.placeLabels())", time)
        count, over_title, widest, lines = shown(COVERED)
        assert over_title == 0
        assert widest <= 0.2 * size[0] + 7
        assert lines == count
    if size[0] < 700:
        shown.page.click("#menu")
        panel, header = (shown(f"() => document.querySelector('{one}').getBoundingClientRect().toJSON()")
                         for one in ("#panel", "header"))  # fmt: skip
        assert panel["top"] >= header["bottom"]


@pytest.mark.parametrize("name", ["ball_on_turntable", "crash_test", "dominoes"])
def test_the_page_frames_the_bodies(opened, run, name):
    """What the bodies cover at all times fills 0.7 of the room beside the controls, in one of the two directions."""
    shown = opened(page_of(display_of(run(name))), size=(1280, 720)).ready()
    wide, high = shown("""() => {
      const { show } = rigidsim.page;
      show.camera.update();
      const x = [], y = [];
      for (const [px, py, pz, radius] of show.ballsOfInterest()) {
        const at = [px, py, pz].map((p, i) => p - show.camera.target[i]);
        const [left, top] = show.camera.project(...at);
        const right = new THREE.Vector3().setFromMatrixColumn(show.camera.three.matrixWorld, 0).multiplyScalar(radius);
        const size = show.camera.project(at[0] + right.x, at[1] + right.y, at[2] + right.z)[0] - left;
        x.push(left - size, left + size);
        y.push(top - size, top + size);
      }
      const room = innerWidth - show.camera.covered;
      return [(Math.max(...x) - Math.min(...x)) / room, (Math.max(...y) - Math.min(...y)) / innerHeight];
    }""")
    assert max(wide, high) == pytest.approx(0.7, abs=0.02)


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028'\"`${alert(3)}&lt;<!--"


def test_hostile_names_and_titles_are_text(opened):
    head = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.5}}
    display = display_of_scene(rigidsim.Scene.from_dict({**head, "bodies": {"one": {"mass": 1, "inertia": "point"}}}))
    html = page_of(replace(display, title=HOSTILE, paths=(HOSTILE,), notes=(HOSTILE,)))
    assert scripts_of(html) == ["application/json", None, "module"]
    shown = opened(html).ready()
    assert shown("() => document.title").split() == HOSTILE.split()
    assert shown("() => document.getElementById('title').textContent") == HOSTILE
    assert shown("() => document.getElementById('from').options[1].textContent") == HOSTILE
    assert shown("() => document.querySelectorAll('img').length") == 0


def scripts_of(html):
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag == "script":
                found.append(dict(attributes).get("type"))

    Reader().feed(html)
    return found


def test_nothing_else_could_run_or_be_loaded(opened, turntable):
    """The policy of the page, not only its own good will, forbids it."""
    shown = opened(page_of(turntable)).ready()
    blocked = shown("""async () => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      const image = document.createElement("img");
      image.src = "http://localhost:9/x.png";
      image.setAttribute("onerror", "window.ran = true");
      document.body.append(image);
      const fetched = await fetch("http://localhost:9/").then(() => "loaded", () => "refused");
      await new Promise((later) => setTimeout(later, 200));
      return [window.ran ?? false, fetched];
    }""")
    assert blocked == [False, "refused"]
    assert shown.said and all("Content Security Policy" in line for line in shown.said)
    shown.said.clear(), shown.asked.clear()  # it did ask


def test_without_webgl_there_is_one_clear_message(opened, turntable):
    shown = opened(page_of(turntable), script="HTMLCanvasElement.prototype.getContext = () => null;")
    shown.page.wait_for_selector("#message", state="visible")
    assert shown("() => document.getElementById('message').textContent") == (
        "This page needs WebGL 2, which this browser does not have or has switched off."
    )
    shown.said.clear()  # three.js tells the console, too


@pytest.mark.slow
def test_a_thousand_bodies_for_a_thousand_frames(opened):
    """In one page of less than 20 MB, which draws and looks from a body."""
    html = page_of(thousand_balls(1000, 1000))
    assert len(html) < MOST_BYTES
    shown = opened(html).ready()
    shown("() => (rigidsim.lookFrom('ball_7'), rigidsim.setTime(5))")
    assert np.count_nonzero(np.diff(pixels(shown)[::4])) > 1000
    assert shown("() => rigidsim.position('ball_7')") == [0, 0, 0]


def test_the_page_without_its_data_is_small(turntable):
    assert len(page_of(turntable)) < 1_000_000


@pytest.mark.parametrize(("spec", "said"), [
    (None, r'the view needs trimesh; install it with: pip install "rigidsim\[view\]"'),
    (SimpleNamespace(submodule_search_locations=["nowhere"]), r"this trimesh has no three\.js; install one that has"),
])  # fmt: skip
def test_without_a_renderer_there_is_one_sentence(monkeypatch, spec, said):
    monkeypatch.setattr(page, "find_spec", lambda name: spec)
    page.three.cache_clear()
    with pytest.raises(UsageError, match=said):
        page.three()


def test_data_cannot_end_the_element_they_are_in():
    text = page._json({"name": "</script><!--"})
    assert "<" not in text and json.loads(text) == {"name": "</script><!--"}
