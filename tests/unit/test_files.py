"""Decoding, notebooks and ignore rules: what needs no folder on disk."""

import base64
import json

import pytest
from pathspec import GitIgnoreSpec

from locallens_nb.file_types import SUPPORTED_EXTENSIONS
from locallens_nb.files import IGNORED_FOLDERS
from locallens_nb.readers.gitignore import IgnoreRules, is_ignored
from locallens_nb.readers.notebook import MAX_ERROR_CHARACTERS, MAX_OUTPUT_CHARACTERS, render_notebook
from locallens_nb.readers.text import UnusableFileError, decode_text

ORIGINAL_EXTENSIONS = {".css", ".html", ".js", ".jsx", ".json", ".md", ".mdx", ".ts", ".tsx", ".txt", ".yaml", ".yml"}
PNG_BASE64 = "iVBORw0KGgoAAAANSUhEUgAA" * 2000


def notebook(*cells: dict) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def code(source: str | list[str], *outputs: dict) -> dict:
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": 1, "metadata": {}}


def test_the_extensions_and_folders_of_the_original_are_all_there():
    assert ORIGINAL_EXTENSIONS < SUPPORTED_EXTENSIONS
    assert {".git", ".locallens", ".next", ".turbo", "build", "coverage", "dist", "node_modules"} < IGNORED_FOLDERS


def test_logs_records_and_transcripts_are_text():
    assert {".jsonc", ".log", ".ndjson", ".srt", ".vtt", ".cts", ".mts"} < SUPPORTED_EXTENSIONS


@pytest.mark.parametrize(
    "data",
    [
        "---\ntitle: Größe\n".encode("utf-8-sig"),
        b"\xff\xfe" + "---\ntitle: Größe\n".encode("utf-16-le"),
        b"\xfe\xff" + "---\ntitle: Größe\n".encode("utf-16-be"),
        b"\xff\xfe\x00\x00" + "---\ntitle: Größe\n".encode("utf-32-le"),
        b"\x00\x00\xfe\xff" + "---\ntitle: Größe\n".encode("utf-32-be"),
        "---\ntitle: Größe\n".encode("utf-16-le"),
        "---\ntitle: Größe\n".encode("utf-16-be"),
        "---\ntitle: Größe\n".encode("cp1252"),
        b"---\r\ntitle: Gr\xc3\xb6\xc3\x9fe\r\n",
        b"---\rtitle: Gr\xc3\xb6\xc3\x9fe\r",
    ],
)
def test_every_encoding_and_line_end_gives_the_same_text(data):
    assert decode_text(data) == "---\ntitle: Größe\n"


ASCII_PROSE = "The quick brown fox jumps over the lazy dog and reads the report. " * 20


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "A informação não está disponível – custa 5 €, “disse” o júri.\n"),
        ("cp1252", "Configuração da estação: não alterar.\nManutenção: às terças, das três às cinco.\n"),
        ("cp1252", ASCII_PROSE + "Müller " + ASCII_PROSE),
        ("cp1252", ASCII_PROSE + "£5 " + ASCII_PROSE),
        ("cp1252", "id;nome;preço\n1;pão;2\n2;maçã;3\n"),
        ("cp1250", "Árvíztűrő tükörfúrógép. A következő találkozó szerdán lesz, kérjük, időben érkezzenek.\n"),
        ("iso8859_2", "Oraşul este frumos şi liniştit. Mâine mergem la piaţă să cumpărăm brânză.\n"),
        ("cp1253", "Η συνάντηση θα γίνει την Τετάρτη στις εννέα το πρωί.\n"),
        ("cp1254", "Bugün hava çok güzel. İstanbul'da yağmur yağıyor, şimdi gidiyorum.\n"),
        ("cp949", "회의는 수요일 오전 아홉 시에 시작합니다. 늦지 않게 와 주세요.\n"),
        ("euc_jp", "会議は水曜日の午前九時に始まります。遅れないように来てください。\n"),
        ("cp932", "会議は三月に東京で開かれ、予算は八千ユーロに決まりました。\n"),
        ("euc_jp", "会議は三月に東京で開かれ、予算は八千ユーロに決まりました。\n"),
        ("gb18030", "会议于三月在北京举行，预算定为八千欧元。\n"),
        ("cp1251", "Бюджет был утверждён советом в марте.\n"),
        ("koi8_r", "Это русский текст. Бюджет был утвержден в марте.\n"),
        ("utf-16-le", "Бюджет был утверждён советом в марте.\n"),
    ],
)
def test_older_encodings_are_recognised_without_a_mark(encoding, text):
    assert decode_text(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bytes(range(256)) * 8, "binary, not text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 20, "binary, not text"),
        (b"abc\0def\0\0ghi", "binary, not text"),
        (b"\x01\x02\x03 some text \x04\x05" * 20, "binary, not text"),
        (b"\xff\xfea", "it is marked as UTF-16, but is not valid UTF-16"),
        ("fine\nGrüße, Käse, Öl, \n".encode() + b"bad \xff byte", "not valid UTF-8: there is a damaged character in line 3"),
    ],
)
def test_what_is_not_text_is_refused_with_the_reason(data, reason):
    with pytest.raises(UnusableFileError) as refusal:
        decode_text(data)
    assert str(refusal.value) == reason


def test_a_log_is_read_without_the_codes_for_a_terminal():
    assert decode_text(b"\x1b[1;31mERROR\x1b[0m pump 4 stopped\n") == "ERROR pump 4 stopped\n"


