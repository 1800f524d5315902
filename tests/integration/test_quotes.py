"""Quotes through the whole workflow: rows, settings and items are shown so that they can be read, and cite where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from locallens_nb.domain import ChatAnswer
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.quotes import QuotesModel
from locallens_nb.settings import Settings
from tests.fakes import FakeModels

ORCHARD = ["number,tree,planted,bears", *(f"{row},Pear of kind {row},{1900 + row},small fruit" for row in range(1, 90))]
FILES = {
    "orchard.csv": "\n".join(ORCHARD),
    "fees.md": "# Fees\n\nFrom May.\n\n| Helper | A basket |\n|---|---|\n| Neighbour | 12 euros |\n| Dr. Weber | 1. März |\n",
    "press.toml": "[pears]\n# Bars, as the maker has it.\nhighest_pressure = 31\n",
}


@pytest.fixture
def app(tmp_path: Path) -> LocalLensApp:
    for path, text in FILES.items():
        file = tmp_path / "farm" / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    models = FakeModels()
    models.chat = QuotesModel()
    app = LocalLensApp(Settings(home=tmp_path / "home", strictness="off", chunk_tokens=60, overlap_tokens=0), models=models)
    app.create_brain_from_folder(name="farm", folder_path=tmp_path / "farm")
    return app


def first_line(answer: ChatAnswer) -> str:
    return answer.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (
            "Which fruit has the pear of kind 77?",
            "- number: 77 · tree: Pear of kind 77 · planted: 1977 · bears: small fruit [2]",
        ),
        ("What is a basket for a neighbour?", "- Helper: Neighbour · A basket: 12 euros [1]"),
        ("What is a basket for Dr. Weber?", "- Helper: Dr. Weber · A basket: 1. März [1]"),
        ("Which is the highest pressure in bars?", "- [pears] Bars, as the maker has it. highest_pressure = 31 [1]"),
    ],
)
def test_the_answer_is_the_line_that_tells_with_what_names_it_and_it_is_supported(app: LocalLensApp, question: str, line: str):
    answer = app.ask_brain("farm", question)
    assert first_line(answer) == line
    assert answer.sentences[0].text == line
    assert {sentence.support for sentence in answer.sentences} == {"supported"}


def test_a_quote_is_a_slice_of_the_excerpt_that_it_cites_and_the_words_that_name_it_stand_in_the_file(app: LocalLensApp):
    answer = app.ask_brain("farm", "Which fruit has the pear of kind 77?")
    contents = {citation.number: citation.content for citation in (*answer.citations, *answer.also_read)}
    quote = answer.quotes[0]
    assert quote.text == ORCHARD[77] == contents[quote.number][quote.start_offset : quote.end_offset]
    assert ORCHARD[0] not in contents[quote.number]
    assert all(word in FILES["orchard.csv"] for word in str(quote).replace("·", " ").replace(":", " ").split())


def test_the_head_of_a_table_is_never_quoted(app: LocalLensApp):
    for question in ("What is a basket for a helper?", "Which number, tree, planted, bears?"):
        quotes = app.ask_brain("farm", question).quotes
        assert quotes
        assert not {quote.text for quote in quotes} & {"| Helper | A basket |", ORCHARD[0]}


def test_a_sentence_that_sounds_like_a_refusal_is_quoted_with_its_source(app: LocalLensApp, tmp_path: Path):
    sentence = "The cause of the leak is not mentioned in the documents."
    (tmp_path / "leak").mkdir()
    (tmp_path / "leak" / "report.md").write_text(f"# Leak\n\n{sentence}\n", encoding="utf-8")
    app.create_brain_from_folder(name="leak", folder_path=tmp_path / "leak")
    answer = app.ask_brain("leak", "Is the cause of the leak mentioned in the documents?")
    assert (answer.answer, answer.refusal) == (f"- {sentence} [1]", "")
    assert [(one.support, one.number) for one in answer.sentences] == [("supported", 1)]
    assert [citation.relative_path for citation in answer.citations] == ["report.md"]
