"""A digest that tells two sets of weights apart without reading gigabytes."""

from __future__ import annotations

import hashlib
from pathlib import Path

_SAMPLE_BYTES = 1 << 20
_SUFFIXES = {".json", ".safetensors", ".bin", ".gguf"}


def fingerprint_weights(path: Path) -> str:
    """Return 16 hexadecimal digits that differ when the weights or the configuration do.

    Parameters
    ----------
    path
        A folder of weights, or one file. Each file enters with its name, its size and 1 MiB each from its start,
        middle and end.
    """
    files = (
        [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file() and file.suffix in _SUFFIXES)
    )
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        name = file.name if file == path else file.relative_to(path).as_posix()
        digest.update(f"{name}\0{size}\0".encode())
        with file.open("rb") as content:
            for start in (0, size // 2, max(0, size - _SAMPLE_BYTES)):
                content.seek(start)
                digest.update(content.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:16]
