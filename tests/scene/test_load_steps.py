"""Warnings about steps that are too long for what damps a body, and for springs that an integrator lets grow."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene

POINT = {"mass": 1, "inertia": "point", "velocity": [1, 0, 0]}
BRICK = {"mass": 1, "inertia": {"principal": [0.01, 0.01, 0.01]}}
BLOW_UP = (
    "a step of 0.01 s is too long for the damping of this body, {} 1/s in total, so that '{}' diverges;"
    " use at most {} s"
)


def noted(bodies: dict, step: float = 0.01, integrator: str = "rkmk4", **more) -> list[str]:
    simulation = {"duration": 1, "step": step, "integrator": integrator}
    return list(Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies} | more).warnings)


def loaded(*forces: dict, **more) -> dict:
    return {"p": POINT | {"forces": list(forces)} | more}


ANCHOR = {"to": "world", "to_at": [0, 1, 0]}
DAMPED = [
    ({"type": "drag", "linear": 1e6}, "1e+06", "1e-06"),
    ({"type": "drag", "linear": 290}, "290", "0.002"),
    ({"type": "drag", "quadratic": 200}, "400", "0.002"),  # 2 c v, at 1 m/s
    ({"type": "drag", "linear": 100, "quadratic": 100}, "300", "0.002"),
    ({"type": "spring", **ANCHOR, "stiffness": 1, "damping": 1e5}, "1e+05", "1e-05"),
    ({"type": "damper", **ANCHOR, "damping": 1e5}, "1e+05", "1e-05"),
]


@pytest.mark.parametrize(("force", "rate", "advised"), DAMPED)
def test_damping_beyond_the_bound_is_reported_with_a_step_that_would_do(force, rate, advised):
    assert noted(loaded(force)) == [f"bodies.p.forces[0]: {BLOW_UP.format(rate, 'rkmk4', advised)}"]
    assert noted(loaded(force), step=float(advised)) == []


@pytest.mark.parametrize(("integrator", "bound"), [("rkmk4", 2.785), ("magnus", 2), ("magnus2", 2), ("euler", 2)])
def test_the_bound_is_that_of_the_integrator(integrator, bound):
    """The bounds are those at which the stepper diverges: tests/engine/test_linear_steps.py."""
    assert noted(loaded({"type": "drag", "linear": 0.99 * bound / 0.01}), integrator=integrator) == []
    (only,) = noted(loaded({"type": "drag", "linear": 1.01 * bound / 0.01}), integrator=integrator)
    assert f"'{integrator}' diverges" in only


@pytest.mark.parametrize(("axis", "rate"), [(None, 1e4), ([0, 0, 2], 5e3)])
def test_torsional_damping_counts_by_the_inertia_about_its_axis(axis, rate):
    spring = {"type": "torsion_spring", "to": "world", "stiffness": 0.01, "damping": 100}
    body = BRICK | {"inertia": {"principal": [0.01, 0.02, 0.02]}, "forces": [spring | ({"axis": axis} if axis else {})]}
    advised = {1e4: "0.0001", 5e3: "0.0002"}[rate]
    assert noted({"p": body}) == [f"bodies.p.forces[0]: {BLOW_UP.format(f'{rate:.3g}', 'rkmk4', advised)}"]


def test_what_damps_one_body_adds_up_and_the_strongest_is_named():
    weak, strong = {"type": "drag", "linear": 130}, {"type": "damper", **ANCHOR, "damping": 160}
    assert noted(loaded(weak)) == noted(loaded(strong)) == []
    assert noted(loaded(weak, strong)) == [f"bodies.p.forces[1]: {BLOW_UP.format('290', 'rkmk4', '0.002')}"]
    late = {**strong, "during": [1, 2]}
    assert [line for line in noted(loaded(weak, late)) if "diverges" in line] == []


def test_a_damper_between_two_bodies_moves_both():
    """Its rate is c (1/m + 1/m'), and is reported once."""
    bodies = {"q": POINT | {"position": [0, 1, 0], "mass": 2}} | loaded({"type": "damper", "to": "q", "damping": 200})
    assert noted(bodies) == [f"bodies.p.forces[0]: {BLOW_UP.format('300', 'rkmk4', '0.002')}"]


def test_a_chain_of_dampers_is_bounded_from_above():
    """Of n equal masses the largest rate is below 4 c/m."""
    chain = {
        f"p{i}": POINT
        | {"position": [i, 0, 0], "forces": [{"type": "damper", "to": f"p{i - 1}", "damping": 60}] * (i > 0)}
        for i in range(5)
    }
    assert noted(chain) == []
    for body in chain.values():
        body["forces"] = [force | {"damping": 72} for force in body["forces"]]
    assert noted(chain) != []


def test_a_lever_counts_as_far_as_the_body_can_turn_by_it():
    """A force of 1 N 0.2 m off the centre moves that point by 1/m + r^2/I = 1 + 4 m/s2 a newton."""
    off = {"type": "drag", "linear": 60, "at": [0.2, 0, 0]}
    assert noted({"p": BRICK | {"forces": [off | {"at": [0, 0, 0]}]}}) == []
    assert noted({"p": BRICK | {"forces": [off]}}) == [f"bodies.p.forces[0]: {BLOW_UP.format('300', 'rkmk4', '0.002')}"]
    part = {"part": {"position": [0.2, 0, 0], "forces": [{"type": "drag", "linear": 60}]}}
    assert noted({"p": BRICK | {"children": part}})[0].startswith("bodies.p.children.part.forces[0]: a step of")
    stiff = BRICK | {"inertia": {"principal": [0.01, 0.01, 0.02]}, "forces": [off]}
    assert ", 300 1/s" in noted({"p": stiff})[0]
    assert noted({"p": stiff}, world={"plane": [0, 0, 1]}) == []  # there it turns about z alone: 1 + 2


@pytest.mark.parametrize(
    ("medium", "speed"),
    [
        ({"motion": {"prescribed": {"velocity": [1, 0, 0]}}}, 0),
        ({"motion": {"prescribed": {"velocity": ["= 3*cos(t)", 0, 0]}}}, 2),
        ({"motion": {"prescribed": {"position": ["= -5*t", 0, 0]}}}, 6),
        ({"motion": {"prescribed": {"angular_velocity": [0, 0, 2]}}, "position": [0, 4, 0]}, 7),
        ({"mass": 1, "inertia": "point", "velocity": [0, 3, 4]}, 26**0.5),
    ],
)
def test_quadratic_drag_counts_at_the_speed_in_its_medium_at_the_start(medium, speed):
    drag = {"type": "drag", "quadratic": 1000, "medium": "m"}
    lines = [line for line in noted(loaded(drag) | {"m": medium}) if "diverges" in line]
    assert [f", {2000 * speed:.3g} 1/s in total" in line for line in lines] == [True] * (speed > 0)


def test_within_one_body_nothing_is_damped():
    body = BRICK | {
        "forces": [{"type": "damper", "to": "p/part", "damping": 1e9}],
        "children": {"part": {"position": [1, 0, 0]}},
    }
    assert not any("diverges" in line for line in noted({"p": body}))


def test_a_swing_that_grows_in_the_run_is_reported():
    """By z^2/4 of itself a step with `magnus`, z^4/8 with `magnus2`, z = 0.2: exp(1) and exp(0.02) in 100 steps."""
    spring = {"type": "spring", "to": "world", "stiffness": 400, "length": 0}
    grows = "the oscillation of this spring grows by a factor of"
    assert noted(loaded(spring)) == noted(loaded(spring), integrator="euler") == []
    (only,) = noted(loaded(spring), integrator="magnus")
    assert f"bodies.p.forces[0]: with 'magnus' {grows} 2.69 during the run; use at most 5e-05 s, or rkmk4" == only
    assert f"'magnus2' {grows} 1.02" in noted(loaded(spring), integrator="magnus2")[0]
    assert noted(loaded(spring), integrator="magnus", step=5e-5) == []
    assert noted(loaded(spring | {"damping": 4.5}), integrator="magnus") == []  # decays by 2.25 1/s, grows by 1 1/s
