"""Pages of the site that have another source on a code host, and KaTeX: called by `mkdocs build --strict`.

`index.md` is the README, `commands.md` the help of the commands, `notebooks/*.md` are the notebooks. `api.md` has
docstrings as text on a code host; here mkdocstrings makes it from the same names. KaTeX is the package of the npm
registry, so the site needs no network when it is read.
"""

from __future__ import annotations

import importlib
import json
import posixpath
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from rigidsim.cli import cli

DOCS = Path(__file__).parent
ROOT = DOCS.parent
KATEX = "0.19.1"
BOOST = {"how-to.md": 2, "scene/index.md": 2, "api.md": 0.5} | dict.fromkeys(
    ("physics.md", "elementary.md", "architecture.md", "changelog.md", "notes/measurements-2026-11.md"), 0.02
)
"""What a search puts first: tasks and the reference, before formulas and the sources."""
MOVED: dict[str, dict[str, str]] = json.loads((DOCS / "moved.json").read_text())
"""Where sections of a page are that have moved; without a section, the whole page."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and files that have no Markdown of their own in docs/."""
    readme = (ROOT / "README.md").read_text().replace("](docs/", "](").replace('src="docs/', 'src="')
    files.append(File.generated(config, "index.md", content=readme))
    files.append(File.generated(config, "commands.md", content=commands()))
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=notebook(path)))
    for path, content in katex().items():
        files.append(File.generated(config, f"assets/katex/{path}", content=content))
    config.extra_css.append("assets/katex/katex.min.css")
    config.extra_javascript.insert(0, "assets/katex/katex.min.js")
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The API from its docstrings; links to files outside of docs/ as code; the weight of the page in the search."""
    page.meta["search"] = {"boost": BOOST.get(page.file.src_uri, 1), "exclude": "" in MOVED.get(page.file.src_uri, {})}
    if page.file.src_uri == "api.md":
        return api()
    markdown = markdown.replace("](../README.md", "](index.md")
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))
    return re.sub(r"\[([^\]]*)\]\((\.\./[^)]*)\)", lambda link: outside(folder, *link.group(0, 1, 2)), markdown)


def outside(folder: str, link: str, text: str, target: str) -> str:
    """The link, or what stands for one to a file that the site does not have: its text, and its path from the root."""
    path = posixpath.normpath(posixpath.join(folder, target))
    return link if path.startswith("docs/") else text if path in text else f"{text} (`{path}`)"


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page of which sections have moved leads to where they are now."""
    if page.file.src_uri not in MOVED:
        return html
    places = {section: address(target, page, files) for section, target in MOVED[page.file.src_uri].items()}
    script = (
        f"const places = {json.dumps(places)}, place = places[location.hash.slice(1)] ?? places[''];"
        "if (place) location.replace(place);"
    )
    return f"{html}\n<script>{script}</script>"


def address(target: str, page: Page, files: Files) -> str:
    """The address of a page of docs/, and of a section of it, relative to another page."""
    path, mark, section = target.partition("#")
    return files.get_file_from_path(path).url_relative_to(page.file) + mark + section


def beside(name: str) -> ModuleType:
    """A module of docs/."""
    sys.path.insert(0, str(DOCS))
    module = importlib.import_module(name)
    sys.path.remove(str(DOCS))
    return module


def api() -> str:
    """The page of docs/make_api.py, with directives of mkdocstrings in place of its docstrings."""
    make_api = beside("make_api")
    parts = [f"# The Python API\n\n{make_api.GUIDE}\n"]
    for group, names in make_api.GROUPS.items():
        parts += [f"## {group}\n", *(f"::: {full_name(make_api.found(name))}\n" for name in names)]
    return "\n".join(parts)


def notebook(path: Path) -> str:
    """The page of a notebook, with a link to its file below the title."""
    title, _, text = beside("make_notebooks").as_markdown(json.loads(path.read_text())).partition("\n")
    return f"{title}\n\n[Download the notebook]({path.name}).\n{text}"


def commands() -> str:
    """What `--help` prints, for each command."""
    pages = [f"# Every command\n\nWhat `rigidsim COMMAND --help` prints.\n\n{as_printed(cli, 'rigidsim')}"]
    for name in sorted(cli.commands):
        pages.append(f"## rigidsim {name}\n\n{as_printed(cli.commands[name], f'rigidsim {name}')}")
    return "\n\n".join(pages)


def as_printed(command: click.Command, name: str) -> str:
    """The help of a command, and of those below it."""
    context = click.Context(command, info_name=name, terminal_width=86, help_option_names=["-h", "--help"])
    below = sorted(getattr(command, "commands", {}).items()) if command is not cli else []
    texts = [f"```text\n{command.get_help(context)}\n```", *(as_printed(one, f"{name} {key}") for key, one in below)]
    return "\n\n".join(texts)


def full_name(public: object) -> str:
    """The module and the name by which griffe finds a public name."""
    return f"{public.__module__}.{public.__qualname__}" if hasattr(public, "__qualname__") else public.__name__


def katex() -> dict[str, bytes]:
    """The files of KaTeX that a page needs; `npm pack` fetches them once into build/."""
    folder = ROOT / "build" / "katex"
    packed = folder / f"katex-{KATEX}.tgz"
    if not packed.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", f"katex@{KATEX}", "--silent", "--pack-destination", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wanted = re.compile(r"package/dist/(katex\.min\.(?:js|css)|fonts/.*\.woff2)")
    with tarfile.open(packed) as archive:
        found = {match[1]: member for member in archive if (match := wanted.fullmatch(member.name))}
        return {path: archive.extractfile(member).read() for path, member in found.items()}
