"""Impacts as stems over time: the size of each impulse."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from rigidsim.analysis.colours import colour_of
from rigidsim.analysis.quantities import short_name
from rigidsim.errors import UsageError
from rigidsim.plots.history import Request
from rigidsim.plots.labels import body_names
from rigidsim.plots.marks import impacts_of
from rigidsim.plots.style import draw_legend, label_axes, shortened

MARKERS = "osD^vP*X"
MOST_PAIRS = 7


class ImpactsPanel:
    """The impulse of each impact, by the two bodies."""

    is_wide, projection, height = True, None, 1.9

    def __init__(self, request: Request, is_log: bool = False):
        self.request, self.is_log = request, is_log
        trajectory, bodies = request.history.trajectory, {request.body} - {""}
        rows = impacts_of(trajectory, bodies)
        contact, (begin, end) = trajectory.events.contact, request.history.span
        rows = rows[(begin <= contact.time[rows]) & (contact.time[rows] <= end)] if len(rows) else rows
        if not len(rows):
            whose = f" of {request.body}" if request.body else ""
            raise UsageError(f"there are no impacts{whose} from {begin:g} to {end:g} s")
        self._time, self._size = contact.time[rows], np.linalg.norm(contact.impulse[rows], axis=1)
        self._pairs = np.sort(
            np.stack([contact.nodes[contact.first[rows]], contact.nodes[contact.second[rows]]]), axis=0
        )

    def draw(self, axes: Axes, is_first: bool) -> None:
        """Draw the stems, with a marker for each of the pairs with the hardest impacts."""
        kinds, which = np.unique(self._pairs.astype(str), axis=1, return_inverse=True)
        which, hardest = which.ravel(), np.zeros(kinds.shape[1])
        np.maximum.at(hardest, which, self._size)
        order = np.argsort(-hardest, kind="stable")
        handles, names = [], []
        shown = body_names(kinds.ravel().tolist())
        for k, pair in enumerate(order[:MOST_PAIRS]):
            one = which == pair
            handles.append(self._stems(axes, one, colour_of(k), MARKERS[k]))
            names.append(" – ".join(shortened(shown[name], 16) for name in kinds[:, pair]))
        if len(order) > MOST_PAIRS:
            handles.append(self._stems(axes, np.isin(which, order[MOST_PAIRS:]), "#9a9a9a", "x"))
            names.append(f"{len(order) - MOST_PAIRS} other pairs")
        if self.is_log:
            axes.set_yscale("log", nonpositive="mask")
        else:
            axes.set_ylim(bottom=0.0)
        name = f"{shortened(short_name(self.request.body))} impulse, N s".strip()
        axes.set_xlim(*self.request.history.span)
        label_axes(axes, y=name if len(names) > 1 else f"impulse {names[0]}, N s")
        draw_legend(axes, handles, names if len(names) > 1 else [])

    def _stems(self, axes: Axes, rows: np.ndarray, color: str, marker: str):
        time, size = self._time[rows], self._size[rows]
        foot = self._size[self._size > 0.0].min(initial=1.0) / 2 if self.is_log else 0.0
        axes.vlines(time, foot, size, color=color, linewidth=0.8, alpha=0.7)
        (drawn,) = axes.plot(time, size, marker, color=color, markersize=3.5)
        return drawn
