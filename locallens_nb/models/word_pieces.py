"""WordPiece for words of ASCII letters and digits, as BERT does it.

The ``tokenizers`` library does the same, in a time that grows with the cube of a word's length: hashes and base64 hold it up.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class WordPieces:
    """The pieces of a WordPiece model. The longest that fits is taken, from left to right.

    Parameters
    ----------
    tokenizer
        Of the ``tokenizers`` library, with a ``WordPiece`` model and a ``BertNormalizer``.

    References
    ----------
    Wu et al. 2016, "Google's Neural Machine Translation System", section 4.1; ``max_match`` of BERT's ``tokenization.py``.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._longest_word = int(tokenizer.model.max_input_chars_per_word)
        self._is_lowered = bool(tokenizer.normalizer.lowercase)
        following = str(tokenizer.model.continuing_subword_prefix)
        vocabulary = [piece for piece in tokenizer.get_vocab(with_added_tokens=False) if piece.isascii()]
        self._first = _map_prefixes(piece for piece in vocabulary if piece.isalnum())
        self._next = _map_prefixes(piece.removeprefix(following) for piece in vocabulary if piece.startswith(following))

    def starts(self, word: str) -> tuple[int, ...]:
        """Return where the pieces of a word of ASCII letters and digits start; one piece when no pieces make it up."""
        if len(word) > self._longest_word:
            return (0,)
        if self._is_lowered:
            word = word.lower()
        pieces, start = self._first, 0
        starts: list[int] = []
        while start < len(word):
            end, found = start + 1, start
            while end <= len(word) and (is_piece := pieces.get(word[start:end])) is not None:
                if is_piece:
                    found = end
                end += 1
            if found == start:
                return (0,)
            starts.append(start)
            pieces, start = self._next, found
        return tuple(starts)


def _map_prefixes(pieces: Iterable[str]) -> dict[str, bool]:
    """Return all beginnings of the pieces, each with whether it is itself a piece."""
    whole = set(pieces)
    prefixes = {piece[:end] for piece in whole for end in range(1, len(piece) + 1)}
    return {prefix: prefix in whole for prefix in prefixes}
