"""Prescribed motions that the free bodies below them would suffer from: too fast for the step, or with jumps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from rigidsim.scene.document import Path
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.operations import FOLD, JETS
from rigidsim.scene.expressions.tree import Time, operations
from rigidsim.scene.findings import nodes

if TYPE_CHECKING:
    from rigidsim.scene.prescription import PrescribedMotion
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema import Body

MOST_INSTANTS = 50_000  # at which branches are looked at
MOST_CHANGES = 100  # of branches, among which a jump is looked for
LOOKS = 500  # at which rates are looked at
SAME = 1e-9  # a change this small, against the largest value, is no jump

# By what an operation chooses its branch. Whether two numbers are equal is left out: that lasts an instant.
BRANCHES: dict[str, Callable] = {
    "less": np.less,
    "less_equal": np.less_equal,
    "min": np.less,
    "max": np.less,
    "abs": lambda x: np.less(x, 0.0),
    "sign": lambda x: np.less(x, 0.0),
    "floor": np.floor,
    "mod": lambda x, y: np.floor(np.divide(x, y)),
}


def jump_notes(scene: Scene) -> Iterator[tuple[Path, str]]:
    """The first jump of each prescribed motion that has free bodies below it, found among MOST_INSTANTS."""
    duration, step = scene.simulation.duration, scene.simulation.step
    times = np.linspace(0.0, duration, min(round(duration / step), MOST_INSTANTS) + 1)
    for node in nodes(scene):
        if node.body.prescribed is None or not has_free(node.body):
            continue
        for place, part, orders in expressed(node.body.prescribed):
            found = first_jump(part, times, orders)
            if found is not None:
                message = f"{found}; the free bodies below it are thrown there: let it be smooth"
                yield (*node.path, "motion", "prescribed", *place), message


def expressed(motion: PrescribedMotion) -> Iterator[tuple[Path, Expression, int]]:
    """Each expression of a motion, where it is written, and how many of value and derivatives must not jump."""
    poses: list[tuple[Path, Any, int]] = [(("position", k), part, 2) for k, part in enumerate(motion.position or ())]
    if motion.orientation is not None:
        poses += [(("orientation",), angle, 2) for _, angle in motion.orientation.turns]
    rates = [
        ((key, k), part, 1)
        for key in ("velocity", "angular_velocity")
        for k, part in enumerate(getattr(motion, key).value)
    ]
    yield from (found for found in (*poses, *rates) if isinstance(found[1], Expression))


def first_jump(part: Expression, times: np.ndarray, orders: int) -> str | None:
    """Where value or rate jumps between two of these times (s), in words."""
    if not BRANCHES.keys() & set(operations(part.tree)):
        return None
    branches = branches_of(part, times)
    changes = np.flatnonzero((branches[:, 1:] != branches[:, :-1]).any(axis=0))
    largest = [_largest(column) for column in _columns(part, times[:: 1 + len(times) // LOOKS])]
    for k in changes[:MOST_CHANGES]:
        before, after = _switch(part, times[k], times[k + 1])
        # One double further, where no side of a branch is at its edge.
        jets = [part.evaluate({Time(): (t, 1.0, 0.0)}, JETS) for t in (before, np.nextafter(after, np.inf))]
        for name, u, v, size in list(zip(("it jumps", "its rate jumps"), *jets, largest, strict=False))[:orders]:
            if abs(v - u) > SAME * size:
                u, v = (0.0 if abs(w) < SAME * size else w for w in (u, v))
                return f"{name} at t = {after:.9g} s, from {u:.6g} to {v:.6g}"
    return None


def branches_of(part: Expression, times: np.ndarray) -> np.ndarray:
    """(choice, time) which branch each of its operations takes."""
    taken = []

    def noting(name: str) -> Callable:
        def apply(*arguments):
            taken.append(np.broadcast_to(BRANCHES[name](*arguments), np.shape(times)).astype(float))
            return FOLD[name](*arguments)

        return apply

    with np.errstate(all="ignore"):
        part.evaluate({Time(): times}, FOLD | {name: noting(name) for name in BRANCHES})
    return np.array(taken)


def _switch(part: Expression, before: float, after: float) -> tuple[float, float]:
    """Neighbouring doubles between which the branches change, the first time after `before` if they do so once."""
    start = branches_of(part, np.array([before]))
    while before < (middle := (before + after) / 2) < after:
        if (branches_of(part, np.array([middle])) == start).all():
            before = middle
        else:
            after = middle
    return before, after


def fastest(motion: PrescribedMotion, duration: float) -> tuple[float, float]:
    """The largest rate of turning (rad/s), and of the oscillations of a moving origin, |x''|/|x'| (1/s)."""
    t = np.linspace(0.0, duration, LOOKS)
    turning = reduce(np.hypot, _turning(motion, t))
    jets = [_columns(part, t) for part in motion.position or () if isinstance(part, Expression)]
    swaying = [_largest(swing) / _largest(speed) for _, speed, swing in jets if _largest(speed) > 0.0]
    return _largest(turning), max(swaying, default=0.0)


def _turning(motion: PrescribedMotion, t: np.ndarray) -> Iterator[np.ndarray]:
    """Rates that add up, at most, to that of turning, each over these times."""
    if motion.orientation is not None:
        angles = [_columns(a, t)[1] if isinstance(a, Expression) else 0.0 for _, a in motion.orientation.turns]
        yield sum(np.abs(np.broadcast_to(rate, t.shape)) for rate in angles)
        return
    rates = zip(motion.angular_velocity.value, motion.angular_acceleration.value, strict=True)
    for rate, change in rates:
        now = _columns(rate, t)[0] if isinstance(rate, Expression) else rate + change * t
        yield np.broadcast_to(now, t.shape)


def _largest(column: np.ndarray | float) -> float:
    """Of the finite numbers, the largest, without sign."""
    sizes = np.abs(column)
    return float(np.max(sizes, where=np.isfinite(sizes), initial=0.0))


def _columns(part: Expression, t: np.ndarray) -> tuple:
    with np.errstate(all="ignore"):
        return part.evaluate({Time(): (t, 1.0, 0.0)}, JETS)


def has_free(body: Body) -> bool:
    """Whether a free body hangs below one."""
    return any(child.kind == "free" or has_free(child) for child in body.children.values())
