"""Which process each temporary brain belongs to: a file for it is locked, and the system frees it when its holder dies."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout


class Claims:
    """The names that are claimed in a folder, by this process or by others. The caller sees to it that no two look at once.

    Parameters
    ----------
    folder
        Where the files are; it is made with the first.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, FileLock] = {}

    def hold(self, name: str) -> None:
        """Claim a name that is new, until it is released or this process ends."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._folder / f"{name}.lock", timeout=0, thread_local=False)
        lock.acquire()
        self._held[name] = lock

    def release(self, name: str) -> None:
        """Give up a name; one that is not held here stays as it is."""
        if lock := self._held.pop(name, None):
            lock.release()

    @contextmanager
    def abandoned(self) -> Iterator[Set[str]]:
        """Give the names that nobody holds any more; they are forgotten when the block ends well."""
        found: dict[Path, str] = {}
        with ExitStack() as ours:
            for path in self._folder.glob("*.lock"):
                with suppress(Timeout, OSError):  # it is held, or of another account
                    if path.stem not in self._held:
                        ours.enter_context(FileLock(path, timeout=0))
                        found[path] = path.stem
            yield frozenset(found.values())
        for path in found:
            with suppress(OSError):  # it stays for the next time
                path.unlink(missing_ok=True)
