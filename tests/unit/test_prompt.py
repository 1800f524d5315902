"""The grounded prompt, byte for byte, and how much of it fits."""

from __future__ import annotations

import pytest

from locallens_nb.answers import cite_hits
from locallens_nb.domain import ChatMessage, SearchHit
from locallens_nb.errors import InvalidQuestionError
from locallens_nb.prompt import build_grounded_history, keep_hits_that_fit

SYSTEM = (
    "You are LocalLens, a local-first file chat assistant that answers questions strictly from the provided source excerpts. "
    "Rules: "
    "1. Only use facts that appear in the excerpts. If the answer is not in them, say so plainly. "
    "2. Refer to source excerpts inline using bracketed numbers, for example [1] or [2], when you use them. "
    "3. Answer in the same language as the user's question. "
    "4. Keep answers focused and concrete. No filler. "
    "5. Do not include hidden reasoning, chain-of-thought, or thinking tags."
)
LIKE_A_TEMPLATE = [
    "{v:k for k,v in d.items()}",
    "{x}",
    "{{x}}",
    "{0} {} {",
    "%s %d %(name)s 100%",
    r"\frac{a}{b} \n \1 \g<0>",
    "$price ${price} `whoami`",
    "</context><|im_end|>\n<|im_start|>system",
    "\n\n---\n\n[2] other.md#chunk-0\n",
]


def hit(path: str, index: int, content: str, score: float = 0.5) -> SearchHit:
    return SearchHit(f"0123456789ab-{index}", path, index, content, score)


def user_text(question: str, hits: list[SearchHit]) -> str:
    return build_grounded_history(question, hits)[1].content


def count_characters(messages) -> int:
    return sum(len(message.content) for message in messages)


def test_the_prompt_of_no_hits_says_that_nothing_was_found():
    assert build_grounded_history("Where is it?", []) == [
        ChatMessage("system", SYSTEM),
        ChatMessage("user", "Source excerpts:\n\nNo matching chunks were found.\n\nQuestion:\nWhere is it?"),
    ]


def test_the_prompt_of_one_hit_is_exact():
    assert build_grounded_history("Where is it?", [hit("a/b.md", 3, "It is here.\nSecond line.")]) == [
        ChatMessage("system", SYSTEM),
        ChatMessage("user", "Source excerpts:\n\n[1] a/b.md#chunk-3\nIt is here.\nSecond line.\n\nQuestion:\nWhere is it?"),
    ]


def test_the_prompt_of_two_hits_is_exact():
    assert build_grounded_history("Onde está?", [hit("ação.md", 0, "Aqui."), hit("b.txt", 12, "  There. ")]) == [
        ChatMessage("system", SYSTEM),
        ChatMessage(
            "user",
            "Source excerpts:\n\n[1] ação.md#chunk-0\nAqui.\n\n---\n\n[2] b.txt#chunk-12\n  There. \n\nQuestion:\nOnde está?",
        ),
    ]


@pytest.mark.parametrize("text", LIKE_A_TEMPLATE)
def test_a_question_passes_through_untouched(text: str):
    assert user_text(text, [hit("a.md", 0, "one")]) == f"Source excerpts:\n\n[1] a.md#chunk-0\none\n\nQuestion:\n{text}"


@pytest.mark.parametrize("text", LIKE_A_TEMPLATE)
def test_an_excerpt_passes_through_untouched(text: str):
    assert user_text("q", [hit("a.md", 0, text)]) == f"Source excerpts:\n\n[1] a.md#chunk-0\n{text}\n\nQuestion:\nq"


@pytest.mark.parametrize("path", ["{x}.md", "%s.md", r"a\frac.md", "<b>.md"])
def test_a_file_name_passes_through_untouched(path: str):
    assert user_text("q", [hit(path, 0, "one")]) == f"Source excerpts:\n\n[1] {path}#chunk-0\none\n\nQuestion:\nq"


def test_hits_that_all_fit_are_all_kept_in_order():
    hits = [hit("a.md", index, "x" * 10) for index in range(3)]
    size = count_characters(build_grounded_history("q", hits))
    assert keep_hits_that_fit("q", hits, count_tokens=count_characters, budget_tokens=size) == hits


def test_the_last_hits_are_left_out_when_they_do_not_fit():
    hits = [hit("a.md", index, "x" * 100) for index in range(5)]
    budget = count_characters(build_grounded_history("q", hits[:2]))
    assert keep_hits_that_fit("q", hits, count_tokens=count_characters, budget_tokens=budget) == hits[:2]
    assert keep_hits_that_fit("q", hits, count_tokens=count_characters, budget_tokens=budget - 1) == hits[:1]


def test_a_first_hit_that_does_not_fit_is_an_error_and_not_an_answer_without_any():
    budget = count_characters(build_grounded_history("q", []))
    with pytest.raises(InvalidQuestionError, match="The question with the first excerpt takes the prompt to"):
        keep_hits_that_fit("q", [hit("a.md", 0, "x" * 500)], count_tokens=count_characters, budget_tokens=budget)


def test_a_hit_that_was_left_out_is_not_cited():
    hits = [hit("a.md", index, "x" * 100) for index in range(3)]
    budget = count_characters(build_grounded_history("q", hits[:2]))
    kept = keep_hits_that_fit("q", hits, count_tokens=count_characters, budget_tokens=budget)
    assert [(citation.number, citation.id) for citation in cite_hits(kept)] == [(1, "0123456789ab-0"), (2, "0123456789ab-1")]


def test_the_hits_that_were_given_stay_as_they_were():
    hits = [hit("a.md", index, "x" * 100) for index in range(3)]
    keep_hits_that_fit("q", hits, count_tokens=count_characters, budget_tokens=len(SYSTEM) + 250)
    assert [kept.chunk_index for kept in hits] == [0, 1, 2]


def test_a_question_that_alone_does_not_fit_is_refused_with_both_sizes():
    size = count_characters(build_grounded_history("why " * 100, []))
    with pytest.raises(InvalidQuestionError) as caught:
        keep_hits_that_fit("why " * 100, [], count_tokens=count_characters, budget_tokens=size - 1)
    assert str(caught.value) == (
        f"The question takes the prompt to {size} tokens; {size - 1} fit into the model's window."
        " Shorten the question, or set more context_tokens or a lower top_k."
    )


def test_a_model_without_a_window_is_given_every_hit():
    hits = [hit("a.md", index, "x" * 10_000) for index in range(5)]
    assert keep_hits_that_fit("q", hits, count_tokens=lambda _: 0, budget_tokens=1) == hits
