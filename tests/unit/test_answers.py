"""One answer while it streams: its pieces, its ends, and a model that is free afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from locallens_nb.answers import AnswerStream, FoundEvidence, PreparedAnswer, cite_hits
from locallens_nb.checking.support import Verdict
from locallens_nb.domain import Citation, EvidenceFound, Quote, SearchHit, TextPiece
from locallens_nb.errors import GenerationError, ModelUnavailableError
from locallens_nb.language.refusals import refusal_text, unsupported_text
from locallens_nb.models.protocols import ChatRequest
from locallens_nb.prompt import build_grounded_history
from tests.fakes import WAIT_SECONDS, FakeEmbeddingModel, Script, ScriptedChatModel

HITS = [
    SearchHit("aaa-0", "a.md", 0, "It is here, in the first notes.", 0.75, 1, 1),
    SearchHit("bbb-4", "b.md", 4, "The ferry leaves at noon.", 0.5, 7, 9),
]
QUOTES = (Quote("It is here, in the first notes.", 1, 0.9, 0, 31),)


def believe(sentence: str, cited: Sequence[int]) -> Verdict:
    return Verdict("supported", 1.0, tuple(cited))


def doubt(sentence: str, cited: Sequence[int]) -> Verdict:
    return Verdict("unsupported", 0.0, missing=("Porto",))


def found_evidence(*, is_answerable: bool = True, bears_on_question: bool = True) -> FoundEvidence:
    return FoundEvidence(
        hits=HITS,
        quotes=QUOTES,
        embed=FakeEmbeddingModel().embed_documents,
        load_seconds=0.5,
        search_seconds=1.0,
        is_answerable=is_answerable,
        bears_on_question=lambda _sentence: bears_on_question,
    )


def stream(
    model: ScriptedChatModel, question: str = "Where?", *, found: FoundEvidence | None = None, **fields: object
) -> AnswerStream:
    def prepare(evidence: FoundEvidence) -> PreparedAnswer:
        return PreparedAnswer(
            request=ChatRequest(build_grounded_history(question, evidence.hits), question, evidence.hits),
            model=model,
            **{"check": believe, "fallback_reason": "", "load_seconds": 1.5} | fields,
        )

    return AnswerStream(question, find=lambda: found or found_evidence(), prepare=prepare)


def run_in_thread(call: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def test_the_pieces_make_up_the_answer_in_order():
    answer = stream(ScriptedChatModel(Script(("It ", "is ", "here [1]."))))
    assert list(answer) == ["It", " is", " here", " [1]."]
    assert (answer.result.answer, answer.result.stopped) == ("It is here [1].", "")


def test_the_answer_has_no_white_space_around_it():
    answer = stream(ScriptedChatModel(Script(("\n\n", " It is", " here.", "\n", "\n"))))
    pieces = list(answer)
    assert pieces == ["It", " is here", "."]
    assert answer.result.answer == "It is here."


def test_the_result_says_what_was_asked_who_wrote_it_and_why():
    model = ScriptedChatModel(Script(("Yes.",)), name="Qwen/Qwen3-0.6B (4-bit NF4)")
    answer = stream(model, "Is it here?", fallback_reason="The large one does not fit.")
    list(answer)
    result = answer.result
    assert (result.question, result.model) == ("Is it here?", "Qwen/Qwen3-0.6B (4-bit NF4)")
    assert result.fallback_reason == "The large one does not fit."


def test_the_citations_are_the_excerpts_of_the_prompt_with_their_numbers():
    answer = stream(ScriptedChatModel())
    assert answer.citations == ()
    next(answer)
    expected = (
        Citation(1, "aaa-0", "a.md", 0, 0.75, 1, 1, HITS[0].content),
        Citation(2, "bbb-4", "b.md", 4, 0.5, 7, 9, HITS[1].content),
    )
    assert answer.citations == expected
    list(answer)
    assert (answer.result.citations, answer.result.also_read) == (expected[:1], expected[1:])


def test_no_hits_give_no_citations():
    assert cite_hits([]) == ()


def test_the_timings_add_up_and_count_tokens():
    model = ScriptedChatModel(Script(("One ", "two.")))
    answer = stream(model)
    list(answer)
    timings = answer.result.timings
    assert (timings.load_seconds, timings.search_seconds) == (2.0, 1.0)
    assert (timings.prompt_tokens, timings.answer_tokens) == (model.count_tokens(model.requests[0].messages), 2)
    assert timings.first_piece_seconds is not None
    assert 0 <= timings.first_piece_seconds <= timings.total_seconds


def test_an_answer_without_any_text_has_no_time_of_a_first_piece():
    answer = stream(ScriptedChatModel(Script(("<think>never closed",))))
    assert list(answer) == []
    assert (answer.result.answer, answer.result.timings.first_piece_seconds) == ("", None)


def test_the_result_before_the_end_raises():
    answer = stream(ScriptedChatModel())
    with pytest.raises(RuntimeError, match="not complete"):
        answer.result  # noqa: B018
    next(answer)
    with pytest.raises(RuntimeError, match="not complete"):
        answer.result  # noqa: B018


def test_nothing_is_prepared_before_the_first_piece_is_asked_for():
    prepared = []
    AnswerStream("q", find=lambda: prepared.append(1), prepare=lambda found: prepared.append(2))
    assert prepared == []


def test_what_fails_before_the_first_word_comes_with_the_first_piece():
    def find() -> FoundEvidence:
        raise ModelUnavailableError("No model.")

    answer = AnswerStream("q", find=find, prepare=lambda found: pytest.fail("nothing was found"))
    with pytest.raises(ModelUnavailableError, match="No model"):
        next(answer)
    with pytest.raises(RuntimeError, match="There is no answer"):
        answer.result  # noqa: B018


def test_a_stream_that_was_closed_before_its_first_piece_has_no_answer():
    answer = stream(ScriptedChatModel())
    answer.close()
    with pytest.raises(RuntimeError, match="There is no answer"):
        answer.result  # noqa: B018


def test_a_stop_from_another_thread_ends_the_answer_within_one_piece():
    gate = threading.Event()
    model = ScriptedChatModel(Script(("One ", "two ", "three ", "four."), gate=gate))
    answer = stream(model)
    assert next(answer) == "One"
    rest: list[str] = []
    reader = run_in_thread(lambda: rest.extend(answer))
    assert model.generations[0].is_waiting.wait(WAIT_SECONDS)
    answer.stop()
    reader.join(WAIT_SECONDS)
    assert not reader.is_alive()
    assert rest == []
    assert (answer.result.answer, answer.result.stopped) == ("One", "person")
    assert (model.generations[0].answer_tokens, model.generations[0].pieces_after_stop) == (1, 0)


def test_a_stop_between_two_pieces_ends_the_answer():
    model = ScriptedChatModel(Script(("One ", "two ", "three.")))
    answer = stream(model)
    assert (next(answer), next(answer)) == ("One", " two")
    answer.stop()
    assert list(answer) == []
    assert (answer.result.answer, answer.result.stopped) == ("One two", "person")


def test_a_stop_before_the_first_piece_asks_the_model_nothing():
    model = ScriptedChatModel()
    answer = stream(model)
    answer.stop()
    assert list(answer) == []
    assert model.requests == []
    assert (answer.result.answer, answer.result.stopped) == ("", "person")


def test_a_stop_while_models_load_ends_the_answer_without_a_word():
    model = ScriptedChatModel()
    loading, loaded = threading.Event(), threading.Event()

    def prepare(found: FoundEvidence) -> PreparedAnswer:
        loading.set()
        assert loaded.wait(WAIT_SECONDS)
        return PreparedAnswer(ChatRequest([], "q", found.hits), model, believe, "", 0.0)

    answer = AnswerStream("q", find=found_evidence, prepare=prepare)
    pieces: list[str] = []
    reader = run_in_thread(lambda: pieces.extend(answer))
    assert loading.wait(WAIT_SECONDS)
    answer.stop()
    loaded.set()
    reader.join(WAIT_SECONDS)
    assert (reader.is_alive(), pieces, answer.result.stopped) == (False, [], "person")


def test_stopping_twice_and_after_the_end_changes_nothing():
    answer = stream(ScriptedChatModel(Script(("All ", "of it."))))
    list(answer)
    answer.stop()
    answer.stop()
    assert (answer.result.answer, answer.result.stopped) == ("All of it.", "")


def test_closing_the_stream_stops_the_model_and_keeps_the_text():
    model = ScriptedChatModel(Script(("One ", "two ", "three.")))
    answer = stream(model)
    next(answer)
    answer.close()
    assert list(answer) == []
    assert model.generations[0].is_stopped
    assert (answer.result.answer, answer.result.stopped) == ("One", "person")


def test_closing_from_another_thread_while_a_piece_is_computed_ends_the_answer_there():
    model = ScriptedChatModel(Script(("One ", "two ", "three."), gate=threading.Event()))
    answer = stream(model)
    assert next(answer) == "One"
    rest: list[str] = []
    reader = run_in_thread(lambda: rest.extend(answer))
    assert model.generations[0].is_waiting.wait(WAIT_SECONDS)
    answer.close()
    reader.join(WAIT_SECONDS)
    assert (reader.is_alive(), rest) == (False, [])
    assert (answer.result.answer, answer.result.stopped) == ("One", "person")


def test_a_stream_that_nobody_holds_any_more_stops_the_model_at_once():
    model = ScriptedChatModel(Script(("One ", "two ", "three.")))
    answer = stream(model)
    next(answer)
    del answer
    assert model.generations[0].is_stopped


def test_leaving_a_loop_over_a_stream_frees_the_model_for_the_next_question():
    model = ScriptedChatModel(Script(("One ", "two.")))
    for _ in stream(model):
        break
    assert list(stream(model)) == ["One", " two", "."]


def test_a_failure_before_the_first_piece_is_a_generation_error_without_text():
    answer = stream(ScriptedChatModel(Script((), fails_with=RuntimeError("out of memory"))))
    with pytest.raises(GenerationError, match="RuntimeError: out of memory") as caught:
        next(answer)
    assert caught.value.partial == ""


def test_a_failure_after_some_pieces_carries_their_text_without_thinking():
    answer = stream(ScriptedChatModel(Script(("<think>x</think>", "One ", "two "), fails_with=RuntimeError("device lost"))))
    pieces: list[str] = []
    with pytest.raises(GenerationError, match="device lost") as caught:
        pieces.extend(answer)
    assert (pieces, caught.value.partial) == (["One", " two"], "One two")


def test_after_a_failure_the_text_that_had_come_is_the_result():
    answer = stream(ScriptedChatModel(Script(("One ",), fails_with=RuntimeError("device lost"))))
    with pytest.raises(GenerationError):
        list(answer)
    assert answer.result.answer == "One"


def test_an_error_that_is_not_the_models_is_no_stop_by_the_person():
    def fail(_sentence: str, _cited: Sequence[int]) -> Verdict:
        raise RuntimeError("the embedding model is gone")

    answer = stream(ScriptedChatModel(Script(("One. ", "Two."))), check=fail)
    with pytest.raises(RuntimeError, match="the embedding model is gone"):
        list(answer)
    assert answer.result.stopped == "error"


def test_the_next_question_after_a_failure_is_answered():
    model = ScriptedChatModel(Script(("One ",), fails_with=RuntimeError("device lost")), Script(("Here.",)))
    with pytest.raises(GenerationError):
        list(stream(model))
    assert "".join(stream(model)) == "Here."


def test_a_kernel_interrupt_goes_through_and_leaves_a_partial_result():
    model = ScriptedChatModel(Script(("One ", "two "), fails_with=KeyboardInterrupt()), Script(("Here.",)))
    answer = stream(model)
    pieces: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        pieces.extend(answer)
    assert pieces == ["One", " two"]
    assert (answer.result.answer, answer.result.stopped) == ("One two", "person")
    assert model.generations[0].is_stopped
    assert "".join(stream(model)) == "Here."


def test_an_answer_that_goes_round_in_circles_is_cut_short():
    sentence = "The pump was replaced in March by the crew. "
    model = ScriptedChatModel(Script((sentence,) * 50))
    answer = stream(model)
    pieces = list(answer)
    assert "".join(pieces) == answer.result.answer == (sentence * 3).rstrip()
    assert answer.result.stopped == "repetition"
    assert model.generations[0].is_stopped


def test_an_answer_that_may_not_be_longer_says_so():
    answer = stream(ScriptedChatModel(Script(("It is in the",), reached_limit=True)))
    list(answer)
    assert (answer.result.answer, answer.result.stopped) == ("It is in the", "length")


def test_thinking_is_in_neither_the_pieces_nor_the_answer():
    answer = stream(ScriptedChatModel(Script(("<thi", "nk>secret [9]", "</th", "ink>\n\nIt is", " here [1]."))))
    assert list(answer) == ["It", " is here", " [1]."]
    assert answer.result.answer == "It is here [1]."


def test_the_possible_start_of_a_tag_at_the_very_end_is_shown():
    answer = stream(ScriptedChatModel(Script(("a <", "th"))))
    assert "".join(answer) == "a <th"
    assert answer.result.answer == "a <th"


def test_one_question_is_one_generation_with_the_grounded_prompt():
    model = ScriptedChatModel()
    list(stream(model, "Where {x}?"))
    (request,) = model.requests
    assert request.messages == build_grounded_history("Where {x}?", HITS)
    assert (request.question, list(request.hits)) == ("Where {x}?", HITS)


def test_the_quotations_come_before_the_text_and_before_any_model_is_loaded():
    def prepare(found: FoundEvidence) -> PreparedAnswer:
        pytest.fail("the model was loaded too early")

    events = AnswerStream("q", find=found_evidence, prepare=prepare).events()
    first = next(events)
    assert first == EvidenceFound(QUOTES, cite_hits(HITS))
    events.close()


def test_the_events_hold_the_same_pieces_as_the_stream():
    script = Script(("It ", "is ", "here [1]."))
    pieces = [event.text for event in stream(ScriptedChatModel(script)).events() if isinstance(event, TextPiece)]
    assert pieces == list(stream(ScriptedChatModel(script)))


def test_the_quotations_stay_with_the_answer():
    answer = stream(ScriptedChatModel())
    list(answer)
    assert answer.result.quotes == QUOTES


def test_where_nothing_answers_no_model_is_asked():
    model = ScriptedChatModel()
    answer = stream(model, "Wo ist es?", found=found_evidence(is_answerable=False))
    assert "".join(answer) == answer.result.answer == refusal_text("Wo ist es?")
    assert model.requests == []
    result = answer.result
    assert (result.refusal, result.model, result.citations) == ("evidence", "", ())
    assert result.also_read == cite_hits(HITS)


@pytest.mark.parametrize("question", ["in:antigas Quanto custou a bomba?", "Quanto custou a bomba? file:a.csv in:the/house"])
def test_a_filter_does_not_change_the_language_of_a_refusal(question: str):
    answer = stream(ScriptedChatModel(), question, found=found_evidence(is_answerable=False))
    assert "".join(answer) == refusal_text("Quanto custou a bomba?")


def test_an_answer_that_nothing_supports_says_so_at_its_end_and_cites_nothing():
    answer = stream(ScriptedChatModel(Script(("It is in Porto [1].",))), check=doubt)
    pieces = list(answer)
    result = answer.result
    assert result.answer == "".join(pieces) == "It is in Porto.\n\n" + unsupported_text("Where?")
    assert (result.refusal, result.citations, result.also_read) == ("support", (), cite_hits(HITS))
    assert [(one.support, one.missing) for one in result.sentences] == [("unsupported", ("Porto",)), ("unchecked", ())]


@pytest.mark.parametrize("text", ["# Fees", "Here is the answer:", "What does it cost?"])
def test_an_answer_of_which_nothing_was_checked_counts_as_not_found(text: str):
    answer = stream(ScriptedChatModel(Script((text,))))
    assert "".join(answer) == f"{text}\n\n" + refusal_text("Where?")
    assert answer.result.refusal == "support"


def test_an_answer_that_the_person_stopped_is_not_judged():
    gate = threading.Event()
    answer = stream(ScriptedChatModel(Script(("It is ", "in Porto."), gate=gate)), check=doubt)
    next(answer)
    answer.stop()
    list(answer)
    assert (answer.result.refusal, answer.result.answer) == ("", "It is")


def test_a_model_that_does_not_know_cites_nothing():
    text = refusal_text("Where?")
    answer = stream(ScriptedChatModel(Script((f"{text[:-1]} [1].",))))
    assert "".join(answer) == text
    assert (answer.result.refusal, answer.result.citations) == ("model", ())


def test_a_model_that_does_not_know_and_says_what_there_is_instead_cites_nothing():
    answer = stream(ScriptedChatModel(Script(("I do not know [1]. The excerpts are about a boat [1].",))))
    assert "".join(answer) == "I do not know. The excerpts are about a boat."
    assert (answer.result.refusal, answer.result.citations) == ("model", ())


def test_what_was_shown_before_a_closing_tag_that_nothing_opened_stays_in_the_answer():
    answer = stream(ScriptedChatModel(Script(("It may be there. Or", " not.", "</think>", "\n\nIt is here [1]."))))
    pieces = list(answer)
    assert answer.result.answer == "".join(pieces) == "It may be there. Or not.\n\nIt is here [1]."
    assert [one.number for one in answer.result.citations] == [1]


def test_an_answer_that_is_supported_and_beside_the_point_says_so():
    answer = stream(ScriptedChatModel(), found=found_evidence(bears_on_question=False))
    pieces = list(answer)
    assert answer.result.answer == "".join(pieces) == f"It is here, in the first notes [1].\n\n{refusal_text('Where?')}"
    assert (answer.result.refusal, answer.result.sentences[0].support) == ("support", "supported")


def test_an_answer_of_nothing_but_references_says_that_nothing_was_found():
    answer = stream(ScriptedChatModel(Script(("[1]",))), check=doubt)
    assert "".join(answer) == refusal_text("Where?")
    assert answer.result.refusal == "support"
