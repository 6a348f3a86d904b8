"""`fleet run` on this machine: what runs, beside what, and what it comes to."""

import json
import threading
import time
from array import array

import pytest

from ads_cli.client.shared_window import NUMBERS
from tests.adsctl import TIMEOUT_SECONDS
from tests.conftest import feed

PEOPLE = "email\n" + "".join(f"person-{number}@shop.example\n" for number in range(3))


def statuses(records: list[dict]) -> dict[str, str]:
    return {record["task"]: record["status"] for record in records}


def check(name: str, file: str = "", *options: str) -> str:
    run = " ".join(["products check", file or f"{name}.csv", *options])
    return f"{{name: {name}, profile: local, run: {run}}}"


def test_every_task_has_a_record_in_the_order_of_the_file(fleet, service, feeds):
    feeds("feed")
    fleet.write("{name: shop, run: products push feed.csv}", check("feed"))
    pushed, checked = fleet()
    assert list(pushed) == [
        *("task", "profile", "status", "exit_code", "seconds", "worker", "summary", "error", "data")
    ]
    assert (pushed["task"], pushed["profile"], pushed["status"], pushed["exit_code"]) == (
        "shop",
        "default",
        "ok",
        0,
    )
    assert pushed["summary"]["created"] == 2
    assert checked["summary"]["valid"] == 2
    assert service.stored == ["sku-1", "sku-2"]
    assert "[2/2] " in fleet.stderr and "ok, " in fleet.stderr


def test_the_exit_code_is_the_worst_by_severity_and_the_failures_are_named(fleet, service, feeds, adsctl):
    feeds("good")
    adsctl.file("some.csv", feed(2).replace("in stock", "gone", 1))
    feeds("bad", price="cheap")
    fleet.write(check("good"), check("bad"), "{name: some, run: products push some.csv --skip-invalid}")
    records = fleet(code=3)
    assert {record["task"]: record["exit_code"] for record in records} == {"good": 0, "bad": 3, "some": 9}
    error = json.loads(fleet.stderr.splitlines()[-1])["error"]
    assert error["code"] == "content"
    assert error["message"].splitlines()[0] == "2 of 3 tasks failed"
    assert "bad: exit 3: " in error["message"] and "some: exit 9: " in error["message"]
    assert error["hint"].endswith("adsctl fleet run fleet.yaml -o json --resume")


def test_nothing_runs_where_anything_is_wrong(fleet, service, feeds, adsctl):
    feeds("feed")
    fleet.write("{name: shop, run: products push feed.csv}", check("none"))
    assert "none.csv cannot be opened" in adsctl("fleet", "run", "fleet.yaml", code=2).stderr
    assert service.puts == []


def test_a_command_of_on_failure_reads_how_many_tasks_failed(fleet, feeds, adsctl):
    feeds("good")
    feeds("bad", price="cheap")
    fleet.write(check("good"), check("bad"))
    adsctl("fleet", "run", "fleet.yaml", "--on-failure", "sh -c 'cat > told.json'", code=3)
    counts = json.loads((adsctl.home / "told.json").read_text())
    assert {name: counts[name] for name in ("tasks", "ok", "failed", "skipped")} == {
        "tasks": 2, "ok": 1, "failed": 1, "skipped": 0,
    }  # fmt: skip


def test_only_names_tasks_and_patterns(fleet, feeds):
    feeds("north", "northeast", "south")
    fleet.write(check("north"), check("northeast"), check("south"))
    assert list(statuses(fleet("--only", "north*"))) == ["north", "northeast"]
    assert list(statuses(fleet("--only", "south, north"))) == ["north", "south"]
    done = fleet.adsctl("fleet", "run", "fleet.yaml", "--only", "suoth", code=2)
    assert "--only: no task is named 'suoth'; did you mean 'south'?" in done.stderr
    assert "--only names no task" in fleet.adsctl("fleet", "run", "fleet.yaml", "--only", " ,", code=2).stderr


