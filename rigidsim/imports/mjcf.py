"""MJCF, the format of MuJoCo: its core, which is bodies, joints, inertias and geoms.

A body has any number of joints, of which each moves it as the ones before have left it; here all but the last are
bodies without mass of their own. Defaults come from classes, and masses from geoms where there is no <inertial>.
Source: the XML reference of MuJoCo (mujoco.readthedocs.io).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from rigidsim.containers.columns import hypot
from rigidsim.errors import did_you_mean
from rigidsim.imports.elements import MAX_DEPTH, Element, found_mesh, read_included
from rigidsim.imports.robot import ORIGIN, Robot, angle_of, relative_path, tensor_of, with_shared, without_defaults
from rigidsim.physics.quaternion import canonical, product, rotate, rotate_back, turn_of_z
from rigidsim.physics.vector import add, cross, dot, scaled, sub
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.rotation import (
    IDENTITY,
    Quaternion,
    Vector,
    from_axis_angle,
    from_euler,
    from_matrix,
    three_numbers,
    unit,
)

NO_COUNTERPART = {
    **dict.fromkeys(
        ("general", "cylinder", "muscle", "adhesion", "damper", "intvelocity", "dcmotor"),
        "of actuators only motor, velocity and position are understood",
    ),
    "weld": "only points are held together",
    **dict.fromkeys(("sensor", "keyframe", "deformable", "contact", "skin"), "it has no counterpart"),
}
ACTUATORS = ("motor", "velocity", "position")
PARTS = ("body", "joint", "freejoint", "geom", "inertial", "frame")
APPEARANCE = ("asset", "visual", "statistic", "size", "site", "camera", "light", "custom")
READ = ("default", "compiler", "option", "worldbody", "equality", "tendon", "actuator", *APPEARANCE)
COMPILER = {"angle", "eulerseq", "inertiafromgeom", "inertiagrouprange", "autolimits", "meshdir", "assetdir",
            "coordinate", "texturedir", "discardvisual", "fusestatic", "usethread", "strippath", "balanceinertia",
            "alignfree"}  # fmt: skip
OPTION = {"timestep", "gravity", "integrator", "cone", "jacobian", "solver", "iterations", "tolerance", "impratio",
          "ls_iterations", "ls_tolerance", "noslip_iterations", "noslip_tolerance", "ccd_iterations", "ccd_tolerance",
          "sdf_iterations", "sdf_initpoints", "apirate", "magnetic", "actuatorgroupdisable", "o_margin", "o_solref",
          "o_solimp", "o_friction"}  # fmt: skip
BODY = {"name", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "childclass", "user", "sleep"}
JOINT = {"name", "class", "type", "pos", "axis", "stiffness", "springref", "ref", "damping", "range", "limited",
         "frictionloss", "armature", "group", "user", "margin", "solreflimit", "solimplimit", "solreffriction",
         "solimpfriction", "actuatorfrclimited", "actuatorgravcomp"}  # fmt: skip
GEOM = {"name", "class", "type", "size", "fromto", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass",
        "density", "contype", "conaffinity", "friction", "mesh", "group", "condim", "priority", "solref", "solimp",
        "solmix", "margin", "gap", "rgba", "material", "user"}  # fmt: skip
ACTUATOR = {"name", "class", "joint", "gear", "kp", "kv", "ctrllimited", "ctrlrange", "forcelimited", "forcerange",
            "group", "user"}  # fmt: skip
TURNS = {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
GEOMS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
WHOLE_DEGREE = 1e-13
FRICTION = 1.0  # that of a geom which does not say it


class Pose(NamedTuple):
    """Of a body or geom, as numbers, and its orientation as a scene writes it (None if it has none)."""

    position: Vector
    q: Quaternion
    turn: dict[str, Any] | None

    def keys(self) -> dict[str, Any]:
        """The keys `position` and `orientation`."""
        return without_defaults(position=self.position, orientation=self.turn)


@dataclass
class Mjcf:
    """What the file says once for all: units and order of angles, where masses come from, defaults by class and tag,
    meshes and their folder, and the one that all files lie in.
    """

    robot: Robot
    in_degrees: bool
    order: str
    from_geoms: str
    groups: tuple[float, ...]
    autolimits: bool
    meshes: dict[str, Element]
    mesh_folder: Path
    within: Path
    defaults: dict[str, dict[str, dict[str, str]]]
    folder: Path
    paths: dict[str, tuple[str, ...]] = field(default_factory=lambda: {"world": ()})
    joints: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The path of the body that moves by each joint, by its name."""
    sites: dict[str, tuple[tuple[str, ...], Vector]] = field(default_factory=dict)
    """The body of each site and its point there, by its name."""
    zeros: dict[str, float] = field(default_factory=dict)
    """The coordinate of each joint of the file in its pose at zero, rad or m."""
    places: dict[tuple[str, ...], tuple[Vector, Quaternion]] = field(default_factory=lambda: {(): (ORIGIN, IDENTITY)})
    """Of each body by its name, and its pose in the world with all joints at zero, by its path."""

    def resolved(self, element: Element, childclass: str) -> Element:
        """The element with the defaults of its class."""
        name = element.attributes.get("class", childclass)
        if name not in self.defaults:
            raise element.error(
                "class", f"{element}: there is no class '{shown(name)}'", did_you_mean(name, self.defaults)
            )
        return replace(element, attributes=self.defaults[name].get(element.tag, {}) | element.attributes)

    def pose(self, element: Element, frame: Pose | None) -> Pose:
        """The pose of an element that lies in a frame."""
        given = [key for key in TURNS if key in element.attributes]
        if len(given) > 1:
            raise element.error("orientation", f"{element} has more than one orientation: {', '.join(given)}")
        position = element.numbers("pos", 3, ORIGIN)
        q, turn = self._turn(element, given[0]) if given else (IDENTITY, None)
        if frame is None or frame[:2] == (ORIGIN, IDENTITY):
            return Pose(position, q, turn)
        q = product(frame.q, q)
        return Pose(add(frame.position, rotate(frame.q, position)), q, _written(q))

    def _turn(self, element: Element, key: str) -> tuple[Quaternion, dict[str, Any] | None]:
        """An orientation, and how a scene writes it."""
        v = element.unit_quaternion("quat") if key == "quat" else element.numbers(key, TURNS[key])
        if key == "euler":
            # MuJoCo's lower case is about the body's own axes.
            order = self.order.swapcase()
            written = [angle_of(angle, self.in_degrees) for angle in v]
            q = from_euler(three_numbers(map(self.radians, v)), order)
            return q, {"euler": written, "order": order} if any(v) else None
        if key == "quat":
            return v, _written(v)
        if key == "axisangle":
            if not any(v[:3]):
                raise element.error("direction", f"{element}: the axis of axisangle is zero")
            turn = {"axis": v[:3], "angle": angle_of(v[3], self.in_degrees)}
            return from_axis_angle(unit(v[:3]), self.radians(v[3])), turn if v[3] else None
        if not any(v[:3]) or (key == "xyaxes" and not any(cross(v[:3], v[3:]))):
            raise element.error("direction", f"{element}: {key}='{shown(element.attributes[key])}' has no direction")
        q = turn_of_z(unit(v)) if key == "zaxis" else _from_xy(v[:3], v[3:])
        return q, _written(q)

    def note_joint(self, joint: Element, path: tuple[str, ...]) -> None:
        """Keep the path of the body that moves by a joint, and the coordinate of its pose at zero, rad or m."""
        self.joints[joint.name] = path
        turns = joint.attributes.get("type", "hinge") == "hinge"
        zero = joint.number("ref", 0.0)
        self.zeros[joint.name] = self.radians(zero) if turns else zero

    def radians(self, angle: float) -> float:
        """An angle of the file in radians."""
        return angle * (math.pi / 180) if self.in_degrees else angle


