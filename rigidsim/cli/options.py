"""Options and parameter types that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import click

from rigidsim.cli.arguments import STANDARD
from rigidsim.errors import UsageError


class TimeType(click.ParamType):
    """A time in s, or with a unit."""

    name = "time"

    def convert(self, value, param, ctx) -> float:
        """The time in s."""
        try:
            return float(value)
        except ValueError:
            from rigidsim.scene.values.quantities import seconds
        return seconds(value)


def by_name(option: str, texts: Sequence[str], example: str) -> dict[str, str]:
    """The values of an option NAME=VALUE that may be repeated, by name."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise UsageError(f"{option}: '{text}' is not of the form name=value, such as {example}")
        if name in found:
            raise UsageError(f"{option}: '{name}' is given twice")
        found[name] = value
    return found


def completing(names: Callable[[], Iterable[str]]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """What the shell offers: those of the names that begin as what is written."""
    return lambda _context, _parameter, begin: [name for name in names() if name.startswith(begin)]


OTHER_KINDS = {
    **dict.fromkeys((".txt", ".csv", ".tsv", ".xlsx", ".parquet"), "`rigidsim export` writes tables"),
    **dict.fromkeys((".json", ".log", ".md"), "`rigidsim inspect --json` prints what is in it"),
    **dict.fromkeys((".png", ".svg", ".pdf", ".jpg"), "`rigidsim plot` and `run --plot` draw it"),
    **dict.fromkeys((".gif", ".mp4", ".webm", ".avi"), "`rigidsim video` films it"),
    **dict.fromkeys((".html", ".htm"), "`rigidsim view` and `run --view` make pages"),
    **dict.fromkeys((".yaml", ".yml", ".xml", ".urdf"), "scenes are named before -o"),
    **dict.fromkeys((".py", ".zip", ".npz", ".npy", ".mat"), "`rigidsim export` writes other formats"),
}
"""Endings of names that stand for other kinds of files, and a hint of what makes or reads these."""


def require_file(_context: click.Context, _parameter: click.Parameter, output: str | None) -> str | None:
    """The path of an HDF5 file to write, which is neither empty nor standard output, nor named as another kind."""
    if output == STANDARD:
        hint = "name a file; `rigidsim inspect FILE` prints what is in it (--csv: samples) to standard output"
        raise UsageError(f"-o -: an HDF5 file cannot be written to standard output; {hint}")
    if output == "":
        raise UsageError("-o: the name of the file is empty")
    if output and (other := OTHER_KINDS.get(Path(output).suffix.lower())):
        name = Path(output).with_suffix(".h5")
        raise UsageError(
            f"-o {output}: results are written as HDF5, not as {Path(output).suffix}; name it {name}; {other}"
        )
    return output


metric_option = click.option(
    "--metric", "metrics", metavar='NAME="= ..."', multiple=True,
    callback=lambda _context, _parameter, given: by_name("--metric", given, """top='= max(speed("ball"))'"""),
    help="""Add a metric, a number of the whole run: top='= max(speed("ball"))'; repeatable.""",
)  # fmt: skip
"""The expression of each metric by its name."""


def _listed(_context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> list[str]:
    """The names in texts, separated by commas."""
    if not all(text.strip() for text in given):
        raise UsageError(f"{parameter.opts[0]}: name numbers of the scene, separated by commas")
    return [name.strip() for text in given for name in text.split(",")]


def names_option(option: str, text: str) -> Callable:
    """An option of names of numbers, in one list or several."""
    return click.option(option, metavar="NAMES", multiple=True, callback=_listed, help=text)


begin_option = click.option("--from", "begin", type=TimeType(), metavar="TIME",
                            help="Begin at this time: 0.5, '500 ms'.")  # fmt: skip
end_option = click.option("--to", "end", type=TimeType(), metavar="TIME", help="End at this time.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def _integrators() -> Iterable[str]:
    from rigidsim.scene.schema.integrators import MODELS

    return MODELS


_SCENE_OPTIONS = (
    click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Override a value: bodies.tank.mass=4e4"),
    click.option("--duration", metavar="TIME", help="Simulated time: 10, '2 min'."),
    click.option("--step", metavar="TIME", help="Time step: 1e-3, '1 ms'."),
    click.option("--integrator", metavar="NAME", shell_complete=completing(_integrators),
                 help="rkmk4, or with options: '{name: magnus, terms: 4}'."),
    metric_option,
)  # fmt: skip


def scene_options(command: Callable) -> Callable:
    """Add the options that change the scene, as the arguments of `overrides`."""
    for option in reversed(_SCENE_OPTIONS):
        command = option(command)
    return command


def overrides(sets: Sequence[str], metrics: Mapping[str, str], **simulation: str | None) -> list[str | tuple[str, str]]:
    """Scene overrides from `--set`, and from the options for keys of `simulation`, which take precedence; metrics."""
    given = [f"simulation.{key}={value}" for key, value in simulation.items() if value is not None]
    return [*sets, *given, *((f"metrics.{name}", text) for name, text in metrics.items())]
