"""What is stored of a grant after a refresh, whatever becomes of it, in a file of secrets."""

import sys
from types import SimpleNamespace

import pytest

from ads_cli.auth import GRANT, Secret
from ads_cli.auth.grants import RenewedGrant, StoredGrant, read_grant
from ads_cli.auth.secret_stores import FileStore
from ads_cli.errors import AccessError, AdsctlError, RefusedError, StateError, UnavailableError
from ads_cli.masking import Mask

SCOPES = ("ads.read", "ads.write")
EXPIRED = StoredGrant("id", "app", SCOPES, "access-1", 1.0, 1.0, "refresh-1")


class Renewal:
    """An expired grant in a store, and a service whose answers tests choose."""

    def __init__(self, folder) -> None:
        self.store = FileStore(folder / "secrets.json")
        self.store.put("shop", {GRANT: EXPIRED.as_secret(("http://a.example",))})

    @property
    def stored(self) -> StoredGrant:
        return read_grant(self.secret())

    def secret(self) -> Secret:
        grant = self.store.get("shop", GRANT)
        assert grant
        return grant

    def renew(self, *answers: AdsctlError | dict) -> str:
        """Use the access token; these are the answers to the refreshes."""
        left = list(answers)

        def send(request, *, auth):
            answer = left.pop(0)
            if isinstance(answer, AdsctlError):
                raise answer
            return SimpleNamespace(body=answer)

        grant = RenewedGrant(
            self.store, "shop", self.secret, lambda: None, send, Mask(), lambda _: "adsctl auth login"
        )
        return grant.access_token


@pytest.fixture
def renewal(tmp_path) -> Renewal:
    return Renewal(tmp_path)


def lost() -> UnavailableError:
    error = UnavailableError("no answer")
    error.may_be_applied = True
    return error


def tokens(**other) -> dict:
    return {"access_token": "access-2", "refresh_token": "refresh-2", "expires_in": 7200, **other}


def test_a_refresh_that_was_never_sent_is_not_remembered_as_lost(renewal):
    with pytest.raises(UnavailableError) as failed:
        renewal.renew(UnavailableError("connection refused"))
    assert "could not be renewed" in failed.value.message
    assert renewal.stored == EXPIRED
    with pytest.raises(AccessError) as refused:
        renewal.renew(RefusedError("invalid_grant"))
    assert "lost" not in refused.value.message and renewal.stored == EXPIRED


def test_a_refresh_that_was_lost_once_stays_so_until_an_answer_is_stored(renewal):
    for second in (lost(), UnavailableError("connection refused"), RefusedError("invalid_grant")):
        with pytest.raises(AdsctlError) as failed:
            renewal.renew(lost(), second)
        assert renewal.stored.is_refreshing and not failed.value.may_be_applied
    with pytest.raises(UnavailableError):
        renewal.renew(UnavailableError("connection refused"))
    with pytest.raises(AccessError, match="after the answer to a refresh was lost"):
        renewal.renew(RefusedError("invalid_grant"))
    assert renewal.renew(tokens()) == "access-2" and not renewal.stored.is_refreshing


@pytest.mark.parametrize("scope", ["", "  ", None, 7, "ads.read\x7f", "ä", "a " * 6000])
def test_scopes_that_are_not_told_are_those_of_the_sign_in(renewal, scope):
    renewal.renew(tokens(scope=scope))
    assert renewal.stored.scopes == SCOPES and not renewal.stored.is_read_only


def test_scopes_that_are_told_are_stored(renewal):
    renewal.renew(tokens(scope=" ads.read  users.read"))
    assert renewal.stored.scopes == ("ads.read", "users.read") and renewal.stored.is_read_only


@pytest.mark.parametrize("character", ["x", '"', "\\"])
def test_tokens_of_any_length_that_is_accepted_are_stored(renewal, character):
    text = character * 10_000
    assert renewal.renew(tokens(access_token=text, refresh_token=text)) == text
    assert renewal.stored.refresh_token == text


def test_a_file_of_secrets_is_read_on_windows_where_modes_say_nothing(renewal, monkeypatch):
    renewal.store.path.chmod(0o666)
    monkeypatch.setattr(sys, "platform", "win32")
    assert renewal.stored == EXPIRED


def test_a_folder_of_locks_that_cannot_be_made_is_an_error_of_the_state(renewal):
    (renewal.store.path.parent / "grants").write_text("")
    with pytest.raises(StateError, match="grants cannot be used"):
        renewal.renew(tokens())
