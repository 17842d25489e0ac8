"""Steps a second of vector environments beside MuJoCo: `python tests/perf/environments_benchmark.py [--quick]`.

The tasks are `InvertedPendulum-v5`, `Reacher-v5` and `Hopper-v5` of gymnasium, and scenes of the same masses, dampers,
rotors and torques. Steps, times between decisions and the method, Runge and Kutta's of fourth order, are equal; contact
is not: MuJoCo's is soft, and is computed in each stage. All take the same random actions, and begin episodes anew where
they end, at the next step. MuJoCo has no checks of each step (`disable_env_checker`); `mj_step alone` is its physics
in one thread, without Python. Steps are decisions of one world; the best of some turns, which alternate.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np

from rigidsim.env import SceneVectorEnv
from work_precision import table

try:
    import mujoco
except ImportError:
    mujoco = None

SCENES = Path(__file__).parents[2] / "scenes"
TURNS, SECONDS = 3, 1.0
TASKS = {
    "cart_pole": (
        "InvertedPendulum-v5",
        {
            "reward": "upright",
            "terminated": "fallen",
            "start": dict.fromkeys(["tilt", "place", "turning", "drift"], (-0.01, 0.01)),
        },
    ),
    "reacher": (
        "Reacher-v5",
        {
            "reward": "near",
            "start": {
                "share": (0, 1), "direction": (-math.pi, math.pi), "turning": (-0.005, 0.005),
                "bent": (-0.1, 0.1), "raised": (-0.1, 0.1),
            },
        },
    ),
    "hopper": (
        "Hopper-v5",
        {
            "reward": "forward",
            "terminated": "down",
            "start": {"lift": (-0.005, 0.005), "lean": (-0.005, 0.005), "bend": (-0.005, 0)},
        },
    ),
}  # fmt: skip


def scene_envs(name: str, n: int, threads: int) -> SceneVectorEnv:
    """The environment of a scene."""
    return SceneVectorEnv(SCENES / f"{name}.yaml", n, **TASKS[name][1], threads=threads)


def mujoco_envs(name: str, n: int, mode: str) -> gymnasium.vector.VectorEnv:
    """The same task of gymnasium."""
    return gymnasium.make_vec(TASKS[name][0], num_envs=n, vectorization_mode=mode, disable_env_checker=True)


def stepped(envs: gymnasium.vector.VectorEnv) -> Callable[[float], tuple[float, float]]:
    """What steps an environment for so many seconds, and gives the steps a second and the share that ended episodes."""
    envs.reset(seed=1)
    envs.action_space.seed(1)
    actions = [envs.action_space.sample() for _ in range(64)]
    for action in actions:
        envs.step(action)

    def run(seconds: float) -> tuple[float, float]:
        count, ended, begin = 0, 0, time.perf_counter()
        while time.perf_counter() - begin < seconds:
            for action in actions[:16]:
                _, _, terminated, truncated, _ = envs.step(action)
                ended += np.count_nonzero(terminated | truncated)
            count += 16 * envs.num_envs
        return count / (time.perf_counter() - begin), ended / count

    return run


def physics(name: str) -> Callable[[float], tuple[float, float]]:
    """`mj_step` of one world, as many steps as a decision has, from the start again and again."""
    env = gymnasium.make(TASKS[name][0]).unwrapped
    model, data = env.model, env.data

    def run(seconds: float) -> tuple[float, float]:
        count, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < seconds:
            env.reset(seed=1)
            mujoco.mj_step(model, data, nstep=50 * env.frame_skip)
            count += 50
        return count / (time.perf_counter() - begin), 0.0

    return run


def show(numbers: list[int], turns: int, seconds: float) -> None:
    """A table of all tasks."""
    own, peers = ["rigidsim", "2 threads"], ["MuJoCo sync", "MuJoCo async", "mj_step alone"]
    row = table("Vector environments, steps a second", "task", "worlds", "lanes", *own, *peers, "to sync", "ends, %")
    for name in TASKS:
        for n in numbers:
            envs = {"rigidsim": scene_envs(name, n, 1), "2 threads": scene_envs(name, n, 2)}
            if mujoco:
                envs["MuJoCo sync"] = mujoco_envs(name, n, "sync")
                if n <= 16:
                    envs["MuJoCo async"] = mujoco_envs(name, n, "async")
            runs = {label: stepped(one) for label, one in envs.items()}
            if mujoco:
                runs["mj_step alone"] = physics(name)
            best, ends = dict.fromkeys(runs, 0.0), 0.0
            for _ in range(turns):
                for label, run in runs.items():
                    rate, share = run(seconds)
                    best[label] = max(best[label], rate)
                    ends = share if label == "rigidsim" else ends
            lanes = envs["rigidsim"].lanes
            ratio = f"{best['rigidsim'] / best['MuJoCo sync']:.1f}" if mujoco else "-"
            figures = (f"{best[label]:,.0f}" if label in best else "-" for label in (*own, *peers))
            row(name, n, lanes, *figures, ratio, f"{100 * ends:.1f}")
            for one in envs.values():
                one.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few worlds, one short turn")
    quick = parser.parse_args().quick
    show([1, 16] if quick else [1, 16, 64, 256], 1 if quick else TURNS, 0.05 if quick else SECONDS)


if __name__ == "__main__":
    main()
