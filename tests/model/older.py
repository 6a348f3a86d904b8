"""Journals as earlier versions wrote them."""

import json
import zlib
from pathlib import Path

from ads_cli.uploads.job_file import MARK

HEADER = ("job", "noun", "file", "rows", "batches", "started", "resume")
ACKNOWLEDGEMENT_FIELDS = 5  # batch, counts, failed, warned, keys


def as_earlier_version(path: Path, *, typed_key: bool) -> None:
    """Rewrite a journal as a version wrote it that knew no more of a batch than its number."""
    first, *lines = path.read_bytes().splitlines(keepends=True) or [b""]
    try:
        _, job = json.loads(first)
        key = job["key"]
    except (ValueError, KeyError):
        return  # the process was killed while it wrote the first line, or it is older already
    header = {name: job[name] for name in HEADER if name in job}
    if typed_key:
        header |= {"key": key, "can_be_resumed": True}
    else:
        place, options = key["place"], key["options"]
        header["digest"] = key["content"]
        header["target"] = f"{place['service']} {place['id']} False {options['format']} utf-8 {{}} Upload"
    path.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(filter(None, map(_older, lines))))


def _older(line: bytes) -> bytes:
    """Return a line as the earlier version wrote it, or nothing where it has none like it."""
    if line == MARK:
        return b""
    if not line.endswith(b"\n") or line == b'{"end":true}\n':
        return line
    found = json.loads(line)
    if not (isinstance(found, list) and len(found) == 2 and isinstance(found[1], list)):
        return b""
    content = json.dumps(found[1][:ACKNOWLEDGEMENT_FIELDS], separators=(",", ":")).encode()
    return b"[%d,%b]\n" % (zlib.crc32(content), content)
