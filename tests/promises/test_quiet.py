"""-q hides progress and notes; errors stay, and warnings that a result is not all, or not what was asked."""

import re

import pytest

from ads_cli.console.options import COMMON_OPTIONS
from tests.conftest import feed

HEADER, *ROWS = feed(3).splitlines()
EXTRA = "\n".join([f"{HEADER},warehouse", *(f"{row},4" for row in ROWS), ""])
SHOPIFY_EXPORT = (
    "Handle,Title,Body (HTML),Vendor,Status,Published,Variant SKU,Variant Price,Image Src\n"
    "mug,Mug,A mug,Shop,active,true,m1,9.90,https://shop.example/m.jpg\n"
    "cup,Cup,A cup,Shop,draft,true,c1,9.90,https://shop.example/c.jpg\n"
)
SHOPIFY = ("--base-url", "https://shop.example", "--currency", "EUR", "--default", "condition=new")
FILES = {
    "feed.csv": feed(3),
    "semicolons.csv": feed(3).replace(",", ";"),
    "extra.csv": EXTRA,
    "invalid.csv": feed(2) + feed(1, price="cheap").splitlines()[1].replace("sku-1", "sku-9") + "\n",
    "shopify.csv": SHOPIFY_EXPORT,
    "active.csv": SHOPIFY_EXPORT.replace("draft", "active"),
    "recipe.yaml": "columns: {Farbe: color}\n",
    "people.csv": "E-Mail\nana@shop.example\n",
    "strangers.csv": "email\nana@shop.example\nnobody\n",
    "gone.csv": "id\nnowhere\n",
}
# Command lines, their exit code, and what they say.
NOTES = {
    "a delimiter": ("products push semicolons.csv", "the delimiter is"),
    "an unknown column": ("products push extra.csv", "not known and not sent"),
    "a column read as a field": ("audiences push people.csv --audience 1nmth", "is read as"),
    "a kind of feed": (f"products check active.csv {' '.join(SHOPIFY)}", "read as a"),
    "the emulator": ("accounts list", "using the emulator"),
    "a total": ("campaigns list --with-total-count", "in total"),
    "as many as were asked for": ("accounts list --count 1 --limit 1", "there are more"),
    "as many as were asked for, of one page": ("accounts list --limit 1", "there are more"),
    "a page of a size that was asked for": ("accounts list --count 1", "there are more"),
    "nothing to resume": ("products push feed.csv --resume", "nothing to resume"),
    "a dry run": ("products push feed.csv --dry-run", "dry run"),
}
WARNINGS = {
    "products left out": (f"products push shopify.csv {' '.join(SHOPIFY)}", None, "left out"),
    "every row left out": ("products push feed.csv --where title=none", None, "every row is left out"),
    "a list that is cut": ("targeting search locations", 0, "there are more"),
    "a search that is cut": ("targeting search --q a", 0, "there are more"),
    "a column that a recipe names": ("products check feed.csv --recipe recipe.yaml", 0, "has no column"),
    "ids that do not exist": ("products delete --by id --from gone.csv --yes", 9, "not in the catalog"),
}


@pytest.fixture
def shop(adsctl):
    for name, content in FILES.items():
        adsctl.file(name, content)
    return adsctl


@pytest.mark.parametrize("command", NOTES)
def test_a_note_is_hidden(shop, command):
    words, said = NOTES[command]
    assert said in shop.local(*words.split()).stderr
    assert shop.local("-q", *words.split()).stderr == ""


@pytest.mark.parametrize("output", [(), ("-o", "json")])
@pytest.mark.parametrize("command", WARNINGS)
def test_a_warning_stays(shop, command, output):
    words, code, said = WARNINGS[command]
    warnings = [line for line in warnings_in(shop.local(*words.split(), *output, code=code)) if said in line]
    assert len(warnings) == 1
    assert warnings_in(shop.local("-q", *words.split(), *output, code=code)) == warnings


def warnings_in(done) -> list[str]:
    return re.findall(r"(?m)^warning: .*(?:\n(?!\w+: |\{).*)*", done.stderr)


def test_rows_that_were_not_sent_are_told_by_the_error(shop):
    done = shop.local("-q", "products", "push", "invalid.csv", "--skip-invalid", code=9)
    assert done.stderr.startswith("error: invalid.csv:4: price: 'cheap' is not allowed")
    assert "1 invalid row not sent" in done.stderr


@pytest.mark.parametrize(
    "command", ["products push invalid.csv", "audiences push strangers.csv --audience 1nmth"]
)
def test_rows_that_a_dry_run_skips_are_told_by_a_warning(shop, command):
    done = shop.local("-q", *command.split(), "--skip-invalid", "--dry-run", "-o", "none")
    assert done.stderr.startswith("warning: ") and done.stderr.endswith("rows invalid and not sent\n")


def test_the_help_says_so(adsctl):
    (option,) = [each for each in COMMON_OPTIONS if each.name == "quiet"]
    shown = " ".join(adsctl("--help", COLUMNS="200").stdout.split())
    assert option.help in shown and "warnings" in option.help
