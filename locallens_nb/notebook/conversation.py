"""The conversation and the question box of the panel: what a view can do, and the view with a module in the browser.

It shows what it is given. HTML must come from :mod:`locallens_nb.notebook.markup`; all else is plain text.
"""

from __future__ import annotations

import contextvars
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4
from weakref import WeakValueDictionary

import comm
import ipywidgets
import traitlets

from locallens_nb.notebook.paced_view import PacedView
from locallens_nb.notebook.pacing import CallLater, Pace, call_in_thread
from locallens_nb.notebook.streamed_markdown import StreamedMarkdown

_STATIC = Path(__file__).parent / "static"
_MODULES = ("page.js", "kernel.js", "conversation.js")
_LINE = "locallens.line"
_PACE = Pace(least_seconds=0.07, most_seconds=0.8, growth_seconds=0.001)
"""2,000 tokens at 5 a second are about 850 messages, at 20 about 400."""
_CHARACTERS_A_SECOND = 40_000
"""As much as a block may have for each second until it is made anew: a long one takes time that the model needs."""
_MOST_HEARD = 100
_MOST_RESTORED_CHARACTERS = 500_000
"""What a page that is loaded again is sent at once; the server lets a megabyte a second pass."""

_open: WeakValueDictionary[str, ConversationWidget] = WeakValueDictionary()
"""The conversations that a page can open a line to, by what it calls them."""


class ConversationView(Protocol):
    """What shows a conversation; every method may be called from any thread.

    Attributes
    ----------
    widget
        What is shown.
    """

    widget: ipywidgets.Widget

    def on_send(self, call: Callable[[str], None]) -> None:
        """Set what is called with each question: its text, stripped, never empty."""

    def on_stop(self, call: Callable[[], None]) -> None:
        """Set what is called when the person wants no more of an answer."""

    def on_action(self, call: Callable[[str, int], None]) -> None:
        """Set what is called when something was done with an answer: the action ("copy", "insert", "save") and the turn."""

    def add_question(self, text: str) -> int:
        """Show a question, take it out of the question box, and return the number of the turn."""

    def show_status(self, text: str) -> None:
        """Say what is being done; an empty text says nothing."""

    def show_evidence(self, turn: int, html: str) -> None:
        """Show what was found in the files, until the answer takes its place."""

    def append_text(self, turn: int, delta: str) -> None:
        """Show more of an answer: Markdown, as the model writes it."""

    def show_answer(self, turn: int, html: str, sources_html: str, note: str, copy_text: str) -> None:
        """Show a whole answer with its sources in place of what was streamed, also for a second time."""

    def show_error(self, turn: int, message: str) -> None:
        """Say what went wrong."""

    def set_busy(self, busy: bool) -> None:
        """Offer Stop in place of Send while an answer is written."""

    def keep_transcript(self, panel_id: str, bundle: dict[str, str]) -> None:
        """Put the conversation into the saved notebook, as text by media type, where the kernel cannot do it itself."""

    def clear(self) -> None:
        """Take all turns away."""

    def close(self) -> None:
        """Close the widget and stop sending."""


@dataclass
class _Turn:
    """What a page needs to show one turn."""

    question: str
    streamed: StreamedMarkdown = field(default_factory=StreamedMarkdown)
    unsent: list[str] = field(default_factory=list)
    evidence: str = ""
    answer: str = ""
    sources: str = ""
    note: str = ""
    copy: str = ""
    error: str = ""
    is_answered: bool = False

    def to_message(self, number: int) -> dict[str, Any]:
        return {
            "kind": "turn",
            "turn": number,
            "question": self.question,
            "evidence": self.evidence,
            "finished": self.streamed.finished_html,
            "last": self.streamed.last_html,
            "answer": self.answer,
            "sources": self.sources,
            "note": self.note,
            "copy": self.copy,
            "error": self.error,
            "answered": self.is_answered,
        }


