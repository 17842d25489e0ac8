"""What bodies may be called, and the words that stand for the nearest frames instead of a name."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import complaint

WORLD = "world"
AXES = ("body", "parent", "world")
"""The axes that a vector may be written in."""
SEEN = ("self", "parent", "world")
"""Whose state an expression may use beside that of bodies by their paths."""
WORDS = tuple(dict.fromkeys((*AXES, *SEEN)))
"""What frames are called, so that no body can be."""
BODY_NAME_SCHEMA = {"type": "string", "pattern": f"^(?!({'|'.join(WORDS)}|\\.|\\.\\.)$)[^/\\s]([^/]*[^/\\s])?$"}
NAMED = {"propertyNames": BODY_NAME_SCHEMA}


def _check_name(name: str) -> str:
    if name in WORDS:
        message = f"a body cannot be called '{name}'"
        raise complaint("body-name", message, "the word has a meaning of its own in 'frame', 'to' and expressions")
    if name in (".", "..", ""):
        raise complaint("body-name", f"a body cannot be called '{name}'")
    if name != name.strip():
        raise complaint("body-name", f"the name '{shown(name)}' begins or ends with a blank")
    if "/" in name or not name.isprintable():
        message = f"the name '{shown(name)}' contains a character that is not allowed"
        raise complaint("body-name", message, "a slash separates bodies in a path, and names must be printable")
    return name


BodyName = Annotated[str, AfterValidator(_check_name)]
