"""Consent: rows are left out by --where, and a column that tells it is never passed over in silence."""

import json
import shlex

import pytest

from .conftest import digest
from .customers import people
from .exports import EXPORTS, brevo, german_shop, hubspot, klaviyo, mailchimp, shopify

PUSH = ("audiences", "push", "people.csv", "--audience", "aud", "-o", "json", "-q")
COLUMNS = {
    mailchimp: ["OPTIN_TIME"],
    klaviyo: ["Email Marketing Consent", "SMS Marketing Consent", "Accepts Marketing"],
    shopify: ["Accepts Email Marketing", "Accepts SMS Marketing"],
    hubspot: ["Unsubscribed from all email", "Opted out of email: Marketing Information"],
    brevo: ["EMAIL_BLACKLISTED", "DOUBLE_OPT-IN", "OPT_IN"],
    german_shop: ["Newsletter"],
}


def notices(stderr: str) -> dict[str, list[str]]:
    """Return the options that use each column of consent that was mentioned."""
    found = {}
    for line in stderr.splitlines():
        if "tells who may be contacted" in line:
            words = shlex.split(line.partition(": --where ")[2].partition(" leaves out")[0])
            found[line.partition("people.csv: ")[2].split(" tells")[0].strip("'\"")] = words
    return found


@pytest.mark.parametrize("make", EXPORTS, ids=lambda make: make.__name__)
def test_a_column_of_consent_that_is_not_used_is_said_even_when_quiet(shop, audience, make):
    export = make()
    shop.file("people.csv", export.text)
    said = notices(shop(*PUSH, *export.words).stderr)
    assert {*said} == {*COLUMNS.get(make, [])}


@pytest.mark.parametrize("other", ["maybe", None, 2])
def test_the_option_that_is_named_leaves_out_as_many_as_it_says_of_records(shop, other):
    answers = [True, None, False, other]
    rows = [{"email": f"p{number}@x.de", "Consent": answer} for number, answer in enumerate(answers)]
    shop.file("people.csv", json.dumps(rows))
    words = ("audiences", "check", "people.csv", "-o", "json", "--format", "json")
    done = shop(*words)
    (condition,) = notices(done.stderr)["Consent"]
    assert " leaves out 3 of 4 rows" in done.stderr
    assert json.loads(shop(*words, "--where", condition).stdout)["left_out"] == 3


@pytest.mark.parametrize("make", COLUMNS, ids=lambda make: make.__name__)
def test_the_option_that_is_named_leaves_out_who_did_not_agree(shop, audience, make):
    export = make()
    shop.file("people.csv", export.text)
    column, *others = COLUMNS[make]
    (condition,) = notices(shop(*PUSH, *export.words).stderr)[column]
    audience.bodies.clear()
    ignored = [word for other in others for word in ("--ignore", other)]
    done = shop(*PUSH, *export.words, "--where", condition, *ignored)
    assert not done.stderr
    summary = json.loads(done.stdout)
    made = {each.email: each.agreed for seed in range(1, 20) for each in people(seed)}
    agreed = {digest(email) for email, agreed in made.items() if agreed}
    sent = [{*user["email"]} for body in audience.bodies for one in body for user in one["params"]["users"]]
    everybody = [user["email"] for user in export.users]
    assert sent == [emails for emails in everybody if emails & agreed]
    assert summary["left_out"] == len(everybody) - len(sent) > 20
    assert summary["valid"] == summary["users"] == len(sent)
    assert summary["rows"] == len(everybody)


def test_the_notice_names_the_column_how_many_rows_and_both_options(shop, audience):
    shop.file("people.csv", "Email,Accepts Marketing,Status\na@x.de,yes,\nb@x.de,no,\nc@x.de,,\n")
    (notice,) = shop(*PUSH).stderr.splitlines()
    assert notice == (
        "warning: people.csv: 'Accepts Marketing' tells who may be contacted, and is not used:"
        " --where 'Accepts Marketing=yes' leaves out 2 of 3 rows,"
        " --ignore 'Accepts Marketing' leaves out none"
    )
    assert not shop(*PUSH, "--ignore", "Accepts Marketing").stderr
    assert not shop(*PUSH, "--where", "Accepts Marketing=yes").stderr


