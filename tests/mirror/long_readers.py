"""What reads a mirror says the same of each kind of it: one answer, whatever the rows are kept in."""

import pytest

from ads_cli.masking import mask_address
from tests.programs import needs

pytestmark = needs("pg_ctlcluster")
WEEK = ("--since", "7d", "-o", "csv")
READERS = {
    "days": ("stats", "get", "--active", "--group-by", "campaign,start", *WEEK),
    "totals": ("stats", "get", "--all", "--entity", "PROMOTED_POST", "--granularity", "TOTAL", *WEEK),
    "money": ("stats", "get", "--ids", "8wku2", "--metrics", "spend,cpc,ctr", "--compare", "previous", *WEEK),
    "findings": ("accounts", "check", "--unknown", "-o", "json"),
    "replay": ("watch", "replay", "rules.yaml", "--since", "20d", "-o", "json"),
    "status": ("mirror", "status", "-o", "json"),
}
RULES = "rules: [{name: dear, of: line_items, when: spend > 10 and cpc > 0.1, over: 3d, do: pause}]\n"
FEW = "account_history,campaign_history,campaign_report"


@pytest.fixture(params=["duckdb", "parquet", "postgres"])
def other(request, mirror, postgres, database) -> str:
    """The address of another mirror of the same account, in place of SQLite."""
    addresses = {
        "duckdb": f"duckdb:{mirror.adsctl.home / 'ads.duckdb'}",
        "parquet": str(mirror.adsctl.home / "warehouse"),
        "postgres": postgres.address(database),
    }
    return addresses[request.param]


def said(mirror, words, address: str):
    """Return what a command says of a mirror: its exit code and its output."""
    option = "--into" if words[0] == "mirror" else "--from"
    done = mirror.adsctl(*words, option, address, code=None)
    assert done.returncode in (0, 10), done.stderr
    return done.returncode, done.stdout.replace(mask_address(address), "ADDRESS").splitlines()


@pytest.mark.parametrize("tables", [FEW, "all"])
def test_every_reader_says_the_same_of_every_mirror(mirror, requests, other, tables):
    own = "sqlite:ads.db"
    for address in (own, other):
        mirror.adsctl("mirror", "run", "--into", address, "--since", "30d", "--tables", tables)
    mirror.adsctl.file("rules.yaml", RULES)
    requests.clear()
    for name, words in READERS.items():
        if tables == "all" or name in ("days", "findings"):
            expected = said(mirror, words, own)
            assert said(mirror, words, other) == expected, name
            assert len(expected[1]) > 5, name
    assert requests == []


def test_a_page_has_the_same_numbers(mirror, requests, other):
    pages = set()
    for address in ("sqlite:ads.db", other):
        mirror.adsctl("mirror", "run", "--into", address, "--since", "21d")
        words = ("--report", "p.html", "--since", "7d", "--force")
        mirror.adsctl("stats", "report", "--from", address, *words)
        pages.add((mirror.adsctl.home / "p.html").read_text().replace(mask_address(address), "ADDRESS"))
    assert len(pages) == 1
