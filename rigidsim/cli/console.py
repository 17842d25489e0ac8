"""Standard streams that are closed, full, or cannot show every character."""

from __future__ import annotations

import os
import sys

import click


def prepare_streams() -> None:
    """Give each closed stream a place to go, and let a narrow encoding escape what it does not have."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Opened in this order it also takes the free descriptor, which no data file then gets.
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    sys.stdout.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Nobody reads on (`| head`): what is still buffered has nowhere to go."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())


def printable(text: str) -> str:
    """Text without control characters, which names in a foreign file could send to the terminal."""
    if text.isprintable():
        return text  # a long one of JSON, say
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def show(text: object) -> None:
    """A result, on stdout."""
    click.echo(printable(str(text)))


def tell(text: str) -> None:
    """A message, on stderr."""
    click.echo(printable(text), err=True)
