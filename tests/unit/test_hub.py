"""The hub: what the local cache holds, and contacts that cannot hang."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest

from locallens_nb.domain import Progress
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models import hub as hub_module
from locallens_nb.models.hub import Hub, run_bounded

MODEL = "Qwen/Qwen3-0.6B"
COMMIT = "c0ffee" * 6 + "c0ff"
SMALL_FILES = {"config.json": "{}", "tokenizer_config.json": "{}"}
COMPLETE = {**SMALL_FILES, "model.safetensors": ""}


def cached_model(cache: Path, *, files: dict[str, str]) -> Path:
    """Lay a model into a hub cache as the hub's own client does."""
    root = cache / "models--Qwen--Qwen3-0.6B"
    (root / "refs").mkdir(parents=True)
    (root / "refs" / "main").write_text(COMMIT, encoding="ascii")
    folder = root / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def list_on_hub(cache: Path, names: Iterable[str]) -> None:
    """Keep what the hub lists for the model, as its client does when it fetches a part of it."""
    from huggingface_hub._tree_cache import TreeCacheEntry, write_tree_cache

    entry = TreeCacheEntry(size=1, blob_id="0" * 40, lfs_sha256=None, lfs_size=None, xet_hash=None)
    write_tree_cache(str(cache / "models--Qwen--Qwen3-0.6B"), COMMIT, dict.fromkeys(names, entry))


def answer_with(monkeypatch: pytest.MonkeyPatch, model_info) -> list[str]:
    """Let the hub's client answer with a function, and list the models that it is asked for."""
    asked: list[str] = []

    def record(_self, model_id: str, **_: object):
        asked.append(model_id)
        return model_info(model_id)

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", record)
    return asked


def raising(error: Exception):
    def model_info(_model_id: str):
        raise error

    return model_info


def test_a_complete_model_in_the_cache_is_found_without_a_connection(hub_cache: Path, no_connections):
    folder = cached_model(hub_cache, files=COMPLETE)
    assert Hub(offline=False).find(MODEL) == folder


def test_a_model_that_is_not_in_the_cache_is_not_found_and_nothing_connects(hub_cache: Path, no_connections):
    assert Hub(offline=False).find(MODEL) is None


@pytest.mark.parametrize("name", ["not a model id!", "a/b/c", "C:\\models\\qwen"])
def test_what_cannot_be_the_name_of_a_hub_model_is_not_found(hub_cache: Path, no_connections, name: str):
    assert Hub(offline=False).find(name) is None


@pytest.mark.parametrize(
    "files",
    [
        SMALL_FILES,
        {"tokenizer_config.json": "{}", "model.safetensors": ""},
        {"config.json": "{}", "model.safetensors": ""},
        {
            **SMALL_FILES,
            "model-00001-of-00002.safetensors": "",
            "model.safetensors.index.json": json.dumps(
                {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
            ),
        },
        {**SMALL_FILES, "model.safetensors": "", "model.safetensors.index.json": '{"weight_map": {"a": '},
        {**SMALL_FILES, "model.safetensors": "", "model.safetensors.index.json": "[]"},
    ],
    ids=["no-weights", "no-config", "no-tokenizer", "a-shard-missing", "half-an-index", "no-index"],
)
def test_a_model_that_was_fetched_in_part_is_not_found(hub_cache: Path, files: dict[str, str]):
    cached_model(hub_cache, files=files)
    assert Hub(offline=True).find(MODEL) is None


def test_a_model_whose_shards_are_all_there_is_found(hub_cache: Path):
    index = json.dumps({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})
    files = {**SMALL_FILES, "one.safetensors": "", "two.safetensors": "", "model.safetensors.index.json": index}
    folder = cached_model(hub_cache, files=files)
    assert Hub(offline=True).find(MODEL) == folder


def test_a_model_without_the_files_that_nobody_needs_is_found(hub_cache: Path):
    folder = cached_model(hub_cache, files=COMPLETE)
    list_on_hub(hub_cache, [*COMPLETE, "README.md", ".gitattributes", "pytorch_model.bin", "vocab.txt"])
    assert Hub(offline=True).find(MODEL) == folder


def test_a_model_that_lacks_weights_the_hub_lists_is_not_found(hub_cache: Path):
    cached_model(hub_cache, files=SMALL_FILES)
    list_on_hub(hub_cache, COMPLETE)
    assert Hub(offline=True).find(MODEL) is None


def test_the_size_is_that_of_the_weights_alone(monkeypatch: pytest.MonkeyPatch):
    files = [("a.safetensors", 700), ("b.safetensors", 300), ("README.md", 5), ("c.safetensors", None)]
    info = SimpleNamespace(siblings=[SimpleNamespace(rfilename=name, size=size) for name, size in files])
    answer_with(monkeypatch, lambda _: info)
    assert Hub(offline=False).measure(MODEL) == 1000


def test_offline_nothing_is_asked_and_the_message_says_so(monkeypatch: pytest.MonkeyPatch, no_connections):
    asked = answer_with(monkeypatch, lambda _: pytest.fail("the hub was asked"))
    with pytest.raises(ModelUnavailableError) as caught:
        Hub(offline=True).measure(MODEL)
    assert caught.value.message == "Qwen/Qwen3-0.6B is not in the local cache (working offline)."
    assert asked == []


def test_offline_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch, no_connections):
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: pytest.fail("it was fetched"))
    with pytest.raises(ModelUnavailableError, match="working offline"):
        Hub(offline=True).fetch(MODEL)


