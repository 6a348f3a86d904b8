"""The queue of a fleet, held against a model: no two jobs of an account at once, everything once."""

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ads_cli.fleet.tasks import RunLimits, Task, TaskQueue
from ads_cli.store.epochs import UploadTarget

ACCOUNTS = st.sampled_from(["", "a", "b", "c"])
LISTS = st.sampled_from([None, "list 1", "list 2"])


@st.composite
def tasks(draw) -> list[Task]:
    found = []
    for number, (account, audience) in enumerate(draw(st.lists(st.tuples(ACCOUNTS, LISTS), max_size=12))):
        target = UploadTarget("service", "custom_audience", audience) if audience else None
        found.append(Task(f"task {number}", "p", ("x",), account, target, is_part=bool(audience)))
    return found


class QueueMachine(RuleBasedStateMachine):
    @initialize(tasks=tasks(), parallel=st.integers(1, 4), most=st.none() | st.integers(1, 3))
    def begin(self, tasks, parallel, most):
        self.parallel, self.most = parallel, most
        self.queue = TaskQueue(tasks, RunLimits(parallel, most))
        self.running: list[Task] = []
        self.waiting = [*tasks]
        self.failures = 0
        self.is_stopped = False

    @rule()
    def take(self):
        task = self.queue.take()
        if task is None:
            assert not self.may_start()
        else:
            assert task in self.may_start()
            self.waiting.remove(task)
            self.running.append(task)

    @precondition(lambda self: getattr(self, "running", []))
    @rule(data=st.data(), failed=st.booleans())
    def end(self, data, failed):
        task = data.draw(st.sampled_from(self.running))
        self.running.remove(task)
        self.failures += failed
        self.queue.end(task, failed=failed)

    @precondition(lambda self: getattr(self, "running", []))
    @rule(data=st.data())
    def put_back(self, data):
        task = data.draw(st.sampled_from(self.running))
        self.running.remove(task)
        self.waiting.insert(0, task)
        self.queue.put_back(task)
        if task in self.may_start():
            assert self.queue.take() == task
            self.waiting.remove(task)
            self.running.append(task)

    @rule(stop=st.integers(0, 9))
    def stop(self, stop):
        if stop == 0:
            self.queue.stop()
            self.is_stopped = True

    @invariant()
    def two_of_an_account_are_parts_of_one_list(self):
        for account in {task.lane for task in getattr(self, "running", []) if task.lane}:
            together = [task for task in self.running if task.lane == account]
            assert len(together) == 1 or (
                all(task.is_part for task in together) and len({task.target for task in together}) == 1
            )

    @invariant()
    def it_is_done_when_nothing_runs_and_nothing_may_start(self):
        if hasattr(self, "queue"):
            assert self.queue.is_done == (not self.running and not self.may_ever_start())
            assert self.queue.running == len(self.running) <= self.parallel

    def may_ever_start(self) -> bool:
        return bool(self.waiting) and not self.is_stopped and (self.most is None or self.failures < self.most)

    def may_start(self) -> list[Task]:
        """The tasks of which one may start: of each account the first that waits, beside what runs."""
        if not self.may_ever_start() or len(self.running) >= self.parallel:
            return []
        first = [
            task
            for number, task in enumerate(self.waiting)
            if not task.lane or task.lane not in {other.lane for other in self.waiting[:number]}
        ]
        return [task for task in first if all(self.fit(task, other) for other in self.running)]

    def fit(self, task: Task, other: Task) -> bool:
        if not task.lane or task.lane != other.lane:
            return True
        return task.is_part and other.is_part and task.target == other.target


TestQueue = QueueMachine.TestCase


def drained(tasks: list[Task], parallel: int) -> int:
    """Run a queue whose tasks all take the same time; return how many rounds it took."""
    queue, rounds, started = TaskQueue(tasks, RunLimits(parallel)), 0, []
    while not queue.is_done:
        running = list(iter(queue.take, None))
        started += running
        rounds += 1
        for task in running:
            queue.end(task, failed=False)
    assert sorted(task.name for task in started) == sorted(task.name for task in tasks)
    return rounds


def test_accounts_run_beside_each_other_and_their_own_jobs_one_after_another():
    jobs = [Task(f"{account} {n}", "p", ("x",), account) for account in "abcd" for n in range(3)]
    assert drained(jobs, 4) == 3


def test_parts_of_one_list_run_at_once_and_two_lists_of_an_account_do_not():
    def parts(audience: str) -> list[Task]:
        target = UploadTarget("service", "custom_audience", audience)
        return [Task(f"{audience} {n}", "p", ("x",), "a", target, is_part=True) for n in range(4)]

    assert drained(parts("one"), 4) == 1
    assert drained([*parts("one"), *parts("two")], 8) == 2
