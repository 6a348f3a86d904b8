"""Shops that a fleet pushes for: their catalogs in a served emulator, and the machines of a cluster."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil

from ads_cli.auth import Secret
from ads_cli.auth.secret_stores import FileStore
from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.seed.credentials import USER
from tests.adsctl import Adsctl, wait_until
from tests.conftest import Service, feed
from tests.ports import free_port
from tests.processes.server import Process
from tests.stored import stored_at

from .dask_cluster import Cluster, Proxy, Worker, words_of

NAMES = [f"shop{number}" for number in range(1, 6)]
BRIEF = NAMES[:2]  # whose feeds are one batch
APP = ("CONSUMER_KEY", "CONSUMER_SECRET")
# The last two shops have one token; each of the others has one of its own.
TOKENS = {name: f"{USER}-t0ken-{min(number, 3)}" for number, name in enumerate(NAMES)}
TOKEN_SECRET = "s3cret-of-all-tokens"


class Shops(Service):
    """A served emulator with a catalog for each shop, which records what each was sent."""

    def __init__(self, emulator: Emulator) -> None:
        super().__init__(emulator)
        self.statuses: Counter[str] = Counter()
        token = {"secret": TOKEN_SECRET, "user_id": USER, "access": "write"}
        for name in {*TOKENS.values()}:
            key = emulator.credentials.consumer_key
            emulator.store.insert("tokens", token=name, consumer_key=key, **token)
        emulator.data.add_records("product_catalog", [{"id": name, "name": name} for name in NAMES], USER)

    def answer(self, environ, start_response):
        def counted(status, headers, *rest):
            self.statuses[status[:3]] += 1
            return start_response(status, headers, *rest)

        return super().answer(environ, counted)

    def forget(self) -> None:
        """Forget what was recorded, and fail no longer."""
        self.fail()
        self.before = lambda put: None
        self.settle()
        self.puts.clear()
        self.statuses.clear()

    def sent(self, shop: str) -> Counter[str]:
        """Count how often each product of a shop was sent."""
        return Counter(id for put in list(self.puts) for id in put if id.startswith(f"{shop}-"))

    def stored_in(self, shop: str) -> list[str]:
        """The ids in the catalog of a shop."""
        return [product["id"] for product in self.emulator.data.products(shop)]


def machine(folder: Path, shops: Sequence[str], service: str, address: str, env: dict[str, str]) -> Adsctl:
    """Set up a machine that has the profiles of shops."""
    adsctl = Adsctl(folder, env)
    (folder / "config").mkdir(parents=True)
    served = {"service": service, **dict.fromkeys(("base_url", "ads_url", "ads_sandbox_url"), address)}
    served |= {"token_store": "file"}
    profiles = {shop: {**served, "account": f"account-{shop}", "catalog": shop} for shop in shops}
    adsctl.file("config/config.yaml", json.dumps({"profiles": profiles}))
    return adsctl


def sign_in(machine: Adsctl, shops: Sequence[str], address: str) -> None:
    """Store the tokens of shops."""
    store = FileStore(machine.home / "config" / "secrets.json")
    for shop in shops:
        secrets = {"access_token": TOKENS[shop], "access_token_secret": TOKEN_SECRET}
        store.put(shop, {name: Secret(value, (address,), USER) for name, value in secrets.items()})


def app_of(emulator: Emulator, address: str) -> dict[str, str]:
    """Return the variables of the app of an emulator."""
    return {f"ADSCTL_{name}": variables(emulator, address)[f"ADSCTL_{name}"] for name in APP}


class Company:
    """The machine that a fleet is started on, which has no secrets, and the workers, which have them."""

    def __init__(self, folder: Path, shops: Shops, address: str, env: dict[str, str]) -> None:
        self.folder, self.shops, self.service_address = folder, shops, address
        self.worker_environment = app_of(shops.emulator, address) | env
        self.office = machine(folder / "office", NAMES, shops.emulator.service, address, {})
        self.cluster = Cluster(folder)
        self.networks: list[Proxy] = []
        self.round = 0

    def hire(
        self,
        name: str,
        *options: str,
        shops: Sequence[str] = NAMES,
        port: int = 0,
        is_signed_in: bool = True,
        **env: str,
    ) -> Worker:
        """Start a worker on a machine of its own."""
        environment = self.worker_environment | env
        home = machine(
            self.folder / name, shops, self.shops.emulator.service, self.service_address, environment
        )
        if is_signed_in:
            sign_in(home, shops, self.service_address)
        return self.cluster.add(home, name, *options, port=port)

    def hire_behind_networks(self, name: str) -> Worker:
        """Start a worker that reaches the scheduler, and is reached, through networks that can be cut."""
        port = free_port()
        self.networks = [Proxy(self.cluster.port), Proxy(port)]
        to_scheduler, to_worker = self.networks
        listen, contact = f"tcp://127.0.0.1:{port}", f"tcp://127.0.0.1:{to_worker.port}"
        addresses = ("--listen-address", listen, "--contact-address", contact)
        return self.hire(name, "--no-nanny", *addresses, port=to_scheduler.port)

    def feeds(self, shops: Sequence[str], rows: int, *tasks: str, file: str = "fleet.yaml") -> str:
        """Write a feed for each shop, other than before, where the workers find it; return a fleet."""
        self.round += 1
        folder = self.folder / f"feeds-{self.round}"
        folder.mkdir()
        for shop in shops:
            text = feed(min(rows, 25) if shop in BRIEF else rows)
            (folder / f"{shop}.csv").write_text(text.replace("sku-", f"{shop}-{self.round}-"))
        command = f"products push {folder}/{{profile}}.csv --concurrency 1"
        names = ", ".join(f'"{shop}"' for shop in shops)
        lines = [f"{{for: {{profiles: [{names}]}}, run: '{command}'}}", *tasks]
        return str(self.office.file(file, "\n".join(["tasks:", *(f"  - {line}" for line in lines), ""])))

    def run(self, fleet: str, *options: object, code: int | None = 0) -> list[dict]:
        """Run a fleet on the cluster, and return its records."""
        done = self.office(*self.words(fleet), *options, code=code)
        return json.loads(done.stdout)

    def start(self, fleet: str) -> Process:
        """Start a fleet on the cluster, in a process."""
        name = f"fleet-{self.round}"
        return Process(name, "ads_cli", self.words(fleet), self.office.environment, self.office.home)

    def words(self, fleet: str, scheduler: str = "") -> list[str]:
        address = scheduler or self.cluster.address
        return ["fleet", "run", fleet, "--engine", "dask", "--scheduler", address, "-o", "json"]

    def wait_for_workers(self) -> None:
        """Wait until every worker has joined the scheduler."""
        names = self.cluster.workers
        wait_until(lambda: all(map(self.cluster.registrations, names)), "the workers have joined")

    def ended(self, worker: str = "w*") -> set[str]:
        """The tasks of the last run that have ended well, by the records on the workers."""
        return self._ended_by_records(*self.folder.glob(worker))

    def stored(self) -> set[str]:
        """The tasks of the last run that the fleet knows to have ended well."""
        return self._ended_by_records(self.office.home)

    def _ended_by_records(self, *homes: Path) -> set[str]:
        (id,) = stored_at(self.office.home, "SELECT id FROM fleet_runs ORDER BY began DESC, id DESC LIMIT 1")
        query = "SELECT result FROM fleet_tasks WHERE run = ? AND result IS NOT NULL"
        made = [home for home in homes if any(stored_at(home, "PRAGMA user_version"))]
        results = [json.loads(result) for home in made for result in stored_at(home, query, id)]
        return {result["task"] for result in results if result["status"] == "ok"}

    def busy(self, tasks: Sequence[str] = NAMES) -> list[Worker]:
        """The workers that have the process of one of the tasks."""
        workers = self.cluster.workers.values()
        return [worker for worker in workers if _running_tasks(worker).intersection(tasks)]

    def close(self) -> None:
        self.cluster.end()
        for network in self.networks:
            network.close()


def _running_tasks(worker: Worker) -> set[str]:
    """The names of the tasks that have a process."""
    try:
        children = psutil.Process(worker.process.pid).children(recursive=True)
    except psutil.Error:
        return set()
    return {words[-1] for words in map(words_of, children) if "__task" in words}
