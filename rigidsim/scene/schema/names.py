"""Names of bodies, and the words that stand for frames in place of a name."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator
from pydantic.config import JsonDict

from rigidsim.quantities.vocabulary import BODY, PARENT
from rigidsim.scene.expressions.vocabulary import BODIES
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import invalid
from rigidsim.tree.nodes import WORLD

AXES = (BODY, PARENT, WORLD)
"""The axes that a vector may be written in."""
WORDS = tuple(dict.fromkeys((*AXES, *BODIES)))
"""Words for frames, which are not allowed as names of bodies."""
BODY_NAME_SCHEMA = {"type": "string", "pattern": f"^(?!({'|'.join(WORDS)}|\\.|\\.\\.)$)[^/\\s]([^/]*[^/\\s])?$"}
NAMED: JsonDict = {"propertyNames": {**BODY_NAME_SCHEMA}}


def _check_name(name: str) -> str:
    if name in WORDS:
        message = f"a body cannot be called '{name}'"
        raise invalid("body-name", message, "the word has a meaning of its own in 'frame', 'to' and expressions")
    if name in (".", "..", ""):
        raise invalid("body-name", f"a body cannot be called '{name}'")
    if name != name.strip():
        raise invalid("body-name", f"the name '{shown(name)}' begins or ends with a blank")
    if "/" in name or not name.isprintable():
        message = f"the name '{shown(name)}' contains a character that is not allowed"
        raise invalid("body-name", message, "a slash separates bodies in a path, and names must be printable")
    return name


BodyName = Annotated[str, AfterValidator(_check_name)]
