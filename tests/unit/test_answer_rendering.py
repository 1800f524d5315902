"""An answer with its sources, as a cell shows and keeps it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from locallens_nb.domain import AnswerSentence, ChatAnswer, Citation, Quote, Timings
from locallens_nb.notebook.answer_rendering import render_answer, render_stream
from locallens_nb.notebook.inert_text import WRAPPED


def to_html(markdown: str) -> str:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.validateLink = lambda _url: True  # other readers know fewer bad addresses
    return parser.render(markdown)


def cite(number: int = 1, content: str = "The key is blue.", path: str = "a.md") -> Citation:
    return Citation(number, f"abc-{number}", path, 0, 0.534, 3, 9, content)


def answer_of(text: str, *citations: Citation, stopped: str = "", fallback_reason: str = "") -> ChatAnswer:
    return ChatAnswer(text, citations, "fake (float32)", fallback_reason, stopped, Timings(0, 0, 0.1, 1, 10, 5))


def test_an_answer_shows_its_sources_and_who_wrote_it() -> None:
    rendering = render_answer(answer_of("Blue [1].", cite(), fallback_reason="A is not here."))
    assert rendering.plain == (
        "Blue [1].\n\nSources:\n[1] a.md:3-9 · similarity 0.53\n\nWritten by fake (float32). A is not here."
    )
    assert rendering.markdown == (
        "Blue [1].\n\n**Sources** (1)\n\n"
        "<details><summary>[1] a.md:3-9 · similarity 0.53</summary>\n\n```text\nThe key is blue.\n```\n\n</details>\n\n"
        "<sub>Written by fake \\(float32\\). A is not here.</sub>"
    )
    assert rendering.mime_bundle()["text/html"] == (
        "<p>Blue [1].</p>\n<p><strong>Sources</strong> (1)</p>"
        "<details><summary>[1] a.md:3-9 · similarity 0.53</summary>"
        f'<pre style="{WRAPPED}">The key is blue.</pre></details>'
        "<p><sub>Written by fake (float32). A is not here.</sub></p>"
    )


def test_a_sentence_in_doubt_says_so_in_every_form() -> None:
    text = "Blue [1]. Red. Green."
    kinds = (("Blue [1].", "supported"), ("Red.", "unsupported"), ("Green.", "weak"))
    sentences = tuple(AnswerSentence(one, text.index(one), text.index(one) + len(one), kind) for one, kind in kinds)
    rendering = render_answer(replace(answer_of(text, cite()), sentences=sentences))
    assert rendering.plain.startswith("Blue [1]. Red. (no excerpt says this) Green. (the excerpts say only part of this)\n")
    assert rendering.markdown.startswith(
        "Blue [1]. Red. <sup>no excerpt says this</sup> Green. <sup>the excerpts say only part of this</sup>\n"
    )
    assert "Red. <sup><em>(no excerpt says this)</em></sup>" in re.sub("</?span[^>]*>", "", rendering.html)


@pytest.mark.parametrize(
    ("stopped", "words"),
    [("person", "Stopped before its end."), ("length", "greatest length"), ("repetition", "began to repeat itself")],
)
def test_an_answer_that_was_cut_short_says_so(stopped: str, words: str) -> None:
    rendering = render_answer(answer_of("Bl", cite(), stopped=stopped))
    assert words in rendering.plain
    assert words in rendering.markdown
    assert words in rendering.html


def test_an_excerpt_cannot_leave_its_block_of_code() -> None:
    html = to_html(render_answer(answer_of("x", cite(content="```\n</details><img src=x>\n````\n<b>"))).markdown)
    assert "<img" not in html
    assert "<b>" not in html


def test_a_path_is_escaped() -> None:
    html = to_html(render_answer(answer_of("x", cite(path="<b>.md"))).markdown)
    assert "&lt;b&gt;.md:3-9" in html


@pytest.mark.parametrize("name", ["![x](y.png)", "[x](javascript:1)", "a\n\n![x](y.png)", "a\n\n<img src=x>", "*x*"])
def test_nothing_in_the_name_of_a_file_or_of_a_model_comes_alive(name: str) -> None:
    answer = replace(answer_of("x", fallback_reason=f"{name} is not here."), also_read=(cite(path=f"{name}.md"),))
    answer = replace(answer, refusal="evidence", quotes=(Quote("Blue.", 1, 0.4, 0, 5),))
    html = to_html(render_answer(answer).markdown)
    assert re.findall(r"<img|href=|<em>(?!Closest)", html) == []


def test_a_refusal_offers_the_closest_sentences_in_every_form() -> None:
    quote = Quote("The key is <b>blue</b>.", 1, 0.4, 0, 16)
    answer = replace(answer_of("Not found."), refusal="evidence", quotes=(quote,), also_read=(cite(),), model="")
    rendering = render_answer(replace(answer, standalone_question="Which <i>key</i>?"))
    assert "“The key is <b>blue</b>.” [1] a.md:3" in rendering.plain
    assert "<p>The key is &lt;b&gt;blue&lt;/b&gt;. <sub>[1] a.md:3</sub></p></blockquote>" in rendering.html
    assert rendering.html.startswith("<p><em>Understood as:</em> Which &lt;i&gt;key&lt;/i&gt;?</p>")
    for form in (rendering.plain, rendering.markdown, rendering.html):
        assert "No model was asked" in form


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("<p>Blue</p>\n", "<p>Blue ▍</p>\n"),
        ("<ul>\n<li>a</li>\n</ul>\n", "<ul>\n<li>a ▍</li>\n</ul>\n"),
        ("<pre><code>x\n</code></pre>\n", "<pre><code>x ▍\n</code></pre>\n"),
        ("", " ▍"),
    ],
)
def test_a_stream_ends_in_a_cursor_after_its_last_word(markup: str, shown: str) -> None:
    assert render_stream(markup).html == shown
