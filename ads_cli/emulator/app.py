"""The emulator as a WSGI application, and direct access to its data."""

import sqlite3
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ..api.endpoint import Endpoint, Request
from ..api.names import SERVICES
from ..api.problems import InvalidError
from ..api.products import Product
from ..errors import StateError
from . import identity, oauth, resources
from .core.faults import handle_with_faults, parse_fault
from .core.handlers import RateLimits, RegisteredHandler, RequestContext, error_of, read_request
from .core.request import IncomingRequest
from .core.responses import RESULTS, ApiError, HttpResponse, envelope, error_response, invalid_request
from .core.routing import Router
from .core.shapes_of_x import in_shape_of_x
from .core.signatures import Authenticator, bearer_token
from .storage import Record, Store, audience_user_table, product_table
from .storage.database import open_store, reset_database

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

# What service x says in each answer of the advertising API, whose paths begin so.
CURRENT_VERSION = ("X-Current-Api-Version", "12")
VERSIONED = ("/5/", "/11/", "/12/")
MEDIA = "/2/media/"  # whose errors are those of the advertising API


class SeededCredentials(NamedTuple):
    """The keys and tokens of the seeded user."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str


class Emulator:
    """The service over one SQLite file, as a WSGI application.

    Threads and processes may share the file. Nonces and rate limits are kept per instance. `faults` may
    be replaced at any time. Unless `strict`, unknown parameters of service x are left out, and named in a
    header of the response.
    """

    def __init__(
        self, database: Path, *, faults: Sequence[str] = (), service: str = "generic", strict: bool = True
    ) -> None:
        self.faults = [parse_fault(text) for text in faults]
        self.database = database
        self.service = service  # whose names it speaks
        self._is_strict = strict or service == "generic"
        self.store = open_store(database, _seed)
        self.authenticator = Authenticator(self.store)
        self._rate_limits = RateLimits(service)

    @cached_property
    def credentials(self) -> SeededCredentials:
        """Return the keys and tokens of the seeded user, which are random and stored in the database."""
        query = (
            "SELECT consumer_key, consumer_secret, token, secret FROM tokens JOIN apps USING (consumer_key)"
            " WHERE token = ?"
        )
        return SeededCredentials(*self.store.row(query, self.store.setting("access_token")))

    def bearer_token(self) -> str:
        """Return the bearer token of the seeded app; issue one if it has none."""
        with self.store.in_use():
            return bearer_token(self.store, self.credentials.consumer_key)

    @property
    def database_id(self) -> str:
        """Return an id of the database; a reset changes it."""
        return sha256(self.credentials.consumer_key.encode()).hexdigest()[:8]

    @property
    def account(self) -> str:
        """Return the id of the default account."""
        return self.store.setting("account")

    @property
    def catalog(self) -> str:
        """Return the id of the seeded catalog."""
        return self.store.setting("catalog")

    @cached_property
    def data(self) -> "EmulatorData":
        """Return direct access to the stored data."""
        return EmulatorData(self.store)

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    @cached_property
    def _router(self) -> Router:
        return load_router(self.service)

    def __call__(
        self, environ: dict[str, Any], start_response: "StartResponse"
    ) -> list[bytes] | Iterator[bytes]:
        """Respond to one request; any exception becomes an error response."""
        incoming = IncomingRequest(environ)
        try:
            with self.store.in_use():
                response = self._respond(incoming)
        except ApiError as error:
            response = error.to_response({}, SERVICES[self.service])
        except StateError as error:
            if "ads_cli.timeout" in environ:  # a client in this process handles the exception itself
                raise
            response = error_response(507, [{"code": "INSUFFICIENT_STORAGE", "message": error.message}], {})
        except Exception:
            response = _internal_error()
        if self.service == "x" and incoming.path.startswith(VERSIONED):
            response = response._replace(headers=(*response.headers, CURRENT_VERSION))
        return response.send(start_response, without_body=environ["REQUEST_METHOD"] == "HEAD")

    def _respond(self, incoming: IncomingRequest) -> HttpResponse:
        """Route and authenticate a request, and handle it with the configured faults.

        A request that is not authentic triggers no fault, and what a fault answers counts against no limit.
        """
        if incoming.path == identity.PATH:
            served = identity.ServedIdentity(self.database_id, self.service)
            return HttpResponse.json(served._asdict())
        if incoming.path.startswith(RESULTS):
            from .resources.statistics import download

            return handle_with_faults(self.faults, incoming, lambda fault: download(self.store, incoming))
        endpoint, handler, path_params = self._router.find(incoming)
        context = RequestContext(
            self.store,
            account=path_params.get("account_id", ""),
            user="",
            authenticator=self.authenticator,
            rate_limits=self._rate_limits,
            incoming=incoming,
            path_params=path_params,
            service=self.service,
            unknown=None if self._is_strict else [],
        )
        if handler.request_type:
            signer = self.authenticator.authenticate(incoming, endpoint)
            context.user, context.app, context.scopes = signer.user, signer.app, signer.scopes

        def handle(fault: str) -> HttpResponse:
            context.fault = fault
            response = _handle(context, endpoint, handler)
            headers = dict(context.headers) | dict(response.headers)
            return response._replace(headers=(*headers.items(),))

        return handle_with_faults(self.faults, incoming, handle)


@cache
def load_router(service: str) -> Router:
    """Import all handlers, and build the router of a service."""
    for package in (resources, oauth):
        for module in iter_modules(package.__path__):
            import_module(f".{module.name}", package.__name__)
    return Router(service)


def reset_emulator(database: Path) -> None:
    """Replace all data, keys and tokens by new ones; raise StateError if the database is in use."""
    reset_database(database, _seed)


def _seed(store: Store) -> None:
    from .seed import seed

    seed(store)


def _handle(context: RequestContext, endpoint: Endpoint, handler: RegisteredHandler) -> HttpResponse:
    """Count and validate the request, and call its handler. Errors with the context become responses."""
    context.echoed = dict(context.path_params)
    try:
        request: Request | None = None
        if handler.request_type:
            context.consume_rate(endpoint)
            request = read_request(context, endpoint, handler.request_type)
        result = handler(context, endpoint, request)
    except InvalidError as error:
        if endpoint.base == "platform" and not endpoint.path.startswith(MEDIA):
            return invalid_request(error.problems[0]).to_response({})
        errors = [error_of(problem, context.names) for problem in error.problems]
        return error_response(400, errors, context.names.to_wire(context.echoed))
    except ApiError as error:
        return error.to_response(context.echoed, context.names)
    except RecursionError:
        too_deep = ApiError(400, "BAD_REQUEST", "a value is nested too deeply")
        return too_deep.to_response(context.echoed, context.names)
    except (sqlite3.Error, StateError):  # of the database file: Store.in_use says what is wrong with it
        raise
    except Exception:
        return _internal_error()
    if isinstance(result, HttpResponse):
        return result
    if context.service == "x":
        result = in_shape_of_x(result, endpoint.command, context.incoming.user_agent)
    return envelope(result, context.echoed, context.names)


def _internal_error() -> HttpResponse:
    """Return a response for a bug of the emulator, and print its traceback to stderr."""
    traceback.print_exc(file=sys.stderr)
    message = "internal error of the emulator; its standard error has the traceback"
    return error_response(500, [{"code": "INTERNAL_ERROR", "message": message}], {})


class EmulatorData:
    """Read and prepare the stored data without requests: no signatures, rules or rate limits apply.

    `catalog` and `owner` default to the seeded catalog and the default account.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def products(self, catalog: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the products of a catalog in the order of creation, including variants that lists hide."""
        rows = product_table.iterate(self._store, catalog or self._store.setting("catalog"))
        return (msgspec.json.decode(data) for data in rows)

    def product(self, id: str, catalog: str | None = None) -> dict[str, Any] | None:
        """Return one product, or None."""
        data = product_table.find(self._store, catalog or self._store.setting("catalog"), id)
        return None if data is None else msgspec.json.decode(data)

    def add_products(self, products: Iterable[Mapping[str, Any]]) -> None:
        """Create or update products, in one transaction."""
        items = [msgspec.convert(product, Product) for product in products]
        with self._store.transaction():
            product_table.put(self._store, self._store.setting("catalog"), items)

    def add_records(self, kind: str, records: Iterable[Record], owner: str | None = None) -> None:
        """Create records, each with an `id`, in one transaction."""
        with self._store.transaction():
            for record in records:
                fields = {name: value for name, value in record.items() if name != "id"}
                self._store.add(kind, record["id"], fields, owner=owner or self._store.setting("account"))

    def audiences(self) -> list[dict[str, Any]]:
        """List audiences and do-not-reach lists, each with its number of users."""
        query = (
            "SELECT id, json_extract(data, '$.name'), kind FROM records"
            " WHERE kind IN ('audience', 'do_not_reach_list') AND NOT deleted ORDER BY seq"
        )
        rows = self._store.connection.execute(query).fetchall()
        return [
            {"id": id, "name": name, "kind": kind, "users": audience_user_table.count(self._store, id)}
            for id, name, kind in rows
        ]
