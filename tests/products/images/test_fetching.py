"""Images are fetched politely and in part: each address once, few at a time from a host, within limits."""

import signal
import threading
import time
from itertools import count

import pytest

from tests.feeds.locations.test_dripping import DRIPS, ends_in_time
from tests.http.test_deadlines import dripping
from tests.products.images.image_server import (
    chunked,
    hang_up,
    image,
    redirect,
    serve,
    serving,
    status,
    whole,
)
from tests.raw_service import raw_service


def test_an_address_is_fetched_once_however_many_rows_link_to_it(shop, images):
    images.files |= {"/a": image(), "/b": image()}
    link, other = images.address("/a"), images.address("/b")
    shop.feed(link, link, {"image_link": link, "additional_image_link": f"{other},{link}"}, other)
    assert "looked at 2 images" in shop.check().said
    assert sorted(images.paths) == ["/a", "/b"]


def test_only_the_beginning_of_an_image_is_read(shop, images):
    sent = []
    size = 40_000_000  # more than the buffers of the system hold
    images.files["/a"] = image().ljust(4_000_000, b"\0")

    def whole_and_large(handler):
        handler.answer(200, image(), Content_Length=str(size))
        for _ in range(size // 10_000):
            handler.wfile.write(bytes(10_000))
            sent.append(10_000)

    images.faults["/b"] = [whole_and_large]
    shop.feed(images.address("/a"), images.address("/b"))
    (finding,) = shop.check(code=3).findings
    assert "has 40.0 MB" in finding[2] and sum(sent) < size / 2
    assert {seen.headers["Range"] for seen in images.seen} == {"bytes=0-16383"}


def test_more_is_read_of_a_jpg_whose_pixels_come_late(shop, images):
    images.files["/a"] = image("JPEG", 499, 600, icc_profile=bytes(300_000))
    shop.feed(images.address("/a"))
    assert "has 499x600 pixels" in shop.check(code=3).findings[0][2]
    assert [seen.headers["Range"] for seen in images.seen] == [
        f"bytes=0-{n}" for n in (16383, 131071, 1048575)
    ]


@pytest.mark.parametrize("answer", [serve, whole, chunked])
def test_a_jpg_without_pixels_in_its_first_megabyte_is_a_warning(shop, images, answer):
    images.files["/a"] = b"\xff\xd8" + (b"\xff\xfe\xff\xff" + bytes(0xFFFD)) * 19
    images.faults["/a"] = [answer] * 3
    shop.feed(images.address("/a"))
    (finding,) = shop.check().findings
    assert finding[0] == "warning" and "1,048,576 bytes do not state its pixels" in finding[2]


def test_redirects_are_followed_to_other_hosts(shop, images):
    with serving() as other:
        other.files["/there"] = image(width=9)
        images.faults["/a"] = [redirect("/b", 301)]
        images.faults["/b"] = [redirect(other.address("/there"), 307)]
        shop.feed(images.address("/a"))
        assert f"{images.address('/a')!r} has 9x500" in shop.check(code=3).findings[0][2]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("/a", "more than 5 redirects"),
        ("ftp://images.example/a.jpg", "redirects to something that is not an http address"),
        ("file:///etc/passwd", "redirects to something that is not an http address"),
        ("http://[", "redirects to something that is not an http address"),
        ("https://", "redirects to something that is not an http address"),
    ],
)
def test_redirects_end_somewhere_and_lead_to_http_alone(shop, images, target, message):
    images.faults["/a"] = [redirect(target)] * 9
    shop.feed(images.address("/a"))
    assert message in shop.check().findings[0][2]
    assert len(images.seen) == (6 if target == "/a" else 1)


def test_images_are_fetched_over_https_by_certificates_that_the_system_trusts(shop, tls, trusted):
    with serving(tls) as server:
        server.files["/a"] = image()
        shop.feed(server.address("/a"))
        assert "has no valid certificate" in shop.check().findings[0][2] and not server.seen
        assert shop.check(**trusted).findings == []


def test_a_proxy_is_trusted_by_certificates_that_the_system_trusts(shop, images, tls, trusted):
    shop.feed(images.address("/a"))
    with serving(tls) as proxy:
        named = {"HTTP_PROXY": proxy.address(""), "NO_PROXY": "none.example"}
        assert "has no valid certificate" in shop.check(**named).findings[0][2] and not proxy.seen
        assert "status 404" in shop.check(**named, **trusted).findings[0][2]
        assert proxy.paths == [images.address("/a")] and not images.seen


@pytest.mark.parametrize("fault", [status(503), status(429, Retry_After="0"), status(500), hang_up])
def test_a_server_that_is_busy_is_asked_again(shop, images, fault):
    images.files["/a"] = image()
    images.faults["/a"] = [fault, fault]
    shop.feed(images.address("/a"))
    assert shop.check().findings == [] and len(images.seen) == 3


