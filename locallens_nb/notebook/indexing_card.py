"""What is shown while a folder is indexed: a bar, the current file or the speed, Cancel, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import ipywidgets as widgets

from locallens_nb.notebook.controls import close_tree, make_button, make_row, set_trait, show_if
from locallens_nb.notebook.waiting import IndexingProgress, describe_seconds


class IndexingCard:
    """One indexing at a time.

    Parameters
    ----------
    cancel
        Called when the person wants it to end.

    Attributes
    ----------
    widget
        What is shown; out of the page while there is nothing to say.
    """

    def __init__(self, cancel: Callable[[], object]) -> None:
        self._title = widgets.HTML()
        self._bar = widgets.FloatProgress(min=0.0, max=1.0, tooltip="How much of this step is done").add_class("locallens-bar")
        self._line = widgets.HTML()
        self._cancel = make_button("Cancel", "End the indexing; what was embedded is kept", icon="stop")
        self._close = make_button("Close", "Close this message")
        self.widget = widgets.VBox([self._title, self._bar, make_row(self._line, self._cancel, self._close)]).add_class(
            "locallens-card"
        )
        self._cancel.on_click(lambda _: cancel())
        self._close.on_click(lambda _: show_if(self.widget, shown=False))
        show_if(self.widget, shown=False)

    def begin(self, title: str) -> None:
        """Say what is begun."""
        self._title.value = f"<b>{escape(title)}</b>"
        self._line.value = "Starting …"
        self._bar.value = 0.0
        self.widget.remove_class("locallens-failed")
        self._show_controls(running=True)
        set_trait(self._cancel, "disabled", False)
        show_if(self.widget, shown=True)

    def show(self, progress: IndexingProgress, *, seconds: float, cancelled: bool) -> None:
        """Show how far it is."""
        if cancelled:
            set_trait(self._line, "value", "Cancelling when the present batch is done …")
            set_trait(self._cancel, "disabled", True)
            return
        share = progress.share
        if share is None:
            self._bar.add_class("locallens-unknown")
        else:
            self._bar.remove_class("locallens-unknown")
            set_trait(self._bar, "value", round(share, 3))
        set_trait(self._line, "value", f"{escape(progress.describe())} · {describe_seconds(seconds)}")

    def end(self, message: str, *, failed: bool = False) -> None:
        """Say how it ended; a failure stays until the person closes it, and so does the rest until the next begins."""
        if failed:
            self.widget.add_class("locallens-failed")
        self._line.value = f'<span role="{"alert" if failed else "status"}">{escape(message)}</span>'
        self._title.value = ""
        self._show_controls(running=False)

    def close(self) -> None:
        """Close it with all that it holds."""
        close_tree(self.widget)

    def _show_controls(self, *, running: bool) -> None:
        show_if(self._title, shown=running)
        show_if(self._bar, shown=running)
        show_if(self._cancel, shown=running)
        show_if(self._close, shown=not running)
