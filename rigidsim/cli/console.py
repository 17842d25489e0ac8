"""Standard streams that are closed, full, or have a limited encoding."""

from __future__ import annotations

import codecs
import os
import sys

import click

from rigidsim.errors import RigidsimError, SceneError

SIMPLER = dict(zip("▁▂▃▄▅▆▇█²", "_.-:=+*#2", strict=True))
"""What stands for characters of sparklines and units where an encoding lacks them."""


def _simplified(error: UnicodeError) -> tuple[str, int]:
    """Characters that an encoding lacks: simpler ones, or escaped."""
    lacking = error.object[error.start : error.end]
    return "".join(SIMPLER.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking), error.end


def prepare_streams() -> None:
    """Replace closed streams by the null device; simplify or escape characters that the encoding of stdout lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # This also occupies the free file descriptor, so that no data file gets it.
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    codecs.register_error("simplify", _simplified)
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


def print_message(text: str) -> None:
    """Print a message to stderr."""
    click.echo(printable(text), err=True)


def print_error(error: RigidsimError) -> None:
    """Print an error to stderr: scene problems say themselves that they are errors, and an interruption is none."""
    labelled = isinstance(error, SceneError) or error.exit_code > 128
    print_message(str(error) if labelled else f"error: {error}")
