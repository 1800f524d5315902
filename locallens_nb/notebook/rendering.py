"""Records as Markdown and as plain text: what a notebook shows, and what is left in it when it is saved.

Text from files, models and errors never becomes live HTML, and never an image that a front end would fetch.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

from locallens_nb.domain import Brain, ChatAnswer, Citation, Progress, Quote, SearchHit, SkippedFile

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
NOT_IN_EXCERPTS = "not in the excerpts"

_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$")
_VERBATIM = re.compile(
    r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>[^\n]+?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<math>\$(?=[^\s\d$])[^$\n<`!]*?(?<=[^\s$])\$(?!\d))"
)
DOLLAR = "<span>&#36;</span>"
"""Front ends look for formulas in the finished page too, within one element: a dollar sign alone in one begins none."""
_MARKDOWN_MARKS = re.compile(r"[][\\*_`!$|~]")
_MARK = "\ue000"
_MOST_SKIPPED = 5
_BAR_WIDTH = 20

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Rendering:
    """One thing in the two forms that every front end shows."""

    markdown: str
    plain: str

    def mime_bundle(self) -> dict[str, str]:
        """Return the forms by media type."""
        return {"text/markdown": self.markdown, "text/plain": self.plain}

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
    return Rendering("\n\n".join(part.markdown for part in shown), "\n\n".join(part.plain for part in shown))


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    escaped = re.sub(r"([\\`*_{}\[\]<>()#+!|~&-])", r"\\\1", " ".join(text.split()))
    return escaped.replace("$", DOLLAR)


def neutralise_markdown(text: str) -> str:
    """Return a model's Markdown without live HTML and images; lists, emphasis, tables, code and formulas stay.

    Blocks of code are written anew with a fence of our own in the first column, and whatever else could open or end a
    fence is escaped. So no reader of the Markdown can take for live text what was taken for code here.
    """
    pieces: list[str] = []
    prose: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        match = _FENCE.match(line)
        if match is None:
            prose.append(line)
            continue
        indent, fence, language = match.group(1), match.group(2), match.group(3)
        pieces += [_neutralise_prose("\n".join(prose)), fence_code(_read_code(lines, fence, indent), language=language)]
        prose = []
    pieces.append(_neutralise_prose("\n".join(prose)))
    return "\n".join(piece for piece in pieces if piece)


def _read_code(lines: Iterator[str], fence: str, indent: str) -> str:
    """Return the lines up to the end of a fenced block, less its indentation."""
    code = []
    for line in lines:
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            break
        code.append(line.removeprefix(indent))
    return "\n".join(code)


def _neutralise_prose(text: str) -> str:
    pieces: list[str] = []
    position = 0
    for span in _VERBATIM.finditer(text):
        pieces.append(_escape_prose(text[position : span.start()]))
        pieces.append(span.group() if span["math"] else _escape_code_span(span))
        position = span.end()
    pieces.append(_escape_prose(text[position:]))
    return "".join(pieces)


def _escape_prose(text: str) -> str:
    """Escape what begins HTML, an image, a fence or a formula: a price in dollars is none."""
    text = text.replace("<", "&lt;").replace("![", "&#33;[").replace("$", DOLLAR)
    return text.replace("```", "&#96;&#96;&#96;").replace("~~~", "&#126;&#126;&#126;")


def _escape_code_span(span: re.Match[str]) -> str:
    """Return a code span as it is, or as an element of escaped text when it holds anything that could come alive."""
    if not re.search(r"[<$]|!\[|```|~~~", span.group()):
        return span.group()
    code = html.escape(span["code"].strip())
    return f"<code>{re.sub(_MARKDOWN_MARKS, lambda mark: f'&#{ord(mark.group())};', code)}</code>"


def fence_code(text: str, *, language: str = "text") -> str:
    """Return a text as a block of code whose fence is longer than any run of its character in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def describe_place(source: Citation | SearchHit) -> str:
    """Return the path of an excerpt and its lines, where they are known."""
    if source.start_line is None:
        return f"{source.relative_path}#chunk-{source.chunk_index}"
    lines = str(source.start_line) if source.start_line == source.end_line else f"{source.start_line}-{source.end_line}"
    return f"{source.relative_path}:{lines}"


def render_answer(answer: ChatAnswer) -> Rendering:
    """Return an answer with its sources: number, path, lines, similarity, and the excerpt on demand.

    A sentence that no excerpt supports is marked. Excerpts that were read and not used are folded away; where there is no
    answer to rely on, the closest sentences are offered instead.
    """
    text = mark_unsupported(answer)
    written = Rendering(
        neutralise_markdown(text).replace(_MARK, f" <sup>{NOT_IN_EXCERPTS}</sup>"), text.replace(_MARK, f" ({NOT_IN_EXCERPTS})")
    )
    read = (*answer.citations, *answer.also_read)
    offered = render_quotes(answer.quotes, read, title=CLOSEST) if answer.refusal and answer.quotes else None
    notes = " ".join(describe_writing(answer))
    return join_renderings(
        render_understood(answer.standalone_question),
        written,
        offered,
        _render_sources(answer.citations),
        _render_also_read(answer.also_read),
        Rendering(f"<sub>{html.escape(notes)}</sub>", notes),
    )


