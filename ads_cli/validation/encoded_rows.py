"""Rows whose JSON is made."""

import msgspec

from .kept_rows import KeptRun
from .result import CheckedRow
from .schema import RowSchema


class EncodedRows(msgspec.Struct):
    """Valid rows, ready to be sent: their ids, their JSON, and where they are in the file."""

    ids: list[str] = []
    bodies: list[bytes] = []
    places: list[tuple[int, int]] = []  # record number and line
    rows: int = 0  # rows read, those that are not sent included

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, id: str, body: bytes, record: int, line: int) -> None:
        """Append a row."""
        self.ids.append(id)
        self.bodies.append(body)
        self.places.append((record, line))

    def slice(self, begin: int, end: int) -> "EncodedRows":
        """Return the rows from `begin` to `end`."""
        return EncodedRows(self.ids[begin:end], self.bodies[begin:end], self.places[begin:end])

    def extend(self, others: "EncodedRows") -> None:
        """Append other rows."""
        self.ids += others.ids
        self.bodies += others.bodies
        self.places += others.places

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede these in the file."""
        self.places = [(record + offset, line) for record, line in self.places]


class RowEncoder:
    """Keeps the valid rows of a run as they are sent."""

    def __init__(self, schema: RowSchema) -> None:
        self.rows = EncodedRows()
        self._id_field, self._encode = schema.id_field, schema.encode

    def add(self, checked: CheckedRow, number: int) -> None:
        """Encode a row, if it is valid."""
        if (item := checked.item) is not None:
            self.rows.add(getattr(item, self._id_field), self._encode(item), number, checked.row.line)

    def packed(self) -> bytes:
        """Return the rows as `unpack` reads them."""
        return _pack(self.rows)


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(EncodedRows).decode


def unpack(run: KeptRun) -> EncodedRows:
    """Return the rows that a RowEncoder has kept of a run."""
    rows = _unpack(run.packed)
    rows.renumber(run.records_before)
    return rows
