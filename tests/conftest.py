"""A person at a keyboard, for the tests: a folder of its own, an environment of its own, and adsctl."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"

SECRETS = {
    "ADSCTL_CONSUMER_KEY": "dpf43f3p2l4k3l03",
    "ADSCTL_CONSUMER_SECRET": "kd94hf93k423kf44",
    "ADSCTL_ACCESS_TOKEN": "nnch734d00sl2jdk",
    "ADSCTL_ACCESS_TOKEN_SECRET": "pfkkdhi9sl3r4s00",
}


@dataclass
class Person:
    """Runs adsctl in a folder of its own; nothing of the machine's own settings is seen."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ADSCTL_CONFIG_DIR": str(self.home / "config"),
            "ADSCTL_STATE_DIR": str(self.home / "state"),
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            **self.env,
        }

    def command(self, *words: object) -> list[str]:
        return [sys.executable, "-m", "ads_cli", *map(str, words)]

    def __call__(self, *words: object, input: str | bytes | None = None, code: int | None = 0, **env: str):
        """Run adsctl; the exit code must be `code`, unless that is None."""
        done = subprocess.run(
            self.command(*words),
            input=input.encode() if isinstance(input, str) else input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            env=self.environment | env,
            cwd=self.home,
            timeout=120,
        )
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        if code is not None:
            assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def popen(self, *words: object, **env: str) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(*words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment | env,
            cwd=self.home,
        )

    def local(self, *words: object, **options):
        """Run adsctl against the emulator on this machine."""
        return self("--profile", "local", *words, **options)

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.home / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@pytest.fixture
def adsctl(tmp_path: Path) -> Person:
    """Somebody who has just installed adsctl."""
    return Person(tmp_path)


@pytest.fixture
def remote(adsctl: Person, httpserver: HTTPServer) -> Person:
    """Somebody who is signed in, through the environment, to a service on this machine."""
    address = httpserver.url_for("").rstrip("/")
    adsctl.env |= SECRETS | {
        "ADSCTL_BASE_URL": address,
        "ADSCTL_ADS_URL": address,
        "ADSCTL_ADS_SANDBOX_URL": address,
    }
    return adsctl


PRODUCT = {
    "id": "sku-1",
    "title": "Enamel mug",
    "description": "A mug, white, for home and camp.",
    "availability": "in stock",
    "condition": "new",
    "price": "12.50 EUR",
    "link": "https://shop.example/mug",
    "image_link": "https://images.example/mug.jpg",
    "brand": "Nordlicht",
}


def feed(rows: int, **changes: str) -> str:
    """Write a feed of so many valid products, in CSV."""
    product = PRODUCT | changes
    lines = [",".join(product)]
    lines += [",".join(f'"{v}"' for v in (product | {"id": f"sku-{n}"}).values()) for n in range(1, rows + 1)]
    return "\n".join(lines) + "\n"
