"""How often the quotes of ``chat_model="quotes"`` hold the answer, and what the limit of evidence costs and saves.

``python tests/benchmarks/quotes_quality.py --eval ../shared/eval --questions 250``
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from retrieval_quality import (
    EXCERPTS,
    SQUAD_FILES,
    EvaluationSet,
    Question,
    describe_run,
    draw,
    load_model,
    parse_arguments,
    print_table,
    read_squad,
)
from searched_paragraphs import SearchedParagraphs

from locallens_nb.checking.similarity_scale import rescale
from locallens_nb.domain import Quote
from locallens_nb.grounding import MOST_QUOTES, RELATIVE_EVIDENCE, rank_sentences, read_excerpts
from locallens_nb.models.embedding import SentenceTransformerModel

LANGUAGES = ("XQuAD English", "XQuAD Spanish", "XQuAD German", "FaQuAD Portuguese")
RELATIVE = (0.60, 0.70, 0.75, 0.80, 0.85, 0.90)

Place = tuple[int, list[float]]
"""Place, from 0, of the sentence that holds the answer, and the evidence of all sentences, best first."""


def rank(brain: SearchedParagraphs, question: Question) -> list[Quote]:
    """Return the ranked sentences of five excerpts, among them the question's paragraph."""
    query = brain.embed_query(question.text)
    found = [near.chunk_key for near in brain.index.search(query, question=question.text, count=EXCERPTS + 1)]
    others = [key for key in found if key != question.paragraph]
    keys = others[: EXCERPTS - 1]
    keys.insert(found.index(question.paragraph) if question.paragraph in found else EXCERPTS, question.paragraph)
    hits = [brain.hit(key, float(brain.vectors[key] @ query)) for key in keys]
    similarities = brain.similarities(query)
    return rank_sentences(
        question.text,
        read_excerpts(hits),
        similarities=lambda texts: rescale(similarities(texts), brain.unrelated),
    )


def find_answer(quotes: Sequence[Quote], question: Question, paragraph: str) -> int:
    """Return the place of the first sentence that holds the start of an answer; past the last one when none does."""
    for place, quote in enumerate(quotes):
        start = paragraph.find(quote.text)
        if start >= 0 and any(start <= answer < start + len(quote.text) for answer, _ in question.answers):
            return place
    return len(quotes)


def measure(given: EvaluationSet, asked: Sequence[Question], model: SentenceTransformerModel) -> list[Place]:
    """Rank the sentences for each question."""
    brain = SearchedParagraphs.of(given, model)
    places = []
    for question in asked:
        quotes = rank(brain, question)
        place = find_answer(quotes, question, given.paragraphs[question.paragraph])
        places.append((place, [quote.evidence for quote in quotes]))
    return places


def measure_all(folder: Path, count: int) -> Iterator[tuple[str, list[Place]]]:
    """Yield what each set comes to."""
    model = load_model()
    for name in LANGUAGES:
        given = read_squad(folder / SQUAD_FILES[name])
        yield name, measure(given, draw(given.questions, count), model)


def share(condition: NDArray[np.bool_]) -> str:
    """Return the share of true ones as a percentage."""
    return f"{100 * np.mean(condition):.1f} %"


def count_quotes(evidence: Sequence[float], relative: float) -> int:
    """Return how many sentences are quoted at a relative limit."""
    return sum(value >= relative * evidence[0] for value in evidence[:MOST_QUOTES])


def main() -> None:
    """Print the places of the answers, and what the limit of further quotes costs and saves."""
    arguments = parse_arguments(__doc__)
    print(f"{describe_run()}; up to {arguments.questions} questions a set, {EXCERPTS} excerpts each.")
    located = dict(measure_all(arguments.eval, arguments.questions))
    print_table(
        "The sentence that holds the answer is among the first 1, 3, 5:",
        ("set", "questions", "1", "3", "5"),
        [
            (name, str(len(places)), *(share(np.array([place for place, _ in places]) < depth) for depth in (1, 3, 5)))
            for name, places in located.items()
        ],
    )
    rows = []
    for relative in RELATIVE:
        row = [f"{relative:.2f}"]
        for places in located.values():
            counts = [count_quotes(evidence, relative) for _, evidence in places]
            holds = np.array([place < count for (place, _), count in zip(places, counts, strict=True)])
            row.append(f"{np.mean(counts):.1f}, {share(holds)}")
        rows.append(row)
    print_table(
        f"Quotes of an answer, and how often one holds it, by `RELATIVE_EVIDENCE` (now {RELATIVE_EVIDENCE}):",
        ("limit", *located),
        rows,
    )


if __name__ == "__main__":
    main()
