"""The formats of bulk files, and how a name tells them: the one place that knows extensions."""

from pathlib import Path

from ...errors import UsageError

FORMATS = ("csv", "tsv", "yaml", "json", "jsonl")
EXTENSIONS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def format_of(name: str, default: str | None = None) -> str:
    """Tell a format by the extension, a final .gz aside; raise UsageError where nothing tells it."""
    found = EXTENSIONS.get(Path(name.removesuffix(".gz")).suffix.lower(), default)
    if found is None:
        raise UsageError(
            f"{name}: the name does not tell the format",
            hint=f"end it with {', '.join(EXTENSIONS)}, or add --format {'|'.join(FORMATS)}",
        )
    return found
