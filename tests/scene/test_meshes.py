"""Meshes: what is measured in them, how they are found, and which are refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import SceneError
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.mass import own_mass
from rigidsim.scene.schema import meshes
from rigidsim.scene.schema.meshes import enclosed, joined_at_corners, measured_file

trimesh = pytest.importorskip("trimesh")

EPS = np.finfo(float).eps
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
SCENE = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.1}
bodies:
  b: {mass: 1, shapes: [{type: mesh, file: parts/t.off}]}
"""


def off_text(vertices=CORNERS, faces=FACES) -> str:
    lines = ["OFF", f"{len(vertices)} {len(faces)} 0", *(" ".join(map(repr, v)) for v in vertices)]
    return "\n".join([*lines, *(f"3 {a} {b} {c}" for a, b, c in faces), ""])


@pytest.fixture
def scene_file(tmp_path):
    """A scene beside a folder with the unit right tetrahedron."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "t.off").write_text(off_text())
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE)
    return path


@pytest.fixture
def refusal(tmp_path, problem, with_body):
    """What is said of a mesh file with this content."""

    def refuse(content: str | bytes | None, name="m.off"):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        only = problem(with_body(density=1, shapes=[{"type": "mesh", "file": str(path)}]))
        assert (only.code, only.path) == ("mesh", "bodies.b.shapes[0].file")
        return f"{only.message}; {only.hint}"

    return refuse


def test_the_unit_right_tetrahedron_has_the_signs_of_a_tensor(scene_file):
    """Mass 1, about the centroid: I_xx = 3/40, off-diagonal +1/80. The path begins at the scene's folder."""
    own = own_mass(Scene.from_file(scene_file).bodies["b"])
    assert np.allclose(own.center, [0.25] * 3, rtol=4 * EPS, atol=0)
    assert np.allclose(own.inertia, [3 / 40] * 3 + [1 / 80] * 3, rtol=8 * EPS, atol=0)


def test_the_resolved_scene_needs_no_file(scene_file):
    scene = Scene.from_file(scene_file)
    resolved = scene.resolved()
    kept = resolved["bodies"]["b"]["shapes"][0]["file"]
    assert kept["path"] == str(scene_file.parent / "parts" / "t.off")
    assert (kept["lower"], kept["upper"]) == ([0, 0, 0], [1, 1, 1])
    (scene_file.parent / "parts" / "t.off").unlink()
    again = Scene.from_dict(resolved)
    assert again == scene
    assert own_mass(again.bodies["b"]) == own_mass(scene.bodies["b"])


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "ply", "off"])
def test_a_box_of_triangles_is_the_box(tmp_path, with_body, kind):
    size, place = [0.5, 1.5, 2.0], [1.0, -2.0, 0.25]
    box = trimesh.creation.box(extents=size)
    box.apply_translation(place)
    path = tmp_path / f"box.{kind.removesuffix('_ascii')}"
    box.export(path, file_type=kind)
    mesh = with_body(density=3, shapes=[{"type": "mesh", "file": str(path), "scale": [1, 2, 1]}])
    solid = {"type": "box", "size": [0.5, 3.0, 2.0], "position": [1.0, -4.0, 0.25]}
    one, other = (own_mass(Scene.from_dict(s).bodies["b"]) for s in (mesh, with_body(density=3, shapes=[solid])))
    assert one.mass == pytest.approx(other.mass, rel=4 * EPS)
    assert np.allclose(one.center, other.center, rtol=8 * EPS, atol=0)
    assert np.allclose(one.inertia, other.inertia, rtol=0, atol=16 * EPS * max(other.inertia))


def test_moments_agree_with_trimesh_far_from_the_origin():
    """A torus of revolution: closed form, polygonal to 1e-3; and trimesh's own integrals of the same triangles."""
    ring = trimesh.creation.torus(major_radius=2.0, minor_radius=0.5, major_sections=128, minor_sections=64)
    volume, centroid, covariance = enclosed(ring.vertices, ring.faces)
    assert volume == pytest.approx(ring.volume, rel=1e-13)
    assert np.allclose(centroid, 0, rtol=0, atol=1e-13)
    assert covariance[0] + covariance[1] == pytest.approx(2.0**2 + 0.75 * 0.5**2, rel=2e-3)
    far, _, moved = enclosed(ring.vertices + np.array([4096.0, 0, -8192.0]), ring.faces)
    assert far == pytest.approx(volume, rel=1e-11)
    assert np.allclose(moved, covariance, rtol=0, atol=1e-12)  # measured 4.2e-14


