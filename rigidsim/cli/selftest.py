"""`rigidsim selftest`: an installed copy checks itself."""

from __future__ import annotations

from collections.abc import Iterable

import click

from rigidsim.cli.arguments import importing
from rigidsim.cli.console import print_report
from rigidsim.cli.examples import shipped_scenes
from rigidsim.cli.options import completing, json_option
from rigidsim.errors import SimulationError, UsageError, did_you_mean


def _cases() -> Iterable[str]:
    from rigidsim.selftest.cases import CASES

    return CASES


@click.command(short_help="Check this installation against known solutions.")
@click.option("--case", "names", metavar="NAME", multiple=True, shell_complete=completing(_cases),
              help="Only this case; repeatable.")  # fmt: skip
@click.option("--slow", is_flag=True, help="The example scenes, too, against their oracles: some minutes.")
@json_option
def selftest(names, slow, as_json):
    """Run cases whose solution is known, and compare: tops, frames that turn and spin up, orbits, impulses, impacts,
    rolling. Each runs with three steps; for each quantity are shown its reference and what was measured, the largest
    error, and the observed order of convergence.

    The exit code is 0 if all have passed, else 4.

    \b
    rigidsim selftest
    rigidsim selftest --case kepler --case heavy_top
    """
    with importing():
        from rigidsim.report.selftest import SelftestReport
        from rigidsim.runner.compiling import compiling
        from rigidsim.runner.progress import Working
        from rigidsim.selftest.checking import checks

    found, cases = [], _chosen(names, slow)
    with compiling(as_json):
        for case in cases:
            with Working(f"running {case.name}"):
                found += checks(case)
    report = SelftestReport(found)
    print_report(report, as_json)
    if not report.has_passed:
        raise click.exceptions.Exit(SimulationError.exit_code)


def _chosen(names: tuple[str, ...], slow: bool) -> list:
    """The cases to run: those named, or all but the slow ones."""
    from rigidsim.scene import Scene
    from rigidsim.selftest.cases import CASES, shipped_case

    shipped = {name: shipped_case(name, file) for name, file in shipped_scenes().items()} if slow or names else {}
    known = shipped | CASES
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, f"the cases are {', '.join(CASES)}")
            raise UsageError(f"there is no case '{name}'; {hint}")
    chosen = [known[name] for name in dict.fromkeys(names)] or list((CASES | (shipped if slow else {})).values())
    without = [case for case in chosen if not case.is_refined and not Scene.from_file(case.file).oracle]
    if names and without:
        raise UsageError(f"the scene '{without[0].name}' has no oracle to compare it with")
    return [case for case in chosen if case not in without]
