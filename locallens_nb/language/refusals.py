"""What an answer says when there is none, in the language of the question, and how to tell that a model says so. Pure."""

from __future__ import annotations

import re
from functools import cache

from locallens_nb.language.pleasantries import is_pleasantry
from locallens_nb.language.question_language import count_latin_votes, guess_language
from locallens_nb.language.refusal_phrases import (
    CONTRASTS,
    COURTESIES,
    DENIALS,
    IGNORANCE,
    NOT_FOUND,
    NOT_SUPPORTED,
    SOURCES,
    TALK,
)
from locallens_nb.language.sentences import split_sentences

_UNSURE = 1.0
"""How many more function words leave it open which of two languages a sentence is in."""
_SAME_PHRASES = {"no": "da"}
"""Languages whose phrases stand with those of another."""
_REFERENCE = re.compile(r"(?<!\s)\s*+[\[【(]\^?\d+(?:\s*[-,–]\s*\d+)*[\]】)]")
_MARKUP = re.compile(r"[*_`#>]+")
_LABEL = re.compile(r"\A\s*(?:[-•]\s+|\w+:\s+)")
_LONGEST_CHARACTERS = 500
"""A sentence that is longer says more than that it does not know."""
_NEAR_CHARACTERS = 90
"""How far apart what is missing and what it is missing from may stand."""


def refusal_text(question: str) -> str:
    """Return that the answer was not found, in the language of a question."""
    return NOT_FOUND[guess_language(question)]


def unsupported_text(question: str) -> str:
    """Return that the files do not support what was written, in the language of a question."""
    return NOT_SUPPORTED[guess_language(question)]


def is_refusal(text: str) -> bool:
    """Return whether a text says that it does not know, and nothing else.

    Each of its sentences has to be a refusal, an apology or an offer, or say what the excerpts are about instead; so a text
    that answers, and says that one detail is missing, is none.
    """
    parts = [part for sentence in split_sentences(_REFERENCE.sub("", text)) for part in _split_contrasts(sentence)]
    refused = [_refuses(part) for part in parts]
    return any(refused) and all(refuses or _is_beside_the_point(part) for part, refuses in zip(parts, refused, strict=True))


def _split_contrasts(sentence: str) -> list[str]:
    plain = " ".join(_LABEL.sub("", " ".join(_MARKUP.sub(" ", sentence.casefold()).split())).split())
    return [part for part in re.split(CONTRASTS, plain) if re.search(r"\w", part)]


def _refuses(sentence: str) -> bool:
    if len(sentence) > _LONGEST_CHARACTERS:
        return False
    return any(ignorance.search(sentence) or denial.search(sentence) for ignorance, denial in _patterns(sentence))


def _patterns(sentence: str) -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return the patterns of the languages that a sentence may be in: a short one often shares its words with several."""
    language = guess_language(sentence)
    votes = count_latin_votes(sentence)
    if language not in votes:
        return [_compile(language.removesuffix("-Hant"))]
    return [_compile(_SAME_PHRASES.get(kin, kin)) for kin in votes if votes[kin] >= votes[language] - _UNSURE]


@cache
def _compile(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    source, denial = SOURCES[language], DENIALS[language]
    near = rf".{{0,{_NEAR_CHARACTERS}}}?"
    return re.compile(IGNORANCE[language]), re.compile(rf"(?:{source}){near}(?:{denial})|(?:{denial}){near}(?:{source})")


def _is_beside_the_point(sentence: str) -> bool:
    return is_pleasantry(sentence) or any(re.search(pattern, sentence) for pattern in (*COURTESIES, TALK))
