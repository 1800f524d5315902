"""The grounded prompt: the anti-hallucination contract, and how many excerpts of it fit into a model's window.

The texts are those of the original LocalLens, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from locallens_nb.domain import ChatMessage, SearchHit
from locallens_nb.errors import InvalidQuestionError

SYSTEM_PROMPT = " ".join(
    (
        "You are LocalLens, a local-first file chat assistant that answers questions"
        " strictly from the provided source excerpts.",
        "Rules:",
        "1. Only use facts that appear in the excerpts. If the answer is not in them, say so plainly.",
        "2. Refer to source excerpts inline using bracketed numbers, for example [1] or [2], when you use them.",
        "3. Answer in the same language as the user's question.",
        "4. Keep answers focused and concrete. No filler.",
        "5. Do not include hidden reasoning, chain-of-thought, or thinking tags.",
    )
)
NO_HITS = "No matching chunks were found."


def format_excerpt(number: int, hit: SearchHit) -> str:
    """Return one numbered excerpt as the model reads it."""
    return f"[{number}] {hit.relative_path}#chunk-{hit.chunk_index}\n{hit.content}"


def build_grounded_history(question: str, hits: Sequence[SearchHit]) -> list[ChatMessage]:
    """Return the two messages of a grounded question. Braces, quotes and tags in the texts pass through untouched."""
    excerpts = "\n\n---\n\n".join(format_excerpt(number, hit) for number, hit in enumerate(hits, start=1))
    user = "Source excerpts:\n\n" + (excerpts or NO_HITS) + "\n\nQuestion:\n" + question
    return [ChatMessage("system", SYSTEM_PROMPT), ChatMessage("user", user)]


def keep_hits_that_fit(
    question: str,
    hits: Sequence[SearchHit],
    *,
    count_tokens: Callable[[Sequence[ChatMessage]], int],
    budget_tokens: int,
) -> list[SearchHit]:
    """Return the first hits whose grounded prompt is no larger than a budget; the last ones are left out.

    Parameters
    ----------
    count_tokens
        Size of a prompt in tokens of the chat model.
    budget_tokens
        The model's window less what is kept for the answer.

    Raises
    ------
    InvalidQuestionError
        When the question is too long, alone or with the first hit: a model that is shown none of what was found would say that
        there is nothing.
    """
    kept = list(hits)
    while (size := count_tokens(build_grounded_history(question, kept))) > budget_tokens:
        if len(kept) <= 1:
            prompt = "The question with the first excerpt" if kept else "The question"
            raise InvalidQuestionError(
                f"{prompt} takes the prompt to {size} tokens; {budget_tokens} fit into the model's window.",
                hint="Shorten the question, or set more context_tokens or a lower top_k.",
            )
        kept.pop()
    return kept
