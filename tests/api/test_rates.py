"""The rate limits that endpoints declare, transcribed from those of the public service."""

import pytest

from ads_cli.api.registry import MODULES, requests_of
from ads_cli.output.text import duration

QUARTER, MINUTE = 900.0, 60.0
CATALOGS = "/12/product_catalogs"
CATALOG = f"{CATALOGS}/{{product_catalog_id}}"
STATED = {
    f"GET {CATALOGS}": (1000, QUARTER),
    f"POST {CATALOGS}": (20, QUARTER),
    f"PUT {CATALOG}": (20, QUARTER),
    f"DELETE {CATALOG}": (20, QUARTER),
    f"GET {CATALOG}/products": (1000, QUARTER),
    f"PUT {CATALOG}/products": (600, QUARTER),
    f"DELETE {CATALOG}/products": (150, QUARTER),
    f"POST {CATALOG}/product_sets": (100, QUARTER),
    f"GET {CATALOG}/product_sets/{{product_set_id}}": (2000, QUARTER),
    f"PUT {CATALOG}/product_sets/{{product_set_id}}": (500, QUARTER),
    f"DELETE {CATALOG}/product_sets/{{product_set_id}}": (100, QUARTER),
    f"GET {CATALOG}/scheduled_feeds": (1000, QUARTER),
    f"POST {CATALOG}/scheduled_feeds": (20, QUARTER),
    f"PUT {CATALOG}/scheduled_feeds/{{scheduled_feed_id}}": (20, QUARTER),
    f"DELETE {CATALOG}/scheduled_feeds/{{scheduled_feed_id}}": (20, QUARTER),
    "POST /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users": (1500, MINUTE),
    "POST /12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users": (1500, MINUTE),
    "GET /12/insights/keywords/search": (500, QUARTER),
    "GET /12/accounts": (5, QUARTER),
    "GET /12/accounts/{account_id}": (2000, QUARTER),
    "PUT /12/accounts/{account_id}": (450, MINUTE),
    "POST /12/accounts/{account_id}/cards": (450, MINUTE),
    "POST /2/media/upload": (500, QUARTER),
    "GET /2/media/upload": (1000, QUARTER),
    "POST /2/media/upload/initialize": (1875, QUARTER),
    "POST /2/media/upload/{media_id}/append": (1875, QUARTER),
    "POST /2/media/upload/{media_id}/finalize": (1875, QUARTER),
    "POST /2/media/metadata": (500, QUARTER),
    "POST /2/media/subtitles": (100, QUARTER),
    "DELETE /2/media/subtitles": (100, QUARTER),
    "POST /2/webhooks": (450, QUARTER),
    "GET /2/webhooks": (450, QUARTER),
    "PUT /2/webhooks/{webhook_id}": (450, QUARTER),
    "DELETE /2/webhooks/{webhook_id}": (450, QUARTER),
    "POST /2/webhooks/replay": (100, QUARTER),
    "POST /2/activity/subscriptions": (500, QUARTER),
    "GET /2/activity/subscriptions": (500, QUARTER),
    "PUT /2/activity/subscriptions/{subscription_id}": (500, QUARTER),
    "DELETE /2/activity/subscriptions/{subscription_id}": (500, QUARTER),
    "GET /2/activity/stream": (450, QUARTER),
    "DELETE /2/connections/all": (25, QUARTER),
}
LINES = {
    f"{request.endpoint.method} {request.endpoint.path}": request.endpoint
    for module in MODULES
    for request in requests_of(module)
}


@pytest.mark.parametrize("line", STATED)
def test_service_x_limits_an_endpoint_as_its_reference_says(line):
    rate = LINES[line].rates["x"]
    assert (rate.requests, rate.seconds) == STATED[line]


def test_every_advertising_endpoint_has_a_limit_under_service_x():
    assert {line for line, declared in LINES.items() if not declared.rates["x"]} == {
        line
        for line, declared in LINES.items()
        if (declared.base == "platform" and not declared.path.startswith("/2/media/") and line not in STATED)
        or declared.path == "/2/media"
    }


OF_OTHERS = ("stats", "media", "webhooks", "events")


def test_the_specification_limits_the_users_of_audiences_only():
    limited = {
        line: declared.rates["generic"]
        for line, declared in LINES.items()
        # It does not have statistics, no uploads of media, and no events.
        if declared.rates["generic"] and not declared.command.startswith(OF_OTHERS)
    }
    (line,) = limited
    assert line.endswith("/custom_audiences/{custom_audience_id}/users")
    rate = limited[line]
    assert (rate.requests, rate.seconds, rate.kept) == (1500, MINUTE, "always")


def test_no_command_waits_on_a_category_that_is_a_guess():
    guessed = {
        line
        for line, declared in LINES.items()
        if declared.rates["x"] and declared.rates["x"].kept == "never"
    }
    assert "GET /12/accounts" in guessed and all(line.startswith("GET ") for line in guessed)
    assert not guessed & (STATED.keys() - {"GET /12/accounts", "GET /12/accounts/{account_id}"})


def test_a_hundred_thousand_products_take_a_hundred_minutes():
    rate = LINES[f"PUT {CATALOG}/products"].rates["x"]
    assert duration(rate.seconds_for(100_000 // 25)) == "1 h 40 min"
    assert rate.seconds_for(600) == 0  # one window holds them


def test_the_time_left_counts_the_windows_that_are_still_needed():
    rate = LINES[f"PUT {CATALOG}/products"].rates["x"]
    assert rate.seconds_left(600, delay=60) == 60
    assert rate.seconds_left(601, delay=840) == 840 + 900
    assert rate.seconds_left(3400, delay=840) == 840 + 5 * 900
