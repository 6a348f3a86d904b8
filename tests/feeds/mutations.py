"""Feeds that are nearly right: valid ones, with mistakes made at random from a seed."""

import io
import json
import random

import openpyxl
import pyarrow
from pyarrow import parquet

RECORDS = [
    {
        "id": f"sku-{n}",
        "title": f"Café № {n}, \"large\" & 'blue' <b>",
        "price": f"{n}.50 EUR",
        "link": "https://x/?a=1&b=2",
    }
    for n in range(1, 12)
]
TOKENS = [
    *[
        b"",
        b"\0",
        b"\n",
        b"\r",
        b"\t",
        b" ",
        b'"',
        b"'",
        b",",
        b";",
        b":",
        b"-",
        b"- ",
        b"{",
        b"}",
        b"[",
        b"]",
        b"#",
    ],
    *[
        b"<",
        b">",
        b"&",
        b"&amp;",
        b"&nbsp;",
        b"&#0;",
        b"&#x110000;",
        b"</",
        b"/>",
        b"<a>",
        b"</a>",
        b"<item>",
    ],
    *[
        b"<![CDATA[",
        b"]]>",
        b"<!--",
        b"-->",
        b"<?xml",
        b"?>",
        b"<!DOCTYPE a>",
        b"<a b='",
        b"xml:space='preserve'",
    ],
    *[
        b"\xff",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xef\xbf\xbf",
        b"\\u0000",
        b"\\ud800",
        b"\\",
    ],
    *[
        b"encoding='utf-16'",
        b"encoding='shift_jis'",
        b"encoding='x'",
        b"*a",
        b"&a ",
        b"!!x ",
        b"|\n",
        b"---\n",
        b"...",
    ],
    *[
        b"\x1f\x8b\x08",
        b"BZh91AY&SY",
        b"\xfd7zXZ\0",
        b"\x28\xb5\x2f\xfd",
        b"PK\x03\x04",
        b"PAR1",
        b"9" * 400,
        b"[" * 300,
    ],
]


def _element(name: str, text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f"<g:{name}>{escaped}</g:{name}>" if name != "title" else f"<title><![CDATA[{text}]]></title>"


def _xml() -> str:
    items = "".join(
        f"\n<item>{''.join(_element(*pair) for pair in record.items())}<g:shipping><g:country>DE</g:country>"
        "</g:shipping><a>x <b>y</b></a></item>"
        for record in RECORDS
    )
    declaration = "<?xml version='1.0' encoding='utf-8'?>"
    return f"{declaration}\n<rss xmlns:g='x'><channel><title>S</title>{items}</channel></rss>"


def _table(delimiter: str) -> str:
    rows = [list(RECORDS[0]), *([str(value) for value in record.values()] for record in RECORDS)]
    quoted = ([f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows)
    return "".join(delimiter.join(row) + "\r\n" for row in quoted)


def _workbook() -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in ([*RECORDS[0]], *([*record.values(), 1.5, True, "#N/A"] for record in RECORDS)):
        book.active.append(row)
    book.save(stream)
    return stream.getvalue()


def _parquet() -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), stream, row_group_size=5)
    return stream.getvalue()


def _lines() -> str:
    return "".join(json.dumps(record) + "\n" for record in RECORDS)


VALID = {
    "csv": _table(",").encode(),
    "tsv": _table("\t").encode(),
    "yaml": "".join(f"- {line}\n" for line in _lines().splitlines()).encode(),
    "json": json.dumps(RECORDS, indent=1, ensure_ascii=False).encode(),
    "jsonl": _lines().encode(),
    "xml": _xml().encode(),
    "xlsx": _workbook(),
    "parquet": _parquet(),
}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Make up to four mistakes: cut, delete, repeat, insert or exchange."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((1, 2, 8, 60, 500)))
        kind = chance.randrange(6)
        if kind == 0:
            data = data[:start]
        elif kind == 1:
            data = data[:start] + data[end:]
        elif kind == 2:
            data = data[:end] + data[start:]
        elif kind == 3:
            data = data[:start] + chance.choice(TOKENS) + data[start:]
        elif kind == 4:
            data = data[:start] + chance.choice(TOKENS) + data[end:]
        else:
            data = data[:start] + chance.randbytes(end - start) + data[end:]
    return data
