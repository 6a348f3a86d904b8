"""Secrets are masked in what an assistant reads, those too that a command has renewed."""

import pytest

from tests.auth.test_grants import expire, serve, sign_in, stored
from tests.commands.mcp.client import raw


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
