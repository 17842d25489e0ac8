"""What the history of a scene has in common for all samples, and when those are taken."""

from __future__ import annotations

import json

import numpy as np

from rigidsim.engine.compiler import Compiled
from rigidsim.scene import Scene
from rigidsim.trajectory.header import Change, Header
from rigidsim.trajectory.provenance import provenance


def header_of(scene: Scene, compiled: Compiled, with_terms: bool, with_callbacks: bool = False) -> Header:
    """What the history of this scene has in common for all samples."""
    return Header(
        paths=compiled.paths,
        parents=compiled.parents,
        kinds=compiled.kinds,
        scale=compiled.scale,
        parent_scale=compiled.parent_scale,
        isolated=compiled.isolated and not with_callbacks,
        with_terms=with_terms,
        changes=changes_of(compiled),
        scene_name=scene.name,
        scene_text=scene.source,
        scene_resolved=json.dumps(scene.resolved(), indent=1),
        provenance=provenance(),
    )


def changes_of(compiled: Compiled) -> tuple[Change, ...]:
    """When bodies change their parents."""
    schedule = compiled.schedule
    in_order = sorted(schedule.reparentings, key=lambda event: schedule.era(event.time))
    places = [schedule.place(event.time) for event in in_order]
    return tuple(
        Change((n + fraction) * compiled.model.step, event.body, "" if event.to == "world" else event.to, event.motion)
        for (n, fraction), event in zip(places, in_order, strict=True)
    )


def sample_count(compiled: Compiled) -> int:
    """Samples of a whole run: one each stride from t = 0, and the last state."""
    return -(-compiled.n_step // compiled.stride) + 1


def sample_times(compiled: Compiled, first: int, count: int) -> np.ndarray:
    """Times of samples, s: multiplied, never accumulated."""
    return np.arange(first, first + count) * compiled.stride * compiled.model.step
