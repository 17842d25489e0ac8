"""How the parts of a scene fit together: each rule, its message, its place and its hint."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene

HEAD = "format: rigidsim/1\nsimulation: {duration: 1, step: 0.1}\nbodies:\n"
BRICK = "mass: 1, inertia: {principal: [1, 1, 1]}"
DRIVE = "motion: {prescribed: {angular_velocity: [0, 0, 1]}}"
FORCE = "forces: [{force: [1, 0, 0]}]"

FAULTS = {
    "free without mass": ("b: {motion: free}", "missing-key", "b", 4, 6, "a free body needs a mass"),
    "no inertia": ("b: {mass: 1}", "missing-key", "b", 4, 6, "inertia: point"),
    "massless inertia": ("b: {inertia: point}", "mass", "b.inertia", 4, 7, "has no mass"),
    "massless centre": ("b: {center_of_mass: [1, 0, 0]}", "mass", "b.center_of_mass", 4, 7, "has no mass"),
    "driven velocity": (f"b: {{{DRIVE}, velocity: [1, 0, 0]}}", "motion", "b.velocity", 4, 60, "motion.prescribed"),
    "fixed velocity": ("b: {velocity: [1, 0, 0]}", "motion", "b.velocity", 4, 7, "no velocity of its own"),
    "fixed spin": ("b: {angular_velocity: [1, 0, 0]}", "motion", "b.angular_velocity", 4, 7, "angular velocity"),
    "driven mass": (f"b: {{{BRICK}, {DRIVE}}}", "mass", "b.mass", 4, 7, "exerts no reaction"),
    "world mass": (f"b: {{{BRICK}, motion: fixed}}", "mass", "b.mass", 4, 7, "fixed to the world"),
    "mass on a drive": (
        f"b: {{{DRIVE}, children: {{a: {{children: {{c: {{{BRICK}, motion: fixed}}}}}}}}}}",
        *("mass", "b.children.a.children.c.mass", 4, 90, "a prescribed motion, where its mass has no effect"),
    ),
    "force on the world": (f"b: {{{FORCE}}}", "force", "b.forces", 4, 7, "world holds this body"),
    "force on a drive": (f"b: {{{DRIVE}, {FORCE}}}", "force", "b.forces", 4, 60, "prescribed motion holds"),
    "gravity on a drive": (f"b: {{{DRIVE}, gravity: false}}", "gravity", "b.gravity", 4, 60, "prescribed body"),
    "gravity on a part": ("b: {gravity: true}", "gravity", "b.gravity", 4, 7, "fixed body"),
    "part without inertia": (
        f"b: {{{BRICK}, children: {{a: {{mass: 1, motion: fixed}}}}}}",
        *("missing-key", "b.children.a", 4, 63, "inertia: point"),
    ),
    "tiny scales": (
        f"b: {{{BRICK}, scale: 1e-30, children: {{a: {{scale: 1e-30}}}}}}",
        *("scale", "b.children.a.scale", 4, 78, "not between 1e-50 and 1e+50 m"),
    ),
    "particle spins": (
        "b: {mass: 1, inertia: point, angular_velocity: [0, 0, 1]}",
        *("inertia", "b.angular_velocity", 4, 32, "does not rotate"),
    ),
    "particle twisted": (
        "b: {mass: 1, inertia: point, forces: [{torque: [0, 0, 1]}]}",
        *("inertia", "b.forces[0].torque", 4, 42, "angular impulse cannot act on it"),
    ),
    "particle pushed off centre": (
        "b: {mass: 1, inertia: point, forces: [{force: [0, 0, 1], at: [1, 0, 0]}]}",
        *("inertia", "b.forces[0].at", 4, 60, "must act at its centre of mass"),
    ),
    "particle pushed by its part": (
        f"b: {{mass: 1, inertia: point, children: {{a: {{position: [0, 1, 0], {FORCE}}}}}}}",
        *("inertia", "b.children.a.forces[0].at", 4, 77, "must act at its centre of mass"),
    ),
    "spin changes axis": (
        "b: {motion: {prescribed: {angular_velocity: [0, 0, 1], angular_acceleration: [0, 1e-8, 1]}}}",
        *("motion", "b.motion.prescribed.angular_acceleration", 4, 80, "not parallel"),
    ),
}


@pytest.mark.parametrize(("body", "code", "path", "line", "column", "words"), FAULTS.values(), ids=FAULTS)
def test_rule(problem, body, code, path, line, column, words):
    only = problem(HEAD + "  " + body)
    assert (only.code, only.path, only.line) == (code, f"bodies.{path}", line)
    assert words in f"{only.message}; {only.hint}"
    assert only.column == column


@pytest.mark.parametrize(
    "body",
    [
        f"b: {{{DRIVE}}}",
        f"b: {{{BRICK}, children: {{a: {{children: {{c: {{{BRICK}, motion: fixed, {FORCE}}}}}}}}}}}",
        "b: {mass: 1, inertia: point, forces: [{force: [0, 0, 1], at: [0, 0, 0]}, {torque: [0, 0, 0]}]}",
        "b: {mass: 1, inertia: point, center_of_mass: [1, 0, 0], forces: [{force: [0, 0, 1], at: [1, 0, 0]}]}",
        f"b: {{{DRIVE}, children: {{c: {{{BRICK}, {FORCE}}}}}}}",
        "b: {motion: {prescribed: {angular_velocity: [0, 0, 1], angular_acceleration: [0, 0, -3e20]}}}",
        "b: {orientation: {axis: [1, 0, 0], angle: 90 deg}, motion: {prescribed: "
        "{angular_velocity: [0, 1, 0], angular_acceleration: {frame: body, value: [0, 0, -2]}}}}",
    ],
)
def test_allowed(body):
    Scene.from_text(HEAD + "  " + body)


@pytest.mark.parametrize(
    ("simulation", "path", "words"),
    [
        ({"duration": 1, "step": 0.3}, "step", "0.25 s and 0.333333333333 s; nearest durations: 0.9 s and 1.2 s"),
        ({"duration": 1, "step": 2}, "step", "longer than the duration"),
        ({"duration": 1, "step": 1e-13}, "step", "more than 1e+12 steps"),
        ({"duration": 1e50, "step": 1e-300}, "step", "more than 1e+12 steps"),
        ({"duration": 1, "step": 0}, "step", "greater than zero"),
        ({"duration": -1, "step": 1}, "duration", "greater than zero"),
        ({"duration": 1, "step": 0.1, "record_every": 0.25}, "record_every", "nearest: 0.2 s and 0.3 s"),
        ({"duration": 1, "step": 0.1, "record_every": 0.01}, "record_every", "nearest: 0.1 s"),
        ({"duration": 1, "step": 0.1, "integrator": "rkmk"}, "integrator", "did you mean 'rkmk4'"),
        ({"duration": 1, "step": 0.1, "integrator": "leap"}, "integrator", "rkmk4, magnus, magnus2, euler"),
        ({"duration": 1, "step": 0.1, "integrator": 4}, "integrator", "4 is not an integrator"),
        ({"duration": 1, "step": 0.1, "integrator": {"terms": 2}}, "integrator", "no 'name'"),
        ({"duration": 1, "step": 0.1, "integrator": {"name": "magnu"}}, "integrator", "did you mean 'magnus'"),
        (
            {"duration": 1, "step": 0.1, "integrator": {"name": "magnus", "terms": 5}},
            "integrator.terms",
            "at most 4, got 5",
        ),
        ({"duration": 1, "step": 0.1, "integrator": {"name": "magnus", "terms": 0}}, "integrator.terms", "at least 1"),
        ({"duration": 1, "step": 0.1, "integrator": {"name": "magnus", "terms": 1.5}}, "integrator.terms", "whole"),
        ({"duration": 1, "step": 0.1, "integrator": {"name": "rkmk4", "terms": 2}}, "integrator.terms", "unknown key"),
    ],
)
def test_time(minimal, problem, simulation, path, words):
    only = problem(minimal | {"simulation": simulation})
    assert only.path == f"simulation.{path}"
    assert words in f"{only.message}; {only.hint}"


def test_whole_numbers_of_steps_in_decimal(minimal):
    for step, every in ((0.1, 0.3), (1e-3, 0.007), (1 / 3, None), ("1 ms", "20 ms")):
        simulation = {"duration": 1, "step": step} | ({"record_every": every} if every else {})
        Scene.from_dict(minimal | {"simulation": simulation})
