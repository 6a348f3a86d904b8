"""Campaigns as a file: pull, plan and apply."""

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...campaigns.kinds import LISTS
from ...config.atomic_files import atomic, check_output_path, file_to_replace
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.schema_files import schema_line
from ...console.shown import Result, shows
from ...errors import DIFFERENCES_FOUND, UsageError
from ...numbers import DeletionLimit
from ...output.text import counted
from ...spelling import comma_list
from .page import CampaignReport, Report
from .shown import CHANGES

if TYPE_CHECKING:
    from ...store.notes import Notes

JSON_SUFFIX, WORKBOOK_SUFFIX = ".json", ".xlsx"

FileArgument = Annotated[str, argument("FILE", "A file of campaigns, or - for standard input")]
Prune = Annotated[bool, flag("Delete what the lists of the file do not have, children first")]
Replace = Annotated[bool, flag("Delete and create what has fields that cannot be changed")]


@shows(Result("campaigns", "", is_list=False, formats=("json", "yaml")))
def pull(
    ctx: typer.Context,
    file: Annotated[str | None, argument("FILE", "Where to write; standard output without it")] = None,
    ids: Annotated[str | None, option("A,B", "Only these campaigns, by ids or names")] = None,
    q: Annotated[str | None, option("TEXT", "Only campaigns whose names start with this")] = None,
    force: Annotated[bool, flag("Replace a file that was changed since pull, or is another one")] = False,
    example: Annotated[bool, flag("Print a commented file with every field; ask no service")] = False,
) -> None:
    """Write campaigns with all that belongs to them into a file.

    The file has line items, targeting, ads and tracking tags, with their ids, in a stable order. So two pulls
    of an account are the same bytes, and a comparison of two versions shows what somebody changed. Its
    extension decides whether it is YAML, JSON or a workbook (.xlsx, a sheet a kind). 'campaigns plan'
    compares it with the account, and 'campaigns apply' makes the account what it says.

    For example: adsctl campaigns pull campaigns.yaml
    """
    from ...campaigns.account import AccountReader
    from ...campaigns.targeting_names import unique_names
    from ...campaigns.writer import as_json, as_yaml, document_of

    call = Invocation.of(ctx, mutates=False)
    if example:
        from ...campaigns.writer import example_text

        call.out.write(example_text())
        return
    if ids and q is not None:
        raise UsageError("--ids: cannot be used with --q")
    path = Path(file) if file and file != "-" else None
    suffix, state = path.suffix.lower() if path else None, call.settings.state_dir
    if path and suffix not in (".yaml", ".yml", JSON_SUFFIX, WORKBOOK_SUFFIX):
        raise UsageError(
            f"{path}: cannot tell the format from the name", hint="name it .yaml, .json or .xlsx"
        )
    if path and not force and file_to_replace(path) and not _is_pulled(state, path):
        raise UsageError(
            f"{path} was not written by pull, or was changed since", hint="replace it with --force"
        )
    call.client.open()
    reader = AccountReader(call.client, call.account)
    named = comma_list(ids or "")
    if ids is not None and not named:
        raise UsageError("--ids: names no campaign")
    named = call.records.ids_of("campaign_id", named)
    campaigns = reader.tree(reader.campaigns(ids=named, q=q), LISTS)
    names = {} if suffix == WORKBOOK_SUFFIX else unique_names(call.client, call.account, campaigns)
    document = document_of(campaigns, call.account, whole=not named and q is None, q=q, names=names)
    if suffix == WORKBOOK_SUFFIX:
        from ...campaigns.workbook import as_workbook

        content = as_workbook(campaigns, {key: document[key] for key in document if key != "campaigns"})
    else:
        is_json = suffix == JSON_SUFFIX if path else call.settings.get("output") == "json"
        line = schema_line(path, "campaigns") if path else ""
        content = (as_json(document) if is_json else f"{line}{as_yaml(document)}").encode()
    if path is None:
        call.out.write(content.decode())
    else:
        with atomic(path, is_output=True) as stream:
            stream.buffer.write(content)
        _pulled(state).put(str(path.resolve()), sha256(content).hexdigest())
        call.messages.say(f"{path}: {counted(len(campaigns), 'campaign')}")


def _pulled(state_dir: Path) -> "Notes":
    """Return the digests of the files that `pull` has written."""
    from ...store.notes import Notes

    return Notes(state_dir, "pulled files")


def _is_pulled(state_dir: Path, path: Path) -> bool:
    """Tell whether `pull` has written a file, and it is unchanged since."""
    try:
        digest = sha256(path.read_bytes()).hexdigest()
    except OSError:
        return False
    return _pulled(state_dir).find(str(path.resolve()), str) == digest


