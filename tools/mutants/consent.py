"""Mutants of which people and ids are taken from a file."""

from .mutant import Mutant

WORKBOOKS = "tests/feeds/test_read_xlsx.py"
ANSWERS = "tests/audiences/test_yes_and_no.py"
OPTIONS = "tests/audiences/test_consent.py"
SAID = "tests/audiences/test_parts_said.py"
QUOTED = "tests/audiences/test_push.py::test_nobody_is_named_where_the_service_quotes_what_it_was_sent"
PHONES = "tests/audiences/test_phones.py"
SPELLED = f"{PHONES}::test_spellings_of_a_number_are_read_alike"
REFUSED = f"{PHONES}::test_what_cannot_be_one_number_is_refused_with_what_to_do"
READ_00 = f"{PHONES}::test_a_number_that_begins_with_00_is_read_alike_in_every_region_or_refused"

CONSENT = (
    Mutant(
        "yes is compared as it is written",
        "ads_cli/audiences/consent.py",
        "        return WhereAnswer(where)\n",
        "        return where\n",
        (f"{ANSWERS}::test_people_who_refused_in_any_spelling_are_left_out",),
    ),
    Mutant(
        "whom the named option leaves out is counted otherwise than it compares",
        "ads_cli/audiences/consent.py",
        "    if asks_for_answer(where):\n        condition = compared_by",
        "    if False:\n        condition = compared_by",
        (f"{ANSWERS}::test_the_option_that_is_named_leaves_out_as_many_as_it_says",),
    ),
    Mutant(
        "who disagrees in Chinese has agreed",
        "ads_cli/audiences/headers.toml",
        " 不同意,",
        "",
        (f"{OPTIONS}::test_a_column_in_any_language_leaves_out_who_refused",),
    ),
    Mutant(
        "an error quotes who was sent",
        "ads_cli/client/transport.py",
        "if prepared.sensitive:\n                error",
        "if False:\n                error",
        (QUOTED,),
    ),
    Mutant(
        "the reason of a rejected person quotes who was sent",
        "ads_cli/audiences/upload.py",
        "number: mask(reason)",
        "number: reason",
        (QUOTED,),
    ),
    Mutant(
        "a value that the service has cut is not masked",
        "ads_cli/people_masking.py",
        "range(len(value) - 1, MIN_MASKED_START - 1, -1)",
        "()",
        (QUOTED,),
    ),
    Mutant(
        "records without the column are not counted",
        "ads_cli/audiences/plan.py",
        'answers[""] += report.rows - report.left_out - answers.total()',
        'answers[""] += 0',
        (f"{OPTIONS}::test_records_without_the_column_of_consent_are_counted_too",),
    ),
    Mutant(
        "a repeated column takes the name of another one",
        "ads_cli/feeds/rows.py",
        "set(header)\n",
        "set[str]()\n",
        ("tests/audiences/test_columns.py::test_a_repeated_column_gets_a_number_that_no_other_column_has",),
    ),
    Mutant(
        "an empty cell says no",
        "ads_cli/audiences/consent.py",
        "return True if word in YES else False if word in NO else None",
        "return word in YES",
        (f"{ANSWERS}::test_an_empty_cell_says_neither_yes_nor_no",),
    ),
    Mutant(
        "subscribed means what the header asks",
        "ads_cli/audiences/consent.py",
        "        return word in SUBSCRIBED\n",
        "        return word not in SUBSCRIBED\n",
        (f"{OPTIONS}::test_the_option_takes_exactly_those_who_agreed_or_those_who_refused",),
    ),
    Mutant(
        "a negated header of agreement tells who agreed",
        "ads_cli/audiences/headers.py",
        "        NEGATED_CONSENT.match(rest) or (rest.startswith(WITHDRAWALS) and before not in NEGATIONS)",
        "        rest.startswith(WITHDRAWALS) and before not in NEGATIONS",
        (f"{OPTIONS}::test_a_header_of_agreement_that_is_negated_tells_who_refused",),
    ),
    Mutant(
        "a negated header of refusal tells who refused",
        "ads_cli/audiences/headers.py",
        "        return Consent.AGREED if is_negated else Consent.REFUSED",
        "        return Consent.REFUSED",
        (f"{OPTIONS}::test_a_header_of_refusal_that_is_negated_tells_who_agreed",),
    ),
    Mutant(
        "a column that tells when people refused tells nothing",
        "ads_cli/audiences/headers.py",
        "is_only_time = consent is Consent.AGREED and ",
        "is_only_time = ",
        (f"{OPTIONS}::test_a_column_that_tells_when_people_refused_tells_who_did",),
    ),
    Mutant(
        "a word means yes, and no in another language",
        "ads_cli/audiences/answers.toml",
        "no false off nein",
        "no tak false off nein",
        (f"{OPTIONS}::test_no_word_means_two_answers",),
    ),
    Mutant(
        "a column of consent that cannot be decided is compared as text",
        "ads_cli/audiences/consent.py",
        "return bool(found.others) and not consent_of_column(column)",
        "return bool(found.others)",
        (f"{ANSWERS}::test_consent_that_cannot_be_decided_stops_the_run_and_is_listed",),
    ),
    Mutant(
        "each file of a list decides for itself what yes is",
        "ads_cli/audiences/multi_file_plan.py",
        "        self._decide_conditions()\n",
        "",
        (
            f"{ANSWERS}::test_what_cannot_be_decided_may_be_in_any_file_of_a_list_and_nothing_is_sent",
            f"{ANSWERS}::test_a_column_is_one_of_answers_in_every_file_of_a_list_or_in_none",
        ),
    ),
    Mutant(
        "a country is yes or no",
        "ads_cli/audiences/consent.py",
        " and not holds_codes(where.column)",
        "",
        (f"{ANSWERS}::test_any_other_column_is_compared_as_text",),
    ),
    Mutant(
        "a filter that leaves out everybody is a success",
        "ads_cli/commands/audiences/lists.py",
        "    if not feed.allow_empty:",
        "    if False:",
        (f"{ANSWERS}::test_a_filter_that_leaves_out_everybody_is_said_and_ends_with_3",),
    ),
    Mutant(
        "a number that a spreadsheet has rounded is taken",
        "ads_cli/feeds/formats/workbook.py",
        "10**MAX_DIGITS <= abs(value) < inf",
        "10**MAX_DIGITS * 100 <= abs(value) < inf",
        (f"{WORKBOOKS}::test_a_number_that_the_spreadsheet_has_rounded_is_a_problem_of_its_row",),
    ),
    Mutant(
        "a formula without its value is an empty cell",
        "ads_cli/feeds/formats/workbook.py",
        "        elif FORMULA.search(content) and not value",
        "        elif False and not value",
        (f"{WORKBOOKS}::test_a_formula_without_a_stored_value_is_a_problem_of_its_row",),
    ),
    Mutant(
        "addresses that differ in their query are one feed",
        "ads_cli/feeds/locations/remote.py",
        'hexdigest()[:16]}" if query else self.identity',
        'hexdigest()[:0]}" if query else self.identity',
        (
            "tests/products/test_shrunken.py"
            "::test_feeds_that_differ_in_their_query_are_kept_apart_and_no_secret_is_stored",
        ),
    ),
    Mutant(
        "XML is written with characters that it cannot hold",
        "ads_cli/feeds/formats/writers.py",
        "    if found := NOT_XML.search(text):",
        "    if (found := NOT_XML.search(text)) and False:",
        ("tests/feeds/test_write_xml.py::test_a_character_that_xml_does_not_allow_is_refused",),
    ),
    Mutant(
        "what earlier runs rejected of later lists counts for this one",
        "ads_cli/audiences/multi_file_plan.py",
        "failed = journal.totals[FAILED] - before - later",
        "failed = journal.totals[FAILED] - before",
        (
            "tests/audiences/test_parts.py"
            "::test_the_rejections_of_a_list_are_its_own_where_another_appears_before_it",
        ),
    ),
    Mutant(
        "a placeholder that a handle may be is hashed",
        "ads_cli/audiences/identifiers.py",
        "|{PLAIN_PLACEHOLDERS})?[^a-z0-9",
        ")?[^a-z0-9",
        ("tests/audiences/test_identifiers.py::test_what_needs_no_look_is_what_reading_returns_unchanged",),
    ),
    Mutant(
        "a placeholder with a sign after it is hashed",
        "ads_cli/audiences/identifiers.py",
        '"handle", lambda _: NO_PLACEHOLDER + f"',
        '"handle", lambda _: f"',
        ("tests/audiences/test_identifiers.py::test_what_needs_no_look_is_what_reading_returns_unchanged",),
    ),
    Mutant(
        "a carriage return in a cell ends a line",
        "ads_cli/audiences/list_packer.py",
        'io.StringIO(text, newline="\\n")',
        'io.StringIO(text, newline="")',
        ("tests/audiences/test_columns.py::test_lines_end_with_a_line_feed_whatever_a_cell_has",),
    ),
    Mutant(
        "the domain of an address may end in a number",
        "ads_cli/audiences/identifiers.py",
        "(?>(?:\\.{NOT_NUMERIC}{DOMAIN_LABEL})+)",
        "(?>(?:\\.{DOMAIN_LABEL})+)",
        ("tests/audiences/test_identifiers.py::test_an_invalid_identifier_is_refused_without_its_value",),
    ),
    Mutant(
        "a number that its country does not have raises no doubt",
        "ads_cli/audiences/identifiers.py",
        "return self.usual_form is not None and not re",
        "return self.usual_form is None and not re",
        (
            "tests/audiences/test_phones.py"
            "::test_a_number_that_is_possible_and_not_assigned_is_sent_with_a_warning",
        ),
    ),
    Mutant(
        "rows are packed before it is decided how conditions compare",
        "ads_cli/audiences/list_columns.py",
        "        assert not self.undecided, ",
        "        assert True, ",
        (f"{ANSWERS}::test_no_row_can_be_packed_before_it_is_decided_how_conditions_compare",),
    ),
    Mutant(
        "the answers of records are counted in other texts than conditions compare",
        "ads_cli/audiences/list_columns.py",
        "            texts = _texts(cells[at])\n",
        "            texts = [*map(str, cells[at])]\n",
        (
            "tests/audiences/test_consent.py"
            "::test_the_option_that_is_named_leaves_out_as_many_as_it_says_of_records",
        ),
    ),
    Mutant(
        "an option that a message names is quoted by hand",
        "ads_cli/output/text.py",
        "return written if written[0] in",
        "return f\"'{word}'\" if written[0] in",
        (
            "tests/audiences/test_columns.py"
            "::test_the_options_that_messages_name_run_in_a_shell_whatever_a_header_has",
        ),
    ),
    Mutant(
        "ids of one's own are synced in UTF-8, and their bytes counted as characters",
        "ads_cli/audiences/sync_plan.py",
        "return text if text.isascii() else",
        "return text if text else",
        ("tests/audiences/test_sync.py::test_ids_of_ones_own_in_any_script_are_added_and_deleted",),
    ),
    Mutant(
        "a do-not-reach list names identifiers that it does not take",
        "ads_cli/audiences/list_columns.py",
        "            identifiers=self.identifiers,\n",
        "",
        ("tests/audiences/test_push.py::test_a_do_not_reach_list_takes_emails_and_phone_numbers_only",),
    ),
    Mutant(
        "a number that begins with 00 is read as dialed at home",
        "ads_cli/audiences/phones.py",
        '    if digits.startswith("00"):\n',
        '    if digits.startswith("00") and not region:\n',
        (READ_00,),
    ),
    Mutant(
        "of two countries that a number with 00 may be of, one is guessed",
        "ads_cli/audiences/phones.py",
        "        readings |= set(filter(_is_assigned, dialed)) if",
        "        readings |= set() if",
        (REFUSED,),
    ),
    Mutant(
        "a number with 00 is refused for another reading that nobody has",
        "ads_cli/audiences/phones.py",
        "set(filter(_is_assigned, dialed)) if any(map(_is_assigned, readings)) else dialed",
        "dialed",
        (SPELLED,),
    ),
    Mutant(
        "a prefix for calls abroad is a part of the number",
        "ads_cli/audiences/phones.py",
        "(?!{code}|{_prefix_abroad(region)})",
        "(?!{code})",
        (SPELLED,),
    ),
    Mutant(
        "a number that may keep its trunk prefix is taken though nobody has it",
        "ads_cli/audiences/phones.py",
        " and _is_assigned(written))",
        ")",
        (REFUSED,),
    ),
    Mutant(
        "a number of 16 digits is taken",
        "ads_cli/audiences/phones.py",
        "range(7, 16)",
        "range(7, 17)",
        (REFUSED,),
    ),
    Mutant(
        "the point of Tel. makes a number invalid",
        "ads_cli/audiences/phones.py",
        "[^\\W\\d]+[:.]\\s*",
        "[^\\W\\d]+[:]\\s*",
        (SPELLED,),
    ),
    Mutant(
        "counts of several lists that differ are said of the first alone",
        "ads_cli/commands/audiences/lists.py",
        "                if text not in said:\n",
        "                if text.partition(':')[0] not in {each.partition(':')[0] for each in said}:\n",
        (f"{SAID}::test_who_would_be_left_out_is_said_of_each_file_with_its_own_count",),
    ),
    Mutant(
        "what several lists have in common is said of each",
        "ads_cli/commands/audiences/lists.py",
        "                if text not in said:\n",
        "                if True:\n",
        (f"{SAID}::test_what_files_have_in_common_is_said_once",),
    ),
    Mutant(
        "which rows of a list are skipped is said with -q, and again by the error",
        "ads_cli/commands/audiences/lists.py",
        'call.messages.note(message + " and not sent", "warning")',
        'call.messages.warn(message + " and not sent")',
        (f"{SAID}::test_invalid_rows_of_each_file_are_named_also_where_quiet",),
    ),
)
