"""Whether an embedding model knows the languages of documents, before they are indexed and after."""

from __future__ import annotations

from collections.abc import Sequence

from locallens_nb.domain import Brain
from locallens_nb.language.languages import explain_unknown_languages, share_languages
from locallens_nb.models.embedding import BUNDLED_MODEL
from locallens_nb.models.families import find_family
from locallens_nb.store import LocalLensStore

_SAMPLED_TEXTS = 150
_SAMPLED_CHARACTERS = 1_000
_MULTILINGUAL_SHARE = 0.5
"""From this part of the text on, a model that knows its languages is worth its slower indexing.

On two cores all-MiniLM-L6-v2 embeds 33 chunks a second, multilingual-e5-small 14. With it the right paragraph comes first in
XQuAD Spanish, German and Chinese for 96, 94 and 94 % of 250 questions (with the other, of all 1,190, for 92, 92 and 94), and of
200 unanswerable ones 80, 86 and 79 % are refused with strictness ``balanced`` instead of 75, 72 and 63. In English
documentation it was no better.
"""


def needs_multilingual_model(texts: Sequence[str]) -> bool:
    """Return whether most of some texts is in languages that the bundled model does not know."""
    sample = texts[:: max(1, -(-len(texts) // _SAMPLED_TEXTS))]
    known = find_family([BUNDLED_MODEL]).languages
    shares = share_languages([text[:_SAMPLED_CHARACTERS] for text in sample])
    return sum(part for language, part in shares.items() if language not in known) > _MULTILINGUAL_SHARE


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
    texts = store.sample_texts(brain.id, count=_SAMPLED_TEXTS)
    return explain_unknown_languages(texts, model=brain.embedding_model, knows=lambda language: language in languages)
