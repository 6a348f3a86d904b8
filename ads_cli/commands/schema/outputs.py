"""JSON Schemas of what commands print, in each format: declared results, and records of the service."""

from collections.abc import Collection, Sequence
from functools import cache, partial
from typing import NamedTuple

from ...api.endpoint import Request
from ...api.fields import FieldType, fields_of
from ...api.names import Names
from ...api.registry import modules_of, requests_of
from ...console.results import RECORD_VERBS
from ...console.shown import Result, imported
from ...output import FORMATS
from ...output.column_types import type_of
from . import files
from .types import Definitions, Schema

ROWS = tuple(name for name, format in FORMATS.items() if format.has_columns)
CELL: Schema = {
    "type": ["string", "number", "boolean", "null"],
    "description": "A text; typed in xlsx",
}
SHOWN = {bool: "boolean", dict: "object", list: "array"}  # all else is a text or a number
COLUMN_TYPES = {"micro": ["integer", "null"], "time": ["string", "null"], "id": ["string", "integer", "null"]}
REQUEST: Schema = {
    "type": "object",
    "description": "With --dry-run: what would be sent, with secrets masked",
    "properties": {
        "method": {"enum": ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"]},
        "url": {"type": "string"},
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "body": {},
    },
    "required": ["method", "url", "headers"],
    "additionalProperties": False,
}
ENVELOPE: Schema = {
    "type": "object",
    "description": "With --envelope: the whole response of the service",
    "required": ["data"],
}


class Output(NamedTuple):
    """What a command may print: one of each, by its options."""

    documents: list[Schema]  # of json and yaml
    records: list[Schema]  # of jsonl
    columns: Sequence[str]
    key: str  # the field that `ids` shows; empty where there is none
    formats: Collection[str] = tuple(FORMATS)

    def by_format(self, command: str, definitions: Definitions) -> Schema:
        """Return the schema of a document, of a record, of a row or of an id, for each format."""
        name = command.replace(" ", "-")

        def row() -> Schema:
            cell = definitions.add("cell", lambda: CELL)
            return {"type": "object", "properties": dict.fromkeys(self.columns, cell)}

        schemas: Schema = {}
        for format in FORMATS:
            if format not in self.formats:
                continue
            if format in ROWS:
                schemas[format] = definitions.add(f"{name}-row", row)
            elif format == "jsonl":
                schemas[format] = any_of(self.records)
            elif FORMATS[format].document and format != "none":
                schemas[format] = definitions.add(f"{name}-output", lambda: any_of(self.documents))
            elif format == "ids" and self.key:
                schemas[format] = {"type": "string", "description": f"{self.key} of a record, in a line"}
        return schemas


def of_request(kind: type[Request], names: Names, definitions: Definitions) -> Schema:
    """Return the schemas of what the command of a declared request prints, by format."""
    endpoint = kind.endpoint
    record = definitions.add(_record_name(kind), lambda: _record(kind, names))
    whole = definitions.add("envelope", lambda: ENVELOPE)
    listed: Schema = {"type": "array", "items": record}
    # The data of the service is shown unchanged: one record may be a list, too.
    documents, records = [listed, record] if endpoint.lists else [record, listed], [record]
    if endpoint.mutates:
        sent = definitions.add("request", lambda: REQUEST)
        records.append(sent)
        documents += [sent, {"type": "array", "items": sent}]
    output = Output([*documents, whole], [*records, whole], endpoint.columns, endpoint.record_id)
    return output.by_format(endpoint.command, definitions)


def of_results(command: str, results: Sequence[Result], names: Names, definitions: Definitions) -> Schema:
    """Return the schemas of declared results, by format; none for what prints no records."""
    documents, records, columns = list[Schema](), list[Schema](), dict[str, None]()
    for result in results:
        declared = imported(result.record)
        if isinstance(declared, type) and issubclass(declared, Request):
            return of_request(declared, names, definitions)
        if declared in files.KINDS:
            whole = definitions.add(f"{declared}-file", partial(files.KINDS[declared], definitions))
            return dict.fromkeys(result.formats, whole)
        record = definitions.result(declared, is_open=result.is_open)
        listed: Schema = {"type": "array", "items": record} if result.is_list else record
        documents.append(definitions.result(imported(result.document)) if result.document else listed)
        records.append(record)
        columns |= dict.fromkeys(result.columns)
    if not results:
        return {}
    first = results[0]
    output = Output(documents, records, [*columns], first.key, first.formats or tuple(FORMATS))
    return output.by_format(command, definitions)


def any_of(schemas: list[Schema]) -> Schema:
    """Return the schema of what one of several describes."""
    distinct = [schema for at, schema in enumerate(schemas) if schema not in schemas[:at]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _record_name(kind: type[Request]) -> str:
    """Name the schema of a record; the commands of a group that show its records share one."""
    *group, verb = kind.endpoint.command.split()
    own = group if group and verb in RECORD_VERBS else [*group, verb]
    return "-".join((*own, "record"))


@cache
def _shown_types(group: tuple[str, ...]) -> dict[str, FieldType]:
    """Return the declared types of fields of the records of a group, by the requests that set them."""
    kinds = [kind for module in modules_of(group) for kind in requests_of(module)]
    of_group = [kind for kind in kinds if tuple(kind.endpoint.command.split()[:-1]) == group]
    setting = [kind for kind in of_group if kind.endpoint.method != "GET"]
    return {field.name: field.type for kind in setting for field in fields_of(kind)}


def _record(kind: type[Request], names: Names) -> Schema:
    """Return the schema of a record as a service sends it, which may have more fields."""
    *group, _ = kind.endpoint.command.split()
    endpoint, types = kind.endpoint, _shown_types(tuple(group))
    fields = dict.fromkeys((endpoint.record_id, *endpoint.columns, *endpoint.extra_fields))
    properties = {names.name(name): _shown(name, types.get(name)) for name in fields}
    # A plain value in place of a record is shown as its id.
    types_of_all = ["object", "string"] if not endpoint.columns else "object"
    return {"type": types_of_all, "properties": properties}


def _shown(name: str, type: FieldType | None) -> Schema:
    """Return the schema of a value of a record: the service may know more choices, and leave values empty."""
    if type is None:
        shown = COLUMN_TYPES.get(type_of(name))
        return {"type": shown} if shown else {}
    if type.structs or type.base in SHOWN:
        return {"type": ["object" if type.structs else SHOWN[type.base], "null"]}
    is_number = type.base is int or any(isinstance(choice, int) for choice in type.args)
    schema: Schema = {"type": ["string", *(["integer"] if is_number or type.is_id else []), "null"]}
    return schema | ({"examples": [*type.choices]} if type.choices else {})
