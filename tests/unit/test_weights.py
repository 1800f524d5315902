"""How much memory chat weights take, in which precision they are held, and where copies are kept."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from locallens_nb.models import devices, prepared, weights
from locallens_nb.models.devices import preferred_precisions
from locallens_nb.models.fingerprint import fingerprint_weights
from locallens_nb.models.prepared import prepared_folder, written_whole
from locallens_nb.models.weights import (
    WORKING_BYTES,
    WeightsShape,
    read_shape,
    stored_memory_bytes,
    stored_precision,
)

CONFIG = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 3, "num_key_value_heads": 1}
TENSORS = {
    "model.embed_tokens.weight": (10, 8),
    "model.layers.0.self_attn.q_proj.weight": (8, 8),
    "model.layers.0.self_attn.q_proj.bias": (8,),
    "model.layers.0.mlp.up_proj.weight": (16, 8),
    "model.layers.0.input_layernorm.weight": (8,),
    "lm_head.weight": (10, 8),
}


def make_weights(folder: Path, *, config: dict[str, object] = CONFIG, shards: int = 1) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    names = list(TENSORS)
    for number in range(shards):
        part = {name: np.zeros(TENSORS[name], dtype=np.float16) for name in names[number::shards]}
        save_file(part, str(folder / f"model-{number}.safetensors"))
    return folder


@pytest.fixture
def compute_in_bfloat16(monkeypatch: pytest.MonkeyPatch):
    for module in (weights, prepared):
        monkeypatch.setattr(module, "compute_type", lambda: "bfloat16")


@pytest.fixture
def compute_in_float32(monkeypatch: pytest.MonkeyPatch):
    for module in (weights, prepared):
        monkeypatch.setattr(module, "compute_type", lambda: "float32")


def on_machine(monkeypatch: pytest.MonkeyPatch, *, has_bitsandbytes: bool, has_fused_kernel: bool = False) -> None:
    found = importlib.util.find_spec("json") if has_bitsandbytes else None
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda _name: found)
    monkeypatch.setattr(devices, "has_fused_4bit_kernel", lambda: has_bitsandbytes and has_fused_kernel)


def test_only_projections_of_layers_count_as_linear(tmp_path: Path):
    shape = read_shape(make_weights(tmp_path / "m"))
    assert shape.linear_parameters == 8 * 8 + 16 * 8
    assert shape.other_parameters == 10 * 8 + 8 + 8 + 10 * 8


def test_attention_state_follows_from_the_configuration(tmp_path: Path):
    assert read_shape(make_weights(tmp_path / "m")).state_values_per_token == 2 * 3 * 1 * (8 // 2)


def test_a_head_size_of_its_own_and_missing_key_value_heads_are_understood(tmp_path: Path):
    config = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 3, "head_dim": 16}
    assert read_shape(make_weights(tmp_path / "m", config=config)).state_values_per_token == 2 * 3 * 2 * 16


def test_weights_in_several_files_are_added_up(tmp_path: Path):
    assert read_shape(make_weights(tmp_path / "a", shards=3)) == read_shape(make_weights(tmp_path / "b"))


@pytest.mark.parametrize(("precision", "bytes_each"), [("bfloat16", 2), ("float16", 2), ("float32", 4)])
def test_unquantised_weights_take_their_width_for_all_there_is(precision: str, bytes_each: int):
    need = WeightsShape(1_000_000, 500_000, 2_000).memory_bytes(precision, context_tokens=4096)
    assert need == (1_500_000 + 2_000 * 4096) * bytes_each + WORKING_BYTES


def test_four_bits_cover_the_linear_weights_only(compute_in_bfloat16):
    need = WeightsShape(1_000_000, 500_000, 2_000).memory_bytes("nf4", context_tokens=4096)
    assert need == 562_500 + (500_000 + 2_000 * 4096) * 2 + WORKING_BYTES


def test_four_bits_without_fast_bfloat16_keep_the_rest_in_float32(compute_in_float32):
    need = WeightsShape(1_000_000, 500_000, 2_000).memory_bytes("nf4", context_tokens=4096)
    assert need == 562_500 + (500_000 + 2_000 * 4096) * 4 + WORKING_BYTES


def test_a_longer_context_takes_more_memory():
    shape = WeightsShape(0, 0, 100)
    more = shape.memory_bytes("bfloat16", context_tokens=2000) - shape.memory_bytes("bfloat16", context_tokens=1000)
    assert more == 100 * 1000 * 2


@pytest.mark.parametrize(
    ("quantisation", "precision"),
    [
        (None, None),
        ({"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4"}, "nf4"),
        ({"quant_method": "gptq"}, "gptq"),
    ],
)
def test_a_folder_says_what_it_is_quantised_to(tmp_path: Path, quantisation: dict[str, str] | None, precision: str | None):
    config = CONFIG if quantisation is None else {**CONFIG, "quantization_config": quantisation}
    assert stored_precision(make_weights(tmp_path / "m", config=config)) == precision


@pytest.mark.parametrize(
    ("device", "has_bitsandbytes", "has_fused_kernel", "precisions"),
    [
        ("cuda", True, False, ["nf4"]),
        ("cuda", False, False, ["bfloat16"]),
        ("mps", True, False, ["bfloat16"]),
        ("mps", False, False, ["bfloat16"]),
        ("cpu", True, True, ["nf4"]),
        ("cpu", True, False, ["float32", "nf4"]),
        ("cpu", False, False, ["float32", "bfloat16"]),
    ],
)
def test_each_machine_has_its_precisions_in_order(
    monkeypatch: pytest.MonkeyPatch, device, has_bitsandbytes: bool, has_fused_kernel: bool, precisions: list[str]
):
    on_machine(monkeypatch, has_bitsandbytes=has_bitsandbytes, has_fused_kernel=has_fused_kernel)
    assert preferred_precisions(device) == precisions


@pytest.mark.parametrize(
    ("device", "has_instructions", "precision"),
    [("cuda", False, "bfloat16"), ("mps", False, "bfloat16"), ("cpu", False, "float32"), ("cpu", True, "bfloat16")],
)
def test_weights_that_were_rounded_before_are_not_rounded_again(
    monkeypatch: pytest.MonkeyPatch, device, has_instructions: bool, precision: str
):
    on_machine(monkeypatch, has_bitsandbytes=True, has_fused_kernel=True)
    monkeypatch.setattr(devices, "multiplies_bfloat16", lambda: has_instructions)
    assert preferred_precisions(device, rounded_before=True) == [precision]


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        ({}, False),
        ({"amx_bf16": False, "avx512_bf16": False}, False),
        ({"amx_bf16": False, "avx512_bf16": True}, True),
        ({"amx_bf16": True}, True),
    ],
)
def test_torch_is_asked_for_the_instructions_of_this_cpu(
    monkeypatch: pytest.MonkeyPatch, capabilities: dict[str, bool], expected: bool
):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities, raising=False)
    assert devices.multiplies_bfloat16() is expected


def test_an_older_torch_tells_of_no_instructions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert devices.multiplies_bfloat16() is False


def test_weights_in_four_bits_need_room_for_their_files(tmp_path: Path, compute_in_bfloat16):
    folder = make_weights(tmp_path / "m")
    size = (folder / "model-0.safetensors").stat().st_size
    state = read_shape(folder).state_values_per_token
    assert stored_memory_bytes(folder, context_tokens=1000) == size + state * 2 * 1000 + WORKING_BYTES


def test_weights_in_four_bits_need_more_where_the_rest_is_computed_in_float32(tmp_path: Path, compute_in_float32):
    folder = make_weights(tmp_path / "m")
    size = (folder / "model-0.safetensors").stat().st_size
    shape = read_shape(folder)
    more = shape.other_parameters * 2 + shape.state_values_per_token * 4 * 1000
    assert stored_memory_bytes(folder, context_tokens=1000) == size + more + WORKING_BYTES


def test_without_bitsandbytes_there_is_no_fused_kernel(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda _name: None)
    assert devices.has_fused_4bit_kernel() is False


def test_a_prepared_copy_is_named_after_model_weights_and_precision(tmp_path: Path, compute_in_float32):
    source = make_weights(tmp_path / "m")
    folder = prepared_folder(source, name="Qwen/Qwen3-0.6B", precision="nf4", cache_folder=tmp_path / "cache")
    digest = fingerprint_weights(source)
    assert folder == tmp_path / "cache" / "prepared" / f"Qwen-Qwen3-0.6B-{digest}-nf4-float32"


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs/path/model.gguf", "C:\\models\\é"])
def test_a_prepared_copy_stays_in_the_cache_whatever_the_name(tmp_path: Path, name: str):
    source = make_weights(tmp_path / "m")
    folder = prepared_folder(source, name=name, precision="bfloat16", cache_folder=tmp_path / "cache")
    assert folder.resolve().parent == tmp_path / "cache" / "prepared"


def test_the_fingerprint_differs_when_one_byte_of_the_weights_does(tmp_path: Path):
    source = make_weights(tmp_path / "m")
    before = fingerprint_weights(source)
    file = source / "model-0.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert fingerprint_weights(source) != before


def test_the_fingerprint_is_the_same_wherever_the_weights_lie(tmp_path: Path):
    first, second = make_weights(tmp_path / "a"), make_weights(tmp_path / "elsewhere" / "b")
    assert fingerprint_weights(first) == fingerprint_weights(second)


def test_a_folder_that_was_written_whole_gets_its_name(tmp_path: Path):
    with written_whole(tmp_path / "cache" / "model") as folder:
        (folder / "config.json").write_text("{}", encoding="utf-8")
        assert not (tmp_path / "cache" / "model").exists()
    assert [file.name for file in (tmp_path / "cache").rglob("*")] == ["model", "config.json"]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_folder_that_was_not_written_whole_is_gone(tmp_path: Path, error: BaseException):
    def write() -> None:
        with written_whole(tmp_path / "cache" / "model") as folder:
            (folder / "config.json").write_text("{}", encoding="utf-8")
            raise error

    with pytest.raises(type(error)):
        write()
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_copy_of_a_process_that_was_faster_is_kept(tmp_path: Path):
    target = tmp_path / "model"
    with written_whole(target) as folder:
        (folder / "mine").touch()
        target.mkdir()
        (target / "theirs").touch()
    assert [file.name for file in tmp_path.rglob("*")] == ["model", "theirs"]
