"""Readers and writers, a module for each format or family of formats, and how their first bytes show them."""

import codecs
import re

from ..decoding import MARKS

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# The first character is "<", which UTF-16 without a byte order mark shows too.
UTF_16_XML = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
# Atomic: a comment ends at the first "-->", and nothing is tried twice.
WEB_PAGE = re.compile(r"(?>(?:<!--.*?-->\s*+)*)<(!doctype\s+html|html|head|body|script)\b", re.I | re.S)
# What is before a message: tags of errors in HTML, of Xdebug too, or the time as in a log.
BEFORE_MESSAGE = re.compile(r"(?>(?:(?:<[^<>]{0,99}>|\( ! \)|\[[^\[\]]{1,60}\])\s{0,9}){0,12})")
PHP_MESSAGE = re.compile(  # its limits keep a search linear
    r"(?:PHP\s{1,9})?"
    r"(?:Warning|Notice|Deprecated|Strict Standards|(?:(?:Recoverable|Catchable) f|F)atal error|Parse error)"
    r"(?:</b>)?\s?:\s(?s:.{1,1000}?)\son line\s{1,9}(?:<[bi]>)?\d{1,9}"
)
MAX_MESSAGE = 100  # characters of it that are shown
PHP_HINT = "correct what makes the feed, or turn off display_errors in its PHP"
TAG = re.compile(r"<[^<>]*>")
XML = re.compile(r"<[?!/\w]")
DELIMITERS = ",;\t|"


def decoded_head(head: bytes) -> str:
    """Decode the first bytes of a text, whatever its encoding; markup and delimiters are ASCII in all.

    Letters may be wrong: splitlines() would also cut it at the last byte of ą or Å in UTF-8.
    """
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return head.decode(encoding, "replace").lstrip("\ufeff")
    head = MARKS.sub(b"", head)
    return head.decode(UTF_16_XML.get(head[:2], "latin-1"), "replace")


def is_web_page(head: bytes) -> bool:
    """Recognize HTML, which servers send where they mean an error or a sign-in."""
    return bool(WEB_PAGE.match(decoded_head(head).lstrip()))


def php_message(text: str, *, within: bool = False) -> tuple[str, int]:
    """Return the message of PHP that begins a text, or is within it, and its position; or ""."""
    if within:
        match = PHP_MESSAGE.search(text)
    else:
        text = text.lstrip()
        before = BEFORE_MESSAGE.match(text)
        match = before and PHP_MESSAGE.match(text, before.end())
    if not match:
        return "", 0
    from ...people_masking import mask_people

    words = mask_people(" ".join(TAG.sub("", match[0]).split()))
    return repr(words if len(words) <= MAX_MESSAGE else f"{words[:MAX_MESSAGE]}…"), match.start()


# What is named as a feed by mistake, by its first bytes.
OTHER_FILES = {
    b"\x89PNG\r\n": "a PNG image",
    b"\xff\xd8\xff": "a JPG image",
    b"GIF8": "a GIF image",
    b"%PDF-": "a PDF document",
    b"Rar!\x1a": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"SQLite format 3\0": "a database of SQLite",
}


def other_file(head: bytes) -> str:
    """Name what is certainly no feed; empty for anything else."""
    return next((name for start, name in OTHER_FILES.items() if head.startswith(start)), "")


def is_xml(head: bytes) -> bool:
    """Recognize a document that begins with a tag, a declaration or a comment."""
    return bool(XML.match(decoded_head(head).lstrip()))


def is_workbook(head: bytes) -> bool:
    """Recognize an xlsx file, a zip archive that is not unpacked, and an encrypted or older workbook."""
    return head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))


def is_parquet(head: bytes) -> bool:
    """Recognize a parquet file."""
    return head.startswith(b"PAR1")


def is_json(head: bytes) -> bool:
    """Recognize a list or a mapping."""
    return decoded_head(head).lstrip()[:1] in ("[", "{")


def is_json_lines(head: bytes) -> bool:
    """Recognize an object in the first line, and the beginning of another in the second."""
    import json

    lines = decoded_head(head).lstrip().split("\n")
    try:
        return len(lines) > 1 and isinstance(json.loads(lines[0]), dict) and lines[1].lstrip()[:1] == "{"
    except (ValueError, RecursionError):
        return False


def is_table(head: bytes) -> bool:
    """Recognize a header of several columns."""
    header = _header(head)
    return any(delimiter in header for delimiter in DELIMITERS)


def is_tab_table(head: bytes) -> bool:
    """Recognize a header of columns that tabs separate."""
    header = _header(head)
    return header.count("\t") > max(header.count(","), header.count(";"))


def _header(head: bytes) -> str:
    text = decoded_head(head)
    return "" if "\0" in text else next((line for line in text.split("\n") if line.strip()), "")
