"""What a question asks of code and settings: where a name is made, what it is there for, which value it has. Pure."""

from __future__ import annotations

import re
from collections.abc import Set

from locallens_nb.language.question_language import function_words, guess_language
from locallens_nb.language.words import split_words
from locallens_nb.passages.definitions import definition_pattern, finds_definition
from locallens_nb.questions.query import find_exact_tokens

_WHERE = re.compile(r"\b(?:where|(?:which|what) (?:file|module)|wo|onde|d[oó]nde|où|dove)\b", re.IGNORECASE)
_DEFINED = re.compile(r"\b(?:re)?(?:defin|declar|deklar|impl[eé]ment|d[eé]fin)\w*", re.IGNORECASE)
_WHAT = re.compile(
    r"\b(?:what (?:do|does|is|are)|what's|purpose of|o que (?:faz|é|são)|qu[eé] (?:hace|es)|was (?:macht|ist)|que fait)\b",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    r"\b(?:default|defecto|predeterminad|padr[aã]o|predefinit|d[eé]faut|standardm[aä]|voreingestellt)\w*", re.IGNORECASE
)
_KINDS = r"class|function|method|constant|variable|interface|type|enum|struct|exception|decorator|hook|macro|trait|setting"
_NO_NAME = r"(?!(?:the|an?|this|that|which|what|each|for|of|in|is|are|used|defined|declared|implemented)\b)"
_NAMED = re.compile(
    rf"\b(?:{_KINDS})\s+`?{_NO_NAME}(?P<after>[A-Za-z_]\w*)|`?\b{_NO_NAME}(?P<before>[A-Za-z_]\w*)`?\s+(?:{_KINDS})\b"
    rf"|\b(?:is|are)\s+(?:the\s+)?`?{_NO_NAME}(?P<alone>[A-Za-z_][\w.]*)`?\s+(?:re)?(?:defined|declared|implemented)\b"
)
_SET_IN_CODE = re.compile(
    r"(?<![\w-])(?P<name>[\w-]{1,80})[\"'`]?[ \t]*(?:\??:[^=,()\n]{0,60})?(?<![=!<>])=(?![=>])[ \t]*"
    r"(?:[-+]?\.?\d|[\"'`\[{]|(?:None|null|nil|undefined|[Tt]rue|[Ff]alse)\b)"
    r"|(?<![\w-])--?(?P<option>[a-z][\w-]{0,80})[ =]\d|^[ \t]*[\"'`]?(?P<key>[\w-]{1,80})[\"'`]?:[ \t]*[-+\d\"'`]",
    re.MULTILINE,
)
_VALUE = re.compile(r"\d|`[^`\n]+`|'[^'\n]+'|\"[^\"\n]+\"|\b(?:None|null|undefined|[Tt]rue|[Ff]alse)\b")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_SET_IN_DATA = re.compile(r"^[ \t]*(?:- )?[\"']?(?P<key>[\w.-]+)[\"']?[ \t]*[:=][ \t]*[^\s{\[]", re.MULTILINE)


class CodeQuestion:
    """What a question asks for, by which code that answers is told from code that holds the same words.

    Parameters
    ----------
    question
        In any of the languages that people write about code in; where it asks for nothing of the kind, no statement fits.
    """

    def __init__(self, question: str) -> None:
        names = find_exact_tokens(question)
        is_where = bool(_WHERE.search(question) and _DEFINED.search(question))
        asked = (*names, *find_asked_definitions(question)) if is_where else ()
        self._definitions = [definition_pattern(name) for name in asked]
        self._options = [re.compile(rf"[\"'`]{re.escape(name)}[\"'`=\s]") for name in names if name.startswith("--")]
        self._defined = _find_words(_DEFINED, question) if is_where else frozenset[str]()
        self._default = _find_words(_DEFAULT, question)
        is_what = not is_where and not self._default and bool(_WHAT.search(question))
        self._subjects = frozenset(name.rstrip("(").casefold() for name in names) if is_what else frozenset[str]()
        self._named = [
            re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in names if _IDENTIFIER.fullmatch(name)
        ]
        words = frozenset(split_words(question)) - function_words(guess_language(question)) - self._default
        self._settable = frozenset[str]() if is_where else words

    def find_meant(self, statement: str, *, shown: str, context: str = "", is_data: bool) -> Set[str]:
        """Return the words of the question for *defined* or *default* that a statement says without words.

        Parameters are those of :meth:`is_answered_by`.
        """
        if self._defines(statement, context):
            return self._defined
        return self._default if self._default and self._sets(statement, shown, is_data=is_data) else frozenset()

    def is_answered_by(
        self, statement: str, *, shown: str, context: str = "", subject: str = "", is_data: bool = False
    ) -> bool:
        """Return whether a statement of code or a line of data is by its form what the question asks for.

        Parameters
        ----------
        shown
            The statement with the names that it stands under.
        context
            What it stands in.
        subject
            The name that a statement of a documentation tells of; "" for any other.
        is_data
            Whether the statement is one of settings rather than of code.
        """
        if self._definitions:
            return self._defines(statement, context)
        if subject:
            return subject.casefold() in self._subjects or self.is_told_default(shown)
        return any(option.search(statement) for option in self._options) or self._sets(statement, shown, is_data=is_data)

    def _defines(self, statement: str, context: str) -> bool:
        return any(finds_definition(pattern, statement, before=context) for pattern in self._definitions)

    def is_told_default(self, shown: str) -> bool:
        """Return whether a sentence tells the default of what the question names."""
        tells = self._default and _DEFAULT.search(shown) and _VALUE.search(shown)
        return bool(tells) and self._has_names(shown) and self._names_in(shown)

    def _sets(self, statement: str, shown: str, *, is_data: bool) -> bool:
        """Return whether a statement gives a value to what the question names, or a default to what stands under its name."""
        found = (_SET_IN_DATA if is_data else _SET_IN_CODE).finditer(statement)
        names = [one[one.lastgroup or 0] for one in found]
        is_default = bool(self._default) and any(_DEFAULT.fullmatch(name) for name in names)
        return self._has_names(shown) and (any(map(self._names_in, names)) or (is_default and self._names_in(shown)))

    def _has_names(self, shown: str) -> bool:
        """Return whether one of the identifiers stands there that the question names, if it names any."""
        return not self._named or any(name.search(shown) for name in self._named)

    def _names_in(self, text: str) -> bool:
        return not self._settable.isdisjoint(split_words(text))


def find_asked_definitions(question: str) -> tuple[str, ...]:
    """Return the names that a question asks the definition of, though they look like words: *where is the Worker class*."""
    if not (_WHERE.search(question) and _DEFINED.search(question)):
        return ()
    return tuple(dict.fromkeys(found[found.lastgroup] for found in _NAMED.finditer(question) if found.lastgroup))


def _find_words(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(word for said in pattern.findall(text) for word in split_words(said))
