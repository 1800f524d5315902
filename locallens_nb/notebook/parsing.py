"""From a line or a cell to a command with its arguments; every character of a question is kept."""

from __future__ import annotations

import re
import tokenize
from dataclasses import dataclass

from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import TokenTransformBase

HELP = """\
%locallens index PATH [--name NAME]     index a folder into a brain
%locallens ask [--brain NAME] QUESTION  ask; the answer streams into the cell
%%locallens [ask] [--brain NAME]        the same, with the question as the body of the cell
%locallens follow QUESTION              ask on from the last question of this brain: "and on Sundays?"
%locallens search [--brain NAME] QUERY  show the nearest excerpts, without an answer
%locallens panel [NAME]                 show the chat panel, asking this brain
%locallens brains                       list the brains
%locallens use NAME                     ask this brain from now on
%locallens refresh [NAME]               bring a brain up to date with its folder
%locallens delete NAME                  delete a brain; its folder stays as it is
%locallens status                       what is in use: brain, store, models
%locallens models                       the models that can be used, and which are here
%locallens doctor                       check this machine, the store and the models
%locallens help                         this text

answer = %locallens ask QUESTION        keeps the answer, its citations and timings as an object"""

COMMANDS = (
    "index",
    "ask",
    "follow",
    "search",
    "panel",
    "brains",
    "use",
    "refresh",
    "delete",
    "status",
    "models",
    "doctor",
    "help",
)
_ASKING = ("ask", "follow", "search")
_NAMING = ("panel", "use", "refresh", "delete")
_OPTION = r"""--{name}(?:\s+|=)(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>\S+))"""


class LocalLensLine(TokenTransformBase):
    """Hands a ``%locallens`` line to the magic to the letter.

    IPython takes a line that ends in ``word?`` for a request for help, and a line that ends in a backslash for one that
    goes on; both are questions here. Working on tokens, as IPython's own rules do, it leaves strings alone.
    """

    priority = 1  # before IPython's help rule, which has 5

    def __init__(self, start: tuple[int, int], percent: tuple[int, int]) -> None:
        super().__init__(start)  # type: ignore[no-untyped-call]
        self._percent_column = percent[1]

    @classmethod
    def find(cls, tokens_by_line: list[list[tokenize.TokenInfo]]) -> LocalLensLine | None:
        """Find the first ``%locallens …`` or ``name = %locallens …``."""
        for line in tokens_by_line:
            tokens = [token for token in line if token.type not in {tokenize.INDENT, tokenize.DEDENT}]
            for position, token in enumerate(tokens[:-1]):
                begins = position == 0 or tokens[position - 1].string == "="
                if begins and token.string == "%" and tokens[position + 1].string == "locallens":
                    if token.line[token.start[1] :].strip().rstrip("?") == "%locallens":
                        break  # a bare magic, or a question about it
                    if tokens[0].start[0] == token.start[0]:
                        return cls(tokens[0].start, token.start)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """Replace the line by a call of the magic."""
        line = lines[self.start_line]
        argument = line[self._percent_column :].rstrip("\r\n").removeprefix("%").lstrip().removeprefix("locallens")
        call = f"{line[: self._percent_column]}get_ipython().run_line_magic('locallens', {argument.strip()!r})\n"
        return [*lines[: self.start_line], call, *lines[self.start_line + 1 :]]


@dataclass(frozen=True, slots=True)
class Arguments:
    """A command with its options and the rest of the line, which is a question, a path or a name."""

    command: str
    text: str
    brain: str = ""
    name: str = ""


def parse_arguments(line: str, cell: str | None) -> Arguments:
    """Return what a magic line asks for; questions keep every character.

    Raises
    ------
    IPython.core.error.UsageError
        When the command is unknown, takes nothing and was given something, or a cell has another command than a question.
    """
    before, rest = _take_option(line.strip(), "brain") if cell is not None else ("", line.strip())
    command, rest = [*rest.split(maxsplit=1), "", ""][:2]
    command = command or ("ask" if cell is not None else "help")
    if command not in COMMANDS or (cell is not None and command not in _ASKING):
        raise UsageError(f"%locallens does not know '{command}'. To ask: %locallens ask {line.strip()}\n\n{HELP}")
    if command == "index":
        name, path = _take_option(rest, "name", at_end=True)
        return Arguments(command, _unquote(path), name=name)
    if command in _ASKING:
        brain, text = _take_option(rest, "brain")
        parts = [text, (cell or "").strip("\n")]
        return Arguments(command, "\n".join(part for part in parts if part.strip()), brain=brain or before)
    if command in _NAMING:
        brain, text = _take_option(rest, "brain")
        return Arguments(command, brain or _unquote(text))
    if rest and command != "help":
        raise UsageError(f"%locallens {command} takes nothing more: '{rest}' means nothing here.")
    return Arguments(command, "")


def _take_option(text: str, name: str, *, at_end: bool = False) -> tuple[str, str]:
    """Take an option off the front of a line, or off the end of a path; return its value and the rest, not looked into."""
    option = _OPTION.format(name=name)
    match = re.match(rf"{option}\s*", text) or (at_end and re.search(rf"\s{option}\s*$", text))
    if not match:
        return "", text
    return match["double"] or match["single"] or match["bare"] or "", text[: match.start()] + text[match.end() :]


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
