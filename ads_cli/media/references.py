"""Files in the place of media keys: known by their bytes until they are uploaded.

A request is built and validated with a placeholder for each file. After the upload the media key replaces it,
and in a dry run words do.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..api.endpoint import Request
from ..api.fields import fields_of
from ..errors import ContentError, UsageError
from ..feeds.locations.locate import is_remote
from .rules import Use

# The fields that take a media key, and the name of the option and of the key in a document that take a file.
FILE_NAMES = {
    "media_keys": "media",
    "media_key": "media",
    "poster_media_key": "poster",
    "unlocked_image_media_key": "unlocked_image",
    "unlocked_video_media_key": "unlocked_video",
}
USES = {
    "cards poll": (Use.poll,),
    "cards image-conversation": (Use.conversation,),
    "cards video-conversation": (Use.conversation,),
}


def file_fields(request: type[Request]) -> dict[str, str]:
    """Return the fields of a request that take a file, by the name that takes it."""
    endpoint = request.endpoint
    if not endpoint.mutates or endpoint.method == "DELETE":
        return {}
    fields = fields_of(request)
    found = {FILE_NAMES[field.name]: field.name for field in fields if field.name in FILE_NAMES}
    if endpoint.command.startswith("media library"):
        found.pop("media", None)  # which is what was uploaded already
    if any(field.name == "components" for field in fields):
        found["media"] = "components"
    return found


class Reference(NamedTuple):
    """A file that stands for a media key."""

    file: str  # where it is
    name: str  # as it was written
    uses: tuple[Use, ...]
    leaves_folder: bool = False  # of the document that names it


class MediaReferences:
    """The files that stand for the media keys of one request."""

    def __init__(self, request: type[Request]) -> None:
        self._request = request
        self._fields = file_fields(request)
        self._found: dict[str, Reference] = {}  # by placeholder

    def __bool__(self) -> bool:
        return bool(self._found)

    def __iter__(self) -> Any:
        return iter(self._found.items())

    def take_options(self, values: dict[str, Any]) -> dict[str, Any]:
        """Take the files out of the values of options; return those for the components of a card."""
        for name, field in self._fields.items():
            files = values.pop(name, None) or ()
            files = [files] if isinstance(files, str) else [*files]
            if not files:
                continue
            option = f"--{name.replace('_', '-')}"
            if field == "components":
                return {"components": files}
            if values.get(field) is not None:
                raise UsageError(f"{option}: cannot be used with --{field.replace('_', '-')}")
            placeholders = [self._placeholder(file, field) for file in files]
            if field != "media_keys" and len(placeholders) > 1:
                raise UsageError(f"{option}: is for one file")
            values[field] = ",".join(placeholders)
        return {}

    def take_document(self, document: Any, path: str) -> None:
        """Put placeholders into a document, in place; its files are relative to its folder."""
        folder = "" if path == "-" else os.path.dirname(path)  # noqa: PTH120 - as typed
        if isinstance(document, list):
            for item in document:
                self.take_document(item, path)
        elif isinstance(document, dict):
            for name, field in [*FILE_NAMES_IN_DOCUMENTS.items()]:
                if name not in document:
                    continue
                files = document.pop(name)
                listed = [*files] if isinstance(files, list) else [files]
                if not all(isinstance(file, str) and file for file in listed):
                    raise ContentError(f"{path}: {name}: must be the name of a file, or a list of them")
                own = field
                if name == "media":
                    own = "media_keys" if isinstance(files, list) else "media_key"
                    own = self._fields.get(name, own) if self._is_top(document) else own
                if own in document:
                    raise ContentError(f"{path}: {name}: cannot be used with {own}")
                placeholders = [self._placeholder(file, own, folder) for file in listed]
                document[own] = placeholders if own == "media_keys" else placeholders[0]
            for value in document.values():
                self.take_document(value, path)

    def _is_top(self, document: dict[str, Any]) -> bool:
        return "type" not in document and self._fields.get("media") != "components"

    def complete(self, values: dict[str, Any], sources: Mapping[str, str], for_components: Any) -> None:
        """Complete what was read: files in options of JSON, and those for the components of a card."""
        for name in ("components", "slides"):
            if isinstance(values.get(name), list):
                self.take_document(values[name], sources.get(name, "-"))
        if for_components:
            self.fill_components(values, for_components["components"])

    def fill_components(self, values: dict[str, Any], files: list[str]) -> None:
        """Give a card the media of options: in its component of media, or as a new one before the others."""
        placeholders = [self._placeholder(file, "media_key") for file in files]
        components = values.get("components")
        components = components if isinstance(components, list) else []
        own = {"media_keys": placeholders} if len(placeholders) > 1 else {"media_key": placeholders[0]}
        kind = "SWIPEABLE_MEDIA" if len(placeholders) > 1 else "MEDIA"
        for component in components:
            if isinstance(component, dict) and component.get("type") in ("MEDIA", "SWIPEABLE_MEDIA"):
                if {"media_key", "media_keys"} & component.keys():
                    raise UsageError("--media: the components name media already", hint="leave one out")
                component |= own | {"type": kind}
                return
        values["components"] = [{"type": kind} | own, *components]

    def _placeholder(self, file: str, field: str, folder: str = "") -> str:
        """Return what stands for the media key of a file."""
        import hashlib

        place = file if is_remote(file) else str(Path(folder, file))
        uses: tuple[Use, ...] = ()
        if field == "poster_media_key":
            uses = (Use.poster,)
        elif not field.startswith("unlocked"):
            group = self._request.endpoint.command.rpartition(" ")[0]
            uses = USES.get(group, (Use.website_card,) if group == "cards" else ())
        leaves = bool(folder) and not Path(os.path.normpath(place)).is_relative_to(os.path.normpath(folder))
        placeholder = f"media-of-{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:24]}"
        self._found[placeholder] = Reference(place, file, uses, leaves)
        return placeholder

    def in_words(self) -> dict[str, str]:
        """Return what a dry run shows in place of the media keys."""
        return {placeholder: f"<media of {each.name}>" for placeholder, each in self._found.items()}


FILE_NAMES_IN_DOCUMENTS = {name: field for field, name in FILE_NAMES.items() if field != "media_keys"}


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
