"""Campaigns as a file: a plan beside the listing of the account, and an apply beside a bare loop."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.resources import campaigns as campaign_records
from ads_cli.emulator.resources import line_items
from tests.emulator.seeded import CARD, LINE_ITEM_FIELDS

from .emulators import serving
from .peers import ADSCTL, PYTHON
from .running import interleaved, measured
from .table import Bar, Table

OF_CAMPAIGN, CRITERIA = 100, 5  # line items, and criteria of each
CREATED, ITEMS_CREATED = 1_000, 10  # records, and line items of a campaign
SIZES = {"campaigns": 40, "line_items": 40, "targeting_criteria": 500}  # creations in a request
LATENCY_MS = 50
TREE, PLAN = "campaigns tree", "campaigns plan"
LISTING, CHECK = "line-items list", "accounts check"
LISTED_RULES = "D105,B105,N104"  # of line items and campaigns alone, without numbers
LOOP, APPLY = "a bare loop of the same batches", "campaigns apply"
BARE = """
import json, os, sys
import httpx
from oauthlib.oauth1 import Client
env = os.environ
names = ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_TOKEN_SECRET")
signer = Client(*(env["ADSCTL_" + name] for name in names))
root = env["ADSCTL_ADS_URL"] + "/12/batch/accounts/" + env["ADSCTL_ACCOUNT"] + "/"
ids = {}
with httpx.Client(timeout=60) as client:
    for path, parent, batch in json.load(open(sys.argv[1])):
        for number, above, params in batch:
            if parent:
                params[parent] = ids[above]
        body = [{"operation_type": "Create", "params": params} for _, _, params in batch]
        _, headers, _ = signer.sign(root + path, "POST")
        headers["Content-Type"] = "application/json"
        answer = client.post(root + path, content=json.dumps(body), headers=headers).raise_for_status()
        for (number, _, _), made in zip(batch, answer.json()["data"]):
            ids[number] = made["id"]
