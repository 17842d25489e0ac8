"""Whether all shipped scenes keep their bits: `python tests/golden.py COMMIT [SCENE ...]`, run in a checkout.

Each scene runs in one lane with its terms, and in sixteen lanes with masses that differ; those of INTERPRETED also
without compiled code. The hashes of the contents are compared with those of the package at COMMIT, which are kept in
the temporary folder until the next start of the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
INTERPRETED = {"breaking_weld": 0.02, "door_with_a_stop": 0.4, "gimballed_gyroscope": 0.05, "pendulum_cradle": 0.02}
"""Scenes, and how many seconds of them."""
LANES = 16
MOST_STEPS = 1000
"""Longer runs are shortened, if that leaves out no event."""


def hash_of(scene: str, way: str, steps: int = MOST_STEPS) -> str:
    """The hash of a scene in one of the ways of `hashes`, of so many steps if that leaves out no event."""
    import rigidsim

    def read(*changes: str) -> rigidsim.Scene:
        return rigidsim.Scene.from_file(ROOT / "scenes" / f"{scene}.yaml", list(changes))

    given = read()
    duration = INTERPRETED[scene] if way == "interpreted" else steps * given.simulation.step
    shorter = [f"simulation.duration={duration}"] if duration < given.simulation.duration else []
    try:
        read(*shorter)
    except rigidsim.RigidsimError:  # something happens later
        shorter = []
    if way != "sixteen lanes":
        return rigidsim.simulate(read(*shorter), terms=way == "one lane").content_hash
    mass = next(((name, body.mass) for name, body in given.bodies.items() if body.mass is not None), None)
    changes = [[f"bodies.{mass[0]}.mass={mass[1] * (1 + 1e-3 * k)!r}"] if mass else [] for k in range(LANES)]
    histories = rigidsim.simulate([read(*shorter, *change) for change in changes])
    return " ".join(history.content_hash[:8] for history in histories)


def hashes(scenes: list[str]) -> dict[str, str]:
    """The hashes of scenes by names and ways, as the package that is imported makes them."""
    is_off = os.environ.get("RIGIDSIM_JIT") == "off"
    found = {}
    for scene in scenes:
        ways = ("interpreted",) * (scene in INTERPRETED) if is_off else ("one lane", "sixteen lanes")
        for way in ways:
            try:
                found[f"{scene}, {way}"] = hash_of(scene, way)
            except rigidsim_error() as error:
                found[f"{scene}, {way}"] = str(error)
    return found


def rigidsim_error() -> type[Exception]:
    """What runs raise."""
    import rigidsim

    return rigidsim.RigidsimError


def hashes_at(folder: Path, scenes: list[str]) -> dict[str, str]:
    """The hashes that the package in a folder makes."""
    found = {}
    for jit in ("on", "off"):
        environment = os.environ | {"PYTHONPATH": str(folder), "RIGIDSIM_JIT": jit}
        command = [sys.executable, __file__, "--print", *scenes]
        found |= json.loads(
            subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout
        )
    return found


def hashes_of(commit: str, scenes: list[str]) -> dict[str, str]:
    """The hashes that the package at a commit makes, made once."""
    name = subprocess.check_output(["git", "rev-parse", commit], text=True, cwd=ROOT).strip()
    folder = Path(tempfile.gettempdir()) / f"rigidsim-golden-{name}"
    if not folder.exists():
        folder.mkdir()
        packed = subprocess.check_output(["git", "archive", name, "rigidsim"], cwd=ROOT)
        subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
    kept = folder / "hashes.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    missing = [scene for scene in scenes if f"{scene}, one lane" not in found]
    if missing:
        found |= hashes_at(folder, missing)
        kept.write_text(json.dumps(found, indent=1))
    return {key: value for key, value in found.items() if key.partition(",")[0] in scenes}


def main(commit: str, *scenes: str) -> int:
    """Print what differs."""
    shipped = sorted(path.stem for path in (ROOT / "scenes").glob("*.yaml"))
    if unknown := [name for name in scenes if name not in shipped]:
        raise SystemExit(f"no such scene: {', '.join(unknown)}")
    names = list(scenes) or shipped
    before, now = hashes_of(commit, names), hashes_at(ROOT, names)
    wrong = [key for key in before if before[key] != now[key]]
    print(*(f"{key}: {before[key]} is now {now[key]}" for key in wrong), sep="\n")
    print(f"{len(before) - len(wrong)} of {len(before)} hashes are equal")
    return bool(wrong)


if __name__ == "__main__":
    if sys.argv[1] == "--print":
        print(json.dumps(hashes(sys.argv[2:])))
    else:
        sys.exit(main(*sys.argv[1:]))
