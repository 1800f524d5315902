"""How much memory is free for a model, as far as the system, its containers and its GPU say.

What a model needs is estimated elsewhere. A limit that cannot be read counts as no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_CGROUP_ROOT = Path("/sys/fs/cgroup")
_PROC_ROOT = Path("/proc")


@dataclass(frozen=True, slots=True)
class Memory:
    """Free memory in bytes; ``gpu_bytes`` is that of the current CUDA device, None without one."""

    ram_bytes: int
    gpu_bytes: int | None


@dataclass(frozen=True, slots=True)
class _CgroupFiles:
    """The names that one version of control groups gives to its limits, its usage and parts of ``memory.stat``."""

    limits: tuple[str, ...]
    usage: str
    cached: tuple[str, ...]
    mapped: str


# Above memory.high the kernel slows a process down so much that it is a limit as well.
_V2 = _CgroupFiles(("memory.max", "memory.high"), "memory.current", ("inactive_file", "active_file"), "file_mapped")
_V1 = _CgroupFiles(
    ("memory.limit_in_bytes",), "memory.usage_in_bytes", ("total_inactive_file", "total_active_file"), "total_mapped_file"
)


def available_memory(*, cgroup_root: Path = _CGROUP_ROOT, proc_root: Path = _PROC_ROOT) -> Memory:
    """Return the memory that a model loaded now could take.

    RAM is the least of what the system has available, what each control group around this process leaves, and what
    the limit of its address space leaves.

    Parameters
    ----------
    cgroup_root, proc_root
        Where the control groups and the process table are mounted.
    """
    import psutil

    limits = [psutil.virtual_memory().available, *_cgroup_allowances(cgroup_root, proc_root), *_address_space_allowance()]
    return Memory(ram_bytes=max(0, min(limits)), gpu_bytes=_free_gpu_bytes())


def _cgroup_allowances(cgroup_root: Path, proc_root: Path) -> Iterator[int]:
    """Yield what each limited control group leaves, in bytes, from the process's own up to the mount."""
    try:
        entries = (proc_root / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for entry in entries:
        number, _, rest = entry.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            yield from _hierarchy_allowances(cgroup_root, path, _V2)
        elif "memory" in controllers.split(","):
            yield from _hierarchy_allowances(cgroup_root / "memory", path, _V1)


def _hierarchy_allowances(root: Path, path: str, files: _CgroupFiles) -> Iterator[int]:
    """Yield what each group on ``path`` leaves.

    A container may see the path that it has on the host while only its own group is mounted, as the root: folders
    that do not exist are passed over, and a path that leads out of the mount means its root.
    """
    parts = PurePosixPath(path.lstrip("/")).parts
    if ".." in parts:
        parts = ()
    for depth in range(len(parts), -1, -1):
        yield from _group_allowance(root.joinpath(*parts[:depth]), files)


def _group_allowance(group: Path, files: _CgroupFiles) -> Iterator[int]:
    limits = [limit for name in files.limits if (limit := _read_number(group / name)) is not None]
    usage = _read_number(group / files.usage)
    if limits and usage is not None:
        yield min(limits) - usage + _reclaimable_bytes(group, files)


def _reclaimable_bytes(group: Path, files: _CgroupFiles) -> int:
    """Return the file cache of a group that no process has mapped.

    The kernel drops cached files before it ends a process. The active ones are counted too, or weights that were just
    downloaded, checked and read would seem to fill a small container; mapped ones are not, for they may be the weights
    of a model in use. Kernel documentation: admin-guide/cgroup-v2, "memory.stat".
    """
    try:
        pairs = (line.split() for line in (group / "memory.stat").read_text(encoding="ascii").splitlines())
        counts = {name: int(value) for name, value in pairs}
    except (OSError, ValueError):
        return 0
    return max(0, sum(counts.get(name, 0) for name in files.cached) - counts.get(files.mapped, 0))


def _read_number(path: Path) -> int | None:
    """Return the number in a file; None when it says "max" or cannot be read."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _address_space_allowance() -> Iterator[int]:
    """Yield what ``ulimit -v`` leaves to this process, where there is such a limit."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    import psutil

    try:
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            yield limit - psutil.Process().memory_info().vms
    except (OSError, ValueError, psutil.Error):
        return


def _free_gpu_bytes() -> int | None:
    try:
        import torch

        return int(torch.cuda.mem_get_info()[0]) if torch.cuda.is_available() else None
    except (ImportError, OSError, RuntimeError):
        return None
