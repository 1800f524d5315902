"""What becomes of the errors of the libraries that load weights: one sentence that names the model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from locallens_nb.errors import LocalLensError, ModelUnavailableError


@contextmanager
def explained_loading(name: str) -> Iterator[None]:
    """Turn whatever loading a model raises into an error that says which model it is, and why.

    Raises
    ------
    ModelUnavailableError
        When files are missing or damaged, are those of another kind of model, or do not fit in memory.
    """
    try:
        yield
    except LocalLensError:
        raise
    except Exception as error:  # damaged files make the libraries below raise anything, AttributeError too
        raise ModelUnavailableError(
            f"{name} could not be loaded: {_describe(error)}.", hint="Choose another model, or 'auto'."
        ) from error


def _describe(error: Exception) -> str:
    """Return the kind of an error and the first line of its message, without a full stop."""
    first_line = str(error).strip().partition("\n")[0].rstrip(".")
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
