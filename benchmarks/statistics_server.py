"""A server of statistics jobs that have ended as soon as they are made.

Usage: python statistics_server.py LINE_ITEMS DAYS   (prints its port)
"""

import asyncio
import gzip
import json
import re
import sys
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

METRICS = (
    *("engagements", "impressions", "reposts", "replies", "likes", "follows", "card_engagements", "clicks"),
    *("app_clicks", "url_clicks", "qualified_impressions", "carousel_swipes"),
    *("billed_engagements", "billed_charge_local_micro"),
)
UPDATED = "2026-03-01T08:00:00Z"
REQUEST = re.compile(rb"(GET|POST) (\S+) HTTP")
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"


class Jobs(asyncio.Protocol):
    """One connection; requests arrive one after the other and have no body."""

    line_items = days = port = 0
    results: dict[str, bytes] = {}  # by job, packed

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Respond to a request."""
        match = REQUEST.match(data)
        assert match
        method, target = match[1].decode(), urlsplit(match[2].decode())
        path = target.path.rpartition("/")[2]
        if "/results/" in target.path:
            self.respond(self.results[path.lstrip("0")], "application/gzip")
            return
        query = {name: values[0] for name, values in parse_qs(target.query).items()}
        found: object = {"id": "acc", "timezone": "Europe/Berlin"}
        if path == "line_items":
            ids = query["line_item_ids"].split(",") if "line_item_ids" in query else names(self.line_items)
            found = [
                {
                    "id": id,
                    "name": f"Line item {id}",
                    "campaign_id": "c",
                    "currency": "EUR",
                    "updated_at": UPDATED,
                }
                for id in ids
            ]
        elif path == "active_entities":
            found = [{"entity_id": id, "placements": ["ALL_ON_PLATFORM"]} for id in names(self.line_items)]
        elif path == "campaigns":
            found = [{"id": "c", "name": "Everything"}]
        elif "/stats/jobs/" in target.path:
            found = (
                self.made(query) if method == "POST" else [self.job(id) for id in query["job_ids"].split(",")]
            )
        self.respond(json.dumps({"data": found, "next_cursor": None}).encode())

    def made(self, query: dict[str, str]) -> dict[str, str]:
        """Make a job, and its result."""
        id = str(len(self.results) + 1)
        days = self.days
        if {"start_time", "end_time"} <= query.keys():
            start, end = (datetime.fromisoformat(query[name]) for name in ("start_time", "end_time"))
            days = (end - start).days
        self.results[id] = packed(query["entity_ids"].split(","), days)
        return {"id_str": id, "status": "PROCESSING"}

    def job(self, id: str) -> dict[str, str]:
        """Return a job that has ended."""
        return {"id_str": id, "status": "SUCCESS", "url": f"http://127.0.0.1:{self.port}/results/{id:0>12}"}

    def respond(self, content: bytes, kind: str = "application/json") -> None:
        """Send a response."""
        self.transport.write((HEAD % (kind, len(content))).encode() + content)


def names(line_items: int) -> list[str]:
    """Return the ids of the line items."""
    return [f"li{number}" for number in range(line_items)]


def packed(ids: list[str], days: int) -> bytes:
    """Return the statistics of entities by day."""
    series = {metric: [len(metric) * 1000 + day * 7 for day in range(days)] for metric in METRICS}
    data = [{"id": id, "id_data": [{"segment": None, "metrics": series}]} for id in ids]
    return gzip.compress(json.dumps({"data": data}).encode(), 1)


async def serve(line_items: int, days: int) -> None:
    """Listen on a free loopback port until the process ends."""
    Jobs.line_items, Jobs.days = line_items, days
    server = await asyncio.get_running_loop().create_server(Jobs, "127.0.0.1", 0)
    Jobs.port = server.sockets[0].getsockname()[1]
    print(Jobs.port, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(*map(int, sys.argv[1:])))
