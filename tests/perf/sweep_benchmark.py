"""Sweeps beside other engines: `python tests/perf/sweep_benchmark.py [--quick]`.

Variants of a torque-free top with different initial rates, a thousand steps each. First with every step of each run
recorded, the same thirteen numbers (position, orientation, velocity, angular velocity) in an uncompressed HDF5 file;
then with one metric of each run only. The time is from the plan to the complete file; imports, reading of the scene's
text by the other engines and compiling are excluded. Then world-steps per second against worlds in a block, and
against the arithmetic that the processor can do. Peers (extra `bench`; `newton` and `warp-lang` by hand) are left out
where they are not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import llvmlite
import numpy as np

import rigidsim
from benchmark import STEP, block, head, row, seconds_a_step, section, worlds_of
from peers import INERTIA, MASS
from rigidsim.engine.assembly.lanes import LANES
from rigidsim.jit import formula
from rigidsim.jit.kernels import kernel

REPEATS = 5
CLOCK = time.perf_counter if len(os.sched_getaffinity(0)) > 1 else time.process_time
"""On one core, which others may use, too, processor time."""
SCENE = f"""\
format: rigidsim/1
parameters: {{rate_x: 0, rate_y: 0, rate_z: 0}}
simulation: {{duration: DURATION, step: {STEP}, record: [world]}}
world: {{gravity: [0, 0, 0]}}
bodies:
  top:
    mass: {MASS}
    inertia: {{principal: {list(INERTIA)}}}
    angular_velocity: {{frame: body, value: ["= rate_x", "= rate_y", "= rate_z"]}}
"""
METRICS = {"top_rate": "= max(omega_x('top'))"}


def rates(n_run: int) -> np.ndarray:
    """The same initial body rates for every engine, (run, 3)."""
    return np.random.default_rng(0).normal(size=(n_run, 3))


def ours(n_run: int, n_step: int, n_thread: int, record: str, file: Path) -> float:
    """Seconds from the plan to the complete file."""
    scene = rigidsim.Scene.from_text(SCENE.replace("DURATION", str(n_step * STEP)))
    vary = dict(zip(("rate_x", "rate_y", "rate_z"), rates(n_run).T, strict=True))
    metrics = METRICS if record == "metrics" else None
    file.unlink(missing_ok=True)
    begin = CLOCK()
    found = rigidsim.sweep(scene, vary=vary, zip=True, record=record, metrics=metrics, threads=n_thread, path=file)
    taken = CLOCK() - begin
    assert not found.failed.any()
    found.close()
    return taken


def mujoco(n_run: int, n_step: int, n_thread: int, integrator: str, file: Path) -> float:
    """Its own call for many runs, `mujoco.rollout`."""
    import mujoco
    from mujoco import rollout

    moments = " ".join(map(str, INERTIA))
    option = f'<option timestep="{STEP}" integrator="{integrator}" gravity="0 0 0"><flag contact="disable"/></option>'
    body = f'<body><freejoint/><inertial pos="0 0 0" mass="{MASS}" diaginertia="{moments}"/></body>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{body}</worldbody></mujoco>")
    file.unlink(missing_ok=True)
    begin = CLOCK()
    first = np.zeros((n_run, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    first[:, 4], first[:, 11:14] = 1.0, rates(n_run)
    data = [mujoco.MjData(model) for _ in range(n_thread)]
    with rollout.Rollout(nthread=n_thread if n_thread > 1 else 0) as pool:
        states, _ = pool.rollout(model, data, first, nstep=n_step)
    write(file, [states[..., 1:4], states[..., 4:8], states[..., 8:11], states[..., 11:14]])
    return CLOCK() - begin


class Newton:
    """Newton's SemiImplicit solver: all runs as bodies of one model, single precision, first order."""

    def __init__(self, n_run: int):
        import newton
        import warp

        warp.config.quiet = True
        warp.init()
        one, all_runs = (newton.ModelBuilder(gravity=warp.vec3(0.0, 0.0, 0.0)) for _ in range(2))
        inertia = warp.mat33(*np.diag(INERTIA).ravel().tolist())
        one.add_body(mass=MASS, inertia=inertia, lock_inertia=True)
        all_runs.replicate(one, n_run)
        self.model = all_runs.finalize(device="cpu")
        self.solver = newton.solvers.SolverSemiImplicit(self.model, angular_damping=0.0)
        self.states = [self.model.state(), self.model.state()]
        self.control = self.model.control()
        velocity = np.concatenate([np.zeros((n_run, 3)), rates(n_run)], axis=1).astype(np.float32)
        for state in self.states:
            state.body_qd.assign(velocity)
            if state.joint_qd is not None:
                state.joint_qd.assign(velocity.ravel())
        newton.eval_fk(self.model, self.states[0].joint_q, self.states[0].joint_qd, self.states[0])

    def step(self) -> None:
        """One step of all runs."""
        now, after = self.states
        now.clear_forces()
        self.solver.step(now, after, self.control, None, STEP)
        self.states = [after, now]


def newton(n_run: int, n_step: int, file: Path) -> float:
    """Stepped one by one from Python, which reads each state."""
    simulation = Newton(n_run)
    simulation.step()
    pose, velocity = np.empty((n_step, n_run, 7), np.float32), np.empty((n_step, n_run, 6), np.float32)
    file.unlink(missing_ok=True)
    begin = CLOCK()
    for i in range(n_step):
        simulation.step()
        pose[i], velocity[i] = simulation.states[0].body_q.numpy(), simulation.states[0].body_qd.numpy()
    write(file, [pose[..., :3], pose[..., 3:], velocity[..., :3], velocity[..., 3:]])
    return CLOCK() - begin


