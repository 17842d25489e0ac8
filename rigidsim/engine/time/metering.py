"""The metrics of a block during its run: what was reduced so far, and the events that were counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from rigidsim.engine.assembly.lanes import overwrite
from rigidsim.engine.events.buffer import EventBuffer
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Metrics, Model, Samples, floats, made, make_samples
from rigidsim.engine.model.layout import CHAIN, SCALAR, SIX
from rigidsim.engine.outputs.metrics import evaluate_metrics, fold_samples, parts_read
from rigidsim.jit.kernels import Kernel
from rigidsim.jit.layouts import zeros
from rigidsim.physics.reductions import FOLDS

CAUSES = (layout.CAUSE_IMPULSE, layout.CAUSE_REPARENTING, layout.CAUSE_STOP)
"""The causes of events in the order in which expressions number what they count; events of contact come after them."""
ROOM_BYTES = 1 << 20


class _Arrays(NamedTuple):
    """The working arrays of the kernels, and the memories of the reductions."""

    chains: np.ndarray = floats(2, CHAIN)  # of a body and of its observer
    register: np.ndarray = floats("registers", SCALAR)  # of the values at a sample
    result: np.ndarray = floats("results", SCALAR)  # of the reductions and the metrics
    memory: np.ndarray = floats("reductions", SIX)


class Metering:
    """The metrics of one block. Without metrics in the scene nothing is computed, or compiled."""

    def __init__(self, lanes: tuple[int, ...], caller: Callable[[Kernel], Callable]):
        self._lanes = lanes
        self._metrics: Metrics | None = None
        self._made: _Arrays | None = None
        self._counts = np.zeros((len(CAUSES), len(lanes)))
        self._room: Samples | None = None
        self.end = np.zeros(1)  # s, the time of the last sample
        self._fold, self._fold_last = caller(fold_samples), caller(fold_samples)  # each remembers its arrays
        self._evaluate = caller(evaluate_metrics)

    def enter(self, model: Model) -> Model:
        """Take over the tables of the present tree; returns the model without them, for the stepper."""
        self._metrics = model.metrics
        if self._metrics and not self._made:
            self._made = _arrays(self._metrics, len(self._lanes))
        return model._replace(metrics=None)

    def begin_again(self, model: Model) -> None:
        """Take over the values of other worlds of this structure, of which nothing was reduced so far."""
        self._counts[:] = 0.0
        if self._metrics:
            overwrite(self._metrics, model.metrics)
            _set_constants(self._arrays, self._metrics)
            self._arrays.memory[:] = 0.0

    def tables(self) -> tuple[Metrics | None, _Arrays | None]:
        """What kernels need to add samples themselves."""
        return self._metrics, self._made

    @property
    def _arrays(self) -> _Arrays:
        assert self._made is not None
        return self._made

    @property
    def is_on(self) -> bool:
        """Whether there are any metrics."""
        return self._metrics is not None

    def room(self, model: Model) -> Samples:
        """Arrays for samples that are needed for the metrics only: the parts that these read, and few samples, to stay
        in the processor's cache.
        """
        if self._room is None:
            parts = parts_read(self._metrics)
            one = make_samples(model, 1, False, self._lanes, **parts)
            size = sum(array.nbytes for array in (*one.local, *one.world, one.ledger, one.asked))
            self._room = make_samples(model, max(1, ROOM_BYTES // size), False, self._lanes, **parts)
        return self._room

    def add(self, times: np.ndarray, samples: Samples, first: int) -> None:
        """Add samples, taken at `times` (s) on the present tree, in rows first, first + 1, ..."""
        if self._metrics and len(times):
            self._fold(*self._folding(times, samples, first))

    def calls(self, one: Samples) -> Iterator[tuple[Callable, tuple]]:
        """A call of each kernel, for one sample."""
        if self._metrics:
            yield self._fold, self._folding(np.zeros(1), one, 0)
            yield self._evaluate, self._evaluating()

    def _folding(self, times: np.ndarray, samples: Samples, first: int) -> tuple:
        arrays = self._arrays
        return self._metrics, times, samples, first, arrays.chains, arrays.register, arrays.memory, self._lanes

    def _evaluating(self) -> tuple:
        return self._metrics, self._arrays.memory, self._arrays.result, self._lanes

    def count(self, buffer: EventBuffer) -> None:
        """Count the events in the buffer; what did not happen in a lane has no time there."""
        if self._metrics:
            filled, n, place = buffer.filled[0], len(self._lanes), layout.HIT.place("time")
            causes, time = buffer.event[:filled, layout.RECORD.cause], slice(place * n, (place + 1) * n)
            happened = ~np.isnan(buffer.event_value[:filled, time])
            self._counts += [np.count_nonzero(happened[causes == cause], axis=0) for cause in CAUSES]

    def values(self, last: Samples, time: float, touches: np.ndarray) -> np.ndarray:
        """(metric, lane) the metrics if the run ends with this sample at this time (s); `touches` are the contacts that
        began and the impacts up to then, (k, 4): cause, two nodes, how many.
        """
        if not self._metrics:
            return zeros(0, len(self._lanes))
        metrics, arrays, place = self._metrics, self._arrays, self.place()
        self.end[0] = time
        self._fold_last(*self._folding(self.end, last, 0))
        first = len(metrics.results.constant) + 1
        for r, kind in enumerate(metrics.folds[:, layout.FOLD.kind].tolist()):
            if kind >= len(FOLDS):
                counted, by = metrics.counted[r]
                arrays.result[first + r] = self._counted(kind - len(FOLDS), counted, by, touches)
        self._evaluate(*self._evaluating())
        self.go_back(place)
        return arrays.result[metrics.result]

    def _counted(self, events: int, begin: int, end: int, touches: np.ndarray) -> float | np.ndarray:
        """The number of events of a kind, (lane); of contact those of any of the nodes."""
        if events < len(CAUSES):
            return self._counts[events]
        cause, nodes = (layout.CAUSE_BEGAN, layout.CAUSE_IMPACT)[events - len(CAUSES)], touches[:, 1:3]
        is_of = ((begin <= nodes) & (nodes < end)).any(axis=1) & (touches[:, 0] == cause)
        return float(touches[is_of, 3].sum())

    def place(self) -> tuple:
        """What `go_back` needs."""
        return self._metrics, self._made and self._made.memory.copy(), self._counts.copy()

    def checkpoint(self) -> dict[str, np.ndarray]:
        """What `resume` needs."""
        return {"metrics.memory": self._arrays.memory, "metrics.counts": self._counts} if self._metrics else {}

    def resume(self, checkpoint: Mapping[str, np.ndarray]) -> None:
        """Continue with what was reduced and counted when `checkpoint` was made."""
        if self._metrics:
            self._arrays.memory[:], self._counts[:] = checkpoint["metrics.memory"], checkpoint["metrics.counts"]

    def go_back(self, place: tuple) -> None:
        """Forget what was added since `place`."""
        self._metrics, memory, counts = place
        self._counts = counts.copy()
        if self._made:
            self._arrays.memory[:] = memory


def _arrays(metrics: Metrics, n: int) -> _Arrays:
    registers, results = (p.first + len(p.code) for p in (metrics.program, metrics.results))
    arrays = made(_Arrays, {"lanes": n, "registers": registers, "results": results, "reductions": len(metrics.folds)})
    _set_constants(arrays, metrics)
    return arrays


def _set_constants(arrays: _Arrays, metrics: Metrics) -> None:
    arrays.register[: len(metrics.program.constant)] = metrics.program.constant
    arrays.result[: len(metrics.results.constant)] = metrics.results.constant
