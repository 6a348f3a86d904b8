"""Names in place of ids, in the values of requests: of records, of targeting values and of products."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...api.endpoint import Request
from ...api.fields import fields_by_name, marked_fields
from ...api.iso_codes import COUNTRIES
from ...api.product_ids import PRODUCT_KEY
from ...api.record_names import GROUPS, KIND_FIELDS, field_of_kind, fields_that_take_names
from ...console.invocation import Invocation
from ...errors import NotFoundError
from ...output.text import listed
from ...spelling import comma_list

if TYPE_CHECKING:
    from ...campaigns.targeting_names import TargetingNames

# The field of the ids that are the values of a type of targeting. A search finds those of others.
RECORDS_OF_TYPES = {
    "CAMPAIGN_ENGAGEMENT": "campaign_id",
    "CAMPAIGN_ENGAGEMENT_LOOKALIKE": "campaign_id",
    "CUSTOM_AUDIENCE": "custom_audience_id",
    "CUSTOM_AUDIENCE_EXPANDED": "custom_audience_id",
}
PRODUCTS = "product_keys"


class NamesInRequests:
    """Puts ids in place of the names in the values of requests of a kind, by neutral names."""

    def __init__(self, call: Invocation, kind: type[Request]) -> None:
        self._call, self._kind, common = call, kind, marked_fields(kind, "common")
        # The place that a common option names is an id already.
        self._fields = {name: of for name, of in fields_that_take_names(kind).items() if name not in common}
        known = kind.__struct_fields__
        self._has_targeting = {"targeting_type", "targeting_value"} <= {*known}
        self._finds_places = kind.endpoint.command == "targeting search locations"
        self._has_products = PRODUCTS in known and kind.endpoint.command.startswith("catalog sets")

    def resolve_options(self, values: dict[str, Any]) -> None:
        """Replace the names in the texts of options and arguments, in place."""
        fields = fields_by_name(self._kind)
        for name in self._fields.keys() & values.keys():
            if (text := values[name]) and (field := self._field(name, values)):
                is_list = isinstance(text, str) and fields[name].type.is_comma_list
                values[name] = self._ids(field, comma_list(text) if is_list else text)

    def resolve(self, values: dict[str, Any]) -> None:
        """Replace names, in place; raise NotFoundError or UsageError where one names no record or several.

        The lists and mappings in `values` stay as they are.
        """
        for name in [*values]:
            if named := self._field(name, values):
                values[name] = self._ids(named, values[name])
            elif isinstance(values[name], list | dict):
                values[name] = self._inside(values[name], values)
        value = values.get("targeting_value")
        if self._has_targeting and isinstance(value, str):
            type_ = str(values.get("targeting_type")).upper().replace("-", "_")
            field = RECORDS_OF_TYPES.get(type_)
            values["targeting_value"] = (
                self._ids(field, value) if field else self._targeting.value_of(type_, value)
            )
        if self._finds_places and values.get("q") in COUNTRIES:
            # The search for words finds these letters anywhere in a name.
            values |= {"country_code": values.pop("q"), "location_type": "COUNTRIES"}
        if self._has_products and values.get(PRODUCTS):
            values[PRODUCTS] = self._product_keys(values[PRODUCTS])

    def _field(self, name: str, values: Mapping[str, Any]) -> str:
        """Return the field of GROUPS that a field of the request is."""
        field = self._fields.get(name)
        if field == "":
            return field_of_kind(str(values.get(KIND_FIELDS[name])).replace("-", "_"))
        return field or ""

    def _ids(self, field: str, value: Any) -> Any:
        """Return the ids of the records that a text, a text with commas or a list names."""
        if isinstance(value, list | tuple):
            return [self._ids(field, item) for item in value]
        return self._call.records.id_of(field, value) if isinstance(value, str) and value else value

    def _inside(self, value: Any, values: Mapping[str, Any]) -> Any:
        """Return a value with ids in place of the names inside of it."""
        if isinstance(value, list):
            return [self._inside(item, values) for item in value]
        if not isinstance(value, dict):
            return value
        kind = field_of_kind(str(values.get("entity_type")))
        fields = {name: name for name in GROUPS} | ({"entity_ids": kind} if kind else {})
        return {
            name: self._ids(fields[name], inner) if name in fields else self._inside(inner, values)
            for name, inner in value.items()
        }

    @cached_property
    def _targeting(self) -> "TargetingNames":
        from ...campaigns.targeting_names import TargetingNames

        return TargetingNames(self._call.client, self._call.account)

    def _product_keys(self, value: Any) -> Any:
        """Return the keys of products, some of which are named by the ids of their feed.

        Raise NotFoundError for ids that the catalog does not have. The service names keys that it does not.
        """
        named = comma_list(value) if isinstance(value, str) else value
        texts = [*map(str, named)] if isinstance(named, list) else []
        ids = [text for text in texts if not PRODUCT_KEY.fullmatch(text)]
        if not ids:
            return value
        from ...console.progress import progress
        from ...products.listing import find_products

        call = self._call
        with progress(call.messages, "Listing the catalog", None) as on_progress:
            found = dict(
                find_products(call.client, call.find_catalog(), ids, ("id", "product_key"), on_progress)
            )
        if missing := [id for id in ids if id not in found]:
            noun = "no product with the id" if len(missing) == 1 else "no products with the ids"
            hint = "adsctl products list --variants shows the ids"
            raise NotFoundError(f"the catalog has {noun} {listed([*map(repr, missing)])}", hint=hint)
        keys = {id: str(product["product_key"]) for id, product in found.items() if "product_key" in product}
        return [keys.get(text, text) for text in texts]
