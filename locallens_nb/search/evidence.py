"""How likely it is that excerpts answer a question, judged before a model is asked. Pure: similarities come from outside."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from locallens_nb.checking.similarity_scale import rescale
from locallens_nb.domain import SearchHit
from locallens_nb.grounding import ExcerptSentence, Similarities
from locallens_nb.language.question_language import function_words, guess_language, is_foreign
from locallens_nb.language.words import find_parts, find_words, split_words, stem_word
from locallens_nb.settings import STRICTNESS

_CONTEXT_SHARE = 0.5
"""What a word of the question counts in a sentence that it does not stand in, but in what that continues."""
_EXCERPT_SHARE = 0.25
"""What it counts when it stands only elsewhere in the excerpt."""
_LEAST_LIKENESS = 0.3
"""From this share of common parts on, a word is taken for another form or spelling of another."""
_LEAST_RELEVANCE = 0.2
_TRUSTED_RELEVANCE = 0.1
"""What the limit of relevance is, and how much higher where similarities are fully trusted.

Of the sentences of XQuAD and FaQuAD that hold the answer, at most 0.8 % are below it in English, 5.9 in Spanish, 5.1 in German,
1.7 in Chinese and 2.6 in Portuguese (117 to 120 questions each). It was chosen on 48 answers of the packaged 0.5B, in five
languages, and on rows of tables and log entries, which say little by themselves.
"""
_LEAST_LIKENESS_FAR = 0.05
"""From which likeness to the question on a sentence in another language has to do with it. The most similar sentence of what
answers had 0.08 and 0.07 or more in 95 % of the questions of :data:`FOREIGN_FEATURES`."""
_ENOUGH_ROOM = math.sqrt(5)
"""How far from the mean a similarity can be among six chunks, from which on right sentences are seldom held irrelevant.

With *quotes*, all-MiniLM-L6-v2 and strictness ``lenient``, of 40 questions each about one of 1, 2, 3 and 6 paragraphs of XQuAD
English 4, 8, 4 and 0 were answered and then called not found. With deviations stretched up to that, of the same 40 about one of
two paragraphs 3 instead of 10 were, of 30 Spanish ones 2 instead of 3; of those without an answer 11 (6) and 6 (4) pass.
"""
_FEWEST_RIVALS = 5
_LARGEST_SIZE = 6.2
"""What the logarithm of the size of a brain is at most taken for: that of 240 chunks.

Among thousands of chunks about something else the evidence for a paragraph of an encyclopedia grows further, but that for the
documentation of one program does not: with a limit of 9 instead, 16 of 40 questions to two such folders were refused at
``lenient``, with this one 6.
"""
_UNSPACED = ("zh", "zh-Hant", "ja", "ko", "th")
_UNKNOWN_PAIR_SHARE = 0.25
"""What two characters count that no chunk holds, in scripts that do not part words: most such pairs are no word."""
_PAIRS_OF_A_WORD = 2.6
"""How many pairs of characters count as a word: of a question of XQuAD, 13 in Chinese are 5 words in English (medians)."""
_MOST_WORDS_SHORT = 6
_FEWEST_WORDS_LONG = 12
"""Up to how many words that say what it is about a question is judged as a short one, and from how many on as a long one."""
_INNER_WORD = re.compile(r"(?<=[\w,;:] )[^\W\d_]\w+")


@dataclass(frozen=True, slots=True)
class QuestionStatistics:
    """How a question stands to the whole of a brain.

    Attributes
    ----------
    rarity
        Of each word of the question, its inverse document frequency among all chunks.
    highest_rarity
        That of a word that no chunk holds.
    mean_similarity, similarity_deviation
        Mean and standard deviation of the cosine similarity of the question to the chunks, which shows what a similarity
        is worth with this embedding model and in this language.
    meaning_trust
        How far similarities can be trusted in the language of the question, from 0 to 1
        (:meth:`~locallens_nb.search.fusion.MeaningTrust.measure`).
    chunk_count
        How many chunks the brain has.
    """

    rarity: Mapping[str, float]
    highest_rarity: float
    mean_similarity: float
    similarity_deviation: float
    meaning_trust: float
    chunk_count: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the excerpts of one question are worth.

    Attributes
    ----------
    probability
        How likely it is that they hold the answer, from 0 to 1, if as many questions have an answer as have none.
    features
        What was measured, among it all that the probability was computed from; empty without excerpts.
    relevance
        How much each sentence that can be quoted has to do with the question, from 0 to 1.5, by the number of its excerpt
        and its offset in it.
    least_relevance
        Below it a sentence answers nothing that was asked.
    """

    probability: float
    features: Mapping[str, float] = field(default_factory=dict)
    relevance: Mapping[tuple[int, int], float] = field(default_factory=dict)
    least_relevance: float = 0.0

    def bears_on_question(self, number: int, start_offset: int) -> bool:
        """Return whether a sentence of an excerpt has to do with the question; one that is no quotation passes."""
        return self.relevance.get((number, start_offset), self.least_relevance) >= self.least_relevance


