"""The same scene written otherwise, as plain data: names and order, another parent, mirrored, later, other units.

Each takes a scene and gives another one, with what the motions of its bodies have to be then.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import rigidsim
from maximal_coordinates import ZERO, Equations, nodes_of, rotation_of
from random_scenes import JOINTS

Scene = dict[str, Any]
MIRROR = np.array([-1.0, 1.0, 1.0])
"""x becomes -x, in the world and in each body; polar vectors times this, axial ones times minus this."""
UNIT = 0.5
"""Metres per unit of length, a power of two, so that no digit is lost."""


class Unsuited(Exception):
    """A scene that cannot be written so."""


def every(bodies: Scene, above: str = "") -> list[tuple[str, Scene]]:
    """All bodies by their paths, parents first."""
    found = []
    for name, body in bodies.items():
        found.append((f"{above}{name}", body))
        found += every(body.get("children", {}), f"{above}{name}/")
    return found


def changed_names(value: Any, rename: Callable[[str], str], key: str = "") -> Any:
    """The scene with other paths where it names bodies; not the keys of bodies."""
    if isinstance(value, dict):
        return {name: changed_names(one, rename, name) for name, one in value.items()}
    if key in ("to", "between", "body", "frame") and isinstance(value, str):
        return value if value in ("world", "parent", "body") else rename(value)
    return [changed_names(one, rename, key) for one in value] if isinstance(value, list) else value


# --- names and order


def renamed(scene: Scene) -> Scene:
    """The scene with other names of bodies, and siblings in the opposite order."""

    def turned(bodies: Scene) -> Scene:
        return {
            f"z{name}": body | ({"children": turned(body["children"])} if "children" in body else {})
            for name, body in reversed(bodies.items())
        }

    new = changed_names(scene, lambda path: "/".join(f"z{name}" for name in path.split("/")))
    return new | {"bodies": turned(new["bodies"])}


# --- another parent


def below_another(scene: Scene) -> tuple[Scene, dict[str, str]]:
    """The scene with a free body below a frame that turns and moves on; its paths by the old ones."""
    new = deepcopy(scene)
    free = [path for path, body in every(new["bodies"]) if "mass" in body and body.get("motion", "free") == "free"]
    if not free or "reparent" in scene or "repeat" in str(scene):
        raise Unsuited
    path, before = free[0], Equations(scene, nodes_of(scene["bodies"]))
    own = before.motions(0.0, before.start())[path]
    *above, name = path.split("/")
    siblings = new["bodies"]
    for one in above:
        siblings = siblings[one]["children"]
    body = siblings.pop(name)
    body |= {"position": own.p.tolist(), "orientation": {"wxyz": wxyz(own.R)}} | moving(own.v, own.omega)
    body["scale"] = before.bodies[path].metres
    for load in body.get("forces", ()):
        if load.get("frame", "parent") == "parent" and load.get("type", "constant") == "constant":
            load["frame"] = "/".join(above) or "world"
    drift = {"velocity": [0.4, -0.3, 0.2], "acceleration": [0.1, 0.2, -0.3], "angular_velocity": [0, 0, 0.7]}
    new["bodies"]["carousel"] = {"motion": {"prescribed": drift}, "children": {name: body}}

    def moved(old: str) -> str:
        return f"carousel/{name}{old[len(path) :]}" if f"{old}/".startswith(f"{path}/") else old

    return changed_names(new, moved), {old: moved(old) for old, _ in every(scene["bodies"])}


def wxyz(R: np.ndarray) -> list[float]:
    """The quaternion of a matrix."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat().tolist()
    return [w, x, y, z]


def moving(v: np.ndarray, omega: np.ndarray) -> Scene:
    """Keys of a body that has these velocities in the world."""
    seen = {"frame": "world", "relative_to": "world"}
    return {"velocity": seen | {"value": v.tolist()}, "angular_velocity": seen | {"value": omega.tolist()}}


# --- mirrored


def mirrored(scene: Scene) -> Scene:
    """The scene as a mirror shows it, with the axes of bodies mirrored, too."""
    new = deepcopy(scene)
    new["world"]["gravity"] = polar(new["world"]["gravity"])
    for _, body in every(new["bodies"]):
        mirror_body(body)
    for loop in new["world"].get("loops", ()):
        mirror_points(loop, ("at", "to_at"))
        loop |= {"axis": axial(loop["axis"])} if "axis" in loop else {}
    for change in new.get("reparent", ()):
        mirror_motion(change)
    return new


def polar(vector: list) -> list:
    """A mirrored vector."""
    return [negative(vector[0]), *vector[1:]]


