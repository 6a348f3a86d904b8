"""Texts for people: unknown text made safe to show, counts, durations, lists. JSON and YAML of them."""

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Self

# A joiner is kept where it is part of what is read: after a virama, and between letters that join (as in
# IDNA, RFC 5892 A.1 and A.2). It is also kept between emoji.
VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0f84\u1039\u17d2"
JOINING = "\u0620-\u08ff\u1820-\u18aa"  # Arabic, Syriac, N'Ko, Mandaic; Mongolian
EMOJI = "\u2190-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
JOINERS = (
    f"\u200c(?<![{VIRAMAS}]\u200c)(?!(?<=[{JOINING}]\u200c)[{JOINING}])"
    f"|\u200d(?<![{VIRAMAS}]\u200d)(?!(?<=[\ufe0f{EMOJI}]\u200d)[{EMOJI}])"
)
# Directional marks, zero-width characters, tags and lone surrogates, which neither JSON nor YAML escapes.
INVISIBLE = (
    "\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"
)
# YAML refuses these characters, or reads them as the end of a line, or they are not seen.
UNPRINTABLE_IN_YAML = (
    "[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff0-\ufffc\ufffe\uffff]"
)
UNESCAPED = f"[\x7f-\x9f{INVISIBLE}]|{JOINERS}"
# With control characters. None of all these is printable. These patterns take long to compile, and most
# output is printable: they are compiled where they are first needed.
UNSAFE = f"[\x00-\x1f\x7f-\x9f{INVISIBLE}]|{JOINERS}"
MAX_MESSAGE_LENGTH = 2000  # of a message from the service, in characters
CONTAINERS = (dict, list)
SIGNS = {"create": "+", "update": "~", "delete": "-"}  # of changes that are shown before they are made


def safe(text: str) -> str:
    r"""Escape control and invisible characters as `\t`, `\x1b`, `\u200b`: text stays in its cell and line."""
    return text if text.isprintable() else re.sub(UNSAFE, _escape, text)


def is_safe(text: str) -> bool:
    """Whether `safe` leaves a text as it is."""
    return text.isprintable() or not re.search(UNSAFE, text)


class Lines(str):
    """A message of several lines, all of which are ours: those of any other text are shown as one."""

    __slots__ = ()

    def __new__(cls, lines: Iterable[str]) -> Self:
        """Join lines. Each is made safe, unless it is a message of several lines itself."""
        return super().__new__(cls, "\n".join(map(safe_lines, lines)))

    def __add__(self, end: str) -> "Lines":
        """Return the message with a text at the end of its last line."""
        *lines, last = self.split("\n")
        return Lines([*lines, last + end])


def safe_lines(text: str) -> str:
    """Make a message safe: only our own line feeds begin a line."""
    return text if isinstance(text, Lines) else safe(text)


PLACE = re.compile(r"(?>([^\n]+?):(?=\d+: ))")  # the path of a message about a line of a file
COMMAND = re.compile(r"(?<![^ (:])adsctl (?>(?:'[^']*'|[^;(']+)*)")  # up to the next part of a hint
OPTION = re.compile(r"(?<![^ (:])--[a-z][a-z-]* (?=[^ ])")  # before its value


def path_once(text: str) -> str:
    """Show a path that several lines of a message begin with once, above them."""
    lines = text.split("\n")
    path = next((match[1] for line in lines if (match := PLACE.match(line))), None)
    own = [at for at, line in enumerate(lines) if path and line.startswith(f"{path}:")]
    if path is None or len(own) < 2:
        return text
    for at in own:
        lines[at] = f"  {lines[at].removeprefix(f'{path}:').lstrip()}"
    lines.insert(own[0], f"{path}:")
    return "\n".join(lines)


