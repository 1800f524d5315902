"""Tables as a person reads them: which lines are the head, and a row with the names of its columns. Pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

_DRAWN = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_SEPARATORS = "\t;,|"
_VALUE = re.compile(r"\W*(?:[A-Z]{1,4}-)?\d[\d.,:/\s%-]*\W*\Z")
"""What the name of a column is not: a number, a date, an amount, a code such as ``AF-12``."""
_BETWEEN = " · "


def is_drawn_line(line: str) -> bool:
    """Return whether a line only draws a table of Markdown, as the one between its head and its rows does."""
    return "-" in line and "|" in line and _DRAWN.match(line) is not None


def split_piped_row(line: str) -> list[str]:
    """Return the cells of a row of a Markdown table, without the white space around them."""
    return [cell.strip().replace("\\|", "|") for cell in _PIPE.split(line.strip().removeprefix("|").removesuffix("|"))]


def find_separator(line: str) -> str:
    """Return what parts the cells of separated values, judged by one line of them."""
    return max(_SEPARATORS, key=line.count)


def split_separated_row(record: str, separator: str) -> list[str]:
    """Return the cells of one record of separated values; quoted ones may run over lines."""
    rows = list(csv.reader(record.splitlines(keepends=True), delimiter=separator))
    return [" ".join(cell.split()) for row in rows for cell in row]


def names_columns(cells: Sequence[str]) -> bool:
    """Return whether cells can be the head of separated values: two names or more, all different, and no values."""
    named = [cell for cell in cells if cell]
    return len(named) > 1 and len(set(named)) == len(named) and not any(_VALUE.match(cell) for cell in named)


def name_cells(head: Sequence[str], row: Sequence[str]) -> str:
    """Return a row as it reads by itself: each cell that is not empty after the name of its column.

    Both are word for word those of the table. A row that has another number of cells than the head stays without names.
    """
    names = head if len(head) == len(row) else [""] * len(row)
    named = [f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=True) if cell]
    return _BETWEEN.join(named)
