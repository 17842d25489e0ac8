"""What packages above this one make of a trajectory, as its methods. They are imported when they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path


class Pictures:
    """Methods of a trajectory that show it or write it for other programs."""

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
        a distance in m, which looks at the body `follow` all the time. `traces` are the bodies whose paths are drawn, by
        default the free ones if they are few. One second shows `speed` seconds, from `begin` to `end` (s), in `fps`
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
