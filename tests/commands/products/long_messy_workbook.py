"""A workbook as a shop has it, which every check reads in a process of its own."""

from tests.commands.products.messy_feeds import workbook
from tests.commands.products.test_messy_feeds import follow_checks


def test_a_messy_workbook_is_pushed_by_following_what_each_check_says(adsctl):
    follow_checks(adsctl, workbook())
