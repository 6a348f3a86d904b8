"""A guard judges uploads of people by its limits, and by nothing else."""

import pytest

PUSH = ("audiences", "push", "p.csv", "--audience", "1nmth")
PEOPLE = "email\nana@shop.example\nben@shop.example\n"
MONEY = "max_account_daily_budget: 100000 EUR"
UPLOADS = {
    "push": PUSH,
    "several files": ("audiences", "push", "p.csv", "q.csv", "--audience", "1nmth"),
    "delete": (*PUSH, "--operation", "delete"),
    "sync": ("audiences", "sync", "p.csv", "--audience", "1nmth"),
    "do-not-reach": ("audiences", "do-not-reach", "push", "p.csv", "--list", "3k1a7"),
    "dry run": (*PUSH, "--dry-run"),
}


@pytest.fixture
def guarded(adsctl):
    adsctl.file("p.csv", PEOPLE)
    adsctl.file("q.csv", PEOPLE.replace("@", "2@"))

    def run(text: str, *words: str, code: int = 0):
        guard = str(adsctl.file("g.yaml", f"{text}\n"))
        return adsctl.local("--yes", "-o", "json", *words, code=code, ADSCTL_GUARD=guard)

    return run


@pytest.mark.parametrize("upload", UPLOADS)
def test_a_limit_of_money_lets_people_be_uploaded(guarded, upload):
    assert "guard" not in guarded(MONEY, *UPLOADS[upload]).stderr


@pytest.mark.parametrize("upload", UPLOADS)
@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("deny: users", "(users): deny is users"),
        ("read_only: true", "every change: read_only"),
        ("max_changes: 1", " changes: max_changes is 1"),
    ],
)
def test_an_upload_of_people_is_refused_for_the_reason_of_the_limit(guarded, upload, limit, reason):
    done = guarded(limit, *UPLOADS[upload], code=0 if upload == "dry run" else 12)
    assert reason in done.stderr and "cannot be judged" not in done.stderr


def test_a_limit_of_changes_says_how_many_people(guarded):
    assert "2 changes" in guarded("max_changes: 1", *PUSH, code=12).stderr
    guarded("max_changes: 2", *PUSH)


def test_where_nothing_may_be_deleted_people_are_added_and_not_removed(guarded):
    guarded("deny: delete", *PUSH)
    assert "deny is delete" in guarded("deny: delete", *UPLOADS["delete"], code=12).stderr
