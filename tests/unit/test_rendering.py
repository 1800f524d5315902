"""Records as HTML, Markdown and plain text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from markdown_it import MarkdownIt

from locallens_nb.domain import Brain, Progress, Quote, SearchHit, SkippedFile
from locallens_nb.notebook.rendering import (
    Listing,
    Rendering,
    describe_part,
    describe_place,
    join_renderings,
    render_brain,
    render_progress,
    render_table,
    render_text,
)


def test_table_cells_are_plain_text() -> None:
    cell = "<b>x</b> | `y` ![z](http://127.0.0.1:8765/)"
    rendering = render_table(["a"], [[cell]])
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(rendering.markdown)
    assert '<td style="text-align:left">&lt;b&gt;' in rendering.html
    for shown in (html, rendering.mime_bundle()["text/html"]):
        assert "&lt;b&gt;x&lt;/b&gt; | `y` ![z](http://127.0.0.1:8765/)" in shown


def test_every_form_is_sent_and_the_html_is_sanitised() -> None:
    bundle = Rendering("m", "p", "<p onclick='x()'>h<script>x()</script></p>").mime_bundle()
    assert bundle == {"text/html": "<p>h</p>", "text/markdown": "m", "text/plain": "p"}


def test_renderings_stand_one_below_the_other() -> None:
    joined = join_renderings(render_text("a <b>"), None, render_text(""), render_text("c $5"))
    assert joined.plain == "a <b>\n\nc $5"
    assert joined.html == "<p>a &lt;b&gt;</p>\n<p>c <span>$</span>5</p>"
    assert joined.markdown == "a \\<b\\>\n\nc <span>&#36;</span>5"


def test_a_listing_is_a_sequence_with_a_table() -> None:
    listing = Listing([1, 20], {"n": str, "twice": lambda n: 2 * n}, empty="none")
    assert list(listing) == [1, 20]
    assert listing[1] == 20
    assert repr(listing) == "n   twice\n1   2\n20  40"
    assert listing._repr_mimebundle_()["text/markdown"] == "| n | twice |\n| --- | --- |\n| 1 | 2 |\n| 20 | 40 |"
    assert repr(Listing([], {"n": str}, empty="There is none.")) == "There is none."


def test_progress_is_a_bar_when_the_total_is_known() -> None:
    assert render_progress(Progress("embedding", 5, 10, "model")).plain == "██████████░░░░░░░░░░ 50 % embedding model"
    assert render_progress(Progress("loading", 0, 0, "model")).plain == "loading model …"
    assert "<code>██████████░░░░░░░░░░</code> 50 %" in render_progress(Progress("embedding", 5, 10, "<b>")).html
    assert "&lt;b&gt;" in render_progress(Progress("embedding", 5, 10, "<b>")).html


def test_a_note_on_a_brain_stands_between_what_was_done_and_what_was_skipped():
    moment = datetime(2031, 5, 1, tzinfo=UTC)
    brain = Brain("b", "notes", "/n", "m", "f", 4, 2, 1, 3, moment, moment, 1)
    rendering = render_brain(brain, [SkippedFile("a.bin", "binary")], action="Indexed", note="It is <b>Portuguese</b>.")
    assert rendering.plain.split("\n") == [
        "Indexed 'notes': 2 files, 3 chunks, m.",
        "It is <b>Portuguese</b>.",
        "1 skipped:",
        "  a.bin: binary",
    ]
    assert r"It is \<b\>Portuguese\</b\>." in rendering.markdown
    assert "<p>It is &lt;b&gt;Portuguese&lt;/b&gt;.</p><p>1 skipped:</p><ul><li>a.bin: binary</li></ul>" in rendering.html
    assert render_brain(brain, (), action="Indexed").plain == "Indexed 'notes': 2 files, 3 chunks, m."


@pytest.mark.parametrize(
    ("path", "content", "place", "part"),
    [
        ("a.md", "one\ntwo", "a.md:3-9", "lines 3–9"),
        ("lab.ipynb", "# Cell 4 (code)\nx", "lab.ipynb cell 4", "cell 4"),
        ("lab.IPYNB", "# Cell 4 (code)\nx\n\n# Cell 4 (output)\n8", "lab.IPYNB cell 4", "cell 4"),
        ("lab.ipynb", "# Cell 4 (code)\nx\n\n# Cell 6 (markdown)\ny", "lab.ipynb cells 4-6", "cells 4–6"),
        ("lab.ipynb", "the end of a cell\n\n# Cell 6 (markdown)\ny", "lab.ipynb cells 5-6", "cells 5–6"),
        ("lab.ipynb", "the end of its code\n\n# Cell 6 (output)\n8", "lab.ipynb cell 6", "cell 6"),
        ("lab.ipynb", "the middle of a long cell", "lab.ipynb#chunk-2", "chunk 2"),
        ("page.html", "one\ntwo", "page.html#chunk-2", "chunk 2"),
        ("paper.PDF", "one\ftwo", "paper.PDF pages 3-9", "pages 3–9"),
    ],
)
def test_the_place_of_an_excerpt_is_one_that_can_be_found_in_the_file(path: str, content: str, place: str, part: str) -> None:
    hit = SearchHit("c", path, 2, content, 0.5, 3, 9)
    assert (describe_place(hit), describe_part(hit)) == (place, part)


def test_an_excerpt_of_one_page_is_cited_by_that() -> None:
    hit = SearchHit("c", "paper.pdf", 2, "one", 0.5, 3, 3)
    assert (describe_place(hit), describe_part(hit)) == ("paper.pdf page 3", "page 3")


@pytest.mark.parametrize(
    ("path", "content", "quoted", "place", "part"),
    [
        ("paper.pdf", "One.\f\n\nTwo.\f\n\nThree.", "Two.", "paper.pdf page 4", "page 4"),
        ("paper.pdf", "One goes\f on.\n\nTwo.", "One goes\f on.", "paper.pdf pages 3-4", "pages 3–4"),
        ("a.md", "One.\nTwo\nthree.\nFour.", "Two\nthree.", "a.md:4-5", "lines 4–5"),
        ("lab.ipynb", "the end\n\n# Cell 4 (code)\nx\n\n# Cell 6 (markdown)\ny", "x", "lab.ipynb cell 4", "cell 4"),
        ("lab.ipynb", "the end\n\n# Cell 4 (code)\nx\n\n# Cell 6 (markdown)\ny", "the end", "lab.ipynb cell 3", "cell 3"),
        ("page.html", "One.\nTwo.", "Two.", "page.html#chunk-2", "chunk 2"),
    ],
)
def test_the_place_of_a_quotation_is_its_own(path: str, content: str, quoted: str, place: str, part: str) -> None:
    hit = SearchHit("c", path, 2, content, 0.5, 3, 3 + content.count("\f" if path.endswith(".pdf") else "\n"))
    quote = Quote(quoted, 1, 0.5, content.index(quoted), content.index(quoted) + len(quoted))
    assert (describe_place(hit, quote), describe_part(hit, quote)) == (place, part)
