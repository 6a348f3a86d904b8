"""The declared fields of a Struct: types, limits and help, read from its annotations.

msgspec.inspect cannot be used: it sorts the choices of a Literal, and drops the annotations with which single
items are converted.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, Meta

from ..spelling import as_option
from .time import HourOrDay, Time
from .values import comparable_form


class FieldType(msgspec.Struct, frozen=True, dict=True):
    """A type with its limits: `base` is str, int, bool, list, Literal, a Struct class or a Union of them."""

    annotation: Any
    base: Any
    metas: tuple[Meta, ...]  # the outermost last
    args: tuple[Any, ...]

    def limit(self, name: str) -> Any:
        """Return an attribute of msgspec.Meta (`max_length`, `ge`, `description`, ...), or None."""
        values = (getattr(meta, name) for meta in reversed(self.metas))
        return next((value for value in values if value is not None and value is not UNSET), None)

    def extra(self, name: str) -> Any:
        """Return an entry of Meta.extra, or None. The outermost annotation wins, as with limits.

        - `default`: what the service assumes.
        - `expected`: the format in words.
        - `mistake`: a function that says what is wrong with a text, or "".
        - `option` or `common`: the option or common option that sets the field.
        - `alias`: a shorter name of the option.
        - `argument`: the metavar of the argument that sets the field, where that is not its name.
        - `seen`: known values, where the service may accept others.
        - `money`: an amount in micro-units.
        - `sortable`: the columns of a list that its service can sort by.
        - `form`: a function that returns the same for texts that mean the same.
        - `in_order`: the order of the plain values in a list counts.
        - `by_service`: each service has choices of its own.
        - `is_id`: it is the id of a record.
        - `in_words`: a list of Structs, whose fields an option takes in words: `price LESS_THAN 50; …`.
        - `records`: a list, each item of which is a record that the request creates.
        - `spends`, `limit`, `lifts` and `new_ad`: see api/spending.py.
        """
        values = (meta.extra for meta in reversed(self.metas) if meta.extra)
        return next((extra[name] for extra in values if name in extra), None)

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed values of an enum."""
        return tuple(map(str, self.args)) if self.base is Literal else ()

    @property
    def offered(self) -> tuple[str, ...]:
        """The values that completion offers."""
        return self.choices or tuple(self.extra("seen") or ())

    @property
    def item(self) -> "FieldType":
        """The type of the items of a list."""
        return field_type_of(self.args[0] if self.args else Any)

    @property
    def structs(self) -> tuple[type[msgspec.Struct], ...]:
        """The Structs that a value may be; a tag distinguishes several."""
        types = self.args if self.base in (Union, UnionType) else (self.base,)
        return tuple(
            type_ for type_ in types if isinstance(type_, type) and issubclass(type_, msgspec.Struct)
        )

    @property
    def holds_structs(self) -> bool:
        """Whether values are Structs, or lists of Structs."""
        return self.item.holds_structs if self.base is list else bool(self.structs)

    @property
    def is_comma_list(self) -> bool:
        """Whether values are lists of plain values, separated by commas in a query and in an option."""
        return self.base is list and (self.item.base in (str, int, Literal) or self.item.is_time)

    @property
    def is_time(self) -> bool:
        """Whether values are times."""
        return isinstance(self.base, type) and issubclass(self.base, Time | HourOrDay)

    @property
    def is_nested(self) -> bool:
        """Whether an option takes the value as JSON."""
        return bool(self.structs) or self.base is dict or (self.base is list and not self.is_comma_list)

    @property
    def is_id(self) -> bool:
        """Whether it is the id of a record."""
        return self.extra("is_id") is True

    @cached_property
    def comparable(self) -> Callable[[Any], Any]:
        """What returns equal values for values that mean the same."""
        return comparable_form(
            self.annotation,
            is_text=self.base in (str, Literal),
            is_comma_list=self.is_comma_list,
            keeps_order=self.extra("in_order") is True,
            text_form=self.extra("form"),
        )

    def is_same(self, value: Any, other: Any) -> bool:
        """Tell whether two values mean the same."""
        return bool(self.comparable(value) == self.comparable(other))

    @cached_property
    def description(self) -> str:
        """The limits in words, for help and error messages."""
        return ", ".join(self._limits())

    def _limits(self) -> Iterator[str]:
        if expected := self.extra("expected"):
            yield expected
        if seen := self.extra("seen"):
            yield f"such as {', '.join(seen)}"
        minimum, maximum = self.limit("ge"), self.limit("le")
        if self.base is float:
            return  # bounded only to be finite
        if self.extra("money"):
            maximum = None  # bounded only to be an integer of 64 bits
        if minimum is not None and maximum is not None:
            yield f"{minimum} to {maximum}"
        elif minimum is not None:
            yield f"at least {minimum}"
        elif maximum is not None:
            yield f"at most {maximum}"
        if (above := self.limit("gt")) is not None:
            yield f"more than {above}"
        min_length, max_length = self.limit("min_length"), self.limit("max_length")
        if max_length is None:
            return
        most = f"{max_length} {self.unit(max_length)}"
        if min_length == max_length:
            yield f"exactly {most}"
        elif min_length is not None and min_length > 1:
            yield f"{min_length} to {most}"
        else:
            yield f"at most {most}"

    def unit(self, length: int) -> str:
        """Name what a text or a list has so many of."""
        unit = "item" if self.base is list else "character"
        return unit if length == 1 else f"{unit}s"


