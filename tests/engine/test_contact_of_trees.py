"""Contact of bodies on joints, and of free bodies that carry joints: they answer impulses with their whole tree."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from contact_scenes import G, ball, block, collide, floor, surface, touching

EPS = np.finfo(float).eps
ALONG_X = {"axis": [0, 1, 0], "angle": "90 deg"}  # of a capsule


def hinged_rod(mass: float = 2.0, length: float = 1.0, **more) -> dict:
    """A thin rod along x, on a hinge at its end: its moment about the hinge is m L^2/3."""
    moment = mass * length**2 / 12
    return {
        "mass": mass,
        "inertia": {"principal": [1e-3, moment, moment]},
        "center_of_mass": [length / 2, 0, 0],
        "motion": {"hinge": {"axis": [0, 1, 0]}},
    } | more


def point_at(x: float, radius: float = 0.05) -> list:
    """A ball on the rod."""
    return [{"type": "sphere", "radius": radius, "position": [x, 0, 0]}]


# --- closed forms


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_hinged_rod_that_a_ball_strikes_answers_with_its_moment_about_the_hinge(step):
    """The impulse is P = M v/(1 + M x^2/I), and the rate P x/I; both move on together. To rounding, at once."""
    M, v, x = 0.5, 2.0, 0.7
    moment = 2.0 * 1.0**2 / 3
    shapes = [{"type": "capsule", "radius": 0.02, "length": 1.0, "position": [0.5, 0, 0], "orientation": ALONG_X}]
    bodies = {
        "rod": hinged_rod(shapes=shapes, **surface(friction=0.0)),
        "ball": ball(0.05, M, at=(x, 0, 0.2), velocity=[0, 0, -v], friction=0.0),
    }
    trajectory = collide(bodies, gravity=[0, 0, 0], duration=0.075, step=step, record_every=step)
    impulse = M * v / (1 + M * x**2 / moment)
    rate, speed = trajectory["rod"].world.angular_velocity[:, 1], trajectory["ball"].world.velocity[:, 2]
    struck = int(np.argmax(rate > 0))
    assert rate[struck] == pytest.approx(impulse * x / moment, rel=4 * EPS)
    assert speed[struck] == pytest.approx(-rate[struck] * x, rel=4 * EPS)
    (impact,) = [event for event in trajectory.events if event.cause == "impact"]
    np.testing.assert_allclose(impact.impulse, [0, 0, -impulse], atol=4 * EPS)
    lost = 0.5 * M * v**2 * moment / (moment + M * x**2)
    assert impact.energy_before - impact.energy_after == pytest.approx(lost, rel=8 * EPS)


def test_a_rod_on_a_hinge_and_a_support_has_half_its_weight_on_each():
    """So say the contact, the hinge, and the terms: gravity and contact leave what the joint does."""
    bodies = {
        "rod": hinged_rod(shapes=point_at(1.0), position=[0, 0, 0.05], **surface(friction=0.0)),
        "floor": floor(friction=0.0),
    }
    scene = touching(bodies, duration=0.2, step=2e-3)
    trajectory = rigidsim.simulate(scene, terms=True, contacts=True)
    half = 2.0 * G / 2
    np.testing.assert_allclose(trajectory.contacts[-1].on("rod")["floor"], [0, 0, half], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(trajectory["rod"].joint.force[-1], [0, 0, half], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(trajectory["rod"].term("contact")[-1], [0, 0, half / 2.0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(trajectory["rod"].term("joint")[-1], [0, 0, half / 2.0], rtol=1e-9, atol=1e-9)
    assert np.abs(trajectory["rod"].world.angular_velocity[-1]).max() <= 1e-12


WHEEL, RADIUS = 0.5, 0.1


def cart(mass: float = 4.0, **more) -> dict:
    """A body on four balls that turn on hinges."""
    wheels = {
        name: ball(RADIUS, WHEEL, at=(x, y, 0), friction=0.8, motion={"hinge": {"axis": [0, 1, 0]}})
        for name, x, y in (("a", 0.3, 0.2), ("b", 0.3, -0.2), ("c", -0.3, 0.2), ("d", -0.3, -0.2))
    }
    inertia = {"principal": [0.1, 0.2, 0.2]}
    return {"mass": mass, "inertia": inertia, "position": [0, 0, RADIUS], "children": wheels} | more


def test_a_cart_rolls_down_a_slope_as_its_wheels_slow_it():
    """a = g sin(alpha) M/(M + 4 I/r^2) with the mass M of all: to rounding; the way to second order in the step."""
    alpha, all_of_it = 0.3, 4.0 + 4 * WHEEL
    gravity = [G * np.sin(alpha), 0, -G * np.cos(alpha)]
    a = gravity[0] * all_of_it / (all_of_it + 4 * 0.4 * WHEEL)
    away = []
    for step in (5e-3, 2.5e-3):
        bodies = {"cart": cart(), "floor": floor(friction=0.8)}
        trajectory = collide(bodies, gravity=gravity, duration=0.5, step=step, record_every=0.1)
        speed = trajectory["cart"].world.velocity[:, 0]
        assert np.diff(speed) / 0.1 == pytest.approx(a, rel=1e-11)
        np.testing.assert_allclose(trajectory["cart/a"].joint.rates[1:, 0], speed[1:] / RADIUS, rtol=2e-9)
        away.append(abs(trajectory["cart"].world.position[-1, 0] - a * 0.5**2 / 2))
    assert away[0] <= 1e-6
    assert away[1] <= 0.3 * away[0]


def test_a_block_that_a_motor_pushes_slides_at_its_pace():
    """A motor prescribes the displacement of a pusher: it feels the friction of the block, and does the work."""
    pusher = block((0.1, 0.4, 0.2), 1.0, at=(-0.25, 0, 0.15), motion={"slide": {"axis": [1, 0, 0]}}, friction=0.0)
    pusher["motion"]["slide"]["motor"] = {"displacement": "= 0.2*t"}
    bodies = {"pusher": pusher, "block": block((0.4, 0.4, 0.2), 3.0, at=(0, 0, 0.1)), "floor": floor()}
    trajectory = collide(bodies, duration=0.8, step=4e-3, record_every=4e-3)
    assert trajectory["block"].world.velocity[-1, 0] == pytest.approx(0.2, rel=1e-9)
    friction = 0.5 * 3.0 * G
    assert trajectory["pusher"].joint.motor[-1, 0] == pytest.approx(friction, rel=1e-5)
    drift = trajectory.total_energy - trajectory.total_energy[0]
    assert np.abs(drift).max() <= 1e-9


# --- invariants


def walker(x: float, v: float) -> dict:
    """A floating tree: a trunk with an arm on a hinge, and a hand on a ball joint."""
    hand = {
        "mass": 0.4,
        "inertia": {"principal": [0.002, 0.002, 0.002]},
        "position": [0.2, 0.1, 0],
        "motion": {"ball": {"at": [-0.1, 0, 0]}},
        "shapes": [{"type": "capsule", "radius": 0.03, "length": 0.2}],
    }
    arm = {
        "mass": 0.7,
        "inertia": {"principal": [0.01, 0.02, 0.02]},
        "position": [0, 0.3, 0.02],
        "motion": {"hinge": {"axis": [0, 0.2, 1], "at": [0, -0.2, 0], "rate": 0.7}},
        "shapes": [{"type": "sphere", "radius": 0.08}],
        "children": {"hand": hand},
    }
    return {
        "mass": 1.5,
        "inertia": {"principal": [0.02, 0.03, 0.04]},
        "position": [x, 0, 0],
        "velocity": [v, 0, 0],
        "angular_velocity": [0.3, -0.2, 0.5],
        "shapes": [{"type": "sphere", "radius": 0.1}],
        "children": {"arm": arm},
    } | surface(friction=0.4)


@pytest.fixture(scope="module")
def collisions() -> dict[float, rigidsim.Trajectory]:
    """Two floating trees that collide, in steps of several lengths."""
    bodies = {"left": walker(-0.3, 1.0), "right": walker(0.3, -1.0)}
    return {
        step: collide(bodies, gravity=[0, 0, 0], duration=0.3, step=step, record_every=step) for step in (2e-3, 1e-3)
    }


def test_two_floating_trees_that_collide_keep_their_momentum(collisions):
    """The linear one as far as the integrator does, whose error is of fourth order: 3e-13 at 1 ms. The angular one to
    first order: a tree turns and folds between an impact and the end of its step, where it is handed its impulse.
    """
    lost = []
    for step, trajectory in collisions.items():
        assert any(event.cause == "impact" for event in trajectory.events)
        momentum, L = trajectory.diagnostic("linear_momentum"), trajectory.angular_momentum
        assert np.abs(momentum - momentum[0]).max() <= 1e-12 * (step / 1e-3) ** 4
        lost.append(np.abs(L - L[0]).max())
    assert lost[0] <= 1e-3
    assert lost[1] <= 0.7 * lost[0]


def test_two_floating_trees_that_collide_gain_no_energy(collisions):
    """Without loads kinetic energy only falls; what contact booked is what is missing, and nothing drifts."""
    for step, trajectory in collisions.items():
        energy = trajectory.diagnostic("kinetic_energy")
        assert energy[-1] < 0.2 * energy[0]
        assert np.diff(energy).max() <= 1e-11 * (step / 1e-3) ** 4
        assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() <= 1e-12 * (step / 1e-3) ** 4
        assert abs(trajectory.contact_ledger.error) <= 2e-2 * step / 1e-3 * energy[0]


def test_a_planar_joint_holds_what_slides_as_a_planar_scene_does():
    """A block that slides and stops, on a joint to the world and free: the inverse masses of its contacts are those of
    the tree, W, and of the body, which are the same.
    """
    slider = {"velocity": [1.0, 0, 0]}
    bodies = {"floor": floor(), "block": block((0.4, 0.3, 0.2), 3.0, at=(0, 0, 0.1), **slider)}
    how = {"duration": 0.4, "step": 2e-3, "record_every": 0.1}
    free = collide(bodies, plane=[0, 1, 0], **how)
    joint = {"planar": {"normal": [0, 1, 0], "along": [1, 0, 0], "rates": [1.0, 0, 0]}}
    held = collide({"floor": floor(), "block": block((0.4, 0.3, 0.2), 3.0, at=(0, 0, 0.1), motion=joint)}, **how)
    stopped = 1.0 / (2 * 0.5 * G)
    assert free["block"].world.position[-1, 0] == pytest.approx(stopped, abs=1e-5)
    for quantity in ("position", "velocity"):
        np.testing.assert_allclose(
            getattr(held["block"].world, quantity), getattr(free["block"].world, quantity), atol=1e-9
        )


def test_on_a_base_that_moves_evenly_all_is_as_on_one_at_rest():
    """A pendulum swings against a post; both hang on a frame that moves with it. The ledger closes on both."""
    found = []
    for velocity in ([0, 0, 0], [3.0, -2.0, 1.0]):
        joint = {"hinge": {"axis": [0, 1, 0], "angle": "60 deg", "collide": True}}
        arm = hinged_rod(shapes=point_at(1.0), motion=joint)
        post = {"position": [0.05, 0, -1.0], "motion": "fixed", "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1]}]}
        base = {"motion": {"prescribed": {"velocity": velocity}}, "children": {"arm": arm, "post": post}}
        trajectory = collide({"base": base}, duration=0.5, step=2e-3, record_every=0.05)
        energy = trajectory.total_energy
        assert np.abs(energy - energy[0]).max() <= 2e-9
        assert trajectory.contact_ledger.relative_error <= 1e-3
        found.append(trajectory["base/arm"].joint.coordinates[:, 0])
    assert found[0].max() < np.deg2rad(95) < np.deg2rad(60) + 9.81 * 0.5**2  # the post has stopped it
    np.testing.assert_allclose(found[1], found[0], atol=1e-11)


def chain(**collides) -> dict:
    """Two links on a ball joint, and on each a fixed part, which overlap beside the joint."""
    part = {"motion": "fixed", "position": [0, 0.3, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}
    joint = {"ball": {"at": [-0.075, 0, 0], **collides}}
    second = ball(0.05, at=(0.15, 0, 0), motion=joint, children={"part": part})
    return {"first": ball(0.05, children={"part": part, "second": second})}


@pytest.mark.parametrize(("collides", "touches"), [({}, False), ({"collide": False}, False), ({"collide": True}, True)])
def test_bodies_that_a_joint_holds_touch_only_if_it_says_so(collides, touches):
    """Nor do the parts that are fixed to them. Another body could touch both."""
    bodies = chain(**collides) | {"other": ball(0.1, at=(0, -0.5, 0))}
    trajectory = collide(bodies, gravity=[0, 0, 0], duration=0.01, step=1e-3)
    pairs = {frozenset(event.bodies) for event in trajectory.events}
    assert pairs == ({frozenset(("first", "first/second"))} if touches else set())


def test_links_of_one_tree_that_do_not_hang_on_each_other_touch():
    """A chain of three folds until its ends meet."""
    third = ball(0.1, at=(0.25, 0, 0), motion={"hinge": {"axis": [0, 0, 1], "at": [-0.125, 0, 0], "angle": "95 deg"}})
    joint = {"hinge": {"axis": [0, 0, 1], "at": [-0.125, 0, 0], "angle": "95 deg", "rate": 4.0}}
    bodies = {"first": ball(0.1, children={"second": ball(0.1, at=(0.25, 0, 0), motion=joint)})}
    bodies["first"]["children"]["second"]["children"] = {"third": third}
    trajectory = collide(bodies, gravity=[0, 0, 0], duration=0.2, step=1e-3, record_every=1e-3)
    pairs = {frozenset(event.bodies) for event in trajectory.events}
    assert pairs == {frozenset(("first", "first/second/third"))}
    places = [trajectory[path].world.position for path in ("first", "first/second/third")]
    assert np.linalg.norm(places[1] - places[0], axis=1).min() >= 0.2 - 1e-4
    energy, momentum = trajectory.diagnostic("kinetic_energy"), trajectory.diagnostic("linear_momentum")
    assert np.diff(energy).max() <= 1e-8 * energy[0]
    assert np.abs(momentum - momentum[0]).max() <= 1e-9


def test_free_children_of_a_tree_that_is_struck_keep_their_motion():
    """They transmit nothing, so an impulse on what they are described by does not reach them."""
    cargo = ball(0.05, at=(0, 0.5, 0), collide=False, velocity=[0.1, 0.2, 0.3])
    rod = hinged_rod(shapes=point_at(1.0), position=[0, 0, 0.2], children={"cargo": cargo})
    bodies = {"floor": floor(), "rod": rod}
    trajectory = collide(bodies, gravity=[0, 0, 0], duration=0.1, step=1e-3)
    bodies["rod"]["motion"] = {"hinge": {"axis": [0, 1, 0], "rate": 6.0}}
    cargo |= {"velocity": {"relative_to": "world", "value": [0.1, 0.2, 0.3]}}
    cargo["angular_velocity"] = {"relative_to": "world", "value": [0, 0, 0]}
    struck = collide(bodies, gravity=[0, 0, 0], duration=0.1, step=1e-3)
    assert any(event.cause == "impact" for event in struck.events)
    assert not trajectory.events
    np.testing.assert_allclose(
        struck["rod/cargo"].world.position[-1], trajectory["rod/cargo"].world.position[-1], atol=1e-12
    )


# --- bits


def test_single_steps_and_the_text_itself_have_the_same_bits():
    """A run in slices of one step, and kernels as Python text, as far as one has patience."""
    bodies = {"left": walker(-0.11, 1.0), "right": walker(0.11, -1.0)}
    scene = touching(bodies, gravity=[0, 0, 0], duration=6e-3, step=1e-3, record_every=1e-3)
    whole, sliced = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    for _ in range(6):
        sliced.step(1)
    text = rigidsim.simulate(scene, callbacks={"left": lambda t, motions: (np.zeros(3), np.zeros(3))})
    assert whole.events
    for path in ("left", "left/arm", "left/arm/hand", "right/arm/hand"):
        for quantity in ("position", "velocity", "orientation", "angular_velocity"):
            reached = getattr(whole[path].world, quantity)[-1]
            assert np.array_equal(getattr(sliced.state[path].world, quantity), reached), (path, quantity)
            assert np.array_equal(getattr(text[path].world, quantity)[-1], reached), (path, quantity)


# --- wherever a tree is, and however it is stepped


SLOPE = [G * np.sin(0.3), 0, -G * np.cos(0.3)]
ROLLING = {"gravity": SLOPE, "duration": 0.3, "step": 5e-3, "record_every": 0.1}


@pytest.fixture(scope="module")
def rolled() -> rigidsim.Trajectory:
    """The cart on its slope."""
    return collide({"cart": cart(), "floor": floor(friction=0.8)}, **ROLLING)


@pytest.mark.parametrize(
    "method", ["adaptive", *(pytest.param(name, marks=pytest.mark.slow) for name in ("taylor", "magnus"))]
)
def test_other_methods_roll_as_rkmk4_does(rolled, method):
    """All are exact for what rolls evenly."""
    other = collide({"cart": cart(), "floor": floor(friction=0.8)}, integrator=method, **ROLLING)
    np.testing.assert_allclose(other["cart"].world.position, rolled["cart"].world.position, atol=1e-13)


def test_units_and_distance_from_the_origin_change_nothing(rolled):
    """In kilometres to rounding; at 1.5e11 m, on a base with 3e4 m/s, where doubles are 3e-5 m apart, to 1e-9 rad/s."""
    small = cart(scale=1e-3, position=[0, 0, RADIUS / 1000])
    scaled = {"frame": {"motion": "fixed", "scale": 1000.0, "children": {"cart": small}}}
    in_km = collide(scaled | {"floor": floor(friction=0.8)}, **ROLLING)
    np.testing.assert_allclose(in_km["frame/cart"].world.position, rolled["cart"].world.position, atol=1e-14)
    base = {"motion": {"prescribed": {"velocity": [3e4, 0, 0]}}, "position": [1.5e11, 0, 0]}
    below = {"cart": cart(), "floor": floor(friction=0.8) | {"motion": "fixed"}}
    far = collide({"frame": base | {"children": below}}, **ROLLING)
    np.testing.assert_allclose(far["frame/cart/a"].joint.rates, rolled["cart/a"].joint.rates, atol=2e-9)


def test_in_a_planar_scene_nothing_leaves_the_plane():
    """A cart whose inertia is skew and whose centre of mass is beside the plane of its wheels."""
    skew = {"tensor": [[0.2, 0.03, 0], [0.03, 0.2, 0.04], [0, 0.04, 0.3]]}
    vehicle = cart(inertia=skew, center_of_mass=[0, 0.05, 0])
    trajectory = collide({"cart": vehicle, "floor": floor(friction=0.8)}, plane=[0, 1, 0], **ROLLING)
    a = SLOPE[0] * 6 / (6 + 4 * 0.4 * WHEEL)
    assert np.diff(trajectory["cart"].world.velocity[:, 0]) / 0.1 == pytest.approx(a, rel=1e-11)
    assert np.abs(trajectory["cart"].world.position[:, 1]).max() == 0.0


@pytest.mark.slow
def test_trees_that_break_and_change_while_they_touch_keep_their_energy():
    """A weld breaks, a body hangs on a tree, and a part of that is set free; all of it lies on the floor."""
    part = ball(0.1, at=(0.3, 0, 0), motion={"weld": {"breaks": {"force": 100}}})
    arm = ball(0.1, at=(0, 0.3, 0), motion={"hinge": {"axis": [1, 0, 0], "at": [0, -0.3, 0]}})
    bodies = {
        "floor": floor(),
        "trunk": ball(0.1, at=(0, 0, 0.3), children={"part": part, "arm": arm}),
        "other": ball(0.1, at=(1, 0, 0.1)),
    }
    scene = rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": {"duration": 0.6, "step": 1e-3, "record_every": 0.01},
            "world": {"gravity": [0, 0, -G]},
            "bodies": bodies,
            "reparent": [
                {"body": "other", "to": "trunk/arm", "time": 0.4, "motion": {"ball": {}}},
                {"body": "trunk/arm", "to": "world", "time": 0.5},
            ],
        }
    )
    trajectory = rigidsim.simulate(scene, contacts=True)
    assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() <= 1e-9
    heights = [trajectory[path].world.position[-1, 2] for path in ("trunk", "trunk/part", "trunk/arm", "other")]
    assert heights == pytest.approx([0.1] * 4, abs=1e-5)
    assert abs(trajectory.contacts[-1].force[:, 2].sum()) == pytest.approx(4 * G, rel=1e-3)
    assert any(event.cause == "reparent" for event in trajectory.events)
