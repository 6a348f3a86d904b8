"""A word that is not UTF-8, and an expression that no parser bears, are mistakes of usage."""

import json

import pytest

UNREADABLE = "\udcff"  # as Python reads the byte FF of an argument
WORDS = [
    ("audiences", "push", "p.csv", "--audience", UNREADABLE),
    ("audiences", "diff", "p.csv", "--audience", UNREADABLE),
    ("campaigns", "tree", UNREADABLE),
    ("stats", "jobs", "get", UNREADABLE),
    ("stats", "get", "--since", "yesterday", "--entity", "CAMPAIGN", "--ids", UNREADABLE),
    ("products", "push", "f.csv", "--catalog", UNREADABLE),
    ("campaigns", "list", "--account", UNREADABLE),
    ("api", "GET", f"/12/accounts/{UNREADABLE}"),
    ("changes", "show", UNREADABLE),
]


@pytest.mark.parametrize("words", WORDS, ids=lambda words: " ".join(words[:-1]))
def test_a_word_that_is_not_utf8_is_refused(adsctl, words):
    adsctl.file("p.csv", "email\nana@shop.example\n")
    done = adsctl.local("-o", "json", *words, code=2)
    assert "is not UTF-8" in json.loads(done.stderr.splitlines()[-1])["error"]["message"]


def test_a_file_may_have_any_name(adsctl):
    adsctl.file(f"{UNREADABLE}.csv", "id\n")
    assert "UTF-8" not in adsctl.local("products", "check", f"{UNREADABLE}.csv", code=None).stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [(("accounts", "get", "nobody", "--on-failure"), 5), (("--quiet", "emulator", "exec", "--"), 0)],
)
def test_a_program_may_have_any_name(adsctl, words, code):
    program = adsctl.file(f"{UNREADABLE}.sh", "#!/bin/sh\ntouch was-run\n")
    program.chmod(0o700)
    adsctl.local(*words, program, code=code)
    assert (adsctl.home / "was-run").exists()


def test_a_folder_may_have_any_name(adsctl):
    done = adsctl.local("mcp", "--files", UNREADABLE, code=2)
    assert "is not a folder" in done.stderr


@pytest.mark.parametrize("expression", ["(" * 5000 + ")" * 5000, "a{99999999999999999999}"])
def test_an_expression_that_cannot_be_compiled_is_refused(adsctl, expression):
    done = adsctl.local("campaigns", "get", "--where", f"name~{expression}", code=2)
    assert "bug" not in done.stderr and "--where" in done.stderr
