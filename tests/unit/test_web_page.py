"""Web pages as the text that a person sees, and templates as the code that they are."""

import pytest

from locallens_nb.readers.text import UnusableFileError
from locallens_nb.readers.web_page import render_web_page

PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html><head><title>The station</title><style>p { color: red }</style><script>let fee = 1;</script></head>
<body><h1>Fees</h1><p>A guest pays <b>60&nbsp;euros</b> &amp; a <a href="tax.html">tourist tax</a> of
2&#8239;euros.</p><ul><li>per night<li>per bed</ul>
<table><tr><th>Room<th>Fee<tr><td>North<td>48<tr><td>South<td>52</table>
<pre>fee = rate * nights
print(fee)</pre><img src="data:image/png;base64,iVBORw0K" alt="The house from the sea"></body></html>"""


def test_a_page_is_read_without_its_markup_and_scripts() -> None:
    assert render_web_page(PAGE) == (
        "# Fees\n\n"
        "A guest pays 60\u00a0euros & a tourist tax of\n2\u202feuros.\n\n"
        "- per night\n- per bed\n\n"
        "| Room | Fee |\n| --- | --- |\n| North | 48 |\n| South | 52 |\n\n"
        "```\nfee = rate * nights\nprint(fee)\n```\n\n"
        "The house from the sea"
    )


def test_a_page_without_a_heading_begins_with_its_title() -> None:
    page = "<html><head><title>Tides &amp; winds</title></head><body><h2>March</h2><p>snake_case, 2 * 3</p></body></html>"
    assert render_web_page(page) == "# Tides & winds\n\n## March\n\nsnake_case, 2 * 3"


def test_links_of_headings_to_themselves_and_comments_are_not_read() -> None:
    page = '<h2>March<a class="headerlink" href="#march">¶</a></h2><!-- {{ todo }} --><p>High at <a href="x">7</a>.</p>'
    assert render_web_page(page) == "## March\n\nHigh at 7."


@pytest.mark.parametrize(
    "page",
    [
        "<nav>Home</nav><main><h1>Tides</h1><div role='navigation'>next</div><p>High at 7.</p></main><p>2031</p>",
        "<div role='navigation'><nav>Home</nav></div><h1>Tides</h1><p>High at 7.</p><div role='contentinfo'>2031</div>",
        "<main></main><nav>Home</nav><h1>Tides</h1><p>High at 7.</p><p hidden>low</p>",
    ],
)
def test_of_a_page_its_own_part_is_read_and_not_the_navigation(page: str) -> None:
    assert render_web_page(page) == "# Tides\n\nHigh at 7."


def test_a_page_that_is_all_navigation_is_read() -> None:
    assert render_web_page("<title>Contents</title><nav><ul><li>Tides<li>Winds</ul></nav>") == "# Contents\n\n- Tides\n- Winds"


def test_elements_that_nobody_closed_end_where_browsers_end_them() -> None:
    assert render_web_page("<p>one<p>two<ul><li>three<li>four</ul>") == "one\n\ntwo\n\n- three\n- four"


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello {{ name }}</p>",
        '<a href="{% url home %}">Home</a>',
        "<p><%= @total %></p>",
        "<?php echo $total; ?><p>euros</p>",
        '<div id="root"></div><script src="app.js"></script>',
        '<div title="x">' * 3000 + "deep",
    ],
)
def test_templates_and_pages_without_text_are_code_and_stay_as_they_are(source: str) -> None:
    assert render_web_page(source) == source


def test_a_page_about_templates_is_no_template() -> None:
    page = "<p>Write <code>{{ name }}</code>:</p><pre>{% if x %}\nyes</pre>"
    assert render_web_page(page) == "Write `{{ name }}`:\n\n```\n{% if x %}\nyes\n```"


def test_a_page_of_hundreds_of_thousands_of_tags_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(UnusableFileError, match="it has more than 400,000 tags"):
        render_web_page("<p>x" * 400_001)


def test_numbered_lists_count_from_where_they_begin_and_hold_others() -> None:
    page = "<ol start=9><li>a<p>b</p><li><li>c<ol><li>d<li>e</ol><li><ul><li>f</ul></ol><ol start='x'><li>g</ol>"
    assert render_web_page(page) == "9. a\n\n   b\n11. c\n    1. d\n    2. e\n12. - f\n\n1. g"


def test_long_lists_and_rows_of_images_take_no_longer_for_each_item(monkeypatch: pytest.MonkeyPatch) -> None:
    from bs4 import Tag

    def refuse(*_: object) -> None:
        raise AssertionError("the elements before one were looked through")

    monkeypatch.setattr(Tag, "find_previous_siblings", refuse)
    monkeypatch.setattr(Tag, "index", refuse)
    assert render_web_page("<ol><li>x<li>y</ol><p><img alt=a>, <img alt=b></p>") == "1. x\n2. y\n\na, b"
