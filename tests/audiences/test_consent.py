"""Consent: rows are left out by --where, and a column that tells it is never passed over in silence."""

import json
import shlex

import pytest

from ads_cli.audiences import list_packer

from .conftest import digest
from .customers import PEOPLE, people
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
    notices_by_column = {}
    for line in stderr.splitlines():
        if "tells who may be contacted" in line:
            words = shlex.split(line.partition(": --where ")[2].partition(" leaves out")[0])
            notices_by_column[line.partition("people.csv: ")[2].split(" tells")[0].strip("'\"")] = words
    return notices_by_column


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


@pytest.mark.parametrize(("column", "left_out"), [("Consent", 5), ("Unsubscribed", 1)])
def test_records_without_the_column_of_consent_are_counted_too(shop, monkeypatch, column, left_out):
    monkeypatch.setattr(list_packer, "CHUNK_ROWS", 2)
    rows = [{"email": f"p{number}@x.de"} | ({column: True} if number == 5 else {}) for number in range(6)]
    shop.file("people.jsonl", "\n".join(map(json.dumps, rows)))
    words = ("audiences", "check", "people.jsonl", "-o", "json")
    said = shop(*words).stderr.replace("people.jsonl: ", "people.csv: ")
    (condition,) = notices(said)[column]
    assert f" leaves out {left_out} of 6 rows" in said
    assert json.loads(shop(*words, "--where", condition).stdout)["left_out"] == left_out


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
    made = {person.email: person.agreed for seed in range(1, 20) for person in people(seed)}
    agreed = {digest(email) for email, agreed in made.items() if agreed}
    sent = [
        {*user["email"]}
        for body in audience.bodies
        for operation in body
        for user in operation["params"]["users"]
    ]
    everybody = [user["email"] for user in export.users]
    assert sent == [emails for emails in everybody if emails & agreed]
    assert summary["left_out"] == len(everybody) - len(sent) > PEOPLE // 12
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
        ("Blocklisted", ["0", "0", "0"], "Blocklisted!=yes", 0),
        ("UNSUB_TIME", ["2024-01-01 10:00:00", "", ""], "UNSUB_TIME=", 1),
        ("Opt-in", ["Ja", "Nein", "Ja"], "Opt-in=Ja", 1),
        ("Subscribed", ["no", "no", ""], "Subscribed=yes", 3),
        ("HasOptedOutOfEmail", ["1", "0", "0"], "HasOptedOutOfEmail!=1", 1),
        ("Unsubscribe status", ["subscribed", "unsubscribed", ""], "Unsubscribe status~^(subscribed|)$", 1),
        ("Unsubscribe status", ["subscribed", "unsubscribed", "cleaned"], "Unsubscribe status=subscribed", 2),
        ("Opt-out status", ["opted-in", "opted-in", "opted-out"], "Opt-out status=opted-in", 1),
        ("Email Opt Out", ["opt-in", "opt-out", "opt-out"], "Email Opt Out=opt-in", 2),
        ("Opt Out", ["granted", "denied", "denied"], "Opt Out=denied", 1),
        ("Consent", ["refused", "", ""], "Consent=yes", 3),
        ("Consent", ["no", "denied", "granted"], "Consent=granted", 2),
        ("Consent", ["yes", "granted", "denied"], "Consent~^(yes|granted)$", 1),
        ("Consent", ["granted", "not granted", "notGiven"], "Consent=granted", 2),
        ("Unsubscribed", ["yes", "unsubscribed", "true"], "Unsubscribed~^(no)$", 3),
        ("Newsletter", ["x", "", "X"], "Newsletter~^(x|X)$", 1),
        ("Werbesperre", ["x", "", ""], "Werbesperre=", 1),
        ("Newsletter", ["o", "x", "o"], "Newsletter~^(o)$", 1),
        ("UNSUB_TIME", ["", "", ""], "UNSUB_TIME=", 0),
        ("Unsubscribed", ["", "", ""], "Unsubscribed=", 0),
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


