"""Encoded rows that are kept from validation to sending, so that a file need not be read twice."""

from collections.abc import Iterator

import msgspec

from .encoded_rows import EncodedRows

MAX_BYTES_IN_MEMORY = 16 * 1024 * 1024  # more are in an unnamed temporary file

pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(EncodedRows).decode


class KeptRows:
    """Runs of encoded rows, each packed into bytes by the process that encoded it."""

    def __init__(self) -> None:
        from tempfile import SpooledTemporaryFile

        self.are_complete = True  # until there is no space for one
        self._file = SpooledTemporaryFile(MAX_BYTES_IN_MEMORY)  # noqa: SIM115 - open until it is forgotten
        self._runs: list[tuple[int, int]] = []  # size in bytes, and the records that precede it

    def add(self, packed: bytes, records_before: int) -> None:
        """Keep a run; where there is no space for it, all are forgotten."""
        if not self.are_complete:
            return
        try:
            self._file.write(packed)
            self._file.flush()
        except OSError:
            self.are_complete = False
            self._file.close()
        else:
            self._runs.append((len(packed), records_before))

    def __iter__(self) -> Iterator[EncodedRows]:
        """Yield the runs in their order."""
        begin = 0
        for size, records_before in self._runs:
            self._file.seek(begin)
            rows = _unpack(self._file.read(size))
            rows.renumber(records_before)
            yield rows
            begin += size
