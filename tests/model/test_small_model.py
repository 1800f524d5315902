"""SmolLM2-135M in 4-bit through the whole pipeline."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from locallens_nb import LocalLensApp
from locallens_nb.domain import ChatMessage, Progress
from locallens_nb.errors import GenerationError
from locallens_nb.models.devices import compute_type
from locallens_nb.models.gateway import ModelGateway
from locallens_nb.models.protocols import ChatRequest

QUESTION = "How much luggage am I allowed to take on the ferry?"


def real_model(app: LocalLensApp):
    return app._models.chat_model().model


def request(text: str) -> ChatRequest:
    return ChatRequest([ChatMessage("user", text)], text, [])


def test_the_whole_pipeline_runs_on_four_bit_weights(small_app: LocalLensApp) -> None:
    stream = small_app.stream_brain("sample", QUESTION)
    pieces = list(stream)
    answer = stream.result
    assert answer.model == "smollm2-135m-instruct (4-bit NF4)"
    assert len(pieces) > 3
    assert "".join(pieces).rstrip() == answer.answer != ""
    read = sorted((*answer.citations, *answer.also_read), key=lambda citation: citation.number)
    assert [citation.number for citation in read] == list(range(1, len(read) + 1))
    assert read[0].relative_path == "handbook/station-handbook.md"
    assert 0 < answer.timings.answer_tokens <= 48
    assert answer.timings.prompt_tokens > 500


def test_its_linear_layers_hold_four_bits_and_its_copy_is_kept_for_the_next_start(
    small_app: LocalLensApp, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bitsandbytes.nn import Linear4bit

    layers = [module for module in real_model(small_app)._model.modules() if isinstance(module, Linear4bit)]
    assert len(layers) == 30 * 7
    assert {layer.weight.quant_type for layer in layers} == {"nf4"}
    (prepared,) = (model_cache / "prepared").glob(f"smollm2-135m-instruct-*-nf4-{compute_type()}")
    assert json.loads((prepared / "config.json").read_text())["quantization_config"]["load_in_4bit"]

    monkeypatch.setattr("locallens_nb.models.weights._four_bit_config", lambda: pytest.fail("it was quantised again"))
    told: list[Progress] = []
    again = LocalLensApp(small_app.settings).ask_brain("sample", QUESTION, on_progress=told.append)
    weights = [(one.done, one.total) for one in told if one.stage == "loading" and one.total]
    assert weights == [(done, weights[0][1]) for done in range(weights[0][1])]
    assert len(weights) > 30 * 7
    assert again.answer == small_app.ask_brain("sample", QUESTION).answer


def test_a_seed_gives_the_same_answer_and_leaves_the_random_numbers_of_the_notebook_alone(small_app: LocalLensApp) -> None:
    import torch

    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    first = small_app.ask_brain("sample", QUESTION).answer
    assert torch.equal(torch.rand(3), expected)
    assert small_app.ask_brain("sample", QUESTION).answer == first


def test_stop_costs_at_most_one_more_token_and_the_next_question_works(small_app: LocalLensApp) -> None:
    stream = small_app.stream_brain("sample", QUESTION)
    next(stream)
    generation = stream._writing._generation
    before = generation.answer_tokens
    stream.stop()
    assert len(list(stream)) <= 1  # what was held back to be checked
    assert generation.wait(30)
    assert generation.answer_tokens <= before + 1
    assert stream.result.stopped == "person"
    assert small_app.ask_brain("sample", QUESTION).stopped in {"", "length", "repetition"}


def test_stop_ends_the_reading_of_the_prompt_before_any_token(small_app: LocalLensApp) -> None:
    model = real_model(small_app)
    layers = model._model.get_decoder().layers
    reached = threading.Event()
    passed: list[int] = []
    first = layers[0].register_forward_pre_hook(lambda *_: reached.set())
    last = layers[-1].register_forward_hook(lambda *_: passed.append(1))
    try:
        generation = model.generate(request("word " * 1500))
        assert reached.wait(60)
        generation.stop()
        assert generation.wait(60)
    finally:
        first.remove()
        last.remove()
    assert passed == []
    assert generation.answer_tokens == 0
    assert list(generation) == []


def test_an_exception_in_the_model_is_shown_with_what_had_come_and_the_next_question_works(small_app: LocalLensApp) -> None:
    layer = real_model(small_app)._model.get_decoder().layers[3]
    calls = []

    def fail_at_the_sixth_token(*_: object) -> None:
        calls.append(1)
        if len(calls) == 6:
            raise RuntimeError("the device went away")

    hook = layer.register_forward_pre_hook(fail_at_the_sixth_token)
    try:
        with pytest.raises(GenerationError, match="the device went away") as failure:
            small_app.ask_brain("sample", QUESTION)
    finally:
        hook.remove()
    assert failure.value.partial != ""
    assert small_app.ask_brain("sample", QUESTION).answer.startswith(failure.value.partial.split(" ")[0])


def test_a_deleted_stream_leaves_the_model_free(small_app: LocalLensApp) -> None:
    stream = small_app.stream_brain("sample", QUESTION)
    next(stream)
    generation = stream._writing._generation
    del stream
    assert generation.wait(30)
    assert generation.answer_tokens < 40


def test_the_answer_says_when_it_reached_its_greatest_length(small_app: LocalLensApp) -> None:
    short = LocalLensApp(replace(small_app.settings, max_new_tokens=4), models=_with_limit(small_app, 4))
    answer = short.ask_brain("sample", QUESTION)
    assert (answer.stopped, answer.timings.answer_tokens) == ("length", 4)


def _with_limit(app: LocalLensApp, limit: int) -> ModelGateway:
    return ModelGateway(replace(app.settings, max_new_tokens=limit))


def test_warm_caches_and_working_offline_make_no_connection(
    small_app: LocalLensApp, model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    attempts: list[object] = []

    def refuse(_socket: object, address: object) -> None:
        attempts.append(address)
        raise OSError("no network in this test")

    real_model(small_app)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **_: refuse(None, arguments))
    (tmp_path / "a.md").write_text("The lighthouse was painted green in 1987.", encoding="utf-8")
    settings = replace(small_app.settings, home=tmp_path / ".locallens", offline=True)
    app = LocalLensApp(settings)
    app.create_brain_from_folder(name="a", folder_path=tmp_path)
    assert app.ask_brain("a", "When was the lighthouse painted?").citations[0].relative_path == "a.md"
    assert attempts == []
