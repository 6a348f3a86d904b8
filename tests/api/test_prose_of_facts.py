"""What the facts say in words, and not only in fields that are compared: refused before it is sent."""

import shlex

import pytest

from ads_cli.api.names import SERVICES

LINE_ITEM = (
    "line-items create --campaign-id 8wku2 --objective WEBSITE_CLICKS --product-type PROMOTED_POSTS"
    " --placements ALL_ON_PLATFORM --start-time 2031-03-01"
)
FUNDING = "funding-instruments create --type INSERTION_ORDER --start-time 2026-03-01T00:00Z"
CONVERSION = (
    "measurement conversion-attribution get --os-type IOS --conversion-type INSTALL --hashed-device-id a1"
    " --conversion-time 2026-03-01T08:00:00Z --app-id"
)
FEED = (
    "catalog feeds create --feed-url https://shop.example/a.csv --feed-format CSV --frequency DAILY"
    " --start-time 03:10 --time-zone"
)
DOMAIN = "--advertiser-domain: 'https://shop.example' is not allowed: a host without https://"
NO_CURRENCY = "--currency: XYZ is not a currency of ISO 4217"
REFUSED = {
    f"{LINE_ITEM} --advertiser-domain https://shop.example": DOMAIN,
    "line-items update 9d4c1 --advertiser-domain https://shop.example": DOMAIN,
    f"{LINE_ITEM} --categories IAB1,news": "--categories categories[1]: 'news' is not allowed: an IAB code",
    f"{LINE_ITEM} --frequency-cap 0": "--frequency-cap: '0' is not allowed: at least 1",
    "line-items update 9d4c1 --goal LINK_CLICKS --pay-by APP_CLICK": (
        "--goal: LINK_CLICKS is for pay_by LINK_CLICK or IMPRESSION only"
    ),
    f"line-items update 9d4c1 --name {'n' * 256}": "--name: has 256 characters, at most 255 are allowed",
    "line-items update 9d4c1 --start-time 2026-03-02T00:00Z --end-time 2026-03-01T00:00Z": (
        "--end-time: is not after start_time"
    ),
    f"{FUNDING} --currency EUR --end-time 2026-02-01T00:00Z": "--end-time: is not after start_time",
    f"{FUNDING} --currency XYZ": NO_CURRENCY,
    "campaigns update 8wku2 --daily-budget 12.5 --currency XYZ": NO_CURRENCY,
    "lookup bidding-rules --currency XYZ": NO_CURRENCY,
    f"{CONVERSION} 'the shop'": "--app-id: 'the shop' is not allowed: digits, or the name of a package",
    "measurement ab-tests list --username @nordlicht": "--username: '@nordlicht' is not allowed",
    "measurement ab-tests list --live-during 2026-03-02T00:00Z,2026-03-01T00:00Z": (
        "--live-during: has the later time first"
    ),
    "targeting add --line-item 9d4c1 --targeting-type IAB_CATEGORY --targeting-value news": (
        "--targeting-value: 'news' is not allowed for IAB_CATEGORY: an IAB code"
    ),
    f"{FEED} Mars/Olympus": "--time-zone: Mars/Olympus is not a time zone of the IANA",
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_it_is_refused_before_it_is_sent(adsctl, line):
    for service in SERVICES:
        refused = adsctl.local(*shlex.split(line), "--service", service, code=2)
        assert REFUSED[line] in refused.stderr


def test_a_goal_fits_the_objective_of_its_line_item(adsctl):
    """The service alone knows the objective of a line item that exists."""
    refused = adsctl.local("line-items", "update", "9d4c1", "--goal", "APP_INSTALLS", code=6)
    assert "goal: APP_INSTALLS is for objective APP_ENGAGEMENTS or APP_INSTALLS only" in refused.stderr
