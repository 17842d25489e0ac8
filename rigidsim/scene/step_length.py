"""A step that is too long for the fastest turn in the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigidsim.scene.document import Path
from rigidsim.scene.findings import nodes

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene

LARGEST_TURN = 0.5
"""Radians a step: there `rkmk4` errs by some 1e-4 rad a turn, and the others by far more."""
ADVISED_TURN = 0.1


def step_notes(scene: Scene) -> Iterator[tuple[Path, str]]:
    """Each body that begins by turning more than LARGEST_TURN a step, with a step that would do."""
    step = scene.simulation.step
    for node in nodes(scene):
        owner = node.body.prescribed or node.body
        rate = math.hypot(*owner.angular_velocity.start)
        if rate * step > LARGEST_TURN:
            turn = math.degrees(rate * step)
            advised = ADVISED_TURN / rate
            yield node.path, f"a step of {step:g} s turns it by {turn:.3g} degrees; {advised:.1g} s would follow it"
