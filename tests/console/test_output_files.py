"""Files that a command writes: none that it did not write itself is replaced or removed unasked."""

import gzip
import json
import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.conftest import feed
from tests.programs import needs

OTHER_USER = 54321
MISTAKES = feed(2) + feed(1, price="cheap").splitlines()[1].replace("sku-1", "sku-9") + "\n"
PUSH = ("products", "push", "feed.csv", "--skip-invalid", "--failed-out")
FOREIGN = {
    "other.csv": "id,title\n1,Mug\n",
    "one-of-two.csv": "id,_line\n1,2\n",
    "other.tsv": "id\t_line,_error\n1\t2\n",
    "other.json": '[{"id": "1", "_line": "2", "_error": "x"}, {"id": "2"}]',
    "other.jsonl": '{"id": "1", "_line": "2", "_error": "x"}\n{"id": "2"}\n',
    "other.yaml": "- {id: '1', _line: '2', _error: x}\n- {id: '2'}\n",
    "text.csv": "a note that names _line and _error",
    "damaged.csv.gz": "not gzip",
    "latin.csv": b"id,gr\xf6\xdfe,_line,_error\n",
}


@pytest.fixture
def shop(adsctl):
    adsctl.file("feed.csv", MISTAKES)
    return adsctl


@pytest.mark.parametrize("valid", [True, False], ids=["nothing-refused", "a-row-refused"])
@pytest.mark.parametrize("name", FOREIGN)
def test_failed_out_touches_no_file_of_another_kind(shop, service, name, valid):
    if valid:
        shop.file("feed.csv", feed(2))
    path = shop.file(name, FOREIGN[name])
    before = path.read_bytes(), path.stat().st_ino
    said = shop(*PUSH, name, code=2).stderr
    assert f"--failed-out: {name} exists" in said and "--force" in said and service.puts == []
    assert (path.read_bytes(), path.stat().st_ino) == before