@pytest.mark.parametrize(
    ("header", "cells", "condition", "left_out"),
    [
        ("status", "subscribed unsubscribed bounced", "status=subscribed", 2),
        ("status", "enabled blocklisted disabled", "status=enabled", 2),
        ("status", "active subscribed unsubscribed", "status~^(active|subscribed)$", 1),
        ("status", "Subscribed,Never subscribed,Not specified", "status=Subscribed", 2),
        ("status", "transactional complained non-subscribed", "status=subscribed", 3),
        ("status", "unsubscribed,,bounced", "status=", 2),
        ("state", "subscribed pending archived", "state=subscribed", 2),
        ("Member Status", "Subscribed Cleaned Gold", "Member Status=Subscribed", 2),
        ("Contact Status", "active inactive active", "Contact Status=active", 1),
        ("Email Status", "valid invalid catch-all", "Email Status=valid", 2),
        ("list_status", "opted-in opted-out unconfirmed", "list_status=opted-in", 2),
        (
            "Marketing status",
            "Marketing contact,Non-marketing contact,",
            "Marketing status=Marketing contact",
            2,
        ),
        ("Subscription", "yes no yes", "Subscription=yes", 1),
        ("Abonniert", "ja nein", "Abonniert=ja", 1),
        ("Kontaktstatus", "Abonniert,Nicht abonniert,Bereinigt", "Kontaktstatus=Abonniert", 2),
        ("Statut", "abonné,désabonné,non abonné", "Statut=abonné", 2),
        ("Estado", "suscrito,no suscrito,dado de baja", "Estado=suscrito", 2),
        ("Stato", "iscritto disiscritto rimbalzato", "Stato=iscritto", 2),
        ("Situação", "inscrito descadastrado", "Situação=inscrito", 1),
        ("Stav", "přihlášen odhlášen", "Stav=přihlášen", 1),
        ("Статус", "Подписан,Не подписан,Отписан", "Статус=Подписан", 2),
        ("Durum", "AKTİF PASİF", "Durum=AKTİF", 1),
        ("配信状態", "購読中 配信停止", "配信状態=購読中", 1),
        ("状态", "已订阅 已退订 未订阅", "状态=已订阅", 2),
        ("Column 7", "Subscribed Unsubscribed", "Column 7=Subscribed", 1),
        ("Reason", "UNSUBSCRIBED USER_SUPPRESSED", "Reason=subscribed", 2),
        ("Email Suppressions", "USER_SUPPRESSED,", "Email Suppressions=", 1),
        ("Email Marketing Consent", "SUBSCRIBED NEVER_SUBSCRIBED", "Email Marketing Consent=SUBSCRIBED", 1),
        ("CLEAN_TIME", "2026-01-01 10:00:00,", "CLEAN_TIME=", 1),
        ("SMS blocklisted", "no yes", "SMS blocklisted!=yes", 1),
        ("Bounced", "no yes", "Bounced!=yes", 1),
        ("Email hard bounce reason", "MAILBOX_FULL,", "Email hard bounce reason=", 1),
        ("unsubscribed_at", "2026-01-01T10:00:00Z,", "unsubscribed_at=", 1),
        ("Abgemeldet am", "01.02.2026,", "Abgemeldet am=", 1),
        ("Email Suppressions", "[] [] []", "Email Suppressions=[]", 0),
        ("Email Suppressions", "[] [{'reason':'bounced'}] []", "Email Suppressions=[]", 1),
        ("Email Suppressions", "[] {} null none", r"Email Suppressions~^(\[\]|\{\}|null|none)$", 0),
        ("unsubscribed_at", "2026-01-01,0000-00-00,NULL", r"unsubscribed_at~^(0000\-00\-00|NULL)$", 1),
        ("OPTIN_TIME", "2026-01-01 10:00:00,NULL", "OPTIN_TIME!=NULL", 1),
        ("Opt-in", "yes null", "Opt-in~^(yes)$", 1),
        ("status", '="subscribed" ="unsubscribed"', "status=subscribed", 1),
        ("Column 7", '="subscribed" ="unsubscribed"', "Column 7=subscribed", 1),
        ("Consent", '="yes" ="no"', "Consent=yes", 1),
    ],
)
def test_a_status_that_tells_who_may_be_contacted_is_known_by_its_words(
    adsctl, header, cells, condition, left_out
):
    texts = cells.split("," if "," in cells else " ")
    rows = "".join(f"p{number}@x.de,{text}\n" for number, text in enumerate(texts))
    adsctl.file("people.csv", f"Email,{header}\n{rows}")
    words = ("audiences", "check", "people.csv", "-q", "-o", "json")
    done = adsctl(*words)
    left = f"{left_out} of {len(texts)} rows"
    assert f": --where {shlex.quote(condition)} leaves out {left}, --ignore" in done.stderr
    done = adsctl(*words, "--where", condition, code=3 if left_out == len(texts) else 0)
    assert "tells who" not in done.stderr and json.loads(done.stdout)["left_out"] == left_out


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("status", "paid shipped pending"),
        ("status", "active trial churned"),
        ("status", "active active active"),
        ("status", "pending maybe"),
        ("Order status", "completed pending cancelled"),
        ("Account Status", "enabled disabled invited"),
        ("Member Status", "Gold Silver"),
        ("Subscription", "Premium Basic"),
        ("state", "CA NE OK"),
        ("State", "Bayern Hessen"),
        ("Estado", "Jalisco,Nuevo León"),
        ("Stav", "zaplaceno odesláno"),
        ("Group", "active inactive"),
        ("MEMBER_RATING", "1 2"),
        ("Marketing emails bounced", "0 1"),
        ("Last name", "Active Bounced Enabled"),
    ],
)
def test_a_status_of_something_else_is_no_consent(adsctl, header, cells):
    texts = cells.split("," if "," in cells else " ")
    rows = "".join(f"p{number}@x.de,{text}\n" for number, text in enumerate(texts))
    adsctl.file("people.csv", f"Email,{header}\n{rows}")
    assert not adsctl("audiences", "check", "people.csv", "-q").stderr


