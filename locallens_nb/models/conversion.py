"""Turning a GGUF file into a folder that transformers loads, in a process of its own.

Reading the file takes several times its size in memory and a minute of Python. In a child process that memory is
given back, the notebook stays responsive, and if the system runs out of memory it is not the kernel that dies.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from locallens_nb.errors import ModelUnavailableError

_POLL_SECONDS = 0.2


def convert_gguf(source: Path, target: Path, *, on_wait: Callable[[float], object] | None = None) -> None:
    """Write the weights and the tokenizer of a GGUF file to the folder ``target`` in bfloat16, whole or not at all.

    Parameters
    ----------
    on_wait
        Called several times a second with the seconds that it has taken so far, in the thread that called.

    Raises
    ------
    ModelUnavailableError
        When transformers cannot read the file, or the system ended the conversion.
    """
    with written_whole(target) as folder, tempfile.TemporaryFile("w+", encoding="utf-8") as log:
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
            lines = [line for line in log.read().splitlines() if line.strip()]
            why = f"exit status {process.returncode}" if process.returncode < 0 or not lines else lines[-1]
            raise ModelUnavailableError(
                f"{source.name} cannot be converted: {why}.", hint="It must be a GGUF file of a model that transformers knows."
            )


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


def _convert(source: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    model = AutoModelForCausalLM.from_pretrained(
        source.parent, gguf_file=source.name, quantization_config=GgufConfig(dequantize=True), dtype=torch.bfloat16
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    _convert(Path(sys.argv[1]), Path(sys.argv[2]))
