"""Which excerpts become of ranked chunks: copies once, neighbours in one piece, never more than the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import LocalDocument, SearchHit, TextChunk
from locallens_nb.excerpts import REACH_CHARACTERS, add_text_before, gather_excerpts
from tests.fakes import FakeEmbeddingModel

SENTENCES = [
    "The goat sleeps in the stable behind the house.",
    "A pump in the cellar failed during the storm.",
    "Anna repaired the gauge with a spare part from the boat.",
    "The council approved the budget for the new roof.",
    "Nobody knows who painted the old door green.",
]


def chunk(path: str, text: str, *, index: int = 0, start: int | None = None, line: int | None = None) -> TextChunk:
    return TextChunk(
        id=f"{path}-{index}",
        brain_id="id",
        relative_path=path,
        chunk_index=index,
        content=text,
        checksum=path,
        start_offset=start,
        end_offset=None if start is None else start + len(text),
        start_line=line,
        end_line=None if line is None else line + text.count("\n"),
    )


def cut(path: str, document: str, *spans: tuple[int, int]) -> list[TextChunk]:
    """Cut a document into chunks at the given offsets."""
    return [
        chunk(path, document[start:end], index=index, start=start, line=1 + document.count("\n", 0, start))
        for index, (start, end) in enumerate(spans)
    ]


def gather(ranked: Sequence[TextChunk], *, count: int, budget: int = 10_000, question: str = "") -> list[SearchHit]:
    scored = [(one, 0.9 - 0.01 * place) for place, one in enumerate(ranked)]
    return gather_excerpts(
        scored, question=question, count=count, count_tokens=lambda text: len(text.split()), budget_tokens=budget
    )


def places(hits: Sequence[SearchHit]) -> list[str]:
    return [hit.id for hit in hits]


def test_chunks_that_have_nothing_in_common_come_as_they_are_ranked():
    ranked = [chunk(f"{place}.md", text, start=0, line=1) for place, text in enumerate(SENTENCES)]
    hits = gather(ranked, count=3)
    assert hits[0] == SearchHit("0.md-0", "0.md", 0, SENTENCES[0], 0.9, 1, 1, 0)
    assert places(hits) == ["0.md-0", "1.md-0", "2.md-0"]
    assert gather([], count=3) == []


def test_a_copy_of_a_file_takes_no_place():
    ranked = [chunk(path, SENTENCES[0]) for path in ("a.md", "copy/a.md", "old/a.md")]
    ranked.append(chunk("b.md", SENTENCES[1]))
    assert places(gather(ranked, count=2)) == ["a.md-0", "b.md-0"]


def test_a_copy_that_differs_in_case_line_ends_and_a_few_words_takes_no_place():
    text = " ".join(SENTENCES)
    other = text.replace("The goat", "THE  GOAT").replace(". ", ".\n").replace("old door", "ancient door")
    assert places(gather([chunk("a.md", text), chunk("b.md", other)], count=2)) == ["a.md-0"]


def test_a_copy_that_is_cut_elsewhere_takes_no_place():
    words = " ".join(SENTENCES).split()
    ranked = [chunk("a.md", " ".join(words[:24]), index=0), chunk("a.md", " ".join(words[24:]), index=1)]
    ranked.append(chunk("b.md", " ".join(words[12:36])))
    assert places(gather(ranked, count=3)) == ["a.md-0", "a.md-1"]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("green", "green in 2031", ""),
        ("green", "blue", "Was it ever blue?"),
        ("failed during", "was replaced, tested and approved by Anna during", ""),
    ],
)
def test_a_text_that_says_something_new_keeps_its_place(old: str, new: str, question: str):
    text = " ".join(SENTENCES)
    ranked = [chunk("a.md", text), chunk("b.md", text.replace(old, new))]
    assert places(gather(ranked, count=2, question=question)) == ["a.md-0", "b.md-0"]


def test_chinese_copies_are_known_by_their_characters():
    text = "山羊在房子后面的马厩里睡觉。地下室的水泵在暴风雨中发生了故障。"
    ranked = [chunk("a.md", text), chunk("b.md", f"　{text}"), chunk("c.md", "安娜用船上的备件修理了仪表。")]
    assert places(gather(ranked, count=3)) == ["a.md-0", "c.md-0"]


def test_neighbours_in_a_pdf_become_one_where_a_paragraph_or_a_page_ends_between_them():
    document = "The gauge was sold.\n\nThe pump failed.\f\n\nThe goat sleeps. It is brown."
    spans = [(0, 19), (21, 37), (40, 56), (57, 69)]
    chunks = [
        replace(piece, start_line=1 + document.count("\f", 0, start), end_line=1 + document.count("\f", 0, end))
        for piece, (start, end) in zip(cut("a.pdf", document, *spans), spans, strict=True)
    ]
    hits = gather(chunks, count=5)
    assert [(hit.content, hit.start_line, hit.end_line) for hit in hits] == [
        (document[:56], 1, 2),
        (document[57:], 2, 2),
    ]


def test_a_text_without_words_is_no_copy_of_another():
    assert places(gather([chunk("a.md", "---"), chunk("b.md", "***")], count=2)) == ["a.md-0", "b.md-0"]


def test_neighbours_that_overlap_become_one_verbatim_slice_under_the_best_of_them():
    document = "\n".join(SENTENCES)
    first, second, third = cut("a.md", document, (0, 93), (48, 150), (151, len(document)))
    hits = gather([second, chunk("b.md", "A boat."), first], count=5)
    assert [hit.content for hit in hits] == [document[0:150], "A boat."]
    assert (hits[0].id, hits[0].chunk_index, hits[0].score) == ("a.md-1", 1, 0.9)
    assert (hits[0].start_line, hits[0].end_line) == (1, 3)
    whole = gather([third, first, second], count=5)
    assert [hit.content for hit in whole] == [document]
    assert (whole[0].id, whole[0].start_line, whole[0].end_line) == ("a.md-2", 1, 5)


def test_neighbours_that_only_line_ends_part_become_one():
    document = f"{SENTENCES[0]}\n\n\n{SENTENCES[1]}"
    start = len(SENTENCES[0]) + 3
    hits = gather(cut("a.md", document, (0, len(SENTENCES[0])), (start, len(document))), count=5)
    assert [hit.content for hit in hits] == [document]


def test_neighbours_that_unknown_white_space_parts_stay_apart():
    document = f"{SENTENCES[0]}\n    {SENTENCES[1]}"
    start = len(SENTENCES[0]) + 5
    hits = gather(cut("a.md", document, (0, len(SENTENCES[0])), (start, len(document))), count=5)
    assert [hit.content for hit in hits] == SENTENCES[:2]


def test_chunks_without_offsets_of_other_files_or_that_contradict_each_other_stay_apart():
    alike = [chunk("a.md", SENTENCES[0], index=0), chunk("a.md", SENTENCES[1], index=1)]
    assert len(gather(alike, count=5)) == 2
    files = [chunk("a.md", SENTENCES[0], start=0, line=1), chunk("b.md", SENTENCES[1], start=10, line=1)]
    assert len(gather(files, count=5)) == 2
    wrong = [chunk("a.md", SENTENCES[0], start=0, line=1), chunk("a.md", SENTENCES[1], index=1, start=10, line=1)]
    assert len(gather(wrong, count=5)) == 2


def test_a_chunk_that_lies_between_two_excerpts_makes_one_of_them():
    document = "\n".join(SENTENCES)
    first, second, third = cut("a.md", document, (0, 93), (48, 150), (151, len(document)))
    assert [hit.content for hit in gather([first, third], count=5)] == [first.content, third.content]
    assert [hit.content for hit in gather([first, third, second], count=5)] == [document]


def test_places_that_neighbours_free_are_filled_while_the_budget_lasts():
    document = "\n".join(SENTENCES)
    first, second = cut("a.md", document, (0, 93), (48, 150))
    others = [chunk(f"{place}.md", text) for place, text in enumerate(SENTENCES[3:])]
    words = len(document[:150].split())
    ranked = [first, second, *others]
    assert places(gather(ranked, count=2, budget=words + 9)) == ["a.md-0", "0.md-0"]
    assert places(gather(ranked, count=2, budget=words + 8)) == ["a.md-0", "1.md-0"]
    assert places(gather(ranked, count=2, budget=words)) == ["a.md-0"]
    assert places(gather(ranked, count=3, budget=10_000)) == ["a.md-0", "0.md-0", "1.md-0"]


def test_the_first_chunks_are_in_whatever_the_budget():
    ranked = [chunk(f"{place}.md", text) for place, text in enumerate(SENTENCES)]
    assert places(gather(ranked, count=3, budget=1)) == ["0.md-0", "1.md-0", "2.md-0"]


def test_the_last_lines_of_a_file_are_no_copy_of_the_chunk_that_they_overlap():
    document = f"{' '.join(SENTENCES)}\nThe key is under the mat."
    first, last = cut("a.md", document, (0, len(" ".join(SENTENCES))), (100, len(document)))
    assert [hit.content for hit in gather([first, last], count=1)] == [first.content]
    assert [hit.content for hit in gather([first, last], count=2)] == [document]


@pytest.mark.parametrize("name", ["a.md", "a.py", "a.txt"])
def test_excerpts_of_chunked_documents_are_slices_of_them(name: str):
    sections = [
        f"# Part {number}\n\n{sentence} {number}.\n    indented {number}\n\n" for number in range(9) for sentence in SENTENCES
    ]
    document = LocalDocument(name, "".join(sections), "c" * 64, 1, 1)
    model = FakeEmbeddingModel()
    chunks = chunk_document(document, brain_id="id", tokenizer=model, chunk_tokens=60, overlap_tokens=12)
    for step in (1, 2, 3, 7):
        ranked = [chunks[(place * step) % len(chunks)] for place in range(len(chunks))]
        hits = gather(ranked, count=6, budget=400)
        assert all(hit.content in document.content for hit in hits)
        assert {hit.id for hit in hits} <= {one.id for one in chunks}
        for hit in hits:
            lines = document.content.split("\n")[(hit.start_line or 0) - 1 : hit.end_line]
            assert hit.content in "\n".join(lines)


def test_an_excerpt_knows_what_stands_before_it():
    document = "\n\n".join(SENTENCES)
    chunks = cut("a.md", document, (0, 47), (30, 94), (96, 150))
    (hit,) = gather([chunks[2]], count=1)
    assert hit.start_offset == 96
    assert add_text_before(hit, chunks[:2]).text_before == document[:96]


def test_what_stands_before_an_excerpt_ends_with_its_indentation():
    document = "class Goat:\n\n    def eat(self):\n        return self.hay\n\n    def sleep(self):\n        pass"
    starts = [document.index(part) for part in ("class", "def eat", "def sleep")]
    chunks = cut("a.py", document, (starts[0], 11), (starts[1], starts[2] - 6), (starts[2], len(document)))
    (hit,) = gather([chunks[2]], count=1)
    assert add_text_before(hit, chunks[:2]).text_before == document[: starts[2]]


def test_what_stands_before_an_excerpt_of_a_pdf_is_in_paragraphs():
    document = "# Goats\n\nThe goat\nsleeps.\n\nIt is brown."
    first, second, third = cut("a.pdf", document, (0, 7), (9, 25), (27, 39))
    paged = [replace(piece, start_line=1, end_line=1) for piece in (first, second, third)]
    (hit,) = gather(paged[2:], count=1)
    assert add_text_before(hit, paged[:2]).text_before == document[:27]


def test_of_what_stands_far_before_an_excerpt_nothing_is_known():
    document = "First line.\n" + "x" * REACH_CHARACTERS + "\nThe end is here."
    first, last = cut("a.md", document, (0, 11), (REACH_CHARACTERS + 13, len(document)))
    (hit,) = gather([last], count=1)
    assert add_text_before(hit, [first]).text_before == ""


def test_of_data_the_first_line_of_the_file_is_what_stands_before():
    document = "no,tree\n" + "\n".join(f"{row},oak" for row in range(600))
    first, last = cut("a.csv", document, (0, 60), (REACH_CHARACTERS + 500, len(document)))
    (hit,) = gather([last], count=1)
    assert add_text_before(hit, [first]).text_before == "no,tree"


def test_nothing_stands_before_the_start_of_a_document_and_another_version_of_it_tells_nothing():
    document = "\n".join(SENTENCES)
    first, last = cut("a.md", document, (0, 47), (48, 150))
    (start,) = gather([first], count=1)
    assert add_text_before(start, [first]) == start
    (hit,) = gather([last], count=1)
    assert add_text_before(hit, [replace(first, id="b.md-0")]) == hit
