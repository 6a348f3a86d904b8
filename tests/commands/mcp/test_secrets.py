"""Secrets are masked in what an assistant reads, those too that a command has renewed."""

import pytest

from tests.auth.test_grants import expire, serve, sign_in, stored
from tests.commands.mcp.client import raw
from tests.conftest import feed


@pytest.fixture
def signed_in(adsctl, tmp_path, seeded_database):
    for served in serve(adsctl, tmp_path, seeded_database, "generic"):
        sign_in(adsctl)
        yield served


def test_a_token_that_a_command_has_renewed_is_masked(adsctl, signed_in):
    with raw(adsctl, "-p", "shop", "-A", "18ce54d4x5t", "mcp") as client:
        client.initialize()
        assert not client.tool("read", command="campaigns list")["isError"]
        before = stored(adsctl)
        expire(adsctl)
        assert not client.tool("read", command="campaigns list")["isError"]
        tokens = [stored(adsctl)[name] for name in ("access_token", "refresh_token")]
        assert before["access_token"] not in tokens
        for token in tokens:
            adsctl("-p", "shop", "-A", "18ce54d4x5t", "campaigns", "update", "8wku2", "--name", f"<{token}>")
            result = client.tool("read", command="campaigns get", arguments={"campaign_id": "8wku2"})
            assert result["structuredContent"]["data"]["name"] == "<***>"
            error = client.tool("read", command="campaigns get", arguments={"campaign_id": f"{token}"})
            assert error["isError"] and token not in str(error)


@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
def test_a_renewed_token_is_masked_where_no_command_has_read_it(adsctl, signed_in, name):
    """A check of a feed needs no sign-in, and neither does an error of the server itself."""
    token = "hush.hush.renewed"  # which is masked as nothing else
    adsctl.file("feed.csv", feed(1, price=token))

    def shown() -> list[str]:
        return [str(client.tool("check_feed", file=file)) for file in ("feed.csv", f"no {token}")]

    with raw(adsctl, "-p", "shop", "-A", "18ce54d4x5t", "mcp", "--files", ".") as client:
        client.initialize()
        assert all(token in each for each in shown())
        expire(adsctl, **{"expires_at": stored(adsctl)["expires_at"], name: token})
        assert all("***" in each and token not in each for each in shown())
