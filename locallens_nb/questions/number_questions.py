"""Whether a question asks for a number, a time or a date, by the words that it asks with. Pure."""

from __future__ import annotations

import re

_ASKING = {
    "en": r"how (?:many|much|long|high|tall|deep|wide|thick|large|big|small|heavy|old|young|fast|slow|often|far|late|early|hot"
    r"|cold|bright|loud|strong|soon)|when|(?:what|which) (?:year|date|day|time|hour|age|number|percentage|share|temperature"
    r"|speed|price|size|length|width|height|depth|weight|distance|frequency)",
    "es": r"cu[aá]nt[oa]s?|cu[aá]ndo|(?:qu[eé]|cu[aá]l) (?:a[nñ]o|d[ií]a|fecha|hora|edad|porcentaje|temperatura|precio)",
    "pt": r"quant[oa]s?|quando|(?:que|qual) (?:ano|dia|data|hora|horas|idade|percentagem|porcentagem|temperatura|pre[cç]o)",
    "de": r"wie ?viele?|wann|wie (?:lange?|hoch|oft|gro[sß]s?|alt|weit|breit|tief|schwer|schnell|teuer|hei(?:ß|ss)|kalt)"
    r"|welche[mnrs]? (?:jahr|tag|datum|uhrzeit|alter|temperatur|preis)",
    "fr": r"combien|quand|quelle? (?:ann[eé]e|jour|date|heure|[aâ]ge|temp[eé]rature|prix|taille)",
    "it": r"quant[oaie]|quando|(?:che|quale) (?:anno|giorno|data|ora|et[aà]|temperatura|prezzo)",
    "nl": r"hoeveel|wanneer|hoe (?:lang|hoog|vaak|groot|oud|ver|diep|breed|zwaar|snel)|welke? (?:jaar|dag|datum)",
    "sv": r"hur (?:många|mycket|länge|lång|hög|ofta|stor|gammal|långt)|när",
    "pl": r"ile|kiedy|jak (?:długo|wysoko|często|daleko)|(?:którym|jakim) (?:roku|dniu)",
    "ru": r"сколько|когда|как (?:долго|часто|далеко|высоко)|каком году",
}
_UNSPACED = (
    "多少|几|幾|哪一?年|哪天|何时|何時|什么时候|什麼時候|多久|多大|多高|多长|多長|多远|多遠"
    "|何年|何月|何日|何人|何個|何回|いつ|いくつ|いくら|どのくらい"
)
_ASKS_FOR_NUMBER = re.compile(rf"\b(?:{'|'.join(_ASKING.values())})\b|{_UNSPACED}", re.IGNORECASE)


def asks_for_number(question: str) -> bool:
    """Return whether the answer to a question is likely to have digits: *how many*, *when*, *quanto*, *wie lange*, *多少*."""
    return _ASKS_FOR_NUMBER.search(question) is not None
