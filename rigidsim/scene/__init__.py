"""Scenes: YAML text to checked, frozen, SI-valued models."""

from rigidsim.scene.read import Scene, as_scene
from rigidsim.scene.schema.json_schema import json_schema

__all__ = ["Scene", "as_scene", "json_schema"]
