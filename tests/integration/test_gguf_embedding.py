"""Embedding models in GGUF files: small ones of random weights, written as llama.cpp writes them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from locallens_nb.errors import ModelUnavailableError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.embedding import load_embedding_model
from locallens_nb.settings import QUOTES, Settings

HIDDEN, LAYERS, HEADS, HEAD_SIZE, INNER = 32, 2, 2, 128, 64
LETTERS = [chr(code) for code in range(33, 127)] + ["Ġ", "Ċ"]
END = "<|endoftext|>"
VOCABULARY = [*LETTERS, "th", "the", END]
TEXTS = ["the goat", "a pump that drips", "the"]
NEAR = 0.999
"""The cosine that rounding to bfloat16 leaves at least."""


def make_tensors() -> dict[str, NDArray[np.float32]]:
    """Return random weights under the names of llama.cpp, and those of norms, which are near one."""
    random = np.random.default_rng(0)
    width = HEADS * HEAD_SIZE
    shapes = {
        "attn_q": (width, HIDDEN), "attn_k": (width, HIDDEN), "attn_v": (width, HIDDEN), "attn_output": (HIDDEN, width),
        "ffn_gate": (INNER, HIDDEN), "ffn_up": (INNER, HIDDEN), "ffn_down": (HIDDEN, INNER),
        "attn_norm": (HIDDEN,), "ffn_norm": (HIDDEN,), "attn_q_norm": (HEAD_SIZE,), "attn_k_norm": (HEAD_SIZE,),
    }  # fmt: skip
    all_shapes = {"token_embd": (len(VOCABULARY), HIDDEN), "output_norm": (HIDDEN,)}
    all_shapes |= {f"blk.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in shapes.items()}
    tensors = {}
    for name, shape in all_shapes.items():
        values = random.standard_normal(shape) * (0.1 if len(shape) == 1 else shape[-1] ** -0.5) + (len(shape) == 1)
        tensors[f"{name}.weight"] = values.astype(np.float32)
    return tensors


def write_gguf(file: Path, *, pooling: gguf.PoolingType | None) -> Path:
    """Write a small Qwen3 that ends every text with a token of its own, as Qwen3-Embedding does."""
    writer = gguf.GGUFWriter(file, "qwen3")
    writer.add_context_length(512)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    if pooling is not None:
        writer.add_pooling_type(pooling)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(VOCABULARY)
    writer.add_token_merges(["t h", "th e"])
    writer.add_token_types([gguf.TokenType.NORMAL] * (len(VOCABULARY) - 1) + [gguf.TokenType.CONTROL])
    writer.add_eos_token_id(VOCABULARY.index(END))
    writer.add_pad_token_id(VOCABULARY.index(END))
    writer.add_add_eos_token(True)
    for name, values in make_tensors().items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def split_tokens(text: str) -> list[int]:
    """Return the tokens of a text: letters, but for the two merges of the vocabulary, and the end."""
    found = re.findall("the|th|.", text.replace(" ", "Ġ").replace("\n", "Ċ"))
    return [VOCABULARY.index(token) for token in [*found, END]]


@torch.inference_mode()
def embed_by_hand(text: str, pooling: gguf.PoolingType) -> NDArray[np.float32]:
    """Return the unit vector that the weights give, without the file and without sentence-transformers."""
    from transformers import Qwen3Config, Qwen3Model

    model = Qwen3Model(
        Qwen3Config(
            vocab_size=len(VOCABULARY), hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            num_key_value_heads=HEADS, head_dim=HEAD_SIZE, intermediate_size=INNER, rms_norm_eps=1e-6,
            rope_parameters={"rope_type": "default", "rope_theta": 1e6}, max_position_embeddings=512,
        )
    ).eval()  # fmt: skip
    names = {
        "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
        "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm", "ffn_gate": "mlp.gate_proj",
        "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj", "token_embd": "embed_tokens", "output_norm": "norm",
    }  # fmt: skip
    state = {}
    for name, values in make_tensors().items():
        *block, own, _ = name.split(".")
        prefix = f"layers.{block[1]}." if block else ""
        state[f"{prefix}{names[own]}.weight"] = torch.from_numpy(values)
    model.load_state_dict(state)
    states = model(torch.tensor([split_tokens(text)])).last_hidden_state[0]
    vector = states[-1] if pooling == gguf.PoolingType.LAST else states.mean(dim=0)
    return (vector / vector.norm()).numpy()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", cache_folder=tmp_path / "cache", chat_model=QUOTES, offline=True)


def test_its_vectors_are_those_of_its_weights(tmp_path: Path, settings: Settings):
    file = write_gguf(tmp_path / "words.gguf", pooling=gguf.PoolingType.MEAN)
    vectors = load_embedding_model(str(file), settings).embed_documents(TEXTS)
    expected = np.array([embed_by_hand(text, gguf.PoolingType.MEAN) for text in TEXTS])
    assert np.all(np.sum(vectors * expected, axis=1) > NEAR)


def test_qwen3_embedding_reads_a_question_with_its_instruction_and_takes_the_last_token(tmp_path: Path, settings: Settings):
    file = write_gguf(tmp_path / "Qwen3-Embedding-0.6B-f16.gguf", pooling=gguf.PoolingType.LAST)
    instruction = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
    vector = load_embedding_model(str(file), settings).embed_query("the goat")
    asked = embed_by_hand(f"{instruction}the goat", gguf.PoolingType.LAST)
    assert vector @ asked > NEAR
    assert vector @ embed_by_hand("the goat", gguf.PoolingType.LAST) < NEAR


def test_a_brain_is_built_and_asked_with_it_and_converted_once(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    file = write_gguf(tmp_path / "words.gguf", pooling=gguf.PoolingType.LAST)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "goats.md").write_text("The goat is called Berta.\n", encoding="utf-8")
    named = replace(settings, embedding_model=str(file))
    assert LocalLensApp(named).create_brain_from_folder(name="notes", folder_path=folder).dimension == HIDDEN
    monkeypatch.setattr("locallens_nb.models.conversion.convert_gguf", lambda *_, **__: pytest.fail("converted again"))
    monkeypatch.setattr("locallens_nb.models.embedding.read_pooling", lambda _: pytest.fail("read again"))
    (hit,) = LocalLensApp(settings).search_brain("notes", "What is the goat called?")
    assert hit.relative_path == "goats.md"


def test_a_file_of_a_chat_model_is_refused_before_it_is_converted(tmp_path: Path, settings: Settings):
    file = write_gguf(tmp_path / "chat.gguf", pooling=None)
    with pytest.raises(ModelUnavailableError, match=r"chat\.gguf is no embedding model"):
        load_embedding_model(str(file), settings)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("name", ["words.gguf", "words.GGUF"])
def test_a_file_that_is_no_gguf_file_is_named(tmp_path: Path, settings: Settings, name: str):
    file = tmp_path / name
    file.write_bytes(b"no model at all, but as long as a header is")
    with pytest.raises(ModelUnavailableError, match=rf"{re.escape(name)} cannot be read as a GGUF file"):
        load_embedding_model(str(file), settings)


@pytest.mark.parametrize("name", ["./missing", "missing.gguf"])
def test_a_path_without_a_model_is_named(settings: Settings, name: str):
    with pytest.raises(ModelUnavailableError, match=f"There is no model at '{name}'"):
        load_embedding_model(name, settings)
