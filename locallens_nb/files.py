"""Find and read the files of a folder that hold text, and say of every other file why it was left out.

It reads only: nothing is written, no link is followed and nothing outside the folder is read, apart from the
``.gitignore`` files of the git work tree that the folder lies in.
"""

from __future__ import annotations

import hashlib
import logging
import math
import os
import stat
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from locallens_nb.domain import Discovery, IndexedFile, LocalDocument, Progress, ReportProgress, SkippedFile, report
from locallens_nb.errors import FolderError
from locallens_nb.file_types import NOTEBOOK, PDF, RENDERED_EXTENSIONS, WEB_PAGES, explain_unsupported, extension_of
from locallens_nb.readers.gitignore import IgnoreRules, is_ignored, read_rules, read_rules_above
from locallens_nb.readers.notebook import render_notebook
from locallens_nb.readers.pdf import read_pdf
from locallens_nb.readers.text import UnusableFileError, decode_text
from locallens_nb.readers.web_page import render_web_page
from locallens_nb.settings import expand_home

logger = logging.getLogger(__name__)

_Found = TypeVar("_Found", LocalDocument, SkippedFile, IndexedFile)

MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_RENDERED_BYTES = 32 * 1024 * 1024
"""Notebooks, web pages and PDFs may be larger on disk, since images are not read; their text has the limit of every file."""

_RENDERERS = {NOTEBOOK: render_notebook, **dict.fromkeys(WEB_PAGES, render_web_page)}
_GENERATED_FOLDERS = """
.git .locallens .next .turbo build coverage dist node_modules .venv venv __pycache__ .ipynb_checkpoints .mypy_cache .tox
site-packages
"""
IGNORED_FOLDERS = frozenset(_GENERATED_FOLDERS.split())

_SAMPLE_CHUNKS = 20
"""Of about how many chunks the file is that tells whether its kind is read as before: long enough to tell, and read soon."""
_NOT_REGULAR = "not a regular file"
_VANISHED = "it was gone when it was to be read"
_NO_PERMISSION = "no permission to read it, or another program holds it"


