"""Mutants of what keeps a page of --report safe, true and small."""

from .mutant import Mutant

ESCAPED = "tests/report/test_escaping.py::test_no_text_becomes_an_element_or_an_attribute"
FACTS = "tests/products/test_facts.py::test_facts_of_parts_are_those_of_the_whole"

PAGES = (
    Mutant(
        "a finding shows fewer products where the first rows are one",
        "ads_cli/commands/products/feed_page.py",
        "in (*first, *others):",
        "in first:",
        (
            "tests/report/test_page_of_a_run.py::"
            "test_five_different_products_show_a_finding_where_the_first_rows_are_one",
        ),
    ),
    Mutant(
        "texts of a feed are markup",
        "ads_cli/report/__init__.py",
        "autoescape=True",
        "autoescape=False",
        (ESCAPED,),
    ),
    Mutant(
        "direction marks of a feed are left in",
        "ads_cli/report/__init__.py",
        "mask(safe(str(value)))",
        "mask(str(value))",
        (ESCAPED,),
    ),
    Mutant(
        "a page shows secrets",
        "ads_cli/report/__init__.py",
        "mask(safe(str(value)))",
        "safe(str(value))",
        ("tests/report/test_page_file.py::test_the_page_holds_no_secret",),
    ),
    Mutant(
        "a feed makes the browser ask its own network",
        "ads_cli/report/__init__.py",
        'is_public = match and is_public_name(match["host"]) and ',
        "is_public = match and ",
        (
            "tests/report/test_page_of_a_run.py::test_a_feed_sends_no_browser_elsewhere_than_to_the_public_web",
        ),
    ),
    Mutant(
        "a file that an editor changes while it is examined is replaced",
        "ads_cli/config/atomic_files.py",
        " or _version(path) != examined",
        "",
        (
            "tests/config/test_atomic_files.py::"
            "test_a_file_that_an_editor_changes_while_it_is_examined_is_kept",
        ),
    ),
    Mutant(
        "an earlier file is removed before the new one is there",
        "ads_cli/config/atomic_files.py",
        "                    _require_replaceable(path, may_replace)\n",
        "                    remove(path, may_replace)\n",
        (
            "tests/config/test_atomic_files.py::"
            "test_a_reader_finds_the_earlier_file_or_the_new_one_at_any_moment",
        ),
    ),
    Mutant(
        "a file is written only to be refused at the end",
        "ads_cli/config/atomic_files.py",
        '    if path.is_dir():\n        raise UsageError(f"{option}: {path} is a folder")\n',
        "",
        (
            "tests/console/test_output_files.py::"
            "test_a_place_that_cannot_be_written_is_said_alike_before_anything_is_sent",
        ),
    ),
    Mutant(
        "any file is replaced by a page",
        "ads_cli/console/output_file.py",
        "        if self._force:\n            return True\n",
        "        return True\n",
        ("tests/report/test_page_file.py::test_a_file_that_adsctl_did_not_write_needs_force",),
    ),
    Mutant(
        "a run that fails leaves the page of the last one",
        "ads_cli/console/output_file.py",
        "            try:\n                self.write()\n",
        "            try:\n                pass\n",
        (
            "tests/report/test_page_of_a_run.py::test_a_feed_that_cannot_be_read_replaces_the_page_of_yesterday",
        ),
    ),
    Mutant(
        "a table of a page has any size",
        "ads_cli/report/__init__.py",
        "            if max_bytes < 0:\n                return self.rows[:number]\n",
        "",
        (
            "tests/report/test_escaping.py"
            "::test_a_table_takes_no_more_room_than_it_may_and_says_what_it_left_out",
        ),
    ),
    Mutant(
        "facts of later rows have the numbers of earlier ones",
        "ads_cli/products/feed_stats.py",
        "                row.record += records\n",
        "                pass\n",
        (FACTS,),
    ),
    Mutant(
        "rows beyond the first are not counted",
        "ads_cli/products/feed_stats.py",
        "        self.total += later.total - len(later.rows)\n",
        "",
        (FACTS,),
    ),
    Mutant(
        "a page is written of a feed that was not read to its end",
        "ads_cli/validation/validator.py",
        "        self.stats = None\n",
        "        self.stats = stats\n",
        (
            "tests/report/test_page_of_a_run.py::test_a_feed_that_cannot_be_read_replaces_the_page_of_yesterday",
        ),
    ),
    Mutant(
        "a server is asked whether a feed is unchanged, though a page needs its rows",
        "ads_cli/commands/products/__init__.py",
        " or call.dry_run or page.report)",
        " or call.dry_run)",
        ("tests/commands/products/test_unchanged_feed.py::test_where_the_rows_are_needed_it_is_downloaded",),
    ),
)