class ConversationWidget(PacedView[_Turn]):
    """A conversation in a widget of our own.

    The page is sent what changes. The whole is kept here, and sent to a page that asks for it: when it begins to show the
    conversation, when it was loaded again, or for a second view. Until a page has said something nothing is sent.

    Parameters
    ----------
    clock, call_later
        The time, and how to wait for it.

    Attributes
    ----------
    widget
        What is shown.
    loads
        How often a page has begun to show it: more than once when it was loaded again, never where it cannot.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, call_later: CallLater = call_in_thread) -> None:
        super().__init__(_PACE, clock=clock, call_later=call_later)
        line = uuid4().hex
        self.widget: ipywidgets.Widget = _widget_class()(line=line)
        self.loads = 0
        self._has_page = False
        self._tell_of_page: Callable[[], object] = lambda: None
        # The kernel takes messages to a widget's page for answers to the shell whose message it handles, and sends what
        # comes back there: always to the shell of the widget's cell, since a subshell ends with its page.
        self._context = contextvars.copy_context()
        self._heard: deque[object] = deque(maxlen=_MOST_HEARD)
        self._shown_status = ""
        self._transcript: dict[str, Any] | None = None
        self.widget.on_msg(lambda _widget, content, _buffers: self._receive(content))
        _open[line] = self
        comm.get_comm_manager().register_target(_LINE, _answer_line)

    def on_page(self, call: Callable[[], object]) -> None:
        """Set what is called when a page shows the widget: at its first word, from any thread."""
        self._tell_of_page = call

    def add_question(self, text: str) -> int:
        """Show a question, take it out of the question box, and return the number of the turn."""
        with self._lock:
            number = self._add_turn(_Turn(text))
            self._send_now({"kind": "question", "turn": number, "text": text})
            return number

    def show_evidence(self, turn: int, html: str) -> None:
        """Show what was found in the files, until the answer takes its place."""
        with self._lock:
            if shown := self._turns.get(turn):
                shown.evidence = html
                self._send_now({"kind": "evidence", "turn": turn, "html": html})

    def show_answer(self, turn: int, html: str, sources_html: str, note: str, copy_text: str) -> None:
        """Show a whole answer with its sources in place of what was streamed, also for a second time."""
        with self._lock:
            if shown := self._turns.get(turn):
                shown.answer, shown.sources, shown.note, shown.copy = html, sources_html, note, copy_text
                shown.is_answered = True
                shown.unsent.clear()
                message = {"kind": "answer", "turn": turn, "html": html, "sources": sources_html}
                self._send_now({**message, "note": note, "copy": copy_text})

    def show_error(self, turn: int, message: str) -> None:
        """Say what went wrong."""
        with self._lock:
            if shown := self._turns.get(turn):
                shown.error = message
                self._send_now({"kind": "error", "turn": turn, "text": message})

    def set_busy(self, busy: bool) -> None:
        """Offer Stop in place of Send while an answer is written."""
        with self._lock:
            if busy != self._busy:
                self._busy = busy
                self._send_now({"kind": "busy", "busy": busy})

    def keep_transcript(self, panel_id: str, bundle: dict[str, str]) -> None:
        """Have a page that was loaded again write the text of the conversation: the kernel's update does not reach it."""
        with self._lock:
            self._transcript = {"kind": "transcript", "panel": panel_id, "data": bundle}
            if self.loads > 1:
                self._send(self._transcript)

    def clear(self) -> None:
        """Take all turns away."""
        with self._lock:
            self._turns.clear()
            self._send_now({"kind": "clear"})

    def close(self) -> None:
        """Close the widget and stop sending."""
        with self._lock:
            self._closed = True
            self._pacer.cancel()
            self.widget.layout.close()
            self.widget.close()

    def _send_now(self, message: dict[str, Any]) -> None:
        """Send what waits, and then a message."""
        self._flush()
        self._send(message)

    def _flush(self) -> None:
        with self._lock:
            messages: list[dict[str, Any]] = []
            made = 0
            if self._status != self._shown_status:
                self._shown_status = self._status
                messages.append({"kind": "status", "text": self._status})
            for number, turn in self._turns.items():
                if turn.unsent:
                    change = turn.streamed.append("".join(turn.unsent))
                    turn.unsent.clear()
                    made += len(turn.streamed.last_html)
                    message = {"kind": "text", "turn": number, "kept": change.kept, "last": change.last}
                    messages.append({**message, "finished": change.finished} if change.finished else message)
            if messages:
                self._send(messages[0] if len(messages) == 1 else {"kind": "several", "messages": messages})
                self._pacer.sent(least_seconds=made / _CHARACTERS_A_SECOND)
            else:
                self._pacer.cancel()

    def _send(self, message: dict[str, Any]) -> None:
        if self._has_page and not self._closed:
            self._context.copy().run(self.widget.send, message)

    def _receive(self, content: dict[str, Any]) -> None:
        """Handle what the page says, once; while a cell runs it comes on a line of its own, in the thread of a subshell."""
        if self._closed:
            return
        if not self._has_page:
            self._has_page = True
            self._tell_of_page()
        kind = content.get("kind")
        if kind == "hello":
            self._send_all()
            return
        with self._lock:
            is_new = content.get("id") not in self._heard
            self._heard.append(content.get("id"))
        self._send({"kind": "heard", "id": content.get("id")})
        if not is_new:
            return
        if kind == "send" and (text := str(content.get("text", "")).strip()):
            self._send_question(text)
        elif kind == "stop":
            self._stop()
        elif kind == "action":
            self._act(str(content.get("action")), int(content.get("turn", 0)))

    def _send_all(self) -> None:
        """Send the whole conversation, or as much of its end as may go at once."""
        with self._lock:
            self.loads += 1
            self._flush()
            messages: list[dict[str, Any]] = []
            characters = 0
            for number, turn in reversed(self._turns.items()):
                message = turn.to_message(number)
                characters += sum(len(value) for value in message.values() if isinstance(value, str))
                if messages and characters > _MOST_RESTORED_CHARACTERS:
                    break
                messages.insert(0, message)
            left_out = len(self._turns) - len(messages)
            self._send({"kind": "all", "status": self._status, "busy": self._busy, "turns": messages, "left_out": left_out})
            if self._transcript and self.loads > 1:
                self._send(self._transcript)


def _answer_line(line: Any, opening: dict[str, Any]) -> None:
    """Take the line that a page opens: what is said on it is not held up by a cell that runs."""
    name = opening["content"]["data"].get("line")

    def receive(message: dict[str, Any]) -> None:
        if conversation := _open.get(name):
            conversation._receive(message["content"]["data"])

    line.on_msg(receive)


@cache
def _widget_class() -> type[ipywidgets.DOMWidget]:
    import anywidget

    class Conversation(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        """The model of the widget: its module and its style; all else goes in messages."""

        _esm = "\n".join((_STATIC / name).read_text(encoding="utf-8") for name in _MODULES)
        _css = (_STATIC / "conversation.css").read_text(encoding="utf-8")
        line = traitlets.Unicode().tag(sync=True)

    return Conversation
