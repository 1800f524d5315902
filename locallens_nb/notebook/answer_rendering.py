"""An answer with its sources as HTML, Markdown and plain text: what a cell shows and keeps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from locallens_nb.domain import ChatAnswer, Citation
from locallens_nb.notebook.inert_text import escape_html, escape_markdown, fence_code, neutralise_markdown
from locallens_nb.notebook.markdown import UNSUPPORTED
from locallens_nb.notebook.markup import document_html
from locallens_nb.notebook.rendering import (
    CLOSEST,
    NO_ANSWER,
    Rendering,
    describe_source,
    describe_writing,
    join_renderings,
    render_quotes,
    render_understood,
)

_MARK = "\ue000"
_LAST_ENDS = re.compile(r"(?:\s|</\w+>)*\Z")


def render_answer(answer: ChatAnswer) -> Rendering:
    """Return an answer with its sources: number, path, lines, similarity, and the excerpt on demand.

    A sentence that no excerpt supports is marked. Excerpts that were read and not used are folded away; where there is no
    answer to rely on, the closest sentences are offered instead.
    """
    note = " ".join(describe_writing(answer))
    return join_renderings(render_understood(answer.standalone_question), _render_document(answer, note))


def _render_document(answer: ChatAnswer, note: str) -> Rendering:
    text = mark_unsupported(answer)
    read = (*answer.citations, *answer.also_read)
    offered = render_quotes(answer.quotes, read, title=CLOSEST) if answer.refusal and answer.quotes else None
    also_read = f"<details><summary>Also read ({len(answer.also_read)})</summary>"
    markdown = [
        neutralise_markdown(text).replace(_MARK, f" <sup>{UNSUPPORTED}</sup>"),
        offered.markdown if offered else "",
        _join_sources(answer.citations, head=f"**Sources** ({len(answer.citations)})", foot=""),
        _join_sources(answer.also_read, head=also_read, foot="</details>"),
        f"<sub>{escape_markdown(note)}</sub>" if note else "",
    ]
    plain = [
        text.replace(_MARK, f" ({UNSUPPORTED})"),
        offered.plain if offered else "",
        _list_sources(answer.citations, head="Sources:"),
        _list_sources(answer.also_read, head="Also read:"),
        note,
    ]
    return Rendering("\n\n".join(filter(None, markdown)), "\n\n".join(filter(None, plain)), document_html(answer, note=note))


def render_stream(markup: str) -> Rendering:
    """Return an answer that is still being written, as the HTML that it is so far.

    It is shown for a moment only, so the other forms do not say it once more.
    """
    return Rendering("Writing …", "Writing …", _LAST_ENDS.sub(lambda ends: f" ▍{ends.group()}", markup, count=1))


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


def _join_sources(citations: Sequence[Citation], *, head: str, foot: str) -> str:
    """Return sources in Markdown whose excerpts unfold."""
    if not citations:
        return ""
    summaries = [" ".join(describe_source(citation).split()) for citation in citations]  # a blank line would end the HTML
    sources = [
        f"<details><summary>{escape_html(summary)}</summary>\n\n{fence_code(citation.content)}\n\n</details>"
        for summary, citation in zip(summaries, citations, strict=True)
    ]
    return "\n\n".join(filter(None, [head, *sources, foot]))


def _list_sources(citations: Sequence[Citation], *, head: str) -> str:
    return "\n".join([head, *map(describe_source, citations)]) if citations else ""