def _from_xy(x: Vector, y: Vector) -> Quaternion:
    """The axes x and y, of which the second is made perpendicular to the first."""
    x = unit(x)
    y = unit(sub(y, scaled(dot(x, y), x)))
    z = cross(x, y)
    return from_matrix(((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))


def _written(q: Quaternion) -> dict[str, Any] | None:
    """A rotation as a scene writes it; whole degrees about one axis as such."""
    w, *v = canonical(q)
    about = [i for i in range(3) if v[i]]
    if not about:
        return None
    angle = math.degrees(2 * math.atan2(v[about[0]], w))
    if len(about) == 1 and abs(angle - round(angle)) < WHOLE_DEGREE:
        return {"axis": [float(i == about[0]) for i in range(3)], "angle": f"{round(angle)} deg"}
    return {"wxyz": (w, *v)}


def mjcf_robot(root: Element, folder: Path, within: Path | None) -> Robot:
    """The scene of a <mujoco> element; the files that it names lie in the folder `within`, else in its own."""
    beside = Path(root.document.file).parent
    root = _with_included(root, beside, within or beside, {Path(root.document.file).resolve()})
    robot = Robot(title=root.attributes.get("model", ""))
    robot.left_out.children(root, READ, NO_COUNTERPART)
    _options(robot, root)
    mjcf = _conventions(robot, root, beside, within or beside, folder)
    for world in root.all("worldbody"):
        found = list(_in_frames(mjcf, world, "main"))
        robot.left_out.children(world, (*PARTS, *APPEARANCE), NO_COUNTERPART)
        shapes = [each for each in found if each[0].tag == "geom"]
        if shapes:
            robot.add((), "ground", world, _shapes_of(mjcf, shapes, weighed=False))
        _bodies(mjcf, (), found, rests=True)
    excludes = (one for contact in root.all("contact") for one in contact.all("exclude"))
    excluded = [{one.attributes.get("body1", ""), one.attributes.get("body2", "")} for one in excludes]
    for equality in root.all("equality"):
        _close_loops(mjcf, equality, excluded)
    for tendons in root.all("tendon"):
        robot.left_out.children(tendons, ("spatial",), NO_COUNTERPART)
        for spatial in tendons.all("spatial"):
            _limit_distance(mjcf, spatial)
    for actuators in root.all("actuator"):
        robot.left_out.children(actuators, ACTUATORS, NO_COUNTERPART)
        for actuator in actuators.all(*ACTUATORS):
            _drive(mjcf, mjcf.resolved(actuator, "main"))
    if not robot.bodies:
        raise root.error("empty", f"{root} has no bodies")
    return robot


def _with_included(element: Element, folder: Path, within: Path, read: set[Path], above: int = 1) -> Element:
    """The element, in so many others, with each <include> replaced by what the file has."""
    if above > MAX_DEPTH:
        raise element.error("depth", f"nested more than {MAX_DEPTH} levels deep")
    children: list[Element] = []
    for child in element.children:
        if child.tag != "include":
            children.append(_with_included(child, folder, within, read, above + 1))
            continue
        path = folder / child.require("file")
        found, real = read_included(child, path, within), path.resolve()
        if real in read:
            raise child.error("include", f"{path} is included more than once")
        read.add(real)
        children += _with_included(found, folder, within, read, above).children
    return replace(element, children=children)


def _options(robot: Robot, root: Element) -> None:
    for option in root.all("option"):
        robot.left_out.attributes(option, OPTION)
        robot.gravity = option.numbers("gravity", 3, robot.gravity)
        robot.step = option.positive("timestep")[0] if "timestep" in option.attributes else robot.step
        for flag in option.all("flag"):
            robot.gravity = ORIGIN if flag.attributes.get("gravity") == "disable" else robot.gravity
            robot.collides &= flag.attributes.get("contact") != "disable"
    if not any("timestep" in option.attributes for option in root.all("option")):
        robot.step = 0.002  # MuJoCo's own


def _conventions(robot: Robot, root: Element, beside: Path, within: Path, folder: Path) -> Mjcf:
    compiler = Element("compiler", {}, root.document, root.mark)
    for found in root.all("compiler"):
        compiler = replace(found, attributes=compiler.attributes | found.attributes)
    robot.left_out.attributes(compiler, COMPILER)
    if compiler.attributes.get("coordinate", "local") != "local":
        raise compiler.error("coordinate", "coordinates of the world are not understood", "write local ones")
    order = compiler.attributes.get("eulerseq", "xyz")
    if len(order) != 3 or set(order.lower()) - set("xyz") or not (order.islower() or order.isupper()):
        raise compiler.error("eulerseq", f"eulerseq='{shown(order)}' is not an order of three axes of the same kind")
    meshes = {
        mesh.name or Path(mesh.require("file")).stem: mesh for asset in root.all("asset") for mesh in asset.all("mesh")
    }
    assets = compiler.attributes.get("assetdir", "")
    defaults: dict[str, dict[str, dict[str, str]]] = {"main": {}}
    for default in root.all("default"):
        _read_defaults(default, "main", defaults)
    return Mjcf(
        robot=robot,
        in_degrees=compiler.word("angle", ("degree", "radian"), "degree") == "degree",
        order=order,
        from_geoms=compiler.word("inertiafromgeom", ("auto", "true", "false"), "auto"),
        groups=compiler.numbers("inertiagrouprange", 2, (0.0, 5.0)),
        autolimits=compiler.word("autolimits", ("true", "false"), "true") == "true",
        meshes=meshes,
        mesh_folder=beside / compiler.attributes.get("meshdir", assets),
        within=within,
        defaults=defaults,
        folder=folder,
    )


def _read_defaults(default: Element, above: str, defaults: dict[str, dict[str, dict[str, str]]]) -> None:
    """The attributes of each tag in a class, with those of the classes around it."""
    name = default.attributes.get("class", "main")
    own = {tag: dict(attributes) for tag, attributes in defaults[above].items()}
    for child in default.children:
        if child.tag != "default":
            own[child.tag] = own.get(child.tag, {}) | child.attributes
    defaults[name] = own
    for child in default.all("default"):
        child.require("class")
        _read_defaults(child, name, defaults)


Found = tuple[Element, Pose | None, str]
"""A child of a body, the frame it lies in (None for the body's own), and the class that it has by default."""


def _in_frames(mjcf: Mjcf, body: Element, childclass: str, frame: Pose | None = None) -> Iterator[Found]:
    """The children of a body, those in frames, too."""
    for child in body.children:
        if child.tag != "frame":
            yield child, frame, childclass
            continue
        inner = child.attributes.get("childclass", childclass)
        yield from _in_frames(mjcf, child, inner, mjcf.pose(child, frame))


def _bodies(mjcf: Mjcf, parent: tuple[str, ...], found: list[Found], rests: bool) -> None:
    for element, frame, childclass in found:
        if element.tag == "site" and element.name:
            mjcf.sites[element.name] = parent, mjcf.pose(mjcf.resolved(element, childclass), frame).position
        if element.tag == "body":
            _add_body(mjcf, parent, element, frame, childclass, rests)


def _add_body(
    mjcf: Mjcf, parent: tuple[str, ...], body: Element, frame: Pose | None, childclass: str, rests: bool
) -> None:
    """A body with its joints, below a parent, and all below it."""
    robot = mjcf.robot
    robot.left_out.attributes(body, BODY)
    robot.left_out.children(
        body, ("body", "joint", "freejoint", "geom", "inertial", "frame", *APPEARANCE), NO_COUNTERPART
    )
    found = list(_in_frames(mjcf, body, body.attributes.get("childclass", childclass)))
    joints = [
        mjcf.resolved(element, inner) if element.tag == "joint" else element
        for element, _, inner in found
        if element.tag in ("joint", "freejoint")
    ]
    rests = rests and not joints
    name, own, (p, q) = body.name or f"body_{body.mark[0]}", mjcf.pose(body, frame), mjcf.places[parent]
    pose, place = own.keys(), (add(p, rotate(q, own.position)), product(q, own.q))
    for joint in joints[:-1]:
        above, parent = (
            parent, robot.add(parent, joint.name or f"{name}_joint", joint, {**pose, **_motion(mjcf, joint)})
        )  # fmt: skip
        mjcf.note_joint(joint, parent)
        _limit_ball(mjcf, joint, above, parent)
        pose = {}
    motion = _motion(mjcf, joints[-1]) if joints else {"motion": "fixed"}
    geoms = [each for each in found if each[0].tag == "geom"]
    keys = {**_weight(mjcf, body, geoms, rests), **pose, **motion}
    path = robot.add(parent, name, body, keys, joints[-1] if joints else None)
    mjcf.paths[body.name], mjcf.places[path] = path, place
    for joint in joints[-1:]:
        mjcf.note_joint(joint, path)
        _limit_ball(mjcf, joint, parent, path)
    _bodies(mjcf, path, found, rests)


def _close_loops(mjcf: Mjcf, equality: Element, excluded: Sequence[Set[str]]) -> None:
    """Loops of the points that <connect> holds together; their bodies collide, unless these names of two exclude it."""
    mjcf.robot.left_out.children(equality, ("connect", "joint"), NO_COUNTERPART)
    for joint in equality.all("joint"):
        _couple(mjcf, joint)
    for connect in equality.all("connect"):
        if "body1" not in connect.attributes or connect.attributes.get("active") == "false":
            mjcf.robot.left_out.add(connect, "only points of bodies that are active are held together")
            continue
        names = connect.attributes["body1"], connect.attributes.get("body2", "world")
        for name in names:
            if name not in mjcf.paths:
                raise connect.error(
                    "body", f"{connect}: there is no body '{shown(name)}'", did_you_mean(name, mjcf.paths)
                )
        (one, other), (anchor,) = (mjcf.paths[name] for name in names), (connect.numbers("anchor", 3),)
        if anchor is None:
            raise connect.error("missing", f"{connect} has no attribute 'anchor'")
        (p, q), (p_other, q_other) = mjcf.places[one], mjcf.places[other]
        to_at = rotate_back(q_other, sub(add(p, rotate(q, anchor)), p_other))
        ends = ["/".join(path) or "world" for path in (one, other)]
        collides = {"collide": True} if "world" not in ends and {*names} not in excluded else {}
        mjcf.robot.loops.append(
            {"type": "point", "between": ends, **without_defaults(at=anchor, to_at=to_at), **collides}
        )


def _limit_distance(mjcf: Mjcf, spatial: Element) -> None:
    """The range of a tendon between two sites: a loop that limits their distance, as a rope does."""
    robot, ends, limits = mjcf.robot, [], _range(mjcf, spatial)
    for site in spatial.all("site"):
        name = site.require("site")
        if name not in mjcf.sites:
            raise site.error("site", f"{site}: there is no site '{shown(name)}'", did_you_mean(name, mjcf.sites))
        ends.append(mjcf.sites[name])
    if limits is None or len(ends) != 2 or len(spatial.children) != 2 or ends[0][0] == ends[1][0]:
        robot.left_out.add(spatial, "only the range of a tendon between two sites of different bodies is understood")
        return
    (first, at), (second, to_at) = ends
    lower, upper = limits
    robot.origins[f"world.loops[{len(robot.loops)}]"] = spatial
    robot.loops.append({
        "type": "distance", "between": ["/".join(path) or "world" for path in (first, second)],
        **without_defaults(at=at, to_at=to_at), "max_length": upper, **({"min_length": lower} if lower > 0.0 else {}),
    })  # fmt: skip


def _couple(mjcf: Mjcf, equality: Element) -> None:
    """A coupling of two joints, of which the first is a constant and a ratio of the second, from their poses at
    zero.
    """
    robot, attributes = mjcf.robot, equality.attributes
    names = [attributes[key] for key in ("joint1", "joint2") if key in attributes]
    for name in names:
        if name not in mjcf.joints:
            message = f"{equality}: there is no joint '{shown(name)}'"
            raise equality.error("joint", message, did_you_mean(name, mjcf.joints))
    constant, ratio, *curved = (*(equality.numbers("polycoef", None, (0.0, 1.0)) or ()), 0.0, 0.0)[:5]
    paths = [mjcf.joints[name] for name in names]
    fits = len(paths) == 2 and all(map(robot.has_coordinate, paths)) and ratio and not any(curved)
    if not fits or attributes.get("active") == "false":
        robot.left_out.add(equality, "only two hinges or slides in an active linear relation are coupled")
        return
    second, first = paths
    robot.couple(equality, first, second, ratio, constant)


def _drive(mjcf: Mjcf, actuator: Element) -> None:
    """The motor that an actuator is: of the length gear q, with the force f, the torque is gear f. Its control is a
    parameter, zero as MuJoCo has it at the start.
    """
    robot, name = mjcf.robot, actuator.attributes.get("joint")
    if name is not None and name not in mjcf.joints:
        raise actuator.error("joint", f"{actuator}: there is no joint '{shown(name)}'", did_you_mean(name, mjcf.joints))
    if name is None or not robot.has_coordinate(mjcf.joints[name]):
        robot.left_out.add(actuator, "only hinges and slides, by their 'joint', have motors")
        return
    if "motor" in robot.motion_of(mjcf.joints[name])[1]:
        robot.left_out.add(actuator, "its joint has a motor already")
        return
    robot.left_out.attributes(actuator, ACTUATOR)
    largest = _largest_force(mjcf, actuator)
    if largest is not None:
        gear = (actuator.numbers("gear", None, (1.0,)))[0]
        control = robot.parameter(f"{actuator.name or name}_control", 0.0)
        robot.drive(mjcf.joints[name], _motor(actuator, gear, control, mjcf.zeros[name], largest))


def _motor(actuator: Element, gear: float, control: str, zero: float, largest: float) -> dict[str, Any]:
    """The key `motor`, of which `rate`, `angle` and `max_effort` stand for those of the type of joint."""
    limit = {"max_effort": abs(gear) * largest} if largest < math.inf else {}
    if actuator.tag == "position":
        k, c = gear * gear * actuator.number("kp", 1.0), gear * gear * actuator.number("kv", 0.0)
        goal = " ".join(["=", control, *([f"/ {gear!r}"] * (gear != 1.0)), *([f"- {zero!r}"] * (zero != 0.0))])
        return {"coordinate": goal, "stiffness": k, **without_defaults(damping=c), **limit}
    force = control
    if actuator.tag == "velocity":
        force = f"{actuator.number('kv', 1.0)!r}*({control} - {gear!r}*rate)"
    if limit:
        force = f"max({-largest!r}, min({largest!r}, {force}))"
    return {"effort": f"= {gear!r}*{force}" if gear != 1.0 else f"= {force}"}


def _largest_force(mjcf: Mjcf, actuator: Element) -> float | None:
    """The largest force of an actuator, infinite without limits; None if it has another one than the smallest."""
    written = actuator.word("forcelimited", ("auto", "true", "false"), "auto")
    if written == "false" or (written == "auto" and not (mjcf.autolimits and "forcerange" in actuator.attributes)):
        return math.inf
    low, high = actuator.numbers("forcerange", 2, (0.0, 0.0))
    if not 0 < high == -low:
        mjcf.robot.left_out.add(actuator, "only motors with the same largest force both ways are understood")
        return None
    return high


def _weight(mjcf: Mjcf, body: Element, geoms: list[Found], rests: bool) -> dict[str, Any]:
    """Mass and shapes of a body: given, from its geoms, or none where it rests in the world. Geoms without mass on a
    body that has it from others belong to a part of their own.
    """
    inertial = None if rests or mjcf.from_geoms == "true" else body.only("inertial")
    if inertial is not None:
        given = _mass(mjcf, inertial)
        shapes = _shapes_of(mjcf, geoms, weighed=False)
        return given | shapes if "shapes" in shapes else {k: v for k, v in given.items() if v != ORIGIN}
    if rests or mjcf.from_geoms == "false":
        return _shapes_of(mjcf, geoms, weighed=False)
    light = [each for each in geoms if not _weighs(mjcf, each)]
    heavy = _shapes_of(mjcf, [each for each in geoms if each not in light], weighed=True)
    if not heavy:
        return _shapes_of(mjcf, light, weighed=False)
    seen = _shapes_of(mjcf, light, weighed=False)
    return heavy | ({"children": {"shapes": seen}} if seen else {})


def _weighs(mjcf: Mjcf, found: Found) -> bool:
    """Whether a geom gives its body mass."""
    geom = mjcf.resolved(found[0], found[2])
    first, last = mjcf.groups
    weight = geom.number("mass", geom.number("density", 1000.0))
    return _type(geom) != "plane" and weight > 0 and first <= geom.number("group", 0.0) <= last


def _mass(mjcf: Mjcf, inertial: Element) -> dict[str, Any]:
    inertial.require("pos")
    pose, (mass,) = mjcf.pose(inertial, None), inertial.positive("mass")
    if "fullinertia" in inertial.attributes:
        tensor = inertial.numbers("fullinertia", 6)
    else:
        inertial.require("diaginertia")
        tensor = (*inertial.numbers("diaginertia", 3), 0.0, 0.0, 0.0)
    inertial.require_possible(tensor)
    form = tensor_of(*tensor)
    if pose.turn is not None and "tensor" in form:
        raise inertial.error("orientation", "<inertial> has a fullinertia and an orientation", "omit one of them")
    if pose.turn is not None:
        form["orientation"] = pose.turn
    return {"mass": mass, "center_of_mass": pose.position, "inertia": form}


def _motion(mjcf: Mjcf, joint: Element) -> dict[str, Any]:
    """The key `motion` of a body that moves by a joint."""
    kind = "free" if joint.tag == "freejoint" else joint.word("type", ("free", "ball", "slide", "hinge"), "hinge")
    if kind == "free":
        return {"motion": "free"}
    left_out = mjcf.robot.left_out
    left_out.attributes(joint, JOINT)
    turns = kind == "hinge" and mjcf.in_degrees
    at = joint.numbers("pos", 3, ORIGIN) if kind != "slide" else ORIGIN
    rest = joint.number("springref", 0.0) - joint.number("ref", 0.0)
    stiffness = joint.numbers("stiffness", None, (0.0,))
    damping = joint.numbers("damping", None, (0.0,))
    if any(stiffness[1:]) or any(damping[1:]):
        left_out.add(joint, "only the linear part of its spring and damper is understood")
    # A ball has no angle of rest: its spring is at rest in its pose at zero.
    at_rest = {} if kind == "ball" else without_defaults(rest=angle_of(rest, turns))
    spring = {"stiffness": stiffness[0], **at_rest} if stiffness[0] else None
    keys = without_defaults(
        at=at, **_limits(mjcf, joint, kind), spring=spring, damping=damping[0],
        friction=joint.number("frictionloss", 0.0), armature=joint.number("armature", 0.0),
    )  # fmt: skip
    if kind == "ball":
        return mjcf.robot.joint(joint, kind, keys)
    return mjcf.robot.joint(joint, kind, {"axis": joint.direction("axis", (0.0, 0.0, 1.0)), **keys})


def _range(mjcf: Mjcf, joint: Element) -> tuple[float, float] | None:
    """The range of a joint; None without limits."""
    written = joint.word("limited", ("auto", "true", "false"), "auto")
    limited = written == "true" or (written == "auto" and mjcf.autolimits and "range" in joint.attributes)
    if not limited:
        return None
    joint.require("range")
    lower, upper = joint.numbers("range", 2)
    if lower >= upper:
        raise joint.error("limits", f"{joint}: range='{shown(joint.attributes['range'])}' is empty")
    return lower, upper


def _limit_ball(mjcf: Mjcf, joint: Element, parent: tuple[str, ...], path: tuple[str, ...]) -> None:
    """The range of a ball is the largest angle of its rotation: a loop between its body and the parent."""
    is_ball = joint.tag == "joint" and joint.word("type", ("free", "ball", "slide", "hinge"), "hinge") == "ball"
    if is_ball and (found := _range(mjcf, joint)):
        largest, ends = found[1], ["/".join(each) or "world" for each in (parent, path)]
        if largest < (180.0 if mjcf.in_degrees else math.pi):
            limit = {"type": "turn", "between": ends, "max_angle": angle_of(largest, mjcf.in_degrees)}
            mjcf.robot.origins[f"world.loops[{len(mjcf.robot.loops)}]"] = joint
            mjcf.robot.loops.append(limit)


def _limits(mjcf: Mjcf, joint: Element, kind: str) -> dict[str, Any]:
    """The limits of a coordinate of a joint, from its pose at zero."""
    found = None if kind == "ball" else _range(mjcf, joint)
    if found is None:
        return {}
    lower, upper = found
    zero, turns = joint.number("ref", 0.0), kind == "hinge" and mjcf.in_degrees
    return mjcf.robot.limits(joint, kind, lower - zero, upper - zero, turns)


# --- geoms


def _type(geom: Element) -> str:
    return geom.word("type", GEOMS, "mesh" if "mesh" in geom.attributes else "sphere")


def _shapes_of(mjcf: Mjcf, geoms: list[Found], weighed: bool) -> dict[str, Any]:
    """The keys for shapes and their surfaces; none without shapes. What all shapes share is written once."""
    shapes = []
    for element, frame, childclass in geoms:
        geom = mjcf.resolved(element, childclass)
        mjcf.robot.left_out.attributes(geom, GEOM)
        shape = _shape(mjcf, geom, frame, weighed)
        if shape is not None:
            shapes.append(shape | (_density(geom) if weighed else {}) | _surface(geom))
    return with_shared(shapes)


def _density(geom: Element) -> dict[str, float]:
    if "mass" in geom.attributes:
        return {"mass": geom.number("mass")}
    return {"density": geom.number("density", 1000.0)}


def _touches(geom: Element) -> bool:
    """Whether its masks let it collide with anything."""
    return bool(geom.number("contype", 1.0) or geom.number("conaffinity", 1.0))


def _surface(geom: Element) -> dict[str, Any]:
    """Whether it collides, and its friction."""
    if not _touches(geom) or _type(geom) not in ("plane", "sphere", "capsule", "box"):
        return {"collide": False}
    (sliding, *_) = geom.numbers("friction", None, (FRICTION,))
    return {"material": {"friction": sliding}}


def _shape(mjcf: Mjcf, geom: Element, frame: Pose | None, weighed: bool) -> dict[str, Any] | None:
    """A shape with its pose; None for one that is left out."""
    kind, left_out = _type(geom), mjcf.robot.left_out
    collides = _touches(geom)
    if kind in ("hfield", "sdf"):
        left_out.add(geom, f"a geom of type {kind} is not understood")
        return None
    if kind == "mesh":
        return _mesh(mjcf, geom, frame, weighed, collides)
    if kind == "plane":
        pose = mjcf.pose(geom, frame)
        normal = rotate(pose.q, (0.0, 0.0, 1.0))
        keys = without_defaults(normal=None if normal == (0.0, 0.0, 1.0) else normal, offset=dot(normal, pose.position))
        return {"type": "plane", **keys}
    length, pose = _between(geom, frame) if "fromto" in geom.attributes else (None, mjcf.pose(geom, frame))
    count = SIZES[kind] if length is None else 1
    size = geom.positive("size", None)
    if len(size) < count:
        raise geom.error("numbers", f"{geom}: size='{shown(geom.attributes['size'])}' must have {count} numbers")
    return {"type": kind, **_sizes(kind, size, length), **pose.keys()}


def _sizes(kind: str, size: tuple[float, ...], length: float | None) -> dict[str, Any]:
    """The keys for the size of a geom: half lengths in MJCF; `length` is that between two given ends."""
    if kind == "sphere":
        return {"radius": size[0]}
    if kind in ("capsule", "cylinder"):
        return {"radius": size[0], "length": 2 * size[1] if length is None else length}
    radii = size[:3] if length is None else (size[0], size[0], length / 2)
    return {"radii": radii} if kind == "ellipsoid" else {"size": tuple(2 * half for half in radii)}


def _between(geom: Element, frame: Pose | None) -> tuple[float, Pose]:
    """The length and the pose of a geom along z between two points."""
    ends = geom.numbers("fromto", 6)
    along = sub(ends[3:], ends[:3])
    length = hypot(*along)
    if length == 0:
        raise geom.error("direction", f"{geom}: both ends of fromto are the same point")
    q, middle = turn_of_z(unit(along)), scaled(0.5, add(ends[:3], ends[3:]))
    if frame is not None:
        q, middle = product(frame.q, q), add(frame.position, rotate(frame.q, middle))
    return length, Pose(middle, q, _written(q))


def _mesh(mjcf: Mjcf, geom: Element, frame: Pose | None, weighed: bool, collides: bool) -> dict[str, Any] | None:
    name = geom.require("mesh")
    if name not in mjcf.meshes:
        raise geom.error("mesh", f"{geom}: there is no mesh '{shown(name)}'", did_you_mean(name, mjcf.meshes))
    mesh = mjcf.resolved(mjcf.meshes[name], "main")
    path, why = found_mesh([mjcf.mesh_folder], mesh.attributes.get("file", ""), mjcf.within)
    if path is None and weighed:
        raise mesh.error("mesh", f"{mesh}: {why}, and it gives {geom} its mass")
    if path is None:
        mjcf.robot.left_out.add(geom, why)
        return None
    mjcf.robot.left_out.attributes(mesh, {"name", "class", "file", "scale", "content_type", "smoothnormal", "inertia"})
    if collides and weighed:
        mjcf.robot.left_out.add(geom, "a mesh that gives its body mass has a picture, but does not collide")
    scale = mesh.numbers("scale", 3, (1.0, 1.0, 1.0))
    keys = {} if scale == (1.0, 1.0, 1.0) else {"scale": scale}
    kind = "hull" if collides and not weighed else "mesh"
    return {"type": kind, "file": relative_path(path, mjcf.folder), **keys, **mjcf.pose(geom, frame).keys()}
