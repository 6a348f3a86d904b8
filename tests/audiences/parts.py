"""People in several files, and the command that pushes them."""

import json

from .conftest import digest

PUSH = ("audiences", "push", "--audience", "aud", "-o", "json", "--max-attempts", "1", "--concurrency", "1")


def person(part: int, number: int) -> str:
    return f"user{number}.of{part}@x.de"


def people(part: int, count: int = 10, header: str = "email") -> str:
    return header + "\n" + "".join(f"{person(part, number)}\n" for number in range(count))


def everybody(parts: int, count: int = 10) -> set[str]:
    return {digest(person(part, number)) for part in range(parts) for number in range(count)}


def write_parts(shop, parts: int, count: int = 10) -> None:
    (shop.home / "people").mkdir(exist_ok=True)
    for part in range(parts):
        shop.file(f"people/part-{part:03}.csv", people(part, count))


def jobs(shop) -> list[dict]:
    return json.loads(shop("jobs", "list", "-o", "json").stdout)
