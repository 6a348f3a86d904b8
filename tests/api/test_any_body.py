"""Bodies that pushes encode themselves have the names of the service, and are read back as declared."""

import json
from types import SimpleNamespace
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.api.names import SERVICES
from ads_cli.api.parts import request_parts
from ads_cli.api.problems import InvalidError
from ads_cli.api.products import Product, PutProducts
from ads_cli.api.users import UpdateAudienceUsers, User
from ads_cli.api.validation import convert
from ads_cli.audiences.operations import Operations
from ads_cli.audiences.upload import UserUpload
from ads_cli.emulator.core.request import read_names
from ads_cli.products.uploads import PushUpload
from ads_cli.validation import EncodedRows
from tests.effort import tries
from tests.emulator.wire_names import X_NAMES, renamed

from .strategies import fields

sampled = settings(max_examples=tries(5, 50), suppress_health_check=list(HealthCheck), database=None)


def body_of(upload: Any, items: Any, service: str) -> Any:
    """The JSON that a batch becomes."""
    client = SimpleNamespace(
        names=SERVICES[service], prepare=lambda _, pieces: b"".join(bytes(piece) for piece in pieces)
    )
    sent = items if isinstance(upload, UserUpload) else SimpleNamespace(items=items)
    return json.loads(upload.prepare(client, sent))


def on_the_wire(value: Any, service: str) -> Any:
    return renamed(value, X_NAMES, {}) if service == "x" else value


def valid(struct: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Any instance whose fields are valid; a rule may be broken."""

    def converted(values: dict[str, Any]) -> Any:
        try:
            return convert(struct, values)
        except InvalidError:
            return None

    return fields(struct).map(converted).filter(lambda item: item is not None)


@sampled
@given(st.lists(valid(Product), min_size=1, max_size=3))
def test_products_are_sent_as_the_declared_request_has_them(products):
    items = EncodedRows([product.id for product in products], [*map(msgspec.json.encode, products)])
    request = PutProducts(product_catalog_id="c1", products=products)
    for service, names in SERVICES.items():
        sent = body_of(PushUpload("c1"), items, service)
        assert sent == request_parts(request, names).params
        assert sent == on_the_wire({"products": msgspec.to_builtins(products)}, service)


@sampled
@given(st.lists(valid(User), min_size=1, max_size=3))
def test_people_are_sent_under_the_names_of_each_service(users):
    operation = {"operation_type": "Update", "params": {"users": msgspec.to_builtins(users)}}
    upload = UserUpload(
        UpdateAudienceUsers(account_id="a1", custom_audience_id="u1"), "custom_audience", "u1"
    )
    for service, names in SERVICES.items():
        sent = body_of(upload, [Operations.single(msgspec.json.encode(operation), [0])], service)
        assert sent == [on_the_wire(operation, service)]
        assert read_names(sent, names) == [operation]
