"""The application as a whole: paths, parameters, bodies, the database file."""

import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from ads_cli.api.names import SERVICES
from ads_cli.emulator.app import Emulator, load_router, reset_emulator
from ads_cli.emulator.core.routing import Router
from ads_cli.errors import StateError
from tests.adsctl import TIMEOUT_SECONDS

from .client import HOST, Client, InProcess, authorization, errors, product


def test_every_declared_endpoint_has_a_handler():
    assert not [
        route.endpoint for service in SERVICES for route in load_router(service) if route.handler is None
    ]


@pytest.mark.parametrize("path", ["/", "", "/12", "/12/nothing", "/12/accounts/a/b", "/10/accounts", "//"])
def test_an_unknown_path_is_not_found(local, path):
    response = local.get(path)
    assert (response.status_code, errors(response)) == (404, [("NOT_FOUND", None)])


def test_another_method_is_not_allowed(local):
    response = local.send("PATCH", "/12/product_catalogs")
    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST")


def test_an_endpoint_without_a_handler_is_not_implemented(emulator, monkeypatch):
    monkeypatch.setattr("ads_cli.emulator.core.routing.registered", lambda declared: None)
    monkeypatch.setattr("ads_cli.emulator.app.load_router", Router)
    response = Client(emulator, InProcess(emulator)).get("/12/accounts")
    message = "the emulator does not implement GET /12/accounts yet"
    assert (response.status_code, response.json()["errors"][0]["message"]) == (501, message)


def test_unknown_and_repeated_parameters_are_rejected(local):
    assert errors(local.get("/12/accounts", colour="red")) == [("INVALID_PARAMETER", "colour")]
    url = f"{HOST}/12/accounts?count=1&count=2"
    response = local.transport.request("GET", url, headers=authorization(local.keys, "GET", url))
    assert errors(response) == [("INVALID_PARAMETER", "count")]


def test_all_invalid_parameters_are_reported_at_once(local):
    response = local.get("/12/accounts", count="0", with_deleted="perhaps", colour="red")
    assert {parameter for _, parameter in errors(response)} == {"count", "with_deleted", "colour"}


def test_an_id_in_a_path_is_percent_decoded(local):
    response = local.get("/12/accounts/caf%C3%A9%20x")
    assert response.status_code == 404
    assert response.json()["request"]["params"] == {"account_id": "café x"}
    assert errors(local.get("/12/accounts/a%2Fb")) == [("INVALID_PARAMETER", "account_id")]
    assert local.get("/12/accounts/%ff").status_code == 400


def test_a_body_is_rejected_if_parameters_belong_in_the_query(local):
    response = local.send("POST", "/12/product_catalogs", json_body={"name": "x"})
    assert (response.status_code, errors(response)) == (400, [("BAD_REQUEST", None)])


def sent_as_form(client, method: str, path: str, form: str, query: str = ""):
    """Send a form, which the signature covers."""
    url = HOST + path + query
    headers = authorization(client.keys, method, url, form)
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return client.transport.request(method, url, content=form.encode(), headers=headers)


@pytest.mark.parametrize("service_name", ["x"])
def test_service_x_takes_the_parameters_of_a_change_as_a_form_too(local):
    catalog = f"/12/product_catalogs/{local.emulator.catalog}"
    renamed = sent_as_form(local, "PUT", catalog, "name=Winter+%26+S%C3%B6hne")
    assert renamed.json()["data"]["name"] == renamed.json()["request"]["params"]["name"] == "Winter & Söhne"
    post = f"/12/accounts/{local.emulator.account}/tweet"
    made = sent_as_form(local, "POST", post, "text=Mugs", "?trim_user=true").json()
    assert made["data"]["text"] == "Mugs" and "screen_name" not in made["data"]["user"]
    assert errors(sent_as_form(local, "PUT", catalog, "name=A", "?name=B")) == [("INVALID_PARAMETER", "name")]
    assert errors(sent_as_form(local, "PUT", catalog, "colour=red&name=A")) == [
        ("INVALID_PARAMETER", "colour")
    ]
    assert errors(sent_as_form(local, "DELETE", catalog, "name=A")) == [("BAD_REQUEST", None)]


def test_a_form_is_rejected_by_the_generic_service(local):
    catalog = f"/12/product_catalogs/{local.emulator.catalog}"
    assert errors(sent_as_form(local, "PUT", catalog, "name=Winter")) == [("BAD_REQUEST", None)]


def test_a_query_is_rejected_if_parameters_belong_in_the_body(local):
    response = local.send("PUT", local.products_path, json_body={"products": [product()]}, dry="1")
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", "dry")])


def test_json_with_another_content_type_is_rejected(local):
    url = HOST + local.products_path
    headers = authorization(local.keys, "PUT", url) | {"Content-Type": "text/plain"}
    body = json.dumps({"products": [product()]}).encode()
    response = local.transport.request("PUT", url, content=body, headers=headers)
    message = "the body of this endpoint has the content type application/json"
    assert (response.status_code, response.json()["errors"][0]["message"]) == (400, message)


