"""The ladder of chat models: which one writes, and one sentence for each that does not."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import save_file

from locallens_nb.domain import Progress
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models import conversion, ladder, packaged, prepared, room, weights
from locallens_nb.models.hub import Hub
from locallens_nb.models.ladder import LADDER, LoadedChatModel, load_chat_model
from locallens_nb.models.memory import Memory
from locallens_nb.models.quotes import QuotesModel
from locallens_nb.models.room import CONVERSION_FACTOR
from locallens_nb.settings import Settings

LARGE, SMALL, PACKAGED, QUOTES = LADDER
GB = 1_000_000_000
PLENTY = 64 * GB


class FakeHub:
    """A hub with some models in its cache and some within reach."""

    def __init__(self, cached: dict[str, Path], remote: dict[str, int]) -> None:
        self.cached = cached
        self.remote = remote
        self.measured: list[str] = []
        self.fetched: list[str] = []

    def find(self, model_id: str) -> Path | None:
        return self.cached.get(model_id)

    def measure(self, model_id: str) -> int:
        self.measured.append(model_id)
        if model_id not in self.remote:
            raise ModelUnavailableError(f"{model_id} is not in the local cache (no model hub in reach).")
        return self.remote[model_id]

    def fetch(self, model_id: str, *, on_progress: object = None) -> Path:
        self.fetched.append(model_id)
        return self.cached[model_id]


@dataclass
class Machine:
    """What the ladder meets: its hub, its memory, and what happens when weights are loaded."""

    hub: FakeHub
    memory: Memory = field(default_factory=lambda: Memory(PLENTY, None))
    load: Callable[[Path, str], None] = lambda _folder, _precision: None
    loaded: list[tuple[Path, str]] = field(default_factory=list)
    chat_template: str | None = "{{ messages }}"
    converted: list[Path] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(FakeHub({}, {}))

    def load_weights(
        folder: Path, _prepared: Path, *, precision: str, on_weights: Callable[[int, int], object]
    ) -> tuple[object, object]:
        on_weights(31, 50)
        machine.loaded.append((folder, precision))
        machine.load(folder, precision)
        return object(), SimpleNamespace(chat_template=machine.chat_template)

    def fetch_packaged(model, **_: object) -> Path:
        machine.fetched.append(model.name)
        raise ModelUnavailableError(f"Packaged model '{model.name}' cannot be fetched: no index in reach.")

    def convert_gguf(source: Path, target: Path, *, on_wait: Callable[[float], object]) -> None:
        on_wait(1.0)
        machine.converted.append(source)
        make_weights(target)

    monkeypatch.setattr(ladder, "Hub", lambda *, offline: machine.hub)
    monkeypatch.setattr(room, "available_memory", lambda: machine.memory)
    monkeypatch.setattr(ladder, "load_weights", load_weights)
    monkeypatch.setattr(packaged, "fetch_packaged", fetch_packaged)
    monkeypatch.setattr(conversion, "convert_gguf", convert_gguf)
    monkeypatch.setattr(ladder, "accelerator", lambda: "cpu")
    monkeypatch.setattr(ladder, "preferred_precisions", lambda _device, **_: ["float32", "nf4"])
    for module in (weights, prepared):
        monkeypatch.setattr(module, "compute_type", lambda: "float32")
    return machine


def make_weights(folder: Path, *, values: int = 1000, **config: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    shape = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1}
    (folder / "config.json").write_text(json.dumps({**shape, **config}), encoding="utf-8")
    save_file({"model.layers.0.mlp.up_proj.weight": np.zeros(values, dtype=np.float16)}, str(folder / "model.safetensors"))
    return folder


def read_shape_of_half_a_billion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make weights need 2.40 GB in float32 and 0.68 GB in 4 bits."""
    monkeypatch.setattr(ladder, "read_shape", lambda _folder: weights.WeightsShape(500_000_000, 0, 0))


def climb(on_progress=None, **fields: object) -> LoadedChatModel:
    return load_chat_model(Settings(**fields), on_progress=on_progress)


def test_the_ladder_is_that_of_the_original_and_ends_without_a_language_model():
    assert LADDER == ("Qwen/Qwen3-1.7B", "Qwen/Qwen3-0.6B", "qwen2.5-coder-0.5b-instruct", "quotes")


