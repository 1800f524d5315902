"""A question as a person types it: its text, the files that it is limited to, what it quotes and what it names. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from locallens_nb.errors import InvalidQuestionError
from locallens_nb.language.words import CJK, UNSPACED_LETTERS

WORD_CHARACTER = rf"[^\W{UNSPACED_LETTERS}{CJK}]"
"""A character of a word in a script that parts its words: in the others a code stands between letters without a space."""

_PHRASE = (
    r"(?<!\w)\"(?=\S)(?P<straight>[^\"]{1,400}?)(?<=\S)\"(?!\w)|“(?P<curly>[^“”]{1,400})”|„(?P<low>[^„“”]{1,400})[“”]"
    r"|«(?P<angled>[^«»]{1,400})»|»(?P<inward>[^«»]{1,400})«|「(?P<corner>[^「」]{1,400})」|『(?P<hollow>[^『』]{1,400})』"
    r"|(?<!\w)‘(?=\S)(?P<single>[^‘]{1,400}?)’(?!\w)"
)
_CODE = r"(?<!`)`[^`\n]+`"
_FILTER = (
    r"(?<!\S)(?P<kind>file|in):(?:\"(?P<quoted>[^\"\n]+)\"|“(?P<typeset>[^“”\n]+)”|(?P<bare>[^\s\"“]+))"
    r"(?P<after>[^\s\w]*)(?!\S)"
)
_PIECE = re.compile(rf"{_FILTER}|{_CODE}|{_PHRASE}")
_PHRASES = re.compile(rf"{_CODE}|{_PHRASE}")
_NO_PATTERN = re.compile(r"//|\\\\|.*:|[^\w*?\[]*\Z")
"""What a filter without quotes is not: the rest of an address or of a Windows path, or punctuation alone."""
_CLOSING = ".,;:!?)…。，；：！？、'’"

_UNIT = (
    r"[kmgt]i?b(?:ps|it|/s)?|bytes?|bits?|[kmg]?hz|[mnuµ]s|[cmknuµ]?m|km/h|mph|[kmuµ]?g|lbs?|m?l|[kmg]?wh?|[km]?v|m?ah?"
    r"|°\s?[cf]|px|pt|dpi|rpm|usd|eur|gbp|brl|%|€|\$|£"
)
_QUANTITY = re.compile(rf"(?<![\w.,])(\d+(?:[.,]\d+)*)\s?({_UNIT})(?!\w)", re.IGNORECASE)
_NAME = re.compile(
    rf"(?<!{WORD_CHARACTER})(?:--?(?=[a-z])|[#@](?={WORD_CHARACTER}))?{WORD_CHARACTER}+(?:(?:[.:/\\@+-]|::|->|(?<=\d),(?=\d)){WORD_CHARACTER}+)*(?:\(\)?)?"
)
_PLAIN_NUMBER = re.compile(r"\d{1,4}(?:st|nd|rd|th|s|er|ern)?|\d{1,3}[,.]\d|\d{1,4}-\d{1,4}|[^\d]*", re.IGNORECASE)
_DOTTED = re.compile(r"[^\W\d]{2,}(?:(?:\.|::|->)[^\W\d]{2,})+")
_TABLE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‑": "-", "\u00ad": None})


@dataclass(frozen=True, slots=True)
class Filters:
    """Which files of a brain a question is limited to: any of ``files`` that is in any of ``folders``; empty is no limit."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Say whether there is any limit."""
        return bool(self.files or self.folders)

    def __str__(self) -> str:
        """Return them as they can be typed."""
        typed = [("file", pattern) for pattern in self.files] + [("in", pattern) for pattern in self.folders]
        return " ".join(f'{kind}:"{pattern}"' if " " in pattern else f"{kind}:{pattern}" for kind, pattern in typed)

    def allows(self, path: str) -> bool:
        """Say whether a document, by its relative path, may be searched."""
        folded = _fold_path(path)
        return _matches_any(self.files, folded, _matches_file) and _matches_any(self.folders, folded, _matches_folder)


@dataclass(frozen=True, slots=True)
class Query:
    """A question without its filters, which is what is embedded, compared and read by the model; and the filters."""

    text: str
    filters: Filters


