"""The dates of a text, in whatever way they are written, and whether one stands among them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_MONTHS = (
    "january janeiro enero januar janner janvier gennaio januari jan janv ene gen",
    "february fevereiro febrero februar fevrier febbraio februari feb fev fevr",
    "march marco marzo marz maerz mars maart mar mrz",
    "april abril avril aprile apr abr avr",
    "may maio mayo mai maggio mei maj mag",
    "june junho junio juni juin giugno jun giu",
    "july julho julio juli juillet luglio jul juil lug",
    "august agosto aout augustus augusti aug ago",
    "september setembro septiembre setiembre septembre settembre sept sep sett set",
    "october outubro octubre oktober octobre ottobre oct okt out ott",
    "november novembro noviembre novembre nov",
    "december dezembro diciembre dezember decembre dicembre dec dez dic",
)
"""The names of the months in English, Portuguese, Spanish, German, French, Italian, Dutch and Swedish, folded."""

_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
_SHORTEST_NAME = 4
_ALSO_WORDS = frozenset({"march", "mars", "marco", "mayo", "sept", "augustus"})
"""Names of months that also are other words; as are most that are shorter than ``_SHORTEST_NAME``."""

_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})(?![^\W\d_])\.?"
_DAY = r"(?<![\d.,:/])\d{1,2}(?:st|nd|rd|th|er|[.o])?(?!\w)"
_AND = r"\s*(?:[-–,/&]|to|and|or|through|until|a|e|o|y|al|ao|ate|hasta|bis|und|oder|et|ou|au|i|il)\s*"
_DAYS = rf"(?P<days>{_DAY}(?:{_AND}{_DAY}){{0,4}})"
_OF = r"\s*(?:(?:of|de|di|del|d'|d’|den|[-/])\s*){0,2}"
_YEAR = r"(?:[\s,./-]*(?:(?:of|de|del|do)\s+)?(?P<year>\d{4})(?!\d))"
_SPELLED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_DAYS}{_OF}(?<![^\W\d_]){_MONTH}{_YEAR}?",
        rf"(?<![^\W\d_]){_MONTH}\s*(?:the\s+)?{_DAYS}{_YEAR}?",
        rf"(?<![^\W\d_]){_MONTH}{_YEAR}",
        r"(?:(?P<year>\d{4})\s*[年년]\s*)?(?<!\d)(?P<month>\d{1,2})\s*[月월](?:\s*(?P<days>\d{1,2})\s*[日号號일])?",
    )
)
_NUMERIC = re.compile(
    r"(?<![\d.,:/-])(?:(?P<first>\d{1,4})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)(?P<third>\d{2,4})"
    r"|(?P<day>\d{1,2})/(?P<other>\d{1,2})|(?P<from>\d{4}|\d{1,2})[/-](?P<to>\d{4}|\d{1,2}))(?![\d/]|[.,:-]\d)"
)
_CENTURIES = (1900, 2000)

Reading = tuple[int | None, int, int | None]
"""A year, a month and a day; None is what is not said."""


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date as it stands in a text.

    Attributes
    ----------
    readings
        What it can mean, ``03/04/2031`` a day in March or in April; where its month is a name, all that it means, as in
        ``5 and 8 March``.
    month_name
        Its month as it is written, where that cannot be taken for a day; folded.
    """

    start_offset: int
    end_offset: int
    readings: tuple[Reading, ...]
    month_name: str


