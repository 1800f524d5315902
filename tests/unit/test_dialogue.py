"""A conversation: what becomes part of it, what is asked in place of a follow-up, and what is not carried along."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from locallens_nb.answers import AnswerStream, FoundEvidence, PreparedAnswer
from locallens_nb.checking.support import Verdict
from locallens_nb.dialogue import MOST_TURNS, Chat
from locallens_nb.domain import ChatAnswer, ReportProgress, SearchHit
from locallens_nb.errors import GenerationError, ModelUnavailableError
from locallens_nb.models.protocols import ChatRequest
from locallens_nb.prompt import build_grounded_history
from tests.fakes import WAIT_SECONDS, FakeEmbeddingModel, Script, ScriptedChatModel

HITS = [SearchHit("aaa-0", "a.md", 0, "The skipper is Caetano Brum. A tyre change costs 40 euros.", 0.75, 1, 1)]
TYRES = "What does a tyre change cost for a car?"


def support(sentence: str, cited: Sequence[int]) -> Verdict:
    return Verdict("unsupported", 0.0) if "Invented" in sentence else Verdict("supported", 1.0, tuple(cited))


@dataclass
class Answering:
    """Starts answers as the workflow does, and keeps what it was asked."""

    model: ScriptedChatModel = field(default_factory=ScriptedChatModel)
    fails_with: Exception | None = None
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __call__(
        self,
        question: str,
        *,
        on_progress: ReportProgress | None,
        standalone_question: str,
        on_end: Callable[[ChatAnswer], object],
    ) -> AnswerStream:
        self.asked.append((question, standalone_question))
        return AnswerStream(
            question, find=self._find, prepare=self._prepare, standalone_question=standalone_question, on_end=on_end
        )

    def _find(self) -> FoundEvidence:
        return FoundEvidence(
            hits=HITS, quotes=(), embed=FakeEmbeddingModel().embed_documents, load_seconds=0.0, search_seconds=0.0
        )

    def _prepare(self, found: FoundEvidence) -> PreparedAnswer:
        if self.fails_with is not None:
            raise self.fails_with
        question = " ".join(part for part in self.asked[-1] if part)
        request = ChatRequest(build_grounded_history(question, found.hits), question, found.hits)
        return PreparedAnswer(request=request, model=self.model, check=support, fallback_reason="", load_seconds=0.0)


def answering(*answers: str) -> Answering:
    return Answering(ScriptedChatModel(*(Script((answer,)) for answer in answers)))


def questions_of(chat: Chat) -> list[str]:
    return [turn.question for turn in chat.turns]


# What is asked


def test_a_question_that_stands_alone_is_asked_as_it_is():
    start = answering("It costs 40 euros [1].")
    answer = Chat(start).ask(TYRES)
    assert start.asked == [(TYRES, "")]
    assert (answer.question, answer.standalone_question) == (TYRES, "")


def test_a_follow_up_is_asked_together_with_what_it_goes_on_from():
    start = answering("It costs 40 euros [1].")
    chat = Chat(start)
    chat.ask(TYRES)
    answer = chat.ask("and a service?")
    assert (answer.question, answer.standalone_question) == ("and a service?", f"{TYRES} And a service?")
    assert start.asked[1] == ("and a service?", f"{TYRES} And a service?")


def test_the_stream_says_how_a_question_was_understood_before_anything_is_searched():
    chat = Chat(answering("It costs 40 euros [1]."))
    chat.ask(TYRES)
    assert chat.stream("how long?").standalone_question == f"{TYRES} How long?"
    assert chat.stream("When does the ferry leave Porto Velame?").standalone_question == ""


def test_a_person_is_named_as_the_answer_before_names_them():
    chat = Chat(answering("The skipper is Caetano Brum [1]."))
    chat.ask("Who is the skipper?")
    assert chat.ask("What did he vote against?").standalone_question == "What did he vote against (Caetano Brum)?"


def test_a_name_that_no_excerpt_supports_is_not_carried_along():
    chat = Chat(answering("The skipper is Invented Person [1]."))
    chat.ask("Who is the skipper?")
    assert chat.ask("What did he vote against?").standalone_question == "Who is the skipper? What did he vote against?"


def test_a_follow_up_without_an_answer_is_not_carried_along():
    chat = Chat(answering("It costs 40 euros [1].", "The excerpts do not say.", "A service is dearer [1]."))
    chat.ask(TYRES)
    assert chat.ask("and a helmet?").refusal == "model"
    assert chat.ask("and a service?").standalone_question == f"{TYRES} And a service?"


def test_a_first_question_without_an_answer_is_what_the_next_goes_on_from():
    chat = Chat(answering("The excerpts do not say.", "It costs 40 euros [1]."))
    assert chat.ask(TYRES).refusal == "model"
    assert chat.ask("and a service?").standalone_question == f"{TYRES} And a service?"


def test_no_earlier_answer_is_in_a_later_prompt():
    start = answering("Forty, says the list [1].")
    chat = Chat(start)
    chat.ask(TYRES)
    chat.ask("and a service?")
    roles = [message.role for message in start.model.requests[1].messages]
    assert roles == ["system", "user"]
    assert "Forty, says the list" not in start.model.requests[1].messages[1].content


# What becomes part of the conversation


def test_turns_keep_the_question_as_asked_as_understood_and_its_answer():
    chat = Chat(answering("It costs 40 euros [1].", "A service is dearer [1]."))
    chat.ask(TYRES)
    second = chat.ask("and a service?")
    turn = chat.turns[1]
    assert (turn.question, turn.standalone_question) == ("and a service?", f"{TYRES} And a service?")
    assert turn.answer is second


def test_an_answer_becomes_part_of_the_conversation_when_its_stream_has_ended():
    chat = Chat(answering("It costs 40 euros [1]."))
    stream = chat.stream(TYRES)
    assert questions_of(chat) == []
    list(stream)
    assert questions_of(chat) == [TYRES]


def test_an_answer_that_was_stopped_is_part_of_the_conversation():
    gate = threading.Event()
    start = Answering(ScriptedChatModel(Script(("It costs 40 euros [1]. ", "And more."), gate=gate)))
    chat = Chat(start)
    stream = chat.stream(TYRES)
    reader = threading.Thread(target=lambda: list(stream), daemon=True)
    reader.start()
    limit = time.monotonic() + WAIT_SECONDS
    while not start.model.generations and time.monotonic() < limit:
        gate.wait(0.005)
    assert start.model.generations[0].is_waiting.wait(WAIT_SECONDS)
    stream.stop()
    reader.join(WAIT_SECONDS)
    assert [turn.answer.stopped for turn in chat.turns] == ["person"]
    gate.set()
    assert chat.ask("how long?").standalone_question == f"{TYRES} How long?"


def test_an_answer_that_failed_is_not():
    chat = Chat(Answering(ScriptedChatModel(Script(("It costs 40 euros [1].",)), Script(("It ",), fails_with=ValueError()))))
    chat.ask(TYRES)
    with pytest.raises(GenerationError):
        chat.ask("Who is the skipper of the old boat?")
    assert questions_of(chat) == [TYRES]
    assert chat.stream("how long?").standalone_question == f"{TYRES} How long?"


def test_a_question_for_which_no_model_could_be_had_is_not():
    chat = Chat(Answering(fails_with=ModelUnavailableError("There is none.")))
    with pytest.raises(ModelUnavailableError):
        chat.ask(TYRES)
    assert chat.turns == ()


def test_an_answer_that_nobody_began_to_read_is_not():
    chat = Chat(answering("It costs 40 euros [1]."))
    stream = chat.stream(TYRES)
    del stream
    gc.collect()
    assert chat.turns == ()


def test_a_new_conversation_knows_nothing_of_the_old_one():
    chat = Chat(answering("It costs 40 euros [1]."))
    chat.ask(TYRES)
    chat.clear()
    assert chat.turns == ()
    assert chat.ask("and a service?").standalone_question == ""


def test_an_answer_that_ends_after_a_new_conversation_began_is_not_part_of_it():
    chat = Chat(answering("It costs 40 euros [1]."))
    stream = chat.stream(TYRES)
    next(stream)
    chat.clear()
    list(stream)
    assert chat.turns == ()
    assert stream.result.answer == "It costs 40 euros [1]."


def test_only_the_last_turns_are_kept():
    chat = Chat(answering("It costs 40 euros [1]."))
    for number in range(MOST_TURNS + 2):
        chat.ask(f"What does tyre {number} cost?")
    assert len(chat.turns) == MOST_TURNS
    assert chat.turns[0].question == "What does tyre 2 cost?"


def test_questions_from_several_threads_all_become_part_of_the_conversation():
    chat = Chat(answering("It costs 40 euros [1]."))
    asked = [f"What does tyre {number} cost?" for number in range(8)]
    threads = [threading.Thread(target=chat.ask, args=(question,), daemon=True) for question in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert sorted(questions_of(chat)) == asked
