"""What derivatives of a run cost: `python tests/perf/derivatives_benchmark.py [--quick]`.

Milliseconds of processor time of a run in general code, and with derivatives by K numbers of its scene, for which there
is general code, too. Central differences would take 2 K runs. Each figure is the least of the turns after a first run;
the seconds of compilation are those of the first run with derivatives.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from pathlib import Path

import rigidsim
from rigidsim.engine.time import specialised
from rigidsim.jit.kernels import watch_compilation
from work_precision import table

SCENES = Path(__file__).parents[2] / "scenes"
TURNS, MOST = 5, 8


def top(method: str) -> rigidsim.Scene:
    """A heavy top for 100 s, of which everything may vary."""
    body = {"mass": "= p0", "inertia": {"principal": ["= 0.2*p1", "= 0.2*p2", "= 0.1*p3"]}, "motion": {"ball": {}},
            "center_of_mass": [0, 0, "= 0.3*p4"], "angular_velocity": ["= 0.5*p5", "= p6", "= 20*p7"]}  # fmt: skip
    simulation = {"duration": 100, "step": 0.005, "integrator": method, "record_every": 1}
    return rigidsim.Scene.from_dict({
        "format": "rigidsim/1", "parameters": {f"p{k}": 1.0 for k in range(MOST)},
        "simulation": simulation, "world": {"gravity": [0, 0, -9.81]}, "bodies": {"top": body},
    })  # fmt: skip


def from_file(name: str) -> rigidsim.Scene:
    """A scene of the folder."""
    return rigidsim.Scene.from_file(SCENES / f"{name}.yaml")


def problems() -> dict[str, tuple[rigidsim.Scene, list[str]]]:
    """Scenes, and numbers by which to differentiate."""
    numbers = [f"p{k}" for k in range(MOST)]
    return {
        "heavy top, 100 s, `rkmk4`": (top("rkmk4"), numbers),
        "heavy top, 100 s, `adaptive`": (top("adaptive"), numbers),
        "heavy top, 100 s, `taylor`": (top("taylor"), numbers),
        "door_with_a_stop": (from_file("door_with_a_stop"), ["restitution", "closer", "width", "mass"]),
        "sphere_slides_then_rolls": (from_file("sphere_slides_then_rolls"), ["pace", "friction"]),
        "billiard_break": (from_file("billiard_break"), ["pace", "radius", "apart"]),
    }


def least(scene: rigidsim.Scene, turns: int, names: list[str]) -> float:
    """The least processor time of a run, s."""
    times = []
    for _ in range(turns):
        begin = time.process_time()
        rigidsim.simulate(scene, derivatives=names)
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one scene, one turn")
    quick = parser.parse_args().quick
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    specialised.WORTH_READING = math.inf  # general code is measured
    row = table("Derivatives", "scene", "run, ms", "numbers", "with derivatives, ms", "times the run", "compile s")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RIGIDSIM_CACHE_DIR"] = folder
        for title, (scene, numbers) in [*problems().items()][: 1 if quick else None]:
            rigidsim.simulate(scene)
            alone = least(scene, 1 if quick else TURNS, [])
            for n in dict.fromkeys((1, min(4, len(numbers)), len(numbers))):
                with watch_compilation(lambda _: None) as watch:
                    rigidsim.simulate(scene, derivatives=numbers[:n])
                found = least(scene, 1 if quick else TURNS, numbers[:n])
                row(
                    title, f"{1e3 * alone:.3g}", n, f"{1e3 * found:.3g}", f"{found / alone:.2f}", f"{watch.seconds:.1f}"
                )


if __name__ == "__main__":
    main()
