"""Chunking with a tokenizer that anyone can count: a word, or a mark of punctuation, is a token."""

import random
import re
from itertools import pairwise

import numpy as np
import pytest

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import LocalDocument, TextChunk
from locallens_nb.errors import InvalidSettingError

CHECKSUM = "0123456789abcdef" * 4


class WordTokenizer:
    """Makes a token of each word and of each mark; counts the characters that it was given."""

    def __init__(self) -> None:
        self.characters = 0

    def token_starts(self, texts):
        self.characters += sum(map(len, texts))
        return [np.array([match.start() for match in re.finditer(r"\w+|[^\w\s]", text)], dtype=np.int64) for text in texts]


class LetterTokenizer:
    """Makes two tokens of each letter."""

    def token_starts(self, texts):
        return [
            np.repeat(np.array([i for i, letter in enumerate(text) if not letter.isspace()], np.int64), 2) for text in texts
        ]


def document(content: str, path: str = "notes.md") -> LocalDocument:
    return LocalDocument(path, content, CHECKSUM, len(content), 0)


def chunk(content: str, chunk_tokens: int, overlap_tokens: int = 0, path: str = "notes.md") -> list[TextChunk]:
    options = {"chunk_tokens": chunk_tokens, "overlap_tokens": overlap_tokens}
    return chunk_document(document(content, path), brain_id="b", tokenizer=WordTokenizer(), **options)


def cut(content: str, chunk_tokens: int, overlap_tokens: int = 0, path: str = "notes.md") -> list[str]:
    return [piece.content for piece in chunk(content, chunk_tokens, overlap_tokens, path)]


def words(first: int, last: int) -> str:
    return " ".join(f"w{number}" for number in range(first, last + 1))


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def test_a_chunk_says_where_it_comes_from():
    first, second = chunk("\n\nOne two.\nThree four.\n\n\nFive six seven.\n", chunk_tokens=6)
    assert first == TextChunk("0123456789ab-0", "b", "notes.md", 0, "One two.\nThree four.", CHECKSUM, 2, 22, 3, 4)
    assert second == TextChunk("0123456789ab-1", "b", "notes.md", 1, "Five six seven.", CHECKSUM, 25, 40, 7, 7)


@pytest.mark.parametrize("content", ["", " ", "\n\t\n", "\n" * 5000])
def test_white_space_makes_no_chunk(content):
    assert chunk(content, chunk_tokens=5) == []


@pytest.mark.parametrize(("chunk_tokens", "overlap_tokens"), [(40, 40), (40, 41), (0, 0), (10, -1)])
def test_an_overlap_that_is_not_below_the_size_is_refused(chunk_tokens, overlap_tokens):
    with pytest.raises(InvalidSettingError, match="must be greater than") as refusal:
        chunk("text", chunk_tokens, overlap_tokens)
    assert isinstance(refusal.value, ValueError)


def test_paragraphs_are_packed_whole():
    content = f"{words(1, 4)}\n\n{words(5, 8)}\n\n{words(9, 14)}\n\n{words(15, 16)}"
    assert cut(content, chunk_tokens=10) == [f"{words(1, 4)}\n\n{words(5, 8)}", f"{words(9, 14)}\n\n{words(15, 16)}"]


def test_a_paragraph_that_fits_is_never_cut_even_after_a_very_short_one():
    assert cut(f"hi\n\n{words(1, 10)}", chunk_tokens=10) == ["hi", words(1, 10)]


def test_a_long_paragraph_is_cut_after_sentences():
    content = 'One two three. Four five six! "Seven eight?" Nine ten eleven twelve. Thirteen.'
    assert cut(content, chunk_tokens=9) == [
        "One two three. Four five six!",
        '"Seven eight?"',
        "Nine ten eleven twelve. Thirteen.",
    ]


def test_chinese_is_cut_after_sentences_without_spaces():
    tokenizer = LetterTokenizer()
    content = "会议在三月举行。预算是八千欧元！谁批准了？"
    chunks = chunk_document(document(content), brain_id="b", tokenizer=tokenizer, chunk_tokens=34, overlap_tokens=0)
    assert [piece.content for piece in chunks] == ["会议在三月举行。预算是八千欧元！", "谁批准了？"]


def test_a_long_sentence_is_cut_between_words():
    assert cut(words(1, 10), chunk_tokens=4) == [words(1, 4), words(5, 8), words(9, 10)]


