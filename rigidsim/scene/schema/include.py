"""The schema of `include`: a scene in another file, which becomes the children of a body."""

from __future__ import annotations

from typing import Any

from pydantic import Field, create_model

from rigidsim.scene.values.base import Parsed, SceneModel, mapping_of, or_mapping

KEY = "include"

_KEYS: dict[str, Any] = {
    "file": (str, Field(description="Path of the scene; a relative one begins at the folder of this file.")),
    "with": (
        mapping_of(str, Any, "names of parameters with values", "{reach: 12 m}"),
        Field({}, description="Values of parameters of that scene; they may be expressions of this one's."),
    ),
}
_Included = create_model(
    "Include",
    __base__=SceneModel,
    __doc__="A scene in another file, of which the bodies become children of this body.",
    **_KEYS,
)
Include = Parsed[Any, or_mapping(str, _Included, "file")]
"""A scene in another file: its path, or a mapping with it and values of parameters."""
