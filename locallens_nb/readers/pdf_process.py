"""The process that :mod:`locallens_nb.readers.pdf` starts: a PDF on its standard input, text or a reason on its output."""

from __future__ import annotations

import contextlib
import math
import re
import sys
from collections import Counter
from ctypes import c_double

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from locallens_nb.readers.page_text import Line, join_pages
from locallens_nb.readers.pdf import LIMIT_CHARACTERS, LIMIT_MEMORY_BYTES, LIMIT_SECONDS, UNUSABLE
from locallens_nb.readers.text import UnusableFileError

_LINE = re.compile(r"[^ \r\n](?:[^\n]*[^ \r\n])?")
_SAMPLED = 4
"""Of how many characters one is asked for the size of its font."""


def extract_text(data: bytes) -> str:
    """Return the text of a PDF.

    Raises
    ------
    UnusableFileError
        When it is locked or damaged, or holds no text or too much of it.
    """
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        is_locked = error.err_code == pdfium_c.FPDF_ERR_PASSWORD
        raise UnusableFileError("locked: it opens with a password only" if is_locked else "damaged, or not a PDF") from error
    pages: list[list[Line]] = []
    characters = 0
    for number in range(len(document)):
        pages.append(_read_page(document, number))
        characters += sum(len(line.text) for line in pages[-1])
        if characters > LIMIT_CHARACTERS:
            raise UnusableFileError(f"its text is over the limit of {LIMIT_CHARACTERS // 2**20} MiB")
    text = join_pages(pages)
    if not text.strip():
        raise UnusableFileError("scanned: no text in it")
    return text


def _read_page(document: pdfium.PdfDocument, number: int) -> list[Line]:
    """Return the lines of a page that are written in its main direction; none of a damaged page."""
    try:
        page = document[number].get_textpage()
    except pdfium.PdfiumError:
        return []
    text = "".join(chr(pdfium_c.FPDFText_GetUnicode(page, at)) for at in range(page.count_chars()))
    spans = [match.span() for match in _LINE.finditer(text)]
    turns = [round(pdfium_c.FPDFText_GetCharAngle(page, start), 2) for start, _ in spans]
    written: Counter[float] = Counter()
    for turn, (start, end) in zip(turns, spans, strict=True):
        written[turn] += end - start
    main = max(written, key=lambda turn: (written[turn], turn), default=0.0)
    return [
        _measure_line(page, text[start:end], start, main)
        for turn, (start, end) in zip(turns, spans, strict=True)
        if turn == main
    ]


def _measure_line(page: pdfium.PdfTextPage, text: str, start: int, turn: float) -> Line:
    """Return a line as it would stand on a page that is turned so that it can be read.

    Parameters
    ----------
    start
        Number of its first character on the page.
    turn
        How far it is turned clockwise, in radians.
    """
    last = start + len(text) - 1
    x, y = c_double(), c_double()
    matrix = pdfium_c.FS_MATRIX()
    cosine, sine = math.cos(turn), math.sin(turn)

    def find_height(at: int) -> float:
        pdfium_c.FPDFText_GetCharOrigin(page, at, x, y)
        return x.value * sine + y.value * cosine

    top = find_height(start)
    left = x.value * cosine - y.value * sine
    near_x, near_y, far_x, far_y = page.get_charbox(last)
    right = max(near_x * cosine - near_y * sine, far_x * cosine - far_y * sine)
    sizes = Counter(pdfium_c.FPDFText_GetFontSize(page, at) for at in range(start, last + 1, _SAMPLED))
    pdfium_c.FPDFText_GetMatrix(page, start, matrix)
    size = sizes.most_common(1)[0][0] * math.hypot(matrix.c, matrix.d)
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return Line(whole, left, right, top, find_height(last), size)


def _limit_resources() -> None:
    """Let the system end this process when it takes too much, also when the one that started it is gone."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no limits, macOS not all of them
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, LIMIT_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_MEMORY_BYTES, LIMIT_MEMORY_BYTES))


def _answer(text: str) -> None:
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    _limit_resources()
    try:
        _answer(extract_text(sys.stdin.buffer.read()))
    except UnusableFileError as reason:
        _answer(str(reason))
        sys.exit(UNUSABLE)
