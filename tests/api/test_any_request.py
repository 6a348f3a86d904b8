"""Any valid request arrives unchanged; one that breaks a limit is rejected by client and emulator."""

import re
from functools import cache
from io import BytesIO
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from ads_cli.api.endpoint import Request, is_of_service, requests_for
from ads_cli.api.fields import enum_fields
from ads_cli.api.names import FIELDS, SEGMENTS, SERVICES
from ads_cli.api.parts import RequestParts, path_of, request_parts
from ads_cli.api.validation import InvalidError, convert
from ads_cli.client.prepared_request import build_request
from ads_cli.emulator.app import load_router
from ads_cli.emulator.core.incoming_request import IncomingRequest
from ads_cli.emulator.core.params import read_params
from ads_cli.errors import UsageError

from .declared import BAD_IDS, ESCAPED_ID, ID_WORDS, SPECIAL_ID, check
from .strategies import lacking_or_broken, simplest, values_of

REQUESTS = list(dict.fromkeys(request for service in SERVICES for request in requests_for(service)))
BRAND = re.compile("twitter|tweet|google", re.IGNORECASE)
# Names with a brand that every service has.
KEPT = {"automatic_tweet_promotion", *(f"{n}_cta_tweet" for n in ("first", "second", "third", "fourth"))}
EXAMPLES, ENOUGH = 20, 5  # tried of each request, unless its rules leave too few
each_request = pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)


router = cache(load_router)


def arrived(kind: type[Request], parts: RequestParts, service: str) -> Request:
    """Send a request as the client does, and read it as the emulator does."""
    prepared = build_request(kind.endpoint, parts, "")
    received = IncomingRequest(
        {
            "REQUEST_METHOD": prepared.method,
            "REQUEST_URI": prepared.url,
            "SERVER_NAME": "127.0.0.1",
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(prepared.body),
            "CONTENT_LENGTH": str(len(prepared.body)),
            "CONTENT_TYPE": prepared.content_type,
        }
    )
    endpoint, _, ids = router(service).find(received)
    assert endpoint == kind.endpoint
    fields = read_params(received, endpoint, kind, ids, SERVICES[service])
    return convert(kind, fields, strict=endpoint.params_in == "json")


def names_in(value: Any) -> set[str]:
    """The keys of a value, at any depth."""
    if isinstance(value, dict):
        return set(value) | set().union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


def assert_names_of(service: str, parts: RequestParts) -> None:
    """Assert that a request has no name of the other service."""
    names = names_in(parts.params) | set(parts.path.split("/")[2::2])
    if service == "x":
        assert not names & (FIELDS.keys() | SEGMENTS.keys())
    else:
        assert not {name for name in names - KEPT if BRAND.search(name)}


@pytest.mark.parametrize(
    ("kind", "service"),
    [(kind, service) for kind in REQUESTS for service in SERVICES if is_of_service(kind, service)],
)
def test_a_valid_request_arrives_unchanged_under_the_names_of_its_service(kind, service):
    names = SERVICES[service]
    count = 0

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(values_of(kind))
    def holds(values: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        request = convert(kind, values)
        parts = request_parts(request, names)
        assert_names_of(service, parts)
        assert arrived(kind, parts, service) == request

    holds()
    assert count >= (ENOUGH if len(kind.__struct_fields__) > 1 else 1)


@each_request
def test_client_and_emulator_reject_each_broken_limit_and_name_its_field(kind):
    sound = simplest(values_of(kind))
    for name, changes in lacking_or_broken(kind):
        values = {key: value for key, value in (sound | changes).items() if value is not None}
        with pytest.raises(InvalidError) as here:
            convert(kind, values)
        assert any(name in problem.path for problem in here.value.problems), (changes, here.value)
        if name in kind.endpoint.path_fields and values.get(name) != "a/b":
            continue  # it cannot be missing, nor could it change the path
        service = kind.endpoint.service or "generic"
        names = SERVICES[service]
        path, rest = names.path(kind.endpoint.path), dict(names.to_wire(values, enum_fields(kind)))
        for key in kind.endpoint.path_fields:
            path = path.replace(f"{{{key}}}", quote(rest.pop(key), safe=""))
        with pytest.raises(InvalidError) as there:
            arrived(kind, RequestParts(path, rest), service)
        assert any(name in problem.path for problem in there.value.problems), (changes, there.value)


@each_request
def test_an_id_stays_one_segment_of_the_path(kind):
    values = simplest(values_of(kind))
    for name in kind.endpoint.path_fields:
        for bad in BAD_IDS:
            assert check(kind, **values | {name: bad}) == [f"{name}: {bad!r} {ID_WORDS}"]
            request = msgspec.structs.replace(convert(kind, values), **{name: bad})  # which validates nothing
            with pytest.raises(UsageError, match=f"{re.escape(repr(bad))} is not a valid id"):
                path_of(request)
        escaped = path_of(convert(kind, values | {name: SPECIAL_ID}))
        assert ESCAPED_ID in escaped and escaped.count("/") == kind.endpoint.path.count("/")
