"""Service x, as a person meets it: signing in, profiles, the environment, and its emulator."""

import json
import re
import shlex
import subprocess
import sys

import httpx
import pexpect
import pytest
import yaml

from ads_cli.api.catalog import CreateCatalog, CreateProductSet
from ads_cli.api.names import FIELDS, SEGMENTS, VALUES
from ads_cli.api.products import BATCH_SIZE, DeleteProducts, ListProducts, PutProducts
from ads_cli.config.addresses import SERVICE_ADDRESSES
from tests.adsctl import ROOT
from tests.commands.test_emulator import serve, stopped
from tests.conftest import SECRETS, feed
from tests.emulator.sign_in import pin_of

ADDRESSES = {
    "base_url": "https://api.x.com",
    "ads_url": "https://ads-api.x.com",
    "ads_sandbox_url": "https://ads-api-sandbox.x.com",
}
# The service at an address of this machine, in place of its own.
AT_HOME = """
import sys
from ads_cli.config.addresses import SERVICE_ADDRESSES
SERVICE_ADDRESSES["x"] = dict.fromkeys(SERVICE_ADDRESSES["x"], {address!r})
from ads_cli.__main__ import main
sys.exit(main({words!r}))
"""


def shown(adsctl, *words: str, code: int = 0, **env: str) -> dict[str, dict]:
    """The rows of a list of settings, by their first column."""
    rows = json.loads(adsctl(*words, "-o", "json", code=code, **env).stdout)
    return {row.get("what", row.get("setting")): row for row in rows}


def test_the_service_brings_its_addresses():
    assert SERVICE_ADDRESSES == {"x": ADDRESSES}


def at_home(adsctl, address: str, *words: str) -> pexpect.spawn:
    """Start adsctl on a terminal, with the service at an address of this machine."""
    program = AT_HOME.format(address=address, words=[*words])
    return pexpect.spawn(
        sys.executable,
        ["-c", program],
        env=adsctl.environment,
        cwd=str(adsctl.home),
        dimensions=(50, 200),
        encoding="utf-8",
        timeout=60,
    )


@pytest.mark.parametrize("service_name", ["x"])
def test_signing_in_to_service_x_asks_for_the_key_and_the_secret_only(
    adsctl, service, service_name, monkeypatch
):
    address, keys = adsctl.env["ADSCTL_BASE_URL"], service.emulator.credentials
    adsctl.env.clear()
    words = ("auth", "login", "--service", "x", "--profile", "shop", "--no-browser", "--token-store", "file")
    session = at_home(adsctl, address, *words)
    assert session.expect([r"Consumer key \(not shown\): ", "Address of"]) == 0
    session.sendline(keys.consumer_key)
    session.expect(r"Consumer secret \(not shown\): ")
    session.sendline(keys.consumer_secret)
    session.expect(r"(http://\S+/oauth/authorize\?oauth_token=\S+)")
    page = session.match[1]
    session.expect("PIN:")
    session.sendline(authorized_pin(page))
    session.expect("signed in as")
    session.expect(r"service\s+x")
    session.expect(pexpect.EOF)
    (profile,) = yaml.safe_load((adsctl.home / "config" / "config.yaml").read_text())["profiles"].values()
    assert profile["service"] == "x" and not profile.keys() & ADDRESSES.keys()
    # The profile alone is enough from here on, and the token goes nowhere but to these addresses.
    with monkeypatch.context() as patched:
        patched.setitem(SERVICE_ADDRESSES, "x", dict.fromkeys(ADDRESSES, address))
        assert service.emulator.account in adsctl("accounts", "list", "-o", "ids").stdout
    refused = adsctl("accounts", "list", code=4).stderr
    assert "api.x.com" in refused or "not signed in" in refused or "another address" in refused


def authorized_pin(page: str) -> str:
    """Authorize the app on its page, and read the PIN."""
    address = page.partition("?")[0]
    with httpx.Client(trust_env=False) as browser:
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', browser.get(page).text))
        headers = {"Sec-Fetch-Site": "same-origin"}
        return pin_of(browser.post(address, data=form | {"answer": "allow"}, headers=headers))


