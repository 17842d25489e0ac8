"""Surfaces of triangles that collide: against planes, closed forms, brute force; at high speed; in motion."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import rigidsim
from contact_shapes import box, shape_of, sphere
from rigidsim.engine.assembly.meshes import LEAF, TriangleSurface, tree_of
from rigidsim.engine.collision.convex import ConvexArrays, MeshArrays
from rigidsim.engine.collision.narrow import meet
from rigidsim.engine.collision.pairs import PlacedShape
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import made
from rigidsim.engine.model.contact_layout import BOUND
from rigidsim.jit.kernels import VARIABLE, kernel
from rigidsim.physics.distances import BOX, CYLINDER, MESH

trimesh = pytest.importorskip("trimesh")

GRAVITY = 9.81
PLANE = {"type": "plane"}
BALL = {"type": "sphere", "radius": 0.1}
CRATE = {"type": "box", "size": [0.5, 0.4, 0.2]}


def grid(count, half=4.0, height=lambda x, y: 0 * x):
    """A square of 2 count^2 triangles."""
    x = np.linspace(-half, half, count + 1)
    x, y = np.meshgrid(x, x, indexing="ij")
    k = np.arange((count + 1) ** 2).reshape(count + 1, count + 1)
    a, b, c, d = k[:-1, :-1].ravel(), k[1:, :-1].ravel(), k[1:, 1:].ravel(), k[:-1, 1:].ravel()
    return np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3), np.concatenate(
        [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    )


@pytest.fixture
def mesh_of(tmp_path):
    """A shape of vertices and faces, by a file."""

    def write(vertices, faces, name="m.ply", **more):
        trimesh.Trimesh(vertices, faces, process=False).export(tmp_path / name)
        return {"type": "mesh", "file": str(tmp_path / name)} | more

    return write


def scene_of(bodies, duration, step=1e-3, gravity=GRAVITY, **simulation):
    simulation = {"duration": duration, "step": step, "record_every": duration / 20} | simulation
    world = {"gravity": [0, 0, -gravity]}
    return rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies}
    )


def on(floor, **bodies):
    return {"floor": {"shapes": [floor]}} | bodies


# --- the same as on a plane


@pytest.mark.parametrize("shape", [BALL, CRATE], ids=["ball", "box"])
def test_1058_triangles_of_one_plane_are_a_plane(mesh_of, shape):
    """A ball rolls and a box slides and spins over edges and corners: path and forces are those on a plane."""
    body = {"mass": 1, "position": [-3, -2.5, 0.1], "velocity": [3, 1.7, 0], "shapes": [shape]}
    body |= {"angular_velocity": [0, 0, 3]} if shape is CRATE else {}
    record = {"record": ["local", "world", "contacts"]}
    one, other = (
        rigidsim.simulate(scene_of(on(floor, b=body), 1.0, **record)) for floor in (PLANE, mesh_of(*grid(23)))
    )
    # Measured: 4e-14; the same sums of round-off in another order.
    assert np.abs(one["b"].world.position - other["b"].world.position).max() < 1e-12
    assert np.abs(one["b"].world.orientation - other["b"].world.orientation).max() < 1e-12
    for before, after in zip(list(one.contacts)[1:], list(other.contacts)[1:], strict=True):
        force, found = before.on("b")["floor"], after.on("b")["floor"]
        assert np.abs(np.subtract(force, found)).max() < 1e-9 * GRAVITY


def test_a_box_of_triangles_falls_as_a_box(mesh_of):
    """A moving mesh: on a plane by its hull, on a box by its triangles."""
    triangles = trimesh.creation.box((0.5, 0.4, 0.3))
    pose = {"density": 1000, "position": [0, 0, 0.4], "orientation": {"axis": [1, 2, 3], "angle": 0.5}}
    for floor in (PLANE, {"type": "box", "size": [9, 9, 1], "position": [0, 0, -0.5]}):
        for shape in (mesh_of(triangles.vertices, triangles.faces), {"type": "box", "size": [0.5, 0.4, 0.3]}):
            last = rigidsim.simulate(scene_of(on(floor, b=pose | {"shapes": [shape]}), 1.5))["b"].world
            assert np.abs(last.velocity[-1]).max() < 1e-3
            assert abs(last.position[-1, 2] - 0.15) < 1e-4


# --- a marble in a bowl


def in_bowl(mesh_of, fineness, radius=0.05, start=0.6, duration=1.2, azimuth=0.7):
    """How far a marble that rolls in a bowl of radius 1 is from (R - r) theta'' = -5/7 g sin(theta)."""
    ball = trimesh.creation.icosphere(fineness, 1.0)
    faces = ball.faces[ball.vertices[ball.faces].mean(axis=1)[:, 2] < 0.3][:, ::-1]
    length, e = 1 - radius, np.array([np.cos(azimuth), np.sin(azimuth)])
    place = [*(length * np.sin(start) * e).tolist(), -length * np.cos(start)]
    marble = {"mass": 1, "position": place, "shapes": [BALL | {"radius": radius}]}
    rough = {"material": {"friction": 2}}
    bodies = {"bowl": rough | {"shapes": [mesh_of(ball.vertices, faces)]}, "marble": marble | rough}
    trajectory = rigidsim.simulate(scene_of(bodies, duration))
    rates = lambda _, y: [y[1], -5 / 7 * GRAVITY / length * np.sin(y[0])]  # noqa: E731
    angle = solve_ivp(rates, (0, duration), [start, 0], rtol=1e-10, atol=1e-12, t_eval=trajectory.time).y[0]
    x = np.column_stack([np.outer(np.sin(angle), e), -np.cos(angle)])
    return np.linalg.norm(trajectory["marble"].world.position - length * x, axis=1).max()


def test_a_marble_rolls_in_a_bowl(mesh_of):
    """Each triangle turns its velocity, as it does that of a marble in a bowl of glass facets: an error of the first
    order in their size, 1.6e-2, 8.2e-3, 4.8e-3 m for 824, 3328, 13 322 triangles.
    """
    coarse, middle, fine = (in_bowl(mesh_of, fineness) for fineness in (3, 4, 5))
    assert fine < 6e-3
    assert coarse / middle > 1.5
    assert middle / fine > 1.5


# --- places, against brute force


def arrays_of(surface):
    """Working arrays with one mesh."""
    corner = np.zeros((3, 3))
    return made(ConvexArrays, {"pairs": 0}, corner=corner, mesh=made(MeshArrays, {"shapes": 1}, meshes=surface.table))


def mesh_shape(surface):
    shape = shape_of(MESH, (2, 2, 2), 0.0, 4.0)
    shape.value[at.SOLID.sides] = 2.0 if surface.two_sided else 1.0
    return shape


@kernel
def meet_one(kind, value: at.SOLID, pose: at.POSE, reach, rows: at.PLACE, work, count):
    shape_i, shape_j = PlacedShape(kind[0], value[0], pose[0]), PlacedShape(kind[1], value[1], pose[1])
    count[0] = meet(shape_i, shape_j, reach, rows, work)


def places(shape, mesh, work, reach):
    rows, count = np.full((at.MOST_PLACES, at.PLACE.width), np.nan), np.zeros(1, np.int64)
    both = (np.stack([getattr(one, name) for one in (shape, mesh)]) for name in ("value", "pose"))
    meet_one(np.array([shape.kind, mesh.kind]), *both, reach, rows, work, count)
    return rows[: count[0]]


def test_the_nearest_place_of_a_sphere_is_that_of_all_triangles():
    """Random turns and places, both sides of an open surface; none is nearer, and normals are unit vectors along it."""
    rng = np.random.default_rng(5)
    vertices, faces = grid(8, 1.0, lambda x, y: 0.3 * np.sin(3 * x) * np.cos(2 * y))
    surface = TriangleSurface(vertices, faces, True)
    work, mesh = arrays_of(surface), mesh_shape(surface)
    for _ in range(60):
        turn, shift = Rotation.random(random_state=rng), rng.normal(size=3)
        centre = rng.uniform([-1.1, -1.1, -0.6], [1.1, 1.1, 0.6])
        ball = sphere(0.1).moved(turn.apply(centre) + shift)
        found = places(ball, mesh.moved(shift, turn), work, 2.0)
        nearest = trimesh.triangles.closest_point(vertices[faces], np.tile(centre, (len(faces), 1)))
        distance = np.linalg.norm(nearest - centre, axis=1).min()
        assert found[:, at.PLACE.gap].min() == pytest.approx(distance - 0.1, abs=1e-12)
        assert np.allclose(np.linalg.norm(found[:, at.PLACE.normal], axis=1), 1.0, rtol=0, atol=1e-14)


@pytest.mark.parametrize("reach", [0.001, 0.02, 0.5])
def test_a_ball_near_a_closed_surface_has_no_place_on_its_far_side(reach):
    """Random thin hulls of few triangles. A ball whose centre is outside is nowhere deeper than it is apart."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        hull = trimesh.convex.convex_hull(rng.normal(size=(9, 3)) * [0.2, 0.2, 0.06])
        surface = TriangleSurface(np.asarray(hull.vertices), np.asarray(hull.faces), False)
        work, mesh = arrays_of(surface), mesh_shape(surface)
        for _ in range(20):
            centre, radius = rng.normal(size=3) * 0.15, rng.uniform(0.05, 0.2)
            nearest = trimesh.triangles.closest_point(hull.triangles, np.tile(centre, (len(hull.faces), 1)))
            distance = np.linalg.norm(nearest - centre, axis=1).min()
            if not hull.contains([centre])[0]:
                found = places(sphere(radius).moved(centre), mesh, work, reach)
                assert (found[:, at.PLACE.gap] >= distance - radius - 1e-12).all()
                assert len(found) or distance - radius >= reach - 1e-12


