"""`rigidsim schema`: the JSON Schema of scene files."""

from __future__ import annotations

import json

import click


@click.command(short_help="Print the JSON Schema of scene files.")
def schema():
    """Print the JSON Schema (2020-12) of scene files.

    \b
    An editor with a YAML language server checks a scene as you type if its first line is
    # yaml-language-server: $schema=scene.schema.json
    """
    from rigidsim.scene import json_schema

    click.echo(json.dumps(json_schema(), indent=2))
