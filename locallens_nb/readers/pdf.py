"""Read a PDF page by page, in a process of its own: a hostile file can neither hang nor crash the one that asks."""

from __future__ import annotations

import subprocess
import sys

from locallens_nb.readers.text import UnusableFileError

LIMIT_SECONDS = 60
LIMIT_MEMORY_BYTES = 2**30
LIMIT_CHARACTERS = 2 * 2**20

UNUSABLE = 3
"""Exit status of the process when its output is the reason and not the text."""

_PROCESS = "locallens_nb.readers.pdf_process"


def read_pdf(data: bytes, *, limit_seconds: float = LIMIT_SECONDS) -> str:
    """Return the text of a PDF, as :func:`~locallens_nb.readers.page_text.join_pages` makes it of its pages.

    Attachments, forms and scripts are neither read nor run.

    Raises
    ------
    UnusableFileError
        When it is locked or damaged, holds no text or too much of it, or takes too long.
    """
    command = [sys.executable, "-P", "-m", _PROCESS]
    try:
        process = subprocess.run(  # noqa: S603 - our own module
            command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=limit_seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UnusableFileError(f"it could not be read within {limit_seconds:g} seconds") from error
    if process.returncode not in (0, UNUSABLE):
        raise UnusableFileError("the reader of PDFs failed on it")
    text = process.stdout.decode()
    if process.returncode == UNUSABLE:
        raise UnusableFileError(text)
    return text
