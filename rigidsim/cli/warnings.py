"""Warnings about a valid scene and about the result of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from rigidsim.cli.console import print_message
from rigidsim.errors import SceneError

if TYPE_CHECKING:
    from rigidsim.scene import Scene

strict_option = click.option("--strict", is_flag=True, help="Treat warnings as errors.")


def print_warnings(warnings: Iterable[str], strict: bool) -> None:
    """Print warnings to stderr; with `strict`, as errors."""
    for warning in warnings:
        print_message(f"{'error' if strict else 'warning'}: {warning}")


def report_warnings(scene: Scene, strict: bool) -> None:
    """Print the warnings about a scene; with `strict`, exit if there are any."""
    print_warnings(scene.warnings, strict)
    if strict and scene.warnings:
        raise click.exceptions.Exit(SceneError.exit_code)