def test_a_notebook_is_read_cell_by_cell():
    text = notebook(
        {"cell_type": "markdown", "source": ["# Budget\n", "Approved in March."], "metadata": {}},
        code("", {"output_type": "stream", "name": "stdout", "text": "from an empty cell\n"}),
        code(["total = 8200\n", "total"], {"output_type": "execute_result", "data": {"text/plain": ["8200"]}}),
    )
    assert render_notebook(text) == (
        "# Cell 1 (markdown)\n# Budget\nApproved in March.\n\n"
        "# Cell 2 (output)\nfrom an empty cell\n\n"
        "# Cell 3 (code)\ntotal = 8200\ntotal\n\n"
        "# Cell 3 (output)\n8200"
    )


def test_image_data_never_becomes_text():
    attached = {"figure.png": {"image/png": PNG_BASE64}}
    text = notebook(
        {"cell_type": "markdown", "source": f"See ![x](data:image/png;base64,{PNG_BASE64}) here", "attachments": attached},
        code(
            "plot()", {"output_type": "display_data", "data": {"image/png": PNG_BASE64, "text/plain": "<Figure size 640x480>"}}
        ),
        code(
            "html()",
            {"output_type": "display_data", "data": {"text/html": f'<img src="{PNG_BASE64}">', "text/plain": "<HTML>"}},
        ),
    )
    assert render_notebook(text) == (
        "# Cell 1 (markdown)\nSee ![x]((embedded data)) here\n\n"
        "# Cell 2 (code)\nplot()\n\n"
        "# Cell 3 (code)\nhtml()\n\n"
        "# Cell 3 (output)\n<HTML>"
    )


@pytest.mark.parametrize(
    ("source", "read"),
    [
        (f"data:image/png;base64,{PNG_BASE64}\nThe boat is red", "(embedded data)\nThe boat is red"),
        (f"![x](data:image/svg+xml;charset=utf-8;base64,{PNG_BASE64}) The boat", "![x]((embedded data)) The boat"),
        (f"{PNG_BASE64[:480]}\nThe boat is red", "(embedded data)\nThe boat is red"),
        (
            base64.encodebytes(b"\x89PNG\r\n\x1a\n" + bytes(200)).decode() + "The boat is red",
            "(embedded data)\nThe boat is red",
        ),
        ("the path a/9j/" + "b" * 40, "the path a/9j/" + "b" * 40),
    ],
)
def test_image_data_ends_where_words_begin(source, read):
    assert render_notebook(notebook(code(source))) == f"# Cell 1 (code)\n{read}"


def test_outputs_are_cut_and_errors_keep_their_message_only():
    error = {"output_type": "error", "ename": "ValueError", "evalue": "\x1b[31mno\x1b[0m such key", "traceback": ["frame"] * 99}
    stream = {"output_type": "stream", "name": "stdout", "text": "x" * 5000}
    long_error = {"output_type": "error", "ename": "E", "evalue": "y" * 5000, "traceback": []}
    rendered = render_notebook(notebook(code("", error), code("", stream), code("", long_error)))
    assert rendered == (
        "# Cell 1 (output)\nValueError: no such key\n\n"
        f"# Cell 2 (output)\n{'x' * MAX_OUTPUT_CHARACTERS}\n(output cut: 5000 characters in all)\n\n"
        f"# Cell 3 (output)\nE: {'y' * (MAX_ERROR_CHARACTERS - 3)}\n(output cut: 5003 characters in all)"
    )


def test_a_progress_bar_leaves_its_last_state_only():
    bar = {"output_type": "stream", "name": "stderr", "text": "\r 0%\r50%\r100%\r\ndone\r\n"}
    assert render_notebook(notebook(code("", bar))) == "# Cell 1 (output)\n100%\ndone"


def test_a_notebook_cannot_bring_in_text_that_no_store_takes():
    assert render_notebook(notebook(code("a\ud800b\u0000c"))) == "# Cell 1 (code)\na\ufffdb\ufffdc"


def test_an_old_notebook_is_read_too():
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "1 + 1", "outputs": [{"text": "2"}]}]}]}
    assert render_notebook(json.dumps(old)) == "# Cell 1 (code)\n1 + 1\n\n# Cell 1 (output)\n2"


@pytest.mark.parametrize("text", ["{", "[]", "3", "{}", '{"cells": 5}', "[" * 200_000])
def test_what_is_no_notebook_is_refused(text):
    with pytest.raises(UnusableFileError, match=r"^not a notebook"):
        render_notebook(text)


@pytest.mark.parametrize("sheet", [5, None, {}, {"cells": 5}, {"cells": None}])
def test_a_sheet_of_an_old_notebook_without_cells_is_empty(sheet):
    cell = {"cell_type": "code", "input": "1 + 1"}
    assert render_notebook(json.dumps({"worksheets": [sheet, {"cells": [cell]}]})) == "# Cell 1 (code)\n1 + 1"


def test_the_innermost_ignore_file_that_names_a_path_decides():
    outer = IgnoreRules("/top", GitIgnoreSpec.from_lines(["*.csv", "out/"]))
    inner = IgnoreRules("/top/data", GitIgnoreSpec.from_lines(["!keep.csv", "draft.md"]))
    rules = (outer, inner)
    assert is_ignored("/top/data/a.csv", is_folder=False, rules=rules)
    assert not is_ignored("/top/data/keep.csv", is_folder=False, rules=rules)
    assert is_ignored("/top/data/draft.md", is_folder=False, rules=rules)
    assert is_ignored("/top/data/out", is_folder=True, rules=rules)
    assert not is_ignored("/top/data/out", is_folder=False, rules=rules)