def test_a_hub_that_never_answers_is_given_up_after_the_limit(monkeypatch: pytest.MonkeyPatch):
    answered = threading.Event()
    monkeypatch.setattr(hub_module, "PROBE_SECONDS", 0.05)
    answer_with(monkeypatch, lambda _: answered.wait(30))
    with pytest.raises(ModelUnavailableError) as caught:
        Hub(offline=False).measure(MODEL)
    assert not answered.is_set()
    answered.set()
    assert caught.value.message == "Qwen/Qwen3-0.6B is not in the local cache (no model hub in reach)."


def test_a_hub_that_is_out_of_reach_is_asked_once_only(monkeypatch: pytest.MonkeyPatch):
    asked = answer_with(monkeypatch, raising(ConnectionError("no route")))
    hub = Hub(offline=False)
    for model_id in ("Qwen/Qwen3-1.7B", MODEL):
        with pytest.raises(
            ModelUnavailableError, match=r"^" + model_id + r" is not in the local cache \(no model hub in reach\)"
        ):
            hub.measure(model_id)
    assert asked == ["Qwen/Qwen3-1.7B"]


def test_a_model_that_the_hub_does_not_have_says_nothing_about_the_next_one(monkeypatch: pytest.MonkeyPatch):
    import httpx
    from huggingface_hub.errors import RepositoryNotFoundError

    response = httpx.Response(404, request=httpx.Request("GET", "https://huggingface.co/api"))
    error = RepositoryNotFoundError("404 Client Error.\nRepository Not Found for url", response=response)
    asked = answer_with(monkeypatch, raising(error))
    hub = Hub(offline=False)
    for model_id in ("Qwen/Missing", MODEL):
        with pytest.raises(ModelUnavailableError) as caught:
            hub.measure(model_id)
        assert caught.value.message == f"The model hub does not give {model_id}: 404 Client Error."
    assert asked == ["Qwen/Missing", MODEL]


def test_a_fetch_reports_its_bytes_and_draws_no_bar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys):
    info = SimpleNamespace(siblings=[SimpleNamespace(rfilename="model.safetensors", size=10)])
    answer_with(monkeypatch, lambda _: info)

    def download(_model_id: str, *, allow_patterns: list[str], tqdm_class) -> str:
        assert "*.safetensors" in allow_patterns
        assert "*.bin" not in allow_patterns
        with tqdm_class(total=10, unit="B", mininterval=0) as bar:
            bar.update(4)
            bar.update(6)
        with tqdm_class(total=3, unit="it", mininterval=0) as files:
            files.update(3)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    reports: list[Progress] = []
    assert Hub(offline=False).fetch(MODEL, on_progress=reports.append) == tmp_path
    assert {(report.stage, report.total, report.detail) for report in reports} == {("fetching", 10, MODEL)}
    done = [report.done for report in reports]
    assert done == sorted(done)
    assert done[-1] == 10
    assert capsys.readouterr() == ("", "")


def test_a_fetch_that_breaks_off_says_that_it_goes_on_later(monkeypatch: pytest.MonkeyPatch):
    answer_with(monkeypatch, lambda _: SimpleNamespace(siblings=[]))

    def download(*_: object, **__: object) -> str:
        raise ConnectionError("peer closed the connection\nmore")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(ModelUnavailableError) as caught:
        Hub(offline=False).fetch(MODEL)
    assert str(caught.value) == (
        f"Fetching {MODEL} broke off: peer closed the connection. Ask again: it goes on where it stopped."
    )


def test_an_interrupt_of_a_fetch_goes_through(monkeypatch: pytest.MonkeyPatch):
    answer_with(monkeypatch, lambda _: SimpleNamespace(siblings=[]))

    def download(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(KeyboardInterrupt):
        Hub(offline=False).fetch(MODEL)


def test_a_bounded_call_returns_what_the_call_returns():
    assert run_bounded(lambda: "here", seconds=10) == "here"
    assert run_bounded(lambda: None, seconds=10) is None


def test_a_bounded_call_raises_what_the_call_raises():
    with pytest.raises(KeyError, match="missing"):
        run_bounded(lambda: {}["missing"], seconds=10)


def test_a_bounded_call_that_hangs_is_left_behind():
    free = threading.Event()
    with pytest.raises(TimeoutError, match=r"no answer within 0\.05 s"):
        run_bounded(lambda: free.wait(30), seconds=0.05)
    assert not free.is_set()
    free.set()
