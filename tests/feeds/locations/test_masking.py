"""No part of an address that may be secret is shown; everything else is."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.masking import address_secrets, mask_address

secret = st.text(min_size=8, max_size=20).map(lambda text: "\u2603" + text)  # occurs nowhere else
schemes = st.sampled_from(["https", "http", "s3", "gs", "az", "sftp", "HTTPS"])


@given(schemes, secret, secret, secret, st.sampled_from(["", "--from="]))
def test_password_and_query_are_masked_and_known_as_secrets(scheme, user, password, query, option):
    user, password, query = (quote(part, safe="") for part in (user, password, query))
    address = f"{option}{scheme}://{user}:{password}@shop.example/feeds/feed.csv?{query}"
    assert mask_address(address) == f"{option}{scheme}://***@shop.example/feeds/feed.csv?***"
    assert {password, query} <= {*address_secrets(address)}


@given(st.text())
def test_text_that_is_no_address_stays_as_it_is(text):
    if "://" not in text:
        assert mask_address(text) == text and address_secrets(text) == []


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://shop.example/feed.xml", "https://shop.example/feed.xml"),
        ("https://key@shop.example/feed.xml#part", "https://***@shop.example/feed.xml?***"),
        ("https://a@b:c@shop.example/", "https://***@shop.example/"),
        ("sftp://shop@host/feed.csv", "sftp://shop@host/feed.csv"),
        ("sftp://shop:pw@host/feed.csv", "sftp://***@host/feed.csv"),
        ("https://shop.example/@brand/feed.csv", "https://shop.example/@brand/feed.csv"),
        ("link=https://shop.example/?a={Handle}", "link=https://shop.example/?a={Handle}"),
    ],
)
def test_addresses_are_shown_without_secrets(address, shown):
    assert mask_address(address) == shown