def test_the_first_model_that_is_here_is_used_and_needs_no_reason(machine: Machine, tmp_path: Path):
    folder = make_weights(tmp_path / "large")
    machine.hub.cached = {LARGE: folder}
    loaded = climb()
    assert (loaded.model.name, loaded.fallback_reason) == ("Qwen/Qwen3-1.7B (float32)", "")
    assert machine.loaded == [(folder, "float32")]
    assert machine.hub.measured == []


def test_a_model_that_is_here_is_never_fetched(machine: Machine, tmp_path: Path):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    climb()
    assert (machine.hub.measured, machine.hub.fetched, machine.fetched) == ([], [], [])


def test_each_model_that_is_passed_over_leaves_one_sentence_in_order(machine: Machine):
    loaded = climb()
    assert isinstance(loaded.model, QuotesModel)
    assert loaded.fallback_reason == (
        "Qwen/Qwen3-1.7B is not in the local cache (no model hub in reach). "
        "Qwen/Qwen3-0.6B is not in the local cache (no model hub in reach). "
        "Packaged model 'qwen2.5-coder-0.5b-instruct' cannot be fetched: no index in reach."
    )


def test_offline_without_any_model_no_connection_is_tried(
    hub_cache: Path, no_connections: list[object], machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ladder, "Hub", Hub)
    loaded = climb(offline=True)
    assert isinstance(loaded.model, QuotesModel)
    assert loaded.fallback_reason == (
        "Qwen/Qwen3-1.7B is not in the local cache (working offline). "
        "Qwen/Qwen3-0.6B is not in the local cache (working offline). "
        "qwen2.5-coder-0.5b-instruct has not been fetched (working offline)."
    )
    assert machine.fetched == []


def test_quotes_by_name_ask_neither_hub_nor_index(machine: Machine, no_connections: list[object]):
    loaded = climb(chat_model="quotes")
    assert (loaded.model.name, loaded.fallback_reason) == ("quotes", "")
    assert (machine.hub.measured, machine.fetched) == ([], [])


def test_a_model_that_does_not_fit_is_skipped_before_it_is_loaded(machine: Machine, tmp_path: Path):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    machine.memory = Memory(100_000_000, None)
    loaded = climb(offline=True)
    assert machine.loaded == []
    assert loaded.fallback_reason.startswith("Qwen/Qwen3-1.7B needs about 402.92 MB of memory and 100.00 MB is free. Qwen/")


def test_a_model_that_would_not_fit_is_not_fetched(machine: Machine, tmp_path: Path):
    machine.hub.remote = {LARGE: 4 * GB}
    machine.memory = Memory(1 * GB, None)
    loaded = climb()
    assert machine.hub.fetched == []
    assert loaded.fallback_reason.startswith("Qwen/Qwen3-1.7B needs about 2.00 GB of memory and 1.00 GB is free. ")


def test_a_packaged_model_that_could_not_be_converted_in_memory_is_not_fetched(machine: Machine):
    machine.memory = Memory(2 * GB, None)
    loaded = climb()
    assert machine.fetched == []
    assert loaded.fallback_reason.endswith("qwen2.5-coder-0.5b-instruct needs about 2.70 GB of memory and 2.00 GB is free.")


def test_a_model_within_reach_is_fetched_and_used(machine: Machine, tmp_path: Path):
    folder = make_weights(tmp_path / "small")
    machine.hub.remote = {SMALL: 1 * GB}
    machine.hub.fetch = lambda name, on_progress=None: machine.hub.fetched.append(name) or folder
    loaded = climb()
    assert machine.hub.fetched == [SMALL]
    assert loaded.model.name == "Qwen/Qwen3-0.6B (float32)"
    assert loaded.fallback_reason == "Qwen/Qwen3-1.7B is not in the local cache (no model hub in reach)."


def test_on_a_gpu_its_own_memory_counts(machine: Machine, tmp_path: Path):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    machine.memory = Memory(PLENTY, 100_000_000)
    assert climb().fallback_reason.startswith("Qwen/Qwen3-1.7B needs about 402.92 MB of memory and 100.00 MB is free. ")


@pytest.mark.parametrize(
    ("free", "precision"), [(8 * GB, "float32"), (4 * GB, "nf4")], ids=["room for both", "over half would be taken"]
)
def test_a_precision_that_takes_over_half_of_what_is_free_gives_way(
    machine: Machine, tmp_path: Path, free: int, precision: str, monkeypatch: pytest.MonkeyPatch
):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    read_shape_of_half_a_billion(monkeypatch)
    machine.memory = Memory(free, None)
    climb()
    assert [used for _, used in machine.loaded] == [precision]


