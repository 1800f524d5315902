"""Choosing a folder of the kernel's machine, by mouse, by keys or by its path."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import ipywidgets as widgets

from locallens_nb.notebook.controls import make_button, make_row
from locallens_nb.settings import expand_home

_MOST_FOLDERS = 500


class FolderChooser:
    """A path, and the folders below it in a list.

    Parameters
    ----------
    start
        The folder to begin with.

    Attributes
    ----------
    widget
        What is shown.
    """

    def __init__(self, start: Path | str = ".") -> None:
        self._listeners: list[Callable[[Path], object]] = []
        self._shown: Path | None = None
        self._names: list[str] = []
        self._path = widgets.Text(
            value=str(expand_home(start).resolve()),
            description="Folder",
            tooltip="Path of the folder to index",
            continuous_update=False,
        )
        self._folders = widgets.Select(
            description="In it", tooltip="Folders in this one: choose one, then open it", rows=6, options=()
        )
        self._open = make_button("Open folder", "Go into the folder that is chosen in the list", icon="folder-open")
        self._up = make_button("Up", "Go to the folder above", icon="level-up")
        self._note = widgets.HTML()
        self.widget = widgets.VBox([self._path, self._folders, make_row(self._open, self._up, self._note)]).add_class(
            "locallens-chooser"
        )
        self._path.observe(self._follow_path, "value")
        self._folders.observe(self._follow_choice, "index")
        self._open.on_click(self._open_chosen)
        self._up.on_click(self._go_up)
        self._list_folders()

    @property
    def folder(self) -> Path:
        """The folder that is chosen: the one in the list, or the one whose folders are listed."""
        text = self._path.value.strip()
        return expand_home(text or ".")

    def on_change(self, call: Callable[[Path], object]) -> None:
        """Tell about each folder that is chosen."""
        self._listeners.append(call)

    def _go_to(self, folder: Path) -> None:
        self._path.value = str(folder)
        self._list_folders()

    def _follow_path(self, _change: object) -> None:
        if self._shown is None or self.folder.parent != self._shown or self._chosen() != self.folder:
            self._list_folders()
        for call in self._listeners:
            call(self.folder)

    def _follow_choice(self, _change: object) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._path.value = str(chosen)

    def _open_chosen(self, _button: object) -> None:
        self._go_to(self._chosen() or self.folder)

    def _go_up(self, _button: object) -> None:
        self._go_to((self._shown or self.folder).resolve().parent)

    def _chosen(self) -> Path | None:
        if self._shown is None or self._folders.index is None:
            return None
        return self._shown / self._names[int(self._folders.index)]

    def _list_folders(self) -> None:
        """Show the folders of the one that the path names, without choosing any."""
        folder = self.folder
        names, note = _read_folder(folder)
        self._names = names
        self._shown = folder
        self._folders.index = None
        self._folders.options = tuple(names)
        self._folders.index = None
        self._folders.disabled = self._open.disabled = not names
        self._note.value = f'<span class="locallens-hint">{note}</span>'


def _read_folder(folder: Path) -> tuple[list[str], str]:
    """Return the names of the folders in a folder, and a remark on them."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(
                (entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()), key=str.casefold
            )
    except OSError:
        return [], "This folder cannot be read."
    names = [name for name in names if name.isprintable()]
    if len(names) > _MOST_FOLDERS:
        return names[:_MOST_FOLDERS], f"The first {_MOST_FOLDERS} of {len(names)}: type the path of another one."
    return names, "" if names else "No folder in it."