@pytest.mark.parametrize(
    ("header", "answers", "condition", "left_out"),
    [
        ("Unsubscribed", ["true", "", "false"], "Unsubscribed!=true", 1),
        ("Blocklisted", ["0", "0", "0"], "Blocklisted!=1", 0),
        ("Consent", ["2024-01-01", "", "web"], "Consent!=", 1),
        ("UNSUB_TIME", ["2024-01-01 10:00:00", "", ""], "UNSUB_TIME=", 1),
        ("Opt-in", ["Ja", "Nein", "Ja"], "Opt-in=Ja", 1),
        ("Subscribed", ["no", "no", ""], "Subscribed=yes", 3),
        ("HasOptedOutOfEmail", ["1", "0", "0"], "HasOptedOutOfEmail!=1", 1),
    ],
)
def test_the_option_fits_the_answers(adsctl, header, answers, condition, left_out):
    rows = "".join(f"p{number}@x.de,{answer}\n" for number, answer in enumerate(answers))
    adsctl.file("people.csv", f"Email,{header}\n{rows}")
    report = json.loads(adsctl("audiences", "check", "people.csv", "-q", "-o", "json").stdout)
    where = shlex.quote(condition)
    assert any(f"--where {where} leaves out {left_out} of 3 rows" in text for text in report["warnings"])
    words = ("audiences", "check", "people.csv", "-o", "json", "--where", condition)
    done = json.loads(adsctl(*words, code=3 if left_out == 3 else 0).stdout)
    assert (done["rows"], done["valid"], done["left_out"]) == (3, 3 - left_out, left_out)


def test_a_list_of_people_who_must_not_be_reached_takes_those_who_refused(shop, audience):
    shop.file("people.csv", "Email,Unsubscribed\na@x.de,true\nb@x.de,\n")
    words = ("audiences", "do-not-reach", "push", "people.csv", "--list", "dnr", "-q")
    assert "--where Unsubscribed=true leaves out 1 of 2 rows" in shop(*words).stderr
    audience.bodies.clear()
    assert not shop(*words, "--where", "Unsubscribed=true").stderr
    assert [user["email"] for user in audience.bodies[0][0]["params"]["users"]] == [[digest("a@x.de")]]


@pytest.mark.parametrize(
    "header", ["MEMBER_RATING", "CONFIRM_TIME", "UNSUB_REASON", "Email Marketing Consent Timestamp"]
)
def test_a_column_that_tells_something_else_is_no_consent(shop, audience, header):
    shop.file("people.csv", f"Email,{header}\na@x.de,2\n")
    assert not shop(*PUSH).stderr


def test_answers_that_are_personal_are_in_no_message(shop, audience):
    shop.file("people.csv", "Email,Consent\na@x.de,geheim.person@example.com\nb@x.de,Frau Geheim\n")
    done = shop(*PUSH, "--debug")
    assert "Consent!=" in done.stderr and "geheim" not in (done.stdout + done.stderr).casefold()


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_rows_that_are_left_out_are_counted_and_neither_validated_nor_written(shop, audience, suffix):
    """Their lines, and those behind them, stay what they are in the file."""
    rows = [("a@x.de", "no"), ("nobody", "no"), ("nobody", "yes"), ("b@x.de", "yes")]
    shop.file("people.csv", "Email,Consent\n" + "".join(f"{email},{answer}\n\n" for email, answer in rows))
    records = (json.dumps({"Email": email, "Consent": answer}) for email, answer in rows)
    shop.file("people.jsonl", "".join(f"{record}\n\n" for record in records))
    push = ("audiences", "push", f"people.{suffix}", "--audience", "aud", "-o", "json", "--skip-invalid")
    done = shop(*push, "--where", "Consent=yes", "--failed-out", "failed.csv", code=9)
    summary = json.loads(done.stdout)
    assert [summary[name] for name in ("rows", "left_out", "valid", "invalid")] == [4, 2, 1, 1]
    line = {"csv": 6, "jsonl": 5}[suffix]
    assert f"people.{suffix}:{line}: email" in done.stderr
    failed = (shop.home / "failed.csv").read_text().splitlines()[1:]
    assert [row.split(",")[:3] for row in failed] == [["nobody", "yes", str(line)]]
    assert [user["email"] for user in audience.bodies[0][0]["params"]["users"]] == [[digest("b@x.de")]]


def test_a_rejected_person_behind_left_out_ones_is_found_by_line(shop, audience):
    audience.bad = {digest("b@x.de")}
    shop.file("people.csv", "Email,Consent\na@x.de,no\nc@x.de,yes\nb@x.de,yes\n")
    words = ("audiences", "push", "people.csv", "--audience", "aud", "--where", "Consent=yes")
    done = shop(*words, "--failed-out", "failed.csv", code=9)
    assert "people.csv:4" in done.stderr
    assert (shop.home / "failed.csv").read_text().splitlines()[1].startswith("b@x.de,yes,4,")
