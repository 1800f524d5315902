"""Where the tokens of a text start, by the tokenizer of an embedding model.

Most tokenizers look at one word at a time, and most words of a text come back in it: each word is tokenised once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb.models.word_pieces import WordPieces

# What a tokenizer of the kind takes by itself, and the white space between. BERT parts punctuation and Chinese characters
# from all else; other marks and spaces than these may stay inside a word, which the tokenizer then parts.
_BERT_PARTS = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~一-鿿]+|[!-/:-@\[-`{-~一-鿿]|[ \t\n\r]+")
_SPACED_PARTS = re.compile(r"[^ \t\n\r]+|[ \t\n\r]+")
_TEXTS_AT_ONCE = 64
_LINE_CHARACTERS = 4096
# Longer ones between spaces do not come back: Chinese, or data without white space.
_LONGEST_WORD = 256
# A kept word takes about 200 bytes, and up to 40 more for each character.
_KEPT_CHARACTERS = 2_000_000
_CHARACTERS_OF_A_KEPT_WORD = 32

Starts = tuple[int, ...]


class EmbeddingTokenizer:
    """Finds the starts that a tokenizer of the ``tokenizers`` library gives, of texts of any length.

    Parameters
    ----------
    tokenizer
        It is copied, since embedding sets truncation and padding on the original.
    """

    def __init__(self, tokenizer: Any) -> None:
        from tokenizers import Tokenizer
        from tokenizers.models import WordPiece

        self._tokenizer: Any = Tokenizer.from_str(tokenizer.to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._parts = _choose_parts(self._tokenizer)
        has_pieces = self._parts is _BERT_PARTS and isinstance(self._tokenizer.model, WordPiece)
        self._pieces = WordPieces(self._tokenizer) if has_pieces else None
        added = [re.escape(token.content) for token in self._tokenizer.get_added_tokens_decoder().values()]
        self._added = re.compile("|".join(added) or r"(?!)")
        self._known: dict[str, Starts] = {}
        self._known_characters = 0

    def token_starts(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return, for each text, the character offset at which each of its tokens starts, ascending."""
        groups = [texts[first : first + _TEXTS_AT_ONCE] for first in range(0, len(texts), _TEXTS_AT_ONCE)]
        return list(chain.from_iterable(map(self._find_starts, groups)))

    def _find_starts(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        if self._parts is None or any(map(self._added.search, texts)):
            return self._tokenise(texts)
        parts = list(map(self._parts.findall, texts))
        words = set(chain.from_iterable(parts))
        if self._parts is _SPACED_PARTS and max(map(len, words), default=0) > _LONGEST_WORD:
            return self._tokenise(texts)
        known = self._learn(words)
        return [_join_starts(each, known) for each in parts]

    def _learn(self, words: set[str]) -> dict[str, Starts]:
        """Return where the tokens of each of these words start, and perhaps of others."""
        if self._known_characters > _KEPT_CHARACTERS:
            self._known, self._known_characters = {}, 0
        known = self._known
        unknown = [word for word in words if word not in known]
        self._known_characters += sum(map(len, unknown)) + _CHARACTERS_OF_A_KEPT_WORD * len(unknown)
        if self._pieces:
            plain = [word for word in unknown if word.isascii() and word.isalnum()]
            known.update(zip(plain, map(self._pieces.starts, plain), strict=True))
            unknown = [word for word in unknown if word not in known]
        lines = list(_make_lines(unknown))
        for line, starts in zip(lines, self._tokenise([" ".join(line) for line in lines]), strict=True):
            known.update(zip(line, _part_starts(starts, line), strict=True))
        return known

    def _tokenise(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [np.fromiter((start for start, _ in encoding.offsets), np.int64, len(encoding)) for encoding in encodings]


def _choose_parts(tokenizer: Any) -> re.Pattern[str] | None:
    """Return what parts the words that this tokenizer takes one by one; None where that is not known of it."""
    from tokenizers import normalizers, pre_tokenizers

    normalizer, words = tokenizer.normalizer, tokenizer.pre_tokenizer
    if isinstance(normalizer, normalizers.BertNormalizer) and isinstance(words, pre_tokenizers.BertPreTokenizer):
        return _BERT_PARTS if normalizer.handle_chinese_chars else None
    if not (isinstance(normalizer, normalizers.Sequence) and isinstance(words, pre_tokenizers.Sequence)):
        return None
    # That of the packaged multilingual-e5-small.
    is_normalised_alone = set(_list_steps(normalizer)) <= {normalizers.Replace, normalizers.NFKC}
    is_spaced = _list_steps(words) == [pre_tokenizers.WhitespaceSplit, pre_tokenizers.Metaspace]
    return _SPACED_PARTS if is_normalised_alone and is_spaced and words[1].prepend_scheme == "always" else None


def _list_steps(sequence: Any) -> list[type]:
    return [type(step) for step in sequence]


def _make_lines(words: list[str]) -> Iterator[list[str]]:
    """Yield the words in groups, each enough for one text: tokenising takes more time per character of short and long ones."""
    line: list[str] = []
    characters = 0
    for word in words:
        line.append(word)
        characters += len(word)
        if characters >= _LINE_CHARACTERS:
            yield line
            line, characters = [], 0
    if line:
        yield line


def _part_starts(starts: NDArray[np.int64], words: list[str]) -> Iterator[Starts]:
    """Yield the starts in each word, counted from its own, where ``starts`` are those of the words with a space between."""
    lengths = np.fromiter(map(len, words), np.int64, len(words)) + 1
    begins = np.cumsum(lengths) - lengths
    bounds = np.append(np.searchsorted(starts, begins), len(starts))
    own_starts = (starts - np.repeat(begins, np.diff(bounds))).tolist()
    ends = bounds.tolist()
    for first, last in pairwise(ends):
        yield tuple(own_starts[first:last])


def _join_starts(words: list[str], known: dict[str, Starts]) -> NDArray[np.int64]:
    found = [known[word] for word in words]
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    counts = np.fromiter(map(len, found), np.int64, len(words))
    return np.repeat(np.cumsum(lengths) - lengths, counts) + np.fromiter(chain.from_iterable(found), np.int64)
