"""Several threads and accounts in one process, under a guard."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ads_cli
from ads_cli.config.file_locks import state_lock, try_lock
from tests.adsctl import ROOT
from tests.conftest import feed
from tests.emulator.seeded import FILMS, HAMBURG, SPRING
from tests.guarded import pause_unbounded
from tests.library.conftest import program

ACCOUNT = "18ce54d4x5t"
RAISED = (SPRING, HAMBURG, FILMS)
MICROS = 10**6


def spending(ads: ads_cli.Connection) -> int:
    """Return what the active campaigns may spend in a day, in units."""
    records = ads.list("campaigns")
    budgets = (
        record["daily_budget_amount_local_micro"] or 0
        for record in records
        if record["effective_status"] == "RUNNING"
    )
    return sum(budgets) // MICROS


def test_threads_that_raise_budgets_at_once_never_pass_the_limit_of_the_account(adsctl, service):
    pause_unbounded(adsctl, "--account", ACCOUNT)
    with program(adsctl), ads_cli.connect(account=ACCOUNT) as ads:
        before = spending(ads)
    limit = before + 10
    adsctl.env["ADSCTL_GUARD"] = str(adsctl.file("guard.yaml", f"max_account_daily_budget: {limit} EUR\n"))
    with program(adsctl), ads_cli.connect(account=ACCOUNT, confirm=True) as ads:
        now = {id: ads.get("campaigns", id)["daily_budget_amount_local_micro"] // MICROS for id in RAISED}

        def raised(id: str) -> bool:
            try:
                ads.call("campaigns update", id=id, daily_budget=now[id] + 8)
            except ads_cli.GuardError as error:
                assert error.exit_code == 12 and "max_account_daily_budget" in error.message
                return False
            return True

        with ThreadPoolExecutor(3) as threads:
            outcomes = [*threads.map(raised, RAISED)]
        assert outcomes.count(True) == 1 and spending(ads) == before + 8
        changes = [change for change in ads.call("changes list") if change["fields"]]
    assert sum("daily_budget_amount_local_micro" in change["fields"] for change in changes) == 1


def test_threads_share_a_connection_and_each_gets_its_own_answer(adsctl, service):
    with program(adsctl), ads_cli.connect(account=ACCOUNT) as ads:

        def renamed(number: int) -> str:
            id = RAISED[number % len(RAISED)]
            ads.call("campaigns update", id=id, name=f"{id} {number}")
            names = {record["id"]: record["name"] for record in ads.list("campaigns", count=3)}
            assert names[id].startswith(f"{id} ")
            return ads.get("campaigns", id)["id"]

        with ThreadPoolExecutor(6) as threads:
            assert [*threads.map(renamed, range(18))] == [*RAISED] * 6
        changes = ads.call("changes list")
    assert len(changes) == 18 and {change["outcome"] for change in changes} == {"ok"}


def test_a_second_push_of_a_file_in_another_thread_is_refused(adsctl, service):
    adsctl.file("feed.csv", feed(50))
    with program(adsctl), ads_cli.connect() as ads, ads_cli.connect() as other:
        refusals: list[ads_cli.StateError] = []

        def push_too(put: int) -> None:
            if put == 0:
                with pytest.raises(ads_cli.StateError, match="another run is pushing the same") as failed:
                    other.push("products", "feed.csv")
                refusals.append(failed.value)

        service.before = push_too
        assert ads.push("products", "feed.csv").is_complete
    assert len(refusals) == 1 and refusals[0].exit_code == 11


def test_a_lock_is_released_by_another_thread_than_the_one_that_took_it(tmp_path):
    path = state_lock(tmp_path, "guard", "x")
    with ThreadPoolExecutor(1) as thread:
        taken = thread.submit(try_lock, path).result()
        assert taken and try_lock(path) is None
        taken.release()
        again = try_lock(path)
    assert again
    again.release()


QUIET = """
import gc, threading, warnings
import ads_cli
with ads_cli.connect(account="18ce54d4x5t") as ads:
    campaigns = ads.list("campaigns", count=1)
    next(campaigns)
    thread = threading.Thread(target=lambda: ads.push("products", "feed.csv"))
    thread.start()
    thread.join()
    ads.push("products", "feed.csv")
    try:
        ads.get("campaigns", "zzz")
    except ads_cli.NotFoundError:
        pass
    left = [*ads.list("campaigns")]
del ads, campaigns
gc.collect()
"""


def test_a_program_prints_nothing_with_all_warnings_of_python(adsctl, service):
    adsctl.file("feed.csv", feed(60))
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "always", "-c", QUIET],
        env=adsctl.environment,
        cwd=adsctl.home,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_only_what_is_public_is_shown_and_imported_when_it_is_used():
    program = "import sys, ads_cli; print(*dir(ads_cli)); print(*sys.modules)"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    names, modules = (line.split() for line in done.stdout.splitlines())
    assert names == sorted(ads_cli.__all__) and all(hasattr(ads_cli, name) for name in names)
    assert [name for name in modules if name.startswith("ads_cli")] == ["ads_cli"]
    assert not {"typer", "rich", "httpx", "msgspec", "logging", "typing"} & {*modules}
    with pytest.raises(AttributeError, match="no attribute 'connection'"):
        ads_cli.connection  # noqa: B018
    assert (Path(ads_cli.__file__).parent / "py.typed").exists()
