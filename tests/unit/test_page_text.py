"""From lines with their places to text: paragraphs, headings, running lines, parted words, sentences over pages."""

from __future__ import annotations

import pytest

from locallens_nb.language.sentences import split_sentences
from locallens_nb.readers.page_text import HYPHEN, PAGE_BREAK, Line, join_pages

WIDTH = 5.0
"""Of a character, in points."""


def line(text: str, at: float = 700, *, left: float = 50, size: float = 10) -> Line:
    """A line of 5 points a character, whatever its size."""
    return Line(text, left, left + WIDTH * len(text), at, at, size)


def column(*texts: str, top: float = 700, left: float = 50, size: float = 10) -> list[Line]:
    """Lines one below the other; spaces at the start of a text are an indent."""
    return [
        line(text.lstrip(), top - 12 * at, left=left + WIDTH * (len(text) - len(text.lstrip())), size=size)
        for at, text in enumerate(texts)
    ]


def test_the_lines_of_a_paragraph_become_one_so_that_its_sentences_are_whole():
    page = column("The ferry to the station leaves at noon on every", "Monday. It carries the crew and their post.")
    assert join_pages([page]) == "The ferry to the station leaves at noon on every Monday. It carries the crew and their post."


def test_a_wider_distance_begins_a_paragraph():
    page = [*column("The ferry leaves at noon on", "Monday."), *column("It is late on", "Tuesday.", top=670)]
    assert join_pages([page]) == "The ferry leaves at noon on Monday.\n\nIt is late on Tuesday."


def test_an_indent_after_the_end_of_a_sentence_begins_a_paragraph():
    page = column(
        "The ferry to the station leaves at noon, always.", "  It carries the crew. It also carries the post", "of them."
    )
    assert join_pages([page]).split("\n\n") == [
        "The ferry to the station leaves at noon, always.",
        "It carries the crew. It also carries the post of them.",
    ]


def test_the_indented_lines_of_an_entry_stay_together():
    page = column(
        "Bates D, Maechler M, Bolker B, Walker S, Author", "  F. Fitting Linear Models Using lme4. In a book.", "Zeile A. Zoo."
    )
    assert join_pages([page]) == (
        "Bates D, Maechler M, Bolker B, Walker S, Author F. Fitting Linear Models Using lme4. In a book.\n\nZeile A. Zoo."
    )


def test_lines_that_had_room_for_more_and_items_keep_their_ends():
    page = column(
        "Martin Example",
        "University of the North Sea, Department",
        "Bring these: a coat and a hat and good shoes,",
        "• a rope",
        "• a lamp",
    )
    assert join_pages([page]).split("\n") == [
        "Martin Example",
        "University of the North Sea, Department Bring these: a coat and a hat and good shoes,",
        "• a rope",
        "• a lamp",
    ]


def test_larger_lines_are_headings_and_larger_signs_are_none():
    page = [
        *column("1. The ferry of", "the station", size=14),
        *column("The ferry leaves at noon on all days of the week.", top=660),
        line("∑", 600, size=16),
    ]
    assert join_pages([page]) == "# 1. The ferry of the station\n\nThe ferry leaves at noon on all days of the week.\n\n∑"


def test_the_second_column_goes_on_with_the_sentence_of_the_first():
    page = [*column("The ferry leaves", "at noon and it"), *column("carries the crew", "of the station.", left=300)]
    assert split_sentences(join_pages([page])) == ["The ferry leaves at noon and it carries the crew of the station."]


def test_a_sentence_goes_on_over_the_end_of_a_page_which_is_still_to_be_seen():
    pages = [column("The ferry leaves at", "noon and carries"), column("the crew. It is", "blue."), column("# 2", "The end.")]
    text = join_pages(pages)
    assert text == f"The ferry leaves at noon and carries{PAGE_BREAK} the crew. It is blue.{PAGE_BREAK}\n\n# 2\nThe end."
    assert " ".join(split_sentences(text)[0].split()) == "The ferry leaves at noon and carries the crew."


def test_a_word_that_is_parted_by_the_end_of_a_page_stands_on_the_first():
    pages = [column("We restrict ourselves to models (al-"), column("though there are others).")]
    assert join_pages(pages) == f"We restrict ourselves to models (although{PAGE_BREAK} there are others)."


def test_pages_without_text_count():
    assert join_pages([[], column("Two."), [], column("Four.")]) == f"{PAGE_BREAK}\n\nTwo.{PAGE_BREAK}{PAGE_BREAK}\n\nFour."
    assert join_pages([]) == ""
    assert join_pages([[], []]).strip() == ""


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"the param{HYPHEN}eters", "the parameters"),
        (f"a camera{HYPHEN}ready copy; camera-ready", "a camera-ready copy; camera-ready"),
        (f"a mixed-ef{HYPHEN}fects model", "a mixed-effects model"),
        (f"with{HYPHEN}out; with or out, without", "without; with or out, without"),
        (f"placebo{HYPHEN}controlled; a placebo controlled", "placebo-controlled; a placebo controlled"),
        (f"Monte{HYPHEN}Carlo, INTRO{HYPHEN}DUCTION, 2014{HYPHEN}15", "Monte-Carlo, INTRODUCTION, 2014-15"),
        ("sta\u00adtion and star\u00adboard", "station and starboard"),
        (f"left alone {HYPHEN}", "left alone -"),
    ],
)
def test_a_parted_word_is_joined_with_its_hyphen_only_where_that_belongs_to_it(text: str, whole: str):
    assert join_pages([[line(text)]]) == whole


def test_ligatures_are_letters_and_what_cannot_be_read_is_dropped():
    text = "e\ufb03cient \ufb02ow, re\x1dects, \ufffdo\x1b \x00\x07\uf8eb\ue000a\ufffe  b²"
    assert join_pages([[line(text)]]) == "efficient flow, reflects, off a b²"


def test_raised_letters_and_cells_stand_in_one_row():
    page = [line("E = mc", 700), line("2", 704, left=80.5, size=7), line("is known", 700, left=92), *column("Boat", top=640)]
    page.append(line("12 m", 640, left=200))
    assert join_pages([page]) == "E = mc2 is known\n\nBoat 12 m"


def test_running_lines_and_page_numbers_are_dropped_but_for_the_head_of_the_first_page():
    def page(number: int, text: str) -> list[Line]:
        head = f"{number} Annual report" if number % 2 else f"North station {number}"
        return [line(head, 780), *column(text, f"on {number * number} boats each."), line("Page " + str(number) + " of 6", 30)]

    texts = ["We met", "They had", "All came", "Some left", "None stayed", "We closed"]
    found = join_pages([page(number, text) for number, text in enumerate(texts, start=1)])
    assert found.split(f"{PAGE_BREAK}\n\n") == [
        "1 Annual report\n\nWe met on 1 boats each.\n\nPage 1 of 6",
        *(f"{text} on {number * number} boats each." for number, text in enumerate(texts[1:], start=2)),
    ]


def test_bare_page_numbers_go_and_other_numbers_at_the_edge_stay():
    texts = ["Total 120", "Total 80", "Total 95"]
    pages = [[line(text), line(str(number), 30)] for number, text in enumerate(texts, start=7)]
    assert join_pages(pages).split(f"{PAGE_BREAK}\n\n") == texts
