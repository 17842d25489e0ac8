"""What changes of numbers make of a scene: the document in which they are set, and what they may not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rigidsim.errors import SceneError, UsageError
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tree import parts
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.hierarchy.triggers import Setting
from rigidsim.scene.prepare.overrides import address, path_of, put
from rigidsim.scene.schema.changes import KEYS
from rigidsim.scene.schema.scene import SceneData
from rigidsim.scene.text.document import Document, Path, shown
from rigidsim.scene.text.plain import plain_data
from rigidsim.scene.values.evaluation import is_expression

Leaves = dict[Path, Any]
"""The numbers and texts of plain data by their paths."""

UNMOVED = ("title", "description", "parameters", "tables", "let", "metrics", "oracle", "sweep", "fit", "optimise")
"""Keys of a scene that move nothing by themselves."""
OF_JOINT = ("spring", "damping", "friction", "limits", "restitution", "motor", "breaks")
CHANGEABLE = "only numbers of forces, impulses, gravity, materials, and of springs, motors, friction and stops can"


@dataclass
class Changing:
    """A scene whose numbers change during a run: its document before it was read, and what is set."""

    document: Document
    settings: Sequence[Setting]
    included: Mapping[Path, tuple[Path, int]] = field(default_factory=dict)
    """Of the settings of included scenes, by their places: the body, and the number of the setting there."""
    leaves: tuple[Leaves, ...] = field(default=())
    """Of each setting what it sets in the resolved scene; known after the check."""

    @property
    def gravity(self) -> bool:
        """Whether the gravity of the world is set."""
        return any(path[:2] == ("world", "gravity") for leaves in self.leaves for path in leaves)

    def changed(self, numbers: Sequence[int]) -> Document:
        """The document with what is set by the settings with these numbers, one after the other. Raises UsageError for
        a path that the scene does not have.
        """
        document = self.document.copy()
        for number in numbers:
            setting = self.settings[number]
            if setting.place in self.included:
                body, own = self.included[setting.place]
                document.later[body] = (*document.later.get(body, ()), own)
            for dotted, value in setting.numbers.items() if setting.place not in self.included else ():
                put(document, path_of(document, dotted, SceneData, value), plain_data(value))
        return document


def has_changes(document: Document) -> bool:
    """Whether numbers of the scene in a document change during a run."""
    return isinstance(document.data, dict) and any(document.data.get(key) for key in KEYS)


def leaves_of(data: Any, path: Path = ()) -> Leaves:
    """The leaves of plain data."""
    if not isinstance(data, dict | list):
        return {path: data}
    items = data.items() if isinstance(data, dict) else enumerate(data)
    return {place: leaf for key, value in items for place, leaf in leaves_of(value, (*path, key)).items()}


def differing(before: Leaves, after: Leaves) -> list[Path]:
    """The paths of the leaves that differ, in the order of both."""
    return [path for path in {**before, **after} if before.get(path) != after.get(path)]


def changes_of_leaves(settings: Sequence[Setting], base: Leaves, changed: Sequence[Leaves]) -> tuple[Leaves, ...]:
    """What each setting sets in the resolved scene: every leaf that it, or a setting of the same number, changes."""
    found = [differing(base, one) for one in changed]
    return tuple(
        {
            path: own[path]
            for other, paths in zip(settings, found, strict=True)
            if set(setting.numbers) & set(other.numbers)
            for path in paths
            if path in own
        }
        for setting, own in zip(settings, changed, strict=True)
    )


def unchangeable(before: Hierarchy, base: Leaves, after: Hierarchy, changed: Leaves) -> Iterator[str]:
    """What a setting would change although it cannot."""
    for path in differing(base, changed):
        are_numbers = path[0] in UNMOVED or (_is_number(base.get(path)) and _is_number(changed.get(path)))
        if not (are_numbers and _may_change(path)):
            yield f"'{shown(address(path))}' would change, and {CHANGEABLE} change during a run"
    for node, other in zip(before, after, strict=True) if len(before.nodes) == len(after.nodes) else ():
        if _sparkline(node) != _sparkline(other):
            yield f"the prescribed motion of '{node.path}' would jump"


def _is_number(value: Any) -> bool:
    """Whether this is a number, or an expression of one."""
    return type(value) in (int, float) or is_expression(value)


def _may_change(path: Path) -> bool:
    """Whether what a resolved scene has here may change during a run, if it is a number."""
    if path[0] == "bodies":
        keys = path[2:]
        while keys[:1] == ("children",):
            keys = keys[2:]
    else:
        keys = path
    match keys:
        case ("world", "gravity" | "mutual_gravity" | "contacts", *_) | ("simulation", "stop", *_):
            return True
        case ("forces", _, key, *_) | ("impulses", _, key, *_):
            return key not in ("during", "time")
        case ("material" | "let", *_):
            return True
        case ("motion", _, key, *_) | ("reparent", _, "motion", _, key, *_):
            return key in OF_JOINT or str(key).removesuffix("s") in OF_JOINT
        case ("reparent", _, "when", *_):
            return True
    return keys[0] in (*UNMOVED, *KEYS)


def _sparkline(node: SceneNode) -> list[Any]:
    """What says how a node moves as a function of time, for comparison."""
    given = [*(node.prescribed or ())]
    if node.joint is not None:
        given += [one.desired for one in node.joint.coordinates if one.is_prescribed]
    return [_compared(value) for value in given]


def _compared(value: Any) -> Any:
    """A value that is equal for equal numbers and expressions, with what named quantities in these are."""
    if isinstance(value, Expression):
        return [*parts(value.tree)]
    return [_compared(part) for part in value] if isinstance(value, tuple) else value


def setting_findings(
    changing: Changing, read: Any, before: Hierarchy, resolved: Any
) -> tuple[list[Finding], tuple[Leaves, ...]]:
    """The problems with what is set, and the leaves that each setting sets; `read` reads a document, and `resolved`
    gives the plain data of a scene.
    """
    found, all_leaves, base = [], [], leaves_of(resolved(before.scene))
    for number, setting in enumerate(changing.settings):
        unknown = [*_unknown(changing, setting)]
        found += unknown
        if unknown:
            continue
        try:
            scene = read(changing.changed([number]))
        except SceneError as error:
            found += [_finding(setting, problem) for problem in error.problems]
            continue
        leaves = leaves_of(resolved(scene))
        faults = unchangeable(before, base, scene.hierarchy, leaves)
        found += [Finding("set", fault, setting.place) for fault in faults]
        all_leaves.append(leaves)
    return found, () if found else changes_of_leaves(changing.settings, base, all_leaves)


def _unknown(changing: Changing, setting: Setting) -> Iterator[Finding]:
    """The paths that the scene does not have."""
    for dotted, value in setting.numbers.items() if setting.place not in changing.included else ():
        try:
            path_of(changing.document, dotted, SceneData, value)
        except UsageError as error:
            yield Finding("set", str(error), (*setting.place, dotted), at_key=True)


def _finding(setting: Setting, problem: Any) -> Finding:
    """A problem of the scene in which something is set, at the place where that is written."""
    near = [dotted for dotted in setting.numbers if problem.path.startswith(dotted)]
    key = near[0] if near else next(iter(setting.numbers)) if len(setting.numbers) == 1 else None
    place = setting.place if key is None else (*setting.place, key)
    message = problem.message if near else f"with this, {problem.path}: {problem.message}"
    return Finding(problem.code, message, place, problem.hint)
