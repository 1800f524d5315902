"""The upper part of the panel: the brains, a form for a new one, and what is being indexed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Set
from concurrent.futures import Executor
from html import escape
from pathlib import Path

import ipywidgets as widgets

from locallens_nb.domain import Brain, Progress
from locallens_nb.errors import LocalLensError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.notebook.brain_form import BrainForm, NewBrain
from locallens_nb.notebook.brain_list import BrainActions, BrainList
from locallens_nb.notebook.brain_states import BrainState, describe_brain, keep_problem, look_at_brain, render_details, state_of
from locallens_nb.notebook.controls import close_tree, make_button, make_row, set_trait, show_if
from locallens_nb.notebook.indexing_card import IndexingCard
from locallens_nb.notebook.jobs import Job, WorkCancelledError
from locallens_nb.notebook.waiting import IndexingProgress
from locallens_nb.uploads import is_upload, remove_uploads, save_uploads

_logger = logging.getLogger(__name__)

_QUICK_SECONDS = 0.3
_PACE_SECONDS = 0.4
"""Between two looks at an indexing: two messages each, beside the fourteen a second of an answer that streams meanwhile."""
_CANCELLED = "Cancelled. What was embedded is kept: the same again goes on from there."


class BrainsView:
    """Shows the brains and works on them, one at a time, off the kernel's main thread.

    Parameters
    ----------
    app
        Does the work.
    executor
        Runs it.
    selected
        Name of the brain that questions go to at first; blank for the one that was indexed last.
    on_look
        Told, from a thread, the name of each brain that was looked at and which of its files have changed.

    Attributes
    ----------
    widget
        What is shown.
    """

    def __init__(
        self,
        app: LocalLensApp,
        *,
        executor: Executor,
        selected: str = "",
        on_look: Callable[[str, Set[str]], object] = lambda _name, _changed: None,
    ) -> None:
        self._app = app
        self._executor = executor
        self._on_look = on_look
        self._lock = threading.RLock()
        self._states: dict[str, BrainState] = {}
        self._problems: dict[str, str] = {}
        self._look_seconds: dict[str, float] = {}
        self._selected = selected
        self._indexing = ""
        self._job: Job | None = None
        self._closed = False
        self._list = BrainList(
            BrainActions(self._guard(self.select), self._guard(self.refresh), self._guard(self.delete), self._render_details)
        )
        self._form = BrainForm(self._guard(self.create), self._hide_form)
        self._card = IndexingCard(self._guard(self.cancel))
        self._new = make_button("New brain", "Make a brain from a folder or from uploaded files", icon="plus")
        self._message = widgets.HTML()
        self.widget = widgets.VBox(
            [
                make_row(widgets.HTML("<b>Brains</b>").add_class("locallens-heading"), self._new),
                self._list.widget,
                self._form.widget,
                self._card.widget,
                self._message,
            ]
        )
        self._new.on_click(lambda _: self._show_form(shown=True))
        self._show_form(shown=False)
        self._show_message("")
        self.reload()

    @property
    def selected(self) -> str:
        """Name of the brain that questions go to; blank when there is none."""
        return self._selected

    @property
    def states(self) -> list[BrainState]:
        """The brains as they are shown, ordered by name."""
        with self._lock:
            return list(self._states.values())

    def changed_files(self, name: str) -> Set[str]:
        """Return the files of a brain that have changed since it was indexed, as far as is known."""
        state = self._states.get(name)
        return state.changes.changed if state else frozenset()

    def reload(self) -> None:
        """Read the brains anew; the sizes and the changed files of those that are new or refreshed are looked up."""
        try:
            brains = self._app.list_brains()
        except LocalLensError as error:
            self._show_message(str(error))
            return
        with self._lock:
            if self._closed:
                return
            known = self._states
            self._states = {brain.name: self._state_of(brain, known.get(brain.name)) for brain in brains}
            if self._selected not in self._states:
                latest = max(brains, key=lambda brain: brain.indexed_at, default=None)
                self._selected = latest.name if latest else ""
            if not brains and not known:
                self._show_form(shown=True)
            self._show()
            unknown = [state.brain for state in self._states.values() if state.size_bytes is None]
        if unknown:
            self._executor.submit(self._look, unknown)

    def look(self, name: str) -> None:
        """Find out in a thread what has changed in the folder of a brain."""
        if state := self._states.get(name):
            self._executor.submit(self._look, [state.brain])

    def look_again(self) -> None:
        """Look at the selected brain after a cell, which may have written files, unless that takes long."""
        if self._look_seconds.get(self._selected, 0.0) < _QUICK_SECONDS:
            self.look(self._selected)

    def select(self, name: str) -> None:
        """Send the questions from now on to this brain."""
        with self._lock:
            self._selected = name
            self._show()
        self.look(name)

    def create(self, new: NewBrain) -> None:
        """Make a brain."""

        def work(job: Job, progress: IndexingProgress) -> Brain:
            on_progress = _checked(job, progress)
            if new.folder is not None:
                return self._app.create_brain_from_folder(name=new.name, folder_path=new.folder, on_progress=on_progress)
            home = self._app.settings.home
            folder = save_uploads(home, new.name, new.files)
            try:
                return self._app.create_brain_from_folder(name=new.name, folder_path=folder, on_progress=on_progress)
            except BaseException:
                remove_uploads(home, folder)
                raise

        self._begin(f"Indexing '{new.name}'", new.name, work, is_new=True)

    def refresh(self, name: str) -> None:
        """Bring a brain up to date with its folder."""

        def work(job: Job, progress: IndexingProgress) -> Brain:
            return self._app.refresh_brain(name, on_progress=_checked(job, progress)).brain

        self._begin(f"Refreshing '{name}'", name, work, is_new=False)

    def cancel(self) -> None:
        """End the indexing after the batch that is being embedded."""
        with self._lock:
            if self._job is not None:
                self._job.cancel()

    def delete(self, name: str) -> None:
        """Delete a brain in a thread, and the files that were uploaded for it."""
        self._executor.submit(self._guard(self._delete), name)

    def close(self) -> None:
        """End the indexing and close all widgets."""
        with self._lock:
            self._closed = True
            self.cancel()
            self._list.close()
            self._form.close()
            self._card.close()
            close_tree(self.widget)

    def _begin(self, title: str, name: str, work: Callable[[Job, IndexingProgress], Brain], *, is_new: bool) -> None:
        with self._lock:
            if self._job is not None:
                self._show_message(f"'{self._indexing}' is being indexed. Cancel that, or wait until it is done.")
                return
            progress = IndexingProgress()
            made: list[Brain] = []
            job = Job(
                lambda: made.append(work(job, progress)),
                show=lambda: self._show_progress(job, progress),
                finish=lambda failure: self._finish(name, made, failure, is_new=is_new),
                pace_seconds=_PACE_SECONDS,
            )
            self._job = job
            self._indexing = name
            self._problems.pop(name, None)
            self._show_message("")
            self._card.begin(title)
            self._show()
        job.start(self._executor)

    def _finish(self, name: str, made: list[Brain], failure: BaseException | None, *, is_new: bool) -> None:
        note = self._describe_languages(name) if made else ""
        with self._lock:
            self._job = None
            self._indexing = ""
            if self._closed:
                return
            self._show_message("")
            if made:
                self._card.end(describe_brain(made[0], action="Indexed" if is_new else "Refreshed", note=note))
                if is_new:
                    self._selected = name
                    self._form.clear()
                    self._show_form(shown=False)
            elif isinstance(failure, WorkCancelledError):
                self._card.end(_CANCELLED)
            else:
                problem = _explain(failure)
                self._card.end(problem, failed=True)
                if not is_new:
                    self._problems[name] = problem
        self.reload()

    def _describe_languages(self, name: str) -> str:
        try:
            return self._app.describe_languages(name)
        except LocalLensError:  # it was deleted meanwhile
            return ""

    def _delete(self, name: str) -> None:
        folder = Path(self._app.get_brain(name).folder_path)
        is_uploaded = is_upload(self._app.settings.home, folder)
        self._app.delete_brain(name)
        is_gone = is_uploaded and not folder.exists()
        kept = "The files that were uploaded for it are gone too." if is_gone else "Its folder was not touched."
        self._show_message(f"Deleted '{name}'. {kept}")
        self.reload()

    def _look(self, brains: list[Brain]) -> None:
        """Look up sizes and changes (in a thread, since a disk may be slow)."""
        for brain in brains:
            began = time.monotonic()
            try:
                found = look_at_brain(self._app, brain)
            except LocalLensError:  # it was deleted meanwhile
                continue
            with self._lock:
                if self._closed:
                    return
                self._look_seconds[brain.name] = time.monotonic() - began
                present = self._states.get(brain.name)
                if present is None or present.brain.generation != brain.generation:
                    continue
                self._states[brain.name] = keep_problem(found, self._problems.get(brain.name, ""))
                self._show()
            self._on_look(brain.name, found.changes.changed)

    def _state_of(self, brain: Brain, known: BrainState | None) -> BrainState:
        """Return what is known of a brain until it has been looked at again."""
        is_same = known is not None and known.brain.generation == brain.generation
        state = state_of(brain, size_bytes=known.size_bytes, changes=known.changes) if known and is_same else BrainState(brain)
        return keep_problem(state, self._problems.get(brain.name, ""))

    def _show(self) -> None:
        states = [state.as_indexing() if name == self._indexing else state for name, state in self._states.items()]
        new = self._indexing if self._indexing not in self._states else ""
        self._list.show(states, selected=self._selected, locked=self._job is not None, new=new)
        self._form.lock(locked=self._job is not None)

    def _show_progress(self, job: Job, progress: IndexingProgress) -> None:
        with self._lock:
            if job is self._job and not self._closed:
                self._card.show(progress, seconds=job.seconds, cancelled=job.is_cancelled)

    def _show_form(self, *, shown: bool) -> None:
        show_if(self._form.widget, shown=shown)
        set_trait(self._new, "disabled", shown)

    def _hide_form(self) -> None:
        self._form.clear()
        self._show_form(shown=False)

    def _show_message(self, text: str) -> None:
        with self._lock:
            if not self._closed:
                self._message.value = f'<span role="status">{escape(text)}</span>' if text else ""
                show_if(self._message, shown=bool(text))

    def _render_details(self, name: str) -> str:
        try:
            note = self._app.describe_languages(name)
            return render_details(self._states[name], self._app.list_skipped_files(name), note=note)
        except LocalLensError as error:
            return escape(str(error))

    def _guard(self, call: Callable[..., object]) -> Callable[..., None]:
        """Return a call that shows its errors: those of a click are swallowed otherwise."""

        def guarded(*args: object) -> None:
            try:
                call(*args)
            except Exception as error:  # the edge of the panel
                self._show_message(_explain(error))

        return guarded


def _checked(job: Job, progress: IndexingProgress) -> Callable[[Progress], None]:
    """Return an ``on_progress`` that ends the work when the person wants that."""

    def report(latest: Progress) -> None:
        job.check()
        progress.report(latest)

    return report


def _explain(failure: BaseException | None) -> str:
    if isinstance(failure, LocalLensError):
        return str(failure)
    _logger.error("the panel could not do something: %s", type(failure).__name__)
    return f"Something unexpected went wrong ({type(failure).__name__}: {failure})."
