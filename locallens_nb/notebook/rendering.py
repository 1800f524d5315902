"""Records as HTML, Markdown and plain text: what a notebook shows, and what is left in it when it is saved.

Front ends show the HTML, which leaves here through the sanitiser; code hosts and terminals take the others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

from locallens_nb.domain import Brain, ChatAnswer, Citation, Progress, Quote, SearchHit, SkippedFile
from locallens_nb.file_types import RENDERED_EXTENSIONS, extension_of
from locallens_nb.notebook.inert_text import ALIGNED, escape_html, escape_markdown, fence_code
from locallens_nb.readers.notebook import CELL_LINE
from locallens_nb.readers.page_text import PAGE_BREAK, is_paged

STOPPED = {
    "": "",
    "person": "Stopped before its end.",
    "length": "Cut off: the answer reached its greatest length.",
    "repetition": "Cut off: the model began to repeat itself.",
    "error": "Cut off: the model failed.",
}
NO_ANSWER = "The model wrote no answer."
FOUND = "Found in your files"
CLOSEST = "Closest in your files"

_MOST_SKIPPED = 5
_BAR_WIDTH = 20

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Rendering:
    """One thing in the forms that front ends show.

    Attributes
    ----------
    html
        Made of escaped text and of what :mod:`locallens_nb.notebook.markdown` makes; it is sanitised once more here.
    """

    markdown: str
    plain: str
    html: str

    def mime_bundle(self) -> dict[str, str]:
        """Return the forms by media type."""
        from locallens_nb.notebook.markdown import sanitise_document  # the command line shows plain text only

        return {"text/html": sanitise_document(self.html), "text/markdown": self.markdown, "text/plain": self.plain}

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return self.mime_bundle()


class Listing(Sequence[_T], Generic[_T]):
    """Records that a magic returns: a sequence to work with, a table to look at.

    Parameters
    ----------
    records
        What it holds.
    columns
        Heading, and what to show of a record, for each column.
    empty
        What to say when there are no records.
    """

    def __init__(self, records: Sequence[_T], columns: dict[str, Callable[[_T], object]], *, empty: str) -> None:
        self._records = tuple(records)
        rows = [[str(show(record)) for show in columns.values()] for record in self._records]
        self._rendering = render_table(list(columns), rows) if rows else render_text(empty)

    @overload
    def __getitem__(self, position: int) -> _T: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, position: int | slice) -> _T | tuple[_T, ...]:
        return self._records[position]

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return self._rendering.plain

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return self._rendering.mime_bundle()


def join_renderings(*parts: Rendering | None) -> Rendering:
    """Return renderings one below the other."""
    shown = [part for part in parts if part is not None and part.plain]
    return Rendering(
        "\n\n".join(part.markdown for part in shown),
        "\n\n".join(part.plain for part in shown),
        "\n".join(part.html for part in shown),
    )


def describe_place(source: Citation | SearchHit, quote: Quote | None = None) -> str:
    """Return the path of an excerpt and where it stands in the file: its lines, the cells of a notebook, the pages of a PDF.

    Where one of its sentences is given, that is where the sentence stands.
    """
    what, first, last = _find_part(source, quote)
    if what == "line":
        return f"{source.relative_path}:{_span(first, last, dash='-')}"
    if what == "chunk":
        return f"{source.relative_path}#chunk-{first}"
    return f"{source.relative_path} {_count(what, first, last, dash='-')}"


def describe_part(source: Citation | SearchHit, quote: Quote | None = None) -> str:
    """Return where in its file an excerpt, or one of its sentences, stands, in words."""
    return _count(*_find_part(source, quote))


def _find_part(source: Citation | SearchHit, quote: Quote | None) -> tuple[str, int, int]:
    """Return what an excerpt is said to stand in, and the numbers of the first and the last: cell, page, line, or chunk."""
    if cells := _find_cells(source, quote):
        return "cell", *cells
    has_pages = is_paged(source.relative_path)
    has_lines = extension_of(source.relative_path) not in RENDERED_EXTENSIONS
    if source.start_line is None or source.end_line is None or not (has_pages or has_lines):
        return "chunk", source.chunk_index, source.chunk_index
    first, last = source.start_line, source.end_line
    if quote:
        line_end = PAGE_BREAK if has_pages else "\n"
        first += source.content.count(line_end, 0, quote.start_offset)
        last = first + source.content.count(line_end, quote.start_offset, quote.end_offset)
    return "page" if has_pages else "line", first, last


def _find_cells(source: Citation | SearchHit, quote: Quote | None) -> tuple[int, int] | None:
    """Return the first and the last cell of an excerpt of a notebook; None where none of them begins in it."""
    found = list(CELL_LINE.finditer(source.content)) if source.relative_path.lower().endswith(".ipynb") else []
    if not found:
        return None
    start, end = (quote.start_offset, quote.end_offset) if quote else (0, len(source.content))
    starts = [line.start() for line in found]
    cell_before = max(1, int(found[0]["number"]) - (found[0]["kind"] != "output"))
    cells = [cell_before, *(int(line["number"]) for line in found)]
    return cells[bisect_right(starts, start)], cells[bisect_left(starts, end)]


def _count(what: str, first: int, last: int, *, dash: str = "–") -> str:
    return f"{what}{'' if first == last else 's'} {_span(first, last, dash=dash)}"


def _span(first: int, last: int, *, dash: str) -> str:
    return str(first) if first == last else f"{first}{dash}{last}"


def describe_source(citation: Citation) -> str:
    """Return the number of a source, its place and how similar it is to the question."""
    return f"[{citation.number}] {describe_place(citation)} · similarity {citation.score:.2f}"


def render_understood(standalone_question: str) -> Rendering | None:
    """Return how a follow-up question was understood; None for a question that stood alone."""
    if not standalone_question:
        return None
    return Rendering(
        f"*Understood as:* {escape_markdown(standalone_question)}",
        f"Understood as: {standalone_question}",
        f"<p><em>Understood as:</em> {escape_html(standalone_question)}</p>",
    )


def describe_writing(answer: ChatAnswer) -> list[str]:
    """Return, in sentences, how an answer ended, which model wrote it and why it was not an earlier one."""
    writer = f"Written by {answer.model}." if answer.model else ""
    if answer.refusal == "evidence":
        writer = "No model was asked, since nothing that was found answers the question."
    return [note for note in (STOPPED[answer.stopped], writer, answer.fallback_reason) if note]


def render_quotes(quotes: Sequence[Quote], citations: Sequence[Citation], *, title: str) -> Rendering:
    """Return quotations under a title, each with its number and place."""
    cited = {citation.number: citation for citation in citations}
    lines = [(str(quote), f"[{quote.number}] {describe_place(cited[quote.number], quote)}") for quote in quotes]
    markdown = "\n".join(f"> {escape_markdown(text)} <sub>{escape_markdown(place)}</sub>\n>" for text, place in lines)
    html = "".join(f"<p>{escape_html(text)} <sub>{escape_html(place)}</sub></p>" for text, place in lines)
    return Rendering(
        f"*{title}*\n\n{markdown}",
        "\n".join([f"{title}:", *(f"  “{text}” {place}" for text, place in lines)]),
        f"<p><em>{title}</em></p><blockquote>{html}</blockquote>",
    )


def render_text(text: str) -> Rendering:
    """Return a plain sentence."""
    return Rendering(escape_markdown(text), text, f"<p>{escape_html(text)}</p>")


def render_code(text: str) -> Rendering:
    """Return a text in which every space counts."""
    return Rendering(fence_code(text), text, f"<pre>{escape_html(text)}</pre>")


def render_progress(progress: Progress) -> Rendering:
    """Return a bar for what a person waits for."""
    line = str(progress)
    if not progress.total:
        return Rendering(f"*{escape_markdown(line)} …*", f"{line} …", f"<p><em>{escape_html(line)} …</em></p>")
    filled = _BAR_WIDTH * min(progress.done, progress.total) // progress.total
    bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
    percent = 100 * min(progress.done, progress.total) // progress.total
    doing = f"{progress.stage} {progress.detail}"
    return Rendering(
        f"`{bar}` {percent} % · {escape_markdown(doing)}",
        f"{bar} {percent} % {doing}",
        f"<p><code>{bar}</code> {percent} % · {escape_html(doing)}</p>",
    )


def render_brain(brain: Brain, skipped: Sequence[SkippedFile], *, action: str, note: str = "") -> Rendering:
    """Return what was done with a brain, what is to be known about it, and the files that were left out."""
    head = f"{action} '{brain.name}': {brain.document_count} files, {brain.chunk_count} chunks, {brain.embedding_model}."
    lines = [f"{file.relative_path}: {file.reason}" for file in skipped[:_MOST_SKIPPED]]
    if len(skipped) > _MOST_SKIPPED:
        lines.append(f"and {len(skipped) - _MOST_SKIPPED} more")
    title = f"{len(skipped)} skipped:" if skipped else ""
    items = "\n".join(f"- {escape_markdown(line)}" for line in lines)
    markdown = "\n\n".join(part for part in (escape_markdown(head), escape_markdown(note), title, items) if part)
    plain = "\n".join(part for part in (head, note, title, *(f"  {line}" for line in lines)) if part)
    listed = f"<ul>{''.join(f'<li>{escape_html(line)}</li>' for line in lines)}</ul>" if lines else ""
    html = "".join(f"<p>{escape_html(part)}</p>" for part in (head, note, title) if part) + listed
    return Rendering(markdown, plain, html)


def render_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Rendering:
    """Return a table of plain texts."""
    cells = [[escape_markdown(cell) for cell in row] for row in rows]
    markdown = [f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *cells)]
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    plain = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (headings, *rows)
    ]
    head = _row_html(headings, "th")
    html = f"<table><thead>{head}</thead><tbody>{''.join(_row_html(row, 'td') for row in rows)}</tbody></table>"
    return Rendering("\n".join(markdown), "\n".join(plain), html)


def _row_html(cells: Sequence[str], element: str) -> str:
    """Return a row of a table, aligned as text is: front ends set the cells of HTML tables to the right."""
    written = [f'<{element} style="{ALIGNED}">{escape_html(cell)}</{element}>' for cell in cells]
    return f"<tr>{''.join(written)}</tr>"
