"""The conversation for a front end that is not known: in the widget of our own, and in core widgets where that is refused.

A front end says nothing when it refuses a widget: it shows an error in its place. So the page's first word is waited for.
"""

from __future__ import annotations

import contextvars
import importlib.util
import sys
import threading
from collections.abc import Callable
from typing import Any

import ipywidgets
from IPython.core.getipython import get_ipython

from locallens_nb.notebook.controls import close_tree
from locallens_nb.notebook.conversation import ConversationView, ConversationWidget
from locallens_nb.notebook.core_conversation import CoreConversation
from locallens_nb.notebook.pacing import CallLater, Cancellable, call_in_thread

_REFUSED_SECONDS = 3.0
"""How long a kernel without work waits for the page. On a busy machine a page's first word came after 0.01 to 0.6 s."""


def make_conversation_view() -> ConversationView:
    """Return the view for this installation and this front end.

    Google Colab takes other widgets than the core ones from a CDN only, and anywidget allows that for the whole session as
    soon as a widget of it is made. So none is made there.
    """
    takes_others = importlib.util.find_spec("anywidget") is not None and "google.colab" not in sys.modules
    return AdaptingConversation() if takes_others else CoreConversation()


class AdaptingConversation:
    """A conversation in the widget of our own, which core widgets replace when no page shows it.

    The kernel must have had nothing to do for a while without a word from the page: while cells run, the page's word waits
    behind them. If it comes after all, from a page that was slow or was opened later, our own widget is shown again.

    Parameters
    ----------
    call_later
        How to wait.

    Attributes
    ----------
    widget
        What is shown.
    """

    def __init__(self, *, call_later: CallLater = call_in_thread) -> None:
        self._lock = threading.RLock()
        self._call_later = call_later
        self._context = contextvars.copy_context()
        self._own = ConversationWidget()
        self._core: CoreConversation | None = None
        self._left_behind: CoreConversation | None = None
        self._told: list[tuple[str, tuple[Any, ...]]] = []
        self._waiting: Cancellable | None = None
        self._waits_for_page = False
        self.widget: ipywidgets.Widget = ipywidgets.Box([self._own.widget]).add_class("locallens-conversation")
        self._own.on_page(self._show_own)
        self._watch_cells(watching=True)

    def on_send(self, call: Callable[[str], None]) -> None:
        """Set what is called with each question."""
        self._tell("on_send", call)

    def on_stop(self, call: Callable[[], None]) -> None:
        """Set what is called when the person wants no more of an answer."""
        self._tell("on_stop", call)

    def on_action(self, call: Callable[[str, int], None]) -> None:
        """Set what is called when something was done with an answer."""
        self._tell("on_action", call)

    def add_question(self, text: str) -> int:
        """Show a question, take it out of the question box, and return the number of the turn."""
        number: int = self._tell("add_question", text)
        return number

    def show_status(self, text: str) -> None:
        """Say what is being done; an empty text says nothing."""
        self._tell("show_status", text)

    def show_evidence(self, turn: int, html: str) -> None:
        """Show what was found in the files, until the answer takes its place."""
        self._tell("show_evidence", turn, html)

    def append_text(self, turn: int, delta: str) -> None:
        """Show more of an answer: Markdown, as the model writes it."""
        self._tell("append_text", turn, delta)

    def show_answer(self, turn: int, html: str, sources_html: str, note: str, copy_text: str) -> None:
        """Show a whole answer with its sources in place of what was streamed, also for a second time."""
        self._tell("show_answer", turn, html, sources_html, note, copy_text)

    def show_error(self, turn: int, message: str) -> None:
        """Say what went wrong."""
        self._tell("show_error", turn, message)

    def set_busy(self, busy: bool) -> None:
        """Offer Stop in place of Send while an answer is written."""
        self._tell("set_busy", busy)

    def keep_transcript(self, panel_id: str, bundle: dict[str, str]) -> None:
        """Put the conversation into the saved notebook where the kernel cannot do it itself."""
        self._tell("keep_transcript", panel_id, bundle)

    def clear(self) -> None:
        """Take all turns away."""
        self._tell("clear")

    def close(self) -> None:
        """Close the widgets and stop waiting."""
        with self._lock:
            self._decide()
            self._own.close()
            if core := self._core or self._left_behind:
                core.close()
            self.widget.children = ()
            close_tree(self.widget)

    def _tell(self, what: str, *arguments: Any) -> Any:
        """Tell both views, so that each can take the other's place; return what our own says."""
        with self._lock:
            if self._waits_for_page:
                self._told.append((what, arguments))
            if self._core is not None:
                getattr(self._core, what)(*arguments)
            return getattr(self._own, what)(*arguments)

    def _show_own(self) -> None:
        """Show our own widget: a page has it. The core widgets stay open, since a page fails at closing what it takes out."""
        with self._lock:
            self._decide()
            if self._core is not None:
                self._left_behind, self._core = self._core, None
                self._context.copy().run(setattr, self.widget, "children", (self._own.widget,))

    def _show_core(self) -> None:
        """Show core widgets with all that was told so far."""
        with self._lock:
            if self._waits_for_page:
                told = list(self._told)
                self._decide()
                self._context.copy().run(self._make_core, told)

    def _make_core(self, told: list[tuple[str, tuple[Any, ...]]]) -> None:
        self._core = CoreConversation()
        for what, arguments in told:
            getattr(self._core, what)(*arguments)
        self.widget.children = (self._core.widget,)

    def _decide(self) -> None:
        """Wait no more (with the lock held)."""
        if self._waits_for_page:
            self._waits_for_page = False
            self._told.clear()
            self._stop_waiting()
            self._watch_cells(watching=False)

    def _watch_cells(self, *, watching: bool) -> None:
        """Wait between cells only: what the page says while one runs is handled after it."""
        shell = get_ipython()
        self._waits_for_page = watching and shell is not None
        if shell is not None:
            change = shell.events.register if watching else shell.events.unregister
            change("pre_run_cell", self._stop_waiting)
            change("post_run_cell", self._begin_waiting)

    def _begin_waiting(self, *_: object) -> None:
        with self._lock:
            self._stop_waiting()
            if self._waits_for_page:
                self._waiting = self._call_later(_REFUSED_SECONDS, self._show_core)

    def _stop_waiting(self, *_: object) -> None:
        with self._lock:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None
