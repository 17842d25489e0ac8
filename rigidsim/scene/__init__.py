"""Scenes: YAML text to checked, frozen, SI-valued models."""

from rigidsim.scene.scene import Scene, as_scene, json_schema

__all__ = ["Scene", "as_scene", "json_schema"]
