"""Options and parameter types that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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


def _named_expressions(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, equals, expression = (part.strip() for part in one.partition("="))
        if not (name and equals and expression):
            raise UsageError(f"--metric {one}: write a name and an expression: --metric top='= max(speed(\"ball\"))'")
        if name in found:
            raise UsageError(f"--metric {name} is given twice")
        found[name] = expression
    return found


def require_file(_context: click.Context, _parameter: click.Parameter, output: str | None) -> str | None:
    """The path of an HDF5 file to write, which is neither empty nor standard output."""
    if output == STANDARD:
        hint = "name a file; `rigidsim inspect FILE` prints what is in it (--csv: samples) to standard output"
        raise UsageError(f"-o -: an HDF5 file cannot be written to standard output; {hint}")
    if output == "":
        raise UsageError("-o: the name of the file is empty")
    return output


metric_option = click.option(
    "--metric", "metrics", metavar='NAME="= ..."', multiple=True, callback=_named_expressions,
    help="""Add a metric, a number of the whole run: top='= max(speed("ball"))'; repeatable.""",
)  # fmt: skip
"""The expression of each metric by its name."""
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def _integrators(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[str]:
    from rigidsim.scene.schema.integrators import MODELS

    return [name for name in MODELS if name.startswith(begin)]


_SCENE_OPTIONS = (
    click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Override a value: bodies.tank.mass=4e4"),
    click.option("--duration", metavar="TIME", help="Simulated time: 10, '2 min'."),
    click.option("--step", metavar="TIME", help="Time step: 1e-3, '1 ms'."),
    click.option("--integrator", metavar="NAME", shell_complete=_integrators,
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