@pytest.mark.parametrize("reach", [0.002, 0.02, 0.3])
def test_a_box_apart_from_a_closed_surface_has_no_place_on_its_far_side(reach):
    """Random hulls, with triangles that have neighbours in their plane on all sides, from which normals of faces of
    either part a box.
    """
    rng = np.random.default_rng(1)
    for _ in range(30):
        hull = trimesh.convex.convex_hull(rng.normal(size=(9, 3)) * 0.15)
        fine = hull.subdivide()
        surface = TriangleSurface(np.asarray(fine.vertices), np.asarray(fine.faces), False)
        work, mesh = arrays_of(surface), mesh_shape(surface)
        for _ in range(40):
            half, turn, centre = rng.uniform(0.05, 0.2, 3), Rotation.random(random_state=rng), rng.normal(size=3) * 0.25
            crate = box(*half).moved(centre)
            crate.pose[3:] = np.roll(turn.as_quat(), 1)
            axes = turn.as_matrix()
            corners = centre + np.array([*product(*zip(-half, half, strict=True))]) @ axes.T
            gaps = [(corners @ n).min() - (hull.vertices @ n).max() for n in hull.face_normals]
            gaps += [(hull.vertices @ n).min() - (corners @ n).max() for n in (*axes.T, *-axes.T)]
            if max(gaps) > 1e-6:
                assert (places(crate, mesh, work, reach)[:, at.PLACE.gap] >= max(gaps) - 1e-9).all()


