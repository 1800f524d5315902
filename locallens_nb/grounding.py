"""Which sentences of the excerpts answer a question. Pure: similarities come from outside."""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import Quote, SearchHit
from locallens_nb.excerpts import SEPARATED
from locallens_nb.file_types import NOTEBOOK, extension_of, is_code_name
from locallens_nb.language.figures import read_numbers
from locallens_nb.language.words import split_words
from locallens_nb.passages.code_lines import CodeReader
from locallens_nb.passages.data_lines import LineReader, RecordReader
from locallens_nb.passages.notebook_cells import CellReader
from locallens_nb.passages.prose import ProseReader
from locallens_nb.questions.code_questions import CodeQuestion
from locallens_nb.questions.number_questions import asks_for_number
from locallens_nb.questions.query import find_named_files

MOST_QUOTES = 5
CLOSEST_QUOTES = 3
"""How many sentences are offered where nothing answers."""
RELATIVE_EVIDENCE = 0.75
"""A further sentence is quoted when it has this share of the best one's evidence.

With all-MiniLM-L6-v2 and 250 questions (``tests/benchmarks/quotes_quality.py``), an answer in English then has 1.8 quotes and
holds the fact in 93 %; at 0.6 it has 2.8 and 96 %, at 0.9 1.2 and 88 %.
"""

