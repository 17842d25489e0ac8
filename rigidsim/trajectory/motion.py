"""Motion over time: position, orientation, velocity and angular velocity of one frame in another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rigidsim.arguments import numbers
from rigidsim.engine.chain import Chain
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
    """The array, not to be written to: a result that several may look at."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def told_span(time: np.ndarray | float) -> str:
    """Samples and time span, for people."""
    if np.ndim(time) == 0:
        return f"at {float(time):g} s"
    count = np.size(time)
    span = f", {np.min(time):g} to {np.max(time):g} s" if count else ""
    return f"{count} sample{'s' if count != 1 else ''}{span}"


@dataclass(frozen=True, repr=False)
class Motion:
    """Arrays with time as the first axis (none, for a single instant), read when first asked for.

    `breaks` are the times (s) from which on the motion is relative to another frame.
    """

    time: np.ndarray | float
    _read: Callable[[str], np.ndarray]
    breaks: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"<Motion: {told_span(self.time)}>"

    def __reduce__(self):
        return given, (self.time, *(getattr(self, name) for name in _FIELDS), self.breaks)

    @cached_property
    def position(self) -> np.ndarray:
        """(time, 3), in the observing frame's axes and units of length."""
        return read_only(self._read("position"))

    @cached_property
    def orientation(self) -> np.ndarray:
        """(time, 4), unit quaternions, scalar first."""
        return read_only(self._read("orientation"))

    @cached_property
    def velocity(self) -> np.ndarray:
        """(time, 3), units of length a second."""
        return read_only(self._read("velocity"))

    @cached_property
    def angular_velocity(self) -> np.ndarray:
        """(time, 3), rad/s, in the observing frame's axes."""
        return read_only(self._read("angular_velocity"))

    @property
    def rotation(self) -> np.ndarray:
        """The orientation as numpy-quaternion values."""
        return as_quaternions(self.orientation)

    def part(self, samples) -> Motion:
        """Some of the samples."""
        return Motion(self.time[samples], lambda name: getattr(self, name)[samples])

    def at(self, time: float | np.ndarray) -> Motion:
        """The motion at other times (s) within the history, by Hermite interpolation of fourth order.

        Position and rotation vector are the cubics that agree with pose and rate at both neighbouring samples;
        velocities are their derivatives. Exact at samples. Between the samples before and after an impulse the jump is
        smoothed. Raises UsageError outside the history, and between two samples that are relative to different frames.
        """
        return interpolated(self, time)


def given(
    time: np.ndarray | float, position, orientation, velocity, angular_velocity, breaks: tuple[float, ...] = ()
) -> Motion:
    """A motion from its arrays."""
    arrays = {
        "position": position,
        "orientation": orientation,
        "velocity": velocity,
        "angular_velocity": angular_velocity,
    }
    return Motion(time, arrays.__getitem__, breaks)


def concatenated(time: np.ndarray, pieces: Sequence[Motion]) -> Motion:
    """Motions one after the other."""
    return Motion(time, lambda name: np.concatenate([getattr(piece, name) for piece in pieces]))


def interpolated(motion: Motion, time: float | np.ndarray) -> Motion:
    """See `Motion.at`."""
    samples, wanted = np.asarray(motion.time), numbers(time, "times")
    if samples.ndim == 0:
        raise UsageError("a single instant cannot be interpolated")
    if wanted.size and not (samples[0] <= wanted.min() and wanted.max() <= samples[-1]):
        raise UsageError(f"time {time} s is outside the history, which goes from {samples[0]:g} to {samples[-1]:g} s")
    if len(samples) == 1:
        one = np.zeros(wanted.shape, dtype=np.int64)
        return given(wanted, *(getattr(motion, f)[one] for f in _FIELDS))
    if np.any(straddling(motion, wanted)):
        raise UsageError(
            f"at time {time} s there is nothing to interpolate: the samples before and after are relative to different"
            " parents; ask for the motion in the world, or seen from one body"
        )
    i = np.clip(np.searchsorted(samples, wanted, side="right") - 1, 0, len(samples) - 2)
    h, x = samples[i + 1] - samples[i], (wanted - samples[i]) / (samples[i + 1] - samples[i])
    p, v, q, omega = (columns(getattr(motion, f)) for f in ("position", "velocity", "orientation", "angular_velocity"))
    ends = [tuple(c[j] for c in quantity) for quantity in (p, v, q, omega) for j in (i, i + 1)]
    p_0, p_1, v_0, v_1, q_0, q_1, omega_0, omega_1 = ends
    orientation, rate = hermite_rotation(q_0, q_1, omega_0, omega_1, h, x)
    found = given(
        wanted,
        rows(hermite(p_0, p_1, v_0, v_1, h, x)),
        rows(orientation),
        rows(hermite_rate(p_0, p_1, v_0, v_1, h, x)),
        rows(rate),
    )
    return _snapped(motion, found, i, x)


def straddling(motion: Motion, wanted: np.ndarray) -> np.ndarray:
    """Which times lie between two samples with a break between them."""
    samples = np.asarray(motion.time)
    found = np.zeros(np.shape(wanted), dtype=bool)
    for first_after in np.searchsorted(samples, motion.breaks):
        if 0 < first_after < len(samples):
            found |= (samples[first_after - 1] < wanted) & (wanted < samples[first_after])
    return found


_FIELDS = ("position", "orientation", "velocity", "angular_velocity")


def _snapped(motion: Motion, found: Motion, i: np.ndarray, x: np.ndarray) -> Motion:
    """The samples themselves where a wanted time is one of them."""
    nearest = i + (x == 1.0)
    on_sample = ((x == 0.0) | (x == 1.0))[..., np.newaxis]
    return given(found.time, *(np.where(on_sample, getattr(motion, f)[nearest], getattr(found, f)) for f in _FIELDS))


def hung_below(chain: Chain, local: Motion, scale: float) -> Chain:
    """A chain hung below one more node, given its local motion and own scale."""
    above = (columns(local.position), columns(local.orientation), scale)
    return chain.below(above, columns(local.velocity), columns(local.angular_velocity))


def seen_from(chain: Chain, other: Chain, time: np.ndarray | float) -> Motion:
    """The motion of one chain's end in the frame of another's."""
    shape = np.shape(time)
    return given(time, *(np.array(np.broadcast_to(rows(p), (*shape, len(p)))) for p in chain.seen_from(other)))
