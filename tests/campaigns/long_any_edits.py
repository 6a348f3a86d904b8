"""After any edits of the file and of the account, by any way to apply: the account is what the file says.

What the file does not have stays as it was, unless --prune; nothing beside it is touched.
"""

import json
import random
from decimal import Decimal
from functools import partial

import pytest

from tests.campaigns.kills import at_random_changes, run_until_it_ends
from tests.effort import tries
from tests.emulator.seeded import CARD

LISTS = ("campaigns", "line_items", "targeting", "ads", "tracking_tags")
POSTS = tuple(f"17904150000000000{number}" for number in ("01", "10", "11", "12", "13"))
ENDED = ("9d4b1", "8wkt0")  # what has an end that has passed
KEYWORDS = ("mugs", "bowls", "wool", "yarn", "Küche ☕", "null")


class World:
    """A file and an account that change at random."""

    def __init__(self, adsctl, service, rng: random.Random, name: str) -> None:
        self.adsctl, self.service, self.rng, self.name = adsctl, service, rng, name
        self.number = 0
        self.ids: dict[str, str] = {}  # of keys, once they were applied
        self.file = self.pulled() if name == "x" else without_nulls(self.pulled())
        for record in [record for record in self.file["campaigns"] if rng.random() < 0.3]:
            self.file["campaigns"].remove(record)

    def run(self, *words: str, code: int | None = 0, text: str | None = None):
        return self.adsctl("-q", *words, code=code, **({} if text is None else {"input": text}))

    def pulled(self) -> dict:
        return json.loads(self.run("campaigns", "pull", "-o", "json").stdout)

    def new_name(self) -> str:
        self.number += 1
        return f"{self.rng.choice(('Neu', 'a: b', '日本'))} {self.number}"

    def items(self) -> list[dict]:
        return [item for record in self.file["campaigns"] for item in record.get("line_items", ())]

    def edit(self) -> bool:
        """Change something in the file; return whether a field that cannot be changed is among it."""
        rng, campaigns = self.rng, self.file["campaigns"]
        campaign = rng.choice(campaigns)
        items = [item for item in self.items() if item.get("id") not in ENDED]
        item = rng.choice(items) if items else {}
        match rng.randrange(13):
            case 0:
                campaign["name"] = self.new_name()
            case 1:
                campaign["daily_budget"] = str(rng.randint(5, 30))
            case 2 if campaign.get("entity_status") != "DRAFT":
                campaign["entity_status"] = rng.choice(("ACTIVE", "PAUSED"))
            case 3:
                new = {"name": self.new_name(), "funding_instrument_id": CARD, "daily_budget": "9"}
                new |= {"key": new["name"]} if rng.random() < 0.5 else {}
                new |= {"entity_status": "ACTIVE", "line_items": [self.new_item()]}
                campaigns.insert(rng.randrange(len(campaigns) + 1), new)
            case 4 if all(
                "WEBSITE" in record.get("objective", "") for record in campaign.get("line_items", ())
            ):
                campaign.setdefault("line_items", []).append(self.new_item())
            case 5:
                item["name"] = self.new_name()
            case 6 if item.get("targeting"):
                item["targeting"].pop(rng.randrange(len(item["targeting"])))
            case 7:
                criterion = {rng.choice(("BROAD_KEYWORD", "EXCLUDE BROAD_KEYWORD")): self.new_name()}
                item.setdefault("targeting", []).insert(0, criterion)
            case 8 if item.get("ads"):
                item["ads"].pop()
            case 9 if item.get("product_type") == "PROMOTED_POSTS":
                known = {ad.get("post") for ad in item.get("ads", ())}
                item.setdefault("ads", []).append({"post": rng.choice([*{*POSTS} - known] or POSTS)})
                item["ads"] = [*{str(ad.get("post", ad)): ad for ad in reversed(item["ads"])}.values()]
            case 10:
                tag = {
                    "tracking_tag_type": "CLICK_TRACKER",
                    "tracking_tag_url": f"https://m.example/{len(items)}",
                }
                item["tracking_tags"] = [tag] if not item.get("tracking_tags") else item["tracking_tags"][1:]
            case 11:
                for found in (campaigns, *(record.get("line_items", []) for record in campaigns)):
                    rng.shuffle(found)
                some = rng.choice((campaign, item))
                some.pop(rng.choice(("total_budget", "entity_status", "end_time", *LISTS)), None)
            case 12 if "id" in item and item.get("placements") == ["ALL_ON_PLATFORM"]:
                item["placements"] = ["PLATFORM_TIMELINE"]
                return True
        return False

    def new_item(self) -> dict:
        item = {"name": self.new_name(), "objective": "WEBSITE_CLICKS", "product_type": "PROMOTED_POSTS"}
        item |= {"placements": ["ALL_ON_PLATFORM"], "bid_strategy": "AUTO", "start_time": "2031-12-01"}
        item |= {"key": item["name"]} if self.rng.random() < 0.5 else {}
        keywords = self.rng.sample(KEYWORDS, self.rng.randint(0, 3))
        item["targeting"] = [{"BROAD_KEYWORD": word} for word in keywords]
        item["ads"] = [{"post": post} for post in self.rng.sample(POSTS, self.rng.randint(0, 2))]
        return item

    def by_hand(self) -> None:
        """Change something in the account, as somebody else."""
        rng, run, account = self.rng, self.run, self.pulled()
        campaign = rng.choice(
            [record for record in account["campaigns"] if record["entity_status"] != "DRAFT"]
        )
        item = rng.choice(campaign["line_items"] or [None])
        new = ("campaigns", "create", "--funding-instrument-id", CARD)
        words = rng.choice(
            (
                (
                    "campaigns",
                    "update",
                    campaign["id"],
                    "--daily-budget",
                    "7",
                    "--purchase-order-number",
                    "P",
                ),
                ("campaigns", "update", campaign["id"], "--name", self.new_name()),
                ("campaigns", "delete", campaign["id"]),
                (*new, "--name", self.new_name(), "--daily-budget", "3"),
            )
        )
        if item and rng.random() < 0.7:
            keyword = ("targeting", "add", "--targeting-type", "BROAD_KEYWORD", "--line-item", item["id"])
            tag = ("tracking-tags", "create", "--tracking-tag-type", "CLICK_TRACKER", "--line-item-id")
            words = rng.choice(
                (
                    ("line-items", "update", item["id"], "--name", self.new_name(), "--daily-budget", "4"),
                    ("line-items", "update", item["id"], "--entity-status", "PAUSED"),
                    ("line-items", "delete", item["id"]),
                    (*keyword, "--targeting-value", self.new_name()),
                    (*tag, item["id"], "--tracking-tag-url", f"https://hand.example/{self.number}"),
                    *(("promoted", "posts", "delete", ad["id"]) for ad in item["ads"] if "post" in ad),
                )
            )
        run(*words, "-y", code=None)  # what the account cannot have is refused

    def forget_deleted(self) -> None:
        """Remove from the file what somebody has deleted, as the messages of plan ask for."""
        there: set[str] = set()

        def note(records: list[dict]) -> None:
            for record in records:
                there.add(record.get("id", ""))
                for key in LISTS:
                    note(record.get(key, []))

        def keep(owner: dict) -> None:
            for key in LISTS:
                if key in owner:
                    owner[key] = [record for record in owner[key] if record.get("id", "") in there | {""}]
                    for record in owner[key]:
                        keep(record)

        note(self.pulled()["campaigns"])
        keep(self.file)

    def apply(self, way: str, options: tuple[str, ...], monkeypatch) -> None:
        """Apply the file, in one of the ways."""
        rng, text = self.rng, json.dumps(self.file)
        words = ("campaigns", "apply", "-", "--max-delete", "100%", "--yes", *options)
        if way == "stored":
            (self.adsctl.home / "a.json").write_text(text)
            planned = self.run("campaigns", "plan", "a.json", "--out", "a.plan", *options, code=None)
            assert planned.returncode in (0, 10), planned.stderr
            self.run("campaigns", "apply", "a.plan", "--max-delete", "100%", "--yes")
        elif way == "lost":
            self.service.fail(f"POST * reset-after times={rng.randint(1, 3)}")
            while (done := self.run(*words, "--resume", code=None, text=text)).returncode == 8:
                pass
            self.service.fail()
            assert done.returncode == 0, done.stderr
        elif way == "kills":
            resume = partial(self.run, *words, "--resume", text=text)
            run_until_it_ends(monkeypatch, resume, at_random_changes(rng, 0.3))
        else:
            self.run(*words, text=text)

    def check(self, before: dict, after: dict, *, prune: bool, replaced: bool) -> None:
        """Compare the account with what the file and the account before make of it."""
        covers = self.file.get("scope") == "account"
        self._check_list(
            "campaigns", self.file, before, after, prune=prune and covers, inner=prune, new=replaced
        )

    def _check_list(self, key: str, owner, before, after, *, prune: bool, inner: bool, new: bool) -> None:
        records, earlier, now = owner[key], before.get(key, []), after.get(key, [])
        known = {self._mark(one): one for one in earlier}
        there = {self._mark(one): one for one in now}
        by_name = {one.get("name"): one for one in now if one.get("name")}
        assert len(there) == len(now), f"{key}: one is there twice: {now}"
        kept = dict(known)
        for record in records:
            id = record.get("id") or self.ids.get(record.get("key", ""))
            mark = id if id and "name" in record else self._mark(record)
            found = there.get(mark) or by_name.get(record.get("name", object()))
            assert found, f"{key}: {record} is not there: {now}"
            mark = self._mark(found)
            was = kept.pop(mark, None) or (kept.pop(id, None) if new and id else None) or {}
            there.pop(mark)
            if new and id and found.get("id") != id:
                for inner_key in LISTS:
                    for one in record.get(inner_key, ()):
                        one.pop("id", None)
                record["id"], was = found["id"], {}
            if "key" in record:
                self.ids[record["key"]] = found["id"]
            for name, value in record.items():
                if name not in ("id", "key", *LISTS):
                    assert same(value, found.get(name)), f"{key}: {name}: {value}, not {found}"
            for name in was.keys() - record.keys():
                assert name in LISTS or was[name] == found.get(name), f"{key}: {name} was touched: {found}"
            for inner_key in LISTS:
                if inner_key in record:
                    self._check_list(inner_key, record, was, found, prune=inner, inner=inner, new=new)
                elif was:
                    assert was.get(inner_key) == found.get(inner_key)
        if not prune:
            for mark, one in kept.items():
                assert there.pop(mark, None) == one, f"{key}: {one} is gone or was touched"
        assert not there, f"{key}: nobody has asked for {there}"

    def _mark(self, record: dict) -> str:
        if "name" in record and "id" in record:
            return record["id"]
        return json.dumps({key: record[key] for key in record if key not in ("id", "key")})


