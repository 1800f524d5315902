"""What each command does: call the workflow, and show or print as JSON what comes of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from locallens_nb.domain import ChatAnswer, ReportProgress, TextPiece
from locallens_nb.errors import LocalLensError
from locallens_nb.notebook.rendering import (
    CLOSEST,
    FOUND,
    NO_ANSWER,
    STOPPED,
    describe_place,
    describe_writing,
    render_brain,
    render_quotes,
    render_table,
)
from locallens_nb.notebook.sentence_marks import DOUBTS
from locallens_nb.settings import Settings, expand_home
from locallens_nb.terminal import clean, clean_line, open_progress, show, show_json, show_piece

if TYPE_CHECKING:
    from locallens_nb.answers import AnswerStream
    from locallens_nb.locallens import LocalLensApp

MakeApp = Callable[[Settings], "LocalLensApp"]
Command = Callable[[argparse.Namespace, Settings, MakeApp], int]

DONE, FAILED = 0, 1
"""Exit statuses."""


def run_ask(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Answer a question from a brain, or from a folder that is indexed for this question only."""
    from locallens_nb.locallens import require_question

    require_question(args.question)
    app = make_app(settings)
    with closing(open_progress()) as progress, _brain_to_ask(args, app, progress) as name:
        stream = app.stream_brain(name, args.question, on_progress=progress)
        answer = _read_answer(stream, progress.close, as_json=args.json)
    if args.json:
        show_json({key: value for key, value in asdict(answer).items() if key != "question"})
    else:
        _show_sources(answer)
    return DONE


@contextmanager
def _brain_to_ask(args: argparse.Namespace, app: LocalLensApp, on_progress: ReportProgress) -> Iterator[str]:
    if args.folder is None:
        yield _choose_brain(app, args.brain)
    else:
        with app.temporary_brain(args.folder, on_progress=on_progress) as brain:
            yield brain.name


def _choose_brain(app: LocalLensApp, name: str | None) -> str:
    """Return the brain that was named, else the only one there is."""
    if name is not None:
        return name
    names = [brain.name for brain in app.list_brains()]
    if not names:
        raise LocalLensError("There is no brain yet.", hint="Index a folder first: locallens index FOLDER.")
    if len(names) > 1:
        raise LocalLensError(f"There are several brains: {', '.join(names)}.", hint="Choose one with --brain.")
    return names[0]


def _read_answer(stream: AnswerStream, close_progress: Callable[[], None], *, as_json: bool) -> ChatAnswer:
    shown = False
    try:
        with closing(stream):
            for event in stream.events():
                if as_json:
                    continue
                close_progress()
                if isinstance(event, TextPiece):
                    shown = True
                    show_piece(event.text)
                elif event.quotes:
                    title = FOUND if event.is_answerable else CLOSEST
                    found = render_quotes(event.quotes, event.citations, title=title)
                    show(f"{clean(found.plain)}\n", style="dim")
    finally:
        close_progress()
        if shown:
            show_piece("\n")
    return stream.result


def _show_sources(answer: ChatAnswer) -> None:
    if not answer.answer:
        show(NO_ANSWER)
    show()
    for sentence in answer.sentences:
        if doubt := DOUBTS.get(sentence.support):
            show(clean_line(f"{doubt.capitalize()}: {sentence.text}"), style="yellow")
    for citation in answer.citations:
        show(clean_line(f"[{citation.number}] {describe_place(citation)}") + f"  similarity {citation.score:.2f}")
    if answer.also_read:
        show(clean_line(f"Also read: {', '.join(map(describe_place, answer.also_read))}"), style="dim")
    for note in describe_writing(answer):
        show(clean_line(note), style="yellow" if note in STOPPED.values() else "dim")


