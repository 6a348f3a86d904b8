"""One rule for every file that the user names: its mode, and what becomes of one that exists."""

import os
import stat

import pytest

from tests.conftest import feed

OUTPUTS = {
    "campaigns pull": ("campaigns", "pull", "out.yaml", "--force"),
    "campaigns plan --out": ("campaigns", "plan", "shop.yaml", "--out", "out.json"),
    "stats export": (
        *("stats", "export", "out.csv", "--force", "--entity", "CAMPAIGN", "--ids", "8wku2"),
        *("--since", "2026-03-01", "--until", "2026-03-02", "--metrics", "impressions"),
    ),
    "--to": ("campaigns", "list", "--to", "out.xlsx", "--yes"),
    "products pull": ("products", "pull", "out.csv", "--force"),
    "products convert": ("products", "convert", "feed.csv", "out.csv", "--force"),
    "--report": ("products", "check", "feed.csv", "--report", "out.html"),
    "--failed-out": ("products", "push", "wrong.csv", "--skip-invalid", "--failed-out", "out.csv"),
    "--log-file": ("campaigns", "list", "--log-file", "out.log"),
}


@pytest.fixture
def shop(adsctl):
    adsctl.file("feed.csv", feed(2))
    adsctl.file("wrong.csv", feed(2) + "9,,,,,,\n")
    adsctl.local("campaigns", "pull", "shop.yaml")
    return adsctl


def mode(shop) -> int:
    (path,) = shop.home.glob("out.*")
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_has_a_mode_by_the_umask_and_keeps_that_of_the_file_it_replaces(shop, name):
    for umask in (0o022, 0o027, 0o077):
        before = os.umask(umask)
        try:
            shop.local(*OUTPUTS[name], code=None)
        finally:
            os.umask(before)
        assert mode(shop) == 0o666 & ~umask
        (path,) = shop.home.glob("out.*")
        path.chmod(0o640)
        shop.local(*OUTPUTS[name], code=None)
        assert mode(shop) == 0o640
        path.unlink()


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_that_is_a_link_replaces_its_target(shop, name):
    shop.local(*OUTPUTS[name], code=None)
    (path,) = shop.home.glob("out.*")
    target = shop.home / f"target{path.suffix}"
    path.rename(target)
    path.symlink_to(target)
    inode = target.stat().st_ino
    shop.local(*OUTPUTS[name], code=None)
    assert path.is_symlink() and target.is_file()
    assert (target.stat().st_ino == inode) == (name == "--log-file")  # which is appended to
