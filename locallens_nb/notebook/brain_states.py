"""What the list of brains shows of each: how it is, how big it is, and which of its files have changed. Pure, but for stat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from rich.filesize import decimal

from locallens_nb.changes import FolderChanges, find_changes
from locallens_nb.domain import Brain, SkippedFile
from locallens_nb.locallens import LocalLensApp

Status = Literal["ready", "stale", "indexing", "error"]

NO_CHANGES = FolderChanges(frozenset(), frozenset(), is_complete=True)
_MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class BrainState:
    """A brain as the list shows it.

    Attributes
    ----------
    status
        *stale* when its folder has changed since it was indexed; *error* when its last refresh failed.
    size_bytes
        Of its files when they were indexed; None until it has been looked up.
    changes
        What has changed in its folder.
    problem
        Why the last refresh failed.
    """

    brain: Brain
    status: Status = "ready"
    size_bytes: int | None = None
    changes: FolderChanges = NO_CHANGES
    problem: str = ""

    def describe(self) -> str:
        """Return the counts, the size and the time of indexing on one line."""
        brain = self.brain
        parts = [_count(brain.document_count, "file"), _count(brain.chunk_count, "chunk")]
        if self.size_bytes:
            parts.append(decimal(self.size_bytes))
        parts.append(f"indexed {brain.indexed_at.astimezone():%Y-%m-%d %H:%M}")
        if self.changes.changed:
            parts.append(f"{_count(len(self.changes.changed), 'file')} changed or gone since")
        if self.changes.added:
            parts.append(f"{_count(len(self.changes.added), 'new file')}")
        return " · ".join(parts)

    def as_indexing(self) -> BrainState:
        """Return the state while the brain is being refreshed."""
        return replace(self, status="indexing")


def describe_brain(brain: Brain, *, action: str, note: str = "") -> str:
    """Return what was done with a brain, and what is to be known about it."""
    skipped = f", {brain.skipped_count:,} skipped (see its details)" if brain.skipped_count else ""
    counts = f"{_count(brain.document_count, 'file')}, {_count(brain.chunk_count, 'chunk')}{skipped}"
    return f"{action} '{brain.name}': {counts}. {note}".rstrip()


def look_at_brain(app: LocalLensApp, brain: Brain) -> BrainState:
    """Return the state of a brain from the store and from the names, sizes and times of the files in its folder."""
    files = app.list_indexed_files(brain.name)
    changes = find_changes(
        brain.folder_path,
        files,
        app.list_skipped_files(brain.name),
        indexed_at=brain.indexed_at,
        respect_gitignore=app.settings.respect_gitignore,
    )
    return state_of(brain, size_bytes=sum(file.size_bytes for file in files), changes=changes)


def state_of(brain: Brain, *, size_bytes: int | None, changes: FolderChanges) -> BrainState:
    """Return the state of a brain whose folder has changed so."""
    return BrainState(brain, "stale" if changes.changed or changes.added else "ready", size_bytes, changes)


def keep_problem(state: BrainState, problem: str) -> BrainState:
    """Return a state that says what went wrong; a blank problem changes nothing."""
    return replace(state, status="error", problem=problem) if problem else state


def render_details(state: BrainState, skipped: list[SkippedFile], *, note: str = "") -> str:
    """Return what there is to know of a brain as HTML, everything in it escaped.

    Parameters
    ----------
    note
        Which languages its embedding model does not know.
    """
    brain = state.brain
    facts = [
        ("Folder", brain.folder_path),
        ("Embedding model", brain.embedding_model),
        ("First indexed", f"{brain.created_at.astimezone():%Y-%m-%d %H:%M}"),
    ]
    parts = [f"<div><span>{name}</span> {escape(value)}</div>" for name, value in facts]
    if state.problem:
        parts.append(f'<p class="locallens-problem">The last refresh failed: {escape(state.problem)}</p>')
    if note:
        parts.append(f"<p>{escape(note)}</p>")
    changes = state.changes
    for told, paths in (("Changed or gone since it was indexed", changes.changed), ("New in the folder", changes.added)):
        if paths:
            parts.append(_render_list(told, [escape(path) for path in sorted(paths)]))
    if not changes.is_complete:
        parts.append("<p>The folder is large or slow to read: only a part of it was looked through for new files.</p>")
    title = "Skipped files, and why" if skipped else "No file was skipped."
    reasons = [f"{escape(file.relative_path)}<span>{escape(file.reason)}</span>" for file in skipped]
    parts.append(_render_list(title, reasons))
    return f'<div class="locallens-details">{"".join(parts)}</div>'


def _render_list(title: str, items: list[str]) -> str:
    shown = "".join(f"<li>{item}</li>" for item in items[:_MOST_LISTED])
    more = f"<li>and {len(items) - _MOST_LISTED} more</li>" if len(items) > _MOST_LISTED else ""
    return f"<p><b>{title}</b></p>" + (f"<ul>{shown}{more}</ul>" if items else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
