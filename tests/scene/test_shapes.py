"""Mass, centre and inertia from shapes: what is derived, what wins, what is refused, and what is kept."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.mass import own_mass
from wholes import carried_mass

EPS = np.finfo(float).eps
BOX = {"type": "box", "size": [1, 1, 1]}
BALL = {"type": "sphere", "radius": 0.5}
FLOOR = {"type": "plane", "normal": [0, 0, 2], "offset": -1}
TURN = {"axis": [1, 2, 2], "angle": 0.8}
ALL = [
    {"type": "box", "size": ["1 cm", 2, 3], "position": [1, 2, 3], "orientation": TURN, "scale": [1, 2, 3]},
    {"type": "sphere", "radius": 0.5, "scale": 2},
    {"type": "ellipsoid", "radii": [1, 2, 3], "density": "2 g/cm^3"},
    {"type": "cylinder", "radius": 1, "length": 2, "mass": "3 kg"},
    {"type": "capsule", "radius": 1, "length": 2},
    {"type": "cone", "radius": 1, "length": 2},
    {"type": "tube", "radius": 1, "inner_radius": 0.5, "length": 2},
    FLOOR,
]
MEASURED = {
    "path": "/gone.stl", "volume": 2, "centroid": [0, 0, 1], "covariance": [1, 1, 1, 0, 0, 0.5],
    "lower": [-2, -2, -1], "upper": [2, 2, 3],
}  # fmt: skip


def scene_of(**keys) -> Scene:
    return Scene.from_dict(
        {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 1}, "bodies": {"b": keys}},
    )


def body_of(**keys):
    return scene_of(**keys).bodies["b"]


def close(one, other, eps: int = 8) -> bool:
    """Two mass properties within a few eps of the size of each quantity."""
    size = np.abs(other.inertia).max()
    reach = 1 + np.abs(other.center_of_mass).max()
    return (
        abs(one.mass - other.mass) <= eps * EPS * other.mass
        and np.allclose(one.center_of_mass, other.center_of_mass, rtol=0, atol=eps * EPS * reach)
        and np.allclose(one.inertia, other.inertia, rtol=0, atol=eps * EPS * size)
    )


def test_density_gives_mass_centre_and_inertia():
    body = body_of(density="2 g/cm^3", shapes=[BOX | {"size": [1, 2, 3], "position": [0, 0, 1.5]}])
    carried = carried_mass(body)
    assert body.kind == "free"
    assert (carried.mass, carried.center_of_mass) == (12000, (0, 0, 1.5))
    assert np.allclose(carried.inertia, np.diag([13000, 10000, 5000]), rtol=4 * EPS, atol=0)


def test_mass_is_spread_evenly_over_the_shapes():
    carried = carried_mass(body_of(mass=8, shapes=[BOX, BOX | {"scale": [1, 1, 3], "position": [0, 0, 2]}]))
    whole = carried_mass(body_of(mass=8, shapes=[BOX | {"size": [1, 1, 4], "position": [0, 0, 1.5]}]))
    assert carried.mass == 8
    assert close(carried, whole)


def test_shapes_may_have_masses_and_densities_of_their_own():
    shapes = [BOX | {"mass": 3}, BOX | {"density": 1, "position": [4, 0, 0]}, BOX | {"position": [0, 8, 0]}]
    carried = carried_mass(body_of(density=4, shapes=shapes))
    assert (carried.mass, carried.center_of_mass) == (8, (0.5, 4, 0))
    assert carried_mass(body_of(shapes=shapes[:2])).mass == 4
    # A mass of the body is divided in proportion to them.
    divided = carried_mass(body_of(mass=2, shapes=shapes[:2]))
    assert (divided.mass, divided.center_of_mass) == (2, (1, 0, 0))


def test_a_shape_alone_takes_the_mass_to_the_last_bit():
    for mass in (0.1, 1 / 3, 7e-5):
        assert carried_mass(body_of(mass=mass, shapes=[BALL])).mass == mass


def test_lengths_of_shapes_are_in_the_unit_of_the_body():
    """Twice the unit: eight times the mass of a density, 32 times the inertia."""
    shapes = [BOX | {"mass": 1}, BOX | {"density": 3, "position": [1, 0, 0]}]
    small, large = (body_of(scale=scale, shapes=shapes) for scale in (1, 2))
    assert own_mass(large, 2.0).mass == 1 + 8 * 3
    assert own_mass(large, 2.0).center == (24 / 25, 0, 0)
    ball = body_of(density=5, scale=2, shapes=[BALL])
    assert own_mass(ball, 2.0).mass == 8 * own_mass(ball, 1.0).mass
    assert np.allclose(own_mass(ball, 2.0).inertia, 32 * np.array(own_mass(ball, 1.0).inertia), rtol=4 * EPS, atol=0)
    assert own_mass(small).mass == 4
    written = body_of(mass=2, scale=2, shapes=[BALL])
    assert carried_mass(written, 2.0).inertia[0][0] == pytest.approx(0.4 * 2 * 1.0**2, rel=4 * EPS)


def test_a_turned_stretched_shape():
    """A ball stretched along its own z, then turned to lie along x."""
    turn = {"axis": [0, 1, 0], "angle": "90 deg"}
    long = {"type": "sphere", "radius": 1, "scale": [1, 1, 3], "orientation": turn}
    exact = {"type": "ellipsoid", "radii": [3, 1, 1]}
    assert close(carried_mass(body_of(density=1, shapes=[long])), carried_mass(body_of(density=1, shapes=[exact])))
    cone = {"type": "cone", "radius": 1, "length": 1, "scale": [1, 1, 4], "orientation": turn, "position": [0, 5, 0]}
    assert np.allclose(own_mass(body_of(density=1, shapes=[cone])).center, (-1, 5, 0), rtol=0, atol=8 * EPS)


def test_one_body_is_a_compound_of_parts_or_of_shapes():
    """Split along z, turned and scaled: as shapes of one body, as fixed parts, and whole."""
    lower, upper = BOX | {"position": [0, 0, -0.75], "size": [1, 1.4, 0.5]}, {"type": "box", "size": [0.5, 0.7, 0.75]}
    whole = carried_mass(body_of(density=6, shapes=[{"type": "box", "size": [1, 1.4, 2]}]))
    shapes = carried_mass(body_of(density=6, shapes=[lower, upper | {"scale": 2, "position": [0, 0, 0.25]}]))
    turn = {"wxyz": [0.6, 0, 0, 0.8]}
    back = {"wxyz": [0.6, 0, 0, -0.8]}
    part = {"density": 6, "motion": "fixed", "position": [0, 0, 0.25], "scale": 2, "orientation": turn}
    part |= {"shapes": [upper | {"orientation": back}]}
    parts = carried_mass(body_of(density=6, shapes=[lower], children={"mount": {"children": {"part": part}}}))
    written = {"principal": [6 * 2.8 / 12 * x for x in (1.96 + 4, 1 + 4, 1 + 1.96)]}
    by_hand = carried_mass(body_of(mass=6 * 2.8, inertia=written))
    assert all(close(one, by_hand) for one in (whole, shapes, parts))


EDGE = st.floats(0.2, 5)


@given(st.tuples(EDGE, EDGE, EDGE), st.floats(1e-3, 1e4), st.integers(0, 2), st.floats(0.1, 0.9) | st.just(0.5))
def test_a_box_in_two_is_the_box_to_an_eps_or_three(edges, density, axis, cut):
    """Cut across any axis, as two shapes and as a fixed part. By the formula m (b^2 + c^2)/12 of the whole box."""
    length = edges[axis]
    size, place = [list(edges), list(edges)], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    size[0][axis], size[1][axis] = cut * length, (1 - cut) * length
    place[0][axis], place[1][axis] = (cut - 1) * length / 2, cut * length / 2
    one, other = (BOX | {"size": s, "position": p} for s, p in zip(size, place, strict=True))
    mass = density * edges[0] * edges[1] * edges[2]
    a, b, c = (edge * edge for edge in edges)
    moments = mass / 12 * np.array([b + c, a + c, a + b])
    part = {"density": density, "motion": "fixed", "shapes": [other | {"position": [0, 0, 0]}], "position": place[1]}
    for way in (
        {"density": density, "shapes": [one, other]},
        {"mass": mass, "shapes": [one, other]},
        {"density": density, "shapes": [one], "children": {"part": part}},
    ):
        found = carried_mass(body_of(**way))
        # Measured over 1800 boxes: 2 eps, 3 eps, 0.26 eps.
        assert abs(found.mass / mass - 1) <= 4 * EPS
        assert np.abs(np.diag(found.inertia) / moments - 1).max() <= 6 * EPS
        assert not np.any(found.inertia - np.diag(np.diag(found.inertia)))
        assert np.abs(found.center_of_mass).max() <= EPS * length


def test_overlapping_shapes_add():
    assert carried_mass(body_of(density=1, shapes=[BOX, BOX])).mass == 2


def test_shapes_without_weight_are_geometry():
    body = body_of(shapes=ALL[4:])
    assert (body.kind, body.has_mass) == ("fixed", False)
    assert body_of(motion={"prescribed": {}}, shapes=[BOX]).kind == "prescribed"
    assert body_of(mass=1, inertia="point", shapes=[FLOOR]).solids == ()


def test_what_is_written_wins():
    shapes = [BOX | {"position": [1, 0, 0]}]
    inertia = {"principal": [0.1, 0.1, 0.1]}
    own = own_mass(body_of(mass=3, inertia=inertia, shapes=shapes))
    assert (own.mass, own.center, own.inertia[0]) == (3, (1, 0, 0), 0.1)
    about_origin = {"principal": [0.5, 3.5, 3.5], "about": "origin"}
    assert own_mass(body_of(mass=3, inertia=about_origin, shapes=shapes)).inertia == (0.5, 0.5, 0.5, 0, 0, 0)


def test_a_written_centre_of_mass_wins_with_a_warning():
    shapes = [BOX | {"position": [1, 0, 0]}]
    scene = scene_of(mass=3, shapes=shapes, center_of_mass=[0.9, 0, 0])
    own = own_mass(scene.bodies["b"])
    assert (own.center, own.inertia[:3]) == ((0.9, 0, 0), (0.5, 0.5, 0.5))
    assert scene.warnings == ("bodies.b.center_of_mass: it is used instead of that of the shapes, [1, 0, 0]",)
    assert scene_of(mass=3, shapes=shapes, center_of_mass=[1 + 1e-12, 0, 0]).warnings == ()


def test_an_inertia_too_large_for_the_shapes_is_warned_of():
    large = {"principal": [3, 3, 3]}
    (only,) = scene_of(mass=3, inertia=large, shapes=[BOX]).warnings
    assert only == "bodies.b.inertia: the radius of gyration, 1 m, exceeds the reach of the shapes, 0.866025 m"
    assert scene_of(mass=3, inertia=large, scale=1.2, shapes=[BOX]).warnings == ()
    ring = {"principal": [0.125, 0.125, 0.25]}
    assert scene_of(mass=1, inertia=ring, shapes=[BALL]).warnings == ()
    assert scene_of(mass=1, inertia="point", shapes=[BALL]).warnings == ()


@pytest.mark.parametrize("shape", ALL[:-1], ids=lambda shape: shape["type"])
def test_no_point_of_a_solid_is_beyond_its_reach(shape):
    """The radius of gyration never exceeds the reach, whatever the solid."""
    (solid,) = body_of(shapes=[shape]).solids
    volume, centroid, covariance = solid.measures()
    assert volume > 0
    assert sum(covariance[:3]) <= solid.reach(centroid) ** 2


def test_forces_on_a_part_act_at_its_own_centre(with_body, problem):
    part = {"shapes": [BOX | {"density": 1, "position": [1, 0, 0]}], "motion": "fixed"}
    part |= {"forces": [{"force": [0, 0, 1]}]}
    assert own_mass(body_of(mass=1, inertia="point", children={"p": part}).children["p"]).center == (1, 0, 0)
    point = {"mass": 1, "inertia": "point", "motion": "fixed", "shapes": [BOX], "forces": part["forces"]}
    Scene.from_dict(with_body(mass=1, inertia="point", children={"p": point}))
    away = point | {"shapes": [BOX | {"position": [1, 0, 0]}]}
    assert "not positive definite" in problem(with_body(mass=1, inertia="point", children={"p": away})).message


def test_a_quaternion_of_a_shape_is_normalised_with_a_note():
    (only,) = scene_of(shapes=[BOX | {"orientation": {"wxyz": [1.0001, 0, 0, 0]}}]).warnings
    assert only.startswith("bodies.b.shapes[0].orientation.wxyz: the quaternion of norm 1.0001")


FAULTS = {
    "both": ({"mass": 1, "density": 1, "shapes": [BOX]}, ".density", "both a mass and a density"),
    "density alone": ({"density": 1}, ".density", "a density needs shapes"),
    "density of a floor": ({"density": 1, "shapes": [FLOOR]}, ".density", "that enclose a volume"),
    "mass of a floor": ({"mass": 1, "shapes": [FLOOR]}, "", "needs an inertia"),
    "both on a shape": ({"shapes": [BOX | {"mass": 1, "density": 1}]}, ".shapes[0]", "both a mass and a density"),
    "one without": ({"shapes": [FLOOR, BOX | {"mass": 1}, BOX]}, ".shapes[2]", "neither mass nor density"),
    "one without share": ({"mass": 1, "shapes": [BOX, BOX | {"mass": 1}]}, ".shapes[0]", "neither mass nor density"),
    "tiny": ({"density": 1, "shapes": [BOX | {"scale": 1e-50}]}, ".density", "not between 1e-40"),
    "tiny by itself": ({"shapes": [BOX | {"mass": 1e-50}]}, ".shapes", "not between 1e-40"),
    "no volume left": ({"mass": 1, "shapes": [BOX | {"scale": 1e-110}]}, ".shapes", "outside the range"),
    "endless": ({"mass": 1, "shapes": [BOX | {"scale": 1e110}]}, ".shapes", "outside the range"),
    "far": (
        {"mass": 1, "shapes": [BOX, BOX | {"position": [1e200, 0, 0]}]},
        ".shapes[1].position[0]",
        "beyond 1e+50 m",
    ),
    "needle": ({"mass": 1, "shapes": [BOX | {"scale": [1e-9, 1e-9, 1]}]}, ".shapes", "made of these shapes"),
    "driven": ({"density": 1, "shapes": [BOX], "motion": {"prescribed": {}}}, ".density", "cannot have a mass"),
    "held": ({"shapes": [BOX | {"mass": 1}], "motion": "fixed"}, ".shapes", "its mass has no effect"),
    "massless centre": ({"center_of_mass": [1, 0, 0], "shapes": [BOX]}, ".center_of_mass", "has no mass"),
    "unknown": ({"shapes": [{"type": "spere"}]}, ".shapes[0].type", "did you mean 'sphere'"),
    "odd type": ({"shapes": [{"type": [1]}]}, ".shapes[0].type", "there are box, sphere"),
    "untyped": ({"shapes": [{"radius": 1}]}, ".shapes[0]", "no 'type'"),
    "no mapping": ({"shapes": [3]}, ".shapes[0]", "expected a shape, a mapping"),
    "no list": ({"shapes": BOX}, ".shapes", "expected a list"),
    "wrong key": ({"shapes": [BOX | {"radius": 1}]}, ".shapes[0].radius", "unknown key"),
    "missing key": ({"shapes": [{"type": "cone", "radius": 1}]}, ".shapes[0].length", "is missing"),
    "no wall": (
        {"shapes": [{"type": "tube", "radius": 1, "inner_radius": 1, "length": 1}]},
        *(".shapes[0]", "inner radius of 1 m is not smaller"),
    ),
    "no size": ({"shapes": [BOX | {"size": [1, 0, 1]}]}, ".shapes[0].size[1]", "greater than zero"),
    "mirrored": ({"shapes": [BOX | {"scale": [1, -1, 1]}]}, ".shapes[0].scale[1]", "greater than zero"),
    "no scale": ({"shapes": [BOX | {"scale": 0}]}, ".shapes[0].scale", "greater than zero"),
    "wrong unit": ({"density": "1 kg", "shapes": [BOX]}, ".density", "a unit of mass, but density (kg/m^3)"),
    "no normal": ({"shapes": [FLOOR | {"normal": [0, 0, 0]}]}, ".shapes[0].normal", "no direction"),
    "heavy floor": ({"shapes": [FLOOR | {"mass": 1}]}, ".shapes[0].mass", "unknown key"),
    "bouncy": ({"material": {"restitution": 1.1}}, ".material.restitution", "from 0 to 1, got 1.1"),
    "pushing": ({"material": {"friction": -1}}, ".material.friction", "must not be negative"),
    "odd file": ({"shapes": [{"type": "mesh", "file": 3}]}, ".shapes[0].file", "expected the path"),
    "flat file": (
        {"shapes": [{"type": "mesh", "file": MEASURED | {"volume": 0}}]},
        *(".shapes[0].file.volume", "greater than zero"),
    ),
}


@pytest.mark.parametrize(("body", "path", "words"), FAULTS.values(), ids=FAULTS)
def test_refused(with_body, problem, body, path, words):
    only = problem(with_body(**body))
    assert only.path == f"bodies.b{path}"
    assert words in f"{only.message}; {only.hint}"


VALID = {
    "all shapes": {"density": "1 t/m^3", "shapes": ALL, "material": {"restitution": 0.8, "friction": 0.5}},
    "mesh": {"shapes": [{"type": "mesh", "file": MEASURED, "scale": 0.001, "density": 1}]},
}


@pytest.mark.parametrize("body", VALID.values(), ids=VALID)
def test_resolved_reads_back_as_an_equal_scene(with_body, body):
    scene = Scene.from_dict(with_body(**body))
    for again in (Scene.from_dict(scene.resolved()), Scene.from_text(json.dumps(scene.resolved()))):
        assert again == scene
        assert again.bodies["b"].shapes == scene.bodies["b"].shapes
        assert again.bodies["b"].material == scene.bodies["b"].material
        one, other = (carried_mass(s.bodies["b"]) for s in (again, scene))
        assert (one.mass, one.center_of_mass, one.inertia.tolist()) == (
            *(other.mass, other.center_of_mass, other.inertia.tolist()),
        )


def test_resolved_keeps_a_written_centre(with_body):
    scene = Scene.from_dict(with_body(mass=1, shapes=[BOX], center_of_mass=[0.1, 0, 0]))
    assert scene.resolved()["bodies"]["b"]["center_of_mass"] == [0.1, 0, 0]
    assert Scene.from_dict(scene.resolved()).warnings == scene.warnings
