"""Compare a file of campaigns with an account, ask, and carry out what differs."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import chain
from pathlib import Path

from ...api.spending import ACTIVE, STATUS
from ...campaigns.account import AccountReader
from ...campaigns.apply import Applied, Apply
from ...campaigns.comparison import Comparison
from ...campaigns.file import MAX_MIB, CampaignFile, parse_file
from ...campaigns.memory import STANDARD_INPUT, ApplyMemory, Mark, look_for_lost
from ...campaigns.model import FUNDING, LINE_ITEM, LISTS, Kind, Stored, each_entry
from ...campaigns.new_posts import find_posts
from ...campaigns.plan import CampaignPlan
from ...campaigns.spending import planned_spending
from ...campaigns.stored_plan import StoredPlan, decode, is_stored_plan, keep_planned
from ...campaigns.targeting_names import resolve_names
from ...config.atomic_files import read_whole
from ...config.file_locks import locked_or_refused, state_lock
from ...console.invocation import Invocation
from ...console.progress import progress
from ...errors import AdsctlError, ContentError, UnavailableError, UsageError
from ...output.text import counted, safe
from ...store.epochs import UploadTarget
from ...uploads.job import Acknowledgement, current_folder
from ...uploads.jobs import forget_job, unfinished_jobs
from ...uploads.journal import Journal
from ..uploads.journal import document_key, new_job
from .posting import Posting


class ApplyRun:
    """One run with a file of campaigns, step by step: `compare`, `approve`, and then `carry_out`."""

    def __init__(self, call: Invocation, *, prune: bool, replace: bool, resume: bool | None = None) -> None:
        self.call, self.prune, self.replace = call, prune, replace
        self.resume = None if call.dry_run else resume  # None where nothing will be created
        self.stored_plan: StoredPlan | None = None
        self.digest = ""  # of the stored plan
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
        if parsed.account not in (None, call.account):
            raise ContentError(
                f"{parsed.label}: is for account {parsed.account}, not {call.account}",
                hint=f"add --account {parsed.account}, or remove 'account' from the file",
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
            is_begun = self.memory.begun_plan == self.digest
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
        self.digest = sha256(content).hexdigest()[:32]
        self.prune, self.replace = stored.options.prune, stored.options.replace
        if (stored.account, stored.service) != (self.call.account, self.call.service):
            raise ContentError(
                f"{label}: is a plan for account {stored.account} of {stored.service}",
                hint=f"add --account {stored.account}, and the profile that it was made with",
            )
        return stored.content.encode(), stored.file, Path(stored.folder)

    def _compared_surely(self, reader: AccountReader, parsed: CampaignFile, *, is_copy: bool) -> CampaignPlan:
        """Compare, once it is certain what requests without an answer have created."""
        call, mistakes = self.call, [*parsed.problems]

        def look() -> tuple[CampaignPlan, list[Mark]]:
            parsed.problems[:] = mistakes
            plan = self._compared(reader, parsed, is_copy=is_copy)
            parsed.require_valid()
            return plan, plan.lost

        if self.resume is not None:
            return look_for_lost(call.client, self.memory, look, call.messages.say if self.resume else None)
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
        if self.prune and parsed.q is not None and not parsed.is_whole:
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
        self._require_deleted(reader, plan)
        if plan.not_compared:
            call.messages.note(
                f"the service never shows {', '.join(sorted(plan.not_compared))}: not compared"
            )
        return plan

    def _require_deleted(self, reader: AccountReader, plan: CampaignPlan) -> None:
        """Raise UnavailableError where known records are not listed where they belong, and yet are there."""
        listed, there = {campaign.id for campaign in self.listed}, dict[str, str]()
        for entry, id, parent_id in plan.unlisted:
            record = reader.single(entry.kind, id)
            above = record.get(entry.kind.parent_field, parent_id)
            is_in_place = above == parent_id or (entry.kind is LINE_ITEM and above not in listed)
            if record.get("deleted") is False and is_in_place:
                there[f"{entry.path}.id"] = f"the {entry.kind.noun} {id}"
        if there:
            problems = self.file.problems
            problems[:] = [problem for problem in problems if problem.path not in there]
            raise UnavailableError(
                f"{next(iter(there.values()))} is there, and the service does not list it",
                hint="nothing was changed, since it would be created twice; try again later",
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
        apply = Apply(call.client, call.account, plan, self.memory)
        self.posting = Posting(call, plan, resume=bool(self.resume))
        self.posting.check()
        requests = chain(((content, "") for content in self.posting.requests()), apply.requests())
        prepared = ((call.client.prepare(request), new_id) for request, new_id in requests)
        call.writes.approve_plan(prepared, _compared(plan))

    def carry_out(self, plan: CampaignPlan) -> Applied:
        """Ask, and send what differs."""
        call, memory = self.call, self.memory
        self.ask(plan)
        if self.stored_plan:
            memory.begin_plan(self.digest)
        with self._job(plan) as note_done:
            self.posting.make(memory)
            with progress(call.messages, "Applying", len(plan.changes)) as on_progress:

                def on_done(count: int) -> None:
                    note_done(count)
                    on_progress(count)

                result = Apply(call.client, call.account, plan, memory, on_done).run()
        for sent, stored in dict.fromkeys(result.renamed):
            call.messages.note(f"the service stores the name {sent!r} as {stored!r}")
        if self.stored_plan and not result.failed:
            memory.begin_plan("")
        return result

    @contextmanager
    def _job(self, plan: CampaignPlan) -> Iterator[Callable[[int], None]]:
        """Keep a job of the run, unfinished until it ends; yield what notes the changes that are sent.

        It takes the place of unfinished ones of the same file: a run compares, and does what is left.
        """
        call, label = self.call, safe(self.file.label)
        digest = sha256(f"{current_folder()}\n{label}".encode()).hexdigest()
        place = UploadTarget(call.service, f"campaigns of {digest[:16]}", call.account)
        state_dir = call.settings.state_dir
        earlier = unfinished_jobs(state_dir, place)
        if not plan.changes:
            yield lambda count: None
            for superseded in earlier:
                forget_job(state_dir, superseded)
            return
        key = document_key(place, "apply", digest, {})
        job = new_job(call, key, "changes", label, len(plan.changes), batches=0)
        with closing(Journal(state_dir, job, resume=False)) as journal:
            for superseded in earlier:
                forget_job(state_dir, superseded)
            last_count = 0

            def note(count: int) -> None:
                nonlocal last_count
                journal.append(Acknowledgement(last_count, {"applied": count - last_count}))
                last_count = count

            yield note
            journal.flush()
            journal.finish()

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
