"""Feeds that must be refused."""

from tests.conftest import PRODUCT

HEADER = ",".join(PRODUCT)


def refused(
    adsctl, content: str | bytes, *words: str, name: str = "feed.csv", code: int = 3, command: str = "push"
):
    """Push a file that must be refused; give what was said."""
    adsctl.file(name, content)
    done = adsctl.local("products", command, name, *words, code=code)
    assert "Traceback" not in done.stderr and "bug" not in done.stderr
    assert adsctl.local("products", "list", "-o", "ids").stdout == ""
    return done.stderr


def row(**changes: str) -> str:
    return ",".join(f'"{v}"' for v in (PRODUCT | changes).values()) + "\n"
