"""The schema files of `adsctl schema --write`, by which editors complete and check YAML."""

from pathlib import Path


def schema_file(kind: str) -> str:
    """Name the file that has the schema of a kind of file, such as `campaigns`."""
    return f"{kind}.schema.json"


def schema_line(path: Path, kind: str) -> str:
    """Return the first line of a YAML file that names its schema; nothing where that is not beside it."""
    name = schema_file(kind)
    return f"# yaml-language-server: $schema=./{name}\n" if (path.parent / name).is_file() else ""
