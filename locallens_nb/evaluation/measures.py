"""How answers are measured: when a text holds an expected answer, and how far a rate can be trusted. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from locallens_nb.language.words import IDEOGRAPHS, UNSPACED_LETTERS

CONFIDENCE = 0.95
"""Confidence of the interval of a rate."""

_UNSPACED = UNSPACED_LETTERS + IDEOGRAPHS
"""Scripts that are written without spaces: each character is compared by itself."""

_TOKEN = re.compile(
    rf"(?P<number>(?:(?<![\w.,)\]])-)?\d+(?:[.,']\d+)*)|[{_UNSPACED}]|[^\W\d_{_UNSPACED}][^\W_{_UNSPACED}]*",
)
_ACCENTS = re.compile("[\u0300-\u036f]")
_GROUPED_BY_COMMAS = re.compile(r"-?\d{1,3}(?:[,']\d{3})+(?:\.\d+)?")
_GROUPED_BY_DOTS = re.compile(r"-?\d{1,3}(?:(?:\.\d{3}){2,}(?:,\d+)?|\.\d{3},\d+)")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")

_ARTICLES = frozenset(
    re.findall(
        r"\w+",
        """a an the
        el la los las lo un una unos unas
        der die das den dem des ein eine einen einem eines einer
        o os as um uma uns umas
        le les une""",
    )
)
"""Of English, as in SQuAD, of Spanish and German, as in MLQA, and of Portuguese and French."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something was the case.

    Attributes
    ----------
    count, n
        It was, in so many of so many.
    value
        Their ratio; None when ``n`` is 0.
    low, high
        Ends of the Wilson score interval at :data:`CONFIDENCE`; None as above.
    """

    count: int
    n: int
    value: float | None
    low: float | None
    high: float | None


def rate(count: int, n: int) -> Rate:
    """Return a rate with its interval.

    The interval is that of E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal
    of the American Statistical Association 22 (1927): it stays within 0 and 1, and is honest for few cases and for rates
    near the ends.
    """
    if n == 0:
        return Rate(count, n, None, None, None)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    value = count / n
    centre = (value + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * (value * (1 - value) / n + z * z / (4 * n * n)) ** 0.5
    return Rate(count, n, value, max(0.0, centre - reach), min(1.0, centre + reach))


def holds_any(text: str, expected: Iterable[str]) -> bool:
    """Return whether a text contains one of the expected texts, whole words compared.

    As in SQuAD, case, punctuation and articles do not count, nor do accents. Numbers must be the same ones: "12" is not in
    "3.12" or "CO12", and "-3" is not "3"; "38,000" is "38000" and "1,37" is "1.37".
    """
    tokens = _split_tokens(text)
    return any(_contains(tokens, words) if (words := _split_tokens(one)) else one in text for one in expected)


def _contains(tokens: Sequence[str], expected: Sequence[str]) -> bool:
    content = [token for token in expected if token not in _ARTICLES]
    if content:  # an expected "A" is more than an article
        tokens, expected = [token for token in tokens if token not in _ARTICLES], content
    return f" {' '.join(expected)} " in f" {' '.join(tokens)} "


def _split_tokens(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2019", "'").casefold()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", plain))
    plain = unicodedata.normalize("NFC", plain)  # composed again: Korean syllables came apart
    return [_write_number(token[0]) if token["number"] else token[0] for token in _TOKEN.finditer(plain)]


def _write_number(text: str) -> str:
    """Return a number without grouping and with a decimal point; one dot before three digits stays as it is."""
    if _GROUPED_BY_COMMAS.fullmatch(text):
        return text.replace(",", "").replace("'", "")
    if _GROUPED_BY_DOTS.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text
