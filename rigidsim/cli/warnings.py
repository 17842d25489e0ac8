"""Warnings about a valid scene and about the result of a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import click

from rigidsim.cli.console import print_message
from rigidsim.errors import SceneError

strict_option = click.option("--strict", is_flag=True, help="Treat warnings as errors.")


def print_warnings(warnings: Iterable[str], strict: bool) -> None:
    """Print warnings to stderr; with `strict`, as errors."""
    for warning in warnings:
        print_message(f"{'error' if strict else 'warning'}: {warning}")


def report_warnings(warnings: Collection[str], strict: bool) -> None:
    """Print the warnings about a scene; with `strict`, exit if there are any."""
    print_warnings(warnings, strict)
    if strict and warnings:
        raise click.exceptions.Exit(SceneError.exit_code)