def parse_query(question: str) -> Query:
    r"""Take ``file:PATTERN`` and ``in:FOLDER`` out of a question, wherever they stand.

    A pattern is a name, a path or the end of one, or a glob over them (``*`` also stands for ``/``); upper and lower case are
    the same. One with a space is put in double quotes. Several of a kind add up. To be told from ordinary text, a filter is
    in lower case, begins a word and has its pattern right after the colon: ``in: the box``, ``profile:x``, ``file://host/x``,
    ``file:C:\x``, and whatever stands in quotes or backticks is left alone.

    Raises
    ------
    InvalidQuestionError
        When there is nothing but filters.
    """
    found: dict[str, list[str]] = {"file": [], "in": []}
    text, position = "", 0
    for match in _PIECE.finditer(question):
        pattern, after = _read_pattern(match)
        if pattern:
            found[match["kind"]].append(pattern)
            text = _join(text, question[position : match.start()]).rstrip(" \t") + after
            position = match.end()
    filters = Filters(tuple(dict.fromkeys(found["file"])), tuple(dict.fromkeys(found["in"])))
    text = _join(text, question[position:]).strip() if filters else question
    if filters and not re.search(r"\w", text):
        raise InvalidQuestionError(
            f"There is no question beside {filters}.", hint="Write what you want to know of those files."
        )
    return Query(text, filters)


def _read_pattern(match: re.Match[str]) -> tuple[str, str]:
    """Return the pattern of a filter and the punctuation after it, which belongs to the question; "" when it is none."""
    if not match["kind"]:
        return "", ""
    if match["bare"] is None:
        return _clean_pattern(match["quoted"] or match["typeset"]), match["after"]
    if _NO_PATTERN.match(match["bare"]):
        return "", ""
    pattern = match["bare"].rstrip(_CLOSING)
    return _clean_pattern(pattern), match["bare"][len(pattern) :] + match["after"]


def _clean_pattern(pattern: str) -> str:
    return pattern.strip().replace("\\", "/").removeprefix("./").strip("/")


def _join(left: str, right: str) -> str:
    """Join what stood on both sides of a filter by a single space, or by the line end that was there."""
    if not left or right[:1] == "\n" or not right:
        return left + right
    return f"{left} {right.lstrip(' ' + chr(9))}"


def require_allowed(filters: Filters, paths: Iterable[str]) -> None:
    """Refuse filters that allow none of a brain's documents.

    Raises
    ------
    InvalidQuestionError
        Its hint has the names that are near.
    """
    known = sorted(set(paths))
    if not filters or any(filters.allows(path) for path in known):
        return
    near = _find_near_names(filters, known)
    hint = f"Near names: {', '.join(near)}." if near else f"Files here: {', '.join(known[:3])}{' …' if known[3:] else '.'}"
    raise InvalidQuestionError(
        f"No file of this brain matches {filters}.", hint=f"{hint} If it is part of what you ask, put it in double quotes."
    )


def _find_near_names(filters: Filters, paths: Sequence[str]) -> list[str]:
    folders = {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents if parent.name}
    near: list[str] = []
    for pattern, names in [*((one, paths) for one in filters.files), *((one, sorted(folders)) for one in filters.folders)]:
        wanted = _fold_path(pattern).strip("*?/")
        by_form = {form: name for name in names for form in (_fold_path(name), PurePosixPath(_fold_path(name)).name)}
        by_form |= {PurePosixPath(form).stem: name for form, name in by_form.items()}
        forms = [form for form in by_form if wanted in form] + get_close_matches(wanted, by_form, n=3, cutoff=0.6)
        near += [by_form[form] for form in forms]
    return list(dict.fromkeys(near))[:3]


def _matches_any(patterns: Sequence[str], path: str, matches: Callable[[str, str], bool]) -> bool:
    return not patterns or any(matches(_fold_path(pattern), path) for pattern in patterns)


def _matches_file(pattern: str, path: str) -> bool:
    """Compare with the path, its end, its name, and the name without its extension."""
    name = path.rpartition("/")[2]
    if pattern in {name, name.rpartition(".")[0]} or f"/{path}".endswith(f"/{pattern}"):
        return True
    return _is_glob(pattern) and (fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}"))


def _matches_folder(pattern: str, path: str) -> bool:
    if not _is_glob(pattern):
        return f"/{pattern}/" in f"/{path}"
    folders = [parent.as_posix() for parent in PurePosixPath(path).parents if parent.name]
    return any(fnmatchcase(folder, pattern) or fnmatchcase(folder, f"*/{pattern}") for folder in folders)


