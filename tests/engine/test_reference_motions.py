"""Reference case 4.8, and of 4.3 what nothing has to hold (the hoop, pendulums: `test_ideal_constraints`)."""

from __future__ import annotations

import numpy as np
import pytest

from support.scenes import run

CLASSES = pytest.mark.parametrize("damping", [2.0, 12.0, 30.0], ids=["under", "critical", "over"])
EVERY_STEP = {"duration": 5, "step": 2e-3, "record_every": 2e-3}
MASS, STIFFNESS = 3.0, 12.0  # critical: 2 sqrt(k m) = 12


@CLASSES
def test_a_spring_with_drag_in_a_turning_frame(damping):
    """A spring of length zero and a medium that turns too: z'' + (c/m + 2 i rate) z' + (k/m - rate^2) z = 0."""
    rate, start, push = 0.8, 0.5 + 0.2j, -1 + 0.3j
    forces = [
        {"type": "spring", "to": "table", "to_at": [0, 0, 0], "length": 0, "stiffness": STIFFNESS},
        {"type": "drag", "linear": damping, "medium": "table"},
    ]
    bob = {"mass": MASS, "inertia": "point", "position": [start.real, start.imag, 0],
           "velocity": [push.real, push.imag, 0], "forces": forces}  # fmt: skip
    table = {"motion": {"prescribed": {"angular_velocity": [0, 0, rate]}}, "children": {"bob": bob}}
    trajectory = run({"table": table}, **EVERY_STEP)
    t = trajectory.time
    half = damping / MASS / 2 + 1j * rate
    root = np.sqrt(half * half - (STIFFNESS / MASS - rate * rate))
    s_1, s_2 = -half + root, -half - root
    expected = ((push - s_2 * start) * np.exp(s_1 * t) - (push - s_1 * start) * np.exp(s_2 * t)) / (s_1 - s_2)
    found = trajectory["table/bob"].local.position
    assert np.abs(found[:, 0] + 1j * found[:, 1] - expected).max() <= (9.8 * 2e-3) ** 4 / 120


def test_a_bead_on_a_turning_rod_runs_out_as_a_hyperbolic_cosine():
    """The rod's side force 2 m rate v_x keeps it on the rod; r = cosh(rate t)."""
    bead = {"mass": 0.3, "inertia": "point", "position": [1, 0, 0], "forces": [{"force": [0, "= 2*0.3*v_x", 0]}]}
    rod = {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}, "children": {"bead": bead}}
    trajectory = run({"rod": rod}, duration=2, step=1e-3, record_every=1)
    bead = trajectory["rod/bead"].local
    assert bead.position[1:, 0] == pytest.approx([1.5430806348, 3.7621956911], abs=6e-11)
    assert np.abs(bead.position[:, 1]).max() <= 5e-13  # of the order of (1e-3)^4; measured 2.1e-13
