"""What a trajectory has of what a run computes: the datasets, and the bodies in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from rigidsim.trajectory.fields import (
    AXES,
    CONTACT_WORK,
    COORDINATE,
    FIELDS,
    JOINT,
    JOINT_FIELDS,
    LOOP,
    LOOP_FIELDS,
    Field,
    term_fields,
)
from rigidsim.trajectory.selection import Selection as Part
from rigidsim.tree.joints import coordinate_rows

Selection = Mapping[str, np.ndarray | None]
"""For each dataset of samples that is recorded the rows of the bodies in it, in order, or None for all bodies."""
ROWS = "recorded_bodies"
"""The attribute of a dataset that has only some bodies: their rows."""


def possible_fields(
    with_contact: bool, with_terms: bool, with_contacts: bool, joints: Mapping[str, str], loops: Mapping[str, str]
) -> tuple[Field, ...]:
    """The datasets of samples if nothing is left out, apart from time; `with_contact` in scenes with contact, `joints`
    are types by path, `loops` by name. Ball joints alone have no coordinates.
    """
    terms = term_fields(with_contact, bool(joints)) if with_terms else ()
    work = (CONTACT_WORK,) if with_contacts else ()
    if not joints and not loops:
        return (*FIELDS, *terms, *work)
    labels = labels_of((), joints, loops)
    return (*FIELDS, *terms, *work, *(field for field in (*JOINT_FIELDS, *LOOP_FIELDS) if labels[field.of_each]))


def selection(
    rows: Mapping[str, Iterable[int] | None], possible: Iterable[Field], n_body: int
) -> dict[str, np.ndarray | None] | None:
    """The selection of these datasets and rows of bodies, in the order of the possible datasets; None if it leaves
    nothing out.
    """
    found: dict[str, np.ndarray | None] = {}
    for field in possible:
        if field.name in rows:
            one = rows[field.name]
            some = None if one is None else np.array(sorted(set(one)), dtype=np.int64)
            found[field.name] = None if some is None or len(some) == n_body else some
    is_whole = all(found.get(field.name, ()) is None for field in possible)
    return None if is_whole else found


def labels_of(paths: Sequence[str], joints: Mapping[str, str], loops: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """The labels of the dimensions of samples that are neither times nor components; `joints` are types by path,
    `loops` by name.
    """
    each = ((path, len(rows), k) for path, rows in coordinate_rows(joints).items() for k in range(len(rows)))
    coordinates = [f"{path}.{k + 1}" if count > 1 else path for path, count, k in each]
    return {"body": paths, JOINT: [*joints], COORDINATE: coordinates, LOOP: [*loops]}


def recorded_bytes(possible: Iterable[Field], recorded: Selection | None, labels: Mapping[str, Sequence[str]]) -> int:
    """Bytes of one recorded sample, uncompressed; `labels` are those of the dimensions that are not components."""
    values = 1  # the time
    for field in possible:
        if recorded is None or field.name in recorded:
            rows = None if recorded is None else recorded[field.name]
            each = len(labels.get(field.of_each, ("",)) if rows is None else rows)
            values += each * len(AXES.get(field.axis, ("",)))
    return 8 * values


class PartialArray:
    """A dataset (time, body, component) in memory that has only some bodies: indexed, it is NaN for the others."""

    def __init__(self, columns: np.ndarray, rows: np.ndarray, n_body: int):
        self.columns, self.rows = columns, rows
        self.shape, self.dtype = (len(columns), n_body, columns.shape[2]), columns.dtype

    def __getitem__(self, key) -> np.ndarray:
        part = Part.of(key, self.shape)
        if part is None:
            return self[()][key]
        samples, _, components = part.box
        bodies, whole = np.asarray(part.axes[1], dtype=np.int64), np.full(part.shape, np.nan)
        kept = np.flatnonzero(np.isin(self.rows, bodies))
        whole[:, np.isin(bodies, self.rows)] = self.columns[samples][:, kept][..., components]
        return whole[part.rest]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self[()], dtype=dtype)


class SomeRows:
    """Some samples of an array, read when they are needed: all on first access, and then kept; or, with
    `column_by_column`, one column at a time, each time anew.
    """

    def __init__(self, array: np.ndarray, samples: slice | np.ndarray, column_by_column: bool = False):
        self._array, self._samples, self._by_column = array, samples, column_by_column
        self.shape = (len(np.arange(array.shape[0])[samples]), *array.shape[1:])

    @cached_property
    def _kept(self) -> np.ndarray:
        return np.asarray(self._array[self._samples])

    def __getitem__(self, key) -> np.ndarray:
        if not self._by_column:
            return self._kept[key]
        is_column = isinstance(key, tuple) and key[0] is ... and len(key) == len(self.shape)
        return self._array[(self._samples, *key[1:])] if is_column else np.asarray(self)[key]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self._array[self._samples] if self._by_column else self._kept, dtype=dtype)