@shows(CHANGES)
def plan(
    ctx: typer.Context,
    file: FileArgument,
    prune: Prune = False,
    replace: Replace = False,
    max_delete: Annotated[
        str, option("N|P%", "With --prune: say where more would be deleted than apply deletes")
    ] = "10%",
    out: Annotated[str | None, option("FILE", "Store the plan, for 'campaigns apply FILE'")] = None,
    report: Report = None,
) -> None:
    """Show what differs between a file of campaigns and the account; change nothing.

    Ends with 10 where anything differs. A field or a list that the file does not have is left as it is. A
    record is known by its id, else by its key or name. All mistakes of the file are reported at once (3).

    For example: adsctl campaigns plan shop.yaml
    """
    from .applying import ApplyRun
    from .plan_view import pruned, show_plan

    call = Invocation.of(ctx, mutates=False)
    limit = DeletionLimit.parse(max_delete)
    if out:
        from ...campaigns.stored_plan import PlanOptions, encode, is_plan_file

        check_output_path("--out", Path(out), is_plan_file, "is no stored plan", "choose another name")
    with CampaignReport(call, report, file).written() as about:
        run = ApplyRun(call, prune=prune, replace=replace)
        compared = about.plan = run.compare(file)
        if out:
            options = PlanOptions(prune, replace)
            with atomic(Path(out), is_output=True) as stream:
                stream.write(encode(compared, run.file, call.account, call.service, options))
        show_plan(call, compared)
        if excess := pruned(compared, limit).excess:
            call.messages.note(f"{excess}: apply needs --max-delete {compared.pruned}")
        if compared.changes:
            raise typer.Exit(DIFFERENCES_FOUND)


@shows(CHANGES)
def apply(
    ctx: typer.Context,
    file: Annotated[str, argument("FILE", "A file of campaigns, or a stored plan; - is standard input")],
    prune: Prune = False,
    replace: Replace = False,
    max_delete: Annotated[
        str, option("N|P%", "With --prune: change nothing where more would be deleted")
    ] = "10%",
    write_ids: Annotated[bool, flag("Write the ids into the file; its comments stay")] = False,
    resume: Annotated[bool, flag("Go on after a run that was stopped; nothing is created twice")] = False,
    report: Report = None,
) -> None:
    """Make the account what a file of campaigns says.

    Shows the plan and carries it out: pauses, creations, changes, activations, deletions. What is created is
    paused, unless the file has entity_status ACTIVE. Then it is activated once all its parts are there. It
    asks before something may spend more, and before anything is deleted. A second run does nothing.

    A stored plan is refused (12) where what it touches has changed since. A run that was stopped is resumed
    by running it again. What was created is found, and not created twice. What may have been created by a
    request without an answer, and is not listed yet, is refused (12). --resume waits until it is certain.

    For example: adsctl campaigns apply shop.yaml --dry-run
    """
    from .applying import ApplyRun
    from .plan_view import plan_words, print_plan, pruned, report_result, show_plan

    call = Invocation.of(ctx)
    limit = DeletionLimit.parse(max_delete)
    with CampaignReport(call, report, file).written() as about:
        run = ApplyRun(call, prune=prune, replace=replace, resume=resume)
        with run.locked():
            compared = about.plan = run.compare(file, takes_plans=True)
            is_workbook = Path(file).suffix.lower() == WORKBOOK_SUFFIX
            if write_ids and (file == "-" or run.stored_plan or is_workbook):
                raise UsageError(
                    "--write-ids: needs a file of campaigns in YAML or JSON",
                    hint="pull a workbook again after it was applied: it has the ids then",
                )
            show_plan(call, compared, is_result=call.dry_run and call.printer.is_for_people)
            if resume and not compared.changes:
                call.messages.say("nothing is left to resume")
            pruned(compared, limit).require_few("nothing was changed")
            run.approve(compared)
            if call.dry_run:
                if call.is_plan:
                    run.ask(compared)
                    call.messages.show(plan_words(compared))
                if not call.printer.is_for_people:
                    print_plan(call, compared)
                return
            result = about.result = run.carry_out(compared)
        print_plan(call, compared, result)
        if write_ids:
            from ...campaigns.writer import write_into

            count, has_no_place = write_into(Path(file), run.file, result.ids)
            call.messages.say(f"{file}: {counted(count, 'id')} written")
            if has_no_place:
                call.messages.note(
                    "records of a loop, or whose id is null, have no place for their ids;"
                    " the state folder has what apply made"
                )
        report_result(call, result)
