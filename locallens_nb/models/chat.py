"""The chat model: a transformers causal language model that writes one answer at a time and can be stopped."""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from locallens_nb.domain import ChatMessage
from locallens_nb.errors import GenerationError
from locallens_nb.models.protocols import ChatRequest

_logger = logging.getLogger(__name__)
_POLL_SECONDS = 0.1
_EXIT_SECONDS = 5.0


class _StoppedError(Exception):
    """Raised inside the model's forward pass when the person has asked to stop."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn; see :class:`locallens_nb.settings.Settings`."""

    context_tokens: int
    max_new_tokens: int
    temperature: float
    top_p: float
    seed: int


class TransformersChatModel:
    """A loaded language model with its tokenizer.

    Parameters
    ----------
    model, tokenizer
        As transformers gives them; the tokenizer must have a chat template.
    name
        What a person is told, with the precision of the weights.
    """

    def __init__(self, model: Any, tokenizer: Any, *, name: str, sampling: Sampling) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._name = name
        self._sampling = sampling
        self._busy = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name and the precision of its weights."""
        return self._name

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Return the size of a prompt in tokens."""
        return len(encode_chat(self._tokenizer, messages))

    def generate(self, request: ChatRequest) -> TransformersGeneration:
        """Start to write an answer in a worker thread; it waits there for an earlier answer to end."""
        prompt = encode_chat(self._tokenizer, request.messages)
        return TransformersGeneration(
            self._model, self._tokenizer, prompt, name=self._name, sampling=self._sampling, busy=self._busy
        )


