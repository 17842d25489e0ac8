"""Options and parameter types that several commands share."""

from __future__ import annotations

import click


class TimeType(click.ParamType):
    """A time in s, or with a unit."""

    name = "time"

    def convert(self, value, param, ctx) -> float:
        """The time in s."""
        try:
            return float(value)
        except ValueError:
            from rigidsim.scene.values.times import seconds
        return seconds(value)


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
