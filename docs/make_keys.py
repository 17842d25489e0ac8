"""Writes the tables of keys into the pages of the scene reference: `python docs/make_keys.py`.

Keys, types, units and defaults are those of the JSON Schema of scenes. The example of a mapping is the one with the
most keys that a shipped scene or a page has in one line.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema

import marked
from rigidsim.cli.examples import shipped_scenes
from rigidsim.scene import json_schema
from rigidsim.scene.text.reader import read_text
from rigidsim.tree.joints import IS_ANGLE

PAGES = {
    "scene/index.md": {"The file": {"Scene": ""}},
    "scene/bodies.md": {
        "Bodies": {
            "Body": "bodies: {NAME: ...}",
            "PrincipalInertia": "inertia", "TensorInertia": "inertia",
            "InitialVelocity": "velocity", "InitialAngularVelocity": "angular_velocity",
        },
        "Orientations": dict.fromkeys(
            ("QuaternionFirst", "QuaternionLast", "AxisAngle", "EulerAngles", "RotationMatrix"), "orientation"
        ),
    },
    "scene/motions.md": {
        "Motions": {"GivenMotion": "motion", "PrescribedMotion": "motion: {prescribed: ...}"},
        "Rates": {
            "PrescribedVelocity": "prescribed: {velocity: ...}",
            "PrescribedAcceleration": "prescribed: {acceleration: ...}",
            "PrescribedAngularVelocity": "prescribed: {angular_velocity: ...}",
            "PrescribedAngularAcceleration": "prescribed: {angular_acceleration: ...}",
        },
        "Turns": {
            "TurnAboutAxis": "prescribed: {orientation: ...}", "TurnsInOrder": "prescribed: {orientation: ...}",
        },
    },
    "scene/joints.md": {
        "Joints": {joint.capitalize(): f"motion: {{{joint}: ...}}" for joint in IS_ANGLE},
        "Parts of joints": {
            "JointAxis": "axis", "TurnSpring": "hinge: {spring: ...}", "SlideSpring": "slide: {spring: ...}",
            "BallSpring": "ball: {spring: ...}", "TurnMotor": "hinge: {motor: ...}",
            "SlideMotor": "slide: {motor: ...}", "Breaks": "breaks",
        },
        "Start": {"StartSettings": "simulation: {start: ...}"},
    },
    "scene/loops.md": {
        "Loops": dict.fromkeys(
            ("PointLoop", "HingeLoop", "DistanceLoop", "Coupling", "SwingLoop", "TwistLoop", "TurnLoop"),
            "world: {loops: [...]}",
        )
    },
    "scene/shapes.md": {
        "Shapes": dict.fromkeys(
            ("Box", "Sphere", "Ellipsoid", "Cylinder", "Capsule", "Cone", "Tube", "Mesh", "Terrain", "Hull",
             "HalfSpace"), "shapes",
        ),
        "Files": {
            "MeasuredFile": "shapes: [{file: ...}]", "PointsFile": "shapes: [{type: hull, file: ...}]",
            "HeightFile": "shapes: [{type: terrain, file: ...}]",
        },
    },
    "scene/contact.md": {
        "Contact": {
            "ContactSettings": "simulation: {contact: ...}", "Material": "material", "Groups": "collide",
            "PairContact": "world: {contacts: [...]}",
        },
    },
    "scene/forces.md": {
        "Forces": dict.fromkeys(
            ("Constant", "Spring", "Damper", "TorsionSpring", "Drag", "Thruster", "Gravity", "PointGravity",
             "GravityGradient", "Bushing", "MassFlow"), "forces",
        ),
    },
    "scene/gravity.md": {
        "Gravity": {
            "Surroundings": "world", "PointSource": "world: {gravity: ...}",
            "MutualGravity": "world: {mutual_gravity: ...}",
        },
    },
    "scene/tables.md": {"Tables": {"TableData": "tables: {NAME: ...}"}},
    "scene/impulses.md": {
        "Impulses": {"Impulse": "impulses", "When": "when", "Stop": "simulation: {stop: ...}"},
    },
    "scene/reparenting.md": {"Reparenting": {"Reparenting": "reparent", "GivenJoint": "reparent: [{motion: ...}]"}},
    "scene/changes.md": {
        "Changes": {
            "NumberChange": "changes", "MachineState": "states: {MACHINE: {STATE: ...}}", "Passage": "to: {STATE: ...}",
        },
    },
    "scene/repeats.md": {
        "Copies": dict.fromkeys(("Grid", "Line", "Scatter"), "repeat"),
        "Includes": {"Include": "include"},
    },
    "scene/simulation.md": {
        "Simulation": {"SimulationSettings": "simulation", "RecordedPart": "simulation: {record: [...]}"},
    },
    "scene/integrators.md": {
        "Integrators": dict.fromkeys(
            ("Rkmk4Method", "AdaptiveMethod", "TaylorMethod", "Magnus2Method", "MagnusMethod", "EulerMethod"),
            "simulation: {integrator: ...}",
        ),
    },
    "scene/oracle.md": {"Oracle": {"Reference": "oracle: {QUANTITY: ...}"}},
    "sensors.md": {
        "Sensors": dict.fromkeys(("Imu", "Pose", "Encoder", "Contact", "Range", "Value"), "sensors"),
        "What has errors": {
            f"{name}Errors": f"sensors: {{NAME: {{type: {name.lower()}, errors: ...}}}}"
            for name in ("Imu", "Pose", "Encoder", "Contact", "Range", "Value")
        },
        "Errors": {
            f"{name}Errors": f"errors: {{{key}: ...}}"
            for name, key in (
                ("Acceleration", "acceleration"), ("AngularVelocity", "angular_velocity"), ("Position", "position"),
                ("Orientation", "orientation"), ("Coordinate", "coordinate"), ("Rate", "rate"), ("Force", "force"),
                ("Distance", "distance"), ("OfValue", "value"),
            )
        },
        "Controllers": dict.fromkeys(
            ("Pid", "LeadLag", "RateLimit", "Saturation", "Hold", "ExternalInput", "Python"), "controllers"
        ),
    },
    "sweeps.md": {"Sweeps": {"SweepSettings": "sweep"}},
    "fit.md": {
        "Fit": {
            "FitSettings": "fit", "Experiment": "fit: {data: [...]}", "MeasuredColumn": "columns: {QUANTITY: ...}",
            "FittedNumber": "fit: {parameters: {NAME: ...}}",
        },
    },
    "optimise.md": {
        "Optimise": {"OptimiseSettings": "optimise", "VariedWithin": "optimise: {vary: {NAME: ...}}"},
    },
}  # fmt: skip
"""The mappings of a scene by page and group, and where each stands. Keys that a group shares are shown once."""
EXAMPLES: dict[str, dict] = {
    "Body": {"mass": "2 kg", "inertia": "point", "position": [0, 0, 1], "velocity": ["1 m/s", 0, 0]},
    "GivenMotion": {"hinge": {"axis": [0, 0, 1]}},
    "Tank": {"at": [0, 0, -0.5]},
    "GivenJoint": {"hinge": {"axis": [0, 1, 0], "at": [-0.5, 0, 0], "damping": 1}},
    "MachineState": {"set": {"torque": 3}, "to": {"coasts": "= rate('wheel') > 5"}},
    "RotationMatrix": {"matrix": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]},
    "TensorInertia": {"tensor": [[2, 0, -0.1], [0, 3, 0], [-0.1, 0, 4]], "about": "origin"},
    "QuaternionFirst": {"wxyz": [0.6, 0, 0, 0.8]},
    "QuaternionLast": {"xyzw": [0, 0, 0.8, 0.6]},
    "PrescribedVelocity": {"frame": "body", "value": ["3 m/s", 0, 0]},
    "PrescribedAcceleration": {"frame": "body", "value": ["1 m/s^2", 0, 0]},
    "PrescribedAngularAcceleration": {"frame": "body", "value": [0, 0, 0.1]},
    "Cylindrical": {"axis": [0, 0, 1], "limits": [[0, "20 cm"], None], "dampings": [4, 0.1]},
    "Planar": {"normal": [0, 0, 1], "displacements": ["50 cm", 0], "frictions": [2, 2, 0.1]},
    "JointAxis": {"frame": "parent", "value": [0, 0, 1]},
    "BallSpring": {"stiffness": 20},
    "Tube": {"type": "tube", "radius": "5 cm", "inner_radius": "4 cm", "length": "1 m"},
    "Mesh": {"type": "mesh", "file": "bowl.stl", "scale": 0.001},
    "When": {"condition": "= z('ball') < 0", "every": True, "delay": "0.1 s"},
    "Rkmk4Method": {"name": "rkmk4"},
    "Magnus2Method": {"name": "magnus2", "iterations": 8},
    "MagnusMethod": {"name": "magnus", "terms": 4, "exponential": "cubic"},
    "EulerMethod": {"name": "euler"},
    "Imu": {"type": "imu", "every": 0.01, "position": [0.1, 0, 0], "errors": {"acceleration": {"noise": 0.02}}},
    "Contact": {"type": "contact", "every": 0.01, "to": "floor"},
    "Range": {"type": "range", "every": 0.05, "direction": [0, 0, -1], "longest": 50},
    "Value": {"type": "value", "every": 0.1, "value": "= hypot(x('sat'), y('sat'))"},
    "ImuErrors": {"acceleration": {"noise": 0.02}, "angular_velocity": {"bias": [0.001, 0, 0]}},
    "ContactErrors": {"force": {"noise": 0.5}},
    "RangeErrors": {"distance": {"noise": "1 cm"}},
    "ValueErrors": {"value": {"quantum": 0.1}},
    "AccelerationErrors": {"bias": [0.01, 0, 0], "noise_density": 0.002, "random_walk": 0.0001},
    "Pid": {"type": "pid", "every": 0.02, "input": "= 3 - wheel_rate", "proportional": 2, "integral": 0.5},
    "LeadLag": {"type": "lead_lag", "every": 0.01, "input": "= wheel_rate('cart')", "lag": 0.1, "gain": 2},
    "RateLimit": {"type": "rate_limit", "every": 0.01, "input": "= wanted", "rising": 2, "falling": 4},
    "Saturation": {"type": "saturation", "every": 0.01, "input": "= 3*wheel_rate('cart')", "limits": [-1, 1]},
    "Hold": {"type": "hold", "every": 0.02, "input": "= cos(angle('cart/pole'))"},
    "ExternalInput": {"type": "input", "every": 0.1, "limits": [-5, 5]},
    "Python": {"type": "python", "call": "attitude.py:control", "every": 0.1, "inputs": {"rate": "= wheel_rate"}},
    "FitSettings": {"data": [{"file": "swing.csv", "columns": {"arm.angle": "angle"}}], "parameters": {"inertia": {}}},
    "OptimiseSettings": {"vary": {"angle": ["10 deg", "80 deg"]}, "maximise": "= final(x('ball'))"},
    "VariedWithin": {"bounds": [4, 12], "scale": "log"},
}
"""Examples of mappings of which no scene has a good one in one line."""
TYPES = {"integer": "whole number", "boolean": "true or false", "string": "text"}
"""Types of the schema in words; a text beside a number is a quantity or an expression."""
LISTS, NAMED = ("shapes", "forces", "impulses", "reparent", "changes"), ("sensors", "controllers")
"""Keys with a list of mappings, and with mappings by name."""
SHOWN_ELSEWHERE = ("Scene", "MeasuredFile", "PointsFile", "HeightFile")
"""Mappings without an example: the page begins with one, or rigidsim writes them into resolved scenes."""
WORDS = ("required", "no rotation")
"""In place of a default."""
LONGEST, SHORT = 118, 88
"""Characters of an example from a scene: of any, and of one that fits into the width of a page."""
FENCE = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"<!-- keys -->.*?<!-- end -->", re.DOTALL)
UNIT = re.compile(r" \[([^\]\s,]+)\]$")
PLAIN = re.compile(r"(?:[\d.]+ ?)?[A-Za-z_./~-][\w ./*^~-]*")
"""Text that needs no quotes in a list or mapping of one line."""


class Row(NamedTuple):
    """A key of a mapping: its name, what a scene gives for it, unit, default, and what it is."""

    name: str
    kind: str
    unit: str
    default: str
    meaning: str


def mappings() -> dict[str, dict]:
    """The schema of each mapping of a scene by its name."""
    schema = json_schema()
    return {"Scene": schema, **schema["$defs"]}


def as_yaml(value: object) -> str:
    """A value as a scene has it, in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{as_yaml(key)}: {as_yaml(part)}' for key, part in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_yaml, value))}]"
    if isinstance(value, str):
        return (
            value
            if PLAIN.fullmatch(value) and value not in ("true", "false")
            else json.dumps(value, ensure_ascii=False)
        )
    return json.dumps(value) if isinstance(value, bool) or value is None else f"{value:.12g}"


