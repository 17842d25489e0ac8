"""Running a scene in several ways, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rigidsim.analysis.growth import growth_of
from rigidsim.blueprints import build_world
from rigidsim.certify.expressed import Observer, jointed_below, movable, of_other_sign, seen_by, turned, with_stride
from rigidsim.certify.paths import Paths, paths_of
from rigidsim.certify.reordered import reordered
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import Blueprint, Renumbering, World
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.loads.callbacks import Callback
from rigidsim.errors import SceneError, UsageError
from rigidsim.physics.quaternion import exp_full
from rigidsim.scene import Scene
from rigidsim.scene.schema.integrators import MODELS
from rigidsim.scene.schema.simulation import SimulationSettings
from rigidsim.selftest.checking import order_of

SAMPLES = 200
"""At which paths are compared, at least, if the run has as many steps."""
ROUNDING = 1e-12
"""Relative to the largest coordinate: less is rounding, in runs of up to some million steps."""
NEGLIGIBLE = 1e-9
"""Relative, as above: a step that is so near its half is short enough, whatever the order at which rounding grows."""
TIMES_MORE = 10.0
"""By how much paths of two ways may be farther apart than those of a step and of its half."""
LESS_ORDER = 1.0
"""By how much an observed order may be below that of the method."""
PARTED = 1e-2
"""Paths that are so far apart, relative to the longest way that a body goes or to how far bodies are apart, or in rad,
have nothing to do with each other any more."""
AT_ONCE = 2
"""Paths that part before so many samples had no time for small differences to grow."""
FEWEST = 3
"""Ways that must agree."""
MOST_NAMED = 3
TURN = exp_full((0.35, -0.5, 0.8))
OF_CALLBACK = "a callback gives a force in wrong axes, or one that is fixed in the world"
ANOTHER_METHOD = "another integrator"
TOLERANCES = {"adaptive": (1e-9, 1e-11), "taylor": (1e-10, 1e-12)}
"""The integrators that are taken in place of a scene's own, the first that is another one: their tolerances for the
scene as it is written and for half its step.
"""
AGREES, DIFFERS, PARTS, SKIPPED = "agrees", "differs", "parts", "skipped"


@dataclass(frozen=True)
class BodyAgreement:
    """How far a body is apart in two ways at most, in the world: m, rad."""

    body: str
    distance: float
    angle: float


@dataclass(frozen=True)
class Restatement:
    """One way to express a scene, compared with the scene as it is written, with its step. `order` is the order at
    which the difference falls with half the step, None if it is rounding; `parted` the time (s) from which the paths
    have nothing to do with each other, None if there is none. `remark` says what was left out, or why it was skipped.
    """

    name: str
    verdict: str
    bodies: tuple[BodyAgreement, ...] = ()
    order: float | None = None
    parted: float | None = None
    remark: str = ""

    @property
    def distance(self) -> float:
        """The largest of all bodies, m."""
        return max((one.distance for one in self.bodies), default=0.0)

    @property
    def angle(self) -> float:
        """The largest of all bodies, rad."""
        return max((one.angle for one in self.bodies), default=0.0)


def _made_by(way: Expressed, scene: Scene, world: World) -> World:
    """The world that a way makes of another world of a scene that it can express."""
    made, remark = way.make(scene, world)
    assert made is not None, remark
    return made


class Expressed(NamedTuple):
    """One way: how to make its world of a scene, and its paths comparable. `make` returns the world and a remark; of a
    scene that cannot be expressed so, None and the reason.
    """

    name: str
    make: Callable[[Scene, World], tuple[World | None, str]]
    back: Callable[[Paths], Paths] = lambda paths: paths


def certify(scene: Scene, callbacks: Mapping[str, Callback] | None = None) -> Certificate:
    """Run a scene with its step, a half and a quarter of it, and in each way with its step and the half; `callbacks` as
    for `simulate`. Raises UsageError for a scene in which forces move no body.
    """
    return Certificate(scene, callbacks)


class Certificate:
    """What `certify` found: the runs of one scene, and what they are compared by. `half` compares the step with its
    half; all else is measured against that. `growth` is that of their difference, and `touched` is the time of the
    first touch, s; None without contact.
    """

    def __init__(self, scene: Scene, callbacks: Mapping[str, Callback] | None = None):
        if not any(body.kind in ("free", "jointed") for _, body, _ in scene.walk()):
            raise UsageError("there is no free or jointed body whose motion could differ")
        self._callbacks = callbacks
        settings = scene.simulation
        self._scenes = [scene, *(scene.with_overrides(_finer(settings, part)) for part in (2, 4))]
        self._worlds = [build_world(each) for each in self._scenes]
        blueprint = self._worlds[0].blueprint
        self._stride = max(1, blueprint.n_step // SAMPLES)
        self._worlds = [with_stride(w, part * self._stride) for w, part in zip(self._worlds, (1, 2, 4), strict=True)]
        runs = [paths_of(world, callbacks) for world in self._worlds]
        self._runs, self.touched = [paths for paths, _ in runs], runs[0][1]
        count = len(self._runs[0].position)
        self._time = np.minimum(np.arange(count) * self._stride, blueprint.n_step) * blueprint.schedule.step
        self.expected_order = 1.0 if blueprint.contacts is not None else order_of(settings.integrator.order) or 1.0
        self._measure()
        self.title, self.step, self.pace = scene.title or scene.name, blueprint.schedule.step, settings.pace
        self.refined_by = settings.integrator.refined_by
        self.duration = blueprint.n_step * self.step
        self.half, self.ways = self._half(), tuple(map(self._compared, self._ways()))

    @property
    def agreeing(self) -> list[Restatement]:
        """The ways that agree."""
        return [way for way in self.ways if way.verdict == AGREES]

    @property
    def is_certified(self) -> bool:
        """Whether the step is short enough for the whole run, at least three ways agree, and none differs or parts."""
        parts = any(way.parted is not None for way in self.ways)
        return self.half.verdict == AGREES and not self.is_refuted and not parts and len(self.agreeing) >= FEWEST

    @property
    def is_refuted(self) -> bool:
        """Whether anything differs that should not; else paths that part may have proved nothing."""
        return any(way.verdict == DIFFERS for way in (self.half, *self.ways))

    def _measure(self) -> None:
        """Lengths, rounding, and the difference between the step and its half."""
        position = self._runs[0].position
        with np.errstate(all="ignore"):
            way, reach = (np.linalg.norm(each, axis=-1) for each in (position - position[0], position))
            spread = np.linalg.norm(position[0] - np.mean(position[0], axis=0), axis=-1)
        each = (way, reach, spread)
        longest, farthest, widest = (float(np.max(one, initial=0.0, where=np.isfinite(one))) for one in each)
        self.length = max(longest, widest) or farthest or 1.0
        self._rounding = ROUNDING * max(1.0, farthest / self.length)
        self._halved = self._relative(self._runs[0], self._runs[1])
        apart = np.maximum(self._runs[0].distances(self._runs[1]), self._runs[0].angles(self._runs[1]))
        together = self._together(self._halved)  # afterwards nothing grows
        self.growth = growth_of(self._time[together], np.max(apart, axis=1, initial=0.0)[together])

    def _relative(self, first: Paths, second: Paths) -> np.ndarray:
        """(sample) how far apart: the largest distance over the length of the scene, or angle, of all bodies."""
        apart = np.maximum(first.distances(second) / self.length, first.angles(second))
        return np.max(apart, axis=1, initial=0.0)

    def _parted(self, apart: np.ndarray) -> float | None:
        far = np.flatnonzero(apart > PARTED)
        return float(self._time[far[0]]) if len(far) else None

    def _together(self, apart: np.ndarray) -> slice:
        """The samples before paths part."""
        far = np.flatnonzero(apart > PARTED)
        return slice(far[0]) if len(far) else slice(None)

    def _order(self, coarse: np.ndarray, fine: np.ndarray) -> float | None:
        """The order at which a difference falls, while paths are together; None if it is rounding."""
        window = self._together(coarse)
        first, second = (float(np.max(each[window], initial=0.0)) for each in (coarse, fine))
        if first <= self._rounding or second <= self._rounding / 10:
            return None
        return math.log2(first / second) if math.isfinite(second) else -math.inf

    def _half(self) -> Restatement:
        """The step compared with its half, and that with a quarter."""
        name = "half the step" if self.refined_by == "step" else f"a smaller {self.refined_by}"
        bodies = self._bodies(self._runs[0], self._runs[1])
        parted = self._parted(self._halved)
        if (failed := self._runs[0].fails_at) is not None:
            return Restatement(name, DIFFERS, bodies, None, parted, f"not finite from t = {self._time[failed]:g} s on")
        order = self._order(self._halved, self._relative(self._runs[1], self._runs[2]))
        has_touched = self.touched is not None and (parted is None or parted >= self.touched)
        is_negligible = float(np.max(self._halved)) <= NEGLIGIBLE
        falls = is_negligible or order is None or order >= self.expected_order - LESS_ORDER
        if falls and (parted is None or parted > self._time[min(AT_ONCE, len(self._time) - 1)]):
            verdict = AGREES if parted is None else PARTS
        else:
            verdict = PARTS if has_touched else DIFFERS
        return Restatement(name, verdict, bodies, order, parted)

    def _bodies(self, first: Paths, second: Paths) -> tuple[BodyAgreement, ...]:
        distances, angles = (np.max(apart, axis=0) for apart in (first.distances(second), first.angles(second)))
        rows = zip(first.names, distances.tolist(), angles.tolist(), strict=True)
        return tuple(BodyAgreement(*row) for row in rows)

    def _compared(self, way: Expressed) -> Restatement:
        """The way with the step and the half of it, each compared with the scene as it is written."""
        apart: list[np.ndarray] = []
        bodies: tuple[BodyAgreement, ...] = ()
        remark = ""
        for scene, world, run, part in zip(self._scenes[:2], self._worlds, self._runs, (1, 2), strict=False):
            made, remark = way.make(scene, world)
            if made is None:
                return Restatement(way.name, SKIPPED, remark=remark)
            made = _following(made, world, partial(_made_by, way, scene))
            paths = way.back(paths_of(with_stride(made, part * self._stride), self._callbacks)[0]).of(run.names)
            if way.name == ANOTHER_METHOD and paths.fails_at is not None:
                return Restatement(way.name, SKIPPED, remark=f"{remark} finds no step")
            apart.append(self._relative(run, paths))
            if not bodies or way.name == ANOTHER_METHOD:  # of that, to the smaller tolerance
                bodies = self._bodies(run, paths)
        order, parted = self._order(*apart), self._parted(apart[0])
        coarse, fine = apart
        verdict = self._verdict(coarse, fine, order)
        if verdict == DIFFERS and self._callbacks:
            remark = "; ".join(filter(None, (remark, OF_CALLBACK)))
        return Restatement(way.name, verdict, bodies, order, parted, remark)

    def _verdict(self, apart: np.ndarray, finer: np.ndarray, order: float | None) -> str:
        """A way agrees if it is not much farther from the scene as it is written than half the step, or comes nearer
        with the step, as the method does or down to rounding. Paths that part after a touch, or when those of half the
        step do, prove nothing.
        """
        window = self._together(self._halved)
        farthest, allowed = (float(np.max(each[window], initial=0.0)) for each in (apart, self._halved))
        if farthest <= max(TIMES_MORE * allowed, self._rounding):
            return AGREES if self._parted(apart) is None else PARTS
        is_rounding = float(np.max(finer[window], initial=0.0)) <= self._rounding
        if is_rounding or (order is not None and order >= self.expected_order - LESS_ORDER):
            return AGREES if self._parted(apart) is None else PARTS
        parted = self._time[np.argmax(apart > max(TIMES_MORE * allowed, self._rounding))]
        return PARTS if self.touched is not None and parted >= self.touched else DIFFERS

    def _by_another_method(self, scene: Scene, _: World) -> tuple[World | None, str]:
        """The scene with an integrator of another kind, to a tolerance that goes with the step."""
        if self.touched is not None:
            return None, "bodies touch, which is solved in steps of a given length"
        name = next(name for name in TOLERANCES if name != scene.simulation.integrator.name)
        if self._callbacks and not MODELS[name].takes_callbacks:
            return None, f"{name} takes no functions of Python"
        method = {"name": name, MODELS[name].refined_by: TOLERANCES[name][scene is not self._scenes[0]]}
        try:
            return build_world(scene.with_overrides([("simulation.integrator", method)])), name
        except SceneError as error:
            return None, f"{name} cannot step it: {error.problems[0].message}"

    def _ways(self) -> Iterator[Expressed]:
        """All ways, with frames whose motion is of the size of the scene's."""
        start = self._runs[0].position[0]
        middle, length, time = np.mean(start, axis=0), self.length, float(self._time[-1])
        remark = _left_out(self._worlds[0])

        def below(observer: Observer) -> Callable[[Scene, World], tuple[World | None, str]]:
            placed = observer._replace(position=tuple((middle + 0.1 * length).tolist()))
            return lambda scene, world: (
                (seen_by(scene, world, placed), remark) if movable(world) else (None, "no body can have another parent")
            )

        speed, axis = tuple(length / time * part for part in (0.6, -0.5, 0.3)), (0.6, 0.0, 0.8)
        push = tuple(2.0 * part / time for part in speed)
        yield Expressed("turned world", lambda _, world: (turned(world, TURN), ""), lambda p: p.turned_back(TURN))
        yield Expressed("turned and shifted frame", below(Observer(orientation=TURN)))
        yield Expressed("frame at constant velocity", below(Observer(velocity=speed)))
        yield Expressed("spinning frame", below(Observer(axis=axis, rate=2 * math.pi / time)))
        yield Expressed("accelerated frame", below(Observer(acceleration=push, axis=axis, rate_dot=2 / time**2)))
        yield Expressed("another parent", _another_parent)
        yield Expressed("quaternions of the other sign", lambda _, world: (of_other_sign(world), ""))
        yield Expressed("bodies in another order", _in_another_order)
        yield Expressed(ANOTHER_METHOD, self._by_another_method)


