"""Lists that take several processes: parts of one in a fleet, a large one, and one in many files."""

import resource
import subprocess
import sys
import time

from ads_cli.parallel import process_pool
from tests.adsctl import MEASURED
from tests.effort import tries

from .conftest import digest
from .lists import List, people
from .parts import PUSH, write_parts
from .test_push import require_two_requests
from .test_yes_and_no import addresses, table

MOST_MEGABYTES = 60
DOMAIN = f"{'.'.join(['x' * 60] * 3)}.example"


def test_parts_of_a_list_are_synced_at_once_and_pruned_by_a_task_of_their_own(adsctl):
    customers = List(adsctl)
    customers.sync(people(1, 9))
    for n in range(3):
        customers.write(people(n), f"part{n}.csv")
    sync = f"audiences sync {{}} --audience {customers.audience}"
    tasks = [f"  - {{name: t{n}, run: {sync.format(f'part{n}.csv')}}}" for n in range(3)]
    customers.adsctl.file("fleet.yaml", "\n".join(["tasks:", *tasks]) + "\n")
    customers.adsctl.local("fleet", "run", "fleet.yaml")
    assert customers.equals(people(0, 1, 2, 9))
    prune = (
        f"  - {{name: all, run: {sync.format('part0.csv part1.csv part2.csv')} --prune -y --max-delete 1}}"
    )
    customers.adsctl.file("both.yaml", "\n".join(["tasks:", *tasks, prune]) + "\n")
    customers.adsctl.local("fleet", "check", "both.yaml", code=3)
    customers.adsctl.file("prune.yaml", f"tasks:\n{prune}\n")
    customers.adsctl.local("fleet", "run", "prune.yaml")
    assert customers.equals(people(0, 1, 2))


def test_a_large_list_is_packed_by_several_processes_that_end_with_the_push(shop, audience):
    long = [f"user{n}.{'x' * 40}@{DOMAIN}" for n in range(40_000)]
    content = "\n".join(["email", *long])
    assert len(content) > process_pool.MIN_FILE_BYTES
    shop.file("people.csv", content)
    process = shop.popen(*PUSH, "people.csv")
    while not audience.bodies and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.stderr.read()  # ends only when nobody is left who could write to it
    process.wait()
    shop(*PUSH, "people.csv", "--resume")
    assert audience.users == set(map(digest, long))


def test_memory_does_not_grow_with_the_number_of_files_nor_do_open_files_end_it(shop, audience):
    write_parts(shop, tries(120, 1000))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *PUSH, "people/*.csv", "-q"],
        capture_output=True,
        env=shop.environment,
        cwd=shop.home,
        preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (100, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        ),
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.splitlines()[-1]) / 1024 < MOST_MEGABYTES


def test_a_list_of_megabytes_needs_few_requests_and_every_user_is_sent(shop, audience):
    require_two_requests(shop, audience, 70_000, 5_000_000)


def test_a_line_far_down_decides_a_list_that_several_processes_read(shop, audience, monkeypatch):
    monkeypatch.setattr("ads_cli.parallel.process_pool.MIN_FILE_BYTES", 0)
    monkeypatch.setattr("ads_cli.audiences.list_packer.BLOCK_BYTES", 4096)
    cells = ["Yes", "no"] * 1000
    shop.file("people.csv", table("Consent", cells))
    shop(*PUSH, "people.csv", "--where", "Consent=yes")
    assert audience.users == addresses(cells, ["Yes"])
    audience.bodies.clear()
    shop.file("people.csv", table("Consent", [*cells, "pending"]))
    done = shop(*PUSH, "people.csv", "--where", "Consent=yes", code=3)
    assert "'pending' (1); people.csv:2002" in done.stderr and not audience.bodies
