"""Text as Markdown and HTML in which nothing comes alive."""

from __future__ import annotations

import random
import re

import pytest
from markdown_it import MarkdownIt

from locallens_nb.notebook.inert_text import DOLLAR, escape_html, escape_markdown, fence_code, neutralise_markdown


def to_html(markdown: str) -> str:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.validateLink = lambda _url: True  # other readers know fewer bad addresses
    return parser.render(markdown)


_BLOCKS = {"p", "pre", "ul", "ol", "li", "blockquote", "h1", "h2", "hr", "table", "thead", "tbody", "tr", "th", "td"}
_HARMLESS = _BLOCKS | {"code", "em", "strong", "a", "br", "span"}

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
    "[click](javascript:window.__pwned=3) [click]( \n JaVaScRiPt:window.__pwned=3)",
    "[click](&#106;avascript:window.__pwned=3) [click](data:text/html,x) [click](/lab/api/shutdown)",
    "[click](<javascript:window.__pwned=3>) [[x](http://a.b)](javascript:window.__pwned=3)",
    "[2]: javascript:window.__pwned=3\n\nas [2] says and [x][2] and [2][]",
    "\\`[click](javascript:window.__pwned=3)`",
    "| a | b |\n|---|---|\n| ` | [click](javascript:window.__pwned=3) ` |",
    "\\$a [click](javascript:window.__pwned=3)$ and $a [click](/lab/api/shutdown)$",
    "[`a]: javascript:window.__pwned=3#`\n\n[`a]",
    "> [a\nb]: data:text/html,x\n\n- [c\\]d]: /lab/api\n\n[a b] [c\\]d]",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_html_and_no_image_of_a_model_comes_alive(text: str) -> None:
    html = to_html(neutralise_markdown(text))
    alive = re.findall(r"<(\w+)", html)
    assert set(alive) <= _HARMLESS
    assert "<img" not in html
    assert re.findall(r'href="(?!http)', html) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_a_stream_that_stops_anywhere_stays_harmless(text: str) -> None:
    for end in range(len(text)):
        assert "<img" not in to_html(neutralise_markdown(text[:end]) + " ▍")


def test_nothing_comes_alive_in_any_order_of_the_marks_of_markdown() -> None:
    marks = ["`", "\\`", "``", "$", "\\$", "[", "]", "](javascript:x)", "[a](data:x)", "[`a]: data:x#`", "![x](y)", "<b>"]
    marks += ["a", " ", "\n", "\n\n", "| ", "\n| a | b |\n|-|-|\n| `", "- ", "```", "~~~"]
    pick = random.Random(11)  # noqa: S311
    for _ in range(2000):
        text = "".join(pick.choice(marks) for _ in range(pick.randint(2, 12)))
        html = to_html(neutralise_markdown(f"{text}\n\n[`a]"))
        assert set(re.findall(r"<(\w+)", html)) <= _HARMLESS, text
        assert "href=" not in html, text


def test_ordinary_markdown_stays_what_it_is() -> None:
    text = "# Title\n\n- *one* [1]\n- **two** `x = 1`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted"
    assert neutralise_markdown(text) == text


def test_links_to_the_web_stay() -> None:
    text = "[a](https://a.b/c?d=1 'e') [m](mailto:a@b.c) [1] (see it)"
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


@pytest.mark.parametrize("command", ["href{javascript:alert(1)}{x}", "require{html}", "class{a}{x}", "newcommand{x}{y}"])
def test_a_formula_that_does_more_than_typeset_is_none(command: str) -> None:
    assert neutralise_markdown(f"so $a \\{command}$") == f"so {DOLLAR}a \\{command}{DOLLAR}"


def test_no_formula_begins_without_dollars() -> None:
    html = to_html(neutralise_markdown("\\begin{equation}x\\end{equation} and \\beginning"))
    assert html == "<p><span>\\</span>begin{equation}x\\end{equation} and \\beginning</p>\n"


def test_escaped_text_comes_out_as_it_went_in() -> None:
    html = to_html(escape_markdown("a_b*c* <d> [e](f) `g` #h 1. - $5 ~~i~~ & j"))
    assert html == "<p>a_b*c* &lt;d&gt; [e](f) `g` #h 1. - <span>$</span>5 ~~i~~ &amp; j</p>\n"


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert fence_code("a\n````\nb") == "`````text\na\n````\nb\n`````"


def test_text_on_a_page_begins_no_formula() -> None:
    assert escape_html("<b> $5 \\(x\\) C:\\new") == "&lt;b&gt; <span>$</span>5 <span>\\</span>(x\\) C:\\new"