def test_a_task_is_named_by_its_whole_name_first(fleet, feeds):
    feeds("feed")
    names = ("a[1]", "a1", "x,y", "x")
    fleet.write(*(f"{{name: '{name}', run: products check feed.csv}}" for name in names))
    for name in names:
        assert list(statuses(fleet("--only", name))) == [name]
    assert list(statuses(fleet("--only", "x, a[1]"))) == ["a[1]", "x"]


def test_tasks_get_every_option_that_says_where_a_command_works(fleet, feeds):
    feeds("feed")
    fleet.write("{name: feed, run: products push feed.csv}")
    (record,) = json.loads(
        fleet.adsctl.local("--catalog", "nosuch", "fleet", "run", "fleet.yaml", "-o", "json", code=5).stdout
    )
    assert "nosuch does not exist" in record["error"]["message"]


def test_a_mistake_elsewhere_in_the_file_stops_tasks_that_only_names(fleet, feeds):
    feeds("north")
    fleet.write(check("north"), check("south"))
    assert statuses(fleet("--only", "north")) == {"north": "ok"}  # the feed of another task may be missing
    fleet.write(check("north"), check("south", "south.csv", "--nonsense"))
    assert "south: no such option: --nonsense" in fleet.check("--only", "north", code=3)
    assert "south: no such option: --nonsense" in fleet.check("--only", "south", code=3)


def test_a_resumed_run_runs_only_what_did_not_end_well(fleet, service, feeds):
    feeds("shop")
    feeds("bad", price="cheap")
    fleet.write("{name: shop, run: products push shop.csv}", check("bad"))
    first = fleet("--resume", code=3)
    assert "nothing to resume: fleet.yaml was not run on this machine" in fleet.stderr
    message = fleet.adsctl("fleet", "status", "fleet.yaml", code=3).stderr
    assert "bad: exit 3: 2 of 2 rows invalid" in message
    feeds("bad")
    again = fleet("--resume")
    assert again[0] == first[0]
    assert statuses(again) == {"shop": "ok", "bad": "ok"}
    assert len(service.puts) == 1
    assert "not run again, since they ended well: 1 task of the run of" in fleet.stderr
    assert statuses(fleet("--resume")) == {"shop": "ok", "bad": "ok"}
    assert len(service.puts) == 1
    fleet()  # without --resume everything is run
    assert len(service.puts) == 2


SHOP = "{name: shop, run: products push shop.csv}"


def test_only_runs_its_tasks_anew_in_the_last_run_and_resume_continues_that(fleet, service, feeds):
    feeds("shop", "good")
    feeds("bad", price="cheap")
    fleet.write(SHOP, check("good"), check("bad"))
    first = fleet(code=3)
    fleet("--only", "bad", code=3)
    assert fleet("--resume", code=3)[:2] == first[:2]
    feeds("bad")
    assert statuses(fleet("--only", "bad")) == {"bad": "ok"}
    shown = json.loads(fleet.adsctl("fleet", "status", "fleet.yaml", "-o", "json").stdout)
    assert statuses(shown) == {"shop": "ok", "good": "ok", "bad": "ok"}
    assert fleet("--resume") == shown
    assert len(service.puts) == 1
    fleet("--only", "shop")  # though it ended well
    fleet("--resume")
    assert len(service.puts) == 2


def test_tasks_that_only_has_run_one_by_one_are_not_run_again_by_a_resume(fleet, service, feeds):
    feeds("shop", "good")
    fleet.write(SHOP, check("good"))
    ended = [*fleet("--only", "shop"), *fleet("--only", "good")]
    assert fleet("--resume") == ended
    assert len(service.puts) == 1


def test_only_counts_its_own_changes_against_the_guard(fleet, service, feeds, adsctl):
    feeds("shop")
    fleet.write(SHOP)
    guard = str(adsctl.file("guard.yaml", "max_changes: 3"))
    fleet(ADSCTL_GUARD=guard)
    assert statuses(fleet("--only", "shop", ADSCTL_GUARD=guard)) == {"shop": "ok"}


