"""What a reader types, in a shell and in Python, where `rigidsim` is a command of the process of the tests."""

from __future__ import annotations

import io
import os
import re
import socket
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from unittest import mock

import pytest

from rigidsim.cli import main

COMPILING = re.compile(r"^compiling the stepper .*\n", re.MULTILINE)
"""The line that announces compiling, which depends on what the cache holds."""
HANDED_ON = r"""set -e
rigidsim() {
    sh -c 'command -v rigidsim' >"$SAID/out" || return 127
    printf '%s\0' "$PWD" "$@" >&0; echo >&0
    read -r code
    cat "$SAID/out"; cat "$SAID/err" >&2
    return "$code"
}
"""
"""Makes `rigidsim`, once there is one on the path, a function that hands its words on through standard input."""


class Outcome(NamedTuple):
    """How what was typed ended, and what it said."""

    code: int
    out: str
    err: str


def in_shell(text: str, folder: Path, said: Path) -> Outcome:
    """Type it in a folder, at first without an environment; `said` is a folder for what the commands say."""
    path = os.pathsep.join(p for p in os.get_exec_path() if Path(p) != Path(sys.executable).parent)
    settings = {"cwd": folder, "env": os.environ | {"PATH": path, "SAID": str(said)}}
    ours, theirs = socket.socketpair()
    with ours, ours.makefile("rwb") as line, (said / "whole").open("w") as out, (said / "errors").open("w") as err:
        with theirs:
            shell = subprocess.Popen(["sh", "-c", HANDED_ON + text], stdin=theirs, stdout=out, stderr=err, **settings)
        for request in line:
            here, *words = request.decode().removesuffix("\0\n").split("\0")
            with chdir(here):
                line.write(b"%d\n" % command(words, said))
            line.flush()
        return Outcome(shell.wait(), (said / "whole").read_text(), (said / "errors").read_text())


def command(words: list[str], said: Path) -> int:
    """The command line in this process; its exit code. Workers that it starts import its script, which is not that of
    the tests.
    """
    with pytest.MonkeyPatch.context() as script, (said / "out").open("w") as out, (said / "err").open("w") as err:
        streams = mock.patch.multiple(sys, argv=["rigidsim", *words], stdout=out, stderr=err)
        script.setitem(sys.modules, "__main__", ModuleType("__main__"))
        with streams, pytest.raises(SystemExit) as left:
            main()
    return left.value.code


def in_python(text: str, folder: Path) -> Outcome:
    """Run it in a folder; its exceptions are the test's."""
    with chdir(folder), redirect_stdout(io.StringIO()) as out:
        exec(compile(text, "<typed>", "exec"), {"__name__": "__main__"})
    return Outcome(0, out.getvalue(), "")
