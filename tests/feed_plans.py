"""Plans of feeds that nothing is sent of."""

from ads_cli.feeds.rows import Rows
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from ads_cli.products.plans import ProductPlan
from ads_cli.products.selection import ChangedRows
from ads_cli.products.uploads import PushUpload
from ads_cli.validation.validator import Validator


def plan_of(rows: Rows, selection: ChangedRows | None = None) -> ProductPlan:
    """Return the plan of a push of some rows, once they were validated."""
    validator = Validator(rows, PRODUCT_SCHEMA, selection)
    validator.validate()
    return ProductPlan(validator, PushUpload("-"), "-", "push", selection=selection)
