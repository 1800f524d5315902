"""How many unanswerable questions the evidence of the search refuses, and how many answerable ones; and the fit of its weights.

``python tests/benchmarks/refusal_quality.py --eval ../shared/eval --questions 250 [--fit]``

A question is unanswerable when its paragraph, and what overlaps with it, is taken out of the brain, or when it is one of
ClapNQ's. The weights are fitted on the first half of the paragraphs of XQuAD English and Spanish; all that is printed comes
from the other halves, and from sets that had no part in it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from retrieval_quality import (
    EXCERPTS,
    REPOSITORY,
    SQUAD_FILES,
    EvaluationSet,
    Question,
    describe_run,
    draw,
    load_model,
    print_table,
    read_clapnq,
    read_squad,
)
from searched_paragraphs import SearchedParagraphs

from locallens_nb.evidence import FEATURES, INTERCEPT, LIMITS, measure_evidence
from locallens_nb.models.embedding import SentenceTransformerModel
from locallens_nb.words import split_words

FITTED = ("XQuAD English", "XQuAD Spanish")
SHINGLE_WORDS = 8
OVERLAP = 0.3
"""Paragraphs that share this part of their runs of eight words are duplicates."""
CURVE = (0.01, 0.02, 0.03, 0.05, 0.07, 0.10, 0.15, 0.20, 0.30, 0.50)
RIDGE = 1.0


@dataclass(frozen=True)
class Measured:
    """The features of the questions of one set, and which of them have an answer."""

    features: NDArray[np.float64]
    is_answerable: NDArray[np.bool_]

    def score(self, weights: NDArray[np.float64], intercept: float) -> NDArray[np.float64]:
        """Return the logit of each question."""
        return self.features @ weights + intercept


class Brain:
    """The paragraphs of one set, searched with and without those that answer a question."""

    def __init__(self, given: EvaluationSet, model: SentenceTransformerModel) -> None:
        self._paragraphs = SearchedParagraphs(given, model)
        self._words = [frozenset(split_words(paragraph)) for paragraph in given.paragraphs]
        self._duplicates = find_duplicates(given.paragraphs)

    def measure(self, question: Question, *, with_paragraph: bool) -> tuple[float, ...]:
        """Return the features of a question whose paragraph is among those searched, or is not."""
        query = self._paragraphs.embed_query(question.text)
        gone = set() if with_paragraph or question.paragraph < 0 else self._duplicates[question.paragraph]
        found = self._paragraphs.index.search(query, question=question.text, count=EXCERPTS + len(gone))
        kept = [near for near in found if near.chunk_key not in gone][:EXCERPTS]
        hits = [self._paragraphs.hit(near.chunk_key, near.similarity) for near in kept]
        statistics = self._paragraphs.index.describe_question(query, question=question.text)
        if gone:
            statistics = replace(statistics, rarity=self._count_again(question.text, gone))
        return measure_evidence(
            question.text, hits, similarities=self._paragraphs.similarities(query), statistics=statistics
        ).features

    def _count_again(self, question: str, gone: set[int]) -> dict[str, float]:
        """Return the rarity of a question's words in a brain without some paragraphs, but of the same size."""
        counts = {
            word: sum(word in words for place, words in enumerate(self._words) if place not in gone)
            for word in split_words(question)
        }
        size = len(self._words)
        return {word: math.log1p((size - count + 0.5) / (count + 0.5)) for word, count in counts.items() if count}


def find_duplicates(paragraphs: Sequence[str]) -> list[set[int]]:
    """Return, for each paragraph, those that overlap with it; itself too."""
    words = [split_words(paragraph) for paragraph in paragraphs]
    shingles = [
        {tuple(found[at : at + SHINGLE_WORDS]) for at in range(max(1, len(found) - SHINGLE_WORDS + 1))} for found in words
    ]
    return [
        {place for place, other in enumerate(shingles) if len(one & other) >= OVERLAP * min(len(one), len(other))}
        for one in shingles
    ]


def measure(brain: Brain, asked: Sequence[Question], *, without: bool) -> Measured:
    """Return the features of questions as they are and, where ``without``, also with their paragraph taken out."""
    cases = [(brain.measure(question, with_paragraph=True), question.paragraph >= 0) for question in asked]
    if without:
        cases += [(brain.measure(question, with_paragraph=False), False) for question in asked]
    return Measured(np.array([features for features, _ in cases]), np.array([answerable for _, answerable in cases]))