def axial(vector: list) -> list:
    """A mirrored rate, torque or axis of rotation."""
    return [vector[0], *(negative(x) for x in vector[1:])]


def negative(x):
    """Minus a number or an expression."""
    return f"= -({x.lstrip('= ')})" if isinstance(x, str) else -x


def mirror_points(data: Scene, keys: tuple[str, ...]) -> None:
    """Mirror polar vectors."""
    data |= {key: polar(data[key]) for key in keys if key in data}


def mirror_body(body: Scene) -> None:
    """Mirror a body, with all that is said of it."""
    mirror_points(body, ("position", "velocity", "center_of_mass"))
    for key in ("angular_velocity",):
        body |= {key: axial(body[key])} if key in body else {}
    mirror_turn(body)
    mirror_motion(body)
    for load in (*body.get("forces", ()), *body.get("impulses", ())):
        mirror_points(load, ("force", "at", "to_at", "impulse"))
        load |= {"torque": axial(load["torque"])} if "torque" in load else {}
    for shape in body.get("shapes", ()):
        mirror_points(shape, ("position", "normal"))


def mirror_turn(data: Scene) -> None:
    """Mirror an orientation."""
    if "orientation" in data:
        turning = data["orientation"]
        data["orientation"] = turning | {"axis": axial(turning["axis"])}


def mirror_motion(body: Scene) -> None:
    """Mirror a joint or a prescribed motion. Where one axis serves both, the slide changes its sign, not the angle."""
    if not isinstance(body.get("motion"), dict):
        return
    kind, keys = next(iter(body["motion"].items()))
    mirror_points(keys, ("at", "position", "velocity", "acceleration", "along"))
    for key in ("angular_velocity", "angular_acceleration", "normal"):
        keys |= {key: axial(keys[key])} if key in keys else {}
    mirror_turn(keys)
    if "axis" in keys:
        keys["axis"] = (polar if kind == "slide" else axial)(keys["axis"])
    if "axes" in keys:
        keys["axes"] = [axial(axis) for axis in keys["axes"]]
    if kind == "cylindrical":
        turn_slide(keys)
    keys |= {"pitch": -keys["pitch"]} if "pitch" in keys else {}


def turn_slide(keys: Scene) -> None:
    """Change the sign of the first coordinate of a joint."""
    for key in ("displacement",):
        keys |= {key: -keys[key]} if key in keys else {}
    for key in ("rates",):
        keys |= {key: [-keys[key][0], *keys[key][1:]]} if key in keys else {}
    if "limits" in keys:
        low, high = keys["limits"][0]
        keys["limits"] = [[-high, -low], *keys["limits"][1:]]
    if motors := keys.get("motors"):
        flipped = [{name: of_negative(x, "displacement", "rate") for name, x in (one or {}).items()} for one in motors]
        first = {name: x if name == "max_force" else negative(x) for name, x in flipped[0].items()}
        keys["motors"] = [one or None for one in (first, *flipped[1:])]


def of_negative(law, *names: str):
    """An expression with names that have changed their sign."""
    return re.sub(rf"\b({'|'.join(names)})\b", r"(-\1)", law) if isinstance(law, str) else law


