"""`rigidsim decompose`: a concave solid as convex hulls."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import trimesh

import rigidsim
from rigidsim.errors import UsageError
from rigidsim.imports.decomposition import decomposed

pytest.importorskip("coacd")
OUTLINE = np.array([(0, 0), (1, 0), (1, 0.25), (0.25, 0.25), (0.25, 1), (0, 1)])
THICK = 0.5


@pytest.fixture
def bracket(tmp_path):
    """An angle bracket: an L of two legs, 1 m long and 0.25 m thick."""
    n, cap = len(OUTLINE), [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    vertices = np.vstack([np.c_[OUTLINE, np.zeros(n)], np.c_[OUTLINE, np.full(n, THICK)]])
    faces = [(a, c, b) for a, b, c in cap] + [(a + n, b + n, c + n) for a, b, c in cap]
    for k in range(n):
        after = (k + 1) % n
        faces += [(k, after, after + n), (k, after + n, k + n)]
    trimesh.Trimesh(vertices, faces, process=False).export(tmp_path / "bracket.obj")
    trimesh.Trimesh(vertices, faces[2:], process=False).export(tmp_path / "open.obj")
    return tmp_path / "bracket.obj"


def test_the_hulls_fill_the_solid_and_leave_its_corner_empty(bracket):
    text, count = decomposed(bracket, "bracket.yaml", 0.05, 0, 1000.0)
    body = rigidsim.Scene.from_text(text).bodies["bracket"]
    hulls = [shape.solid for shape in body.shapes]
    area = 0.25 * 1.75
    assert count == len(hulls) >= 2
    assert abs(sum(hull.volume for hull in hulls) / (area * THICK) - 1.0) <= 0.05  # the concavity
    assert max(min(hull.upper[0], hull.upper[1]) for hull in hulls) <= 0.25 + 0.05  # no hull spans both legs
    assert abs(body.mass - 1000.0 * area * THICK) <= 1e-9
    centre = (0.25 * 0.5 + 0.1875 * 0.125) / area  # of both legs, in x and in y
    assert np.abs(np.array(body.center_of_mass) - [centre, centre, THICK / 2]).max() <= 1e-12


def test_a_pair_of_hulls_rests_as_the_solid_does(bracket, tmp_path):
    """A ball falls into the corner, which is empty, and rests on the leg."""
    text, _ = decomposed(bracket, "bracket.yaml", 0.05, 0, 1000.0)
    (tmp_path / "bracket.yaml").write_text(text)
    scene = """\
format: rigidsim/1
simulation: {duration: 1, step: 1 ms}
world: {gravity: [0, -9.81, 0]}
bodies:
  holder:
    include: bracket.yaml
  floor: {motion: fixed, shapes: [{type: plane, normal: [0, 1, 0]}]}
  ball: {position: [0.6, 0.7, 0.25], mass: 1, shapes: [{type: sphere, radius: 0.1}]}
"""
    (tmp_path / "scene.yaml").write_text(scene)
    found = rigidsim.simulate(tmp_path / "scene.yaml")
    assert abs(found["ball"].world.position[-1, 1] - 0.35) <= 0.05 * 0.25
    assert abs(found["holder/bracket"].world.position[-1, 1]) <= 1e-3


def test_it_repeats_its_bits_and_obeys_the_largest_number(bracket):
    first, again = (decomposed(bracket, "b.yaml", 0.05, 0, 1.0) for _ in range(2))
    assert first == again
    assert decomposed(bracket, "b.yaml", 0.01, 2, 1.0)[1] <= 2


def test_an_open_surface_is_refused(bracket):
    with pytest.raises(rigidsim.SceneError, match=r"open\.obj: error\[mesh\] its surface is not closed"):
        decomposed(bracket.with_name("open.obj"), "o.yaml", 0.05, 0, 1.0)


def test_without_the_library_one_sentence_tells_how_to_install_it(bracket, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(UsageError, match=r'pip install "rigidsim\[decompose\]"'):
        decomposed(bracket, "b.yaml", 0.05, 0, 1.0)