def _is_glob(pattern: str) -> bool:
    return re.search(r"[*?\[]", pattern) is not None


def _fold_path(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def find_phrases(text: str) -> tuple[str, ...]:
    """Return what stands in double quotes of any kind, or in typographic single ones; not in backticks.

    Apostrophes and inches begin no phrase. The punctuation that ends a phrase is no part of it.
    """
    found = (match[match.lastgroup] for match in _PHRASES.finditer(text) if match.lastgroup)
    phrases = (" ".join(phrase.split()).rstrip(" " + _CLOSING) for phrase in found)
    return tuple(dict.fromkeys(phrase for phrase in phrases if re.search(r"\w", phrase)))


def find_exact_tokens(text: str) -> tuple[str, ...]:
    """Return what a text names to the letter, each once: ids, codes, identifiers, file names, options, dates and quantities.

    Ordinary words and acronyms are none, nor are years, counts and ordinals: they tell of whom, when and how many, and what a
    question is about often stands in a text that says it otherwise. A call ``name()`` gives the name when it is an
    identifier, else ``name(``.
    """
    found = [match.group() for match in _QUANTITY.finditer(text)]
    for match in _NAME.finditer(text):
        name = match.group().rstrip("()")
        is_called = name != match.group()
        if _is_exact(name):
            found.append(name)
        elif is_called and match.group().endswith("()"):
            found.append(f"{name}(")
    return tuple(dict.fromkeys(found))


def _is_exact(name: str) -> bool:
    if not _PLAIN_NUMBER.fullmatch(name) or re.search(r"\w[_@]\w|^__?\w|^--|[a-z]{2}[A-Z]", name):
        return True
    return any(_DOTTED.fullmatch(part) for part in re.split(r"[/\\]", name))


def find_named_files(text: str, paths: Iterable[str]) -> set[str]:
    """Return the paths whose file name a text holds, or only those whose path it holds furthest: ``docs/index.md``.

    Only names with a dot count; a file called ``notes`` is a word like any other.
    """
    folded = _fold_path(text).replace("\\", "/")
    reach: dict[str, int] = {}
    for path in paths if "." in folded else ():
        parts = _fold_path(path).split("/")
        if "." not in parts[-1].strip(".") or parts[-1] not in folded:
            continue
        depth = next(
            (deep for deep in range(len(parts), 0, -1) if _holds_name(folded, "/".join(parts[-deep:]))),
            0,
        )
        if depth:
            reach[path] = depth
    furthest: dict[str, int] = {}
    for path, depth in reach.items():
        name = _fold_path(path).rpartition("/")[2]
        furthest[name] = max(furthest.get(name, 0), depth)
    return {path for path, depth in reach.items() if depth == furthest[_fold_path(path).rpartition("/")[2]]}


def _holds_name(text: str, name: str) -> bool:
    return re.search(rf"(?<!{WORD_CHARACTER})(?<![.\-]){re.escape(name)}(?!{WORD_CHARACTER})", text) is not None


def fold_text(text: str) -> str:
    """Return a text as literal words are looked for in it: without case, with single spaces and plain quotes and dashes."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    return " ".join(text.casefold().split())


def spell_literal(text: str) -> tuple[str, ...]:
    """Return how a phrase or an exact token may be written in a folded text: a quantity with and without its space."""
    folded = fold_text(text)
    quantity = _QUANTITY.fullmatch(folded)
    return (f"{quantity[1]}{quantity[2]}", f"{quantity[1]} {quantity[2]}") if quantity else (folded,)


def literal_pattern(text: str) -> re.Pattern[str]:
    """Return what finds a phrase or an exact token in a folded text, and not as a part of something longer."""
    spellings = spell_literal(text)
    folded = spellings[0]
    middle = f"(?:{'|'.join(map(re.escape, spellings))})"
    before = rf"(?<!{WORD_CHARACTER})" if re.match(WORD_CHARACTER, folded[:1]) else ""
    after = rf"(?!{WORD_CHARACTER})" if re.match(WORD_CHARACTER, folded[-1:]) else ""
    if folded[:1].isdigit():
        before += r"(?<!\d[.,])"
    if folded[-1:].isdigit():
        after += r"(?![.,]\d)"
    return re.compile(before + middle + after)
