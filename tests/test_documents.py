"""What README and docs tell people to type works, and what they show is what comes out."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rigidsim.scene import Scene

ROOT = Path(__file__).parents[1]
SESSIONS = {
    ROOT / "docs" / "first-hour.md": 7,
    ROOT / "docs" / "plots.md": 1,
    ROOT / "docs" / "sweeps.md": 0,
    ROOT / "docs" / "tutorial-sweep.md": 6,
}
"""Documents whose blocks are typed one after the other, and the number of outputs that they quote."""
GALLERY = ROOT / "docs" / "gallery.md"
"""Its commands are those of `test_gallery`."""
DOCUMENTS = [ROOT / "README.md", *sorted({*(ROOT / "docs").glob("*.md")} - {GALLERY})]
FENCE = re.compile(r"(?:<!-- (\w+) -->\n)?```(\w+)\n(.*?)```", re.DOTALL)


ACTIVATE = ". .venv/bin/activate"


def blocks(language: str) -> list[pytest.param]:
    """Every fenced block of a language, apart from the commands that make an environment (`.ci/run` runs those)."""
    found = []
    for document in DOCUMENTS:
        if document in SESSIONS and language in ("sh", "python"):
            continue  # one block after the other, below
        for i, (mark, kind, text) in enumerate(FENCE.findall(document.read_text())):
            if kind == language and not mark:
                found.append(pytest.param(text, id=f"{document.name}-{i}"))
    return found


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with the shipped scenes, one trajectory and an environment that is on the path once it is activated."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "scenes").symlink_to(ROOT / "scenes")
    (folder / ".venv").symlink_to(sys.prefix)
    shell = shell_in(folder)
    assert shell(f"{ACTIVATE} && rigidsim run scenes/shell_leaves_turret.yaml").returncode == 0
    return folder, shell


def shell_in(folder: Path):
    """Commands typed in a folder, in an environment that is not activated yet."""
    ours = Path(sys.executable).parent
    environment = {**os.environ, "PATH": os.pathsep.join(p for p in os.get_exec_path() if Path(p) != ours)}

    def shell(command: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )

    return shell


@pytest.mark.parametrize("text", blocks("sh"))
def test_commands(text, workplace, request):
    """Those of the README activate the environment themselves; who reads on has done so."""
    _, shell = workplace
    begin = "" if "README" in request.node.callspec.id else f"{ACTIVATE}\n"
    done = shell(f"set -e\n{begin}{text}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", blocks("python"))
def test_python(text, workplace):
    _, shell = workplace
    done = shell(f"{ACTIVATE}\npython - <<'END'\n{text}\nEND")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", [p for p in blocks("yaml") if p.values[0].startswith("format:")])
def test_scenes_in_documents_are_valid(text):
    Scene.from_text(text)


def test_the_error_shown_is_the_error_given(workplace):
    folder, shell = workplace
    readme = (ROOT / "README.md").read_text()
    scene = next(text for _, kind, text in FENCE.findall(readme) if kind == "yaml")
    message = next(text for _, kind, text in FENCE.findall(readme) if kind == "text" and "error[" in text)
    (folder / "scene.yaml").write_text(scene.replace("    mass: 42000", "    mas: 42000"))
    assert message in shell(f"{ACTIVATE} && rigidsim validate scene.yaml").stderr


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_session_goes_as_it_is_written(session, workplace, tmp_path):
    """Block after block; what is quoted is what comes out, `...` being anything. Compiled before, in `workplace`."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    shell, output, quoted = shell_in(tmp_path), "", 0
    for mark, kind, text in FENCE.findall(session.read_text()):
        if kind in ("sh", "python") and not mark:
            typed = f"python - <<'END_OF_PYTHON'\n{text}\nEND_OF_PYTHON" if kind == "python" else text
            done = shell(f"set -e\n{ACTIVATE}\n{typed}")
            assert done.returncode == 0, done.stderr
            output = done.stdout + done.stderr
        elif kind == "text" and not mark:
            pattern = re.escape(text).replace(re.escape("..."), "(?s:.*)")
            assert re.fullmatch(pattern, output), f"{text}\n--- but there came\n{output}"
            quoted += 1
    assert quoted == SESSIONS[session]


def test_ci_runs_the_two_commands_of_the_readme():
    ci, readme = (ROOT / ".ci" / "run").read_text(), (ROOT / "README.md").read_text()
    marks = [mark for mark, _, _ in FENCE.findall(readme) if mark]
    assert marks == ["run", "test"]
    assert all(f"readme_command {mark}" in ci for mark in marks)


@pytest.mark.parametrize("script", ["make_api", "make_forces", "make_functions", "make_integrators"])
def test_tables_made_from_the_sources_are_current(script, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    made = importlib.import_module(script)
    assert made.PAGE.read_text() == made.document(), f"run python docs/{script}.py"
