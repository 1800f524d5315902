"""The ``%locallens`` magic: parse a line, call the workflow, show what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display
from rich.filesize import decimal
from traitlets import Unicode, observe

from locallens_nb.dialogue import Chat
from locallens_nb.doctor import Finding, diagnose
from locallens_nb.domain import Brain, ChatAnswer, RefreshSummary, SearchHit
from locallens_nb.errors import BrainNotFoundError
from locallens_nb.locallens import LocalLensApp, require_question
from locallens_nb.models.catalogue import ModelStatus, list_models
from locallens_nb.notebook.answer_rendering import render_answer
from locallens_nb.notebook.live import LiveOutput
from locallens_nb.notebook.parsing import HELP, Arguments, LocalLensLine, parse_arguments
from locallens_nb.notebook.rendering import (
    Listing,
    Rendering,
    describe_place,
    render_brain,
    render_code,
    render_text,
)
from locallens_nb.notebook.session import SESSION
from locallens_nb.settings import Settings, expand_home, parse_strictness

if TYPE_CHECKING:
    from locallens_nb.notebook.panel import Panel

_STOPPED = "Stopped."
_STOPPED_INDEXING = "Stopped. What was embedded is kept: the same command goes on from there."
_EXCERPT_CHARACTERS = 160

_T = TypeVar("_T")


class StoppedByPersonError(KeyboardInterrupt):
    """A kernel interrupt that was handled: one line in the notebook, and the cells after it do not run."""

    def _render_traceback_(self) -> list[str]:
        return [f"LocalLens: {self}"]


@magics_class
class LocalLensMagics(Magics):
    """``%locallens`` in one shell.

    Parameters
    ----------
    shell
        The shell that the magic belongs to.
    app
        The workflow; by default one that follows the environment and the traits below.
    """

    home = Unicode("", help="Folder of the store; LOCALLENS_HOME or .locallens when empty.").tag(config=True)
    chat_model = Unicode("", help="Chat model; LOCALLENS_CHAT_MODEL or the ladder when empty.").tag(config=True)
    embedding_model = Unicode("", help="Embedding model; LOCALLENS_EMBEDDING_MODEL when empty.").tag(config=True)

    strictness = Unicode("", help="How readily a question is refused; LOCALLENS_STRICTNESS when empty.").tag(config=True)

    def __init__(self, shell: InteractiveShell, app: LocalLensApp | None = None, **traits: Any) -> None:
        super().__init__(shell, **traits)
        self._app = app
        self._brain_in_use = ""
        self._chats: dict[str, Chat] = {}
        self._already_shown: object = None
        formatter: Any = shell.display_formatter and shell.display_formatter.ipython_display_formatter
        for kind in (ChatAnswer, Brain, RefreshSummary):
            formatter.for_type(kind, self._display_result)

    @observe("home", "chat_model", "embedding_model", "strictness")
    def _forget_app(self, _change: Any) -> None:
        self._app = None
        self._chats = {}

    @property
    def app(self) -> LocalLensApp:
        """The workflow, made when it is first needed."""
        if self._app is None:
            traits = ("home", "chat_model", "embedding_model", "strictness")
            named: dict[str, Any] = {trait: getattr(self, trait) for trait in traits if getattr(self, trait)}
            if self.strictness:
                with suppress(ValueError):  # the settings say what is wrong with it
                    named["strictness"] = parse_strictness(self.strictness)
            self._app = SESSION.app(Settings(**named))
        return self._app

    @no_var_expand
    @line_cell_magic
    def locallens(self, line: str = "", cell: str | None = None) -> Any:
        """Ask your own files a question; ``%locallens help`` lists the commands."""
        arguments = parse_arguments(line, cell)
        try:
            return _HANDLERS[arguments.command](self, arguments)
        except KeyboardInterrupt:
            raise StoppedByPersonError(_STOPPED_INDEXING if arguments.command in {"index", "refresh"} else _STOPPED) from None

    def _index(self, arguments: Arguments) -> Brain:
        if not arguments.text:
            raise UsageError("Which folder? %locallens index PATH [--name NAME]")
        name = arguments.name or expand_home(arguments.text).resolve().name
        with self._live_output("Nothing was indexed.") as live:
            brain = self.app.create_brain_from_folder(name=name, folder_path=arguments.text, on_progress=live.report)
            self._brain_in_use = brain.name
            note = self.app.describe_languages(brain.name)
            live.finish(render_brain(brain, self.app.list_skipped_files(brain.name), action="Indexed", note=note))
        return self._shown(brain)

    def _refresh(self, arguments: Arguments) -> RefreshSummary:
        with self._live_output("The brain is as it was.") as live:
            summary = self.app.refresh_brain(self._choose_brain(arguments.text), on_progress=live.report)
            live.finish(self._render_refresh(summary))
        return self._shown(summary)

    def _ask(self, arguments: Arguments) -> ChatAnswer:
        require_question(arguments.text)
        with self._live_output("No answer.") as live:
            chat = self._chat_with(self._choose_brain(arguments.brain))
            if arguments.command == "ask":
                chat.clear()
            stream = chat.stream(arguments.text, on_progress=live.report)
            live.show_stream(stream)
        return self._shown(stream.result)

    def _search(self, arguments: Arguments) -> Listing[SearchHit]:
        require_question(arguments.text)
        hits = self.app.search_brain(self._choose_brain(arguments.brain), arguments.text)
        columns: dict[str, Callable[[SearchHit], object]] = {
            "similarity": lambda hit: f"{hit.score:.2f}",
            "source": describe_place,
            "excerpt": lambda hit: " ".join(hit.content.split())[:_EXCERPT_CHARACTERS],
        }
        return Listing(hits, columns, empty="Nothing was found.")

    def _panel(self, arguments: Arguments) -> Panel:
        from locallens_nb.notebook.panel import panel  # the other commands work where there are no widgets

        return panel(self.app, brain=arguments.text or self._brain_in_use)

    def _brains(self, _arguments: Arguments) -> Listing[Brain]:
        columns: dict[str, Callable[[Brain], object]] = {
            "brain": lambda brain: brain.name,
            "files": lambda brain: brain.document_count,
            "skipped": lambda brain: brain.skipped_count,
            "chunks": lambda brain: brain.chunk_count,
            "indexed": lambda brain: f"{brain.indexed_at.astimezone():%Y-%m-%d %H:%M}",
            "folder": lambda brain: brain.folder_path,
            "embedding model": lambda brain: brain.embedding_model,
        }
        return Listing(self.app.list_brains(), columns, empty="There is no brain yet. Make one: %locallens index PATH")

    def _use(self, arguments: Arguments) -> Rendering:
        self._brain_in_use = self.app.get_brain(arguments.text).name
        return render_text(f"Questions now go to '{self._brain_in_use}'.")

    def _delete(self, arguments: Arguments) -> Rendering:
        self.app.delete_brain(arguments.text)
        if self._brain_in_use == arguments.text:
            self._brain_in_use = ""
        return render_text(f"Deleted '{arguments.text}'. Its folder was not touched.")

    def _status(self, _arguments: Arguments) -> Listing[tuple[str, str]]:
        settings = self.app.settings
        brains = [brain.name for brain in self.app.list_brains()]
        rows = [
            ("brain in use", self._brain_in_use or (brains[0] if len(brains) == 1 else "none chosen")),
            ("brains", ", ".join(brains) or "none"),
            ("store", str(settings.home)),
            ("models", str(settings.cache_folder)),
            ("chat model", settings.chat_model),
            ("embedding model", settings.embedding_model),
            ("offline", "yes" if settings.offline else "no"),
        ]
        return Listing(rows, {"what": lambda row: row[0], "value": lambda row: row[1]}, empty="")

    def _models(self, _arguments: Arguments) -> Listing[ModelStatus]:
        columns: dict[str, Callable[[ModelStatus], object]] = {
            "model": lambda model: model.name,
            "role": lambda model: model.role,
            "state": lambda model: model.state,
            "size": lambda model: decimal(model.size_bytes) if model.size_bytes else "",
            "note": lambda model: model.note,
        }
        return Listing(list_models(self.app.settings), columns, empty="")

    def _doctor(self, _arguments: Arguments) -> Listing[Finding]:
        columns: dict[str, Callable[[Finding], object]] = {
            "": lambda finding: "✓" if finding.ok else "!",
            "check": lambda finding: finding.name,
            "found": lambda finding: finding.detail,
            "next step": lambda finding: finding.next_step,
        }
        return Listing(diagnose(self.app.settings), columns, empty="")

    def _help(self, _arguments: Arguments) -> Rendering:
        return render_code(HELP)

    def _chat_with(self, brain: str) -> Chat:
        """Return the conversation with a brain, which every ask begins anew and every follow goes on with."""
        if brain not in self._chats:
            self._chats[brain] = self.app.chat(brain)
        return self._chats[brain]

    def _choose_brain(self, named: str) -> str:
        """Return the brain that a command is about: named, in use, or the only one.

        Raises
        ------
        BrainNotFoundError
            When it is not clear which, or the one that was named does not exist.
        """
        if named:
            return self.app.get_brain(named).name
        names = [brain.name for brain in self.app.list_brains()]
        if self._brain_in_use in names:
            return self._brain_in_use
        if len(names) == 1:
            return names[0]
        raise BrainNotFoundError("", names)

    def _live_output(self, failure: str) -> LiveOutput:
        return LiveOutput(updates=hasattr(self.shell, "kernel"), failure=render_text(failure))

    def _shown(self, result: _T) -> _T:
        """Return a result that is on the screen already, so that IPython does not show it a second time."""
        self._already_shown = result
        return result

    def _forget_shown(self, *_: object) -> None:
        self._already_shown = None

    def _display_result(self, result: ChatAnswer | Brain | RefreshSummary) -> None:
        """Show a result of ours as the value of a cell (an IPython display formatter)."""
        if result is self._already_shown:
            return
        if isinstance(result, ChatAnswer):
            rendering = render_answer(result)
        elif isinstance(result, RefreshSummary):
            rendering = self._render_refresh(result)
        else:
            rendering = render_brain(result, (), action="Brain")
        display(rendering.mime_bundle(), raw=True)

    def _render_refresh(self, summary: RefreshSummary) -> Rendering:
        return render_brain(
            summary.brain,
            self.app.list_skipped_files(summary.brain.name),
            action=f"{len(summary.added)} added, {len(summary.changed)} changed, {len(summary.removed)} removed; "
            f"{summary.embedded_chunk_count} chunks embedded. Refreshed",
            note=self.app.describe_languages(summary.brain.name),
        )


_HANDLERS: dict[str, Callable[[LocalLensMagics, Arguments], Any]] = {
    "index": LocalLensMagics._index,
    "ask": LocalLensMagics._ask,
    "follow": LocalLensMagics._ask,
    "search": LocalLensMagics._search,
    "panel": LocalLensMagics._panel,
    "brains": LocalLensMagics._brains,
    "use": LocalLensMagics._use,
    "refresh": LocalLensMagics._refresh,
    "delete": LocalLensMagics._delete,
    "status": LocalLensMagics._status,
    "models": LocalLensMagics._models,
    "doctor": LocalLensMagics._doctor,
    "help": LocalLensMagics._help,
}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magic: ``%load_ext locallens_nb``."""
    magics = LocalLensMagics(shell)
    shell.register_magics(magics)
    shell.events.register("pre_run_cell", magics._forget_shown)
    transformers = shell.input_transformer_manager.token_transformers
    if LocalLensLine not in transformers:
        transformers.append(LocalLensLine)
