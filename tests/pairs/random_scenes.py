"""Random scenes, each with two or three features of the table, an integrator and a way to run it, drawn so that every
pair of features comes up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from maximal_coordinates import Equations, Motion, across, nodes_of, rotation_of
from unilateral import LARGE, support

JOINTS = {"hinge": 1, "slide": 1, "screw": 1, "ball": 0, "universal": 2, "cylindrical": 2, "planar": 3, "weld": 0}
"""How many coordinates each has."""
METHODS = {
    "rkmk4": "rkmk4",
    "adaptive": {"name": "adaptive", "rtol": 1e-11, "atol": 1e-12},
    "taylor": {"name": "taylor", "tolerance": 1e-13},
}
DURATION, STEP, CONTACT_STEP = 0.4, 2e-3, 1e-3
WAYS = ("alone", "in lanes", "in a sweep", "in two pieces")
MOVING = ("moving plane", "free sphere")
GRIPS = ("motor", "motors", "friction", "frictions")


class Unfit(Exception):
    """Two features exclude each other."""


class Drawing:
    """A scene that is being drawn."""

    def __init__(self, seed: int, variant: int = 0):
        self.rng, self.numbers = np.random.default_rng(seed), np.random.default_rng([seed, variant])
        self.paths, self.loops, self.changes = {}, [], []
        self.numbers_set: list[dict[str, Any]] = []  # `changes` of a scene
        self.controllers: dict[str, Any] = {}
        self.bodies: dict[str, Any] = {}
        self.world: dict[str, Any] = {"gravity": self.vector(4.0)}
        self.groups = 0  # of shapes that meet

    def number(self, low: float, high: float) -> float:
        return round(float(self.numbers.uniform(low, high)), 4)

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

    def joints(self) -> list[tuple[str, dict[str, Any]]]:
        """The kinds and keys of all joints."""
        found = [next(iter(body["motion"].items())) for body in self.paths.values() if type(body.get("motion")) is dict]
        return [(kind, keys) for kind, keys in found if kind != "prescribed"]

    def motions(self) -> tuple[Equations, dict[str, Motion]]:
        """The motion of all bodies in the world at t = 0."""
        tree = Equations(self.data("rkmk4"), nodes_of(self.bodies))
        return tree, tree.motions(0.0, tree.start())

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

    def data(self, method: str, contact: str = "auto") -> dict[str, Any]:
        """The scene with one of the integrators, and a mode of contact if shapes can meet."""
        world = self.world | ({"loops": self.loops} if self.loops else {})
        happens = any("when" in one for one in (*self.numbers_set, *self.changes)) or "'when'" in str(self.bodies)
        is_stepped = method == "rkmk4" or self.controllers or happens  # what holds for less than a step may be missed
        step = {"step": CONTACT_STEP} if self.groups else {"step": STEP} if is_stepped else {}
        return {
            "format": "rigidsim/1",
            "simulation": {
                "duration": DURATION, "record_every": DURATION / 4, **step, "integrator": METHODS[method],
                "contact": contact if self.groups else "off",
            },
            "world": world, "bodies": self.bodies,
        } | {
            key: value
            for key, value in (
                ("reparent", self.changes), ("changes", self.numbers_set), ("controllers", self.controllers)
            )
            if value
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
    kind, keys = scene.jointed(("hinge", "slide", "screw"), ("motor", "spring", "limits", "friction"))
    for key in ("angle", "displacement", "rate"):
        keys.pop(key, None)
    keys["motor"] = {"displacement" if kind == "slide" else "angle": scene.wave(0.8)}


def add_friction(scene: Drawing) -> None:
    """Enough to hold some of what it begins with."""
    kind, keys = scene.jointed(("hinge", "slide", "screw", "cylindrical", "planar"), GRIPS)
    frictions = [scene.number(0.1, 4) for _ in range(JOINTS[kind])]
    keys |= {"friction": frictions[0]} if len(frictions) == 1 else {"frictions": frictions}
    slower(keys)


def add_rate_motor(scene: Drawing) -> None:
    kind, keys = scene.jointed(("hinge", "slide", "screw", "cylindrical", "planar"), GRIPS)
    turning = {"rate": scene.number(0.2, 1.5), "max_torque": scene.number(1, 8)}
    sliding = {"rate": scene.number(-1, 1), "max_force": scene.number(2, 15)}
    if JOINTS[kind] == 1:
        keys["motor"] = sliding if kind == "slide" else turning
    else:
        keys["motors"] = [sliding, turning] if kind == "cylindrical" else [None, sliding, turning]


def slower(keys: dict[str, Any]) -> None:
    """A fifth of the rates."""
    for key in ("rate", "rates"):
        if key in keys:
            keys[key] = (np.array(keys[key]) / 5).round(4).tolist()


def add_stop(scene: Drawing) -> None:
    """Stops near the start, some of which give nothing back, so that the coordinate may rest at them."""
    kind, keys = scene.jointed(("hinge", "slide", "screw", "cylindrical"), ("motor", "limits"))
    starts = [keys[key] for key in ("displacement", "angle") if key in keys]
    limits = [[round(first - 0.05, 4), round(first + 0.08, 4)] for first in starts]
    es = [scene.one_of([0.0, scene.number(0.4, 1), scene.number(0.4, 1)]) for _ in starts]
    if kind == "cylindrical":
        keys |= {"limits": limits, "restitutions": es}
    else:
        keys |= {"limits": limits[0], "restitution": es[0]}


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


def add_loop(scene: Drawing, kind: str) -> None:
    """A loop between two bodies, or a body and the world; all begins at rest, so that rates agree with it."""
    if scene.rng.random() < 0.6:
        add_free(scene)
    scene.jointed(("hinge", "ball", "universal", "slide", "screw", "planar", "cylindrical"))
    if any({"motor", "motors"} & set(keys) for _, keys in scene.joints()) or "prescribed" in str(scene.bodies):
        raise Unfit
    for _, keys in scene.joints():
        keys.pop("rate", None)
        keys.pop("rates", None)
    for body in scene.paths.values():
        body.pop("velocity", None)
        body.pop("angular_velocity", None)
    ends = [path for path, body in scene.paths.items() if body in scene.moving()]
    first = scene.one_of(ends)
    last = scene.one_of([end for end in (*ends, "world") if end != first])
    loop = {"type": kind, "between": [first, last], "at": scene.vector(0.3), "to_at": scene.vector(0.3)}
    if kind != "distance":
        loop["to_at"] = same_point(scene, loop)
    if kind == "hinge":
        loop["axis"] = scene.direction()
    scene.loops.append(loop)


def same_point(scene: Drawing, loop: dict[str, Any]) -> list[float]:
    """The point of the second body at which that of the first one is."""
    tree, found = scene.motions()
    one, two = (tree.bodies.get(name) for name in loop["between"])
    p = found[one.name].p + found[one.name].R @ (one.metres * np.array(loop["at"]))
    return p.tolist() if two is None else (found[two.name].R.T @ (p - found[two.name].p) / two.metres).tolist()


def surfaced(body: dict[str, Any], shape: dict[str, Any], group: str, material: dict[str, Any]) -> None:
    """Give a body a shape that meets others of its group."""
    if "shapes" in body:
        raise Unfit
    body |= {"shapes": [shape], "collide": {"group": group, "with": [group]}, "material": material}


def add_impact(scene: Drawing, kinds: tuple[str, ...] = ()) -> None:
    """A plane or a sphere, at rest or moving, in the way of a sphere of a body. With kinds, a shape of one of these,
    and in the place of the plane perhaps the upper side of a large box or a terrain.
    """
    scene.jointed()
    path = scene.one_of([path for path, body in scene.paths.items() if body in scene.moving()])
    r, centre, group = scene.number(0.05, 0.2), scene.vector(0.2), f"group_{scene.groups}"
    tree, found = scene.motions()
    own, metres = found[path], tree.bodies[path].metres
    p = own.p + own.R @ (metres * np.array(centre))
    drift = np.array(scene.vector(1.5 if scene.loops else 0.3))  # what loops hold begins at rest
    v = own.v + np.cross(own.omega, p - own.p) - drift
    speed, time = np.linalg.norm(v), scene.number(0.05, 0.12)
    if speed < 0.6:
        raise Unfit
    normal = -v / speed + 0.3 * np.array(scene.direction())
    normal = (normal / np.linalg.norm(normal)).round(6)
    material = {"restitution": scene.number(0.5, 1), "friction": scene.one_of([0.0, scene.number(0.05, 1)])}
    shape = convex(scene, scene.one_of(kinds), r) if kinds else {"type": "sphere", "radius": r}
    surfaced(scene.paths[path], shape | {"position": centre}, group, material)
    walls = MOVING[:1] if kinds else MOVING if scene.loops else ("plane", "moving plane", "sphere", "free sphere")
    if kinds and not scene.loops:
        walls = ("plane", "moving plane")
    place, kind = p + v * time + metres * own.R @ support(shape, -own.R.T @ normal), scene.one_of(walls)
    if kinds:
        shape, obstacle = level(scene, normal), {"position": place.tolist()}
    elif "plane" in kind:
        shape, obstacle = {"type": "plane", "normal": normal.tolist()}, {"position": place.tolist()}
    else:
        shape = {"type": "sphere", "radius": 0.2}
        obstacle = {"position": (place - 0.2 * normal).tolist()}
    if kind == "free sphere":
        weights = scene.weights()
        obstacle |= weights | {"velocity": drift.tolist(), "angular_velocity": scene.vector(1.0)}
    elif kind == "moving plane":
        obstacle["motion"] = {"prescribed": {"velocity": drift.tolist()}}
    else:
        obstacle["position"] = (np.array(obstacle["position"]) + drift * time).tolist()
    surfaced(obstacle, shape, group, material)
    scene.groups += 1
    scene.bodies["obstacle"] = scene.paths["obstacle"] = obstacle


def convex(scene: Drawing, kind: str, r: float) -> dict[str, Any]:
    """A shape of about this radius, of which one size may be much smaller."""
    a, b, c = (r * scene.number(0.5, 1.2) for _ in range(3))
    thin = scene.one_of([1.0, 1.0, 0.05])
    keys: dict[str, Any] = {
        "sphere": {"radius": a}, "box": {"size": [2 * a, 2 * b, 2 * c * thin]},
        "capsule": {"radius": a * thin, "length": 2 * b}, "cylinder": {"radius": a, "length": 2 * b * thin},
        "cone": {"radius": a, "length": 2 * b * thin}, "ellipsoid": {"radii": [a, b, c * thin]},
        "hull": {"points": [scene.vector(r) for _ in range(9)]},
    }[kind]  # fmt: skip
    turning = {} if kind in ("sphere", "hull") else {
        "orientation": {"axis": scene.direction(), "angle": scene.number(-2, 2)}
    }  # fmt: skip
    return {"type": kind, **keys, **turning}


def level(scene: Drawing, normal: np.ndarray) -> dict[str, Any]:
    """A plane with this normal, or the upper side of a large shape that has the same place."""
    kind = scene.one_of(["plane", "box", "terrain"])
    if kind == "plane":
        return {"type": "plane", "normal": normal.tolist()}
    axis = np.array([-normal[1], normal[0], 0.0])
    turning = {"axis": axis.tolist(), "angle": float(np.arctan2(np.hypot(*axis[:2]), normal[2]))}
    n = rotation_of(turning)[:, 2]
    if kind == "box":
        return {"type": "box", "size": [LARGE] * 3, "orientation": turning, "position": (-LARGE / 2 * n).tolist()}
    heights = [[0.0] * 4] * 4
    return {
        "type": "terrain", "spacing": LARGE / 3, "heights": heights, "orientation": turning, "position": [0.0, 0, 0]
    }  # fmt: skip


def add_rolling(scene: Drawing) -> None:
    """A ball on a plane, which it touches from the start: it slides, rolls, or both in turn."""
    up = -np.array(scene.world["gravity"])
    if np.linalg.norm(up) < 2:
        raise Unfit
    normal = up / np.linalg.norm(up) + 0.15 * np.array(scene.direction())
    normal = normal / np.linalg.norm(normal)
    one, two = across(normal)
    r, turn = scene.number(0.1, 0.4), scene.number(-1, 1)
    at = np.array(scene.vector(2.0))
    material = {"restitution": 0.0, "friction": scene.number(0.05, 0.8)}
    ground: dict[str, Any] = {"position": at.tolist()}
    if scene.rng.random() < 0.5:
        motion = {"velocity": (0.3 * one).tolist(), "angular_velocity": (turn * normal).tolist()}
        ground["motion"] = {"prescribed": motion}
    ball = scene.weights() | {
        "position": (at + r * normal).tolist(), "center_of_mass": scene.one_of([[0, 0, 0], scene.vector(0.1 * r)]),
        "velocity": (scene.number(-1, 1) * one + scene.number(-1, 1) * two).tolist(),
        "angular_velocity": scene.vector(3.0),
    }  # fmt: skip
    group = f"group_{scene.groups}"
    surfaced(ground, {"type": "plane", "normal": normal.tolist()}, group, material)
    surfaced(ball, {"type": "sphere", "radius": r}, group, material)
    scene.groups += 1
    for name, body in (("ground", ground), ("ball", ball)):
        scene.bodies[name] = scene.paths[name] = body


def add_reparenting(scene: Drawing) -> None:
    """A body gets another parent: it is released, fixed to a body, or hung on one by a joint; of shapes, released."""
    scene.jointed()
    body = scene.one_of([path for path, body in scene.paths.items() if "mass" in body])
    carriers = [path for path, other in scene.paths.items() if other in scene.moving() and "shapes" not in other]
    frames = [path for path in scene.paths if not path.startswith(body)]
    kind = "free" if "shapes" in scene.paths[body] else scene.one_of(["free", "fixed", "joint"])
    homes = [path for path in carriers if path in frames] if kind == "fixed" else ["world", *frames]
    if not homes or (kind == "fixed" and scene.loops):
        raise Unfit
    motion: Any = kind
    if kind == "joint":
        was = scene.paths[body].get("motion")
        own = next(iter(was)) if isinstance(was, dict) else scene.one_of(list(JOINTS))
        where = ("at", "axis", "axes", "normal", "along", "pitch")
        motion = {own: {key: value for key, value in scene.joint(own).items() if key in where}}
    change = {"body": body, "to": scene.one_of(homes), "time": scene.number(0.05, 0.3), "motion": motion}
    scene.changes.append(change)


def add_rope(scene: Drawing) -> None:
    """A rope that becomes taut, between two bodies or a body and the world, on joints or free; or a strut."""
    (add_free if scene.rng.random() < 0.5 else Drawing.jointed)(scene)
    ends = [path for path, body in scene.paths.items() if body in scene.moving()]
    first = scene.one_of(ends)
    last = scene.one_of([end for end in (*ends, "world") if end != first])
    rope = {"type": "distance", "between": [first, last], "at": scene.vector(0.3), "to_at": scene.vector(0.3)}
    tree, _ = scene.motions()
    one, two = tree.ends_of(rope, 0.0, tree.start())
    r, v = one.motion.p - two.motion.p, one.motion.v - two.motion.v
    x = float(np.linalg.norm(r))
    way, room = float(r @ v) / x * scene.number(0.03, 0.12), scene.number(0.01, 0.05)
    if x < 0.3 or x + way < 0.2:
        raise Unfit
    rope["restitution"] = scene.one_of([0.0, scene.number(0.3, 1)])
    rope["max_length"] = round(x + max(way, room), 6)
    if way < -room:
        rope["min_length"] = round(x + way, 6)
    scene.loops.append(rope)


def add_ball_limit(scene: Drawing) -> None:
    """A limit of the rotation of a body on a ball joint: of its axis, about it, or of the whole rotation."""
    body = add_jointed(scene, "ball")
    path = next(path for path, one in scene.paths.items() if one is body)
    kind = scene.one_of(["swing", "twist", "turn"])
    limit = {"type": kind, "between": [path.rpartition("/")[0] or "world", path]}
    limit["restitution"] = scene.one_of([0.0, scene.number(0.4, 1)])
    if kind != "turn":
        limit["axis"] = scene.direction()
    if kind == "twist":
        limit["limits"] = [scene.number(-0.1, -0.02), scene.number(0.02, 0.1)]
    else:
        limit["max_angle"] = scene.number(0.03, 0.15)
    scene.loops.append(limit)


def add_gear(scene: Drawing) -> None:
    """A joint whose coordinate follows that of another one."""
    kind, keys = scene.jointed(("hinge", "slide", "screw"), ())
    first = next(path for path, body in scene.paths.items() if (body.get("motion") or {}) == {kind: keys})
    own = scene.one_of(["hinge", "slide", "screw"])
    body = add_jointed(scene, own)
    second = next(path for path, one in scene.paths.items() if one is body)
    ratio = scene.one_of((-1, 1)) * scene.number(0.3, 2)
    tree, _ = scene.motions()
    body["motion"][own]["rate"] = ratio * float(tree.bodies[first].rate[0] / tree.bodies[first].units[0])
    scene.loops.append({"type": "coupling", "between": [first, second], "ratio": ratio})


def add_armature(scene: Drawing) -> None:
    kind, keys = scene.jointed(("hinge", "slide", "screw", "cylindrical"), ("armature", "armatures"))
    rotors = [scene.number(0.1, 1) for _ in range(JOINTS[kind])]
    keys |= {"armature": rotors[0]} if len(rotors) == 1 else {"armatures": rotors}


def add_servo(scene: Drawing) -> None:
    """A servo that follows a function of time as well as its torque allows it."""
    kind, keys = scene.jointed(("hinge", "slide", "screw"), (*GRIPS, "limits"))
    is_slide = kind == "slide"
    motor = {"displacement" if is_slide else "angle": scene.wave(0.8)}
    motor["max_force" if is_slide else "max_torque"] = scene.number(3, 30)
    keys["motor"] = motor | {"time_constant": scene.number(0.03, 0.2)}
    if scene.rng.random() < 0.4:
        first = keys.get("displacement" if is_slide else "angle", 0.0)
        keys["limits"] = [round(first - 0.05, 4), round(first + 0.08, 4)]
        keys["restitution"] = scene.one_of([0.0, scene.number(0.4, 1)])


def add_servo_with_stiffness(scene: Drawing) -> None:
    kind, keys = scene.jointed(("hinge", "slide", "screw"))
    motor = {"displacement" if kind == "slide" else "angle": scene.wave(0.8)}
    keys["motor"] = motor | {"stiffness": scene.number(3, 40), "damping": scene.number(0, 2)}


def add_tank(scene: Drawing) -> None:
    """A tank in a body that moves, from which mass flows to a nozzle of the body."""
    scene.jointed()
    path = scene.one_of([path for path, body in scene.paths.items() if body in scene.moving()])
    scene.paths[path].setdefault("children", {})["tank"] = scene.weights() | scene.pose() | {"motion": "tank"}
    flow = {
        "type": "mass_flow", "tank": f"{path}/tank", "rate": scene.number(0.2, 1.2), "direction": scene.direction(),
        "exhaust_velocity": scene.number(0, 8), "at": scene.vector(0.5),
    }  # fmt: skip
    scene.paths[path].setdefault("forces", []).append(flow)


def add_mutual_gravity(scene: Drawing) -> None:
    """Bodies that attract each other."""
    add_free(scene)
    scene.jointed()
    bodies = [path for path, body in scene.paths.items() if body in scene.moving()]
    law = {"bodies": bodies, "constant": scene.number(0.5, 5), "softening": scene.number(0.2, 0.5)}
    scene.world["mutual_gravity"] = law


def path_of(path: str, key: str) -> str:
    """A key of a body, as `--set` names it."""
    return f"bodies.{'.children.'.join(path.split('/'))}.{key}"


def moment(scene: Drawing) -> dict[str, Any]:
    """When something happens: a time, or where a body passes a place."""
    _, found = scene.motions()
    path = scene.one_of([path for path, body in scene.paths.items() if body in scene.moving()])
    k = int(np.argmax(np.abs(found[path].v)))
    v = found[path].v[k]
    if scene.rng.random() < 0.3 or abs(v) < 0.2:
        return {"time": scene.number(0.05, 0.3)}
    place = round(float(found[path].p[k] + v * scene.number(0.03, 0.2)), 5)
    return {"when": f"= {'xyz'[k]}('{path}') {'>' if v > 0 else '<'} {place}"}


def add_change(scene: Drawing) -> None:
    """Gravity, a force, or a number of a joint becomes another one."""
    scene.jointed()
    kinds = [kind for kind in ("spring", "friction", "damping") if any(kind in keys for _, keys in scene.joints())]
    kind = scene.one_of(["gravity", "force", *kinds])
    if kind == "gravity":
        new = {f"world.gravity[{scene.rng.integers(3)}]": scene.number(-4, 4)}
    elif kind == "force" or scene.changes:
        path = scene.one_of([path for path, body in scene.paths.items() if body in scene.moving()])
        loads = scene.paths[path].setdefault("forces", [])
        loads.append({"force": scene.vector(2.0), "at": scene.vector(0.3), "frame": "world"})
        new = {path_of(path, f"forces[{len(loads) - 1}].force[{scene.rng.integers(3)}]"): scene.number(-9, 9)}
    else:
        path, own = next(
            (path, own)
            for path, body in scene.paths.items() if isinstance(body.get("motion"), dict)
            for own in body["motion"] if kind in body["motion"][own]
        )  # fmt: skip
        name = f"motion.{own}.{kind}{'.stiffness' if kind == 'spring' else ''}"
        new = {path_of(path, name): scene.number(0.2, 20) if kind == "spring" else scene.number(0.1, 2)}
    scene.numbers_set.append(moment(scene) | {"set": new})


def add_triggered_blow(scene: Drawing) -> None:
    scene.jointed()
    blow = moment(scene) | {"impulse": scene.vector(1.0), "at": scene.vector(0.3), "frame": "body"}
    scene.one_of(scene.moving()).setdefault("impulses", []).append(blow)


def add_triggered_reparenting(scene: Drawing) -> None:
    """A body gets another parent where something passes a place."""
    add_reparenting(scene)
    change = scene.changes[-1]
    found = moment(scene)
    if "when" in found:
        del change["time"]
        change |= found


def add_controller(scene: Drawing) -> None:
    """A motor that a controller drives by what an encoder of its joint reads."""
    kind, keys = scene.jointed(("hinge", "slide", "screw"))
    path, body = next(
        (path, body) for path, body in scene.paths.items() if (body.get("motion") or {}) == {kind: keys}
    )  # fmt: skip
    name, every = f"drive{len(scene.controllers)}", scene.one_of([0.01, 0.02, 0.05])
    body["sensors"] = {"wheel": {"type": "encoder", "every": every}}
    keys["motor"] = {"force" if kind == "slide" else "torque": f"= {name}"}
    reading = f"wheel_coordinate('{path}')", f"wheel_rate('{path}')"
    scene.controllers[name] = {
        "type": "hold", "every": every, "delay": scene.one_of([0.0, 0.01]),
        "input": f"= 1 - {scene.number(2, 20)}*{reading[0]} - {scene.number(0, 1)}*{reading[1]}",
    }  # fmt: skip


def add_fast_spin(scene: Drawing) -> None:
    """A free body that turns by more than a radian in a step."""
    add_free(scene)
    body = [*scene.paths.values()][-1]
    axis, step = np.array(scene.direction()), CONTACT_STEP if scene.groups else STEP
    body["angular_velocity"] = (axis / np.linalg.norm(axis) * scene.number(1.1, 2.4) / step).round(3).tolist()


def add_pile(scene: Drawing) -> None:
    """Balls on a plane far from all else, of which nothing else knows."""
    up = -np.array(scene.world["gravity"])
    normal = up / np.linalg.norm(up)
    one, two = across(normal)
    at, group, material = np.array([40.0, 0, 0]), f"group_{scene.groups}", {"restitution": 0.3, "friction": 0.4}
    bodies: dict[str, Any] = {"pile": {"position": at.tolist()}}
    surfaced(bodies["pile"], {"type": "plane", "normal": normal.tolist()}, group, material)
    for k in range(10):
        place = at + 0.35 * (k % 3) * one + 0.35 * (k // 3 % 3) * two + (0.2 + 0.41 * (k // 9)) * normal
        ball = scene.weights() | {"position": place.tolist(), "center_of_mass": [0, 0, 0]}
        surfaced(ball, {"type": "sphere", "radius": scene.number(0.15, 0.2)}, group, material)
        bodies[f"pile{k}"] = ball
    scene.groups += 1
    scene.bodies |= bodies


CONVEX = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull")
FEATURES: dict[str, Callable[[Drawing], Any]] = {
    "free body": add_free,
    **{kind: lambda scene, kind=kind: add_jointed(scene, kind) for kind in JOINTS},
    "moving frame": add_frame,
    "frame by expressions": add_frame_by_expressions,
    "fixed part": add_part,
    "scale": add_scale,
    "springs of joints": add_springs,
    "dry friction": add_friction,
    "law of a motor": add_law,
    "prescribed coordinate": add_prescribed_coordinate,
    "motor of a rate": add_rate_motor,
    "stop": add_stop,
    "forces": add_forces,
    "forces of time": add_forces_of_time,
    "spring": add_spring,
    "drag": add_drag,
    "impulse": add_impulse,
    "rod": lambda scene: add_loop(scene, "distance"),
    "loop at a point": lambda scene: add_loop(scene, "point"),
    "loop with an axis": lambda scene: add_loop(scene, "hinge"),
    "rolling": add_rolling,
    "impact": add_impact,
    "reparenting": add_reparenting,
}
"""Each adds itself to a scene; those that need a body on a joint take one that is there, or hang one."""
MORE: dict[str, Callable[[Drawing], Any]] = {
    "armature": add_armature,
    "servo": add_servo,
    "servo with stiffness": add_servo_with_stiffness,
    "controller": add_controller,
    "gear": add_gear,
    "rope": add_rope,
    "limit of a ball": add_ball_limit,
    "fast spin": add_fast_spin,
    "tank": add_tank,
    "mutual gravity": add_mutual_gravity,
    "impact of a convex shape": lambda scene: add_impact(scene, CONVEX),
    "pile": add_pile,
    "change of a number": add_change,
    "triggered blow": add_triggered_blow,
    "triggered reparenting": add_triggered_reparenting,
}
"""Those that are drawn only if they are asked for, so that seeds keep their scenes."""


WITHOUT_EVENTS = (
    "dry friction", "motor of a rate", "stop", "servo", "controller", "rope", "limit of a ball", "pile",
)  # fmt: skip
"""Features that `contact: events` refuses."""


class Drawn(NamedTuple):
    """A scene, what is in it, and how it is run."""

    features: tuple[str, ...]
    method: str
    way: str
    data: dict[str, Any]

    @property
    def touches(self) -> bool:
        """Whether shapes can meet."""
        return self.data["simulation"]["contact"] != "off"

    @property
    def words(self) -> tuple[str, ...]:
        """All that was drawn."""
        return (*self.features, self.method, self.way)


def drawn(seed: int, among: Iterable[str] = (), variant: int = 0, contact: str = "auto") -> Drawn:
    """The scene of a seed: two or three features, in the order of the table, one of `among` if there are any. Variants
    differ in numbers alone, unless these do not fit. With another mode of contact than `auto` shapes can meet.
    """
    rng = np.random.default_rng([seed, 1])
    wanted = set(among)
    features = FEATURES | {name: add for name, add in MORE.items() if name in wanted}
    if contact == "events":
        features = {name: add for name, add in features.items() if name not in WITHOUT_EVENTS}
    names = list(features)
    while True:
        chosen = sorted(rng.choice(len(names), 2 + rng.integers(2), replace=False))
        scene = Drawing(int(rng.integers(2**31)), variant)
        if wanted and not wanted & {names[k] for k in chosen}:
            continue
        if rng.random() < 0.5:  # a frame or a body below which the features are
            scene.one_of([add_frame, add_free, lambda one: add_jointed(one, "hinge")])(scene)
        try:
            for k in chosen:
                features[names[k]](scene)
        except Unfit:
            continue
        if contact != "auto" and not scene.groups:
            continue
        if not scene.moving():
            add_jointed(scene, "hinge")
        is_smooth = contact == "auto" and not scene.controllers
        methods = [name for name in METHODS if is_smooth or name != "taylor"]  # it refuses them
        method = scene.one_of(methods)
        return Drawn(tuple(names[k] for k in chosen), method, scene.one_of(WAYS), scene.data(method, contact))