def without_nulls(value):
    """Leave out what only service x can make so again."""
    if isinstance(value, dict):
        return {key: without_nulls(record) for key, record in value.items() if record is not None}
    return [*map(without_nulls, value)] if isinstance(value, list) else value


def same(wanted, found) -> bool:
    if isinstance(wanted, list):
        return sorted(map(str, wanted)) == sorted(map(str, found or []))
    if isinstance(wanted, str) and wanted.replace(".", "").isdecimal() and found is not None:
        return Decimal(wanted) == Decimal(str(found))
    return wanted == found or str(found).startswith(f"{wanted}T00:00:00")


@pytest.mark.parametrize("service_name", ["generic", "x"])
@pytest.mark.parametrize("seed", range(tries(2, 150)))
def test_after_any_edits_the_account_is_the_file_and_nothing_else_has_changed(
    adsctl, service, service_name, seed, monkeypatch
):
    rng = random.Random(seed)
    world = World(adsctl, service, rng, service_name)
    for _ in range(3):
        prune = rng.random() < 0.5
        edits = [world.edit() for _ in range(rng.randint(1, 6))]
        is_replaced = any(edits)
        for _ in range(rng.choice((0, 0, 1, 2))):
            world.by_hand()
        world.forget_deleted()
        before = world.pulled()
        options = ("--prune",) * prune + ("--replace",) * is_replaced
        world.apply(rng.choice(("at once", "stored", "lost", "kills")), options, monkeypatch)
        planned = world.run(
            "campaigns", "plan", "-", "-o", "json", *options, code=None, text=json.dumps(world.file)
        )
        assert planned.returncode in (0, 10), planned.stderr
        if not is_replaced:
            assert json.loads(planned.stdout) == [], "the account is not the file"
        world.check(before, world.pulled(), prune=prune, replaced=is_replaced)


