"""Who may read a feed is found in .netrc, the address or a variable, and shown nowhere."""

import base64
import json

import pytest

from tests.conftest import feed
from tests.feeds.locations.file_server import cut, status

CHECK = ("products", "check", "-o", "json")
SECRETS = ("hush-hush", "key=4711-0815", "4711-0815")


def basic(user: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def sent(server) -> list[str | None]:
    return [headers.get("Authorization") for _, headers in server.seen]


def no_secret_in(text: str) -> bool:
    encoded = base64.b64encode(b"shop:hush-hush").decode()
    return not any(secret in text for secret in (*SECRETS, encoded))


@pytest.mark.parametrize("name", [".netrc", "_netrc"])
def test_user_and_password_are_read_from_netrc(adsctl, shop_server, name):
    adsctl.file(
        name, "machine other.example login x password y\nmachine localhost login shop password hush-hush\n"
    )
    done = adsctl(*CHECK, shop_server.address(), "--debug")
    assert sent(shop_server) == [basic("shop", "hush-hush")]
    assert "authorization: ***" in done.stderr.lower() and no_secret_in(done.stderr)


def test_netrc_may_be_another_file(adsctl, shop_server):
    adsctl.file(".netrc", "machine localhost login wrong password wrong\n")
    adsctl.file("feeds.netrc", "machine localhost login shop password hush-hush\n")
    adsctl(*CHECK, shop_server.address(), NETRC="feeds.netrc")
    assert sent(shop_server) == [basic("shop", "hush-hush")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("machine localhost login shop pasword hush-hush\n", ".netrc:1: not understood"),
        (b"machine localhost login shop password \xff\n", "cannot be read: not UTF-8"),
    ],
)
def test_a_netrc_that_cannot_be_read_ends_with_11_and_is_not_quoted(adsctl, shop_server, content, message):
    adsctl.file(".netrc", content)
    done = adsctl(*CHECK, shop_server.address(), code=11)
    assert message in done.stderr and no_secret_in(done.stderr) and not shop_server.seen
    assert "nowhere cannot be read" in adsctl(*CHECK, shop_server.address(), code=11, NETRC="nowhere").stderr


def test_credentials_in_the_address_are_sent_and_earn_a_warning(adsctl, shop_server):
    done = adsctl(*CHECK, shop_server.address(user="sh%40p:hush%2Fhush"))
    assert sent(shop_server) == [basic("sh@p", "hush/hush")]
    assert (
        f"the password in https://***@localhost:{shop_server.server_port}/feed.csv shows in the list of"
        in done.stderr
    )
    assert "hush" not in done.stderr


def test_a_key_in_place_of_a_user_name_is_masked_too(adsctl, shop_server):
    shop_server.faults = [status(403)]
    done = adsctl(*CHECK, shop_server.address(user="sk_live_hush-hush"), "--debug", code=4)
    assert sent(shop_server) == [basic("sk_live_hush-hush", "")]
    assert "it does not accept the user name and password" in done.stderr and no_secret_in(done.stderr)


def test_an_address_comes_from_a_variable_or_the_file_that_it_names(adsctl, shop_server):
    address = shop_server.address("/feed.csv?key=4711-0815", user="shop:hush-hush")
    done = adsctl(*CHECK, "@SHOP_FEED", SHOP_FEED=address)
    assert json.loads(done.stdout)["file"] == "@SHOP_FEED" and "warning" not in done.stderr
    adsctl.file("secret", f"{address}\n")
    adsctl(*CHECK, "@SHOP_FEED", SHOP_FEED_FILE="secret")
    assert [path for path, _ in shop_server.seen] == ["/feed.csv?key=4711-0815"] * 2
    assert sent(shop_server) == [basic("shop", "hush-hush")] * 2


def test_a_variable_that_is_not_set_is_named(adsctl):
    done = adsctl(*CHECK, "@SHOP_FEED", code=2)
    assert "neither SHOP_FEED nor SHOP_FEED_FILE is set" in done.stderr and "./@SHOP_FEED" in done.stderr
    done = adsctl(*CHECK, "@SHOP_FEED", SHOP_FEED_FILE="nowhere", code=2)
    assert "SHOP_FEED_FILE: nowhere cannot be read" in done.stderr
    done = adsctl(*CHECK, "@SHOP_FEED", SHOP_FEED="hush-hush", code=2)
    assert "@SHOP_FEED: it does not hold an address" in done.stderr and no_secret_in(done.stderr)


def test_a_file_whose_name_begins_with_an_at_sign_is_still_read(adsctl):
    adsctl.file("@feed.csv", feed(2))
    assert json.loads(adsctl(*CHECK, "@feed.csv").stdout)["rows"] == 2


@pytest.mark.parametrize("how", ["typed", "variable"])
def test_no_secret_is_shown_or_stored_by_an_interrupted_push(adsctl, service, shop_server, how):
    address = shop_server.address("/feed.csv?key=4711-0815", user="shop:hush-hush")
    file = address if how == "typed" else "@SHOP_FEED"
    shown = f"https://***@localhost:{shop_server.server_port}/feed.csv" if how == "typed" else "@SHOP_FEED"
    adsctl.env["SHOP_FEED"] = address
    service.fail("PUT * status=503")
    shop_server.faults = [cut(1000), status(500, Set_Cookie="session=hush-hush", X_Echo=address)]
    words = ("products", "push", file, "--debug", "--log-file", "log.jsonl", "--max-attempts", "3")
    done = adsctl(*words, code=8)
    assert "resume with: adsctl products push" in done.stderr and shown in done.stderr
    listed = adsctl("jobs", "list", "-o", "json")
    (job,) = json.loads(listed.stdout)
    assert job["file"] == shown
    details = adsctl("jobs", "show", job["job"], "-o", "json")
    assert "--resume" in json.loads(details.stdout)["resume"]
    written = [path.read_bytes().decode("utf-8", "replace") for path in (adsctl.home / "state").rglob("*.*")]
    written.append((adsctl.home / "log.jsonl").read_text())
    assert len(written) > 1
    for text in (done.stdout, done.stderr, listed.stdout, details.stdout, details.stderr, *written):
        assert no_secret_in(text)


def test_an_interrupted_push_of_an_address_is_resumed(adsctl, service, shop_server):
    words = ("products", "push", shop_server.address("/feed.csv?key=4711-0815"), "-o", "json")
    service.fail("PUT * status=503 times=100")
    service.before = lambda put: service.fail() if put == 0 else service.fail("PUT * status=503")
    adsctl(*words, "--max-attempts", "1", "--concurrency", "1", code=8)
    service.before = lambda put: None
    service.fail()
    done = adsctl(*words, "--resume")
    assert "resuming job" in done.stderr and json.loads(done.stdout)["created"] == 60
    assert sorted(id for put in service.puts[:1] for id in put) and len(service.stored) == 60


@pytest.mark.parametrize("words", [("products", "check"), ("products", "push", "extra")])
def test_a_command_line_that_is_not_understood_is_shown_without_secrets(adsctl, words):
    done = adsctl(*words, "https://shop:hush-hush@shop.example/f.csv?key=4711-0815", "--nope", code=2)
    assert no_secret_in(done.stderr)


def test_a_password_that_breaks_the_address_is_not_quoted(adsctl):
    done = adsctl(*CHECK, "https://shop:hush/hush-hush@shop.example/feed.csv", code=2)
    assert "hush" not in done.stderr and "%2F" in done.stderr
