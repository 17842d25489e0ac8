"""Impulses on trees of joints: momenta, energy, what follows and what keeps its motion."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import rigidsim
from jointed_trees import body, jointed, random_tree
from rigidsim.engine.model.layout import LEDGER
from support.scenes import run

STEP = 0.01
HOW = {"duration": 2 * STEP, "step": STEP, "record_every": STEP}
J = np.array([0.5, -1.0, 0.7])
EPS = np.finfo(float).eps


def node_called(bodies: dict, name: str) -> dict | None:
    """The node of this name, wherever it is."""
    for key, node in bodies.items():
        found = node if key == name else node_called(node.get("children", {}), name)
        if found is not None:
            return found
    return None


def struck(bodies: dict, name: str, impulse) -> rigidsim.Trajectory:
    """A run in which this impulse acts on a body's centre of mass after the first step."""
    node = node_called(bodies, name)
    node["impulses"] = [{"time": STEP, "impulse": list(impulse), "frame": "world"}]
    return run(bodies, **HOW)


def center_of_mass(found: rigidsim.Trajectory, path: str, com) -> tuple:
    """(p, v) of a body's centre of mass at the second sample."""
    world = found[path].world
    r = Rotation.from_quat(np.roll(world.orientation[1], -1)).apply(com)
    return world.position[1] + r, world.velocity[1] + np.cross(world.angular_velocity[1], r)


def jumps(bodies, name: str, impulse):
    """What an impulse changes at its instant: energies and work, momentum, angular momentum, and the velocity of the
    centre of mass before and after; and that point.
    """
    tree = bodies()
    com = node_called(tree, name)["center_of_mass"]
    before, after = run(bodies(), **HOW), struck(tree, name, impulse)
    path = next(path for path in before.paths if path.split("/")[-1] == name)
    ledgers = [np.asarray(found.ledger)[1] for found in (before, after)]
    (point, v), (_, v_after) = (center_of_mass(found, path, com) for found in (before, after))
    change = ledgers[1] - ledgers[0]
    momentum = change[LEDGER.momentum], after.angular_momentum[1] - before.angular_momentum[1]
    return change, momentum, point, (v, v_after)


def test_an_impulse_changes_the_momenta_of_a_floating_tree_and_its_energy_as_it_should():
    for name in ("n2", "n3", "n6"):
        change, (momentum, spin), point, v = jumps(lambda: random_tree(3, n=8), name, J)
        # Differences of two sums of eight bodies, each of three products: of some 10 kg m/s, 20 kg m^2/s and 20 J.
        assert abs(momentum - J).max() < 32 * EPS * 10
        assert abs(spin - np.cross(point, J)).max() < 32 * EPS * 20
        assert abs(change[LEDGER.kinetic] - J @ (v[0] + v[1]) / 2) < 32 * EPS * 20
        assert abs(change[LEDGER.kinetic] - change[LEDGER.work]) < 32 * EPS * 20


def test_an_elastic_impact_on_a_tree_exchanges_no_energy():
    n = np.array([0.6, 0.0, -0.8])
    _, _, _, (u, after) = jumps(lambda: random_tree(4, n=8), "n5", n)
    P = -2 * (u @ n) / ((after - u) @ n)
    change, _, _, (u, after) = jumps(lambda: random_tree(4, n=8), "n5", P * n)
    assert abs(change[LEDGER.kinetic]) < 32 * EPS * 20  # a difference of two sums of some 20 J, as above
    assert abs((after + u) @ n) < 1e-13


def test_a_free_child_of_a_jointed_body_keeps_its_motion():
    random = np.random.default_rng(5)

    def bodies() -> dict:
        tree = random_tree(5, n=4)
        node_called(tree, "n3").setdefault("children", {})["bird"] = body(np.random.default_rng(1))
        return tree

    before, after = run(bodies(), **HOW), struck(bodies(), "n0", 10 * random.normal(size=3))
    path = next(path for path in before.paths if path.endswith("bird"))
    assert abs(after[path].world.velocity[1] - before[path].world.velocity[1]).max() < 1e-14
    assert abs(after[path].local.velocity[1] - before[path].local.velocity[1]).max() > 0.1
    assert after.events[0].protected[0].body == path


def test_what_hangs_on_a_prescribed_node_of_a_body_follows_its_jump():
    def bodies() -> dict:
        random = np.random.default_rng(6)
        arm = jointed(random, "hinge", children={"pad": jointed(random, "ball")})
        turret = {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}, "children": {"arm": arm}}
        return {"ship": body(random, children={"turret": turret})}

    change, (momentum, _), _, _ = jumps(bodies, "ship", J)
    assert abs(momentum - J).max() > 0.01  # the turret's drive pushes what hangs on it
    assert abs(change[LEDGER.kinetic] - change[LEDGER.work]) < 1e-14
    before, after = run(bodies(), **HOW), struck(bodies(), "ship", J)
    ship, rate = [found["ship"].world.velocity[1] for found in (before, after)], "ship/turret/arm"
    assert abs(ship[1] - ship[0]).max() > 0.1
    assert abs(after[rate].local.angular_velocity[1] - before[rate].local.angular_velocity[1]).max() > 0.01
