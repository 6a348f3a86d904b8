"""The service and the machine of one example: what is held there, and the commands of its user."""

import atexit
import json
import shutil
import tempfile
import time
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path
from subprocess import CompletedProcess

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.seed.credentials import USER
from tests.adsctl import Adsctl
from tests.conftest import feed
from tests.emulator_data import audience_user, clear_audience
from tests.stored import stored

from .commands import Commands
from .files import PEOPLE

AUDIENCE = "1nmth"
SECOND_CATALOG = "7310248000000000002"
ADDRESSES = (  # of the same service
    "http://127.0.0.1",
    "http://127.0.0.1/",
    "http://127.0.0.1:80",
    "http://localhost",
    "HTTP://LOCALHOST:80/",
)
EMAILS = {f"p{n}@shop.example": sha256(f"p{n}@shop.example".encode()).hexdigest() for n in range(PEOPLE)}
Products = dict[str, str]  # the price of each product


@cache
def _template() -> Path:
    """Return a database with two catalogs, after commands have been run, so that children import nothing."""
    home = Path(tempfile.mkdtemp(prefix="adsctl-model-template-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    database = home / "service.db"
    Emulator(database).close()
    adsctl = Adsctl(home, emulator_database=database)
    adsctl.file("feed.csv", feed(2))
    adsctl.file("people.csv", "email\na@shop.example\n")
    adsctl.local("products", "push", "feed.csv", "--changed", "--verify", "-o", "json")
    adsctl.local("products", "push", "feed.csv", "--changed", "--verify", "-o", "json")
    adsctl.local("products", "delete", "nothing", "--by", "key", "--yes", "-o", "json", code=9)
    adsctl.local("audiences", "push", "people.csv", "--audience", AUDIENCE, "-o", "json")
    adsctl.local("api", "GET", "/12/accounts")
    adsctl.local("jobs", "clean")
    adsctl("profile", "set", "second", "catalog=7")
    adsctl("profile", "list")  # reads a configuration
    with closing(Emulator(database)) as emulator:
        catalog = {"id": SECOND_CATALOG, "name": "Second"}
        emulator.data.add_records("product_catalog", [catalog], owner=USER)
        clear_audience(emulator, AUDIENCE)
    return database


class Shop:
    """One user with a machine and two profiles, another machine, and the service behind every address."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="adsctl-model-"))
        database = Path(shutil.copyfile(_template(), self.home / "service.db"))
        with closing(Emulator(database)) as emulator:
            self.catalogs = (emulator.catalog, SECOND_CATALOG)
            env = variables(emulator, ADDRESSES[0])
        del env["ADSCTL_EMULATOR"]  # it names the service whatever its address
        self.adsctl = Commands(self.home, database, Adsctl(self.home).environment | env)
        self.state, self.copy = self.home / "state", self.home / "copy-of-state"
        (self.home / "config").mkdir()
        profile = {"base_url": ADDRESSES[0], "ads_url": ADDRESSES[3], "account": env["ADSCTL_ACCOUNT"]}
        config = {"profiles": {"second": profile}}
        (self.home / "config" / "config.yaml").write_text(json.dumps(config))

    def close(self) -> None:
        shutil.rmtree(self.home)

    @property
    def catalog(self) -> str:
        """The catalog that commands use unless they name another."""
        return self.catalogs[0]

    @property
    def now(self) -> float:
        """The time on the clock of the machine and of the service."""
        return time.time() + self.adsctl.clock

    def file(self, name: str, text: str) -> None:
        (self.home / name).write_text(text)

    def json_file(self, name: str, content: object) -> None:
        self.file(name, json.dumps(content))

    def access(self, address: int, *, elsewhere: bool = False) -> dict[str, str]:
        """Reach the service by one of its addresses, the last being that of the second profile."""
        env = {"ADSCTL_STATE_DIR": str(self.home / "elsewhere")} if elsewhere else {}
        if address < len(ADDRESSES):
            return env | {"ADSCTL_ADS_URL": ADDRESSES[address]}
        return env | {"ADSCTL_PROFILE": "second", "ADSCTL_ADS_URL": "", "ADSCTL_BASE_URL": ""}

    def held(self) -> tuple[dict[str, Products], set[str]]:
        """Read the products of each catalog, and the people of the audience."""
        with closing(Emulator(self.adsctl.database)) as emulator:
            data = emulator.data
            products = {
                catalog: {product["id"]: product["price"] for product in data.products(catalog)}
                for catalog in self.catalogs
            }
            people = {
                email for email, hash in EMAILS.items() if audience_user(emulator, AUDIENCE, "email", hash)
            }
        return products, people

    def campaigns(self) -> list[str]:
        """Read the names of the campaigns that were created."""
        with closing(Emulator(self.adsctl.database)) as emulator, emulator.store.transaction() as database:
            rows = database.execute(
                "SELECT json_extract(data, '$.name') AS name FROM records"
                " WHERE kind = 'campaign' AND name LIKE 'Campaign %' ORDER BY seq"
            )
            return [name for (name,) in rows]

    def save_state(self) -> None:
        """Copy the state folder, as a backup does."""
        shutil.rmtree(self.copy, ignore_errors=True)
        if self.state.exists():
            shutil.copytree(self.state, self.copy)

    def restore_state(self) -> None:
        """Put the copy in place of the state folder."""
        shutil.rmtree(self.state, ignore_errors=True)
        if self.copy.exists():
            shutil.copytree(self.copy, self.state)

    def jobs(self) -> list[str]:
        """Return the ids of the jobs, as they were begun."""
        return stored(self, "SELECT id FROM runs ORDER BY rowid")


def summary_of(done: CompletedProcess[str]) -> dict[str, int]:
    """Return the summary that a command has printed, or nothing."""
    return json.loads(done.stdout) if done.stdout.strip().endswith("}") else {}
