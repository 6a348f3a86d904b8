"""Recipes: a file with everything that options say of a feed, which the options typed outrank."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

import msgspec

from ...config.trusted_files import check_writers
from ...console.invocation import Invocation
from ...console.output_file import OutputFile
from ...console.parameters import Option
from ...console.schema_files import schema_line
from ...errors import ContentError, UsageError
from ...output.text import shell_command
from ...spelling import suggestion

PAIRS = ("map", "split", "set", "default")  # mappings, of what is before the `=` to what is after it
LISTS = ("where", "ignore")
CONDITION_SIGNS = "=!<>~"
# The options of feeds and lists that a recipe may have, in the order in which one is written.
OPTIONS = (
    *("format", "encoding", "record", "sheet", "max-size", "max-rows", "from"),
    *(*PAIRS, *LISTS, "currency", "time-zone", "base-url", "keep", "fix", "strict", "scope"),
    *("min-rows", "max-delete"),
    *("region", "region-column", "keep-partial", "allow-empty", "event-id"),
)
OF_SYNC = ("min-rows", "max-delete")
# Keys that are no options: columns and values of products, which `products/feeds/kinds/__init__.py` reads.
COLUMN_KEYS = frozenset(("like", "columns", "joined", "ignored", "values", "options", "left_out", "hints"))


@contextmanager
def with_recipe(context: Any, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the values of a command's parameters, those of its recipe among them.

    A value of the recipe that turns out to be wrong is an error of its file, and not of an option.
    """
    call = Invocation.of(context, is_help=True)  # the command itself warns of its folders
    path = values["recipe"] or _of_profile(call, values.get("files") or [values["file"]])
    if path is None:
        yield dict(values)
        return
    if warning := check_writers(Path(path)):
        call.messages.note(warning, "warning")
    recipe = _load(path)
    options = {option.long_names[0][2:]: option for option in context.command.params if option.long_names}
    read = _read_by(options)
    if unread := [key for key in recipe if key not in read]:
        raise ContentError(
            f"{path}: {unread[0]}: {context.command_path} has no such option",
            hint="keep a recipe for each kind of file: --recipe names it, or a pattern in the profile",
        )
    filled = dict(values) | {"recipe": path}
    from_recipe = set()
    for key, value in recipe.items():
        if key in OPTIONS and (option := options.get(key)):
            source = context.get_parameter_source(option.name)
            typed = values[option.name] if source and source.name == "COMMANDLINE" else None
            if typed is None or option.multiple:
                filled[option.name] = _merged(path, key, option, value, typed)
                from_recipe.add(key)
    try:
        yield filled
    except UsageError as error:
        option, _, reason = error.message.partition(": ")
        if option.startswith("--") and option[2:] in from_recipe:
            raise ContentError(f"{path}: {option[2:]}: {reason}", hint=error.hint) from None
        raise


def _read_by(options: Collection[str]) -> Collection[str]:
    """Return the keys that some command for the same kind of file reads: one recipe serves them all."""
    if "split" in options:  # products; what a list alone has changes none of them
        return {*OPTIONS, *COLUMN_KEYS} - {"event-id"}
    own = {*OPTIONS}.intersection(options)
    return own.union(OF_SYNC) if "region-column" in options else own


def _of_profile(call: Invocation, files: Sequence[str]) -> str | None:
    """Return the recipe that the profile has for files; raise UsageError where they have several."""
    patterns = call.settings.recipes
    paths = {_first_match(file, patterns) for file in files} if patterns else {None}
    if len(paths) > 1:
        named = ", ".join(sorted(map(str, paths - {None})))
        raise UsageError(f"the files have different recipes: {named}", hint="name one with --recipe")
    if path := paths.pop():
        call.messages.say(f"{', '.join(files)}: read by the recipe {path} (profile {call.settings.profile})")
    return path


def _first_match(file: str, patterns: Mapping[str, str]) -> str | None:
    """Return the first of the recipes whose pattern matches a path, its end, or an address."""
    names = file, PurePath(file).name, str(Path(file).absolute())
    return next(
        (path for pattern, path in patterns.items() if any(fnmatch(name, pattern) for name in names)), None
    )


def _load(path: str) -> dict[str, Any]:
    """Read a recipe; raise UsageError where it cannot be read, ContentError where it is wrong."""
    from ...config.strict_yaml import load_mapping

    document = load_mapping("--recipe", path, "of options, as in 'currency: EUR'")
    recipe = {}
    for key, value in document.items():
        name = key if key in COLUMN_KEYS else key.replace("_", "-")
        if name not in OPTIONS and name not in COLUMN_KEYS:
            known = (*OPTIONS, *COLUMN_KEYS)
            raise ContentError(f"{path}: unknown key {key!r}{suggestion(key, known)}")
        if value is not None:
            recipe[name] = value
    return recipe


