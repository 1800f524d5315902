"""How many right answers the check of an answer supports, and how many that put another value in the place of the right one.

``python tests/benchmarks/support_quality.py --eval ../shared/eval --questions 150``

No language model writes here. An answer is the question without the words that it begins with, and a number or a name: the
right one; others of the same kind from the excerpts, beside the right paragraph and when it is not among them.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from retrieval_quality import (
    EXCERPTS,
    SEED,
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
from searched_paragraphs import SearchedParagraphs, find_duplicates

from locallens_nb.checking.support import SUPPORTED, SupportCheck
from locallens_nb.domain import SearchHit
from locallens_nb.grounding import read_excerpts
from locallens_nb.language.question_language import function_words, guess_language
from locallens_nb.language.words import split_words

LANGUAGES = ("XQuAD English", "XQuAD Spanish", "XQuAD German", "FaQuAD Portuguese")
KINDS = ("right", "wrong, the right one at hand", "wrong, without the paragraph")
VALUES = 3
"""Wrong values for each question."""

NUMBER = re.compile(r"[£$€]?\d[\d.,:/]*(?<=\d)(?:\s?(?:%|[^\W\d_]{1,9}\b))?")
NAME = re.compile(r"(?<=[^\W\d_] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
"""A name is taken for one inside a sentence; German nouns look like names, and are."""


@dataclass(frozen=True)
class Outcome:
    """Whether an answer is strong enough in the excerpts, and misses nothing there; and whether it is supported."""

    is_strong: bool
    is_supported: bool


def state(question: str, value: str) -> str:
    """Return a question without the words that ask, and a value: "What is the height of it?" gives "Height of it 12 m."."""
    words = question.strip(" ¿?").split()
    asking = function_words(guess_language(question))
    while words and asking.issuperset(split_words(words[0])):
        words.pop(0)
    rest = " ".join([*words, value])
    return f"{rest[:1].upper()}{rest[1:]}."


def find_values(excerpts: Sequence[SearchHit], question: str, right: str) -> list[str]:
    """Return values of the same kind as the right one, by chance, that neither it nor the question holds."""
    kind = NUMBER if NUMBER.search(right) else NAME
    found = (match.group() for hit in excerpts for match in kind.finditer(hit.content))
    others = [one for one in dict.fromkeys(found) if one not in question and one not in right and right not in one]
    return random.Random(SEED).sample(others, min(VALUES, len(others)))  # noqa: S311


def find_excerpts(brain: SearchedParagraphs, question: str, gone: Set[int]) -> list[SearchHit]:
    """Return the best excerpts that are left when some paragraphs are taken out."""
    query = brain.embed_query(question)
    found = brain.index.search(query, question=question, count=EXCERPTS + len(gone))
    return [brain.hit(near.chunk_key, near.similarity) for near in found if near.chunk_key not in gone][:EXCERPTS]


def check(brain: SearchedParagraphs, excerpts: Sequence[SearchHit], question: str, values: Sequence[str]) -> Iterator[Outcome]:
    """Yield what the check says of the answers with these values."""
    support = SupportCheck(question, excerpts, read_excerpts(excerpts), embed=brain.embed, unrelated=brain.unrelated)
    for value in values:
        verdict = support.check(state(question, value))
        yield Outcome(verdict.strength >= SUPPORTED and not verdict.missing, verdict.support == "supported")


def measure(given: EvaluationSet, asked: Sequence[Question], brain: SearchedParagraphs) -> dict[str, list[Outcome]]:
    """Check the answers to all questions whose answer is a number or a name, by their kind."""
    duplicates = find_duplicates(given.paragraphs)
    outcomes = defaultdict(list)
    for question in asked:
        start, end = question.answers[0]
        right = given.paragraphs[question.paragraph][start:end]
        if not (NUMBER.search(right) or right[:1].isupper()):
            continue
        near = find_excerpts(brain, question.text, set())
        far = find_excerpts(brain, question.text, duplicates[question.paragraph])
        held = [right] if any(right in hit.content for hit in near) else []
        for kind, excerpts, values in zip(
            KINDS,
            (near, near, far),
            (held, find_values(near, question.text, right), find_values(far, question.text, right)),
            strict=True,
        ):
            outcomes[kind] += check(brain, excerpts, question.text, values)
    return outcomes


def main() -> None:
    """Print how many of each kind are supported, and how many would be if the value might stand anywhere."""
    arguments = parse_arguments(__doc__)
    print(f"{describe_run()}; up to {arguments.questions} questions a set.")
    model = load_model()
    rows = []
    for name in LANGUAGES:
        given = read_squad(arguments.eval / SQUAD_FILES[name])
        measured = measure(given, draw(given.questions, arguments.questions), SearchedParagraphs.of(given, model))
        for kind, outcomes in measured.items():
            shares = [
                sum(values) / len(outcomes)
                for values in zip(*((one.is_strong, one.is_supported) for one in outcomes), strict=True)
            ]
            rows.append((name, kind, str(len(outcomes)), *(f"{100 * share:.0f} %" for share in shares)))
    print_table("Answers by their value:", ("set", "value", "answers", "wherever the value stands", "supported"), rows)


if __name__ == "__main__":
    main()