def test_code_and_data_are_cut_between_lines():
    code = "a = b + c\nd = e\nf = g * h\ni = j"
    assert cut(code, chunk_tokens=9, path="x.py") == ["a = b + c\nd = e", "f = g * h\ni = j"]
    assert cut("1,2,3\n4,5,6\n7,8,9", chunk_tokens=11, path="x.csv") == ["1,2,3\n4,5,6", "7,8,9"]


def test_a_word_without_end_is_cut_by_its_length():
    chunks = chunk("x" * 1_000_000, chunk_tokens=220, overlap_tokens=40)
    assert max(len(piece.content) for piece in chunks) == 220 * 16
    assert {second.start_offset - first.end_offset for first, second in pairwise(chunks)} == {-40 * 16}
    assert chunks[-1].end_offset == 1_000_000


def test_a_gap_without_end_does_not_make_a_chunk_without_end():
    chunks = cut("a" + " " * 100_000 + "b" + "\n" * 100_000 + "c", chunk_tokens=220, overlap_tokens=40)
    assert chunks == ["a", "b", "c"]


def test_a_heading_stays_with_its_text():
    content = f"{words(1, 6)}\n\n# Budget\n\n{words(7, 12)}\n"
    assert cut(content, chunk_tokens=9) == [words(1, 6), f"# Budget\n\n{words(7, 12)}"]


def test_a_heading_stays_with_the_start_of_a_text_that_must_be_cut():
    content = f"{words(1, 3)}\n\n# Budget\n\n## Of March?\n\n{words(4, 40)}\n"
    first, second, *rest = cut(content, chunk_tokens=10)
    assert first == f"{words(1, 3)}"
    assert second.startswith("# Budget\n\n## Of March?\n\nw4")
    assert all("#" not in piece for piece in rest)


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("a.md", "Budget\n======"),
        ("a.md", "Budget\n---"),
        ("a.rst", "Budget\n~~~~~~"),
        ("a.rst", "======\nBudget\n======"),
        ("a.tex", "\\section{Budget}"),
        ("a.org", "* Budget"),
        ("a.txt", "## Budget"),
        ("README", "# Budget"),
        ("a.html", "<h2>Budget</h2>"),
        ("a.html", "## Budget"),
        ("a.pdf", "# Budget"),
        ("a.ipynb", "# Cell 7 (code)"),
    ],
)
def test_headings_are_known_in_other_forms(path, heading):
    size = count(heading)
    content = f"{words(1, size + 4)}\n\n{heading}\n\n{words(50, 60)}"
    chunks = cut(content, chunk_tokens=2 * size + 6, path=path)
    assert chunks[0] == words(1, size + 4)
    assert chunks[1].startswith(f"{heading}\n\nw50")


@pytest.mark.parametrize("path", ["x.py", "Makefile", "docker/Dockerfile", "Jenkinsfile"])
def test_a_hash_in_code_is_no_heading(path: str):
    comments = "\n\n".join(f"# about\nvalue = {number}" for number in range(4))
    assert cut(comments, chunk_tokens=15, path=path)[0] == "\n\n".join(f"# about\nvalue = {number}" for number in range(3))


def test_a_hash_in_a_fence_is_no_heading():
    fenced = "```\n" + "\n".join(f"# step {number}" for number in range(8)) + "\n```"
    assert cut(f"{fenced}\n\nend", chunk_tokens=30) == [fenced, "end"]


def test_a_comment_in_a_notebook_cell_is_no_heading():
    content = f"# Cell 1 (code)\nx = 1\n\n# comment\ny = 2\n\n{words(1, 5)}\n\n# Cell 2 (markdown)\n# Title\n\n{words(6, 9)}"
    assert cut(content, chunk_tokens=25, path="lab.ipynb") == [
        content[: content.index("\n\n# Cell 2")],
        content[content.index("# Cell 2") :],
    ]


def test_of_a_pdf_a_chunk_knows_its_pages_instead_of_its_lines():
    content = f"\f\n\n{words(1, 5)}\n{words(6, 9)}\f {words(10, 12)}\f\n\n{words(13, 18)}"
    pages = [(piece.start_line, piece.end_line) for piece in chunk(content, 12, 0, "paper.pdf")]
    assert pages == [(2, 3), (4, 4)]


def test_small_sections_share_a_chunk_until_it_is_half_full_or_the_rest_fits():
    content = "\n\n".join(f"# H{number}\n\n{words(1, 3)}" for number in range(6))
    assert [piece.count("#") for piece in cut(content, chunk_tokens=20)] == [2, 4]
    assert [piece.count("#") for piece in cut(content, chunk_tokens=30)] == [6]


