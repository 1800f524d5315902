"""What is read out of a question: filters, phrases, exact tokens and file names, and what is none of them."""

from __future__ import annotations

import pytest

from locallens_nb.errors import InvalidQuestionError
from locallens_nb.questions.query import (
    Filters,
    Query,
    find_exact_tokens,
    find_named_files,
    find_phrases,
    fold_text,
    literal_pattern,
    parse_query,
    require_allowed,
)

PATHS = ["README.md", "docs/api/index.md", "docs/My Notes.md", "src/Öffnung.py", "src/load_config.py"]


@pytest.mark.parametrize(
    ("question", "text", "filters"),
    [
        ("who decided it file:notes.md", "who decided it", Filters(files=("notes.md",))),
        ("file:notes.md who decided it?", "who decided it?", Filters(files=("notes.md",))),
        ("what is in file:notes.md?", "what is in?", Filters(files=("notes.md",))),
        ('file:"my notes.md" who', "who", Filters(files=("my notes.md",))),
        ("who wrote file:“my notes.md”?", "who wrote?", Filters(files=("my notes.md",))),
        ("who in:docs/api decided it, and when?", "who decided it, and when?", Filters(folders=("docs/api",))),
        ("who in:docs\\api\\ decided", "who decided", Filters(folders=("docs/api",))),
        ("in:./docs/ who", "who", Filters(folders=("docs",))),
        ("who file:*.md file:*.py in:docs", "who", Filters(("*.md", "*.py"), ("docs",))),
        ("in:docs\nfirst line\nsecond", "first line\nsecond", Filters(folders=("docs",))),
        ("first line in:docs\nsecond", "first line\nsecond", Filters(folders=("docs",))),
    ],
)
def test_filters_are_taken_out_of_a_question_wherever_they_stand(question: str, text: str, filters: Filters):
    assert parse_query(question) == Query(text, filters)


@pytest.mark.parametrize(
    "question",
    [
        "what is in: the box",
        "profile: x",
        "profile:x and begin:end",
        "File: what is it",
        "see file:///etc/hosts and file://server/share",
        "what is file:C:\\notes\\a.md",
        "open C:\\file:x and http://host/file:a.md",
        "where does file:line:12 point",
        'what does "file:notes.md" mean',
        "what does `in:sent` mean",
        "what does 'in:sent' mean",
        "(file:a.md)",
        "in:. and file:?",
        "the ratio 5:3, at 10:30",
        "isn't it  strange ",
        "",
    ],
)
def test_an_ordinary_question_is_left_as_it_is(question: str):
    assert parse_query(question) == Query(question, Filters())


@pytest.mark.parametrize("question", ["file:notes.md", "in:docs ?", "file:a.md in:docs"])
def test_a_question_of_nothing_but_filters_is_refused(question: str):
    with pytest.raises(InvalidQuestionError, match="There is no question beside"):
        parse_query(question)


@pytest.mark.parametrize(
    ("filters", "allowed"),
    [
        (Filters(files=("readme.md",)), ["README.md"]),
        (Filters(files=("readme",)), ["README.md"]),
        (Filters(files=("index.md",)), ["docs/api/index.md"]),
        (Filters(files=("api/index.md",)), ["docs/api/index.md"]),
        (Filters(files=("my notes.md",)), ["docs/My Notes.md"]),
        (Filters(files=("o\u0308ffnung.py",)), ["src/Öffnung.py"]),
        (Filters(files=("*.md",)), ["README.md", "docs/api/index.md", "docs/My Notes.md"]),
        (Filters(files=("docs/*.md",)), ["docs/api/index.md", "docs/My Notes.md"]),
        (Filters(files=("load_?onfig.*",)), ["src/load_config.py"]),
        (Filters(folders=("docs",)), ["docs/api/index.md", "docs/My Notes.md"]),
        (Filters(folders=("API",)), ["docs/api/index.md"]),
        (Filters(folders=("d*s",)), ["docs/api/index.md", "docs/My Notes.md"]),
        (Filters(("*.md",), ("src", "docs/api")), ["docs/api/index.md"]),
        (Filters(files=("index",), folders=("src",)), []),
        (Filters(files=("ndex.md",)), []),
        (Filters(folders=("doc",)), []),
        (Filters(), PATHS),
    ],
)
def test_a_filter_is_a_name_a_path_or_its_end_or_a_glob(filters: Filters, allowed: list[str]):
    assert [path for path in PATHS if filters.allows(path)] == allowed


def test_a_file_name_with_brackets_is_found_as_it_is_written():
    assert Filters(files=("a[1].txt",)).allows("x/a[1].txt")


