"""Triangles enclose the volumes of the shapes, and planes are cut where they meet."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.physics.quaternion import rotate
from rigidsim.scene import Scene
from rigidsim.scene.schema.meshes import enclosed
from rigidsim.scene.schema.shapes import SHAPES
from rigidsim.trajectory.motion import columns, rows
from rigidsim.views.display import display_of_scene
from rigidsim.views.surfaces import FINEST, grounds, segments_for, surface_of

SOLIDS = [
    {"type": "box", "size": [1, 2, 3]},
    {"type": "sphere", "radius": 0.7},
    {"type": "ellipsoid", "radii": [1, 2, 0.5]},
    {"type": "cylinder", "radius": 0.5, "length": 2},
    {"type": "capsule", "radius": 0.5, "length": 2},
    {"type": "cone", "radius": 0.5, "length": 2},
    {"type": "tube", "radius": 0.5, "inner_radius": 0.3, "length": 2},
    {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 1], [1, 1, 1]]},
]
PLACE = {"position": [1, -2, 3], "orientation": {"axis": [1, 2, 3], "angle": 1.0}, "scale": [1, 2, 0.5]}
LOSS = (2 * np.pi / FINEST) ** 2 / 6
"""A polygon with n corners on a circle has a smaller area, by about (2 pi/n)^2/6 of it."""


def scene_with(*shapes, **body):
    head = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.5}}
    return Scene.from_dict({**head, "bodies": {"part": {"shapes": list(shapes), "motion": "fixed", **body}}})


def vertices_of(shape):
    found = surface_of(shape)
    turned = rotate(shape.orientation, columns(np.array(found.scale) * found.surface.vertices))
    return np.array(shape.position) + rows(turned)


@pytest.mark.parametrize("place", [{}, PLACE], ids=["at the origin", "placed"])
@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid["type"])
def test_triangles_enclose_the_volume_of_the_shape(solid, place):
    (shape,) = scene_with({**solid, **place}).bodies["part"].shapes
    known = shape.measures()
    volume, centroid, covariance = enclosed(vertices_of(shape), surface_of(shape).surface.faces)
    lost = 0 if solid["type"] == "box" else 3 * LOSS  # round in both directions, and squared in a covariance
    assert (1 - lost - 1e-12) * known.volume <= volume <= known.volume * (1 + 1e-12)
    extent = max(solid.get("size", solid.get("radii", [solid.get("length", 0.7)]))) * 2
    assert centroid == pytest.approx(known.centroid, abs=(lost + 1e-12) * extent)
    assert covariance == pytest.approx(known.covariance, abs=(2 * lost + 1e-12) * max(known.covariance))


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid["type"])
def test_normals_are_unit_vectors_on_the_outside(solid):
    (shape,) = scene_with(solid).bodies["part"].shapes
    surface = surface_of(shape).surface
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    outward = np.cross(b - a, c - a)
    assert np.linalg.norm(surface.normals, axis=1) == pytest.approx(1, abs=1e-12)
    for corner in range(3):
        along = np.einsum("ij,ij->i", outward, surface.normals[surface.faces[:, corner]])
        assert (along > 0.9 * np.linalg.norm(outward, axis=1)).all()


def test_every_kind_of_solid_has_triangles():
    assert {solid["type"] for solid in SOLIDS} | {"mesh", "terrain", "plane"} == set(SHAPES)


def test_equal_shapes_share_a_surface_whatever_their_size():
    spheres = [{"type": "sphere", "radius": r, "position": [r, 0, 0]} for r in (1, 2, 3)]
    capsules = [{"type": "capsule", "radius": r, "length": length} for r, length in ((1, 2), (2, 4), (1, 3))]
    display = display_of_scene(scene_with(*spheres, *capsules))
    assert [part.surface for part in display.parts] == [0, 0, 0, 1, 1, 2]


def test_a_mesh_is_shown_with_its_own_triangles_and_as_a_box_without_its_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "wedge.stl"
    trimesh.creation.cone(radius=1, height=2, sections=5).export(file)
    scene = scene_with({"type": "mesh", "file": str(file), "scale": 0.1}, scale=3)
    (shape,) = scene.bodies["part"].shapes
    volume, centroid, _ = enclosed(vertices_of(shape), surface_of(shape).surface.faces)
    assert volume == pytest.approx(shape.measures().volume, rel=1e-12)
    assert centroid == pytest.approx(shape.measures().centroid, rel=1e-12, abs=1e-15)
    assert display_of_scene(scene).notes == ()
    file.unlink()
    (note,) = display_of_scene(scene).notes
    assert note == f"part: {file} cannot be read or has changed; its bounding box is shown"
    corners = vertices_of(shape)
    assert corners.min(axis=0) == pytest.approx(0.1 * np.array(shape.file.lower), rel=1e-12)
    assert corners.max(axis=0) == pytest.approx(0.1 * np.array(shape.file.upper), rel=1e-12)


def test_many_bodies_have_fewer_triangles():
    assert [segments_for(n) for n in (0, 1, 100, 1000, 10**6)] == [48, 48, 48, 16, 12]
    balls = {f"b{k}": {"shapes": [{"type": "sphere", "radius": 1}], "motion": "fixed"} for k in range(300)}
    head = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.5}}
    (surface,) = display_of_scene(Scene.from_dict({**head, "bodies": balls})).surfaces
    assert 150_000 < 300 * len(surface.faces) < 300_000


def planes(*written):
    shapes = [{"type": "plane", "normal": list(n), "offset": d} for n, d in written]
    return list(scene_with(*shapes).bodies["part"].shapes)


def test_a_floor_is_cut_by_the_walls_around_it():
    """A floor of 2 by 4 m, and walls of that width which rise from it: the size of each is known."""
    sides = planes(((0, 0, 5), 0), ((1, 0, 0), -1), ((-1, 0, 0), -1), ((0, 1, 0), -2), ((0, -1, 0), -2))
    found = grounds(sides, 1.0, np.array([0.3, 0.1, 1]), 10.0)
    sizes = []
    for surface, foot, turn in found:
        assert surface.vertices[:, 2] == pytest.approx(0)
        corners = foot + rows(rotate(turn, columns(surface.vertices)))
        assert corners[:, 2].min() == pytest.approx(0, abs=1e-12)
        sizes.append(np.ptp(corners, axis=0))
    expected = [(2, 4, 0), *[(0, 4, 11)] * 2, *[(2, 0, 11)] * 2]
    assert np.array(sizes) == pytest.approx(np.array(expected), abs=1e-12)


def test_a_plane_is_shown_below_what_is_looked_at():
    ((surface, foot, turn),) = grounds(planes(((0, 3, 4), 2)), 0.5, np.array([100.0, 0, 0]), 3.0)
    corners = foot + rows(rotate(turn, columns(surface.vertices)))
    assert corners @ [0, 0.6, 0.8] == pytest.approx(1)  # 2 units of half a metre
    middle = np.array([100, 0, 0]) + np.array([0, 0.6, 0.8])
    assert corners.mean(axis=0) == pytest.approx(middle, abs=1e-12)
    assert np.linalg.norm(corners - middle, axis=1) == pytest.approx(3 * np.sqrt(2))


def test_a_plane_below_another_is_not_shown():
    assert len([*grounds(planes(((0, 0, 1), 0), ((0, 0, 1), 1)), 1.0, np.zeros(3), 1.0)]) == 1
