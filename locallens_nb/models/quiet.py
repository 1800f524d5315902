"""Keeping other libraries quiet: no progress bars and no advice in the notebook, and nothing fetched unasked."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import logging
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from typing import Any

_WEIGHTS_BAR = "Loading weights"


@contextlib.contextmanager
def quiet_transformers(on_weights: Callable[[int, int], object] | None = None) -> Iterator[None]:
    """Silence transformers while a model loads, and put everything back as the user had it.

    Parameters
    ----------
    on_weights
        Told, in this thread, how many of how many weights have been loaded, where this version of transformers says so.
    """
    from transformers.utils import logging as transformers_logging

    verbosity = transformers_logging.get_verbosity()
    had_bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        with _watched_bars(transformers_logging, on_weights):
            yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if had_bars:
            transformers_logging.enable_progress_bar()


@contextlib.contextmanager
def _watched_bars(transformers_logging: Any, on_weights: Callable[[int, int], object] | None) -> Iterator[None]:
    """Report the steps of the progress bar of the weights, which is not shown."""
    set_hook = getattr(transformers_logging, "set_tqdm_hook", None)
    if set_hook is None or on_weights is None:
        yield
        return
    loads_here = threading.get_ident()

    def make_bar(make: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if options.get("desc") == _WEIGHTS_BAR and arguments and threading.get_ident() == loads_here:
            arguments = (_report_steps(arguments[0], on_weights), *arguments[1:])
        return make(*arguments, **options)

    before = set_hook(make_bar)
    try:
        yield
    finally:
        set_hook(before)


def _report_steps(steps: Collection[Any], on_step: Callable[[int, int], object]) -> Iterator[Any]:
    for done, step in enumerate(steps):
        on_step(done, len(steps))
        yield step


def import_bitsandbytes() -> bool:
    """Import bitsandbytes if it is installed, and return whether it is. Whoever needs it comes through here first.

    Where the package ``kernels`` is installed too, the import would fetch a kernel from the model hub and run it, and
    where not, advise to install it. It works without: so its advice is not shown, and ``kernels`` not found meanwhile.
    """
    if importlib.util.find_spec("bitsandbytes") is None:
        return False
    logger = logging.getLogger("bitsandbytes")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with _hidden("kernels"):
            importlib.import_module("bitsandbytes")
    finally:
        logger.setLevel(level)
    return True


@contextlib.contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Let every attempt to import a package fail, as if it were not installed."""
    modules: dict[str, Any] = sys.modules
    found = modules.get(package)
    modules[package] = None
    try:
        yield
    finally:
        del modules[package]
        if found is not None:
            modules[package] = found
