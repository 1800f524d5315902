"""A model's Markdown as safe HTML: the only renderer and the only sanitiser of the notebook's front ends."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from locallens_nb.checking.citations import ESCAPED, find_references
from locallens_nb.domain import AnswerSentence, Citation
from locallens_nb.notebook import formulas
from locallens_nb.notebook.inert_text import ALIGNED, FORMULA_START
from locallens_nb.notebook.sentence_marks import DOUBTS, find_marks, insert_marks, remove_marks

_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n(?=[ \t\f\v]*\n)")
_CITATION = re.compile(r"\[(\d{1,3})\]")
_LONG_LIST_CHARACTERS = 1_000
_BUTTON = re.compile(r'<button(?: [\w-]+="[^"]*")*>(\d+)</button>')
_REFERENCE_OF_DOCUMENT = "reference_of_document"
_BLOCK_ENDS = ("paragraph_close", "heading_close", "tr_close")
_CLASSES = {
    "span": {
        "ll-badge",
        "ll-formula",
        "ll-image",
        "ll-number",
        "ll-path",
        "ll-place",
        "ll-quoted",
        "ll-similarity",
        "ll-sr",
        "ll-unsupported",
        "ll-weak",
    },
    "button": {"ll-citation"},
    "details": {"ll-also-read", "ll-quote", "ll-source"},
    "pre": {"ll-excerpt"},
    "p": {"ll-heading", "ll-note"},
}
_SANITISER = nh3.Cleaner(
    tags={
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "p",
            "br",
            "hr",
            "blockquote",
            "ul",
            "ol",
            "li",
            "pre",
            "code",
            "details",
            "summary",
        ),
        *("a", "span", "strong", "em", "s", "sub", "sup", "mark", "button", "table", "thead", "tbody", "tr", "th", "td"),
        *formulas.TAGS,
    },
    attributes={
        "a": {"href", "title"},
        "button": {"aria-label", "data-number"},
        "details": {"data-number", "open"},
        "math": {"display"},
        "mo": {"stretchy", "fence", "separator", "movablelimits", "minsize", "maxsize"},
        "mspace": {"width"},
        "mtable": {"columnalign"},
        "ol": {"start"},
        "pre": {"style"},
        "span": {"title"},
        "td": {"style"},
        "th": {"style"},
    },
    tag_attribute_values={"button": {"type": {"button"}}},
    set_tag_attribute_values={"a": {"target": "_blank"}},
    allowed_classes=_CLASSES,
    filter_style_properties={"overflow-wrap", "text-align", "white-space", "word-break"},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="noopener noreferrer",
    clean_content_tags={"script", "style"},
)


def sanitise(markup: str) -> str:
    """Return HTML with only the elements, attributes and addresses that the front ends' own markup is made of."""
    return _SANITISER.clean(_replace_surrogates(markup))


def sanitise_document(markup: str) -> str:
    """Return sanitised HTML without a blank line, for a place that may put it into a Markdown text.

    There a blank line ends a block of HTML, and what follows it in an excerpt would be read as Markdown.
    """
    return _BLANK_LINE.sub("&#10;", sanitise(markup))


def escape(text: str) -> str:
    """Return a text that HTML shows as it is, also one with halves of surrogate pairs (file names can have them)."""
    return html.escape(_replace_surrogates(text))


def markdown_to_html(
    text: str,
    *,
    citations: Mapping[int, Citation] | None = None,
    sentences: Sequence[AnswerSentence] = (),
    is_interactive: bool = True,
) -> str:
    r"""Return a model's Markdown as safe HTML.

    Lists, tables, code and formulas stay; HTML is shown as the text that it is, an image as its description, and a link
    only leads to the web or to a mail address.

    Parameters
    ----------
    citations
        The sources that ``[number]`` refers to, by number; another number stays text. None takes each for a reference,
        as while an answer is still written.
    sentences
        The sentences of the text; those without support get a quiet mark.
    is_interactive
        Whether there is a widget behind it: references become buttons and formulas MathML. Otherwise references stay
        ``[number]``, and formulas stay LaTeX in dollar signs, which notebooks and code hosts show as formulas.
    """
    page = _Page(citations, sentences, is_interactive=is_interactive)
    return page.render(_PARSER.parse(insert_marks(_replace_surrogates(text), sentences)))


def split_last_block(text: str) -> tuple[str, str]:
    """Return a Markdown text in two: what more text after it does not change, and its last block.

    Of a long list only the last item counts, so that what can change stays short.
    """
    text = re.sub(r"\r\n?", "\n", text)
    blocks = [token for token in _BLOCK_PARSER.parse(text) if token.map and token.nesting >= 0]
    starts = [token.map[0] for token in blocks if token.map and token.level == 0]
    if not starts:
        return "", text
    cut = starts[-1]
    items = [token.map[0] for token in blocks if token.map and token.level == 1 and token.type == "list_item_open"]
    if items and items[-1] > cut and len(text) > _LONG_LIST_CHARACTERS:
        cut = items[-1]
    lines = text.split("\n")
    return "".join(f"{line}\n" for line in lines[:cut]), "\n".join(lines[cut:])