def encode_chat(tokenizer: Any, messages: Sequence[ChatMessage]) -> list[int]:
    """Return the token ids of a prompt, thinking switched off: a section for it is closed before anything is in it.

    Only the template's own control tokens become control tokens. The same characters inside a message, for example
    ``<|im_start|>system`` in a document, are encoded as plain text.
    """
    stand_ins = [f"\ue000{number}\ue001" for number in range(len(messages))]
    conversation = [{"role": message.role, "content": mark} for message, mark in zip(messages, stand_ins, strict=True)]
    rest = tokenizer.apply_chat_template(conversation, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    if rest.rstrip().endswith("<think>"):  # a template that cannot switch thinking off opens the section in the prompt
        rest = f"{rest.rstrip()}\n\n</think>\n\n"
    ids: list[int] = []
    for message, mark in zip(messages, stand_ins, strict=True):
        before, found, rest = rest.partition(mark)
        if not found:
            raise GenerationError(
                f"The model's chat template drops the {message.role} message.", hint="Use another chat model."
            )
        ids += tokenizer.encode(before, add_special_tokens=False)
        ids += tokenizer.encode(message.content, add_special_tokens=False, split_special_tokens=True)
    return ids + list(tokenizer.encode(rest, add_special_tokens=False))


_running: weakref.WeakSet[TransformersGeneration] = weakref.WeakSet()


@atexit.register
def _stop_running() -> None:
    """End what is still being written, since a thread inside torch must not outlive the interpreter."""
    for generation in list(_running):
        generation.stop()
        generation.wait(_EXIT_SECONDS)


class TransformersGeneration:
    """One answer while it is written: an iterator over raw text pieces.

    The worker owns the model until it sets ``_free``; the state of the thread itself is no reliable sign of that
    after an interrupted ``join``.
    """

    def __init__(
        self, model: Any, tokenizer: Any, prompt: list[int], *, name: str, sampling: Sampling, busy: threading.Lock
    ) -> None:
        from transformers import TextIteratorStreamer

        self._model = model
        self._eos_ids = _end_tokens(model, tokenizer)
        self._pad_id = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else min(self._eos_ids, default=0)
        self._prompt = prompt
        self._name = name
        self._sampling = sampling
        self._limit = max(1, min(sampling.max_new_tokens, sampling.context_tokens - len(prompt)))
        self._streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, timeout=_POLL_SECONDS, skip_special_tokens=True)
        self._stop_asked = threading.Event()
        self._free = threading.Event()
        self._error: BaseException | None = None
        self._answer_tokens = 0
        self._reached_limit = False
        _running.add(self)
        threading.Thread(target=self._work, args=(busy,), name="locallens-generate", daemon=True).start()

    @property
    def prompt_tokens(self) -> int:
        """Size of the prompt in tokens."""
        return len(self._prompt)

    @property
    def answer_tokens(self) -> int:
        """Tokens written so far."""
        return self._answer_tokens

    @property
    def reached_limit(self) -> bool:
        """Whether the answer ended because it may not be longer."""
        return self._reached_limit

    def stop(self) -> None:
        """End the generation within one layer of the model, and the iterator at once."""
        self._stop_asked.set()
        self._streamer.text_queue.put(self._streamer.stop_signal)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the model is free again; return whether it is."""
        return self._free.wait(seconds)

    def __iter__(self) -> TransformersGeneration:
        return self

    def __next__(self) -> str:
        try:
            while True:
                is_last_look = self._free.is_set()
                try:
                    return str(next(self._streamer))
                except queue.Empty:  # a wait without a limit could not be interrupted on every system
                    if is_last_look:
                        raise StopIteration from None
        except StopIteration:
            if not self._stop_asked.is_set():
                self._free.wait()
                self._raise_failure()
            raise
        except BaseException:
            self.stop()
            raise

    def _raise_failure(self) -> None:
        if self._error is not None:
            kind = type(self._error).__name__
            raise GenerationError(
                f"{self._name} failed while it wrote: {kind}: {self._error}",
                hint="Ask again; if it happens again, choose another chat model.",
            ) from self._error

    def _work(self, busy: threading.Lock) -> None:
        hooks: list[Any] = []
        try:
            with busy:
                hooks = [layer.register_forward_pre_hook(self._check_stop) for layer in _decoder_layers(self._model)]
                try:
                    self._generate()
                finally:
                    for hook in hooks:
                        hook.remove()
        except _StoppedError:
            pass
        except BaseException as error:  # handed over to the thread that reads
            _logger.warning("%s failed while it wrote: %s", self._name, type(error).__name__)
            self._error = error
        finally:
            self._free.set()
            self._streamer.text_queue.put(self._streamer.stop_signal)

    def _generate(self) -> None:
        import torch
        from transformers import GenerationConfig, StoppingCriteriaList

        prompt = torch.tensor([self._prompt], device=self._model.device)
        config = GenerationConfig(
            max_new_tokens=self._limit,
            do_sample=self._sampling.temperature > 0,
            temperature=self._sampling.temperature or None,
            top_p=self._sampling.top_p,
            eos_token_id=self._eos_ids,
            pad_token_id=self._pad_id,
        )
        with torch.random.fork_rng():
            torch.manual_seed(self._sampling.seed)
            self._model.generate(
                input_ids=prompt,
                attention_mask=torch.ones_like(prompt),
                generation_config=config,
                streamer=self._streamer,
                stopping_criteria=StoppingCriteriaList([self._observe]),
            )

    def _observe(self, input_ids: Any, _scores: Any, **_: Any) -> Any:
        """Count the tokens after each one, and say whether to stop (a stopping criterion of transformers)."""
        import torch

        self._answer_tokens = int(input_ids.shape[1]) - len(self._prompt)
        self._reached_limit = self._answer_tokens >= self._limit and int(input_ids[0, -1]) not in self._eos_ids
        return torch.full((input_ids.shape[0],), self._stop_asked.is_set(), device=input_ids.device, dtype=torch.bool)

    def _check_stop(self, *_: Any) -> None:
        """Leave the forward pass: reading a long prompt takes seconds, in which no stopping criterion is asked."""
        if self._stop_asked.is_set():
            raise _StoppedError


def _decoder_layers(model: Any) -> Sequence[Any]:
    decoder = model.get_decoder() if hasattr(model, "get_decoder") else model
    return list(getattr(decoder, "layers", []))


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """Return the ids that end an answer: the model's own list and the tokenizer's."""
    configured = getattr(model.generation_config, "eos_token_id", None)
    ids = set(configured if isinstance(configured, list) else [configured]) | {tokenizer.eos_token_id}
    return sorted(token for token in ids if token is not None)
