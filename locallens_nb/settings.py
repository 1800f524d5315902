"""Every setting, and the only reader of the environment.

A setting is the explicit argument, else its ``LOCALLENS_*`` variable, else the default.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from locallens_nb.errors import InvalidSettingError

AUTO = "auto"
QUOTES = "quotes"
PRECISIONS = (AUTO, "nf4", "bfloat16", "float16", "float32")
STRICTNESS = {"off": 0.0, "lenient": 0.005, "balanced": 0.05, "strict": 0.10}
"""Which part of the questions that have an answer may be refused, so that more of those that have none are."""
MOST_STRICT = 0.5
_WHOLE_NUMBERS = ("top_k", "chunk_tokens", "overlap_tokens", "context_tokens", "max_new_tokens", "seed")

_T = TypeVar("_T")


def _parse_flag(text: str) -> bool:
    return text.strip().lower() not in {"", "0", "false", "no", "off"}


def _from_environment(name: str, parse: Callable[[str], _T], default: Callable[[], _T]) -> Any:
    """Return a dataclass field that reads ``LOCALLENS_<name>`` when a record is made, else calls ``default``."""
    variable = f"LOCALLENS_{name}"

    def read() -> _T:
        text = os.environ.get(variable, "").strip()
        try:
            return parse(text) if text else default()
        except ValueError as error:
            raise InvalidSettingError(f"{variable}='{text}' cannot be used: {error}.", hint="Correct or unset it.") from error

    return field(default_factory=read)


def parse_strictness(text: str) -> str | float:
    """Return a strictness as it is typed: one of :data:`STRICTNESS`, or a number.

    Raises
    ------
    ValueError
        When it is neither.
    """
    return text if text in STRICTNESS else float(text)


def expand_home(path: Path | str) -> Path:
    """Return a path whose ``~`` stands for the home folder; the ``~name`` of nobody on this system stays as it is."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - that of Path raises RuntimeError for it


def _user_cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("locallens", appauthor=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How LocalLens works, resolved once and passed down.

    Attributes
    ----------
    home
        Folder of the store. ``LOCALLENS_HOME``; default ``.locallens`` in the working folder.
    cache_folder
        Folder for packaged weights and converted models. ``LOCALLENS_CACHE``; default the user's cache folder.
    chat_model, embedding_model
        ``auto`` for the ladder, else a hub id, a local folder, a GGUF file or a packaged name; the chat role
        also takes ``quotes``. ``LOCALLENS_CHAT_MODEL``, ``LOCALLENS_EMBEDDING_MODEL``.
    precision
        How chat weights are held: one of :data:`PRECISIONS`. ``auto`` takes 4-bit NF4 wherever its kernels are fast
        or memory is short. ``LOCALLENS_PRECISION``.
    offline
        No connection is attempted. ``LOCALLENS_OFFLINE``, and ``HF_HUB_OFFLINE`` as the hub's own libraries read it.
    top_k
        Excerpts for a question: 5, as in the original.
    chunk_tokens, overlap_tokens
        Size of a chunk and of what two neighbours share, in tokens of the embedding model: 220 and 40, as in the
        original.
    context_tokens, max_new_tokens
        The chat model's window, and the part of it that is kept for the answer, in tokens.
    temperature, top_p, seed
        Sampling of the chat model; the same seed gives the same answer on the same machine.
    strictness
        How much evidence a question needs before a chat model is asked: one of :data:`STRICTNESS`, or the part of the
        answerable questions that may be refused, from 0 (none ever) to 0.5. ``LOCALLENS_STRICTNESS``.
    respect_gitignore
        Whether files that a ``.gitignore`` names are left out.
    debug
        The command line shows the traceback of an error that nobody expected. ``LOCALLENS_DEBUG``.

    Raises
    ------
    InvalidSettingError
        When a value, or the variable that it comes from, cannot be used.
    """

    home: Path | str = _from_environment("HOME", Path, lambda: Path(".locallens"))
    cache_folder: Path | str = _from_environment("CACHE", Path, _user_cache_folder)
    chat_model: str = _from_environment("CHAT_MODEL", str, lambda: AUTO)
    embedding_model: str = _from_environment("EMBEDDING_MODEL", str, lambda: AUTO)
    precision: str = _from_environment("PRECISION", str, lambda: AUTO)
    offline: bool = _from_environment("OFFLINE", _parse_flag, lambda: _parse_flag(os.environ.get("HF_HUB_OFFLINE", "")))
    top_k: int = 5
    chunk_tokens: int = 220
    overlap_tokens: int = 40
    context_tokens: int = 4096
    max_new_tokens: int = 512
    temperature: float = 0.2
    top_p: float = 0.9
    seed: int = 0
    strictness: str | float = _from_environment("STRICTNESS", parse_strictness, lambda: "lenient")
    respect_gitignore: bool = True
    debug: bool = _from_environment("DEBUG", _parse_flag, lambda: False)

    def __post_init__(self) -> None:
        """Make the folders absolute and refuse values that cannot work."""
        for setting in ("home", "chat_model", "embedding_model"):
            if not str(getattr(self, setting)).strip():
                raise InvalidSettingError(f"{setting} is blank.", hint="Leave it out for the default.")
        for setting in _WHOLE_NUMBERS:
            if not isinstance(value := getattr(self, setting), int):
                raise InvalidSettingError(
                    f"{setting} is {value!r}, which is no whole number.", hint="Leave it out for the default."
                )
        object.__setattr__(self, "home", expand_home(self.home).absolute())
        object.__setattr__(self, "cache_folder", expand_home(self.cache_folder).absolute())
        if self.precision not in PRECISIONS:
            raise InvalidSettingError(f"Precision '{self.precision}' is unknown.", hint=f"Use one of: {', '.join(PRECISIONS)}.")
        if not 0 <= self.overlap_tokens < self.chunk_tokens:
            raise InvalidSettingError(
                f"chunk_tokens ({self.chunk_tokens}) must be greater than overlap_tokens ({self.overlap_tokens}), "
                "and that not be negative.",
                hint="The defaults are 220 and 40.",
            )
        if not self.temperature >= 0 or not 0 < self.top_p <= 1:  # so that NaN is refused too
            raise InvalidSettingError(
                f"temperature ({self.temperature}) must not be negative, and top_p ({self.top_p}) be above 0 and at most 1.",
                hint="The defaults are 0.2 and 0.9.",
            )
        if self.top_k < 1:
            raise InvalidSettingError(f"top_k is {self.top_k}.", hint="Ask for at least one excerpt.")
        if not 0 < self.max_new_tokens < self.context_tokens:
            raise InvalidSettingError(
                f"max_new_tokens ({self.max_new_tokens}) must be between 1 and context_tokens ({self.context_tokens}).",
                hint="The defaults are 512 and 4096.",
            )
        if self.strictness not in STRICTNESS and not (
            isinstance(self.strictness, float | int) and 0 <= self.strictness <= MOST_STRICT
        ):
            raise InvalidSettingError(
                f"Strictness {self.strictness!r} is unknown.",
                hint=f"Use one of: {', '.join(STRICTNESS)}; or a number from 0 to {MOST_STRICT}.",
            )
