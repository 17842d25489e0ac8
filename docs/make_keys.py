"""Writes docs/scene-keys.md from the JSON Schema of scenes: `python docs/make_keys.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rigidsim.scene import json_schema
from rigidsim.tree.joints import IS_ANGLE

PAGE = Path(__file__).parent / "scene-keys.md"
TOPICS = {
    ("The file", "the-file"): {
        "Scene": "", "SimulationSettings": "simulation", "ContactSettings": "simulation: {contact: ...}",
        "RecordedPart": "simulation: {record: [...]}", "Surroundings": "world", "TableData": "tables: {NAME: ...}",
    },
    ("Bodies", "keys-of-a-body"): {
        "Body": "bodies: {NAME: ...}",
        "PrincipalInertia": "inertia: {principal: ...}", "TensorInertia": "inertia: {tensor: ...}",
        "InitialVelocity": "velocity", "InitialAngularVelocity": "angular_velocity",
        "Grid": "repeat: {grid: ...}", "Line": "repeat: {line: ...}", "Scatter": "repeat: {random: ...}",
        "Include": "include",
    },
    ("Orientations", "keys-of-a-body"): {
        "QuaternionFirst": "orientation: {wxyz: ...}", "QuaternionLast": "orientation: {xyzw: ...}",
        "AxisAngle": "orientation: {axis: ...}", "EulerAngles": "orientation: {euler: ...}",
        "RotationMatrix": "orientation: {matrix: ...}",
    },
    ("Motion", "kinds-of-motion"): {
        "GivenMotion": "motion", "PrescribedMotion": "motion: {prescribed: ...}",
        "PrescribedVelocity": "prescribed: {velocity: ...}",
        "PrescribedAcceleration": "prescribed: {acceleration: ...}",
        "PrescribedAngularVelocity": "prescribed: {angular_velocity: ...}",
        "PrescribedAngularAcceleration": "prescribed: {angular_acceleration: ...}",
        "TurnAboutAxis": "prescribed: {orientation: {axis: ...}}",
        "TurnsInOrder": "prescribed: {orientation: {euler: ...}}",
    },
    ("Joints", "joints"): {
        **{joint.capitalize(): f"motion: {{{joint}: ...}}" for joint in IS_ANGLE},
        "JointAxis": "axis", "TurnSpring": "hinge: {spring: ...}", "SlideSpring": "slide: {spring: ...}",
        "BallSpring": "ball: {spring: ...}",
        "TurnMotor": "hinge: {motor: ...}", "SlideMotor": "slide: {motor: ...}",
        "Breaks": "breaks", "GivenJoint": "reparent: [{motion: ...}]",
    },
    ("Loops", "loops"): dict.fromkeys(("PointLoop", "HingeLoop", "DistanceLoop", "Coupling"), "world: {loops: [...]}"),
    ("Shapes", "shapes"): dict.fromkeys(
        ("Box", "Sphere", "Ellipsoid", "Cylinder", "Capsule", "Cone", "Tube", "Mesh", "Terrain", "Hull", "HalfSpace"),
        "shapes",
    )
    | {
        "MeasuredFile": "shapes: [{file: ...}]",
        "PointsFile": "shapes: [{type: hull, file: ...}]",
        "HeightFile": "shapes: [{type: terrain, file: ...}]",
    },
    ("Contact", "contact"): {"Material": "material", "Groups": "collide", "PairContact": "world: {contacts: [...]}"},
    ("Forces", "forces"): dict.fromkeys(
        ("Constant", "Spring", "Damper", "TorsionSpring", "Drag", "Thruster", "Gravity", "PointGravity",
         "GravityGradient", "Bushing"), "forces"
    ),
    ("Gravity of the world", "gravity"): {
        "PointSource": "world: {gravity: ...}", "MutualGravity": "world: {mutual_gravity: ...}",
    },
    ("Events", "impulses"): {"Impulse": "impulses", "Reparenting": "reparent"},
    ("Triggers", "triggers"): {"When": "when", "Stop": "simulation: {stop: ...}"},
    ("Changes of numbers", "changes-of-numbers"): {"NumberChange": "changes"},
    ("State machines", "state-machines"): {
        "MachineState": "states: {MACHINE: {STATE: ...}}", "Passage": "to: {STATE: ...}",
    },
    ("Sensors", "sensors-and-controllers"): {
        **dict.fromkeys(("Imu", "Pose", "Encoder", "Contact", "Range", "Value"), "sensors"),
        **{f"{name}Errors": f"sensors: {{NAME: {{type: {name.lower()}, errors: ...}}}}"
           for name in ("Imu", "Pose", "Encoder", "Contact", "Range", "Value")},
        **{f"{name}Errors": f"errors: {{{key}: ...}}" for name, key in (
            ("Acceleration", "acceleration"), ("AngularVelocity", "angular_velocity"), ("Position", "position"),
            ("Orientation", "orientation"), ("Coordinate", "coordinate"), ("Rate", "rate"), ("Force", "force"),
            ("Distance", "distance"), ("OfValue", "value"),
        )},
    },
    ("Controllers", "sensors-and-controllers"): dict.fromkeys(
        ("Pid", "LeadLag", "RateLimit", "Saturation", "Hold", "ExternalInput", "Python"), "controllers"
    ),
    ("Integrators", "integrators"): dict.fromkeys(
        ("Rkmk4Method", "AdaptiveMethod", "TaylorMethod", "Magnus2Method", "MagnusMethod", "EulerMethod"),
        "simulation: {integrator: ...}",
    ),
    ("Metrics, oracles, sweeps, fits", "metrics"): {
        "Reference": "oracle: {NAME: ...}", "SweepSettings": "sweep", "FitSettings": "fit",
        "Experiment": "fit: {data: [...]}", "MeasuredColumn": "columns: {QUANTITY: ...}",
        "FittedNumber": "fit: {parameters: {NAME: ...}}", "OptimiseSettings": "optimise",
        "VariedWithin": "optimise: {vary: {NAME: ...}}",
    },
}  # fmt: skip
"""The mappings of a scene by topic, with the section of scene-format.md that explains it, and where each stands."""
WORDS = ("required", "no rotation")
"""In place of a default."""
HEAD = """\
# Every key of a scene

