"""The table of pinned versions, from an index and a pip-audit of the test."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tools import pin_report

JSON = pin_report.ACCEPT
WEEK_AGO = (datetime.now(UTC) - timedelta(days=7, hours=1)).isoformat().replace("+00:00", "Z")


def file(name: str, uploaded: str, **more: object) -> dict:
    return {"filename": name, "url": name, "hashes": {}, "upload-time": uploaded, **more}


SHOP_UTILS = [
    file("shop_utils-1.0.tar.gz", "2020-01-01T00:00:00Z"),
    file("shop_utils-1.2-py3-none-any.whl", WEEK_AGO),
    file("shop_utils-1.10-py3-none-any.whl", "2026-01-02T03:04:05.678Z"),
    file("shop_utils-1.11-py3-none-any.whl", "2026-01-03T00:00:00Z", yanked="broken"),
    file("shop_utils-2.0rc1-py3-none-any.whl", "2026-01-04T00:00:00Z"),
    file("shop_utils-0.1.win32.exe", "2010-01-04T00:00:00Z"),
]


@pytest.fixture
def report(httpserver, monkeypatch, tmp_path, capsys):
    """Run the report on the text of a file, with what pip-audit prints; return what it printed."""
    monkeypatch.setenv("PIP_INDEX_URL", httpserver.url_for("/simple"))
    monkeypatch.setattr(pin_report, "AUDIT", tmp_path / "pip-audit")

    def run(text: str, audited: object = None) -> list[list[str]]:
        (tmp_path / "run.txt").write_text(text)
        (tmp_path / "audited.json").write_text(
            "" if audited is None else json.dumps({"dependencies": audited})
        )
        (tmp_path / "pip-audit").write_text(f"#!/bin/sh\necho no such host >&2; cat {tmp_path}/audited.json")
        (tmp_path / "pip-audit").chmod(0o755)
        pin_report.main([str(tmp_path / "run.txt")])
        return [line.split() for line in capsys.readouterr().out.splitlines()[1:]]

    return run


def serve(httpserver, files: list[dict], content_type: str = JSON) -> None:
    httpserver.expect_request("/simple/shop-utils/", headers={"Accept": JSON}).respond_with_data(
        json.dumps({"files": files}), content_type=content_type
    )


def test_each_pin_has_its_release_its_age_the_newest_final_version_and_its_advisories(httpserver, report):
    serve(httpserver, SHOP_UTILS)
    audited = [
        {"name": "shop-utils", "version": "1.2", "vulns": [{"id": "GHSA-1"}, {"id": "GHSA-2"}]},
        {"name": "shop-utils", "version": "1.11", "vulns": []},
    ]
    hashed = " \\\n    --hash=sha256:00\n"
    age = datetime.now(UTC) - datetime(2026, 1, 3, tzinfo=UTC)
    assert report(f"Shop_Utils==1.2{hashed}shop.utils==1.11 ; python_version < '4'{hashed}", audited) == [
        ["shop-utils", "1.11", "2026-01-03", str(age.days), "1.10", "yanked"],
        ["shop-utils", "1.2", WEEK_AGO[:10], "7", "1.10", "GHSA-1", "GHSA-2"],
    ]
    assert report("shop-utils==1.0\n", [{"name": "shop-utils", "version": "1.0", "vulns": []}])[0][5:] == [
        "-"
    ]


@pytest.mark.parametrize("audited", [None, [{"name": "shop-utils", "skip_reason": "not found"}]])
def test_an_advisory_that_could_not_be_asked_for_is_unknown_and_not_none(httpserver, report, audited):
    serve(httpserver, SHOP_UTILS)
    assert report("shop-utils==1.0\n", audited)[0][5:] == ["unknown"]


def test_a_pin_that_the_index_does_not_have_has_no_known_age(httpserver, report):
    serve(httpserver, SHOP_UTILS)
    assert report("shop-utils==7.0\n")[0][2:5] == ["unknown", "unknown", "1.10"]


def test_an_index_that_cannot_be_asked_ends_it_with_a_message(httpserver, report, monkeypatch):
    with pytest.raises(SystemExit, match=r"cannot be asked for shop-utils: .*500"):
        report("shop-utils==1.0\n")  # pytest-httpserver answers 500 to what it does not expect
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    with pytest.raises(SystemExit, match="cannot be asked for shop-utils"):
        report("shop-utils==1.0\n")
    monkeypatch.setenv("PIP_INDEX_URL", "https://shop:s3cret@127.0.0.1:1/simple")
    with pytest.raises(SystemExit, match="holds a password"):
        report("shop-utils==1.0\n")


@pytest.mark.parametrize(
    ("files", "content_type"), [(SHOP_UTILS, "text/html"), ([{"filename": "shop_utils-1.0.tar.gz"}], JSON)]
)
def test_an_index_without_upload_times_ends_it_with_a_message(httpserver, report, files, content_type):
    serve(httpserver, files, content_type)
    with pytest.raises(SystemExit, match="no upload times of shop-utils"):
        report("shop-utils==1.0\n")
