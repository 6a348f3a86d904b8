"""Text from elsewhere, made safe to show: never an escape sequence, never markup."""

import json
import re
from typing import Any

# Control characters, and the marks that turn the direction of text round.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# What neither JSON nor YAML escapes by itself.
LEFT = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
LONGEST = 2000  # characters of somebody's words that are worth showing
NAMED = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def safe(text: str) -> str:
    r"""Show control characters as `\t`, `\n`, `\x1b`, so that a cell stays a cell and a line a line."""
    return UNSAFE.sub(_escape, text)


def safe_lines(text: str) -> str:
    """Make a message safe, keeping its line breaks."""
    return "\n".join(map(safe, text.split("\n")))


def shortened(text: str) -> str:
    """Cut somebody's words to what a person reads."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text):,} characters)"


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return NAMED.get(character) or (
        f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
    )


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number of things: `1 row`, `2,000 rows`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def cell(value: Any) -> str:
    """Write a value for a table, tsv or csv: null is empty, booleans lower-case, the rest compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_json(value: Any, indent: int | None = None) -> str:
    """Write JSON that is safe on a terminal: what JSON itself leaves unescaped is escaped too."""
    separators = None if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    return _escape_left(text)


def as_yaml(value: Any) -> str:
    """Write YAML that is safe on a terminal: text with anything unsafe in it is quoted and escaped."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes what needs an escape that YAML itself would not make."""

    def text(dumper: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
        return dumper.represent_scalar(
            "tag:yaml.org,2002:str", data, style='"' if LEFT.search(data) else None
        )

    Dumper.add_representer(str, text)
    return _escape_left(yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=2**20))


def _escape_left(text: str) -> str:
    return LEFT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
