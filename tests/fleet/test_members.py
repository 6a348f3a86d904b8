"""Which worker of a cluster may run a task, and what share of the limits it has."""

from math import inf

from ads_cli.client.shared_window import account_scope
from ads_cli.fleet.cluster_members import RETURN_SECONDS, SETTLE_SECONDS, Member, Members
from ads_cli.fleet.quota_allocator import REST_SECONDS, FleetLimits, QuotaAllocator
from ads_cli.fleet.tasks import Task
from ads_cli.uploads.job_file import UploadTarget

TOKEN = "token-1"
SIGN_IN = {"exit_code": 4, "message": "not signed in"}


def task(number: int, profile: str = "nord", **other) -> Task:
    return Task(f"task-{number}", profile, ("products", "push"), f"service acc-{number}", **other)


def part(number: int) -> Task:
    place = UploadTarget("service", "custom_audience", "list")
    return Task(
        f"part-{number}", "nord", ("audiences", "push"), "service acc", place, is_part=True, account="acc"
    )


def worker(name: str, home: str = "", scopes: dict[str, str] | None = None, **other) -> Member:
    scopes = {"nord": TOKEN} if scopes is None else scopes
    return Member(
        f"tcp://{name}", name, 2, home or f"home-{name}", scopes, other.pop("problems", {}), **other
    )


def members_of(tasks: list[Task], *workers: Member) -> Members:
    members = Members(tasks, limits_of(QuotaAllocator()))
    for each in workers:
        members.join(each, 0.0)
    return members


def limits_of(allocator: QuotaAllocator, fleet: str = "fleet-1") -> FleetLimits:
    return FleetLimits(fleet, allocator.update)


def names(*chosen: Member | None) -> list[str]:
    return [each.name if each else "" for each in chosen]


def place(members: Members, each: Task, now: float = 0.0) -> Member | None:
    found = members.choose(each, now)
    if found:
        members.start(found.address)
    return found


def test_tasks_go_to_the_workers_with_the_most_free_threads_until_all_are_busy():
    tasks = [task(number) for number in range(7)]
    members = members_of(tasks, *map(worker, "abc"))
    chosen = names(*(place(members, each) for each in tasks))
    assert sorted(chosen[:3]) == sorted(chosen[3:6]) == ["a", "b", "c"] and chosen[6] == ""


def test_the_only_task_of_a_token_has_the_whole_limit_and_several_have_all_of_it_together():
    alone = members_of([task(1)], *map(worker, "abc"))
    place(alone, task(1))
    (share,) = (alone.shares(f"home-{name}", 0.0) for name in "abc" if alone.shares(f"home-{name}", 0.0))
    assert share[TOKEN].of(600) == 600
    tasks = [task(number) for number in range(3)]
    together = members_of(tasks, *map(worker, "abc"))
    place(together, tasks[0])
    assert sum(together.shares(f"home-{name}", 0.0)[TOKEN].parts for name in "abc") == 16


def test_two_workers_of_one_home_have_one_share():
    tasks = [task(number) for number in range(4)]
    members = members_of(tasks, worker("a", "home"), worker("b", "home"), worker("c"))
    place(members, tasks[0])
    shares = [members.shares(home, 0.0)[TOKEN].parts for home in ("home", "home-c")]
    assert sum(shares) == 16


def test_parts_of_a_list_share_the_limit_of_the_account_too():
    parts = [part(number) for number in range(3)]
    members = members_of(parts, *map(worker, "ab"))
    place(members, parts[0])
    assert members.shares("home-a", 0.0).keys() == {TOKEN, account_scope("acc")}
    place(single := members_of([task(1)], worker("a")), task(1))
    assert single.shares("home-a", 0.0).keys() == {TOKEN}


def test_a_worker_that_returns_has_its_share_and_one_that_does_not_gives_it_up():
    tasks = [task(number) for number in range(4)]
    members = members_of(tasks, *map(worker, "ab"))
    place(members, tasks[0])
    before = members.shares("home-b", 0.0)
    members.refresh(dict.fromkeys(["tcp://a"], ""), 1.0)
    assert members.is_expected("home-b") and members.shares("home-b", 2.0) == before
    members.join(worker("b2", "home-b"), 0.0)
    members.refresh(dict.fromkeys(["tcp://a", "tcp://b2"], ""), 3.0)
    assert not members.is_expected("home-b") and members.shares("home-b", 3.0) == before
    members.refresh(dict.fromkeys(["tcp://a"], ""), 10.0)
    members.refresh(dict.fromkeys(["tcp://a"], ""), 10.0 + RETURN_SECONDS + 1)
    assert members.shares("home-b", 80.0) == {} and not members.is_expected("home-b")
    assert members.shares("home-a", 80.0)[TOKEN].parts == 8  # what b has sent still counts
    rested = 80.0 + REST_SECONDS + 1
    members.refresh(dict.fromkeys(["tcp://a"], ""), rested)
    assert members.shares("home-a", rested)[TOKEN].parts == 16


