"""Completion in bash, zsh and fish: the scripts of docs/command-line.md, evaluated by the shells that there are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
SHELLS = ("bash", "zsh", "fish")
COMPLETE = {
    "bash": """eval "$(_RIGIDSIM_COMPLETE=bash_source rigidsim)"
        COMP_WORDS=({words}); COMP_CWORD={last}; _rigidsim_completion rigidsim; printf '%s\\n' "${{COMPREPLY[@]}}" """,
    "zsh": """autoload -Uz compinit && compinit -u -D
        eval "$(_RIGIDSIM_COMPLETE=zsh_source rigidsim)"
        compadd() {{ print -l -- $completions }}
        _describe() {{ print -l -- ${{completions_with_descriptions%%:*}} }}
        words=({words}); CURRENT={last}+1; _rigidsim_completion""",
    "fish": """_RIGIDSIM_COMPLETE=fish_source rigidsim | source
        complete --do-complete '{words}' | string replace -r '\\t.*' ''""",
}
"""In each shell, the line of the page, and the candidates for the last of some words, a line for each."""
CASES = {
    "rigidsim val": ["validate"],
    "rigidsim run --integrator mag": ["magnus", "magnus2"],
    "rigidsim examples copy flip": ["flipping_axis"],
}


@pytest.fixture
def environment(workplace):
    """An environment in which `rigidsim` is a command."""
    command = workplace / "bin" / "rigidsim"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rigidsim "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), *os.get_exec_path()])
    return {**os.environ, "PATH": path, "HOME": str(workplace), "XDG_CONFIG_HOME": str(workplace)}


@pytest.mark.parametrize("words", CASES)
@pytest.mark.parametrize("shell", SHELLS)
def test_shell_completes(shell, words, environment):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = COMPLETE[shell].format(words=words, last=words.count(" "))
    done = subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == CASES[words], done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_script_of_each_shell_is_the_one_of_the_page(call, monkeypatch, shell):
    """Without the shell itself: the script is made, and its question is answered with the candidates."""
    assert f"_RIGIDSIM_COMPLETE={shell}_source rigidsim" in PAGE
    assert COMPLETE[shell].count(f"_RIGIDSIM_COMPLETE={shell}_source rigidsim") == 1
    monkeypatch.setenv("_RIGIDSIM_COMPLETE", f"{shell}_source")
    code, out, _ = call()
    assert (code, f"_RIGIDSIM_COMPLETE={shell}_complete" in out) == (0, True)
    monkeypatch.setenv("_RIGIDSIM_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "rigidsim val")
    monkeypatch.setenv("COMP_CWORD", "val" if shell == "fish" else "1")
    code, out, _ = call()
    assert (code, "validate" in out, "inspect" in out) == (0, True, False)
