"""The documents that `adsctl schema` prints, and the schema files of --write."""

from functools import partial
from pathlib import Path
from typing import Any

from ...console.schema_files import schema_file
from ...errors import UsageError
from ...spelling import suggestion
from . import files
from .commands import CommandSchema
from .types import DIALECT, Definitions, Schema

Words = tuple[str, ...]
SCHEMA_START = f'{{\n  "$schema": "{DIALECT}",\n  "title": "'.encode()  # of a file of --write


def document_of(root: Any, service: str, words: Words) -> Schema:
    """Describe one command, or all of a group; raise UsageError for what is neither."""
    node, definitions = _node(root, words), Definitions()
    described = {name: of.describe() for name, of in _schemas(node, words, service, definitions).items()}
    is_one = words and not hasattr(node, "commands")
    body = described[" ".join(words)] if is_one else {"commands": described}
    return {"$schema": DIALECT, **body, "$defs": dict(sorted(definitions.schemas.items()))}


def is_schema_file(path: Path) -> bool:
    """Whether a file is one of --write."""
    with path.open("rb") as file:
        return file.read(len(SCHEMA_START)) == SCHEMA_START


def schema_files(root: Any, service: str) -> dict[str, Schema]:
    """Return the schema of each kind of file, by the name of the file that holds it."""
    makers = {name: make for name, make in files.KINDS.items() if name not in files.ROWS}
    for name, of in _schemas(root, (), service, Definitions()).items():
        if of.request and "file" in of.parameters:
            makers[name.replace(" ", "-")] = partial(files.of_request, of.request)
    written = {}
    for name, make in makers.items():
        definitions = Definitions()
        schema = {"$schema": DIALECT, "title": name, **make(definitions)}
        named = {"$defs": definitions.schemas} if definitions.schemas else {}
        written[schema_file(name)] = schema | named
    return written


def _schemas(node: Any, path: Words, service: str, definitions: Definitions) -> dict[str, CommandSchema]:
    """Return what describes each command below a node, and the node itself where it is one, by name."""
    schemas = dict[str, CommandSchema]()
    if path and (not hasattr(node, "commands") or hasattr(node, "own")):
        name = " ".join(path)
        schemas[name] = CommandSchema(name, node, service, definitions)
    for name in getattr(node, "commands", ()):
        schemas |= _schemas(node.commands[name], (*path, name), service, definitions)
    return schemas


def _node(root: Any, words: Words) -> Any:
    """Return the command or the group of a path; raise UsageError with the nearest one."""
    node, path = root, list[str]()
    for word in words:
        names = list(getattr(node, "commands", ()))
        if word not in names:
            place = " ".join(("adsctl", *path))
            hint = " ".join(("adsctl", "help", *path))
            raise UsageError(f"'{place}' has no command {word!r}{suggestion(word, names)}", hint=hint)
        node = node.commands[word]
        path.append(word)
    return node
