"""Reading the header of an HDF5 file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py

from rigidsim.errors import FormatError
from rigidsim.trajectory.checks import check_contact, own_dataset, recorded_rows
from rigidsim.trajectory.contact_fields import POINTS, SHAPES
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.fields import BODY_TEXTS
from rigidsim.trajectory.header import NO_CONTACT, Change, Header
from rigidsim.trajectory.recorded import ROWS, Selection, possible_fields, selection
from rigidsim.trajectory.structure import METRICS


def header_in(file: h5py.File, path: Path, events: tuple[Event, ...]) -> Header:
    """The header in a file with these events."""
    paths, parents, kinds = (tuple(text.decode() for text in file[name][()]) for name in BODY_TEXTS)
    scene = file["scene"]
    resolved = scene["resolved"][()]
    if hashlib.sha256(resolved).hexdigest() != scene.attrs["sha256"]:
        raise FormatError(f"{path} is damaged: scene/resolved does not match its sha256")
    header = Header(
        paths=paths,
        parents=parents,
        kinds=kinds,
        scale=file["own_scale_to_metre"][()],
        parent_scale=file["scale_to_metre"][()],
        isolated=bool(file.attrs["isolated"]),
        with_terms="terms" in file,
        changes=tuple(
            Change(event.time, event.body, event.parent_after, event.motion)
            for event in events
            if event.cause == "reparent"
        ),
        scene_name=str(scene.attrs["name"]),
        scene_text=scene["text"][()].decode(),
        scene_resolved=resolved.decode(),
        provenance=dict(json.loads(scene.attrs["provenance"]).items()),
        contact_settings=_contact(file, path),
        shapes=tuple(text.decode() for text in file[SHAPES][()]) if SHAPES in file else (),
        with_contacts=POINTS in file,
        metrics={name: str(file[f"{METRICS}/{name}"].attrs["expression"]) for name in file.get(METRICS, ())},
    )
    return replace(header, recorded=_recorded(file, path, header))


def _recorded(file: h5py.File, path: Path, header: Header) -> Selection | None:
    """What was selected, by the datasets in the file; without a selection in the scene, all datasets must be there."""
    resolved = header.scene_resolved
    # Looking for the word is faster than parsing a large scene.
    if '"record"' not in resolved or "record" not in json.loads(resolved).get("simulation", {}):
        return None
    found, n_body = {}, len(header.paths)
    possible = possible_fields(bool(header.shapes), header.with_terms, header.with_contacts)
    for name in (field.name for field in possible if field.name in file):
        rows = own_dataset(file, path, name).attrs.get(ROWS)
        found[name] = None if rows is None else recorded_rows(rows, n_body, path, name)
    return selection(found, possible, n_body)


def _contact(file: h5py.File, path: Path) -> Mapping[str, Any]:
    """What was chosen for contact; a file in which nothing can touch does not have it."""
    if "scene/contact" not in file:
        return NO_CONTACT.copy()
    contact = json.loads(own_dataset(file, path, "scene/contact")[()])
    check_contact(contact, path)
    return contact
