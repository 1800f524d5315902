"""Where sentences begin and end."""

from __future__ import annotations

import random

import pytest

from locallens_nb.language import sentences
from locallens_nb.language.sentences import SentenceEndFinder, sentence_spans, split_sentences
from tests.counting import CountedPattern


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there! Is it three?", ["One is here.", "Two is there!", "Is it three?"]),
        ("He said: “Go.” Then he left.", ["He said: “Go.”", "Then he left."]),
        ("See Fig. 3 and Dr. Almeida. It ends.", ["See Fig. 3 and Dr. Almeida.", "It ends."]),
        ("Dives end at 24 m. Pairs only.", ["Dives end at 24 m.", "Pairs only."]),
        ("Use channel 68. Its sign is known.", ["Use channel 68.", "Its sign is known."]),
        ("1. The goat.\n 12. The pump.", ["1. The goat.", "12. The pump."]),
        ("## 5. New buoy\n\nIt floats.", ["## 5. New buoy", "It floats."]),
        (
            "Shown by Bates et al. (2014), Eq. 5 and Refs. 3-5. It ends.",
            ["Shown by Bates et al. (2014), Eq. 5 and Refs. 3-5.", "It ends."],
        ),
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
def test_a_text_falls_into_its_sentences_verbatim(text: str, expected: list[str]):
    assert split_sentences(text) == expected


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
    assert SentenceEndFinder().find(text) == end


PIECES = [
    *("Dr", "e.g", "Am 8", "1", "12", "3.5", "a", "B", " word", " Word", "再", "。", ".", "!", "?", "…", "...", ",", ":"),
    *(". ", ".\n", " ", "  ", "\n", "\t", "“", "”", '"', ")", "]", "*", "_", "|", "|\n", "- ", "#"),
]


def find_end_by_reading_all(text: str) -> int | None:
    """Return what the finder must return, as the spans of the whole text have it: the first end that more text follows."""
    ends = [
        match.end()
        for match in sentences._SENTENCE_END.finditer(text)
        if match.end() < len(text) and not sentences._ends_in_abbreviation(text, match.start())
    ]
    return ends[0] if ends else None


@pytest.mark.parametrize("seed", range(300))
def test_a_text_that_grows_ends_where_reading_it_anew_with_each_piece_says(seed: int):
    dice = random.Random(seed)  # noqa: S311
    pieces = dice.sample(PIECES, dice.randint(3, len(PIECES)))
    finder, text = SentenceEndFinder(), ""
    for _ in range(60):
        text += dice.choice(pieces)
        end = find_end_by_reading_all(text)
        assert finder.find(text) == end, text
        if end is not None and dice.random() < 0.7:
            finder, text = SentenceEndFinder(), text[end:]


@pytest.mark.parametrize("piece", [" and so on,", " Word", " 1", "...", " e.g.", "\tDr.", "-", "3.14", "“”", " **", "再"])
def test_a_text_without_an_end_is_read_a_few_times_and_not_once_for_each_piece(piece: str, monkeypatch: pytest.MonkeyPatch):
    patterns = [CountedPattern(sentences, name, monkeypatch) for name in ("_SENTENCE_END", "_MAY_BECOME_END")]
    finder, text = SentenceEndFinder(), "It is"
    for _ in range(2000):
        text += piece
        assert finder.find(text) is None
    assert sum(pattern.read for pattern in patterns) <= 6 * len(text)
