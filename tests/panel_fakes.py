"""A conversation view that keeps what it was told, for tests of the panel without a front end."""

from __future__ import annotations

import html
import time
from collections.abc import Callable

import ipywidgets


class RecordingView:
    """Keeps every call in order, and can send, stop and act as a person would.

    Attributes
    ----------
    calls
        Name and arguments of each call that shows something.
    times
        When each of them came, in seconds.
    """

    def __init__(self) -> None:
        self.widget = ipywidgets.VBox()
        self.calls: list[tuple[object, ...]] = []
        self.times: list[float] = []
        self.closed = False
        self._count = 0

    def on_send(self, call: Callable[[str], None]) -> None:
        self.send = call

    def on_stop(self, call: Callable[[], None]) -> None:
        self.stop = call

    def on_action(self, call: Callable[[str, int], None]) -> None:
        self.act = call

    def add_question(self, text: str) -> int:
        self._count += 1
        self._record("question", self._count, text)
        return self._count

    def show_status(self, text: str) -> None:
        self._record("status", text)

    def show_evidence(self, turn: int, html: str) -> None:
        self._record("evidence", turn, html)

    def append_text(self, turn: int, delta: str) -> None:
        self._record("text", turn, delta)

    def show_answer(self, turn: int, html: str, sources_html: str, note: str, copy_text: str) -> None:
        self._record("answer", turn, html, sources_html, note, copy_text)

    def show_error(self, turn: int, message: str) -> None:
        self._record("error", turn, message)

    def set_busy(self, busy: bool) -> None:
        self._record("busy", busy)

    def keep_transcript(self, panel_id: str, bundle: dict[str, str]) -> None:
        self._record("transcript", panel_id, bundle)

    def clear(self) -> None:
        self._record("clear")

    def close(self) -> None:
        self.closed = True
        self.widget.close()

    def named(self, kind: str) -> list[tuple[object, ...]]:
        """Return the arguments of the calls of one kind, in order."""
        return [call[1:] for call in list(self.calls) if call[0] == kind]

    @property
    def text(self) -> str:
        return "".join(str(delta) for _, delta in self.named("text"))

    def _record(self, *call: object) -> None:
        assert not self.closed, f"a closed view was used: {call}"
        self.calls.append(call)
        self.times.append(time.monotonic())


def wait_until(is_true: Callable[[], bool], *, seconds: float = 20.0) -> None:
    """Wait for a condition; far longer than it takes, far shorter than a hang."""
    limit = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < limit, "what the test waits for did not come"
        time.sleep(0.01)


def all_widgets(widget: ipywidgets.Widget) -> list[ipywidgets.Widget]:
    """Return a widget and all that it holds, as far as it is in the page."""
    if widget.layout.display == "none":
        return []
    return [widget, *(found for child in getattr(widget, "children", ()) for found in all_widgets(child))]


def all_html(widget: ipywidgets.Widget) -> str:
    """Return the HTML that a front end is given as such."""
    return "\n".join(one.value for one in all_widgets(widget) if isinstance(one, ipywidgets.HTML))


def all_texts(widget: ipywidgets.Widget) -> str:
    """Return what a person can read of a widget."""
    buttons = [one.description for one in all_widgets(widget) if isinstance(one, ipywidgets.Button)]
    return "\n".join([html.unescape(all_html(widget)), *buttons])


def find_button(widget: ipywidgets.Widget, description: str, *, within: str = "") -> ipywidgets.Button:
    """Return the button with this text, in the box of a class if there are several."""
    boxes = [one for one in all_widgets(widget) if within in one._dom_classes] if within else [widget]
    found = [one for box in boxes for one in all_widgets(box) if getattr(one, "description", None) == description]
    buttons = [one for one in found if isinstance(one, ipywidgets.Button)]
    assert len(buttons) == 1, f"{len(buttons)} buttons say '{description}'"
    return buttons[0]
