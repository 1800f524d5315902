"""What a notebook shows and keeps."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from markdown_it import MarkdownIt

from locallens_nb.domain import Brain, ChatAnswer, Citation, Progress, SkippedFile, Timings
from locallens_nb.notebook.rendering import (
    Listing,
    escape_markdown,
    fence_code,
    neutralise_markdown,
    render_answer,
    render_brain,
    render_progress,
    render_table,
)


def to_html(markdown: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)


def cite(number: int = 1, content: str = "The key is blue.", path: str = "a.md") -> Citation:
    return Citation(number, f"abc-{number}", path, 0, 0.534, 3, 9, content)


def answer_of(text: str, *citations: Citation, stopped: str = "", fallback_reason: str = "") -> ChatAnswer:
    return ChatAnswer(text, citations, "fake (float32)", fallback_reason, stopped, Timings(0, 0, 0.1, 1, 10, 5))


HOSTILE = [
    '<img src=x onerror="window.__pwned=1">',
    "<script>window.__pwned=2</script>",
    "![beacon](http://127.0.0.1:8765/p.png?q=secret)",
    "![beacon][r]\n\n[r]: http://127.0.0.1:8765/p.png",
    '<iframe srcdoc="<script>parent.__pwned=4</script>"></iframe>',
    "</textarea></style></details><b>bold</b>",
    "`<img src=x>`",
    "``<img src=x> ` ``",
    "  ```\ncode\n```\n<img src=x>",
    "- a\n  ```\n<img src=x>\n```\n<img src=x>",
    "~~~ a`b\ncode\n~~~\n<img src=x>",
    "> ```\n<img src=x>\n```\n<img src=x>",
    "```\ncode\n  ```\n<img src=x>",
    "````\n```\n<img src=x>\n````\n![x](http://127.0.0.1:8765/p.png)",
    "1. ~~~\n<img src=x>\n   ~~~\n<img src=x>",
    "$<img src=x>$ and $![x](http://127.0.0.1:8765/)$",
    "`![x](http://127.0.0.1:8765/)` `\n![y](http://127.0.0.1:8765/)",
    "\\`<img src=x>`",
    "<!-- --><img src=x>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_html_and_no_image_of_a_model_comes_alive(text: str) -> None:
    html = to_html(neutralise_markdown(text))
    alive = re.findall(r"<(\w+)", html)
    assert set(alive) <= {"p", "code", "pre", "ul", "ol", "li", "blockquote", "h1", "h2", "em", "strong", "a", "br", "span"}
    assert "<img" not in html


@pytest.mark.parametrize("text", HOSTILE)
def test_a_stream_that_stops_anywhere_stays_harmless(text: str) -> None:
    for end in range(len(text)):
        assert "<img" not in to_html(neutralise_markdown(text[:end]) + " ▍")


def test_ordinary_markdown_stays_what_it_is() -> None:
    text = "# Title\n\n- *one* [1]\n- **two** `x = 1`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted"
    assert neutralise_markdown(text) == text


def test_code_keeps_every_character() -> None:
    assert neutralise_markdown("```python\nif a<b: print('$x')\n```") == "```python\nif a<b: print('$x')\n```"
    assert "<code>a&lt;b</code>" in to_html(neutralise_markdown("use `a<b` here"))


def test_an_unfinished_block_of_code_is_closed() -> None:
    assert neutralise_markdown("```python\nx = 1") == "```python\nx = 1\n```"


@pytest.mark.parametrize("text", ["It costs $5, later $10.", "From $HOME and $PATH.", "US$ 20"])
def test_a_dollar_amount_is_no_formula(text: str) -> None:
    assert to_html(neutralise_markdown(text)) == f"<p>{text.replace('$', '<span>$</span>')}</p>\n"


def test_a_formula_stays_a_formula() -> None:
    assert neutralise_markdown("The area is $x^2$ here.") == "The area is $x^2$ here."


def test_an_answer_shows_its_sources_and_who_wrote_it() -> None:
    rendering = render_answer(answer_of("Blue [1].", cite(), fallback_reason="A is not here."))
    assert rendering.plain == (
        "Blue [1].\n\nSources:\n[1] a.md:3-9 · similarity 0.53\n\nWritten by fake (float32). A is not here."
    )
    assert rendering.markdown == (
        "Blue [1].\n\n**Sources** (1)\n\n"
        "<details><summary>[1] a.md:3-9 · similarity 0.53</summary>\n\n```text\nThe key is blue.\n```\n\n</details>\n\n"
        "<sub>Written by fake (float32). A is not here.</sub>"
    )


@pytest.mark.parametrize(
    ("stopped", "words"),
    [("person", "Stopped before its end."), ("length", "greatest length"), ("repetition", "began to repeat itself")],
)
def test_an_answer_that_was_cut_short_says_so(stopped: str, words: str) -> None:
    rendering = render_answer(answer_of("Bl", cite(), stopped=stopped))
    assert words in rendering.plain
    assert words in rendering.markdown


def test_an_excerpt_cannot_leave_its_block_of_code() -> None:
    html = to_html(render_answer(answer_of("x", cite(content="```\n</details><img src=x>\n````\n<b>"))).markdown)
    assert "<img" not in html
    assert "<b>" not in html


def test_a_path_is_escaped() -> None:
    html = to_html(render_answer(answer_of("x", cite(path="<b>.md"))).markdown)
    assert "&lt;b&gt;.md:3-9" in html


def test_table_cells_are_plain_text() -> None:
    html = to_html(render_table(["a"], [["<b>x</b> | `y` ![z](http://127.0.0.1:8765/)"]]).markdown)
    assert "&lt;b&gt;x&lt;/b&gt; | `y` ![z](http://127.0.0.1:8765/)" in html


def test_escaped_text_comes_out_as_it_went_in() -> None:
    html = to_html(escape_markdown("a_b*c* <d> [e](f) `g` #h 1. - $5 ~~i~~ & j"))
    assert html == "<p>a_b*c* &lt;d&gt; [e](f) `g` #h 1. - <span>$</span>5 ~~i~~ &amp; j</p>\n"


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert fence_code("a\n````\nb") == "`````text\na\n````\nb\n`````"


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
    assert render_brain(brain, (), action="Indexed").plain == "Indexed 'notes': 2 files, 3 chunks, m."
