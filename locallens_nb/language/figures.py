"""The numbers of a text in one form, and whether a number, a time, a date, a range or a version stands in it. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from locallens_nb.language.dates import (
    Calendar,
    Reading,
    WrittenDate,
    fold_letters,
    is_month_name,
    names_only_a_month,
    read_dates,
)
from locallens_nb.language.number_words import (
    LANGUAGES,
    WrittenNumber,
    find_number_words,
    is_number_word,
    read_number_words,
    spell_number,
)
from locallens_nb.language.question_language import count_latin_votes, function_words
from locallens_nb.language.words import find_words, stem_word

_NUMBER = re.compile(r"\d+(?:[.,'’\u202f]\d+)*")
_COMPOUND = re.compile(r"\d+(?:[.,:/'’\u202f–-]\d+)*")
_GROUPED = re.compile(r"(\d{1,3}([.,'’\u202f])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?")
"""A number with a separator of thousands, and its fraction."""
_DECIMAL = re.compile(r"\d+[.,]\d+")
_ENUMERATION = re.compile(r"\d+(?:,\d+)*")
_TIME = re.compile(r"[012]?\d[:.][0-5]\d(?::[0-5]\d)?")
_TIME_FOLLOWS = re.compile(r"t(?=\d)")
"""What joins a date and a time (ISO 8601)."""
_COUNTED = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?=[\s-]+([^\W\d_]+))|\d(?=[\s-]+([^\W\d_]+))")
"""A word or the end of a number, and the word after it."""
_NEXT_WORD = re.compile(r"[\s-]+([^\W\d_]+)")
_OFTEN_COUNTED = 4
"""Up to this number an answer may count what an excerpt only lists, and *the two* or *two-factor* say little of a number."""
_IN_WORD = re.compile(r"[A-Za-z_]\Z")

_SIGN = r"(?:[^\w\s|,]|h)"
"""What joins the parts of a time, a fraction or a score."""
_SIGNS = r"[^\w\n|]{1,3}"
"""What may stand between the parts of a telephone number and the like."""
_NEAR = r"(?:(?![.!?;]\s)[^\d\n|]){1,16}"
"""What may stand between the two parts of a time or a fraction that a text says in words."""
_IN_ORDER = r"[^\n]{1,120}?"
"""What may stand between the first and the last of a range or the two sides of a score."""


class Figures:
    """The numbers and dates that some texts hold.

    Parameters
    ----------
    texts
        The parts of a number, a date or a range have to stand in one of them.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = fold_letters("\n".join(" ".join(text.split()) for text in texts))
        self._known = read_numbers(self._text) | read_number_words(find_words(self._text))
        self._counted = _find_counted(self._text)
        self._calendar = Calendar(self._text)
        self._outside_dates = read_numbers(self._calendar.rest)

    def find_missing(self, sentence: str, *, is_same_language: bool = True) -> tuple[list[str], str]:
        """Return what of a sentence's numbers and dates stands nowhere, and the sentence with its dates blanked out.

        A date counts in whatever way it is written; the parts of a time, a range, a version or an address have to stand
        next to each other, or in order in one sentence or so.

        Parameters
        ----------
        is_same_language
            Whether the texts are in the language of the sentence, so that its numbers in words are to be looked for too.
        """
        folded = fold_letters(sentence)
        missing: list[tuple[int, str]] = []
        blanks: list[tuple[int, int]] = []
        for date in read_dates(folded):
            start, end = date.start_offset, date.end_offset
            absent = self._calendar.find_absent(date)
            if (blanks and start < blanks[-1][1]) or (absent and not self._is_wrong(date, absent)):
                continue
            if absent:
                missing.append((start, sentence[start:end].strip(" ,.-/")))
            blanks.append((start, end + (_TIME_FOLLOWS.match(folded, end) is not None)))
        rest = _blank(sentence, blanks)
        for match in _COMPOUND.finditer(_blank(folded, blanks)):
            number = match.group()
            is_in_word = number.isdigit() and _IN_WORD.search(rest, max(0, match.start() - 1), match.start())
            if not is_in_word and not self._holds(number):
                missing.append((match.start(), sentence[match.start() : match.end()]))
        if is_same_language:
            missing += self._find_missing_words(sentence, _blank(folded, blanks))
        return [found for _, found in sorted(set(missing))], rest

    def _is_wrong(self, date: WrittenDate, absent: Sequence[Reading]) -> bool:
        """Return whether a date whose month is a word can be in no text: its month is not, or its day is of another month."""
        is_complete = all(None not in reading for reading in absent)
        if not date.month_name or not (is_complete or names_only_a_month(date.month_name)):
            return False
        days = {str(day) for _, _, day in absent if day is not None}
        return not self._calendar.knows_month(date) or bool(days & self._known and not days <= self._outside_dates)

    def _holds(self, number: str) -> bool:
        """Return whether a number, simple or compound, stands in the texts."""
        if _DECIMAL.fullmatch(number) or _GROUPED.fullmatch(number):
            is_known = not read_numbers(number).isdisjoint(self._known)
            return is_known or (
                _TIME.fullmatch(number) is not None and self._finds(_chain_pattern(re.split(r"\D", number), "[:h]"))
            )
        if _ENUMERATION.fullmatch(number):
            return read_numbers(number) <= self._known
        return self._finds(_compound_pattern(number)) or self._holds_date_in_other_language(number)

    def _find_missing_words(self, sentence: str, folded: str) -> list[tuple[int, str]]:
        """Return where a sentence has numbers in words that stand nowhere, and these."""
        votes = count_latin_votes(sentence)
        most = max(votes.values())
        return [
            (written.start_offset, sentence[written.start_offset : written.end_offset])
            for language in (LANGUAGES if most else LANGUAGES[:1])
            if votes[language] == most
            for written in find_number_words(folded, language)
            if not self._holds_in_words(written, _NEXT_WORD.match(folded, written.end_offset), language)
        ]

    def _holds_in_words(self, written: WrittenNumber, next_word: re.Match[str] | None, language: str) -> bool:
        """Return whether a number that is written out stands in the texts, in any form, or counts what they give no number of.

        *Two* is held by *2.5* (two and a half), and in Spanish *sesenta* by *1960* (*los años sesenta*).
        """
        number = int(written.form)
        is_decade = number % 10 == 0 and number > 10
        for known in self._known:
            if known.partition(".")[0] == written.form or (is_decade and len(known) == 4 and known.endswith(written.form)):
                return True
        if number > _OFTEN_COUNTED:
            return False
        noun = stem_word(next_word[1]) if next_word else ""
        return noun not in self._counted or noun in function_words(language)

    def _holds_date_in_other_language(self, number: str) -> bool:
        """Return whether a date's day and year stand around a word that could be its month in a language not known here."""
        parts = re.split(r"\D", number)
        if len(parts) != 3 or not read_dates(number):
            return False
        for day, year in ((parts[0], parts[2]), (parts[2], parts[0])):
            pattern = rf"(?<!\d)0*{int(day)}[\s.]{{0,3}}(?:\w{{1,3}}\s)?([^\W\d_]{{3,}})\W{{1,3}}(?:\w{{1,3}}\s)?{year}(?!\d)"
            if any(not is_month_name(word) for word in re.findall(pattern, self._text)):
                return True
        return False

    def _finds(self, pattern: str) -> bool:
        return re.search(pattern, self._text) is not None


