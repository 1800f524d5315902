"""Which files of a brain have changed on disk since they were indexed, told by their size and time alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as it was when it was indexed.

    Attributes
    ----------
    size_bytes
        Its size on disk, in bytes.
    modified_ns
        Its modification time, in nanoseconds since the epoch; 0 when it is not known, as in a brain that was imported.
    """

    relative_path: str
    size_bytes: int
    modified_ns: int


def find_changed_files(folder_path: Path | str, files: Sequence[IndexedFile]) -> list[str]:
    """Return the paths of the files that have another size or time now, or are gone.

    No file is opened, so a touched file counts as changed until the brain is refreshed. Files that are new in the folder
    are not looked for.
    """
    folder = Path(folder_path)
    return [file.relative_path for file in files if file.modified_ns and _has_changed(folder / file.relative_path, file)]


def _has_changed(path: Path, file: IndexedFile) -> bool:
    try:
        status = path.stat()
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (file.size_bytes, file.modified_ns)