@pytest.mark.parametrize("seed", range(tries(2, 60)))
def test_a_stored_plan_is_refused_exactly_where_what_it_touches_has_changed(adsctl, service, seed):
    rng = random.Random(seed)
    world = World(adsctl, service, rng, "generic")
    for _ in range(3):
        world.edit()
    world.file["campaigns"][0]["daily_budget"] = "33"
    (adsctl.home / "a.json").write_text(json.dumps(world.file))
    world.run("campaigns", "plan", "a.json", "--out", "a.plan", "--replace", code=None)
    planned = json.loads((adsctl.home / "a.plan").read_text())
    before = world.pulled()
    world.by_hand()
    after = world.pulled()
    changes = json.loads(
        world.run("campaigns", "plan", "a.json", "--replace", "-o", "json", code=None).stdout or "null"
    )
    done = world.run("campaigns", "apply", "a.plan", "--yes", code=None)
    is_planned = [change in planned["changes"] for change in changes or ()]
    if changes != planned["changes"] and not done.returncode:
        assert is_planned.count(True) == len(planned["changes"]), "what was planned differs"
        campaigns = [change["path"].partition(".")[0] for change in changes]
        touched = {campaign for campaign, is_one in zip(campaigns, is_planned, strict=True) if is_one}
        others = [change for change, is_one in zip(changes, is_planned, strict=True) if not is_one]
        assert touched.isdisjoint(change["path"].partition(".")[0] for change in others)
        left = world.run("campaigns", "plan", "a.json", "--replace", "-o", "json", code=None).stdout
        assert json.loads(left) == others, "what was not planned is as it was"
    elif changes != planned["changes"]:
        assert done.returncode in (3, 12) and world.pulled() == after, "what differs is another plan"
    elif before == after:
        assert done.returncode == 0
    else:
        assert done.returncode in (0, 12), done.stderr + done.stdout
        assert done.returncode == 0 or world.pulled() == after
