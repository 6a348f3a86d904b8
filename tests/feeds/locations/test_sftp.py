"""A feed on an SFTP server, whose host key must be known."""

import gc
import json
import os

import asyncssh
import pytest

from ads_cli.feeds.locations import object_store
from tests.conftest import feed
from tests.feeds.locations.ssh_server import PASSWORD, USER, running_agent, ssh_folder

LONG_TEXT = "A mug, white, for home and camp. " * 30
CHECK = ("products", "check", "-o", "json", "--max-wait", "5s", "--max-attempts", "2")


@pytest.fixture
def there(sshd):
    """A server that has a feed."""
    (sshd.folder / "feed.csv").write_text(feed(60))
    return sshd


@pytest.fixture
def admitted(adsctl, there):
    """A server that has a feed and admits the user."""
    there.trust(adsctl.home)
    there.admit(adsctl.home)
    return there


def rows(done) -> int:
    return json.loads(done.stdout)["rows"]


def test_a_feed_on_an_sftp_server_is_pushed(adsctl, service, admitted):
    done = adsctl("products", "push", admitted.address("feed.csv"), "-o", "json")
    assert json.loads(done.stdout)["created"] == 60 == len(service.stored)
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["file"] == admitted.address("feed.csv")


def test_a_process_that_has_read_a_feed_ends_in_silence(adsctl, admitted):
    with adsctl.popen(*CHECK, admitted.address("feed.csv")) as process:
        out, err = process.communicate()
    assert (json.loads(out)["rows"], process.returncode, err) == (60, 0, b"")


def test_no_connection_is_left_open_while_a_feed_is_sent(adsctl, service, admitted):
    service.before = lambda put: admitted.wait_until_left()
    adsctl("products", "push", admitted.address("feed.csv"))
    assert len(service.stored) == 60 and len(admitted.sign_ins) == 1


def test_the_connection_that_several_feeds_share_is_not_left_open_either(adsctl, service, admitted):
    service.before = lambda put: admitted.wait_until_left()
    header, *rows = (admitted.folder / "feed.csv").read_text().splitlines()
    for number, own in enumerate((rows[:30], rows[30:])):
        (admitted.folder / f"part-{number}.csv").write_text("\n".join([header, *own]) + "\n")
    adsctl("products", "push", *(admitted.address(f"part-{number}.csv") for number in range(2)))
    assert len(service.stored) == 60 and len(admitted.sign_ins) == 1


def test_a_connection_that_several_lists_share_is_replaced_once_it_broke_off(adsctl, admitted):
    for number in range(3):
        (admitted.folder / f"list-{number}.csv").write_text(f"email\nshopper{number}@example.com\n")
    admitted.breaks_at = [0]
    lists = [admitted.address(f"list-{number}.csv") for number in range(3)]
    adsctl("audiences", "check", *lists)
    assert admitted.breaks_at == []


@pytest.mark.parametrize("name", ["f??d.csv", "fe?d#1.csv"])
def test_a_pattern_on_an_sftp_server_stands_for_its_files(adsctl, admitted, name):
    if "#" in name:
        (admitted.folder / "feed.csv").rename(admitted.folder / "feed#1.csv")
    assert rows(adsctl(*CHECK, admitted.address(name))) == 60


def test_the_home_folder_is_written_as_a_tilde(adsctl, admitted):
    assert rows(adsctl(*CHECK, admitted.address("~/feed.csv"))) == 60


def test_a_large_file_arrives_whole(adsctl, admitted):
    (admitted.folder / "feed.csv").write_text(feed(2_000, description=LONG_TEXT))
    assert rows(adsctl(*CHECK, admitted.address("feed.csv"))) == 2_000
    done = adsctl(*CHECK, admitted.address("feed.csv"), "--max-size", "1MB", code=3)
    assert "is larger than 1 MB" in done.stderr


def test_a_copy_that_breaks_off_is_resumed_in_silence(adsctl, admitted, caplog):
    (admitted.folder / "feed.csv").write_text(feed(2_000, description=LONG_TEXT))
    admitted.breaks_at = [1_200_000]
    assert rows(adsctl(*CHECK, admitted.address("feed.csv"))) == 2_000
    assert admitted.breaks_at == [] and len(admitted.sign_ins) == 2
    gc.collect()
    assert caplog.text == ""


@pytest.mark.parametrize("breaks_off", [True, False])
def test_a_feed_that_is_replaced_while_it_is_copied_is_copied_from_the_beginning(
    adsctl, admitted, breaks_off
):
    path, old = admitted.folder / "feed.csv", feed(2_000, description=LONG_TEXT)
    path.write_text(old)
    later = [old.replace("12.50 EUR", "19.90 EUR")]  # as long as before

    def replace(offset: int) -> None:
        if offset >= 1_200_000 and later:
            path.write_text(later.pop())
            os.utime(path, (0, 0))

    admitted.on_read = replace
    admitted.breaks_at = [1_200_000] if breaks_off else []
    adsctl("products", "convert", admitted.address("feed.csv"), "copy.csv")
    copy = (adsctl.home / "copy.csv").read_text()
    assert (copy.count("19.90 EUR"), copy.count("12.50 EUR")) == (2_000, 0)


