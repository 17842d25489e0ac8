"""Runs the notebooks of docs/notebooks and stores what they show: `python docs/make_notebooks.py [NAME ...]`.

Needs the extra `plot`, and no Jupyter. A cell is run as Jupyter runs it: its last expression is shown, as HTML if it
has that, a figure as a picture, else as text. `as_markdown` is the page of the site.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

FOLDER = Path(__file__).parent / "notebooks"
DPI = 80


def run_cell(source: str, names: dict) -> list[dict]:
    """The outputs of a cell; `names` are those of the notebook, which the cell may change."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        shown = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    stream = {"output_type": "stream", "name": "stdout", "text": lines_of(printed.getvalue())}
    result = {"output_type": "display_data", "metadata": {}, "data": data_of(shown)}
    return [stream] * bool(printed.getvalue()) + [result] * (shown is not None)


def data_of(shown: object) -> dict:
    """What Jupyter would keep of a value."""
    if hasattr(shown, "savefig"):
        file = io.BytesIO()
        shown.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
        return {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": ["<Figure>"]}
    if hasattr(shown, "_repr_html_"):
        return {"text/html": lines_of(shown._repr_html_()), "text/plain": [f"<{type(shown).__name__}>"]}
    return {"text/plain": lines_of(repr(shown))}


def lines_of(text: str) -> list[str]:
    """A text as notebooks have it."""
    return text.splitlines(keepends=True)


def executed(notebook: dict) -> dict:
    """The notebook with the outputs of its cells, run in order."""
    names: dict = {"__name__": "__main__"}
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count = 1 + sum(one["cell_type"] == "code" for one in cells)
            cell = cell | {"execution_count": count, "outputs": run_cell("".join(cell["source"]), names)}
        cells.append(cell)
    return notebook | {"cells": cells}


def texts_of(notebook: dict) -> list[str]:
    """What its cells print, and values without HTML."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return ["".join(output.get("text") or output["data"]["text/plain"]) for output in outputs]


def as_markdown(notebook: dict) -> str:
    """The page of a notebook."""
    return "\n\n".join(part for cell in notebook["cells"] for part in parts_of(cell)) + "\n"


def parts_of(cell: dict) -> list[str]:
    """A cell as Markdown: its text, or its code and what that shows."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *map(output_as_markdown, cell["outputs"])]


def output_as_markdown(output: dict) -> str:
    """An output as Markdown."""
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="Figure" src="data:image/png;base64,{data["image/png"]}">'
    if "text/html" in data:
        html = " ".join(line.strip() for line in "".join(data["text/html"]).splitlines())
        return f'<div class="shown">{html}</div>'
    return f"```text\n{''.join(output.get('text') or data['text/plain']).rstrip()}\n```"


def main(names: list[str]) -> None:
    """Run the named notebooks, or all, and write them."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            notebook = executed(json.loads(path.read_text()))
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