@dataclass(frozen=True, slots=True)
class _File:
    """A file that the walk found and that has a supported type."""

    path: str
    relative_path: str


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to walk, with the ignore rules that hold in it, outermost first."""

    path: str
    relative_path: str
    rules: tuple[IgnoreRules, ...]


def discover_text_documents(
    root_path: Path | str,
    *,
    known: Sequence[IndexedFile | SkippedFile] = (),
    respect_gitignore: bool = True,
    on_progress: ReportProgress | None = None,
) -> Discovery:
    """Read every text file below a folder.

    Hidden files and folders, those of :data:`IGNORED_FOLDERS` and those that a ``.gitignore`` names are passed over
    without a word; every other file that is not read is listed with its reason. One bad file never stops the rest.
    Links are not followed: what they lead to inside the folder is read once, under its own name.

    Parameters
    ----------
    root_path
        The folder; ``~`` stands for the home folder.
    known
        Files that are read only if they have another size or time now. One of each kind, of a middling length, is read all the
        same: where it reads otherwise than before, as after an update of this package, all of its kind are. Of those that could
        not be used none is: a damaged one may take a minute.
    respect_gitignore
        Whether ``.gitignore`` files count: those in the folder and, where it lies in a git work tree, those above it
        up to the top of that tree. A folder that is ignored itself was chosen on purpose: what is above it then
        does not count.
    on_progress
        Told each file before it is read, with the number that it has among the documents if it can be read.

    Returns
    -------
    Discovery
        What was read, skipped and passed over as unchanged, each ordered by relative path (code point order, ``/`` on every
        system).

    Raises
    ------
    FolderError
        When there is no such folder, or it cannot be listed.
    """
    documents: list[LocalDocument] = []
    skipped: list[SkippedFile] = []
    unchanged: list[IndexedFile] = []

    def read(file: _File) -> str:
        report(on_progress, Progress("reading", len(documents) + 1, 0, file.relative_path))
        outcome = _read_document(file)
        if isinstance(outcome, SkippedFile):
            skipped.append(outcome)
            return ""
        documents.append(outcome)
        return outcome.checksum

    before = {file.relative_path: file for file in known}
    same: dict[str, list[tuple[_File, IndexedFile]]] = {}
    for found in _walk(_resolve_root(root_path), respect_gitignore=respect_gitignore):
        if isinstance(found, SkippedFile):
            skipped.append(found)
            continue
        earlier = before.get(found.relative_path)
        if earlier is None or not is_unchanged(found.path, earlier):
            read(found)
        elif isinstance(earlier, SkippedFile):
            skipped.append(earlier)
        else:
            same.setdefault(extension_of(found.path), []).append((found, earlier))
    for files in same.values():
        sample, indexed = files.pop(min(range(len(files)), key=lambda at: abs(files[at][1].chunk_count - _SAMPLE_CHUNKS)))
        if read(sample) == indexed.checksum:
            unchanged += [earlier for _, earlier in files]
        else:
            for file, _ in files:
                read(file)
    logger.info("read %d files, skipped %d, %d are unchanged", len(documents), len(skipped), len(unchanged))
    return Discovery(_sort(documents), _sort(skipped), _sort(unchanged))


def is_unchanged(path: Path | str, file: IndexedFile | SkippedFile) -> bool:
    """Return whether a file still has the size and the time that it had when it was read."""
    try:
        status = Path(path).stat()
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (file.size_bytes, file.modified_ns)


def _sort(files: Iterable[_Found]) -> tuple[_Found, ...]:
    return tuple(sorted(files, key=lambda file: file.relative_path))


@dataclass(frozen=True, slots=True)
class TextFileNames:
    """The relative paths of the files of a folder that would be read.

    Attributes
    ----------
    is_complete
        Whether the whole folder was looked through.
    """

    paths: frozenset[str]
    is_complete: bool


def list_text_files(
    root_path: Path | str,
    *,
    respect_gitignore: bool = True,
    limit_seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> TextFileNames:
    """Return what :func:`discover_text_documents` would read, told by the names alone; no file is opened.

    Parameters
    ----------
    limit_seconds
        When to end the search, with what was found until then.

    Raises
    ------
    FolderError
        When there is no such folder, or it cannot be listed.
    """
    end = clock() + limit_seconds
    paths: set[str] = set()
    for found in _walk(_resolve_root(root_path), respect_gitignore=respect_gitignore):
        if clock() > end:
            return TextFileNames(frozenset(paths), is_complete=False)
        if isinstance(found, _File):
            paths.add(found.relative_path)
    return TextFileNames(frozenset(paths), is_complete=True)


def _resolve_root(root_path: Path | str) -> str:
    path = expand_home(root_path)
    if not path.exists():
        raise FolderError(f"Folder not found: {root_path}", hint="Check the spelling, or give the full path.")
    if not path.is_dir():
        raise FolderError(f"Not a folder but a file: {root_path}", hint="Give the folder that the file is in.")
    root = os.path.realpath(path)
    try:
        os.scandir(root).close()
    except OSError as error:
        raise FolderError(
            f"The folder cannot be read: {root_path} ({_explain(error)}).", hint="Check its permissions."
        ) from error
    return root


def _walk(root: str, *, respect_gitignore: bool) -> Iterator[_File | SkippedFile]:
    pending = [_Folder(root, "", read_rules_above(root) if respect_gitignore else ())]
    links: list[_File] = []
    seen: set[str] = set()
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder.path) as listing:
                entries = list(listing)
        except OSError as error:
            yield SkippedFile(folder.relative_path, f"the folder cannot be read: {_explain(error)}")
            continue
        rules = folder.rules + read_rules(folder.path) if respect_gitignore else ()
        for entry in entries:
            relative_path = f"{folder.relative_path}/{entry.name}".lstrip("/")
            kind = _kind(entry)
            if kind == "hidden" or (kind == "folder" and entry.name in IGNORED_FOLDERS):
                continue
            if not _is_storable(relative_path):
                yield SkippedFile(_escape(relative_path), "its name is not valid Unicode")
            elif is_ignored(entry.path, is_folder=kind == "folder", rules=rules):
                continue
            elif kind == "folder":
                pending.append(_Folder(entry.path, relative_path, rules))
            elif kind == "link":
                links.append(_File(entry.path, relative_path))
            else:
                seen.add(entry.path)
                reason = explain_unsupported(entry.name) or (_NOT_REGULAR if kind == "special" else "")
                yield SkippedFile(relative_path, reason) if reason else _File(entry.path, relative_path)
    yield from _explain_links(links, root=root, seen=seen)


def _kind(entry: os.DirEntry[str]) -> str:
    """Return ``hidden``, ``link``, ``folder``, ``file`` or ``special`` without opening or following anything."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return "hidden" if entry.name.startswith(".") else "file"
    if entry.name.startswith(".") or getattr(status, "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_HIDDEN:
        return "hidden"
    # A Windows junction leads elsewhere as a link does, but counts as a folder.
    mount_point = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    if stat.S_ISLNK(status.st_mode) or (mount_point and getattr(status, "st_reparse_tag", 0) == mount_point):
        return "link"
    if stat.S_ISDIR(status.st_mode):
        return "folder"
    return "file" if stat.S_ISREG(status.st_mode) else "special"


def _explain_links(links: list[_File], *, root: str, seen: set[str]) -> Iterator[SkippedFile]:
    """Yield the links through which nothing was read; a link to what is read under its own name needs no word."""
    below = root.rstrip(os.sep) + os.sep
    for link in links:
        target = os.path.realpath(link.path)
        if not Path(target).exists():
            yield SkippedFile(link.relative_path, "a link that leads nowhere")
        elif target != root and not target.startswith(below):
            yield SkippedFile(link.relative_path, "a link that leads out of the folder")
        elif not Path(target).is_dir() and target not in seen:
            yield SkippedFile(link.relative_path, "a link to a file that is left out")


def _read_document(file: _File) -> LocalDocument | SkippedFile:
    size_and_time: tuple[int, int] | tuple[()] = ()
    try:
        data, status = _read_bytes(file.path)
        size_and_time = (status.st_size, status.st_mtime_ns)
        content = _read_text(data, extension_of(file.relative_path))
    except UnusableFileError as error:
        return SkippedFile(file.relative_path, str(error), *size_and_time)
    except OSError as error:
        return SkippedFile(file.relative_path, _explain(error))
    except Exception as error:
        logger.warning("a file could not be read: %s", type(error).__name__)
        return SkippedFile(file.relative_path, f"it could not be read ({type(error).__name__})")
    content = unicodedata.normalize("NFC", content)  # a letter and its accent are one, also where macOS parted them
    checksum = hashlib.sha256(f"{file.relative_path}\0{content}".encode()).hexdigest()
    return LocalDocument(file.relative_path, content, checksum, *size_and_time)


def _read_text(data: bytes, extension: str) -> str:
    content = read_pdf(data) if extension == PDF else decode_text(data)
    if render := _RENDERERS.get(extension):
        content = render(content)
    if not content.strip():
        raise UnusableFileError("empty: it holds no text")
    if extension in RENDERED_EXTENSIONS:
        _require_size(len(content.encode()), MAX_FILE_BYTES)
    return content


def _read_bytes(path: str) -> tuple[bytes, os.stat_result]:
    # The file may have become a pipe or a link since the walk: not to wait for the one, not to follow the other.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(path, flags), "rb") as stream:  # noqa: PTH123
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnusableFileError(_NOT_REGULAR)
        if status.st_size == 0:
            raise UnusableFileError("empty")
        limit = MAX_RENDERED_BYTES if extension_of(path) in RENDERED_EXTENSIONS else MAX_FILE_BYTES
        data = stream.read(limit + 1) if status.st_size <= limit else b""
    _require_size(max(status.st_size, len(data)), limit)
    return data, status


def _require_size(size_bytes: int, limit_bytes: int) -> None:
    if size_bytes > limit_bytes:
        tenths = math.ceil(size_bytes * 10 / 2**20)
        raise UnusableFileError(f"{tenths / 10} MiB is over the limit of {limit_bytes // 2**20} MiB")


def _is_storable(relative_path: str) -> bool:
    try:
        relative_path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escape(relative_path: str) -> str:
    return relative_path.encode("utf-8", "backslashreplace").decode()


def _explain(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return _VANISHED
    return _NO_PERMISSION if isinstance(error, PermissionError) else (error.strerror or type(error).__name__)
