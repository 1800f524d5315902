"""Keeping other libraries quiet: no progress bars and no advice in the notebook, and nothing fetched unasked."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import logging
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Silence transformers while a model loads, and put everything back as the user had it."""
    from transformers.utils import logging as transformers_logging

    verbosity = transformers_logging.get_verbosity()
    had_bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if had_bars:
            transformers_logging.enable_progress_bar()


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