def as_default(value: object) -> str:
    """A default as a scene has it, without the keys that are empty."""
    if value is None or value == {}:
        return ""
    if value == [1, 0, 0, 0]:
        return WORDS[1]
    if isinstance(value, dict):
        value = {key: part for key, part in value.items() if part not in (None, [])}
    return as_yaml(value)


# --- types


def kinds(schema: dict) -> Iterator[str]:
    """What a scene may give for a key, in words."""
    if "$ref" in schema:
        yield "mapping"
    elif "if" in schema:
        quantity = "uniform" in schema["then"].get("properties", {})
        yield from kinds(schema["else"]) if quantity else [*kinds(schema["then"]), *kinds(schema["else"])]
    elif forms := schema.get("anyOf", schema.get("oneOf", ())):
        if schema.get("type") == "object":
            yield "mapping"
        else:
            found = [kind for form in forms for kind in kinds(form)]
            is_number = "number" in found or "whole number" in found
            yield from (kind for kind in found if not (kind in ("text", "expression") and is_number))
    elif schema.get("type") == "array":
        yield array(schema)
    elif "enum" in schema or "const" in schema:
        yield "word"
    elif schema.get("type") == "object":
        named = schema.get("additionalProperties")
        inner = kind_of(named) if isinstance(named, dict) else ""
        yield f"{f'({inner})' if ' ' in inner else inner} by name" if inner else "mapping"
    elif schema.get("type") == "string":
        yield "expression" if schema.get("pattern", "").startswith("^\\s*=") else "text"
    elif "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        yield from (TYPES.get(name, name) for name in names if name != "string" or len(names) == 1)