def test_the_status_of_a_run_whose_other_tasks_only_left_out_says_that_it_is_unfinished(fleet, feeds):
    feeds("a", "b")
    feeds("bad", price="cheap")
    fleet.write(check("bad"), check("b"))
    fleet("--parallel", "1", "--fail-fast", code=3)
    feeds("bad")
    fleet("--only", "bad")
    assert "is unfinished" in fleet.adsctl("fleet", "status", "fleet.yaml", code=8).stderr


def test_a_task_whose_command_has_changed_is_run_by_a_resumed_run(fleet, service, feeds):
    feeds("shop", "other")
    fleet.write("{name: shop, run: products push shop.csv}")
    fleet()
    fleet.write("{name: shop, run: products push other.csv}")
    fleet("--resume")
    assert len(service.puts) == 2


CREATE = "campaigns create --name New --funding-instrument-id 4a1n0 --daily-budget 5"
API_CREATE = (
    "api POST /12/accounts/18ce54d4x5t/campaigns -f name=New -f funding_instrument_id=4a1n0 "
    "-f daily_budget_amount_local_micro=5000000"
)
CAMPAIGN = {"name": "New", "funding_instrument_id": "4a1n0", "daily_budget": "5"}


@pytest.mark.parametrize(
    "run",
    [
        "campaigns update 8wku2 --name New",
        "campaigns update 8wku2 8wku3 --name New",
        "campaigns update -f change.json",
        "campaigns activate 8wku4",
        "campaigns delete 8wku2",
        CREATE,
        "campaigns create -f one.json",
        "campaigns create -f several.json",
    ],
)
def test_what_was_refused_before_it_was_sent_is_run_by_a_resumed_run(fleet, service, adsctl, run):
    adsctl.file("change.json", json.dumps({"campaign_id": "8wku2", "name": "New"}))
    adsctl.file("one.json", json.dumps(CAMPAIGN))
    adsctl.file("several.json", json.dumps([CAMPAIGN, CAMPAIGN | {"name": "Another"}]))
    fleet.write(f"{{name: change, run: {run} --yes -A 18ce54d4x5t}}")
    fleet(code=12, ADSCTL_GUARD=str(adsctl.file("guard.yaml", "max_changes: 0")))
    assert statuses(fleet("--resume")) == {"change": "ok"}
    assert len(json.loads(adsctl("changes", "list", "-o", "json").stdout)) == 1


@pytest.mark.parametrize("command", [CREATE, API_CREATE])
def test_what_may_have_been_created_is_not_created_again_by_a_resumed_run(fleet, service, adsctl, command):
    fleet.write(f"{{name: create, run: {command} -A 18ce54d4x5t}}")
    service.fail("POST /12/accounts/*/campaigns reset-after times=1")
    fleet(code=8)
    for _ in range(2):
        (record,) = fleet("--resume", code=11)
        assert "may have created" in record["error"]["message"] and "--only" in record["error"]["hint"]
    listed = adsctl("campaigns", "list", "--q", "New", "-A", "18ce54d4x5t", "-o", "json").stdout
    assert [load["name"] for load in json.loads(listed)] == ["New"]
    assert statuses(fleet("--only", "create")) == {"create": "ok"}  # a person has looked


def test_a_resumed_run_of_another_profile_or_account_is_not_that_of_the_first(
    fleet, service, adsctl, profiles
):
    profiles("nord", "sued")
    fleet.write("{name: rename, run: campaigns update 8wku2 --name New}")
    account = {"ADSCTL_ACCOUNT": "18ce54d4x5t"}
    for env in ({"ADSCTL_PROFILE": "nord"}, {"ADSCTL_PROFILE": "sued"}, {"ADSCTL_PROFILE": "sued"}):
        fleet("--resume", **account, **env)
    logged = json.loads(adsctl("changes", "list", "-o", "json").stdout)
    assert [change["profile"] for change in logged] == ["nord", "sued"]
    fleet("--resume", code=5, ADSCTL_PROFILE="sued", ADSCTL_ACCOUNT="18ce55gze09")


