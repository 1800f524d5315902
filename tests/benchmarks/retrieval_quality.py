"""How often a question finds its paragraph by meaning, by words, and together; and how much of its answer it finds.

``python tests/benchmarks/retrieval_quality.py --eval ../shared/eval --questions 250``
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib.metadata
import json
import os
import platform
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import LocalDocument, TextChunk
from locallens_nb.models.embedding import BUNDLED_MODEL, SentenceTransformerModel, bundled_model_folder
from locallens_nb.search.index import FloatArray, VectorIndex
from locallens_nb.search.keywords import KeywordIndex
from locallens_nb.search.retrieval import BrainIndex

REPOSITORY = Path(__file__).resolve().parents[2]
SEED = 20260
DEPTHS = (1, 5)
DEEPEST = 10
EXCERPTS = 5
SQUAD_FILES = {
    "XQuAD English": "xquad.en.json",
    "XQuAD Spanish": "xquad.es.json",
    "XQuAD German": "xquad.de.json",
    "XQuAD Chinese": "xquad.zh.json",
    "FaQuAD Portuguese": "faquad.train.json",
}


@dataclass(frozen=True)
class Question:
    """A question, the number of the paragraph that answers it, and where in it the answers stand.

    ``paragraph`` is -1 when no paragraph answers it.
    """

    text: str
    paragraph: int
    answers: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class EvaluationSet:
    """Paragraphs, and questions about them."""

    paragraphs: list[str]
    questions: list[Question]


def read_squad(file: Path) -> EvaluationSet:
    """Return a set in the SQuAD format; a paragraph that stands in it twice is taken once."""
    numbers: dict[str, int] = {}
    questions: list[Question] = []
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            number = numbers.setdefault(paragraph["context"], len(numbers))
            for asked in paragraph["qas"]:
                spans = {(span["answer_start"], span["answer_start"] + len(span["text"])) for span in asked["answers"]}
                questions.append(Question(asked["question"], number, tuple(sorted(spans))))
    return EvaluationSet(list(numbers), questions)


def read_clapnq(folder: Path) -> EvaluationSet:
    """Return the passages of all questions; those of the unanswerable ones do not answer them."""
    numbers: dict[str, int] = {}
    questions: list[Question] = []
    for name in ("answerable", "unanswerable"):
        for line in (folder / f"clapnq.{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            (number,) = [numbers.setdefault(passage["text"], len(numbers)) for passage in row["passages"]]
            questions.append(Question(row["input"], number if name == "answerable" else -1))
    return EvaluationSet(list(numbers), questions)


def read_sets(folder: Path) -> Iterator[tuple[str, EvaluationSet]]:
    """Yield every set by its name."""
    for name, file in SQUAD_FILES.items():
        yield name, read_squad(folder / file)
    yield "ClapNQ", read_clapnq(folder)


def draw(questions: Sequence[Question], count: int) -> list[Question]:
    """Return so many questions, the same ones in every run."""
    return random.Random(SEED).sample(list(questions), min(count, len(questions)))  # noqa: S311


def load_model() -> SentenceTransformerModel:
    """Return the embedding model that is installed with the package."""
    return SentenceTransformerModel(bundled_model_folder(), name=BUNDLED_MODEL)


def build_index(paragraphs: Sequence[str], vectors: FloatArray) -> BrainIndex:
    """Return the index of a brain in which each paragraph is one chunk, whose key is its number."""
    keys = np.arange(len(paragraphs), dtype=np.int64)
    files = ["." * (1 + place) for place in range(len(paragraphs))]  # one each, without words
    return BrainIndex(VectorIndex.build(keys, vectors, dimension=vectors.shape[1]), keys.tolist(), files, paragraphs)


class Finder:
    """Finds the chunks of a brain by meaning alone, by words alone, and as the product does."""

    def __init__(self, index: BrainIndex, texts: Sequence[str], model: SentenceTransformerModel) -> None:
        self._index = index
        self._keywords = KeywordIndex(texts)
        self._model = model

    def find(self, question: str, *, count: int) -> dict[str, list[int]]:
        """Return the keys of the chunks that each way finds, best first."""
        query = self._model.embed_query(question)
        coverage = self._keywords.coverage(question)
        worded = [int(key) for key in np.argsort(-coverage, kind="stable")[:count] if coverage[key] > 0]
        near = self._index.search(query, question="", count=count)
        both = self._index.search(query, question=question, count=count)
        return {
            "meaning": [one.chunk_key for one in near],
            "words": worded,
            "together": [one.chunk_key for one in both],
        }


def find_ranks(given: EvaluationSet, asked: Sequence[Question], model: SentenceTransformerModel) -> dict[str, list[int]]:
    """Return at which place, from 0, each question's paragraph was found; ``DEEPEST`` when further back."""
    index = build_index(given.paragraphs, model.embed_documents(given.paragraphs))
    finder = Finder(index, given.paragraphs, model)
    ranks: dict[str, list[int]] = {"meaning": [], "words": [], "together": []}
    for question in asked:
        for way, keys in finder.find(question.text, count=DEEPEST).items():
            ranks[way].append(keys.index(question.paragraph) if question.paragraph in keys else DEEPEST)
    return ranks


