"""The chat panel: brains above, a conversation below. It composes the parts and hands each what it needs."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Set
from concurrent.futures import Executor
from datetime import datetime
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any
from uuid import uuid4

import ipywidgets as widgets
from IPython.core.getipython import get_ipython
from IPython.display import display, update_display

from locallens_nb.locallens import LocalLensApp
from locallens_nb.notebook.adapting_conversation import make_conversation_view
from locallens_nb.notebook.brains_view import BrainsView
from locallens_nb.notebook.controls import close_tree, make_button, make_row, set_trait
from locallens_nb.notebook.conversation import ConversationView
from locallens_nb.notebook.conversing import Conversing
from locallens_nb.notebook.jobs import DaemonThreads
from locallens_nb.notebook.session import SESSION
from locallens_nb.notebook.transcript import save_conversation, transcript_bundle

_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_FALLBACK = "LocalLens: a chat panel, which needs a running kernel. What was said in it stands below."


class Panel:
    """A panel that is shown as the value of a cell; :func:`panel` makes one.

    Parameters
    ----------
    app
        Does all the work.
    executor
        Runs it off the kernel's main thread.
    brain
        Name of the brain that questions go to at first.
    view
        Shows the conversation.

    Attributes
    ----------
    widget
        The panel's widget, to be put into a layout of one's own.

    Raises
    ------
    BrainNotFoundError
        When a brain is named and there is none of that name.
    """

    def __init__(
        self,
        app: LocalLensApp,
        *,
        executor: Executor | None = None,
        brain: str = "",
        view: ConversationView | None = None,
    ) -> None:
        if brain:
            app.get_brain(brain)
        executor = executor or DaemonThreads()
        self._closed = False
        self._display_id = ""
        self._context = contextvars.copy_context()
        self._view = view or make_conversation_view()
        self._message = widgets.HTML()
        self._conversing = Conversing(
            app,
            self._view,
            executor=executor,
            changed_files=self._changed_files,
            on_change=self._after_answer,
        )
        self._brains = BrainsView(app, executor=executor, selected=brain, on_look=self._conversing.show_changed_files)
        self._save = make_button("Save conversation", "Write the conversation to a Markdown file here", icon="save")
        self._clear = make_button("New conversation", "Take the questions and answers away and begin anew", icon="eraser")
        style = widgets.HTML(f"<style>{files(__package__).joinpath('panel.css').read_text(encoding='utf-8')}</style>")
        self.widget = widgets.VBox(
            [
                style.add_class("locallens-style"),
                self._brains.widget,
                self._view.widget,
                make_row(self._save, self._clear, self._message),
            ]
        ).add_class("locallens-panel")
        self._view.on_send(self._guard(self.ask))
        self._view.on_stop(self._guard(self.stop))
        self._save.on_click(self._guard(lambda _: self.save()))
        self._clear.on_click(self._guard(lambda _: self._begin_anew()))
        self._watch_cells(watching=True)

    def ask(self, question: str) -> None:
        """Ask the selected brain."""
        self._show_message("")
        self._conversing.ask(question, self._brains.selected)

    def stop(self) -> None:
        """End the answer that is being written."""
        self._conversing.stop()

    def save(self) -> Path | None:
        """Write the conversation to a new Markdown file in the working folder and return its path."""
        turns = self._conversing.turns
        if not turns:
            self._show_message("There is no conversation to save yet.")
            return None
        path = save_conversation(turns, Path.cwd(), moment=datetime.now())
        self._show_message(f"Saved as {path.name}, beside the notebook.")
        return path

    def close(self) -> None:
        """End all work and close the widgets; the conversation stays in the notebook as text."""
        if self._closed:
            return
        self._closed = True
        self._watch_cells(watching=False)
        SESSION.forget(self)
        self._conversing.close()
        self._brains.close()
        self._view.close()
        close_tree(self.widget)

    def _ipython_display_(self) -> None:
        """Show the panel, and its conversation as text that the panel hides while it is there itself.

        They are two outputs: a front end that gets a new text for the output that the widget is in builds it anew.
        """
        view = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        display({_WIDGET_VIEW: view, "text/plain": _FALLBACK, "text/html": f"<p><i>{_FALLBACK}</i></p>"}, raw=True)
        self._display_id = self._display_id or uuid4().hex
        display(self._transcript(), raw=True, display_id=self._display_id)

    def _after_answer(self) -> None:
        """Bring the text in the notebook up to date (in a thread)."""
        if self._display_id and not self._closed:
            bundle = self._transcript()
            self._view.keep_transcript(self._display_id, bundle)
            # In the context of the panel's cell, so that it does not count as output of the cell that runs now.
            self._context.copy().run(update_display, bundle, raw=True, display_id=self._display_id)
        if not self._closed:
            self._brains.look(self._brains.selected)

    def _transcript(self) -> dict[str, str]:
        return transcript_bundle(self._conversing.turns, panel_id=self._display_id)

    def _changed_files(self, name: str) -> Set[str]:
        return self._brains.changed_files(name)

    def _begin_anew(self) -> None:
        self._conversing.clear()
        self._show_message("")
        self._after_answer()

    def _show_message(self, text: str) -> None:
        if not self._closed:
            set_trait(self._message, "value", f'<span role="status">{escape(text)}</span>' if text else "")

    def _guard(self, call: Callable[..., object]) -> Callable[..., None]:
        """Return a call that shows its errors: those of a click are swallowed otherwise."""

        def guarded(*args: Any) -> None:
            try:
                call(*args)
            except Exception as error:  # the edge of the panel
                self._show_message(f"That did not work ({type(error).__name__}: {error}).")

        return guarded

    def _watch_cells(self, *, watching: bool) -> None:
        """Read the brains anew after each cell: a magic may have made or deleted some."""
        shell = get_ipython()
        if shell is not None:
            (shell.events.register if watching else shell.events.unregister)("post_run_cell", self._reload)

    def _reload(self, *_: object) -> None:
        self._brains.reload()
        self._brains.look_again()


def panel(app: LocalLensApp | None = None, *, executor: Executor | None = None, brain: str | None = None) -> Panel:
    """Return a chat panel, to be shown as the value of a cell.

    All panels of a process share one workflow and so one copy of each model. Running a cell again closes the panel that
    it has shown before.

    Parameters
    ----------
    app
        Does all the work; by default the one that the magic and the other panels use.
    executor
        Runs it off the kernel's main thread; by default a thread for each job, which ends with it.
    brain
        Name of the brain that questions go to at first; by default the one that was indexed last.

    Raises
    ------
    BrainNotFoundError
        When a brain is named and there is none of that name.
    """
    made = Panel(app or SESSION.app(), executor=executor, brain=brain or "")
    shell: Any = get_ipython()
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell_id = parent.get("metadata", {}).get("cellId")
    if cell_id:
        SESSION.show_in_cell(made, cell_id=cell_id, run_id=parent["header"]["msg_id"])
    return made