@pytest.mark.parametrize(("free", "fits"), [(2_990_000_000, False), (3_010_000_000, True)])
def test_the_only_precision_leaves_the_notebook_a_fifth_of_what_is_free(
    machine: Machine, tmp_path: Path, free: int, fits: bool, monkeypatch: pytest.MonkeyPatch
):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    monkeypatch.setattr(ladder, "preferred_precisions", lambda _device, **_: ["float32"])
    read_shape_of_half_a_billion(monkeypatch)
    machine.memory = Memory(free, None)
    loaded = climb()
    assert [used for _, used in machine.loaded] == (["float32"] if fits else [])
    reason = "Qwen/Qwen3-1.7B needs about 2.40 GB of memory and 2.99 GB is free, which leaves the notebook too little. "
    assert loaded.fallback_reason.startswith("" if fits else reason)


def test_on_a_gpu_all_that_is_free_may_be_needed(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    monkeypatch.setattr(ladder, "preferred_precisions", lambda _device, **_: ["nf4"])
    read_shape_of_half_a_billion(monkeypatch)
    machine.memory = Memory(1 * GB, 700_000_000)
    climb()
    assert [used for _, used in machine.loaded] == ["nf4"]


def test_a_precision_that_was_named_is_the_only_one_tried(machine: Machine, tmp_path: Path):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    assert climb(precision="bfloat16").model.name == "Qwen/Qwen3-1.7B (bfloat16)"


def test_four_bits_are_named_in_full_to_the_person(machine: Machine, tmp_path: Path):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}
    assert climb(precision="nf4").model.name == "Qwen/Qwen3-1.7B (4-bit NF4)"


def test_weights_that_are_quantised_already_keep_their_precision(machine: Machine, tmp_path: Path):
    quantised = {"quantization_config": {"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4"}}
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large", **quantised)}
    climb(precision="float32")
    assert [precision for _, precision in machine.loaded] == ["nf4"]


