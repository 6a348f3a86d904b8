"""Text with columns in braces, as in `https://shop.example/products/{Handle}`."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from .step import KeyOf
from .text import text_of

TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|[{}]")
ESCAPED = {"{{": "{", "}}": "}"}


class Template(msgspec.Struct, frozen=True):
    """A parsed template: literal texts, with a column between each two of them."""

    literals: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Template":
        """Parse a template, in which `{{` and `}}` are braces; raise ValueError."""
        literals, columns, end = [""], list[str](), 0
        for token in TOKEN.finditer(text):
            literals[-1] += text[end : token.start()]
            end = token.end()
            if token[1]:
                columns.append(token[1].strip())
                literals.append("")
            elif (brace := ESCAPED.get(token[0])) is not None:
                literals[-1] += brace
            else:
                raise ValueError(
                    f"{token[0]!r} is not part of a {{column}}; write {token[0] * 2} for a brace"
                )
        literals[-1] += text[end:]
        return cls(tuple(literals), tuple(columns))

    def bound(self, key_of: KeyOf) -> "Template":
        """Return the template with keys in place of columns."""
        return Template(self.literals, tuple(map(key_of, self.columns)))

    def render(self, values: Mapping[str, Any]) -> str:
        """Fill the columns in; "" where there are columns and all of them are empty."""
        found = [text_of(values.get(column)) for column in self.columns]
        if found and not any(found):
            return ""
        pairs = zip(self.literals, [*found, ""], strict=True)
        return "".join(part for pair in pairs for part in pair)
