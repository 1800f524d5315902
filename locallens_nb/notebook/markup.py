"""Answers, quotations and sources as HTML. All of it is made and sanitised by :mod:`locallens_nb.notebook.markdown`."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from locallens_nb.domain import ChatAnswer, Citation, EvidenceFound, Quote
from locallens_nb.notebook.inert_text import WRAPPED, escape_html
from locallens_nb.notebook.markdown import escape, markdown_to_html, sanitise, sanitise_document
from locallens_nb.notebook.rendering import CLOSEST, NO_ANSWER, describe_part, describe_source, render_quotes

__all__ = ["answer_html", "document_html", "escape", "evidence_html", "markdown_to_html", "source_html", "sources_html"]

_CHANGED = "changed since it was indexed"
_CHANGED_HINT = "The file is not what it was when it was indexed: refresh the brain to ask about what it says now."
_LONGEST_QUOTE = 280

Range = tuple[int, int]


def answer_html(answer: ChatAnswer) -> str:
    """Return an answer whose references lead to its sources and whose unsupported sentences are marked."""
    citations = {citation.number: citation for citation in (*answer.citations, *answer.also_read)}
    return markdown_to_html(answer.answer or NO_ANSWER, citations=citations, sentences=answer.sentences)


def sources_html(answer: ChatAnswer, stale_paths: Set[str]) -> str:
    """Return the sources of an answer: open those that it uses, folded what else the model was given.

    Parameters
    ----------
    stale_paths
        Relative paths of the files that have changed since they were indexed.
    """
    used = "".join(
        _source(citation, _find_evidence(answer, citation), is_stale=citation.relative_path in stale_paths, is_open=True)
        for citation in answer.citations
    )
    read = "".join(
        _source(citation, (), is_stale=citation.relative_path in stale_paths, is_open=False) for citation in answer.also_read
    )
    heading = f'<p class="ll-heading">Sources ({len(answer.citations)})</p>' if used else ""
    title = "Closest excerpts" if answer.refusal and not used else "Also read"
    folded = f'<details class="ll-also-read"><summary>{title} ({len(answer.also_read)})</summary>{read}</details>'
    return sanitise(heading + used + (folded if read else ""))


def evidence_html(event: EvidenceFound) -> str:
    """Return the quotations that were found before a model has written anything, each with its excerpt on demand."""
    citations = {citation.number: citation for citation in event.citations}
    return sanitise("".join(_quote(quote, citations[quote.number]) for quote in event.quotes if quote.number in citations))


def source_html(
    citation: Citation,
    *,
    evidence: Range | tuple[()] = (),
    stale: bool = False,
    open: bool = False,  # noqa: A002  (the name of the attribute)
) -> str:
    """Return one source: number, path, lines and similarity, and its excerpt on demand.

    Parameters
    ----------
    evidence
        What of the excerpt to highlight, as character offsets, end excluded.
    stale
        Whether the file has changed since it was indexed.
    open
        Whether the excerpt is shown at once.
    """
    ranges = [evidence] if evidence else []
    return sanitise(_source(citation, ranges, is_stale=stale, is_open=open))


def document_html(answer: ChatAnswer, *, note: str = "") -> str:
    """Return an answer with its sources for a place without a widget: a cell's output, a saved notebook, a code host.

    It needs no style sheet and no attribute that front ends take out: references stay ``[number]``, formulas stay LaTeX
    in dollar signs, which those places show as formulas, and sources are ``<details>``.
    """
    parts = [markdown_to_html(answer.answer or NO_ANSWER, sentences=answer.sentences, is_interactive=False)]
    if answer.refusal and answer.quotes:
        parts.append(render_quotes(answer.quotes, (*answer.citations, *answer.also_read), title=CLOSEST).html)
    if answer.citations:
        parts.append(f"<p><strong>Sources</strong> ({len(answer.citations)})</p>")
    parts += [_plain_source(citation, _find_evidence(answer, citation)) for citation in answer.citations]
    if answer.also_read:
        read = "".join(_plain_source(citation, ()) for citation in answer.also_read)
        parts.append(f"<details><summary>Also read ({len(answer.also_read)})</summary>{read}</details>")
    if note:
        parts.append(f"<p><sub>{escape_html(note)}</sub></p>")
    return sanitise_document("".join(parts))


def _source(citation: Citation, evidence: Sequence[Range], *, is_stale: bool, is_open: bool) -> str:
    badge = f' <span class="ll-badge" title="{escape(_CHANGED_HINT)}">{_CHANGED}</span>' if is_stale else ""
    return (
        f'<details class="ll-source" data-number="{citation.number}"{" open" if is_open else ""}>'
        f"<summary>{_place(citation)}"
        f' <span class="ll-similarity" title="Cosine similarity to the question, from -1 to 1">'
        f"similarity {citation.score:.2f}</span>{badge}</summary>"
        f'<pre class="ll-excerpt">{_highlight(citation.content, evidence)}</pre></details>'
    )


def _quote(quote: Quote, citation: Citation) -> str:
    text = str(quote)
    shown = text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE].rstrip()} …"
    excerpt = _highlight(citation.content, [(quote.start_offset, quote.end_offset)])
    return (
        f'<details class="ll-quote" data-number="{citation.number}">'
        f'<summary><span class="ll-quoted">{escape(shown)}</span> {_place(citation, quote)}</summary>'
        f'<pre class="ll-excerpt">{excerpt}</pre></details>'
    )


def _place(citation: Citation, quote: Quote | None = None) -> str:
    return (
        f'<span class="ll-number">{citation.number}</span> <span class="ll-path">{escape(citation.relative_path)}</span>'
        f' <span class="ll-place">{describe_part(citation, quote)}</span>'
    )


def _plain_source(citation: Citation, evidence: Sequence[Range]) -> str:
    excerpt = _highlight(citation.content, evidence)
    return (
        f'<details><summary>{escape_html(describe_source(citation))}</summary><pre style="{WRAPPED}">{excerpt}</pre></details>'
    )


def _find_evidence(answer: ChatAnswer, citation: Citation) -> list[Range]:
    """Return what of an excerpt supports the sentences of an answer."""
    return [
        (sentence.evidence_start, sentence.evidence_end)
        for sentence in answer.sentences
        if sentence.number == citation.number and sentence.evidence_start is not None and sentence.evidence_end is not None
    ]


def _highlight(content: str, ranges: Collection[Range]) -> str:
    """Return an excerpt with parts of it marked; what several of them have in common is marked once."""
    pieces: list[str] = []
    position = 0
    for start, end in sorted(ranges):
        first, last = max(start, position), min(end, len(content))
        if first < last:
            pieces += [escape(content[position:first]), f"<mark>{escape(content[first:last])}</mark>"]
            position = last
    return "".join([*pieces, escape(content[position:])])