def run_search(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Show the excerpts that are nearest to a question."""
    app = make_app(settings)
    with closing(open_progress()) as progress:
        hits = app.search_brain(_choose_brain(app, args.brain), args.question, on_progress=progress)
    if args.json:
        show_json(hits)
        return DONE
    for number, hit in enumerate(hits, start=1):
        show(clean_line(f"[{number}] {describe_place(hit)}") + f"  similarity {hit.score:.2f}", style="bold")
        show(f"{hit.content.strip()}\n")
    return DONE


def run_index(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Index a folder under a name of its own, by default that of the folder."""
    app = make_app(settings)
    name = expand_home(args.folder).resolve().name if args.name is None else args.name
    with closing(open_progress()) as progress:
        brain = app.create_brain_from_folder(name=name, folder_path=args.folder, on_progress=progress)
    skipped, note = app.list_skipped_files(brain.name), app.describe_languages(brain.name)
    if args.json:
        show_json({"brain": brain, "skipped": skipped, "note": note})
    else:
        show(render_brain(brain, skipped, action="Indexed", note=note).plain)
    return DONE


def run_refresh(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Bring a brain up to date with its folder."""
    app = make_app(settings)
    with closing(open_progress()) as progress:
        summary = app.refresh_brain(args.name, on_progress=progress)
    skipped, note = app.list_skipped_files(args.name), app.describe_languages(args.name)
    if args.json:
        show_json({**asdict(summary), "skipped": skipped, "note": note})
        return DONE
    show(render_brain(summary.brain, skipped, action="Refreshed", note=note).plain)
    show(
        f"{len(summary.added)} added, {len(summary.changed)} changed, {len(summary.removed)} removed; "
        f"{summary.embedded_chunk_count} chunks embedded."
    )
    return DONE


def run_brains(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """List the brains of the store."""
    brains = make_app(settings).list_brains()
    if args.json:
        show_json(brains)
    elif not brains:
        show("There is no brain yet. Index a folder first: locallens index FOLDER.")
    else:
        headings = ["Name", "Files", "Chunks", "Skipped", "Indexed", "Embedding model", "Folder"]
        _show_table(
            headings,
            [
                [
                    brain.name,
                    str(brain.document_count),
                    str(brain.chunk_count),
                    str(brain.skipped_count),
                    f"{brain.indexed_at.astimezone():%Y-%m-%d %H:%M}",
                    brain.embedding_model,
                    brain.folder_path,
                ]
                for brain in brains
            ],
        )
    return DONE


def run_delete(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Delete a brain. It is not asked again whether to: the folder stays, and can be indexed again."""
    make_app(settings).delete_brain(args.name)
    if args.json:
        show_json({"deleted": args.name})
    else:
        show(f"Deleted '{args.name}'. Its folder was not touched.")
    return DONE


def run_export(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Write a brain to a store.json file."""
    try:
        file = make_app(settings).export_brain(args.name, args.file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise LocalLensError(
            f"'{args.file}' cannot be written: {error.strerror or error}.", hint="Choose another file."
        ) from error
    if args.json:
        show_json({"brain": args.name, "file": file})
    else:
        show(f"Exported '{args.name}' to {file}.")
    return DONE


def run_import(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Take in the brains of a store.json file."""
    with closing(open_progress()) as progress:
        brains = make_app(settings).import_brains(args.file, on_progress=progress)
    if args.json:
        show_json(brains)
    else:
        for brain in brains:
            show(render_brain(brain, [], action="Imported").plain)
    return DONE


def run_models(args: argparse.Namespace, settings: Settings, _make_app: MakeApp) -> int:
    """List the models, and what of them is here."""
    from rich.filesize import decimal

    from locallens_nb.models.catalogue import list_models

    models = list_models(settings)
    if args.json:
        show_json(models)
    else:
        rows = [
            [model.name, model.role, model.state, "" if model.size_bytes is None else decimal(model.size_bytes), model.note]
            for model in models
        ]
        _show_table(["Name", "Role", "State", "Size", "Note"], rows)
    return DONE


def run_fetch(args: argparse.Namespace, settings: Settings, _make_app: MakeApp) -> int:
    """Get a model onto this machine."""
    from locallens_nb.models.catalogue import fetch_model

    with closing(open_progress()) as progress:
        folder = fetch_model(args.model, settings, on_progress=progress)
    if args.json:
        show_json({"name": args.model, "path": folder})
    else:
        show(f"{args.model} is ready in {folder}.")
    return DONE


def run_doctor(args: argparse.Namespace, settings: Settings, _make_app: MakeApp) -> int:
    """Show what stands in the way of an answer; fails when something needed does."""
    from locallens_nb.doctor import diagnose

    with closing(open_progress()):
        findings = diagnose(settings)
    if args.json:
        show_json(findings)
    else:
        for finding in findings:
            show(
                clean_line(f"{'✓' if finding.ok else '!'} {finding.name}: {finding.detail}"),
                style="" if finding.ok else "yellow",
            )
            if finding.next_step:
                show(f"  {clean_line(finding.next_step)}", style="dim")
    return DONE if all(finding.ok or not finding.needed for finding in findings) else FAILED


def _show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    show(render_table(headings, [[clean_line(cell) for cell in row] for row in rows]).plain)