"""


class Peak:
    """A command that is run several times, and the most memory that a run has needed."""

    def __init__(self, command: list[str], env: Mapping[str, str], *, code: int = 0) -> None:
        self._command, self._env, self._code, self.megabytes = command, env, code, 0.0

    def seconds(self) -> float:
        """Run it, and return the seconds."""
        cost = measured(self._command, self._env, code=self._code)
        self.megabytes = max(self.megabytes, cost.megabytes)
        return cost.seconds


def campaigns(table: Table, env: Mapping[str, str], folder: Path, items: int, runs: int) -> None:
    """Compare a pulled file of many line items, and create many campaigns."""
    database = folder / "campaigns.db"
    _fill(database, items)
    file = folder / "campaigns.yaml"
    table.begin(f"plan of {items:,} line items with {CRITERIA} criteria each, medians of {runs}")
    with serving(env, database) as online:
        measured([ADSCTL, "campaigns", "pull", str(file), "--force"], online)
        plan = Peak([ADSCTL, "campaigns", "plan", str(file)], online)
        tree = [ADSCTL, "campaigns", "tree", "-o", "jsonl"]
        check = Peak([ADSCTL, "accounts", "check", "-o", "none", "--select", LISTED_RULES], online)
        listing = [ADSCTL, "line-items", "list", "--all", "-o", "none"]
        timed = {
            TREE: lambda: measured(tree, online).seconds,
            PLAN: plan.seconds,
            LISTING: lambda: measured(listing, online).seconds,
            CHECK: check.seconds,
        }
        samples = interleaved(timed, runs, warm=False)
    table.speed(TREE, items, samples)
    table.speed(PLAN, items, samples, [Bar(TREE, least=1 / 1.3)])
    table.speed(CHECK, items, samples, [Bar(LISTING, least=1 / 1.3)])
    table.limit("peak memory of the plan", round(plan.megabytes), 250, "MB")
    table.limit("peak memory of the check", round(check.megabytes), 200, "MB")
    _applies(table, env, folder, min(CREATED, items * 2), runs)


def _fill(database: Path, items: int) -> None:
    """Add campaigns with line items and criteria to a new emulator."""
    data = Emulator(database).data
    paid = {"currency": "EUR", "funding_instrument_id": CARD}
    for number in range(-(-items // OF_CAMPAIGN)):
        campaign = {**campaign_records.DEFAULTS, **paid, "id": f"bc{number}", "name": f"Campaign {number}"}
        ids = [f"bi{number}x{inner}" for inner in range(OF_CAMPAIGN)]
        shared = {**line_items.DEFAULTS, **LINE_ITEM_FIELDS, **paid, "campaign_id": campaign["id"]}
        shared |= {"objective": "WEBSITE_CLICKS", "goal": "LINK_CLICKS", "placements": ["ALL_ON_PLATFORM"]}
        keyword = {"operator_type": "EQ", "targeting_type": "BROAD_KEYWORD"}
        data.add_records("campaign", [campaign])
        data.add_records("line_item", [{**shared, "id": id, "name": f"Item {id}"} for id in ids])
        data.add_records(
            "targeting_criterion",
            [
                {"id": f"{id}t{n}", "line_item_id": id, "name": f"word {n}", "targeting_value": f"word {n}"}
                | keyword
                for id in ids
                for n in range(CRITERIA)
            ],
        )


def _created(count: int) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return so many records as a file has them, and as batches: path, field of the parent, records."""
    shared = {"objective": "WEBSITE_CLICKS", "product_type": "PROMOTED_POSTS", "bid_strategy": "AUTO"}
    shared |= {"start_time": "2031-12-01T00:00:00Z"}
    found: list[dict[str, Any]] = []
    made: dict[str, list[Any]] = {path: [] for path in SIZES}
    paid = {"funding_instrument_id": CARD, "entity_status": "PAUSED"}
    while (number := sum(map(len, made.values()))) < count:
        if number % (1 + ITEMS_CREATED * (1 + CRITERIA)) == 0:
            top = number
            found.append({"name": f"New {number}", "funding_instrument_id": CARD, "line_items": []})
            found[-1]["daily_budget"] = "5"
            own = {"name": f"New {number}", "daily_budget_amount_local_micro": 5_000_000, **paid}
            made["campaigns"].append((number, None, own))
        elif (number - top - 1) % (1 + CRITERIA) == 0:
            item = number
            own = {"name": f"New {number}", "placements": ["ALL_ON_PLATFORM"], **shared}
            found[-1]["line_items"].append({**own, "targeting": []})
            made["line_items"].append((number, top, {**own, "entity_status": "PAUSED"}))
        else:
            found[-1]["line_items"][-1]["targeting"].append({"BROAD_KEYWORD": f"word {number}"})
            own = {"targeting_type": "BROAD_KEYWORD", "targeting_value": f"word {number}"}
            made["targeting_criteria"].append((number, item, {**own, "operator_type": "EQ"}))
    parents = dict(zip(SIZES, ("", "campaign_id", "line_item_id"), strict=True))
    batches = [
        (path, parents[path], records[at : at + SIZES[path]])
        for path, records in made.items()
        for at in range(0, len(records), SIZES[path])
    ]
    return found, batches


def _applies(table: Table, env: Mapping[str, str], folder: Path, count: int, runs: int) -> None:
    """Create records by a file, and the same batches by a loop, each run into a new database."""
    table.begin(f"apply of {count:,} creations, {LATENCY_MS} ms of latency, medians of {runs}")
    records, batches = _created(count)
    file, bodies, loop, log = (folder / name for name in ("new.json", "bodies.json", "loop.py", "apply.log"))
    file.write_text(json.dumps({"campaigns": records}))
    bodies.write_text(json.dumps(batches))
    loop.write_text(BARE)
    rounds = iter(range(1000))

    def run(command: list[str]) -> float:
        number = next(rounds)
        own = {**env, "ADSCTL_STATE_DIR": str(folder / f"apply-{number}")}
        fault = ("--fault", f"* * latency={LATENCY_MS}ms")
        with serving(own, folder / f"apply-{number}.db", *fault) as online:
            begun = time.perf_counter()
            measured(command, online)
            return time.perf_counter() - begun

    apply = [ADSCTL, "campaigns", "apply", str(file), "--yes", "--log-file", str(log)]
    tasks = {LOOP: lambda: run([PYTHON, str(loop), str(bodies)]), APPLY: lambda: run(apply)}
    samples = interleaved(tasks, runs, warm=False)
    table.speed(LOOP, count, samples)
    table.speed(APPLY, count, samples, [Bar(LOOP, least=0.8)])
    requests = len(log.read_text().splitlines()) / runs
    table.limit("round trips of apply", requests, round(len(batches) / 0.8), f"for {len(batches)} batches")
