"""A push of several feeds that stops midway names the rows of every file, those that it did not reach too."""

import pytest

from ads_cli.validation import validator
from tests.conftest import feed

FILES, ROWS = 3, 150  # each has more batches than are read before the first is answered
NAMES = [f"part-{number}.csv" for number in range(FILES)]
INVALID = (1, ROWS)


def write(adsctl, title: str) -> None:
    """Write files in which all rows but the first valid one have a title, and two have no link."""
    header, *rows = feed(FILES * ROWS).splitlines()
    for part, name in enumerate(NAMES):
        own = rows[part * ROWS : (part + 1) * ROWS]
        own = [own[0], own[1], *(row.replace("Enamel mug", title) for row in own[2:])]
        for number in INVALID:
            own[number - 1] = own[number - 1].replace("https://", "nowhere://")
        adsctl.file(name, "\n".join([header, *own]) + "\n")


@pytest.mark.parametrize("options", [(), ("-q",), ("--failed-out", "failed.csv")], ids=str)
def test_invalid_rows_are_named_by_their_own_files(adsctl, service, monkeypatch, options):
    monkeypatch.setattr(validator, "CHUNK_ROWS", 20)
    monkeypatch.setattr(validator.Validator, "keep", lambda *_: None)  # so that the files are read again
    words = ("products", "push", *NAMES, "--changed", "--skip-invalid", "--concurrency", "1", "-o", "json")
    write(adsctl, "Enamel mug")
    adsctl(*words, code=9)
    write(adsctl, "Enamel cup")
    service.fail("PUT * partial times=1")
    done = adsctl(*words, "--max-errors", "1", *options, code=9)
    assert "stopped early" in done.stderr
    places = [f"{name}:{number + 1}" for name in NAMES for number in INVALID]
    assert f"6 rows: {', '.join(places[:5])}" in done.stderr
    if "--failed-out" in options:
        rows = (adsctl.home / "failed.csv").read_text().splitlines()[1:]
        assert set(places) <= {row.split(",")[-2] for row in rows if "nowhere" in row}
