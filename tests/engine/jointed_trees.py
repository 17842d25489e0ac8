"""Trees of joints for the tests, and their accelerations from another formulation: the mass matrix of all coordinates,
from derivatives of the places of the bodies with sixty digits.
"""

from __future__ import annotations

import numpy as np

from rigidsim.blueprints import build_world
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import WorldBlock, make_scratch
from rigidsim.engine.model.layout import BODY, JOINT, JOINT_VALUE, STATE
from rigidsim.jit.rows import with_rows
from support.scenes import make_scene
from support.smooth_paths import MP, exact

SMALL = MP.mpf(10) ** -20


def body(random: np.random.Generator, **more) -> dict:
    """A body with mass somewhere, turned anyhow."""
    q = random.normal(size=4)
    return {
        "position": random.normal(size=3).tolist(),
        "orientation": {"wxyz": (q / np.linalg.norm(q)).tolist()},
        "mass": float(random.uniform(0.5, 2)),
        "inertia": {"principal": random.uniform(0.3, 0.5, 3).tolist()},
        "center_of_mass": random.normal(size=3).tolist(),
    } | more


def random_joint(random: np.random.Generator, kind: str) -> dict:
    """A joint somewhere on its body, as a scene has it, in motion."""
    axis, other = random.normal(size=(2, 3))
    x, y, rate, other_rate = random.normal(size=4).tolist()
    at = {"at": random.normal(size=3).tolist()}
    if kind == "hinge":
        return at | {"axis": axis.tolist(), "angle": x, "rate": rate, "spring": {"stiffness": 2.0, "rest": 0.1}}
    if kind == "slide":
        return {"axis": axis.tolist(), "displacement": x, "rate": rate, "damping": 0.3}
    if kind == "screw":
        return at | {"axis": axis.tolist(), "pitch": x, "angle": y, "rate": rate, "damping": 0.2}
    if kind == "universal":
        axes = [axis.tolist(), np.cross(axis, other).tolist()]
        return at | {"axes": axes, "angles": [x, y], "rates": [rate, other_rate]}
    if kind == "cylindrical":
        return at | {"axis": axis.tolist(), "displacement": x, "angle": y}
    return at | {"normal": axis.tolist()} if kind == "planar" else at


def jointed(random: np.random.Generator, kind: str, **more) -> dict:
    """A body on a joint."""
    rates = {"angular_velocity": random.normal(size=3).tolist()} if kind == "ball" else {}
    return body(random, motion={kind: random_joint(random, kind)}, **rates, **more)


KINDS = ("hinge", "slide", "ball", "universal", "cylindrical", "planar", "screw")


def random_tree(seed: int, n: int = 7, root: str = "free") -> dict:
    """A body, free or on a joint, with a part fixed to it; each other one on a joint on one of those before it."""
    random = np.random.default_rng(seed)
    if root == "free":
        rates = {key: random.normal(size=3).tolist() for key in ("velocity", "angular_velocity")}
        first = body(random, **rates)
    else:
        first = jointed(random, root)
    part = body(random, motion="fixed")
    nodes = [first, part]
    first["children"] = {"part": part}
    for k in range(2, n):
        node = jointed(random, KINDS[(k + seed) % len(KINDS)])
        nodes[random.integers(k)].setdefault("children", {})[f"n{k}"] = node
        nodes.append(node)
    return {"n0": first}


def evaluated(bodies: dict, **how):
    """(model, state, scratch) of a scene at t = 0, evaluated by the text as it stands."""
    world = build_world(make_scene(bodies, duration=1.0, step=0.01, **how))
    scratch = make_scratch(world.model, (0,), len(world.state))
    block = with_rows(WorldBlock(0, world.model, world.state, scratch, (0,)))
    evaluate(0.0, block)
    return block.model, block.state, block.scratch


def rotation(q) -> np.ndarray:
    """The matrix of a quaternion."""
    w, x, y, z = q / MP.sqrt(sum(c * c for c in q))
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return exact(np.eye(3)) + 2 * w * S + 2 * S @ S


def turn(theta) -> np.ndarray:
    """The matrix of a rotation vector."""
    n = MP.sqrt(sum(theta * theta))
    u = theta / n if n else theta
    return rotation(np.array([MP.cos(n / 2), *(MP.sin(n / 2) * u)]))


def widths(model) -> list[int]:
    """The number of coordinates of each row."""
    return np.asarray(model.joints.joint.rows)[:, JOINT.dof].tolist()


def places(model, state, x) -> tuple[list, list]:
    """(R, C) of all rows, moved from the state by the coordinates x: of free bodies p and the rotation vector in body
    axes, of ball joints that vector, else the angle or displacement.
    """
    joints, values = np.asarray(model.joints.joint.rows), exact(np.asarray(model.joints.value.rows))
    bodies, frames = exact(np.asarray(model.body.rows)), {0: (exact(np.eye(3)), exact(np.zeros(3)))}
    Rs, Cs, begin = [None] * len(joints), [None] * len(joints), np.cumsum([0, *widths(model)])
    waiting = list(range(len(joints)))
    while waiting:
        i = waiting.pop(0)
        dof, inner, now = joints[i][JOINT.dof], joints[i][JOINT.parent_frame], exact(state[i])
        y, parent = x[begin[i] : begin[i + 1]], model.node[model.moved_node[i]].parent if dof == 6 else inner
        if parent not in frames and not place_part(model, parent, frames):
            waiting.append(i)
            continue
        R_P, p_P = frames[parent]
        value, com = values[i], bodies[i][BODY.com]
        q, r = now[STATE.q], value[JOINT_VALUE.r]
        if dof == 6:
            R, C = rotation(q) @ turn(y[3:]), p_P + R_P @ now[STATE.p] + y[:3]
        else:
            R_0 = R_P @ rotation(value[JOINT_VALUE.q])
            axis, along = value[JOINT_VALUE.axis], now[0] + y[0] if dof == 1 else 0
            slid = value[JOINT_VALUE.advance] * along * (R_0 @ axis)
            R = rotation(q) @ turn(y) if dof == 3 else R_0 @ turn(joints[i][JOINT.turns] * along * axis)
            C = p_P + R_P @ value[JOINT_VALUE.anchor] + slid + R @ r
        Rs[i], Cs[i] = R, C
        frames[int(model.moved_node[i]) + 1] = R, C - R @ com
    return Rs, Cs


