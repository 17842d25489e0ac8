"""Forces that act for a while: edges on and off the grid."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from support.scenes import EPS, angle_between, axis_angle, make_scene, run

STEP = 0.01
WINDOWS = {
    "on the grid": (0.2, 0.7),
    "off the grid": (0.2037, 0.70012),
    "within one step": (0.4312, 0.4377),
    "from the start to past the end": (0.0, 99.0),
    "across the end of a step": (0.2999, 0.3001),
}
FORCE, TORQUE, GRAVITY = np.array([3.0, -2.0, 1.0]), np.array([0.2, -0.1, 0.4]), (0.0, 0.0, -9.81)
BALL = {"mass": 2.0, "inertia": {"principal": [1.0] * 3}}
BRICK = {"mass": 2.0, "inertia": {"principal": [0.5, 0.8, 1.1], "orientation": axis_angle((0, 1, 1), 0.5)}}
TUMBLE = {"velocity": [1.0, 0.5, -2.0], "angular_velocity": [0.4, 1.1, -0.7]}
PUSH = {"force": FORCE.tolist(), "torque": TORQUE.tolist(), "at": [0.3, 0.1, -0.2], "frame": "body"}


def load(window, **more) -> dict:
    return {"forces": [{"force": FORCE.tolist(), "torque": TORQUE.tolist(), "frame": "world", "during": window} | more]}


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus", "magnus2", "euler"])
@pytest.mark.parametrize("name", WINDOWS)
def test_the_impulse_is_the_force_times_its_time(name, integrator):
    start, end = WINDOWS[name]
    trajectory = run({"b": BALL | load([start, end])}, duration=1, step=STEP, integrator=integrator)
    acting = min(end, 1.0) - start
    # Round-off of 100 steps. Measured: 4.9e-15 and 2.8e-16, that is 7 and 3 eps of the largest impulse.
    for name, load_ in (("linear_momentum", FORCE), ("spin_angular_momentum", TORQUE)):
        off = np.abs(trajectory.diagnostic(name)[-1] - acting * load_).max()
        assert off <= 16 * EPS * np.abs(load_).max(), name


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus"])
@pytest.mark.parametrize("name", WINDOWS)
def test_the_path_of_a_ball_is_the_two_parabolas(name, integrator):
    start, end = WINDOWS[name]
    trajectory = run({"b": BALL | load([start, end])}, duration=1, step=STEP, integrator=integrator)
    on, off = max(1 - start, 0), max(1 - end, 0)
    path = 0.5 * (on * on - off * off) * FORCE / BALL["mass"]
    assert np.abs(trajectory["b"].world.position[-1] - path).max() <= 8 * EPS  # of 0.75 m; measured: 2 eps


@pytest.mark.parametrize("name", WINDOWS)
def test_the_grid_goes_on_and_nothing_happens_before(name):
    start, _ = WINDOWS[name]
    how = {"duration": 1, "step": STEP, "record_every": STEP}
    pushed, free = run({"b": BRICK | TUMBLE | load([*WINDOWS[name]])}, **how), run({"b": BRICK | TUMBLE}, **how)
    assert np.array_equal(pushed.time, np.arange(101) * STEP)
    before = pushed.time <= start
    for quantity in ("position", "orientation", "velocity", "angular_velocity"):
        a, b = getattr(pushed["b"].world, quantity), getattr(free["b"].world, quantity)
        assert np.array_equal(a[before], b[before]), quantity
        assert not np.array_equal(a[-1], b[-1]), quantity


def continued(state, duration: float, step: float, push: bool, integrator: str):
    """A run on its own that starts from the end of another."""
    relative = {"relative_to": "world", "frame": "world"}
    body = BRICK | {
        "position": state.position.tolist(),
        "orientation": {"wxyz": state.orientation.tolist()},
        "velocity": relative | {"value": state.velocity.tolist()},
        "angular_velocity": relative | {"value": state.angular_velocity.tolist()},
        "forces": [PUSH] if push else [],
    }
    scene = make_scene({"b": body}, duration=duration, step=step, integrator=integrator, gravity=GRAVITY)
    simulation = rigidsim.Simulation(scene)
    simulation.step(simulation.n_step)
    return simulation.state["b"].world


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus", "magnus2"])
@pytest.mark.parametrize(
    ("window", "pieces"),
    [
        # (duration, step, pushed): what the steps of the whole run are, split at the edges.
        ((0.2, 0.6), [(0.2, 0.1, False), (0.4, 0.1, True), (0.4, 0.1, False)]),
        (
            (0.25, 0.625),
            [(0.2, 0.1, False), (0.05, 0.05, False), (0.05, 0.05, True), (0.3, 0.1, True), (0.025, 0.025, True),
             (0.075, 0.075, False), (0.3, 0.1, False)],
        ),
    ],
)  # fmt: skip
def test_it_is_the_scene_cut_in_pieces(window, pieces, integrator):
    """A tumbling brick pushed off its centre, in its own axes, at a step long enough to see a wrong split."""
    body = BRICK | TUMBLE | {"forces": [PUSH | {"during": [*window]}]}
    whole = run({"b": body}, duration=1, step=0.1, gravity=GRAVITY, integrator=integrator)["b"].world
    state = run({"b": BRICK | TUMBLE}, duration=1, step=0.1)["b"].world.at(0.0)
    for duration, step, push in pieces:
        state = continued(state, duration, step, push, integrator)
    # The same steps; the state goes through the scene's form at each seam. Measured: 2 eps.
    round_off = 2 * len(pieces) * EPS
    assert angle_between(whole.orientation[-1], state.orientation) <= round_off
    for quantity in ("position", "velocity", "angular_velocity"):
        a, b = getattr(whole, quantity)[-1], getattr(state, quantity)
        assert np.abs(a - b).max() <= round_off * np.abs(b).max(), quantity


def test_windows_overlap_and_add_up():
    forces = [{"force": [1, 0, 0], "during": [0.0, 0.5]}, {"force": [1, 0, 0], "during": [0.25, 0.755]},
              {"force": [0, 1, 0], "during": [0.5, 0.755]}, {"force": [0, 0, 1]}]  # fmt: skip
    trajectory = run({"b": BALL | {"forces": forces}}, duration=1, step=STEP)
    assert np.abs(trajectory.diagnostic("linear_momentum")[-1] - (1.005, 0.255, 1.0)).max() <= 16 * EPS


def test_work_counts_only_while_the_force_acts():
    trajectory = run({"b": BALL | load([0.2037, 0.70012])}, duration=1, step=STEP, record_every=STEP)
    work, energy = trajectory.diagnostic("work"), trajectory.total_energy
    assert not work[trajectory.time <= 0.2037].any()
    assert np.ptp(work[trajectory.time >= 0.70012]) == 0.0
    assert np.abs(energy).max() <= 16 * EPS * work[-1]  # measured: 3 eps
