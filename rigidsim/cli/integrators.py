"""`rigidsim integrators`: the available integrators."""

from __future__ import annotations

import json

import click


@click.command(short_help="List the integrators: order, cost, conserved quantities.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def integrators(as_json):
    """List the integrators that `simulation.integrator` can name, with order, cost and conserved quantities."""
    from rigidsim.engine.integrators import INTEGRATORS

    if as_json:
        described = [
            {"name": i.name, "options": i.options()._asdict(), "order": i.order, "evaluations": i.evaluations,
             "conserves": i.conserves, "source": i.source}
            for i in INTEGRATORS
        ]  # fmt: skip
        click.echo(json.dumps({"schema_version": 1, "integrators": described}))
        return
    for i in INTEGRATORS:
        click.echo(f"{i.name}\n  order        {i.order}\n  evaluations  {i.evaluations} of the forces per step")
        click.echo(f"  conserves    {i.conserves}\n  source       {i.source}\n")
