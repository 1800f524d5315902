"""One answer while it streams: what of the model's text is shown, when it is cut short, and what remains of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

from locallens_nb.domain import ChatAnswer, Citation, SearchHit, Timings
from locallens_nb.errors import GenerationError
from locallens_nb.models.protocols import ChatModel, ChatRequest, Generation
from locallens_nb.models.streaming import VisibleText, is_looping


@dataclass(frozen=True, slots=True)
class PreparedAnswer:
    """All that is known before the first word: the evidence, the request, who answers, and what it took so far."""

    request: ChatRequest
    model: ChatModel
    fallback_reason: str
    load_seconds: float
    search_seconds: float


class AnswerStream:
    """An iterator over the visible text of one answer.

    Search, loading and generation begin with the first piece. Stopping it, closing it, an exception and a kernel
    interrupt all end the generation and leave the model free for the next question.

    Parameters
    ----------
    question
        As the person asked it.
    prepare
        Does everything that comes before generation.
    """

    def __init__(self, question: str, prepare: Callable[[], PreparedAnswer]) -> None:
        self._writing = _Writing(question, prepare)
        self._pieces = self._writing.run()

    def __iter__(self) -> AnswerStream:
        return self

    def __next__(self) -> str:
        return next(self._pieces)

    def __del__(self) -> None:
        self.stop()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The excerpts that the model was given; empty until the first piece has been asked for."""
        return self._writing.citations

    @property
    def result(self) -> ChatAnswer:
        """The whole answer, once the iterator has ended; what there was of it after a stop or an interrupt.

        Raises
        ------
        RuntimeError
            While the answer is still being written.
        """
        if self._writing.result is None:
            raise RuntimeError("The answer is not complete: read the stream to its end first.")
        return self._writing.result

    def stop(self) -> None:
        """End the answer within one token; the iterator then ends too. Safe from any thread."""
        self._writing.stop()

    def close(self) -> None:
        """Stop, and give up reading."""
        self.stop()
        self._pieces.close()


class _Writing:
    """What an answer comes to so far.

    It is apart from the stream, and must not know it: the stream is gone, and the model free, as soon as nobody holds
    it any more, where a circle of references would wait for the garbage collector while the model writes on.
    """

    def __init__(self, question: str, prepare: Callable[[], PreparedAnswer]) -> None:
        self._question = question
        self._prepare = prepare
        self._stop_asked = threading.Event()
        self._generation: Generation | None = None
        self.citations: tuple[Citation, ...] = ()
        self.result: ChatAnswer | None = None

    def stop(self) -> None:
        self._stop_asked.set()
        if (generation := self._generation) is not None:
            generation.stop()

    def run(self) -> Generator[str, None, None]:
        started = time.perf_counter()
        prepared = self._prepare()
        self.citations = cite_hits(prepared.request.hits)
        writing_started = time.perf_counter()
        visible = VisibleText()
        first_piece_seconds: float | None = None
        stopped = "person"
        try:
            for piece in self._visible_pieces(prepared, visible):
                if first_piece_seconds is None:
                    first_piece_seconds = time.perf_counter() - writing_started
                yield piece
            stopped = self._reason_for_end(visible)
        except GenerationError as error:
            stopped = "error"
            error.partial = visible.text
            raise
        finally:
            generation = self._generation
            if generation is not None:
                generation.stop()
            self.result = ChatAnswer(
                answer=visible.text.rstrip(),
                citations=self.citations,
                model=prepared.model.name,
                fallback_reason=prepared.fallback_reason,
                stopped=stopped,
                timings=Timings(
                    load_seconds=prepared.load_seconds,
                    search_seconds=prepared.search_seconds,
                    first_piece_seconds=first_piece_seconds,
                    total_seconds=time.perf_counter() - started,
                    prompt_tokens=generation.prompt_tokens if generation else None,
                    answer_tokens=generation.answer_tokens if generation else None,
                ),
                question=self._question,
            )

    def _visible_pieces(self, prepared: PreparedAnswer, visible: VisibleText) -> Iterator[str]:
        if self._stop_asked.is_set():
            return
        self._generation = prepared.model.generate(prepared.request)
        if self._stop_asked.is_set():  # asked for between the check and the start
            self._generation.stop()
        for raw in self._generation:
            if piece := visible.feed(raw):
                yield piece
            if self._stop_asked.is_set() or is_looping(visible.text):
                return
        if rest := visible.finish():
            yield rest

    def _reason_for_end(self, visible: VisibleText) -> str:
        if self._stop_asked.is_set():
            return "person"
        if is_looping(visible.text):
            return "repetition"
        return "length" if self._generation is not None and self._generation.reached_limit else ""


def cite_hits(hits: Sequence[SearchHit]) -> tuple[Citation, ...]:
    """Return the citations of the excerpts of a prompt, numbered as in it."""
    return tuple(
        Citation(
            number=number,
            id=hit.id,
            relative_path=hit.relative_path,
            chunk_index=hit.chunk_index,
            score=hit.score,
            start_line=hit.start_line,
            end_line=hit.end_line,
            content=hit.content,
        )
        for number, hit in enumerate(hits, start=1)
    )
