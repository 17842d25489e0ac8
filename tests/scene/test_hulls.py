"""Hulls that are no solids, and files that give none: one error at the place of each."""

from __future__ import annotations

import pytest

from rigidsim.scene.schema.meshes import MAX_BYTES

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
POINTS = {
    "fewer than four": (CORNERS, "hull", "points", "at least 4 points, got 3"),
    "three different": ([*CORNERS, [0, 1, 0]], "hull", "points", "at least 4 different points, got 3"),
    "coplanar": ([*CORNERS, [1, 1, 0]], "hull", "points", "in one plane, or almost"),
    "almost coplanar": ([*CORNERS, [1, 1, 1e-12]], "hull", "points", "in one plane, or almost"),
    "not a number": ([*CORNERS, [0, 0, float("nan")]], "not-finite", "points[3][2]", "nan is not finite"),
    "infinite": ([*CORNERS, [0, 0, float("inf")]], "not-finite", "points[3][2]", "inf is not finite"),
    "far": ([*CORNERS, [0, 0, 1e60]], "magnitude", "points[3][2]", "is beyond 1e+50 m"),
    "two coordinates": ([*CORNERS, [0, 1]], "length", "points[3]", "expected 3 values [x, y, z], got 2"),
    "a number": (7, "not-a-list", "points", "expected a list of points [x, y, z], got 7"),
}


@pytest.mark.parametrize("name", POINTS)
def test_points_without_a_solid(problem, with_body, name):
    points, code, place, message = POINTS[name]
    only = problem(with_body(mass=1, shapes=[{"type": "hull", "points": points}]))
    assert (only.code, only.path) == (code, f"bodies.b.shapes[0].{place}")
    assert message in only.message


FILES = {
    "missing": (None, "No such file"),
    "empty": (b"", "cannot be read"),
    "three vertices": (b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "at least 4 different points, got 3"),
    "flat": (b"OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n3 1 3 2\n", "in one plane, or almost"),
    "not a number": (b"OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 nan\n3 0 1 2\n", "vertex 3 of 4"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_without_a_solid(problem, with_body, tmp_path, name):
    pytest.importorskip("trimesh")
    content, message = FILES[name]
    path = tmp_path / "part.off"
    if content is not None:
        path.write_bytes(content)
    only = problem(with_body(mass=1, shapes=[{"type": "hull", "file": str(path)}]))
    assert only.path == "bodies.b.shapes[0].file"
    assert message in only.message


def test_a_huge_file_is_refused_unread(problem, with_body, tmp_path):
    path = tmp_path / "part.stl"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # takes no room on the disk
    only = problem(with_body(mass=1, shapes=[{"type": "hull", "file": str(path)}]))
    assert (only.code, only.path) == ("mesh", "bodies.b.shapes[0].file")
    assert "larger than 64 MiB" in only.message
