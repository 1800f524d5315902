"""What a cosine similarity says with one embedding model or another. Pure: vectors come from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Gives a unit vector for each text, float32, shape ``(len(texts), dimension)``."""

UNRELATED_SENTENCES = (
    "The soup needs another ten minutes on a low flame.",
    "Parliament voted against the new tax on Thursday.",
    "Each moon of Jupiter was named after a figure of mythology.",
    "Press the reset button for five seconds to restart the router.",
    "He missed the penalty in the last minute of the match.",
    "The violin was built in Cremona around 1720.",
    "Patients should take the tablets with plenty of water.",
    "Wolves returned to the valley after a hundred years.",
)


def measure_unrelated(embed: Embed) -> float:
    """Return the mean cosine similarity that a model gives to sentences about different things.

    Measured: 0.02 with all-MiniLM-L6-v2, 0.78 with multilingual-e5-small, whose vectors all lie in one direction.
    """
    vectors = np.asarray(embed(UNRELATED_SENTENCES), dtype=np.float64)
    pairs = np.triu_indices(len(vectors), k=1)
    return float((vectors @ vectors.T)[pairs].mean())


def rescale(similarity: NDArray[Any], unrelated: float) -> NDArray[np.float64]:
    """Return similarities on a scale that is the same for all models: 0 for unrelated texts and less, 1 for equal ones."""
    span = max(1.0 - unrelated, 1e-6)
    scaled: NDArray[np.float64] = np.clip((np.asarray(similarity, dtype=np.float64) - unrelated) / span, 0.0, 1.0)
    return scaled