def wrapped(text: str, width: int) -> str:
    """Wrap the lines of a message at words. A command, or an option with its value, stays whole."""
    return "\n".join(part for line in text.split("\n") for part in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width or line.startswith("try: "):
        return [line]
    import textwrap

    indent = " " * (len(line) - len(line.lstrip()) + 4)
    whole = OPTION.sub(_unbroken, COMMAND.sub(_unbroken, line))
    parts = textwrap.wrap(
        whole, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [part.replace("\0", " ") for part in parts]


def _unbroken(match: re.Match[str]) -> str:
    return match[0].replace(" ", "\0")


def cut_to_width(text: str, width: int, more: str = "…") -> str:
    """Cut a text to the columns of a terminal, with a sign that there is more."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else set_cell_size(text, max(width - len(more), 0)) + more


def shortened(text: str) -> str:
    """Cut a message from the service to a readable length."""
    if len(text) <= MAX_MESSAGE_LENGTH:
        return text
    return f"{text[:MAX_MESSAGE_LENGTH]}... ({len(text):,} characters)"


def shell_command(words: Iterable[str]) -> str:
    """Write a command line that any POSIX shell runs, and that no terminal changes."""
    return " ".join(map(_shell_word, words))


def quoted_word(word: str) -> str:
    """Write a word of a command line as `shell_command` does, in quotation marks even where it needs none."""
    written = _shell_word(word)
    return written if written[0] in "'\"" else f"'{written}'"


def _shell_word(word: str) -> str:
    import shlex

    if is_safe(word) or word.endswith("\n"):  # which $() would remove
        return shlex.quote(word)
    escaped = "".join(
        chr(byte) if chr(byte).isalnum() and byte < 0x80 else f"\\{byte:03o}" for byte in os.fsencode(word)
    )
    return f"\"$(printf '{escaped}')\""


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def _escape_wide(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1] if ord(match[0]) > 0x7F else "\\u007f"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun: `1 row`, `2,000 rows`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def singular(noun: str) -> str:
    """Return the singular of a noun of records: `line item` of `line items`."""
    for plural, ending in (("criteria", "criterion"), ("categories", "category"), ("s", "")):
        if noun.endswith(plural):
            return noun.removesuffix(plural) + ending
    return noun


def duration(seconds: float) -> str:
    """Format a duration as a person says it: `45 s`, `14 min`, `1 h 40 min`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return " ".join(f"{n} {unit}" for n, unit in ((hours, "h"), (minutes, "min")) if n)


def listed(names: Sequence[str], most: int = 20) -> str:
    """Join names for a message: the first, and how many there are besides."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def first_of(names: Sequence[str], most: int, show: Callable[[str], str] = str) -> str:
    """Join the first names for a message, as `show` writes them. An ellipsis replaces the others."""
    return ", ".join(map(show, names[:most])) + (", …" if len(names) > most else "")


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested more than so many levels deep."""
    nested = [value] if isinstance(value, CONTAINERS) else []
    for _ in range(levels + 1):
        nested = [
            inner
            for outer in nested
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, CONTAINERS) and inner
        ]
        if not nested:
            return False
    return True


def cell(value: Any) -> str:
    """Format a value for table, tsv or csv: null is empty, booleans lower-case, the rest compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def value_change(before: str, after: str, currency: str) -> str:
    """Write what a value was and becomes, amounts with their currency: `15.00 → 20.00 EUR`."""
    if not after:
        return f"{before} {currency}".rstrip() + " → nothing"
    return f"{before or 'nothing'} → {after} {currency}".rstrip()


def as_json(value: Any, indent: int | None = None) -> str:
    """Format JSON that is safe on a terminal."""
    separators = None if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    return _escape_rest(text, _escape_in_json)


def as_flow_yaml(value: Any) -> str:
    """Format a value as JSON that is YAML too, without characters that YAML refuses."""
    return re.sub(UNPRINTABLE_IN_YAML, _escape_wide, json.dumps(value, ensure_ascii=False))


def as_yaml(value: Any) -> str:
    """Format YAML that is safe on a terminal: unsafe text is quoted and escaped."""
    import yaml

    text = yaml.dump(value, Dumper=_yaml_dumper(), allow_unicode=True, sort_keys=False, width=2**20)
    return _escape_rest(text, _escape_wide)


@cache
def _yaml_dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes text with characters that YAML does not escape."""

    def represent(dumper: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
        return dumper.represent_scalar(
            "tag:yaml.org,2002:str", data, style='"' if re.search(UNESCAPED, data) else None
        )

    Dumper.add_representer(str, represent)
    return Dumper


def _escape_rest(text: str, escape: Callable[[re.Match[str]], str]) -> str:
    return text if text.replace("\n", "").isprintable() else re.sub(UNESCAPED, escape, text)
