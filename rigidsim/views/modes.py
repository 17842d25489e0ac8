"""The modes of a linear motion in space: one display, with a chapter for each mode."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.sensitivities.linear import LinearModel, Mode, changes_of
from rigidsim.views.display import Chapter, Display, display_at
from rigidsim.views.poses import WORLD_ROW

LARGEST_ANGLE, LARGEST_WAY = 0.25, 0.15
"""What is shown of a shape: angles in rad, and ways in parts of the radius of all that is shown."""
PERIOD, FRAMES = 2.0, 61
"""Seconds of playing, and frames, of each mode."""


def display_of_modes(linear: LinearModel) -> Display:
    """The display of all modes that move, each for one period without its damping, scaled so that it can be seen.
    Raises UsageError if there are none.
    """
    moving = [one for one in linear.modes if one.frequency > 0.0]
    if not moving:
        raise UsageError("no mode moves: there is no shape to show")
    still = display_at(linear.displaced([0.0, 1.0], [{}, {}]), np.array([0.0, 1.0]), 1.0)
    radius = still.framing(still.poses.seen_from(WORLD_ROW)).radius
    phases, changes = np.linspace(0.0, 2.0 * np.pi, FRAMES), []
    for mode in moving:
        changes += changes_of(mode, _amplitude(linear, mode, radius), phases)
    times = np.arange(len(changes)) * (PERIOD / (FRAMES - 1))
    chapters = [Chapter(_name(mode), k * FRAMES, (k + 1) * FRAMES - 1) for k, mode in enumerate(moving)]
    return replace(display_at(linear.displaced(times, changes), times, 1.0), chapters=tuple(chapters))


def _amplitude(linear: LinearModel, mode: Mode, radius: float) -> float:
    """How far the largest part of a shape swings, so that no angle and no way is too large."""
    most = {variable.name: LARGEST_ANGLE if variable.turns else LARGEST_WAY * radius for variable in linear.variables}
    return min(most[name] / abs(x) for name, x in mode.shape.items() if x)


def _name(mode: Mode) -> str:
    """The frequency and damping ratio of a mode, or how fast it grows or decays."""
    value = mode.eigenvalue
    if value.imag:
        return f"{mode.frequency:.4g} Hz, damping {mode.damping:.3g}"
    return f"{'grows' if value.real > 0.0 else 'decays'} by e in {1.0 / abs(value.real):.3g} s"
