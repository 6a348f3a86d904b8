"""The codes of ISO standards, out of pycountry's files: to import pycountry itself takes far longer."""

from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import msgspec


def codes(standard: str, name: str) -> frozenset[str]:
    """Load the codes of a standard, as `alpha_2` of iso3166-1."""
    package = Path(str(cast(ModuleSpec, find_spec("pycountry")).origin))
    content = package.with_name("databases").joinpath(f"{standard}.json").read_bytes()
    (records,) = msgspec.json.decode(content).values()
    return frozenset(record[name] for record in records)


@cache
def currencies() -> frozenset[str]:
    """Load the currency codes of ISO 4217."""
    return codes("iso4217", "alpha_3")


@cache
def countries() -> frozenset[str]:
    """Load the country codes of ISO 3166-1 alpha-2."""
    return codes("iso3166-1", "alpha_2")