@dataclass(frozen=True)
class _Expressed:
    """The blueprints of a scene with other numbers, each expressed in one way."""

    written: Renumbering
    world: World
    make: Callable[[World], World]

    def blueprint(self, numbers: tuple[int, ...]) -> Blueprint:
        """See `Renumbering`."""
        made = self.written.blueprint(numbers)
        return self.make(World(made, made.tree, model_of(made, made.tree), self.world.state)).blueprint

    def changed(self, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
        """See `Renumbering`."""
        return self.written.changed(before, after)


def _following(made: World, world: World, make: Callable[[World], World]) -> World:
    """A world that was made of another one; the numbers that change during the run change in the same way."""
    triggers = made.blueprint.triggers
    written = triggers.renumbering if triggers else None
    if triggers is None or written is None or written is not not_none(world.blueprint.triggers).renumbering:
        return made
    triggers = triggers._replace(renumbering=_Expressed(written, world, make))
    return made._replace(blueprint=made.blueprint._replace(triggers=triggers))


def _left_out(world: World) -> str:
    """The bodies that cannot hang elsewhere: some free ones, and all on joints, which hang where they are."""
    can = {node.index for node in movable(world)}
    paths = [node.path for node in world.tree.moved_nodes() if node.index not in can]
    others = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
    return f"{', '.join(paths[:MOST_NAMED])}{others} stayed" if paths else ""


def _another_parent(scene: Scene, world: World) -> tuple[World | None, str]:
    """All bodies below the first one that another can hang on."""
    for host in world.tree.nodes:
        if (made := jointed_below(scene, world, host)) is not None:
            return made, f"below {host.path}"
    return None, "there is no other body"


def _in_another_order(scene: Scene, world: World) -> tuple[World | None, str]:
    """The scene with the last body first, among siblings, and the last force first."""
    if len(world.tree.nodes) == 1:
        return None, "there is one body"
    if scene.changing is not None:
        return None, "numbers that change are named by their places"
    try:
        return build_world(reordered(scene)), ""
    except SceneError as error:
        return None, f"it cannot be written so: {error.problems[0].message}"


def _finer(settings: SimulationSettings, part: int) -> list[tuple[str, Any]]:
    """The changes that make all steps so many times shorter."""
    return [
        ("simulation.step", settings.step / part),
        ("simulation.integrator", settings.integrator.finer(part)),
    ]