def test_the_status_and_the_profile_say_which_service(adsctl):
    assert shown(adsctl, "profile", "show", "--show-origin")["service"] == {
        "setting": "service", "value": "generic", "origin": "default",
    }  # fmt: skip
    settings = shown(adsctl, "profile", "show", "--service", "x", "--show-origin")
    assert settings["service"]["origin"] == "--service"
    assert {name: settings[name]["value"] for name in ADDRESSES} == ADDRESSES
    assert {settings[name]["origin"] for name in ADDRESSES} == {"service x"}
    adsctl("profile", "set", "shop", "service=x")
    assert shown(adsctl, "auth", "status", code=4)["service"]["value"] == "x"
    assert shown(adsctl, "auth", "status", code=4)["ads_url"]["value"] == ADDRESSES["ads_url"]
    assert shown(adsctl, "auth", "status", code=4)["service"]["origin"] == "profile shop"


def test_an_address_of_the_profile_or_the_environment_replaces_that_of_the_service(adsctl):
    adsctl("profile", "set", "shop", "service=x", "ads_url=https://ads.example")
    settings = shown(adsctl, "profile", "show", ADSCTL_BASE_URL="https://api.example")
    assert [settings[name]["value"] for name in ADDRESSES] == [
        "https://api.example", "https://ads.example", ADDRESSES["ads_sandbox_url"],
    ]  # fmt: skip


def test_the_option_outranks_the_environment_and_that_the_profile(adsctl):
    adsctl("profile", "set", "shop", "service=x")
    assert shown(adsctl, "profile", "show")["service"]["value"] == "x"
    assert shown(adsctl, "profile", "show", ADSCTL_SERVICE="generic")["service"]["value"] == "generic"
    named = shown(adsctl, "profile", "show", "--profile", "shop", ADSCTL_SERVICE="generic")
    assert named["service"]["value"] == "x"
    both = shown(adsctl, "profile", "show", "--service", "x", ADSCTL_SERVICE="generic")
    assert both["service"]["value"] == "x"
    message = adsctl("auth", "status", code=4, ADSCTL_SERVICE="generic").stderr
    assert "ADSCTL_SERVICE in the environment overrides the profile shop" in message


def test_an_invalid_service_is_refused_with_words(adsctl):
    message = adsctl("accounts", "list", "--service", "twitter", code=2).stderr
    assert "'twitter' (from --service) is not a service" in message and "generic, x" in message
    message = adsctl("accounts", "list", code=11, ADSCTL_SERVICE="X").stderr
    assert "'X' (from ADSCTL_SERVICE) is not a service" in message and "did you mean 'x'?" in message
    assert (
        "service: 'y' is not one of generic, x" in adsctl("profile", "set", "a", "service=y", code=2).stderr
    )
    (adsctl.home / "config").mkdir(exist_ok=True)
    adsctl.file("config/config.yaml", "profile: shop\nprofiles:\n  shop:\n    service: twitter\n")
    message = adsctl("accounts", "list", code=11).stderr
    assert "'twitter' (from profile shop) is not a service" in message


def test_without_a_service_no_address_is_used(adsctl):
    message = adsctl("accounts", "list", code=11, **SECRETS).stderr
    assert "--service x (the platform's own names and addresses)" in message