@pytest.mark.parametrize(
    ("filters", "near"),
    [
        (Filters(files=("notes.md",)), "Near names: docs/My Notes.md."),
        (Filters(files=("indx.md",)), "Near names: docs/api/index.md"),
        (Filters(files=("loadconfig",)), "Near names: src/load_config.py."),
        (Filters(folders=("doc",)), "Near names: docs, docs/api."),
        (Filters(files=("zzzz",)), "Files here: README.md, docs/My Notes.md, docs/api/index.md …"),
    ],
)
def test_a_filter_that_allows_nothing_is_refused_with_the_names_that_are_near(filters: Filters, near: str):
    with pytest.raises(InvalidQuestionError, match="No file of this brain matches") as caught:
        require_allowed(filters, PATHS)
    assert caught.value.hint.startswith(near)
    assert str(filters) in caught.value.message


def test_filters_that_allow_something_are_not_refused():
    require_allowed(Filters(files=("readme",)), PATHS)
    require_allowed(Filters(), [])


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('what does "exact words" mean', ("exact words",)),
        ('“Exact Words” and "other"', ("Exact Words", "other")),
        ("„genau so“ «mots» « mots doux » »so« 「引用」 『本』", ("genau so", "mots", "mots doux", "so", "引用", "本")),
        ("‘single ones’ here", ("single ones",)),
        ('"with  an end,\nand more." then', ("with an end, and more",)),
        ("it isn't and it's the students' and the '90s", ()),
        ("it isn’t and it’s the students’ and ‘90s", ()),
        ("‘it isn’t so’", ("it isn’t so",)),
        ('a 5" by 7" print', ()),
        ('"unfinished', ()),
        ('"" "?!"', ()),
        ('`print("code")`', ()),
    ],
)
def test_phrases_are_what_stands_in_quotes(text: str, phrases: tuple[str, ...]):
    assert find_phrases(text) == phrases


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("What does E1042 mean?", ("E1042",)),
        ("0x80070005, CVE-2024-1234.", ("0x80070005", "CVE-2024-1234")),
        ("load_config() and loadConfig in os.path.join", ("load_config", "loadConfig", "os.path.join")),
        ("__init__ or print() or std::vector", ("__init__", "print(", "std::vector")),
        ("--max-size and -v", ("--max-size",)),
        ("what does src/main.py do", ("src/main.py",)),
        ("UTF-8, v2.3.1", ("UTF-8", "v2.3.1")),
        ("4 GB, 10kHz, 1,500 and 3.14", ("4 GB", "10kHz", "1,500", "3.14")),
        ("on 2024-03-15 and 15/03/2024", ("2024-03-15", "15/03/2024")),
        ("mail anna@example.org about #12345", ("anna@example.org", "#12345")),
        ("错误E1042是什么", ("E1042",)),
        ("E1042 and E1042", ("E1042",)),
    ],
)
def test_exact_tokens_are_what_is_named_to_the_letter(text: str, tokens: tuple[str, ...]):
    assert find_exact_tokens(text) == tokens


@pytest.mark.parametrize(
    "text",
    [
        "Who won the election in 2007, and in the 1970s?",
        "the 20th, the 1st, 100 years, 1990-1995",
        "well-known and/or e.g. U.S. Dr. Who's",
        "WHAT IS THIS THING, or NASA",
        "McDonald ate (twice)",
        "",
    ],
)
def test_ordinary_words_years_and_counts_are_no_exact_tokens(text: str):
    assert find_exact_tokens(text) == ()


@pytest.mark.parametrize(
    ("literal", "found", "not_found"),
    [
        ("E1042", ["error e1042.", "(E1042)", "E1042-B", "错误E1042是"], ["E10420", "XE1042", "E1043"]),
        ("load_config", ["load_config(path)", "a.load_config"], ["load_configuration", "reload_config"]),
        ("3.14", ["about 3.14."], ["3.141", "3.14.1", "13.14"]),
        ("4 GB", ["4GB", "4 gb"], ["14 GB", "4 GBs", "2.4 GB"]),
        ("print(", ["x = print('a')"], ["print it", "sprint("]),
        ("isn't it", ["Isn’t\n  it?"], ["isn't its"]),
        ("go-to", ["the go–to place"], ["go to"]),
    ],
)
def test_a_literal_is_found_whole_whatever_its_case_and_white_space(literal: str, found: list[str], not_found: list[str]):
    pattern = literal_pattern(literal)
    assert [text for text in found if not pattern.search(fold_text(text))] == []
    assert [text for text in not_found if pattern.search(fold_text(text))] == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what does load_config.py say", {"src/load_config.py"}),
        ("what do my notes.md say", {"docs/My Notes.md"}),
        ("INDEX.MD?", {"docs/api/index.md", "index.md"}),
        ("docs/api/index.md?", {"docs/api/index.md"}),
        ("docs\\api\\index.md?", {"docs/api/index.md"}),
        ("myindex.md or index.mdx or .index.md", set()),
        ("what does the readme say", set()),
    ],
)
def test_a_file_is_named_by_its_name_and_by_as_much_of_its_path_as_is_there(text: str, named: set[str]):
    assert find_named_files(text, [*PATHS, "index.md"]) == named
