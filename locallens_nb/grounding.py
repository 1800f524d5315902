"""Which sentences of the excerpts answer a question. Pure: similarities come from outside."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import SearchHit
from locallens_nb.words import split_words

MOST_QUOTES = 5
LEAST_EVIDENCE = 0.34
"""Below this evidence a sentence is no answer.

With all-MiniLM-L6-v2 it refuses, of the questions that the excerpts answer and of those that they do not: XQuAD English 1.6 %
and 71 % (250 questions), ClapNQ 10.7 % and 69 % (150 and 300), German 5.3 % and 51 %, Spanish 0 % and 17 %, Portuguese 0 %
and 3 % (150 each): that model finds all sentences of those two languages alike. ``tests/benchmarks/quotes_quality.py``
measures it.
"""
RELATIVE_EVIDENCE = 0.75
"""A further sentence is quoted when it has this share of the best one's evidence.

Measured as above, an answer in English then has 1.8 quotes and holds the fact in 93 %; at 0.6 it has 2.7 and 95 %, at 0.9
1.2 and 87 %.
"""

_CONTEXT_SHARE = 0.3
"""What a word of the question counts that stands not in a sentence but in what it continues."""
_SHORTEST_BYTES = 12
"""In UTF-8, so that in scripts of three bytes a character, which say as much in fewer, four characters are enough."""
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[^\sa-z])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*+•>|#]|\d+[.)]\s))|(?<=\|)\n"
)
_ABBREVIATION = re.compile(
    r"(?:^[ \t#]*\d\d?|\b(?:(?<!\d )[A-Za-z]|[Nn]o|[Aa]rt|[Cc]f|[Dd]r|[Dd]ra|e\.g|i\.e|[Ff]ig|[Mm]rs?|[Mm]s|[Pp]p?|[Pp]rof"
    r"|[Ss]ra?|[Ss]t|[Vv]ol|vs|p\.ex))\.\Z",
    re.MULTILINE,
)
"""What a full stop does not end a sentence after; a number only where it starts a line and so numbers an item or a section."""
_BULLET = re.compile(r"^[-*+•>]\s+")
_LEAD = re.compile(r"#|.*[?？][\"'”’)\]*_]*$", re.DOTALL)
_PROSE = ("", ".md", ".mdx", ".markdown", ".rmd", ".qmd", ".txt", ".ipynb", ".html", ".htm", ".rst", ".adoc", ".org", ".tex")

Similarities = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of an excerpt, word for word.

    ``number`` is the excerpt's number in the prompt, from 1; ``evidence`` says how well it answers, from about 0 to 1.
    """

    text: str
    number: int
    evidence: float


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, list items, table rows and headings each by itself, in order and verbatim."""
    pieces: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text, max(0, match.start() - 8), match.start()):
            continue
        pieces.append(text[start : match.end()].strip())
        start = match.end()
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def select_quotes(question: str, hits: Sequence[SearchHit], *, similarities: Similarities) -> list[Quote]:
    """Return the sentences that best answer a question, the best first; none when nothing answers it.

    Parameters
    ----------
    similarities
        Gives the cosine similarity of each sentence to the question.
    """
    ranked = rank_sentences(question, hits, similarities=similarities)[:MOST_QUOTES]
    least = max(LEAST_EVIDENCE, RELATIVE_EVIDENCE * ranked[0].evidence) if ranked else 0.0
    return [quote for quote in ranked if quote.evidence >= least]


def rank_sentences(question: str, hits: Sequence[SearchHit], *, similarities: Similarities) -> list[Quote]:
    """Return all sentences that could be quoted, in the order of their evidence, whatever it is.

    The evidence of a sentence is the mean of its similarity to the question and of the share of the question's words
    that stand in it, each word weighted by the square of its rarity among the sentences (inverse document frequency, as
    in the cosine of tf-idf vectors). A word that stands only in the heading above or the sentence before counts in part.

    Parameters
    ----------
    similarities
        As for :func:`select_quotes`.
    """
    found: dict[str, tuple[int, str]] = {}
    for number, hit in enumerate(hits, start=1):
        for sentence, context in _sentences_with_context(hit):
            found.setdefault(sentence, (number, context))
    if not found:
        return []
    sentences = list(found)
    coverage = _coverage(question, sentences, [context for _, context in found.values()])
    evidence = (np.asarray(similarities(sentences), dtype=np.float64) + coverage) / 2
    order = np.argsort(-evidence, kind="stable")
    return [Quote(sentences[at], found[sentences[at]][0], float(evidence[at])) for at in order]


def _sentences_with_context(hit: SearchHit) -> Iterator[tuple[str, str]]:
    """Yield what of an excerpt could be quoted, each with what it continues: the heading above and the sentence before."""
    is_prose = PurePosixPath(hit.relative_path).suffix.lower() in _PROSE
    lead = before = ""
    for piece in split_sentences(hit.content) if is_prose else hit.content.splitlines():
        sentence = _BULLET.sub("", piece.strip(), count=1) if is_prose else piece.strip()
        if is_prose and _LEAD.match(sentence):
            lead, before = sentence, ""
        elif len(sentence.encode()) >= _SHORTEST_BYTES and split_words(sentence):
            yield sentence, f"{lead} {before}"
            before = sentence


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