@pytest.mark.parametrize("client", ["local", "served"])
def test_a_body_of_ten_megabytes_is_too_large(client, request):
    client = request.getfixturevalue(client)
    response = client.send("PUT", client.products_path, json_body=b"x" * 10_000_000)
    assert (response.status_code, errors(response)) == (413, [("PAYLOAD_TOO_LARGE", None)])
    assert client.get("/12/accounts").status_code == 200


def test_a_chunked_body_is_read(served):
    url = served.address + served.products_path
    headers = authorization(served.keys, "PUT", url) | {"Content-Type": "application/json"}
    body = json.dumps({"products": [product()]}).encode()
    response = served.transport.put(url, content=iter([body[:50], body[50:]]), headers=headers)
    assert response.status_code == 200, response.text


def test_an_internal_error_is_a_500_with_a_traceback_on_stderr(local, monkeypatch, capsys):
    monkeypatch.setattr("ads_cli.emulator.resources.collection.list_page", lambda *_, **__: 1 / 0)
    response = local.get("/12/accounts")
    assert (response.status_code, errors(response)) == (500, [("INTERNAL_ERROR", None)])
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("depth", [200, 450, 900])
def test_a_value_that_is_nested_too_deeply_is_refused(local, depth, capsys):
    segments = '{"child_segments":[' * depth + "]}" * depth
    params = {"name": "Deep", "audience_type": "FLEXIBLE", "segments": segments}
    path = f"/12/batch/accounts/{local.emulator.account}/custom_audiences"
    response = local.send("POST", path, json_body=[{"operation_type": "Create", "params": params}])
    assert response.status_code == 400, response.text
    assert not capsys.readouterr().err


@pytest.mark.parametrize("identifier", ["\ud800", "a\x00b", "x" * 10_000, "'; DROP TABLE products; --"])
def test_unusual_text_is_stored_or_rejected(local, identifier):
    responses = [
        local.send("PUT", local.products_path, json_body={"products": [product(identifier, title=title)]})
        for title in ("once", "twice")
    ]
    assert {response.status_code for response in responses} in ({200}, {400})
    assert local.get(local.products_path).status_code == 200


def test_the_database_is_private(tmp_path):
    folder = tmp_path / "state"
    with closing(Emulator(folder / "emulator.db")) as emulator:
        assert emulator.account
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_reset_makes_a_new_world_in_the_same_file(tmp_path):
    database = tmp_path / "emulator.db"
    reset_emulator(database)  # there is nothing to replace
    with closing(Emulator(database)) as before:
        keys = before.credentials
    reset_emulator(database)
    assert list(tmp_path.iterdir()) == [database] and stat.S_IMODE(database.stat().st_mode) == 0o600
    with closing(Emulator(database)) as after:
        assert after.credentials != keys
        assert after.store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_database_of_another_version_is_rejected(tmp_path):
    database = tmp_path / "emulator.db"
    Emulator(database).close()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StateError, match="another version"):
        Emulator(database)


def test_concurrent_threads_share_one_seeded_database(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        emulators = list(pool.map(lambda _: Emulator(tmp_path / "emulator.db"), range(8)))
    assert len({emulator.credentials for emulator in emulators}) == 1
    for emulator in emulators:
        emulator.close()


def test_a_request_in_flight_keeps_its_connection_when_the_emulator_is_closed(tmp_path, seeded_database):
    """A connection that is closed while another thread is in SQLite crashes the process."""
    database = tmp_path / "emulator.db"
    emulator = Emulator(shutil.copyfile(seeded_database, database))
    begun, closed = threading.Event(), threading.Event()

    def request() -> list[str]:
        with emulator.store.transaction() as connection:
            rows = connection.execute("SELECT kind FROM records")
            begun.set()
            assert closed.wait(TIMEOUT_SECONDS)
            return [kind for (kind,) in rows]

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(request)
        assert begun.wait(TIMEOUT_SECONDS)
        emulator.close()
        closed.set()
        assert len(answer.result()) > 100
    emulator.close()
    assert [path.name for path in tmp_path.iterdir()] == [database.name]  # the last connection removes others


def test_the_app_imports_no_heavy_modules():
    heavy = (
        "h11",
        "falcon",
        "werkzeug",
        "httpx",
        "oauthlib",
        "pycountry",
        "secrets",
        "tempfile",
    )
    code = f"import sys, ads_cli.emulator.app; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.parametrize(("service", "refused"), [("generic", True), ("x", False)])
def test_a_loaded_record_may_be_sent_back_to_service_x(database, service, refused):
    with closing(Emulator(database, service=service)) as emulator:
        client = Client(emulator, InProcess(emulator))
        path = f"/12/accounts/{emulator.account}/media_library"
        record = client.get(path).json()["data"][0]
        loaded = {name: value for name, value in record.items() if value is not None}
        loaded |= {name: str(value).lower() for name, value in loaded.items() if isinstance(value, bool)}
        response = client.send("PUT", f"{path}/{record['media_key']}", **loaded | {"name": "Renamed"})
        assert response.status_code == (400 if refused else 200), response.text
        if not refused:
            assert response.json()["data"]["name"] == "Renamed"
            unknown = client.send("PUT", f"{path}/{record['media_key']}", name="A", colour="blue")
            assert errors(unknown) == [("INVALID_PARAMETER", "colour")]
            filtered = client.get(path, name="Renamed")
            assert errors(filtered) == [("INVALID_PARAMETER", "name")]