@dataclass
class _Page:
    """One rendering: the tokens of the parser become HTML, with references and marks in it."""

    citations: Mapping[int, Citation] | None
    sentences: Sequence[AnswerSentence]
    is_interactive: bool = field(kw_only=True)
    _marked: AnswerSentence | None = field(default=None, init=False)

    def render(self, tokens: list[Token]) -> str:
        for token in tokens:
            if token.type == "inline":
                token.children = list(self._render_inline(token.children or []))
            elif token.type in _BLOCK_ENDS:
                self._marked = None
            elif token.type == formulas.TOKEN_OF_BLOCK:
                token.type, token.content = "html_block", f"<p>{self._formula(token, is_displayed=True)}</p>\n"
            elif token.type in {"th_open", "td_open"} and not self.is_interactive and not token.attrs:
                token.attrSet("style", ALIGNED)
        return sanitise(remove_marks(_PARSER.renderer.render(tokens, _PARSER.options, {})))

    def _render_inline(self, tokens: Sequence[Token]) -> Iterator[Token]:
        link_depth = 0
        for token in tokens:
            link_depth += token.nesting if token.type in {"link_open", "link_close"} else 0
            if token.type == "text":
                yield from self._render_text(token.content, may_cite=not link_depth)
            elif token.type in formulas.TOKENS_IN_TEXT:
                markup = self._formula(token, is_displayed=token.type == "math_inline_double")
                yield from self._around_marks(token.content, _markup(markup))
            elif token.type == _REFERENCE_OF_DOCUMENT:
                yield from self._around_marks(token.content, _markup(escape(f"[{remove_marks(token.content)}]")))
            elif token.type == "code_inline":
                yield from self._around_marks(token.content, token)
            elif token.type == "image":
                yield _markup(f'<span class="ll-image">[Image: {escape(token.content)}]</span>')
            else:
                yield token

    def _around_marks(self, content: str, token: Token) -> Iterator[Token]:
        """Yield what cannot be divided; the marks in it take effect before or after it."""
        marks = find_marks(content)
        if marks and marks[0].begins:
            self._marked = self.sentences[marks[0].sentence]
        yield from self._wrap([token])
        if marks and not marks[-1].begins:
            yield from self._end_mark()

    def _render_text(self, text: str, *, may_cite: bool) -> Iterator[Token]:
        position = 0
        for mark in find_marks(text):
            yield from self._wrap(self._cite(text[position : mark.start], may_cite=may_cite))
            yield from self._end_mark()
            self._marked = self.sentences[mark.sentence] if mark.begins else None
            position = mark.start + 1
        yield from self._wrap(self._cite(text[position:], may_cite=may_cite))

    def _cite(self, text: str, *, may_cite: bool) -> Iterator[Token]:
        if not self.is_interactive:
            yield from _text_without_formulas(text)
            return
        position = 0
        for match in _CITATION.finditer(text) if may_cite else ():
            number = int(match[1])
            if self.citations is None or number in self.citations:
                yield _text(text[position : match.start()])
                yield _markup(citation_button(number, self.citations.get(number) if self.citations else None))
                position = match.end()
        yield _text(text[position:])

    def _wrap(self, tokens: Sequence[Token] | Iterator[Token]) -> Iterator[Token]:
        content = [token for token in tokens if token.content]
        if self._marked is None or not content:
            yield from content
            return
        missing = ", ".join(self._marked.missing)
        doubt = DOUBTS[self._marked.support]
        title = f"{doubt}; not found: {missing}" if missing else doubt
        yield _markup(f'<span class="ll-{self._marked.support}" title="{escape(title)}">')
        yield from content
        yield _markup("</span>")

    def _end_mark(self) -> Iterator[Token]:
        if self._marked is not None:
            note = f"({DOUBTS[self._marked.support]})"
            yield _markup(f' <span class="ll-sr">{note}</span>' if self.is_interactive else f" <sup><em>{note}</em></sup>")
        self._marked = None

    def _formula(self, token: Token, *, is_displayed: bool) -> str:
        write = formulas.formula_html if self.is_interactive else formulas.formula_source
        return write(remove_marks(token.content), is_displayed=is_displayed)


def citation_button(number: int, citation: Citation | None) -> str:
    """Return the control that leads from a reference to its source."""
    label = f"Source {number}: {citation.relative_path}" if citation else f"Source {number}"
    return f'<button type="button" class="ll-citation" data-number="{number}" aria-label="{escape(label)}">{number}</button>'


def remove_controls(markup: str) -> str:
    """Return our own HTML with ``[number]`` for each button, for a place where nothing answers to a click."""
    return _BUTTON.sub(r"[\1]", markup)


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _markup(markup: str) -> Token:
    return Token("html_inline", "", 0, content=markup)


def _text(text: str) -> Token:
    return Token("text", "", 0, content=text)


def _text_without_formulas(text: str) -> Iterator[Token]:
    """Yield a text with what a formula begins with in an element of its own, where front ends see none begin."""
    position = 0
    for start in FORMULA_START.finditer(text):
        yield _text(text[position : start.start()])
        yield _markup(f"<span>{start.group()}</span>")
        position = start.end()
    yield _text(text[position:])


def _keep_reference_of_document(state: StateInline, silent: bool) -> bool:
    r"""Take ``\[3\]``, which is the ``[3]`` of a document, for text (an inline rule of the parser)."""
    match = ESCAPED.match(state.src, state.pos)
    if match is None or not find_references(f"[{remove_marks(match[1])}]", count=0):
        return False
    if not silent:
        state.push(_REFERENCE_OF_DOCUMENT, "", 0).content = match[1]
    state.pos = match.end()
    return True


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # A definition would turn the reference [2] into a link of the model's choice; an underlined heading changes a
    # paragraph that has been shown.
    parser.disable(["reference", "lheading", "html_block", "html_inline"])
    formulas.add_formulas(parser)
    parser.inline.ruler.before("math_brackets", _REFERENCE_OF_DOCUMENT, _keep_reference_of_document)
    parser.validateLink = lambda url: _LINK.match(remove_marks(url)) is not None  # type: ignore[method-assign]
    normalise: Callable[[str], str] = parser.normalizeLink
    parser.normalizeLink = lambda url: normalise(remove_marks(url))  # type: ignore[method-assign]
    return parser


_PARSER = _make_parser()
_BLOCK_PARSER = _make_parser().disable(["inline", "text_join"])