def _find_counted(folded: str) -> frozenset[str]:
    """Return the words that follow a number in a text, in digits or in words, without their endings."""
    return frozenset(
        stem_word(match[1] or match[2]) for match in _COUNTED.finditer(folded) if match[2] or is_number_word(match.group())
    )


def read_numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text in one form: without separators of thousands and leading zeros, with a decimal point.

    A compound such as a date, a time or a range gives its parts.
    """
    digits = "".join(str(unicodedata.decimal(character)) if character.isdecimal() else character for character in text)
    return frozenset(form for match in _NUMBER.finditer(digits) for form in _read_number(match.group()))


def _read_number(number: str) -> Iterator[str]:
    if grouped := _GROUPED.fullmatch(number):
        whole = re.sub(r"\D", "", grouped[1]).lstrip("0") or "0"
        yield f"{whole}.{grouped[3]}" if grouped[3] else whole
    if _DECIMAL.fullmatch(number):
        yield number.replace(",", ".").lstrip("0")
    elif not grouped:
        yield from (part.lstrip("0") or "0" for part in re.split(r"\D", number))


def _compound_pattern(number: str) -> str:
    """Return a pattern for a range, a time, a version, a telephone number: its parts, with what may stand between them."""
    ends = re.split(r"[–-]", number)
    if len(ends) > 2:
        return _chain_pattern(ends, _SIGNS)
    if len(ends) > 1:
        return f"{_chain_pattern(ends, _SIGN)}|{_IN_ORDER.join(map(_part_pattern, ends))}"
    return _chain_pattern(re.split(r"\D", number), _SIGN) if _NUMBER.fullmatch(number) else _sides_pattern(number)


def _sides_pattern(number: str) -> str:
    """Return a pattern for a time, a fraction, a score: its parts side by side, or one after the other in words."""
    parts = re.split(r"[:/]", number)
    if _TIME.fullmatch(number) and len(parts) == 3 and not int(parts[2]):
        parts.pop()
    between = _NEAR if _TIME.fullmatch(number) else _IN_ORDER
    return f"{_chain_pattern(parts, _SIGN)}|{between.join(map(_word_pattern, parts))}"


def _part_pattern(part: str) -> str:
    """Return a pattern for one end of a range."""
    return _word_pattern(part) if _NUMBER.fullmatch(part) else f"(?:{_sides_pattern(part)})"


def _word_pattern(part: str) -> str:
    """Return a pattern for a number that stands by itself, in digits or in words."""
    spellings = [r"[\s-]+".join(words) for form in read_numbers(part) for words in spell_number(form)]
    digits = [_digits_pattern(form) for form in read_numbers(part)]
    return rf"(?:(?<!\d)(?<!\d[.,:/])(?:{'|'.join(digits)})(?!\d|[.,:/]\d)|(?<!\w)(?:{'|'.join(spellings) or '(?!)'})(?!\w))"


def _digits_pattern(form: str) -> str:
    whole, _, fraction = form.partition(".")
    grouped = "[.,'’\u202f ]?".join(re.split(r"(?<=\d)(?=(?:\d{3})+\Z)", whole))
    return rf"0*{grouped}" + (rf"[.,]{fraction}" if fraction else "")


def _chain_pattern(parts: Sequence[str], between: str) -> str:
    joined = between.join(f"0*{part.lstrip('0') or '0'}" for part in parts)
    return rf"(?<!\d){joined}(?!\d)"


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text of the same length with spaces where spans of it stand; they are in order and apart."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]])
