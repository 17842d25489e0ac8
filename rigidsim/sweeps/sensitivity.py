"""Sobol indices of the results of a `saltelli` sample, with bounds by the bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 999
BATCH_BYTES = 32e6
LEAST_ROWS = 8


@dataclass(frozen=True)
class SobolIndices:
    """How much of the variance of one result is due to each varied number.

    `first` is the part that the number explains alone, `total` the part that it takes part in. They differ from the
    true values by the error of the sample; about 95 % of samples have bounds, `_low` and `_high`, that enclose them.
    All are arrays with an entry for each of `names`, NaN if `remark` says that there are no indices.
    """

    names: tuple[str, ...]
    first: np.ndarray
    first_low: np.ndarray
    first_high: np.ndarray
    total: np.ndarray
    total_low: np.ndarray
    total_high: np.ndarray
    rows: int  # of the sample, that were used
    left_out: int  # rows with a run that failed, or without a finite value
    remark: str  # about rows that are left out; empty if there are none

    def as_dict(self) -> dict[str, object]:
        """Plain data: lists for arrays, and None for NaN."""
        return {
            key: [None if np.isnan(x) else x for x in value.tolist()] if isinstance(value, np.ndarray) else value
            for key, value in vars(self).items()
        }


def sobol_indices_of(names: tuple[str, ...], count: int, values: np.ndarray) -> SobolIndices:
    """The indices of a result: `values` are those of the count (d + 2) runs of a `saltelli` sample of the names, NaN
    for runs without one. The estimators are those of Saltelli et al. (2010), the bounds percentiles of the bootstrap
    over the rows of the sample, always with the same resamples.
    """
    blocks = values.reshape(len(names) + 2, count)
    good = np.isfinite(blocks).all(axis=0)
    rows = int(np.count_nonzero(good))
    remark = _remark(blocks[:, good], rows, count)
    if rows < LEAST_ROWS or np.ptp(blocks[:, good]) == 0.0:
        unknown = np.full(len(names), np.nan)
        return SobolIndices(names, unknown, unknown, unknown, unknown, unknown, unknown, rows, count - rows, remark)
    # The indices are quotients of sums of differences from the mean. Rows that are the mean add nothing to them.
    filled = np.where(good, blocks, blocks[:2, good].mean())
    estimates = np.concatenate([_estimates(filled, resamples) for resamples in _resamples(count, len(blocks))])
    low, high = np.percentile(estimates[1:], [50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)], axis=0)
    first, total = ((estimates[0][kind], low[kind], high[kind]) for kind in (0, 1))
    return SobolIndices(names, *first, *total, rows, count - rows, remark)


def _remark(good: np.ndarray, rows: int, count: int) -> str:
    if rows < LEAST_ROWS:
        return f"{rows} of {count} rows of the sample have a value in all of their runs; {LEAST_ROWS} are needed"
    if np.ptp(good) == 0.0:
        return "the value is the same in all runs"
    if rows < count:
        out = (
            f"{count - rows} of {count} rows of the sample, with runs that failed or have no finite value, are left out"
        )
        return f"{out}; the indices are those of the others"
    return ""


def _resamples(count: int, blocks: int) -> Iterator[np.ndarray]:
    """(resample, count) the rows in each resample, in batches; the first one is the sample itself."""
    bits = np.random.PCG64(0)  # raw bits: NumPy's conversion to integers may change from version to version
    shift = np.uint64(64 - (count - 1).bit_length())  # the count is a power of two
    batches = int(min((RESAMPLES + 1) // 2, 1 + RESAMPLES * count * blocks * 8 // BATCH_BYTES))
    for part in np.array_split(np.arange(RESAMPLES + 1), batches):
        rows = (bits.random_raw(len(part) * count) >> shift).astype(np.int64).reshape(len(part), count)
        if part[0] == 0:
            rows[0] = np.arange(count)
        yield rows


def _estimates(blocks: np.ndarray, resamples: np.ndarray) -> np.ndarray:
    """(resample, 2, number) first and total indices of at least two resamples of the rows."""
    from scipy.stats import sobol_indices

    f_A, f_B, *f_AB = blocks[:, resamples]
    found = sobol_indices(func={"f_A": f_A, "f_B": f_B, "f_AB": np.array(f_AB)}, n=resamples.shape[1])
    return np.stack([each.reshape(len(resamples), -1) for each in (found.first_order, found.total_order)], axis=1)
