"""Limits of the process of a query, and what a server that was killed leaves to the next."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ads_cli.commands.mcp.results import as_text
from tests.adsctl import TIMEOUT_SECONDS
from tests.commands.mcp.client import raw
from tests.commands.mcp.test_changes import AT_SERVICE, PUSH, guarded, held, opened, state_of  # noqa: F401

ZEROS = f"`{json.dumps([0] * 10)}`"
LONG_QUERY = "length(map(&" * 7 + "@" + f",{ZEROS}))" * 7  # takes no memory
LIMITED = """
import sys
from pathlib import Path
from ads_cli.commands.mcp import query
query.CPU_SECONDS, query.MEMORY_BYTES = int(sys.argv[2]), 32 * 1024**2
sys.exit(query.run_query(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("query", "seconds", "code", "message"),
    [
        ("[" + ",".join(["@"] * 20) + "]", 60, 2, "its result is longer"),
        ("[@,@,@,@][]." * 11 + "[@,@]", 60, 1, ""),
        (LONG_QUERY, 1, -signal.SIGKILL, ""),
    ],
    ids=["length", "memory", "time"],
)
def test_the_process_of_a_query_has_limits(query, seconds, code, message):
    data = json.dumps(["x" * 100_000])
    words = [sys.executable, "-c", LIMITED, query, str(seconds)]
    done = subprocess.run(words, input=data, capture_output=True, text=True)
    assert done.returncode == code and message in done.stderr


def test_an_error_that_takes_more_than_the_process_may_have_is_not_said():
    code = "import sys; from ads_cli.commands.mcp.query import run_query; sys.exit(run_query(sys.argv[1]))"
    query, wide = f"abs([{','.join('@' * 80)}])", as_text(["x" * 1_000_000] * 5).encode()
    done = subprocess.run([sys.executable, "-c", code, query], input=wide, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"")


def test_files_of_a_server_that_was_killed_are_removed_by_the_next(adsctl):
    with raw(adsctl, is_forked=False) as client:
        client.initialize()
        left = client.tool("read", command="campaigns tree")["structuredContent"]["file"]
        client.process.kill()
        client.process.wait()
    with raw(adsctl) as client:
        client.initialize()
        assert (adsctl.home / left).exists()
        client.tool("read", command="campaigns tree")
        assert not (adsctl.home / left).exists()


def test_what_a_killed_server_was_sending_goes_on_once_and_jobs_tells_it(service, held, opened):  # noqa: F811
    asked, answered = held
    with raw(opened, *AT_SERVICE, is_forked=False) as client:
        client.initialize()
        plan = client.tool("plan_change", **PUSH)["structuredContent"]["plan_id"]
        client.request("tools/call", name="apply_change", arguments={"plan_id": plan})
        assert asked.wait(TIMEOUT_SECONDS)
        client.process.kill()
    with raw(opened, *AT_SERVICE) as client:
        client.initialize()
        jobs = client.tool("jobs")["structuredContent"]["data"]
        assert "running" in [job["state"] for job in jobs]
        again = client.tool("plan_change", **PUSH)
        assert again["isError"] and plan in again["structuredContent"]["error"]["hint"]
        answered.set()
        assert state_of(client, plan) == "ended"
        assert client.tool("jobs", job=plan)["structuredContent"]["data"]["result"]["created"] == 2
    assert len(service.puts) == 1


GREEDY_QUERIES = {
    "memory": "[@,@,@,@][]." * 9 + "[@,@]",
    "a long result": "[" + ",".join(["@"] * 200) + "]",
    "doubling": " | ".join(["[@,@]"] * 60),
}


@pytest.mark.parametrize("query", GREEDY_QUERIES.values(), ids=[*GREEDY_QUERIES])
def test_a_query_that_takes_much_is_refused_and_the_server_stays_small(adsctl, query):
    with raw(adsctl, is_forked=False) as client:
        client.initialize()
        assert not client.tool("read", command="line-items list", query="[].name")["isError"]
        before = memory_of(client.process.pid)
        result = client.tool("read", command="line-items list", query=query)
        assert result["isError"] and result["structuredContent"]["error"]["exit_code"] == 2
        assert result["structuredContent"]["error"]["message"].startswith("query: ")
        assert memory_of(client.process.pid) - before < 32 * 1024**2
        assert not client.tool("read", command="campaigns list", query="[0].id")["isError"]


def memory_of(process):
    """The most memory that a process and those that it has waited for had at once, in bytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
