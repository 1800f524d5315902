"""Which sentences of the excerpts answer a question. Pure: similarities come from outside."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import SearchHit
from locallens_nb.words import split_words

MOST_QUOTES = 5
LEAST_EVIDENCE = 0.42
"""Below this evidence a sentence is no answer; see ``tests/benchmarks/quotes_quality.py`` for where it comes from."""
RELATIVE_EVIDENCE = 0.75
"""A further sentence is quoted when it has this share of the best one's evidence."""

_SHORTEST_SENTENCE = 12
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^\sa-z])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*+•>|#]|\d+[.)]\s))|(?<=\|)\n"
)
_ABBREVIATION = re.compile(
    r"\b(?:[A-Za-z]|[Nn]o|[Aa]rt|[Cc]f|[Dd]r|[Dd]ra|e\.g|i\.e|[Ff]ig|[Mm]rs?|[Mm]s|[Pp]p?|[Pp]rof|[Ss]ra?|[Ss]t|[Vv]ol|vs|p\.ex)\.$"
)

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
        if _ABBREVIATION.search(text[max(0, match.start() - 8) : match.start()]):
            continue
        pieces.append(text[start : match.end()].strip())
        start = match.end()
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def select_quotes(question: str, hits: Sequence[SearchHit], *, similarities: Similarities) -> list[Quote]:
    """Return the sentences that best answer a question, the best first; none when nothing answers it.

    The evidence of a sentence is the mean of its similarity to the question and of the share of the question's words
    that stand in it, each word weighted by its rarity among the sentences (inverse document frequency).

    Parameters
    ----------
    similarities
        Gives the cosine similarity of each sentence to the question.
    """
    numbers: dict[str, int] = {}
    for number, hit in enumerate(hits, start=1):
        for sentence in split_sentences(hit.content):
            if len(sentence) >= _SHORTEST_SENTENCE and not sentence.startswith("#"):
                numbers.setdefault(sentence, number)
    sentences = list(numbers)
    if not sentences:
        return []
    coverage = _coverage(question, sentences)
    evidence = (np.asarray(similarities(sentences), dtype=np.float64) + coverage) / 2
    order = sorted(range(len(sentences)), key=lambda position: (-evidence[position], position))
    least = max(LEAST_EVIDENCE, RELATIVE_EVIDENCE * float(evidence[order[0]]))
    best = [position for position in order[:MOST_QUOTES] if evidence[position] >= least]
    return [Quote(sentences[position], numbers[sentences[position]], float(evidence[position])) for position in best]


def _coverage(question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each sentence, the share from 0 to 1 of the question's words in it, weighted by rarity."""
    words = [set(split_words(sentence)) for sentence in sentences]
    frequency = Counter(word for found in words for word in found)
    weights = {word: math.log(1 + len(sentences) / (1 + frequency[word])) for word in split_words(question)}
    total = sum(weights.values()) or 1.0
    return np.array([sum(weight for word, weight in weights.items() if word in found) / total for found in words])
