"""YAML whose scalars stay text: what a value means is said by what it is for, not by how it looks.

`00123`, `no` and `12:30` are neither numbers nor booleans; `null`, `~` and nothing at all mean absent.
"""

from typing import Any


def load(document: str | bytes) -> Any:
    """Read one YAML (or JSON) document; raise yaml.YAMLError."""
    import yaml

    class TextLoader(yaml.SafeLoader):
        """Takes scalars for text, but for the plain words that mean nothing at all."""

        yaml_implicit_resolvers = {
            first: [(tag, pattern) for tag, pattern in found if tag.endswith(":null")]
            for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return yaml.load(document, TextLoader)
