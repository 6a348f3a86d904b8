"""Atomic writes: a file is replaced as a whole or not at all, and devices are never replaced."""

import errno
import gzip
import json
import os
import shutil
import stat

import pytest

from ads_cli.config.atomic_files import atomic, sync_folder
from ads_cli.errors import StateError, UsageError
from ads_cli.feeds.formats.writers import open_writer
from ads_cli.feeds.registry import FORMATS
from ads_cli.runs import rejected_rows

EXAMINED_BEFORE = 2  # before anything is read, and before the new file is begun


def test_an_unfinished_file_is_readable_by_its_owner_only(tmp_path):
    path = tmp_path / "out.csv"
    with atomic(path) as stream:
        stream.write("é\r\n")
        (temporary,) = tmp_path.iterdir()
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    assert path.read_bytes() == "é\r\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, ConnectionError])
def test_an_exception_passes_and_leaves_the_file_unchanged(tmp_path, name, error):
    path = tmp_path / name
    path.write_text("before")
    with pytest.raises(error), atomic(path) as stream:
        stream.write("x" * 100_000)
        raise error
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


def test_the_extension_gz_compresses(tmp_path):
    with atomic(tmp_path / "out.csv.gz") as stream:
        stream.write("id\n1\n")
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == b"id\n1\n"


@pytest.mark.parametrize("name", ["nowhere/out.csv", "file/out.csv", "folder"])
def test_a_file_that_cannot_be_created_is_a_usage_error(tmp_path, name):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=f"{name}: cannot be written"), atomic(tmp_path / name) as stream:
        stream.write("x")
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}


def test_a_full_disk_is_a_state_error_that_names_the_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    message = r"out\.csv: cannot be written: no space left"
    with pytest.raises(StateError, match=message), atomic(tmp_path / "out.csv"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def disk(monkeypatch):
    """What is synced and renamed, in order."""
    done = []
    fsync, replace = os.fsync, os.replace

    def record_sync(descriptor):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        done.append(("sync folder" if is_folder else "sync file", os.fstat(descriptor).st_ino))
        fsync(descriptor)

    def record_rename(source, target, **folders):
        done.append(("rename", os.stat(source, dir_fd=folders.get("src_dir_fd")).st_ino))
        replace(source, target, **folders)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(os, "replace", record_rename)
    monkeypatch.setattr(os, "rename", record_rename)
    return done


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
def test_a_file_is_synced_before_its_rename_and_the_folder_after_it(tmp_path, disk, name):
    path = tmp_path / name
    with atomic(path) as stream:
        stream.write("x")
    file, folder = path.stat().st_ino, tmp_path.stat().st_ino
    assert disk == [("sync file", file), ("rename", file), ("sync folder", folder)]


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_sync_a_folder_is_written_to(tmp_path, monkeypatch, code):
    fsync = os.fsync

    def files_only(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(code, os.strerror(code))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    with atomic(tmp_path / "out.csv") as stream:
        stream.write("x")
    assert (tmp_path / "out.csv").read_text() == "x"


def test_a_folder_that_cannot_be_synced_by_a_failing_disk_is_an_error(tmp_path, monkeypatch):
    def broken(_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output"):
        sync_folder(tmp_path)


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("before")
    link.symlink_to(target)
    with atomic(link) as stream:
        stream.write("after")
    assert link.is_symlink() and target.read_text() == "after"


def test_a_pipe_or_device_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with atomic(pipe) as stream:
            stream.write("id\n")
        assert os.read(reading, 100) == b"id\n"
    finally:
        os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_row_with_a_lone_surrogate_can_be_written(tmp_path):
    with atomic(tmp_path / "out.jsonl") as stream:
        writer = open_writer(stream, FORMATS["jsonl"], ("id",))
        writer.write({"id": "\ud83d!"})
        writer.close()
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"id": "\ud83d!"}


def test_every_folder_of_the_state_is_private_whatever_the_umask(remote, httpserver, monkeypatch):
    accounts = {"data": [{"id": "18ce54d4x5t", "name": "Nordlicht"}]}
    httpserver.expect_request("/12/accounts").respond_with_json(accounts)
    remote.env["ADSCTL_STATE_DIR"] = str(remote.home / "new" / "state")
    umask = os.umask(0)
    try:
        remote("accounts", "list")
    finally:
        os.umask(umask)
    paths = [remote.home / "new", *(remote.home / "new").rglob("*")]
    assert len(paths) > 1 and not [path for path in paths if path.stat().st_mode & 0o077]


@pytest.mark.parametrize(("option", "name"), [("--failed-out", "failed.csv"), ("--report", "page.html")])
def test_a_reader_finds_the_earlier_file_or_the_new_one_at_any_moment(adsctl, monkeypatch, option, name):
    adsctl.file("feed.csv", "id,title\n1,a\n")
    path = adsctl.home / name
    adsctl("products", "check", "feed.csv", option, name, code=3)
    missing = []

    def watched(call):
        def watch(*args, **options):
            result = call(*args, **options)
            missing.extend([call.__name__] if not path.exists() else [])
            return result

        return watch

    for name_of_call in ("rename", "replace", "link", "unlink", "fsync"):
        monkeypatch.setattr(os, name_of_call, watched(getattr(os, name_of_call)))
    adsctl.file("feed.csv", "id,title\n2,b\n")
    before = path.read_bytes()
    adsctl("products", "check", "feed.csv", option, name, code=3)
    assert missing == [] and path.read_bytes() != before


@pytest.mark.parametrize("change", ["written", "replaced"])
def test_a_file_that_an_editor_changes_while_it_is_examined_is_kept(adsctl, monkeypatch, change):
    adsctl.file("feed.csv", "id,title\n1,a\n")
    words = ("products", "check", "feed.csv", "--failed-out", "failed.csv")
    adsctl(*words, code=3)
    path, examine, examined = adsctl.home / "failed.csv", rejected_rows.holds_rejected_rows, []

    def edited(*args):
        facts = examine(*args)
        examined.append(facts)
        if len(examined) > EXAMINED_BEFORE:
            adsctl.file("edited", "precious")
            (shutil.copyfile if change == "written" else os.replace)(adsctl.home / "edited", path)
        return facts

    monkeypatch.setattr(rejected_rows, "holds_rejected_rows", edited)
    assert "meanwhile" in adsctl(*words, code=2).stderr
    assert path.read_text() == "precious" and all(examined)
    assert [path.name for path in adsctl.home.iterdir() if path.name.startswith(".failed")] == []


@pytest.mark.parametrize("name", ["x" * 246 + ".csv", "\U0001f600" * 62 + ".csv"])
def test_a_file_may_have_the_longest_name(adsctl, name):
    adsctl.file("feed.csv", "id,title\n1,a\n")
    for _ in range(2):
        adsctl("products", "check", "feed.csv", "--failed-out", name, code=3)
    assert (adsctl.home / name).read_text().startswith("id,title,_line,_error")


@pytest.mark.parametrize("name", ["/dev/fd/99999999999999999999", "/dev/fd/987"])
def test_a_descriptor_that_is_none_is_a_usage_error(adsctl, name):
    adsctl.file("feed.csv", "id,title\n1,a\n")
    said = adsctl("products", "check", "feed.csv", "--failed-out", name, code=2).stderr
    assert "cannot be written: bad file descriptor\nhint: choose another file\n" in said
