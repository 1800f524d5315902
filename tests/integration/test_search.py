"""Searching as a person does it: filters, quoted words, names to the letter, copies and neighbours, through the workflow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from locallens_nb import LocalLensApp, Settings
from locallens_nb.doctor import diagnose
from locallens_nb.errors import InvalidQuestionError
from tests.fakes import FakeEmbeddingModel, FakeModels, Script, ScriptedChatModel

FILES = {
    "README.md": "This folder is about goats and pumps.",
    "docs/goats.md": "The goat sleeps in the stable. Goats eat hay in the morning.",
    "docs/api/pumps.md": "The pump fails with error E1042 when the filter is dirty.",
    "docs/api/other.md": "The pump fails with error E1043 when the pump runs dry, and the pump error stays.",
    "src/loader.py": "def load_config(path):\n    return read(path)\n",
    "src/setup.cfg": "[options]\nverbose = no\ncolour = green\n",
    "src/configuration.py": "configure configured configuration configuring the options of the loader\n",
}


def make_app(tmp_path: Path, files: Mapping[str, str], **settings: int) -> tuple[LocalLensApp, FakeModels]:
    """Index some files as the brain ``notes``."""
    for name, text in files.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    models = FakeModels(embedding=[FakeEmbeddingModel("all-MiniLM-L6-v2")])
    app = LocalLensApp(Settings(home=tmp_path / "home", **settings), models=models)
    app.create_brain_from_folder(name="notes", folder_path=tmp_path / "folder")
    return app, models


@pytest.fixture
def app(tmp_path: Path) -> LocalLensApp:
    return make_app(tmp_path, FILES)[0]


def search(app: LocalLensApp, question: str, *, top_k: int | None = None) -> list[str]:
    return [hit.relative_path for hit in app.search_brain("notes", question, top_k=top_k)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("goat file:pumps.md", {"docs/api/pumps.md"}),
        ("in:docs goat", {"docs/goats.md", "docs/api/pumps.md", "docs/api/other.md"}),
        ("goat in:docs/api", {"docs/api/pumps.md", "docs/api/other.md"}),
        ("goat in:API file:other.*", {"docs/api/other.md"}),
        ("goat file:*.py file:*.cfg", {"src/loader.py", "src/setup.cfg", "src/configuration.py"}),
        ("zebra file:readme", {"README.md"}),
    ],
)
def test_a_filtered_search_finds_in_the_allowed_files_only(app: LocalLensApp, question: str, found: set[str]):
    assert set(search(app, question)) == found


def test_a_filter_fills_all_places_from_far_behind_in_the_ranking(tmp_path: Path):
    numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    goats = {f"goats/{place}.md": f"The goat {numbers[place % 10]} {numbers[place // 10]} sleeps." for place in range(100)}
    others = {f"other/{name}.md": f"A {name} gauge was bought." for name in numbers}
    app, _ = make_app(tmp_path, goats | others)
    assert all(path.startswith("goats/") for path in search(app, "the goat sleeps"))
    assert [path.split("/")[0] for path in search(app, "the goat sleeps in:other")] == ["other"] * 5


def test_a_filter_that_matches_nothing_names_what_is_near(app: LocalLensApp):
    with pytest.raises(InvalidQuestionError, match=r"No file of this brain matches file:pump\.md") as caught:
        search(app, "goat file:pump.md")
    assert caught.value.hint.startswith("Near names: docs/api/pumps.md.")
    with pytest.raises(InvalidQuestionError, match="There is no question beside in:docs"):
        search(app, "in:docs")


def test_filters_are_neither_embedded_nor_read_by_the_model_and_the_answer_keeps_the_question(tmp_path: Path):
    app, models = make_app(tmp_path, FILES)
    models.chat = ScriptedChatModel(Script(("Hay [1].",)))
    question = "What do goats eat in:docs file:goats.md?"
    answer = app.ask_brain("notes", question)
    assert answer.question == question
    (embedding,) = models.embedding
    assert embedding.questions == ["What do goats eat?"]
    prompt = models.chat.requests[0].messages[1].content
    assert prompt.endswith("Question:\nWhat do goats eat?")
    assert "[1] docs/goats.md#chunk-0" in prompt
    assert "[2]" not in prompt


def test_a_colon_in_an_ordinary_question_filters_nothing(app: LocalLensApp):
    assert len(search(app, "what is in: the stable, see http://host/file:a.md", top_k=7)) == 7


def test_a_quoted_phrase_goes_first_and_one_that_nothing_holds_changes_nothing(tmp_path: Path):
    files = {
        "a.md": "Stable goats, the sleeping goat, and the goat of the stable: goat, goat in goat sleeps.",
        "b.md": "It is said of every animal that\nTHE  goat sleeps; so do pumps, gauges and boats in the far north.",
        "c.md": "A pump failed.",
    }
    app, _ = make_app(tmp_path, files)
    assert search(app, "goat in the stable sleeps")[0] == "a.md"
    for quoted in ('"the goat sleeps"', "“The goat sleeps”", "«the goat sleeps»"):
        assert search(app, f"goat in the stable {quoted}")[0] == "b.md"
    assert search(app, 'goat in the stable "sleeps here"') == search(app, "goat in the stable sleeps here")


def test_an_exact_token_beats_a_part_of_it(app: LocalLensApp):
    assert search(app, "What does pump error E1042 mean?")[0] == "docs/api/pumps.md"
    assert search(app, "What does pump error E1043 mean?")[0] == "docs/api/other.md"
    assert search(app, "what is load_config() in the configuration?")[0] == "src/loader.py"


def test_a_file_that_the_question_names_goes_first(app: LocalLensApp):
    assert search(app, "what does setup.cfg say about the options of the configuration loader?")[0] == "src/setup.cfg"
    assert search(app, "the goat sleeps, says pumps.md")[0] == "docs/api/pumps.md"


def test_an_exact_token_is_found_among_hundreds_that_mean_more(tmp_path: Path):
    files = {f"{place:03}.md": f"The pump {place} reports an error of the filter." for place in range(120)}
    app, _ = make_app(tmp_path, files | {"zz.md": "Goats, hay and stables; see CVE-2024-1234 about them."})
    assert search(app, "which pump filter error is CVE-2024-1234?")[0] == "zz.md"


def test_copies_take_one_place_and_a_filter_still_finds_them(tmp_path: Path):
    text = "The goat sleeps in the stable behind the house, and eats hay in the morning."
    copies = dict.fromkeys(("a.md", "backup/a.md", "old/a (copy).md"), text)
    app, _ = make_app(tmp_path, copies | {"b.md": "The goat was sold.", "c.md": "A pump failed."})
    found = search(app, "where does the goat sleep", top_k=3)
    assert sorted(found) == ["a.md", "b.md", "c.md"]
    assert search(app, "where does the goat sleep in:backup") == ["backup/a.md"]


def test_neighbours_come_as_one_excerpt_within_the_budget_and_their_id_is_that_of_a_chunk(tmp_path: Path):
    passage = " ".join(f"The goat number {place} sleeps in stable {place} of farm {place}." for place in range(12))
    others = {f"{name}.md": f"The {name} was sold to a farm." for name in ("boat", "pump", "gauge", "door", "roof", "mat")}
    app, models = make_app(tmp_path, {"goats.md": passage, **others}, chunk_tokens=60, overlap_tokens=20)
    hits = app.search_brain("notes", "goat stable farm", top_k=4)
    goats = [hit for hit in hits if hit.relative_path == "goats.md"]
    assert len(hits) == 4
    assert len({hit.id for hit in hits}) == 4
    assert max(len(hit.content) for hit in goats) > 60 * len("stable")
    assert all(hit.content in passage for hit in goats)
    (embedding,) = models.embedding
    assert sum(len(starts) for starts in embedding.token_starts([hit.content for hit in hits])) <= 4 * 60
    ids = {chunk.id for chunk in app._store.read_chunks(app.get_brain("notes").id)}
    assert {hit.id for hit in hits} <= ids


def test_the_same_question_gives_the_same_excerpts(app: LocalLensApp):
    question = 'what does "the pump" do with E1042 in setup.cfg?'
    assert app.search_brain("notes", question) == app.search_brain("notes", question)


PORTUGUESE = "O conselho aprovou o orçamento para o novo telhado depois de um longo debate sobre a bomba na cave."
UNKNOWN = (
    "Much of the text is Portuguese (100%), which all-MiniLM-L6-v2 does not know: it is found by its words, not by its meaning."
)


def test_documents_in_a_language_that_the_model_does_not_know_are_noted(tmp_path: Path):
    app, _ = make_app(tmp_path, {"ata.md": PORTUGUESE})
    assert app.describe_languages("notes").startswith(UNKNOWN)
    assert app.describe_languages("notes").endswith("(or Qwen/Qwen3-Embedding-0.6B) and refresh the brain.")
    (finding,) = [one for one in diagnose(Settings(home=tmp_path / "home", offline=True)) if one.name.startswith("languages")]
    assert (finding.name, finding.ok, finding.needed) == ("languages of brain notes", False, False)
    assert finding.detail == UNKNOWN
    assert finding.next_step.startswith("Set LOCALLENS_EMBEDDING_MODEL to multilingual-e5-small")


def test_nothing_is_noted_of_documents_that_the_model_knows(tmp_path: Path):
    app, models = make_app(tmp_path, FILES)
    assert app.describe_languages("notes") == ""
    findings = diagnose(Settings(home=tmp_path / "home", offline=True))
    assert not [one for one in findings if one.name.startswith("languages")]
    models.embedding = [FakeEmbeddingModel("intfloat/multilingual-e5-small")]
    (tmp_path / "folder" / "ata.md").write_text(PORTUGUESE, encoding="utf-8")
    app.create_brain_from_folder(name="multilingual", folder_path=tmp_path / "folder")
    assert app.describe_languages("multilingual") == ""


ENGLISH = "The council approved the budget for the new roof after a long debate about the pump in the cellar."


@pytest.mark.parametrize(
    ("texts", "setting", "reachable", "chosen"),
    [
        ([PORTUGUESE, PORTUGUESE, ENGLISH], "auto", True, "multilingual-e5-small"),
        ([PORTUGUESE, ENGLISH, ENGLISH], "auto", True, "all-MiniLM-L6-v2"),
        ([PORTUGUESE], "auto", False, "all-MiniLM-L6-v2"),
        ([PORTUGUESE], "all-MiniLM-L6-v2", True, "all-MiniLM-L6-v2"),
    ],
    ids=["mostly unknown", "mostly known", "out of reach", "named"],
)
def test_a_folder_gets_a_model_that_knows_most_of_it(
    tmp_path: Path, texts: list[str], setting: str, reachable: bool, chosen: str
):
    folder = tmp_path / "folder"
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.md").write_text(f"{text} {number}", encoding="utf-8")
    names = ["all-MiniLM-L6-v2", *(["multilingual-e5-small"] if reachable else [])]
    models = FakeModels(embedding=[FakeEmbeddingModel(name) for name in names])
    app = LocalLensApp(Settings(home=tmp_path / "home", embedding_model=setting), models=models)
    assert app.create_brain_from_folder(name="minutes", folder_path=folder).embedding_model == chosen
    app.refresh_brain("minutes")
    assert app.search_brain("minutes", "orçamento")[0].content.startswith(texts[0])
    assert app.get_brain("minutes").embedding_model == chosen
    file = app.export_brain("minutes", tmp_path / "minutes.json")
    app.delete_brain("minutes")
    assert [brain.embedding_model for brain in app.import_brains(file)] == [chosen]
