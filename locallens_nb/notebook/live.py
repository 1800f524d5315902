"""One output of a cell that changes while a person waits, and stays as ordinary output when it is done."""

from __future__ import annotations

import time
from typing import Any, Self

from IPython.display import DisplayHandle, display

from locallens_nb.answers import AnswerStream
from locallens_nb.domain import EvidenceFound, Progress, TextPiece
from locallens_nb.notebook.answer_rendering import render_answer, render_stream
from locallens_nb.notebook.rendering import (
    FOUND,
    Rendering,
    join_renderings,
    render_progress,
    render_quotes,
    render_text,
    render_understood,
)
from locallens_nb.notebook.streamed_markdown import StreamedMarkdown

_LEAST_SECONDS = 0.1
_BYTES_FOR_ONE_SECOND_MORE = 10_000
_FREE_BYTES = 300_000
_BYTES_FOR_ONE_WRITTEN = 60
"""What the updates of one answer may come to together, whatever its speed: under 1 MB for 2,000 tokens."""


class LiveOutput:
    """Shows renderings one after the other in the same place.

    Each update sends the whole once more, so there are at most ten a second, and fewer as it grows: a server drops
    clients that are sent too much. Updates carry HTML; what is to stay also has the other forms.

    Parameters
    ----------
    updates
        Whether the front end can replace an output; a plain terminal only gets the last rendering.

    Attributes
    ----------
    failure
        What stays when the block that this output is opened for ends in an error, instead of the last progress.
    """

    def __init__(self, *, updates: bool, failure: Rendering) -> None:
        self.failure = failure
        self._updates = updates
        self._handle: DisplayHandle | None = None
        self._next_update = 0.0
        self._latest_bytes = 0
        self._sent_bytes = 0
        self._evidence: Rendering | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._updates and self._handle is not None:
            self._replace(self.failure.mime_bundle())

    def show(self, rendering: Rendering, *, at_once: bool = False) -> None:
        """Replace what is shown, if it is time for that."""
        if self._updates and (at_once or self._is_time()):
            bundle = rendering.mime_bundle()
            del bundle["text/markdown"]
            self._replace(bundle)

    def finish(self, rendering: Rendering) -> None:
        """Replace what is shown by what is to stay."""
        self._replace(rendering.mime_bundle())

    def report(self, progress: Progress) -> None:
        """Show how far something is, above the quotations when they have been found; usable as ``on_progress``."""
        self.show(join_renderings(render_progress(progress), self._evidence))

    def show_stream(self, stream: AnswerStream) -> None:
        """Show an answer while it is written, and then the whole of it with its sources; also when it is cut short."""
        understood = render_understood(stream.standalone_question)
        self.show(join_renderings(understood, render_text("Searching …")))
        try:
            self._show_events(stream, understood)
        except BaseException:
            stream.close()
            if stream.citations:
                self.failure = render_answer(stream.result)
                if not self._updates:  # there is nothing yet that could be replaced
                    self.finish(self.failure)
            raise
        self.finish(render_answer(stream.result))

    def _show_events(self, stream: AnswerStream, understood: Rendering | None) -> None:
        written = StreamedMarkdown(is_interactive=False)
        unshown = ""
        written_bytes = 0
        before = self._sent_bytes
        for event in stream.events():
            if isinstance(event, TextPiece):
                unshown += event.text
                written_bytes += len(event.text.encode())
                most_bytes = before + _FREE_BYTES + written_bytes * _BYTES_FOR_ONE_WRITTEN
                if self._updates and self._is_time() and self._sent_bytes + self._latest_bytes <= most_bytes:
                    written.append(unshown)
                    unshown = ""
                    shown = render_stream(written.finished_html + written.last_html)
                    self.show(join_renderings(understood, shown, self._evidence))
            else:
                self._show_evidence(event)

    def _show_evidence(self, event: EvidenceFound) -> None:
        if event.quotes and event.is_answerable:
            self._evidence = render_quotes(event.quotes, event.citations, title=FOUND)
            self.show(self._evidence, at_once=True)

    def _is_time(self) -> bool:
        return time.monotonic() >= self._next_update

    def _replace(self, bundle: dict[str, Any]) -> None:
        self._latest_bytes = sum(len(str(form).encode("utf-8", "replace")) for form in bundle.values())
        self._sent_bytes += self._latest_bytes
        self._next_update = time.monotonic() + _LEAST_SECONDS + self._latest_bytes / _BYTES_FOR_ONE_SECOND_MORE
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)
