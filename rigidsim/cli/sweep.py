"""`rigidsim sweep`: run many variants of a scene."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import nullcontext

import click

from rigidsim.cli.arguments import importing, read_scene
from rigidsim.cli.console import print_message, print_report, print_result, report_warnings, strict_option
from rigidsim.cli.options import overrides, require_file, scene_options
from rigidsim.cli.plan_options import QUOTING, plan_from, plan_options
from rigidsim.cli.run import output_path, outputs_folder
from rigidsim.errors import UsageError


def resume_command() -> str:
    """The present command line, with --resume."""
    words = [word for word in sys.argv[1:] if word not in ("--force", "--resume")]
    return shlex.join(["rigidsim", *words, "--resume"])


@click.command(short_help="Run many variants of a scene.", epilog=QUOTING)
@click.argument("scene", type=click.Path())
@plan_options
@click.option("-o", "--output", type=click.Path(), callback=require_file,
              help="Result file.  [default: outputs/SCENE-sweep.h5]")  # fmt: skip
@scene_options
@click.option("--record", metavar="metrics|final|TIME", default="",
              help="What to record of each run: its metrics only, its last state, or a sample every TIME; the last two "
                   "with metrics, if there are any.  [default: metrics if there are any, else final]")  # fmt: skip
@click.option("--threads", type=click.IntRange(1, 1024), help="Number of threads.  [default: number of cores]")
@click.option("--dask", metavar="ADDRESS|local:N",
              help="Run on a Dask cluster: the address of its scheduler, or N workers on this machine.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Check the plan, show what it takes, and run nothing.")
@click.option("--resume", is_flag=True, help="Continue a sweep that was interrupted; where nothing was kept, begin.")
@click.option("--retry-failed", is_flag=True, help="Run the runs that failed again; implies --resume.")
@click.option("--force", is_flag=True, help="Overwrite an existing result file, or one that was interrupted.")
@strict_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print neither estimate, progress nor summary.")
def sweep(
    scene, vary, zipped, table, sample, over, seed, part, yes, output, sets, record, metrics, threads, dask, dry_run,
    resume, retry_failed, force, strict, as_json, quiet, **settings,
):  # fmt: skip
    """Run SCENE once for each of many values of some of its numbers, and write the results to one HDF5 file.

    \b
    rigidsim sweep scene.yaml --vary spin=0:60:13 --vary 'bodies.top.mass=[1, 2, 5]'
    rigidsim sweep scene.yaml --sample sobol:1024 --over 'spin=uniform(20, 40)'
    rigidsim sweep scene.yaml --vary spin=0:60:13 --record 0.1 --part 3/10

    The exit code is 7 if some runs failed; the others have their results.
    """
    resume |= retry_failed
    if force and resume:
        raise UsageError("--force begins again, --resume continues; use one of them")
    if dask and threads:
        raise UsageError("--threads is for this machine; the workers of --dask have threads of their own")
    read = read_scene(scene, overrides(sets, metrics, **settings))
    plan = plan_from(read, vary, zipped, table, sample, over, seed)
    runs = plan.chosen(part, yes)
    report_warnings(read.warnings, strict)
    path = output_path(scene, output, f"-sweep-{part[0]}-of-{part[1]}" if part else "-sweep")
    path = path if output else outputs_folder() / path.name
    with importing():
        from rigidsim.runner.sweep import check_sweep_output, estimated, sweep_to_file
        from rigidsim.sweeps.cluster import connected
        from rigidsim.sweeps.sweeping import contents_of
        from rigidsim.trajectory.encoding import cores

    contents = contents_of(read, plan, record, runs)
    done = check_sweep_output(path, contents, force, resume)
    if resume and not (done or quiet):
        print_message(f"{path}: nothing was kept of an earlier sweep; this one begins from the start")
    with connected(dask) if dask else nullcontext() as cluster:
        threads = cluster.threads if cluster else threads or cores()
        if dry_run or not quiet:
            estimate = estimated(contents, len(runs) - done, threads, quiet)
            if dry_run:
                print_result(json.dumps(estimate.as_dict()) if as_json else estimate.text(in_full=True))
                return
            print_message(str(estimate))
        report = sweep_to_file(
            contents, path, threads=threads, cluster=cluster, force=force, resume=resume, retry=retry_failed,
            quiet=quiet, command=resume_command(),
        )  # fmt: skip
    print_report(report, as_json, quiet)
    report.require_success()