def test_the_nearest_place_of_a_box_is_that_of_all_triangles():
    """The distance of a turned box and a surface, by minimising the distance of two convex sets for each triangle."""
    rng = np.random.default_rng(6)
    vertices, faces = grid(3, 1.0, lambda x, y: 0.3 * np.sin(3 * x) * np.cos(2 * y))
    surface, half = TriangleSurface(vertices, faces, True), np.array([0.2, 0.15, 0.1])
    work, mesh = arrays_of(surface), mesh_shape(surface)
    for _ in range(6):
        turn, centre = Rotation.random(random_state=rng), rng.uniform([-1, -1, 0.6], [1, 1, 0.9])
        box = shape_of(BOX, half, 0.0, float(np.linalg.norm(half))).moved(centre, turn)._replace(kind=BOX)
        box.pose[3:] = np.roll(turn.as_quat(), 1)
        box.pose[:3] = centre
        found = places(box, mesh, work, 3.0)
        nearest = min(_distance(turn.as_matrix().T @ (vertices[face] - centre).T, half) for face in faces)
        assert found[:, at.PLACE.gap].min() == pytest.approx(nearest, abs=1e-6)


def _distance(corners, half):
    """Of a triangle (its corners as columns) and a box about the origin."""

    def square(s):
        x = corners @ np.array([1 - s[0] - s[1], s[0], s[1]])
        way = x - np.clip(x, -half, half)
        return way @ way

    inside = {"type": "ineq", "fun": lambda s: 1 - s[0] - s[1]}
    found = minimize(
        square, [0.3, 0.3], bounds=[(0, 1)] * 2, constraints=inside, method="SLSQP", options={"ftol": 1e-16}
    )
    return np.sqrt(found.fun)


