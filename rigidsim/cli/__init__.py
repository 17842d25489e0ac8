"""The command line. Each command parses, calls one function and prints; heavy imports are inside the commands."""

from __future__ import annotations

import atexit
import gc
import sys
import traceback

import click

from rigidsim import __version__
from rigidsim.cli.assemble import assemble
from rigidsim.cli.certify import certify
from rigidsim.cli.compile import compile_command
from rigidsim.cli.console import discard_output, prepare_streams, print_error, print_message
from rigidsim.cli.decompose import decompose
from rigidsim.cli.diff import diff
from rigidsim.cli.examples import examples
from rigidsim.cli.explain import explain
from rigidsim.cli.export import export
from rigidsim.cli.fit import fit
from rigidsim.cli.hash import hash_command
from rigidsim.cli.import_ import import_command
from rigidsim.cli.inspect import inspect
from rigidsim.cli.integrators import integrators
from rigidsim.cli.linearize import equilibrium, linearize
from rigidsim.cli.optimise import optimise
from rigidsim.cli.plot import plot
from rigidsim.cli.recover import recover
from rigidsim.cli.run import run
from rigidsim.cli.schema import schema
from rigidsim.cli.selftest import selftest
from rigidsim.cli.sensitivities import sensitivities
from rigidsim.cli.sweep import sweep
from rigidsim.cli.validate import validate
from rigidsim.cli.video import video
from rigidsim.cli.view import view
from rigidsim.errors import INTERNAL, RigidsimError, StorageError, out_of_memory

EPILOG = """\b
Exit codes: 0 success, 1 `diff` finds a difference, 2 usage, 3 invalid scene, 4 the simulation failed,
5 a file could not be read or written, 6 damaged or foreign file, 7 some runs of a sweep failed,
70 internal error, 4 also if `selftest` or `certify` is not passed,
128 + n stopped by signal n:
129 closed terminal, 130 Ctrl-C, 143 terminated (`run` saves its samples), 141 the output pipe was closed.
With --strict, warnings about the scene exit with 3 and warnings about the result with 4.
Options can be set by environment variables, such as RIGIDSIM_RUN_OUTPUT for `run --output`."""


PIPE_CLOSED = 128 + 13  # the exit code of a process that SIGPIPE ends


@click.group(epilog=EPILOG, context_settings={"auto_envvar_prefix": "RIGIDSIM", "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="rigidsim %(version)s")
def cli() -> None:
    """Rigid bodies in a hierarchy of moving frames.

    \b
    rigidsim examples copy flipping_axis        copy an example scene
    rigidsim run flipping_axis.yaml             simulate it
    rigidsim inspect outputs/flipping_axis.h5   summarize the result
    rigidsim plot outputs/flipping_axis.h5      draw it
    rigidsim view outputs/flipping_axis.h5      show it in space
    """


def _set_debug(context: click.Context, _parameter: click.Parameter, debug: bool) -> None:
    context.obj["debug"] |= debug


def _allow_debug(command: click.Command) -> None:
    """Accept `--debug` both before and after the name of a command."""
    option = click.Option(["--debug"], is_flag=True, is_eager=True, expose_value=False, callback=_set_debug,
                          help="Show the Python traceback of an error.")  # fmt: skip
    command.params.append(option)


for command in (
    run, recover, sweep, assemble, compile_command, validate, inspect, explain, diff, hash_command, plot, view, video,
    export, import_command, decompose, examples, integrators, schema, selftest, certify, sensitivities, fit, optimise,
    linearize, equilibrium,
):  # fmt: skip
    cli.add_command(command)
for command in (cli, *cli.commands.values(), *examples.commands.values()):
    _allow_debug(command)


def main() -> None:
    """Run the command line and exit with its exit code; no traceback without --debug."""
    prepare_streams()
    atexit.register(gc.freeze)  # all memory is given back: what is left need not be looked through
    settings = {"debug": False}
    try:
        code = _run_command(settings)
    except BrokenPipeError:
        code = PIPE_CLOSED
    discard_output()
    sys.exit(code)


def _run_command(settings: dict[str, bool]) -> int:
    """Run the command, report any error, and return the exit code."""
    stdout = sys.stdout
    try:
        code = cli.main(prog_name="rigidsim", standalone_mode=False, obj=settings)
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        raise
    except SystemExit as ending:
        # On a closed pipe, click replaces the streams and exits with 1.
        code = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
        return code if sys.stdout is stdout else PIPE_CLOSED
    except BaseException as error:
        if settings["debug"]:
            traceback.print_exc()
        return _report_error(error)


def _hides_interruption(error: BaseException) -> bool:
    """pydantic makes an error of its own of a KeyboardInterrupt while it builds its validators."""
    return type(error).__name__ == "SchemaError" and "KeyboardInterrupt" in str(error)


def _report_error(error: BaseException) -> int:
    """Print the message of an error and return its exit code."""
    error = out_of_memory(error) if isinstance(error, MemoryError) else error
    if isinstance(error, RigidsimError):
        print_error(error)
        return error.exit_code
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, click.Abort | KeyboardInterrupt) or _hides_interruption(error):
        print_message("interrupted")
        return 130
    if isinstance(error, OSError):
        print_message(f"error: {error.filename or 'output'}: {error.strerror or error}")
        return StorageError.exit_code
    print_message(
        f"internal error: {type(error).__name__}: {error}\nthis is a bug in rigidsim; --debug shows the traceback"
    )
    return INTERNAL
