"""Ask your own private files a question from a notebook; everything runs on your machine."""

from __future__ import annotations

from importlib import import_module
from logging import NullHandler, getLogger
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from locallens_nb.dialogue import Chat
    from locallens_nb.domain import Brain, ChatAnswer, Citation, LocalDocument, Progress, SearchHit, TextChunk
    from locallens_nb.errors import LocalLensError
    from locallens_nb.locallens import LocalLensApp
    from locallens_nb.notebook.magics import load_ipython_extension
    from locallens_nb.notebook.panel import panel
    from locallens_nb.settings import Settings

__version__ = "0.1.0"

_HOMES = {
    "Brain": "domain",
    "Chat": "dialogue",
    "ChatAnswer": "domain",
    "Citation": "domain",
    "Progress": "domain",
    "LocalDocument": "domain",
    "LocalLensApp": "locallens",
    "LocalLensError": "errors",
    "SearchHit": "domain",
    "Settings": "settings",
    "TextChunk": "domain",
    "load_ipython_extension": "notebook.magics",
    "panel": "notebook.panel",
}

__all__ = [
    "Brain",
    "Chat",
    "ChatAnswer",
    "Citation",
    "LocalDocument",
    "LocalLensApp",
    "LocalLensError",
    "Progress",
    "SearchHit",
    "Settings",
    "TextChunk",
    "load_ipython_extension",
    "panel",
]

getLogger(__name__).addHandler(NullHandler())


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays fast."""
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted([*globals(), *__all__])
