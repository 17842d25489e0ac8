"""Motion over time: position, orientation, velocity and angular velocity of one frame relative to another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from rigidsim.arguments import numbers
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.physics.interpolation import hermite, hermite_rate, hermite_rotation
from rigidsim.quantities.vocabulary import MOTION as QUANTITIES
from rigidsim.transform import as_quaternions
from rigidsim.tree.motion import RelativeMotion
from rigidsim.tree.nodes import NO_TURN, ZERO

NEEDED = {
    "position": ("position", "orientation"),
    "orientation": ("orientation",),
    "velocity": QUANTITIES,
    "angular_velocity": ("orientation", "angular_velocity"),
}
"""The quantities of all links of a chain from which one of the whole chain follows."""
RATE_OF = {"position": "velocity", "orientation": "angular_velocity"}
POSE_OF = {rate: pose for pose, rate in RATE_OF.items()}


def columns(array: np.ndarray) -> tuple[np.ndarray, ...]:
    """(..., n) as the tuple of n columns that formulas take."""
    return tuple(np.moveaxis(np.asarray(array), -1, 0))


def rows(parts: tuple[Any, ...]) -> np.ndarray:
    """The inverse of `columns`."""
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view of an array, as results are shared."""
    view = array.view()
    view.setflags(write=False)
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

    `breaks` are the times (s) from which the motion is relative to another frame. An array that was not recorded and
    cannot be derived raises NotRecordedError.
    """

    time: Any  # (time), or one number, s
    _read: Callable[[str], np.ndarray]
    breaks: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"<Motion: {time_span(self.time)}>"

    def __reduce__(self):
        kept = self.kept()
        return Motion, (kept.time, kept._read, kept.breaks)

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
        """Some of the samples.

        Parameters
        ----------
        samples : slice or array
            A slice, or numbers of samples.

        Returns
        -------
        Motion
            The motion at these samples.
        """
        return Motion(self.time[samples], lambda name: getattr(self, name)[samples])

    def kept(self) -> Motion:
        """The motion with all its arrays in memory."""
        return evaluated(self.time, lambda name: getattr(self, name), self.breaks)

    def at(self, time: float | np.ndarray) -> Motion:
        """The motion at other times (s) within the trajectory, by Hermite interpolation of fourth order.

        Position and rotation vector are cubics that match pose and rate at both neighbouring samples; velocities are
        their derivatives. Exact at samples; the jump at an impulse is smoothed over the interval that contains it.
        Raises UsageError outside the trajectory, and between two samples that are relative to different frames.

        Parameters
        ----------
        time : float | np.ndarray
            Times within the trajectory, s.

        Returns
        -------
        Motion
            The motion at these times.
        """
        samples, wanted = np.asarray(self.time), numbers(time, "times")
        if samples.ndim == 0:
            raise UsageError("a state at a single time cannot be interpolated")
        outside = wanted[~((samples[0] <= wanted) & (wanted <= samples[-1]))]
        if outside.size:
            span, more = f"{samples[0]:g} to {samples[-1]:g} s", outside.size - 1
            also = f" (and {more} more)" if more else ""
            raise UsageError(f"time {outside.flat[0]} s{also} is outside the trajectory, which covers {span}")
        if len(samples) == 1:
            one = np.zeros(wanted.shape, dtype=np.int64)
            return evaluated(wanted, lambda name: getattr(self, name)[one])
        if np.any(straddling(self.time, self.breaks, wanted)):
            message = f"the motion relative to the parent cannot be interpolated at time {time} s"
            reason = (
                "the samples before and after are relative to different parents; use `world` or `seen_from` instead"
            )
            raise UsageError(f"{message}: {reason}")
        i = np.clip(np.searchsorted(samples, wanted, side="right") - 1, 0, len(samples) - 2)
        h, x = samples[i + 1] - samples[i], (wanted - samples[i]) / (samples[i + 1] - samples[i])
        nearest, on_sample = i + (x == 1.0), (x == 0.0) | (x == 1.0)

        @cache
        def between(pose: str) -> tuple[np.ndarray, np.ndarray]:
            """A pose and its rate, from both at the neighbouring samples."""
            ends = [
                tuple(c[j] for c in columns(getattr(self, name))) for name in (pose, RATE_OF[pose]) for j in (i, i + 1)
            ]
            if pose == "orientation":
                turned, rate = map(rows, hermite_rotation(*ends, h, x))
                return turned, rate
            return rows(hermite(*ends, h, x)), rows(hermite_rate(*ends, h, x))

        def read(name: str) -> np.ndarray:
            at_sample = getattr(self, name)[nearest]
            if np.all(on_sample):
                return at_sample
            pose, is_rate = (name, 0) if name in RATE_OF else (POSE_OF[name], 1)
            try:
                return np.where(on_sample[..., np.newaxis], at_sample, between(pose)[is_rate])
            except NotRecordedError as error:
                message = f"{name} between samples is interpolated with {pose} and rate: {error}"
                raise NotRecordedError(message) from None

        return evaluated(wanted, read)


@dataclass(frozen=True)
class _Arrays:
    """Arrays in memory by quantity, and the reasons why others are missing."""

    found: dict[str, np.ndarray]
    refusals: dict[str, str]

    def __call__(self, name: str) -> np.ndarray:
        if name in self.refusals:
            raise NotRecordedError(self.refusals[name])
        return self.found[name]


def evaluated(time: np.ndarray | float, read: Callable[[str], np.ndarray], breaks: tuple[float, ...] = ()) -> Motion:
    """A motion whose arrays are read now; one that was not recorded is refused later, when it is asked for."""
    found, refusals = {}, {}
    for name in QUANTITIES:
        try:
            found[name] = read(name)
        except NotRecordedError as error:
            refusals[name] = str(error)
    return Motion(time, _Arrays(found, refusals), breaks)


def concatenated(time: np.ndarray, pieces: Sequence[Motion]) -> Motion:
    """Motions of successive time intervals as one."""
    return Motion(time, lambda name: np.concatenate([getattr(piece, name) for piece in pieces]))


def straddling(samples: np.ndarray, breaks: Sequence[float], wanted: np.ndarray) -> np.ndarray:
    """Which times lie between two samples (s) that are separated by a break."""
    found = np.zeros(np.shape(wanted), dtype=bool)
    for first_after in np.searchsorted(samples, breaks):
        if 0 < first_after < len(samples):
            found |= (samples[first_after - 1] < wanted) & (wanted < samples[first_after])
    return found


def below(chain: RelativeMotion, local: Motion, scale: float, names: Collection[str] = QUANTITIES) -> RelativeMotion:
    """A chain extended at its root by a node with this local motion and scale; of which only these quantities count,
    the others are not read.
    """
    none = zip(QUANTITIES, (ZERO, NO_TURN, ZERO, ZERO), strict=True)
    p, q, v, omega = (columns(getattr(local, name)) if name in names else value for name, value in none)
    return chain.below((p, q, scale), v, omega)


def seen_from(
    chains: Callable[[Collection[str]], tuple[RelativeMotion, RelativeMotion]],
    time: np.ndarray | float,
    is_whole: bool = True,
) -> Motion:
    """The motion of the end of one chain relative to the end of another. `chains` makes both from some quantities of
    their links; from all of them, and now, if `is_whole`, else each quantity from those that it needs.
    """

    @cache
    def relative(names: Collection[str]) -> dict[str, np.ndarray]:
        chain, other = chains(names)
        parts = zip(QUANTITIES, chain.seen_from(other), strict=True)
        return {name: np.array(np.broadcast_to(rows(p), (*np.shape(time), len(p)))) for name, p in parts}

    if is_whole:
        return Motion(time, relative(QUANTITIES).__getitem__)
    return Motion(time, lambda name: relative(NEEDED[name])[name])
