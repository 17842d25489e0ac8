"""The bits of a run are the same with and without derivatives, for every shipped scene."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.sensitivities.parameters import parameters_of
from rigidsim.sensitivities.simulation import differentiating
from rigidsim.simulation.batch import history_of
from rigidsim.simulation.single import Simulation

SCENES = sorted((Path(__file__).parents[2] / "scenes").glob("*.yaml"))
QUICK = {"flipping_axis", "kepler_from_rotating_planet", "pendulum"}
"""Scenes that compile fast."""
MOST, STEPS = 2, 300


def shortened(path: Path) -> Scene:
    """The scene with at most so many steps."""
    whole = Scene.from_file(path)
    step, duration = whole.simulation.step, whole.simulation.duration
    return whole if duration <= STEPS * step else Scene.from_file(path, [f"simulation.duration={STEPS * step!r}"])


def numbers_in(scene: Scene) -> list[str]:
    """The names of the numbers of a scene: parameters first, then all others of its bodies and the world."""
    found, data = [], scene.document().data
    others = [name for part in ("bodies", "world") for name in leaves(data.get(part), part)]
    for name in [*scene.parameters, *others]:
        try:
            parameters_of(scene, [name])
        except UsageError:
            continue
        found.append(name)
    return found


def leaves(part: object, name: str) -> Iterator[str]:
    """The names of all values in a part of a document."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    if not inner:
        yield name
    for key, value in inner:
        yield from leaves(value, f"{name}.{key}")


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.slow) for path in SCENES]
)
def test_derivatives_change_no_bit(path):
    scene, tried = shortened(path), []
    for name in numbers_in(scene):
        try:
            tried += differentiating(scene, [name])
        except UsageError:  # it is structure, or changes the grid
            continue
        if len(tried) == MOST:
            break
    if not tried:
        pytest.skip("no number of this scene has derivatives")
    plain = history_of(Simulation(scene))
    for one in tried:
        found = history_of(one)
        assert found.content_hash == plain.content_hash and found.metrics == plain.metrics
        assert all(np.isfinite(a).all() for d in one.derivatives() for n, a in d.stored.items() if "events" not in n)
