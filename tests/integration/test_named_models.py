"""What a person may name as a model, and what is said of a name or of files that are no model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from locallens_nb.domain import Brain
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.catalogue import fetch_model
from locallens_nb.models.conversion import convert_gguf
from locallens_nb.models.embedding import bundled_model_folder, load_embedding_model
from locallens_nb.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", cache_folder=tmp_path / "cache", chat_model="quotes", offline=True)


@pytest.fixture
def embedder(tmp_path: Path) -> Path:
    """Return a folder of real weights that a test may damage."""
    return Path(shutil.copytree(bundled_model_folder(), tmp_path / "embedder"))


def index_with(embedding_model: str, settings: Settings, tmp_path: Path) -> tuple[LocalLensApp, Brain]:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "boat.md").write_text("The boat is serviced on 3 May.", encoding="utf-8")
    named = Settings(home=settings.home, embedding_model=embedding_model, offline=True)
    return LocalLensApp(settings), LocalLensApp(named).create_brain_from_folder(name="notes", folder_path=folder)


def test_a_brain_of_a_model_named_by_a_relative_path_is_asked_from_another_working_folder(
    settings: Settings, embedder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(embedder.parent)
    app, brain = index_with("./embedder", settings, tmp_path)
    monkeypatch.chdir(tmp_path / "notes")
    assert brain.embedding_model == str(embedder)
    assert [hit.relative_path for hit in app.search_brain("notes", "When is the boat serviced?")] == ["boat.md"]


@pytest.mark.parametrize("damage", ["cut", "missing", "configuration", "tokenizer"])
def test_a_brain_whose_embedding_model_is_damaged_says_so(settings: Settings, embedder: Path, tmp_path: Path, damage: str):
    app, _ = index_with(str(embedder), settings, tmp_path)
    weights = embedder / "model.safetensors"
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:100])
    elif damage == "missing":
        weights.unlink()
    else:
        file = "config.json" if damage == "configuration" else "tokenizer.json"
        (embedder / file).write_text("[]", encoding="utf-8")
    with pytest.raises(ModelUnavailableError) as caught:
        app.search_brain("notes", "When is the boat serviced?")
    assert caught.value.message.startswith(
        f"Brain 'notes' was built with {embedder}, which is not available any more: {embedder} could not be loaded: "
    )
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_model_is_named(settings: Settings, tmp_path: Path):
    with pytest.raises(ModelUnavailableError, match=f"The folder '{tmp_path}' holds no model"):
        load_embedding_model(str(tmp_path), settings)
    with pytest.raises(ModelUnavailableError, match=f"The folder '{tmp_path}' holds no model"):
        fetch_model(str(tmp_path), settings)


def test_a_file_of_another_kind_is_not_taken_for_a_hub_id(settings: Settings, tmp_path: Path):
    file = tmp_path / "notes.md"
    file.write_text("no model", encoding="utf-8")
    with pytest.raises(ModelUnavailableError, match=r"notes\.md' is no GGUF file"):
        load_embedding_model(str(file), settings)


@pytest.mark.parametrize("reason", ["I/O error: No space left on device (os error 28)", "[Errno 28] No space left on device"])
def test_a_disk_that_fills_up_while_a_model_is_converted_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str):
    program = f"import os, sys\nsys.stderr.write({reason!r})\nsys.stderr.flush()\nos._exit(1)\n"
    (tmp_path / "sitecustomize.py").write_text(program, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    source = tmp_path / "words.gguf"
    source.touch()
    with pytest.raises(ModelUnavailableError) as caught:
        convert_gguf(source, tmp_path / "cache" / "words")
    assert str(caught.value) == (
        f"words.gguf cannot be converted: the disk of {tmp_path / 'cache'} is full. Free some space, or choose another cache"
        " folder."
    )


def test_a_reason_that_is_not_in_utf_8_is_told_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = "import os, sys\nsys.stderr.buffer.write(b'Datei besch\\xe4digt')\nsys.stderr.flush()\nos._exit(1)\n"
    (tmp_path / "sitecustomize.py").write_text(program, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    source = tmp_path / "words.gguf"
    source.touch()
    with pytest.raises(ModelUnavailableError, match="cannot be converted: Datei besch\ufffddigt"):
        convert_gguf(source, tmp_path / "cache" / "words")