def kind_of(schema: dict) -> str:
    """What a scene may give for a key, joined."""
    return " or ".join(dict.fromkeys(kinds(schema)))


def array(schema: dict) -> str:
    """A list: how many of what."""
    items = schema.get("prefixItems") or [schema.get("items") or {}]
    inner = kind_of(items[0]) or "value"
    plural = {"mapping": "mappings", "number": "numbers", "text": "texts", "value": "values"}.get(inner)
    number = schema.get("minItems") if schema.get("minItems") == schema.get("maxItems") else None
    if plural is None:
        return f"list of {number or ''} ({inner})".replace("  ", " ")
    return f"{number} {plural}" if number else f"list of {plural}"


def rows(mapping: dict) -> Iterator[Row]:
    """A row for each key but the word that selects the mapping."""
    required = set(mapping.get("required", ()))
    for name, key in mapping.get("properties", {}).items():
        if name in ("type", "name") and "const" in key:
            continue
        said = key.get("description", "")
        unit = UNIT.search(said)
        default = WORDS[0] if name in required else as_default(key.get("default"))
        shown = f"`{default}`" if default and default not in WORDS else default
        choices = ", ".join(f"`{as_yaml(one)}`" for one in key.get("enum", ()))
        meaning = UNIT.sub("", said).replace("|", "\\|") + (f": {choices}" if choices else "")
        yield Row(name, kind_of(key), unit[1] if unit else "", shown, meaning)


