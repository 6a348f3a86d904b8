"""The feed of a shop, from its address into the catalog, with nothing but its address named."""

import json

from tests.conftest import EXAMPLES


def test_a_feed_at_an_address_needs_no_option(adsctl, service, httpserver):
    content = (EXAMPLES / "feed.xml").read_bytes()
    httpserver.expect_request("/feed.xml").respond_with_data(content, content_type="application/xml")
    words = ["products", "push", httpserver.url_for("/feed.xml"), "--changed", "-o", "json"]
    done = adsctl(*words)
    assert json.loads(done.stdout)["created"] == 23 and "warning" not in done.stderr
    again = adsctl(*words)
    assert "23 rows not sent, as the service last acknowledged them" in again.stderr
