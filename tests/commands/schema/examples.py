"""Files that the documentation shows, by the kind of the schema that describes them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.adsctl import ROOT

# By the first key that tells the kind.
KINDS = {
    "campaigns": "campaigns",
    "tasks": "fleet",
    "profiles": "config",
    "max_daily_budget": "guard",
    "map": "recipe",
    "columns": "recipe",
}
BLOCK = re.compile(r"^```(?:yaml|json)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class CoreLoader(yaml.SafeLoader):
    """Reads YAML by the core schema of 1.2, as editors do: it has no dates, and `yes` is a text."""


CoreLoader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false|True|False"), list("tTfF"))


def as_editors_read(text: str) -> Any:
    return yaml.load(text, CoreLoader)


def shown_files() -> Iterator[tuple[str, str, str]]:
    """Yield where a file is shown, its kind and its text."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            if kind := _kind_of(as_editors_read(block)):
                yield f"{page.name}-{number}", kind, block
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if kind := _kind_of(as_editors_read(text)):
            yield path.name, kind, text


def _kind_of(document: Any) -> str | None:
    keys = document if isinstance(document, dict) else {}
    return next((kind for key, kind in KINDS.items() if key in keys), None)


def request_examples() -> list[Path]:
    return sorted((ROOT / "ads_cli" / "api" / "examples").glob("*.yaml"))
