"""Print JSON Schemas: of commands, and of the files that they read."""

from pathlib import Path
from typing import Annotated

import typer

from ...config.atomic_files import atomic, check_output_path
from ...console.invocation import Invocation
from ...console.parameters import argument, option
from ...errors import UsageError
from ...output.text import as_json, counted
from ..help import service_of


def schema(
    ctx: typer.Context,
    command: Annotated[
        list[str] | None, argument("[COMMAND...]", "A command; without one, all of them in one document")
    ] = None,
    write: Annotated[
        str | None, option("FOLDER", "Write a schema of each kind of file here, for editors")
    ] = None,
) -> None:
    """Print what a command takes and gives, as JSON Schema.

    The document has its options and arguments, the files that it reads, its output in each format, its error
    and exit codes; whether it changes or destroys anything, and what it may cost. With --write it writes the
    files that editors hold YAML against: campaigns.schema.json, recipe.schema.json, fleet.schema.json,
    config.schema.json, guard.schema.json, and one for each command that takes a file of records.

    For example: adsctl schema campaigns create
    """
    from .documents import document_of, is_schema_file, schema_files

    call = Invocation.of(ctx, is_help=True)
    root, service = ctx.find_root().command, service_of(call)
    if write is None:
        document = document_of(root, service, tuple(" ".join(command or ()).split()))
        if call.printer.shows_documents:
            call.printer.show(document, (), "command")
        else:
            print(as_json(document, indent=2), file=call.out)
        return
    if command:
        raise UsageError("--write: cannot be used with a command", hint="it writes the schemas of all files")
    schemas, folder = schema_files(root, service), Path(write)
    if call.is_dry_run(f"write {counted(len(schemas), 'schema')} to {folder}"):
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--write: {folder} cannot be created: {error.strerror}") from None
    for name in schemas:
        check_output_path(
            "--write", folder / name, is_schema_file, "is no schema of adsctl", "choose another folder"
        )
    for name, document in schemas.items():
        with atomic(folder / name, is_output=True) as stream:
            stream.write(as_json(document, indent=2) + "\n")
    call.messages.say(f"{folder}: {counted(len(schemas), 'schema')}")
