"""What commands print; streams that are closed, full, or have a limited encoding."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Collection, Iterable
from typing import Any

import click

from rigidsim.errors import RigidsimError, SceneError

SIMPLER = dict(zip("▁▂▃▄▅▆▇█²", "_.-:=+*#2", strict=True))
"""What stands for characters of sparklines and units where an encoding lacks them."""
strict_option = click.option("--strict", is_flag=True, help="Treat warnings as errors.")


def _simplified(error: UnicodeError) -> tuple[str, int]:
    """Characters that an encoding lacks: simpler ones, or escaped."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join(SIMPLER.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking), error.end


def prepare_streams() -> None:
    """Replace closed streams by the null device; simplify or escape characters that the encoding of stdout lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # This also occupies the free file descriptor, so that no data file gets it.
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    codecs.register_error("simplify", _simplified)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="simplify")


def discard_output() -> None:
    """Flush the streams; discard their buffers if the reader has closed the pipe (`| head`)."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(null, stream.fileno())


def printable(text: str) -> str:
    """Text with control characters escaped: names in a foreign file must not control the terminal."""
    if text.isprintable():
        return text  # fast for long JSON
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def print_result(text: object) -> None:
    """Print a result to stdout."""
    click.echo(printable(str(text)))


def print_report(report: Any, as_json: bool, quiet: bool = False) -> None:
    """Print a report to stdout, as text unless it is `quiet`, or as JSON."""
    if as_json:
        print_result(json.dumps(report.as_dict()))
    elif not quiet:
        print_result(report)


def print_message(text: str) -> None:
    """Print a message to stderr."""
    click.echo(printable(text), err=True)


def print_error(error: RigidsimError) -> None:
    """Print an error to stderr: scene problems say themselves that they are errors, and an interruption is none."""
    labelled = isinstance(error, SceneError) or error.exit_code > 128
    print_message(str(error) if labelled else f"error: {error}")


def print_warnings(warnings: Iterable[str], strict: bool) -> None:
    """Print warnings to stderr; with `strict`, as errors."""
    for warning in warnings:
        print_message(f"{'error' if strict else 'warning'}: {warning}")


def report_warnings(warnings: Collection[str], strict: bool) -> None:
    """Print the warnings about a scene; with `strict`, exit if there are any."""
    print_warnings(warnings, strict)
    if strict and warnings:
        raise click.exceptions.Exit(SceneError.exit_code)
