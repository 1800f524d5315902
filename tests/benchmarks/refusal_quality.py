"""How many unanswerable questions the evidence of the search refuses, and how many answerable ones; and the fit of its weights.

``python tests/benchmarks/refusal_quality.py --eval ../shared/eval --questions 150 [--fit]``

A question is unanswerable when its paragraph, and what overlaps with it, is taken out of the brain, or when it is one of
ClapNQ's. The same questions are asked of brains of several sizes. The weights are fitted on those about the first half of the
paragraphs of XQuAD English and Spanish; all that is printed comes from the other halves, and from sets that had no part in it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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
from searched_paragraphs import KnownTexts, SearchedParagraphs, find_duplicates

from locallens_nb.grounding import read_excerpts
from locallens_nb.search.evidence import FEATURES, LIMITS, Evidence, measure_evidence

FITTED = ("XQuAD English", "XQuAD Spanish")
SMALL_SIZES = (8, 30)
"""Paragraphs of the small brains. One holds all of a set, and one for English those of another set too."""
SIZE = "brain_size"
CURVE = (0.01, 0.02, 0.03, 0.05, 0.07, 0.10, 0.15, 0.20, 0.30, 0.50)
RIDGE = 1.0


@dataclass(frozen=True)
class Measured:
    """The features of the questions of one set, in the order of ``FEATURES``, what they are worth, and which have an answer."""

    features: NDArray[np.float64]
    logits: NDArray[np.float64]
    is_answerable: NDArray[np.bool_]

    def score(self, weights: NDArray[np.float64], intercept: float) -> NDArray[np.float64]:
        """Return the logit of each question."""
        return self.features @ weights + intercept


@dataclass(frozen=True)
class Case:
    """A set, and how many paragraphs are in the brains that it is asked of; ``is_whole`` if they are exactly its own."""

    name: str
    size: int
    is_whole: bool


class Brain:
    """The paragraphs of one set, searched with and without those that answer a question."""

    def __init__(self, given: EvaluationSet, model: KnownTexts) -> None:
        self._all = SearchedParagraphs(given.paragraphs, model)
        self._duplicates = find_duplicates(given.paragraphs)
        self._without = lru_cache(maxsize=1)(lambda paragraph: self._all.without(self._duplicates[paragraph]))

    def measure(self, question: Question, *, with_paragraph: bool) -> Evidence:
        """Return the evidence for a question whose paragraph is among those searched, or is not."""
        searched = self._all if with_paragraph or question.paragraph < 0 else self._without(question.paragraph)
        query = searched.embed_query(question.text)
        found = searched.index.search(query, question=question.text, count=EXCERPTS)
        hits = [searched.hit(near.chunk_key, near.similarity) for near in found]
        return measure_evidence(
            question.text,
            hits,
            read_excerpts(hits),
            similarities=searched.similarities(query),
            statistics=searched.index.describe_question(query, question=question.text),
        )


def split(given: EvaluationSet, size: int) -> list[EvaluationSet]:
    """Return brains of ``size`` neighbouring paragraphs, the last one of up to twice as many, each with its questions."""
    starts = list(range(0, max(1, len(given.paragraphs) - size + 1), size))
    ends = [*starts[1:], len(given.paragraphs)]
    return [
        EvaluationSet(
            given.paragraphs[start:end],
            [replace(one, paragraph=one.paragraph - start) for one in given.questions if start <= one.paragraph < end],
        )
        for start, end in zip(starts, ends, strict=True)
    ]


def measure(brains: Sequence[EvaluationSet], model: KnownTexts, *, without: bool) -> Measured:
    """Return the features of all questions as they are and, where ``without``, also with their paragraph taken out."""
    found = []
    for given in brains:
        brain = Brain(given, model)
        for question in sorted(given.questions, key=lambda one: one.paragraph):
            found.append((brain.measure(question, with_paragraph=True), question.paragraph >= 0))
            if without:
                found.append((brain.measure(question, with_paragraph=False), False))
    kept = [one for one in found if one[0].features]  # a brain without any paragraph left has none
    return Measured(
        features=np.array([[evidence.features[name] for name in FEATURES] for evidence, _ in kept]),
        logits=np.array([math.log(evidence.probability / (1 - evidence.probability)) for evidence, _ in kept]),
        is_answerable=np.array([is_answerable for _, is_answerable in kept]),
    )


def measure_sizes(given: EvaluationSet, others: Sequence[str], model: KnownTexts) -> Iterator[tuple[int, Measured]]:
    """Yield what the questions of a set come to in brains of several sizes, from few of its paragraphs to all and others."""
    for size in SMALL_SIZES:
        yield size, measure(split(given, size), model, without=True)
    yield len(given.paragraphs), measure([given], model, without=True)
    if others:
        paragraphs = [*given.paragraphs, *others]
        yield len(paragraphs), measure([EvaluationSet(paragraphs, given.questions)], model, without=True)


def measure_halves(folder: Path, count: int) -> Iterator[tuple[Case, Measured | None, Measured]]:
    """Yield each set and size, what may be fitted, and what is held out."""
    model = KnownTexts(load_model())
    clapnq = read_clapnq(folder)
    for name, file in SQUAD_FILES.items():
        given = read_squad(folder / file)
        middle = len(given.paragraphs) // 2
        parallel = name.startswith("XQuAD")  # the other half was fitted in another language
        others = clapnq.paragraphs if name == "XQuAD English" else []
        first = [question for question in given.questions if question.paragraph < middle]
        second = [question for question in given.questions if question.paragraph >= middle or not parallel]
        whole = len(given.paragraphs)
        fitted = {}
        if name in FITTED:
            fitted = dict(measure_sizes(EvaluationSet(given.paragraphs, draw(first, count)), others, model))
        for size, held in measure_sizes(EvaluationSet(given.paragraphs, draw(second, count)), others, model):
            yield Case(name, size, is_whole=size == whole), fitted.get(size), held
    yield Case("ClapNQ", len(clapnq.paragraphs), is_whole=True), None, measure([clapnq], model, without=False)


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


def fit_all(whole: Sequence[Measured], every: Sequence[Measured]) -> tuple[NDArray[np.float64], float]:
    """Return weights and intercept: all but that of the size from brains of one size, that of the size from all brains.

    The second fit may stretch the first; what it finds is divided by that, so that the first weights stay as they are.
    """
    at = list(FEATURES).index(SIZE)
    shared = [replace(part, features=np.delete(part.features, at, axis=1)) for part in whole]
    weights, intercept = fit(shared)
    weights = np.insert(weights, at, 0.0)
    scored = [replace(part, features=np.column_stack([part.score(weights, intercept), part.features[:, at]])) for part in every]
    (stretch, size), shift = fit(scored)
    weights[at] = size / stretch
    return weights, intercept + shift / stretch


def print_fit(whole: Sequence[Measured], every: Sequence[Measured]) -> None:
    """Print what belongs into ``evidence.py``: the weights, and the probability below which each share is refused."""
    weights, intercept = fit_all(whole, every)
    print(f"\nINTERCEPT = {intercept:.3f}")
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f'    "{name}": {weight:.3f},')
    yes = [part.score(weights, intercept)[part.is_answerable] for part in every]
    for share in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
        logit = float(np.mean([np.quantile(one, share) for one in yes]))
        print(f"limit for {share}: {1 / (1 + math.exp(-logit)):.3f}")


def main() -> None:
    """Print the area under the curve, the curve, and what the shipped limits do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=Path, default=REPOSITORY.parent / "shared" / "eval", help="folder of the sets")
    parser.add_argument("--questions", type=int, default=150, help="questions of each half of a set (default: 150)")
    parser.add_argument("--fit", action="store_true", help="fit the weights anew and print them too")
    arguments = parser.parse_args()
    halves = list(measure_halves(arguments.eval, arguments.questions))
    print(describe_run())
    if arguments.fit:
        print_fit(
            [fitted for case, fitted, _ in halves if fitted is not None and case.is_whole],
            [fitted for _, fitted, _ in halves if fitted is not None],
        )
    scored = [(f"{case.name}, {case.size}", held, held.logits) for case, _, held in halves]
    print_table(
        "Refused of the unanswerable when this share of the same set's answerable questions is refused:",
        ("set, paragraphs of a brain", "answerable + unanswerable", "AUC", *(f"{share:.0%}" for share in CURVE)),
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
        ("set, paragraphs of a brain", *(f"{share:.0%}" for share, _ in points)),
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
