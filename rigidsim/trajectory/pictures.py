"""Methods of trajectories that call packages above this one, which draw and export; imported when they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any


class Pictures:
    """The methods of a trajectory that show it, and those that write it for other programs."""

    def plot(
        self,
        *quantities: str,
        path: str | Sequence[str] = (),
        frame: str | Sequence[str] = (),
        begin: float | None = None,
        end: float | None = None,
        title: str = "",
        size: tuple[float, float] | None = None,
        plane: str = "",
        log: bool = False,
        separate: bool = False,
    ) -> Any:
        """A matplotlib Figure of quantities by name, an overview without any; see docs/plots.md for the names.

        `path` are bodies (`"ball@table"`) of which the path is drawn, `frame` the frames of what has none written,
        `begin` and `end` times (s), `size` width and height (inches), `plane` that of paths, such as `"xz"`; `log` is
        for logarithmic axes, `separate` for a panel for each quantity. A notebook shows the figure;
        `figure.savefig(path)` writes it. Raises UsageError, NotRecordedError; UsageError if matplotlib is missing.
        """
        figures = import_module("rigidsim.plots.figures")
        look = figures.Look(title, size, plane, log, separate)
        paths, frames = ([one] if isinstance(one, str) else list(one) for one in (path, frame))
        return figures.figure_of([("", self)], quantities, paths, frames=frames, begin=begin, end=end, look=look)

    def view(
        self,
        frame: str = "world",
        follow: str = "",
        begin: float | None = None,
        end: float | None = None,
        fps: float = 60.0,
    ) -> Any:
        """A page that shows the bodies in space: a notebook shows it, `view(...).save(path)` writes one HTML file.

        At first it looks from the body `frame` and follows the body `follow`. `begin` and `end` are times (s), `fps` is
        the most frames for each second of playing. Raises UsageError, NotRecordedError; UsageError if trimesh, which
        ships the renderer, is missing.
        """
        return import_module("rigidsim.views.view").view_of(self, frame, follow, begin, end, fps)

    def video(
        self,
        path: str | Path,
        *,
        frame: str = "world",
        follow: str = "",
        camera: Sequence[float] = (),
        traces: Iterable[str] | None = None,
        begin: float | None = None,
        end: float | None = None,
        speed: float | None = None,
        fps: float | None = None,
        size: Sequence[int] | None = None,
        force: bool = False,
    ) -> Path:
        """Write a video, `.gif`, `.mp4` or `.webm`, or a picture of the time `end`, `.png`; needs `rigidsim[video]`.

        Bodies are shown as seen from the body `frame`, by a `camera` with azimuth and elevation in degrees and perhaps
        a distance in m, which looks at the body `follow` all the time. `traces` are the bodies whose paths are drawn,
        by default the free ones if they are few. One second shows `speed` seconds, from `begin` to `end` (s), in `fps`
        pictures of `size` (width, height) pixels. Raises UsageError, NotRecordedError, and StorageError if the file
        exists and `force` is false or cannot be written.
        """
        make = import_module("rigidsim.views.video").video
        return make(
            self, path, frame=frame, follow=follow, camera=camera, traces=traces, begin=begin, end=end, speed=speed,
            fps=fps, size=size, force=force,
        )  # fmt: skip

    def export(
        self, path: str | Path, *quantities: str, frame: str = "world", events: bool = False, force: bool = False
    ) -> Path:
        """Write quantities by their names (`ball.position.x@table`) to a table, `.csv`, or a NetCDF file, `.nc` (needs
        `rigidsim[netcdf]`). Without quantities, CSV is the motion of all bodies relative to `frame`, a line for each
        body and sample, and NetCDF is everything that was recorded. With `events`, CSV is the table of events.

        Raises UsageError, NotRecordedError, and StorageError if the file exists and `force` is false.
        """
        write = import_module("rigidsim.export.exporting").export
        return write(self, path, quantities, frame=frame, events=events, force=force)

    def to_xarray(self, *quantities: str, events: bool = False):
        """Quantities by their names, or everything that was recorded, as an `xarray.Dataset`: what `export` writes to
        a NetCDF file.
        """
        return import_module("rigidsim.export.exporting").to_xarray(self, quantities, events)

    def to_pandas(self, *quantities: str, frame: str = "world", events: bool = False):
        """The table that `export` writes to a CSV file as a `pandas.DataFrame`: units are in the names of the columns;
        the index is the time, or time and body.
        """
        return import_module("rigidsim.export.exporting").to_pandas(self, quantities, frame, events)
