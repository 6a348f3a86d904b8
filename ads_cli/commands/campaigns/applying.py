"""Compare a file of campaigns with an account, ask, and carry out what differs."""

from collections.abc import Container, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import chain
from pathlib import Path

from ... import __version__
from ...api.spending import ACTIVE, STATUS
from ...campaigns.account import AccountReader
from ...campaigns.apply import Applied, Apply
from ...campaigns.campaign_file import CampaignFile
from ...campaigns.comparison import Comparison
from ...campaigns.file import MAX_MIB, parse_file
from ...campaigns.kinds import LINE_ITEM, LISTS, Kind
from ...campaigns.matching import replaced_by
from ...campaigns.memory import APPLY, STANDARD_INPUT, ApplyMemory, Mark, look_for_lost
from ...campaigns.model import FUNDING, Stored, each_entry
from ...campaigns.new_posts import find_posts
from ...campaigns.plan import CampaignPlan
from ...campaigns.requests import ChangeRequests
from ...campaigns.spending import planned_spending
from ...campaigns.stored_plan import StoredPlan, decode, is_stored_plan, keep_planned
from ...campaigns.targeting_names import resolve_names
from ...config.atomic_files import read_whole
from ...config.file_locks import locked_or_refused, state_lock
from ...console.invocation import Invocation
from ...console.progress import progress
from ...errors import AdsctlError, ContentError, UnavailableError, UsageError
from ...output.text import counted, safe, shell_command
from ...runs.job import JobKey, JobOptions, current_folder
from ...runs.jobs import forget_job, list_jobs, unfinished_jobs
from ...runs.journal import Journal
from ...runs.lost import LISTED_AFTER_SECONDS, look_until_listed
from ...store.epochs import UploadTarget
from ..runs.journal import new_job
from .posting import Posting


