from contextlib import closing

import httpx
import pytest

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.faults import parse_fault
from ads_cli.emulator.server import running
from ads_cli.errors import UsageError

from .client import Client, InProcess, product, statuses

PRODUCTS = "/12/product_catalogs/*"


@pytest.fixture
def over_socket(database):
    """Return a function that serves an emulator with faults, and returns a client of it."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def make(*faults):
            emulator = stack.enter_context(closing(Emulator(database, faults=faults)))
            address = stack.enter_context(running(emulator))
            return stack.enter_context(closing(Client.over_http(emulator, address)))

        yield make


def attempt(client, *products):
    return client.send("PUT", client.products_path, json_body={"products": list(products)})


def test_status_responds_with_retry_after_and_applies_nothing(faulty):
    client = faulty(f"PUT {PRODUCTS} status=503 retry-after=7 times=1")
    response = attempt(client, product())
    assert (response.status_code, response.headers["retry-after"]) == (503, "7")
    assert response.json()["errors"]
    assert client.products() == []
    assert attempt(client, product()).status_code == 200


def test_a_fault_applies_to_its_method_and_path(faulty):
    client = faulty(f"DELETE {PRODUCTS} status=500", "* /12/accounts/* status=418")
    assert client.get("/12/accounts").status_code == 200
    assert client.put(product())[0]["status"] == "CREATE_SUCCESS"
    assert client.get(f"/12/accounts/{client.emulator.account}").status_code == 418


def test_a_seed_makes_the_same_requests_fail(faulty):
    def struck():
        client = faulty("GET * status=500 rate=0.5 seed=4")
        return [client.get("/12/accounts").status_code for _ in range(40)]

    first = struck()
    assert first == struck() and {200, 500} == set(first)


def test_a_rate_of_0_never_fails(faulty):
    client = faulty("* * status=500 rate=0")
    assert {client.get("/12/accounts").status_code for _ in range(20)} == {200}


def test_garbage_is_an_html_page_with_status_200(faulty):
    response = faulty("* * garbage").get("/12/accounts")
    assert response.status_code == 200 and response.headers["content-type"] == "text/html"
    assert response.text.startswith("<!DOCTYPE html>")


def test_partial_rejects_some_products_of_a_batch(faulty):
    client = faulty(f"PUT {PRODUCTS} partial times=1")
    batch = [product(str(n)) for n in range(5)]
    outcomes = client.put(*batch)
    assert statuses(outcomes) == {"ERROR": 3, "CREATE_SUCCESS": 2}
    assert all(bool(outcome["errors"]) == (outcome["status"] == "ERROR") for outcome in outcomes)
    assert statuses(client.put(*batch)) == {"CREATE_SUCCESS": 3, "NO_CHANGE": 2}


def test_hidden_variants_are_in_no_list(faulty):
    client = faulty(f"GET {PRODUCTS} hide-variants times=2")
    client.put(*(product(name, item_group_id="hats") for name in ("red", "blue", "green")), product("alone"))
    (shown, _) = client.products()
    group = shown["item_group_key"]
    assert [product["id"] for product in client.products(item_group_key=group)] == ["red"]
    assert [product["id"] for product in client.products(item_group_key=group)] == ["red", "blue", "green"]


def test_latencies_add_up(faulty, monkeypatch):
    slept = []
    monkeypatch.setattr("ads_cli.emulator.core.faults.time.sleep", slept.append)
    client = faulty("* * latency=200ms", "GET * latency=1s")
    assert client.get("/12/accounts").status_code == 200
    assert 1.2 in slept  # other threads sleep too


def test_a_latency_over_the_time_out_marks_the_response_in_process(faulty, monkeypatch):
    slept = []
    monkeypatch.setattr("ads_cli.emulator.core.faults.time.sleep", slept.append)
    client = faulty("* * latency=60s")
    client.transport.environ["ads_cli.timeout"] = 0.5
    assert client.get("/12/accounts").headers["x-emulator-fault"] == "timeout"
    assert 0.5 in slept  # other threads sleep too


@pytest.mark.parametrize(
    ("word", "mark"), [("reset", "reset"), ("reset-after", "reset"), ("truncate", "truncate")]
)
def test_a_network_fault_marks_the_response_in_process(faulty, word, mark):
    client = faulty(f"PUT {PRODUCTS} {word} times=1")
    assert attempt(client, product()).headers["x-emulator-fault"] == mark
    assert len(client.products()) == (0 if word == "reset" else 1)


@pytest.mark.parametrize(("word", "applied"), [("reset", 0), ("reset-after", 1)])
def test_reset_resets_the_connection(over_socket, word, applied):
    client = over_socket(f"PUT {PRODUCTS} {word} times=1")
    with pytest.raises(httpx.ReadError, match="reset by peer"):
        attempt(client, product())
    assert len(client.products()) == applied


def test_truncate_cuts_off_the_response(over_socket):
    client = over_socket(f"PUT {PRODUCTS} truncate times=1")
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
        attempt(client, product())
    assert len(client.products()) == 1


def test_the_fault_header_is_not_sent(over_socket):
    client = over_socket("GET /12/accounts truncate times=1")
    url = client.address + "/12/accounts"
    from .client import authorization

    with client.transport.stream("GET", url, headers=authorization(client.keys, "GET", url)) as response:
        assert response.status_code == 200
        assert "x-emulator-fault" not in response.headers


def test_the_server_survives_many_resets(over_socket):
    client = over_socket("GET /12/accounts reset times=100")
    for _ in range(100):
        with pytest.raises(httpx.ReadError):
            client.get("/12/accounts")
    assert client.get("/12/accounts").status_code == 200


def test_other_faults_work_over_a_socket(over_socket):
    client = over_socket(
        "GET /12/accounts status=503 retry-after=1 times=1", "GET /12/accounts garbage times=1"
    )
    assert [client.get("/12/accounts").status_code for _ in range(3)] == [503, 200, 200]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "write METHOD PATH FAULT"),
        ("PUT /x", "write METHOD PATH FAULT"),
        ("status=503 PUT /x", "write METHOD PATH FAULT"),
        ("PUT /x explode", "'explode' is not one of"),
        ("PUT /x colour=red", "'colour=red' is not one of"),
        ("PUT /x rate=0.5", "status=, latency=, clock= or one of reset, .* is missing"),
        ("PUT /x status=200", "status is a number from 400 to 599"),
        ("PUT /x status=abc", "is not a number"),
        ("PUT /x reset rate=2", "rate is a number from 0 to 1"),
        ("PUT /x reset rate=", "is not a number"),
        ("PUT /x reset rate=nan", "rate is a number"),
        ("PUT /x latency=-1s", "latency is a duration"),
        ("PUT /x latency=nan", "latency is a duration"),
        ("PUT /x reset times=1.5", "times is a whole number"),
        ("PUT /x reset truncate", "reset and truncate exclude each other"),
        ("PUT /x reset status=500", "reset and status= exclude each other"),
        ("PUT /x status=503 status=500", "status= and status= exclude each other"),
        ("PUT /x clock=1h status=500", "clock= and status= exclude each other"),
        ("PUT /x clock=0s", "clock is a duration, such as 1h or -1h"),
        ("PUT /x clock=1h reset", "clock= and reset exclude each other"),
        ("PUT /x reset retry-after=3", "retry-after= goes with status= only"),
    ],
)
def test_an_invalid_fault_is_rejected_with_a_reason(text, reason):
    with pytest.raises(UsageError, match=reason.replace("'", ".")) as caught:
        parse_fault(text)
    assert repr(text) in caught.value.message and "status=503" in caught.value.hint


def test_an_invalid_fault_creates_no_database(tmp_path):
    with pytest.raises(UsageError, match="invalid fault 'nonsense': write METHOD PATH FAULT"):
        Emulator(tmp_path / "never.db", faults=["nonsense"])
    assert not (tmp_path / "never.db").exists()


def test_authentication_comes_before_faults(faulty):
    client = faulty("* * status=500")
    client.keys = client.keys._replace(consumer_secret="wrong")
    assert client.get("/12/accounts").status_code == 401
    assert isinstance(client.transport, InProcess)
