"""Refusing a model that would not fit in memory, before it is loaded: a kernel killed for memory is the worst failure."""

from __future__ import annotations

from rich.filesize import decimal

from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models.memory import available_memory

CONVERSION_FACTOR = 5.5
"""Memory that reading a GGUF file takes, in multiples of its size, as measured on a Q4_K_M file of 491 MB."""

_MOST_SHARE = 0.8
"""A model may need this part of the free RAM. The rest is what a notebook needs at least, and how far what is reckoned can be
trusted: SmolLM2-135M in float32 took 1.08 GB of 1.13 reckoned, with a full context. On a GPU want of memory is an error and the
next model's turn, where in RAM it ends the kernel: there all may be needed."""


def free_memory() -> tuple[int, float]:
    """Return what is free where models run, in bytes, and which part of it a model may need."""
    memory = available_memory()
    return (memory.ram_bytes, _MOST_SHARE) if memory.gpu_bytes is None else (memory.gpu_bytes, 1.0)


def require_room(name: str, need_bytes: int) -> None:
    """Refuse a model that would not fit where models run, or leave a notebook too little there."""
    free_bytes, share = free_memory()
    _require_memory(name, need_bytes, free_bytes=free_bytes, share=share)


def require_room_to_convert(name: str, file_bytes: int) -> None:
    """Refuse a GGUF file that would not fit while it is read, which happens in RAM."""
    _require_memory(name, int(file_bytes * CONVERSION_FACTOR), free_bytes=available_memory().ram_bytes, share=_MOST_SHARE)


def _require_memory(name: str, need_bytes: int, *, free_bytes: int, share: float) -> None:
    if need_bytes > share * free_bytes:
        too_near = ", which leaves the notebook too little" if need_bytes <= free_bytes else ""
        raise ModelUnavailableError(
            f"{name} needs about {decimal(need_bytes, precision=2)} of memory and {decimal(free_bytes, precision=2)} is free"
            f"{too_near}.",
            hint="Close other notebooks, or choose a smaller model.",
        )
