"""What is said of a scene that is valid but unwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rigidsim.cli.console import tell
from rigidsim.errors import SceneError

if TYPE_CHECKING:
    from rigidsim.scene import Scene

strict_option = click.option("--strict", is_flag=True, help="Take warnings as errors.")


def tell_warnings(scene: Scene, strict: bool) -> None:
    """Each warning on stderr; with `strict` the program ends there."""
    for warning in scene.warnings:
        tell(f"{'error' if strict else 'warning'}: {warning}")
    if strict and scene.warnings:
        raise click.exceptions.Exit(SceneError.exit_code)
