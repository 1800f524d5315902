"""The list of brains: a row for each, with what can be done with it. It shows, and tells what was chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
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
    """A row that takes few messages to the page: widgets share a layout and a style, and what unfolds is made when it does."""

    def __init__(self, name: str, actions: BrainActions) -> None:
        self._name = name
        self._actions = actions
        self._generation = -1
        layout = widgets.Layout()
        button = partial(make_button, layout=layout, style=widgets.ButtonStyle())
        self._select = button(name, f"Ask the brain '{name}'", class_name="locallens-brain-name")
        self._about = widgets.HTML(_dom_classes=("locallens-about",), layout=layout)
        self._refresh = button("Refresh", f"Bring '{name}' up to date with its folder", icon="refresh")
        self._more = button("Details", f"Folder, model and skipped files of '{name}'", icon="info-circle")
        self._delete = button("Delete", f"Delete the brain '{name}'", icon="trash")
        actions_box = make_row(self._refresh, self._more, self._delete, class_name="locallens-actions", layout=layout)
        self._head = make_row(self._select, self._about, actions_box, layout=layout)
        self._details: widgets.HTML | None = None
        self._confirming: widgets.Button | None = None
        self.widget = widgets.VBox([self._head], _dom_classes=("locallens-brain",), layout=layout)
        self._select.on_click(lambda _: actions.select(name))
        self._refresh.on_click(lambda _: actions.refresh(name))
        self._more.on_click(lambda _: self._toggle_details())
        self._delete.on_click(lambda _: self._ask_to_delete())

    def show(self, state: BrainState, *, is_selected: bool, locked: bool) -> None:
        chip = _render_status(state.status)
        asked = ' <span class="locallens-chip">asked now</span>' if is_selected else ""
        problem = f'<span class="locallens-problem">{escape(state.problem)}</span>' if state.problem else ""
        set_trait(self._about, "value", f"{chip}{asked} <span>{escape(state.describe())}</span>{problem}")
        set_trait(self._select, "icon", "check-circle" if is_selected else "circle-o")
        for button in (self._refresh, self._delete, self._confirming):
            if button is not None:
                set_trait(button, "disabled", locked)
        if is_selected:
            self.widget.add_class("locallens-selected")
        else:
            self.widget.remove_class("locallens-selected")
        if self._generation not in {-1, state.brain.generation} and self._details is not None:
            self._details.value = self._actions.details(self._name)
        self._generation = state.brain.generation

    def close(self) -> None:
        close_tree(self.widget)

    def _ask_to_delete(self) -> None:
        question = widgets.HTML(f"<b>Delete '{escape(self._name)}'?</b> Its excerpts go; your own files stay as they are.")
        yes = make_button("Yes, delete", f"Delete the brain '{self._name}' for good", class_name="mod-danger")
        no = make_button("Keep it", f"Do not delete '{self._name}'")
        yes.on_click(lambda _: self._delete_for_good())
        no.on_click(lambda _: self._unfold(None))
        self._unfold(make_row(question, yes, no, class_name="locallens-confirm"))
        self._confirming = yes

    def _delete_for_good(self) -> None:
        self._unfold(None)
        self._actions.delete(self._name)

    def _toggle_details(self) -> None:
        if self._details is not None:
            self._unfold(None)
            return
        details = widgets.HTML(self._actions.details(self._name))
        self._unfold(details)
        self._details = details
        self._more.description = "Hide details"

    def _unfold(self, below: widgets.Widget | None) -> None:
        """Show something below the row in the place of what is there."""
        before = self.widget.children[1:]
        self.widget.children = (self._head, *([below] if below is not None else []))
        for widget in before:
            close_tree(widget)
        self._details = self._confirming = None
        set_trait(self._more, "description", "Details")


def _render_status(status: Status) -> str:
    return f'<span class="locallens-chip locallens-{status}">{status}</span>'
