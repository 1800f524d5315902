"""The list of brains: a row for each, with what can be done with it. It shows, and tells what was chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import ipywidgets as widgets

from locallens_nb.notebook.brain_states import BrainState, Status
from locallens_nb.notebook.controls import close_tree, make_button, make_row, set_trait

_NO_BRAIN = (
    '<p class="locallens-hint">There is no brain yet. A <b>brain</b> is a folder of files that was read once so that you can'
    " ask it. Make one from a folder, or from files that you upload.</p>"
)


@dataclass(frozen=True, slots=True)
class BrainActions:
    """What the rows call, each with the name of their brain.

    ``details`` returns HTML in which everything is escaped.
    """

    select: Callable[[str], object]
    refresh: Callable[[str], object]
    delete: Callable[[str], object]
    details: Callable[[str], str]


class BrainList:
    """Rows of brains; those that stay keep their widgets, so that nothing flickers.

    Attributes
    ----------
    widget
        What is shown.
    """

    def __init__(self, actions: BrainActions) -> None:
        self._actions = actions
        self._rows: dict[str, _BrainRow] = {}
        self._empty = widgets.HTML(_NO_BRAIN)
        self._new = widgets.HTML().add_class("locallens-brain")
        self.widget = widgets.VBox().add_class("locallens-brains")

    def close(self) -> None:
        """Close every row."""
        for row in self._rows.values():
            row.close()
        close_tree(self._empty)
        close_tree(self._new)
        close_tree(self.widget)

    def show(self, states: Sequence[BrainState], *, selected: str, locked: bool, new: str = "") -> None:
        """Show these brains.

        Parameters
        ----------
        selected
            Name of the one that questions go to.
        locked
            Whether none can be refreshed or deleted now.
        new
            Name of one that is being made, if any.
        """
        names = [state.brain.name for state in states]
        for name in set(self._rows) - set(names):
            self._rows.pop(name).close()
        for state in states:
            row = self._rows.get(state.brain.name)
            if row is None:
                row = self._rows[state.brain.name] = _BrainRow(state.brain.name, self._actions)
            row.show(state, is_selected=state.brain.name == selected, locked=locked)
        set_trait(self._new, "value", f"<b>{escape(new)}</b> {_render_status('indexing')}" if new else "")
        children = tuple(self._rows[name].widget for name in names) + ((self._new,) if new else ())
        children = children or (self._empty,)
        if self.widget.children != children:
            self.widget.children = children


class _BrainRow:
    def __init__(self, name: str, actions: BrainActions) -> None:
        self._name = name
        self._actions = actions
        self._generation = -1
        self._select = make_button(name, f"Ask the brain '{name}'").add_class("locallens-brain-name")
        self._about = widgets.HTML().add_class("locallens-about")
        self._refresh = make_button("Refresh", f"Bring '{name}' up to date with its folder", icon="refresh")
        self._more = make_button("Details", f"Folder, model and skipped files of '{name}'", icon="info-circle")
        self._delete = make_button("Delete", f"Delete the brain '{name}'", icon="trash")
        self._question = widgets.HTML(f"<b>Delete '{escape(name)}'?</b> Its excerpts go; your own files stay as they are.")
        self._yes = make_button("Yes, delete", f"Delete the brain '{name}' for good").add_class("mod-danger")
        self._no = make_button("Keep it", f"Do not delete '{name}'")
        self._confirm = make_row(self._question, self._yes, self._no).add_class("locallens-confirm")
        self._details = widgets.HTML()
        buttons = make_row(self._refresh, self._more, self._delete).add_class("locallens-actions")
        self._head = make_row(self._select, self._about, buttons)
        self.widget = widgets.VBox([self._head]).add_class("locallens-brain")
        self._select.on_click(lambda _: actions.select(name))
        self._refresh.on_click(lambda _: actions.refresh(name))
        self._more.on_click(lambda _: self._toggle_details())
        self._delete.on_click(lambda _: self._unfold(self._confirm))
        self._no.on_click(lambda _: self._unfold(None))
        self._yes.on_click(self._delete_for_good)

    def show(self, state: BrainState, *, is_selected: bool, locked: bool) -> None:
        chip = _render_status(state.status)
        asked = ' <span class="locallens-chip">asked now</span>' if is_selected else ""
        problem = f'<span class="locallens-problem">{escape(state.problem)}</span>' if state.problem else ""
        set_trait(self._about, "value", f"{chip}{asked} <span>{escape(state.describe())}</span>{problem}")
        set_trait(self._select, "icon", "check-circle" if is_selected else "circle-o")
        for button in (self._refresh, self._delete, self._yes):
            set_trait(button, "disabled", locked)
        if is_selected:
            self.widget.add_class("locallens-selected")
        else:
            self.widget.remove_class("locallens-selected")
        if self._generation not in {-1, state.brain.generation} and self._details in self.widget.children:
            self._details.value = self._actions.details(self._name)
        self._generation = state.brain.generation

    def close(self) -> None:
        for part in (self._head, self._confirm, self._details, self.widget):
            close_tree(part)

    def _delete_for_good(self, _button: object) -> None:
        self._unfold(None)
        self._actions.delete(self._name)

    def _toggle_details(self) -> None:
        if self._details in self.widget.children:
            self._unfold(None)
        else:
            self._details.value = self._actions.details(self._name)
            self._unfold(self._details)

    def _unfold(self, below: widgets.Widget | None) -> None:
        self._more.description = "Hide details" if below is self._details else "Details"
        self.widget.children = (self._head, *([below] if below is not None else []))


def _render_status(status: Status) -> str:
    return f'<span class="locallens-chip locallens-{status}">{status}</span>'
