"""The JSON Schema of scene files."""

from __future__ import annotations

from typing import Any

from rigidsim.scene.schema.scene import SceneData


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of scene files as they are written, for editors and other programs."""
    schema = SceneData.model_json_schema(mode="validation")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:rigidsim:scene:1",
        "title": "rigidsim scene",
    }
    return head | {key: _without_null_defaults(value) for key, value in schema.items() if key != "title"}


def _without_null_defaults(schema: Any) -> Any:
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if not (key == "default" and value is None)}
        return {key: _without_null_defaults(value) for key, value in kept.items()}
    return [_without_null_defaults(item) for item in schema] if isinstance(schema, list) else schema
