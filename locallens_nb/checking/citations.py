"""The ``[number]`` references of an answer: found in whatever form a model writes them, and written in one. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_AND = r"and|to|or|e|y|o|und|bis|oder|et|à|ou|en|of|och|og|i|и|или"
_NUMBERS = rf"\^?\d{{1,30}}(?:(?:\s*(?:[,;&+/、，・~-]|[.]{{2,3}}|[…–—]|\b(?:{_AND})\b)){{1,2}}\s*\^?\d{{1,30}})*"
_NAMES = (
    r"sources?|excerpts?|chunks?|refs?|references?|citations?|cite|docs?|documents?|passages?|notes?|footnotes?|nos?|nr|see"
    r"|fontes?|fonti|trechos?|fuentes?|quellen?|extraits?|bron(?:nen)?|documentos?|источники?|фрагмент|отрывок|документ"
    r"|来源|來源|出处|出典|摘录|片段|文档|资料|資料|参考|引用|抜粋|文書"
)
_LABEL = rf"(?:(?:{_NAMES})\.?\s*[:#：№]?\s*|[#№]\s*)?"
_REFERENCE_OR_CODE = re.compile(
    rf"(?<!`)(?P<ticks>`{{1,3}})(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`)"
    rf"|(?<!\s)\s*+(?P<open>\[{{1,3}}|[【［〔〖])\s*{_LABEL}(?P<numbers>{_NUMBERS})"
    r"(?:\s*†[^\]】］〕〗\n]*|[\s,;:#]*chunk[-\s]?\d+)?[.,;?]?\s*(?:\]{1,3}|[】］〕〗])"
    r"(?:\((?:[^()\s]*)\)|:(?=\s))?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"\s*(?:[,;&/、，–—-]|\b(?:{_AND})\b)?\s*")
_RANGE = re.compile(r"(\d+)\s*(?:[-–—~…]|[.]{2,3}|\b(?:to|bis|à)\b)\s*\^?(\d+)", re.IGNORECASE)
_FULL_STOP = ".!?…:;。！？：；"
_END = re.compile(rf"(?<!\s)\s*+(?:(?<![{_FULL_STOP}])[{_FULL_STOP}]++[\"'”’)*_]*+)?[ \t]*+(?:\|[ \t]*+)?\s*\Z")
"""What a reference at the end of a sentence, or of a row of a table, stands before."""
ESCAPED = re.compile(r"\\\[([^\[\]\\\n]+)\\\]")
r"""A bracket that is escaped, as in the ``\[3\]`` of :func:`escape_references`."""

_INDEXED = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference in a text, with the white space before it.

    ``numbers`` are those that exist, in order and each once; ``text[start_offset:end_offset]`` is what a model wrote.
    """

    start_offset: int
    end_offset: int
    numbers: tuple[int, ...]


def find_references(text: str, *, count: int) -> list[Reference]:
    """Return the references of a text outside its code spans: ``[1]``, ``[1, 2]``, ``[1-3]``, ``【1】``, ``[^1]`` and the like.

    Parameters
    ----------
    count
        How many excerpts there are; greater numbers, and 0, refer to nothing.
    """
    return [
        Reference(match.start(), match.end(), _read_numbers(match["numbers"], count))
        for match in _REFERENCE_OR_CODE.finditer(text)
        if match["open"] and not text.endswith("\\", 0, match.start("open"))
    ]


