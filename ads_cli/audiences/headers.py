"""What a column holds, by its header: headers.toml lists those of common exports."""

import tomllib
from collections.abc import Iterable
from enum import Enum
from importlib.resources import files

from .folding import fold
from .identifiers import IDENTIFIERS
from .operation_params import PARAMS_FIELDS

PARTNER_ID = "partner_user_id"  # is not hashed, so only a column named by this word or --map is sent


class Consent(Enum):
    """What people answered who say yes in a column."""

    AGREED = "agreed"
    REFUSED = "refused"


def fold_header(header: str) -> str:
    """Fold a header without its number, as in `Email 2`."""
    return "".join(letter for letter in fold(header) if not letter.isdecimal())


def _folded(names: str) -> tuple[str, ...]:
    return tuple(map(fold_header, names.split(",")))


_TABLE = tomllib.loads(files(__package__).joinpath("headers.toml").read_text(encoding="utf-8"))
FIELD_BY_HEADER = {fold_header(name): name for name in (*IDENTIFIERS, *PARAMS_FIELDS)} | {
    header: field
    for field, languages in _TABLE["identifiers"].items()
    for names in languages.values()
    for header in _folded(names)
}
COUNTRY_RANKS = {header: rank for rank, header in enumerate(_folded(_TABLE["countries"]))}
CODES = COUNTRY_RANKS.keys() | {*_folded(_TABLE["codes"])}
OWN_IDS = frozenset(_folded(_TABLE["own_ids"]))
REFUSALS, CONSENTS = _folded(_TABLE["refusals"]), _folded(_TABLE["consents"])
CIRCUMSTANCES, ANSWER_TIMES = _folded(_TABLE["circumstances"]), _folded(_TABLE["answer_times"])


class KnownHeaders(frozenset[str]):
    """Headers that are known in any spelling; others are known as they are written."""

    def __contains__(self, header: object) -> bool:
        return fold_header(str(header)) in FIELD_BY_HEADER or super().__contains__(header)


def is_own_id(header: str) -> bool:
    """Tell whether a column holds ids of the advertiser's own."""
    return fold_header(header) in OWN_IDS


def holds_codes(header: str) -> bool:
    """Tell whether a column holds short codes, as `no` of Norway, of Norwegian, or F of a sex."""
    return fold_header(header) in CODES


def find_country_column(headers: Iterable[str]) -> str | None:
    """Return the header of the column that tells the country of national phone numbers best."""
    known = [header for header in headers if fold_header(header) in COUNTRY_RANKS]
    return min(known, key=lambda header: COUNTRY_RANKS[fold_header(header)], default=None)


def consent_told_by(header: str) -> Consent | None:
    """Return what a column tells of people: that they agreed to be contacted, or that they refused."""
    folded = fold_header(header)
    if folded.endswith(CIRCUMSTANCES) and folded not in ANSWER_TIMES:
        return None
    if any(part in folded for part in REFUSALS):
        return Consent.REFUSED
    return Consent.AGREED if any(part in folded for part in CONSENTS) else None
