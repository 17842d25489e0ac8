"""`rigidsim hash`: the content hashes of files."""

from __future__ import annotations

import json
from typing import NamedTuple

import click

from rigidsim.cli.arguments import importing, load_result
from rigidsim.cli.console import print_message, print_result
from rigidsim.cli.options import json_option
from rigidsim.errors import RigidsimError, UsageError


class Hashed(NamedTuple):
    """The content hash of a file, or why it has none."""

    file: str
    content_hash: str | None
    error: str = ""
    exit_code: int = 0

    def as_dict(self) -> dict[str, object]:
        """The hash as JSON shows it."""
        why = {"error": self.error} if self.error else {}
        return {"file": self.file, "content_hash": self.content_hash, **why}


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
        from rigidsim.running.progress import Working

    found = []
    for file in files:
        with Working(f"reading {file}"):
            found.append(_hashed(file, verify))
        if not as_json:
            _print(found[-1])
    if as_json:
        print_result(json.dumps({"schema_version": 1, "verified": verify, "files": [one.as_dict() for one in found]}))
    if code := max(one.exit_code for one in found):
        raise click.exceptions.Exit(code)


def _hashed(file: str, verify: bool) -> Hashed:
    try:
        return Hashed(file, _content_hash(file, verify))
    except RigidsimError as error:
        # The error itself would keep what h5py has opened until the interpreter ends, which h5py does not survive.
        return Hashed(file, None, str(error), error.exit_code)


def _print(one: Hashed) -> None:
    if one.error:
        print_message(f"error: {one.error}")
    else:
        print_result(f"{one.content_hash}  {one.file}")


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
