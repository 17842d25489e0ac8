"""Motion over time: position, orientation, velocity and angular velocity of one frame relative to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rigidsim.arguments import numbers
from rigidsim.engine.relative_motion import RelativeMotion
from rigidsim.errors import UsageError
from rigidsim.physics.interpolation import hermite, hermite_rate, hermite_rotation
from rigidsim.transform import as_quaternions


def columns(array: np.ndarray) -> tuple[np.ndarray, ...]:
    """(..., n) as the tuple of n columns that formulas take."""
    return tuple(np.moveaxis(np.asarray(array), -1, 0))


def rows(parts: tuple[np.ndarray, ...]) -> np.ndarray:
    """The inverse of `columns`."""
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view of an array, as results are shared."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def time_span(time: np.ndarray | float) -> str:
    """Number of samples and time span, as text."""
    if np.ndim(time) == 0:
        return f"at {float(time):g} s"
    count = np.size(time)
    span = f", {np.min(time):g} to {np.max(time):g} s" if count else ""
    return f"{count} sample{'s' if count != 1 else ''}{span}"


@dataclass(frozen=True, repr=False)
class Motion:
    """Arrays with time as the first axis (or without, at a single time), read on first access.

    `breaks` are the times (s) from which the motion is relative to another frame.
    """

    time: np.ndarray | float
    _read: Callable[[str], np.ndarray]
    breaks: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"<Motion: {time_span(self.time)}>"

    def __reduce__(self):
        return from_arrays, (self.time, *(getattr(self, name) for name in _FIELDS), self.breaks)

    @cached_property
    def position(self) -> np.ndarray:
        """(time, 3), in the axes and length units of the reference frame."""
        return read_only(self._read("position"))

    @cached_property
    def orientation(self) -> np.ndarray:
        """(time, 4), unit quaternions, scalar first."""
        return read_only(self._read("orientation"))

    @cached_property
    def velocity(self) -> np.ndarray:
        """(time, 3), in length units of the reference frame per second."""
        return read_only(self._read("velocity"))

    @cached_property
    def angular_velocity(self) -> np.ndarray:
        """(time, 3), rad/s, in the axes of the reference frame."""
        return read_only(self._read("angular_velocity"))

    @property
    def rotation(self) -> np.ndarray:
        """The orientation as numpy-quaternion values."""
        return as_quaternions(self.orientation)

    def part(self, samples) -> Motion:
        """Some of the samples."""
        return Motion(self.time[samples], lambda name: getattr(self, name)[samples])

    def at(self, time: float | np.ndarray) -> Motion:
        """The motion at other times (s) within the trajectory, by Hermite interpolation of fourth order.

        Position and rotation vector are cubics that match pose and rate at both neighbouring samples; velocities are
        their derivatives. Exact at samples; the jump at an impulse is smoothed over the interval that contains it.
        Raises UsageError outside the trajectory, and between two samples that are relative to different frames.
        """
        return interpolated(self, time)


def from_arrays(
    time: np.ndarray | float, position, orientation, velocity, angular_velocity, breaks: tuple[float, ...] = ()
) -> Motion:
    """A motion from arrays."""
    arrays = {
        "position": position,
        "orientation": orientation,
        "velocity": velocity,
        "angular_velocity": angular_velocity,
    }
    return Motion(time, arrays.__getitem__, breaks)


def concatenated(time: np.ndarray, pieces: Sequence[Motion]) -> Motion:
    """Motions of successive time intervals as one."""
    return Motion(time, lambda name: np.concatenate([getattr(piece, name) for piece in pieces]))


def interpolated(motion: Motion, time: float | np.ndarray) -> Motion:
    """See `Motion.at`."""
    samples, wanted = np.asarray(motion.time), numbers(time, "times")
    if samples.ndim == 0:
        raise UsageError("a state at a single time cannot be interpolated")
    if wanted.size and not (samples[0] <= wanted.min() and wanted.max() <= samples[-1]):
        raise UsageError(f"time {time} s is outside the trajectory, which covers {samples[0]:g} to {samples[-1]:g} s")
    if len(samples) == 1:
        one = np.zeros(wanted.shape, dtype=np.int64)
        return from_arrays(wanted, *(getattr(motion, f)[one] for f in _FIELDS))
    if np.any(straddling(motion, wanted)):
        raise UsageError(
            f"the motion relative to the parent cannot be interpolated at time {time} s: the samples before and after"
            " are relative to different parents; use `world` or `seen_from` instead"
        )
    i = np.clip(np.searchsorted(samples, wanted, side="right") - 1, 0, len(samples) - 2)
    h, x = samples[i + 1] - samples[i], (wanted - samples[i]) / (samples[i + 1] - samples[i])
    p, v, q, omega = (columns(getattr(motion, f)) for f in ("position", "velocity", "orientation", "angular_velocity"))
    ends = [tuple(c[j] for c in quantity) for quantity in (p, v, q, omega) for j in (i, i + 1)]
    p_0, p_1, v_0, v_1, q_0, q_1, omega_0, omega_1 = ends
    orientation, rate = hermite_rotation(q_0, q_1, omega_0, omega_1, h, x)
    found = from_arrays(
        wanted,
        rows(hermite(p_0, p_1, v_0, v_1, h, x)),
        rows(orientation),
        rows(hermite_rate(p_0, p_1, v_0, v_1, h, x)),
        rows(rate),
    )
    return _snapped(motion, found, i, x)


def straddling(motion: Motion, wanted: np.ndarray) -> np.ndarray:
    """Which times lie between two samples that are separated by a break."""
    samples = np.asarray(motion.time)
    found = np.zeros(np.shape(wanted), dtype=bool)
    for first_after in np.searchsorted(samples, motion.breaks):
        if 0 < first_after < len(samples):
            found |= (samples[first_after - 1] < wanted) & (wanted < samples[first_after])
    return found


_FIELDS = ("position", "orientation", "velocity", "angular_velocity")


def _snapped(motion: Motion, found: Motion, i: np.ndarray, x: np.ndarray) -> Motion:
    """Replace interpolated values by the sample where the time is that of a sample."""
    nearest = i + (x == 1.0)
    on_sample = ((x == 0.0) | (x == 1.0))[..., np.newaxis]
    return from_arrays(
        found.time, *(np.where(on_sample, getattr(motion, f)[nearest], getattr(found, f)) for f in _FIELDS)
    )


def below(chain: RelativeMotion, local: Motion, scale: float) -> RelativeMotion:
    """A chain extended at its root by a node with this local motion and scale."""
    above = (columns(local.position), columns(local.orientation), scale)
    return chain.below(above, columns(local.velocity), columns(local.angular_velocity))


def seen_from(chain: RelativeMotion, other: RelativeMotion, time: np.ndarray | float) -> Motion:
    """The motion of the end of one chain relative to the end of another."""
    shape = np.shape(time)
    return from_arrays(time, *(np.array(np.broadcast_to(rows(p), (*shape, len(p)))) for p in chain.seen_from(other)))
