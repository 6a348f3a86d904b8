"""Headers and cells that tell consent: what agrees, what refuses, and what is something else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.audiences.consent import (
    DENIED,
    GRANTED,
    NO,
    QUOTABLE,
    SUBSCRIBED,
    UNDECIDED,
    UNREACHABLE,
    UNSUBSCRIBED,
    YES,
    CellAnswers,
    asks_for_answer,
    choose_condition,
    compared_by,
    count_answers,
)
from ads_cli.audiences.headers import Consent, consent_of_column
from tests.effort import tries

AGREE = ["subscribed", "SUBSCRIBED", "opted-in", "Opt-in", "double_opt-in", "single_opt-in"]
REFUSE = ["unsubscribed", "UNSUBSCRIBED", "opted-out", "Opt-out", "never_subscribed", "not subscribed"]
MEAN_YES = ["yes", "TRUE", "1", "Ja", "granted", "accepted", "Confirmed", "active", "given"]
MEAN_NO = ["no", "False", "0", "nein", "denied", "refused", "Declined", "rejected", "inactive"]
AGREED_IN = {
    "Consent": {*AGREE, *MEAN_YES},
    "Newsletter": {*AGREE, *MEAN_YES},
    "Unsubscribe status": {*AGREE, *MEAN_NO, ""},
    "Consent withdrawn": {*AGREE, *MEAN_NO, ""},
}


def taken(header: str, cells: list[str], *, wants_refusals: bool = False) -> list[str]:
    """Return the cells of the rows that the option takes which messages name."""
    kind = consent_of_column(header)
    assert kind
    where = choose_condition(header, kind, count_answers(cells), wants_refusals=wants_refusals)
    assert where
    condition = compared_by(where, CellAnswers.of(cells), header) if asks_for_answer(where) else where
    return [text for text in cells if condition.holds(text)]


@settings(max_examples=tries(100, 2000))
@given(
    st.sampled_from([*AGREED_IN]),
    st.lists(st.sampled_from([*AGREE, *REFUSE, *MEAN_YES, *MEAN_NO, ""]), min_size=1, max_size=6),
    st.booleans(),
)
def test_the_option_takes_exactly_those_who_agreed_or_those_who_refused(header, cells, wants_refusals):
    chosen = taken(header, cells, wants_refusals=wants_refusals)
    assert chosen == [text for text in cells if (text in AGREED_IN[header]) != wants_refusals]


@pytest.mark.parametrize(
    "header",
    [
        "Desuscrito",
        "Not subscribed",
        "not_subscribed",
        "NotSubscribed",
        "No longer subscribed",
        "No newsletter",
        "No e-mail marketing",
        "Kein Newsletter",
        "Ohne Einwilligung",
        "non abonné",
        "Client non inscrit",
        "non iscritto",
        "no suscrito",
        "Correo no suscrito",
        "Niet aangemeld",
        "Nicht angemeldet",
        "Nicht zum Newsletter angemeldet",
        "Odhlášen z newsletteru",
        "Bez souhlasu",
        "Cancelled newsletter",
        "Newsletter canceled",
        "Newsletter declined",
        "Newsletter blocked",
        "Consent withdrawn",
        "Withdrawn consent",
        "Consent revoked",
        "Consent denied",
        "consentDenied",
        "Consent not given",
        "Einwilligung widerrufen",
        "Consentement refusé",
        "Nessun consenso",
        "Einwilligung nicht erteilt",
        "Brak zgody",
        "Do not send newsletter",
        "Don't send newsletter",
        "No enviar newsletter",
        "Newsletter inactive",
        "Newsletter not wanted",
        "Newsletter nicht gewünscht",
        "Newsletter inaktiv",
    ],
)
def test_a_header_of_agreement_that_is_negated_tells_who_refused(header):
    assert consent_of_column(header) is Consent.REFUSED


@pytest.mark.parametrize(
    "header",
    [
        "Teléfono suscrito",
        "Alumno inscrito",
        "Casino Newsletter",
        "Newsletter No.",
        "newsletter_no_2",
        "Newsletter notification",
        "Newsletter notes",
        "Newsletter (yes/no)",
        "Yes / No newsletter",
        "Abonné oui/non",
        "Non-profit newsletter",
        "Norsk nyhetsbrev newsletter",
        "Consent granted/denied",
        "Consent (granted or denied)",
        "Consent not withdrawn",
        "Einwilligung nicht widerrufen",
        "Consent given",
        "Retirees newsletter",
        "Casa Nova iscritto",
        "Piano consenso",
        "Newsletter active/inactive",
        "Newsletter not inactive",
        "Interactive newsletter",
    ],
)
def test_a_header_of_agreement_with_letters_of_a_negation_tells_who_agreed(header):
    assert consent_of_column(header) is Consent.AGREED


@pytest.mark.parametrize(
    "header",
    ["Not unsubscribed", "Never opted out", "notBlocklisted", "Nicht abgemeldet", "Not on blacklist"],
)
def test_a_header_of_refusal_that_is_negated_tells_who_agreed(header):
    assert consent_of_column(header) is Consent.AGREED


@pytest.mark.parametrize("header", ["Don't contact", "Unsubscribed? (no = subscribed)", "Norsk avmeldt"])
def test_a_header_of_refusal_tells_who_refused(header):
    assert consent_of_column(header) is Consent.REFUSED


@pytest.mark.parametrize(
    ("header", "refused"),
    [
        ("配信停止", "はい"),
        ("メール配信の同意", "いいえ"),
        ("不同意", "是"),
        ("订阅", "否"),
        ("수신 거부", "예"),
        ("마케팅 수신동의", "아니요"),
        ("Согласие на рассылку", "нет"),
        ("Отказ от рассылки", "да"),
        ("Нет согласия", "да"),
        ("Згода на розсилку", "ні"),
        ("Συγκατάθεση", "όχι"),
        ("الموافقة على التسويق", "لا"),
        ("הסכמה לדיוור", "לא"),
        ("ยินยอม", "ไม่"),
        ("सहमति", "नहीं"),
        ("Không đồng ý", "có"),
        ("Souhlas", "ne"),
        ("Nesouhlas", "ano"),
        ("Leiratkozott", "igen"),
        ("Dezabonat", "da"),
        ("Suostumus", "ei"),
        ("Ticari ileti izni", "hayır"),
        ("Sprzeciw", "tak"),
        ("Einverständnis", "nein"),
        ("acepta_marketing", "no"),
        ("Do not allow bulk emails", "yes"),
        ("Can contact", "no"),
    ],
)
def test_a_column_in_any_language_leaves_out_who_refused(header, refused):
    assert taken(header, [refused]) == []
    assert taken(header, [refused], wants_refusals=True) == [refused]


@pytest.mark.parametrize(
    "header", ["Имя", "Подпись", "Город", "名前", "会社", "이름", "Medizin", "Milano marketing"]
)
def test_a_column_of_another_thing_in_any_language_is_no_consent(header):
    assert consent_of_column(header) is None


@pytest.mark.parametrize("header", ["Order cancelled", "Payment declined", "Not active", "Account blocked"])
def test_a_negation_alone_is_no_consent(header):
    assert consent_of_column(header) is None


def test_no_word_means_two_answers():
    meanings = [YES, NO, GRANTED, DENIED, SUBSCRIBED, UNSUBSCRIBED, UNREACHABLE, UNDECIDED, QUOTABLE]
    words = [word for meaning in meanings for word in meaning]
    assert sorted(words) == sorted({*words})
