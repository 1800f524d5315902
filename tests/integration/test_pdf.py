"""PDFs of our own making, read by the process that reads them, indexed and cited."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import pytest
from fpdf import FPDF
from fpdf.enums import AccessPermission

from locallens_nb import files
from locallens_nb.files import discover_text_documents
from locallens_nb.locallens import LocalLensApp
from locallens_nb.notebook.rendering import describe_place
from locallens_nb.readers import pdf, pdf_process
from locallens_nb.readers.pdf import read_pdf
from locallens_nb.readers.text import UnusableFileError
from locallens_nb.settings import Settings
from tests.fakes import FakeModels

FERRY = "The ferry leaves at noon. It carries the crew of the station and all that was ordered from the mainland."


def start_page(document: FPDF, *, size: float = 10) -> FPDF:
    document.add_page()
    document.set_font("Helvetica", size=size)
    return document


def make_pdf(*pages: str, write: Callable[[FPDF], object] = lambda document: None) -> bytes:
    """A PDF with a paragraph on each page, and what ``write`` adds."""
    document = FPDF()
    for text in pages:
        start_page(document).multi_cell(80, 5, text)
    write(document)
    return bytes(document.output())


def refusal(data: bytes) -> str:
    with pytest.raises(UnusableFileError) as caught:
        read_pdf(data)
    return str(caught.value)


def test_paragraphs_are_read_whole_page_by_page():
    assert read_pdf(make_pdf(FERRY, "It is late.")) == f"{FERRY}\f\n\nIt is late."


def test_of_two_columns_the_first_is_read_before_the_second():
    def write(document: FPDF) -> None:
        start_page(document, size=16).text(30, 20, "On boats")
        document.set_font("Helvetica", size=10)
        for left, text in (
            (10, "The ferry leaves the harbour of the station at noon and"),
            (110, "carries the crew. " + FERRY),
        ):
            document.set_xy(left, 30)
            document.multi_cell(60, 5, text)

    assert read_pdf(make_pdf(write=write)) == (
        f"# On boats\n\nThe ferry leaves the harbour of the station at noon and carries the crew. {FERRY}"
    )


def test_ligatures_and_other_scripts_are_read_as_letters():
    def write(document: FPDF) -> None:
        document.add_page()
        document.add_font("DejaVu", fname=Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
        document.set_font("DejaVu", size=10)
        document.multi_cell(100, 5, "An e\ufb03cient \ufb02ow. Паром в полдень.")

    assert read_pdf(make_pdf(write=write)) == "An efficient flow. Паром в полдень."


def test_a_word_that_is_parted_at_the_end_of_a_line_is_whole():
    def write(document: FPDF) -> None:
        start_page(document)
        for at, text in enumerate(("We read the instru-", "ments of the ferry-", "boat, a ferry-boat.")):
            document.text(20, 30 + 5 * at, text)

    assert read_pdf(make_pdf(write=write)) == "We read the instruments of the ferry-boat, a ferry-boat."


def test_what_is_written_across_a_page_is_left_out_and_a_page_that_is_turned_is_read():
    def write(document: FPDF) -> None:
        with start_page(document).rotation(90, x=10, y=150):
            document.text(10, 150, "Preprint of May")
        document.text(30, 30, "The ferry leaves at noon.")
        with start_page(document).rotation(90, x=100, y=150):
            document.multi_cell(100, 5, FERRY)

    assert read_pdf(make_pdf(write=write)) == f"The ferry leaves at noon.\f\n\n{FERRY}"


def test_what_a_pdf_carries_along_is_not_read():
    def write(document: FPDF) -> None:
        document.embed_file(bytes=b"attached words", basename="a.txt", desc="described words")
        document.text_annotation(30, 60, "noted words")

    assert read_pdf(make_pdf("It is late.", write=write)) == "It is late."


def test_a_pdf_is_read_when_it_opens_without_a_password_only():
    def lock(password: str) -> Callable[[FPDF], object]:
        return lambda document: document.set_encryption("owner", password, permissions=AccessPermission.none())

    assert read_pdf(make_pdf(FERRY, write=lock(""))) == FERRY
    assert refusal(make_pdf(FERRY, write=lock("secret"))) == "locked: it opens with a password only"


def test_a_pdf_without_text_is_refused_with_the_reason():
    assert refusal(make_pdf(write=lambda document: start_page(document).rect(10, 10, 50, 50))) == "scanned: no text in it"


def test_a_damaged_pdf_gives_text_or_a_reason():
    whole = make_pdf(FERRY, "It is late.")
    assert refusal(b"") == refusal(b"hello") == refusal(whole[:200]) == "damaged, or not a PDF"
    assert read_pdf(whole.replace(b"startxref", b"startxxxx")) == f"{FERRY}\f\n\nIt is late."


def test_a_pdf_that_takes_too_long_is_given_up():
    with pytest.raises(UnusableFileError, match=r"^it could not be read within 0.001 seconds$"):
        read_pdf(make_pdf(FERRY), limit_seconds=0.001)


def test_a_reader_that_crashes_harms_one_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.pdf").write_bytes(make_pdf(FERRY))
    (tmp_path / "b.md").write_text("It is late.", encoding="utf-8")
    monkeypatch.setattr(pdf, "_PROCESS", "tests.no_such_module")
    found = discover_text_documents(tmp_path)
    assert [document.relative_path for document in found.documents] == ["b.md"]
    assert [(file.relative_path, file.reason) for file in found.skipped] == [("a.pdf", "the reader of PDFs failed on it")]


def test_reading_ends_where_there_is_too_much_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf_process, "LIMIT_CHARACTERS", len(FERRY))
    assert pdf_process.extract_text(make_pdf(FERRY)) == FERRY
    with pytest.raises(UnusableFileError, match=r"^its text is over the limit of 0 MiB$"):
        pdf_process.extract_text(make_pdf(FERRY, "It is late."))


def test_a_pdf_may_be_larger_than_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    data = make_pdf(
        FERRY, write=lambda document: document.embed_file(bytes=bytes(range(256)) * 20, basename="a", compress=False)
    )
    (tmp_path / "paper.PDF").write_bytes(data)
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 500)
    (document,) = discover_text_documents(tmp_path).documents
    assert document.content == FERRY
    assert document.checksum == hashlib.sha256(f"paper.PDF\0{FERRY}".encode()).hexdigest()
    assert document.size_bytes == len(data) > 500
    monkeypatch.setattr(files, "MAX_RENDERED_BYTES", 500)
    assert discover_text_documents(tmp_path).skipped[0].reason.endswith("is over the limit of 0 MiB")


def test_a_pdf_is_found_and_cited_by_its_pages(tmp_path: Path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "boats.pdf").write_bytes(make_pdf("", "", "The goat sleeps behind the", "house."))
    app = LocalLensApp(Settings(home=tmp_path / "home", strictness="off"), models=FakeModels())
    app.create_brain_from_folder(name="papers", folder_path=folder)
    answer = app.ask_brain("papers", "Where does the goat sleep?")
    assert str(answer.quotes[0]) == "The goat sleeps behind the house."
    cited = {source.number: source for source in (*answer.citations, *answer.also_read)}[answer.quotes[0].number]
    assert describe_place(cited) == "boats.pdf pages 3-4"
