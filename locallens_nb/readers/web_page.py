"""Read a web page as a person sees it: its text, headings, lists and tables as Markdown, without markup and scripts."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from locallens_nb.readers.text import UnusableFileError

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_SERVER_CODE = re.compile(r"<%|<\?(?:php|=)")
_TEMPLATE = re.compile(r"\{\{|\{%")
_UNSEEN = ("title", "meta", "link", "base", "script", "style", "template", "svg", "noscript")
_LITERAL = ("code", "pre", "samp", "kbd")
_ANCHOR = re.compile(r"\A\s*[¶#§\uf0c1]\s*\Z")
"""What a link of a heading to itself shows."""
_MOST_TAGS = 400_000
"""More than pages have whose text is within the limit of a file. Each element takes about 1 KB of memory and 0.05 ms."""
_MAIN = "main, [role=main]"
_BESIDE = "nav, [role=navigation], [role=search], [role=contentinfo], [hidden], [aria-hidden=true]"
"""What stands on every page of a site, or is not shown."""


def render_web_page(source: str) -> str:
    """Return the text of a web page as Markdown; what is no page to read but code is returned as it is.

    Code are templates, and pages without any text, which a script fills. Examples of code on a page make no template of it.

    Parameters
    ----------
    source
        HTML, whole or a part of a page.

    Raises
    ------
    UnusableFileError
        When it has too many tags.
    """
    if _SERVER_CODE.search(source):
        return source
    if source.count("<") > _MOST_TAGS:
        raise UnusableFileError(f"it has more than {_MOST_TAGS:,} tags")
    try:
        return _render(_XML_DECLARATION.sub("", source)) or source
    except RecursionError:  # elements nested by the thousand
        return source


def _render(source: str) -> str:
    """Return the text of a page; empty for a template, and where there is no text."""
    from bs4 import BeautifulSoup

    from locallens_nb.readers.page_markdown import PageConverter

    page = BeautifulSoup(source, "lxml")
    if _is_template(page):
        return ""
    title = page.title.get_text(" ", strip=True) if page.title else ""
    for element in [*page.find_all(_UNSEEN), *page.find_all("a", string=_ANCHOR)]:
        element.decompose()
    for image in page.find_all("img"):
        image.string = str(image.get("alt") or "")
    content = _find_content(page)
    text = str(PageConverter().convert_soup(content)).strip()
    return f"# {title}\n\n{text}" if title and text and not content.find("h1") else text


def _find_content(page: BeautifulSoup) -> Tag:
    """Return the part of a page that is its own, without the navigation; all of it where nothing else would be left."""
    parts = page.select(_MAIN)
    content = parts[0] if len(parts) == 1 and parts[0].get_text(strip=True) else page
    if not content.select(_BESIDE):
        return content
    own = copy.copy(content)
    for element in own.select(_BESIDE):
        element.extract()
    return own if own.get_text(strip=True) else content


def _is_template(page: BeautifulSoup) -> bool:
    from bs4.element import NavigableString

    values = (str(value) for element in page.find_all(True) for value in element.attrs.values())
    # A comment is a string too, of a type of its own.
    seen = [text for text in page.find_all(string=_TEMPLATE) if type(text) is NavigableString]
    return any(_TEMPLATE.search(value) for value in values) or any(not text.find_parent(_LITERAL) for text in seen)
