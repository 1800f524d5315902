"""Turning a GGUF file into a folder that transformers loads, in a process of its own.

Reading the file takes several times its size in memory and a minute of Python. In a child process that memory is
given back, the notebook stays responsive, and if the system runs out of memory it is not the kernel that dies.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from locallens_nb.domain import Progress, ReportProgress, report
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models.prepared import prepared_folder, written_whole
from locallens_nb.models.room import require_room_to_convert

_POLL_SECONDS = 0.2


def converted_folder(source: Path, *, name: str, cache_folder: Path) -> Path:
    """Return where what a GGUF file is converted to is kept, whether it exists or not."""
    return prepared_folder(source, name=name, precision="bfloat16", cache_folder=cache_folder)


def obtain_converted(source: Path, name: str, cache_folder: Path, *, on_progress: ReportProgress | None) -> Path:
    """Return the folder that a GGUF file is converted to, converting it when that has not been done yet.

    Raises
    ------
    ModelUnavailableError
        When it cannot be converted, or does not fit in memory.
    """

    def report_wait(seconds: float) -> None:
        report(on_progress, Progress("converting", 0, 0, f"{name}, which is done once ({seconds:.0f} s so far)"))

    folder = converted_folder(source, name=name, cache_folder=cache_folder)
    if not folder.is_dir():
        require_room_to_convert(name, source.stat().st_size)
        convert_gguf(source, folder, on_wait=report_wait)
    return folder


def convert_gguf(source: Path, target: Path, *, on_wait: Callable[[float], object] | None = None) -> None:
    """Write the weights and the tokenizer of a GGUF file to the folder ``target`` in bfloat16, whole or not at all.

    The layout is that of transformers and, for an embedding model, that of sentence-transformers.

    Parameters
    ----------
    on_wait
        Called several times a second with the seconds that it has taken so far, in the thread that called.

    Raises
    ------
    ModelUnavailableError
        When transformers cannot read the file, or the system ended the conversion.
    """
    with written_whole(target) as folder, tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        command = [sys.executable, "-P", "-m", __name__, str(source), str(folder)]
        offline = {**os.environ, "HF_HUB_OFFLINE": "1"}  # all that is needed is in the file
        process = subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=offline
        )
        started = time.monotonic()
        try:
            while process.poll() is None:
                if on_wait is not None:
                    on_wait(time.monotonic() - started)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode != 0:
            log.seek(0)
            raise _explain_failure(source, process.returncode, log.read(), cache_folder=target.parent)


def _explain_failure(source: Path, status: int, log: str, *, cache_folder: Path) -> ModelUnavailableError:
    lines = [line for line in log.splitlines() if line.strip()]
    if f"(os error {errno.ENOSPC})" in log or f"[Errno {errno.ENOSPC}]" in log:  # as Rust and as Python say it
        return ModelUnavailableError(
            f"{source.name} cannot be converted: the disk of {cache_folder} is full.",
            hint="Free some space, or choose another cache folder.",
        )
    why = f"exit status {status}" if status < 0 or not lines else lines[-1]
    return ModelUnavailableError(
        f"{source.name} cannot be converted: {why}.", hint="It must be a GGUF file of a model that transformers knows."
    )


def read_pooling(source: Path) -> str | None:
    """Return how an embedding model makes one vector of those of the tokens, in the words of sentence-transformers.

    Returns
    -------
    str | None
        What the GGUF file says of itself; None for a file that says nothing, which is no embedding model's.

    Raises
    ------
    ModelUnavailableError
        When it is no GGUF file.
    """
    from gguf import GGUFReader, PoolingType

    try:
        fields = GGUFReader(source).fields
    except (OSError, ValueError, IndexError) as error:
        raise ModelUnavailableError(f"{source.name} cannot be read as a GGUF file: {error}.", hint="Fetch it anew.") from error
    architecture = fields["general.architecture"].contents()
    pooling = fields.get(f"{architecture}.pooling_type")
    names = {PoolingType.MEAN: "mean", PoolingType.CLS: "cls", PoolingType.LAST: "lasttoken"}
    return names.get(pooling.contents()) if pooling is not None else None


def _convert(source: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer, GgufConfig

    pooling = read_pooling(source)
    kind = AutoModelForCausalLM if pooling is None else AutoModel
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    model = kind.from_pretrained(
        source.parent, gguf_file=source.name, quantization_config=GgufConfig(dequantize=True), dtype=torch.bfloat16
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if pooling is not None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

        modules = [Transformer(str(folder)), Pooling(model.config.hidden_size, pooling_mode=pooling)]
        SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder), create_model_card=False)


if __name__ == "__main__":
    _convert(Path(sys.argv[1]), Path(sys.argv[2]))
