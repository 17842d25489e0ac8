"""A trajectory as one HTML page that needs no network: the display as data, three.js, and the page's own scripts."""

from __future__ import annotations

import hashlib
import html
import json
from base64 import b64encode
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from zipfile import BadZipFile, ZipFile

from rigidsim.engine.model.arrays import MotionSamples
from rigidsim.errors import UsageError
from rigidsim.tree.nodes import WORLD
from rigidsim.views.display import Display
from rigidsim.views.packing import display_data

SCRIPTS = ("display.js", "camera.js", "picture.js", "arrows.js", "show.js", "page.js")
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {style}; img-src data:; base-uri 'none'; form-action 'none'"
)
VIEWER = ("resources", "templates", "viewer.zip"), "viewer.html.template"
"""The file in trimesh, and the page in it, that contain three.js. Importing trimesh would take a second."""
THREE_BEGIN, THREE_END = "<script>/**\n * @license\n", 'Object.defineProperty(t,"__esModule",{value:!0})}));'


def page_of(display: Display, frame: str = "world", follow: str = "") -> str:
    """The HTML text of a page that shows a display, at first as seen from a body, with the camera following one.

    Nothing in it is loaded from elsewhere, and by its content security policy nothing can be; names and titles are
    data, and never part of markup or scripts. Raises UsageError for an unknown body or if trimesh is missing.
    """
    row = display.row(frame)
    seen = display.poses.seen_from(row)
    chosen = {"from": row, "interest": sorted(display.interesting(seen)), **_followed(display, seen, follow)}
    style, script = _text("page.css"), "\n".join(map(_text, SCRIPTS))
    policy = POLICY.format(scripts=f"{_hash(three())} {_hash(script)}", style=_hash(style))
    return Template(_text("page.html")).substitute(
        policy=policy, title=html.escape(display.title or "rigidsim"), style=style, script=script, three=three(),
        display=_json({**display_data(display), **chosen}),
    )  # fmt: skip


def _followed(display: Display, seen: MotionSamples, follow: str) -> dict[str, int | float | None]:
    """What the camera follows at first, a row or None, and how many metres around it are shown; 0 is by its size."""
    if follow in ("", WORLD):
        row, room = (not follow and display.leader(seen)) or (None, 0.0)
    else:
        row, room = display.row(follow), 0.0
    return {"follow": row, "room": room}


@cache
def three() -> str:
    """The script of three.js, from the viewer that trimesh ships."""
    found = find_spec("trimesh")
    if found is None or found.submodule_search_locations is None:
        raise UsageError('the view needs trimesh; install it with: pip install "rigidsim[view]"')
    folder, (place, name) = Path(found.submodule_search_locations[0]), VIEWER
    try:
        with ZipFile(folder.joinpath(*place)) as archive:
            page = archive.read(name).decode()
    except (OSError, KeyError, BadZipFile):
        page = ""
    begin, end = page.find(THREE_BEGIN), page.find(THREE_END)
    if not 0 <= begin < end:
        raise UsageError('this trimesh has no three.js; install one that has: pip install -U "rigidsim[view]"')
    return page[begin + len("<script>") : end + len(THREE_END)]


def _text(name: str) -> str:
    return files("rigidsim.views").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(data: object) -> str:
    """JSON in ASCII that ends no element."""
    return json.dumps(data).replace("<", "\\u003c")
