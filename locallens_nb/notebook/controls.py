"""The few controls that the panel is made of, each with a label, and how to change and to close them."""

from __future__ import annotations

import ipywidgets as widgets


def make_button(text: str, tooltip: str, *, icon: str = "", class_name: str = "", **shared: widgets.Widget) -> widgets.Button:
    """Return a button; ``tooltip`` says all that it does, also to a screen reader.

    Parameters
    ----------
    shared
        A ``layout`` or ``style`` that it has together with others, each of which is a message to the page otherwise; they are
        closed with the first of them.
    """
    return widgets.Button(description=text, tooltip=tooltip, icon=icon, _dom_classes=tuple(class_name.split()), **shared)


def make_row(*children: widgets.Widget, class_name: str = "", **shared: widgets.Widget) -> widgets.HBox:
    """Return a row that breaks where it is too narrow; ``shared`` as of a button."""
    return widgets.HBox(children, _dom_classes=("locallens-row", *class_name.split()), **shared)


def set_trait(widget: widgets.Widget, name: str, value: object) -> None:
    """Write a trait only where that changes it, so that nothing is sent for nothing."""
    if getattr(widget, name) != value:
        setattr(widget, name, value)


def show_if(widget: widgets.DOMWidget, *, shown: bool) -> None:
    """Show a widget, or take it out of the page and out of the reach of keys."""
    set_trait(widget.layout, "display", None if shown else "none")


def close_tree(widget: widgets.Widget) -> None:
    """Close a widget with all that it holds: a closed box alone leaves its children open."""
    for child in getattr(widget, "children", ()):
        close_tree(child)
    for part in ("layout", "style"):
        if isinstance(owned := getattr(widget, part, None), widgets.Widget):
            owned.close()
    widget.close()
