"""The service as one WSGI application."""

import sqlite3
import sys
import traceback
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.endpoint import Endpoint, Request
from ..api.validation import InvalidError, convert
from ..errors import StateError
from .core import faults as faulty
from .core.incoming import Incoming, echo, read, value_of
from .core.limits import Limits
from .core.responses import ApiError, Headers, HttpResponse, enveloped, failed
from .core.routing import Bound, Call, Router
from .core.signatures import READ_ONLY, Authenticator
from .core.store import Store, kept, opened

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

    from .data import EmulatorData

HANDLERS = (
    "resources.accounts",
    "resources.features",
    "resources.history",
    "resources.categories",
    "resources.line_items",
    "resources.curated_categories",
    "resources.audiences",
    "resources.audience_users",
    "resources.keywords",
    "resources.media",
    "resources.cards",
    "resources.polls",
    "resources.conversations",
    "resources.posts",
    "resources.catalog",
    "resources.products",
    "resources.product_sets",
    "oauth.sign_in",
    "oauth.authorize",
    "oauth.bearer",
    "resources.webhooks",
)


class Credentials(NamedTuple):
    """What the seeded user signs requests with."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str


class Emulator:
    """Answer as the service does, over one SQLite file.

    Threads and processes may share the file. What passes with time (used nonces, rate limits) is
    kept by each instance.
    """

    def __init__(self, database: Path, *, faults: Sequence[str] = ()) -> None:
        self.faults = [faulty.parse(text) for text in faults]
        self.database = database
        self._store = opened(database, _seed)
        self._gate = Authenticator(self._store)
        self._limits = Limits()

    @cached_property
    def credentials(self) -> Credentials:
        """Give the keys and tokens of the seeded user; they are random, and live in the database."""
        row = self._store.connection.execute(
            "SELECT consumer_key, consumer_secret, token, secret FROM tokens JOIN apps USING (consumer_key)"
            " WHERE token = ?",
            (self._store.setting("access_token"),),
        ).fetchone()
        return Credentials(*row)

    @property
    def world(self) -> str:
        """Name the world in this database; a reset makes another one."""
        return sha256(self.credentials.consumer_key.encode()).hexdigest()[:8]

    @property
    def account(self) -> str:
        """Give the id of the default account."""
        return self._store.setting("account")

    @property
    def catalog(self) -> str:
        """Give the id of the seeded catalog."""
        return self._store.setting("catalog")

    @cached_property
    def data(self) -> "EmulatorData":
        """Give access to the stored data without a request."""
        from .data import EmulatorData

        return EmulatorData(self._store)

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    @cached_property
    def _router(self) -> Router:
        for name in HANDLERS:
            import_module(f".{name}", __package__)
        return Router()

    def __call__(self, environ: dict[str, Any], start_response: "StartResponse") -> list[bytes]:
        """Answer one request; whatever happens inside, there is an answer."""
        try:
            with kept(self.database):
                answer = self._answer(Incoming(environ))
        except ApiError as refusal:
            answer = refusal.plain({})
        except StateError as error:
            if "ads_cli.timeout" in environ:  # a client in this process hears it as it is
                raise
            answer = failed(507, [{"code": "INSUFFICIENT_STORAGE", "message": error.message}], {})
        except Exception:
            answer = _broken()
        return answer.send(start_response, without_body=environ["REQUEST_METHOD"] == "HEAD")

    def _answer(self, incoming: Incoming) -> HttpResponse:
        """Find the endpoint, check who asks, and handle the request under the faults on demand."""
        endpoint, bound, ids = self._router.find(incoming)
        call = Call(self._store, self._gate, self._limits, incoming, ids)
        if bound.reads:
            signer = self._gate.signer_of(incoming)
            call.user = signer.user
            if signer.access == "read" and endpoint.mutates:
                raise ApiError(403, "FORBIDDEN", READ_ONLY)

        def perform(partial: bool) -> HttpResponse:
            call.partial = partial
            return self._perform(call, endpoint, bound)

        return faulty.struck(self.faults, incoming, perform)

    def _perform(self, call: Call, endpoint: Endpoint, bound: Bound) -> HttpResponse:
        """Check the request against its declaration, and let its handler answer."""
        call.params = dict(call.ids)
        try:
            request, headers = self._checked(call, endpoint, bound.reads) if bound.reads else (None, ())
            answer = bound.handler(call, request)
        except InvalidError as error:
            return failed(400, [_told(problem) for problem in error.problems], call.params)
        except ApiError as refusal:
            return refusal.plain(call.params)
        except sqlite3.Error:
            raise
        except Exception:
            return _broken()
        return answer if isinstance(answer, HttpResponse) else enveloped(answer, call.params, headers)

    def _checked(self, call: Call, endpoint: Endpoint, kind: type[Request]) -> tuple[Request, Headers]:
        """Read the parameters, and count what is limited."""
        fields = read(call.incoming, endpoint, kind, call.ids)
        request = convert(kind, fields, strict=endpoint.params_in == "json")
        call.params = echo(request, endpoint)
        counted = value_of(request, "with_total_count")
        return request, self._limits.total_counts.take(call.user) if counted else ()


def _seed(store: Store) -> None:
    from .seed.world import seed

    seed(store)


def _told(problem: Any) -> dict[str, str]:
    """Tell one broken rule in the shape of the advertising API."""
    missing = problem.message.startswith("is required")
    code = "MISSING_PARAMETER" if missing else "INVALID_PARAMETER"
    return {"code": code, "message": str(problem), "parameter": problem.path}


def _broken() -> HttpResponse:
    """Answer after a mistake of our own, and leave its trace on stderr."""
    traceback.print_exc(file=sys.stderr)
    message = "the emulator failed; the traceback is on its standard error"
    return failed(500, [{"code": "INTERNAL_ERROR", "message": message}], {})