def test_after_so_many_failures_nothing_further_starts(fleet, feeds):
    feeds("bad", price="cheap")
    fleet.write(*(check(f"t{number}", "bad.csv") for number in range(4)))
    records = fleet("--parallel", "1", "--fail-fast", code=3)
    assert [record["status"] for record in records] == ["failed", "skipped", "skipped", "skipped"]
    assert records[1]["exit_code"] is None
    assert "1 of 4 tasks failed, 3 not started" in fleet.stderr
    records = fleet("--parallel", "1", "--max-failures", "2", code=3)
    assert [record["status"] for record in records] == ["failed", "failed", "skipped", "skipped"]


def test_a_dry_run_changes_nothing_and_is_no_run_to_resume(fleet, service, feeds):
    feeds("shop")
    fleet.write("{name: shop, run: products push shop.csv}")
    fleet("--dry-run")
    assert service.puts == []
    fleet("--resume")
    assert len(service.puts) == 1
    fleet("--dry-run")
    fleet("--resume")
    assert len(service.puts) == 1


def test_options_of_the_run_are_those_of_its_tasks_unless_they_have_their_own(fleet, feeds, adsctl):
    feeds("shop")
    fleet.write("{name: a, run: products pull a.csv}", "{name: b, run: products check shop.csv --timeout 5s}")
    shown = adsctl("-p", "local", "--timeout", "9s", "fleet", "check", "fleet.yaml", "-o", "json").stdout
    commands = [record["command"] for record in json.loads(shown)]
    assert commands == [
        "--profile=local --timeout=9s products pull a.csv",
        "--profile=local --timeout=9s products check shop.csv --timeout 5s",
    ]


@pytest.fixture
def seen(service, monkeypatch) -> list[tuple[str, float, float]]:
    """The requests to the service: what they changed, when they began and when they ended."""
    found: list[tuple[str, float, float]] = []
    answer = service.answer

    def noting(environ, start_response):
        began = time.monotonic()
        try:
            return answer(environ, start_response)
        finally:
            found.append((environ["PATH_INFO"], began, time.monotonic()))

    monkeypatch.setattr(service, "answer", noting)
    return found


def test_jobs_of_one_account_run_one_after_another(fleet, service, feeds, adsctl, seen):
    adsctl.file("shop.csv", feed(200))
    adsctl.file("people.csv", PEOPLE)
    service.fail("* * latency=50ms")
    fleet.write(
        "{name: shop, run: products push shop.csv --concurrency 2}",
        "{name: customers, run: audiences push people.csv --audience 1nmth}",
        "{name: readers, run: audiences push people.csv --audience 1nmu0}",
    )
    assert set(statuses(fleet("--parallel", "4")).values()) == {"ok"}
    spans: dict[str, list[float]] = {}
    for path, began, ended in seen:
        spans.setdefault(path, []).extend((began, ended))
    first, second, third = sorted((min(times), max(times)) for times in spans.values())
    assert first[1] < second[0] and second[1] < third[0]


def test_parts_of_one_list_run_at_once(fleet, service, adsctl, monkeypatch):
    both = threading.Barrier(2, timeout=TIMEOUT_SECONDS)
    answer = service.answer

    def together(environ, start_response):
        both.wait()  # raises unless another part is on its way
        return answer(environ, start_response)

    monkeypatch.setattr(service, "answer", together)
    for name in ("part-1", "part-2"):
        adsctl.file(f"{name}.csv", PEOPLE.replace("person", name))
    fleet.write("{for: {files: part-*.csv}, run: 'audiences push {file} --audience 1nmth'}")
    assert statuses(fleet("--parallel", "2")) == {"part-1.csv": "ok", "part-2.csv": "ok"}


