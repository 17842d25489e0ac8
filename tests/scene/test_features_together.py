"""Which features of joints and contact go together, with each integrator: what is refused follows from what integrators
declare.

`python tests/scene/test_features_together.py` prints the table.
"""

from __future__ import annotations

from itertools import combinations

import pytest

import rigidsim
from rigidsim.scene.schema.integrators import MODELS

EVENTFUL = {"limits", "friction", "motor"}
"""Features of a coordinate that slides at one time and is held at another."""
FEATURES = (
    "limits",
    "friction",
    "motor",
    "breaks",
    "contact",
    "restitution",
    "loop",
    "coupling",
    "armature",
    "reparent",
)
TOGETHER = [
    chosen
    for n in (0, 1, 2)
    for chosen in combinations(FEATURES, n)
    if set(chosen) not in ({"contact", "restitution"}, {"friction", "motor"})  # the same, or exclude each other
]
BRICK = {"mass": 1, "inertia": {"principal": [0.1, 0.1, 0.1]}}


def scene(method: str, features: tuple[str, ...]) -> dict:
    """An arm on a hinge with some features, above a floor if it can touch it."""
    hinge = {"axis": [0, 1, 0], "at": [-0.5, 0, 0]}
    hinge |= {"limits": [-1, 1]} if "limits" in features else {}
    hinge |= {"friction": 1.0} if "friction" in features else {}
    hinge |= {"motor": {"rate": 1, "max_torque": 5}} if "motor" in features else {}
    hinge |= {"breaks": {"force": 1e6}} if "breaks" in features else {}
    hinge |= {"armature": 0.5} if "armature" in features else {}
    arm = BRICK | {"position": [0.5, 0, 1], "motion": {"hinge": hinge}}
    bodies, loops, more = {"arm": arm}, [], {}
    simulation = {"duration": 0.01, "step": 1e-3, "integrator": method}
    if {"contact", "restitution"} & set(features):
        arm["shapes"], bodies["floor"] = [{"type": "box", "size": [0.2, 0.2, 0.2]}], {"shapes": [{"type": "plane"}]}
        simulation["contact"] = "stepping"
        arm |= {"material": {"restitution": 0.5}} if "restitution" in features else {}
    if "loop" in features:
        bodies["rod"] = BRICK | {"position": [2, 0, 1]}
        loops.append({"type": "distance", "between": ["arm", "rod"]})
    if "coupling" in features:
        bodies["wheel"] = BRICK | {"position": [0, 3, 1], "motion": {"hinge": {"axis": [0, 1, 0]}}}
        loops.append({"type": "coupling", "between": ["arm", "wheel"], "ratio": -2.0})
    if "reparent" in features:
        bodies["free"] = BRICK | {"position": [5, 0, 5]}
        more["reparent"] = [{"time": 0.005, "body": "free", "to": "arm", "motion": "fixed"}]
    world = {"gravity": [0, 0, -9.81], "loops": loops}
    return {"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies} | more


def lacking(method: str, features: set[str]) -> str | None:
    """The capability that such a scene needs and the integrator does not declare."""
    needed = {"moves_joints": True, "locates_events": features & EVENTFUL}
    needed["touches_trees"] = features & {"contact", "restitution"}
    return next((one for one, is_needed in needed.items() if is_needed and not getattr(MODELS[method], one)), None)


@pytest.mark.parametrize("method", MODELS)
def test_what_is_refused_follows_from_declared_capabilities(method):
    for features in TOGETHER:
        lacks = lacking(method, set(features))
        try:
            rigidsim.Scene.from_dict(scene(method, features))
        except rigidsim.SceneError as error:
            assert lacks, f"{method}, {features}: {error}"
            (problem,) = error.problems
            able = problem.hint.removeprefix("use ").partition(",")[0].split(" or ")
            assert problem.code == "integrator" and all(getattr(MODELS[one], lacks) for one in able)
        else:
            assert not lacks, f"{method}, {features}"


RUNS = [(method, features) for method in MODELS for features in TOGETHER if not lacking(method, set(features))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "features"), RUNS, ids=lambda value: "-".join(value) if type(value) is tuple else value
)
def test_what_is_allowed_runs_and_its_energy_is_accounted_for(method, features):
    """Ten steps: the drift is the error of the method, of first order for some."""
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene(method, features)))
    energy = trajectory.total_energy
    assert trajectory.is_whole
    assert abs(energy - energy[0]).max() < 1e-2


if __name__ == "__main__":
    for method in MODELS:
        refused = []
        for features in TOGETHER:
            try:
                rigidsim.Scene.from_dict(scene(method, features))
            except rigidsim.SceneError:
                refused.append(" + ".join(features))
        print(f"{method}: {len(refused)} of {len(TOGETHER)} refused", *refused, sep="\n    ")