def test_the_profile_local_speaks_x_only_by_the_option(adsctl):
    words = ("media", "library", "list", "--limit", "1", "-o", "json")
    create = ("posts", "create", "--as-user-id", "1184672519", "--text", "Blue mugs", "--dry-run")
    assert "/12/accounts/" in adsctl.local(*create, ADSCTL_SERVICE="x").stdout
    assert "/tweet?" not in adsctl.local(*create, ADSCTL_SERVICE="x").stdout
    assert "/tweet?" in adsctl.local(*create, "--service", "x").stdout
    neutral = json.loads(adsctl.local(*words, ADSCTL_SERVICE="x").stdout)
    on_wire = json.loads(adsctl.local(*words, "--service", "x", ADSCTL_SERVICE="generic").stdout)
    assert "posted" in neutral[0] and "tweeted" in on_wire[0]
    assert not {"tweeted"} & neutral[0].keys() and not {"posted"} & on_wire[0].keys()


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_a_served_emulator_speaks_its_service(adsctl, service_name):
    process, port = serve(adsctl, "--service", service_name)
    with stopped(process):
        env = adsctl("emulator", "env", "--port", port, "--service", service_name, "-o", "json").stdout
        variables = json.loads(env)
        assert variables["ADSCTL_SERVICE"] == service_name
        library = json.loads(adsctl("media", "library", "list", "-o", "json", **variables).stdout)
        assert ("tweeted" if service_name == "x" else "posted") in library[0]
        other = {"generic": "x", "x": "generic"}[service_name]
        post = ("posts", "create", "--as-user-id", "1184672519", "--text", "Mugs")
        adsctl(*post, **variables)
        assert "status 404" in adsctl(*post, "--service", other, code=5, **variables).stderr
        message = adsctl("emulator", "env", "--port", port, "--service", other, code=11).stderr
        assert (
            f"speaks the names of service {service_name}" in message
            and f"--service {service_name}" in message
        )


def test_the_hint_of_serve_names_the_service(adsctl):
    process, _ = serve(adsctl, "--service", "x")
    with stopped(process):
        assert "--service x" in process.stderr.readline().decode()


def test_exec_runs_a_command_with_service_x(adsctl):
    words = adsctl.forked("media", "library", "list", "-o", "jsonl")
    script = f'test "$ADSCTL_SERVICE" = x && {shlex.join(words)}'
    done = adsctl.process("emulator", "exec", "--service", "x", "--", "sh", "-c", script)
    assert '"tweeted"' in done.stdout and '"posted"' not in done.stdout


def test_names_of_the_other_service_are_refused_by_the_emulator(adsctl):
    for service, path in (("x", "post"), ("generic", "tweet")):
        words = ("api", "POST", f"/12/accounts/{{account_id}}/{path}", "-f", "text=Mugs")
        adsctl("emulator", "exec", "--service", service, "--", *adsctl.forked(*words), code=5)


DOCUMENT = (ROOT / "docs" / "service-x.md").read_text()
ROWS = [
    [re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")]
    for line in DOCUMENT.splitlines()
    if line.startswith("|")
]


def test_the_document_names_each_pair_of_names():
    pairs = {pair for row in ROWS if len(row) == 2 for pair in zip(*row, strict=False)}
    known = FIELDS | SEGMENTS
    for table in VALUES.values():
        known |= {name: wire for name, wire in table.items() if name not in known}
    assert set(known.items()) <= pairs
    assert set(ADDRESSES.items()) <= pairs


@pytest.mark.parametrize(
    ("request_type", "words"),
    [
        (PutProducts, "600 PUT of products"),
        (DeleteProducts, "150 DELETE of products"),
        (ListProducts, "1,000 GET of products"),
        (CreateCatalog, "20 writes of catalogs"),
        (CreateProductSet, "100 new product sets"),
    ],
)
def test_the_document_states_the_limits_that_are_kept(request_type, words):
    rate = request_type.endpoint.rates["x"]
    assert (rate.requests, rate.seconds) == (int(words.split()[0].replace(",", "")), 900)
    assert f"| {words} | 15 minutes |" in DOCUMENT
    assert f"{600 * BATCH_SIZE:,} products" in DOCUMENT and f"{150 * BATCH_SIZE:,} products" in DOCUMENT


@pytest.mark.parametrize("line", re.findall(r"^adsctl .*$", DOCUMENT, re.M))
def test_each_command_of_the_document_works(adsctl, seeded_database, line):
    adsctl.file("feed.csv", feed(2))
    words = shlex.split(line)[1:]
    if "login" in words:
        assert "--no-browser" in adsctl("auth", "login", "--help").stdout
        return
    adsctl("profile", "set", "shop", "service=x")
    done = subprocess.run(
        ["sh", "-c", line], env=adsctl.installed(), cwd=adsctl.home, capture_output=True, text=True
    )
    assert done.returncode == (4 if words == ["auth", "status"] else 0), done.stderr
