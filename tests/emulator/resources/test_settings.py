"""Settings, tracking tags, lookups and recommendations: typed commands, under both services."""

import json
from datetime import UTC, datetime

from ads_cli.emulator.seed.credentials import OTHER_USER, USER
from tests.emulator.seeded import CAFE, CARD, CLICKS, ENDED, INSTALLS, REACH, SHOP


def test_tax_settings_are_shown_and_changed_field_by_field(run):
    before = run("settings", "tax", "get")
    assert before["address_country"] == "DE" and "id" not in before
    changed = run("settings", "tax", "update", "--address-name", "Nordlicht AG", "--bill-to", "AGENCY")
    assert changed == before | {"address_company": "Nordlicht AG", "bill_to": "AGENCY"}
    assert run("settings", "tax", "update", "--client-address-city", "Kiel") == changed
    assert run("settings", "tax", "get") == changed
    managed = run("settings", "tax", "get", "--account", CAFE)
    assert (managed["address_company"], managed["tax_id"]) == ("Kontor Acht", None)


def test_tax_settings_keep_the_values_of_the_facts(run):
    error = run("settings", "tax", "update", "--bill-to", "NOT_SET", "--address-country", "Germany", code=2)
    assert "--bill-to: 'NOT_SET' is not one of ADVERTISER, AGENCY" in error
    assert "--address-country: 'Germany' is not allowed: two capital letters" in error
    assert "nothing to change" in run("settings", "tax", "update", code=2)


def test_only_the_user_changes_how_they_are_contacted(run):
    before = run("settings", "user", "get", USER)
    assert before["contact_phone_extension"] == ""
    words = ("settings", "user", "update")
    changed = run(
        *words, USER, "--contact-phone-extension", "14", "--subscribe-email-types", "ACCOUNT_PERFORMANCE"
    )
    assert changed == before | {"contact_phone_extension": "14"} == run("settings", "user", "get", USER)
    assert run("settings", "user", "get", OTHER_USER)["notification_email"] == "team@kontoracht.example"
    assert f"only the user {OTHER_USER}" in run(*words, OTHER_USER, "--contact-phone", "1", code=4)
    assert "does not exist" in run("settings", "user", "get", "12", code=5)


def test_the_echo_names_the_mail_otherwise(run):
    words = (
        "settings",
        "user",
        "update",
        USER,
        "--subscribe-email-types",
        "ACCOUNT_PERFORMANCE",
        "--envelope",
    )
    params = run(*words)["request"]["params"]
    assert params["subscribed_campaign_events"] == ["ACCOUNT_PERFORMANCE"]
    assert "subscribe_email_types" not in params


def test_access_shows_what_the_user_may_do_in_each_account(run):
    assert run("settings", "access") == {"user_id": USER, "permissions": ["ACCOUNT_ADMIN", "POST_COMPOSER"]}
    assert run("settings", "access", "--account", CAFE)["permissions"] == ["AD_MANAGER", "POST_COMPOSER"]


def test_the_wire_name_of_a_permission_is_that_of_the_service(adsctl):
    sent = adsctl.local("settings", "access", "--service", "x", "-o", "json").stdout
    assert json.loads(sent)["permissions"] == ["ACCOUNT_ADMIN", "TWEET_COMPOSER"]


def test_a_tracking_tag_is_created_listed_changed_and_deleted(run):
    kind, url = ("--tracking-tag-type", "CLICK_TRACKER"), "https://measure.example/c?ord=[timestamp]"
    made = run("tracking-tags", "create", "--line-item", REACH, *kind, "--tracking-tag-url", url)
    tag = made["id"]
    assert (made["line_item_id"], made["tracking_tag_url"]) == (REACH, url)
    assert run("tracking-tags", "get", tag) == made
    assert run("tracking-tags", "list", "--line-items", REACH) == [made]
    changed = run("tracking-tags", "update", tag, "--tracking-tag-url", "https://measure.example/d")
    assert changed["tracking_tag_url"] == "https://measure.example/d"
    assert run("tracking-tags", "delete", tag)["deleted"] is True
    assert "does not exist" in run("tracking-tags", "get", tag, code=5)
    both = run("tracking-tags", "list", "--tracking-tag-ids", f"{tag},6tt03", "--with-deleted")
    assert [(record["id"], record["line_item_id"]) for record in both] == [("6tt03", INSTALLS), (tag, REACH)]