def _merged(path: str, key: str, option: Option, value: Any, typed: Any) -> Any:
    """Return the value of an option: that of the recipe, and in a list what was typed."""
    if option.is_flag:
        if value not in ("true", "false"):
            shown = repr(value) if isinstance(value, str) else "a list or mapping"
            raise ContentError(f"{path}: {key}: {shown} is neither true nor false")
        return value == "true"
    if not option.multiple:
        if not isinstance(value, str):
            raise ContentError(f"{path}: {key}: must be one value")
        try:
            return option.convert(value)
        except ValueError as error:
            raise ContentError(f"{path}: {key}: {error}") from None
    texts = _texts(path, key, value)
    if not typed:
        return texts
    if key == "fix":
        return typed
    taken = {subject for text in typed for subject in _subjects(key, text)}
    kept = [text for text in texts if taken.isdisjoint(_subjects(key, text))]
    return [*typed, *kept] if key == "default" else [*kept, *typed]


def _texts(path: str, key: str, value: Any) -> list[str]:
    """Return the values of an option that may be given several times, as they would be typed."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict) and key in PAIRS:
        pairs = {name: "" if text is None else text for name, text in value.items()}
        if all(isinstance(text, str) for text in pairs.values()):
            return [f"{name}={text}" for name, text in pairs.items()]
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return value
    expected = "a mapping, as in 'brand: Nordlicht'" if key in PAIRS else "a text, or a list of texts"
    raise ContentError(f"{path}: {key}: must be {expected}")


def _subjects(key: str, text: str) -> set[tuple[str, str]]:
    """Return what an option speaks of: its field, or the column of a condition; with --map both."""
    if key == "map":  # what is typed of either outranks it
        column, _, field = text.rpartition("=")
        return {("column", column.strip()), ("field", field.strip())}
    if key == "where":
        end = next((at for at, sign in enumerate(text) if at and sign in CONDITION_SIGNS), len(text))
        return {("column", text[:end].strip())}
    return {("field", text.partition("=")[0].strip() if key in PAIRS else text)}


PLAIN = re.compile(r"[A-Za-z][\w -]*[\w]|[A-Za-z]")


class RecipeFile(OutputFile):
    """The file of --write-recipe."""

    def write(
        self,
        call: Invocation,
        feed: msgspec.Struct,
        file: str,
        open_pairs: Mapping[str, Sequence[str]] = MappingProxyType({}),
        unsent: Sequence[str] = (),
    ) -> None:
        """Write the recipe that stands for options of a feed.

        `open_pairs` are values that are to be named, by option; `unsent` are columns that no option reads.
        """
        path = str(self.path)
        with self.open() as stream:
            stream.write(schema_line(self.path, "recipe"))
            stream.write(_recipe_text(feed, file, path, open_pairs, unsent))
        call.messages.say(f"{path} written; use it with --recipe {shell_command([path])}")


def _recipe_text(
    feed: msgspec.Struct, file: str, path: str, open_pairs: Mapping[str, Sequence[str]], unsent: Sequence[str]
) -> str:
    values = {
        "from" if field.name == "source_kind" else field.name.replace("_", "-"): getattr(feed, field.name)
        for field in msgspec.structs.fields(feed)
        if getattr(feed, field.name) not in (field.default, None)
    }
    if own := values.pop("recipe", None):
        values |= {key: value for key, value in _load(own).items() if key in COLUMN_KEYS}
    lines = [f"# How adsctl reads {file}, with --recipe {shell_command([path])}"]
    for key in dict.fromkeys((*OPTIONS, *COLUMN_KEYS, *open_pairs)):
        if key in values or key in open_pairs:
            lines += _entry(key, values.get(key), open_pairs.get(key, ()))
    if unsent:
        lines += ["# Columns that are not sent; --map, or `map:` here, reads one as a field:"]
        lines += [f"#   {_scalar(column)}" for column in unsent]
    return "".join(f"{line}\n" for line in lines)


def _entry(key: str, value: Any, open_pairs: Sequence[str]) -> list[str]:
    """Return the lines of an option; those that are to be completed are comments."""
    if key not in PAIRS:
        if open_pairs:
            return [f"# {key}: {open_pairs[0]}"]
        if key in COLUMN_KEYS:
            return [f"{key}: {json.dumps(value, ensure_ascii=False)}"]
        if not isinstance(value, str | list):
            return [f"{key}: {str(value).lower()}"]
        values = [value] if isinstance(value, str) else value
        shown = ", ".join(map(_scalar, values))
        return [f"{key}: {shown}" if len(values) == 1 else f"{key}: [{shown}]"]
    lines = [f"{key}:"] if value else [f"# {key}:"]
    for mark, texts in (("", value or ()), ("# ", open_pairs)):
        for text in texts:
            name, _, rest = text.rpartition("=") if key == "map" else text.partition("=")
            lines.append(f"  {mark}{_scalar(name.strip())}: {_scalar(rest)}")
    return lines


def _scalar(text: str) -> str:
    """Write a text as YAML, quoted where it must be."""
    is_plain = PLAIN.fullmatch(text) and text.casefold() not in ("null", "true", "false")
    return text if is_plain else json.dumps(text, ensure_ascii=False)
