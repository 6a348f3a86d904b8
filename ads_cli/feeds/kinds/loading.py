"""Load the kinds that are built in, and mapping files, which have the same form."""

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ...errors import ContentError, UsageError
from ...suggestions import suggestion
from .kind import FeedKind, merged

# In the order in which they are recognized: a kind before the one that it is like.
KINDS = ("shopify", "woocommerce", "wix", "meta", "pinterest", "google")
FOLDER = Path(__file__).parent
ASSEMBLY_KEYS = ("assembly", "roles", "own", "recognized_by", "title")  # of built-in kinds alone
MAPPING_KEYS = tuple(name for name in FeedKind.__struct_fields__ if name not in ASSEMBLY_KEYS)


@cache
def built_in(name: str) -> FeedKind:
    """Load a kind by its name."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # scalars stay text
    document = yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), Loader=loader)
    kind = msgspec.convert(document, FeedKind)
    return merged(kind, built_in(kind.like)) if kind.like else kind


def load_mapping(path: str, known: Collection[str]) -> FeedKind:
    """Load a mapping file; raise UsageError where it cannot be read, ContentError where it is wrong."""
    from ...api.names import neutral_name
    from ...config.strict_yaml import load

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"--mapping: {path} cannot be read: {reason}") from None
    document = load(text, path) or {}
    if not isinstance(document, dict):
        raise ContentError(f"{path}: must be a mapping with {', '.join(MAPPING_KEYS)}")
    _require_names(path, "", document, MAPPING_KEYS)
    filled = {name: value for name, value in document.items() if value is not None}
    try:
        kind = msgspec.convert(filled, FeedKind)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        raise ContentError(f"{path}: {where.rstrip('`') or 'the file'}: {message}") from None
    columns = {column: neutral_name(field) for column, field in kind.columns.items()}
    kind = msgspec.structs.replace(kind, columns=columns)
    for name in ("set", "default", "values", "joined"):
        _require_names(path, f"{name}: ", getattr(kind, name), known)
    for column, field in columns.items():
        _require_names(path, f"columns: {column}: ", [field], known)
    if kind.like and kind.like not in KINDS:
        message = f"like: {kind.like!r} is not a kind of feed{suggestion(kind.like, KINDS)}"
        raise ContentError(f"{path}: {message}", hint=f"kinds: {', '.join(KINDS)}")
    return kind


def _require_names(path: str, where: str, names: Any, allowed: Collection[str]) -> None:
    for name in names:
        if name not in allowed:
            kind = "field" if where else "key"
            raise ContentError(f"{path}: {where}unknown {kind} {name!r}{suggestion(name, allowed)}")
