"""What has changed in a folder since it was indexed."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from locallens_nb.changes import FolderChanges, find_changes
from locallens_nb.domain import IndexedFile, SkippedFile

NOW = datetime.now(UTC)
BEFORE = NOW - timedelta(days=1)


def write(folder: Path, *names: str) -> list[IndexedFile]:
    """Write files and return them as an index keeps them."""
    files = []
    for name in names:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("text", encoding="utf-8")
        status = path.stat()
        files.append(IndexedFile(name, status.st_size, status.st_mtime_ns, "c", 1))
    return files


def find(folder: Path, files: list[IndexedFile], *skipped: SkippedFile, **options: object) -> FolderChanges:
    return find_changes(folder, files, skipped, **{"indexed_at": BEFORE, **options})


def test_a_file_has_changed_when_its_size_or_time_has_or_when_it_is_gone(tmp_path: Path) -> None:
    same, longer, touched, gone, imported = write(tmp_path, "same.md", "longer.md", "touched.md", "gone.md", "imported.md")
    (tmp_path / "longer.md").write_text("longer text", encoding="utf-8")
    (tmp_path / "gone.md").unlink()
    files = [same, longer, replace(touched, modified_ns=1), gone, replace(imported, size_bytes=0, modified_ns=0)]
    changes = find(tmp_path, files)
    assert changes == FolderChanges(frozenset({"longer.md", "touched.md", "gone.md"}), frozenset(), is_complete=True)


def test_a_file_of_the_epoch_has_changed_like_any_other(tmp_path: Path) -> None:
    (file,) = write(tmp_path, "a.md")
    os.utime(tmp_path / "a.md", (0, 0))
    assert find(tmp_path, [replace(file, modified_ns=0)]).changed == frozenset()
    assert find(tmp_path, [replace(file, modified_ns=0, size_bytes=99)]).changed == {"a.md"}


def test_a_new_file_is_told_by_the_rules_of_discovery(tmp_path: Path) -> None:
    files = write(tmp_path, "a.md")
    write(tmp_path, "b.md", "deep/c.py", "photo.png", ".hidden.md", "node_modules/d.js", "ignored.md")
    (tmp_path / ".gitignore").write_text("ignored.md\n", encoding="utf-8")
    assert find(tmp_path, files).added == {"b.md", "deep/c.py"}
    assert find(tmp_path, files, respect_gitignore=False).added == {"b.md", "deep/c.py", "ignored.md"}


def test_a_file_that_is_ignored_from_now_on_counts_as_gone(tmp_path: Path) -> None:
    files = write(tmp_path, "a.md", "b.md")
    (tmp_path / ".gitignore").write_text("b.md\n", encoding="utf-8")
    assert find(tmp_path, files).changed == {"b.md"}


def test_a_file_that_was_left_out_is_new_when_it_was_written_to_since(tmp_path: Path) -> None:
    files = write(tmp_path, "a.md")
    write(tmp_path, "empty.md", "broken.md")
    os.utime(tmp_path / "broken.md", (1, 1))
    skipped = [SkippedFile(name, "it is held") for name in ("empty.md", "broken.md")]
    assert find(tmp_path, files, *skipped).added == {"empty.md"}
    assert find(tmp_path, files, *skipped, indexed_at=NOW + timedelta(days=1)).added == frozenset()


def test_a_file_that_could_not_be_used_is_new_when_it_has_another_size_or_time_be_it_an_older_one(tmp_path: Path) -> None:
    files = write(tmp_path, "a.md")
    longer, touched, same = (
        SkippedFile(file.relative_path, "damaged", file.size_bytes, file.modified_ns)
        for file in write(tmp_path, "longer.md", "touched.md", "same.md")
    )
    (tmp_path / "longer.md").write_text("longer text", encoding="utf-8")
    os.utime(tmp_path / "touched.md", (1, 1))
    assert find(tmp_path, files, longer, touched, same).added == {"longer.md", "touched.md"}


def test_a_search_that_takes_too_long_ends_and_says_so(tmp_path: Path) -> None:
    files = write(tmp_path, "a.md", "b.md")
    (tmp_path / "b.md").unlink()
    write(tmp_path, *(f"new{n}.md" for n in range(20)))
    changes = find(tmp_path, files, limit_seconds=-1.0)
    assert changes == FolderChanges(frozenset({"b.md"}), frozenset(), is_complete=False)


def test_a_folder_that_is_gone_has_lost_its_files(tmp_path: Path) -> None:
    files = write(tmp_path, "folder/a.md")
    (tmp_path / "folder" / "a.md").unlink()
    (tmp_path / "folder").rmdir()
    assert find(tmp_path / "folder", [replace(file, relative_path="a.md") for file in files]).changed == {"a.md"}


def test_nothing_is_known_of_an_imported_brain(tmp_path: Path) -> None:
    (file,) = write(tmp_path, "a.md")
    write(tmp_path, "b.md")
    imported = replace(file, size_bytes=0, modified_ns=0)
    assert find(tmp_path, [imported]) == FolderChanges(frozenset(), frozenset(), is_complete=True)


def test_a_brain_without_files_gets_new_ones(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert find(tmp_path, []).added == {"a.md"}
