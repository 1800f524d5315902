"""Whether two sentences that have the same numbers give them to each other's things. Pure."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import combinations

from locallens_nb.language.figures import read_numbers
from locallens_nb.language.polarity import are_alike
from locallens_nb.language.question_language import function_words, guess_language
from locallens_nb.language.words import split_words

_PART_END = re.compile(
    r"(?:[,:.](?!\d)|[;()|\n—，、；。：]|\b(?:and|while|whereas|but|or|e|enquanto|mas|ou|y|mientras|pero|o|und|während|aber|oder|et|mais"
    r"|mentre|ma)\b)",
    re.IGNORECASE,
)


def is_swapped(claim: str, sentence: str) -> bool:
    """Return whether a claim has two numbers of a sentence the other way round: *guests 12, students 30*.

    Each of the two has to stand in one part of either sentence. What is said with each in the claim has to be what the
    sentence says with the other one only, and one of the two must have nothing that the sentence says with it.
    """
    language = guess_language(f"{claim} {sentence}")
    claimed, said = _read_parts(claim, language), _read_parts(sentence, language)
    for one, other in combinations(sorted(claimed.keys() & said.keys()), 2):
        of_one, of_other = said[one] - said[other], said[other] - said[one]
        is_crossed = _share(claimed[one], of_other) and _share(claimed[other], of_one)
        if is_crossed and not (_share(claimed[one], of_one) and _share(claimed[other], of_other)):
            return True
    return False


def _share(words: Set[str], others: Set[str]) -> bool:
    return any(are_alike(word, other) for word in words for other in others)


def _read_parts(text: str, language: str) -> dict[str, frozenset[str]]:
    """Return, for each number that stands in one part of a sentence only, the words of that part."""
    found: dict[str, list[frozenset[str]]] = {}
    for part in _PART_END.split(text):
        words = frozenset(word for word in split_words(part) if not word.isdecimal()) - function_words(language)
        for number in read_numbers(part):
            found.setdefault(number, []).append(words)
    return {number: parts[0] for number, parts in found.items() if len(parts) == 1}
