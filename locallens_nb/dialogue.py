"""A conversation about one brain: every question is answered by itself, a follow-up after it was made to stand alone."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from locallens_nb.answers import AnswerStream
from locallens_nb.domain import ChatAnswer, ReportProgress
from locallens_nb.questions.followup import continue_thread, find_names, join_thread

MOST_TURNS = 100


class StreamQuestion(Protocol):
    """Starts an answer, as :meth:`~locallens_nb.locallens.LocalLensApp.stream_brain` does for one brain."""

    def __call__(
        self,
        question: str,
        *,
        on_progress: ReportProgress | None,
        standalone_question: str,
        on_end: Callable[[ChatAnswer], object],
    ) -> AnswerStream:
        """Return the answer as it is written."""


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A question and its answer.

    Attributes
    ----------
    question
        As the person asked it.
    standalone_question
        What it was rewritten to; empty when it stood alone.
    """

    question: str
    standalone_question: str
    answer: ChatAnswer


class Chat:
    """Asks one question after the other; made by :meth:`~locallens_nb.locallens.LocalLensApp.chat`.

    A question that needs the ones before it is rewritten from their words and then takes the same single search as any
    other. No earlier question or answer is in the prompt besides what the rewritten question says. A follow-up that found no
    answer is not carried into the next one, which goes on from what was answered before it. An answer becomes
    part of the conversation when it has ended, also when the person stopped it, and not when it failed. All methods may
    be called from any thread.

    Parameters
    ----------
    stream_question
        Starts an answer.
    """

    def __init__(self, stream_question: StreamQuestion) -> None:
        self._stream_question = stream_question
        self._lock = threading.RLock()  # an answer that nobody holds any more may end in the middle of a method
        self._turns: deque[ChatTurn] = deque(maxlen=MOST_TURNS)
        self._thread: tuple[str, ...] = ()

    @property
    def turns(self) -> tuple[ChatTurn, ...]:
        """The last answers, in the order in which they ended; at most :data:`MOST_TURNS`."""
        with self._lock:
            return tuple(self._turns)

    def ask(self, question: str, *, on_progress: ReportProgress | None = None) -> ChatAnswer:
        """Return the answer to a question, which may go on from the questions before.

        Raises
        ------
        LocalLensError
            As :meth:`~locallens_nb.locallens.LocalLensApp.ask_brain`; the conversation stays as it was.
        """
        stream = self.stream(question, on_progress=on_progress)
        for _ in stream:
            pass
        return stream.result

    def stream(self, question: str, *, on_progress: ReportProgress | None = None) -> AnswerStream:
        """Return the answer as it is written; its ``standalone_question`` says at once how the question was understood.

        Raises
        ------
        BrainNotFoundError, InvalidQuestionError
            At once. The others come with the first piece.
        """
        with self._lock:
            turns, thread = self._turns, self._thread
            last = turns[-1].answer if turns else None
        names = find_names(_supported_text(last), last.question) if last else []
        thread = continue_thread(question, thread, names=names)
        standalone = "" if thread == continue_thread(question, ()) else join_thread(thread)
        return self._stream_question(
            question,
            on_progress=on_progress,
            standalone_question=standalone,
            on_end=partial(self._add_turn, turns, thread),
        )

    def clear(self) -> None:
        """Begin a new conversation; an answer that is still being written does not become part of it."""
        with self._lock:
            self._turns = deque(maxlen=MOST_TURNS)
            self._thread = ()

    def _add_turn(self, turns: deque[ChatTurn], thread: tuple[str, ...], answer: ChatAnswer, /) -> None:
        with self._lock:
            if turns is self._turns and answer.stopped != "error":
                turns.append(ChatTurn(answer.question, answer.standalone_question, answer))
                if not (answer.refusal and answer.standalone_question):
                    self._thread = thread


def _supported_text(answer: ChatAnswer) -> str:
    """Return what of an answer stands in the excerpts, so that no invented name gets into the next question."""
    return "\n".join(sentence.text for sentence in answer.sentences if sentence.support == "supported")
