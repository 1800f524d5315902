"""Answers, quotations and sources as HTML: what a person sees of them, and that nothing in them comes alive."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from locallens_nb.checking.citations import escape_references
from locallens_nb.domain import AnswerSentence, ChatAnswer, Citation, EvidenceFound, Quote, Timings
from locallens_nb.notebook.markdown import citation_button, remove_controls, split_last_block
from locallens_nb.notebook.markup import (
    answer_html,
    document_html,
    escape,
    evidence_html,
    markdown_to_html,
    source_html,
    sources_html,
)

ALLOWED_ATTRIBUTES = {
    "a": {"href", "title", "target", "rel"},
    "button": {"type", "class", "data-number", "aria-label"},
    "details": {"class", "data-number", "open"},
    "math": {"display"},
    "ol": {"start"},
    "pre": {"class", "style"},
    "span": {"class", "title"},
    "td": {"style"},
    "th": {"style"},
}
HOSTILE = [
    '<img src=x onerror="window.pwned=1">',
    "<script>window.pwned=2</script>",
    "![beacon](http://127.0.0.1:8765/p.png?q=secret)",
    "![a **b** <img src=x>](http://127.0.0.1:8765/p.png 'x')",
    "[click](javascript:window.pwned=3)",
    "[click](JaVaScRiPt:window.pwned=3)",
    "[click](&#106;avascript:window.pwned=3)",
    "[click](data:text/html,<script>window.pwned=3</script>)",
    "[click](/lab/api/shutdown)",
    "[click](//127.0.0.1:8765/p)",
    "<javascript:alert(1)>",
    '<iframe srcdoc="<script>parent.pwned=4</script>"></iframe>',
    "</textarea></style></details></pre></div><b>bold</b>",
    "[1]: javascript:alert(1)\n\n[1] and [x][1]",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$\\href{javascript:alert(1)}{x}$ $\\style{color:red}{x}$ $\\class{ll-citation}{x}$",
    "\\(\\text{</math><script>alert(1)</script>}\\)",
    "$$\\text{<button class='ll-citation' data-number='9'>}$$",
    '<button type="button" class="ll-citation" data-number="1">1</button>',
    "<svg/onload=alert(1)> <math><mtext><script>alert(1)</script></mtext></math>",
    "```html\n<script>alert(1)</script>\n```",
    "| <img src=x> | [x](javascript:alert(1)) |\n|---|---|\n| `<img src=x>` | ![i](http://127.0.0.1:8765/i.png) |",
    "> <!-- --><img src=x>\n> ```\n<img src=x>\n```",
    '[x](http://a.b "onmouseover=alert(1)") [x](http://a.b/"onclick="alert(1))',
    "\U000f0000<img src=x>\U0010fffd",
    "\udcff<img src=x>",
    "\x00<img\x00 src=x>",
]


class Page(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def assert_is_harmless(markup: str) -> None:
    for tag, attributes in Page(markup).elements:
        assert tag not in {
            "script",
            "img",
            "iframe",
            "svg",
            "style",
            "form",
            "input",
            "object",
            "embed",
            "link",
            "b",
            "textarea",
        }
        allowed = ALLOWED_ATTRIBUTES.get(tag, {"class"})
        unknown = {name for name in attributes if name not in allowed and not (tag.startswith("m") and name != "href")}
        assert not {name for name in attributes if name.startswith("on") or name in {"src", "srcset", "xlink:href"}}
        assert unknown == set(), (tag, attributes)
        if "href" in attributes:
            assert re.match(r"(https?://|mailto:)", attributes["href"] or "", re.IGNORECASE)
            assert attributes["rel"] == "noopener noreferrer"
        assert re.fullmatch(r"(text-align:(left|right|center);?)?", attributes.get("style") or "") or tag == "pre"


def cite(number: int = 1, content: str = "The key is blue.", path: str = "a.md", start_line: int | None = 3) -> Citation:
    return Citation(number, f"abc-{number}", path, 0, 0.534, start_line, 9, content)


def answer_of(text: str, *, sentences: tuple[AnswerSentence, ...] = (), **fields: object) -> ChatAnswer:
    values = {"citations": (cite(),), "also_read": (cite(2, "The bag is red.", "b.md"),), **fields}
    return ChatAnswer(text, values.pop("citations"), "fake", "", "", Timings(0, 0, 0, 0), sentences=sentences, **values)


def split(text: str, *parts: tuple[str, str]) -> list[AnswerSentence]:
    """Return the sentences of a text, each part of it with its support."""
    sentences = []
    position = 0
    for part, support in parts:
        start = text.index(part, position)
        position = start + len(part)
        missing = ("48",) if support == "unsupported" and "48" in part else ()
        sentences.append(AnswerSentence(part, start, position, support, missing=missing))
    return sentences


def marked(markup: str) -> str:
    """Return the text that is marked as unsupported."""
    return "".join(
        re.sub("<[^>]*>", "", part) for part in re.findall(r'<span class="ll-unsupported"[^>]*>(.*?)</span>', markup)
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_model_writes_comes_alive(text: str) -> None:
    for is_interactive in (True, False):
        assert_is_harmless(markdown_to_html(text, citations=None, is_interactive=is_interactive))


@pytest.mark.parametrize("text", HOSTILE)
def test_an_answer_that_stops_anywhere_stays_harmless(text: str) -> None:
    for end in range(len(text)):
        assert_is_harmless(markdown_to_html(text[:end], citations=None))


def test_no_mixture_of_hostile_texts_comes_alive() -> None:
    chance = random.Random(3)  # noqa: S311
    for _ in range(400):
        text = "".join(chance.choice(["", " ", "\n", "\n\n", "- ", "`"]) + chance.choice(HOSTILE) for _ in range(4))
        cut = text[chance.randrange(20) : chance.randrange(20, 20 + len(text))]
        sentences = split(cut, (cut[:7], "unsupported"), (cut[7:30], "unsupported")) if len(cut) > 30 else []
        assert_is_harmless(markdown_to_html(cut, citations=None, sentences=sentences))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_excerpt_path_or_quotation_comes_alive(text: str) -> None:
    citation = cite(content=text, path=text)
    half = len(text) // 2
    answer = answer_of(text, citations=(citation,), also_read=(citation,))
    assert_is_harmless(source_html(citation, evidence=(half // 2, half), stale=True))
    assert_is_harmless(sources_html(answer, {text}))
    assert_is_harmless(evidence_html(EvidenceFound((Quote(text[:half], 1, 0.5, 0, half),), (citation,))))
    assert_is_harmless(document_html(answer, note=text))


def test_hostile_text_is_shown_as_the_text_that_it_is() -> None:
    text = "<script>alert(1)</script> and <img src=x>"
    assert Page(markdown_to_html(text)).text.strip() == text
    assert text in Page(source_html(cite(content=text))).text


def test_lists_tables_code_and_emphasis_stay() -> None:
    markup = markdown_to_html(
        "# T\n\n- *one*\n- **two**\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```py\nif a<b: pass\n```\n\n~~no~~"
    )
    assert "<h1>T</h1>" in markup
    assert "<li><em>one</em></li>" in markup
    assert '<td style="text-align:right">2</td>' in markup
    assert "<pre><code>if a&lt;b: pass\n</code></pre>" in markup
    assert "<s>no</s>" in markup


@pytest.mark.parametrize(
    "text",
    [
        "costs $5, later $10",
        "R$5 e R$10",
        "between $5 and $10, or US$20",
        "5$ or 10$ (was 20$)",
        "$HOME and $PATH, or $HOME/$PATH",
        "$5-$10",
        "from $5, or 6$",
        "a $ b $ c",
    ],
)
def test_a_price_is_no_formula(text: str) -> None:
    assert markdown_to_html(text) == f"<p>{text}</p>\n"


@pytest.mark.parametrize(
    "text",
    [
        "$x^2$",
        "$x$",
        "the $n$th",
        "($2x + 1$)",
        "\\(x+1\\)",
        "$$\\frac{a}{b}$$",
        "so:\n\\[ x = 1 \\]\nend",
        "$$\nx\n$$",
        "$\\alpha$-decay",
    ],
)
def test_a_formula_is_mathml(text: str) -> None:
    markup = markdown_to_html(text)
    assert markup.count("<math") == 1
    assert "$" not in markup


def test_a_formula_among_prices_is_found() -> None:
    markup = markdown_to_html("It costs $5, later $10, and grows as $x^2$ does.")
    assert re.sub("<math.*</math>", "FORMULA", markup) == "<p>It costs $5, later $10, and grows as FORMULA does.</p>\n"


@pytest.mark.parametrize("latex", ["\\frac{", "x^", "\\left(", "{" * 900, "\\begin{foo}", "\\sqrt"])
def test_a_formula_that_cannot_be_read_is_code(latex: str) -> None:
    assert markdown_to_html(f"${latex}$ _") == f"<p><code>{latex}</code> _</p>\n"


def test_code_is_no_formula_and_no_citation() -> None:
    markup = markdown_to_html("`$x^2$ a[1]`\n\n```\n$x^2$ a[1]\n```", citations={1: cite()})
    assert "<math" not in markup
    assert "button" not in markup


def test_a_known_reference_is_a_control_and_another_stays_text() -> None:
    markup = markdown_to_html("Blue [1], red [2], [9].", citations={1: cite(), 2: cite(2, path='a "b" <c>.md')})
    assert (
        'Blue <button type="button" class="ll-citation" data-number="1" aria-label="Source 1: a.md">1</button>, '
        'red <button type="button" class="ll-citation" data-number="2" '
        'aria-label="Source 2: a &quot;b&quot; &lt;c&gt;.md">2</button>, [9].'
    ) in markup


@pytest.mark.parametrize("reference", ["[3]", "[1, 2]", "[1-3]", "[^1]", "[1] and [2]"])
def test_a_reference_of_a_document_is_neither_a_formula_nor_a_reference_of_the_answer(reference: str) -> None:
    text = f"As shown in {escape_references(reference)}, it leaks [2]."
    citations = {number: cite(number) for number in (1, 2, 3)}
    markup = markdown_to_html(text, citations=citations)
    assert markup == f"<p>As shown in {reference}, it leaks {citation_button(2, citations[2])}.</p>\n"
    assert markdown_to_html(text, is_interactive=False) == f"<p>As shown in {reference}, it leaks [2].</p>\n"


def test_no_definition_and_no_link_takes_a_reference_away() -> None:
    markup = markdown_to_html("[1]: http://a.b\n\nBlue [1]. [see [1]](http://a.b)", citations={1: cite()})
    assert markup.count("ll-citation") == 2
    assert '<a href="http://a.b" target="_blank" rel="noopener noreferrer">see [1]</a>' in markup


def test_every_number_is_a_reference_while_the_answer_is_written() -> None:
    assert 'aria-label="Source 7"' in markdown_to_html("Blue [7].", citations=None)


def test_an_image_becomes_its_description() -> None:
    assert Page(markdown_to_html("![a cat](http://a.b/c.png)")).text.strip() == "[Image: a cat]"


def test_links_lead_to_the_web_and_mail_only() -> None:
    text = "[a](https://a.b/c) [b](mailto:a@b.c) [c](ftp://a.b) [d](notes.md)"
    links = [attributes["href"] for tag, attributes in Page(markdown_to_html(text)).elements if tag == "a"]
    assert links == ["https://a.b/c", "mailto:a@b.c"]


def test_a_sentence_without_support_is_marked_and_says_so() -> None:
    text = "The key is **blue** [1]. It cost 48 *euros*. Take it."
    sentences = split(
        text, ("The key is **blue** [1].", "supported"), ("It cost 48 *euros*.", "unsupported"), ("Take it.", "weak")
    )
    markup = markdown_to_html(text, citations={1: cite()}, sentences=sentences)
    assert marked(markup) == "It cost 48 euros"
    assert '<span class="ll-weak" title="the excerpts say only part of this">Take it.</span>' in markup
    assert 'title="no excerpt says this; not found: 48"' in markup
    assert markup.count('<span class="ll-sr">(no excerpt says this)</span>') == 1
    assert "<em>" in markup


@pytest.mark.parametrize(
    ("text", "part", "shown"),
    [
        ("- **Yes:** it is\n- no", "- **Yes:** it is", "Yes: it is"),
        ("1. One `x`.\n2. Two.", "1. One `x`.", "One x"),
        ("| a | b |\n|---|---|\n| c | d |", "| c | d |", "cd"),
        ("See [the map](http://a.b/c) [1]. Go.", "See [the map](http://a.b/c) [1].", "See the map"),
        ("# Head\n\nNo $x$ here. Yes.", "No $x$ here.", "No x here."),
        ("_So_ it is. Yes.", "_So_ it is.", "So it is."),
        ("&amp; so on. Yes.", "&amp; so on.", "&amp; so on."),
    ],
)
def test_a_mark_fits_any_markdown(text: str, part: str, shown: str) -> None:
    rest = text[text.index(part) + len(part) :].strip()
    sentences = split(text, (part, "unsupported"), *([(rest, "supported")] if rest else []))
    plain = markdown_to_html(text, citations={1: cite()})
    markup = markdown_to_html(text, citations={1: cite()}, sentences=sentences)
    assert marked(markup) == shown
    unmarked = re.sub(r' <span class="ll-sr">[^<]*</span>', "", markup)
    assert re.sub(r'<span class="ll-unsupported"[^>]*>(.*?)</span>', r"\1", unmarked) == plain


def test_marks_change_nothing_where_every_sentence_is_supported() -> None:
    text = "- *a* [1]\n- b"
    assert markdown_to_html(text, sentences=split(text, ("- *a* [1]", "supported"))) == markdown_to_html(text)


def test_a_source_says_where_it_stands_and_shows_what_supports_the_answer() -> None:
    markup = source_html(cite(content="One. The key is <blue>. Two."), evidence=(5, 23), stale=True, open=True)
    assert Page(markup).text == "1 a.md lines 3–9 similarity 0.53 changed since it was indexedOne. The key is <blue>. Two."
    assert "<mark>The key is &lt;blue&gt;.</mark>" in markup
    assert Page(markup).elements[0] == ("details", {"class": "ll-source", "data-number": "1", "open": ""})
    closed = source_html(cite(start_line=None))
    assert "chunk 0" in closed
    assert "open" not in closed
    assert "changed" not in closed
    assert "<mark>" not in closed


def test_the_sources_used_are_open_and_the_others_folded() -> None:
    sentence = AnswerSentence("Blue [1].", 0, 9, "supported", 1, 4, 7)
    markup = sources_html(answer_of("Blue [1].", sentences=(sentence,)), {"b.md"})
    used, read = markup.split('<details class="ll-also-read">')
    assert Page(used).text.startswith("Sources (1)1 a.md")
    assert " open" in used
    assert "The <mark>key</mark> is blue." in used
    assert "changed" not in used
    assert Page(read).text.startswith("Also read (1)2 b.md")
    assert " open" not in read
    assert "changed since it was indexed" in read


def test_a_refusal_offers_the_closest_excerpts() -> None:
    markup = sources_html(answer_of("I do not know.", citations=(), also_read=(cite(),), refusal="evidence"), set())
    assert Page(markup).text.startswith("Closest excerpts (1)1 a.md")


def test_no_sources_are_no_markup() -> None:
    assert sources_html(answer_of("x", citations=(), also_read=()), set()) == ""
    assert evidence_html(EvidenceFound((), (cite(),))) == ""


def test_an_answer_cites_its_sources_and_an_empty_one_says_so() -> None:
    assert 'data-number="2"' in answer_html(answer_of("Red [2]."))
    assert answer_html(answer_of("")) == "<p>The model wrote no answer.</p>\n"


def test_what_was_found_shows_the_sentence_with_its_excerpt_on_demand() -> None:
    markup = evidence_html(EvidenceFound((Quote("key  is\nblue", 1, 0.9, 4, 16),), (cite(content="The key  is\nblue."),)))
    assert "<summary>" in markup
    assert Page(markup).text == "key is blue 1 a.md lines 3–4The key  is\nblue."
    assert "The <mark>key  is\nblue</mark>." in markup


def test_a_row_that_was_found_reads_with_the_names_of_its_columns_and_is_marked_where_it_stands() -> None:
    row = Quote("| Key | blue |", 1, 0.9, 0, 14, "Thing: Key · Colour: blue")
    markup = evidence_html(EvidenceFound((row,), (cite(content="| Key | blue |\n| Door | red |"),)))
    assert "Thing: Key · Colour: blue" in Page(markup).text
    assert "<mark>| Key | blue |</mark>" in markup


def test_a_document_needs_no_style_and_no_control() -> None:
    text = "Blue [1] for $5, as $x^2$. Made up."
    sentences = tuple(split(text, ("Blue [1] for $5, as $x^2$.", "supported"), ("Made up.", "unsupported")))
    markup = document_html(answer_of(text, sentences=sentences), note="Written by <b>.")
    page = Page(markup)
    assert "button" not in markup
    assert "<math" not in markup
    assert "[1] for <span>$</span>5, as <span>$x^2$</span>." in markup
    assert page.text.startswith(
        "Blue [1] for $5, as $x^2$. Made up. (no excerpt says this)\nSources (1)[1] a.md:3-9 · similarity 0.53"
    )
    assert "Also read (1)[2] b.md" in page.text
    assert page.text.endswith("Written by <b>.")


def test_a_document_has_no_blank_line_after_which_markdown_would_begin() -> None:
    content = "one\n\n![beacon](http://a/b.png)\n \t\n\n<b>"
    markup = document_html(answer_of("```\na\n\n\nb\n```", citations=(cite(content=content),)), note="x\n\ny")
    assert re.search(r"\n[ \t]*\n", markup) is None
    assert content in Page(markup).text
    assert "<img" not in MarkdownIt("commonmark").render(markup)


def test_text_in_a_table_without_a_style_sheet_is_aligned_to_the_left() -> None:
    markup = markdown_to_html("| a | b |\n|---|--:|\n| 1 | 2 |", is_interactive=False)
    assert '<td style="text-align:left">1</td>\n<td style="text-align:right">2</td>' in markup


@pytest.mark.parametrize("latex", ["\\href{javascript:alert(1)}{x}", "\\require{html} x", "\\includegraphics{http://a/b.png}"])
def test_a_formula_that_does_more_than_typeset_is_code_where_the_page_typesets_it(latex: str) -> None:
    assert markdown_to_html(f"${latex}$", is_interactive=False) == f"<p><code>{latex}</code></p>\n"


def test_no_formula_begins_in_the_text_of_a_document() -> None:
    markup = markdown_to_html("\\begin{equation}x\\end{equation}", is_interactive=False)
    assert markup == "<p><span>\\</span>begin{equation}x\\end{equation}</p>\n"


def test_controls_can_be_turned_back_into_text() -> None:
    markup = markdown_to_html("Blue [1].", citations={1: cite(path='a>"b.md')})
    assert remove_controls(markup) == "<p>Blue [1].</p>\n"


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    assert escape("a\udcff<") == "a?&lt;"


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("one", "one"),
        ("one\n\ntwo", "two"),
        ("one\n\n- a\n- b\n\n  c", "- a\n- b\n\n  c"),
        ("one\n\n```\ncode\n\nmore", "```\ncode\n\nmore"),
        ("one\r\n\r\ntwo", "two"),
        ("a\u2028b\n\ntwo", "two"),
        ("| a |\n|---|\n| b |\n", "| a |\n|---|\n| b |\n"),
    ],
)
def test_only_the_last_block_of_a_text_can_still_change(text: str, last: str) -> None:
    finished, rest = split_last_block(text)
    assert rest == last
    assert finished + rest == text.replace("\r\n", "\n")
