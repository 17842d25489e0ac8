"""`rigidsim integrators`: the available integrators."""

from __future__ import annotations

import json

import click


@click.command(short_help="List the integrators: order, cost, conserved quantities.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def integrators(as_json):
    """List the integrators that `simulation.integrator` can name, with order, cost and conserved quantities."""
    from rigidsim.scene.schema.integrators import MODELS

    methods = [model(name=name) for name, model in MODELS.items()]

    if as_json:
        described = [
            {"name": method.name, "options": _given(method), "allowed": method.allowed(), "order": method.order,
             "evaluations": method.evaluations, "conserves": method.conserves, "use": method.use,
             "source": method.source}
            for method in methods
        ]  # fmt: skip
        click.echo(json.dumps({"schema_version": 1, "integrators": described}))
        return
    for method in methods:
        click.echo(f"{method.name}\n  order        {method.order}\n  for          {method.use}")
        click.echo(f"  evaluations  {method.evaluations} of the forces per step")
        click.echo(f"  conserves    {method.conserves}\n  source       {method.source}")
        for key, default in method.options().items():
            meaning = type(method).model_fields[key].description
            click.echo(f"  {key:<12} {meaning}: {method.allowed()[key]}, default {method.unset.get(key, default)}")
        click.echo()


def _given(method):
    """The options that have a value by default."""
    return {key: value for key, value in method.options().items() if value is not None}
