"""Questions and answers of one panel: asked in order, streamed in a thread, stopped at once. It knows no widget."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Set
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial

from locallens_nb.answers import AnswerStream
from locallens_nb.dialogue import Chat
from locallens_nb.domain import ChatAnswer, EvidenceFound, Progress
from locallens_nb.errors import LocalLensError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.notebook.conversation import ConversationView
from locallens_nb.notebook.jobs import Job, WorkCancelledError
from locallens_nb.notebook.markup import answer_html, evidence_html, sources_html
from locallens_nb.notebook.rendering import STOPPED
from locallens_nb.notebook.transcript import add_footnotes, answer_notes
from locallens_nb.notebook.waiting import describe_progress, describe_seconds

_logger = logging.getLogger(__name__)


@dataclass
class Turn:
    """One question and what has come of it.

    Attributes
    ----------
    number
        As the view counts it.
    text
        What has been written and shown so far.
    answer
        The whole of it, once it has ended.
    error
        Why there is no answer, or not all of it.
    """

    number: int
    question: str
    brain: str
    text: str = ""
    answer: ChatAnswer | None = None
    error: str = ""
    pending: list[str] = field(default_factory=list)
    progress: Progress | None = None
    status: str = ""
    stream: AnswerStream | None = None
    job: Job | None = None
    marked: frozenset[str] = frozenset()


class Conversing:
    """Asks one question at a time; what is asked meanwhile waits for its turn.

    A lock keeps the threads apart: the kernel's, in which clicks arrive, the one that reads the answer, and the one that
    shows it.

    Parameters
    ----------
    app
        Answers the questions.
    view
        Shows them.
    executor
        Runs the work.
    changed_files
        Returns the files of a brain that have changed since it was indexed, as far as is known.
    on_change
        Told when a turn has ended, from a thread.
    """

    def __init__(
        self,
        app: LocalLensApp,
        view: ConversationView,
        *,
        executor: Executor,
        changed_files: Callable[[str], Set[str]],
        on_change: Callable[[], object],
    ) -> None:
        self._app = app
        self._view = view
        self._executor = executor
        self._changed_files = changed_files
        self._on_change = on_change
        self._lock = threading.RLock()
        self._waiting: deque[Turn] = deque()
        self._current: Turn | None = None
        self._closed = False
        self._turns: list[Turn] = []
        self._chats: dict[str, Chat] = {}

    @property
    def turns(self) -> list[Turn]:
        """All turns so far, in order."""
        with self._lock:
            return list(self._turns)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is being written."""
        return self._current is not None

    def ask(self, question: str, brain: str) -> None:
        """Ask a brain now, or as soon as the questions before are answered."""
        with self._lock:
            if self._closed:
                return
            turn = Turn(self._view.add_question(question), question, brain)
            self._turns.append(turn)
            self._waiting.append(turn)
            self._start_next()

    def stop(self) -> None:
        """End the answer that is being written; the next question need not wait for its thread."""
        with self._lock:
            turn = self._current
            if turn is None:
                return
            self._end_stream(turn)
            self._flush(turn)
            if not turn.text:
                self._view.show_answer(turn.number, "", "", STOPPED["person"], "")
            self._current = None
            self._view.set_busy(False)
            self._view.show_status("Stopped.")
            self._start_next()

    def clear(self) -> None:
        """Begin a new conversation."""
        with self._lock:
            self._waiting.clear()
            self.stop()
            self._turns.clear()
            self._chats.clear()
            self._view.clear()
            self._view.show_status("")

    def close(self) -> None:
        """End everything; the view is not touched any more."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            for turn in self._turns:
                self._end_stream(turn)
            self._current = None

    def show_changed_files(self, brain: str, changed: Set[str]) -> None:
        """Mark the sources of the answers from a brain whose files have changed meanwhile."""
        with self._lock:
            for turn in self._turns:
                if turn.brain != brain or turn.answer is None or self._closed:
                    continue
                if _read_paths(turn.answer) & changed != turn.marked:
                    self._show_answer(turn, turn.answer, changed)

    def _end_stream(self, turn: Turn) -> None:
        if turn.job is not None:
            turn.job.cancel()
        if turn.stream is not None:
            turn.stream.stop()

    def _start_next(self) -> None:
        if self._current is not None or not self._waiting or self._closed:
            if self._waiting:
                count = len(self._waiting)
                self._view.show_status(f"{count} question{'s' if count > 1 else ''} will be answered after this one.")
            return
        turn = self._current = self._waiting.popleft()
        turn.job = Job(
            partial(self._read, turn),
            show=partial(self._show_progress, turn),
            finish=partial(self._finish, turn),
        )
        self._view.set_busy(True)
        self._view.show_status("Searching …")
        turn.job.start(self._executor)

    def _read(self, turn: Turn) -> None:
        """Read an answer to its end (in a thread)."""
        chat = self._chat_with(turn.brain)
        stream = turn.stream = chat.stream(turn.question, on_progress=partial(self._report, turn))
        self._report(turn, None)  # a stop may have come before there was a stream to stop
        for event in stream.events():
            with self._lock:
                if isinstance(event, EvidenceFound):
                    if event.is_answerable and turn is self._current and turn in self._turns:
                        self._view.show_evidence(turn.number, evidence_html(event))
                else:
                    turn.pending.append(event.text)

    def _chat_with(self, brain: str) -> Chat:
        """Return the conversation with a brain, in which a question may go on from the ones before."""
        with self._lock:
            if brain not in self._chats:
                self._chats[brain] = self._app.chat(brain)
            return self._chats[brain]

    def _report(self, turn: Turn, progress: Progress | None) -> None:
        if turn.job is not None:
            turn.job.check()
        turn.progress = progress

    def _show_progress(self, turn: Turn) -> None:
        with self._lock:
            if turn is not self._current or turn.job is None:
                return
            self._flush(turn)
            waited_for = describe_progress(turn.progress) if turn.progress else "Searching …"
            doing = "Writing …" if turn.text else waited_for
            status = f"{doing} · {describe_seconds(int(turn.job.seconds))}" + self._describe_waiting()
            if status != turn.status:
                turn.status = status
                self._view.show_status(status)

    def _describe_waiting(self) -> str:
        return f" · {len(self._waiting)} more to answer" if self._waiting else ""

    def _flush(self, turn: Turn) -> None:
        if turn.pending:
            delta = "".join(turn.pending)
            turn.pending.clear()
            turn.text += delta
            self._view.append_text(turn.number, delta)

    def _finish(self, turn: Turn, failure: BaseException | None) -> None:
        with self._lock:
            if self._closed or turn not in self._turns:
                return
            try:
                self._show_outcome(turn, has_failed=failure is not None)
            except Exception as error:  # what cannot be shown must not keep the panel busy
                failure = failure or error
            if failure is not None and not isinstance(failure, WorkCancelledError):
                turn.error = _explain(failure)
                self._view.show_error(turn.number, turn.error)
            if turn is self._current:
                self._current = None
                self._view.set_busy(False)
                self._view.show_status("")
                self._start_next()
        self._on_change()

    def _show_outcome(self, turn: Turn, *, has_failed: bool) -> None:
        self._flush(turn)
        turn.answer = _result_of(turn.stream)
        turn.stream = None
        if turn.answer is not None and (turn.answer.answer or not (has_failed or turn.answer.stopped == "person")):
            self._show_answer(turn, turn.answer, self._changed_files(turn.brain))

    def _show_answer(self, turn: Turn, answer: ChatAnswer, changed: Set[str]) -> None:
        turn.marked = frozenset(_read_paths(answer) & changed)
        self._view.show_answer(
            turn.number, answer_html(answer), sources_html(answer, changed), describe_answer(answer), add_footnotes(answer)
        )


def describe_answer(answer: ChatAnswer) -> str:
    """Return how the question was understood and how the answer came about."""
    return " ".join([*answer_notes(answer), f"In {describe_seconds(answer.timings.total_seconds)}."])


def _read_paths(answer: ChatAnswer) -> set[str]:
    return {citation.relative_path for citation in (*answer.citations, *answer.also_read)}


def _result_of(stream: AnswerStream | None) -> ChatAnswer | None:
    try:
        return stream.result if stream is not None else None
    except RuntimeError:  # it ended before there was anything
        return None


def _explain(failure: BaseException) -> str:
    if isinstance(failure, LocalLensError):
        return str(failure)
    _logger.error("an answer failed: %s", type(failure).__name__)
    return f"Something unexpected went wrong ({type(failure).__name__}: {failure}). The next question can be asked."
