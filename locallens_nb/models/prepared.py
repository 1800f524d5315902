"""Where converted and quantised copies of weights are kept, and how they get there: whole or not at all."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from locallens_nb.models.devices import compute_type
from locallens_nb.models.fingerprint import fingerprint_weights


def prepared_folder(source: Path, *, name: str, precision: str, cache_folder: Path) -> Path:
    """Return where the converted or quantised copy of some weights is kept, whether it exists or not."""
    label = f"nf4-{compute_type()}" if precision == "nf4" else precision
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
    return cache_folder / "prepared" / f"{slug}-{fingerprint_weights(source)}-{label}"


@contextlib.contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Give a temporary folder that becomes ``target`` when the block ends well, and is gone when it does not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{target.name}.", suffix=".partial", dir=target.parent))
    try:
        yield folder
        try:
            folder.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was faster, and its copy is as good
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
