"""Any valid request arrives unchanged; one that breaks a limit is rejected by client and emulator."""

import re
from collections.abc import Collection
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from ads_cli.api.endpoint import Request
from ads_cli.api.fields import enum_fields
from ads_cli.api.names import SERVICES
from ads_cli.api.parts import RequestParts, path_of, request_parts
from ads_cli.api.problems import InvalidError
from ads_cli.api.registry import is_of_service, requests_for
from ads_cli.api.validation import convert
from ads_cli.client.prepared_request import build_request
from ads_cli.emulator.app import load_router
from ads_cli.emulator.core.request import IncomingRequest, read_params
from ads_cli.errors import UsageError
from tests.effort import tries
from tests.emulator.wire_names import X_NAMES, X_SEGMENTS, X_VALUES

from .declared import BAD_IDS, ESCAPED_ID, ID_WORDS, SPECIAL_ID, check
from .strategies import lacking_or_broken, simplest_values, values_of

REQUESTS = list(dict.fromkeys(request for service in SERVICES for request in requests_for(service)))
BRAND = re.compile("twitter|tweet|google|^x_", re.IGNORECASE)
# Names with a brand that every service has.
KEPT = {"automatic_tweet_promotion", *(f"{n}_cta_tweet" for n in ("first", "second", "third", "fourth"))}
KEPT |= {"tweets_compliance_stream", "tweet_label_stream"}  # names of streams are kept as they are sent
EXAMPLES, ENOUGH = tries(2, 20), tries(1, 5)  # tried of each request, unless its rules leave too few
each_request = pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)


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
    endpoint, _, ids = load_router(service).find(received)
    assert endpoint == kind.endpoint
    fields = read_params(received, endpoint, kind, ids, SERVICES[service])
    return convert(kind, fields, strict=endpoint.params_in == "json")


class Words(NamedTuple):
    """What a request has of its service: segments of its path that are no ids, names, and values of enums."""

    segments: list[str]
    names: set[str]
    values: set[str]

    def on_the_wire_of_x(self) -> "Words":
        return Words(
            [X_SEGMENTS.get(segment, segment) for segment in self.segments],
            {X_NAMES.get(name, name).replace("post.fields", "tweet.fields") for name in self.names},
            {X_VALUES.get(value, value) for value in self.values},
        )


def words_of(kind: type[Request], parts: RequestParts) -> Words:
    declared = zip(kind.endpoint.path.split("/"), parts.path.split("/"), strict=True)
    words = Words(
        [segment for segment_declared, segment in declared if not segment_declared.startswith("{")],
        set(),
        set(),
    )
    enums = enum_fields(kind)
    _collect(parts.params, enums | {X_NAMES.get(name, name) for name in enums}, words)
    return words


def _collect(value: Any, enums: Collection[str], words: Words, is_enum: bool = False) -> None:
    if isinstance(value, dict):
        words.names.update(value)
        for name, inner in value.items():
            _collect(inner, enums, words, name in enums)
    elif isinstance(value, list):
        for item in value:
            _collect(item, enums, words, is_enum)
    elif is_enum:
        words.values.add(value)


def assert_words_of(service: str, request: Request) -> None:
    """Assert that a request has every word of its service, and none of the other."""
    kind = type(request)
    neutral = words_of(kind, request_parts(request))
    assert not {word for word in set().union(*neutral) - KEPT if BRAND.search(str(word))}
    sent = words_of(kind, request_parts(request, SERVICES[service]))
    assert sent == (neutral.on_the_wire_of_x() if service == "x" else neutral)


@each_request
def test_a_valid_request_arrives_unchanged_under_the_names_of_each_service(kind):
    services = {name: names for name, names in SERVICES.items() if is_of_service(kind, name)}
    count = 0

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), database=None)
    @given(values_of(kind))
    def holds(values: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        request = convert(kind, values)
        for service, names in services.items():
            assert_words_of(service, request)
            assert arrived(kind, request_parts(request, names), service) == request

    holds()
    assert count >= (ENOUGH if len(kind.__struct_fields__) > 1 else 1)


@each_request
def test_client_and_emulator_reject_each_broken_limit_and_name_its_field(kind):
    sound = simplest_values(kind)
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


@pytest.mark.parametrize("name", sorted({name for kind in REQUESTS for name in kind.endpoint.path_fields}))
def test_an_id_stays_one_segment_of_the_path(name):
    for kind in (request for request in REQUESTS if name in request.endpoint.path_fields):
        values = simplest_values(kind)
        for bad in BAD_IDS:
            assert check(kind, **values | {name: bad}) == [f"{name}: {bad!r} {ID_WORDS}"], kind
            request = msgspec.structs.replace(convert(kind, values), **{name: bad})  # which validates nothing
            with pytest.raises(UsageError, match=f"{re.escape(repr(bad))} is not a valid id"):
                path_of(request)
        escaped = path_of(convert(kind, values | {name: SPECIAL_ID}))
        assert ESCAPED_ID in escaped and escaped.count("/") == kind.endpoint.path.count("/"), kind