def measure_halves(folder: Path, count: int) -> Iterator[tuple[str, Measured | None, Measured]]:
    """Yield each set's name, what may be fitted, and what is held out."""
    model = load_model()
    for name, file in SQUAD_FILES.items():
        given = read_squad(folder / file)
        brain = Brain(given, model)
        middle = len(given.paragraphs) // 2
        parallel = name.startswith("XQuAD")  # the other half was fitted in another language
        first = draw([question for question in given.questions if question.paragraph < middle], count)
        second = draw([question for question in given.questions if question.paragraph >= middle or not parallel], count)
        fitted = measure(brain, first, without=True) if name in FITTED else None
        yield name, fitted, measure(brain, second, without=True)
    given = read_clapnq(folder)
    brain = Brain(given, model)
    yield "ClapNQ", None, measure(brain, given.questions, without=False)


def fit(parts: Sequence[Measured]) -> tuple[NDArray[np.float64], float]:
    """Return weights and intercept of a ridge logistic regression; each part, and each answer within it, weighs the same."""
    features = np.vstack([part.features for part in parts])
    answers = np.concatenate([part.is_answerable for part in parts]).astype(float)
    weight = np.concatenate(
        [
            np.where(part.is_answerable, 0.5 / part.is_answerable.sum(), 0.5 / (~part.is_answerable).sum()) * 1000
            for part in parts
        ]
    )
    mean, deviation = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    design = np.column_stack([(features - mean) / deviation, np.ones(len(features))])
    penalty = np.diag([RIDGE] * features.shape[1] + [0.0])
    solution = np.zeros(design.shape[1])
    for _ in range(30):  # Newton's method
        probability = 1 / (1 + np.exp(-design @ solution))
        gradient = design.T @ (weight * (probability - answers)) + penalty @ solution
        curvature = (design * (weight * probability * (1 - probability))[:, None]).T @ design + penalty
        solution -= np.linalg.solve(curvature, gradient)
    weights = solution[:-1] / deviation
    return weights, float(solution[-1] - weights @ mean)


def area_under_curve(measured: Measured, score: NDArray[np.float64]) -> float:
    """Return how often an answerable question scores above an unanswerable one."""
    yes, no = score[measured.is_answerable], score[~measured.is_answerable]
    return float(np.mean((yes[:, None] > no) + 0.5 * (yes[:, None] == no)))


def refuse_at(measured: Measured, score: NDArray[np.float64], share: float) -> float:
    """Return the share of unanswerable questions below the limit that refuses ``share`` of this set's answerable ones."""
    return float(np.mean(score[~measured.is_answerable] < np.quantile(score[measured.is_answerable], share)))


def print_fit(parts: Sequence[Measured]) -> None:
    """Print what belongs into ``evidence.py``: the weights, and the probability below which each share is refused."""
    weights, intercept = fit(parts)
    print(f"\nINTERCEPT = {intercept:.3f}")
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f'    "{name}": {weight:.3f},')
    yes = [part.score(weights, intercept)[part.is_answerable] for part in parts]
    for share in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
        logit = float(np.mean([np.quantile(one, share) for one in yes]))
        print(f"limit for {share}: {1 / (1 + math.exp(-logit)):.3f}")


def main() -> None:
    """Print the area under the curve, the curve, and what the shipped limits do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=Path, default=REPOSITORY.parent / "shared" / "eval", help="folder of the sets")
    parser.add_argument("--questions", type=int, default=250, help="questions of each half of a set (default: 250)")
    parser.add_argument("--fit", action="store_true", help="fit the weights anew and print them too")
    arguments = parser.parse_args()
    halves = list(measure_halves(arguments.eval, arguments.questions))
    print(describe_run())
    if arguments.fit:
        print_fit([fitted for _, fitted, _ in halves if fitted is not None])
    weights = np.array(list(FEATURES.values()))
    scored = [(name, held, held.score(weights, INTERCEPT)) for name, _, held in halves]
    print_table(
        "Refused of the unanswerable when this share of the same set's answerable questions is refused:",
        ("set", "answerable + unanswerable", "AUC", *(f"{share:.0%}" for share in CURVE)),
        [
            (
                name,
                f"{held.is_answerable.sum()} + {(~held.is_answerable).sum()}",
                f"{area_under_curve(held, score):.3f}",
                *(f"{refuse_at(held, score, share):.0%}" for share in CURVE),
            )
            for name, held, score in scored
        ],
    )
    points = [(share, math.log(limit / (1 - limit))) for share, limit in LIMITS.items() if limit > 0]
    print_table(
        "Refused of the answerable / of the unanswerable by the shipped limits:",
        ("set", *(f"{share:.0%}" for share, _ in points)),
        [
            (
                name,
                *(
                    f"{np.mean(score[held.is_answerable] < limit):.1%} / {np.mean(score[~held.is_answerable] < limit):.1%}"
                    for _, limit in points
                ),
            )
            for name, held, score in scored
        ],
    )


if __name__ == "__main__":
    main()
