"""What has changed in the folder of a brain since it was indexed, told by names, sizes and times alone.

No file is opened, so a touched file counts as changed until the brain is refreshed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from locallens_nb.domain import IndexedFile, SkippedFile
from locallens_nb.errors import FolderError
from locallens_nb.files import is_unchanged, list_text_files

_LIMIT_SECONDS = 5.0
"""How long new files are looked for in a large folder, or in one on a slow disk."""


@dataclass(frozen=True, slots=True)
class FolderChanges:
    """Relative paths of what a refresh would read anew or forget.

    Attributes
    ----------
    changed
        Files that have another size or time now, or are gone.
    added
        Files that were not there, or that were left out and have been written to since.
    is_complete
        Whether the whole folder was looked through for added files.
    """

    changed: frozenset[str]
    added: frozenset[str]
    is_complete: bool


def find_changes(
    folder_path: Path | str,
    files: Sequence[IndexedFile],
    skipped: Sequence[SkippedFile],
    *,
    indexed_at: datetime,
    respect_gitignore: bool = True,
    limit_seconds: float = _LIMIT_SECONDS,
) -> FolderChanges:
    """Return what has changed in a folder since it was indexed, by the rules of its discovery.

    Of a brain that was imported nothing is known, so nothing has changed.

    Parameters
    ----------
    files, skipped
        What was indexed, and what was left out.
    limit_seconds
        How long to look for added files.
    """
    if files and not any(file.size_bytes for file in files):
        return FolderChanges(frozenset(), frozenset(), is_complete=True)
    folder = Path(folder_path)
    changed = {file.relative_path for file in files if file.size_bytes and not is_unchanged(folder / file.relative_path, file)}
    try:
        present = list_text_files(folder, respect_gitignore=respect_gitignore, limit_seconds=limit_seconds)
    except FolderError:
        return FolderChanges(frozenset(changed), frozenset(), is_complete=True)
    known = {file.relative_path for file in files}
    if present.is_complete:
        changed |= known - present.paths
    left_out = {file.relative_path: file for file in skipped}
    added = {
        path
        for path in present.paths - known
        if path not in left_out or _is_written_since(folder / path, left_out[path], moment=indexed_at)
    }
    return FolderChanges(frozenset(changed), frozenset(added), present.is_complete)


def _is_written_since(path: Path, file: SkippedFile, *, moment: datetime) -> bool:
    if file.modified_ns is not None:
        return not is_unchanged(path, file)
    try:
        return path.stat().st_mtime > moment.timestamp()
    except OSError:
        return False