def test_neighbours_share_the_sentences_that_fit_the_overlap():
    content = "One two three four. Five six. Seven eight. Nine ten eleven twelve thirteen."
    assert cut(content, chunk_tokens=12, overlap_tokens=7) == [
        "One two three four. Five six. Seven eight.",
        "Five six. Seven eight. Nine ten eleven twelve thirteen.",
    ]


def test_neighbours_share_words_where_no_sentence_fits():
    assert cut(words(1, 16), chunk_tokens=8, overlap_tokens=3) == [words(1, 8), words(6, 13), words(11, 16)]


@pytest.mark.parametrize("path", ["a.jsonl", "a.csv", "a.py"])
def test_neighbours_share_whole_lines_of_code_and_data_only(path):
    long_lines = [words(first, first + 5) for first in (1, 11, 21)]
    assert cut("\n".join(long_lines), chunk_tokens=8, overlap_tokens=3, path=path) == long_lines
    short_lines = "\n".join(words(first, first + 1) for first in range(1, 14, 2))
    assert cut(short_lines, chunk_tokens=8, overlap_tokens=3, path=path) == [
        "w1 w2\nw3 w4\nw5 w6\nw7 w8",
        "w7 w8\nw9 w10\nw11 w12\nw13 w14",
    ]


def test_the_overlap_gives_way_to_a_paragraph_that_fits_whole():
    content = f"{words(1, 8)}\n\n{words(11, 18)}"
    assert cut(content, chunk_tokens=10, overlap_tokens=5) == [words(1, 8), f"{words(7, 8)}\n\n{words(11, 18)}"]


def test_nothing_is_shared_across_a_heading():
    content = f"{words(1, 8)}\n\n# Next\n\n{words(11, 14)}"
    assert cut(content, chunk_tokens=10, overlap_tokens=5) == [words(1, 8), f"# Next\n\n{words(11, 14)}"]


def test_a_character_of_several_tokens_is_not_cut():
    chunks = chunk_document(
        document("äöü", "a.txt"), brain_id="b", tokenizer=LetterTokenizer(), chunk_tokens=1, overlap_tokens=0
    )
    assert [piece.content for piece in chunks] == ["ä", "ö", "ü"]


def random_text(source: random.Random) -> str:
    pieces = [
        "word",
        "a",
        "Sentence end. ",
        "\n",
        "\n\n",
        "# Head\n",
        "```\n",
        "- item\n",
        "。",
        "汉字",
        "x" * 90,
        " ",
        "\t",
        "1,2;3",
        "Q?",
        "🙂",
    ]
    return "".join(source.choice(pieces) + source.choice(["", " "]) for _ in range(source.randrange(1, 300)))


@pytest.mark.parametrize("seed", range(60))
def test_any_text_is_cut_without_loss(seed):
    source = random.Random(seed)  # noqa: S311
    content = random_text(source)
    chunk_tokens = source.randrange(2, 60)
    overlap_tokens = source.randrange(chunk_tokens)
    path = source.choice(["a.md", "a.py", "a.rst", "a.ipynb", "a.txt"])
    chunks = chunk(content, chunk_tokens, overlap_tokens, path)
    assert chunks == chunk(content, chunk_tokens, overlap_tokens, path)
    assert [piece.chunk_index for piece in chunks] == list(range(len(chunks)))
    covered = set()
    for piece in chunks:
        assert piece.content == content[piece.start_offset : piece.end_offset] == piece.content.strip()
        assert count(piece.content) <= chunk_tokens
        assert piece.start_line == content[: piece.start_offset].count("\n") + 1
        assert piece.end_line == content[: piece.end_offset].count("\n") + 1
        covered.update(range(piece.start_offset, piece.end_offset))
    assert all(letter.isspace() for offset, letter in enumerate(content) if offset not in covered)
    for first, second in pairwise(chunks):
        assert first.start_offset < second.start_offset
        assert first.end_offset < second.end_offset
        assert count(content[second.start_offset : first.end_offset]) <= overlap_tokens


@pytest.mark.parametrize("piece", ["word ", "Sentence one. ", "x", "\n", " ", ".", "# h\n", "```\n", "汉。", "a,b;c", "\u200b"])
def test_work_grows_with_the_text_and_not_faster(piece):
    short, long = WordTokenizer(), WordTokenizer()
    for tokenizer, repeats in ((short, 20_000), (long, 80_000)):
        chunk_document(document(piece * repeats), brain_id="b", tokenizer=tokenizer, chunk_tokens=220, overlap_tokens=40)
    assert long.characters < 4.5 * short.characters
    assert long.characters < 3 * len(piece) * 80_000