def render_understood(standalone_question: str) -> Rendering | None:
    """Return how a follow-up question was understood; None for a question that stood alone."""
    if not standalone_question:
        return None
    return Rendering(f"*Understood as:* {escape_markdown(standalone_question)}", f"Understood as: {standalone_question}")


def mark_unsupported(answer: ChatAnswer) -> str:
    """Return the text of an answer with a mark, the character U+E000, after each sentence that no excerpt supports."""
    text = answer.answer.replace(_MARK, "") or NO_ANSWER
    if text != answer.answer:
        return text
    for sentence in reversed(answer.sentences):
        if sentence.support == "unsupported":
            row = re.search(r"\s*\|\s*\Z", sentence.text)
            at = sentence.end_offset - (len(row.group()) if row else 0)
            line_break = "\n" if sentence.text.endswith(("```", "~~~")) else ""
            text = f"{text[:at]}{line_break}{_MARK}{text[at:]}"
    return text


def describe_writing(answer: ChatAnswer) -> list[str]:
    """Return, in sentences, how an answer ended, which model wrote it and why it was not an earlier one."""
    writer = f"Written by {answer.model}." if answer.model else ""
    if answer.refusal == "evidence":
        writer = "No model was asked, since nothing that was found answers the question."
    return [note for note in (STOPPED[answer.stopped], writer, answer.fallback_reason) if note]


def render_quotes(quotes: Sequence[Quote], citations: Sequence[Citation], *, title: str) -> Rendering:
    """Return quotations under a title, each with its number and place."""
    places = {citation.number: describe_place(citation) for citation in citations}
    lines = [(" ".join(quote.text.split()), f"[{quote.number}] {places[quote.number]}") for quote in quotes]
    markdown = "\n".join(f"> {escape_markdown(text)} <sub>{html.escape(place)}</sub>\n>" for text, place in lines)
    return Rendering(f"*{title}*\n\n{markdown}", "\n".join([f"{title}:", *(f"  “{text}” {place}" for text, place in lines)]))


def _render_sources(citations: Sequence[Citation]) -> Rendering | None:
    if not citations:
        return None
    sources = [render_source(citation) for citation in citations]
    return Rendering(
        "\n\n".join([f"**Sources** ({len(sources)})", *(source.markdown for source in sources)]),
        "\n".join(["Sources:", *(source.plain for source in sources)]),
    )


def _render_also_read(citations: Sequence[Citation]) -> Rendering | None:
    if not citations:
        return None
    sources = [render_source(citation) for citation in citations]
    folded = "\n\n".join(source.markdown for source in sources)
    return Rendering(
        f"<details><summary>Also read ({len(sources)})</summary>\n\n{folded}\n\n</details>",
        "\n".join(["Also read:", *(source.plain for source in sources)]),
    )


def render_source(citation: Citation) -> Rendering:
    """Return one source; in Markdown its excerpt unfolds."""
    title = f"[{citation.number}] {describe_place(citation)} · similarity {citation.score:.2f}"
    markdown = f"<details><summary>{html.escape(title)}</summary>\n\n{fence_code(citation.content)}\n\n</details>"
    return Rendering(markdown, title)


def render_text(text: str) -> Rendering:
    """Return a plain sentence."""
    return Rendering(escape_markdown(text), text)


def render_stream(text: str) -> Rendering:
    """Return an answer that is still being written."""
    return Rendering(f"{neutralise_markdown(text)} ▍", text)


def render_progress(progress: Progress) -> Rendering:
    """Return a bar for what a person waits for."""
    line = str(progress)
    if not progress.total:
        return Rendering(f"*{escape_markdown(line)} …*", f"{line} …")
    filled = _BAR_WIDTH * min(progress.done, progress.total) // progress.total
    bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
    percent = 100 * min(progress.done, progress.total) // progress.total
    return Rendering(
        f"`{bar}` {percent} % · {escape_markdown(f'{progress.stage} {progress.detail}')}",
        f"{bar} {percent} % {progress.stage} {progress.detail}",
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
    return Rendering(markdown, plain)


def render_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Rendering:
    """Return a table of plain texts."""
    cells = [[escape_markdown(cell) for cell in row] for row in rows]
    markdown = [f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *cells)]
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    plain = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (headings, *rows)
    ]
    return Rendering("\n".join(markdown), "\n".join(plain))
