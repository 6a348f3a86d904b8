"""Campaigns as a file: a plan beside the listing of the account, and an apply beside a bare loop."""

import json
import time
from collections.abc import Mapping
from pathlib import Path

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.resources import campaigns as campaign_records
from ads_cli.emulator.resources import line_items
from ads_cli.emulator.seed.line_items import CARD, LINE_ITEM_FIELDS

from .emulators import serving
from .peers import ADSCTL, PYTHON
from .running import interleaved, measured
from .table import Bar, Table

OF_CAMPAIGN, CRITERIA, BATCH = 100, 5, 40  # line items, criteria of each, and creations in a request
MOST_CREATED = 160  # campaigns: an account may have 200
LATENCY_MS = 50
TREE, PLAN = "campaigns tree", "campaigns plan"
LOOP, APPLY = "a bare loop of the same batches", "campaigns apply"
BARE = """
import json, os, sys
import httpx
from oauthlib.oauth1 import Client
env = os.environ
names = ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_TOKEN_SECRET")
signer = Client(*(env["ADSCTL_" + name] for name in names))
url = env["ADSCTL_ADS_URL"] + "/12/batch/accounts/" + env["ADSCTL_ACCOUNT"] + "/campaigns"
with httpx.Client(timeout=60) as client:
    for body in json.load(open(sys.argv[1])):
        _, headers, _ = signer.sign(url, "POST")
        headers["Content-Type"] = "application/json"
        client.post(url, content=json.dumps(body), headers=headers).raise_for_status()
"""


def campaigns(table: Table, env: Mapping[str, str], folder: Path, items: int, runs: int) -> None:
    """Compare a pulled file of many line items, and create many campaigns."""
    database = folder / "campaigns.db"
    _fill(database, items)
    file = folder / "campaigns.yaml"
    table.begin(f"plan of {items:,} line items with {CRITERIA} criteria each, medians of {runs}")
    with serving(env, database) as online:
        measured([ADSCTL, "campaigns", "pull", str(file), "--force"], online)
        peak = 0.0

        def plan() -> float:
            nonlocal peak
            cost = measured([ADSCTL, "campaigns", "plan", str(file)], online)
            peak = max(peak, cost.megabytes)
            return cost.seconds

        tree = [ADSCTL, "campaigns", "tree", "-o", "jsonl"]
        samples = interleaved({TREE: lambda: measured(tree, online).seconds, PLAN: plan}, runs, warm=False)
    table.speed(TREE, items, samples)
    table.speed(PLAN, items, samples, [Bar(TREE, least=1 / 1.3)])
    table.limit("peak memory of the plan", round(peak), 250, "MB")
    _applies(table, env, folder, min(MOST_CREATED, items // 10), runs)


def _fill(database: Path, items: int) -> None:
    """Add campaigns with line items and criteria to a new emulator."""
    data = Emulator(database).prepared().data
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


def _applies(table: Table, env: Mapping[str, str], folder: Path, count: int, runs: int) -> None:
    """Create campaigns by a file, and the same batches by a loop, each run into a new database."""
    table.begin(f"apply of {count:,} creations, {LATENCY_MS} ms of latency, medians of {runs}")
    records = [
        {"name": f"New {number}", "funding_instrument_id": CARD, "daily_budget": "5"}
        for number in range(count)
    ]
    file, bodies, loop = folder / "new.json", folder / "bodies.json", folder / "loop.py"
    file.write_text(json.dumps({"campaigns": records}))
    made = [
        {"operation_type": "Create", "params": {"name": one["name"], "funding_instrument_id": CARD}}
        for one in records
    ]
    for one in made:
        one["params"] |= {"daily_budget_amount_local_micro": 5_000_000, "entity_status": "PAUSED"}  # type: ignore[index]
    bodies.write_text(json.dumps([made[at : at + BATCH] for at in range(0, count, BATCH)]))
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

    tasks = {
        LOOP: lambda: run([PYTHON, str(loop), str(bodies)]),
        APPLY: lambda: run([ADSCTL, "campaigns", "apply", str(file), "--yes"]),
    }
    samples = interleaved(tasks, runs, warm=False)
    table.speed(LOOP, count, samples)
    table.speed(APPLY, count, samples, [Bar(LOOP, least=0.8)])