def write(file: Path, arrays: list[np.ndarray]) -> None:
    """Position, orientation, velocity and angular velocity, uncompressed."""
    with h5py.File(file, "w") as opened:
        for name, array in zip(("position", "orientation", "velocity", "angular_velocity"), arrays, strict=True):
            opened.create_dataset(name, data=array)


def installed(*names: str) -> bool:
    """Whether all of these packages can be imported."""
    return all(importlib.util.find_spec(name) for name in names)


def contenders(n_run: int, n_step: int, folder: Path) -> dict[str, Callable[[], float]]:
    """What is measured, by name."""
    found: dict[str, Callable[[], float]] = {}

    def add(name: str, measure: Callable[..., float], *arguments) -> None:
        file = folder / f"{len(found)}.h5"
        found[name] = lambda: measure(n_run, n_step, *arguments, file)

    for n_thread in range(1, min(2, len(os.sched_getaffinity(0))) + 1):
        threads = f"{n_thread} thread{'s' * (n_thread > 1)}"
        add(f"rigidsim rkmk4, every step, {threads}", ours, n_thread, str(STEP))
        add(f"rigidsim rkmk4, metrics, {threads}", ours, n_thread, "metrics")
        if installed("mujoco"):
            for integrator in ("RK4", "Euler"):
                add(f"MuJoCo {integrator}, every step, {threads}", mujoco, n_thread, integrator)
    if installed("newton", "warp"):
        add("Newton SemiImplicit (f32), every step, 1 thread", newton)
    return found


def beside_peers(n_run: int, n_step: int, repeats: int) -> None:
    """Everything in turn, so that all have the same machine; the median of some rounds."""
    with tempfile.TemporaryDirectory() as folder, section(f"{n_run} runs of {n_step} steps, from the plan to the file"):
        measured = contenders(n_run, n_step, Path(folder))
        for measure in measured.values():
            measure()
        times: dict[str, list[float]] = {name: [] for name in measured}
        for _ in range(repeats):
            for name, measure in measured.items():
                times[name].append(measure())
        seconds = {name: statistics.median(values) for name, values in times.items()}
        references = [name for name in seconds if name.startswith(("MuJoCo", "Newton")) and "1 thread" in name]
        head("", "s", "least", "million world-steps/s", *(f"of {name.split(',')[0]}" for name in references))
        for name, second in seconds.items():
            ratios = (f"{seconds[other] / second:.1f}" for other in references)
            row(name, f"{second:.3f}", f"{min(times[name]):.3f}", f"{n_run * n_step / second / 1e6:.2f}", *ratios)


CHAIN = 4


@formula
def chain(x):
    """Additions and multiplications, each of which waits for the one before."""
    for _ in range(CHAIN):
        x = x * 0.999999 + 1e-6
    return x


@kernel
def arithmetic(count, numbers, lanes):
    """`chain` of all numbers, again and again."""
    for _ in range(count):
        for lane in range(len(lanes)):
            numbers[lane] = chain(numbers[lane])


def roofline() -> float:
    """Additions and multiplications of doubles per second, one thread, on numbers in the first-level cache. Chains are
    short, as each operation waits for the one before, and long enough to hide loads and stores.
    """
    numbers, lanes, count = np.ones(256), (0,) * 256, 100_000
    arithmetic(10, numbers, lanes)
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        arithmetic(count, numbers, lanes)
        times.append(time.process_time() - begin)
    return 2 * CHAIN * count * numbers.size / min(times)


def operations() -> int:
    """Of arithmetic, in a step of one free body, counted by an interpreted run."""
    program = [sys.executable, str(Path(__file__).with_name("operations.py"))]
    environment = os.environ | {"RIGIDSIM_JIT": "off"}
    reported = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout
    return sum(int(part.split(":")[1]) for part in reported.split(","))


def against_lanes(budget: float) -> None:
    """One free top in each world; sixteen lanes are compiled as one block, whatever number of them has worlds."""
    with section("World-steps per second against worlds in a block, one thread"):
        peak = roofline()
        print(f"the processor: {peak / 1e9:.1f} thousand million additions and multiplications per second")
        n_operation = operations()
        print(f"a step of one free body, as written: {n_operation} additions, multiplications and divisions\n")
        head("worlds", "lanes", "ns per world-step", "million world-steps/s", "of the peak")
        for n_world in (1, 2, 4, 8, 16):
            worlds = worlds_of("flat", 1, LANES)[:n_world]
            lanes = 1 if n_world == 1 else LANES
            run = block(worlds if n_world == 1 else (worlds * LANES)[:LANES])
            second = seconds_a_step(run.advance, budget) / n_world
            row(n_world, lanes, f"{1e9 * second:.0f}", f"{1e-6 / second:.2f}", f"{n_operation / second / peak:.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs, two rounds")
    quick = parser.parse_args().quick
    versions = f"llvmlite {llvmlite.__version__}, numpy {np.__version__}"
    print(f"{os.cpu_count()} cores, {versions}, load {os.getloadavg()[0]:.1f}")
    against_lanes(0.05 if quick else 0.5)
    beside_peers(100 if quick else 1000, 1000, 2 if quick else REPEATS)


if __name__ == "__main__":
    main()