def cite(text: str, numbers: Sequence[int], *, count: int) -> str:
    """Return a sentence with exactly these references, each written as ``[number]``.

    Those that the sentence has stay where they stand, and what refers to nothing or to another excerpt goes, with the comma or
    the *and* that joined it to others. Those that it lacks take the place of the only one within the sentence if that goes
    (*according to [7], …*), and come at its end otherwise, before the full stop.
    """
    missing = list(dict.fromkeys(numbers))
    groups = _group(text, find_references(text, count=count), missing)
    replaces = len(groups) == 1 and not set(groups[0].numbers).intersection(missing) and _stands_within(text, groups[0])
    pieces: list[str] = []
    position = 0
    for reference in groups:
        kept = missing if replaces else [number for number in reference.numbers if number in missing]
        missing = [number for number in missing if number not in kept]
        before = text[position : reference.start_offset]
        pieces += [before, _format(kept, spaced=bool(before.strip() or any(map(str.strip, pieces))))]
        position = reference.end_offset
    body = "".join([*pieces, text[position:]])
    if not text[:1].isspace():
        body = body.lstrip()
    return _END.sub(lambda end: _format(missing, spaced=bool(body[: end.start()].strip())) + end[0], body, count=1)


def _group(text: str, references: Sequence[Reference], right: Sequence[int]) -> list[Reference]:
    """Return the references, those that are joined (``[1], [7]``) as one where any of them goes."""
    runs: list[list[Reference]] = []
    for reference in references:
        if runs and _BETWEEN.fullmatch(text, runs[-1][-1].end_offset, reference.start_offset):
            runs[-1].append(reference)
        else:
            runs.append([reference])
    groups: list[Reference] = []
    for run in runs:
        if all(len(one.numbers) == 1 and one.numbers[0] in right for one in run):
            groups += run
        else:
            numbers = tuple(dict.fromkeys(number for one in run for number in one.numbers))
            groups.append(Reference(run[0].start_offset, run[-1].end_offset, numbers))
    return groups


def _stands_within(text: str, reference: Reference) -> bool:
    """Return whether a reference stands between words, and not right after one as an index does."""
    before, after = text[: reference.start_offset], text[reference.end_offset :]
    return text[reference.start_offset].isspace() and all(re.search(r"\w", part) for part in (before, after))


def escape_references(text: str) -> str:
    r"""Return a text of a document whose own ``[3]`` no reader takes for a reference of the answer: ``\[3\]``."""
    pieces: list[str] = []
    position = 0
    for reference in find_references(text, count=0):
        found = text[reference.start_offset : reference.end_offset]
        pieces += [text[position : reference.start_offset], re.sub(r"([\[\]【】［］])", _escape_bracket, found)]
        position = reference.end_offset
    return "".join([*pieces, text[position:]])


def unescape_references(text: str) -> str:
    r"""Return a text as plain text shows it, where ``\[3\]`` of a document is ``[3]`` again."""
    return ESCAPED.sub(r"[\1]", text)


def protect_indices(text: str, excerpts: Sequence[str]) -> str:
    """Return a text in which an index expression of the excerpts, such as ``args[0]``, is a code span and no reference."""
    pieces: list[str] = []
    position = 0
    for reference in find_references(text, count=0):
        before, index = text[position : reference.start_offset], text[reference.start_offset : reference.end_offset]
        name = _INDEXED.search(before)
        if name and not index[0].isspace() and any(name[0] + index in excerpt for excerpt in excerpts):
            before, index = before[: name.start()], f"`{name[0]}{index}`"
        pieces += [before, index]
        position = reference.end_offset
    return "".join([*pieces, text[position:]])


def _escape_bracket(match: re.Match[str]) -> str:
    return "\\" + {"【": "[", "［": "[", "】": "]", "］": "]"}.get(match.group(), match.group())


def _read_numbers(text: str, count: int) -> tuple[int, ...]:
    plain = text.replace("^", "")
    spelled = _RANGE.sub(lambda match: " ".join(map(str, _spell_range(int(match[1]), int(match[2]), count))), plain)
    return tuple(dict.fromkeys(number for number in map(int, re.findall(r"\d+", spelled)) if 1 <= number <= count))


def _spell_range(first: int, last: int, count: int) -> range:
    return range(max(first, 1), min(last, count) + 1)


def _format(numbers: Sequence[int], *, spaced: bool) -> str:
    marks = " ".join(f"[{number}]" for number in numbers)
    return f" {marks}" if marks and spaced else marks
