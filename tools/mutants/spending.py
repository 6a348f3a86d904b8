"""Mutants of what asks before more is spent."""

from .mutant import Mutant

RAISING = "tests/batches/test_raising.py"
API, CLIENT, READER = (
    "ads_cli/api/spending.py",
    "ads_cli/client/spending.py",
    "ads_cli/client/spending.py",
)
ASKED = f"{RAISING}::test_what_may_spend_more_is_confirmed"
UNASKED = f"{RAISING}::test_what_may_not_spend_more_needs_no_question"
REMOVED = f"{RAISING}::test_a_limit_that_service_x_removes_is_confirmed"

SPENDING = (
    Mutant(
        "spending: twice as much is asked about", API, "new > factor * old", "new >= factor * old", (UNASKED,)
    ),
    Mutant(
        "spending: a limit that is removed is not asked about",
        API,
        "is_removed = new is None and old is not None",
        "is_removed = False",
        (REMOVED,),
    ),
    Mutant(
        "spending: a bid counts under AUTO",
        API,
        "if record.get(name) == lifted:",
        "if False:",
        (ASKED,),
    ),
    Mutant(
        "spending: what cannot be read does not rise",
        API,
        "if is_higher or is_later or is_removed or old is UNREADABLE or new is UNREADABLE:",
        "if is_higher or is_later or (is_removed and old is not UNREADABLE) or new is UNREADABLE:",
        (f"{RAISING}::test_an_amount_that_cannot_be_read_counts_as_raised",),
    ),
    Mutant(
        "spending: a new value that cannot be read does not rise",
        API,
        " or new is UNREADABLE:",
        ":",
        (f"{RAISING}::test_a_new_value_that_cannot_be_read_counts_as_raised",),
    ),
    Mutant(
        "spending: a status that is not known is paused",
        API,
        "record.get(STATUS) not in (PAUSED, DRAFT)",
        "record.get(STATUS) == ACTIVE",
        (f"{RAISING}::test_a_status_that_cannot_be_read_counts_as_serving",),
    ),
    Mutant(
        "spending: what has ended is raised",
        API,
        "return is_on(record) and not _has_ended(record, now)",
        "return is_on(record)",
        (UNASKED, ASKED),
    ),
    Mutant(
        "spending: an emptied strategy keeps the bid",
        API,
        "emptied = {name: lifting.get(name) for",
        "emptied = {name: None for",
        (REMOVED,),
    ),
    Mutant(
        "spending: a status can be emptied",
        "ads_cli/api/records.py",
        'return is_name or bool(field.type.extra("spends"))',
        "return is_name",
        (f"{RAISING}::test_a_status_cannot_be_removed",),
    ),
    Mutant(
        "spending: a status of null is that of the service",
        API,
        "values.get(field.name) is not None",
        "field.name in values",
        ("tests/batches/test_spending.py::test_a_status_of_null_is_none",),
    ),
    Mutant(
        "spending: a new ad asks nothing",
        CLIENT,
        "if may_serve(before, now) else None",
        "if False else None",
        (ASKED,),
    ),
    Mutant(
        "spending: a paused campaign's line items ask",
        CLIENT,
        "[each for each in found if each.begins or is_on(each.campaign)]",
        "found",
        (f"{RAISING}::test_a_line_item_of_a_campaign_that_is_paused_or_deleted_spends_nothing",),
    ),
    Mutant(
        "spending: a campaign that is read hides an activation",
        CLIENT,
        "if each.begins or is_on(each.campaign)",
        "if is_on(each.campaign)",
        (f"{RAISING}::test_a_line_item_without_a_budget_spends_by_its_campaign_though_that_is_paused",),
    ),
    Mutant(
        "spending: a batch is read one by one",
        CLIENT,
        "    if len(keys) == 1:\n        return {keys[0]: stored.named(*keys[0])}\n",
        "    if keys:\n        return {key: stored.named(*key) for key in keys}\n",
        (f"{RAISING}::test_a_batch_reads_what_it_changes_by_one_list_request",),
    ),
    Mutant(
        "spending: another record's limits count",
        READER,
        'record.get("id", identifier) == identifier',
        "True",
        (f"{RAISING}::test_an_amount_that_cannot_be_read_counts_as_raised",),
    ),
    Mutant(
        "spending: of two listed records the last counts",
        READER,
        "record if found.get(identifier, record) == record else {}",
        "record",
        (f"{RAISING}::test_what_a_list_does_not_tell_counts_as_raised",),
    ),
    Mutant(
        "amounts: an exponent is read",
        "ads_cli/api/amounts.py",
        '|\\.[0-9]{1,8})"\nEXPONENT',
        '|\\.[0-9]{1,8})([eE][+-]?[0-9]{1,2})?"\nEXPONENT',
        ("tests/batches/test_amounts.py::test_an_amount_is_written_in_digits_alone",),
    ),
    Mutant(
        "amounts: a change of several records has no currency",
        "ads_cli/commands/spending.py",
        """{before or 'null'} -> {after} {currency}""",
        """{before or 'null'} -> {after}""",
        (
            "tests/campaigns/test_several_records.py::"
            "test_records_that_a_condition_finds_are_shown_and_asked_for_before_they_change",
        ),
    ),
)
