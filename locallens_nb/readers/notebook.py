"""Read a Jupyter notebook cell by cell: sources and short text outputs, never image data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from locallens_nb.readers.text import UnusableFileError, drop_terminal_codes

MAX_OUTPUT_CHARACTERS = 2000
MAX_ERROR_CHARACTERS = 500

CELL_LINE = re.compile(r"^# Cell (?P<number>\d+) \((?P<kind>\w+)\)$", re.MULTILINE)
"""The line that :func:`render_notebook` writes above each part of a cell."""

# As an address, or as the bare start of a PNG, JPEG, GIF or WebP file; perhaps in lines. Words that follow are none of it.
_EMBEDDED_DATA = re.compile(
    r"(?:data:[\w.+-]+/[\w.+-]+(?:;[\w-]+=[\w.-]+)*;base64,|\b(?:iVBORw0KGg|R0lGOD|UklGR)|(?<!\w)/9j/)"
    r"[A-Za-z0-9+/]{32,}(?:\s+[A-Za-z0-9+/]{56,})*(?:\s[A-Za-z0-9+/]*(?==))?={0,2}"
)
# JSON can spell what no file can hold: half of a surrogate pair, and control characters.
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff]")


def render_notebook(text: str) -> str:
    r"""Return the text of a notebook, each cell under a line such as ``# Cell 7 (code)``.

    Cells are numbered from 1 in the order of the notebook, empty ones included. What a code cell printed or returned
    follows under ``# Cell 7 (output)``, cut after :data:`MAX_OUTPUT_CHARACTERS`; of an error its name and message
    only, cut after :data:`MAX_ERROR_CHARACTERS`.

    Parameters
    ----------
    text
        The notebook's JSON, of format 3 or 4.

    Returns
    -------
    str
        The cells, with a blank line between them; empty when no cell holds text.

    Raises
    ------
    UnusableFileError
        When it is not a notebook.
    """
    sections: list[str] = []
    for number, cell in enumerate(_cells(text), start=1):
        kind = str(cell.get("cell_type", "raw"))
        sections += _section(number, kind, _clean(_join(cell.get("source", cell.get("input")))))
        outputs = cell.get("outputs")
        if isinstance(outputs, list):
            texts = (_output_text(output) for output in outputs if isinstance(output, Mapping))
            sections += _section(number, "output", "\n".join(filter(None, texts)))
    return "\n\n".join(sections)


def _cells(text: str) -> list[Mapping[str, Any]]:
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnusableFileError(f"not a notebook: its JSON is broken ({error})") from error
    if isinstance(notebook, Mapping) and isinstance(notebook.get("worksheets"), list):
        parts = [sheet.get("cells") for sheet in notebook["worksheets"] if isinstance(sheet, Mapping)]
        cells: Any = [cell for part in parts if isinstance(part, list) for cell in part]
    else:
        cells = notebook.get("cells") if isinstance(notebook, Mapping) else None
    if not isinstance(cells, list):
        raise UnusableFileError("not a notebook: it has no cells")
    return [cell if isinstance(cell, Mapping) else {} for cell in cells]


def _section(number: int, kind: str, text: str) -> Iterator[str]:
    body = text.strip("\n")
    if body.strip():
        yield f"# Cell {number} ({kind})\n{body}"


def _output_text(output: Mapping[str, Any]) -> str:
    if output.get("output_type") in {"error", "pyerr"}:
        return _shorten(_clean(f"{_join(output.get('ename'))}: {_join(output.get('evalue'))}"), MAX_ERROR_CHARACTERS)
    data = output.get("data")
    bundle = data if isinstance(data, Mapping) else {}
    # Beside an image the plain text is only the name of an object, such as <Figure size 640x480 with 1 Axes>.
    if any(str(kind).startswith("image/") for kind in bundle) or "png" in output:
        return ""
    text = output.get("text") or bundle.get("text/markdown") or bundle.get("text/plain")
    return _shorten(_clean(_join(text)), MAX_OUTPUT_CHARACTERS)


def _join(value: object) -> str:
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _clean(text: str) -> str:
    """Return text as a person sees it: no colour codes, embedded files or overwritten progress bars."""
    text = _EMBEDDED_DATA.sub("(embedded data)", drop_terminal_codes(text.replace("\r\n", "\n")))
    lines = (line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))
    return _UNSTORABLE.sub("\ufffd", "\n".join(lines))


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n(output cut: {len(text)} characters in all)"
