"""Random heaps on a floor, a terrain or a mesh, into which a ball falls when they sleep.

Up to the first sleep they have the bits of a run without it. What sleeps does not move, and is where it would be
without sleep, within the creep that the threshold allows: `CALM` over the time of rest and of sleep. Nothing wakes
without a cause. Bodies that stay awake are not compared: they roll on, and what they meet differs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rigidsim

STEP, GRAVITY, REST_TIME = 5e-3, 9.81, 0.5
CALM = 0.01 * GRAVITY * STEP
"""m/s: a body whose surface creeps faster does not fall asleep."""
RETURNS = 3.2
"""When the ball comes back, s."""
SIMPLE, ALL = ("sphere", "box", "capsule"), ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull")
GROUNDS: dict[str, dict[str, Any]] = {
    "floor": {"type": "plane"},
    "terrain": {
        "type": "terrain", "spacing": 0.4,
        "heights": [[0.1 * ((i - 5) ** 2 + (j - 5) ** 2) / 25 for j in range(11)] for i in range(11)],
    },
    "mesh": {"type": "mesh", "file": "funnel.obj"},
}  # fmt: skip

CORNERS = [(-3, -3, 0.2), (3, -3, 0.2), (3, 3, 0.2), (-3, 3, 0.2), (0, 0, 0)]
TRIANGLES = [(1, 2, 5), (2, 3, 5), (3, 4, 5), (4, 1, 5)]


def shape(kind: str, random: np.random.Generator) -> dict[str, Any]:
    """One of about 0.1 m, which does not roll far."""
    a, b, c = random.uniform(0.06, 0.14, 3).tolist()
    if kind == "hull":
        points = random.normal(size=(12, 3))
        return {"type": kind, "points": (a * points / np.linalg.norm(points, axis=1)[:, None]).tolist()}
    keys = {
        "sphere": {"radius": a}, "box": {"size": [2 * a, 2 * b, 2 * c]}, "capsule": {"radius": 0.5 * a, "length": b},
        "cylinder": {"radius": a, "length": 2 * b}, "cone": {"radius": a, "length": 2 * b},
        "ellipsoid": {"radii": [a, b, c]},
    }  # fmt: skip
    return {"type": kind, **keys[kind]}


def heap(seed: int, kinds: tuple[str, ...], ground: str) -> dict[str, Any]:
    """Two groups of bodies that are dropped, and a ball that falls on the first one."""
    random, rough = np.random.default_rng(seed), {"friction": 0.6, "rolling_friction": 0.02}
    bodies: dict[str, Any] = {"ground": {"shapes": [GROUNDS[ground]], "material": rough}}
    for k in range(7):
        at = [0.9 * (k % 2) - 0.45, *random.uniform(-0.05, 0.05, 1), 0.35 + 0.3 * (k // 2)]
        q = random.normal(size=4)
        bodies[f"b{k}"] = {
            "mass": 1.0, "shapes": [shape(kinds[random.integers(len(kinds))], random)], "material": rough,
            "position": at, "orientation": {"wxyz": (q / np.linalg.norm(q)).tolist()},
        }  # fmt: skip
    up = 0.5 * GRAVITY * RETURNS
    bodies["shot"] = {
        "mass": 0.5, "shapes": [{"type": "sphere", "radius": 0.08}], "material": rough,
        "position": [-0.45, 0.0, 1.7], "velocity": [0, 0, up],
    }  # fmt: skip
    return bodies


def run(bodies: dict[str, Any], sleep: bool) -> rigidsim.Trajectory:
    """Four seconds."""
    contact = {"mode": "stepping", "sleep": sleep}
    simulation = {"duration": 4.0, "step": STEP, "record_every": STEP, "integrator": "rkmk4", "contact": contact}
    world = {"gravity": [0, 0, -GRAVITY]}
    return rigidsim.simulate(
        rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies})
    )


def sleeps(trajectory: rigidsim.Trajectory) -> dict[str, list[tuple[float, float]]]:
    """From when to when each body slept, s."""
    found: dict[str, list[tuple[float, float]]] = {}
    for event in trajectory.events:
        if event.cause == "falls_asleep":
            found.setdefault(event.bodies[0], []).append((event.time, np.inf))
        elif event.cause == "wakes":
            spans = found[event.bodies[0]]
            spans[-1] = (spans[-1][0], event.time)
    return found


def is_asleep(body: str, time: float, slept: dict[str, list[tuple[float, float]]]) -> bool:
    """Whether a body slept up to a time, s, at which it may wake."""
    return any(begin <= time <= end for begin, end in slept.get(body, []))


CASES = [
    (seed, kinds, ground)
    for seed in range(12)
    for kinds, ground in ((SIMPLE, "floor"), (ALL, "terrain"), (ALL, "mesh"))
]


@pytest.mark.parametrize(
    ("seed", "kinds", "ground"),
    [pytest.param(*case, id=f"{case[2]}-{case[0]}", marks=[pytest.mark.slow] * (case[0] > 1)) for case in CASES],
)
def test_a_heap_sleeps_and_wakes(seed, kinds, ground, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ("{} {} {} {}".format(what, *row) for what, rows in (("v", CORNERS), ("f", TRIANGLES)) for row in rows)
    (tmp_path / "funnel.obj").write_text("\n".join(lines))
    bodies = heap(seed, kinds, ground)
    one, other = (run(bodies, sleep) for sleep in (True, False))
    slept, names = sleeps(one), one.paths
    assert slept
    first = min(begin for spans in slept.values() for begin, _ in spans)
    woke = min((end for spans in slept.values() for _, end in spans), default=np.inf)
    places = {name: (run[name].world.position, run[name].world.orientation) for run in (one,) for name in names}
    before = one.time <= first + 0.1 * STEP
    apart = np.abs(one.arrays["world/position"] - other.arrays["world/position"])
    assert not apart[before].any()
    for body, spans in slept.items():
        if spans and spans[0][0] < woke:
            begin, end = spans[0][0], min(spans[0][1], woke)
            rows = (one.time >= begin) & (one.time <= end)
            allowed = CALM * (REST_TIME + one.time[rows] - begin)
            assert (apart[rows, names.index(body)].max(axis=1) <= allowed).all()
        for begin, end in spans:
            rows = (one.time >= begin - 0.1 * STEP) & (one.time <= end + 0.1 * STEP)
            for values in places[body]:
                assert (values[rows] == values[rows][0]).all()
    touches = [event for event in one.events if event.cause in ("contact_begins", "impact")]
    for time in {event.time for event in one.events if event.cause == "wakes"}:
        begun = [touch.bodies for touch in touches if 0.0 < touch.time - time < 1.1 * STEP]
        assert any(sum(is_asleep(body, time, slept) for body in pair) == 1 for pair in begun)
