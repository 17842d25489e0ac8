"""Scenes: YAML text to checked, frozen, SI-valued models."""

from rigidsim.scene.scene import Scene, json_schema

__all__ = ["Scene", "json_schema"]
