"""JSON Schemas of declared types: what a command or a file may be given, and what a record is shown with."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, get_type_hints

import msgspec

from ...api.amounts import amount_names
from ...api.fields import Field, FieldType, fields_of
from ...api.names import VALUES, X
from ...api.parts import FILE_NAMES

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
WHOLE_NUMBER = "^[+-]?[0-9]+$"
AMOUNT: Schema = {
    "type": ["number", "string"],
    "exclusiveMinimum": 0,
    "pattern": r"^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)$",
    "description": "In units of the currency, as in 1.50",
}
# YAML reads a text such as 2026 or true as another type, and every file of ours has texts only.
TEXT = ["string", "number", "boolean"]
PLAIN_TYPES: dict[Any, Any] = {bool: "boolean", float: ["number", "string"], dict: "object"}
LIMITS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum"}


class Definitions:
    """The schemas of one document that others refer to, by name."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def add(self, name: str, make: Callable[[], Schema]) -> Schema:
        """Refer to a schema, which is made where it is new."""
        if name not in self.schemas:
            self.schemas[name] = {}  # it may refer to itself
            self.schemas[name] = make()
        return {"$ref": f"#/$defs/{name}"}

    def result(self, record: Any, *, is_open: bool = False) -> Schema:
        """Refer to the schema of a record of our own; unless it `is_open`, it has no other fields."""
        if isinstance(record, type) and hasattr(record, "_fields"):  # msgspec writes a NamedTuple as a list
            record = msgspec.defstruct(record.__name__, [*get_type_hints(record).items()])
        (schema,), parts = msgspec.json.schema_components([record], ref_template="#/$defs/{name}")
        for name, part in parts.items():
            if "properties" in part and not is_open:
                part["additionalProperties"] = False
            assert self.schemas.setdefault(name, part) == part, name  # each name is of one record
        return schema

    def field(self, field: Field) -> Schema:
        """Return the schema of what a field may be given."""
        schema = self.value(field.type, field.name)
        if field.help:
            schema = {**schema, "description": field.help}
        default = field.type.extra("default") if field.default is None else field.default
        return schema if default is None else {**schema, "default": default}

    def value(self, type: FieldType, name: str = "") -> Schema:
        """Return the schema of a value that is given; numbers and lists may be texts, as in a table.

        The choices of the field of a `name` may have those that the platform has for them.
        """
        base = type.base
        if type.structs:
            refs = [self.add(struct.__name__, partial(self.struct, struct)) for struct in type.structs]
            return refs[0] if len(refs) == 1 else {"anyOf": refs}
        if base is list:
            items: Schema = {"type": "array", "items": self.value(type.item, name), **_lengths(type, "Items")}
            if not type.is_comma_list:
                return items
            return {"anyOf": [items, {"type": ["string", "number"], "description": "Separated by commas"}]}
        if type.extra("by_service"):  # a record may have other choices than are sent
            return {"type": TEXT, "examples": [*type.args]}
        if type.choices:
            wire = VALUES.get(name, {})
            return {"enum": [*type.args, *(wire[choice] for choice in type.args if choice in wire)]}
        if base is int:
            return {"type": ["integer", "string"], "pattern": WHOLE_NUMBER, **_limits(type)}
        if base is str or type.is_time:
            return self._text(type)
        return {"type": PLAIN_TYPES[base]} if base in PLAIN_TYPES else {}

    def _text(self, type: FieldType) -> Schema:
        schema: Schema = {"type": TEXT, **_lengths(type, "Length")}
        if pattern := _portable(type.limit("pattern") or ""):
            schema["pattern"] = pattern
        if seen := type.extra("seen"):
            schema["examples"] = [*seen]
        return schema

    def struct(self, struct: type[msgspec.Struct]) -> Schema:
        """Return the schema of an object, by the names of both services."""
        config = struct.__struct_config__
        fields = fields_of(struct)
        properties = self.properties(fields)
        required = [field.name for field in fields if field.required]
        if config.tag_field:
            properties = {config.tag_field: {"const": config.tag}, **properties}
            required = [config.tag_field, *required]
        if files := [FILE_NAMES[field.name] for field in fields if field.name in FILE_NAMES]:
            properties |= dict.fromkeys(files, file_schema())
        # What has two names is required under one of them.
        required = [name for name in required if X.name(name) == name and name not in FILE_NAMES]
        named = {"required": required} if required else {}
        return {"type": "object", "properties": properties, **named, "additionalProperties": False}

    def properties(self, fields: Iterable[Field]) -> dict[str, Schema]:
        """Return the schemas of fields by each name that a file may have for them."""
        properties: dict[str, Schema] = {}
        for field in fields:
            if field.type.extra("money"):
                properties |= dict.fromkeys(amount_names(field.name), AMOUNT)
            properties[field.name] = schema = self.field(field)
            if (wire := X.name(field.name)) != field.name:
                properties[wire] = {**schema, "description": f"{field.name}, as the platform names it"}
        return properties


def file_schema() -> Schema:
    """Return the schema of what names one file of media, or several."""
    names: Schema = {"type": "string", "minLength": 1}
    about = "Files or addresses, uploaded first; from the folder of this file"
    return {"anyOf": [names, {"type": "array", "items": names}], "description": about}


def or_null(schema: Schema) -> Schema:
    """Return a schema of what may be empty."""
    return {"anyOf": [schema, {"type": "null"}]}


def _limits(type: FieldType) -> Schema:
    return {key: value for name, key in LIMITS.items() if (value := type.limit(name)) is not None}


def _lengths(type: FieldType, unit: str) -> Schema:
    lengths = {"min": type.limit("min_length"), "max": type.limit("max_length")}
    return {f"{end}{unit}": value for end, value in lengths.items() if value is not None}


def _portable(pattern: str) -> str:
    r"""Write a pattern of Python as JavaScript reads it; empty where it says what that cannot.

    It has neither \Z nor inline flags, possessive quantifiers and needless escapes.
    """
    pattern = pattern.replace(r"\Z", "$").replace("(?i:https?)", "[Hh][Tt][Tt][Pp][Ss]?")
    return "" if re.search(r"[*+?}]\+|\(\?[a-zP>]|\\[\"AZ]", pattern) else pattern