def test_a_late_worker_waits_until_the_share_that_it_gets_counts_no_longer():
    tasks = [task(number) for number in range(6)]
    members = members_of(tasks, worker("a"))
    place(members, tasks[0]), place(members, tasks[1])
    members.join(worker("b"), 0.0)
    assert place(members, tasks[2]) is None
    assert names(place(members, tasks[2], REST_SECONDS + 1)) == ["b"]
    total = sum(members.shares(f"home-{name}", REST_SECONDS + 1)[TOKEN].parts for name in "ab")
    assert total == 16


def test_a_task_waits_for_the_workers_that_can_run_it_and_fails_where_none_can():
    nord, west = task(1), task(2, "west")
    members = members_of([nord, west], worker("a", problems={"west": SIGN_IN}))
    assert members.find_problem(nord, SETTLE_SECONDS) is None
    assert members.find_problem(west, SETTLE_SECONDS - 1) is None  # other workers may join
    problem = members.find_problem(west, SETTLE_SECONDS)
    assert (
        problem
        and problem["message"] == "no worker can run it: a: not signed in"
        and problem["exit_code"] == 4
    )
    members.join(worker("b", scopes={"west": "token-2"}, problems={"nord": SIGN_IN}), 0.0)
    assert names(place(members, west)) == ["b"]
    members.refresh(dict.fromkeys(["tcp://a"], ""), 1.0)
    assert members.find_problem(west, SETTLE_SECONDS) is None  # it may return


def test_a_task_does_not_wait_for_a_worker_whose_home_has_another_one_that_cannot_run_it():
    members = members_of([task(1)], worker("west", "north"))
    again = worker("east", "north", problems={"nord": SIGN_IN})
    members.join(again, 1.0)
    members.refresh(dict.fromkeys([again.address], ""), 1.0)
    assert members.find_problem(task(1), 1.0 + SETTLE_SECONDS)["exit_code"] == 4


def test_a_task_without_an_account_needs_no_sign_in_and_no_share():
    check = Task("check", "nord", ("products", "check"), uses_account=False)
    members = members_of([check], worker("a", scopes={}, problems={"nord": SIGN_IN}))
    assert names(place(members, check)) == ["a"]
    assert members.shares("home-a", inf) == {}


def test_a_worker_that_is_unfit_runs_nothing_and_is_no_reason_to_give_a_task_up():
    members = members_of([task(1)], worker("a", unfit={"exit_code": 11, "message": "has adsctl 9"}))
    assert place(members, task(1)) is None and members.find_problem(task(1), SETTLE_SECONDS) is None
    members.join(worker("b", problems={"nord": SIGN_IN}), 0.0)
    assert "a: has adsctl 9; b: not signed in" in str(members.find_problem(task(1), SETTLE_SECONDS))


def test_a_task_whose_first_worker_refuses_it_gets_a_share_for_another_one():
    members = members_of([task(1)], *map(worker, "ab"))
    first = place(members, task(1))
    assert first
    members.release(first.address)
    members.refuse(first.address, "nord", SIGN_IN)
    assert place(members, task(1)) is None  # what the first has sent still counts
    assert names(place(members, task(1), REST_SECONDS + 1)) == [{"a": "b", "b": "a"}[first.name]]


def test_a_home_whose_worker_is_replaced_by_one_of_another_home_gives_up_its_share():
    members = members_of([task(1), task(2)], worker("a", "old"), worker("b"))
    place(members, task(1))
    members.join(worker("a", "new"), 1.0)
    here = dict.fromkeys(["tcp://a", "tcp://b"], "")
    members.refresh(here, 2.0)
    assert members.shares("old", 2.0) and members.is_expected("old")
    members.refresh(here, 1.0 + RETURN_SECONDS + 1)
    assert not members.shares("old", 70.0) and members.homes == {"new", "home-b"}


def test_a_task_that_runs_on_a_worker_that_has_not_joined_yet_frees_the_worker_that_it_was_sent_to():
    tasks = [task(number) for number in range(4)]
    members = members_of(tasks, worker("a"))
    assert names(place(members, tasks[0]), place(members, tasks[1])) == ["a", "a"]
    members.move("tcp://a", "tcp://b")
    assert names(place(members, tasks[2])) == ["a"]
    members.join(worker("b", "home-a"), 0.0)
    assert names(place(members, tasks[3])) == ["b"]  # which has two threads, and one task
    assert place(members, tasks[0]) is None
    members.release("tcp://b")
    assert names(place(members, tasks[0])) == ["b"]
