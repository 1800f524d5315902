"""Whether a brain's embedding model knows the languages of its documents."""

from __future__ import annotations

from locallens_nb.domain import Brain
from locallens_nb.languages import explain_unknown_languages
from locallens_nb.models.families import find_family
from locallens_nb.store import LocalLensStore

_SAMPLED_CHUNKS = 150


def check_languages(store: LocalLensStore, brain: Brain) -> str:
    """Return a sentence on the languages of a brain that its embedding model does not know; "" when it knows them.

    A sample of the chunks is looked at, whatever the size of the brain. Models that are not known to be limited to some
    languages are trusted with all.

    Raises
    ------
    StoreError
        When the store cannot be read.
    """
    languages = find_family([brain.embedding_model]).languages
    if not languages:
        return ""
    texts = store.sample_texts(brain.id, count=_SAMPLED_CHUNKS)
    return explain_unknown_languages(texts, model=brain.embedding_model, knows=lambda language: language in languages)
