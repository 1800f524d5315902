"""A conversation through the whole workflow: every follow-up is cited right, and takes no more than any question does."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from locallens_nb.dialogue import Chat
from locallens_nb.domain import ChatAnswer
from locallens_nb.errors import BrainNotFoundError, InvalidQuestionError, InvalidSettingError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.quotes import QuotesModel
from locallens_nb.notebook.magics import LocalLensMagics
from locallens_nb.settings import Settings
from tests.fakes import FakeEmbeddingModel, FakeModels

GARAGE = {
    "prices/tyres.md": "A tyre change for a car costs 40 euros. It takes half an hour.\n",
    "prices/service.md": "A service for a car costs 180 euros, with oil and filters.\n",
    "visitors.md": "The coffee machine for visitors stands in the hall.\n",
    "service-desk.md": "The service desk answers the telephone on Mondays.\n",
    "staff.md": "The head mechanic is Odete Frossard.\n",
    "minutes.md": "Odete Frossard spoke against a second lift.\n",
}
TYRES = "What does a tyre change cost for a car?"


@pytest.fixture
def models() -> FakeModels:
    models = FakeModels()
    models.chat = QuotesModel()
    return models


@pytest.fixture
def app(tmp_path: Path, models: FakeModels) -> LocalLensApp:
    for path, text in GARAGE.items():
        file = tmp_path / "garage" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    app = LocalLensApp(Settings(home=tmp_path / "home", top_k=3), models=models)
    app.create_brain_from_folder(name="garage", folder_path=tmp_path / "garage")
    return app


@pytest.fixture
def chat(app: LocalLensApp) -> Chat:
    return app.chat("garage")


def embedder(models: FakeModels) -> FakeEmbeddingModel:
    return next(iter(models.embedding))


def files_of(answer: ChatAnswer) -> list[str]:
    return [citation.relative_path for citation in answer.citations]


def files_read(answer: ChatAnswer) -> list[str]:
    read = sorted((*answer.citations, *answer.also_read), key=lambda citation: citation.number)
    return [citation.relative_path for citation in read]


def test_a_price_then_another_price_then_yes_are_all_cited_right(chat: Chat):
    assert files_of(chat.ask(TYRES))[0] == "prices/tyres.md"
    service = chat.ask("and a service?")
    assert "prices/service.md" in files_of(service)
    assert "180 euros" in service.answer
    agreed = chat.ask("yes")
    assert "prices/service.md" in files_of(agreed)
    assert [turn.question for turn in chat.turns] == [TYRES, "and a service?", "yes"]


def test_a_person_of_one_file_is_found_in_another(chat: Chat):
    chat.ask("Who is the head mechanic?")
    answer = chat.ask("What did she speak against?")
    assert answer.standalone_question == "What did she speak against (Odete Frossard)?"
    assert files_read(answer)[0] == "minutes.md"


def test_a_follow_up_takes_one_embedding_of_what_it_became(chat: Chat, models: FakeModels):
    chat.ask(TYRES)
    embedder(models).questions.clear()
    chat.ask("and a service?")
    assert set(embedder(models).questions) == {f"{TYRES} And a service?"}


def test_a_folder_that_a_question_is_limited_to_holds_for_its_follow_up(chat: Chat):
    chat.ask("in:prices what does a tyre change cost?")
    answer = chat.ask("and a service?")
    assert sorted(files_read(answer)) == ["prices/service.md", "prices/tyres.md"]


def test_a_conversation_with_a_brain_that_does_not_exist_is_refused_at_once(app: LocalLensApp):
    with pytest.raises(BrainNotFoundError):
        app.chat("garden")


def test_an_empty_question_is_refused_in_a_conversation_too(chat: Chat):
    chat.ask(TYRES)
    with pytest.raises(InvalidQuestionError):
        chat.ask("  ")
    assert len(chat.turns) == 1


def test_the_magic_goes_on_from_the_last_question_and_ask_begins_anew(app: LocalLensApp):
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    magics = LocalLensMagics(shell, app)
    magics.locallens(f"ask {TYRES}")
    assert magics.locallens("follow and a service?").standalone_question == f"{TYRES} And a service?"
    assert magics.locallens("ask and a service?").standalone_question == ""
    assert magics.locallens("follow how long?").standalone_question == "And a service? How long?"


def test_the_magic_shows_how_a_follow_up_was_understood(app: LocalLensApp, capsys: pytest.CaptureFixture[str]):
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    magics = LocalLensMagics(shell, app)
    magics.locallens(f"ask {TYRES}")
    assert "Understood as" not in capsys.readouterr().out
    magics.locallens("follow and a service?")
    assert f"Understood as: {TYRES} And a service?" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "strictness"), [("strict", "strict"), ("0.3", 0.3)])
def test_the_magic_takes_how_readily_a_question_is_refused(typed: str, strictness: str | float):
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    magics = LocalLensMagics(shell)
    magics.strictness = typed
    assert magics.app.settings.strictness == strictness
    magics.strictness = "very"
    with pytest.raises(InvalidSettingError, match="Strictness 'very' is unknown"):
        magics.locallens("brains")