def measure_evidence(
    question: str,
    hits: Sequence[SearchHit],
    sentences: Sequence[ExcerptSentence],
    *,
    similarities: Similarities,
    statistics: QuestionStatistics,
    unrelated: float = 0.0,
    languages: Sequence[str] = (),
) -> Evidence:
    """Return how likely it is that the excerpts answer a question.

    Parameters
    ----------
    sentences
        Those of the excerpts, as :func:`~locallens_nb.grounding.read_excerpts` gives them.
    similarities
        Gives the cosine similarity of each sentence to the question.
    unrelated
        The cosine of unrelated sentences with the embedding model.
    languages
        That of each excerpt, if the embedding model knows it; "" or nothing otherwise. Where the most similar sentence is in
        another than the question, words tell nothing, and similarity alone may do.

    Notes
    -----
    Logistic regressions: on :data:`FEATURES` for a short question, on :data:`LONG_FEATURES` for a long one, on part of both
    in between, and on :data:`FOREIGN_FEATURES` for one in another language.
    """
    quotable = [sentence for sentence in sentences if sentence.is_quotable]
    if not quotable:
        return Evidence(0.0)
    similarity = np.asarray(similarities([one.shown for one in quotable]))
    likeness = rescale(similarity, unrelated)
    rarity = _find_rarity(question, statistics)
    measured, covered, meaning = _measure(question, rarity, hits, quotable, similarity, statistics=statistics)
    measured |= _measure_likeness(likeness)
    words = _count_words(question, rarity)
    long_part = float(np.interp(words, (_MOST_WORDS_SHORT, _FEWEST_WORDS_LONG), (0.0, 1.0)))
    short, long = _weigh(measured, FEATURES, INTERCEPT), _weigh(measured, LONG_FEATURES, LONG_INTERCEPT)
    logit = (1 - long_part) * short + long_part * long
    foreign = [is_foreign(question, language) for language in languages] or [False] * len(hits)
    is_far = np.array([foreign[one.number - 1] for one in quotable])
    if is_far[int(np.argmax(similarity))]:
        logit = max(logit, _weigh(measured, FOREIGN_FEATURES, FOREIGN_INTERCEPT))
    least_relevance = _LEAST_RELEVANCE + _TRUSTED_RELEVANCE * statistics.meaning_trust
    stretch = _stretch_deviations(statistics)
    enough = 1 + long_part * (words / _MOST_WORDS_SHORT - 1)  # of a long question, no more words than of a short one
    near = (np.minimum(covered * enough, 1.0) + meaning * stretch) / 2 if stretch else np.full(len(quotable), least_relevance)
    relevance = np.where(is_far, likeness / _LEAST_LIKENESS_FAR * least_relevance, near)
    return Evidence(
        probability=1 / (1 + math.exp(-logit)),
        features=measured,
        relevance={(one.number, one.start_offset): float(value) for one, value in zip(quotable, relevance, strict=True)},
        least_relevance=least_relevance,
    )


def _stretch_deviations(statistics: QuestionStatistics) -> float:
    """Return by how much deviations of the similarity are too small in a brain of very few chunks; 0 for a single one.

    None of n numbers is farther from their mean than ``sqrt(n - 1)`` of their standard deviations (Samuelson 1968): of two,
    both are exactly 1 away, however like the question they are. A single chunk can be compared with nothing.
    """
    room = math.sqrt(max(statistics.chunk_count - 1, 0))
    return max(1.0, _ENOUGH_ROOM / room) if room > 0 else 0.0


def is_answerable(evidence: Evidence, strictness: str | float) -> bool:
    """Return whether there is evidence enough to ask a model.

    Parameters
    ----------
    strictness
        As in :class:`~locallens_nb.settings.Settings`.
    """
    if is_off(strictness):
        return True
    return evidence.probability >= float(np.interp(_share(strictness), list(LIMITS), list(LIMITS.values())))


def is_off(strictness: str | float) -> bool:
    """Return whether no answerable question may be refused, so that nothing is judged by its evidence."""
    return _share(strictness) == 0


def _share(strictness: str | float) -> float:
    return STRICTNESS[strictness] if isinstance(strictness, str) else strictness


def _weigh(measured: Mapping[str, float], weights: Mapping[str, float], intercept: float) -> float:
    """Return a logit."""
    return intercept + sum(weight * measured[name] for name, weight in weights.items())


