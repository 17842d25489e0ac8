"""Planar pendulums of n rods, ours and our peers', in one run: `python tests/perf/joints_benchmark.py [--quick]`.

The rods (1 kg, 1 m) hang on hinges in space and start at rest in one horizontal line. All methods are Runge-Kutta of
fourth order with steps of 1 ms, so their errors at the end, against scipy's DOP853 of Lagrange's equations, are nearly
the same. They take turns; a figure is the least processor time of its turns, on one core, without samples, for each rod
and evaluation of the equations; seconds of compilation are from an empty cache. Ours is general code
and, where it can be made, straight code. Peers (extra `bench`) are left out where they are not installed. Error against
time is that of one world to the same end, at several steps and tolerances.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import tempfile
from collections.abc import Iterator
from functools import cache

import numpy as np

from rigidsim.engine.assembly.lanes import LANES
from rigidsim.errors import RigidsimError
from smooth_problems import GRAVITY, THIN, Problem, angles_of_rods, chain
from work_precision import GENERAL, Figure, Ours, Runner, measured, table, tolerance_of

STEP = 0.001
EVALUATIONS = 4
CHAINS = {2: 5.0, 5: 2.0, 10: 1.0, 30: 1.0}
"""The numbers of rods, and the seconds after which they are compared: the more rods, the sooner errors grow."""
STEPS, POWERS = (0.004, 0.002, 0.001, 0.0005), (4, 6, 8, 10, 12)
"""Of error against time: steps of `rkmk4` in seconds; tolerances, 10 to the negative powers."""
TARGETS = {2: 2.0, 5: 1.7, 10: 1.0, 30: 1.0}
"""How many times faster than the better peer one lane should be; sixteen lanes three times."""


def paths(n: int) -> Iterator[str]:
    """The paths of the rods, the upper one first."""
    path = ""
    for i in range(n):
        path = f"{path}/rod {i + 1}".lstrip("/")
        yield path


@cache
def exact_angles(n: int, duration: float) -> np.ndarray:
    """The angles of the rods from the vertical at the end."""
    return angles_of_rods(n, np.array([duration]))[:, -1]


def orientations(angles: np.ndarray) -> list[np.ndarray]:
    """The quaternions of rods at angles from the vertical."""
    return [np.array((math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0)) for angle in angles]


def problem_of(n: int, jointed: bool = True) -> Problem:
    """The chain as a problem; the worlds of a block differ in the angle of the first rod."""
    watched = tuple(("orientation", path, 0) for path in paths(n))
    title = f"{n} rods" if jointed else f"{n} rods without joints"
    return Problem(title, CHAINS[n], lambda by: chain(n, 90.0 * (1 + by), jointed), None, None, watched)


class Mujoco(Runner):
    """MuJoCo, its fourth-order Runge-Kutta, without contact."""

    def __init__(self, n: int):
        import mujoco

        super().__init__("MuJoCo RK4", f"{STEP:g} s", 1)
        self._step, self._reset, self._n = mujoco.mj_step, mujoco.mj_resetData, round(CHAINS[n] / STEP)
        inertial = f'<inertial pos="0 0 -0.5" mass="1" diaginertia="{1 / 12!r} {1 / 12!r} {THIN}"/>'
        rods = "".join(
            f'<body pos="0 0 {-1 if i else 0}"><joint axis="0 -1 0"/>{inertial}' for i in range(n)
        )  # fmt: skip
        option = (
            f'<option timestep="{STEP}" integrator="RK4" gravity="0 0 {-GRAVITY}"><flag contact="disable"/></option>'
        )
        self._model = mujoco.MjModel.from_xml_string(
            f"<mujoco>{option}<worldbody>{rods}{'</body>' * n}</worldbody></mujoco>"
        )
        self._data = mujoco.MjData(self._model)

    def begin(self) -> None:
        self._reset(self._model, self._data)
        self._data.qpos[0] = math.pi / 2

    def go(self) -> None:
        self._step(self._model, self._data, nstep=self._n)

    def found(self) -> list[np.ndarray]:
        return orientations(np.cumsum(self._data.qpos))


class Exudyn(Runner):
    """Exudyn, a kinematic tree, its fourth-order Runge-Kutta."""

    def __init__(self, n: int):
        import exudyn

        super().__init__("Exudyn tree RK44", f"{STEP:g} s", 1)
        self._n, self._duration = n, CHAINS[n]
        self._solver, self._settings = exudyn.DynamicSolverType.RK44, exudyn.SimulationSettings()
        self._settings.timeIntegration.verboseMode = 0
        self._settings.timeIntegration.endTime = self._duration
        self._settings.timeIntegration.numberOfSteps = round(self._duration / STEP)
        self._settings.solution.file.write = False

    def begin(self) -> None:
        import exudyn
        from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

        n = self._n
        self._container = exudyn.SystemContainer()
        self._system = self._container.AddSystem()
        start = [math.pi / 2, *[0.0] * (n - 1)]
        self._node = self._system.AddNode(
            NodeGenericODE2(
                referenceCoordinates=[0.0] * n, initialCoordinates=start, initialCoordinates_t=[0.0] * n,
                numberOfODE2Coordinates=n,
            )
        )  # fmt: skip
        inertia = np.diag((1 / 12, THIN, 1 / 12))
        arms = [[0.0, -1.0 if i else 0.0, 0.0] for i in range(n)]
        self._system.AddObject(
            ObjectKinematicTree(
                nodeNumber=self._node, jointTypes=[exudyn.JointType.RevoluteZ] * n, linkParents=np.arange(-1, n - 1),
                jointTransformations=exudyn.Matrix3DList([np.eye(3)] * n), jointOffsets=exudyn.Vector3DList(arms),
                linkInertiasCOM=exudyn.Matrix3DList([inertia] * n),
                linkCOMs=exudyn.Vector3DList([[0.0, -0.5, 0.0]] * n), linkMasses=[1.0] * n,
                gravity=[0.0, -GRAVITY, 0.0],
            )
        )  # fmt: skip
        self._system.Assemble()

    def go(self) -> None:
        self._system.SolveDynamic(self._settings, solverType=self._solver, updateInitialValues=True, showHints=False)

    def found(self) -> list[np.ndarray]:
        import exudyn

        kind = exudyn.OutputVariableType.Coordinates
        return orientations(np.cumsum(self._system.GetNodeOutput(self._node, kind)))


def runners_of(n: int, jointed: bool = True) -> Iterator[Runner]:
    """Ours, alone and in a block, as general and specialised code; and the peers that are installed."""
    problem, steps = problem_of(n, jointed), f"{round(CHAINS[n] / STEP)} steps"
    for lanes in (1, LANES):
        for is_straight in (False, True):
            ours = Ours(problem, {"name": "rkmk4"}, steps, lanes, is_straight)
            if is_straight == (GENERAL not in ours.name):
                yield ours  # straight code is not made for long chains
    if not jointed:
        return
    for kind in (Mujoco, Exudyn):
        try:
            yield kind(n)
        except ImportError as missing:
            print(f"{kind.__name__} is left out: {missing}")


def methods_of(n: int) -> Iterator[Runner]:
    """The methods for smooth motion at several steps and tolerances, one world."""
    problem = problem_of(n)
    for step in STEPS:
        yield Ours(problem, {"name": "rkmk4"}, f"{round(CHAINS[n] / step)} steps")
    for name in ("adaptive", "taylor"):
        for power in POWERS:
            try:
                yield Ours(problem, tolerance_of(name, power), f"1e-{power:02}")
            except RigidsimError as refused:
                print(f"{name} is left out: {refused}")
                break


def nanoseconds(figure: Figure, n: int) -> float:
    """Of an evaluation of the equations, for each rod."""
    return 1e9 * figure.seconds / (round(CHAINS[n] / STEP) * EVALUATIONS * n)


def show(sizes: list[int], turns: int) -> None:
    """Ours beside the peers."""
    found = {}
    for n in sizes:
        exact = orientations(exact_angles(n, CHAINS[n]))
        found[n] = measured(problem_of(n), [*runners_of(n)], exact, turns)
    row = table(
        "Pendulums of n rods, rkmk4", "rods", "method", "lanes", "error", "ns a rod and evaluation", "compile s"
    )
    for n, figures in found.items():
        for one in figures:
            row(n, one.name, one.lanes, f"{one.error:.1e}", f"{nanoseconds(one, n):.0f}", f"{one.compiling:.2f}")
    row = table("The better peer's time / ours", "rods", "1 lane", "aim", "a lane of 16", "aim")
    for n, figures in found.items():
        ours = {lanes: min(one.seconds for one in figures if one.name.startswith("rkmk4") and one.lanes == lanes)
                for lanes in (1, LANES)}  # fmt: skip
        theirs = [one.seconds for one in figures if one.name.split()[0] in ("MuJoCo", "Exudyn")]
        if theirs:
            row(n, f"{min(theirs) / ours[1]:.2f}", TARGETS[n], f"{min(theirs) / ours[LANES]:.2f}", 3.0)


def show_precision(sizes: list[int], turns: int) -> None:
    """Error against time of the methods for smooth motion."""
    row = table("Error against time, one world", "rods", "method", "setting", "error", "ms", "compile s")
    for n in sizes:
        exact = orientations(exact_angles(n, CHAINS[n]))
        for one in measured(problem_of(n), [*methods_of(n)], exact, turns):
            row(n, one.name, one.setting, f"{one.error:.1e}", f"{1e3 * one.seconds:.3g}", f"{one.compiling:.2f}")


def show_joints_alone(sizes: list[int], turns: int) -> None:
    """What joints cost: the time with them less that of the same bodies free, in the same code."""
    row = table("Joints alone, ns a rod and evaluation", "rods", "lanes", "code", "with", "without", "joints alone")
    for n in sizes:
        costs = {}
        for jointed in (True, False):
            ours = [one for one in runners_of(n, jointed) if isinstance(one, Ours)]
            for one in measured(problem_of(n), ours, orientations(np.zeros(n)), turns):
                costs[one.lanes, GENERAL in one.name, jointed] = nanoseconds(one, n)
        for lanes, is_general in dict.fromkeys(key[:2] for key in costs):
            with_joints, without = (costs.get((lanes, is_general, jointed), math.nan) for jointed in (True, False))
            code = "general" if is_general else "straight"
            row(n, lanes, code, f"{with_joints:.0f}", f"{without:.0f}", f"{with_joints - without:.0f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="Few turns and short chains.")
    parser.add_argument("--precision", action="store_true", help="Error against time only.")
    options = parser.parse_args()
    quick = options.quick
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    sizes, turns = ([2], 1) if quick else (list(CHAINS), 7)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RIGIDSIM_CACHE_DIR"] = folder
        if not options.precision:
            show(sizes, turns)
            show_joints_alone(sizes if quick else [2, 10], turns)
        show_precision(sizes, turns)


if __name__ == "__main__":
    main()
