"""Lists are sorted by the attributes that the reference of the public service has for them."""

import json

import pytest

SORTED = {
    "accounts list": "name",
    "funding-instruments list": "funded_amount_local_micro start_time end_time",
    "campaigns list": "name start_time end_time daily_budget_amount_local_micro "
    "total_budget_amount_local_micro standard_delivery",
    "line-items list": "bid_amount_local_micro",
    "cards list": "name",
    "cards poll list": "name",
    "cards image-conversation list": "name",
    "cards video-conversation list": "name",
    "promoted accounts list": "paused",
    "promoted posts list": "paused",
    "measurement app-event-tags list": "post_view_attribution_window post_engagement_attribution_window "
    "assisted_conversion provider_app_event_name",
}


@pytest.mark.parametrize("command", SORTED)
def test_a_list_takes_every_attribute_and_help_names_it(adsctl, service, command):
    shown = "".join(adsctl(*command.split(), "--help").stdout.split())
    attributes = SORTED[command].split()
    for attribute in ("created_at", "updated_at", "deleted", *attributes):
        assert attribute in shown.partition("--sort-by")[2]
    for attribute in ("created_at", "updated_at", "deleted") if command == "accounts list" else attributes:
        ids = [
            adsctl(*command.split(), "--sort-by", f"{attribute}-{direction}", "-o", "ids").stdout.split()
            for direction in ("asc", "desc")
        ]
        assert ids[0] == ids[1][::-1]


def test_a_list_is_in_the_order_of_the_attribute(adsctl):
    words = ("line-items", "list", "--sort-by", "bid_amount_local_micro-desc", "-o", "json")
    bids = [record["bid_amount_local_micro"] or 0 for record in json.loads(adsctl.local(*words).stdout)]
    assert bids == sorted(bids, reverse=True) and len({*bids}) > 1