def _count_words(question: str, rarity: Mapping[str, float]) -> float:
    """Return how many words there are that say what a question is about."""
    return len(rarity) / (_PAIRS_OF_A_WORD if guess_language(question) in _UNSPACED else 1)


def _measure_likeness(likeness: NDArray[np.float64]) -> dict[str, float]:
    """Return the features that need no words."""
    best, *others = np.sort(likeness)[::-1][: 1 + _FEWEST_RIVALS]
    return {"likeness": float(best), "likeness_lead": float(best - np.mean(others)) if others else 0.0}


def _measure(
    question: str,
    rarity: Mapping[str, float],
    hits: Sequence[SearchHit],
    sentences: Sequence[ExcerptSentence],
    similarity: NDArray[np.float32],
    *,
    statistics: QuestionStatistics,
) -> tuple[dict[str, float], NDArray[np.float64], NDArray[np.float64]]:
    """Return the features, and of each sentence its coverage and its standardised similarity."""
    weights = {word: value / (sum(rarity.values()) or 1.0) for word, value in rarity.items()}
    excerpts = [frozenset(split_words(f"{hit.relative_path} {hit.content}")) for hit in hits]
    union = frozenset[str]().union(*excerpts)
    covered = np.array([_cover(weights, sentence, excerpts[sentence.number - 1]) for sentence in sentences])
    meaning = np.clip((similarity - statistics.mean_similarity) / max(statistics.similarity_deviation, 1e-3), 0, 10) / 5
    best = int(np.argmax(covered))
    rivals = [covered[at] for at, sentence in enumerate(sentences) if sentence.number != sentences[best].number]
    shares = np.array([sum(weights[word] for word in excerpt if word in weights) for excerpt in excerpts])
    missing = {word: weight for word, weight in weights.items() if word not in union}
    scale = sum(rarity.values()) / statistics.highest_rarity
    lead = float(meaning.max() - np.sort(meaning)[::-1][1 : 1 + _FEWEST_RIVALS].mean()) if len(meaning) > 1 else 0.0
    scores = np.array([hit.score for hit in hits])
    measured = {
        "sentence_coverage": float(covered[best]),
        "union_coverage": 1.0 - sum(missing.values()),
        "similarity": float(meaning.max()),
        "agreement": float((covered * meaning).max()),
        "covered_rarity": float(shares.max()) * scale,
        "missing_rarity": scale * _count_unlike(question, missing, hits),
        "sentence_lead": lead,
        "excerpt_lead": float(covered[best] - max(rivals, default=0.0)),
        "similarity_lead": float(scores.max() - scores.mean()) / max(statistics.similarity_deviation, 1e-3),
        "missing_names": _share_missing_names(question, union),
    }
    measured["brain_size"] = min(statistics.highest_rarity, _LARGEST_SIZE)
    measured |= {f"trusted_{name}": statistics.meaning_trust * measured[name] for name in ("similarity", "sentence_lead")}
    return measured, covered, meaning


def _find_rarity(question: str, statistics: QuestionStatistics) -> dict[str, float]:
    """Return how rare the words of a question are that say what it is about; all of them when none does."""
    language = guess_language(question)
    unknown = statistics.highest_rarity * (_UNKNOWN_PAIR_SHARE if language in _UNSPACED else 1.0)
    rarity = {word: statistics.rarity.get(word, unknown) for word in split_words(question)}
    idle = function_words(language)
    return {word: value for word, value in rarity.items() if word not in idle} or rarity


def _cover(weights: Mapping[str, float], sentence: ExcerptSentence, excerpt: Set[str]) -> float:
    """Return how far a sentence covers the words of a question, counting what it continues and its excerpt in part."""
    own, context = frozenset(split_words(sentence.shown)), frozenset(split_words(sentence.context))
    return sum(
        weight * (1.0 if word in own else _CONTEXT_SHARE if word in context else _EXCERPT_SHARE if word in excerpt else 0.0)
        for word, weight in weights.items()
    )


def _count_unlike(question: str, missing: Mapping[str, float], hits: Sequence[SearchHit]) -> float:
    """Return the weight of the missing words, less for those that are like a word of the excerpts."""
    if not missing:
        return 0.0
    known = [frozenset(find_parts(word)) for word in {word for hit in hits for word in find_words(hit.content)}]
    spelled = {stem_word(word): frozenset(find_parts(word)) for word in find_words(question)}
    rest = 0.0
    for word, weight in missing.items():
        parts = spelled.get(word, frozenset())
        likeness = max((len(parts & other) / len(parts | other) for other in known), default=0.0) if len(parts) > 1 else 0.0
        rest += weight * (1 - likeness if likeness >= _LEAST_LIKENESS else 1.0)
    return rest


