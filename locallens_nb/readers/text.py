"""Decode the bytes of a text file, or say why they are not text."""

from __future__ import annotations

import codecs
import re
import unicodedata
from contextlib import suppress

from locallens_nb.errors import LocalLensError
from locallens_nb.language.languages import measure_language

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_BINARY = "binary, not text"
_UNKNOWN_ENCODING = "its text encoding was not recognised"
_TEXT_CONTROLS = "\t\n\r\f\x1b"
_ANSI_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_CONTROL_BYTES = bytes(code for code in range(32) if chr(code) not in _TEXT_CONTROLS) + b"\x7f"
_MAX_CONTROL_SHARE = 0.02
_MAX_CHAOS = 0.1
_WESTERN = "en de fr es pt it nl sv da no nb nn fi is ca gl eu ga id ms"
_CENTRAL = "pl cs sk hu ro hr sl bs sh sq"
_LEGACY_LANGUAGES = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "cp1251": "ru uk bg sr mk be",
    "cp1253": "el",
    "cp1254": "tr az",
    "cp1255": "he yi",
    "cp1256": "ar fa ur",
    "iso8859_2": _CENTRAL,
    "koi8_r": "ru",
    "cp932": "ja",
    "euc_jp": "ja",
    "gb18030": "zh",
    "big5": "zh",
    "cp949": "ko",
}
"""The older encodings that files are really in, the most common first, and the languages (ISO 639-1) of each."""
_TELLING_CHARACTERS = 2000
_UTF16_MIN_ZERO_SHARE = 0.05


class UnusableFileError(LocalLensError):
    """One file cannot be used; the message is the reason, in plain words."""


def drop_terminal_codes(text: str) -> str:
    """Return what programs wrote for a terminal without the codes for its colours and its cursor."""
    return _ANSI_SEQUENCE.sub("", text)


def decode_text(data: bytes) -> str:
    """Return the text of a file, with LF line ends and without a byte order mark or codes for a terminal.

    A byte order mark decides; then strict UTF-8, then UTF-16 without a mark where it clearly is, then the best guess
    for older encodings (cp1252, Shift-JIS and the like) if that guess is a confident one.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    str
        The text; it holds neither NUL characters nor lone surrogates.

    Raises
    ------
    UnusableFileError
        When the bytes are binary, damaged, or in an encoding that was not recognised.
    """
    text = _decode_marked(data)
    if text is None:
        text = _decode_utf8(data)
    if text is None:
        text = _decode_unmarked_utf16(data) if b"\0" in data else _decode_legacy(data)
    if "\0" in text or _control_share(text) > _MAX_CONTROL_SHARE:
        raise UnusableFileError(_BINARY)
    return drop_terminal_codes(text).replace("\r\n", "\n").replace("\r", "\n")


def _decode_marked(data: bytes) -> str | None:
    for mark, encoding, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise UnusableFileError(f"it is marked as {name}, but is not valid {name}") from error
    return None


def _decode_utf8(data: bytes) -> str | None:
    """Return the text, or None for what is not UTF-8; UTF-8 with damage is refused, not guessed at."""
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError as error:
        lenient = data.decode("utf-8", "replace")
        damaged = lenient.count("\ufffd")
        intact = sum(character > "\x7f" for character in lenient) - damaged
        # Older encodings hardly ever form a valid sequence; a guess would garble every letter that is in order.
        if intact > 2 * damaged:
            line = data.count(b"\n", 0, error.start) + 1
            raise UnusableFileError(f"not valid UTF-8: there is a damaged character in line {line}") from error
        return None


def _decode_unmarked_utf16(data: bytes) -> str:
    """Return the text of UTF-16 without a mark: zeros in every other byte only, and nothing but ordinary characters."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if len(data) % 2 or min(even, odd) or max(even, odd) < _UTF16_MIN_ZERO_SHARE * len(data) / 2:
        raise UnusableFileError(_BINARY)
    try:
        text = data.decode("utf-16-be" if even else "utf-16-le")
    except UnicodeDecodeError as error:
        raise UnusableFileError(_BINARY) from error
    kinds = {unicodedata.category(character) for character in set(text) - set(_TEXT_CONTROLS)}
    if kinds & {"Cc", "Cn", "Co"} or not any(character.isspace() for character in text):
        raise UnusableFileError(_BINARY)
    return text


def _decode_legacy(data: bytes) -> str:
    if len(data) - len(data.translate(None, _CONTROL_BYTES)) > _MAX_CONTROL_SHARE * len(data):
        raise UnusableFileError(_BINARY)
    from charset_normalizer import from_bytes

    matches = from_bytes(data, cp_isolation=list(_LEGACY_LANGUAGES))
    plausible = {name for match in matches if match.chaos <= _MAX_CHAOS for name in match.could_be_from_charset}
    texts: dict[str, str] = {}
    for name in filter(plausible.__contains__, _LEGACY_LANGUAGES):
        with suppress(UnicodeDecodeError):
            texts[name] = data.decode(name)
    if not texts:
        raise UnusableFileError(_UNKNOWN_ENCODING)
    # Which of them makes words of a language that is written in it: letters alone do not tell "não" from "năo".
    return max(texts.items(), key=lambda decoded: _measure_language(*decoded))[1]


def _measure_language(encoding: str, text: str) -> float:
    """Return how clearly the lines of a text that are not plain ASCII are in a language of an encoding, from 0 to 1."""
    telling = " ".join(line for line in text.splitlines() if not line.isascii())
    return measure_language(telling[:_TELLING_CHARACTERS], _LEGACY_LANGUAGES[encoding].split())


def _control_share(text: str) -> float:
    data = text.encode("utf-8", "replace")
    return (len(data) - len(data.translate(None, _CONTROL_BYTES))) / max(len(data), 1)
