"""The numbers from 2 to 99 as they are written out in six languages. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

_UNITS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen",
    "pt": "um/uma dois/duas tres quatro cinco seis sete oito nove dez onze doze treze quatorze/catorze quinze "
    "dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove",
    "es": "uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete "
    "dieciocho diecinueve",
    "de": "ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn "
    "neunzehn",
    "fr": "un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix_sept dix_huit "
    "dix_neuf",
    "it": "uno/un/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove",
}
"""From 1 on, without accents, as :func:`~locallens_nb.language.words.find_words` gives the words.

``/`` parts the forms of one number.
"""
LANGUAGES = tuple(_UNITS)
"""The ISO 639-1 codes of the six, English first."""
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "de": "zwanzig dreissig/dreisig vierzig funfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante septante quatre_vingts/quatre_vingt/huitante nonante",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
}
_JOINED = {
    "en": ("{ten} {unit}",),
    "pt": ("{ten} e {unit}",),
    "es": ("{ten} y {unit}", "{cut}i{unit}"),
    "de": ("{unit}und{ten}",),
    "fr": ("{ten} {unit}", "{ten} et {unit}"),
    "it": ("{ten}{unit}", "{cut}{unit}"),
}
"""How a ten and what is added to it are written; ``cut`` is the ten without its last letter: *ventuno*, *veintiuno*."""
_MOST_WORDS = 4

_PARTS_OF_OTHERS = (
    "hundred thousand million billion trillion dozen cem cento centos mil milhao milhoes cien ciento cientos millon millones "
    "hundert tausend millionen milliarde milliarden cent cents mille millions milliard milliards mila milione milioni miliardo "
    "miliardi first second third fourth fifth sixth seventh eighth ninth unieme thirds quarters fifths tenths tercios tercos "
    "quintos drittel viertel tiers quarts terzi quarti"
)
"""With these, number words are part of a greater number, an ordinal or a fraction, which are not read."""
_JOINS = r"[\s-]+(?:(?:and|e|y|et)[\s-]+)?"
_ALSO_WORDS = {"de": ("acht",), "fr": ("neuf",), "it": ("sei",)}
"""Also *care*, *new* and *are*: they are not told from numbers."""


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as it is written out in a text; ``form`` is what it is in digits."""

    start_offset: int
    end_offset: int
    form: str


def find_number_words(folded: str, language: str) -> Iterator[WrittenNumber]:
    """Yield the numbers from 2 to 99 that stand by themselves in a text.

    Parameters
    ----------
    folded
        As :func:`~locallens_nb.language.dates.fold_letters` gives it.
    language
        One of :data:`LANGUAGES`: in one of them *once* and *due* are numbers, in another they are not.
    """
    for run in _run_pattern(language).finditer(folded):
        words = tuple(re.split(r"[\s-]+", run.group()))
        if words in _numbers() and run.group() not in _ALSO_WORDS.get(language, ()):
            yield WrittenNumber(run.start(), run.end(), _numbers()[words])


def read_number_words(words: Sequence[str]) -> frozenset[str]:
    """Return the numbers from 2 to 99 that are written out, in digits; of *twenty-one* only the whole.

    Parameters
    ----------
    words
        As :func:`~locallens_nb.language.words.find_words` gives them.
    """
    numbers = _numbers()
    found: set[str] = set()
    at = 0
    while at < len(words):
        phrases = [tuple(words[at : at + length]) for length in range(_MOST_WORDS, 0, -1)]
        phrase = next((phrase for phrase in phrases if phrase in numbers), ())
        if phrase:
            found.add(numbers[phrase])
        at += len(phrase) or 1
    return frozenset(found)


def is_number_word(word: str) -> bool:
    """Return whether a word by itself is a number from 2 to 99 in one of the languages."""
    return (word,) in _numbers()


def spell_number(number: str) -> tuple[tuple[str, ...], ...]:
    """Return the ways in which a number in digits is written out, each as its words."""
    return _spellings().get(number, ())


@cache
def _run_pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for as many words of numbers as stand in a row."""
    spellings = {word for _, spelling in _spell_all(language) for word in spelling.replace("_", " ").split()}
    words = "|".join(sorted({*spellings, *_PARTS_OF_OTHERS.split()} - {"e", "y", "et"}, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{words})(?:{_JOINS}(?:{words}))*(?!\w)")


@cache
def _numbers() -> Mapping[tuple[str, ...], str]:
    return {
        tuple(spelling.replace("_", " ").split()): str(number)
        for language in _UNITS
        for number, spelling in _spell_all(language)
        if number > 1
    }


@cache
def _spellings() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    spellings: dict[str, tuple[tuple[str, ...], ...]] = defaultdict(tuple)
    for words, number in _numbers().items():
        spellings[number] += (words,)
    return spellings


def _spell_all(language: str) -> Iterator[tuple[int, str]]:
    units = [(number, unit) for number, forms in enumerate(_UNITS[language].split(), start=1) for unit in forms.split("/")]
    yield from units
    for ten, forms in zip(range(20, 100, 10), _TENS[language].split(), strict=True):
        most = 19 if language == "fr" and ten in {60, 80} else 9
        for word in forms.split("/"):
            yield ten, word
            for joined in _JOINED[language]:
                for number, unit in units:
                    if number <= most:
                        yield ten + number, joined.format(ten=word, cut=word[:-1], unit=unit)
