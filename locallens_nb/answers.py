"""One answer while it streams: what of the model's text is shown, when it is cut short, and what remains of it."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from locallens_nb.checking.answer_text import Check, GroundedText
from locallens_nb.checking.similarity_scale import Embed
from locallens_nb.checking.support import Verdict
from locallens_nb.domain import (
    AnswerEvent,
    AnswerSentence,
    ChatAnswer,
    Citation,
    EvidenceFound,
    Quote,
    Refusal,
    SearchHit,
    TextPiece,
    Timings,
)
from locallens_nb.errors import GenerationError
from locallens_nb.grounding import ExcerptSentence
from locallens_nb.language.refusals import is_refusal, refusal_text, unsupported_text
from locallens_nb.models.protocols import ChatModel, ChatRequest, Generation
from locallens_nb.models.streaming import VisibleText, is_looping
from locallens_nb.questions.query import parse_query


@dataclass(frozen=True, slots=True)
class FoundEvidence:
    """What a question found, before any chat model is needed.

    Attributes
    ----------
    sentences
        Those of the excerpts.
    embed
        Gives a unit vector for each sentence.
    unrelated
        The cosine that it gives to unrelated sentences.
    languages
        That of each excerpt, where it knows them.
    is_answerable
        Whether the excerpts are likely to answer; when not, no model is asked.
    bears_on_question
        Whether what supports a sentence of the answer has to do with what is asked.
    """

    hits: Sequence[SearchHit]
    quotes: tuple[Quote, ...]
    embed: Embed
    load_seconds: float
    search_seconds: float
    sentences: Sequence[ExcerptSentence] = ()
    unrelated: float = 0.0
    languages: Sequence[str] = ()
    is_answerable: bool = True
    bears_on_question: Callable[[AnswerSentence], bool] = lambda _sentence: True


@dataclass(frozen=True, slots=True)
class PreparedAnswer:
    """All that is known before the first word: the request, who answers, and how long that had to be waited for.

    ``check`` gives the verdict on a sentence of the answer (:meth:`~locallens_nb.checking.support.SupportCheck.check`). Where
    the answer ``is_quoted``, each line is a sentence.
    """

    request: ChatRequest
    model: ChatModel
    check: Check
    fallback_reason: str
    load_seconds: float
    is_quoted: bool = False


class AnswerStream:
    """An iterator over the text of one answer.

    Search, loading and generation begin with the first piece. Stopping it, closing it, an exception and a kernel
    interrupt all end the generation and leave the model free for the next question.

    Parameters
    ----------
    question
        As the person asked it.
    find
        Searches.
    prepare
        Does everything else that comes before generation.
    standalone_question
        What ``question`` was rewritten to; empty when it stands alone.
    on_end
        Told what the answer has come to, whatever ended it; an answer that was never begun has no end.
    """

    def __init__(
        self,
        question: str,
        *,
        find: Callable[[], FoundEvidence],
        prepare: Callable[[FoundEvidence], PreparedAnswer],
        standalone_question: str = "",
        on_end: Callable[[ChatAnswer], object] | None = None,
    ) -> None:
        self.standalone_question = standalone_question
        self._writing = _Writing(question, standalone_question, find, prepare, on_end)
        self._events = self._writing.run()

    def __iter__(self) -> AnswerStream:
        return self

    def __next__(self) -> str:
        for event in self._events:
            if isinstance(event, TextPiece):
                return event.text
        raise StopIteration

    def __del__(self) -> None:
        self.stop()

    def events(self) -> Iterator[AnswerEvent]:
        """Yield the best quotations as soon as they are found, then the text piece by piece.

        The stream itself iterates over the text alone. Both read the same answer, which is written once.
        """
        yield from self._events

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All the excerpts that were found; empty until the first event has been asked for."""
        return self._writing.citations

    @property
    def result(self) -> ChatAnswer:
        """The whole answer, once the iterator has ended; what there was of it after a stop or an interrupt.

        Raises
        ------
        RuntimeError
            While the answer is still being written, and when it ended before anything was found: by an error or closed.
        """
        if self._writing.result is None:
            if inspect.getgeneratorstate(self._events) == inspect.GEN_CLOSED:
                raise RuntimeError("There is no answer: it ended before the search did, by an error or because it was closed.")
            raise RuntimeError("The answer is not complete: read the stream to its end first.")
        return self._writing.result

    def stop(self) -> None:
        """End the answer within one token; the iterator then ends too. Safe from any thread."""
        self._writing.stop()

    def close(self) -> None:
        """Stop, and give up reading. Safe from any thread: one that reads meanwhile comes to the end by itself."""
        self.stop()
        with suppress(ValueError):  # a generator cannot be closed while another thread is in it
            self._events.close()


