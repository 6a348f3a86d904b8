"""The bytes of uploaded media, by upload and segment."""

import tempfile
from typing import BinaryIO, cast

from . import Store


def put_segment(store: Store, upload: str, number: int, content: bytes) -> None:
    """Store a segment, in place of an earlier one of its number."""
    with store.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO media_segments (upload, number, content) VALUES (?, ?, ?)",
            (upload, number, content),
        )


def segment_sizes(store: Store, upload: str) -> list[tuple[int, int]]:
    """Return the number of each segment, in order, and its size in bytes."""
    query = "SELECT number, length(content) FROM media_segments WHERE upload = ? ORDER BY number"
    return store.connection.execute(query, (upload,)).fetchall()


def open_media(store: Store, upload: str) -> BinaryIO:
    """Return the whole content as a temporary file."""
    file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - the caller closes it
    query = "SELECT content FROM media_segments WHERE upload = ? ORDER BY number"
    for (content,) in store.connection.execute(query, (upload,)):
        file.write(content)
    file.seek(0)
    return file
