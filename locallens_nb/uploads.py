"""Files that came through the browser: kept under the home of the store, in a folder for each brain.

The names are the browser's and are not trusted: only their last part counts, nothing is overwritten, and nothing is
written outside of the folder that is made for them.
"""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from locallens_nb.errors import FolderError, StoreError

UPLOADS = "uploads"
_MOST_STEM_BYTES, _MOST_ENDING_BYTES = 180, 20
"""Of a name in UTF-8. Systems take 255 bytes, and a number is added to a name that is taken."""
_UNUSABLE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def save_uploads(home: Path | str, brain_name: str, files: Iterable[tuple[str, bytes | memoryview]]) -> Path:
    """Write the files into a new folder and return it; all of them or none.

    Parameters
    ----------
    home
        The home of the store.
    brain_name
        What the folder is named after.
    files
        Name and content of each.

    Raises
    ------
    FolderError
        When there is no file.
    StoreError
        When they cannot be written.
    """
    uploads = list(files)
    if not uploads:
        raise FolderError("No file was chosen.", hint="Choose one or more files first.")
    try:
        folder = _make_folder(Path(home) / UPLOADS, brain_name)
        try:
            for name, content in uploads:
                with _open_new(folder, safe_file_name(name)).open("xb") as file:
                    file.write(content)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    except OSError as error:
        raise StoreError(
            f"The files cannot be kept in '{Path(home) / UPLOADS}': {error.strerror or type(error).__name__}.",
            hint="Check its permissions and the free space.",
        ) from error
    return folder


def remove_uploads(home: Path | str, folder_path: Path | str) -> bool:
    """Remove the folder of a brain if it was made by :func:`save_uploads`; return whether it was."""
    folder = Path(folder_path)
    if not is_upload(home, folder):
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


def is_upload(home: Path | str, folder_path: Path | str) -> bool:
    """Say whether a folder was made by :func:`save_uploads`."""
    return Path(folder_path).parent == (Path(home) / UPLOADS).resolve()


def safe_file_name(name: str) -> str:
    """Return a name without path parts, control characters and whatever one of the systems cannot keep."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = "".join(character for character in last if unicodedata.category(character)[0] != "C")
    plain = _UNUSABLE.sub("_", plain).strip(" .")
    if not plain or _RESERVED.fullmatch(plain):
        plain = f"file-{plain}".rstrip("-")
    stem, dot, ending = plain.rpartition(".") if "." in plain else (plain, "", "")
    if len(plain.encode()) <= _MOST_STEM_BYTES + _MOST_ENDING_BYTES:
        return plain
    return f"{_cut(stem, _MOST_STEM_BYTES)}{dot}{_cut(ending, _MOST_ENDING_BYTES)}".rstrip(" .")


def _cut(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")


def _make_folder(parent: Path, brain_name: str) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    base = safe_file_name(brain_name)
    for number in range(1, 1_000_000):
        folder = parent / (base if number == 1 else f"{base}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder.resolve()
    raise FileExistsError(base)


def _open_new(folder: Path, name: str) -> Path:
    """Return a path that is not taken, also where the system does not tell capitals from small letters."""
    taken = {path.name.casefold() for path in folder.iterdir()}
    stem, dot, ending = name.rpartition(".")
    number = 1
    candidate = name
    while candidate.casefold() in taken:
        number += 1
        candidate = f"{stem} ({number}){dot}{ending}" if stem else f"{name} ({number})"
    return folder / candidate
