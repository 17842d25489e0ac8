"""Two surfaces of triangles that collide: against all features, separating directions, other shapes, closed forms."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import rigidsim
from contact_shapes import shape_of
from rigidsim.engine.assembly.meshes import TriangleSurface, joined
from rigidsim.engine.collision.convex import ConvexArrays, MeshArrays
from rigidsim.engine.collision.narrow import meet
from rigidsim.engine.collision.pairs import PlacedShape
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import made
from rigidsim.jit.kernels import VARIABLE, kernel
from rigidsim.physics.distances import MESH

trimesh = pytest.importorskip("trimesh")

GRAVITY = 9.81


@kernel
def meet_once(value: at.SOLID, pose: at.POSE, reach, rows: at.PLACE, work, count):
    """One call of the narrow phase."""
    one, other = PlacedShape(MESH, value[0], pose[0]), PlacedShape(MESH, value[1], pose[1])
    count[0] = meet(one, other, reach, rows, work)


class TwoMeshes:
    """Two closed surfaces, and the working arrays for them."""

    def __init__(self, *surfaces: TriangleSurface):
        tables, roots = joined([surface.table for surface in surfaces])
        mesh = made(MeshArrays, {"shapes": 1}, meshes=tables)
        self.work = made(ConvexArrays, {"pairs": 0}, corner=np.zeros((3, 3)), mesh=mesh)
        self.shapes = []
        for surface, root in zip(surfaces, roots, strict=True):
            half = np.abs(surface.vertices).max(axis=0)
            shape = shape_of(MESH, half, 0.0, float(np.linalg.norm(half)))
            shape.value[at.SOLID.tree], shape.value[at.SOLID.sides] = root, 1.0
            self.shapes.append(shape)

    def gap(self, shift, turn, reach) -> float:
        """The smallest one with the first at the origin and the second there; NaN if there is no place."""
        both = self.shapes[0], self.shapes[1].moved(shift, turn)
        rows, count = np.zeros((at.MOST_PLACES, at.PLACE.width)), np.zeros(1, np.int64)
        value, pose = (np.stack([getattr(shape, name) for shape in both]) for name in ("value", "pose"))
        meet_once(value, pose, reach, rows, self.work, count)
        return rows[: count[0], at.PLACE.gap].min() if count[0] else np.nan


def solid_of(rng, count):
    """A convex solid of so many random corners, about the middle of its box."""
    points = rng.normal(size=(count, 3))
    points *= rng.uniform(0.3, 1.0, 3) / np.linalg.norm(points, axis=1)[:, None]
    points -= 0.5 * (points.max(axis=0) + points.min(axis=0))
    solid = trimesh.Trimesh(points, ConvexHull(points).simplices).convex_hull
    return TriangleSurface(np.asarray(solid.vertices), np.asarray(solid.faces), False)


def edges_of(corners, faces):
    pairs = np.sort(np.concatenate([np.asarray(faces)[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    return corners[np.unique(pairs, axis=0)]


def between_segments(one, other):
    """The distance of two segments: of their lines, if the nearest points are inside, or of an end."""
    (a, b), (c, d) = one, other
    least = min(to_segment(x, *ends) for x, ends in [(a, other), (b, other), (c, one), (d, one)])
    system = np.column_stack([b - a, c - d])
    s, t = np.linalg.lstsq(system, c - a, rcond=None)[0]
    return min(least, np.linalg.norm(system @ [s, t] - (c - a))) if 0 < s < 1 and 0 < t < 1 else least


def to_segment(x, a, b):
    s = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(a + s * (b - a) - x)


def distance(one, other, faces):
    """Of two surfaces that are apart: corners of each and triangles of the other one, and all edges."""
    least = np.inf
    for corners, surface in ((one, other[faces[1]]), (other, one[faces[0]])):
        for x in corners:
            nearest = trimesh.triangles.closest_point(surface, np.tile(x, (len(surface), 1)))
            least = min(least, np.linalg.norm(nearest - x, axis=1).min())
    edges = product(edges_of(one, faces[0]), edges_of(other, faces[1]))
    return min(least, *(between_segments(*pair) for pair in edges))


def separation(one, other):
    """The largest gap of two convex sets over the normals of all faces and of all pairs of edges."""
    hulls = ConvexHull(one), ConvexHull(other)
    ways = [np.diff(edges_of(hull.points, hull.simplices), axis=1)[:, 0] for hull in hulls]
    across = np.cross(ways[0][:, None], ways[1][None]).reshape(-1, 3)
    n = np.concatenate([hulls[0].equations[:, :3], -hulls[1].equations[:, :3], across])
    length = np.linalg.norm(n, axis=1)
    n = n[length > 1e-9] / length[length > 1e-9, None]
    n = np.concatenate([n, -n])
    return ((n @ other.T).min(axis=1) - (n @ one.T).max(axis=1)).max()


def at_separation(rng, wanted):
    """Two convex solids with that largest gap, or depth if it is negative: solids, way and turn of the second one."""
    solids, turn, way = (solid_of(rng, 8), solid_of(rng, 12)), Rotation.random(random_state=rng), rng.normal(size=3)
    way /= np.linalg.norm(way)
    near, far = 0.0, 4.0
    for _ in range(60):
        middle = 0.5 * (near + far)
        is_near = separation(solids[0].vertices, turn.apply(solids[1].vertices) + middle * way) < wanted
        near, far = (middle, far) if is_near else (near, middle)
    return solids, far * way, turn


@pytest.mark.parametrize("wanted", [0.1, 1e-3, 1e-6])
def test_the_gap_of_solids_that_are_apart_is_that_of_all_their_features(wanted):
    rng = np.random.default_rng(1)
    for _ in range(25):
        solids, shift, turn = at_separation(rng, wanted)
        other = turn.apply(solids[1].vertices) + shift
        nearest = distance(solids[0].vertices, other, [solid.faces for solid in solids])
        assert TwoMeshes(*solids).gap(shift, turn, 0.5) == pytest.approx(nearest, abs=1e-12)


@pytest.mark.parametrize(("depth", "most"), [(1e-6, 1e-5), (1e-4, 1.5e-4), (1e-3, 1.5e-3)])
def test_solids_that_overlap_have_a_place_as_deep(depth, most):
    """No less deep than the shortest way out, and not much deeper: edges may be those of almost parallel faces."""
    rng = np.random.default_rng(2)
    for _ in range(100):
        solids, shift, turn = at_separation(rng, -depth)
        found = -TwoMeshes(*solids).gap(shift, turn, 0.5)
        assert depth - 1e-12 <= found <= most


def test_of_many_places_the_deepest_is_kept():
    """A board of spikes above a slab: the one that has sunk is the last that is found."""
    spikes = []
    for x, y in product(np.linspace(-1, 1, 13), repeat=2):
        low = -0.001 if x == y == 1 else 0.001
        corners = np.array([[0, 0, low], [0.03, 0, 0.1], [-0.02, 0.03, 0.1], [-0.02, -0.03, 0.1]])
        spikes.append(trimesh.convex.convex_hull(corners + np.array([x, y, 0])))
    board, slab = trimesh.util.concatenate(spikes), trimesh.creation.box((2.4, 2.4, 0.2))
    both = TwoMeshes(
        *(TriangleSurface(np.asarray(one.vertices), np.asarray(one.faces), False) for one in (board, slab))
    )
    assert both.gap([0, 0, -0.1], Rotation.identity(), 0.02) == pytest.approx(-0.001, abs=1e-12)


# --- in motion


@pytest.fixture
def mesh_of(tmp_path):
    """A shape of a solid of trimesh, by a file."""

    def write(solid, name, **more):
        solid.export(tmp_path / f"{name}.ply")
        return {"type": "mesh", "file": str(tmp_path / f"{name}.ply")} | more

    return write


def run_of(bodies, duration, gravity=GRAVITY, **simulation):
    simulation = {"duration": duration, "step": 1e-3, "contact": "stepping", "record_every": duration / 10} | simulation
    data = {"format": "rigidsim/1", "simulation": simulation, "world": {"gravity": [0, 0, -gravity]}, "bodies": bodies}
    return rigidsim.Scene.from_dict(data)


def stack(cube, floor, count=4):
    """Cubes on each other, with aligned edges along y."""
    x, y, z = 0.4, 0.3, 0.2
    inertia = {"principal": [(y * y + z * z) / 6, (x * x + z * z) / 6, (x * x + y * y) / 6]}
    bodies = {"floor": {"position": [0, 0, -0.1], "shapes": [floor]}}
    for k in range(count):
        bodies[f"b{k}"] = {"mass": 2, "inertia": inertia, "position": [0.01 * k, 0, 0.1 + 0.201 * k], "shapes": [cube]}
    return bodies


def test_meshes_of_boxes_are_stacked_as_boxes(mesh_of):
    cube, slab = (
        mesh_of(trimesh.creation.box((0.4, 0.3, 0.2)), "cube"),
        mesh_of(trimesh.creation.box((4, 4, 0.2)), "slab"),
    )
    boxes = {"type": "box", "size": [0.4, 0.3, 0.2]}, {"type": "box", "size": [4, 4, 0.2]}
    found, wanted = (rigidsim.simulate(run_of(stack(*shapes), 2.0)) for shapes in ((cube, slab), boxes))
    for k in range(4):
        # Measured: 6e-5 m after 2 s, where the boxes sink by 2e-6 m. The points of contact are not the same.
        assert np.abs(found[f"b{k}"].world.position - wanted[f"b{k}"].world.position).max() < 2e-4


def test_a_plank_lies_across_a_beam(mesh_of):
    """Only edges touch: no corner of one is over the other one."""
    plank = mesh_of(trimesh.creation.box((1.0, 0.1, 0.02)), "plank")
    bodies = {"beam": {"shapes": [plank], "orientation": {"axis": [0, 0, 1], "angle": "90 deg"}}}
    bodies["plank"] = {"shapes": [plank | {"density": 500}], "position": [0.02, 0.1, 0.0201]}
    last = rigidsim.simulate(run_of(bodies, 1.0))["plank"].world
    assert last.position[-1] == pytest.approx([0.02, 0.1, 0.02], abs=1e-5)
    assert np.abs(last.angular_velocity[-1]).max() < 1e-4


def test_links_of_a_chain_hang_in_each_other(mesh_of):
    """The corners inside of two rings meet: the links are 2 (R - r) apart, and the hook carries the weight."""
    R, r, mass = 0.1, 0.02, 1.0
    link = mesh_of(trimesh.creation.torus(R, r, major_sections=24, minor_sections=12), "link")
    own = mass * (0.5 * R**2 + 0.625 * r**2)
    inertia = {"principal": [own, own, mass * (R**2 + 0.75 * r**2)]}
    turns = [{"axis": axis, "angle": "90 deg"} for axis in ([1, 0, 0], [0, 1, 0])]
    bodies = {"hook": {"shapes": [link], "orientation": turns[0]}}
    for k in range(3):
        bodies[f"link_{k}"] = {
            "mass": mass, "inertia": inertia, "position": [0, 0, -0.159 * (k + 1)],
            "orientation": turns[(k + 1) % 2], "shapes": [link], "material": {"friction": 0.3},
        }  # fmt: skip
    trajectory = rigidsim.simulate(run_of(bodies, 1.0))
    for k in range(3):
        lowest = trajectory[f"link_{k}"].world.position[-1]
        assert lowest == pytest.approx([0, 0, -2 * (R - r) * (k + 1)], abs=1e-4)


def test_meshes_at_any_speed_do_not_pass(mesh_of):
    """A cube and a ball at a thin slab."""
    slab = mesh_of(trimesh.creation.box((4, 4, 0.02)), "slab")
    for name, solid in (("cube", trimesh.creation.box((0.2, 0.2, 0.2))), ("ball", trimesh.creation.icosphere(2, 0.1))):
        shape = mesh_of(solid, name)
        for speed in np.geomspace(1, 1e5, 9):
            bullet = {"mass": 1, "inertia": {"principal": [0.01, 0.01, 0.01]}, "shapes": [shape]}
            bullet |= {"position": [0.13, -0.21, 2.0], "velocity": [0, 0, -float(speed)]}
            bullet |= {"orientation": {"axis": [1, 2, 3], "angle": "50 deg"}}
            duration = 1e-3 * float(np.ceil(4e3 / speed + 2))
            scene = run_of({"slab": {"shapes": [slab]}, "b": bullet}, duration, 0.0, record_every=duration)
            assert rigidsim.simulate(scene)["b"].world.position[-1, 2] > 0.05, (name, speed)


def test_an_open_mesh_needs_a_radius(mesh_of):
    """A box of triangles comes to rest on a sheet, at its thickness."""
    corners, faces = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.0]]), [[0, 1, 2], [0, 2, 3]]
    sheet = mesh_of(trimesh.Trimesh(corners, faces, process=False), "sheet")
    cube = mesh_of(trimesh.creation.box((0.2, 0.2, 0.2)), "cube", density=1000)
    bodies = {"sheet": {"shapes": [sheet]}, "cube": {"shapes": [cube], "position": [0.1, 0.2, 0.13]}}
    with pytest.raises(rigidsim.SceneError, match="a mesh is open and has no radius"):
        run_of(bodies, 0.5)
    bodies["sheet"] = {"shapes": [sheet | {"radius": 0.01}]}
    assert rigidsim.simulate(run_of(bodies, 0.5))["cube"].world.position[-1, 2] == pytest.approx(0.11, abs=1e-5)


def test_a_mesh_comes_to_rest_on_terrain(mesh_of):
    """In the hollow of a V of two slopes at 45 degrees: each carries a side of the cube."""
    ground = {"type": "terrain", "heights": [[1, 0, 1]] * 3, "spacing": 1.0}
    cube = mesh_of(trimesh.creation.box((0.2, 0.2, 0.2)), "cube", density=1000)
    turn = {"axis": [0, 1, 0], "angle": "45 deg"}
    bodies = {"ground": {"shapes": [ground]}, "cube": {"shapes": [cube], "position": [0, 0, 0.16], "orientation": turn}}
    world = rigidsim.simulate(run_of(bodies, 1.0))["cube"].world
    assert world.position[-1] == pytest.approx([0, 0, 0.1 * np.sqrt(2)], abs=1e-4)


def test_bits_do_not_depend_on_slices_or_lanes(mesh_of, monkeypatch):
    cube, slab = (
        mesh_of(trimesh.creation.box((0.4, 0.3, 0.2)), "cube"),
        mesh_of(trimesh.creation.box((4, 4, 0.2)), "slab"),
    )
    bodies = stack(cube, slab, 2)
    bodies["b1"] |= {"angular_velocity": [1, 2, 3], "position": [0.1, 0, 0.5]}
    scene = run_of(bodies, 0.4)
    whole, other = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    for _ in range(4):
        other.step(100)
    assert other.state["b1"].world.position.tobytes() == whole["b1"].world.position[-1].tobytes()
    assert [one.content_hash for one in rigidsim.simulate([scene, scene])] == [whole.content_hash] * 2
    short = run_of(bodies, 0.01)
    compiled = rigidsim.simulate(short).content_hash
    monkeypatch.setenv(VARIABLE, "off")
    assert rigidsim.simulate(short).content_hash == compiled
