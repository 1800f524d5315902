"""Which embedding models want something before their texts, and which know English only."""

from __future__ import annotations

import pytest

from locallens_nb.models.families import UNKNOWN_FAMILY, find_family

SEARCH = "Represent this sentence for searching relevant passages: "
TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("name", "query_prompt", "document_prompt", "languages"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: ", set()),
        ("intfloat/multilingual-e5-large", "query: ", "passage: ", set()),
        ("intfloat/e5-small-v2", "query: ", "passage: ", {"en"}),
        ("/home/anna/models/multilingual-e5-base", "query: ", "passage: ", set()),
        ("C:\\models\\E5-Large", "query: ", "passage: ", {"en"}),
        ("BAAI/bge-small-en-v1.5", SEARCH, "", {"en"}),
        ("BAAI/bge-base-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", "", {"zh"}),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: ", {"en"}),
        ("nomic-ai/nomic-embed-text-v2-moe", "search_query: ", "search_document: ", set()),
        ("mixedbread-ai/mxbai-embed-large-v1", SEARCH, "", {"en"}),
        ("Snowflake/snowflake-arctic-embed-m", SEARCH, "", {"en"}),
        ("thenlper/gte-large", "", "", {"en"}),
        ("thenlper/gte-large-zh", "", "", {"zh"}),
        ("Qwen3-Embedding-0.6B-Q8_0.gguf", TASK, "", set()),
        ("all-MiniLM-L6-v2", "", "", {"en"}),
        ("sentence-transformers/all-mpnet-base-v2", "", "", {"en"}),
        ("sentence-transformers/multi-qa-MiniLM-L6-cos-v1", "", "", {"en"}),
    ],
)
def test_a_known_family(name: str, query_prompt: str, document_prompt: str, languages: set[str]):
    family = find_family([name])
    assert (family.query_prompt, family.document_prompt) == (query_prompt, document_prompt)
    assert family.languages == languages


@pytest.mark.parametrize(
    "name",
    [
        "google/embeddinggemma-300m",
        "BAAI/bge-m3",
        "Alibaba-NLP/gte-multilingual-base",
        "Snowflake/snowflake-arctic-embed-l-v2.0",
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        "sentence-transformers/distiluse-base-multilingual-cased-v2",
        "sentence-transformers/LaBSE",
        "fake-words",
        "",
    ],
)
def test_a_model_of_no_family_gets_nothing_and_is_trusted_with_any_language(name: str):
    assert find_family([name]) is UNKNOWN_FAMILY


def test_instructions_for_questions_come_with_models_that_were_trained_on_them():
    family = find_family(["intfloat/multilingual-e5-large-instruct"])
    assert family.query_prompt.startswith("Instruct: ")
    assert family.query_prompt.endswith("\nQuery: ")
    assert family.document_prompt == ""


def test_the_first_name_that_fits_decides():
    assert find_family(["my-notes-model", "intfloat/multilingual-e5-small"]).query_prompt == "query: "
    assert find_family(["bge-small-en", "intfloat/multilingual-e5-small"]).query_prompt == SEARCH
