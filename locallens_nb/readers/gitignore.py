"""Read ``.gitignore`` files and say which paths they leave out."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one ``.gitignore``, which hold below ``folder``, an absolute path."""

    folder: str
    spec: GitIgnoreSpec


def read_rules(folder: Path | str) -> tuple[IgnoreRules, ...]:
    """Return the rules of the folder's own ``.gitignore``: one, or none when it has no readable one."""
    path = Path(folder, ".gitignore")
    try:
        status = path.lstat()
        # As in git, a link does not count; and opening a pipe would wait for its other end.
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return ()
        lines = path.read_bytes().decode("utf-8-sig", "replace").splitlines()
    except OSError:
        return ()
    return (IgnoreRules(str(folder), GitIgnoreSpec.from_lines(filter(_is_valid, lines))),)


def read_rules_above(root: Path | str) -> tuple[IgnoreRules, ...]:
    """Return the rules of the folders above ``root``, an absolute path, up to the top of its git work tree.

    Returns
    -------
    tuple[IgnoreRules, ...]
        Outermost first; empty outside of a git work tree, and when they ignore ``root`` itself.
    """
    folders = [Path(root), *Path(root).parents]
    depth = next((depth for depth, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    rules: tuple[IgnoreRules, ...] = ()
    for outer, inner in zip(folders[depth:0:-1], folders[depth - 1 :: -1] if depth else (), strict=True):
        rules += read_rules(outer)
        if is_ignored(str(inner), is_folder=True, rules=rules):
            return ()
    return rules


def is_ignored(path: str, *, is_folder: bool, rules: tuple[IgnoreRules, ...]) -> bool:
    """Return what the innermost rules that name ``path`` say, as git does; a folder above it is not considered.

    Parameters
    ----------
    path
        Absolute path below the folders of all the rules.
    rules
        Outermost first.
    """
    for rule in reversed(rules):
        name = Path(path).relative_to(rule.folder).as_posix()
        verdict = rule.spec.check_file(f"{name}/" if is_folder else name).include
        if verdict is not None:
            return verdict
    return False


def _is_valid(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