def test_a_cavity_is_left_out(tmp_path):
    outer, inner = trimesh.creation.box(extents=[2, 2, 2]), trimesh.creation.box(extents=[1, 1, 1])
    inner.invert()
    path = tmp_path / "hollow.stl"
    trimesh.util.concatenate([outer, inner]).export(path)
    hollow = measured_file(path)
    assert hollow.volume == pytest.approx(7, rel=4 * EPS)
    assert hollow.covariance[0] == pytest.approx((8 * 4 - 1) / 12 / 7, rel=8 * EPS)


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "t.off"
    path.write_text(off_text())
    assert measured_file(path).volume == pytest.approx(1 / 6, rel=4 * EPS)
    path.write_text(off_text([[2 * c for c in corner] for corner in CORNERS]) + "# changed\n")
    assert measured_file(path).volume == pytest.approx(8 / 6, rel=4 * EPS)


def test_a_file_is_read_once(scene_file, monkeypatch):
    """By the measure of its inside, the check of its triangles, the tree of their boxes and a second scene."""
    meshes._measured.cache_clear()
    meshes._triangles.cache_clear()
    reads, read = [], meshes._read
    monkeypatch.setattr(meshes, "_read", lambda path: reads.append(path) or read(path))
    ball = "  ball: {mass: 1, position: [0, 0, 2], shapes: [{type: sphere, radius: 0.1}]}\n"
    scene_file.write_text(SCENE.replace("{mass: 1, shapes", "{shapes") + ball)
    for duration in (1, 2):
        rigidsim.Simulation(Scene.from_file(scene_file, [f"simulation.duration={duration}"]))
    assert len(reads) == 1


def test_corners_are_joined_as_by_unique():
    """Vertices in order of x, then y, then z, each once; -0 is 0, and a triangle with one vertex twice goes."""
    rng = np.random.default_rng(3)
    vertices = rng.integers(-2, 3, (600, 3)) * rng.choice([1.0, -1.0], (600, 3))
    faces = np.arange(600).reshape(-1, 3)
    unique, index = np.unique(vertices + 0.0, axis=0, return_inverse=True)
    wanted = index.reshape(-1)[faces]
    wanted = wanted[[len(set(face)) == 3 for face in wanted.tolist()]]
    assert len(wanted) < len(faces)
    joined, found = joined_at_corners(vertices, faces)
    assert joined.tobytes() == unique.tobytes()
    assert np.array_equal(found, wanted)


def test_seams_and_collapsed_triangles_are_mended(tmp_path):
    apart = [CORNERS[i] for face in FACES for i in face]
    triples = [[3 * k, 3 * k + 1, 3 * k + 2] for k in range(4)]
    path = tmp_path / "t.off"
    path.write_text(off_text([*apart, [-0.0, 1, 0]], [*triples, [0, 1, 1], [1, 1, 12]]))
    assert measured_file(path).volume == pytest.approx(1 / 6, rel=4 * EPS)


def test_bad_meshes(refusal):
    not_closed = refusal(off_text(faces=FACES[:3]))
    assert "not closed: 3 of its 6 edges" in not_closed and "the first from [0, 0, 1] to [0, 1, 0]" in not_closed
    wound = refusal(off_text(faces=[*FACES[:3], [1, 3, 2]]))
    assert "not oriented consistently: at 3 of its 6 edges" in wound and "the first from" in wound
    inside_out = refusal(off_text(faces=[face[::-1] for face in FACES]))
    assert "inside out: its volume is -0.166667; order the vertices of all triangles counter-clockwise" in inside_out
    assert "encloses no volume" in refusal(off_text([*CORNERS[:3], [0.5, 0.25, 0]]))
    assert "encloses no volume" in refusal(off_text([[0, 0, 0]] * 4))
    far = refusal(off_text([*CORNERS[:3], [0, 0, 1e60]]))
    assert "vertex 3 of 4, [0, 0, 1e+60], has a coordinate that is not a number below 1e+50" in far
    ply = trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type="ply", encoding="ascii").decode()
    astray = refusal(ply.replace("3 0 1 3", "3 0 1 7"), "m.ply")
    assert "triangle 1 of 4 has the vertices [0, 1, 7]; there are 4" in astray


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "ply", "off"])
def test_comments_and_names_may_be_in_any_encoding(tmp_path, kind):
    name, solid = "gro\u00df".encode("latin-1"), trimesh.creation.box(extents=[1, 2, 3])
    path = tmp_path / f"box.{kind.removesuffix('_ascii')}"
    solid.export(path, file_type=kind)
    content = path.read_bytes()
    if kind == "stl":
        content = name.ljust(80, b"\xff") + content[80:]
    elif kind == "stl_ascii":
        content = b"solid " + name + content[content.index(b"\n") :]
    elif kind == "ply":
        content = content.replace(b"\n", b"\ncomment " + name + b"\n", 1)
    else:
        content = content.replace(b"\n", b"\n# " + name + b"\n", 1)
    path.write_bytes(content)
    assert measured_file(path).volume == pytest.approx(6, rel=4 * EPS)


