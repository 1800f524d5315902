"""Where memory goes that is freed while a model loads: to the system, and not into a store of scraps."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator

_MMAP_THRESHOLD = -3
"""``M_MMAP_THRESHOLD`` of ``mallopt(3)``."""
_FIRST_THRESHOLD = 128 << 10
_LAST_THRESHOLD = 32 << 20
"""From what size on glibc gives a freed piece back to the system at once: at first, and what it raises that to by itself."""


@contextlib.contextmanager
def return_freed_memory() -> Iterator[None]:
    """Have freed memory go back to the system at once within the block, where the C library is glibc.

    Rounding weights to 4 bits frees many pieces of some megabytes, which glibc keeps, with small results between them that
    make them useless. The layers of Qwen3-1.7B left up to 1.0 GB so, which the notebook kept; with this they leave 0.1.
    """
    _set_threshold(_FIRST_THRESHOLD)
    try:
        yield
    finally:
        _set_threshold(_LAST_THRESHOLD)


def _set_threshold(size_bytes: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, size_bytes)
