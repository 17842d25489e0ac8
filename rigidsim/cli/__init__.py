"""The command line. Each command parses, calls one function, prints; heavy imports happen inside the commands."""

from __future__ import annotations

import os
import sys
import traceback

import click

from rigidsim import __version__
from rigidsim.cli.examples import examples
from rigidsim.cli.explain import explain
from rigidsim.cli.inspect import inspect
from rigidsim.cli.integrators import integrators
from rigidsim.cli.run import run
from rigidsim.cli.schema import schema
from rigidsim.cli.validate import validate
from rigidsim.errors import RigidsimError

EPILOG = """\b
Exit codes: 0 ok, 1 a bug of ours, 2 usage, 3 invalid scene, 4 the simulation failed,
5 a file could not be read or written, 6 damaged or foreign file, 130 interrupted.
Every option can be given as an environment variable, RIGIDSIM_RUN_OUTPUT for `run --output`."""


@click.group(epilog=EPILOG, context_settings={"auto_envvar_prefix": "RIGIDSIM", "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="rigidsim %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Rigid bodies in a hierarchy of moving frames.

    \b
    rigidsim examples copy flipping_axis   get a scene to start from
    rigidsim run flipping_axis.yaml         simulate it
    rigidsim inspect outputs/flipping_axis.h5
    """


for command in (run, validate, inspect, explain, examples, integrators, schema):
    cli.add_command(command)


def main() -> None:
    """Run the command line and leave with its exit code; no traceback without --debug."""
    debug = "--debug" in sys.argv[1:2]
    try:
        code = cli.main(standalone_mode=False)
    except RigidsimError as error:
        _leave(error.exit_code, str(error), debug)
    except click.ClickException as error:
        error.show()
        _leave(error.exit_code, "", debug)
    except (click.Abort, KeyboardInterrupt):
        _leave(130, "interrupted", debug)
    except BrokenPipeError:
        # Nobody reads on (`| head`): what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _leave(141, "", debug)
    except Exception as error:
        bug = f"internal error: {type(error).__name__}: {error}\nthis is a bug in rigidsim; --debug shows where"
        _leave(1, bug, debug)
    sys.exit(code if isinstance(code, int) else 0)


def _leave(code: int, message: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    elif message:
        click.echo(message if message.startswith(("interrupted", "internal")) else _labelled(message), err=True)
    sys.exit(code)


def _labelled(message: str) -> str:
    """Problems of a scene already say that they are errors."""
    return message if ": error[" in message else f"error: {message}"
