"""The errors of bytes that are not UTF-8."""

from ..errors import ContentError
from .rows import Rows


def decoding_error(rows: Rows, line: int, raw: bytes) -> ContentError:
    """Make the error of a line that is not UTF-8, and suggest its encoding."""
    if rows.sensitive:
        hint = "name the encoding, for example --encoding cp1252, or save the file as UTF-8"
        return rows.error(line, "not UTF-8", hint=hint)
    encoding = "cp1252"
    try:
        text = raw.decode(encoding).strip()
    except UnicodeDecodeError:
        encoding = "latin-1"
        text = raw.decode(encoding).strip()
    start = next((i for i, character in enumerate(text) if ord(character) > 127), 0)
    excerpt = text[max(0, start - 15) : start + 15]
    return rows.error(
        line,
        f"not UTF-8; as {encoding} it reads {excerpt!r}",
        hint=f"add --encoding {encoding}, or save the file as UTF-8",
    )


def decoding_error_in(rows: Rows, line: int, error: UnicodeDecodeError) -> ContentError:
    """Make the error of a chunk that begins on `line` and is not UTF-8 somewhere."""
    chunk = error.object
    start, end = chunk.rfind(b"\n", 0, error.start) + 1, chunk.find(b"\n", error.start)
    raw = chunk[start : end if end >= 0 else None]
    return decoding_error(rows, line + chunk.count(b"\n", 0, error.start), raw)
