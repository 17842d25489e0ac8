"""A display as data of a page: plain JSON, with arrays as text (base64 of deflated bytes, little endian).

The motions relative to the parents are kept exactly where that matters or costs little, and rounded elsewhere: then
positions to 2^-30 of the length of their path's bounding box, components of quaternions to 2^-15, rates to 2^-15 of
the largest.
Rounded columns are second differences along time, which are small where a motion is smooth, in planes of bytes.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import Any

import numpy as np

from rigidsim.report.sections import plain
from rigidsim.views.display import Display
from rigidsim.views.links import SYMBOLS
from rigidsim.views.loads import Loads
from rigidsim.views.poses import WORLD_ROW, Poses

EXACT = 20_000
"""Motions of so many bodies times frames are kept exactly, all of them; else only those of `MOST_EXACT` bodies."""
MOST_EXACT = 64
WITH_RATES = 400_000
"""Velocities are left out above so many bodies times frames."""
CONTACTS = ("<i4", "<i4", "<f4", "<f4")
SURFACE = {"vertices": "<f4", "normals": "<f4", "faces": "<i4"}
PLAIN = ("title", "paths", "kinds", "colours", "known", "hollow", "speed", "middle", "reach", "notes")
POSITION_STEP, QUATERNION_STEP, RATE_STEP = 2.0**-30, 2.0**-15, 2.0**-15


def display_data(display: Display) -> dict[str, Any]:
    """The display as plain data for JSON."""
    poses = display.poses
    n_frame, n_body = poses.position.shape[:2]
    exact = exact_rows(poses)
    rounded = sorted(set(range(n_body)) - set(exact))
    motion = np.concatenate([poses.position, _continuous(poses.orientation)], axis=-1)
    rates = np.concatenate([poses.velocity, poses.angular_velocity], axis=-1)
    return {
        **plain({name: getattr(display, name) for name in PLAIN}),
        "time": packed(poses.time, "<f8"),
        "tree": packed(poses.tree, "<i4"),
        "trees": [packed(np.array(parents), "<i4") for parents in poses.trees],
        "exact": {"rows": exact, "values": packed(motion[:, exact].transpose(1, 2, 0), "<f8")},
        "rounded": {"rows": rounded, **_pose_columns(motion[:, rounded])},
        "rates": _rate_columns(rates) if n_frame * n_body <= WITH_RATES else None,
        "surfaces": [
            {name: packed(array, kind) for (name, kind), array in zip(SURFACE.items(), surface, strict=True)}
            for surface in display.surfaces
        ],
        "parts": [plain(part._asdict()) for part in display.parts],
        "joints": [plain(joint._asdict()) for joint in display.joints],
        "links": [plain(link._asdict()) for link in display.links],
        "ends": [plain(end) for end in display.ends],
        "symbols": plain(SYMBOLS),
        "chapters": [plain(chapter._asdict()) for chapter in display.chapters],
        "loads": None if display.loads is None else _loads_data(display.loads),
    }


def _loads_data(loads: Loads) -> dict[str, Any]:
    found: dict[str, Any] = {"sample": packed(loads.sample, "<i4"), "contacts": None}
    if loads.contacts is not None:
        columns = zip(loads.contacts._fields, loads.contacts, CONTACTS, strict=True)
        found["contacts"] = {name: packed(array, kind) for name, array, kind in columns}
        found["strongest"] = _typical(loads.contacts.force)
    for name, array in (("force", loads.force), ("inertial", loads.inertial)):
        found[name] = packed(array, "<f4") if array is not None and array.size <= 3 * WITH_RATES else None
    found["largest"] = max((_typical(a) for a in (loads.force, loads.inertial) if a is not None), default=0.0)
    return found


def _typical(vectors: np.ndarray) -> float:
    """A length that 98 of 100 of the vectors that are not zero do not exceed."""
    lengths = np.linalg.norm(vectors, axis=-1)
    lengths = lengths[lengths > 0]
    return float(np.quantile(lengths, 0.98)) if lengths.size else 0.0


def packed(array: np.ndarray, kind: str) -> str:
    """An array of this kind (`<f8`, `<f4`, `<i4`) as text."""
    return b64encode(zlib.compress(np.ascontiguousarray(array, dtype=kind).tobytes(), 6)).decode()


def packed_columns(columns: np.ndarray, step: np.ndarray) -> dict[str, str]:
    """Columns (column, frame) rounded to multiples of their steps; one of step zero is constant."""
    lower, upper = columns.min(axis=1), columns.max(axis=1)
    offset = np.where(step > 0, lower / 2 + upper / 2, lower)
    divisor = np.where(step > 0, step, 1.0)
    whole = np.rint((columns - offset[:, None]) / divisor[:, None]).astype(np.int32)
    whole[step == 0] = 0
    second = np.diff(np.diff(whole, axis=1, prepend=0), axis=1, prepend=0).astype("<i4")
    planes = second.reshape(-1).view(np.uint8).reshape(-1, 4).T
    return {"planes": packed(planes, "u1"), "steps": packed(step, "<f8"), "offsets": packed(offset, "<f8")}


def exact_rows(poses: Poses) -> list[int]:
    """The bodies whose motions are kept exactly. If not all: those that change their parent or that carry others, on
    whose digits other bodies depend.
    """
    n_frame, n_body = poses.position.shape[:2]
    if n_frame * n_body <= EXACT:
        return list(range(n_body))
    trees = np.array(poses.trees)
    changed = np.flatnonzero((trees != trees[0]).any(axis=0))
    moved_bases = np.unique(trees[trees != WORLD_ROW])
    return sorted(list(dict.fromkeys([*changed.tolist(), *moved_bases.tolist()]))[:MOST_EXACT])


def _continuous(orientation: np.ndarray) -> np.ndarray:
    """The same orientations, by quaternions that do not change sign from frame to frame."""
    turn = np.sign(np.einsum("fbi,fbi->fb", orientation[1:], orientation[:-1]))
    sign = np.cumprod(np.where(turn == 0, 1.0, turn), axis=0)
    return np.concatenate([orientation[:1], sign[..., None] * orientation[1:]])


def _pose_columns(motion: np.ndarray) -> dict[str, str]:
    columns = motion.transpose(1, 2, 0)
    extent = np.ptp(columns, axis=2)
    step = np.repeat(extent[:, :3].max(axis=1, initial=0.0)[:, None] * POSITION_STEP, 7, axis=1)
    step[:, 3:] = QUATERNION_STEP
    return packed_columns(columns.reshape(-1, len(motion)), np.where(extent > 0, step, 0.0).ravel())


def _rate_columns(rates: np.ndarray) -> dict[str, str]:
    columns = rates.transpose(1, 2, 0)
    largest = np.abs(columns).max(axis=2).reshape(-1, 2, 3).max(axis=2)
    step = np.where(np.ptp(columns, axis=2) > 0, np.repeat(largest, 3, axis=1) * RATE_STEP, 0.0)
    return packed_columns(columns.reshape(-1, len(rates)), step.ravel())
