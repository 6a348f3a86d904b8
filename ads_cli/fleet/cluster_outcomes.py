"""What the tasks of a fleet have come to on a cluster, as the scheduler and the workers tell."""

import msgspec
from distributed import Future

from ..errors import UnavailableError
from .cluster_bulletin import Bulletin
from .cluster_link import Link, RemoteError
from .cluster_members import Members
from .cluster_messages import LostContactError, Outcome, Refusal, failed
from .cluster_roll import Roll
from .tasks import Task


class Outcomes:
    """Finds outcomes where they may be: at the scheduler, and in the records of workers."""

    def __init__(self, bulletin: Bulletin, members: Members, roll: Roll) -> None:
        self._bulletin, self._members, self._roll = bulletin, members, roll

    def told(self, link: Link, task: Task) -> Outcome | None:
        """Return what a worker has told the scheduler of a task."""
        text = link.get(self._bulletin.ended(task))
        return msgspec.json.decode(text, type=Outcome) if text else None

    def find(self, link: Link, task: Task, *, is_lost: bool) -> Outcome | None:
        """Return what a task has come to by the record of a worker; all are asked again where it was lost."""
        if is_lost:
            self._roll.ask(link, [task])
        result = self._roll.ended.pop(task.name, None)
        return Outcome(result, "") if result else None

    def refused(self, link: Link, task: Task, future: Future[bytes]) -> Outcome | None:
        """Note why a worker has not run a task; return the outcome of one that cannot be run."""
        try:
            answer = link.result(future)
        except LostContactError:
            return None
        except RemoteError as error:
            problem = UnavailableError(f"no worker could run it: {error}")
            return failed(task, problem.as_dict())
        if answer:
            refusal = msgspec.json.decode(answer, type=Refusal)
            if refusal.error:
                self._members.refuse(refusal.worker, task.profile, refusal.error)
        return None
