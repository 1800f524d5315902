"""One store and several processes: killed writers, readers next to writers, and writers next to each other."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from locallens_nb.errors import StoreBusyError
from locallens_nb.store import LocalLensStore
from tests.integration.test_store import embed, save

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS = 60
DOCUMENTS = 30


def make_round(number: int) -> dict[str, str]:
    """Make a folder in which every document says the same round, but for one that never changes."""
    return {
        "same.md": "always here",
        **{f"{document}.md": f"document {document} round {number}" for document in range(DOCUMENTS)},
    }


def check_brain(target: LocalLensStore, name: str) -> int:
    """Check that a brain is whole and of one round, which is returned."""
    brain = target.get_brain(name)
    chunks = target.read_chunks(brain.id)
    rounds = {int(chunk.content.split()[-1]) for chunk in chunks if chunk.relative_path != "same.md"}
    assert len(rounds) == 1
    (number,) = rounds
    assert {chunk.relative_path: chunk.content for chunk in chunks} == make_round(number)
    assert (brain.chunk_count, brain.document_count) == (DOCUMENTS + 1, DOCUMENTS + 1)
    for text in (f"document 7 round {number}", "always here"):
        ((chunk, similarity),) = target.search_chunks(brain, embed(text), count=1).ranked
        assert (chunk.content, round(similarity, 5)) == (text, 1.0)
    return number


def refresh_for_ever(home: str, name: str) -> None:
    target = LocalLensStore(Path(home), lock_timeout_seconds=LIMIT_SECONDS)
    brain = next((brain for brain in target.list_brains() if brain.name == name), None)
    while True:
        brain = save(target, make_round(brain.generation if brain else 0), name=name, previous=brain)
        print("saved", brain.generation, flush=True)


def ask_for_ever(home: str, name: str) -> None:
    target = LocalLensStore(Path(home))
    while True:
        brain = target.get_brain(name)
        ((chunk, similarity),) = target.search_chunks(brain, embed("always here"), count=1).ranked
        assert (chunk.content, round(similarity, 5)) == ("always here", 1.0)
        hits = target.search_chunks(brain, embed("document 7"), count=DOCUMENTS + 1).ranked
        assert len({chunk.content.split()[-1] for chunk, _ in hits}) == 2, "hits of two generations"
        print("asked", brain.generation, flush=True)


def hold_the_lock(home: str) -> None:
    with LocalLensStore(Path(home)).writing():
        print("holding", flush=True)
        sys.stdin.read()


@contextmanager
def running(function, *arguments):
    """Run one of the functions above in its own process, and kill it at the end."""
    code = f"from tests.integration.test_store_processes import *; {function.__name__}(*{[str(each) for each in arguments]!r})"
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_line(process) -> list[str]:
    line = process.stdout.readline().split()
    assert line, process.stderr.read()
    return line


def wait_until(condition) -> None:
    end = time.monotonic() + LIMIT_SECONDS
    while not condition():
        assert time.monotonic() < end, "waited for too long"


def is_anything_unfinished(home: Path) -> bool:
    return any(home.glob("indexes/*.unfinished"))


def is_an_index_uncommitted(home: Path) -> bool:
    return len(list(home.glob("indexes/*.faiss"))) > 1


def is_the_log_in_use(home: Path) -> bool:
    try:
        return (home / "store.sqlite3-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


@pytest.mark.timeout(300)
@pytest.mark.parametrize("moment", [is_anything_unfinished, is_an_index_uncommitted, is_the_log_in_use, lambda home: True])
def test_a_writer_that_is_killed_leaves_whole_brains_and_a_free_lock(tmp_path, moment):
    rounds = []
    for _ in range(4):
        with running(refresh_for_ever, tmp_path, "notes") as writer:
            read_line(writer)
            _, saved = read_line(writer)
            wait_until(lambda: moment(tmp_path))
            writer.kill()
            writer.wait(timeout=LIMIT_SECONDS)
        target = LocalLensStore(tmp_path, lock_timeout_seconds=5)
        rounds.append(check_brain(target, "notes"))
        assert rounds[-1] + 1 >= int(saved)
        brain = save(target, make_round(1000 + rounds[-1]), previous=target.get_brain("notes"))
        assert check_brain(target, "notes") == 1000 + rounds[-1]
        assert [path.name for path in (tmp_path / "indexes").iterdir()] == [f"{brain.id}-{brain.generation}.faiss"]
    assert rounds == sorted(set(rounds))


@pytest.mark.timeout(300)
def test_a_first_indexing_that_is_killed_leaves_no_brain_and_keeps_its_vectors(tmp_path):
    code = (
        "import os; from tests.integration.test_store_processes import *; from locallens_nb import store;"
        "store.write_index_file = lambda *_: os._exit(9); refresh_for_ever(sys.argv[1], 'notes')"
    )
    finished = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, timeout=LIMIT_SECONDS, check=False)
    assert finished.returncode == 9
    target = LocalLensStore(tmp_path, lock_timeout_seconds=5)
    assert target.list_brains() == []
    assert target.find_missing_embeddings(list(make_round(0).values()), fingerprint="f1") == []
    save(target, make_round(0))
    assert check_brain(target, "notes") == 0


@pytest.mark.timeout(300)
def test_readers_never_fail_while_two_writers_refresh(tmp_path):
    save(LocalLensStore(tmp_path), make_round(0))
    with (
        running(refresh_for_ever, tmp_path, "notes") as writer,
        running(refresh_for_ever, tmp_path, "other") as other,
        running(ask_for_ever, tmp_path, "notes") as reader,
    ):
        asked = []
        while len(asked) < 50 or asked[-1] < asked[0] + 20:
            asked.append(int(read_line(reader)[1]))
        for process in (writer, other):
            read_line(process)
            assert process.poll() is None
    assert asked == sorted(asked)
    for name in ("notes", "other"):
        check_brain(LocalLensStore(tmp_path, lock_timeout_seconds=5), name)


@pytest.mark.timeout(300)
def test_a_writer_that_is_at_work_is_named_and_its_lock_is_free_when_it_dies(tmp_path):
    target = LocalLensStore(tmp_path, lock_timeout_seconds=0.2)
    with running(hold_the_lock, tmp_path) as holder:
        read_line(holder)
        with pytest.raises(StoreBusyError, match=f"process {holder.pid}\\."):
            save(target)
        assert target.list_brains() == []
    assert save(target) == target.get_brain("notes")