def place_part(model, frame: int, frames: dict) -> bool:
    """Place a fixed node, if its parent is placed."""
    if frame > len(model.node) or model.node[frame - 1].kind != layout.FIXED:
        return False
    row, parent = exact(np.asarray(model.motion.rows)[model.node[frame - 1].row]), model.node[frame - 1].parent
    if parent not in frames and not place_part(model, parent, frames):
        return False
    R, p = frames[parent]
    frames[frame] = R @ rotation(row[layout.MOTION.q]), p + R @ row[layout.MOTION.p]
    return True


def vector_of(S) -> np.ndarray:
    """The vector of an antisymmetric matrix."""
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def dense_accelerations(model, state, gravity) -> np.ndarray:
    """The accelerations of all coordinates: those of free bodies' centres of mass in the world, angular ones in body
    axes.
    """
    n, sizes = sum(widths(model)), widths(model)
    rates = exact(np.concatenate([rates_of(model, i, row) for i, row in enumerate(state[: len(sizes)])]))
    still = places(model, state, 0 * rates)
    moved = [[places(model, state, sign * SMALL * e) for sign in (1, -1)] for e in [*exact(np.eye(n)), rates]]
    masses, tensors = zip(*[(b[BODY.mass], b[BODY.inertia]) for b in np.asarray(model.body.rows)], strict=True)
    M, rhs = exact(np.zeros((n, n))), exact(np.zeros(n))
    for i, (mass, (xx, yy, zz, xy, xz, yz)) in enumerate(zip(masses, tensors, strict=True)):
        R, C = still[0][i], still[1][i]
        tensor = R @ exact(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])) @ R.T
        J = np.array([np.r_[(f[1][i] - b[1][i]), vector_of((f[0][i] - b[0][i]) @ R.T)] / (2 * SMALL)
                      for f, b in moved[:-1]])  # fmt: skip
        ahead, behind = moved[-1]
        a = (ahead[1][i] - 2 * C + behind[1][i]) / SMALL**2
        alpha = vector_of((ahead[0][i] - 2 * R + behind[0][i]) @ R.T) / SMALL**2
        omega = rates @ J[:, 3:]
        f = mass * (a - exact(np.array(gravity)))
        t = tensor @ alpha + np.cross(omega, tensor @ omega)
        M += mass * J[:, :3] @ J[:, :3].T + J[:, 3:] @ tensor @ J[:, 3:].T
        rhs -= J[:, :3] @ f + J[:, 3:] @ t
    rhs += exact(np.concatenate([torques_of(model, i, row) for i, row in enumerate(state[: len(sizes)])]))
    return np.array(list(MP.lu_solve(MP.matrix(M.tolist()), MP.matrix(list(rhs)))), float)


def rates_of(model, i: int, row) -> np.ndarray:
    return {6: np.r_[row[STATE.v], row[STATE.omega]], 3: row[STATE.omega], 1: row[STATE.v][:1]}[
        model.joints.joint[i].dof
    ]


def torques_of(model, i: int, row) -> np.ndarray:
    dof, value = model.joints.joint[i].dof, np.asarray(model.joints.value.rows)[i]
    if dof > 1:
        return np.zeros(dof)
    x, rate = row[0], row[STATE.v][0]
    spring = value[JOINT_VALUE.stiffness] * (x - value[JOINT_VALUE.rest])
    return np.array([-spring - value[JOINT_VALUE.damping] * rate])


def found_accelerations(model, scratch) -> np.ndarray:
    """The same, as the engine has them; free bodies are children of the world."""
    found = []
    for i, row in enumerate(np.asarray(scratch.rate.rows)[: len(model.moved_node)]):
        rate = layout.RATE
        found += {6: [row[rate.a], row[rate.alpha]], 3: [row[rate.alpha]], 1: [row[:1]]}[model.joints.joint[i].dof]
    return np.concatenate(found)


def every_joint() -> dict:
    """Trees of all types of joints, free and held by a prescribed node; springs, motors, an impulse, a free child."""
    random = np.random.default_rng(9)
    free, held = random_tree(7, n=8)["n0"], random_tree(8, n=4, root="hinge")["n0"]
    free["impulses"] = [{"time": 0.035, "impulse": [1.0, -2.0, 0.5]}]
    ball = jointed(random, "ball", children={"bird": body(random)})
    ball["motion"]["ball"] |= {"spring": {"stiffness": 1.5}, "damping": 0.2}
    wheel = body(random, motion={"hinge": {"axis": [1, 2, 0], "motor": {"angle": "= sin(3*t)"}}})
    cart = body(random, motion={"slide": {"axis": [0, 2, 1], "motor": {"force": "= -3*displacement + t"}}})
    motion = {"prescribed": {"angular_velocity": [0.4, 1.2, -0.7], "velocity": [1.0, 0.2, 0.0]}}
    held["children"]["wheel"] = wheel
    drum = {"motion": motion, "scale": 2.0, "children": {"held": held, "ball": ball, "cart": cart}}
    return {"free": free, "drum": drum}