def test_a_copy_of_a_file_without_a_version_is_never_resumed(adsctl, admitted, monkeypatch):
    def replace(offset: int) -> None:
        if offset >= 1_200_000 and later:
            path.write_text(later.pop())

    path, old, version = (
        admitted.folder / "feed.csv",
        feed(2_000, description=LONG_TEXT),
        object_store._version,
    )
    later = [old.replace("12.50 EUR", "19.90 EUR")]
    monkeypatch.setattr(object_store, "_version", lambda info: version({"size": info["size"]}))
    path.write_text(old)
    admitted.on_read, admitted.breaks_at = replace, [1_200_000]
    adsctl("products", "convert", admitted.address("feed.csv"), "copy.csv")
    copy = (adsctl.home / "copy.csv").read_text()
    assert (copy.count("19.90 EUR"), copy.count("12.50 EUR")) == (2_000, 0)


@pytest.mark.parametrize("known", ["", "ssh-ed25519", "ecdsa-sha2-nistp256"])
def test_a_host_key_that_is_unknown_or_changed_is_refused_before_any_key_or_password_is_sent(
    adsctl, there, known
):
    there.admit(adsctl.home)
    if known:
        other = asyncssh.generate_private_key(known).export_public_key().decode()
        ssh_folder(adsctl.home).joinpath("known_hosts").write_text(f"[127.0.0.1]:{there.port} {other}")
    error = json.loads(adsctl(*CHECK, there.address("feed.csv"), code=8).stderr)["error"]
    assert "not trusted" in error["message"] or "compatible server host key" in error["message"]
    assert "do not connect" in error["hint"] and "administrator" in error["hint"]
    assert "ssh-keyscan" not in error["hint"] and there.sign_ins == []


def test_a_user_who_is_not_admitted_ends_with_4(adsctl, there):
    there.trust(adsctl.home)
    done = adsctl(*CHECK, there.address("feed.csv"), code=4)
    assert "not allowed" in done.stderr and "ssh-agent" in done.stderr


def test_host_user_and_key_come_from_the_configuration_of_ssh(adsctl, there):
    there.trust(adsctl.home)
    there.admit(adsctl.home, "key_of_the_shop")
    settings = f"HostName 127.0.0.1\nPort {there.port}\nUser {USER}\nIdentityFile ~/.ssh/key_of_the_shop\n"
    ssh_folder(adsctl.home).joinpath("config").write_text(f"Host feeds\n{settings}")
    assert rows(adsctl(*CHECK, "sftp://feeds/feed.csv")) == 60


def test_a_key_may_be_known_to_the_agent_alone(adsctl, there):
    there.trust(adsctl.home)
    with running_agent(adsctl.home / "agent", there.user_key):
        done = adsctl(*CHECK, there.address("feed.csv"), SSH_AUTH_SOCK=str(adsctl.home / "agent"))
    assert rows(done) == 60


@pytest.mark.parametrize("name", ["nowhere.csv", ""])
def test_what_does_not_exist_or_is_a_folder_ends_with_5(adsctl, admitted, name):
    done = adsctl(*CHECK, admitted.address(name), "--format", "csv", code=5)
    assert "does not exist" in done.stderr


def test_a_server_that_is_not_there_ends_with_8(adsctl):
    done = adsctl(*CHECK, "sftp://127.0.0.1:9/feed.csv", code=8)
    assert "Connect" in done.stderr or "connect" in done.stderr


@pytest.mark.parametrize("where", ["address", "netrc", "variable"])
def test_a_password_comes_from_the_address_or_netrc_and_is_shown_nowhere(adsctl, there, where):
    there.trust(adsctl.home)
    without = there.address("feed.csv")
    address = without.replace(f"{USER}@", f"{USER}:{PASSWORD}@")
    adsctl.file(".netrc", f"machine 127.0.0.1 login {USER} password {PASSWORD}\n" * (where == "netrc"))
    typed = {"address": address, "netrc": without, "variable": "@FEED"}[where]
    done = adsctl(*CHECK, typed, "--debug", FEED=address)
    assert rows(done) == 60
    assert PASSWORD not in done.stdout + done.stderr
    assert ("shows in the list of processes" in done.stderr) == (where == "address")
    wrong = address.replace(PASSWORD, "wrong")
    assert "not allowed" in adsctl(*CHECK, wrong, code=4).stderr