@pytest.mark.parametrize(
    "words",
    [
        ("products", "push", "feed.csv"),
        ("products", "check", "feed.csv"),
        ("products", "delete", "--from", "keys.txt", "--yes"),
        ("audiences", "push", "people.csv", "--audience", "1nmth"),
        ("audiences", "check", "people.csv"),
        ("audiences", "hash", "people.csv", "hashed.csv"),
        ("audiences", "do-not-reach", "push", "people.csv", "--list", "3k1a7"),
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_every_command_with_failed_out_takes_force(shop, words):
    shop.file("keys.txt", "00000000000000\n")
    shop.file("people.csv", "email\nnobody\n")
    path = shop.file("precious.csv", "id\n1\n")
    assert "--force" in shop.local(*words, "--failed-out", "precious.csv", code=2).stderr
    assert path.read_text() == "id\n1\n" and not (shop.home / "hashed.csv").exists()
    shop.local(*words, "--failed-out", "precious.csv", "--force", code=None)
    assert not path.exists() or "_line,_error" in path.read_text()


@pytest.mark.parametrize(
    "name", ["failed.csv", "failed.tsv", "failed.yaml", "failed.json", "failed.jsonl", "f.csv.gz"]
)
def test_failed_out_replaces_and_removes_what_it_wrote_before(shop, service, name):
    path = shop.home / name
    shop(*PUSH, name, code=9)
    first = path.read_bytes()
    shop(*PUSH, name, code=9)
    assert path.read_bytes() == first and stat.S_IMODE(path.stat().st_mode) == 0o644
    shop.file("feed.csv", feed(2))
    shop(*PUSH, name)
    assert not path.exists()


@pytest.mark.parametrize(
    "edit", ["\ufeffid;_error;_line\n1;x;2\n", "_error,id,_line\n", ""], ids=["excel", "moved", "empty"]
)
def test_failed_out_knows_its_own_file_after_it_was_edited(shop, service, edit):
    path = shop.file("failed.csv", edit)
    shop(*PUSH, "failed.csv", code=9)
    assert "sku-9" in path.read_text()


def test_force_replaces_any_file_and_removes_it_where_nothing_is_refused(shop, service):
    path = shop.file("other.csv", "id\n1\n")
    shop(*PUSH, "other.csv", "--force", code=9)
    assert "_line,_error" in path.read_text()
    path = shop.file("other.csv", "id\n1\n")
    shop.file("feed.csv", feed(2))
    shop(*PUSH, "other.csv", "--force")
    assert not path.exists()


def linked(name, target):
    Path(name).symlink_to(target)
    return name


SPELLINGS = {
    "the name": lambda feed: f"../{feed.parent.name}/feed.csv",
    "a hard link": lambda feed: os.link(feed, "link.csv") or "link.csv",
    "a symbolic link": lambda feed: linked("link.csv", feed),
    "a link to a link": lambda feed: linked("a.csv", linked("b.csv", feed)),
    "a linked folder": lambda feed: linked("folder", feed.parent) + "/feed.csv",
    "an open file": lambda feed: f"/dev/fd/{os.open(feed, os.O_RDWR)}",
    "an open file of the process": lambda feed: f"/proc/self/fd/{os.open(feed, os.O_RDWR)}",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_the_feed_is_never_written_under_any_name(shop, service, monkeypatch, spelling, force):
    monkeypatch.chdir(shop.home)
    path = shop.home / "feed.csv"
    name = SPELLINGS[spelling](path)
    try:
        for words in (PUSH, ("products", "check", "feed.csv", "--failed-out")):
            assert f"--failed-out: {name} is the input file" in shop(*words, name, *force, code=2).stderr
        copy = ("audiences", "hash", "feed.csv", name, *force)
        assert f"{name} is the input file" in shop(*copy, code=2).stderr
        assert path.read_text() == MISTAKES and service.puts == []
    finally:
        if "/fd/" in name:
            os.close(int(Path(name).name))


def test_the_feed_on_standard_input_is_never_written(shop):
    path = shop.home / "feed.csv"
    command = shop.command("products", "check", "-", "--format", "csv", "--failed-out", "feed.csv")
    with path.open() as stdin:
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, text=True, env=shop.environment, cwd=shop.home
        )
    assert done.returncode == 2 and "feed.csv is the input file" in done.stderr
    assert path.read_text() == MISTAKES


def test_rejected_rows_on_standard_output_are_appended_to_it(shop, service):
    done = shop(*PUSH, "/dev/stdout", "-o", "json", code=9)
    rows, _, summary = done.stdout.partition("{")
    assert rows.startswith("id,title") and "sku-9" in rows and json.loads("{" + summary)["created"] == 2


@pytest.fixture
def shared(tmp_path):
    """A folder like /tmp: all may write, and each may remove only what is theirs."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


OUTPUTS = {
    "failed-out": lambda place: (*PUSH, place, "--force"),
    "pull": lambda place: ("products", "pull", place, "--force"),
    "hash": lambda place: ("audiences", "hash", "people.csv", place, "--force"),
    "log": lambda place: ("products", "list", "--log-file", place),
}


@needs("root")
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("place", ["link.csv", "folder/victim.csv", "file.csv"])
def test_links_and_files_of_other_users_in_a_shared_folder_are_left_alone(
    shop, service, shared, output, place
):
    mine = shop.home / "mine"
    mine.mkdir()
    victim = mine / "victim.csv"
    victim.write_text("id,_line,_error\n")
    (shared / "link.csv").symlink_to(victim)
    (shared / "folder").symlink_to(mine)
    (shared / "file.csv").write_text("id,_line,_error\n")
    for name in shared.iterdir():
        os.chown(name, OTHER_USER, OTHER_USER, follow_symlinks=False)
    os.chown(shared, 1, 1)
    shop.file("people.csv", "email\na@x.de\n")
    said = shop(*OUTPUTS[output](shared / place), code=2).stderr
    assert "belongs to another user" in said and service.puts == []
    assert victim.read_text() == "id,_line,_error\n" and (shared / "file.csv").stat().st_uid == OTHER_USER


def test_own_links_in_a_shared_folder_are_followed(shop, service, shared):
    (shared / "failed.csv").symlink_to(shop.home / "failed.csv")
    shop(*PUSH, shared / "failed.csv", code=9)
    assert (shared / "failed.csv").is_symlink() and "sku-9" in (shop.home / "failed.csv").read_text()


@pytest.mark.parametrize("before", [None, "id,_line,_error\n"], ids=["no-file", "own-file"])
@pytest.mark.parametrize("valid", [True, False], ids=["nothing-refused", "a-row-refused"])
def test_a_file_that_appears_during_the_push_is_kept_and_the_rows_come_with_resume(
    shop, service, before, valid
):
    if before:
        shop.file("failed.csv", before)
    if valid:
        shop.file("feed.csv", feed(2))

    def appear(put):
        (shop.home / "failed.csv").unlink(missing_ok=True)
        shop.file("failed.csv", "precious")

    service.before = appear
    if valid:
        shop(*PUSH, "failed.csv")  # there is nothing to write
    else:
        said = shop(*PUSH, "failed.csv", code=2).stderr
        assert "failed.csv" in said and "resume with" in said
    assert (shop.home / "failed.csv").read_text() == "precious"
    assert [path.name for path in shop.home.iterdir() if path.name.startswith(".")] == []
    if not valid:
        shop(*PUSH, "late.csv", "--resume", code=9)
        assert "sku-9" in (shop.home / "late.csv").read_text() and len(service.puts) == 1


@pytest.mark.parametrize(
    "words",
    [("products", "pull", "out.csv"), ("audiences", "hash", "people.csv", "out.csv")],
    ids=["pull", "hash"],
)
class TestAnExistingFile:
    def test_is_replaced_only_with_force_or_yes(self, shop, words):
        shop.file("people.csv", "email\na@x.de\n")
        path = shop.file("out.csv", "precious")
        said = shop.local(*words, code=12).stderr
        assert "Replace out.csv" in said and "--force" in said and path.read_text() == "precious"
        for option in ("--force", "--yes"):
            shop.file("out.csv", "precious")
            shop.local(*words, option)
            assert path.read_text() != "precious"

    def test_is_asked_about_on_a_terminal(self, shop, words):
        shop.file("people.csv", "email\na@x.de\n")
        path = shop.file("out.csv", "precious")
        for answer in ("n", "y"):
            terminal = shop.terminal("-p", "local", *words)
            terminal.expect(r"Replace out\.csv.*\? \[y/N\]")
            assert path.read_text() == "precious"
            terminal.sendline(answer)
            terminal.expect("\n")
            terminal.read()
            terminal.wait()
        assert path.read_text() != "precious"

    @needs("root")
    def test_keeps_its_mode_owner_and_group(self, shop, words):
        shop.file("people.csv", "email\na@x.de\n")
        path = shop.file("out.csv", "before")
        os.chown(path, OTHER_USER, OTHER_USER + 1)
        path.chmod(0o640)
        shop.local(*words, "--force")
        status = path.stat()
        assert (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid) == (
            0o640,
            OTHER_USER,
            OTHER_USER + 1,
        )
        assert path.read_text() != "before"

    def test_that_appears_meanwhile_is_kept(self, shop, words, monkeypatch):
        shop.file("people.csv", "email\na@x.de\n")
        create = tempfile.mkstemp

        def appear(**options):
            shop.file("out.csv", "precious")
            return create(**options)

        monkeypatch.setattr(tempfile, "mkstemp", appear)
        assert "out.csv" in shop.local(*words, code=2).stderr
        assert (shop.home / "out.csv").read_text() == "precious"


def test_hash_does_not_write_the_list_and_the_rejected_rows_to_one_file(shop):
    shop.file("people.csv", "email\na@x.de\nnobody\n")
    words = ("audiences", "hash", "people.csv", "out.csv", "--skip-invalid", "--failed-out")
    assert "out.csv" in shop(*words, "./out.csv", code=2).stderr
    assert not (shop.home / "out.csv").exists()


def test_compressed_rejected_rows_are_known_by_their_content(shop, service):
    path = shop.file("failed.csv.gz", gzip.compress(b"id,title\n1,x\n"))
    shop(*PUSH, "failed.csv.gz", code=2)
    path.write_bytes(gzip.compress(b"id,_line,_error\n"))
    shop(*PUSH, "failed.csv.gz", code=9)
    assert b"sku-9" in gzip.decompress(path.read_bytes())


@pytest.mark.parametrize("option", ["--failed-out", "--report", "--to"])
def test_a_place_that_cannot_be_written_is_said_alike_before_anything_is_sent(shop, service, option):
    (shop.home / "folder.xlsx").mkdir()
    for name, said in {
        "folder.xlsx": f"{option}: folder.xlsx is a folder",
        "missing/a.xlsx": f"{option}: the folder missing does not exist",
    }.items():
        assert said in shop(*PUSH[:4], option, name, code=2).stderr
    assert service.puts == []
