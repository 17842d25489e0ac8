"""What is said of a scene that is valid but unwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from rigidsim.cli.console import tell
from rigidsim.errors import SceneError

if TYPE_CHECKING:
    from rigidsim.scene import Scene

strict_option = click.option("--strict", is_flag=True, help="Take warnings as errors.")


def tell_each(warnings: Iterable[str], strict: bool) -> None:
    """Warnings on stderr; with `strict` they are errors."""
    for warning in warnings:
        tell(f"{'error' if strict else 'warning'}: {warning}")


def tell_warnings(scene: Scene, strict: bool) -> None:
    """Each warning on stderr; with `strict` the program ends there."""
    tell_each(scene.warnings, strict)
    if strict and scene.warnings:
        raise click.exceptions.Exit(SceneError.exit_code)