class Field(msgspec.Struct, frozen=True):
    """One field of a Struct, by its own name; see names.py for its name on the wire."""

    name: str
    type: FieldType
    required: bool
    default: Any = None  # sent where no value is given: the service requires one

    @property
    def option(self) -> str:
        """The option that sets the field."""
        return as_option(self.type.extra("common") or self.type.extra("option") or self.name)

    @property
    def is_argument(self) -> bool:
        """Whether an argument of another name sets the field."""
        return self.type.extra("argument") is not None

    @property
    def argument(self) -> str:
        """The argument that sets the field, where one does."""
        return str(self.type.extra("argument") or self.name.upper())

    @property
    def help(self) -> str:
        """Describe the field in one line: meaning, limits, default of the service."""
        description = self.type.limit("description") or (self._record if self.type.is_id else "")
        default = self.type.extra("default") if self.default is None else self.default
        if isinstance(default, bool):
            default = "yes" if default else None
        shown = "" if default is None else f"default {default}"
        limits = ", ".join(filter(None, ("" if self.type.is_id else self.type.description, shown)))
        return " ".join(filter(None, (description, f"({limits})" if limits and description else limits)))

    @property
    def _record(self) -> str:
        """What the id is of, by the name of the field: `campaign_id` is that of the campaign."""
        kind = self.name.removesuffix("_id")
        return "" if kind in (self.name, "") else f"The {kind.replace('_', ' ')}"


def field_type_of(annotation: Any) -> FieldType:
    """Read an annotation: remove `| None` and Annotated, keep the limits."""
    metas: tuple[Meta, ...] = ()
    inner = annotation
    while True:
        origin = get_origin(inner)
        if origin is Annotated:
            metas = *(meta for meta in inner.__metadata__ if isinstance(meta, Meta)), *metas
            inner = inner.__origin__
        elif origin in (Union, UnionType) and NoneType in get_args(inner):
            rest = [arg for arg in get_args(inner) if arg is not NoneType]
            inner = rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007
        else:
            return FieldType(annotation, origin or inner, metas, get_args(inner))


@cache
def enum_fields(struct: type[msgspec.Struct]) -> frozenset[str]:
    """Name the fields of a Struct, and of the Structs in it, that hold values of an enum."""
    names: set[str] = set()
    structs = [struct]
    for struct in structs:
        for field in fields_of(struct):
            item = field.type.item if field.type.base is list else field.type
            if item.offered:
                names.add(field.name)
            structs += [inner for inner in item.structs if inner not in structs]
    return frozenset(names)


@cache
def fields_of(struct: type[msgspec.Struct]) -> tuple[Field, ...]:
    """List the fields of a Struct in declaration order."""
    return tuple(
        Field(
            field.name,
            field_type_of(field.type),
            field.required,
            default=None if field.default is NODEFAULT else field.default,
        )
        for field in msgspec.structs.fields(struct)
    )


@cache
def fields_by_name(struct: type[msgspec.Struct]) -> Mapping[str, Field]:
    """Return the fields of a Struct by their names, in declaration order."""
    return MappingProxyType({field.name: field for field in fields_of(struct)})


@cache
def sent_defaults(struct: type[msgspec.Struct]) -> Mapping[str, Any]:
    """Return the values that are sent where none are given, by the names of their fields."""
    values = ((field.name, field.default) for field in fields_of(struct))
    return MappingProxyType({name: value for name, value in values if value is not None})


@cache
def marked_fields(struct: type[msgspec.Struct], mark: str) -> Mapping[str, Any]:
    """Return an entry of Meta.extra, such as `limit`, by the name of each field that has it."""
    entries = ((field.name, field.type.extra(mark)) for field in fields_of(struct))
    return MappingProxyType({name: entry for name, entry in entries if entry})
