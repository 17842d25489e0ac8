"""Views of trajectories and scenes: pages to be saved, or shown in a notebook."""

from __future__ import annotations

import html
from pathlib import Path

from rigidsim.analysis.quantities import full_path
from rigidsim.arguments import file_path, instance
from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.sensitivities.linear import LinearModel
from rigidsim.trajectory.destination import IN_PYTHON, FileKind, Hints, check_output, kind_of
from rigidsim.trajectory.spool import published
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.tree.nodes import WORLD
from rigidsim.views.display import FPS, Display, display_of, display_of_scene
from rigidsim.views.modes import display_of_modes
from rigidsim.views.page import page_of

MOST_BYTES = 20_000_000
"""A page that would be larger has fewer frames."""
PAGE = FileKind("a page of rigidsim", "such pages", (".html", ".htm"), b'.*<meta name="generator" content="rigidsim">')


class View:
    """A page that shows bodies in space: `save` writes it, a notebook shows it. `html` is its text; `notes` are
    sentences about what is not shown as it is.
    """

    def __init__(self, display: Display, frame: str = WORLD, follow: str = ""):
        self.notes, self.html = display.notes, page_of(display, frame, follow)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the page to a file, `.html`; StorageError if it exists and `force` is false, or cannot be written.

        Parameters
        ----------
        path : str | Path
            The file, which ends in `.html`.
        force : bool, optional
            Whether an existing file is replaced.
        """
        save_page(self.html, file_path(path, "path"), force)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, from which scripts reach nothing else."""
        style = "width: 100%; height: 600px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" style="{style}"></iframe>'


def view(
    shown: Trajectory | Scene | LinearModel,
    frame: str = WORLD,
    follow: str = "",
    begin: float | None = None,
    end: float | None = None,
    fps: float = FPS,
) -> View:
    """A page that shows in space a trajectory, a scene at t = 0, or the modes of a linear motion.

    A notebook shows it, and `view(...).save(path)` writes one HTML file.

    Parameters
    ----------
    shown : Trajectory, Scene or LinearModel
        Of a scene, which has no motion, and of modes only `frame` can be chosen.
    frame : str
        The body from which the page looks at first.
    follow : str
        The body that it follows at first.
    begin, end : float
        Times, s.
    fps : float
        The most frames for each second of playing.

    Returns
    -------
    View
        The page.

    Raises
    ------
    UsageError
        For an unknown body or time, or if trimesh, which ships the renderer, is missing.
    NotRecordedError
        If the motion was not recorded.
    """
    if isinstance(shown, Scene | LinearModel):
        if begin is not None or end is not None or follow:
            what = "this is a scene" if isinstance(shown, Scene) else "these are modes"
            raise UsageError(f"{what}; begin, end and follow are for its trajectory: rigidsim run")
        return View(display_of_scene(shown) if isinstance(shown, Scene) else display_of_modes(shown), frame)
    instance(shown, Trajectory, "what is viewed", Scene)
    frame, follow = (full_path(shown, name) if name not in ("", WORLD) else name for name in (frame, follow))
    while True:  # with half of the frames, until the page is small enough
        display = display_of(shown, begin, end, fps)
        found = View(display, frame, follow)
        if len(found.html) <= MOST_BYTES or len(display.poses.time) <= 2:
            return found
        fps /= 2


def check_page(path: Path, force: bool, hints: Hints = IN_PYTHON) -> None:
    """Raise UsageError if the suffix is not that of a page, StorageError if it cannot be written to this path."""
    check_output(path, PAGE, force, hints)
    kind_of(path, (PAGE,))


def save_page(text: str, path: Path, force: bool, hints: Hints = IN_PYTHON) -> None:
    """Write a page. Raises UsageError, StorageError as `check_page` does."""
    with published(path, kind_of(path, (PAGE,)), force, hints) as file:
        file.write(text.encode())
