"""The model hub: what is in its local cache, and a bounded way to fetch the rest.

Loading never goes through a hub id, only through the folder found here: so nothing connects behind our back.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from locallens_nb.domain import Progress, ReportProgress
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.settings import expand_home

PROBE_SECONDS = 5.0
_CONFIGURATIONS = ("config.json", "modules.json")
"""What transformers and sentence-transformers need one of at the top of a folder of weights."""
_NAMES_HINT = "'locallens models' lists what can be used here."
_WANTED_FILES = ["*.json", "*.jinja", "*.model", "*.safetensors", "*.txt"]


def run_bounded(call: Callable[[], Any], *, seconds: float) -> Any:
    """Return what ``call`` returns, or raise what it raises, within a time.

    Looking up a host name cannot be given a time limit, so the call runs in a daemon thread that is left behind.

    Raises
    ------
    TimeoutError
        When it takes longer.
    """
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:  # handed over to the caller's thread
            failure.append(error)

    worker = threading.Thread(target=run, name="locallens-hub-probe", daemon=True)
    worker.start()
    worker.join(seconds)
    if failure:
        raise failure[0]
    if not outcome:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return outcome[0]


def find_local(name: str) -> Path | None:
    """Return the folder or the GGUF file that a model's name stands for; None for what may be a hub id.

    Raises
    ------
    ModelUnavailableError
        When the name can only be a path and nothing is there, or no model is.
    """
    local = expand_home(name)
    is_gguf = local.suffix.lower() == ".gguf"
    if local.is_dir():
        if not any((local / file).is_file() for file in _CONFIGURATIONS):
            raise ModelUnavailableError(
                f"The folder '{name}' holds no model.",
                hint="It needs the files that transformers writes, config.json among them.",
            )
        return local
    if local.is_file():
        if not is_gguf:
            raise ModelUnavailableError(f"'{name}' is no GGUF file.", hint="Name one, or a folder of weights, or a hub id.")
        return local
    if is_gguf or name.startswith((".", "~", "/")) or "\\" in name:
        raise ModelUnavailableError(f"There is no model at '{name}'.", hint="Check the path.")
    return None


class Hub:
    """Finds models in the hub's cache and fetches missing ones; one failed contact answers for all later ones.

    Parameters
    ----------
    offline
        No connection is attempted.
    """

    def __init__(self, *, offline: bool) -> None:
        self._unreachable = "working offline" if offline else ""

    def find(self, model_id: str) -> Path | None:
        """Return the folder of a model that is complete in the local cache."""
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

        found: str | None
        try:
            found = snapshot_download(model_id, allow_patterns=_WANTED_FILES, local_files_only=True)
        except HFValidationError:
            return None
        except LocalEntryNotFoundError as error:
            # Said also of a folder into which another program fetched only what it needs, perhaps all that we need.
            found = getattr(error, "snapshot_path", None)
        folder = Path(found) if found else None
        return folder if folder and _is_complete(folder) else None

    def measure(self, model_id: str) -> int:
        """Return the size in bytes of a model's weights on the hub.

        Raises
        ------
        ModelUnavailableError
            When the hub is out of reach or has no such model.
        """
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError

        if self._unreachable:
            raise self._not_fetched(model_id)
        try:
            info = run_bounded(
                lambda: HfApi().model_info(model_id, timeout=PROBE_SECONDS, files_metadata=True), seconds=PROBE_SECONDS
            )
        except (HfHubHTTPError, HFValidationError) as error:
            raise ModelUnavailableError(
                f"The model hub does not give {model_id}: {_first_line(error)}.", hint=_NAMES_HINT
            ) from error
        except Exception as error:  # the hub's client lets the errors of its HTTP library through, whichever that is
            self._unreachable = "no model hub in reach"
            raise self._not_fetched(model_id) from error
        return sum(file.size or 0 for file in info.siblings or [] if file.rfilename.endswith(".safetensors"))

    def _not_fetched(self, model_id: str) -> ModelUnavailableError:
        return ModelUnavailableError(f"{model_id} is not in the local cache ({self._unreachable}).", hint=_NAMES_HINT)

    def fetch(self, model_id: str, *, on_progress: ReportProgress | None = None) -> Path:
        """Return the folder of a model, fetching what is missing. An interrupted fetch goes on where it stopped.

        Raises
        ------
        ModelUnavailableError
            When the hub is out of reach, has no such model, or breaks off.
        """
        from huggingface_hub import snapshot_download

        total = self.measure(model_id)
        bar = _silent_bar(on_progress, model_id, total)
        try:
            folder = snapshot_download(model_id, allow_patterns=_WANTED_FILES, tqdm_class=bar)
        except Exception as error:  # as above
            raise ModelUnavailableError(
                f"Fetching {model_id} broke off: {_first_line(error)}.", hint="Ask again: it goes on where it stopped."
            ) from error
        return Path(folder)


def _silent_bar(on_progress: ReportProgress | None, model_id: str, total: int) -> type[Any]:
    """Return a progress bar class that draws nothing and reports the bytes of the downloads that use it.

    It is not ``tqdm.auto``, which shows a widget in a notebook. Of the hub's two bars, bytes received and bytes
    written, the one that is ahead counts.
    """
    from tqdm import tqdm

    most = 0

    class ReportingBar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "file": io.StringIO(), "disable": False})

        def display(self, *_: Any, **__: Any) -> None:
            nonlocal most
            if self.unit == "B" and on_progress is not None:
                most = max(most, min(int(self.n), total))
                on_progress(Progress("fetching", most, total, model_id))

    return ReportingBar


def _is_complete(folder: Path) -> bool:
    """Return whether a folder holds a configuration, a tokenizer and all of its weights."""
    has_both = (folder / "config.json").is_file() and (folder / "tokenizer_config.json").is_file()
    return has_both and any(folder.glob("*.safetensors")) and not _has_missing_shards(folder)


def _has_missing_shards(folder: Path) -> bool:
    """Return whether an index names a file of weights that is not there, or cannot be read itself."""
    import json

    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return False
    try:
        shards = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (ValueError, KeyError, AttributeError, TypeError):
        return True
    return any(not (folder / shard).is_file() for shard in shards)


def _first_line(error: BaseException) -> str:
    """Return the first line of an error without its full stop."""
    return str(error).strip().split("\n", 1)[0].rstrip(".")
