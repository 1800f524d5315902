"""Yes, no and not: whether a text only agrees or disagrees, and whether one sentence denies what another says. Pure."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache

from locallens_nb.language.question_language import function_words, guess_language
from locallens_nb.language.words import find_words, split_words, stem_word

_YES_OR_NO = (
    "yes no nope sim não sí si ja nein doch oui non nee jawel nej jo nei kyllä ei tak nie ano ne igen nem da nu evet hayır "
    "да нет так ні ναι οχι نعم لا بله خير כן לא हाँ नहीं হ্যাঁ না ya tidak có không vâng ใช่ ไม่ 是 是的 对 對 不 不是 不对 不對 "
    "没有 沒有 はい いいえ ええ 네 예 아니요 아니오"
)
_AGREEMENTS = (
    "correct incorrect true false right wrong indeed exactly certainly correto certo falso verdadeiro claro correcto cierto "
    "verdadero richtig falsch genau stimmt exact vrai faux esatto vero juist klopt prawda верно 正确 正確"
)
"""Words that mean yes or no, unless they are what is asked for."""
_NEGATIONS = {
    "en": "not never cannot no neither nor nobody",
    "pt": "não nunca nenhum nenhuma jamais ninguém",
    "es": "no nunca ningún ninguna ninguno jamás nadie",
    "de": "nicht nie niemals kein keine keinen keinem keiner keines niemand",
    "fr": "pas jamais aucun aucune",
    "it": "non mai nessun nessuno nessuna",
}
_SOFT_NEGATIONS = {
    "en": "without fail fails failed lack lacks lacked refuse refused unable nothing none nowhere hardly rarely seldom except "
    "only unless until before but forbidden prohibited banned denied excluded instead rather than",
    "pt": "sem falta exceto apenas só somente até antes mas senão nada proibido",
    "es": "sin falta excepto salvo solo sólo hasta sino pero antes nada prohibido",
    "de": "ohne außer nur bis bevor erst sondern aber nichts verboten",
    "fr": "sans sauf seulement jusqu avant mais rien interdit",
    "it": "senza tranne solo fino prima ma bensì niente vietato",
}
_CHINESE = re.compile(r"[不没沒未无無非](?=([\u3400-\u9fff]{2}))")
_ANY_CHINESE = re.compile(r"[不没沒未无無非否别別只才除]")
_DENY_THE_WORD_BEFORE = frozenset({"de", "fr"})
"""Languages whose *not* stands after the verb."""
_FEWEST_LETTERS = 3
_LONGEST_ENDING = 2
_CONTRACTED = re.compile(r"(?<=\w)n['’]t\b")
_CLAUSE_END = re.compile(r"[,;:.!?()\[\]—–，。；：、！？|\n\"“”«»]")


def is_yes_or_no(text: str, known: Set[str]) -> bool:
    """Return whether a text says nothing but yes or no.

    Parameters
    ----------
    known
        The words of what the answer is from. One that also means something else, such as *true*, counts when it is none of
        them.
    """
    words = split_words(text)
    return bool(words) and (_yes_or_no() | (_agreements() - known)).issuperset(words)


def is_contradicted(claim: str, sentence: str) -> bool:
    """Return whether one of two sentences denies with a *not* what the other says without.

    The word that the *not* belongs to, as a rule the next one, has to stand in both, and the other sentence must deny
    nothing at all. A sentence that denies in another way, or only in part, contradicts nothing here.
    """
    language = guess_language(f"{claim} {sentence}")
    return _denies(claim, sentence, language) or _denies(sentence, claim, language)


def are_alike(word: str, other: str) -> bool:
    """Return whether two words differ in a short ending only, such as *pay* and *pays*."""
    short, long = sorted((word, other), key=len)
    ending = len(long) - len(short)
    return word == other or (len(short) >= _FEWEST_LETTERS and ending <= _LONGEST_ENDING and long.startswith(short))


def _denies(denial: str, statement: str, language: str) -> bool:
    if not _soft_negations(language).isdisjoint(find_words(denial)) or _has_negation(statement):
        return False
    stated = set(split_words(statement))
    return any(are_alike(denied, word) for denied in _find_denied(denial, language) for word in stated)


def _has_negation(text: str) -> bool:
    return not _all_negations().isdisjoint(find_words(text)) or any(found.search(text) for found in (_CONTRACTED, _ANY_CHINESE))


def _find_denied(text: str, language: str) -> set[str]:
    """Return the words that a *not* belongs to: the next that says something, in some languages also the one before."""
    denied = {match[1] for match in _CHINESE.finditer(text)}
    negations = _negations(language)
    for clause in _CLAUSE_END.split(_CONTRACTED.sub(" not", text)):
        words = [word for word in find_words(clause) if word in negations or stem_word(word) not in function_words(language)]
        for at, word in enumerate(words):
            if word in negations:
                near = words[at + 1 : at + 2] + (words[max(0, at - 1) : at] if language in _DENY_THE_WORD_BEFORE else [])
                denied.update(map(stem_word, near))
    return denied


@cache
def _yes_or_no() -> frozenset[str]:
    return frozenset(split_words(_YES_OR_NO))


@cache
def _agreements() -> frozenset[str]:
    return frozenset(split_words(_AGREEMENTS))


@cache
def _negations(language: str) -> frozenset[str]:
    return frozenset(find_words(_NEGATIONS.get(language, "")))


@cache
def _soft_negations(language: str) -> frozenset[str]:
    return frozenset(find_words(_SOFT_NEGATIONS.get(language, "")))


@cache
def _all_negations() -> frozenset[str]:
    return frozenset[str]().union(*map(_negations, _NEGATIONS), *map(_soft_negations, _SOFT_NEGATIONS))