def test_no_server_holds_a_check_up_for_as_long_as_it_likes(shop, images, monkeypatch):
    monkeypatch.setattr("ads_cli.products.images.fetcher.MAX_RETRY_AFTER_SECONDS", 0.1)
    images.files["/a"] = image()
    images.faults["/a"] = [status(503, Retry_After="20")]
    shop.feed(images.address("/a"))
    begun = time.monotonic()
    assert shop.check().findings == [] and time.monotonic() - begun < 10


def test_attempts_are_limited(shop, images):
    images.faults["/a"] = [status(503)] * 9
    shop.feed(images.address("/a"))
    assert "status 503" in shop.check().findings[0][2] and len(images.seen) == 3
    images.seen.clear()
    shop.check("--max-attempts", "1")
    assert len(images.seen) == 1


def test_a_host_that_does_not_answer_is_soon_left_alone(shop, images):
    images.faults = {f"/{n}": [hang_up] * 3 for n in range(100)}
    with serving() as other:
        other.files["/good"] = image()
        shop.feed(*map(images.address, images.faults), other.address("/good"))
        report = shop.check().report
    (finding,) = report["findings"]
    assert finding["rows"] == 100 and "closed the connection" in finding["problem"]
    assert 5 <= len(images.seen) < 25  # requests in flight when the fifth failed are ended too


def test_a_host_that_answers_in_between_is_asked_for_every_image(shop, images):
    images.files = {f"/{n}": image() for n in range(60)}
    images.faults = {f"/{n}": [hang_up] for n in range(0, 60, 6)}
    shop.feed(*map(images.address, images.files))
    (finding,) = shop.check("--max-attempts", "1").report["findings"]
    assert finding["rows"] == 10 and len(images.seen) == 60


def test_a_host_is_asked_for_few_images_at_a_time_and_does_not_hold_up_others(shop, images):
    six_and_another_ask, seventh_asks, released = threading.Barrier(7), threading.Event(), threading.Event()
    number = count(1)

    def hold(handler):
        if not released.is_set():
            if next(number) > 6:
                seventh_asks.set()
            else:
                six_and_another_ask.wait(60)
            released.wait(60)
        serve(handler)

    def release(handler):
        six_and_another_ask.wait(60)
        seventh_asks.wait(0.5)  # it has the time to ask
        released.set()
        serve(handler)

    with serving() as other:
        images.files = {f"/{n}": image() for n in range(40)}
        images.faults = {path: [hold] for path in images.files}
        other.files = {"/last": image()}
        other.faults["/last"] = [release]
        shop.feed(*map(images.address, images.files), other.address("/last"))
        assert shop.check().findings == []
    assert released.is_set() and not seventh_asks.is_set()


def test_connections_are_used_again(shop, images, monkeypatch):
    monkeypatch.setattr("ads_cli.http.network.KEEP_ALIVE_SECONDS", 60.0)  # however busy the machine is
    accepted = []
    accept = images.get_request
    images.get_request = lambda: accepted.append(1) or accept()
    images.files = {f"/{n}": image("PNG", 600, 600).ljust(70_000 * (n % 2), b"\0") for n in range(30)}
    shop.feed(*map(images.address, images.files), *(images.address(f"/missing{n}") for n in range(10)))
    shop.check()
    shop.check()
    assert len(images.seen) == 80 and len(accepted) <= 12  # six at a time, in each of two runs


@pytest.mark.parametrize("place", DRIPS)
def test_a_server_that_drips_holds_nothing_up(shop, place):
    with raw_service(dripping(*DRIPS[place])) as service, ends_in_time():
        shop.feed(f"{service.address}/a.jpg")
        (finding,) = shop.check("--timeout", "300ms", "--max-attempts", "1").findings
    assert finding[0] == "warning"


def test_an_address_that_is_none_is_a_warning(shop):
    shop.feed("http://shop.example:99999/a.jpg", "http://[::1/a.jpg", "http://xn--/a.jpg")
    findings = shop.check("--timeout", "2s", "--max-attempts", "1").findings
    assert findings and all(severity == "warning" for severity, *_ in findings)


def test_ctrl_c_ends_a_check_that_waits_for_images(shop, images):
    asked, released = threading.Event(), threading.Event()

    def hang(handler):
        asked.set()
        released.wait(60)

    images.faults = {"/a": [hang]}
    shop.feed(images.address("/a"))
    process = shop.adsctl.popen("products", "check", "feed.jsonl", "--images", "--allow-private")
    try:
        assert asked.wait(60)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    finally:
        released.set()
        process.kill()
        process.communicate()


def test_progress_is_shown_while_images_are_fetched(shop, images, monkeypatch):
    monkeypatch.setattr("ads_cli.console.progress.LINE_INTERVAL_SECONDS", 0.05)
    images.files["/a"] = image()
    images.faults["/a"] = [lambda handler: time.sleep(0.5) or serve(handler)]
    shop.feed(images.address("/a"))
    assert "Checking images: 1 of 1 row\n" in shop.check().said


def test_requests_are_shown_with_debug(shop, images):
    images.files["/a"] = image()
    shop.feed(images.address("/a?signature=hush"))
    said = shop.check("--debug").said
    assert f"> GET {images.address('/a')}?***" in said and "< 206" in said and "hush" not in said
