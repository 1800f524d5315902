"""Where sentences begin and end."""

from __future__ import annotations

import pytest

from locallens_nb.sentences import find_sentence_end, sentence_spans, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One is here. Two is there! Is it three?", ["One is here.", "Two is there!", "Is it three?"]),
        ("He said: “Go.” Then he left.", ["He said: “Go.”", "Then he left."]),
        ("See Fig. 3 and Dr. Almeida. It ends.", ["See Fig. 3 and Dr. Almeida.", "It ends."]),
        ("Dives end at 24 m. Pairs only.", ["Dives end at 24 m.", "Pairs only."]),
        ("Use channel 68. Its sign is known.", ["Use channel 68.", "Its sign is known."]),
        ("1. The goat.\n 12. The pump.", ["1. The goat.", "12. The pump."]),
        ("## 5. New buoy\n\nIt floats.", ["## 5. New buoy", "It floats."]),
        ("J. S. Bach wrote it. It ends.", ["J. S. Bach wrote it.", "It ends."]),
        ("**How long?**\nIt takes a week.", ["**How long?**", "It takes a week."]),
        ("Ele chegou. É tarde.", ["Ele chegou.", "É tarde."]),
        ("Am 8. Februar begann es. Der 2. Tag kam.", ["Am 8. Februar begann es.", "Der 2. Tag kam."]),
        ("version 3.5 of e.g. this. and not here", ["version 3.5 of e.g. this. and not here"]),
        ("会議は東京で開かれました。予算は八千です！", ["会議は東京で開かれました。", "予算は八千です！"]),
        ("First paragraph\n\nSecond paragraph", ["First paragraph", "Second paragraph"]),
        ("A list:\n- one item\n- two items\n1. three", ["A list:", "- one item", "- two items", "1. three"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
        ("One line that\ngoes on here.", ["One line that\ngoes on here."]),
        ("   \n\n  ", []),
        ("", []),
    ],
)
def test_a_text_falls_into_its_sentences_verbatim(text: str, sentences: list[str]):
    assert split_sentences(text) == sentences


def test_the_spans_are_where_the_sentences_stand():
    text = "  One is here.  Two is there.\n\n- three\n"
    assert [text[start:end] for start, end in sentence_spans(text)] == ["One is here.", "Two is there.", "- three"]
    assert sentence_spans(text)[0] == (2, 14)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("It is here. And", 12),
        ("It is here. ", None),
        ("It is here.", None),
        ("It is version 3.5 of e.g. this", None),
        ("See Dr. Almeida", None),
        ("你好。再", 3),
        ("你好。", None),
        ("First\n\nSecond", 7),
    ],
)
def test_a_sentence_that_still_grows_has_ended_once_the_next_one_begins(text: str, end: int | None):
    assert find_sentence_end(text) == end
