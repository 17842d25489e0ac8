"""`rigidsim hash`: the content hashes of files."""

from __future__ import annotations

import json

import click

from rigidsim.cli.arguments import importing, load_result
from rigidsim.cli.console import print_message, print_result
from rigidsim.cli.options import json_option
from rigidsim.errors import RigidsimError, UsageError


@click.command(name="hash", short_help="Print the content hashes of files.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--verify", is_flag=True, help="Read everything and compare it with the content hash.")
@json_option
def hash_command(files, verify, as_json):
    """Print the content hash of each FILE, a trajectory or the result file of a sweep, one a line. Bitwise equal
    results have equal hashes, whatever the machine, the compression, or the number of threads.

    The hash is that in the file, whose metadata and digests are checked; with --verify, all samples are. A file that
    cannot be read is reported on stderr; the exit code is the highest of all files.

    \b
    rigidsim hash outputs/*.h5
    """
    with importing():
        from rigidsim.runner.progress import Working

    found, code = [], 0
    for file in files:
        one = {"file": file, "content_hash": None}
        with Working(f"reading {file}"):
            try:
                one["content_hash"] = _content_hash(file, verify)
            except RigidsimError as error:
                # The error itself would keep what h5py has opened until the interpreter ends, which h5py does not
                # survive.
                one["error"], code = str(error), max(code, error.exit_code)
        found.append(one)
        if not as_json:
            if "error" in one:
                print_message(f"error: {one['error']}")
            else:
                print_result(f"{one['content_hash']}  {file}")
    if as_json:
        print_result(json.dumps({"schema_version": 1, "verified": verify, "files": found}))
    if code:
        raise click.exceptions.Exit(code)


def _content_hash(file: str, verify: bool) -> str:
    from rigidsim.report.inspect import require_intact
    from rigidsim.trajectory import Trajectory

    with load_result(file) as found:
        if isinstance(found, Trajectory):
            if verify:
                require_intact(found, file)
            return found.stored_hash
        if not found.content_hash:
            raise UsageError(f"{file} is not complete, so it has no content hash; --resume continues it")
        if verify:
            found.verify()
        return found.content_hash
