"""YAML whose scalars stay text: what a value means is said by what it is for, not by how it looks.

`00123`, `no` and `12:30` are neither numbers nor booleans; `null`, `~` and nothing at all mean absent.
What could make much of little is refused: anchors, aliases, tags and deep nesting.
"""

from functools import cache
from typing import Any

from ..errors import ContentError

DEEPEST = 64


def load(document: str | bytes, name: str) -> Any:
    """Read one YAML (or JSON) document; raise ContentError where it is none, with `name` and the line."""
    import yaml

    try:
        return yaml.load(document, _loader())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ContentError(f"{name}{line}: neither YAML nor JSON: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ContentError(f"{name}: neither YAML nor JSON: {error}") from None


@cache
def _loader() -> Any:
    import yaml

    class TextLoader(yaml.SafeLoader):
        """Takes scalars for text, but for the plain words that mean nothing at all."""

        yaml_implicit_resolvers = {
            first: [(tag, pattern) for tag, pattern in found if tag.endswith(":null")]
            for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            if refused := _refused(event, self.depth):
                raise yaml.composer.ComposerError(None, None, refused, event.start_mark)
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return TextLoader


def _refused(event: Any, depth: int) -> str:
    """Say why a node is not read; nothing where it is."""
    if getattr(event, "anchor", None) is not None:  # an alias has one too
        return "anchors and aliases are not read; write the value out"
    if getattr(event, "tag", None) not in (None, "!"):
        return f"the tag {event.tag} is not read; write a plain value"
    return f"nested more than {DEEPEST} deep" if depth > DEEPEST else ""
