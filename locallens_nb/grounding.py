"""Which sentences of the excerpts answer a question. Pure: similarities come from outside."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import Quote, SearchHit
from locallens_nb.sentences import sentence_spans
from locallens_nb.words import split_words

MOST_QUOTES = 5
CLOSEST_QUOTES = 3
"""How many sentences are offered where nothing answers."""
RELATIVE_EVIDENCE = 0.75
"""A further sentence is quoted when it has this share of the best one's evidence.

With all-MiniLM-L6-v2 and 250 questions (``tests/benchmarks/quotes_quality.py``), an answer in English then has 1.8 quotes and
holds the fact in 93 %; at 0.6 it has 2.7 and 95 %, at 0.9 1.2 and 87 %.
"""

_CONTEXT_SHARE = 0.3
"""What a word of the question counts that stands not in a sentence but in what it continues."""
_SHORTEST_BYTES = 12
"""In UTF-8, so that in scripts of three bytes a character, which say as much in fewer, four characters are enough."""
_BULLET = re.compile(r"^[-*+•>]\s+")
_LEAD = re.compile(r"#|.*[?？][\"'”’)\]*_]*$", re.DOTALL)
_PROSE = ("", ".md", ".mdx", ".markdown", ".rmd", ".qmd", ".txt", ".ipynb", ".html", ".htm", ".rst", ".adoc", ".org", ".tex")

_DATA = (".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".log")
_WORD_AND_NUMBER = re.compile(r"(?=.*[^\W\d_]{2}).*\d")
"""What makes a short line of data say something, such as ``fee: 12``."""

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
    """

    text: str
    number: int
    start_offset: int
    end_offset: int
    context: str
    is_quotable: bool


def select_quotes(ranked: Sequence[Quote]) -> list[Quote]:
    """Return the best of the sentences that :func:`rank_sentences` gives; whether they answer is not judged here."""
    return [quote for quote in ranked[:MOST_QUOTES] if quote.evidence >= RELATIVE_EVIDENCE * ranked[0].evidence]


def rank_sentences(question: str, hits: Sequence[SearchHit], *, similarities: Similarities) -> list[Quote]:
    """Return all sentences that could be quoted, in the order of their evidence, whatever it is.

    The evidence of a sentence is the mean of its similarity to the question and of the share of the question's words
    that stand in it, each word weighted by the square of its rarity among the sentences (inverse document frequency, as
    in the cosine of tf-idf vectors). A word that stands only in the heading above or the sentence before counts in part.

    Parameters
    ----------
    similarities
        Gives the similarity of each sentence to the question, from 0 for an unrelated one to 1.
    """
    found: dict[str, ExcerptSentence] = {}
    for sentence in read_excerpts(hits):
        if sentence.is_quotable:
            found.setdefault(sentence.text, sentence)
    if not found:
        return []
    sentences = list(found)
    coverage = _coverage(question, sentences, [sentence.context for sentence in found.values()])
    evidence = (np.asarray(similarities(sentences), dtype=np.float64) + coverage) / 2
    ranked = [(found[sentences[at]], float(evidence[at])) for at in np.argsort(-evidence, kind="stable")]
    return [
        Quote(sentence.text, sentence.number, value, sentence.start_offset, sentence.end_offset) for sentence, value in ranked
    ]


def read_excerpts(hits: Sequence[SearchHit]) -> list[ExcerptSentence]:
    """Return the sentences of the excerpts in order; in data and code, every line is one."""
    return [sentence for number, hit in enumerate(hits, start=1) for sentence in _read_excerpt(hit, number)]


def _read_excerpt(hit: SearchHit, number: int) -> Iterator[ExcerptSentence]:
    suffix = PurePosixPath(hit.relative_path).suffix.lower()
    is_prose = suffix in _PROSE
    lead = before = head = ""
    for start, end in sentence_spans(hit.content) if is_prose else _line_spans(hit.content):
        bullet = _BULLET.match(hit.content[start:end]) if is_prose else None
        at = start + (bullet.end() if bullet else 0)
        text = hit.content[at:end]
        is_lead = is_prose and _LEAD.match(text) is not None
        is_long = len(text.encode()) >= _SHORTEST_BYTES or (suffix in _DATA and _WORD_AND_NUMBER.match(text) is not None)
        says_something = not is_lead and is_long and bool(split_words(text))
        context = "" if is_lead else f"{lead} {head or before}"
        yield ExcerptSentence(text, number, at, end, context, says_something)
        if is_prose and text.startswith("|"):
            head = head or f"{before} {text}"
        elif is_lead:
            lead, before, head = text, "", ""
        elif says_something:
            before, head = text, ""


def _line_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines of a text stand that are not blank, without the white space around them."""
    for match in re.finditer(r"\S(?:[^\n]*\S)?", text):
        yield match.span()


def _coverage(question: str, sentences: Sequence[str], contexts: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each sentence, the share from 0 to 1 of the question's words in it and its context."""
    words = [set(split_words(sentence)) for sentence in sentences]
    frequency = Counter(word for found in words for word in found)
    weights = {word: math.log(1 + len(sentences) / (1 + frequency[word])) ** 2 for word in split_words(question)}
    total = sum(weights.values()) or 1.0

    def cover(found: Set[str], around: Set[str]) -> float:
        return sum(
            weight * (1.0 if word in found else _CONTEXT_SHARE if word in around else 0.0) for word, weight in weights.items()
        )

    around = [set(split_words(context)) for context in contexts]
    return np.array([cover(*both) for both in zip(words, around, strict=True)]) / total
