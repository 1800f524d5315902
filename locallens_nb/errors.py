"""The error tree. A class exists only where a caller would act differently; data travels as attributes."""

from __future__ import annotations

from collections.abc import Sequence


class LocalLensError(Exception):
    """Something that LocalLens can explain to a person.

    Parameters
    ----------
    message
        What is wrong and with which file, brain or model.
    hint
        The next step.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """Return the message and the next step on one line."""
        end = "." if self.hint and self.message[-1:] not in ".!?" else ""
        lines = f"{self.message}{end} {self.hint}".splitlines()
        return " ".join(line.strip() for line in lines if line.strip())

    def _render_traceback_(self) -> list[str]:
        """Return the single line that IPython shows in place of a traceback."""
        return [f"LocalLens: {self}"]


class BrainNotFoundError(LocalLensError):
    """No brain has this name, or none was named; ``existing`` holds the names there are."""

    def __init__(self, name: str, existing: Sequence[str]) -> None:
        known = ", ".join(existing) if existing else "none yet"
        problem = f"No brain is called '{name}'." if name else "No brain was chosen."
        hint = "Name one of these." if existing else "Index a folder first."
        super().__init__(f"{problem} Brains here: {known}.", hint=hint)
        self.name = name
        self.existing = tuple(existing)


class BrainExistsError(LocalLensError):
    """A brain of this name is already there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"A brain called '{name}' exists already.", hint="Refresh it, delete it, or choose another name.")
        self.name = name


class FolderError(LocalLensError):
    """The folder cannot be indexed: it is missing, no folder, or holds nothing that can be read."""


class InvalidQuestionError(LocalLensError, ValueError):
    """The question is empty, or too long for the model's window."""


class InvalidSettingError(LocalLensError, ValueError):
    """A setting, flag or environment variable has a value that cannot be used."""


class StoreError(LocalLensError):
    """The store under ``.locallens`` cannot be read or written."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of LocalLens."""


class StoreBusyError(StoreError):
    """Another process is writing to the store."""


class StoreFullError(StoreError):
    """The disk is full; what was there before is intact."""


class ExchangeFormatError(LocalLensError):
    """A file to import does not follow the ``store.json`` schema."""


class ModelError(LocalLensError):
    """A model cannot do what is asked of it."""


class ModelUnavailableError(ModelError):
    """A model is neither in the local cache nor within reach, or does not fit in memory."""


class EmbeddingMismatchError(ModelError):
    """A brain was built with another embedding model than the one that is to be used with it."""


class GenerationError(ModelError):
    """The model failed while it wrote; ``partial`` is the text that had come."""

    def __init__(self, message: str, *, hint: str = "", partial: str = "") -> None:
        super().__init__(message, hint=hint)
        self.partial = partial
