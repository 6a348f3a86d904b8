"""Rows of statistics as tests read them."""

import csv
import io

Rows = list[dict[str, str]]
BASE = ["entity", "entity_id", "name", "campaign", "start", "end", "placement", "segment"]
OWNERS = ["account", "campaign_id", "line_item_id", "post_id", "currency"]


def rows_in(text: str) -> Rows:
    return [*csv.DictReader(io.StringIO(text))]


def number(value: str) -> float:
    return float(value or 0)


def total(rows: Rows, column: str) -> float:
    return sum(number(row[column]) for row in rows)
