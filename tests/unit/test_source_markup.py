"""Which sources of an answer are shown, under which title, and what in them is marked."""

from __future__ import annotations

import re

import pytest

from locallens_nb.domain import AnswerSentence, ChatAnswer, Citation, EvidenceFound, Quote, Timings
from locallens_nb.notebook.markup import document_html, evidence_html, sources_html

KEY = Citation(1, "abc-1", "a.md", 0, 0.5, 3, 9, "The key is blue.")
BAG = Citation(2, "abc-2", "b.md", 0, 0.4, 1, 1, "The bag is red.")
QUOTE = Quote("The key is blue.", 1, 0.9, 0, 16)


def answer_of(text: str, *sentences: AnswerSentence, **fields: object) -> ChatAnswer:
    values = {"citations": (KEY,), "also_read": (BAG,), "quotes": (QUOTE,), **fields}
    return ChatAnswer(text, values.pop("citations"), "fake", "", "", Timings(0, 0, 0, 0), sentences=sentences, **values)


def supported_by(number: int, start: int, end: int) -> AnswerSentence:
    return AnswerSentence("Blue.", 0, 5, "supported", number, start, end)


def marks(markup: str) -> list[str]:
    return re.findall("<mark>(.*?)</mark>", markup)


@pytest.mark.parametrize(
    ("fields", "title"),
    [
        ({"refusal": "evidence", "citations": ()}, "Closest excerpts (1)"),
        ({"refusal": "support"}, "Also read (1)"),
        ({"citations": ()}, "Also read (1)"),
    ],
)
def test_what_was_not_used_is_the_closest_only_where_nothing_was_and_there_is_no_answer(
    fields: dict[str, object], title: str
) -> None:
    assert f"<summary>{title}</summary>" in sources_html(answer_of("Blue.", **fields), set())


def test_only_what_supports_a_sentence_is_marked_in_its_own_source() -> None:
    answer = answer_of("Blue.", supported_by(2, 4, 7), AnswerSentence("Red.", 0, 4, "unsupported"), citations=(KEY, BAG))
    assert marks(sources_html(answer, set())) == ["bag"]
    assert marks(document_html(answer)) == ["bag"]


def test_what_parts_have_in_common_is_marked_once_and_none_goes_on_past_the_end() -> None:
    answer = answer_of("Blue.", supported_by(1, 4, 10), supported_by(1, 8, 12), supported_by(1, 5, 7), supported_by(1, 12, 99))
    assert marks(sources_html(answer, set())) == ["key is", " b", "lue."]
    assert "The <mark>key is</mark><mark> b</mark><mark>lue.</mark></pre>" in sources_html(answer, set())


def test_a_document_offers_the_closest_sentences_only_where_there_is_no_answer() -> None:
    assert "Closest in your files" in document_html(answer_of("I do not know.", refusal="model"))
    assert "Closest in your files" not in document_html(answer_of("Blue."))
    assert "Closest in your files" not in document_html(answer_of("I do not know.", refusal="model", quotes=()))


def test_a_document_without_sources_and_without_a_note_has_no_place_for_them() -> None:
    assert document_html(answer_of("Blue.", citations=(), also_read=())) == "<p>Blue.</p>\n"


@pytest.mark.parametrize(("length", "shown"), [(280, "x" * 280), (281, "x" * 280 + " …")])
def test_a_long_quotation_is_cut(length: int, shown: str) -> None:
    quote = Quote("x" * length, 1, 0.9, 0, length)
    markup = evidence_html(EvidenceFound((quote,), (KEY,)))
    assert f'<span class="ll-quoted">{shown}</span>' in markup
