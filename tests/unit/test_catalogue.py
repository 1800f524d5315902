"""Which models are here, as the files say, and how one is fetched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from locallens_nb.domain import Progress
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models import catalogue
from locallens_nb.models.catalogue import ModelStatus, fetch_model, list_models
from locallens_nb.models.embedding import bundled_model_folder
from locallens_nb.models.hub import Hub
from locallens_nb.models.prepared import prepared_folder
from locallens_nb.models.wheels import find_packaged
from locallens_nb.settings import Settings

CODER = "qwen2.5-coder-0.5b-instruct"


def status_of(name: str, settings: Settings) -> ModelStatus:
    (status,) = [status for status in list_models(settings) if status.name == name]
    return status


def put_packaged_file(settings: Settings, name: str) -> Path:
    """Make a file of the right name and size; only its ends have bytes of their own on the disk."""
    model = find_packaged(name)
    assert model is not None
    file = Path(settings.cache_folder) / "packaged" / model.file_name
    file.parent.mkdir(parents=True)
    with file.open("wb") as stream:
        stream.truncate(model.size_bytes)
    return file


def test_models_are_listed_in_the_order_in_which_they_are_tried(hub_cache, no_connections):
    assert [(model.name, model.role, model.state) for model in list_models(Settings())] == [
        ("Qwen/Qwen3-1.7B", "chat", "not fetched"),
        ("Qwen/Qwen3-0.6B", "chat", "not fetched"),
        (CODER, "chat", "not fetched"),
        ("quotes", "chat", "here"),
        ("qwen2.5-coder-1.5b-instruct", "chat", "not fetched"),
        ("smollm2-135m-instruct", "chat", "not fetched"),
        ("thenlper/gte-large", "embedding", "not fetched"),
        ("all-MiniLM-L6-v2", "embedding", "here"),
        ("multilingual-e5-small", "embedding", "not fetched"),
    ]
    assert status_of(CODER, Settings()) == ModelStatus(CODER, "chat", "not fetched", 491_400_064, "Apache-2.0; third choice")


def test_a_packaged_model_is_here_once_it_is_converted(hub_cache):
    settings = Settings()
    file = put_packaged_file(settings, CODER)
    assert status_of(CODER, settings).state == "fetched, not converted yet"
    prepared_folder(file, name=CODER, precision="bfloat16", cache_folder=Path(settings.cache_folder)).mkdir(parents=True)
    assert status_of(CODER, settings).state == "here"


def test_a_hub_model_in_the_cache_is_here_with_its_size(monkeypatch, tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 98)
    monkeypatch.setattr(Hub, "find", lambda self, name: tmp_path if name == "Qwen/Qwen3-0.6B" else None)
    assert status_of("Qwen/Qwen3-0.6B", Settings()) == ModelStatus(
        "Qwen/Qwen3-0.6B", "chat", "here", 100, "Apache-2.0; second choice"
    )


def test_the_bundled_model_may_be_missing(monkeypatch, hub_cache):
    def missing() -> Path:
        raise ModelUnavailableError("The embedding model is missing.")

    monkeypatch.setattr(catalogue, "bundled_model_folder", missing)
    status = status_of("all-MiniLM-L6-v2", Settings())
    assert (status.state, status.size_bytes) == ("not fetched", None)


def test_a_packaged_model_is_fetched_and_converted_whatever_the_case_of_its_name(monkeypatch, tmp_path):
    calls: list[tuple[str, object]] = []

    def locate(name, settings, *, hub, on_progress):
        calls.append(("locate", name))
        on_progress(Progress("fetching", 1, 2, name))
        return tmp_path / "file.gguf"

    def prepare(source, name, settings, *, on_progress):
        calls.append(("prepare", source))
        return "float32", tmp_path / "converted", tmp_path / "prepared"

    monkeypatch.setattr(catalogue, "locate_weights", locate)
    monkeypatch.setattr(catalogue, "prepare_weights", prepare)
    reports: list[Progress] = []
    assert fetch_model(CODER.upper(), Settings(), on_progress=reports.append) == tmp_path / "converted"
    assert calls == [("locate", CODER), ("prepare", tmp_path / "file.gguf")]
    assert reports == [Progress("fetching", 1, 2, CODER)]


@pytest.mark.parametrize("name", [CODER, "Qwen/Qwen3-0.6B", "./not/here", "quotes", "auto"])
def test_what_cannot_be_fetched_is_refused_without_a_connection(name, hub_cache, no_connections):
    with pytest.raises(ModelUnavailableError):
        fetch_model(name, Settings(offline=True))


def test_a_hub_model_is_taken_from_the_cache_or_fetched(monkeypatch, tmp_path):
    found: list[Path] = []
    monkeypatch.setattr(Hub, "find", lambda self, name: found[0] if found else None)
    monkeypatch.setattr(Hub, "fetch", lambda self, name, *, on_progress: tmp_path / "fetched")
    assert fetch_model("some/model", Settings()) == tmp_path / "fetched"
    found.append(tmp_path / "cached")
    assert fetch_model("some/model", Settings()) == tmp_path / "cached"


def test_what_is_here_already_is_returned(tmp_path):
    assert fetch_model("all-MiniLM-L6-v2", Settings(offline=True)) == bundled_model_folder()
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert fetch_model(str(tmp_path), Settings(offline=True)) == tmp_path


def test_listing_loads_neither_torch_nor_transformers():
    program = (
        "import sys; from locallens_nb.models.catalogue import list_models; from locallens_nb.settings import Settings;"
        "list_models(Settings()); print([name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout == "[]\n"