def test_tags_of_deleted_line_items_and_of_no_address_are_refused(run):
    words = ("tracking-tags", "create", "--tracking-tag-type", "CLICK_TRACKER", "--tracking-tag-url")
    assert "does not exist" in run(*words, "https://m.example/c", "--line-item", ENDED, code=6)
    error = run(*words, "measure.example", code=2)
    assert "--tracking-tag-url: 'measure.example' is not allowed" in error and "--line-item" in error


def test_categories_of_the_iab_are_paged_and_lead_to_their_parents(run):
    every = run("lookup", "iab-categories")
    parents = {record["id"] for record in every if record["parent_id"] is None}
    assert {record["parent_id"] for record in every} - {None} <= parents and len(every) > 60
    assert set(every[0]) == {"id", "parent_id", "name"}
    assert run("lookup", "iab-categories", "--count", "40", "--all") == every
    envelope = run("lookup", "iab-categories", "--count", "7", "--with-total-count", "--envelope")
    assert envelope["total_count"] == len(every) and envelope["next_cursor"]


def test_content_categories_and_publishers_name_what_exists(run):
    iab = {record["id"] for record in run("lookup", "iab-categories")}
    content = run("lookup", "content-categories")
    assert all(set(category["iab_categories"]) <= iab for category in content)
    publishers = run("lookup", "publishers")
    known = {category["id"] for category in content}
    assert all(
        set(publisher["content_category_ids"]) <= known and "id" not in publisher for publisher in publishers
    )
    assert any(publisher["monetization_restricted"] for publisher in publishers)
    assert run("lookup", "content-categories", "--envelope")["total_count"] == len(content)
    assert run("lookup", "publishers", "--envelope")["next_cursor"] is None


def test_a_recommendation_is_a_tree_of_changes(run):
    (listed,) = run("recommendations", "list")
    assert (listed["funding_instrument_id"], listed["account_id"]) == (CARD, SHOP) and "changes" not in listed
    assert run("recommendations", "list", "--account", CAFE) == []
    whole = run("recommendations", "get", listed["id"], "--envelope")
    assert whole["data_type"] == "recommendation" and listed.items() <= whole["data"].items()
    (campaign,) = whole["data"]["changes"]
    assert (campaign["entity_type"], campaign["operation_type"]) == ("campaigns", None)
    assert campaign["dependent_entities"][0]["params"]["line_item_id"] == CLICKS
    assert "does not exist" in run("recommendations", "get", "none", code=5)


def test_the_history_is_of_one_entity_one_user_and_the_hours_before_its_end(run, time_machine):
    time_machine.move_to(datetime(2026, 11, 23, 9, tzinfo=UTC), tick=False)
    run("line-items", "update", CLICKS, "--name", "Renamed")

    def changed(*words):
        entity = ("--entity-type", "LINE_ITEM", "--entity-id", CLICKS)
        records = run("accounts", "history", *entity, *words)
        return [record["changes"]["name"]["after"] for record in records if record["change_type"] == "UPDATE"]

    during = ("--start-time", "2026-11-23T09:00Z", "--end-time", "2026-11-23T10:00Z")
    assert changed(*during) == changed(*during, "--user-id", str(USER)) == ["Renamed"]
    assert changed(*during, "--user-id", str(OTHER_USER)) == []
    assert changed("--start-time", "2026-11-23T08:00Z", "--end-time", "2026-11-23T09:00Z") == []
    assert changed("--start-time", "2026-11-23T10:00Z", "--end-time", "2026-11-23T11:00Z") == []
