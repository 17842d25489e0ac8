"""Terrain: grids of heights inline and in files, their triangles, and which grids are refused."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.scene import Scene
from rigidsim.scene.schema.shapes import Terrain
from rigidsim.views.surfaces import surface_of

BALL = {"mass": 1, "inertia": "point", "position": [0.1, 0.2, 0.6], "shapes": [{"type": "sphere", "radius": 0.1}]}
HEIGHTS = [[0.0, 0.1, 0.0], [0.2, 0.1, 0.3]]


def data_of(shape, **ground):
    simulation = {"duration": 0.5, "step": 1e-3}
    ground = {"shapes": [{"type": "terrain", "spacing": 1} | shape]} | ground
    world = {"gravity": [0, 0, -9.81]}
    return {
        "format": "rigidsim/1",
        "simulation": simulation,
        "world": world,
        "bodies": {"ground": ground, "ball": BALL},
    }


def terrain_of(shape) -> Terrain:
    return Scene.from_dict(data_of(shape)).bodies["ground"].shapes[0]


def test_rows_follow_along_y():
    """Three heights along x, two along y, about the middle; triangles counter-clockwise from above."""
    vertices, faces = terrain_of({"heights": HEIGHTS, "spacing": [2, "50 cm"]}).triangles()
    assert vertices[:3].tolist() == [[-2, -0.25, 0], [0, -0.25, 0.1], [2, -0.25, 0]]
    assert vertices[3].tolist() == [-2, 0.25, 0.2]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert len(faces) == 4
    assert (np.cross(b - a, c - a)[:, 2] > 0).all()


def test_files_are_the_same_ground_as_numbers(tmp_path):
    np.save(tmp_path / "h.npy", np.array(HEIGHTS))
    np.savetxt(tmp_path / "h.csv", np.array(HEIGHTS), delimiter=",", fmt="%.17g")
    runs = [
        rigidsim.simulate(Scene.from_dict(data_of(shape)))["ball"].world.position.tobytes()
        for shape in ({"heights": HEIGHTS}, *({"file": str(tmp_path / name)} for name in ("h.npy", "h.csv")))
    ]
    assert runs[0] == runs[1] == runs[2]


def test_a_resolved_scene_finds_its_file_or_says_what_changed(tmp_path):
    path = tmp_path / "h.npy"
    np.save(path, np.array(HEIGHTS))
    resolved = Scene.from_dict(data_of({"file": str(path)})).resolved()
    assert Scene.from_dict(resolved).resolved() == resolved
    np.save(path, np.array(HEIGHTS) + 1.0)
    again = Scene.from_dict(resolved)
    assert not surface_of(again.bodies["ground"].shapes[0]).is_exact  # a box is drawn
    with pytest.raises(
        rigidsim.SceneError, match=r"ground\.shapes\[0\]\.file: '.*h\.npy' cannot be read, or has changed"
    ):
        rigidsim.simulate(again)


@pytest.mark.parametrize(
    ("shape", "path", "message"),
    [
        ({"heights": [[0, 1], [0]]}, ".heights", "row 2 has 1 heights, the first one has 2"),
        ({"heights": [[0, 1]]}, ".heights", "a terrain needs at least 2 rows of 2 heights, got 1 x 2"),
        ({"heights": 3}, ".heights", "expected rows of heights"),
        ({"heights": [[0, 1], [0, float("nan")]]}, ".heights[1][1]", "is not finite"),
        ({"heights": HEIGHTS, "spacing": 0}, ".spacing", "must be greater than zero"),
        ({}, "", "a terrain has either heights or a file"),
        ({"file": "missing.npy"}, ".file", "'missing.npy' cannot be read: No such file"),
    ],
)
def test_bad_grids_are_one_error(problem, shape, path, message):
    found = problem(data_of(shape))
    assert found.path == f"bodies.ground.shapes[0]{path}"
    assert message in found.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,\n", "row 2, column 2: nan is no height; there are 1 such gaps"),
        ("1,2\n3,high\n", "row 2, column 2: nan is no height"),
        ("1,2\n3\n", "Line #2 (got 1 columns instead of 2)"),
        ("", "a terrain needs at least 2 rows"),
    ],
)
@pytest.mark.filterwarnings("ignore:genfromtxt")
def test_bad_files_are_one_error(problem, tmp_path, text, message):
    (tmp_path / "h.csv").write_text(text)
    found = problem(data_of({"file": str(tmp_path / "h.csv")}))
    assert found.path == "bodies.ground.shapes[0].file"
    assert message in found.message


def test_a_file_of_objects_is_not_opened(problem, tmp_path):
    np.save(tmp_path / "h.npy", np.array([[{}, 1], [2, 3]], dtype=object), allow_pickle=True)
    assert "cannot be read" in problem(data_of({"file": str(tmp_path / "h.npy")})).message


def test_too_large_a_grid_is_refused(problem, tmp_path):
    np.save(tmp_path / "h.npy", np.zeros((1001, 1000), np.float32))
    found = problem(data_of({"file": str(tmp_path / "h.npy")}))
    assert "1001 rows of 1000 heights are more than 1 000 000" in found.message


def test_terrain_gives_no_mass(problem):
    found = problem(data_of({"heights": HEIGHTS}, density=3))
    assert (found.path, found.message) == ("bodies.ground.shapes[0]", "a terrain encloses no volume")


def test_two_surfaces_of_triangles_collide(problem):
    data = data_of({"heights": HEIGHTS})
    data["bodies"]["ball"] = BALL | {"inertia": {"principal": [1, 1, 1]}, "shapes": data["bodies"]["ground"]["shapes"]}
    assert Scene.from_dict(data).warnings is not None