def mirrored_ends(ends: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Position, rotation matrix and velocity of each body, as a mirror shows them."""
    signs = np.concatenate([MIRROR, np.outer(MIRROR, MIRROR).ravel(), MIRROR])
    return {path: values * signs for path, values in ends.items()}


# --- later


def later(scene: Scene, begun: rigidsim.Trajectory, k: int) -> Scene:
    """The scene that begins with sample k of a run: all times are earlier by the time of that sample."""
    t, new = float(begun.time[k]), deepcopy(scene)
    if any(change["time"] <= t for change in scene.get("reparent", ())):
        raise Unsuited
    new["simulation"]["duration"] = round(scene["simulation"]["duration"] - t, 9)
    tree = Equations(scene, nodes_of(scene["bodies"]))
    for path, body in every(new["bodies"]):
        begin_body(body, tree.bodies[path], begun[path], t, k)
        for load in body.get("forces", ()):
            load |= {key: [shifted(x, t) for x in load[key]] for key in ("force", "torque") if key in load}
        blows = [blow | {"time": blow["time"] - t} for blow in body.get("impulses", ()) if blow["time"] > t]
        body |= {"impulses": blows} if blows else {}
        if not blows:
            body.pop("impulses", None)
    for loop in new["world"].get("loops", ()):
        if loop["type"] == "distance":
            loop["length"] = rod_length(tree, loop)
    for change in new.get("reparent", ()):
        change["time"] -= t
    return new


def rod_length(tree: Equations, loop: Scene) -> float:
    """The distance of the two points at the start, m."""
    state, ends = tree.start(), []
    for path, key in zip(loop["between"], ("at", "to_at"), strict=True):
        body = tree.bodies.get(path)
        point = np.array(loop[key]) * (body.metres if body else 1.0)
        ends.append(tree.place(body, point, 0.0, state).motion.p)
    return float(np.linalg.norm(ends[1] - ends[0]))


def shifted(value, t: float):
    """An expression of time, t earlier."""
    return re.sub(r"\bt\b", f"(t + {t!r})", value) if isinstance(value, str) else value


def begin_body(body: Scene, what, found, t: float, k: int) -> None:
    """What a body begins with."""
    if what.kind == "free":
        body |= {"position": found.local.position[k].tolist(), "velocity": found.local.velocity[k].tolist()}
        body |= {"orientation": {"wxyz": found.local.orientation[k].tolist()}}
        body["angular_velocity"] = found.local.angular_velocity[k].tolist()
    elif what.kind == "prescribed":
        begin_frame(body, what, found, t, k)
    elif what.kind == "ball":
        body["orientation"] = {"wxyz": found.local.orientation[k].tolist()}
        body["angular_velocity"] = found.local.angular_velocity[k].tolist()
        pivot = what.position + what.R @ what.at
        R = rotation_of(body["orientation"])
        body["position"] = ((pivot - R @ what.at) / what.unit).tolist()
    elif what.kind not in ("fixed", "weld"):
        begin_joint(body["motion"][what.kind], what, found, t, k)


def begin_frame(body: Scene, what, found, t: float, k: int) -> None:
    """A prescribed motion that goes on."""
    keys = body["motion"]["prescribed"]
    if "position" in keys or "orientation" in keys:
        keys |= {"position": [shifted(x, t) for x in keys["position"]]} if "position" in keys else {}
        if "orientation" in keys:
            keys["orientation"]["angle"] = shifted(keys["orientation"]["angle"], t)
        return
    body |= {"position": found.local.position[k].tolist(), "orientation": {"wxyz": found.local.orientation[k].tolist()}}
    for rate, change in (("velocity", "acceleration"), ("angular_velocity", "angular_acceleration")):
        if change in keys:
            keys[rate] = (np.array(keys[rate]) + t * np.array(keys[change])).tolist()
    axis = np.array(keys.get("angular_acceleration", ZERO))
    if axis @ axis > 0:  # parallel to the last digit
        keys["angular_velocity"] = (axis * (axis @ keys["angular_velocity"] / (axis @ axis))).tolist()


def begin_joint(keys: Scene, what, found, t: float, k: int) -> None:
    """The coordinates of a joint; laws and prescribed coordinates go on."""
    motors = [motor for motor in keys.get("motors", [keys.get("motor")]) if motor]
    for motor in motors:
        motor |= {name: shifted(x, t) for name, x in motor.items()}
    if any(key in motor for motor in motors for key in ("angle", "displacement")):
        return
    x = (found.joint.coordinates[k] / what.units).tolist()
    v = (found.joint.rates[k] / what.units).tolist()
    keys.pop("rates", None)
    keys |= {"rate": v[0]} if JOINTS[what.kind] == 1 else {"rates": v}
    if JOINTS[what.kind] == 1:
        keys["displacement" if what.kind == "slide" else "angle"] = x[0]
    elif what.kind == "universal":
        keys["angles"] = x
    elif what.kind == "cylindrical":
        keys |= {"displacement": x[0], "angle": x[1]}
    else:
        keys |= {"displacements": x[:2], "angle": x[2]}


# --- units of length


def in_other_units(scene: Scene) -> Scene:
    """The scene below a frame with another unit of length; all lengths are numbers in this one."""
    new = changed_names(deepcopy(scene), lambda path: f"unit/{path}")
    for _, body in every(new["bodies"]):
        resize(body)
    for loop in new["world"].get("loops", ()):
        for end, key in zip(loop["between"], ("at", "to_at"), strict=True):
            loop |= resized(loop, (key,) if end != "world" else ())
    for change in new.get("reparent", ()):
        resize_motion(change)
        if change["to"] == "world":
            change["to"] = "unit"
    return new | {"bodies": {"unit": {"scale": UNIT, "children": new["bodies"]}}}


def resized(data: Scene, keys: tuple[str, ...]) -> Scene:
    """Lengths in the other unit: numbers, lists, expressions."""

    def smaller(x):
        if isinstance(x, list):
            return [smaller(one) for one in x]
        return f"= ({x.lstrip('= ')})/{UNIT}" if isinstance(x, str) else x / UNIT

    return {key: smaller(data[key]) for key in keys if key in data}


def resize(body: Scene) -> None:
    """The lengths of a body."""
    body |= resized(body, ("position", "velocity", "center_of_mass"))
    for load in (*body.get("forces", ()), *body.get("impulses", ())):
        load |= resized(load, ("at", *["to_at"] * (load.get("to") != "world")))
    for shape in body.get("shapes", ()):
        shape |= resized(shape, ("position", "radius"))
    resize_motion(body)


def resize_motion(body: Scene) -> None:
    """The lengths of a joint or a prescribed motion."""
    if not isinstance(body.get("motion"), dict):
        return
    kind, keys = next(iter(body["motion"].items()))
    keys |= resized(keys, ("at", "pitch", "displacement", "displacements", "position", "velocity", "acceleration"))
    slides = {"slide": 1, "cylindrical": 1, "planar": 2}.get(kind, 0)
    for one, many in (("rate", "rates"), ("limits", "limits"), ("spring", "springs"), ("motor", "motors")):
        if slides and kind == "slide":
            keys |= {one: resized_of(one, keys[one])} if one in keys else {}
        elif slides and many in keys:
            keys[many] = [resized_of(one, x) if k < slides else seen(one, x) for k, x in enumerate(keys[many])]


def resized_of(key: str, value):
    """What a key of a coordinate that slides says, in the other unit; laws see its lengths."""
    if value is None or key in ("rate", "limits"):
        return value and resized({key: value}, (key,))[key]
    if key == "spring":
        return value | resized(value, ("rest",))
    return {name: law(x) for name, x in (value | resized(value, ("displacement", "rate"))).items()}


def seen(key: str, value):
    """What a key of a coordinate that turns says: laws see the displacement beside it."""
    return {name: law(x) for name, x in value.items()} if key == "motor" and value else value


def law(x):
    """The law of a motor, with lengths in the other unit."""
    return re.sub(r"\b(displacement|rate)\b", rf"({UNIT}*\1)", x) if isinstance(x, str) else x


def out_of_units(ends: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The motions of the bodies below the frame, by their paths without it."""
    return {path.removeprefix("unit/"): values for path, values in ends.items() if path != "unit"}


# --- in another file

BASE = {"position": [1.0, -2.0, 0.5], "orientation": {"axis": [1.0, 2.0, 2.0], "angle": 0.75}}
"""Where the body stands that includes the scene."""


def included(scene: Scene) -> Scene:
    """The scene in another file, which a body includes that stands elsewhere, turned as gravity, which is outside."""
    path = Path(tempfile.mkdtemp(), "scene.yaml")
    path.write_text(yaml.safe_dump(scene))
    gravity = (rotation_of(BASE["orientation"]) @ scene["world"]["gravity"]).tolist()
    around = {key: scene[key] for key in ("format", "simulation")}
    world: Scene = {"gravity": gravity}
    if "mutual_gravity" in scene["world"]:
        law = scene["world"]["mutual_gravity"]
        world["mutual_gravity"] = law | {"bodies": [f"base/{path}" for path in law["bodies"]]}
    return around | {"world": world, "bodies": {"base": BASE | {"include": str(path)}}}


def seen_from_base(ends: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The motions of the bodies as the body sees them that includes the scene."""
    R, found = rotation_of(BASE["orientation"]), {}
    for path, values in ends.items():
        if path != "base":
            p, attitude, v = values[:3] - BASE["position"], values[3:12].reshape(3, 3), values[12:]
            found[path.removeprefix("base/")] = np.concatenate([R.T @ p, (R.T @ attitude).ravel(), R.T @ v])
    return found


# --- all of them

REWRITTEN = ("names and order", "another parent", "mirrored", "later", "units of length", "in another file")


def rewritten(way: str, scene: Scene, begun: rigidsim.Trajectory) -> tuple[Scene, Callable]:
    """The scene written otherwise, and from the ends of its run to those that the scene as it was has to have."""
    if way == "names and order":
        return renamed(scene), lambda ends: {path.replace("z", ""): values for path, values in ends.items()}
    if way == "mirrored":
        return mirrored(scene), mirrored_ends
    if way == "units of length":
        return in_other_units(scene), out_of_units
    if way == "in another file":
        return included(scene), seen_from_base
    if way == "later":
        return later(scene, begun, 1), lambda ends: ends
    new, paths = below_another(scene)
    return new, lambda ends: {old: ends[path] for old, path in paths.items()}