def test_a_tree_has_each_triangle_once_and_boxes_around_them():
    rng = np.random.default_rng(7)
    for count in (1, 4, 5, 9, 1000):
        low = rng.normal(size=(count, 3))
        high = low + rng.uniform(size=(count, 3))
        node, order = tree_of(low, high)
        assert sorted(order) == list(range(count))
        seen, waiting = [], [0]
        while waiting:
            row = node[waiting.pop()]
            first, size = int(row[BOUND.first]), int(row[BOUND.count])
            if size == 0:
                children = node[first : first + 2]
                assert np.array_equal(row[BOUND.low], children[:, BOUND.low].min(axis=0))
                assert np.array_equal(row[BOUND.high], children[:, BOUND.high].max(axis=0))
                waiting += [first, first + 1]
            else:
                own = order[first : first + size]
                assert np.array_equal(row[BOUND.low], low[own].min(axis=0))
                seen += own.tolist()
        assert sorted(seen) == list(range(count))


def test_a_tree_halves_its_nodes_along_their_longest_side():
    """Each half has the boxes of which the middles come first; among equal ones those that came first before."""
    middle = np.random.default_rng(8).integers(0, 6, (500, 3)).astype(float)
    order, spans = np.arange(500), [(0, 500)]
    while spans:
        begin, end = spans.pop(0)
        if end - begin > LEAF:
            own = middle[order[begin:end]]
            along = own[:, np.argmax(np.ptp(own, axis=0))]
            order[begin:end] = order[begin:end][np.argsort(along, kind="stable")]
            spans += [(begin, (begin + end) // 2), ((begin + end) // 2, end)]
    assert np.array_equal(tree_of(middle - 0.5, middle + 0.5)[1], order)


def test_rings_are_the_neighbours_of_each_vertex():
    ball = trimesh.creation.icosphere(2)
    table = TriangleSurface(np.vstack([ball.vertices, [[9, 9, 9]]]), ball.faces, False).table
    wanted = [set() for _ in range(len(ball.vertices) + 1)]
    for a, b in ball.edges:
        wanted[a].add(int(b))
        wanted[b].add(int(a))
    found = [table.beside[a:b].tolist() for a, b in pairwise(table.ring)]
    assert found == [sorted(near) for near in wanted]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_whatever_overlaps_a_plane_of_triangles_has_a_place(count):
    """Thin cylinders, plates and rods in random poses, whose lowest point is often over another triangle than that
    which they cross: the deepest place says how deep that point is.
    """
    rng = np.random.default_rng(0)
    surface = TriangleSurface(*grid(count, 1.0), True)
    work, mesh = arrays_of(surface), mesh_shape(surface)
    for kind, half in ((CYLINDER, (0.14, 0.14, 1e-3)), (BOX, (0.15, 0.1, 1e-3)), (BOX, (0.2, 4e-3, 0.01))):
        shape = shape_of(kind, half, 0.0, float(np.linalg.norm(half)))
        for _ in range(100):
            turn = Rotation.random(random_state=rng)
            x, y, z = np.abs(turn.inv().apply([0.0, 0.0, 1.0])) * half
            most = x + y + z if kind == BOX else np.hypot(x, y) + z
            height = rng.uniform(-0.99, 0.99) * most
            found = places(shape.moved([*rng.uniform(-0.6, 0.6, 2), height], turn), mesh, work, 1e-3)
            assert found[:, at.PLACE.gap].min() == pytest.approx(abs(height) - most, abs=1e-3 * min(half))


# --- high speed


@pytest.mark.parametrize("height", [0.0, 0.1])
def test_balls_at_any_speed_do_not_pass(mesh_of, height):
    """From 1 to 1e5 m/s, at a sheet without thickness; the fastest fly a hundred metres in a step. With restitution
    they return.
    """
    sheet = mesh_of(*grid(12, 2.0, lambda x, y: height * np.sin(2 * x) * np.cos(3 * y)))
    for k, speed in enumerate(np.geomspace(1, 1e5, 45)):
        rebounds = k % 2 == 1
        ball = {"mass": 1, "position": [0.13, -0.21, 2.0], "velocity": [0, 0, -float(speed)], "shapes": [BALL]}
        ball |= {"material": {"restitution": 0.6 if rebounds else 0.0, "friction": 0}}
        duration = 1e-3 * np.ceil(4e3 / speed + 2)
        trajectory = rigidsim.simulate(
            scene_of(
                {"sheet": {"shapes": [sheet]}, "b": ball}, float(duration), gravity=0.0, record_every=float(duration)
            )
        )
        x = trajectory["b"].world.position
        crossed = (x[:, 2] < -height - 0.05) & (np.abs(x[:, :2]) < 2.0).all(axis=1)
        assert not crossed.any(), speed
        if rebounds and height == 0.0:
            assert trajectory["b"].world.velocity[-1, 2] == pytest.approx(0.6 * speed, rel=1e-9)


def test_bullets_of_corners_do_not_pass(mesh_of):
    """Without spin, at a flat sheet of many triangles."""
    sheet = mesh_of(*grid(12, 2.0))
    for shape in (
        CRATE,
        {"type": "cone", "radius": 0.1, "length": 0.3},
        {"type": "cylinder", "radius": 0.1, "length": 2e-3},
    ):
        for speed in np.geomspace(1, 1e5, 9):
            bullet = {"shapes": [shape | {"density": 1000}], "position": [0.13, -0.21, 2.0]}
            bullet |= {"velocity": [0, 0, -float(speed)]}
            duration = 1e-3 * np.ceil(4e3 / speed + 2)
            last = rigidsim.simulate(
                scene_of(
                    {"s": {"shapes": [sheet]}, "b": bullet}, float(duration), gravity=0.0, record_every=float(duration)
                )
            )
            assert last["b"].world.position[-1, 2] > 0.0, speed


# --- bits, and what goes on


def heap(mesh_of, duration, **simulation):
    """One body of each shape above rough ground, some with restitution."""
    ground = mesh_of(*grid(6, 4.0, lambda x, y: 0.2 * np.sin(2 * x) * np.cos(1.5 * y)))
    cube = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.2, 0.2)]
    shapes = [
        BALL, CRATE, {"type": "capsule", "radius": 0.1, "length": 0.3}, {"type": "cone", "radius": 0.2, "length": 0.3},
        {"type": "hull", "points": cube}, {"type": "ellipsoid", "radii": [0.2, 0.1, 0.3]},
        {"type": "cylinder", "radius": 0.2, "length": 0.3},
    ]  # fmt: skip
    bodies = {
        f"b{k}": {"mass": 1, "position": [0.8 * k - 2, 0.3 * k - 1, 0.6], "angular_velocity": [1, 2, 3]}
        | {"shapes": [shape], "material": {"restitution": 0.4 * (k % 2)}}
        for k, shape in enumerate(shapes)
    }
    return scene_of(on(ground, **bodies), duration, step=1e-2, record_every=0.05, **simulation)


