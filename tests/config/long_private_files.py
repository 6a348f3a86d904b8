"""What a server for assistants keeps is its owner's alone: in new processes, which have the umask."""

import os

from tests.commands.mcp.client import LOCAL, raw
from tests.commands.mcp.test_plans_hold import new_campaign
from tests.config.test_private_files import FILES, open_to_others
from tests.guarded import pause_unbounded


def test_what_a_server_for_assistants_keeps_is_private_whatever_the_umask(adsctl):
    pause_unbounded(adsctl)
    adsctl.env["ADSCTL_GUARD"] = str(adsctl.file("guard.yaml", FILES["guard.yaml"]))
    umask = os.umask(0)
    try:
        with raw(adsctl, *LOCAL, "mcp", "--allow-writes", is_forked=False) as client:
            client.initialize()
            long = client.tool("read", command="campaigns tree")["structuredContent"]
            plan = client.tool("plan_change", **new_campaign("4a1n0"))["structuredContent"]
            client.tool("apply_change", plan_id=plan["plan_id"])
            assert (adsctl.home / long["file"]).exists()
            assert [*adsctl.home.glob(f"state/**/{plan['plan_id']}.out")]
            assert not [*open_to_others(adsctl.home / "state")]
    finally:
        os.umask(umask)
