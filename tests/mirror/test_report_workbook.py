"""`stats report --to`: a workbook of the accounts in a mirror, offline, with typed numbers."""

import csv
import io
from datetime import date

import openpyxl
import pytest

from tests.mirror.conftest import FILE

REPORT = ("stats", "report", "--from", f"sqlite:{FILE}", "--metrics", "BILLING,ENGAGEMENT")
KASTANIE = "Café Kastanie (managed by Kontor Acht)"


@pytest.fixture
def filled(mirror, requests):
    mirror.run("--since", "21d", "--all-accounts")
    requests.clear()
    yield mirror.adsctl
    assert requests == []


def sheets(adsctl, *words: str) -> dict[str, list[list]]:
    """Return the cells of each sheet of the workbook that a report writes."""
    adsctl(*REPORT, "--to", "clients.xlsx", "--yes", *words)
    book = openpyxl.load_workbook(adsctl.home / "clients.xlsx")
    return {sheet.title: [[*row] for row in sheet.rows] for sheet in book}


def test_a_workbook_has_accounts_campaigns_and_days(filled):
    book = sheets(filled)
    assert [*book] == ["Accounts", "Campaigns", "Days"]
    heads = {name: [cell.value for cell in rows[0]] for name, rows in book.items()}
    assert heads["Accounts"][:5] == [
        "Account",
        "Spend",
        "Change of spend",
        "Impressions",
        "Change of impressions",
    ]
    assert heads["Campaigns"][:3] == ["Account", "Campaign", "Spend"] and heads["Campaigns"][-1] == "Id"
    assert heads["Days"][:2] == ["Day", "Spend"]
    assert {row[0].value for row in book["Accounts"][1:]} == {"Nordlicht Shop", KASTANIE, "Total"}
    days = [row[0].value.date() for row in book["Days"][1:-1]]
    assert len(days) == 7 and days == sorted(days) and isinstance(days[0], date)


def test_numbers_are_typed_and_totals_bold(filled):
    for rows in sheets(filled).values():
        heads = [cell.value for cell in rows[0]]
        formats = {head: cell.number_format for head, cell in zip(heads, rows[1], strict=True)}
        assert formats["Spend"] == '#,##0.00\\ "EUR"' and formats["Click rate"] == "0.00%"
        assert formats["Impressions"] == "#,##0"
        assert formats.get("Change of spend", "+0.0%;-0.0%;0.0%") == "+0.0%;-0.0%;0.0%"
        assert rows[-1][0].value == "Total" and all(cell.font.b for cell in rows[-1] if cell.value)
        assert not any(cell.font.b for row in rows[1:-1] for cell in row)
        spend = heads.index("Spend")
        parts = [row[spend].value or 0 for row in rows[1:-1]]
        assert sum(parts) == pytest.approx(rows[-1][spend].value)
        shown = rows[0][0].parent.auto_filter.ref
        assert shown.endswith(str(len(rows) - 1))  # a filter leaves the totals where they are


def test_the_numbers_are_those_of_the_mirror(filled):
    words = ("--from", f"sqlite:{FILE}", "--since", "last-week", "--active", "--account", "Nordlicht Shop")
    group = ("--group-by", "account", "--metrics", "BILLING,ENGAGEMENT", "-o", "csv")
    (expected,) = csv.DictReader(io.StringIO(filled("stats", "get", *words, *group).stdout))
    rows = sheets(filled)["Accounts"]
    shown = dict(zip((cell.value for cell in rows[0]), (cell.value for cell in rows[1]), strict=True))
    assert shown["Account"] == "Nordlicht Shop" and shown["Id"] == "18ce54d4x5t"
    assert shown["Impressions"] == int(expected["impressions"])
    assert shown["Spend"] == pytest.approx(float(expected["billed_charge_local"]))


def test_one_account_has_no_sheet_of_accounts(filled):
    book = sheets(filled, "--account", "Nordlicht Shop")
    assert [*book] == ["Campaigns", "Days"]
    assert book["Campaigns"][0][0].value == "Campaign"


def test_a_page_and_a_workbook_may_be_of_one_run_and_one_is_needed(filled):
    filled(*REPORT, "--to", "clients.xlsx", "--report", "clients.html")
    assert (filled.home / "clients.html").exists() and (filled.home / "clients.xlsx").exists()
    assert "give --report FILE.html, --to FILE.xlsx, or both" in filled(*REPORT, code=2).stderr
    before = (filled.home / "clients.xlsx").read_bytes()
    assert "Replace clients.xlsx" in filled(*REPORT, "--to", "clients.xlsx", code=12).stderr
    filled(*REPORT, "--to", "clients.xlsx", "--yes")
    assert (filled.home / "clients.xlsx").read_bytes() == before  # the same rows are the same bytes
