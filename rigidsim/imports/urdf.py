"""URDF: links, and the joints between them.

The frame of a link is that of the joint above it. Angles are in radians; `rpy` are rotations about the parent's x, y
and z axes, in this order. Source: the specification of URDF (wiki.ros.org/urdf/XML).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from rigidsim.errors import did_you_mean
from rigidsim.imports.elements import Element, found_mesh
from rigidsim.imports.robot import ORIGIN, Robot, relative_path, tensor_of, with_shared, without_defaults
from rigidsim.physics.inertia import rotated
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.rotation import from_euler

JOINTS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
SHAPES = {
    "box": (("size", 3),), "sphere": (("radius", 1),), "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)), "mesh": (),
}  # fmt: skip
"""The attributes of each shape, and how many numbers they have."""
APPEARANCE = ("material", "texture")
REASONS = {
    "transmission": "motors are written in the joint",
    "gazebo": "settings of Gazebo have no counterpart",
    "mujoco": "settings of MuJoCo have no counterpart",
    "safety_controller": "controllers have no counterpart",
    "calibration": "sensors have no counterpart",
    "sensor": "sensors have no counterpart",
}
PACKAGE = "package://"
Folders = tuple[Path, Path | None]
"""Of the scene, and the one that meshes lie in."""


def urdf_robot(root: Element, folder: Path, base: str, within: Path | None) -> Robot:
    """The robot of a <robot> element. Its root link is `fixed` to the world, or `free`; meshes lie in the folder
    `within`, else in that of the file.
    """
    robot = Robot(title=root.name)
    links, joints = _by_name(root, "link"), _by_name(root, "joint")
    robot.left_out.children(root, ("link", "joint", *APPEARANCE), REASONS)
    above = _joints_above(links, joints.values())
    paths: dict[str, tuple[str, ...]] = {}
    below: dict[str, list[Element]] = {}
    for joint in joints.values():
        below.setdefault(_end(joint, "parent", links), []).append(joint)
    placed: set[str] = set()
    waiting: list[tuple[tuple[str, ...], str, Element | None, bool]]
    waiting = [((), _root_link(root, links, above), None, True)]
    while waiting:
        parent, name, holding, rests = waiting.pop()
        placed.add(name)
        motion = _motion(robot, holding) if holding else {"motion": base}
        origin = holding and holding.only("origin")
        rests = rests and motion["motion"] == "fixed"
        body = _body(robot, links[name], (folder, within), rests)
        path = robot.add(parent, name, links[name], {**body, **_pose(origin), **motion}, holding)
        paths |= {holding.name: path} if holding else {}
        waiting.extend((path, _end(joint, "child", links), joint, rests) for joint in reversed(below.get(name, [])))
    if lost := next((link for name, link in links.items() if name not in placed), None):
        raise lost.error("tree", f"the joints above {lost} go round in a circle")
    _mimic(robot, {name: mimic for name, joint in joints.items() if (mimic := joint.only("mimic"))}, paths)
    return robot


def _mimic(robot: Robot, mimics: dict[str, Element], paths: dict[str, tuple[str, ...]]) -> None:
    """Let joints follow those that they mimic, given by name, first those that follow none that is left."""
    for mimic in mimics.values():
        if mimic.require("joint") not in paths:
            other = mimic.attributes["joint"]
            raise mimic.error("joint", f"{mimic}: there is no joint '{shown(other)}'", did_you_mean(other, paths))
    while mimics:
        name = next((name for name, mimic in mimics.items() if mimic.attributes["joint"] not in mimics), None)
        if name is None:
            mimic = next(iter(mimics.values()))
            raise mimic.error("joint", f"{mimic}: joints that mimic each other go round in a circle")
        mimic = mimics.pop(name)
        first, second = paths[mimic.attributes["joint"]], paths[name]
        ratio = mimic.number("multiplier", 1.0)
        if ratio and robot.has_coordinate(first) and robot.has_coordinate(second):
            robot.couple(mimic, first, second, ratio, mimic.number("offset", 0.0))
        else:
            robot.left_out.add(mimic, "only revolute, continuous and prismatic joints follow others, by some ratio")


def _by_name(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in root.all(tag):
        name = element.require("name")
        if name in found:
            raise element.error("name", f"there is another {element} in line {found[name].mark[0]}")
        found[name] = element
    return found


def _end(joint: Element, tag: str, links: Collection[str]) -> str:
    """The link on one side of a joint."""
    element = joint.only(tag)
    if element is None:
        raise joint.error("missing", f"{joint} has no <{tag}>")
    link = element.require("link")
    if link not in links:
        raise element.error("link", f"{joint}: there is no link '{shown(link)}'", did_you_mean(link, links))
    return link


def _joints_above(links: Collection[str], joints: Collection[Element]) -> dict[str, Element]:
    """The joint above each link."""
    above: dict[str, Element] = {}
    for joint in joints:
        child = _end(joint, "child", links)
        if child in above:
            raise joint.error(
                "tree", f"the link '{shown(child)}' is also the child of {above[child]}; a robot is a tree of links"
            )
        above[child] = joint
    return above


def _root_link(root: Element, links: dict[str, Element], above: dict[str, Element]) -> str:
    """The one link that no joint is above of."""
    if not links:
        raise root.error("empty", f"{root} has no links")
    found = [name for name in links if name not in above]
    if len(found) > 1:
        message = f"neither {links[found[1]]} nor '{shown(found[0])}' is the child of a joint"
        raise links[found[1]].error("tree", message, "one link may be the root")
    if not found:
        raise root.error("tree", f"each link of {root} is the child of a joint, so they go round in a circle")
    return found[0]


def _pose(origin: Element | None) -> dict[str, Any]:
    """The keys `position` and `orientation` of an <origin>."""
    if origin is None:
        return {}
    angles = origin.numbers("rpy", 3, ORIGIN)
    turn = {"euler": angles, "order": "xyz"} if any(angles) else None
    return without_defaults(position=origin.numbers("xyz", 3, ORIGIN), orientation=turn)


def _motion(robot: Robot, joint: Element) -> dict[str, Any]:
    """The key `motion` of the link below a joint."""
    kind = joint.word("type", JOINTS, joint.require("type"))
    robot.left_out.children(joint, ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"), REASONS)
    if kind in ("fixed", "floating"):
        return {"motion": {"fixed": "fixed", "floating": "free"}[kind]}
    axis = joint.only("axis")
    direction = (1.0, 0.0, 0.0) if axis is None else axis.direction("xyz", (1.0, 0.0, 0.0))
    if kind == "planar":
        return robot.joint(joint, "planar", {"normal": direction})
    found = "slide" if kind == "prismatic" else "hinge"
    limits = _limits(robot, joint, found) if kind in ("revolute", "prismatic") else {}
    dynamics = joint.only("dynamics")
    resistance = {key: 0.0 if dynamics is None else dynamics.number(key, 0.0) for key in ("damping", "friction")}
    return robot.joint(joint, found, {"axis": direction, **without_defaults(**limits, **resistance)})


def _limits(robot: Robot, joint: Element, kind: str) -> dict[str, Any]:
    limit = joint.only("limit")
    if limit is None:
        raise joint.error("missing", f"{joint} has no <limit>", "a joint without limits is continuous")
    for key, what in (("effort", "largest torque"), ("velocity", "largest rate")):
        if limit.number(key, 0.0):
            robot.left_out.add(limit, f"its {key}, the {what}, belongs to a motor")
    found = limit.number("lower", 0.0), limit.number("upper", 0.0)
    if found[0] > found[1]:
        raise limit.error("limits", f"{joint}: the lower limit, {found[0]:g}, is above the upper one, {found[1]:g}")
    return robot.limits(joint, kind, *found, in_degrees=False)


def _body(robot: Robot, link: Element, folders: Folders, rests: bool) -> dict[str, Any]:
    """The keys of a link without those of its joint. What rests in the world needs no mass."""
    robot.left_out.children(link, ("inertial", "collision", "visual", *APPEARANCE), REASONS)
    inertial = link.only("inertial")
    mass = {} if inertial is None else _mass(robot, inertial)
    if inertial is not None and mass and rests:
        robot.left_out.add(inertial, "it rests in the world, so its mass has no effect (with --base free it moves)")
        mass = {}
    seen = list(link.all("collision"))
    shapes = [shape for element in seen or link.all("visual") if (shape := _shape(robot, element, folders))]
    if not shapes:
        return {key: value for key, value in mass.items() if value != ORIGIN}
    return {**mass, **with_shared(shapes)}


def _mass(robot: Robot, inertial: Element) -> dict[str, Any]:
    origin, weight, inertia = (inertial.only(tag) for tag in ("origin", "mass", "inertia"))
    if weight is None:
        raise inertial.error("missing", f"{inertial} has no <mass>")
    if inertia is None:
        raise inertial.error("missing", f"{inertial} has no <inertia>")
    tensor = tuple(inertia.number(key, 0.0) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    if weight.number("value") == 0:
        robot.left_out.add(inertial, "a mass of zero is none, and has no inertia")
        return {}
    (mass,), pose = weight.positive("value"), _pose(origin)
    if not any(tensor):
        return {"mass": mass, "center_of_mass": pose.get("position", ORIGIN), "inertia": "point"}
    inertia.require_possible(tensor)
    form, turn = tensor_of(*tensor), pose.get("orientation")
    if turn is not None and "principal" in form:
        form["orientation"] = turn
    elif turn is not None:
        form = tensor_of(*rotated(from_euler(turn["euler"], "xyz"), tensor))
    return {"mass": mass, "center_of_mass": pose.get("position", ORIGIN), "inertia": form}


def _shape(robot: Robot, element: Element, folders: Folders) -> dict[str, Any] | None:
    """A shape of a link; None for one that is left out."""
    geometry = element.only("geometry")
    if geometry is None or len(geometry.children) != 1:
        raise element.error("geometry", f"{element} must have a <geometry> with one shape")
    (form,) = geometry.children
    if form.tag not in SHAPES:
        raise form.error("geometry", f"{form} is not a shape", did_you_mean(form.tag, SHAPES))
    if form.tag == "mesh":
        keys = _mesh(robot, form, folders)
    else:
        keys = {
            key: form.positive(key, count) if count > 1 else form.positive(key)[0] for key, count in SHAPES[form.tag]
        }
    if keys is None:
        return None
    collides = element.tag == "collision"
    kind = "hull" if form.tag == "mesh" and collides else form.tag
    return {"type": kind, **keys, **_pose(element.only("origin")), **({} if collides else {"collide": False})}


def _mesh(robot: Robot, form: Element, folders: Folders) -> dict[str, Any] | None:
    """The keys for a mesh; None if it cannot be read."""
    written, beside = form.require("filename"), Path(form.document.file).resolve().parent
    name = written.removeprefix("file://").removeprefix(PACKAGE)
    folder, within = folders
    searched = [beside, *beside.parents] if written.startswith(PACKAGE) else [beside]
    path, why = found_mesh(searched, name, within or beside)
    if path is None:
        robot.left_out.add(form, why)
        return None
    scale = form.numbers("scale", 3, (1.0, 1.0, 1.0))
    return {"file": relative_path(path, folder), **({} if scale == (1.0, 1.0, 1.0) else {"scale": scale})}
