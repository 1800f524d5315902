"""What embedding models read: small models of random weights in the layouts that the real ones are published in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import LocalDocument
from locallens_nb.models.embedding import SentenceTransformerModel

WORDS = ["query", "passage", "search", "document", ":", "_", "goat", "pump", "boat", "instruct", "what", "is", "the"]
WINDOW = 32


def make_model(folder: Path, *, prompts: dict[str, str] | None = None, tuned_from: str = "") -> Path:
    """Write a tiny BERT of random weights as sentence-transformers would, with ``prompts`` in its configuration."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token=names["unk_token"]))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    bare = folder.with_name(f"{folder.name}-bare")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=WINDOW, **names).save_pretrained(bare)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=WINDOW,
    )  # fmt: skip
    BertModel(config).save_pretrained(bare)
    reader = Transformer(str(bare), max_seq_length=WINDOW)
    model = SentenceTransformer(modules=[reader, Pooling(16)], prompts=prompts, device="cpu")
    model.save(str(folder), create_model_card=False)
    if tuned_from:
        written = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        (folder / "config.json").write_text(json.dumps({**written, "_name_or_path": tuned_from}), encoding="utf-8")
    return folder


def read_texts(model: SentenceTransformerModel, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that fills with what the tokenizer of the model is given."""
    seen: list[str] = []
    inner: Any = model._model
    tokenize = inner.preprocess

    def watch(inputs: list[str], prompt: str | None = None, **options: Any) -> Any:
        seen.extend((prompt or "") + text for text in inputs)
        return tokenize(inputs, prompt=prompt, **options)

    monkeypatch.setattr(inner, "preprocess", watch)
    return seen


@pytest.mark.parametrize(
    ("name", "layout", "expected"),
    [
        ("multilingual-e5-small", {}, ("query: ", "passage: ")),
        ("notes-model", {"tuned_from": "intfloat/multilingual-e5-small"}, ("query: ", "passage: ")),
        ("notes-model", {}, ("", "")),
        ("qwen3-embedding", {"prompts": {"query": "instruct query:", "document": ""}}, ("instruct query:", "")),
        (
            "nomic",
            {"prompts": {"query": "search query: ", "passage": "search document: "}},
            ("search query: ", "search document: "),
        ),
        ("multilingual-e5-own", {"prompts": {"query": "what is: ", "document": "the: "}}, ("what is: ", "the: ")),
    ],
)
def test_what_goes_before_a_text_is_what_its_files_or_else_its_family_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, layout: dict[str, Any], expected: tuple[str, str]
):
    folder = make_model(tmp_path / name, **layout)
    model = SentenceTransformerModel(folder, name=str(folder))
    seen = read_texts(model, monkeypatch)
    model.embed_query("goat")
    model.embed_documents(["pump", "boat"])
    assert seen == [f"{expected[0]}goat", f"{expected[1]}pump", f"{expected[1]}boat"]


def test_the_prompt_changes_the_vector_and_the_fingerprint_and_takes_its_tokens_from_the_window(tmp_path: Path):
    folder = make_model(tmp_path / "multilingual-e5-small")
    plain_folder = tmp_path / "notes-model"
    shutil.copytree(folder, plain_folder)
    model = SentenceTransformerModel(folder, name="intfloat/multilingual-e5-small")
    plain = SentenceTransformerModel(plain_folder, name="notes-model")
    assert model.fingerprint != plain.fingerprint
    assert len(model.fingerprint) == 16
    assert model.fingerprint == SentenceTransformerModel(folder, name="multilingual-e5-small").fingerprint
    assert plain.max_tokens == WINDOW - 2
    assert model.max_tokens == WINDOW - 2 - len(["passage", ":"])
    assert not np.allclose(model.embed_query("goat"), plain.embed_query("goat"))
    assert np.allclose(model.embed_query("goat"), plain.embed_query("query: goat"), atol=1e-6)
    assert np.allclose(model.embed_documents(["goat"]), plain.embed_documents(["passage: goat"]), atol=1e-6)


def test_nothing_of_a_chunk_is_cut_off_by_what_goes_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    model = SentenceTransformerModel(make_model(tmp_path / "e5-small"), name="e5-small")
    document = LocalDocument("a.md", "goat " * 200, "c" * 64, 1, 1)
    chunks = chunk_document(document, brain_id="id", tokenizer=model, chunk_tokens=model.max_tokens, overlap_tokens=0)
    prepared: list[int] = []
    inner: Any = model._model
    forward = inner.forward

    def count(features: dict[str, Any], **options: Any) -> Any:
        prepared.extend(features["attention_mask"].sum(dim=1).tolist())
        return forward(features, **options)

    monkeypatch.setattr(inner, "forward", count)
    model.embed_documents([chunk.content for chunk in chunks])
    assert max(prepared) == WINDOW
    assert sum(prepared) == 200 + len(chunks) * (2 + len(["passage", ":"]))