# --- examples


def visit(schema: dict, value: Any, seen: dict[str, list[dict]]) -> None:
    """Note the mappings in a value that has this schema."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if isinstance(value, dict):
            seen[name].append(value)
        visit(mappings_once()[name], value, seen)
    if "if" in schema:
        chosen = "then" if fits(schema["if"], value) else "else"
        visit(schema.get(chosen, {}), value, seen)
    for form in schema.get("allOf", ()):
        visit(form, value, seen)
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if fits(form, value):
            visit(form, value, seen)
    if isinstance(value, dict):
        named = schema.get("additionalProperties")
        for key, part in value.items():
            if key in schema.get("properties", {}):
                visit(schema["properties"][key], part, seen)
            elif isinstance(named, dict):
                visit(named, part, seen)
    elif isinstance(value, list):
        items = schema.get("prefixItems") or [schema.get("items") or {}] * len(value)
        for item, part in zip(items, value, strict=False):
            visit(item, part, seen)


@cache
def mappings_once() -> dict[str, dict]:
    """`mappings`, made once."""
    return mappings()


def fits(schema: dict, value: Any) -> bool:
    """Whether a value is valid by a part of the schema."""
    return jsonschema.Draft202012Validator(schema | {"$defs": mappings_once()}).is_valid(value)


def prose(page: Path) -> str:
    """The text of a page without the tables of this module."""
    return MADE.sub("", page.read_text())


@cache
def seen() -> dict[str, list[dict]]:
    """The mappings of all shipped scenes and of those in the pages."""
    texts = [path.read_text() for path in shipped_scenes().values()]
    texts += [text for page in sorted(marked.DOCS.rglob("*.md")) for text in FENCE.findall(prose(page))]
    found: dict[str, list[dict]] = defaultdict(list)
    for text in texts:
        visit(mappings_once()["Scene"], read_text(text, "").data, found)
    return found


def example(name: str, place: str) -> str:
    """The mapping with the most keys that fits into a line, at its place; those without expressions come first."""
    schema = mappings_once()[name]
    known = [EXAMPLES[name]] if name in EXAMPLES else seen()[name]
    valid = {placed(one, place): one for one in known if one and fits(schema, one)}
    lines = [line for line in valid if len(line) <= LONGEST or name in EXAMPLES]
    best = max(
        lines, key=lambda line: (len(line) <= SHORT, "=" not in line, len(valid[line]), -len(line), line), default=""
    )
    if not best and name not in SHOWN_ELSEWHERE:
        raise ValueError(f"no valid example of {name}")
    return f"```yaml\n{best}\n```\n" if best else ""


def placed(value: dict, place: str) -> str:
    """A mapping where it stands in a scene."""
    text = as_yaml(value)
    if "..." in place:
        return place.replace("...", text)
    return f"{place}: {f'[{text}]' if place in LISTS else f'{{NAME: {text}}}' if place in NAMED else text}"


# --- pages


def word(mapping: dict) -> str:
    """The word that selects a mapping, if there is one."""
    keys = mapping.get("properties", {})
    return keys.get("type", {}).get("const") or keys.get("name", {}).get("const") or ""


def called(place: str, mapping: dict, alternatives: int) -> str:
    """The heading of a mapping: where it stands in a scene, and the word or key that selects it there."""
    if selected := word(mapping):
        return f"`{selected}` in `{place}`"
    if alternatives > 1:
        key = f"{{{mapping['required'][0]}: ...}}"
        return f"`{place.replace('...', key)}`" if "..." in place else f"`{place}: {key}`"
    return f"`{place}`" if place else "A scene"


def table(rows: Iterable[Row]) -> str:
    """Keys as a table."""
    lines = [f"| `{row.name}` | {row.kind} | {row.unit} | {row.default} | {row.meaning} |" for row in rows]
    return "\n".join(["| key | type | unit | default | meaning |", "|---|---|---|---|---|", *lines]) + "\n"


def section(title: str, group: dict[str, str], known: dict[str, dict], page: str) -> Iterator[str]:
    """The tables of a group of mappings, first that of the keys that several have."""
    members = {name: [*rows(known[name])] for name in group}
    common = shared(members)
    own = {name: [row for row in having if row.name not in common] for name, having in members.items()}
    if common:
        name, place = next(iter(group.items()))
        shown = "" if any(own.values()) else f"{example(name, place)}\n"
        yield f"### {title}: keys in common\n\n{shown}{table_of_shared(common, members, group, known)}"
    for name, place in group.items():
        if any(own.values()) or not common:
            said = known[name].get("description", "").rstrip(".")
            text = "" if said.replace("|", "\\|") in page else f"{said[:1].upper()}{said[1:]}.\n"
            heading = called(place, known[name], [*group.values()].count(place))
            shown = (f"### {heading}\n", text, example(name, place), table(own[name]) if own[name] else "")
            yield "\n".join(filter(None, shown))


def shared(members: dict[str, list[Row]]) -> dict[str, Row]:
    """The keys that at least three mappings have, with one meaning in all that have them; types and units may
    differ.
    """
    found: dict[str, list[Row]] = defaultdict(list)
    for row in (row for rows in members.values() for row in rows):
        found[row.name].append(row)
    return {
        name: having[0]._replace(kind=joined(" or ", having, "kind"), unit=joined(", ", having, "unit"))
        for name, having in found.items()
        if len(having) > 2 and len({row._replace(kind="", unit="") for row in having}) == 1
    }


def joined(between: str, rows: list[Row], column: str) -> str:
    """What is in a column of rows, each text once."""
    return between.join(dict.fromkeys(filter(None, (getattr(row, column) for row in rows))))


def table_of_shared(common: dict[str, Row], members: dict[str, list[Row]], group: dict, known: dict) -> str:
    """Keys that several mappings have, and which."""
    words = {name: f"`{word(known[name]) or group[name].split(': ...')[0].rpartition('{')[2]}`" for name in members}
    lines = []
    for key, row in common.items():
        having = [name for name, rows in members.items() if any(one.name == key for one in rows)]
        lacking = [words[name] for name in members if name not in having]
        some = ", ".join(words[name] for name in having)
        of = "all" if not lacking else f"all but {', '.join(lacking)}" if len(lacking) < len(having) else some
        lines.append(f"| `{key}` | {of} | {row.kind} | {row.unit} | {row.default} | {row.meaning} |")
    return "\n".join(["| key | of | type | unit | default | meaning |", f"|{'---|' * 6}", *lines]) + "\n"


def documents() -> dict[str, str]:
    """The pages with their tables."""
    known, placed = mappings_once(), [name for groups in PAGES.values() for group in groups.values() for name in group]
    if sorted(known) != sorted(placed):
        raise ValueError(f"each mapping has one page: {set(known) ^ set(placed)}")
    made = {}
    for page, groups in PAGES.items():
        text = prose(marked.DOCS / page)
        tables = [table for title, group in groups.items() for table in section(title, group, known, text)]
        made[page] = marked.filled(page, {"keys": "\n".join(tables)})
    return made


if __name__ == "__main__":
    marked.write(documents())