class Calendar:
    """The dates that a text holds.

    Parameters
    ----------
    text
        Folded with :func:`fold_letters`.

    Attributes
    ----------
    rest
        The text without its dates.
    """

    def __init__(self, text: str) -> None:
        self._years_of_day: dict[tuple[int, int], set[int | None]] = defaultdict(set)
        self._years_of_month: dict[int, set[int | None]] = defaultdict(set)
        self._numbers = frozenset(map(int, re.findall(r"(?<!\d)\d{1,4}(?!\d)", text)))
        pieces: list[str] = []
        position = 0
        for date in read_dates(text):
            for year, month, day in date.readings:
                self._years_of_month[month].add(year)
                if day is not None:
                    self._years_of_day[month, day].add(year)
            if date.start_offset >= position:
                pieces.append(text[position : date.start_offset])
            position = max(position, date.end_offset)
        self.rest = " ".join([*pieces, text[position:]])
        for word in set(re.findall(r"[^\W\d_]{3,}", text)).intersection(_MONTH_OF):
            self._years_of_month[_MONTH_OF[word]].add(None)

    def find_absent(self, date: WrittenDate) -> tuple[Reading, ...]:
        """Return what of a date the text does not have, in the same or another way of writing it; empty when it has the date.

        A year that the text does not give with the day may stand elsewhere in it, as in a heading, and so may the day.
        """
        absent = tuple(reading for reading in date.readings if not self._holds(*reading))
        return absent if date.month_name or len(absent) == len(date.readings) else ()

    def knows_month(self, date: WrittenDate) -> bool:
        """Return whether the text speaks of the month of a date at all."""
        return any(month in self._years_of_month for _, month, _ in date.readings)

    def _holds(self, year: int | None, month: int, day: int | None) -> bool:
        if day is None:
            return self._fits(year, self._years_of_month.get(month))
        by_month = year is not None and year in self._years_of_month.get(month, ()) and self._is_in_rest(day)
        return by_month or self._fits(year, self._years_of_day.get((month, day)))

    def _fits(self, year: int | None, years: set[int | None] | None) -> bool:
        if not years:
            return False
        return year is None or year in years or (None in years and year in self._numbers)

    def _is_in_rest(self, number: int) -> bool:
        return re.search(rf"(?<!\d)0*{number}(?!\d)", self.rest) is not None


def read_dates(text: str) -> list[WrittenDate]:
    """Return the dates of a text that is folded with :func:`fold_letters`, in order."""
    found = [date for pattern in _SPELLED for date in _read_spelled(pattern, text)]
    found += [
        WrittenDate(match.start(), match.end(), readings, "")
        for match in _NUMERIC.finditer(text)
        if (readings := tuple(_read_numeric(match)))
    ]
    return sorted(found, key=lambda date: (date.start_offset, -date.end_offset))


def is_month_name(word: str) -> bool:
    """Return whether a folded word names a month, in one of the languages that are known here."""
    return word in _MONTH_OF


def names_only_a_month(word: str) -> bool:
    """Return whether a folded word can be nothing but a month."""
    return len(word) >= _SHORTEST_NAME and word in _MONTH_OF and word not in _ALSO_WORDS


def fold_letters(text: str) -> str:
    """Return a text of the same length in small letters without accents, and with the digits 0 to 9."""
    return "".join(map(_fold_letter, text))


@cache
def _fold_letter(letter: str) -> str:
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    is_latin = letter.isalpha() and letter < "\u0250"
    return unicodedata.normalize("NFKD", letter.casefold())[:1] if is_latin else letter


def _read_spelled(pattern: re.Pattern[str], text: str) -> Iterator[WrittenDate]:
    for match in pattern.finditer(text):
        name = match["month"]
        month = _MONTH_OF.get(name) or int(name)
        year = int(match["year"]) if match["year"] else None
        written = match.groupdict().get("days")
        days = [int(day) for day in re.findall(r"\d+", written)] if written else [None]
        readings = tuple((year, month, day) for day in days if _is_date(month, day))
        if readings:
            yield WrittenDate(match.start(), match.end(), readings, name)


def _read_numeric(match: re.Match[str]) -> Iterator[Reading]:
    if match["first"]:
        first, second, third = match["first"], int(match["second"]), match["third"]
        if len(first) == len("2031"):
            orders = [(first, second, int(third))]
        else:
            orders = [(third, second, int(first)), (third, int(first), second)][: 1 if match["mark"] == "." else 2]
        for written, month, day in orders:
            yield from ((year, month, day) for year in _read_years(written) if _is_date(month, day))
    elif match["day"]:
        first_number, other = int(match["day"]), int(match["other"])
        yield from ((None, month, day) for day, month in {(first_number, other), (other, first_number)} if _is_date(month, day))
    else:
        year_text, month_text = sorted((match["from"], match["to"]), key=len, reverse=True)
        if len(year_text) > len(month_text) and _is_date(int(month_text), None):
            yield int(year_text), int(month_text), None


def _read_years(written: str) -> list[int]:
    """Return which years two or four digits can mean."""
    if len(written) == len("31"):
        return [century + int(written) for century in _CENTURIES]
    return [int(written)] if len(written) == len("2031") else []


def _is_date(month: int, day: int | None) -> bool:
    return 1 <= month <= 12 and (day is None or 1 <= day <= 31)
