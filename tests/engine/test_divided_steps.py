"""Steps of `rkmk4` in which a body turns by more than a radian are divided, in each lane by itself."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from contact_scenes import ball, block, collide
from rigidsim.blueprints import build_world
from rigidsim.engine.time.run import NO_SAMPLES, BlockRun
from rigidsim.engine.time.stepper import advance
from support.scenes import angle_between, axis_angle, make_scene, run

H = 0.01
EXACT = {"name": "taylor", "tolerance": 1e-13}


def top(turn: float, **more) -> dict:
    """A body without symmetry that turns by so many radians in a step of H."""
    rate = (np.array([0.3, 0.4, np.sqrt(0.75)]) * turn / H).tolist()
    return {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": {"frame": "body", "value": rate}} | more


def ends(bodies: dict, duration: float, name: str, **more) -> list:
    """The last motion of a body, by rkmk4 and exactly."""
    return [run(bodies, duration=duration, step=H, integrator=how, **more)[name].world for how in ("rkmk4", EXACT)]


# At a radian a step the error of whole steps was 1e-2 of the angle; from 2.5 a step on the motion was not finite.
@pytest.mark.parametrize("turn", [2.0, 6.0, 20.0])
def test_a_free_body_turns_as_far_as_it_should(turn):
    duration = 60.0 / turn * H
    duration -= duration % H
    mine, exact = ends({"b": top(turn)}, duration, "b")
    error = angle_between(mine.orientation[-1], exact.orientation[-1])
    assert error < 5e-5 * 60.0  # 0.8e-5 to 1.4e-5 of the angle measured


def test_forces_that_depend_on_the_attitude_are_those_of_the_parts():
    """An off-centre spring, whose torque turns with the body, and a body that the reaction moves."""
    spring = {"type": "spring", "to": "a", "at": [0.1, 0, 0], "to_at": [0, 0.2, 0], "stiffness": 300, "length": 0.3}
    bodies = {
        "a": {"mass": 2, "inertia": {"principal": [1, 1.5, 2]}},
        "b": top(2.0, position=[0.5, 0.2, 0], forces=[spring]),
    }
    mine, exact = ends(bodies, 0.2, "b")
    assert np.linalg.norm(mine.position[-1] - exact.position[-1]) < 5e-5  # 1.6e-5 measured; the body moves by 0.4 m
    assert angle_between(mine.orientation[-1], exact.orientation[-1]) < 5e-3  # of 40 rad
    other = [run(bodies, duration=0.2, step=H, integrator=how)["a"].world for how in ("rkmk4", EXACT)]
    assert angle_between(other[0].orientation[-1], other[1].orientation[-1]) < 1e-5


def test_a_torsion_spring_counts_the_turns_in_the_parts():
    """Three and a half turns a step and more: the winding is within half a turn only from part to part."""
    spring = {"type": "torsion_spring", "to": "world", "axis": [0, 0, 1], "stiffness": 2.0}
    wheel = {"mass": 1, "inertia": {"principal": [1, 1, 2]}, "forces": [spring]}
    wheel["angular_velocity"] = [0, 0, 24.0 / H]
    found = run({"w": wheel}, duration=0.5, step=H)["w"].world.angular_velocity[-1, 2]
    assert found == pytest.approx(24.0 / H * np.cos(0.5), rel=1e-7)  # its frequency is 1 rad/s


def test_a_rotor_on_a_hinge_is_followed_too():
    """Unbalanced, on a free body, five radians a step; steps that are fifty times finer are the reference."""
    hinge = {"hinge": {"axis": [0.2, 0, 1], "rate": 5.0 / H}}
    rotor = {
        "mass": 0.1,
        "inertia": {"principal": [1e-3, 2e-3, 2.5e-3]},
        "center_of_mass": [0.01, 0, 0],
        "motion": hinge,
    }
    bodies = {"hull": {"mass": 1, "inertia": {"principal": [0.1, 0.2, 0.25]}, "children": {"rotor": rotor}}}
    mine, fine = (run(bodies, duration=0.1, step=step, record_every=0.1)["hull"].world for step in (H, H / 50))
    turned = angle_between(fine.orientation[0], fine.orientation[-1])
    assert turned > 0.05
    assert angle_between(mine.orientation[-1], fine.orientation[-1]) < 1e-4 * turned


def lanes_of(turns: list) -> list:
    """Worlds of one structure: a body of this turn a step in a frame whose rates are expressions, with a spring."""
    spring = {"type": "torsion_spring", "to": "w", "axis": [0, 0, 1], "stiffness": 2.0}
    rate_driven = {"motion": {"prescribed": {"angular_velocity": ["= 0.4*sin(9*t)", 0, "= 3 + cos(t)"]}}}

    def bodies(turn: float) -> dict:
        inside = {"b": top(turn, position=[1, 0, 0], forces=[{"force": ["= sin(30*t)", 0, 1], "at": [0, 0.1, 0]}])}
        wheel = top(0.1, forces=[spring | {"to": "p/b"}])
        return {"p": rate_driven | {"children": inside}, "w": wheel}

    return [build_world(make_scene(bodies(turn), duration=0.5, step=H)) for turn in turns]


@pytest.mark.slow
def test_lanes_gears_and_slices_do_not_change_a_bit():
    worlds = lanes_of([0.1, 1.5, 12.0])
    together = BlockRun(worlds, 3)
    together.advance(30)
    state = together.state.reshape(len(together.state), -1, 3)
    for lane, world in enumerate(worlds):
        alone = BlockRun([world], 1)
        while alone.n < 30:
            alone.advance(7 if alone.n < 28 else 2)
        assert np.isfinite(alone.state).all()
        assert alone.state.tobytes() == np.ascontiguousarray(state[:, :, lane]).tobytes(), lane
    interpreted, brief = BlockRun(worlds[:2], 2), BlockRun(worlds[:2], 2)
    interpreted._advance = advance.interpreted
    for each in (interpreted, brief):
        each._advance_to(1, False, NO_SAMPLES, each._one, 0)
    assert interpreted.state.tobytes() == brief.state.tobytes()
    straight = BlockRun(worlds, 3)
    straight._advance_to(1, False, NO_SAMPLES, straight._one, 0)
    assert straight.make_specialised()
    straight._cruise(30, NO_SAMPLES, straight._one, 0, True)
    assert straight.state.tobytes() == together.state.tobytes()


def test_what_an_impact_spins_goes_on():
    """A plate that a fast ball strikes near its edge turns by several radians a step; a finer run has the same turn."""
    plate = block((0.1, 0.16, 0.01), mass=0.02, at=(0, 0, 1), restitution=0.5, orientation=axis_angle((1, 2, 0), 0.4))
    shot = ball(0.02, mass=1.0, at=(0.03, 0.06, 1.3), velocity=[0, 0, -30])
    found, fine = (
        collide({"plate": plate, "shot": shot}, duration=0.1, step=step, gravity=[0, 0, 0], record_every=0.01)
        for step in (5e-3, 1e-4)
    )
    turns = np.linalg.norm(found["plate"].world.angular_velocity, axis=-1) * 5e-3
    assert turns.max() > 2.0
    assert np.isfinite(found["plate"].world.position).all()
    energies = [each.total_energy for each in (found, fine)]
    assert abs(energies[0][-1] / energies[0][0] - 1) < 1e-3


def test_without_end_in_sight_the_run_still_says_so():
    with pytest.raises(rigidsim.SimulationError, match=r"the motion of 'b' is not finite .* try a smaller step"):
        run({"b": top(1e5)}, duration=0.1, step=H)
