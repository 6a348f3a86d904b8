"""Files in the place of media keys: known by their paths until they are uploaded.

A request is built and validated with a placeholder for each file. After the upload the media key replaces it,
and in a dry run words do.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..api.cards import Button
from ..api.endpoint import Request
from ..api.parts import FILE_NAMES, media_file_fields
from ..errors import ContentError, UsageError
from ..feeds.locations import is_remote
from .rules import Use

PLACEHOLDER = "media-of-"
USES = {
    "cards poll": (Use.poll,),
    "cards image-conversation": (Use.conversation,),
    "cards video-conversation": (Use.conversation,),
}


class Reference(NamedTuple):
    """A file that stands for media keys."""

    file: str  # where it is
    name: str  # as it was written
    uses: tuple[Use, ...] = ()
    owners: tuple[str, ...] = ()  # who post it, besides the account
    leaves_folder: bool = False  # of the document that names it

    def joined(self, other: "Reference") -> "Reference":
        """Return a reference for all that two are for."""
        uses = tuple(dict.fromkeys((*self.uses, *other.uses)))
        return self._replace(uses=uses, owners=tuple(sorted({*self.owners, *other.owners})))


class MediaReferences:
    """The files that stand for the media keys of a request, or of all requests of a document."""

    def __init__(self, request: type[Request]) -> None:
        self._request = request
        self._fields = media_file_fields(request)
        self._references: dict[str, Reference] = {}  # by placeholder

    def __bool__(self) -> bool:
        return bool(self._references)

    def __iter__(self) -> Any:
        return iter(self._references.items())

    @property
    def names(self) -> tuple[str, ...]:
        """Name the keys of a document that take files."""
        return tuple(self._fields)

    def add_for(self, request: Request) -> None:
        """Note what a whole request tells of its files: who posts them, and if a card leads to an app."""
        author = getattr(request, "as_user_id", None)
        of_author = Reference("", "", owners=(str(author),) if author else ())
        is_of_app = _is_of_app(request)
        for placeholder in placeholders_in(request) & self._references.keys():
            reference = self._references[placeholder]
            if is_of_app:
                uses = (Use.app_card if use is Use.website_card else use for use in reference.uses)
                reference = reference._replace(uses=tuple(uses))
            self._references[placeholder] = reference.joined(of_author)

    def only(self, requests: Iterable[Request]) -> "MediaReferences":
        """Return those of some requests."""
        few, needed = MediaReferences(self._request), set[str]().union(*map(placeholders_in, requests))
        few._references = {name: file for name, file in self._references.items() if name in needed}
        return few

    def take_options(self, values: dict[str, Any]) -> list[str]:
        """Replace the files in the values of options; return those for the components of a card."""
        for name, field in self._fields.items():
            files = values.pop(name, None) or ()
            files = [files] if isinstance(files, str) else [*files]
            if not files:
                continue
            option = f"--{name.replace('_', '-')}"
            if field == "components":
                return files
            if values.get(field) is not None:
                raise UsageError(f"{option}: cannot be used with --{field.replace('_', '-')}")
            placeholders = [self._placeholder(file, field) for file in files]
            if field != "media_keys" and len(placeholders) > 1:
                raise UsageError(f"{option}: is for one file")
            values[field] = ",".join(placeholders)
        return []

    def take_document(self, document: Any, path: str) -> None:
        """Put placeholders into a document, in place; its files are relative to its folder."""
        try:
            self.take_record(document, folder_of(path))
        except ContentError as error:
            error.message = f"{path}: {error.message}"
            raise

    def take_record(self, record: Any, folder: str, *, is_of_table: bool = False) -> None:
        """Put placeholders into a record; a cell of a table may have several files, separated by commas.

        The media of a card are those of its component.
        """
        is_card = isinstance(record, dict) and self._fields.get("media") == "components"
        files = record.pop("media", None) if is_card else None
        self._take(record, folder, is_of_table=is_of_table)
        if files:
            self.fill_components(record, _files_in("media", files, is_several=is_of_table), folder)

    def _take(self, record: Any, folder: str, *, is_of_table: bool) -> None:
        if isinstance(record, list):
            for item in record:
                self._take(item, folder, is_of_table=False)
        elif isinstance(record, dict):
            for name in [document for document in FILE_NAMES_IN_DOCUMENTS if document in record]:
                files = record.pop(name)
                if files is not None and not (is_of_table and files == ""):  # an empty cell
                    self._replace(record, name, files, folder, is_of_table=is_of_table)
            for value in record.values():
                self._take(value, folder, is_of_table=False)

    def _replace(
        self, record: dict[str, Any], name: str, files: Any, folder: str, *, is_of_table: bool
    ) -> None:
        """Put placeholders into a record for the files that a key of it named."""
        field = FILE_NAMES_IN_DOCUMENTS[name]
        if name == "media":
            field = "media_keys" if isinstance(files, list) else "media_key"
            is_top = "type" not in record and self._fields.get("media") != "components"
            field = self._fields.get(name, field) if is_top else field
        listed = _files_in(name, files, is_several=is_of_table and field == "media_keys")
        if record.get(field) is not None:
            raise ContentError(f"{name}: cannot be used with {field}")
        if field != "media_keys" and len(listed) > 1:
            raise ContentError(f"{name}: is for one file")
        placeholders = [self._placeholder(file, field, folder) for file in listed]
        record[field] = placeholders if field == "media_keys" else placeholders[0]

    def complete(
        self, values: dict[str, Any], sources: Mapping[str, str], for_components: Sequence[str]
    ) -> None:
        """Complete what was read: files in options of JSON, and those for the components of a card."""
        for name in ("components", "slides"):
            if isinstance(values.get(name), list):
                self.take_document(values[name], sources.get(name, "-"))
        if for_components:
            self.fill_components(values, for_components)

    def fill_components(
        self, values: dict[str, Any], files: Sequence[str], folder: str | None = None
    ) -> None:
        """Give a card its media: in its component of media, or as a new one before the others."""
        placeholders = [self._placeholder(file, "media_key", folder) for file in files]
        components = values.get("components")
        components = components if isinstance(components, list) else []
        own = {"media_keys": placeholders} if len(placeholders) > 1 else {"media_key": placeholders[0]}
        kind = "SWIPEABLE_MEDIA" if len(placeholders) > 1 else "MEDIA"
        for component in components:
            if isinstance(component, dict) and component.get("type") in ("MEDIA", "SWIPEABLE_MEDIA"):
                if {"media_key", "media_keys"} & component.keys():
                    kind_of_error = UsageError if folder is None else ContentError
                    name = "--media" if folder is None else "media"
                    raise kind_of_error(f"{name}: the components name media already", hint="leave one out")
                component |= own | {"type": kind}
                return
        values["components"] = [{"type": kind} | own, *components]

    def _placeholder(self, file: str, field: str, folder: str | None = None) -> str:
        """Return what stands for the media key of a file; `folder` is that of the document that names it."""
        place = file if is_remote(file) else str(Path(folder or "", file))
        uses: tuple[Use, ...] = ()
        if field == "poster_media_key":
            uses = (Use.poster,)
        elif not field.startswith("unlocked"):
            group = self._request.endpoint.command.rpartition(" ")[0]
            uses = USES.get(group, (Use.website_card,) if group == "cards" else ())
        leaves = folder is not None and not is_remote(file) and _leaves(place, folder)
        digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()
        placeholder = f"{PLACEHOLDER}{digest[:24]}"
        reference = Reference(place, file, uses, leaves_folder=leaves)
        earlier = self._references.get(placeholder)
        self._references[placeholder] = earlier.joined(reference) if earlier else reference
        return placeholder

    def in_words(self) -> dict[str, str]:
        """Return what a dry run shows in place of the media keys."""
        return {placeholder: f"<media of {file.name}>" for placeholder, file in self._references.items()}


FILE_NAMES_IN_DOCUMENTS = {name: field for field, name in FILE_NAMES.items() if field != "media_keys"}


def folder_of(path: str) -> str:
    """Return the folder that the files in a document are relative to."""
    return "" if path == "-" or is_remote(path) else os.path.dirname(path)  # noqa: PTH120 - as typed


def _leaves(place: str, folder: str) -> bool:
    """Tell whether a path is outside of a folder, as they are written."""
    inside = os.path.abspath(folder)  # noqa: PTH100 - links are not followed
    return not Path(os.path.abspath(place)).is_relative_to(inside)  # noqa: PTH100


def _files_in(name: str, files: Any, *, is_several: bool) -> list[str]:
    """Return the files that a value names; raise ContentError where it is none."""
    if is_several and isinstance(files, str):
        files = [file.strip() for file in files.split(",") if file.strip()]
    listed = [*files] if isinstance(files, list) else [files]
    if not listed or not all(isinstance(file, str) and file for file in listed):
        raise ContentError(f"{name}: must be the name of a file, or a list of them")
    return listed


def placeholders_in(value: Any) -> set[str]:
    """Return the placeholders in a request."""
    if isinstance(value, str):
        return {value} if value.startswith(PLACEHOLDER) else set()
    if isinstance(value, msgspec.Struct):
        value = [getattr(value, name) for name in value.__struct_fields__]
    return set[str]().union(*map(placeholders_in, value)) if isinstance(value, list) else set()


def _is_of_app(value: Any) -> bool:
    """Tell whether a card leads to an app."""
    if isinstance(value, list):
        return any(map(_is_of_app, value))
    if isinstance(value, Button):
        return True
    names = value.__struct_fields__ if isinstance(value, msgspec.Struct) else ()
    return any(_is_of_app(getattr(value, name)) for name in names)


def replace_placeholders(value: Any, by: Mapping[str, str]) -> Any:
    """Replace placeholders in a request, in place; return the value."""
    replaced: Callable[[Any], Any] = lambda inner: replace_placeholders(inner, by)  # noqa: E731
    if isinstance(value, str):
        return by.get(value, value)
    if isinstance(value, list):
        value[:] = map(replaced, value)
    elif isinstance(value, msgspec.Struct) and not value.__struct_config__.frozen:
        for name in value.__struct_fields__:
            setattr(value, name, replaced(getattr(value, name)))
    return value
