"""What of a notebook line reaches the magic."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from traitlets.config import Config

from locallens_nb.notebook.parsing import Arguments, LocalLensLine, parse_arguments


@magics_class
class Recorder(Magics):
    """Stands in for the magic, with the same decorators."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self.asked: list[Arguments] = []

    @no_var_expand
    @line_cell_magic
    def locallens(self, line: str = "", cell: str | None = None) -> str:
        self.asked.append(parse_arguments(line, cell))
        return "result"


@pytest.fixture(scope="module")
def shell() -> InteractiveShell:
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.input_transformer_manager.token_transformers.append(LocalLensLine)
    shell.user_ns.update(price="SECRET", x="SECRET")
    return shell


@pytest.fixture
def recorder(shell: InteractiveShell) -> Recorder:
    recorder = Recorder(shell)
    shell.register_magics(recorder)
    return recorder


QUESTIONS = [
    "what is x?",
    "why??",
    "why does f{x} cost $5 and {price} or {12}?",
    "isn't it \"odd",
    r"C:\new\table",
    "does it end in a backslash \\",
    "two  spaces\tand a tab",
    "# is this a comment?",
    'what """ is that?',
    "{v:k for k,v in d.items()} and %s and {{x}} and \\frac{a}{b}",
    "--name is no option of a question?",
    "O que é isto? 日本語は？",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_on_a_line_arrives_to_the_letter(recorder: Recorder, question: str) -> None:
    result = recorder.shell.run_cell(f"%locallens ask {question}")
    assert result.success
    assert [arguments.text for arguments in recorder.asked] == [question]


@pytest.mark.parametrize("question", [*QUESTIONS, "several lines?\n\n    indented {x}\nand $price?"])
def test_a_question_in_a_cell_arrives_to_the_letter(recorder: Recorder, question: str) -> None:
    assert recorder.shell.run_cell(f"%%locallens\n{question}\n").success
    assert [arguments.text for arguments in recorder.asked] == [question]


@pytest.mark.parametrize(
    "cell",
    [
        "y = 1\n%locallens ask what is x?",
        "%locallens ask what is x?\ny = 1",
        "if True:\n    %locallens ask what is x?",
        "answer = %locallens ask what is x?",
        "a = b = %locallens ask what is x?",
    ],
)
def test_a_question_may_stand_anywhere_in_a_cell(recorder: Recorder, cell: str) -> None:
    assert recorder.shell.run_cell(cell).success
    assert [arguments.text for arguments in recorder.asked] == ["what is x?"]


def test_an_assignment_gets_what_the_magic_returns(recorder: Recorder) -> None:
    recorder.shell.run_cell("answer = %locallens ask what is x?")
    assert recorder.shell.user_ns["answer"] == "result"


def test_the_same_characters_in_a_string_are_left_alone(recorder: Recorder) -> None:
    recorder.shell.run_cell("text = '''\n%locallens ask what is x?\n'''")
    assert recorder.asked == []
    assert recorder.shell.user_ns["text"] == "\n%locallens ask what is x?\n"


def test_help_on_the_magic_is_still_help(recorder: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    recorder.shell.run_cell("%locallens?")
    assert recorder.asked == []
    assert "Docstring" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", Arguments("help", "")),
        ("help", Arguments("help", "")),
        ("index docs", Arguments("index", "docs")),
        ("index docs --name notes", Arguments("index", "docs", name="notes")),
        ("index --name notes docs", Arguments("index", "docs", name="notes")),
        ('index "My Notes (2024)/a b" --name "my notes"', Arguments("index", "My Notes (2024)/a b", name="my notes")),
        ("index My Notes (2024)/a b", Arguments("index", "My Notes (2024)/a b")),
        (r"index C:\new\table --name=t", Arguments("index", r"C:\new\table", name="t")),
        ("ask --brain notes what is --brain?", Arguments("ask", "what is --brain?", brain="notes")),
        ("ask --brain 'my notes' why?", Arguments("ask", "why?", brain="my notes")),
        ("search tide gauge", Arguments("search", "tide gauge")),
        ("use my notes", Arguments("use", "my notes")),
        ('use "my notes"', Arguments("use", "my notes")),
        ("delete 'my notes'", Arguments("delete", "my notes")),
        ("refresh --brain notes", Arguments("refresh", "notes")),
        ("panel --brain 'my notes'", Arguments("panel", "my notes")),
        ("index docs --brain notes", Arguments("index", "docs --brain notes")),
        ("ask --name notes why?", Arguments("ask", "--name notes why?")),
        ("ask\twhat is\tthis?", Arguments("ask", "what is\tthis?")),
        ("help me", Arguments("help", "")),
    ],
)
def test_a_line_is_a_command_its_options_and_the_rest(line: str, expected: Arguments) -> None:
    assert parse_arguments(line, None) == expected


@pytest.mark.parametrize(("line", "brain"), [("", ""), ("ask", ""), ("--brain notes", "notes"), ("ask --brain notes", "notes")])
def test_a_cell_asks(line: str, brain: str) -> None:
    assert parse_arguments(line, "why?\n") == Arguments("ask", "why?", brain=brain)


@pytest.mark.parametrize(
    ("line", "cell", "question"),
    [
        ("ask what does", "the cabin cost?\n", "what does\nthe cabin cost?"),
        ("ask --brain notes what does", "\n", "what does"),
        ("--brain notes ask", "why?", "why?"),
        ("ask", "   \n", ""),
    ],
)
def test_what_stands_on_the_first_line_of_a_cell_belongs_to_the_question(line: str, cell: str, question: str) -> None:
    assert parse_arguments(line, cell).text == question


@pytest.mark.parametrize("line", ["brains notes", "doctor --json", "models fetch x", "status ?"])
def test_a_command_that_takes_nothing_says_so_instead_of_doing_something_else(line: str) -> None:
    with pytest.raises(UsageError, match="takes nothing more"):
        parse_arguments(line, None)


@pytest.mark.parametrize(("line", "cell"), [("what is x?", None), ("index docs", "body"), ("Ask x", None)])
def test_an_unknown_command_is_answered_with_the_help(line: str, cell: str | None) -> None:
    with pytest.raises(UsageError, match="%locallens ask") as error:
        parse_arguments(line, cell)
    assert "%locallens doctor" in str(error.value)
