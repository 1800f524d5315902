"""One output of a cell that changes while a person waits, and stays as ordinary output when it is done."""

from __future__ import annotations

import time
from typing import Any, Self

from IPython.display import DisplayHandle, display

from locallens_nb.answers import AnswerStream
from locallens_nb.domain import Progress
from locallens_nb.notebook.rendering import Rendering, render_answer, render_progress, render_stream, render_text

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._handle is not None:
            self._replace(self.failure)

    def show(self, rendering: Rendering) -> None:
        """Replace what is shown, if it is time for that."""
        now = time.monotonic()
        if self._updates and now >= self._next_update:
            self._next_update = now + _LEAST_SECONDS + len(rendering.markdown) / _CHARACTERS_FOR_ONE_SECOND_MORE
            self._replace(rendering)

    def finish(self, rendering: Rendering) -> None:
        """Replace what is shown by what is to stay."""
        self._replace(rendering)

    def report(self, progress: Progress) -> None:
        """Show how far something is; usable as ``on_progress``."""
        self.show(render_progress(progress))

    def show_stream(self, stream: AnswerStream) -> None:
        """Show an answer while it is written, and then the whole of it with its sources; also when it is cut short."""
        pieces: list[str] = []
        self.show(render_text("Searching …"))
        try:
            for piece in stream:
                pieces.append(piece)
                self.show(render_stream("".join(pieces)))
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