class ApplyRun:
    """One run with a file of campaigns, step by step: `compare`, `approve`, and then `carry_out`."""

    def __init__(self, call: Invocation, *, prune: bool, replace: bool, resume: bool | None = None) -> None:
        self.call, self.prune, self.replace = call, prune, replace
        self.resume = None if call.dry_run else resume  # None where nothing will be created
        self.stored_plan: StoredPlan | None = None
        self.content = ""  # digest of what is read
        # Known once the file is compared.
        self.file: CampaignFile
        self.memory: ApplyMemory
        self.listed: list[Stored] = []  # the campaigns of the account
        # Known once the plan is approved.
        self.posting: Posting  # of the posts that are made

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other applies from the account meanwhile."""
        call = self.call
        path = state_lock(call.settings.state_dir, "campaigns", call.service, call.account)
        with locked_or_refused(path, f"another apply changes the account {call.account}"):
            yield

    def compare(self, file: str, *, takes_plans: bool = False) -> CampaignPlan:
        """Read the file and the account. Return what differs, or raise ContentError with every mistake."""
        content = read_whole(file, MAX_MIB)
        self.content = sha256(content).hexdigest()
        label, folder = ("standard input", Path()) if file == "-" else (file, Path(file).parent)
        if is_stored_plan(content):
            if not takes_plans:
                raise ContentError(f"{label}: is a stored plan", hint="carry it out with: campaigns apply")
            content, label, folder = self._opened(content, label)
        parsed = parse_file(content, label, folder)
        is_file = label != "standard input"
        parsed.identity = str((folder / Path(label).name).resolve()) if is_file else STANDARD_INPUT
        return self.compare_parsed(parsed)

    def compare_parsed(self, parsed: CampaignFile, *, is_copy: bool = False) -> CampaignPlan:
        """Read the account; return what differs, or raise ContentError with every mistake."""
        call, self.file = self.call, parsed
        if parsed.account and call.records.id_of("account_id", parsed.account) != call.account:
            option = shell_command(["--account", parsed.account])
            raise ContentError(
                f"{parsed.label}: is for account {parsed.account}, not {call.account}",
                hint=f"add {option}, or remove 'account' from the file",
            )
        self.memory = ApplyMemory(call.settings.state_dir, call.service, call.account)
        self.memory.file = parsed.identity
        try:
            call.client.open()
            reader = AccountReader(call.client, call.account)
            plan = self._compared_surely(reader, parsed, is_copy=is_copy)
        except AdsctlError:
            parsed.require_valid()  # mistakes are reported first
            raise
        if self.stored_plan:
            begun = (call.account, call.service, APPLY, self.content)
            condition = "(target, service, upload, content) = (?, ?, ?, ?) AND ended IS NULL"
            is_begun = bool(list_jobs(call.settings.state_dir, condition, begun))
            if others := keep_planned(self.stored_plan, plan, is_begun=is_begun):
                call.messages.note(
                    f"{counted(others, 'difference')} in campaigns that the plan does not touch: left as "
                    f"{'it is' if others == 1 else 'they are'}"
                )
        return plan

    def _opened(self, content: bytes, label: str) -> tuple[bytes, str, Path]:
        """Return the file that a stored plan was made of, once its options hold."""
        stored = self.stored_plan = decode(content, label)
        if self.prune or self.replace:
            raise UsageError(
                "--prune and --replace: a stored plan has its own", hint="make the plan with them"
            )
        self.prune, self.replace = stored.options.prune, stored.options.replace
        if (stored.account, stored.service) != (self.call.account, self.call.service):
            raise ContentError(
                f"{label}: is a plan for account {stored.account} of {stored.service}",
                hint=f"add --account {stored.account}, and the profile that it was made with",
            )
        return stored.content.encode(), stored.file, Path(stored.folder)

    def _compared_surely(self, reader: AccountReader, parsed: CampaignFile, *, is_copy: bool) -> CampaignPlan:
        """Compare, once it is certain what earlier runs have created."""
        call, mistakes = self.call, [*parsed.problems]
        say = call.messages.say if self.resume else None

        def look_for_known() -> tuple[CampaignPlan, list[str], float]:
            parsed.problems[:] = mistakes
            plan = self._compared(reader, parsed, is_copy=is_copy)
            hidden = self._hidden(reader, plan)
            return plan, hidden, LISTED_AFTER_SECONDS if hidden and say else 0.0

        def look() -> tuple[CampaignPlan, list[Mark]]:
            plan = look_until_listed(call.client, look_for_known, say, why="that an earlier run has created")
            self._require_listed(self._hidden(reader, plan))
            parsed.require_valid()
            return plan, plan.lost

        if self.resume is not None:
            return look_for_lost(call.client, self.memory, look, say)
        plan, lost = look()
        if self.memory.seconds_until_listed(lost):
            what = counted(len(lost), "record")
            call.messages.note(f"{what} may be there, created by a request whose answer was lost")
        return plan

    def _compared(self, reader: AccountReader, parsed: CampaignFile, *, is_copy: bool) -> CampaignPlan:
        call, memory = self.call, self.memory
        find_posts(call.settings.service, parsed.campaigns, memory, parsed.note)
        # All campaigns, whichever the file covers: one of other names may be known by its id, key or name.
        listed = reader.campaigns()
        needed: dict[Kind, set[str]] = {}
        for entry in each_entry(parsed.campaigns):
            needed.setdefault(entry.kind, set()).update(entry.values)
        campaigns = self.listed = reader.tree(listed, (), needed=needed)
        uncovered = set[str]()
        if parsed.q is not None and not parsed.is_whole:
            covered = reader.campaigns(q=parsed.q)
            uncovered = {record["id"] for record in listed} - {record["id"] for record in covered}
        comparison = Comparison(parsed, campaigns, memory, replace=self.replace, is_copy=is_copy)
        matches = comparison.match_campaigns()
        within = {stored.id for stored in matches.values()} | {
            campaign.id for campaign in parsed.campaigns if campaign.id
        }
        if self.prune and parsed.may_prune:
            within |= {stored.id for stored in campaigns} - uncovered
        campaigns = reader.tree(listed, self._lists(parsed), within, needed)
        resolve_names(call.client, call.account, parsed)
        paying = {
            str(campaign.values[FUNDING]) for campaign in parsed.campaigns if campaign.values.get(FUNDING)
        }
        plan = Comparison(
            parsed,
            campaigns,
            memory,
            uncovered=uncovered,
            currencies=reader.currencies(listed, paying),
            prune=self.prune,
            replace=self.replace,
            is_copy=is_copy,
        ).run()
        plan.value_names = parsed.value_names
        if plan.not_compared:
            call.messages.note(
                f"the service never shows {', '.join(sorted(plan.not_compared))}: not compared"
            )
        return plan

    def _hidden(self, reader: AccountReader, plan: CampaignPlan) -> list[str]:
        """Name the known records that are not listed where they belong, and yet are there.

        Nothing is wrong with their ids.
        """
        listed, there = {campaign.id for campaign in self.listed}, dict[str, str]()
        for entry, id, parent_id in plan.unlisted:
            record = reader.single(entry.kind, id)
            above = record.get(entry.kind.parent_field, parent_id)
            is_in_place = above == parent_id or (entry.kind is LINE_ITEM and above not in listed)
            if record.get("deleted") is False and is_in_place:
                there[f"{entry.path}.id"] = f"the {entry.kind.noun} {id}"
        problems = self.file.problems
        problems[:] = [problem for problem in problems if problem.path not in there]
        return [*there.values()]

    @staticmethod
    def _require_listed(hidden: list[str]) -> None:
        if hidden:
            raise UnavailableError(
                f"{hidden[0]} is there, and the service does not list it",
                hint="nothing was changed, since it would be created twice; --resume waits for it",
            )

    def _lists(self, parsed: CampaignFile) -> list[str]:
        """Name the lists that are read: those of the file, and all where records may be deleted."""
        if self.prune or self.replace:
            return [*LISTS]
        of_file = {key for entry in each_entry(parsed.campaigns) for key in entry.below}
        return ["line_items", *(key for key in LISTS[1:] if key in of_file)]

    def approve(self, plan: CampaignPlan) -> None:
        """Look at the files of media, and let the guard judge the whole plan."""
        call = self.call
        self.posting = Posting(call, plan, resume=bool(self.resume))
        self.posting.check()
        posts = ((request, "") for request in self.posting.requests())
        requests = chain(posts, ChangeRequests(call.account, plan).planned())
        prepared = ((call.client.prepare(request), new_id) for request, new_id in requests)
        call.writes.approve_plan(prepared, _compared(plan))

    def carry_out(self, plan: CampaignPlan) -> Applied:
        """Ask, and send what differs."""
        call, memory = self.call, self.memory
        self.ask(plan)
        for changing in (change.stored for change in plan.changes if change.stored):
            call.stored.note(changing.kind.id_field, {changing.id: changing.fields})  # for the log of changes
        with self._begun(plan):
            self.posting.make(memory)
            # From now on the file may have ids of records that are gone.
            replaced = dict.fromkeys(replaced_by(plan.changes), "")
            memory.remember(replaced | plan.ids)
            self._supersede(kept=memory.settle(plan.found))
            with progress(call.messages, "Applying", len(plan.changes)) as on_progress:
                result = Apply(call.client, call.account, plan, memory, on_progress).run()
            # A stored plan that was refused in part is still the same plan when it is applied again.
            if memory.journal and not (self.stored_plan and result.failed):
                memory.journal.finish()
        for sent, stored in dict.fromkeys(result.renamed):
            call.messages.note(f"the service stores the name {sent!r} as {stored!r}")
        return result

    @contextmanager
    def _begun(self, plan: CampaignPlan) -> Iterator[None]:
        """Begin a run where anything differs; it is never resumed: a later one does the rest."""
        if not plan.changes:
            yield
            return
        call = self.call
        key = JobKey(self._target, APPLY, self.content, JobOptions(upload={"version": __version__}))
        job = new_job(call, key, "changes", self.file.label, len(plan.changes), batches=0)
        with closing(Journal(call.settings.state_dir, job, resume=False)) as self.memory.journal:
            call.client.trace.bind(job=job.job)
            yield

    @property
    def _target(self) -> UploadTarget:
        """What the runs with the file change."""
        file = sha256(f"{current_folder()}\n{safe(self.file.label)}".encode()).hexdigest()
        return UploadTarget(self.call.service, f"campaigns of {file[:16]}", self.call.account)

    def _supersede(self, kept: Container[str]) -> None:
        """Forget the earlier runs with the file, of which this one does the rest."""
        journal, state_dir = self.memory.journal, self.call.settings.state_dir
        for job in unfinished_jobs(state_dir, self._target):
            if job.job not in kept and not (journal and job.job == journal.job.job):
                forget_job(state_dir, job)

    def ask(self, plan: CampaignPlan) -> None:
        """Ask before something is deleted, or may spend more."""
        self._require_possible(plan)
        if plan.changes and (question := _question(plan)):
            self.call.confirm(question)

    def _require_possible(self, plan: CampaignPlan) -> None:
        """Raise ContentError for values that the service cannot remove."""
        if self.call.settings.service == "x":
            return
        for change in plan.changes:
            for name, value in change.values.items():
                if change.action == "update" and value is None and change.entry:
                    self.file.note(change.entry, "the service generic cannot remove a value", name)
        self.file.require_valid()


def _compared(plan: CampaignPlan) -> Iterator[object]:
    """Yield what may be spent, and what differs, with the records that change and those above them."""
    yield planned_spending(plan).words
    for change in plan.changes:
        parent = plan.matched.get(change.parent) if change.parent else None
        above = change.stored.parent if change.stored else None
        yield [change.record(), *(record.fields for record in (change.stored, parent, above) if record)]


def _question(plan: CampaignPlan) -> str:
    """Return what is asked: nothing where nothing is deleted, and nothing may spend more."""
    deletions = plan.count("delete")
    activated = [
        change for change in plan.changes if change.action != "delete" and change.values.get(STATUS) == ACTIVE
    ]
    spending = planned_spending(plan)
    if not (deletions or activated or spending.is_more):
        return ""
    what = [f"Change campaigns: {plan.words}"]
    if activated:
        what.append(f"{counted(len(activated), 'record')} active")
    if first := sum(change.goes_first for change in plan.changes):
        criteria = counted(first, "criterion", "criteria")
        what.append(f"deleted before what takes its place is made: {criteria}")
    return "; ".join([*what, spending.words])
