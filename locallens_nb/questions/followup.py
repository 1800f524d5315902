"""Whether a question needs the questions before it, and what it is together with them. Pure: rules, no model.

A follow-up is told by its own words: it agrees ("yes"), goes on ("and a service?"), points at something that it does not
name ("where is it?"), or says next to nothing by itself ("how much?").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from locallens_nb.language.followup_words import (
    AGREEMENTS,
    DETERMINERS,
    EXPLETIVE,
    GERMAN,
    LAST_REFERENCES,
    NAMING,
    OF,
    OPENINGS,
    PERSONS,
    POSSESSIVES,
    REFERENCES,
    RELATIONS,
    all_function_words,
)
from locallens_nb.language.words import IDEOGRAPHS
from locallens_nb.questions.query import parse_query

MOST_NAMES = 2
MOST_EARLIER_CHARACTERS = 300
"""What is kept of an earlier question, from its end, where what is asked mostly stands."""

_MOST_POINTING_WORDS = 4
"""A question that has more words that say something can be searched for whatever its pronouns stand for."""
_MOST_UNSPACED = 12

_OPENING = re.compile(OPENINGS, re.IGNORECASE)
_NAMING = re.compile(NAMING, re.IGNORECASE)
_EXPLETIVE = re.compile(EXPLETIVE, re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*(?:'(?:s|t|re|ve|ll|d|m)\b)?")
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'-]*(?: (?:(?:da|das|de|del|di|do|dos|du|e|la|van|von) )?[A-ZÀ-ÖØ-Þ][\w'-]*)*")
_UNSPACED = re.compile(f"[{IDEOGRAPHS}]")
_UNSPACED_POINTING = re.compile(r"[它他她]|[这那](?:个|些|里)|[そこ][のれこ]|(?:呢|は)$")
_ENDS = "?？.。!！"


def continue_thread(question: str, thread: Sequence[str], *, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the questions that together stand alone, the last asked at the end.

    Parameters
    ----------
    question
        As the person asked it.
    thread
        What this returned for the question before; empty when there is none.
    names
        The names in the answer before (:func:`find_names`), which tell who *he* or *she* is.

    Returns
    -------
    tuple[str, ...]
        The question alone when it needs none before it. Else the one that the thread began with, the one before, and it;
        without the question itself when that only agrees.

    Raises
    ------
    InvalidQuestionError
        As :func:`~locallens_nb.questions.query.parse_query`.

    Notes
    -----
    Of 42 follow-ups over the sample folder, English and Portuguese, the right file came first, and among five, for 21 and 33
    as they were asked, for 41 and 42 as this joins them, and for 33 and 40 as Qwen2.5-Coder-0.5B rewrote them. That
    model's rewriting where it kept to the words of the conversation (17 times), and this for the others: 40 and 42.
    ``tests/model/test_followups.py`` searches for them again.
    """
    asked = " ".join(question.split())
    if not thread or stands_alone(asked):
        return (asked,)
    if _is_agreement(asked):
        return tuple(thread)
    if names and PERSONS.intersection(_split(asked.lower())):
        return (f"{asked.rstrip(_ENDS + ' ')} ({', '.join(names)})?",)
    earlier = dict.fromkeys(_shorten(before) for before in (thread[0], thread[-1]))
    return (*earlier, asked)


def join_thread(thread: Sequence[str]) -> str:
    """Return the questions of a thread as one text, each a sentence."""
    return " ".join(_as_sentence(question) for question in thread)


def stands_alone(question: str) -> bool:
    """Return whether a question can be understood without those before it, as far as its words tell.

    Raises
    ------
    InvalidQuestionError
        As :func:`~locallens_nb.questions.query.parse_query`.

    Notes
    -----
    Measured on topics 41 to 63 of TREC CAsT 2019, which had no part in making the rules: of 141 questions that people found to
    need the ones before them 91 are told, 7 of the others have a pronoun; of 42 that stand alone 2 are taken for follow-ups.
    """
    asked = parse_query(question).text.replace("’", "'").strip(" ¿¡\"'")
    if _is_agreement(asked) or _OPENING.match(asked):
        return False
    if _UNSPACED.search(asked):
        characters = "".join(re.findall(r"\w", asked))
        pointing = len(characters) <= _MOST_UNSPACED and _UNSPACED_POINTING.search(characters)
        return len(characters) > _MOST_POINTING_WORDS and not pointing
    words = _split(asked)
    lowered = [word.lower() for word in words]
    content = _content(lowered)
    if len(content) <= _MOST_POINTING_WORDS and _points_back(asked, lowered):
        return False
    if len(content) > 2 or _has_name(words):
        return True
    names_a_thing = bool(_NAMING.match(asked)) and not _open_relations(lowered)
    return bool(content) and (names_a_thing or (len(content) == 2 and bool(DETERMINERS.intersection(lowered))))


def find_names(answer: str, question: str) -> list[str]:
    """Return the first names in an answer that are not in its question; none where every noun has a capital letter."""
    if GERMAN.intersection(_split(question.lower())):
        return []
    found: list[str] = []
    for match in _NAME.finditer(answer):
        parts = match[0].split()
        while parts and parts[0].lower() in all_function_words():
            del parts[0]
        before = answer[: match.start()].rstrip(" *_[(\"'")
        begins_sentence = not before or before[-1] in ".!?:;-\n"
        if len(parts) > begins_sentence and " ".join(parts) not in question:
            found.append(" ".join(parts))
    return list(dict.fromkeys(found))[:MOST_NAMES]


def _split(text: str) -> list[str]:
    return _WORD.findall(text)


def _content(words: Sequence[str]) -> list[str]:
    """Return the words that say something by themselves."""
    silent = all_function_words() | REFERENCES | _open_relations(words)
    return [word for word in words if word not in silent]


def _open_relations(words: Sequence[str]) -> frozenset[str]:
    """Return the words for what belongs to something unsaid: *the main advantages*, not *the advantages of steel*."""
    following = [*words[1:], ""]
    return frozenset(word for word, after in zip(words, following, strict=False) if word in RELATIONS and after not in OF)


def _is_agreement(question: str) -> bool:
    return " ".join(re.findall(r"[\w'-]+", question.lower())) in AGREEMENTS


def _points_back(question: str, words: Sequence[str]) -> bool:
    """Return whether a question has a pronoun that stands for nothing in it."""
    pronouns = [word.removesuffix("'s") for word in words]
    if pronouns and pronouns[-1] in LAST_REFERENCES:
        return True
    if _EXPLETIVE.search(question):
        pronouns.remove("it")
    return any(
        word in REFERENCES or (word in POSSESSIVES and not _content(pronouns[:place])) for place, word in enumerate(pronouns)
    )


def _has_name(words: Sequence[str]) -> bool:
    """Return whether words hold a number, or a name: a capital letter after the first word, except in German."""
    capitals = not GERMAN.intersection(word.lower() for word in words)
    return any(
        any(character.isdigit() for character in word) or (place and capitals and word[0].isupper() and word != "I")
        for place, word in enumerate(words)
    )


def _shorten(question: str) -> str:
    """Return the end of a question that is too long to be carried along, from the start of a word."""
    if len(question) <= MOST_EARLIER_CHARACTERS:
        return question
    end = question[-MOST_EARLIER_CHARACTERS:]
    return end.partition(" ")[2] or end


def _as_sentence(question: str) -> str:
    end = "" if question.endswith(tuple(_ENDS)) else "?"
    first = question.partition(" ")[0]
    return (question if ":" in first else question[:1].upper() + question[1:]) + end
