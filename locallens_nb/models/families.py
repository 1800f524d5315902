"""What is to be known about an embedding model and is not in its files: what it wants before a text, and its languages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@dataclass(frozen=True, slots=True)
class EmbeddingFamily:
    """Embedding models that were trained alike.

    Attributes
    ----------
    names
        What is found in the names of all of them, and of no others that come after it in :data:`FAMILIES`.
    query_prompt, document_prompt
        What goes before a question and before a document, as the authors say; for models whose own files do not say it.
    languages
        ISO 639-1 codes of the languages that they were trained for; empty for many languages.
    """

    names: re.Pattern[str]
    query_prompt: str = ""
    document_prompt: str = ""
    languages: frozenset[str] = frozenset()


def _family(names: str, query_prompt: str = "", document_prompt: str = "", languages: str = "") -> EmbeddingFamily:
    start, end = r"(?<![a-z0-9])(?:", r")(?![a-z0-9])"
    return EmbeddingFamily(re.compile(f"{start}{names}{end}"), query_prompt, document_prompt, frozenset(languages.split()))


FAMILIES = (
    # multilingual-e5-*: https://huggingface.co/intfloat/multilingual-e5-small
    _family(r"multilingual-e5-large-instruct", f"{_INSTRUCTION} "),
    _family(r"multilingual-e5-(?:small|base|large)", "query: ", "passage: "),
    # e5-*: https://huggingface.co/intfloat/e5-small-v2
    _family(r"e5-(?:small|base|large)(?:-v2|-unsupervised)?", "query: ", "passage: ", "en"),
    # bge-*: https://huggingface.co/BAAI/bge-small-en-v1.5; bge-m3 has none
    _family(r"bge-(?:small|base|large)-en(?:-v1\.5)?", _SEARCH, "", "en"),
    _family(r"bge-(?:small|base|large)-zh(?:-v1\.5)?", "为这个句子生成表示以用于检索相关文章：", "", "zh"),
    # gte-*: https://huggingface.co/thenlper/gte-large, without prompts
    _family(r"gte-(?:small|base|large)-zh", languages="zh"),
    _family(r"gte-(?:small|base|large)(?:-en-v1\.5)?|gte-modernbert-base", languages="en"),
    # nomic-embed-text-*: https://huggingface.co/nomic-ai/nomic-embed-text-v1.5; v2-moe reads about a hundred languages
    _family(r"nomic-embed-text-v1(?:\.5)?(?:-unsupervised)?", "search_query: ", "search_document: ", "en"),
    _family(r"nomic-embed-text-v2-moe", "search_query: ", "search_document: "),
    # https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1, https://huggingface.co/Snowflake/snowflake-arctic-embed-s
    _family(r"mxbai-embed-(?:large|xsmall)-v1|snowflake-arctic-embed-(?:xs|s|m|l)(?!-v2)", _SEARCH, "", "en"),
    # https://huggingface.co/Qwen/Qwen3-Embedding-0.6B, for its GGUF files, which do not say it
    _family(r"qwen3-embedding-[0-9.]+b", _INSTRUCTION),
    # The models of sentence-transformers, without prompts; those named multilingual are not among them.
    _family(r"all-minilm-l(?:6|12)-v[12]|all-mpnet-base-v[12]|all-(?:distil)?roberta(?:-large)?-v1", languages="en"),
    _family(r"(?:multi-qa|paraphrase)-(?:minilm|mpnet|albert|distilroberta|distilbert|tinybert)[a-z0-9-]*", languages="en"),
    _family(
        r"msmarco-(?!.*multilingual)[a-z0-9-]+|(?:gtr|sentence)-t5-[a-z]+|jina-embeddings-v2-(?:small|base)-en", languages="en"
    ),
)
"""The first family whose names fit is a model's own. A model of none of them gets no prompts and is trusted with any language:
embeddinggemma and others bring their prompts in their own files."""

UNKNOWN_FAMILY = EmbeddingFamily(re.compile(r"(?!)"))


def find_family(names: Iterable[str]) -> EmbeddingFamily:
    """Return the family of a model by any of its names: a hub id, a folder, what its configuration says it is."""
    for name in names:
        folded = name.lower().replace("\\", "/")
        for family in FAMILIES:
            if family.names.search(folded):
                return family
    return UNKNOWN_FAMILY
