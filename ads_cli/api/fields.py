"""What a declared field is made of: the one reading of its annotation, for help, checks and commands."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, Meta

from ..spelling import as_option
from .time import Time


@dataclass(frozen=True)
class FieldType:
    """A type with its limits: `base` is str, int, bool, list, Literal, a Struct class or a Union of some."""

    annotation: Any
    base: Any
    metas: tuple[Meta, ...]
    args: tuple[Any, ...]

    def limit(self, name: str) -> Any:
        """Give one limit of msgspec.Meta (`max_length`, `ge`, `pattern`, ...), or None."""
        found = (getattr(meta, name) for meta in reversed(self.metas))
        return next((value for value in found if value is not None and value is not UNSET), None)

    def extra(self, name: str) -> Any:
        """Give what the declaration notes beside the limits.

        `default` of the service; `expected` in words; the `option` or `common` option it is typed as;
        the values `seen` where the service may know others; `money` in micro-units.
        """
        return next((meta.extra[name] for meta in self.metas if meta.extra and name in meta.extra), None)

    @property
    def choices(self) -> tuple[str, ...]:
        """List the allowed values of an enum."""
        return tuple(map(str, self.args)) if self.base is Literal else ()

    @property
    def offered(self) -> tuple[str, ...]:
        """List what completion offers: the allowed values, or those seen where others may be allowed."""
        return self.choices or tuple(self.extra("seen") or ())

    @property
    def item(self) -> "FieldType":
        """Give the kind of the items of a list."""
        return field_type_of(self.args[0] if self.args else Any)

    @property
    def structs(self) -> tuple[type[msgspec.Struct], ...]:
        """List the Structs that a value may be; where there are several, a tag tells them apart."""
        found = self.args if self.base in (Union, UnionType) else (self.base,)
        return tuple(one for one in found if isinstance(one, type) and issubclass(one, msgspec.Struct))

    @property
    def holds_structs(self) -> bool:
        """Tell whether values are objects with declared fields of their own, or lists of such."""
        return self.item.holds_structs if self.base is list else bool(self.structs)

    @property
    def is_comma_list(self) -> bool:
        """Tell whether values are lists of plain values, which travel and are typed with commas."""
        return self.base is list and self.item.base in (str, int, Literal, Time)

    @property
    def is_nested(self) -> bool:
        """Tell whether a value needs JSON to be written down."""
        return bool(self.structs) or self.base is dict or (self.base is list and not self.is_comma_list)

    def describe(self) -> str:
        """Say in words which limits a value has to keep; help and error messages share it."""
        return ", ".join(self._limits())

    def _limits(self) -> Iterator[str]:
        if expected := self.extra("expected"):
            yield expected
        if seen := self.extra("seen"):
            yield f"such as {', '.join(seen)}"
        low, high = self.limit("ge"), self.limit("le")
        if low is not None and high is not None:
            yield f"{low} to {high}"
        elif low is not None:
            yield f"at least {low}"
        elif high is not None:
            yield f"at most {high}"
        if (above := self.limit("gt")) is not None:
            yield f"more than {above}"
        unit = "items" if self.base is list else "characters"
        least, most = self.limit("min_length"), self.limit("max_length")
        if least is not None and least > 1 and most is not None:
            yield f"{least} to {most} {unit}"
        elif most is not None:
            yield f"at most {most} {unit}"


@dataclass(frozen=True)
class Field:
    """One field of a Struct."""

    name: str
    type: FieldType
    required: bool

    @property
    def option(self) -> str:
        """The option that sets the field."""
        return as_option(self.type.extra("common") or self.type.extra("option") or self.name)

    @property
    def help(self) -> str:
        """Describe the field in one line: its meaning, its limits and the service's default."""
        about = self.type.limit("description") or ""
        default = self.type.extra("default")
        if isinstance(default, bool):
            default = "yes" if default else None
        shown = "" if default is None else f"default {default}"
        limits = ", ".join(filter(None, (self.type.describe(), shown)))
        return " ".join(filter(None, (about, f"({limits})" if limits and about else limits)))


def field_type_of(annotation: Any) -> FieldType:
    """Take away `| None` and Annotated: what is left is the type that matters, and its limits."""
    metas: tuple[Meta, ...] = ()
    inner = annotation
    while True:
        origin = get_origin(inner)
        if origin is Annotated:
            metas += tuple(meta for meta in inner.__metadata__ if isinstance(meta, Meta))
            inner = inner.__origin__
        elif origin in (Union, UnionType) and NoneType in get_args(inner):
            rest = [arg for arg in get_args(inner) if arg is not NoneType]
            inner = rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007
        else:
            return FieldType(annotation, origin or inner, metas, get_args(inner))


@cache
def fields_of(struct: type[msgspec.Struct]) -> tuple[Field, ...]:
    """List the fields of a Struct in the order they are declared."""
    return tuple(
        Field(
            field.name,
            field_type_of(field.type),
            field.default is NODEFAULT and field.default_factory is NODEFAULT,
        )
        for field in msgspec.structs.fields(struct)
    )
