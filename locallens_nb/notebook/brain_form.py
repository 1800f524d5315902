"""The form for a new brain: from a folder of the kernel's machine, or from files of the person's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ipywidgets as widgets

from locallens_nb.notebook.controls import close_tree, make_button, make_row, set_trait, show_if
from locallens_nb.notebook.folder_chooser import FolderChooser

_FROM_FOLDER, _FROM_FILES = "A folder", "Files to upload"
_UPLOADED = "my files"
_UPLOAD_LIMIT = "Up to 10 MB together: a Jupyter server drops a larger choice without a word."


@dataclass(frozen=True, slots=True)
class NewBrain:
    """What a person asks for: a name, and a folder or uploaded files, each with its name and content."""

    name: str
    folder: Path | None
    files: Sequence[tuple[str, memoryview]] = ()


class BrainForm:
    """Fields for the name and the source of a new brain.

    Parameters
    ----------
    create
        Told what to make; the form stays as it is until :meth:`clear`.
    cancel
        Told when the person does not want one after all.
    start
        Folder that the chooser begins with.

    Attributes
    ----------
    widget
        What is shown.
    """

    def __init__(self, create: Callable[[NewBrain], object], cancel: Callable[[], object], *, start: Path | str = ".") -> None:
        self._create = create
        self._suggested = ""
        self._source = widgets.ToggleButtons(
            options=[_FROM_FOLDER, _FROM_FILES],
            description="From",
            tooltips=[
                "Index a folder of the machine that the kernel runs on",
                "Upload files through the browser and index them",
            ],
        )
        self._chooser = FolderChooser(start)
        self._upload = widgets.FileUpload(
            multiple=True, description="Choose files", tooltip="Files to upload; they are kept beside the store"
        )
        self._uploaded = widgets.HTML()
        self._show_uploads()
        self._files = make_row(self._upload, self._uploaded)
        self._name = widgets.Text(description="Name", placeholder="What the brain is called", tooltip="Name of the new brain")
        self._create_button = make_button("Create brain", "Read the folder or the files and make a brain of them", icon="check")
        self._create_button.button_style = "primary"
        self._cancel_button = make_button("Cancel", "Close this form and make no brain")
        buttons = make_row(self._create_button, self._cancel_button)
        self.widget = widgets.VBox([self._source, self._chooser.widget, self._files, self._name, buttons])
        self.widget.add_class("locallens-form")
        self._source.observe(lambda _: self._show_source(), "value")
        self._upload.observe(lambda _: self._show_uploads(), "value")
        self._chooser.on_change(lambda _: self._suggest_name())
        self._create_button.on_click(lambda _: self._create(self._read()))
        self._cancel_button.on_click(lambda _: cancel())
        self._show_source()

    def clear(self) -> None:
        """Empty the name and the uploads for the next time."""
        self._upload.value = ()
        self._name.value = self._suggested = ""
        self._suggest_name()

    def lock(self, *, locked: bool) -> None:
        """Keep the person from creating while that is not possible."""
        set_trait(self._create_button, "disabled", locked)

    def close(self) -> None:
        """Close it with all that it holds."""
        close_tree(self.widget)

    def _read(self) -> NewBrain:
        name = self._name.value.strip() or self._suggested
        if self._source.value == _FROM_FOLDER:
            return NewBrain(name, self._chooser.folder)
        return NewBrain(name, None, [(file["name"], file["content"]) for file in self._upload.value])

    def _show_source(self) -> None:
        from_folder = self._source.value == _FROM_FOLDER
        show_if(self._chooser.widget, shown=from_folder)
        show_if(self._files, shown=not from_folder)
        self._suggest_name()

    def _show_uploads(self) -> None:
        count = len(self._upload.value)
        size = sum(file["size"] for file in self._upload.value)
        hint = f"{count} chosen, {size / 1e6:.1f} MB" if count else _UPLOAD_LIMIT
        self._uploaded.value = f'<span class="locallens-hint">{hint}</span>'

    def _suggest_name(self) -> None:
        """Fill in a name, unless the person has written one."""
        suggested = self._chooser.folder.resolve().name if self._source.value == _FROM_FOLDER else _UPLOADED
        if self._name.value in {"", self._suggested}:
            self._name.value = suggested
        self._suggested = suggested
