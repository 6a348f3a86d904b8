"""What a command takes and gives, by its declarations. `adsctl schema` prints it, and assistants read it."""

from collections.abc import Collection
from functools import cached_property, partial
from inspect import getdoc
from typing import Any

from ...api.endpoint import Request
from ...api.events import PRICES, PRICES_FROM
from ...api.fields import Field, fields_by_name, marked_fields
from ...api.names import SERVICES
from ...api.spending import status_field, update_of_activation
from ...client.writes import ROW_ACTIONS, is_upload, subject_of
from ...console.help_texts import summary_line
from ...console.options import ALL_OPTIONS, CHOICES
from ...console.parameters import Argument, Choice, WholeNumber
from ...errors import (
    DIFFERENCES_FOUND,
    EXIT_CODES,
    AccessError,
    AdsctlError,
    ContentError,
    IncompleteError,
    NotConfirmedError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    StateError,
    UnavailableError,
    UsageError,
)
from ...spelling import as_name
from . import files
from .effects import AS_OTHERS, COMPARISONS, EFFECTS, INCOMPLETE, Effects, is_offline
from .outputs import of_request, of_results
from .types import Definitions, Schema

# Any command may read a file, and ask before it replaces one.
LOCAL_ERRORS = (AdsctlError, UsageError, ContentError, NotFoundError, StateError, NotConfirmedError)
LOCAL_CODES = (0, *(kind.exit_code for kind in LOCAL_ERRORS))
SERVICE_CODES = tuple(
    kind.exit_code for kind in (AccessError, RefusedError, RateLimitedError, UnavailableError)
)
CHARGED = ("events subscribe", "events listen")  # commands with which the service charges for what it sends
STAND_INS = {"file", "where"}  # parameters that may stand for what is required otherwise
IN_PART = {"skip_invalid", "failed_out", "max_errors", "where"}  # parameters of what may be done in part


class Parameter:
    """An option or an argument of a command, with the declared field that it sets."""

    def __init__(self, param: Any, field: Field | None) -> None:
        self.param, self.field = param, field

    @property
    def is_argument(self) -> bool:
        """Whether it is given by its place."""
        return isinstance(self.param, Argument)

    @property
    def name(self) -> str:
        """The name of its value: that of its field, or as it is typed."""
        if self.field:
            return self.field.name
        typed = self.param.long_names
        return as_name(typed[0]) if typed else str(self.param.name).rstrip("_")

    @property
    def required(self) -> bool:
        """Whether the command cannot be run without it."""
        return bool(self.field.required if self.field else self.param.required)

    def schema(self, definitions: Definitions) -> Schema:
        """Return the schema of its value, with how it is typed."""
        param, field = self.param, self.field
        schema = self._of_field(field, definitions) if field else self._of_convert()
        if help := field.help if field else param.help:
            schema["description"] = help
        schema["x-typed"] = param.metavar
        if not self.is_argument:
            schema["x-typed"] = ", ".join((*param.opts, *param.secondary_opts))
        return schema

    def _of_field(self, field: Field, definitions: Definitions) -> Schema:
        """Return the schema of a declared field, which an option may have as JSON, and an argument often."""
        schema = definitions.field(field)
        if field.type.is_nested:
            return {"anyOf": [schema, {"type": "string", "description": "As JSON, or @FILE"}]}
        if self.is_argument and self.param.nargs == -1:
            return {"anyOf": [schema, {"type": "array", "items": schema}]}
        return schema

    def _of_convert(self) -> Schema:
        """Return the schema of what the command line converts."""
        param, convert = self.param, self.param.convert
        if getattr(param, "is_flag", False):
            return {"type": "boolean"}
        schema: Schema = {"type": ["string", "number"]}
        if isinstance(convert, Choice):
            schema = {"enum": [*convert.names]}
        elif isinstance(convert, WholeNumber):
            limits = {"minimum": convert.least, "maximum": convert.most}
            schema = {"type": "integer"} | {key: limit for key, limit in limits.items() if limit is not None}
        if getattr(param, "multiple", False) or param.nargs == -1:
            schema = {"type": "array", "items": schema}
        if param.offers and "enum" not in schema:
            schema["examples"] = [*param.offers]
        if param.show_default and param.default not in (None, False):
            schema["default"] = param.default
        return schema


