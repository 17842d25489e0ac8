"""Parts fixed to a body: combined mass, and forces that act at them."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.physics.quaternion import exp_full, rotate
from support.scenes import EPS, angle_between, axis_angle, run

HOW = {"duration": 2, "step": 1e-3, "record_every": 0.1}
# The merged inertia and the point of attack differ by a few eps from the ones given directly, and a tumble of 2 s does
# not enlarge that much. Measured: 23 eps for the halves, 17 for forces on parts, 30 for those in parent axes.
ROUND_OFF = 64 * EPS
MOTION = {"velocity": [1.0, 0.5, -2.0], "angular_velocity": [0.4, 1.1, -0.7]}
TURN = axis_angle((1, 2, 2), 0.8)
TURN_QUATERNION = exp_full(tuple(0.4 * c / 3 for c in (1, 2, 2)))


def box(mass, a, b, c):
    return [mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12]


def difference(one, other) -> float:
    """Largest difference of two motions, relative to the size of each quantity; angles in radians."""
    parts = [angle_between(one.orientation, other.orientation).max()]
    for name in ("position", "velocity", "angular_velocity"):
        a, b = getattr(one, name), getattr(other, name)
        parts.append(np.abs(a - b).max() / np.abs(b).max())
    return max(parts)


def carrier(scale: float = 1.0, **more) -> dict:
    """A body whose own unit is `scale` metres; its physical size does not depend on it."""
    inertia = {"principal": [0.5, 0.8, 1.1], "orientation": axis_angle((0, 1, 1), 0.5)}
    return {"mass": 2, "inertia": inertia, "scale": scale, **MOTION, **more}


def with_part(force: dict, scale: float, part_scale: float) -> dict:
    """The force on a part within a mount, both fixed and turned."""
    part = {"position": [0.2, 0.1, -0.4], "orientation": TURN, "scale": part_scale, "forces": [force]}
    mount = {"position": [0.5, -0.3, 0.2], "orientation": axis_angle((0, 0, 1), 0.6), "children": {"part": part}}
    return {"b": carrier(scale, children={"mount": mount})}


@pytest.mark.parametrize("frame", ["body", "parent", "world"])
@pytest.mark.parametrize(("scale", "part_scale"), [(1.0, 1.0), (0.5, 2.5)])
def test_a_force_on_a_fixed_part_is_one_on_the_body_at_that_point(frame, scale, part_scale):
    """Lengths are in the part's units; forces are newtons whatever the scale."""
    at, push, twist = (0.1, 0.3, -0.2), (3.0, -2.0, 1.0), (0.2, -0.1, 0.4)
    mount_turn = exp_full((0.0, 0.0, 0.3))
    in_mount = np.add((0.2, 0.1, -0.4), rotate(TURN_QUATERNION, tuple(part_scale * c for c in at)))
    point = np.add((0.5, -0.3, 0.2), rotate(mount_turn, tuple(in_mount)))

    def on_carrier(vector):
        if frame == "world":
            return list(vector)
        return list(rotate(mount_turn, rotate(TURN_QUATERNION, vector) if frame == "body" else vector))

    remote = {"force": push, "torque": twist, "at": at, "frame": frame}
    axes = "world" if frame == "world" else "body"
    direct = {"force": on_carrier(push), "torque": on_carrier(twist), "at": point.tolist(), "frame": axes}
    through_part = run(with_part(remote, scale, part_scale), **HOW)
    on_body = run({"b": carrier(scale, forces=[direct])}, **HOW)
    free = run({"b": carrier(scale)}, **HOW)
    assert difference(through_part["b"].world, on_body["b"].world) <= ROUND_OFF
    assert difference(free["b"].world, on_body["b"].world) > 0.1


def test_the_frame_parent_of_a_free_body_is_the_axes_of_its_parent():
    """Under a turned, still parent: the force turns with the parent's axes, not with the body's."""
    inside = carrier(forces=[{"force": [3, -2, 1], "at": [0.1, 0.2, 0.3], "frame": "parent"}])
    turned = {"p": {"orientation": TURN, "motion": {"prescribed": {}}, "children": {"b": inside}}}
    in_world = carrier(forces=[{"force": [3, -2, 1], "at": [0.1, 0.2, 0.3], "frame": "world"}])
    local, world = run(turned, **HOW)["p/b"].local, run({"b": in_world}, **HOW)["b"].world
    assert difference(local, world) <= ROUND_OFF
