"""A feed at an https address is copied whole or not at all."""

import json
import socket

import pytest

from tests.conftest import feed
from tests.feeds.locations.file_server import ETAG, LAST_MODIFIED, cut, part_of_now, status

CHECK = ("products", "check", "-o", "json")
QUICK = ("--max-wait", "5s", "--max-attempts", "3")


def rows(done) -> int:
    return json.loads(done.stdout)["rows"]


def test_a_feed_at_an_https_address_is_pushed(adsctl, service, shop_server):
    done = adsctl("products", "push", shop_server.address(), "-o", "json")
    assert json.loads(done.stdout)["created"] == 60 == len(service.stored)
    ((path, headers),) = shop_server.seen
    assert path == "/feed.csv" and "Authorization" not in headers
    assert headers["User-Agent"].startswith("adsctl/") and headers["Accept-Encoding"] == "identity"


def test_a_list_of_customers_is_read_from_an_address_too(adsctl, shop_server):
    shop_server.content = b"email\nanna@shop.example\nben@shop.example\n"
    done = adsctl("audiences", "check", shop_server.address("/people.csv"), "-o", "json")
    assert rows(done) == 2


def test_products_are_deleted_by_the_ids_at_an_address(adsctl, service, shop_server):
    adsctl("products", "push", shop_server.address())
    shop_server.content = b"id\nsku-1\nsku-2\n"
    words = ("products", "delete", "--by", "id", "--from", shop_server.address("/gone.csv"), "--yes")
    adsctl(*words)
    assert len(service.stored) == 58


def test_an_unencrypted_address_is_read_from_this_machine_only(adsctl, plain_server, monkeypatch):
    assert rows(adsctl(*CHECK, plain_server.address())) == 60
    looked_up: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: looked_up.append(args) or [])
    done = adsctl(*CHECK, "http://shop.example/feed.csv", code=2)
    assert "http://shop.example/feed.csv is not https" in done.stderr and not looked_up