def test_bad_files(refusal, tmp_path):
    assert "No such file" in refusal(None, "missing.stl")
    assert "begins at the scene's folder" in refusal(None, "missing.stl")
    assert "formats: .stl, .obj, .ply, .off" in refusal("", "m.zip")
    for name in ("m.stl", "m.obj", "m.ply", "m.off"):
        reported = refusal(b"\x00\xff rubbish", name)
        assert f"'{name}' cannot be read: " in reported or "the mesh has no faces" in reported
        assert "module" not in reported
    (tmp_path / "folder.stl").mkdir()
    assert "not a regular file" in refusal(None, "folder.stl")


def test_no_trimesh_is_one_clear_error(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    assert refusal(off_text(), "other.off") == 'reading a mesh needs trimesh; pip install "rigidsim[mesh]"'


GROUND = """format: rigidsim/1
simulation: {duration: 1, step: 0.01}
bodies:
  ground: {shapes: [SHAPE]}
  ball: {mass: 1, position: [0, 0, 2], shapes: [{type: sphere, radius: 0.1}]}
"""
PLATE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n"
BAD = {
    "no area": (f"{PLATE}v 2 0 0\nf 1 2 5\n", "1 of its 2 triangles have no area, the first with the corners"),
    "nan": (PLATE.replace("v 1 1 0", "v 1 nan 0"), "has a coordinate that is not a number below"),
    "no faces": ("v 0 0 0\nv 1 0 0\n", "cannot be read|the mesh has no faces"),
    "astray": (f"{PLATE}f 1 2 9\n", "cannot be read|there are 4, from 0"),
    "missing": (None, "cannot be read: No such file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_ground_is_one_located_error(tmp_path, name):
    text, message = BAD[name]
    if text is not None:
        (tmp_path / "m.obj").write_text(text)
    scene = tmp_path / "s.yaml"
    scene.write_text(GROUND.replace("SHAPE", "{type: mesh, file: m.obj}"))
    with pytest.raises(SceneError, match=message) as raised:
        Scene.from_file(scene)
    assert "s.yaml:4:" in str(raised.value) and "bodies.ground.shapes[0]" in str(raised.value)
    assert str(raised.value).count("error[") == 1


def test_an_open_surface_is_a_ground_but_no_solid(tmp_path):
    (tmp_path / "m.obj").write_text(PLATE)
    scene = tmp_path / "s.yaml"
    scene.write_text(GROUND.replace("SHAPE", "{type: mesh, file: m.obj}"))
    Scene.from_file(scene)
    scene.write_text(GROUND.replace("SHAPE", "{type: mesh, file: m.obj, density: 1}"))
    with pytest.raises(SceneError, match="not closed: 3 of its 3 edges"):
        Scene.from_file(scene)


def test_ten_million_triangles_are_refused_unread(tmp_path):
    """The file has no content, but the size of a binary file of so many."""
    with (tmp_path / "m.stl").open("wb") as file:
        file.truncate(84 + 50 * 10_000_000)
    scene = tmp_path / "s.yaml"
    scene.write_text(GROUND.replace("SHAPE", "{type: mesh, file: m.stl}"))
    with pytest.raises(SceneError, match=r"'m.stl' is larger than 64 MiB; simplify the mesh"):
        Scene.from_file(scene)


def test_other_triangles_of_the_same_solid_are_another_surface(tmp_path):
    """Opposite corners of a cube's faces may be joined either way; a file with the other triangles is read anew."""
    box = trimesh.creation.box()
    turned = box.apply_transform(np.diag([-1.0, 1.0, 1.0, 1.0]))
    found = []
    for surface in (trimesh.creation.box(), turned):
        (tmp_path / "t.off").write_text(off_text(surface.vertices.tolist(), surface.faces.tolist()))
        found.append(measured_file(tmp_path / "t.off"))
        vertices, faces = meshes.surface_of_file(found[-1])
        assert len(faces) == 12 and np.array_equal(vertices[faces], surface.vertices[surface.faces])
    assert found[0].volume == found[1].volume and found[0] != found[1]
    assert meshes.surface_of_file(found[0]) is None
