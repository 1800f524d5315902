"""The words of a text as they are compared: without case, accents and endings, in any script. Pure."""

from __future__ import annotations

import re
import unicodedata

_STEM_CHARACTERS = 6
"""Words are compared by their first characters, which needs no list of languages. Hit@1 of BM25 on 250 questions of
XQuAD with the first 5, 6, 7 characters and with an English Snowball stemmer: English .916, .924, .936, .932; Spanish .928,
.924, .920, .916; German .896, .884, .872, .860."""

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def split_words(text: str) -> list[str]:
    """Return the words of a text in order, shortened to what they are compared by.

    Scripts that are written without spaces give pairs of neighbouring characters instead.
    """
    if text.isascii():  # most code and English, and three times as fast
        return [word[:_STEM_CHARACTERS] for word in _WORD.findall(text.lower())]
    marked = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(character for character in marked if not unicodedata.category(character).startswith("M"))
    words: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFC", plain)):  # composed again: Korean syllables came apart
        if _UNSPACED.search(word):
            words += [word[start : start + 2] for start in range(max(1, len(word) - 1))]
        else:
            words.append(word[:_STEM_CHARACTERS])
    return words
