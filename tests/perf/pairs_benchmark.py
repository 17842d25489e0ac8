"""Nanoseconds a pair of convex shapes, ours and our peers', in one run:
`python tests/perf/pairs_benchmark.py [--quick]`.

One thread, processor time, the least of several turns. Ours is the whole narrow phase with all places; *again* begins
with the features that were found before, as each step does. Peers (extra `bench`) find the distance, of which the time
of two spheres is taken off, as that is mostly the call from Python. Their error is that of the distance, relative to
the size of the pair, beside ours, which is proven by support functions. Peers are left out where they are missing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

sys.path.append(str(Path(__file__).parents[1]))

from rigidsim.engine.model import contact_layout as at
from rigidsim.physics.distances import BOX, CYLINDER, ELLIPSOID, HULL
from support.convex_pairs import FAR, Core, Pair, arrays_of, meet_all, random_core

NAMES = {BOX: "box", HULL: "hull", ELLIPSOID: "ellipsoid", CYLINDER: "cylinder"}
PAIRS = ((BOX, BOX), (HULL, HULL), (ELLIPSOID, ELLIPSOID), (CYLINDER, CYLINDER), (BOX, CYLINDER), (HULL, ELLIPSOID))
TURNS = 5


def core_of(kind: int, rng, corners: int = 20) -> Core:
    """A random one that all engines have: round cylinders, hulls of so many corners."""
    if kind == HULL:
        points = rng.normal(size=(corners, 3))
        points *= rng.uniform(0.2, 1.0, 3) / np.linalg.norm(points, axis=1)[:, None]
        points = points[ConvexHull(points).vertices]
        return Core(kind, np.abs(points).max(axis=0), points)
    core = random_core(kind, rng)
    return core._replace(half=core.half[[0, 0, 2]]) if kind == CYLINDER else core


def pairs_of(kinds: tuple[int, int], apart: bool, count: int, corners: int = 20) -> list[Pair]:
    """Random pairs whose spheres overlap, that are apart or not."""
    rng, chosen = np.random.default_rng(1), []
    while len(chosen) < count:
        tried = []
        for _ in range(count):
            first, second = (core_of(kind, rng, corners) for kind in kinds)
            way = rng.normal(size=3)
            distance = rng.uniform(0.3, 1.0) * (first.bound + second.bound)
            turn = Rotation.random(random_state=rng)
            tried.append(Pair(first, second, distance * way / np.linalg.norm(way), turn))
        gaps = ours(tried)[2]
        chosen += [pair for pair, gap in zip(tried, gaps, strict=True) if (gap > 0) == apart]
    return chosen[:count]


def least(work: Callable[[], object], count: int) -> float:
    """Nanoseconds of one of so many, the least of several turns."""
    spent = []
    for _ in range(TURNS):
        begin = time.process_time()
        work()
        spent.append(time.process_time() - begin)
    return 1e9 * min(spent) / count


def ours(pairs: list[Pair]) -> tuple[float, float, np.ndarray]:
    """Nanoseconds a pair cold and again, and the gaps."""
    n = len(pairs)
    given = (*arrays_of(pairs), FAR)
    rows, count = np.zeros((n, at.MOST_PLACES, at.PLACE.width)), np.zeros(n, np.int64)
    nearest, features = np.zeros((n, at.NEAREST.width)), np.zeros((n, at.FEATURES.width))

    def cold() -> None:
        features[:, at.FEATURES.known] = 0.0
        meet_all(*given, rows, count, nearest, features)

    def again() -> None:
        meet_all(*given, rows, count, nearest, features)

    cold()
    first, second = least(cold, n), least(again, n)
    if pairs[0].first.kind == pairs[0].second.kind == BOX:
        gaps = np.array([rows[k, : count[k], at.PLACE.gap].min(initial=np.inf) for k in range(n)])
    else:  # of the nearest points: the places of a face have gaps along its normal
        gaps = nearest[:, at.NEAREST.place("separation")] * [2.0 ** np.ceil(np.log2(pair.size)) for pair in pairs]
    return first, second, gaps


class Coal:
    """Coal, one call a pair."""

    name = "Coal"

    def __init__(self, pairs: list[Pair]):
        import coal

        self._coal, self._request, self._result = coal, coal.DistanceRequest(), coal.DistanceResult()
        self._pairs = [
            (self._shape(pair.first), coal.Transform3s(), self._shape(pair.second), self._pose(pair)) for pair in pairs
        ]

    def _pose(self, pair: Pair):
        return self._coal.Transform3s(pair.turn.as_matrix(), pair.place)

    def _shape(self, core: Core):
        coal, (a, b, c) = self._coal, map(float, core.half)
        if core.kind == HULL:
            points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
            points.extend(list(core.corners))
            faces.extend([coal.Triangle(*map(int, face)) for face in ConvexHull(core.corners).simplices])
            return coal.Convex(points, faces)
        made = {
            BOX: lambda: coal.Box(2 * a, 2 * b, 2 * c),
            ELLIPSOID: lambda: coal.Ellipsoid(a, b, c),
            CYLINDER: lambda: coal.Cylinder(a, 2 * c),
        }
        return made[core.kind]() if core.kind in made else coal.Sphere(a)

    def distances(self) -> list[float]:
        """Of all pairs; negative where they overlap."""
        distance, request, result, found = self._coal.distance, self._request, self._result, []
        for pair in self._pairs:
            result.clear()
            found.append(distance(*pair, request, result))
        return found


class Mujoco:
    """MuJoCo with its own convex collider, one call a pair; it has no depth of overlap in this call."""

    name = "MuJoCo"

    def __init__(self, pairs: list[Pair]):
        import mujoco

        meshes, geoms = [], []
        for k, core in enumerate(core for pair in pairs for core in (pair.first, pair.second)):
            pair = pairs[k // 2]
            place, turn = (pair.place, pair.turn) if k % 2 else (np.zeros(3), Rotation.identity())
            pose = f'pos="{_text(place)}" quat="{_text(np.roll(turn.as_quat(), 1))}"'
            if core.kind == HULL:
                meshes.append(f'<mesh name="m{k}" vertex="{_text(core.corners.ravel())}" inertia="convex"/>')
                geoms.append(f'<geom type="mesh" mesh="m{k}" {pose}/>')
            else:
                kind = NAMES.get(core.kind, "sphere")
                size = core.half[[0, 2]] if core.kind == CYLINDER else core.half[: 3 if core.kind in NAMES else 1]
                geoms.append(f'<geom type="{kind}" size="{_text(size)}" {pose}/>')
        option = '<option ccd_tolerance="1e-12" ccd_iterations="100"/>'
        assets = f"<asset>{''.join(meshes)}</asset>"
        xml = f"<mujoco>{option}{assets}<worldbody>{''.join(geoms)}</worldbody></mujoco>"
        self._model = mujoco.MjModel.from_xml_string(xml)
        self._data, self._count = mujoco.MjData(self._model), len(pairs)
        mujoco.mj_kinematics(self._model, self._data)
        self._distance = partial(mujoco.mj_geomDistance, self._model, self._data)

    def distances(self) -> list[float]:
        """Of all pairs."""
        distance = self._distance
        return [distance(2 * k, 2 * k + 1, 100.0, None) for k in range(self._count)]


def _text(values) -> str:
    return " ".join(repr(float(value)) for value in values)


SPHERE = Core(-1, np.array([0.1, 0.1, 0.1]))


def peer_cells(peer: type, pairs: list[Pair], gaps: np.ndarray) -> tuple[str, str]:
    """Nanoseconds a pair less those of two spheres, and the largest error."""
    sizes = np.array([pair.size for pair in pairs])
    spheres = peer([pair._replace(first=SPHERE, second=SPHERE, place=np.array([0.0, 0.0, 3.0])) for pair in pairs])
    work = peer(pairs)
    nanoseconds = least(work.distances, len(pairs)) - least(spheres.distances, len(pairs))
    return f"{nanoseconds:.0f}", f"{(np.abs(np.array(work.distances()) - gaps) / sizes).max():.0e}"


def available() -> list[type]:
    """The peers that can be imported."""
    found = []
    for peer in (Coal, Mujoco):
        try:
            peer([Pair(SPHERE, SPHERE, np.ones(3), Rotation.identity())])
        except ImportError:
            continue
        found.append(peer)
    return found


def print_table(title: str, apart: bool, peers: list[type], count: int) -> None:
    """All kinds of pairs."""
    head = ["pair", "cold", "again", *(f"{peer.name}{part}" for peer in peers for part in ("", " error"))]
    print(f"\n### {title}\n\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for kinds in PAIRS:
        pairs = pairs_of(kinds, apart, count)
        cold, again, gaps = ours(pairs)
        cells = [" ".join(NAMES[kind] for kind in kinds), f"{cold:.0f}", f"{again:.0f}"]
        for peer in peers:
            cells += peer_cells(peer, pairs, gaps)
        print("| " + " | ".join(cells) + " |", flush=True)


def print_growth(count: int, corners: tuple[int, ...]) -> None:
    """Two hulls that overlap a little or are near, by the number of corners."""
    print("\n### Growth with corners\n\n| corners | cold | again |\n|---|---|---|")
    for n in corners:
        cold, again, _ = ours(pairs_of((HULL, HULL), True, count, n))
        print(f"| {n} | {cold:.0f} | {again:.0f} |", flush=True)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few pairs, to see that it works")
    quick = parser.parse_args().quick
    count, peers = (10 if quick else 1000), available()
    print_table("Pairs apart, ns", True, peers, count)
    print_table("Pairs that overlap, ns", False, [peer for peer in peers if peer is Coal], count)
    print_growth(10 if quick else 300, (8, 20) if quick else (8, 20, 100, 1000))


if __name__ == "__main__":
    main()