def _share_missing_names(question: str, union: frozenset[str]) -> float:
    """Return which part of the capitalised words within a question stands in no excerpt."""
    names = [word for word in _INNER_WORD.findall(question) if word[0].isupper()]
    return sum(not union.issuperset(split_words(name)) for name in names) / len(names) if names else 0.0


INTERCEPT = -0.41
FEATURES = {
    "sentence_coverage": 4.85,
    "union_coverage": -3.35,
    "agreement": 2.35,
    "covered_rarity": 1.36,
    "missing_rarity": -0.79,
    "excerpt_lead": 1.32,
    "similarity_lead": 0.38,
    "missing_names": -1.33,
    "similarity": 2.03,
    "trusted_similarity": -2.12,
    "trusted_sentence_lead": 3.04,
    "brain_size": -0.64,
}
"""The features and their weights. All shares and coverages run from 0 to 1 and weigh words by their rarity.

sentence_coverage
    How far the best sentence covers the words of the question, counting what it continues and its excerpt in part.
union_coverage
    How far all excerpts together do. Beside the others it counts against: words that are scattered answer little.
agreement
    The best product of coverage and similarity of a sentence.
covered_rarity, missing_rarity
    How much the best excerpt covers, and all of them lack, in words that no chunk holds: three rare words say more than one.
excerpt_lead
    By how much the best sentence covers more than any of another excerpt.
similarity_lead
    By how many deviations the nearest excerpt is nearer than all on average.
missing_names
    Share of the capitalised words within the question that stand in no excerpt.
similarity
    Of the best sentence, in fifths of a deviation above the mean of the brain; twice, as it is and as far as it is trusted.
trusted_sentence_lead
    By how much the most similar sentence is above the next ones, as far as similarities are trusted.
brain_size
    The rarity of a word that no chunk holds, which is the logarithm of about twice the number of chunks. The larger a brain,
    the higher are all other features: similarities are measured in deviations, rarities are logarithms of the size, and
    something is always a little like the question. Without it, the limit for 5 % refused 20 to 23 % of the answerable questions
    in brains of 6 paragraphs, and 12 to 17 % in brains of 12.

``tests/benchmarks/refusal_quality.py --fit`` fits them: ridge logistic regression on the questions about the first half of the
paragraphs of XQuAD English and Spanish, with all-MiniLM-L6-v2; first all weights but the last with all paragraphs in one brain,
then the last one with the same questions in brains of several sizes.
"""
LONG_INTERCEPT = -5.8
LONG_FEATURES = {"covered_rarity": 1.72, "likeness": 6.3}
"""What is left where somebody tells of a situation in many words, most of which stand in no file; and its weights.

covered_rarity
    As above: what the best excerpt holds counts, not what it lacks.
likeness
    Of the most similar sentence, on the common scale of :mod:`~locallens_nb.checking.similarity_scale`.

Short questions repeat words of what they ask for, so that the weights above count what is missing. At ``lenient`` they
refused 22 of 64 questions to four small folders of notes (``tests/benchmarks/notes``), nearly all of those that tell of a
situation, and 41 of 105 to five folders of documentation; with these weights 0 and 5. They were fitted on the questions of more
than 6 words to the five, with and without an answer, and on those asked of another folder than their own. The questions to the
notes that have no answer took no part: they are about what the notes are about, and no measure of the search tells them from
the others (the areas under the curve are .5 to .6). Fitted without the folder that is asked, and with a limit that refuses 5 of
all 153 answerable questions whose file is found, they refuse 40 of 90 to the documentation without an answer, 53 of 125 to
documentation and 78 of 100 to notes that were meant for another folder. The folders of documentation are not part of this
repository, so ``--fit`` leaves these weights alone.
"""
FOREIGN_INTERCEPT = -3.0
FOREIGN_FEATURES = {"likeness": 6.8, "likeness_lead": 14.7}
"""What is left where the question is in another language than the excerpts, and its weights.

likeness
    As above.
likeness_lead
    By how much it is above the mean of the next five.

Fitted on 60 Spanish questions to the English paragraphs of XQuAD and 60 English ones to the German, each with its paragraph and
without, with multilingual-e5-small. Of these the limits below for 1 and 5 % refuse 0 and 8 % of the answerable and 18 and 64 %
of the unanswerable; the areas under the curve are .91 and .90. The intercept of the fit was -2.8: with -3, excerpts that are no
more like the question than unrelated sentences are refused with every strictness.
"""
LIMITS = {0.0: 0.0, 0.01: 0.063, 0.02: 0.093, 0.05: 0.227, 0.1: 0.457, 0.2: 0.711, 0.3: 0.858, 0.5: 0.955}
"""Below which probability a question is refused, by the share of answerable ones that this refuses where it was fitted."""
