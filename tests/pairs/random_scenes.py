"""Random scenes, each with two or three features of the table, drawn so that every pair of features comes up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

JOINTS = {"hinge": 1, "slide": 1, "screw": 1, "ball": 0, "universal": 2, "cylindrical": 2, "planar": 3, "weld": 0}
"""How many coordinates each has."""
METHODS = {
    "rkmk4": "rkmk4",
    "adaptive": {"name": "adaptive", "rtol": 1e-11, "atol": 1e-12},
    "taylor": {"name": "taylor", "tolerance": 1e-13},
}
DURATION, STEP = 0.4, 2e-3


class Unfit(Exception):
    """Two features exclude each other."""


class Drawing:
    """A scene that is being drawn."""

    def __init__(self, seed: int):
        self.seed, self.rng, self.paths, self.loops = seed, np.random.default_rng(seed), {}, []
        self.bodies: dict[str, Any] = {}
        self.gravity = self.vector(4.0)

    def number(self, low: float, high: float) -> float:
        return round(float(self.rng.uniform(low, high)), 4)

    def vector(self, size: float, n: int = 3) -> list[float]:
        return [self.number(-size, size) for _ in range(n)]

    def one_of(self, values):
        return values[self.rng.integers(len(values))]

    def wave(self, size: float) -> str:
        """A function of time."""
        return f"= {self.number(0.2, size)}*sin({self.number(1, 4)}*t + {self.number(0, 3)})"

    def pose(self) -> dict[str, Any]:
        return {
            "position": self.vector(1.0),
            "orientation": {"axis": self.direction(), "angle": self.number(-2, 2)},
        }

    def direction(self) -> list[float]:
        """Not near the start of a coordinate axis, so that none is special."""
        return [self.one_of((-1, 1)) * self.number(0.2, 1.0) for _ in range(3)]

    def weights(self) -> dict[str, Any]:
        a, b = self.number(0.1, 1), self.number(0.1, 1)
        inertia = [a, b, round(0.3 * abs(a - b) + 0.7 * (a + b), 4)]
        return {"mass": self.number(0.5, 3), "inertia": {"principal": inertia}, "center_of_mass": self.vector(0.3)}

    def hang(self, body: dict[str, Any]) -> str:
        """Hang a body on any that is there, or on the world; its path."""
        parent = self.one_of([None, *self.paths])
        name = f"b{len(self.paths)}"
        siblings = self.bodies if parent is None else self.paths[parent].setdefault("children", {})
        siblings[name] = body
        path = name if parent is None else f"{parent}/{name}"
        self.paths[path] = body
        return path

    def joint(self, kind: str) -> dict[str, Any]:
        """A joint with coordinates and rates at the start."""
        keys: dict[str, Any] = {"at": self.vector(0.5)}
        if kind in ("hinge", "slide", "screw", "cylindrical"):
            keys["axis"] = self.direction()
        if kind == "universal":
            keys["axes"] = [[1, 0, self.number(-0.3, 0.3)], [0, 1, 0]]
            keys["angles"] = self.vector(0.6, 2)
        if kind == "planar":
            keys |= {
                "normal": [0.2, self.number(-0.5, 0.5), 1],
                "along": [1, 0.3, 0],
                "displacements": self.vector(0.3, 2),
            }
        if kind == "screw":
            keys["pitch"] = self.one_of((-1, 1)) * self.number(0.3, 2)
        if kind in ("hinge", "screw", "cylindrical", "planar"):
            keys["angle"] = self.number(-2, 2)
        if kind in ("slide", "cylindrical"):
            keys["displacement"] = self.number(-0.4, 0.4)
        if JOINTS[kind] == 1:
            keys["rate"] = self.number(0.4, 1.2)
        if JOINTS[kind] > 1:
            keys["rates"] = self.vector(1.0, JOINTS[kind])
        return keys

    def moving(self) -> list[dict[str, Any]]:
        """All bodies with mass that forces move."""
        return [body for body in self.paths.values() if "mass" in body and body.get("motion") != "fixed"]

    def jointed(self, kinds=tuple(JOINTS), free_of=("motor", "motors")) -> tuple[str, dict[str, Any]]:
        """The kind and the keys of a joint of one of these kinds, without these keys; hung now if there is none."""
        for body in reversed(self.moving()):
            motion = body.get("motion")
            if isinstance(motion, dict):
                kind, keys = next(iter(motion.items()))
                if kind in kinds and not set(free_of) & set(keys):
                    return kind, keys
        kind = self.one_of(kinds)
        return kind, add_jointed(self, kind)["motion"][kind]

    def data(self, method: str) -> dict[str, Any]:
        """The scene with one of the integrators."""
        world = {"gravity": self.gravity} | ({"loops": self.loops} if self.loops else {})
        step = {"step": STEP} if method == "rkmk4" else {}
        return {
            "format": "rigidsim/1",
            "simulation": {
                "duration": DURATION, "record_every": DURATION / 4, **step, "integrator": METHODS[method],
                "contact": "off",
            },
            "world": world, "bodies": self.bodies,
        }  # fmt: skip


def add_jointed(scene: Drawing, kind: str) -> dict[str, Any]:
    body = scene.weights() | scene.pose() | {"motion": {kind: scene.joint(kind)}}
    if kind == "ball":
        body["angular_velocity"] = scene.vector(1.0)
    scene.hang(body)
    return body


def add_free(scene: Drawing) -> None:
    scene.hang(scene.weights() | scene.pose() | {"velocity": scene.vector(1.0), "angular_velocity": scene.vector(1.5)})


def add_part(scene: Drawing) -> None:
    scene.jointed()
    parent = scene.one_of([path for path, body in scene.paths.items() if body in scene.moving()])
    part = scene.weights() | scene.pose() | {"motion": "fixed"}
    scene.paths[parent].setdefault("children", {})["part"] = part
    scene.paths[f"{parent}/part"] = part


def add_frame(scene: Drawing) -> None:
    axis = np.array(scene.direction())
    motion = {
        "velocity": scene.vector(1.0), "acceleration": scene.vector(1.0),
        "angular_velocity": (axis * 1.5).round(6).tolist(), "angular_acceleration": (axis * -0.5).round(6).tolist(),
    }  # fmt: skip
    scene.hang(scene.pose() | {"motion": {"prescribed": motion}})


def add_frame_by_expressions(scene: Drawing) -> None:
    turning = {"axis": scene.direction(), "angle": scene.wave(1.0)}
    motion = {"position": [scene.wave(1.0), scene.wave(1.0), "= 0.3*t*t"], "orientation": turning}
    scene.hang({"motion": {"prescribed": motion}})


def add_scale(scene: Drawing) -> None:
    scene.jointed()
    body = scene.one_of(list(scene.paths.values()))
    body["scale"] = scene.number(0.5, 2)


def add_springs(scene: Drawing) -> None:
    kind, keys = scene.jointed(
        ("hinge", "slide", "screw", "universal", "cylindrical", "planar"), ("motor", "motors", "spring", "springs")
    )
    springs = [{"stiffness": scene.number(1, 20), "rest": scene.number(-0.5, 0.5)} for _ in range(JOINTS[kind])]
    dampings = [scene.number(0, 0.5) for _ in springs]
    if len(springs) == 1:
        keys |= {"spring": springs[0], "damping": dampings[0]}
    else:
        keys |= {"springs": [None, *springs[1:]], "dampings": dampings}


def add_law(scene: Drawing) -> None:
    kind, keys = scene.jointed(("hinge", "slide", "screw", "cylindrical"))
    torque = {"torque": f"= -{scene.number(1, 9)}*angle - 0.3*rate_2 + sin(5*t)"}
    if kind in ("hinge", "screw"):
        keys["motor"] = {"torque": torque["torque"].replace("rate_2", "rate*rate*rate")}
    elif kind == "slide":
        keys["motor"] = {"force": f"= -{scene.number(1, 9)}*displacement - 0.5*rate + sin(4*t)"}
    else:
        keys["motors"] = [{"force": "= -3*displacement - angle"}, torque]


def add_prescribed_coordinate(scene: Drawing) -> None:
    kind, keys = scene.jointed(("hinge", "slide", "screw"), ("motor", "spring", "limits"))
    for key in ("angle", "displacement", "rate"):
        keys.pop(key, None)
    keys["motor"] = {"displacement" if kind == "slide" else "angle": scene.wave(0.8)}


def add_stop(scene: Drawing) -> None:
    kind, keys = scene.jointed(("hinge", "slide", "screw"), ("motor", "limits"))
    first = keys["displacement" if kind == "slide" else "angle"]
    keys |= {"limits": [round(first - 0.05, 4), round(first + 0.08, 4)], "restitution": scene.number(0.4, 1)}


def add_forces(scene: Drawing) -> None:
    scene.jointed()
    for frame in ("parent", "body", "world"):
        load = {"force": scene.vector(2.0), "torque": scene.vector(1.0), "frame": frame, "at": scene.vector(0.4)}
        scene.one_of(scene.moving()).setdefault("forces", []).append(load)


def add_forces_of_time(scene: Drawing) -> None:
    scene.jointed()
    load = {"force": [scene.wave(3.0), 0, scene.wave(3.0)], "frame": scene.one_of(["parent", "world"])}
    scene.one_of(scene.moving()).setdefault("forces", []).append(load)


def add_spring(scene: Drawing) -> None:
    scene.jointed()
    body = scene.one_of(scene.moving())
    ends = ["world", *(path for path, other in scene.paths.items() if other is not body and other in scene.moving())]
    load = {"type": "spring", "to": scene.one_of(ends), "to_at": scene.vector(0.5), "at": scene.vector(0.3),
            "stiffness": scene.number(5, 30), "damping": scene.number(0, 1), "length": 0.5}  # fmt: skip
    body.setdefault("forces", []).append(load)


def add_drag(scene: Drawing) -> None:
    scene.jointed()
    load = {"type": "drag", "linear": scene.number(0, 1), "quadratic": scene.number(0, 0.5)}
    scene.one_of(scene.moving()).setdefault("forces", []).append(load)


def add_impulse(scene: Drawing) -> None:
    scene.jointed()
    blow = {"time": scene.number(0.05, 0.3), "impulse": scene.vector(1.0), "at": scene.vector(0.3),
            "frame": scene.one_of(["world", "body"])}  # fmt: skip
    scene.one_of(scene.moving()).setdefault("impulses", []).append(blow)


def add_rod(scene: Drawing) -> None:
    """A rod between points of two bodies, or of one and the world; all begins at rest, as the rod keeps its length."""
    scene.jointed(("hinge", "ball", "universal", "slide", "screw", "planar", "cylindrical"))
    for body in scene.paths.values():
        motion = body.get("motion")
        if isinstance(motion, dict):
            kind, keys = next(iter(motion.items()))
            if kind == "prescribed" or {"motor", "motors"} & set(keys):
                raise Unfit
            keys.pop("rate", None)
            keys.pop("rates", None)
        for key in ("velocity", "angular_velocity"):
            body.pop(key, None)
    ends = [path for path, body in scene.paths.items() if body in scene.moving()]
    first = scene.one_of(ends)
    last = scene.one_of([end for end in (*ends, "world") if end != first])
    rod = {"type": "distance", "between": [first, last], "at": scene.vector(0.3), "to_at": scene.vector(0.3)}
    scene.loops.append(rod)


FEATURES: dict[str, Callable[[Drawing], Any]] = {
    "free body": add_free,
    **{kind: lambda scene, kind=kind: add_jointed(scene, kind) for kind in JOINTS},
    "moving frame": add_frame,
    "frame by expressions": add_frame_by_expressions,
    "fixed part": add_part,
    "scale": add_scale,
    "springs of joints": add_springs,
    "law of a motor": add_law,
    "prescribed coordinate": add_prescribed_coordinate,
    "stop": add_stop,
    "forces": add_forces,
    "forces of time": add_forces_of_time,
    "spring": add_spring,
    "drag": add_drag,
    "impulse": add_impulse,
    "rod": add_rod,
}
"""Each adds itself to a scene; those that need a body on a joint take one that is there, or hang one."""


def drawn(seed: int) -> tuple[tuple[str, ...], str, dict[str, Any]]:
    """The features, the integrator and the scene of a seed: two or three features, in the order of the table."""
    rng = np.random.default_rng([seed, 1])
    while True:
        names = list(FEATURES)
        chosen = sorted(rng.choice(len(names), 2 + rng.integers(2), replace=False))
        scene = Drawing(int(rng.integers(2**31)))
        if rng.random() < 0.5:  # a frame or a body below which the features are
            scene.one_of([add_frame, add_free, lambda one: add_jointed(one, "hinge")])(scene)
        try:
            for k in chosen:
                FEATURES[names[k]](scene)
        except Unfit:
            continue
        if not scene.moving():
            add_jointed(scene, "hinge")
        method = scene.one_of(list(METHODS))
        return tuple(names[k] for k in chosen), method, scene.data(method)
