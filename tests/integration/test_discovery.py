"""Discovery in real folders."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from locallens_nb import files
from locallens_nb.domain import Discovery, IndexedFile
from locallens_nb.errors import FolderError
from locallens_nb.files import MAX_FILE_BYTES, discover_text_documents

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files, or needs a right to make them")


def write(root: Path, **contents: str | bytes) -> Path:
    """Write files; in a keyword ``__`` stands for ``/`` and ``_`` for a dot."""
    for name, content in contents.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def paths(root: Path | str, **options: bool) -> list[str]:
    return [document.relative_path for document in discover_text_documents(root, **options).documents]


def reasons(root: Path) -> dict[str, str]:
    return {file.relative_path: file.reason for file in discover_text_documents(root).skipped}


def test_a_document_carries_its_text_checksum_size_and_time(tmp_path):
    write(tmp_path, notes__plan_md=b"\xef\xbb\xbfcaf\xc3\xa9\r\nopen\r\n")
    os.utime(tmp_path / "notes" / "plan.md", ns=(5_000_000_000, 7_000_000_000))
    (document,) = discover_text_documents(str(tmp_path)).documents
    assert document.relative_path == "notes/plan.md"
    assert document.content == "café\nopen\n"
    assert document.checksum == hashlib.sha256("notes/plan.md\0café\nopen\n".encode()).hexdigest()
    assert document.size_bytes == 16
    assert document.modified_ns == 7_000_000_000


def as_indexed(found: Discovery, **chunk_counts: int) -> list[IndexedFile]:
    return [
        IndexedFile(one.relative_path, one.size_bytes, one.modified_ns, one.checksum, chunk_counts.get(one.content, 1))
        for one in found.documents
    ]


def test_what_has_its_size_and_time_is_not_read_again_but_for_one_of_each_kind(tmp_path):
    write(tmp_path, a_md="a", b_md="b", c_md="c", d_md="d", e_py="e", f_py="f", g_py="g")
    known = as_indexed(discover_text_documents(tmp_path), a=99, b=9, f=19, g=12)
    write(tmp_path, c_md="c2", d_md="D", new_md="new")
    os.utime(tmp_path / "d.md", ns=(5, 7))
    read: list[str] = []
    found = discover_text_documents(tmp_path, known=known, on_progress=lambda report: read.append(report.detail))
    assert sorted(read) == ["b.md", "c.md", "d.md", "f.py", "new.md"]
    assert [document.relative_path for document in found.documents] == sorted(read)
    assert found.unchanged == tuple(file for file in known if file.relative_path in {"a.md", "e.py", "g.py"})


def test_all_of_a_kind_is_read_again_when_one_reads_otherwise_than_before(tmp_path, monkeypatch):
    write(tmp_path, a_html="<p>a</p>", b_html="<p>b</p>", c_md="c", d_md="d")
    known = as_indexed(discover_text_documents(tmp_path), b=9, c=9)
    monkeypatch.setitem(files._RENDERERS, ".html", lambda text: f"read anew: {text}")
    found = discover_text_documents(tmp_path, known=known)
    assert [document.relative_path for document in found.documents] == ["a.html", "b.html", "c.md"]
    assert [file.relative_path for file in found.unchanged] == ["d.md"]


def test_a_file_that_could_not_be_used_is_read_again_only_when_it_has_another_size_or_time(tmp_path):
    write(tmp_path, a_ipynb="{", b_ipynb="{", c_ipynb="{", good_md="good")
    before = discover_text_documents(tmp_path)
    write(tmp_path, a_ipynb='{"cells": []}')
    os.utime(tmp_path / "c.ipynb", ns=(5, 7))
    read: list[str] = []
    found = discover_text_documents(tmp_path, known=before.skipped, on_progress=lambda report: read.append(report.detail))
    assert sorted(read) == ["a.ipynb", "c.ipynb", "good.md"]
    assert found.skipped[1] == before.skipped[1]
    assert [file.reason.split(":")[0] for file in found.skipped] == ["empty", "not a notebook", "not a notebook"]


@pytest.mark.parametrize("error", [PermissionError(13, "held"), OSError(5, "I/O error"), MemoryError()])
def test_what_may_have_had_another_cause_than_the_file_is_tried_again(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    write(tmp_path, a_md="a")
    with monkeypatch.context() as patch:
        patch.setattr(files, "decode_text", fail)
        (skipped,) = discover_text_documents(tmp_path).skipped
    assert (skipped.size_bytes, skipped.modified_ns) == (None, None)
    assert [document.content for document in discover_text_documents(tmp_path, known=[skipped]).documents] == ["a"]


def test_documents_are_ordered_by_relative_path(tmp_path):
    write(tmp_path, b_md="b", a__z_md="z", B_md="B", a_md="a", a__b__c_md="c")
    assert paths(tmp_path) == ["B.md", "a.md", "a/b/c.md", "a/z.md", "b.md"]


def test_known_types_are_read_whatever_the_case_of_their_extension(tmp_path):
    write(tmp_path, README="r", Makefile="m", Dockerfile="d", LICENSE="l", a_PY="x = 1", b_R="y", c_Md="z", e_tsv="1\t2")
    assert paths(tmp_path) == ["Dockerfile", "LICENSE", "Makefile", "README", "a.PY", "b.R", "c.Md", "e.tsv"]


def test_hidden_and_generated_folders_are_passed_over_without_a_word(tmp_path):
    folders = [
        "node_modules",
        ".git",
        ".venv",
        "venv",
        "__pycache__",
        ".ipynb_checkpoints",
        "dist",
        "lib/site-packages",
        ".secret",
    ]
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "inside.md").write_text("inside")
    write(tmp_path, seen_md="seen", _env_txt="hidden")
    discovery = discover_text_documents(tmp_path)
    assert [document.relative_path for document in discovery.documents] == ["seen.md"]
    assert discovery.skipped == ()


def test_every_file_that_cannot_be_used_is_listed_with_its_reason(tmp_path):
    write(
        tmp_path,
        empty_md="",
        blank_md=" \n\t\n",
        big_txt=b"a" * int(2.4 * 2**20),
        over_txt=b"a" * (MAX_FILE_BYTES + 1),
        fits_txt=b"a" * MAX_FILE_BYTES,
        binary_txt=bytes(range(256)),
        bad_txt="Grüße aus Köln, schöne Grüße ".encode() + b"\xff",
        broken_ipynb="{",
        paper_pdf=b"%PDF-1.7",
        slides_pptx=b"PK",
        mystery="no extension",
        good_md="good",
    )
    (tmp_path / "~$lock.xlsx").write_bytes(b"\x05user")
    assert paths(tmp_path) == ["fits.txt", "good.md"]
    found = reasons(tmp_path)
    assert found.pop("broken.ipynb").startswith("not a notebook: its JSON is broken")
    assert found == {
        "bad.txt": "not valid UTF-8: there is a damaged character in line 1",
        "big.txt": "2.4 MiB is over the limit of 2 MiB",
        "binary.txt": "binary, not text",
        "blank.md": "empty: it holds no text",
        "empty.md": "empty",
        "mystery": "unsupported file type (no extension)",
        "over.txt": "2.1 MiB is over the limit of 2 MiB",
        "paper.pdf": "damaged, or not a PDF",
        "slides.pptx": "unsupported file type .pptx",
        "~$lock.xlsx": "unsupported file type .xlsx",
    }
    assert list(reasons(tmp_path)) == sorted(reasons(tmp_path))


def test_a_notebook_becomes_its_cells(tmp_path):
    cell = {"cell_type": "code", "source": "x = 1", "outputs": []}
    write(tmp_path, lab_IPYNB=json.dumps({"cells": [cell], "nbformat": 4}))
    (document,) = discover_text_documents(tmp_path).documents
    assert document.content == "# Cell 1 (code)\nx = 1"


def test_a_missing_folder_and_a_file_are_refused(tmp_path):
    write(tmp_path, a_md="a")
    with pytest.raises(FolderError, match=r"^Folder not found: .*nowhere"):
        discover_text_documents(tmp_path / "nowhere")
    with pytest.raises(FolderError, match=r"^Folder not found: .*~nobody-of-this-name"):
        discover_text_documents("~nobody-of-this-name/notes")
    with pytest.raises(FolderError, match=r"^Not a folder but a file: .*a\.md"):
        discover_text_documents(tmp_path / "a.md")


def test_ignore_files_count_at_every_level_and_can_be_switched_off(tmp_path):
    write(tmp_path, a_csv="1", keep_csv="2", sub__b_csv="3", sub__c_md="4", sub__deep__d_md="5", out__e_md="6", logs__f_md="7")
    (tmp_path / ".gitignore").write_text("*.csv\r\n!keep.csv\r\n/out/\r\n# comment\r\n!\r\n")
    (tmp_path / "sub" / ".gitignore").write_text("!b.csv\ndeep/\n")
    assert paths(tmp_path) == ["keep.csv", "logs/f.md", "sub/b.csv", "sub/c.md"]
    assert reasons(tmp_path) == {}
    assert paths(tmp_path, respect_gitignore=False) == [
        *("a.csv", "keep.csv", "logs/f.md", "out/e.md", "sub/b.csv", "sub/c.md", "sub/deep/d.md"),
    ]


def test_ignore_files_above_the_folder_count_inside_a_git_work_tree_only(tmp_path):
    write(
        tmp_path, repo__notes__in__a_csv="1", repo__notes__in__b_md="2", repo__notes__in__c_txt="3", repo__notes__in__d_py="4"
    )
    (tmp_path / ".gitignore").write_text("*.py\n")
    (tmp_path / "repo" / ".gitignore").write_text("*.csv\n/notes/in/c.txt\n")
    (tmp_path / "repo" / "notes" / ".gitignore").write_text("b.md\n")
    folder = tmp_path / "repo" / "notes" / "in"
    assert paths(folder) == ["a.csv", "b.md", "c.txt", "d.py"]
    (tmp_path / "repo" / ".git").mkdir()
    assert paths(folder) == ["d.py"]


def test_a_folder_that_is_ignored_itself_can_still_be_chosen(tmp_path):
    write(tmp_path, data__in__a_md="a", data__in__b_csv="b")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("data/\n")
    (tmp_path / "data" / "in" / ".gitignore").write_text("*.csv\n")
    assert paths(tmp_path / "data" / "in") == ["a.md"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_is_ignored_is_what_git_ignores(tmp_path):
    patterns = [
        "*.txt",
        "!/top.txt",
        "doc/*",
        "!doc/keep.md",
        "**/tmp",
        "a/**/z.md",
        "/only.md",
        "sp\\ ace.md",
        "[xy].md",
        "q?.md",
    ]
    (tmp_path / ".gitignore").write_text("\n".join(patterns))
    names = [
        *(
            "top.txt",
            "b.txt",
            "n/top.txt",
            "doc/keep.md",
            "doc/gone.md",
            "doc/sub/keep.md",
            "tmp/x.md",
            "n/tmp/x.md",
            "tmpx/x.md",
        ),
        *(
            "a/z.md",
            "a/b/z.md",
            "a/b/c/z.md",
            "b/z.md",
            "only.md",
            "n/only.md",
            "sp ace.md",
            "x.md",
            "xy.md",
            "q1.md",
            "q12.md",
        ),
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    listing = ["git", "-C", tmp_path, "ls-files", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split("\0")
    assert paths(tmp_path) == sorted(name for name in listed if name and not name.startswith("."))


@needs_posix
def test_links_bring_in_nothing_twice_and_nothing_from_outside(tmp_path):
    write(tmp_path, root__a_md="a", root__sub__b_md="b", other__target_md="not for you", root___hidden__c_md="c")
    root = tmp_path / "root"
    targets = {
        "alias.md": "a.md",
        "covert.md": ".hidden/c.md",
        "dead.md": "nowhere.md",
        "loop": ".",
        "secret": "../other",
        "secret.md": "../other/target.md",
        "self.md": "self.md",
        "sub/back": "..",
        "twin": "sub",
        "up": "..",
        ".hidden-link.md": "nowhere",
    }
    for name, target in targets.items():
        (root / name).symlink_to(target)
    assert paths(root) == ["a.md", "sub/b.md"]
    assert reasons(root) == {
        "covert.md": "a link to a file that is left out",
        "dead.md": "a link that leads nowhere",
        "secret": "a link that leads out of the folder",
        "secret.md": "a link that leads out of the folder",
        "self.md": "a link that leads nowhere",
        "up": "a link that leads out of the folder",
    }


@needs_posix
def test_a_folder_may_be_given_through_a_link(tmp_path):
    write(tmp_path, real__a_md="a")
    (tmp_path / "link").symlink_to("real")
    assert paths(tmp_path / "link") == ["a.md"]


@needs_posix
@pytest.mark.timeout(20)
def test_a_pipe_is_never_opened(tmp_path, monkeypatch):
    write(tmp_path, a_md="a")
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / ".gitignore")
    assert paths(tmp_path) == ["a.md"]
    assert reasons(tmp_path) == {"pipe.md": "not a regular file"}
    monkeypatch.setattr(files, "_kind", lambda entry: "file")
    assert reasons(tmp_path)["pipe.md"] == "not a regular file"


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="only Linux has file names that are not text")
def test_a_name_that_is_not_unicode_is_listed_in_a_form_that_can_be_stored(tmp_path):
    write(tmp_path, a_md="a")
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")
    (tmp_path / os.fsdecode(b"d\xff")).mkdir()
    assert paths(tmp_path) == ["a.md"]
    assert reasons(tmp_path) == {
        "caf\\udce9.md": "its name is not valid Unicode",
        "d\\udcff": "its name is not valid Unicode",
    }


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(13, "Permission denied"), "no permission to read it, or another program holds it"),
        (FileNotFoundError(2, "No such file"), "it was gone when it was to be read"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (ZeroDivisionError("a bug"), "it could not be read (ZeroDivisionError)"),
    ],
)
def test_one_bad_file_never_stops_the_rest(tmp_path, monkeypatch, error, reason):
    write(tmp_path, a_md="a", bad_md="bad", c_md="c")
    real_open = os.open

    def open_or_fail(path, *arguments, **options):
        if str(path).endswith("bad.md"):
            raise error
        return real_open(path, *arguments, **options)

    monkeypatch.setattr(os, "open", open_or_fail)
    assert paths(tmp_path) == ["a.md", "c.md"]
    assert reasons(tmp_path) == {"bad.md": reason}


def test_a_folder_that_cannot_be_listed_is_named_and_the_rest_is_read(tmp_path, monkeypatch):
    write(tmp_path, a_md="a", locked__b_md="b", open__c_md="c")
    real_scandir = os.scandir

    def scan_or_fail(path):
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return real_scandir(path)

    monkeypatch.setattr(os, "scandir", scan_or_fail)
    assert paths(tmp_path) == ["a.md", "open/c.md"]
    assert reasons(tmp_path) == {"locked": "the folder cannot be read: no permission to read it, or another program holds it"}
    with pytest.raises(FolderError, match="cannot be read"):
        discover_text_documents(tmp_path / "locked")


def test_a_deep_tree_is_walked_without_recursion(tmp_path):
    folder = tmp_path
    for _ in range(300):
        folder /= "d"
    folder.mkdir(parents=True)
    (folder / "end.md").write_text("end")
    assert paths(tmp_path) == ["d/" * 300 + "end.md"]


def test_a_notebook_with_a_large_image_is_read_without_it(tmp_path: Path) -> None:
    image = {"output_type": "display_data", "data": {"image/png": "iVBORw0K" * 700_000}, "metadata": {}}
    cell = {"cell_type": "code", "source": "plot(tides)", "outputs": [image], "metadata": {}, "execution_count": 1}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "plot.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (document,) = discover_text_documents(tmp_path).documents
    assert document.size_bytes > 5_000_000
    assert document.content == "# Cell 1 (code)\nplot(tides)"


def test_a_web_page_becomes_the_text_that_a_person_sees(tmp_path: Path) -> None:
    image = f'<img src="data:image/png;base64,{"iVBORw0K" * 700_000}">'
    (tmp_path / "saved.HTM").write_text(f"<h1>Tides</h1><p>High at 7 &amp; 19.</p>{image}", encoding="utf-8")
    (document,) = discover_text_documents(tmp_path).documents
    assert document.size_bytes > 5_000_000
    assert document.content == "# Tides\n\nHigh at 7 & 19."


def test_letters_and_their_accents_are_one_character(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Ju\u0308rgen a oublie\u0301 le cafe\u0301.", encoding="utf-8")
    (document,) = discover_text_documents(tmp_path).documents
    assert document.content == "J\u00fcrgen a oubli\u00e9 le caf\u00e9."


def test_what_programs_write_is_left_out_and_named(tmp_path: Path) -> None:
    for name in ("package-lock.json", "app.min.js", "README.md"):
        (tmp_path / name).write_text('{"a": 1}', encoding="utf-8")
    found = discover_text_documents(tmp_path)
    assert [document.relative_path for document in found.documents] == ["README.md"]
    assert [(file.relative_path, file.reason) for file in found.skipped] == [
        ("app.min.js", "generated by a program"),
        ("package-lock.json", "generated by a program"),
    ]
