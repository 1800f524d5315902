"""The conversation in core widgets, for front ends that take no others: the same, less what needs a module of our own.

Enter breaks the line here, references are no controls, and nothing is copied to the clipboard.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import ipywidgets

from locallens_nb.notebook.controls import close_tree
from locallens_nb.notebook.markdown import escape, remove_controls
from locallens_nb.notebook.paced_view import PacedView
from locallens_nb.notebook.pacing import CallLater, Pace, call_in_thread
from locallens_nb.notebook.streamed_markdown import StreamedMarkdown

_PACE = Pace(least_seconds=0.2, most_seconds=1.0, growth_seconds=0.004)
_CHARACTERS_A_SECOND = 5_000
_LONGEST_PART = 2_000
"""Characters after which finished text goes on in a widget of its own: a widget sends all of its value each time."""
_STYLE = Path(__file__).parent / "static" / "conversation.css"
_OPEN = re.compile(r' open(="")?(?=>)')
"""What unfolds a source; in the text of one every ">" is escaped."""


def _answer_part() -> ipywidgets.HTML:
    return ipywidgets.HTML().add_class("ll-answer")


@dataclass
class _Turn:
    """One turn: a widget for each part, so that a part that changes does not send the others again."""

    question: ipywidgets.HTML
    finished: list[ipywidgets.HTML] = field(default_factory=lambda: [_answer_part()])
    last: ipywidgets.HTML = field(default_factory=_answer_part)
    error: ipywidgets.HTML = field(default_factory=ipywidgets.HTML)
    evidence: ipywidgets.HTML = field(default_factory=ipywidgets.HTML)
    streamed: StreamedMarkdown = field(default_factory=lambda: StreamedMarkdown(is_interactive=False))
    unsent: list[str] = field(default_factory=list)

    @property
    def parts(self) -> tuple[ipywidgets.HTML, ...]:
        return (self.question, *self.finished, self.last, self.error, self.evidence)

    def write_unsent(self) -> int:
        """Show what waits; return how many characters were written."""
        change = self.streamed.append("".join(self.unsent))
        self.unsent.clear()
        if change.finished:
            if len(self.finished[-1].value) > _LONGEST_PART:
                self.finished.append(_answer_part())
            self.finished[-1].value += change.finished
        self.last.value = self.streamed.last_html
        return len(self.last.value) + (len(self.finished[-1].value) if change.finished else 0)


class CoreConversation(PacedView[_Turn]):
    """A conversation that every front end with widgets shows.

    Parameters
    ----------
    clock, call_later
        The time, and how to wait for it.

    Attributes
    ----------
    widget
        What is shown.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, call_later: CallLater = call_in_thread) -> None:
        super().__init__(_PACE, clock=clock, call_later=call_later)
        style = ipywidgets.HTML(f"<style>{_STYLE.read_text(encoding='utf-8')}</style>", layout={"display": "none"})
        self._log = ipywidgets.VBox().add_class("ll-turns")
        log = ipywidgets.Box([self._log]).add_class("ll-log").add_class("ll-grows")
        self._status_line = ipywidgets.HTML().add_class("ll-status")
        self._box = ipywidgets.Textarea(
            placeholder="Ask a question about your files", layout={"flex": "1 1 auto", "width": "auto"}, rows=2
        )
        self._box.description_allow_html = False
        self._button = ipywidgets.Button(description="Send", tooltip="Send the question", button_style="primary")
        self._button.layout.width = "auto"
        self._button.on_click(self._press)
        composer = ipywidgets.HBox([self._box, self._button], layout={"align_items": "flex-end"})
        shown = ipywidgets.VBox([style, log, self._status_line, composer])
        self.widget: ipywidgets.Widget = shown.add_class("ll-conversation").add_class("ll-core").add_class("tex2jax_ignore")

    def add_question(self, text: str) -> int:
        """Show a question, take it out of the question box, and return the number of the turn."""
        with self._lock:
            question = f'<p class="ll-question" role="heading" aria-level="3">{escape(text)}</p>'
            number = self._add_turn(_Turn(ipywidgets.HTML(question)))
            if self._box.value.strip() == text:
                self._box.value = ""
            self._place_parts()
            return number

    def show_evidence(self, turn: int, html: str) -> None:
        """Show what was found in the files, until the answer takes its place."""
        self._write(turn, "evidence", f'<p class="ll-heading">Found in your files</p>{html}' if html else "")

    def show_answer(self, turn: int, html: str, sources_html: str, note: str, copy_text: str) -> None:  # noqa: ARG002
        """Show a whole answer with its sources in place of what was streamed, also for a second time.

        The sources are folded, so that the answer stays in view above them.
        """
        with self._lock:
            if shown := self._turns.get(turn):
                shown.unsent.clear()
                shown.last.value = ""
                text = remove_controls(html)
                shown.finished[0].value = f'{text}<p class="ll-note">{escape(note)}</p>' if note else text
                rest = shown.finished[1:]
                del shown.finished[1:]
                self._place_parts()
                for part in rest:
                    close_tree(part)
                self._write(turn, "evidence", _OPEN.sub("", sources_html))

    def show_error(self, turn: int, message: str) -> None:
        """Say what went wrong."""
        self._write(turn, "error", f'<p class="ll-error" role="alert">{escape(message)}</p>')

    def set_busy(self, busy: bool) -> None:
        """Offer Stop in place of Send while an answer is written."""
        with self._lock:
            if busy != self._busy:
                self._busy = busy
                self._button.description = "Stop" if busy else "Send"
                self._button.tooltip = "Stop the answer" if busy else "Send the question"

    def keep_transcript(self, panel_id: str, bundle: dict[str, str]) -> None:
        """Do nothing: core widgets cannot reach the notebook."""

    def clear(self) -> None:
        """Take all turns away."""
        with self._lock:
            turns = list(self._turns.values())
            self._turns.clear()
            self._log.children = ()
            for part in [part for turn in turns for part in turn.parts]:
                close_tree(part)

    def close(self) -> None:
        """Close the widgets and stop sending."""
        with self._lock:
            self.clear()
            self._closed = True
            self._pacer.cancel()
            close_tree(self.widget)

    def _write(self, turn: int, part: str, html: str) -> None:
        with self._lock:
            if shown := self._turns.get(turn):
                self._flush()
                getattr(shown, part).value = html

    def _press(self, _button: object) -> None:
        if self._busy:
            self._stop()
        elif text := self._box.value.strip():
            self._send_question(text)

    def _place_parts(self) -> None:
        parts = tuple(part for turn in self._turns.values() for part in turn.parts)
        if parts != self._log.children:
            self._log.children = parts

    def _flush(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._status_line.value = f'<span role="status">{escape(self._status)}</span>'
            written = sum(turn.write_unsent() for turn in self._turns.values() if turn.unsent)
            self._place_parts()
            self._pacer.sent(least_seconds=written / _CHARACTERS_A_SECOND)
