"""Mutants of A/B tests, and of what messages say and how wide they are."""

from .mutant import Mutant

MEASUREMENT = "tests/emulator/resources/test_measurement.py"

AB_TESTS = (
    Mutant(
        "sizes of a test of line items differ by two hundredths",
        "ads_cli/api/ab_tests.py",
        "SIZE_ROUNDING = 0.011",
        "SIZE_ROUNDING = 0.021",
        (f"{MEASUREMENT}::test_a_test_of_line_items_has_five_groups_of_one_size_at_most",),
    ),
    Mutant(
        "thirds are no equal sizes",
        "ads_cli/api/ab_tests.py",
        "SIZE_ROUNDING = 0.011",
        "SIZE_ROUNDING = 0.009",
        (f"{MEASUREMENT}::test_a_test_of_line_items_has_parts_that_are_as_equal_as_can_be",),
    ),
    Mutant(
        "a test of line items has six groups",
        "ads_cli/api/ab_tests.py",
        "MAX_LINE_ITEM_GROUPS = 5",
        "MAX_LINE_ITEM_GROUPS = 6",
        (f"{MEASUREMENT}::test_a_test_of_line_items_has_five_groups_of_one_size_at_most",),
    ),
    Mutant(
        "groups with and without id are sent together",
        "ads_cli/api/ab_tests.py",
        "group.id is None for group in self.user_groups or ()}) < 2",
        "group.id is None for group in self.user_groups or ()}) < 3",
        (f"{MEASUREMENT}::test_groups_are_changed_by_their_ids_or_replaced_without_them",),
    ),
    Mutant(
        "the emulator takes the ids of some groups",
        "ads_cli/emulator/resources/ab_tests.py",
        "    if ids and sorted(ids)",
        "    if not ids and sorted(ids)",
        (f"{MEASUREMENT}::test_the_emulator_takes_ids_of_groups_only_where_all_stay",),
    ),
    Mutant(
        "unknown fields are named in another order in each run",
        "ads_cli/api/validation.py",
        "        for name in values:\n",
        "        for name in {*values}:\n",
        (f"{MEASUREMENT}::test_unknown_fields_are_named_in_their_order",),
    ),
    Mutant(
        "messages have the width of any terminal",
        "ads_cli/output/messages.py",
        "os.get_terminal_size(stream.fileno()).columns or 80",
        "80",
        ("tests/output/test_terminal.py::test_messages_fit_their_terminal_where_the_result_is_in_a_file",),
    ),
)