def test_statistics_of_several_accounts_go_to_files_or_to_one_database(fleet, adsctl):
    export = "stats export --since 2026-01-01 --until 2026-01-03 --all --metrics clicks"
    task = "{{name: {}, profile: local, run: '" + export + " {}'}}"
    fleet.write(
        task.format("file", "clicks.csv -A 18ce54d4x5t"),
        task.format("one", "--into sqlite:ads.db -A 18ce54d4x5t"),
        task.format("two", "--into sqlite:ads.db -A 18ce55gze09"),
    )
    assert set(statuses(fleet()).values()) == {"ok"}
    assert (adsctl.home / "clicks.csv").exists() and (adsctl.home / "ads.db").exists()
    fleet.write(task.format("nowhere", ""))
    assert "name a file to write" in fleet.check()


def test_parts_of_one_list_keep_the_rate_of_their_account_together(fleet, service, adsctl):
    for name in ("part-1", "part-2"):
        adsctl.file(f"{name}.csv", PEOPLE.replace("person", name))
    fleet.write("{for: {files: part-*.csv}, run: 'audiences push {file} --audience 1nmth'}")
    fleet()
    (window,) = [path for path in (adsctl.home / "state/caches/pace").iterdir() if path.suffix != ".lock"]
    assert len(array("d", window.read_bytes())) == 2 * NUMBERS  # a request of each


def test_a_second_run_of_a_fleet_ends_with_11_while_the_first_goes_on(fleet, service, feeds, adsctl):
    feeds("shop")
    adsctl.file("people.csv", PEOPLE)
    people = "audiences push people.csv --audience 1nmth"
    fleet.write("{name: shop, run: products push shop.csv}", f"{{name: people, run: {people}}}")
    sent, seen = threading.Event(), threading.Event()
    service.before = lambda put: (sent.set(), seen.wait(TIMEOUT_SECONDS))
    running = adsctl.beside("fleet", "run", "fleet.yaml")
    assert sent.wait(TIMEOUT_SECONDS)
    message = adsctl("fleet", "run", "fleet.yaml", code=11).stderr
    shown = adsctl("fleet", "status", "fleet.yaml", "-o", "json").stdout
    seen.set()
    running.communicate(timeout=TIMEOUT_SECONDS)
    assert running.returncode == 0
    assert "a run of fleet.yaml is under way" in message
    assert [task["status"] for task in json.loads(shown)] == ["running", "waiting"]


def test_the_last_run_of_each_fleet_is_shown(fleet, service, feeds, adsctl):
    feeds("shop")
    feeds("bad", price="cheap")
    fleet.write("{name: shop, run: products push shop.csv}", check("bad"))
    assert "fleet.yaml was not run on this machine" in adsctl("fleet", "status", "fleet.yaml", code=5).stderr
    fleet(code=3)
    (shown,) = json.loads(adsctl("fleet", "status", "-o", "json").stdout)
    assert (shown["state"], shown["tasks"], shown["ok"], shown["failed"]) == ("failed", 2, 1, 1)
    tasks = json.loads(adsctl("fleet", "status", "fleet.yaml", "-o", "json", code=3).stdout)
    assert {task["task"]: task["status"] for task in tasks} == {"shop": "ok", "bad": "failed"}
    assert tasks[1]["error"]["code"] == "content"


def test_the_logs_of_old_runs_are_removed(fleet, feeds, adsctl):
    feeds("a")
    fleet.write(check("a"))
    for _ in range(5):
        fleet()
    assert len([path for path in (adsctl.home / "state/fleet").glob("*/*") if path.is_dir()]) == 3


@pytest.mark.parametrize("service_name", ["x"])
def test_the_requests_of_a_task_are_counted_with_those_of_others_whatever_headers_state(
    fleet, service, feeds, adsctl
):
    """What a response states of a limit does not suffice: other tasks send before the next one."""
    feeds("feed", rows=200)
    fleet.write("{name: shop, run: products push feed.csv --service x}")
    fleet()
    windows = [path for path in (adsctl.home / "state/caches/pace").iterdir() if not path.suffix]
    assert sum(len(array("d", path.read_bytes())) for path in windows) == 8 * NUMBERS
    assert len(service.puts) == 8
