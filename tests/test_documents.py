"""What README and docs tell people to type works, and what they show is what comes out."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

import prose
import rigidsim
from rigidsim.analysis.oracles import errors
from rigidsim.cli import cli
from rigidsim.scene import Scene
from typed import COMPILING, Outcome, command, in_python, in_shell
from typeset import as_markdown

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs" / "gallery.md"
"""Its commands are those of `test_gallery`."""
DOCUMENTS = [
    ROOT / "README.md", *sorted({*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "scene").glob("*.md")} - {GALLERY})
]  # fmt: skip
FENCE = re.compile(r"(?:<!-- (\w+) -->\n)?```(\w+)\n(.*?)```", re.DOTALL)
ACTIVATE = ". .venv/bin/activate"
QUOTED = {"first-hour": 10, "plots": 1, "trust": 2, "tutorial-sweep": 6}
"""How many outputs a document quotes; the text of others is not what their commands print."""
RUN_BEFORE = {"trajectory-format": ("shell_leaves_turret", "car_crash")}
"""Scenes of which a document has the trajectories when it begins."""
COARSE = {"RIGIDSIM_PLOT_DPI": "40", "RIGIDSIM_VIDEO_FPS": "5", "RIGIDSIM_VIDEO_SIZE": "160x90"}
"""Options that are not typed: few pixels, and few pictures a second."""


def typed(document: Path) -> list[tuple[str, str]]:
    """(language, text) of the blocks, without those that make an environment (`.ci/run` runs them)."""
    return [(kind, text) for mark, kind, text in FENCE.findall(document.read_text()) if not mark]


@pytest.fixture
def workplace(tmp_path):
    """A folder with the shipped scenes and an environment that can be activated, and a folder of notes."""
    (tmp_path / "reader").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "reader" / "scenes").symlink_to(ROOT / "scenes")
    (tmp_path / "reader" / ".venv").symlink_to(sys.prefix)
    return tmp_path / "reader", tmp_path / "notes"


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if {"sh", "python"} & {kind for kind, _ in typed(d)}], ids=lambda path: path.stem
)
def test_document_goes_as_it_is_written(document, workplace, monkeypatch):
    """Block after block; what is quoted is what comes out, `...` being anything. A block of the README activates the
    environment; readers of all others have done so.
    """
    folder, notes = workplace
    monkeypatch.chdir(folder)
    for key, value in COARSE.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr("rigidsim.views.video.GIF_FPS", 5.0)
    monkeypatch.setattr("rigidsim.views.video.USUAL_SIZE", (160, 90))
    for scene in RUN_BEFORE.get(document.stem, ()):
        assert command(["run", f"scenes/{scene}.yaml", "-q"], notes) == 0
    done, quoted = Outcome(0, "", ""), 0
    for kind, text in typed(document):
        if kind == "sh":
            done = in_shell(text if ACTIVATE in text else f"{ACTIVATE}\n{text}", folder, notes)
            assert done.code == 0, f"{text}\n--- {done.err}"
        elif kind == "python":
            done = in_python(text, folder)
        elif kind == "text" and document.stem in QUOTED:
            pattern = re.escape(text).replace(re.escape("..."), "(?s:.*)")
            output = done.out + COMPILING.sub("", done.err)
            assert re.fullmatch(pattern, output), f"{text}\n--- but there came\n{output}"
            quoted += 1
    assert quoted == QUOTED.get(document.stem, 0)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_scenes_in_documents_are_valid(document):
    for kind, text in typed(document):
        if kind == "yaml" and text.startswith("format:"):
            Scene.from_text(text)


HOW_TO = {text.partition("title: ")[2].partition("\n")[0]: text for _, text in typed(ROOT / "docs" / "how-to.md")}
COUNTED = {"A gate": {"passed": 4.0}}


@pytest.mark.parametrize("title", HOW_TO)
def test_what_is_built_does_what_its_page_says(title):
    trajectory = rigidsim.simulate(Scene.from_text(HOW_TO[title]))
    found = errors(trajectory)
    assert found
    assert [str(error) for error in found if error.error is None or error.exceeds] == []
    assert trajectory.metrics == COUNTED.get(title, {})


def test_the_error_shown_is_the_error_given(workplace, monkeypatch):
    folder, notes = workplace
    monkeypatch.chdir(folder)
    scene = next(text for kind, text in typed(ROOT / "README.md") if kind == "yaml")
    told = typed(ROOT / "docs" / "command-line.md")
    message = next(text for kind, text in told if kind == "text" and "error[" in text)
    Path("scene.yaml").write_text(scene.replace("mass: 0.2", "mas: 0.2", 1))
    assert command(["validate", "scene.yaml"], notes) == 3
    assert message in (notes / "err").read_text()


def test_ci_runs_the_two_commands_of_the_readme():
    ci, readme = (ROOT / ".ci" / "run").read_text(), (ROOT / "README.md").read_text()
    marks = [mark for mark, _, _ in FENCE.findall(readme) if mark]
    assert marks == ["run", "test"]
    assert all(f"readme_command {mark}" in ci for mark in marks)


@pytest.mark.parametrize("page", prose.pages(), ids=lambda page: page.stem)
def test_the_english_of_a_page(page):
    """Run `python docs/prose.py PAGE` to see the sentences."""
    measured = prose.prose(page.read_text())
    assert measured.above == []
    assert measured.mean <= prose.MEAN
    assert measured.not_used == []


def test_the_english_of_docstrings_and_help():
    texts = [text for command in cli.commands.values() for text in (command.help, *map(help_of, command.params))]
    written = "\n\n".join(prose.EXAMPLES.sub("", text) for text in texts if text)
    for measured in (prose.prose(prose.docstrings()), prose.prose(written)):
        assert len(measured.sentences) > 100
        assert measured.above == []
        assert measured.mean <= prose.MEAN
        assert measured.not_used == []


def test_the_english_of_messages():
    """Help, errors, warnings and labels, wherever the sources have them."""
    measured = prose.prose(prose.messages())
    assert len(measured.sentences) > 1000
    assert measured.above == []
    assert measured.not_used == []


def help_of(parameter: object) -> str:
    return getattr(parameter, "help", None) or ""


def test_the_measure_of_english_counts_words_of_sentences():
    text = "# Not this\n\n- One `a b` [two](x.md). Three, four, and 5.5 kg!\n\n```sh\nno more\n```\n\n| no | more |\n"
    measured = prose.prose(f"{text}\n$$\nx = 1\n$$\n\nA blow\nhangs on it")
    assert measured.lengths == [3, 5, 5]
    assert [cell.strip() for cell in measured.cells] == ["no", "more"]
    table = prose.prose(f"Short.\n\n| short |\n|---|\n| {'word ' * 40} |\n")
    assert (table.longest, len(table.above), table.mean) == (40, 1, 1)
    assert measured.not_used == ["blow", "hangs on"]


def test_paths_for_contributors_exist():
    text = (ROOT / "docs" / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"(?:rigidsim|tests|docs)/[\w/.]*\w", text)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == ["rigidsim/engine/integrators/NAME.py"]


@pytest.mark.parametrize("script", ["make_api", "make_forces", "make_functions", "make_integrators", "make_keys"])
def test_tables_made_from_the_sources_are_current(script, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    documents = importlib.import_module(script).documents()
    assert documents
    for page, text in documents.items():
        assert (ROOT / "docs" / page).read_text() == text, f"{page}: run python docs/{script}.py"


MOVED = {"scene-format.md": 49, "scene-keys.md": 145, "physics.md": 89}
"""How many links to sections of other pages lead where these are now."""


def sections(page: Path) -> set[str]:
    """The anchors of a page, as the site makes them."""
    titles = re.findall(r"^#{1,4} (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


def test_sections_of_pages_that_moved_are_found():
    """Each target of docs/moved.json is a section, so an old link leads to what it led to."""
    moved = json.loads((ROOT / "docs" / "moved.json").read_text())
    assert {page: len(places) for page, places in moved.items()} == MOVED
    for page, places in moved.items():
        assert (ROOT / "docs" / page).exists()
        for place, target in places.items():
            path, _, section = target.partition("#")
            assert not section or section in sections(ROOT / "docs" / path), place


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_WC = g + f/m. Newton II, m/s^2.", r"$a_{WC} = g + f/m$. Newton II, $\mathrm{m/s^{2}}$."),
        ("a x b of the body's own x axis", r"$a \times b$ of the body's own x axis"),
        ("x'' = k (w - U . (alpha, a))", r"$x'' = k\, (w - U \cdot (\alpha,\; a))$"),
        ("m v.v/2, e.g. a car (N s)", r"$m\, v \cdot v/2$, e.g. a car $\mathrm{(N\, s)}$"),
        ("|P_t| <= mu P_n; q* v q, two-sided", r"$\lvert P_{t} \rvert \le \mu\, P_{n}$; $q^{*}\, v\, q$, two-sided"),
        ("sqrt(1 - e^2) < 1e-8, `a_b = 3`, v_end", r"$\sqrt{1 - e^{2}} < 10^{-8}$, `a_b = 3`, $v_{\mathrm{end}}$"),
        (
            "-I^-1 (omega x L) with sum_j M_ij p_j",
            r"$-I^{-1}\, (\omega \times L)$ with $\textstyle\sum_{j}\, M_{ij}\, p_{j}$",
        ),
        ("a mass of 3, the rate of a (small) part", "a mass of 3, the rate of a (small) part"),
        ("    u = r,     w = 1/m", "$$\n\\begin{gathered}\nu = r \\qquad w = 1/m\n\\end{gathered}\n$$"),
        ("    a table   of words", "```text\na table   of words\n```"),
    ],
)
def test_equations_of_docstrings_are_typeset_and_words_are_not(text, shown):
    assert as_markdown(text) == shown


def test_named_arguments_are_symbols():
    assert as_markdown("k (rest - x), at a rest of x", ["rest"]) == r"$k\, (\mathrm{rest} - x)$, at a rest of x"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_links_between_pages_lead_to_a_section(page):
    """Those of the README are its own; a page of the site that is made from other sources has no file."""
    for target in re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", FENCE.sub("", page.read_text())):
        path, _, section = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        if "://" not in target and found.suffix == ".md":
            assert found.exists(), target
            assert not section or section in sections(found), target
