"""YAML whose scalars stay text: what a value means is said by what it is for, not by how it looks.

`00123`, `no` and `12:30` are neither numbers nor booleans; `null`, `~` and nothing at all mean absent.
"""

from typing import Any

from .errors import ContentError


def load(document: str | bytes, name: str) -> Any:
    """Read one YAML (or JSON) document; raise ContentError where it is none, with `name` and the line."""
    import yaml

    class TextLoader(yaml.SafeLoader):
        """Takes scalars for text, but for the plain words that mean nothing at all."""

        yaml_implicit_resolvers = {
            first: [(tag, pattern) for tag, pattern in found if tag.endswith(":null")]
            for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    try:
        return yaml.load(document, TextLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ContentError(f"{name}{line}: neither YAML nor JSON: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ContentError(f"{name}: neither YAML nor JSON: {error}") from None
