"""An answer as it may be shown: sentence by sentence, each checked, with the references that the check found right. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from textwrap import dedent

from locallens_nb.checking.citations import cite, find_references, protect_indices
from locallens_nb.checking.support import Verdict
from locallens_nb.domain import AnswerSentence, SearchHit
from locallens_nb.language.pleasantries import is_pleasantry
from locallens_nb.language.refusals import is_refusal
from locallens_nb.language.sentences import SentenceEndFinder

_FENCE = re.compile(r"\s*(`{3,}(?![^\n]*`)|~{3,})")
"""What opens a block of code; backticks that are closed in the same line are a code span."""
_OPEN_FENCE_LINE = re.compile(r"\s*`{3}[^\n]*\Z")
_OPEN_CODE_LINE = re.compile(r"\n[ \t]*[`~]*[ \t]*\Z")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_INDENTED_END = re.compile(r"\n(?= {0,3}[^\s])")
_BEFORE_INDENTED = re.compile(r"(?:\A|\n[ \t]*\n)[ \t]*\Z")
_LEAST_INDENTED = re.compile(r"^ {0,3}\S.*", re.MULTILINE)
_ITEM = re.compile(r" {0,3}(?:[-*+•]|\d{1,9}[.)])\s")
_HOLD = re.compile(r"[\[【［〔〖]")
_LOOSE_END = re.compile(r"(?:[\s.!?…:;,。！？：；，\"'”’)*|^]*[A-Za-z_]\w*+|[\s.!?…:;,。！？：；，\"'”’)*_|^]++)\Z", re.ASCII)
_REFERENCES = re.compile(r"(?:[\[【［〔〖][^\]】］〕〗\n]{0,40}[\]】］〕〗][.,;]?\s*)+")
_LONGEST_REFERENCE = 42
_LABEL = re.compile(r"\s*+(?:#|.*[?？:：][\"'”’)*_]*\s*\Z)", re.DOTALL)
"""A heading, a question, or what leads to something else."""
_NO_WORDS = re.compile(r"[\s|:+=*_-]*\Z")
_NUMBER_OF_LABEL = re.compile(r"\A(\W*[^\W\d_]+\s+)\d{1,2}(?=\s*(?:[:：.)*–-]|\Z))")
"""As in ``Step 2:``."""
_LETTERS = re.compile(r"[^\W\d_]+")
_LONG_WORD = 4

Check = Callable[[str, Sequence[int]], Verdict]


class GroundedText:
    """Turns the text of a model into the text of an answer while it grows.

    What :meth:`feed` and :meth:`finish` return is, joined, :attr:`text`. A sentence is shown as it grows up to its first
    reference, and the rest of it once it has ended and was checked: so no reference is ever shown that leads nowhere or
    to the wrong excerpt.

    Parameters
    ----------
    hits
        The excerpts of the prompt.
    check
        Gives the verdict on a sentence without its references, and the numbers of the excerpts that it cites.
    by_line
        Whether each line is checked as one sentence, whatever its full stops.

    Attributes
    ----------
    text
        All of the answer so far.
    sentences
        Those of its sentences that have ended.
    cited
        The numbers of the excerpts that they cite, in order.
    """

    def __init__(self, hits: Sequence[SearchHit], *, check: Check, by_line: bool = False) -> None:
        self._excerpts = [hit.content for hit in hits]
        self._check = check
        self._by_line = by_line
        self.text = ""
        self.sentences: list[AnswerSentence] = []
        self.cited: dict[int, None] = {}
        self._begin_unit("")
        self._shown = 0
        self._in_table = False
        self._is_refusal = False

    def feed(self, piece: str) -> str:
        """Take the next piece of the model's text and return what may be shown of it."""
        self._pending += piece
        while (end := self._find_end()) is not None:
            unit = self._pending[:end]
            self._begin_unit(self._pending[end:])
            self._settle(unit)
        self._safe = self._count_safe_characters()
        return self._show(self._pending[: self._safe])

    def finish(self) -> str:
        """Take the text as complete and return what of it has not been shown."""
        unit = self._pending
        self._begin_unit("")
        if unit:
            self._settle(unit)
        self.text = self.text.rstrip()
        return self._show()

    def add_notice(self, notice: str) -> str:
        """Add a sentence of our own that claims nothing about the excerpts, and return what is new."""
        self.text += f"\n\n{notice}" if self.text else notice
        self._keep(Verdict("unchecked", 0.0), len(self.text) - len(notice), len(self.text))
        return self._show()

    def _begin_unit(self, text: str) -> None:
        """Begin to collect the next unit. What was read of it is remembered, so that a long one is not read again and again."""
        self._pending = text
        self._sentence_end = SentenceEndFinder()
        self._code_line = 0
        self._safe = 0

    def _show(self, more: str = "") -> str:
        """Return what is new, ``more`` after the text. White space at its end may yet turn out to end the answer, and waits."""
        settled = len(self.text)
        new = (self.text[self._shown :] + more[max(0, self._shown - settled) :]).rstrip()
        self._shown += len(new)
        return new

    def _find_end(self) -> int | None:
        """Return where the next unit of the pending text is sure to end: a sentence, a line, or a block of code."""
        fence = _FENCE.match(self._pending)
        if fence:
            closing = re.compile(rf"\n[ \t]*{re.escape(fence[1][0])}{{{len(fence[1])},}}[ \t]*\n")
            return self._find_end_of_code(closing, fence.end())
        if self._is_indented_code(self._pending):
            return self._find_end_of_code(_INDENTED_END, 0)
        line_end = self._pending.find("\n") + 1
        if self._by_line:
            return line_end or None
        sentence_end = self._sentence_end.find(self._pending[:line_end] if line_end else self._pending)
        return self._pass_references(sentence_end) if sentence_end else line_end or None

    def _pass_references(self, end: int) -> int | None:
        """Return the end of the references that follow a sentence, if they are its own; None while that is open."""
        rest = self._pending[end:]
        if not _HOLD.match(rest):
            return end
        references = _REFERENCES.match(rest)
        if references is None:
            return end if len(rest) > _LONGEST_REFERENCE or "\n" in rest else None
        if references.end() == len(rest):
            return None
        return end if rest[references.end()].islower() else end + references.end()

    def _find_end_of_code(self, end: re.Pattern[str], start: int) -> int | None:
        found = end.search(self._pending, max(start, self._code_line))
        self._code_line = max(self._code_line, self._pending.rfind("\n", self._code_line))
        return found.end() if found else None

    def _is_indented_code(self, unit: str) -> bool:
        """Return whether a unit begins a block of code without a fence: indented, after a blank line, and not in a list."""
        if self._by_line or not _INDENTED.match(unit) or not _BEFORE_INDENTED.search(self.text):
            return False
        lines = _LEAST_INDENTED.findall(self.text)
        return not lines or not _ITEM.match(lines[-1])

    def _count_safe_characters(self) -> int:
        """Return how much of the pending text stays as it is, whatever follows."""
        if _OPEN_FENCE_LINE.match(self._pending):  # a backtick may yet make it a code span
            return 0
        if _FENCE.match(self._pending) or self._is_indented_code(self._pending):
            held = _OPEN_CODE_LINE.match(self._pending, self._code_line)
            return held.start() if held else len(self._pending)
        hold = _HOLD.search(self._pending, self._safe)
        end = hold.start() if hold else len(self._pending)
        loose = _LOOSE_END.search(self._pending, self._safe, end)
        return loose.start() if loose else end

    def _settle(self, unit: str) -> None:
        """Check a unit, and add it to the text with the references that belong to it."""
        start = len(self.text)
        if _FENCE.match(unit):
            verdict, settled = self._settle_code(unit)
        elif self._is_indented_code(unit):
            verdict, settled = self._settle_indented_code(unit)
        else:
            verdict, settled = self._settle_sentence(protect_indices(unit, self._excerpts))
        self.text += settled
        self.cited.update(dict.fromkeys(verdict.numbers))
        if settled.strip():
            self._keep(verdict, start + len(settled) - len(settled.lstrip()), start + len(settled.rstrip()))

    def _settle_code(self, unit: str) -> tuple[Verdict, str]:
        """Check a block of code; in one that was cut short a reference would be code too, so it gets none."""
        _, *lines = unit.strip().split("\n")
        is_closed = bool(lines) and _FENCE.match(lines[-1]) is not None
        verdict, marks = self._check_code("\n".join(lines[:-1] if is_closed else lines))
        return verdict, unit.rstrip("\n") + f"\n{marks}\n" if marks and is_closed else unit

    def _settle_indented_code(self, unit: str) -> tuple[Verdict, str]:
        code = unit.rstrip()
        verdict, marks = self._check_code(dedent(code))
        return verdict, f"{code}\n\n{marks}{unit[len(code) :]}" if marks else unit

    def _check_code(self, code: str) -> tuple[Verdict, str]:
        """Return the verdict on a block of code, and the references to write under it."""
        verdict = self._check(code, ())
        return verdict, cite("", verdict.numbers, count=len(self._excerpts))

    def _settle_sentence(self, unit: str) -> tuple[Verdict, str]:
        count = len(self._excerpts)
        cited = [number for reference in find_references(unit, count=count) for number in reference.numbers]
        plain = cite(unit, (), count=count)
        heads_table = plain.lstrip().startswith("|") and not self._in_table
        self._in_table = plain.lstrip().startswith("|")
        if _NO_WORDS.match(plain) or self._refuses(plain, cited) or (not self._by_line and is_pleasantry(plain)):
            return Verdict("unchecked", 0.0), plain
        if not self._by_line and (heads_table or _LABEL.match(plain)):
            return self._check_label(plain.strip()), plain
        verdict = self._check(plain.strip(), tuple(dict.fromkeys(cited)))
        return verdict, cite(unit, verdict.numbers, count=count)

    def _refuses(self, sentence: str, cited: Sequence[int]) -> bool:
        """Return whether a sentence says that there is no answer, or goes on from that without one; a quotation never does."""
        if self._by_line and cited:
            return False
        refuses = is_refusal(sentence)
        if refuses or self._is_refusal:
            self._is_refusal = is_refusal(f"{self.text}{sentence}")
        return refuses or self._is_refusal

    def _check_label(self, label: str) -> Verdict:
        """Return that a heading and the like claims nothing, unless it has a number or name that stands in no excerpt."""
        verdict = self._check(_lower_title(_NUMBER_OF_LABEL.sub(r"\1", label)), ())
        return Verdict("unsupported", 0.0, missing=verdict.missing) if verdict.missing else Verdict("unchecked", 0.0)

    def _keep(self, verdict: Verdict, start: int, end: int) -> None:
        self.sentences.append(
            AnswerSentence(
                text=self.text[start:end],
                start_offset=start,
                end_offset=end,
                support=verdict.support,
                number=verdict.number,
                evidence_start=verdict.evidence_start,
                evidence_end=verdict.evidence_end,
                missing=verdict.missing,
            )
        )


def _lower_title(text: str) -> str:
    """Return a text without its capitals when they tell nothing: most words of a title have one, or are all capitals."""
    later = _LETTERS.findall(text)[1:]
    long = [word for word in later if len(word) >= _LONG_WORD]
    is_title = all(word[0].isupper() for word in (long if len(long) > 1 else later))
    if not is_title:
        return text
    return _LETTERS.sub(lambda word: word[0].lower() if word[0].istitle() or text.isupper() else word[0], text)