Made by `python docs/make_keys.py` from the schema, which `rigidsim schema` prints. The unit is that of a plain number.
[The scene file](scene-format.md) explains the keys and has examples.
"""
SCENE_FORMAT = PAGE.with_name("scene-format.md")
EXAMPLE = re.compile(r"^```yaml\n.*?^```$", re.MULTILINE | re.DOTALL)
UNIT = re.compile(r" \[([^\]\s,]+)\]$")


def mappings() -> dict[str, dict]:
    """The schema of each mapping of a scene by its name."""
    schema = json_schema()
    return {"Scene": schema, **schema["$defs"]}


def as_yaml(value: object) -> str:
    """A default as a scene has it."""
    if value is None or value == {}:
        return ""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {as_yaml(part)}' for key, part in value.items() if part not in (None, []))}}}"
    if value == [1, 0, 0, 0]:
        return WORDS[1]
    if isinstance(value, list | tuple):
        return f"[{', '.join('null' if part is None else as_yaml(part) for part in value)}]"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def rows(mapping: dict) -> Iterator[str]:
    """A row for each key: its name, unit, default, and what it is."""
    required = set(mapping.get("required", ()))
    for name, key in mapping.get("properties", {}).items():
        said = key.get("description", "")
        unit = UNIT.search(said)
        default = WORDS[0] if name in required else as_yaml(key.get("default"))
        shown = f"`{default}`" if default and default not in WORDS else default
        choices = ", ".join(f"`{as_yaml(one)}`" for one in key.get("enum", ()))
        meaning = UNIT.sub("", said).replace("|", "\\|") + (f": {choices}" if choices else "")
        yield f"| `{name}` | {unit[1] if unit else ''} | {shown} | {meaning} |"


def called(place: str, mapping: dict) -> str:
    """The heading of a mapping: where it stands in a scene, and the word that selects it."""
    keys = mapping.get("properties", {})
    word = keys.get("type", {}).get("const") or keys.get("name", {}).get("const")
    return " in ".join(f"`{part}`" for part in (word, place) if part) or "A scene"


def table(place: str, mapping: dict) -> str:
    """The heading, description and keys of a mapping."""
    said = mapping.get("description", "").rstrip(".")
    head = f"### {called(place, mapping)}\n\n{said[:1].upper()}{said[1:]}.\n"
    return "\n".join([head, "| key | unit | default | meaning |", "|---|---|---|---|", *rows(mapping)]) + "\n"


def example(anchor: str) -> str:
    """The first example of a section of scene-format.md."""
    sections = re.split(r"^## (.*)\n", SCENE_FORMAT.read_text(), flags=re.MULTILINE)[1:]
    texts = {title.lower().replace(" ", "-"): text for title, text in zip(sections[::2], sections[1::2], strict=True)}
    found = EXAMPLE.search(texts[anchor])
    return f"{found[0]}\n" if found else ""


def document() -> str:
    """The whole page."""
    known, placed = mappings(), [name for names in TOPICS.values() for name in names]
    if sorted(known) != sorted(placed):
        raise ValueError(f"each mapping has one topic: {set(known) ^ set(placed)}")
    parts = [HEAD]
    for (title, anchor), names in TOPICS.items():
        parts.append(f"## {title}\n\n[Explanation](scene-format.md#{anchor})\n")
        parts.append(example(anchor))
        parts += [table(place, known[name]) for name, place in names.items()]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(document())
