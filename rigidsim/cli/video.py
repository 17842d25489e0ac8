"""`rigidsim video`: a trajectory as a GIF, an MP4 or WebM video, or one picture."""

from __future__ import annotations

import re
from pathlib import Path

import click

from rigidsim.cli.console import print_result, print_warnings
from rigidsim.cli.options import TimeType, begin_option, end_option
from rigidsim.errors import UsageError

SIZE = re.compile(r"\s*(\d+)\s*[x×]\s*(\d+)\s*", re.IGNORECASE)


def _size(_context: click.Context, _parameter: click.Parameter, written: str | None) -> tuple[int, int] | None:
    if written is None:
        return None
    found = SIZE.fullmatch(written)
    if not found:
        raise UsageError(f"--size {written}: write width and height in pixels, such as 1280x720")
    return int(found[1]), int(found[2])


def _camera(_context: click.Context, _parameter: click.Parameter, written: str | None) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in (written or "").replace(",", " ").split())
    except ValueError:
        raise UsageError(f'--camera {written!r}: write two or three numbers, such as "-60 20" or "-60 20 5"') from None


@click.command(short_help="Make a GIF, a video or a picture of a trajectory.")
@click.argument("trajectory", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="File to write: .gif, .mp4, .webm, or .png with --at.  [default: TRAJECTORY.mp4]",
)
@click.option(
    "--at", "time", type=TimeType(), metavar="TIME", help="One picture, at this time, with the paths up to it."
)
@click.option("--frame", metavar="BODY", default="world", help="Show motion as seen from this body.  [default: world]")
@click.option(
    "--camera",
    metavar='"AZIMUTH ELEVATION [DISTANCE]"',
    callback=_camera,
    help='Where the camera is: degrees about z from x and above the xy plane, and m.  [default: "-60 20"]',
)
@click.option(
    "--follow", metavar="BODY", default="",
    help="Look at this body all the time; world: stay, and show all.  [default: at what is small beside its way]",
)  # fmt: skip
@click.option(
    "--trace",
    "traces",
    metavar="BODY",
    multiple=True,
    help="Draw the path of this body; repeatable.  [default: those of free bodies, if they are few]",
)
@click.option("--no-traces", is_flag=True, help="Draw no paths.")
@begin_option
@end_option
@click.option(
    "--speed",
    type=float,
    metavar="NUMBER",
    help="Seconds of motion in one second: 0.1 is ten times slower.  [default: 1, or what takes about 15 s]",
)
@click.option("--fps", type=float, metavar="NUMBER", help="Pictures per second.  [default: 30; 20 for GIF]")
@click.option("--size", metavar="WIDTHxHEIGHT", callback=_size, help="Pixels.  [default: 1280x720; 640x360 for GIF]")
@click.option("--force", is_flag=True, help="Overwrite an existing file of that kind.")
@click.option("-q", "--quiet", is_flag=True, help="Print neither progress nor summary.")
def video(
    trajectory, output, time, frame, camera, follow, traces, no_traces, begin, end, speed, fps, size, force, quiet
):  # fmt: skip
    """Show TRAJECTORY in space: the bodies with their shapes, joints and springs, and the paths that they leave. A body
    without shapes is a ball with its axes: x orange, y green, z blue. Needs no display.

    \b
    rigidsim video outputs/scene.h5 -o scene.gif
    rigidsim video outputs/scene.h5 --frame table --camera "-90 35" --speed 0.5
    rigidsim video outputs/scene.h5 --at 0.5 -o scene.png
    """
    from rigidsim.cli.arguments import beside, load_trajectory
    from rigidsim.runner.making import Making
    from rigidsim.trajectory.destination import IN_SHELL
    from rigidsim.views.video import video as make_video

    if no_traces and traces:
        raise UsageError("--trace and --no-traces exclude each other; use one of them")
    path = Path(output or beside(trajectory, ".mp4" if time is None else ".png"))
    if (time is not None) != (path.suffix.lower() == ".png"):
        raise UsageError("one picture is a .png file with --at TIME; use both or neither")
    if time is not None and end is not None:
        raise UsageError("--at is the end of what a picture shows; use it without --to")
    chosen = () if no_traces else traces or None
    with load_trajectory(trajectory) as opened, Making(path, "picture", quiet) as making:
        make_video(
            opened, path, frame=frame, follow=follow, camera=camera, traces=chosen, begin=begin,
            end=end if time is None else time, speed=speed, fps=fps, size=size, force=force, progress=making.report,
            warn=lambda text: print_warnings([text], strict=False), hints=IN_SHELL,
        )  # fmt: skip
    if not quiet:
        print_result(making)
