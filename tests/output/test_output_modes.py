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


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_has_a_mode_by_the_umask_and_keeps_the_link_and_the_mode_of_what_it_replaces(shop, name):
    for umask in (0o027, 0o077):
        before = os.umask(umask)
        try:
            shop.local(*OUTPUTS[name], code=None)
        finally:
            os.umask(before)
        (path,) = shop.home.glob("out.*")
        target = shop.home / f"target{path.suffix}"
        assert mode(path) == 0o666 & ~umask
        path.rename(target)
    target.chmod(0o604)
    path.symlink_to(target)
    inode = target.stat().st_ino
    shop.local(*OUTPUTS[name], code=None)
    assert path.is_symlink() and target.is_file() and mode(target) == 0o604
    assert (target.stat().st_ino == inode) == (name == "--log-file")  # which is appended to