def test_a_list_with_several_columns_of_consent_names_their_options_together(adsctl):
    cells = ["subscribed,no,", "unsubscribed,no,", "subscribed,yes,", "subscribed,no,2026-01-01"]
    rows = "".join(f"p{number}@x.de,{text}\n" for number, text in enumerate(cells))
    adsctl.file("people.csv", f"Email,status,Email blocklisted,Unsubscribed on\n{rows}")
    said = adsctl("audiences", "check", "people.csv", "-q").stderr.splitlines()
    together = "--where status=subscribed --where 'Email blocklisted!=yes' --where 'Unsubscribed on='"
    assert said[3:] == [f"warning: people.csv: 3 columns tell who may be contacted; to use all: {together}"]
    done = adsctl("audiences", "check", "people.csv", "-q", "-o", "json", *shlex.split(together))
    assert not done.stderr and json.loads(done.stdout)["valid"] == 1


@pytest.mark.parametrize(("column", "taken"), [("Email", "1"), ("Phone", "2"), ("Email,Phone", "")])
def test_what_people_said_of_another_channel_is_told_and_not_among_the_options_of_all(adsctl, column, taken):
    """Of a list of e-mail addresses, those without consent to text messages are kept, and the reverse."""
    people = {"Email": "a@x.de", "Phone": "+4915112345678"}
    cells = ",".join(people[name] for name in column.split(","))
    header = f"{column},Automobile status,Accepts Email Marketing,Accepts SMS Marketing"
    adsctl.file("people.csv", f"{header}\n{cells},subscribed,yes,yes\n{cells},unsubscribed,no,no\n")
    said = adsctl("audiences", "check", "people.csv", "-q").stderr.splitlines()
    options = ["--where 'Accepts Email Marketing=yes'", "--where 'Accepts SMS Marketing=yes'"]
    assert [option in said[-1] for option in options] == [taken != "2", taken != "1"]
    assert "--where 'Automobile status=subscribed'" in said[-1] and all(
        option in line for option, line in zip(options, said[1:3], strict=True)
    )
    others = [line for line in said if line.endswith(", which the list does not have")]
    assert len(others) == bool(taken) and all(("SMS" if taken == "1" else "Email") in line for line in others)


def test_a_status_is_told_at_every_sync_and_by_records(shop, audience, monkeypatch):
    """It is told of rows that the sync knows, of the rows of each block, and of records without it."""
    monkeypatch.setattr(list_packer, "BLOCK_BYTES", 1000)
    cells = ["", "vip"] * 100 + ["unsubscribed", "Geheim"] + ["subscribed"] * 100
    shop.file("people.csv", "Email,Note\n" + "".join(f"p{n}@x.de,{text}\n" for n, text in enumerate(cells)))
    rows = [{"email": f"p{n}@x.de"} | ({"Note": text} if text else {}) for n, text in enumerate(cells)]
    shop.file("people.jsonl", "\n".join(map(json.dumps, rows)))
    for words in (
        ("sync", "people.csv", "--audience", "aud", "--yes"),
        ("sync", "people.csv", "--audience", "aud", "--yes"),
        ("push", "people.csv", "--audience", "aud"),
        ("check", "people.jsonl"),
    ):
        said = shop("audiences", *words, "-q").stderr
        assert said.count("'Note' tells who may") == 1 and "Geheim" not in said
        assert "--where Note=subscribed leaves out 202 of 302 rows" in said


@pytest.mark.parametrize("header", ["Consent", "Unsubscribed"])
def test_of_texts_that_are_not_known_no_option_is_guessed(shop, audience, header):
    shop.file("people.csv", f"Email,{header}\na@x.de,2024-01-01\nb@x.de,\nc@x.de,maybe\n")
    (notice,) = shop(*PUSH).stderr.splitlines()
    assert notice == (
        f"warning: people.csv: '{header}' tells who may be contacted, and is not used: no cell has a known"
        f" answer, so say with --where whom to take; --ignore {header} leaves out none"
    )


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


@pytest.mark.parametrize(
    "header", ["Unsubscribe Date", "Email Opt Out Timestamp", "Abmeldedatum", "Consent withdrawn date"]
)
def test_a_column_that_tells_when_people_refused_tells_who_did(shop, audience, header):
    shop.file("people.csv", f"Email,{header}\na@x.de,2024-01-01\nb@x.de,\n")
    (notice,) = shop(*PUSH).stderr.splitlines()
    assert notice.endswith(f" leaves out 1 of 2 rows, --ignore {shlex.quote(header)} leaves out none")
    audience.bodies.clear()
    assert not shop(*PUSH, "--where", f"{header}=").stderr
    assert [user["email"] for user in audience.bodies[0][0]["params"]["users"]] == [[digest("b@x.de")]]


def test_answers_that_are_personal_are_in_no_message(shop, audience):
    shop.file("people.csv", "Email,Consent\na@x.de,geheim.person@example.com\nb@x.de,Frau Geheim\n")
    done = shop(*PUSH, "--debug")
    assert "'Consent' tells" in done.stderr and "geheim" not in (done.stdout + done.stderr).casefold()


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
