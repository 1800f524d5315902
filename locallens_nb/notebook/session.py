"""What all front ends of one process share: one workflow, so one copy of each model, and the panels that are open."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Protocol

from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.gateway import ModelGateway
from locallens_nb.settings import Settings


class Closable(Protocol):
    """What a cell has shown and can be told to end."""

    def close(self) -> None:
        """End it."""


class Session:
    """The workflow that is in use, and which cell shows what."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._app: LocalLensApp | None = None
        self._models: ModelGateway | None = None
        self._shown: dict[str, tuple[str, list[Closable]]] = {}

    def app(self, settings: Settings | None = None) -> LocalLensApp:
        """Return the workflow of these settings.

        Without settings it is the one in use, else one that follows the environment. The models are kept as long as
        nothing but the home of the store and the strictness changes.
        """
        with self._lock:
            if self._app is not None and settings in {None, self._app.settings}:
                return self._app
            settings = settings or Settings()
            old = self._app.settings if self._app is not None else None
            kept = old is not None and replace(old, home=settings.home, strictness=settings.strictness) == settings
            if self._models is None or not kept:
                self._models = ModelGateway(settings)
            self._app = LocalLensApp(settings, models=self._models)
            return self._app

    def show_in_cell(self, shown: Closable, *, cell_id: str, run_id: str) -> None:
        """Note what a run of a cell shows, and close what earlier runs of the same cell have shown."""
        with self._lock:
            earlier_run, earlier = self._shown.get(cell_id, ("", []))
            same_run = earlier_run == run_id
            self._shown[cell_id] = (run_id, [*earlier, shown] if same_run else [shown])
        if not same_run:
            for old in earlier:
                old.close()

    def forget(self, closed: Closable) -> None:
        """Drop something that was closed."""
        with self._lock:
            for cell_id, (run_id, shown) in list(self._shown.items()):
                left = [other for other in shown if other is not closed]
                if left:
                    self._shown[cell_id] = (run_id, left)
                else:
                    del self._shown[cell_id]


SESSION = Session()
"""The one of this process."""