def test_a_hosts_file_cannot_make_an_unencrypted_address_of_another_machine_ours(adsctl, monkeypatch):
    found = [(0, 0, 0, "", ("192.0.2.7", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: found)
    done = adsctl(*CHECK, "http://shop.localhost/feed.csv", code=11)
    assert "shop.localhost is 192.0.2.7, which is not this machine" in done.stderr


def test_an_untrusted_certificate_is_refused_at_once_and_in_plain_words(adsctl, shop_server):
    del adsctl.env["SSL_CERT_FILE"]
    done = adsctl(*CHECK, shop_server.address(), code=8)
    assert f"localhost:{shop_server.server_port} has no valid certificate" in done.stderr
    assert "SSL_CERT_FILE" in done.stderr and not shop_server.seen


@pytest.mark.parametrize(
    ("code", "exit_code", "message"),
    [
        (401, 4, "it asks for a user name and password"),
        (403, 4, "it does not allow this"),
        (404, 5, "no such file"),
        (410, 5, "no such file"),
        (418, 6, "status 418"),
        (204, 8, "which does not send a file"),
        (304, 8, "which does not send a file"),
    ],
)
def test_what_a_status_means_is_said(adsctl, shop_server, code, exit_code, message):
    shop_server.faults = [lambda handler: handler.answer(code)]
    done = adsctl(*CHECK, shop_server.address(), code=exit_code)
    assert message in done.stderr and f"status {code}" in done.stderr and len(shop_server.seen) == 1


def test_an_overloaded_server_is_asked_again_when_it_says(adsctl, shop_server):
    shop_server.faults = [status(503, Retry_After="0"), status(429, Retry_After="0"), status(500)]
    done = adsctl(*CHECK, shop_server.address(), "-v")
    assert rows(done) == 60 and len(shop_server.seen) == 4
    assert "the server answered with status 503; retrying in 0.0 s" in done.stderr
    assert "secret detail" not in done.stderr


def test_a_server_that_stays_overloaded_ends_with_8(adsctl, shop_server):
    shop_server.faults = [status(503, Retry_After="0")] * 10
    done = adsctl(*CHECK, shop_server.address(), *QUICK, code=8)
    assert "status 503" in done.stderr and len(shop_server.seen) == 3
    shop_server.faults = [status(503, Retry_After="600")]
    done = adsctl(*CHECK, shop_server.address(), *QUICK, code=8)
    assert "would be after --max-wait" in done.stderr


def test_a_connection_that_is_cut_is_resumed_where_it_ended(adsctl, shop_server):
    shop_server.faults = [cut(1000), cut(2000)]
    assert rows(adsctl(*CHECK, shop_server.address())) == 60
    assert shop_server.bytes_asked == ["", "bytes=1000-", "bytes=3000-"]
    assert [headers.get("If-Range") for _, headers in shop_server.seen] == [None, ETAG, ETAG]


def test_a_feed_that_changed_while_it_was_copied_is_copied_from_the_beginning(adsctl, shop_server):
    def change(handler) -> None:
        cut(1000)(handler)
        handler.server.content = feed(61).encode()
        handler.server.headers["ETag"] = '"v2"'

    shop_server.faults = [change]
    assert rows(adsctl(*CHECK, shop_server.address())) == 61
    assert shop_server.bytes_asked == ["", "bytes=1000-"]


DATED = {"Last-Modified": LAST_MODIFIED, "Accept-Ranges": "bytes"}
WEAK = {"ETag": 'W/"v1"'}


@pytest.mark.parametrize(
    ("before", "after", "price"),
    [
        (DATED, {"Last-Modified": "Sat, 21 Nov 2026 03:11:00 GMT"}, "19.50"),
        ({"ETag": ETAG}, {"ETag": '"v2"'}, "19.50"),
        (DATED | WEAK, DATED | {"ETag": 'W/"v2"'}, "19.50"),
        (DATED, DATED, "119.50"),
        (DATED, {}, "19.50"),
        ({"ETag": ETAG}, {}, "19.50"),
        ({"ETag": ETAG}, DATED, "19.50"),
        (DATED, {"ETag": ETAG}, "19.50"),
    ],
    ids=[
        *("another date", "another ETag", "another weak ETag", "another size"),
        *("no date any more", "no ETag any more", "a date for an ETag", "an ETag for a date"),
    ],
)
def test_a_part_of_another_version_from_a_server_that_ignores_the_condition_is_never_used(
    adsctl, shop_server, before, after, price
):
    def change(handler) -> None:
        cut(1000)(handler)
        handler.server.content, handler.server.headers = feed(60, price=f"{price} EUR").encode(), after

    shop_server.headers = before
    shop_server.faults = [change, part_of_now]
    adsctl("products", "convert", shop_server.address(), "new.jsonl")
    prices = {json.loads(line)["price"] for line in (adsctl.home / "new.jsonl").read_text().splitlines()}
    assert prices == {f"{price} EUR"} and shop_server.bytes_asked == ["", "bytes=1000-", ""]


def test_a_feed_that_was_changed_as_it_was_sent_is_not_resumed_by_its_date(adsctl, shop_server):
    def changed_now(handler) -> None:
        handler.server.headers = {"ETag": 'W/"v1"', "Last-Modified": handler.date_time_string()}
        cut(1000)(handler)

    shop_server.faults = [changed_now]
    assert rows(adsctl(*CHECK, shop_server.address())) == 60
    assert shop_server.bytes_asked == ["", ""]


@pytest.mark.parametrize("headers", [{}, {"ETag": 'W/"v1"'}, {"ETag": ETAG, "Accept-Ranges": "none"}])
def test_without_a_version_to_the_byte_a_copy_begins_again(adsctl, shop_server, headers):
    shop_server.headers = headers
    shop_server.faults = [cut(1000)]
    assert rows(adsctl(*CHECK, shop_server.address())) == 60
    assert shop_server.bytes_asked == ["", ""]


@pytest.mark.parametrize("sent", ["bytes 0-9/10", "bytes 999-5000/5001", "lines 3-4/5", ""])
def test_another_part_than_was_asked_for_is_never_used(adsctl, shop_server, sent):
    shop_server.faults = [cut(1000), status(206, Content_Range=sent, ETag=ETAG)]
    assert rows(adsctl(*CHECK, shop_server.address())) == 60
    assert shop_server.bytes_asked == ["", "bytes=1000-", ""]


def test_a_part_that_does_not_say_where_the_whole_ends_is_never_the_rest(adsctl, shop_server):
    def cut_of_unknown_length(handler) -> None:
        handler.send_response(200)
        handler.send_header("ETag", ETAG)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"3e8\r\n" + handler.server.content[:1000] + b"\r\n")
        handler.close_connection = True

    def short_part(handler) -> None:
        headers = {"ETag": ETAG, "Content-Range": "bytes 1000-1999/*"}
        handler.answer(206, handler.server.content[1000:2000], **headers)

    shop_server.faults = [cut_of_unknown_length, short_part]
    assert rows(adsctl(*CHECK, shop_server.address())) == 60
    assert shop_server.bytes_asked == ["", "bytes=1000-", ""]


def test_a_part_that_was_not_asked_for_is_no_feed(adsctl, shop_server):
    shop_server.headers = {}
    shop_server.faults = [cut(1000), part_of_now]
    assert "status 206" in adsctl(*CHECK, shop_server.address(), *QUICK, code=8).stderr
    assert shop_server.bytes_asked == ["", ""]


def test_a_part_that_does_not_exist_any_more_is_not_asked_for_again(adsctl, shop_server):
    shop_server.faults = [cut(1000), status(416)]
    assert rows(adsctl(*CHECK, shop_server.address())) == 60
    assert shop_server.bytes_asked == ["", "bytes=1000-", ""]


def test_a_feed_that_always_ends_early_is_an_error_and_never_a_shorter_feed(adsctl, shop_server):
    shop_server.headers = {}
    shop_server.faults = [cut(1000)] * 10
    done = adsctl(*CHECK, shop_server.address(), *QUICK, code=8)
    assert "closed the connection" in done.stderr and done.stdout == ""


def test_a_feed_larger_than_max_size_is_refused(adsctl, shop_server):
    done = adsctl(*CHECK, shop_server.address(), "--max-size", "5kB", code=3)
    assert "is larger than 5 kB" in done.stderr and "--max-size" in done.stderr
    shop_server.content *= 1000

    def endless(handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        while True:
            handler.wfile.write(b"x" * 65536)

    shop_server.faults = [endless]
    done = adsctl(*CHECK, shop_server.address(), "--max-size", "1MiB", code=3)
    assert "is larger than 1 MiB" in done.stderr


@pytest.mark.parametrize("size", ["", "0", "-1", "5 apples", "1e9"])
def test_a_limit_that_is_no_size_is_refused_before_anything_is_read(adsctl, shop_server, size):
    done = adsctl(*CHECK, shop_server.address(), f"--max-size={size}", code=2)
    assert f"--max-size: {size!r} is not a size" in done.stderr and not shop_server.seen


def test_an_encoding_that_was_not_asked_for_is_refused(adsctl, shop_server):
    shop_server.headers |= {"Content-Encoding": "br"}
    assert "encoding 'br'" in adsctl(*CHECK, shop_server.address(), code=8).stderr


def test_a_feed_that_the_server_compressed_unasked_is_read(adsctl, shop_server):
    import gzip

    shop_server.content = gzip.compress(shop_server.content)
    shop_server.headers |= {"Content-Encoding": "gzip"}
    assert rows(adsctl(*CHECK, shop_server.address())) == 60


def test_a_wrong_option_is_reported_before_the_download(adsctl, shop_server):
    adsctl(*CHECK, shop_server.address("/feed"), "--format", "xlsb", code=2)
    adsctl(*CHECK, shop_server.address(), "--encoding", "klingon", code=2)
    assert not shop_server.seen


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("ftp://shop.example/feed.csv", "ftp:// is not read"),
        ("htps://shop.example/feed.csv", "did you mean 'https'?"),
        ("https:///feed.csv", "names no host"),
        ("https://shop.example:port/feed.csv", "is not followed by a valid host"),
        ("https://xn--/feed.csv", "is not followed by a valid host"),
        ("https://shop.example/feed one.csv", "holds a blank"),
    ],
)
def test_an_address_that_cannot_be_one_is_a_usage_error(adsctl, address, message):
    assert message in adsctl(*CHECK, address, code=2).stderr


def test_the_name_of_a_file_with_a_colon_is_still_a_path(adsctl):
    adsctl.file("a:b.csv", feed(3))
    assert rows(adsctl(*CHECK, "a:b.csv")) == 3
    assert "No such file" in adsctl(*CHECK, "C:feed.csv", code=2).stderr
