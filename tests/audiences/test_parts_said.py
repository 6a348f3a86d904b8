"""What is said of a list in several files that is pushed."""

import pytest

from .parts import PUSH, person, write_parts


def answers(*cells: str, header: str = "opt in") -> str:
    return f"email,{header}\n" + "".join(f"u{n}@x.de,{cell}\n" for n, cell in enumerate(cells))


def test_who_would_be_left_out_is_counted_over_all_files(shop, audience):
    shop.file("1.csv", answers("yes", "yes"))
    shop.file("2.csv", answers("no", "no"))
    (line,) = shop(*PUSH, "1.csv", "2.csv", "-q").stderr.splitlines()
    assert line.startswith("warning: 1.csv, 2.csv: ") and " leaves out 2 of 4 rows" in line


@pytest.mark.parametrize("cells", [("active", "active"), ("active", "unsubscribed")])
def test_rows_of_files_without_a_column_of_a_status_are_none_without_an_answer(shop, cells):
    shop.file("1.csv", answers(*cells, header="status"))
    shop.file("2.csv", "email\na@x.de\n")
    said = shop("audiences", "check", "1.csv", "2.csv", "-q").stderr
    assert ("'status' tells who may be contacted" in said) == (len({*cells}) > 1)


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
        assert f"'{column}' tells who may be contacted, and is not used: not every file has it;" in said
    assert said.count("--where ") == 1
    done = shop(*words, "--where", "Newsletter=yes")
    assert '"left_out": 1' in done.stdout


def test_what_files_have_in_common_is_said_once(shop, audience):
    for n in (1, 2, 3):
        shop.file(f"{n}.csv", answers("yes", "no").replace("email", "Courriel"))
    said = shop(*PUSH, "1.csv", "2.csv", "3.csv").stderr.splitlines()
    (warning,) = (line for line in said if "'opt in' tells who" in line)
    assert warning.startswith("warning: 1.csv, 2.csv, 3.csv: ")
    notes = [line for line in said if "'Courriel' is read as email" in line]
    assert [note.split(": ")[1] for note in notes] == ["1.csv, 2.csv, 3.csv"]


@pytest.mark.parametrize("quiet", [True, False])
def test_invalid_rows_of_all_files_are_named_also_where_quiet(shop, audience, quiet):
    write_parts(shop, 2)
    for part in range(2):
        shop.file(f"people/part-{part:03}.csv", f"email\n{person(part, 0)}\nnobody\n")
    words = ("people/*.csv", "--skip-invalid", *["-q"] * quiet)
    said = shop(*PUSH, *words, code=9).stderr
    places = [f"people/part-00{part}.csv:3" for part in range(2)]
    if quiet:
        assert f"{places[0]}: email: is not a valid" in said and ", ".join(places) in said
    else:
        assert f"warning: {places[0]}: email: is not a valid" in said and ", ".join(places) in said
        assert said.count("2 of 4 rows invalid and not sent") == 1
    assert said.count("warning: ") == (0 if quiet else 1) and "2 invalid rows not sent" in said