def describe_ranks(ranks: Sequence[int]) -> str:
    """Return hit@1, hit@5 and the mean reciprocal rank among the first ten."""
    places = np.array(ranks)
    reciprocal = np.where(places < DEEPEST, 1 / (places + 1), 0).mean()
    return " / ".join(f"{value:.3f}" for value in (*(np.mean(places < depth) for depth in DEPTHS), reciprocal))


def measure_excerpts(folder: Path, model: SentenceTransformerModel) -> tuple[int, dict[str, list[float]]]:
    """Return how many chunks some whole documents make, and how much of what answers each question five of them hold.

    What answers a question is given as ranges of characters, of which the share that stands in an excerpt is counted.
    """
    chunks: list[TextChunk] = []
    for file in sorted(folder.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        document = LocalDocument(file.name, text, hashlib.sha256(text.encode()).hexdigest(), len(text), 0)
        chunks += chunk_document(document, brain_id="documents", tokenizer=model)
    texts, files = [chunk.content for chunk in chunks], [chunk.relative_path for chunk in chunks]
    keys = np.arange(len(chunks), dtype=np.int64)
    vectors = model.embed_documents(texts)
    stored = VectorIndex.build(keys, vectors, dimension=vectors.shape[1])
    finder = Finder(BrainIndex(stored, keys.tolist(), files, texts), texts, model)
    found: dict[str, list[float]] = {"meaning": [], "words": [], "together": []}
    with (folder / "questions.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            for way, best in finder.find(row["question"], count=EXCERPTS).items():
                excerpts = [chunks[key] for key in best if files[key] == f"{row['corpus_id']}.md"]
                found[way].append(measure_share(json.loads(row["references"]), excerpts))
    return len(chunks), found


def measure_share(references: Sequence[Mapping[str, int]], excerpts: Sequence[TextChunk]) -> float:
    """Return the share of the characters of the references that stand in the excerpts."""
    wanted = {place for one in references for place in range(one["start_index"], one["end_index"])}
    held = {place for one in excerpts for place in range(one.start_offset or 0, one.end_offset or 0)}
    return len(wanted & held) / len(wanted)


def describe_run(embedding_model: str = BUNDLED_MODEL) -> str:
    """Return when, on what, with which embedding model and with which versions numbers were measured."""
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line for line in information.read_text().splitlines() if line.startswith("model name")]
        processor = names[0].partition(":")[2].strip() if names else processor
    packages = ("locallens-nb", "scipy", "faiss-cpu", "sentence-transformers", "torch", "numpy")
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages)
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {embedding_model}, {processor}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {versions}"
    )


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table under a line that says what it shows."""
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def parse_arguments(description: str | None) -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=Path, default=REPOSITORY.parent / "shared" / "eval", help="folder of the sets")
    parser.add_argument("--questions", type=int, default=250, help="questions of each set (default: 250)")
    arguments = parser.parse_args()
    if not arguments.eval.is_dir():
        parser.error(f"there is no folder {arguments.eval}")
    return arguments


def main() -> None:
    """Print one row for each set, and one for the whole documents."""
    arguments = parse_arguments(__doc__)
    model = load_model()
    print(f"Hit@1 / hit@5 / MRR@10, each paragraph one chunk. {describe_run()}.\n")
    print("| set | paragraphs | questions | by meaning | by words | together |\n|---|---|---|---|---|---|")
    for name, given in read_sets(arguments.eval):
        asked = draw([question for question in given.questions if question.paragraph >= 0], arguments.questions)
        columns = [describe_ranks(ranks) for ranks in find_ranks(given, asked, model).values()]
        print(f"| {name} | {len(given.paragraphs)} | {len(asked)} | {' | '.join(columns)} |", flush=True)
    print("\nShare of the answer in five excerpts of whole documents.\n")
    print("| chunks | questions | by meaning | by words | together |\n|---|---|---|---|---|")
    count, found = measure_excerpts(arguments.eval / "chunking", model)
    print(f"| {count} | {len(found['meaning'])} | {' | '.join(f'{np.mean(shares):.3f}' for shares in found.values())} |")


if __name__ == "__main__":
    main()
