"""An answer with its sources as HTML, Markdown and plain text: what a cell shows and keeps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from locallens_nb.domain import ChatAnswer, Citation
from locallens_nb.notebook.inert_text import escape_html, escape_markdown, fence_code, neutralise_markdown
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
from locallens_nb.notebook.sentence_marks import DOUBTS

_MARKS = {"unsupported": "\ue000", "weak": "\ue001"}
"""Characters that no text has, for each of what is said of a sentence."""
_LAST_ENDS = re.compile(r"(?:\s|</\w+>)*\Z")


def render_answer(answer: ChatAnswer) -> Rendering:
    """Return an answer with its sources: number, path, lines, similarity, and the excerpt on demand.

    A sentence that no excerpt supports, or only in part, is marked. Excerpts that were read and not used are folded away; where
    there is no answer to rely on, the closest sentences are offered instead.
    """
    note = " ".join(describe_writing(answer))
    return join_renderings(render_understood(answer.standalone_question), _render_document(answer, note))


def _render_document(answer: ChatAnswer, note: str) -> Rendering:
    text = _mark_doubts(answer)
    read = (*answer.citations, *answer.also_read)
    offered = render_quotes(answer.quotes, read, title=CLOSEST) if answer.refusal and answer.quotes else None
    also_read = f"<details><summary>Also read ({len(answer.also_read)})</summary>"
    markdown = [
        _write_doubts(neutralise_markdown(text), " <sup>{}</sup>"),
        offered.markdown if offered else "",
        _join_sources(answer.citations, head=f"**Sources** ({len(answer.citations)})", foot=""),
        _join_sources(answer.also_read, head=also_read, foot="</details>"),
        f"<sub>{escape_markdown(note)}</sub>" if note else "",
    ]
    plain = [
        _write_doubts(text, " ({})"),
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


def _mark_doubts(answer: ChatAnswer) -> str:
    """Return the text of an answer with a mark after each sentence that no excerpt supports, or only in part."""
    text = re.sub(f"[{''.join(_MARKS.values())}]", "", answer.answer) or NO_ANSWER
    if text != answer.answer:
        return text
    for sentence in reversed(answer.sentences):
        if mark := _MARKS.get(sentence.support):
            row = re.search(r"\s*\|\s*\Z", sentence.text)
            at = sentence.end_offset - (len(row.group()) if row else 0)
            line_break = "\n" if sentence.text.endswith(("```", "~~~")) else ""
            text = f"{text[:at]}{line_break}{mark}{text[at:]}"
    return text


def _write_doubts(text: str, form: str) -> str:
    """Return a text with words for its marks."""
    for support, mark in _MARKS.items():
        text = text.replace(mark, form.format(DOUBTS[support]))
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
