"""One output of a cell that changes while a person waits, and stays as ordinary output when it is done."""

from __future__ import annotations

import time
from typing import Any, Self

from IPython.display import DisplayHandle, display

from locallens_nb.answers import AnswerStream
from locallens_nb.domain import Progress, TextPiece
from locallens_nb.notebook.rendering import (
    FOUND,
    Rendering,
    join_renderings,
    render_answer,
    render_progress,
    render_quotes,
    render_stream,
    render_text,
    render_understood,
)

_LEAST_SECONDS = 0.1
_CHARACTERS_FOR_ONE_SECOND_MORE = 10_000


class LiveOutput:
    """Shows renderings one after the other in the same place.

    Each update sends the whole text again, so there are at most ten a second, and fewer as the text grows: a server
    drops clients that are sent too much.

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
        self._evidence: Rendering | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._handle is not None:
            self._replace(self.failure)

    def show(self, rendering: Rendering, *, at_once: bool = False) -> None:
        """Replace what is shown, if it is time for that."""
        now = time.monotonic()
        if self._updates and (at_once or now >= self._next_update):
            self._next_update = now + _LEAST_SECONDS + len(rendering.markdown) / _CHARACTERS_FOR_ONE_SECOND_MORE
            self._replace(rendering)

    def finish(self, rendering: Rendering) -> None:
        """Replace what is shown by what is to stay."""
        self._replace(rendering)

    def report(self, progress: Progress) -> None:
        """Show how far something is, above the quotations when they have been found; usable as ``on_progress``."""
        self.show(join_renderings(render_progress(progress), self._evidence))

    def show_stream(self, stream: AnswerStream) -> None:
        """Show an answer while it is written, and then the whole of it with its sources; also when it is cut short."""
        text = ""
        understood = render_understood(stream.standalone_question)
        self.show(join_renderings(understood, render_text("Searching …")))
        try:
            for event in stream.events():
                if isinstance(event, TextPiece):
                    text += event.text
                    self.show(join_renderings(understood, render_stream(text), self._evidence))
                elif event.quotes and event.is_answerable:
                    self._evidence = render_quotes(event.quotes, event.citations, title=FOUND)
                    self.show(self._evidence, at_once=True)
        except BaseException:
            stream.close()
            if stream.citations:
                self.failure = render_answer(stream.result)
            raise
        self.finish(render_answer(stream.result))

    def _replace(self, rendering: Rendering) -> None:
        bundle: dict[str, Any] = rendering.mime_bundle()
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)