def test_weights_that_are_quantised_already_must_fit_too(machine: Machine, tmp_path: Path):
    quantised = {"quantization_config": {"quant_method": "gptq"}}
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large", values=1_000_000, **quantised)}
    machine.memory = Memory(400_000_000, None)
    loaded = climb(offline=True)
    assert machine.loaded == []
    assert loaded.fallback_reason.startswith("Qwen/Qwen3-1.7B needs about 404.92 MB of memory and 400.00 MB is free. ")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "Qwen/Qwen3-1.7B could not be loaded: MemoryError."),
        (RuntimeError("CUDA out of memory.\nTried"), "Qwen/Qwen3-1.7B could not be loaded: RuntimeError: CUDA out of memory."),
        (ImportError("No bitsandbytes"), "Qwen/Qwen3-1.7B could not be loaded: ImportError: No bitsandbytes."),
        (OSError("no file {x}"), "Qwen/Qwen3-1.7B could not be loaded: OSError: no file {x}."),
        (AttributeError("no 'get'"), "Qwen/Qwen3-1.7B could not be loaded: AttributeError: no 'get'."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_model_that_fails_to_load_gives_way_to_the_next(machine: Machine, tmp_path: Path, error: Exception, reason: str):
    small = make_weights(tmp_path / "small")
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large"), SMALL: small}

    def load(folder: Path, _precision: str) -> None:
        if folder != small:
            raise error

    machine.load = load
    loaded = climb()
    assert (loaded.model.name, loaded.fallback_reason) == ("Qwen/Qwen3-0.6B (float32)", reason)


def test_what_was_loaded_of_a_model_that_failed_is_gone_before_the_next(machine: Machine, tmp_path: Path):
    small = make_weights(tmp_path / "small")
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large"), SMALL: small}
    left: list[weakref.ref[Machine]] = []

    def load(folder: Path, _precision: str) -> None:
        if folder == small:
            assert left[0]() is None
            return
        half = Machine(machine.hub)
        half.memory = half  # a circle, as models have them
        left.append(weakref.ref(half))
        raise MemoryError

    machine.load = load
    assert climb().model.name == "Qwen/Qwen3-0.6B (float32)"


def test_damaged_weights_give_way_to_the_next_model(machine: Machine, tmp_path: Path):
    folder = make_weights(tmp_path / "large")
    (folder / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0not json")
    machine.hub.cached = {LARGE: folder, SMALL: make_weights(tmp_path / "small")}
    loaded = climb()
    assert loaded.model.name == "Qwen/Qwen3-0.6B (float32)"
    assert loaded.fallback_reason.startswith("Qwen/Qwen3-1.7B could not be loaded: ")


def test_an_interrupt_while_a_model_loads_goes_through(machine: Machine, tmp_path: Path):
    machine.hub.cached = {LARGE: make_weights(tmp_path / "large")}

    def load(_folder: Path, _precision: str) -> None:
        raise KeyboardInterrupt

    machine.load = load
    with pytest.raises(KeyboardInterrupt):
        climb()


def test_a_model_that_was_named_and_cannot_be_had_raises_and_nothing_else_is_tried(machine: Machine):
    with pytest.raises(ModelUnavailableError) as caught:
        climb(chat_model="Qwen/Qwen3-4B")
    assert caught.value.message == "Qwen/Qwen3-4B is not in the local cache (no model hub in reach)."
    assert machine.hub.measured == ["Qwen/Qwen3-4B"]


def test_a_model_that_was_named_and_does_not_fit_raises_with_the_next_step(machine: Machine, tmp_path: Path):
    machine.hub.cached = {"Qwen/Qwen3-4B": make_weights(tmp_path / "m")}
    machine.memory = Memory(100_000_000, None)
    with pytest.raises(ModelUnavailableError) as caught:
        climb(chat_model="Qwen/Qwen3-4B")
    assert str(caught.value) == (
        "Qwen/Qwen3-4B needs about 402.92 MB of memory and 100.00 MB is free. Close other notebooks, or choose a smaller model."
    )


def test_a_model_that_was_named_and_fails_to_load_raises_one_line(machine: Machine, tmp_path: Path):
    machine.hub.cached = {"Qwen/Qwen3-4B": make_weights(tmp_path / "m")}

    def load(_folder: Path, _precision: str) -> None:
        raise RuntimeError("CUDA out of memory.\nTried to allocate")

    machine.load = load
    with pytest.raises(ModelUnavailableError) as caught:
        climb(chat_model="Qwen/Qwen3-4B")
    assert str(caught.value) == (
        "Qwen/Qwen3-4B could not be loaded: RuntimeError: CUDA out of memory. Choose another model, or 'auto'."
    )


def test_a_model_that_was_not_made_for_conversations_is_refused_before_it_is_asked(machine: Machine, tmp_path: Path):
    machine.hub.cached = {"Qwen/Qwen3-4B-Base": make_weights(tmp_path / "m")}
    machine.chat_template = None
    with pytest.raises(ModelUnavailableError) as caught:
        climb(chat_model="Qwen/Qwen3-4B-Base")
    assert str(caught.value) == (
        "Qwen/Qwen3-4B-Base is no chat model: it has no template for a conversation. Choose an instruction-tuned model."
    )


@pytest.mark.parametrize("name", ["./missing", "~/missing-model", "/nowhere/model", "missing.gguf"])
def test_a_path_without_a_model_is_named_and_the_hub_is_not_asked(machine: Machine, name: str):
    with pytest.raises(ModelUnavailableError) as caught:
        climb(chat_model=name)
    assert caught.value.message == f"There is no model at '{name}'."
    assert machine.hub.measured == []


def test_a_folder_of_weights_can_be_named(machine: Machine, tmp_path: Path):
    folder = make_weights(tmp_path / "my model")
    assert climb(chat_model=str(folder)).model.name == f"{folder} (float32)"
    assert machine.loaded == [(folder, "float32")]


def test_a_gguf_file_is_converted_once(machine: Machine, tmp_path: Path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    climb(chat_model=str(file))
    climb(chat_model=str(file))
    assert machine.converted == [file]
    assert len({folder for folder, _ in machine.loaded}) == 1


def test_a_gguf_file_is_not_converted_where_memory_is_too_small_for_it(machine: Machine, tmp_path: Path):
    file = tmp_path / "model.gguf"
    file.write_bytes(bytes(1000))
    machine.memory = Memory(int(1000 * CONVERSION_FACTOR / 0.8) - 1, None)
    with pytest.raises(ModelUnavailableError, match="of memory and"):
        climb(chat_model=str(file))
    assert machine.converted == []


def test_loading_and_converting_are_reported(machine: Machine, tmp_path: Path):
    file = tmp_path / "model.gguf"
    file.write_bytes(bytes(1000))
    reports: list[Progress] = []
    climb(chat_model=str(file), on_progress=reports.append)
    assert [(report.stage, report.done, report.total) for report in reports] == [
        ("converting", 0, 0),
        ("loading", 0, 0),
        ("loading", 31, 50),
    ]
