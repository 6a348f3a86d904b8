"""What is said of each of several files that are pushed."""

import pytest

from ads_cli.commands.audiences import lists

from .parts import PUSH, person, write_parts


def answers(*cells: str, header: str = "opt in") -> str:
    return f"email,{header}\n" + "".join(f"u{n}@x.de,{cell}\n" for n, cell in enumerate(cells))


def test_who_would_be_left_out_is_said_of_each_file_with_its_own_count(shop, audience):
    shop.file("1.csv", answers("yes", "yes"))
    shop.file("2.csv", answers("no", "no"))
    said = shop(*PUSH, "1.csv", "2.csv", "-q").stderr.splitlines()
    assert [(line.split()[1], line.partition(" leaves out ")[2][:11]) for line in said] == [
        ("1.csv:", "0 of 2 rows"),
        ("2.csv:", "2 of 2 rows"),
    ]


def test_columns_of_consent_that_differ_in_a_digit_are_each_warned_of(shop, audience):
    shop.file("1.csv", answers("yes,no", header="opt in 1,opt in 2"))
    shop.file("2.csv", answers("yes", header="opt in 3"))
    said = shop(*PUSH, "1.csv", "2.csv", "-q").stderr
    assert [f"'opt in {n}' tells who" in said for n in (1, 2, 3)] == [True] * 3


def test_no_option_is_named_for_a_column_that_not_every_file_has(shop):
    """It would be refused for the files without the column."""
    shop.file("1.csv", answers("yes,yes", "no,yes", header="Consent,Newsletter"))
    shop.file("2.csv", answers("ja,yes", "nein,no", header="Zustimmung,Newsletter"))
    words = ("audiences", "check", "1.csv", "2.csv", "-q", "-o", "json")
    said = shop(*words).stderr
    for column in ("Consent", "Zustimmung"):
        assert f"'{column}' tells who may be contacted, and is not used: not every file has it, so" in said
    assert said.count("--where ") == 1
    done = shop(*words, "--where", "Newsletter=yes")
    assert '"left_out": 1' in done.stdout


def test_what_files_have_in_common_is_said_once(shop, audience):
    for n in (1, 2, 3):
        shop.file(f"{n}.csv", answers("yes", "no").replace("email", "Courriel"))
    said = shop(*PUSH, "1.csv", "2.csv", "3.csv").stderr.splitlines()
    (warning,) = (line for line in said if "'opt in' tells who" in line)
    assert warning.startswith("warning: 1.csv: ")
    notes = [line for line in said if "'Courriel' is read as email" in line]
    assert [note.split(": ")[1] for note in notes] == ["1.csv, 2.csv, 3.csv", "1.csv"]


@pytest.mark.parametrize("quiet", [True, False])
def test_invalid_rows_of_each_file_are_named_also_where_quiet(shop, audience, quiet):
    write_parts(shop, 2)
    for part in range(2):
        shop.file(f"people/part-{part:03}.csv", f"email\n{person(part, 0)}\nnobody\n")
    words = ("people/*.csv", "--skip-invalid", *["-q"] * quiet)
    said = shop(*PUSH, *words, code=9).stderr
    places = [f"people/part-00{part}.csv:3" for part in range(2)]
    if quiet:
        assert f"{places[0]}: email: is not a valid" in said and ", ".join(places) in said
    else:
        assert all(f"warning: {place}: email: is not a valid" in said for place in places)
        assert said.count("1 of 2 rows invalid and not sent") == 2
    assert said.count("warning: ") == (0 if quiet else 2) and "2 invalid rows not sent" in said


def test_once_the_columns_of_a_file_do_not_do_no_further_file_is_opened(shop, audience, monkeypatch):
    opened = []
    peek = lists.ListOptions.peek
    monkeypatch.setattr(lists, "PEEKED_AT_ONCE", 1)
    monkeypatch.setattr(lists.ListOptions, "peek", lambda *args: opened.append(args[1]) or peek(*args))
    write_parts(shop, 200)
    shop.file("people/part-000.csv", "name\nx\n")
    assert "people/part-000.csv" in shop(*PUSH, "people/*.csv", code=3).stderr
    assert len(opened) < 100
