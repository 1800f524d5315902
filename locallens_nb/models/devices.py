"""What this machine computes on, and in which precision chat weights run fastest there."""

from __future__ import annotations

import importlib.util
from typing import Any, Literal

from locallens_nb.models.quiet import import_bitsandbytes

Device = Literal["cuda", "mps", "cpu"]


def accelerator() -> Device:
    """Return the device that models run on."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def release_memory() -> None:
    """Give memory of models that are no longer used back, also that which torch keeps on a GPU."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def has_fused_4bit_kernel() -> bool:
    """Return whether bitsandbytes multiplies 4-bit weights on this CPU without unpacking them first.

    That kernel needs AVX-512 with BF16. Without it, every token unpacks every weight.
    """
    if not import_bitsandbytes():
        return False
    from bitsandbytes.functional import has_avx512bf16

    return bool(has_avx512bf16())


def compute_type() -> str:
    """Return the type that 4-bit weights are unpacked to: bfloat16 where it is fast, else float32 on CPUs."""
    if accelerator() == "cpu":
        return "bfloat16" if has_fused_4bit_kernel() else "float32"
    import torch

    return "bfloat16" if accelerator() != "cuda" or torch.cuda.is_bf16_supported() else "float16"


def multiplies_bfloat16() -> bool:
    """Return whether this CPU multiplies bfloat16 by instructions of its own (AMX, or AVX-512 BF16)."""
    import torch

    get_capabilities: Any = getattr(torch.cpu, "get_capabilities", dict)  # older versions of torch cannot tell
    capabilities = get_capabilities()
    return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))


def preferred_precisions(device: Device, *, rounded_before: bool = False) -> list[str]:
    """Return the precisions to hold chat weights in, the best first; a later one is for want of memory.

    4-bit NF4 comes first, but for two cases. A CPU without the fused kernel decodes float32 about twice as fast (Qwen2.5 0.5B
    on two AVX2 cores: 6.3 against 3.2 tokens/s, reading the prompt 156 against 149). And weights from a file that is
    quantised itself lose much when they are rounded a second time (the packaged Qwen2.5 0.5B answered 5 of 9 questions
    right in NF4, and all of them in float32): where they do not fit whole, *quotes* answer better, and need no memory. Whole is
    bfloat16 where the CPU has instructions for it: the same model then reads a prompt at 973 tokens/s on two cores with AMX
    instead of 139 in float32, and writes 8.6 tokens/s instead of 11.1; on one core of an AMD EPYC with AVX-512 BF16 it reads
    159 instead of 109 and writes 5.4 instead of 4.8, in half of the memory.

    Parameters
    ----------
    rounded_before
        Whether the weights come from a quantised file.
    """
    has_bitsandbytes = importlib.util.find_spec("bitsandbytes") is not None
    four_bit = ["nf4"] if has_bitsandbytes and device != "mps" else []
    if rounded_before:
        return ["float32" if device == "cpu" and not multiplies_bfloat16() else "bfloat16"]
    if four_bit and (device == "cuda" or has_fused_4bit_kernel()):
        return four_bit
    if device != "cpu":
        return ["bfloat16"]
    return ["float32", *(four_bit or ["bfloat16"])]