_CONTEXT_SHARE = 0.3
"""What a word of the question counts that stands not in a sentence but in what it continues."""
_READ_WITH_CONTEXT = 12
_CONTEXT_SIMILARITY_SHARE = 0.3
"""Of how many sentences the similarity is measured again together with what they continue, and what that one counts.

With all-MiniLM-L6-v2 and 250 questions each, the sentence that holds the answer was then first in 84.0 % (English), 72.4
(Spanish), 67.6 (German) and 66.0 (Chinese); without, in 82.4, 71.2, 67.2 and 62.8. With a share of 0.5 a sentence in another
language than the question came before the one that answers and stands before it.
"""
_NUMBER_BONUS = 0.05
"""What a number adds where one is asked for. In tables and lists it tells the answer from what has the same words: of 56
questions about two small folders it was first in 46, and in 42 without. On XQuAD it changes little (84.4, 73.6, 68.0, 66.8 %).
"""
_FORM_BONUS = 0.15
"""What it adds when a statement of code or a line of data is by its form what is asked for: the definition of a name, its
documentation, a value for what the question names. Code has few words, and those of a definition stand wherever it is used.

Of 45 questions to three folders of code whose excerpts hold the answer, the first quote held it for 27 without this and for 42
with it, any quote for 35 and 45. It was chosen on two of the folders, 36 of the questions; of the 9 to the third, asked last,
the first quote held it for 6 without and with it, any for 7 and 9.
"""
_PLACE_SHARE = 0.9
"""What the evidence of a sentence counts for each excerpt that the search found better than its own.

Chosen on 54 questions to a framework's documentation: the first quote is from the wrong page for 7 (0.9) or 8 (0.95, 0.85)
instead of 10. On 200 questions each that had no part in it the answer stands in the first sentence for 83.5 % instead of 83.0
(XQuAD English), 76.5 instead of 73.0 (Spanish), 67.0 instead of 64.0 (German) and 75.0 instead of 74.5 (FaQuAD Portuguese),
and among five for 96.5 (96.5), 92.5 (90.5), 91.5 (90.5) and 92.5 (93.5).
"""
_PLAIN = ("", ".txt", ".pdf")
_PROSE = (".md", ".mdx", ".markdown", ".rmd", ".qmd", ".html", ".htm", ".rst", ".adoc", ".org", ".tex")
_DATA = (".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".log", ".jsonc", ".ndjson")
_OF_TESTS = re.compile(r"(?:\A|/)(?:tests?_[^/]*|conftest\.\w+|[^/]*(?:[._-]|(?<=[a-z])(?=T))(?:[Tt]ests?|specs?)\.\w+)\Z")
"""Files of tests, in which names have the values of an example."""

Similarities = Callable[[Sequence[str]], NDArray[np.floating[Any]]]


@dataclass(frozen=True, slots=True)
class ExcerptSentence:
    """A sentence of an excerpt.

    Attributes
    ----------
    number
        The excerpt's number in the prompt, from 1.
    start_offset, end_offset
        Where it stands in the excerpt's content: ``content[start_offset:end_offset] == text``.
    context
        What it continues: the heading above and the sentence before, of a row those before its table and the first row.
    is_quotable
        Whether it says something by itself; headings, questions and scraps do not.
    shown
        How it reads by itself: a row with the names of its columns, a setting with its section.
    path, kind
        That of its document, and how that is read: ``records``, ``notebook``, ``data``, ``plain``, ``prose`` or ``code``.
    subject
        What a documentation in code tells of; "" for all else.
    """

    text: str
    number: int
    start_offset: int
    end_offset: int
    context: str
    is_quotable: bool
    shown: str
    path: str = ""
    kind: str = "plain"
    subject: str = ""

    @property
    def is_data(self) -> bool:
        """Whether it is a line of settings or other data."""
        return self.kind == "data"

    @property
    def is_code_or_data(self) -> bool:
        """Whether it is a statement of code, or a line of data."""
        return self.kind in {"code", "data"}

    @property
    def with_context(self) -> str:
        """How it reads after what it continues."""
        return f"{self.context} {self.shown}".strip()

    def quote(self, evidence: float) -> Quote:
        """Return it as a quotation."""
        shown = "" if self.shown == self.text else self.shown
        return Quote(self.text, self.number, evidence, self.start_offset, self.end_offset, shown)


def select_quotes(ranked: Sequence[Quote]) -> list[Quote]:
    """Return the best of the sentences that :func:`rank_sentences` gives; whether they answer is not judged here."""
    return [quote for quote in ranked[:MOST_QUOTES] if quote.evidence >= RELATIVE_EVIDENCE * ranked[0].evidence]


def rank_sentences(question: str, sentences: Sequence[ExcerptSentence], *, similarities: Similarities) -> list[Quote]:
    """Return all sentences that could be quoted, in the order of their evidence, whatever it is.

    The evidence of a sentence is the mean of its similarity to the question and of the share of the question's words
    that stand in it, each word weighted by the square of its rarity among the sentences (inverse document frequency, as
    in the cosine of tf-idf vectors). A word that stands only in the heading above or the sentence before counts in part.
    Where a number is asked for, one that the question does not have adds to it. Excerpts that the search found later count
    less. Of the best few, the similarity is in part that of the sentence together with what it continues.

    Parameters
    ----------
    sentences
        Of the excerpts, as :func:`read_excerpts` gives them.
    similarities
        Gives the similarity of each text to the question, from 0 for an unrelated one to 1.
    """
    found: dict[str, ExcerptSentence] = {}
    for sentence in sentences:
        if sentence.is_quotable:
            found.setdefault(sentence.shown, sentence)
    if not found:
        return []
    texts, candidates = list(found), list(found.values())
    asked = CodeQuestion(question)
    named = find_named_files(question, {one.path for one in candidates})
    similarity = np.asarray(similarities(texts), dtype=np.float64)
    coverage = _coverage(question, candidates, asked, named)
    evidence = (similarity + coverage) / 2 + _NUMBER_BONUS * _answers_with_number(question, texts)
    evidence += _FORM_BONUS * _answers_by_form(question, candidates, asked, named)
    evidence *= _PLACE_SHARE ** np.array([one.number - 1 for one in candidates])
    order = np.argsort(-evidence, kind="stable")
    best, others = order[:_READ_WITH_CONTEXT], order[_READ_WITH_CONTEXT:]
    with_context = np.asarray(similarities([candidates[at].with_context for at in best]), dtype=np.float64)
    evidence[best] += _CONTEXT_SIMILARITY_SHARE * (with_context - similarity[best]) / 2
    evidence[others] = np.minimum(evidence[others], evidence[best].min())
    ranked = sorted(order, key=lambda at: -evidence[at])
    return [candidates[at].quote(float(evidence[at])) for at in ranked]


def _answers_with_number(question: str, texts: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts have a number that the question lacks, where one is asked for."""
    if not asks_for_number(question):
        return np.zeros(len(texts), dtype=np.bool_)
    asked = read_numbers(question)
    return np.array([bool(read_numbers(text) - asked) for text in texts])


def _answers_by_form(
    question: str, sentences: Sequence[ExcerptSentence], asked: CodeQuestion, named: Set[str]
) -> NDArray[np.bool_]:
    """Return which sentences are by their form what the question asks for: a definition, a documentation, a value."""
    is_about_tests = re.search(r"\btests?\b", question, re.IGNORECASE) is not None

    def is_answer(one: ExcerptSentence) -> bool:
        if not one.is_code_or_data:
            return one.kind != "records" and one.text != one.shown and asked.is_told_default(one.shown)
        may_answer = one.path in named if named else is_about_tests or not _OF_TESTS.search(one.path)
        return may_answer and asked.is_answered_by(
            one.text, shown=one.shown, context=one.context, subject=one.subject, is_data=one.is_data
        )

    return np.array([is_answer(one) for one in sentences])


def read_excerpts(hits: Sequence[SearchHit]) -> list[ExcerptSentence]:
    """Return the sentences of the excerpts in order; in data and code, every line is one."""
    return [sentence for number, hit in enumerate(hits, start=1) for sentence in _read_excerpt(hit, number)]


def _read_excerpt(hit: SearchHit, number: int) -> Iterator[ExcerptSentence]:
    kind = _find_kind(hit.relative_path)
    reader = _make_reader(hit, kind)
    skipped = len(hit.text_before)
    content = hit.text_before + hit.content
    if skipped:
        deque(reader.read(content, 0, skipped), maxlen=0)
    for one in reader.read(content, skipped, len(content)):
        yield ExcerptSentence(
            text=content[one.start_offset : one.end_offset],
            number=number,
            start_offset=one.start_offset - skipped,
            end_offset=one.end_offset - skipped,
            context=one.context,
            is_quotable=one.is_quotable,
            shown=one.shown,
            path=hit.relative_path,
            kind=kind,
            subject=one.subject,
        )


def _make_reader(hit: SearchHit, kind: str) -> ProseReader | RecordReader | CellReader | LineReader | CodeReader:
    if kind == "records":
        return RecordReader(has_start=bool(hit.text_before) or hit.start_line in (None, 1))
    if kind == "notebook":
        return CellReader()
    if kind in {"plain", "prose"}:
        return ProseReader(capitals_are_headings=kind == "plain")
    has_start = hit.start_line in (None, 1) or (hit.start_offset or 0) <= len(hit.text_before)
    return LineReader(has_start=has_start) if kind == "data" else CodeReader(has_start=has_start)


def _find_kind(path: str) -> str:
    """Return how a file is read, as in :class:`ExcerptSentence`."""
    kinds = {"plain": _PLAIN, "prose": _PROSE, "records": SEPARATED, "notebook": (NOTEBOOK,), "data": _DATA}
    found = (kind for kind, extensions in kinds.items() if extension_of(path) in extensions)
    return "code" if is_code_name(path) else next(found, "code")


def _coverage(question: str, sentences: Sequence[ExcerptSentence], asked: CodeQuestion, named: Set[str]) -> NDArray[np.float64]:
    """Return, for each sentence, the share from 0 to 1 of the question's words in it and in what it continues."""
    paths = [set(split_words(one.path)) for one in sentences]
    meant = [asked.find_meant(one.text, shown=one.shown, context=one.context, is_data=one.is_data) for one in sentences]
    words = [
        {*split_words(one.shown), *also, *(path if one.path in named else ())}
        for one, also, path in zip(sentences, meant, paths, strict=True)
    ]
    frequency = Counter(word for found in words for word in found)
    weights = {word: math.log(1 + len(sentences) / (1 + frequency[word])) ** 2 for word in split_words(question)}
    total = sum(weights.values()) or 1.0

    def cover(found: Set[str], around: Set[str]) -> float:
        return sum(
            weight * (1.0 if word in found else _CONTEXT_SHARE if word in around else 0.0) for word, weight in weights.items()
        )

    around = [{*split_words(one.context), *path} for one, path in zip(sentences, paths, strict=True)]
    return np.array([cover(*both) for both in zip(words, around, strict=True)]) / total