class CommandSchema:
    """Describes one command for a service; `definitions` are what its schemas share with others."""

    def __init__(self, name: str, command: Any, service: str, definitions: Definitions) -> None:
        self.name, self.definitions, self._service = name, definitions, service
        self._command = getattr(command, "own", command)  # of a group that is a command too
        self.request: type[Request] | None = None  # the declared one; None of a custom command
        if hasattr(command, "request_for"):
            self.request = command.request_for(service)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The options and arguments by name, without the common options."""
        command, request, fields = self._command, self.request, dict[str, Field]()
        if request:
            fields = dict(fields_by_name(request))
        parameters = (
            Parameter(param, fields.get(command.name_for(request, param) if request else param.name))
            for param in command.params
            if param.expose_value and not getattr(param, "is_alias", False)
        )
        return {parameter.name: parameter for parameter in parameters}

    @property
    def effects(self) -> Effects:
        """What it changes, destroys and may spend."""
        return effects_of(self.request) if self.request else EFFECTS.get(self.name, Effects())

    def describe(self) -> Schema:
        """Describe the command."""
        input = self.input()
        common = self.definitions.add("common-options", common_options)
        input |= {"allOf": [common], "unevaluatedProperties": False}
        read, posted = self._files(), getattr(getattr(self._command, "function", None), "posted", None)
        codes = {str(code): EXIT_CODES[code] for code in sorted(self._exit_codes())}
        return {
            **self.facts(),
            "example": self._command.example,
            "input": input,
            **({"files": read} if read else {}),
            "output": self.output(),
            **({"posts": self.definitions.result(posted)} if posted else {}),
            "error": self.definitions.add("error", _error),
            "exit_codes": codes,
        }

    def facts(self) -> Schema:
        """Say what the command is for, and what it may do."""
        effects, about = self.effects, Schema()
        if self.request:
            endpoint = self.request.endpoint
            about["endpoint"] = f"{endpoint.method} {endpoint.path}"
            if endpoint.confirm_prompt:
                about["asks"] = endpoint.confirm_prompt
        return {
            "command": self.name,
            "summary": summary_line(self._command),
            "help": str(getdoc(self.request) if self.request else self._command.help),
            "changes": [*effects.changes],
            "destructive": effects.is_destructive,
            "cost": _cost(self.name, effects),
            **about,
        }

    def input(self, names: Collection[str] | None = None) -> Schema:
        """Return the schema of the options and arguments by name: of some, or of all."""
        chosen = {name: of for name, of in self.parameters.items() if names is None or name in names}
        own = {name: parameter.schema(self.definitions) for name, parameter in chosen.items()}
        schema: Schema = {"type": "object", "properties": own}
        required = [name for name, parameter in chosen.items() if parameter.required]
        if required and chosen.keys().isdisjoint(STAND_INS):
            schema["required"] = required
        return schema

    def output(self) -> Schema:
        """Return the schemas of what the command prints, by format."""
        names = SERVICES[self._service]
        if self.request:
            return of_request(self.request, names, self.definitions)
        results = getattr(self._command.function, "results", ())
        return of_results(self.name, results, names, self.definitions)

    def columns(self) -> list[str]:
        """Name the columns of what the command prints."""
        if self.request:
            return [*self.request.endpoint.columns]
        results = getattr(self._command.function, "results", ())
        return [*dict.fromkeys(column for result in results for column in result.columns)]

    def _files(self) -> Schema:
        """Return the schemas of the files that parameters name, by parameter."""
        if self.request and "file" in self.parameters:
            return {"file": files.of_request(self.request, self.definitions)}
        return {
            parameter: self.definitions.add(f"{kind}-file", partial(files.KINDS[kind], self.definitions))
            for parameter, kind in files.kinds_of(self.name).items()
            if parameter in self.parameters
        }

    def _exit_codes(self) -> set[int]:
        """Return the exit codes that the command may end with."""
        if self.name in AS_OTHERS:
            return {*EXIT_CODES}
        codes = {*LOCAL_CODES}
        if self.name in COMPARISONS:
            codes.add(DIFFERENCES_FOUND)
        if not is_offline(self.name):
            codes |= {*SERVICE_CODES}
        is_run = self.request is None and self.effects.changes
        if is_run or self.name in INCOMPLETE or not self.parameters.keys().isdisjoint(IN_PART):
            codes.add(IncompleteError.exit_code)
        return codes


def effects_of(kind: type[Request]) -> Effects:
    """Return what a declared request changes, destroys and may spend."""
    endpoint = kind.endpoint
    if not endpoint.changes:
        return Effects()
    update = update_of_activation(kind)
    spends = update is not None or any(marked_fields(kind, mark) for mark in ("spends", "limit", "new_ad"))
    actions = ROW_ACTIONS if is_upload(endpoint) and endpoint.method == "PUT" else {endpoint.action}
    activates = ["activate"] if update or status_field(kind) else []
    words = (*sorted(actions), *activates, subject_of(endpoint.command))
    return Effects(tuple(filter(None, words)), endpoint.method == "DELETE", spends)


def _cost(name: str, effects: Effects) -> Schema:
    """Return whether a command may spend money of the account, and what the service charges for it."""
    charges: Schema | None = None
    if name in CHARGED:
        about = f"US dollars for a delivered event of a kind, by the prices of {PRICES_FROM}"
        charges = {"description": about, "by_kind": PRICES}
    return {"may_spend": effects.may_spend, "charges": charges}


def common_options() -> Schema:
    """Return the schema of the options that every command has; --catalog is of products alone."""
    properties: dict[str, Schema] = {}
    for option in ALL_OPTIONS:
        kind: Schema = {"type": ["string", "number"] if option.metavar else "boolean"}
        choices = CHOICES.get(option.name)
        own = {"enum": [*choices]} if choices else kind
        properties[option.name] = own | {"description": option.help, "x-typed": option.typed}
    return {"type": "object", "properties": properties}


def _error() -> Schema:
    """Return the schema of the line that `-o json` writes on standard error where a command fails."""
    text: Schema = {"type": ["string", "null"]}
    own: dict[str, Schema] = {
        "code": {"type": "string"},
        "exit_code": {"type": "integer"},
        "http_status": {"type": ["integer", "null"]},
        "api_code": {"type": ["integer", "string", "null"]},
        "message": {"type": "string"},
        "hint": text,
        "retryable": {"type": "boolean"},
    }
    error = {"type": "object", "properties": own, "required": [*own], "additionalProperties": False}
    return {"type": "object", "properties": {"error": error}, "required": ["error"]}
