"""Views of trajectories and scenes: pages to be saved, or shown in a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

from rigidsim.arguments import file_path
from rigidsim.hindsight.quantities import full_path
from rigidsim.scene import Scene
from rigidsim.trajectory.destination import IN_PYTHON, Hints, check_output
from rigidsim.trajectory.file_kinds import FileKind
from rigidsim.trajectory.published import kind_of, published
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.views.page import page_of
from rigidsim.views.stage import FPS, ShownScene, stage_of, stage_of_scene

MOST_BYTES = 20_000_000
"""A page that would be larger has fewer frames."""
PAGE = FileKind("a page of rigidsim", "such pages", (".html", ".htm"), b'.*<meta name="generator" content="rigidsim">')
WORLD = "world"


class View:
    """A page that shows bodies in space: `save` writes it, a notebook shows it. `html` is its text; `notes` are
    sentences about what is not shown as it is.
    """

    def __init__(self, stage: ShownScene, frame: str = WORLD, follow: str = ""):
        self.notes, self.html = stage.notes, page_of(stage, frame, follow)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the page to a file, `.html`; StorageError if it exists and `force` is false, or cannot be written."""
        save_page(self.html, file_path(path, "path"), force)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, from which scripts reach nothing else."""
        style = "width: 100%; height: 600px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" style="{style}"></iframe>'


def view_of(
    trajectory: Trajectory,
    frame: str = WORLD,
    follow: str = "",
    begin: float | None = None,
    end: float | None = None,
    fps: float = FPS,
) -> View:
    """See `Trajectory.view`."""
    frame, follow = (full_path(trajectory, name) if name not in ("", WORLD) else name for name in (frame, follow))
    return _fitting(lambda rate: stage_of(trajectory, begin, end, rate), frame, follow, fps)


def view_of_scene(scene: Scene, frame: str = WORLD) -> View:
    """See `Scene.view`."""
    return View(stage_of_scene(scene), frame)


def check_page(path: Path, force: bool, hints: Hints = IN_PYTHON) -> None:
    """Raise UsageError if the suffix is not that of a page, StorageError if it cannot be written to this path."""
    check_output(path, PAGE, force, hints)
    kind_of(path, (PAGE,))


def save_page(text: str, path: Path, force: bool, hints: Hints = IN_PYTHON) -> None:
    """Write a page. Raises UsageError, StorageError as `check_page` does."""
    with published(path, kind_of(path, (PAGE,)), force, hints) as file:
        file.write(text.encode())


def _fitting(stage_at: Callable[[float], ShownScene], frame: str, follow: str, fps: float) -> View:
    """A view with as many frames for each second of playing, or half of them until the page is small enough."""
    stage = stage_at(fps)
    view = View(stage, frame, follow)
    while len(view.html) > MOST_BYTES and len(stage.poses.time) > 2:
        fps /= 2
        stage = stage_at(fps)
        view = View(stage, frame, follow)
    return view
