"""What recording adds to stepping: `python tests/perf/recording_benchmark.py [--quick] [--against FOLDER]`.

A thousand bodies, every step recorded; each figure is the best of some runs, each in a process of its own, from the
first step to the complete file. With `--against`, the package in another folder runs in turn with this one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
SCENES = {
    "bodies in the world": "",
    "bodies on a ship that moves and turns": (
        "  ship:\n    motion: {prescribed: {position: ['= 3*t', 0, '= 0.5*sin(2*t)'],"
        " angular_velocity: [0.1, 0.2, 0.05]}}\n    children:\n"
    ),
}
BODY = """\
b:
  repeat: {{random: {n_body}, seed: 1, size: [100, 100, 100]}}
  mass: 1
  inertia: {{principal: [1, 2, 2.5]}}
  velocity: ["= 0.1*index", 1, 0]
  angular_velocity: [0.1, 5, "= 0.001*index"]
"""
STEPPING = """
import sys, time
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
simulation = Simulation(Scene.from_file(sys.argv[1]))
simulation.prepare()
begin = time.perf_counter()
simulation.step(simulation.n_step)
print(time.perf_counter() - begin)
"""
RUN = """
import json, os, resource, sys, time
from pathlib import Path
from rigidsim.runner.run import run_to_file
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
from rigidsim.trajectory import writer
path, more = Path(sys.argv[2]), json.loads(sys.argv[3])
times, enter, finish = [], writer.Writer.__init__, writer.Writer.finish

def opened(*given, **options):
    times.append(time.perf_counter())
    enter(*given, **options)

def finished(*given):
    finish(*given)
    times.append(time.perf_counter())

writer.Writer.__init__, writer.Writer.finish = opened, finished
run_to_file(Scene.from_file(sys.argv[1]), path, terms=False, force=True, quiet=True, show=lambda report: None, **more)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(times[1] - times[0], memory, path.stat().st_size / 1e6)
"""


def scene_of(ship: str, n_body: int, n_step: int) -> str:
    """The text of a scene of bodies in the world, or in a prescribed frame."""
    indent = "      " if ship else "  "
    body = "".join(indent + line + "\n" for line in BODY.format(n_body=n_body).splitlines())
    simulation = f"{{duration: {n_step} ms, step: 1 ms, record_every: 1 ms}}"
    return f"format: rigidsim/1\nsimulation: {simulation}\nworld: {{gravity: [0, 0, -9.81]}}\nbodies:\n{ship}{body}"


def measured(package: Path, program: str, *arguments: str) -> list[float]:
    """The numbers that a program prints, with the package in a folder."""
    environment = os.environ | {"PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return [float(word) for word in done.stdout.split()]


def rows(scene: Path, packages: dict[str, Path], repeats: int) -> list[Sequence]:
    """(who, compression, s, s, MB, MB) the stepping alone and the whole run, in turn, for each package and choice."""
    ways = [(who, "", {}) for who in packages if who != "this"]
    ways += [("this", compression, {"compression": compression}) for compression in ("none", "fast", "small")]
    stepping, found = {}, {}
    for _ in range(repeats):
        for who, package in packages.items():
            stepping.setdefault(who, []).extend(measured(package, STEPPING, str(scene)))
        for who, compression, more in ways:
            file = scene.with_suffix(".h5")
            result = measured(packages[who], RUN, str(scene), str(file), json.dumps(more))
            found.setdefault((who, compression), []).append(result)
            file.unlink()
    return [
        (who, compression, min(stepping[who]), *map(min, zip(*found[who, compression], strict=True)))
        for who, compression, _ in ways
    ]


def main() -> None:
    """Print a table for each scene."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few bodies and steps, once")
    parser.add_argument("--against", type=Path, help="the folder of another version")
    options = parser.parse_args()
    n_body, n_step, repeats = (20, 50, 1) if options.quick else (1000, 1000, 5)
    packages = {"this": HERE} | ({"other": options.against.resolve()} if options.against else {})
    with tempfile.TemporaryDirectory() as folder:
        for title, ship in SCENES.items():
            scene = Path(folder, "scene.yaml")
            scene.write_text(scene_of(ship, n_body, n_step))
            print(f"\n### Recording {n_body} {title}, {n_step} samples\n")
            print("| package | compression | stepping, s | run, s | ratio | peak memory, MB | file, MB |")
            print("|---|---|---|---|---|---|---|")
            for who, compression, stepping, run, memory, size in rows(scene, packages, repeats):
                print(
                    f"| {who} | {compression or '-'} | {stepping:.3f} | {run:.3f} | {run / stepping:.2f} |"
                    f" {memory:.0f} | {size:.1f} |"
                )


if __name__ == "__main__":
    main()
