"""Files of campaigns, and the commands that pull, compare and apply them."""

import json

from ads_cli.client.transport import Sender
from tests.emulator.seeded import CARD, SHOP, SPRING

DIFFERENCES = 10
COUNTRIES = f"""\
# what the shop sells in winter
account: {SHOP}
campaigns:
- name: Winter {{country}}   # one for each country
  for: {{rows: markets.csv}}
  funding_instrument_id: {CARD}
  daily_budget: "{{budget}}"
  line_items:
  - name: Mugs in {{country}}
    objective: WEBSITE_CLICKS
    product_type: PROMOTED_POSTS
    placements: [ALL_ON_PLATFORM]
    bid_strategy: AUTO
    start_time: 2031-12-01
    daily_budget: "{{budget}}"
    entity_status: ACTIVE
    targeting:
    - LOCATION: "{{country}}"
    - BROAD_KEYWORD: handmade mugs
    - EXCLUDE CUSTOM_AUDIENCE: Customers
    ads:
    - post: "1790415000000000001"
    - scheduled_post: "1790415000000000003"
    tracking_tags:
    - {{tracking_tag_type: CLICK_TRACKER, tracking_tag_url: "https://m.example/c"}}
- name: Solo
  entity_status: ACTIVE
  funding_instrument_id: {CARD}
  daily_budget: 5
"""


def pull(adsctl, *words: str) -> str:
    return adsctl("-q", "campaigns", "pull", *words).stdout


def plan(adsctl, document, *words: str, code: int = DIFFERENCES) -> list[dict]:
    text = document if isinstance(document, str) else json.dumps(document)
    return json.loads(
        adsctl("-q", "campaigns", "plan", "-", "-o", "json", *words, input=text, code=code).stdout
    )


def apply(adsctl, file, *words: str, code: int = 0):
    if isinstance(file, str):
        return adsctl("campaigns", "apply", file, "--yes", "-o", "json", *words, code=code)
    return adsctl("campaigns", "apply", "-", "--yes", "-o", "json", *words, input=json.dumps(file), code=code)


def document(adsctl, *words: str) -> dict:
    return json.loads(pull(adsctl, "-o", "json", *words))


def spring(adsctl) -> tuple[dict, dict]:
    file = document(adsctl, "--ids", SPRING)
    return file, file["campaigns"][0]


def short(changes: list[dict]) -> list[tuple[str, str]]:
    return [(change["action"], change["kind"]) for change in changes]


def recorded(monkeypatch) -> list[tuple[str, str]]:
    """The requests that change anything, from now on."""
    sent, send = [], Sender.send

    def noting(self, prepared, *args, **options):
        if prepared.method != "GET":
            body = prepared.body or b"".join(map(bytes, prepared.pieces))
            sent.append((f"{prepared.method} {prepared.url}", body.decode()))
        return send(self, prepared, *args, **options)

    monkeypatch.setattr(Sender, "send", noting)
    return sent