@pytest.mark.slow
def test_interpreted_bits_are_those_of_the_compiler(mesh_of, monkeypatch):
    scene = heap(mesh_of, 0.3)
    compiled = rigidsim.simulate(scene).content_hash
    monkeypatch.setenv(VARIABLE, "off")
    assert rigidsim.simulate(scene).content_hash == compiled


def test_all_shapes_come_to_rest_on_rough_ground(mesh_of):
    """Nothing falls through it; slices and several worlds have the same bits."""
    scene = heap(mesh_of, 4.0)
    whole = rigidsim.simulate(scene)
    for k in range(7):
        assert -0.2 < whole[f"b{k}"].world.position[-1, 2] < 0.7
    other = rigidsim.Simulation(scene)
    for _ in range(4):
        other.step(100)
    assert other.state["b3"].world.position.tobytes() == whole["b3"].world.position[-1].tobytes()
    assert [one.content_hash for one in rigidsim.simulate([scene, scene])] == [whole.content_hash] * 2


@pytest.mark.parametrize("omega", [0.0, 0.5])
def test_a_box_of_triangles_strikes_a_turning_plane_when_a_box_does(mesh_of, omega):
    """Beside a box that falls with it, and comes near the triangles first."""
    cube, times = trimesh.creation.box([0.2, 0.3, 0.25]), []
    falling = {"mass": 1.5, "inertia": {"principal": [0.02, 0.03, 0.025]}, "center_of_mass": [0, 0, 0]}
    falling |= {"velocity": [0, 0, -2], "orientation": {"axis": [1, 0.5, 0.2], "angle": 0.5}}
    above = {"mass": 1, "shapes": [CRATE], "position": [0, 0, 0.8]}
    above |= {"velocity": [0, 0, -2.2], "angular_velocity": [1, 2, 0]}
    plane = {"shapes": [PLANE], "motion": {"prescribed": {"angular_velocity": [0, 0, omega]}}}
    for shape in ({"type": "box", "size": [0.2, 0.3, 0.25]}, mesh_of(cube.vertices, cube.faces)):
        solid = falling | {"position": [0, 0, 0.4], "shapes": [shape], "material": {"restitution": 0.5}}
        found = rigidsim.simulate(scene_of({"plane": plane, "solid": solid, "above": above}, 0.16))
        times.append([event.time for event in found.events if event.cause == "impact"])
    assert times[0] and np.abs(np.subtract(*times)).max() < 1e-8  # files of triangles have seven digits


def test_a_moving_bowl_carries_a_marble(mesh_of):
    """A bowl that a prescribed motion lifts and turns: the marble at its bottom stays there, seen from the bowl."""
    ball = trimesh.creation.icosphere(3, 1.0)
    faces = ball.faces[ball.vertices[ball.faces].mean(axis=1)[:, 2] < 0.3][:, ::-1]
    motion = {"prescribed": {"velocity": [0.3, 0, 0.5], "angular_velocity": [0, 0, 2]}}
    bowl = {"motion": motion, "shapes": [mesh_of(ball.vertices, faces)]}
    marble = {"mass": 1, "position": [0, 0, -0.94], "velocity": [0.3, 0, 0.5], "shapes": [BALL | {"radius": 0.05}]}
    trajectory = rigidsim.simulate(scene_of({"bowl": bowl, "marble": marble}, 2.0))
    apart = trajectory["marble"].world.position[-1] - trajectory["bowl"].world.position[-1]
    assert np.hypot(*apart[:2]) < 0.08
    assert abs(apart[2] + 0.95) < 0.01
