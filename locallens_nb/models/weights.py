"""Chat weights: how much memory they take, and how they come from a folder or a GGUF file into a model.

A 4-bit or converted copy is kept in the cache folder, so that only the first start quantises or converts.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locallens_nb.models.allocation import return_freed_memory
from locallens_nb.models.devices import accelerator, compute_type
from locallens_nb.models.prepared import written_whole
from locallens_nb.models.quiet import import_bitsandbytes, quiet_transformers

_logger = logging.getLogger(__name__)

WORKING_BYTES = 384 << 20
"""What a forward pass needs besides weights and attention state: 0.35 GB measured, SmolLM2-135M with 4,096 tokens."""

_LINEAR_BYTES = {"nf4": 0.5625, "bfloat16": 2.0, "float16": 2.0, "float32": 4.0}
"""Bytes for each weight of a linear layer; NF4 has 4 bits and a float32 scale for each 64 weights."""


@dataclass(frozen=True, slots=True)
class WeightsShape:
    """What the memory of a model follows from.

    Attributes
    ----------
    linear_parameters
        Weights that 4-bit quantisation covers.
    other_parameters
        Embeddings, vocabulary projection and norms, which stay in the compute type.
    state_values_per_token
        Keys and values that attention keeps for each token of the context.
    """

    linear_parameters: int
    other_parameters: int
    state_values_per_token: int

    def memory_bytes(self, precision: str, *, context_tokens: int) -> int:
        """Return what a loaded model takes while it answers, in bytes."""
        compute_bytes = 4 if precision == "float32" or (precision == "nf4" and compute_type() == "float32") else 2
        weights = self.linear_parameters * _LINEAR_BYTES[precision] + self.other_parameters * compute_bytes
        return int(weights) + self.state_values_per_token * compute_bytes * context_tokens + WORKING_BYTES


def read_shape(folder: Path) -> WeightsShape:
    """Return the shape of the weights in a folder; only the headers of the files are read."""
    from safetensors import safe_open

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    linear = other = 0
    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(str(file), framework="np") as tensors:
            for key in tensors.keys():  # noqa: SIM118 - not a mapping
                size = 1
                for length in tensors.get_slice(key).get_shape():
                    size *= length
                if ".layers." in key and key.endswith("_proj.weight"):
                    linear += size
                else:
                    other += size
    heads = config["num_attention_heads"]
    head_size = config.get("head_dim") or config["hidden_size"] // heads
    state = 2 * config["num_hidden_layers"] * config.get("num_key_value_heads", heads) * head_size
    return WeightsShape(linear, other, state)


def stored_memory_bytes(folder: Path, *, context_tokens: int) -> int:
    """Return what weights that are quantised already take while they answer, in bytes: their files and what comes besides."""
    shape = read_shape(folder)
    compute_bytes = 4 if compute_type() == "float32" else 2
    weights = sum(file.stat().st_size for file in folder.glob("*.safetensors")) + shape.other_parameters * (compute_bytes - 2)
    return weights + shape.state_values_per_token * compute_bytes * context_tokens + WORKING_BYTES


def stored_precision(folder: Path) -> str | None:
    """Return the precision of a folder that is quantised already, which then cannot be chosen."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    quantisation = config.get("quantization_config")
    return None if quantisation is None else str(quantisation.get("bnb_4bit_quant_type") or quantisation["quant_method"])


def load_weights(
    source: Path, prepared: Path, *, precision: str, on_weights: Callable[[int, int], object] | None = None
) -> tuple[Any, Any]:
    """Load a model and its tokenizer from a folder, keeping a 4-bit copy for the next start.

    Parameters
    ----------
    source
        Folder of weights in the layout of transformers.
    prepared
        Folder of the 4-bit copy (see :func:`~locallens_nb.models.prepared.prepared_folder`); written when it is missing.
    precision
        ``nf4``, a torch type, or the name of the quantisation that ``source`` has already.
    on_weights
        As :func:`~locallens_nb.models.quiet.quiet_transformers` takes it.

    Returns
    -------
    tuple
        The model in evaluation mode, and the tokenizer.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    quantise = precision == "nf4" and stored_precision(source) is None and not prepared.is_dir()
    folder = prepared if prepared.is_dir() else source
    is_quantised = precision == "nf4" or precision not in _LINEAR_BYTES
    options: dict[str, Any] = {"dtype": getattr(torch, compute_type() if is_quantised else precision)}
    if is_quantised:
        import_bitsandbytes()  # before transformers does
    if quantise:
        options["quantization_config"] = _four_bit_config()
    with quiet_transformers(on_weights), return_freed_memory():
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, device_map={"": accelerator()}, low_cpu_mem_usage=True, **options
        ).eval()
        if quantise:
            _keep_copy(model, tokenizer, prepared)
    return model, tokenizer


def _keep_copy(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a quantised copy; a disk that has no room for it is no reason not to answer."""
    from safetensors import SafetensorError

    try:
        with written_whole(folder) as target:
            model.save_pretrained(target)
            tokenizer.save_pretrained(target)
    except (OSError, SafetensorError) as error:
        _logger.warning("the 4-bit copy of the model was not kept: %s", type(error).__name__)


def _four_bit_config() -> Any:
    """Return 4-bit NormalFloat quantisation (Dettmers et al. 2023, QLoRA, arXiv 2305.14314)."""
    import torch
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=getattr(torch, compute_type())
    )