class _Writing:
    """What an answer comes to so far.

    It is apart from the stream, and must not know it: the stream is gone, and the model free, as soon as nobody holds
    it any more, where a circle of references would wait for the garbage collector while the model writes on.
    """

    def __init__(
        self,
        question: str,
        standalone_question: str,
        find: Callable[[], FoundEvidence],
        prepare: Callable[[FoundEvidence], PreparedAnswer],
        on_end: Callable[[ChatAnswer], object] | None,
    ) -> None:
        self._question = question
        self._standalone_question = standalone_question
        self._find = find
        self._prepare = prepare
        self._on_end = on_end
        self._stop_asked = threading.Event()
        self._generation: Generation | None = None
        self._prepared: PreparedAnswer | None = None
        self._grounded = GroundedText((), check=lambda _sentence, _cited: Verdict("unchecked", 0.0))
        self._first_piece_seconds: float | None = None
        self.citations: tuple[Citation, ...] = ()
        self.result: ChatAnswer | None = None

    def stop(self) -> None:
        self._stop_asked.set()
        if (generation := self._generation) is not None:
            generation.stop()

    def run(self) -> Generator[AnswerEvent, None, None]:
        started = time.perf_counter()
        found = self._find()
        self.citations = cite_hits(found.hits)
        visible = VisibleText()
        stopped = "error"
        refusal: Refusal = ""
        try:
            yield EvidenceFound(found.quotes, self.citations, found.is_answerable)
            if found.is_answerable:
                yield from self._write(found, visible)
                stopped = self._reason_for_end(visible)
                refusal = self._find_refusal(found, visible) if stopped != "person" else ""
            else:
                stopped, refusal = "", "evidence"
            if refusal in {"evidence", "support"}:
                asked = parse_query(self._standalone_question or self._question).text  # "in:" of a filter is no English
                say = unsupported_text if self._is_unsupported() else refusal_text
                yield TextPiece(self._grounded.add_notice(say(asked)))
        except GenerationError as error:
            error.partial = self._grounded.text
            raise
        except (GeneratorExit, KeyboardInterrupt):
            stopped = "person"
            raise
        finally:
            self.result = self._sum_up(found, stopped, refusal, seconds=time.perf_counter() - started)
            if self._on_end is not None:
                self._on_end(self.result)

    def _write(self, found: FoundEvidence, visible: VisibleText) -> Iterator[TextPiece]:
        """Yield the text of the model as it was found right; on an error or a stop, what there is of it is kept."""
        if self._stop_asked.is_set():
            return
        prepared = self._prepared = self._prepare(found)
        self.citations = self.citations[: len(prepared.request.hits)]
        started = time.perf_counter()
        self._grounded = GroundedText(prepared.request.hits, check=prepared.check, by_line=prepared.is_quoted)
        try:
            for piece in self._visible_pieces(prepared, visible):
                if shown := self._grounded.feed(piece):
                    self._note_first_piece(started)
                    yield TextPiece(shown)
        finally:
            if self._generation is not None:
                self._generation.stop()
            rest = self._grounded.finish()
        if rest:
            self._note_first_piece(started)
            yield TextPiece(rest)

    def _note_first_piece(self, started: float) -> None:
        if self._first_piece_seconds is None:
            self._first_piece_seconds = time.perf_counter() - started

    def _visible_pieces(self, prepared: PreparedAnswer, visible: VisibleText) -> Iterator[str]:
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

    def _find_refusal(self, found: FoundEvidence, visible: VisibleText) -> Refusal:
        """Return whether the model says that it knows nothing, or nothing that it says is supported and to the point."""
        is_quotation = self._prepared is not None and self._prepared.is_quoted and bool(self._grounded.cited)
        if not is_quotation and is_refusal(self._grounded.text):
            return "model"
        checked = self._checked_sentences()
        if not checked:
            return "support" if visible.text.strip() else ""
        return "" if any(one.support != "unsupported" and found.bears_on_question(one) for one in checked) else "support"

    def _is_unsupported(self) -> bool:
        """Return whether something was claimed, and the excerpts support none of it."""
        checked = self._checked_sentences()
        return bool(checked) and all(one.support == "unsupported" for one in checked)

    def _checked_sentences(self) -> list[AnswerSentence]:
        return [sentence for sentence in self._grounded.sentences if sentence.support != "unchecked"]

    def _sum_up(self, found: FoundEvidence, stopped: str, refusal: Refusal, *, seconds: float) -> ChatAnswer:
        by_number = {citation.number: citation for citation in self.citations}
        grounded, prepared, generation = self._grounded, self._prepared, self._generation
        return ChatAnswer(
            answer=grounded.text,
            citations=tuple(by_number[number] for number in grounded.cited),
            model=prepared.model.name if prepared else "",
            fallback_reason=prepared.fallback_reason if prepared else "",
            stopped=stopped,
            timings=Timings(
                load_seconds=found.load_seconds + (prepared.load_seconds if prepared else 0.0),
                search_seconds=found.search_seconds,
                first_piece_seconds=self._first_piece_seconds,
                total_seconds=seconds,
                prompt_tokens=generation.prompt_tokens if generation else None,
                answer_tokens=generation.answer_tokens if generation else None,
            ),
            question=self._question,
            also_read=tuple(citation for citation in self.citations if citation.number not in grounded.cited),
            sentences=tuple(grounded.sentences),
            quotes=tuple(quote for quote in found.quotes if quote.number in by_number),
            refusal=refusal,
            standalone_question=self._standalone_question,
        )


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
