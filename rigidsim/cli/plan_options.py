"""The options that make the plan of a sweep."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from rigidsim.cli.options import by_name
from rigidsim.errors import UsageError

if TYPE_CHECKING:
    from rigidsim.scene import Scene
    from rigidsim.sweeps.plan import Plan

QUOTING = """\b
Quoting, both in bash and in zsh: single quotes around a list or a distribution,
and around names with [ ], keep the shell from reading them.
--vary spin=0:60:13                         13 values from 0 to 60, both included
--vary spin='0 rpm:60 rpm:13'               the same with a unit
--vary 'bodies.top.mass=[1, 2, 5]'          a list
--vary 'bodies.top.position[2]=0:1:5'       an entry of a list
--vary stiffness=log:1e3:1e6:7              evenly spaced on a logarithmic scale
--over 'spin=uniform(20 rpm, 40 rpm)'       a distribution, with --sample sobol:1024
"""
"""For the help of a command with these options."""


def _part(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,15})\s*/\s*(\d{1,15})\s*", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"--part: expected K/N with K from 1 to N, such as 3/10, got '{text}'")
    return int(match[1]), int(match[2])


_OPTIONS = (
    click.option("--vary", metavar="NAME=VALUES", multiple=True,
                 help="Values of a parameter or path: start:stop:count, log:start:stop:count or a list. Several: all "
                      "values with all others, the first option varying slowest."),
    click.option("--zip", "zipped", is_flag=True, help="Take the values of several --vary side by side."),
    click.option("--table", type=click.Path(),
                 help="CSV file with one run per line: names in the header, numbers or quantities below."),
    click.option("--sample", metavar="METHOD:N",
                 help="Sample the distributions of --over, else those of the scene's uncertain numbers, by N points: "
                      "sobol, lhs, random; saltelli:N makes N (d + 2) "
                      "runs for the sensitivity indices of d numbers."),
    click.option("--over", metavar="NAME=DISTRIBUTION", multiple=True,
                 help="Distribution of a number in a sample. It is uniform(low, high), loguniform(low, high), "
                      "normal(mean, deviation), truncated_normal(mean, deviation, low, high), "
                      "lognormal(median, sigma), triangular(low, mode, high), exponential(mean), "
                      "weibull(shape, scale), beta(a, b, low, high)."),
    click.option("--seed", metavar="N", type=click.IntRange(0, 2**53),
                 help="Seed of the sample and of the seeds of the runs.  [default: 0]"),
    click.option("--part", metavar="K/N", callback=_part, help="Only part K of N of the plan, for array jobs."),
    click.option("--yes", is_flag=True, help="Allow more than a million runs."),
)  # fmt: skip


def plan_options(command: Callable) -> Callable:
    """Add the options of a plan to a command, as arguments `vary`, `zipped`, `table`, `sample`, `over`, `seed` for
    `plan_from`, and `part` and `yes` for `Plan.chosen`.
    """
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def plan_from(
    scene: Scene,
    vary: tuple[str, ...],
    zipped: bool,
    table: str | None,
    sample: str | None,
    over: tuple[str, ...],
    seed: int | None,
) -> Plan:
    """The plan of the options, or that of the scene if they vary nothing; `--seed` replaces its seed."""
    from rigidsim.sweeps.plan import make_plan, over_of, plan_of

    given: dict[str, Any] = {
        "vary": _values("--vary", vary, "spin=0:60:13"),
        "zip": zipped,
        "table": table,
        "sample": sample,
        "over": _values("--over", over, "'spin=uniform(20, 40)'"),
    }
    given["over"] = over_of(scene, sample, given["over"])
    if any(given.values()):
        return make_plan(**given, seed=seed or 0)
    if scene.sweep is None:
        hint = "use --vary spin=0:60:13, --sample with --over, or --table, or add a 'sweep' to the scene"
        raise UsageError(f"there is no plan: no number varies; {hint}")
    return plan_of(scene.sweep if seed is None else scene.sweep.model_copy(update={"seed": seed}))


def _values(option: str, texts: tuple[str, ...], example: str) -> dict[str, Any]:
    """The values of an option by name; those of a list as data."""
    from rigidsim.scene.prepare.overrides import parsed

    named = by_name(option, texts, example)
    return {name: parsed(v, f"{option} {name}={v}") if v.startswith("[") else v for name, v in named.items()}
