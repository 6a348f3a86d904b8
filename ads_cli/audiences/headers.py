"""What a column holds, by its header: headers.toml lists those of common exports."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from enum import Enum
from importlib.resources import files

from ..spelling import letters_and_digits
from .identifiers import IDENTIFIERS
from .operations import PARAMS_FIELDS

PARTNER_ID = "partner_user_id"  # is not hashed, so only a column named by this word or --map is sent


class Consent(Enum):
    """What people answered who say yes in a column."""

    AGREED = "agreed"
    REFUSED = "refused"
    STATUS = "status"  # its words tell it, and not its header


def fold_header(header: str) -> str:
    """Fold a header without its number, as in `Email 2`."""
    return "".join(letter for letter in letters_and_digits(header) if not letter.isdecimal())


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
NEGATIONS, WITHDRAWALS = _folded(_TABLE["negations"]), _folded(_TABLE["withdrawals"])
STATUSES, SUBSCRIPTIONS = _folded(_TABLE["statuses"]), frozenset(_folded(_TABLE["subscriptions"]))
NEGATION = "|".join(NEGATIONS)
NEGATED_CONSENT = re.compile(f"(?:{NEGATION})(?:{'|'.join(CONSENTS)})")
NEGATED_REFUSAL = re.compile(f"(?:{NEGATION})(?:{'|'.join(REFUSALS)})")
EITHER = re.compile(r"/|\bor\b")  # as in yes/no, granted or denied
BETWEEN_WORDS = re.compile(r"[^\w/]|_|(?<=[a-z])(?=[A-Z])")
CIRCUMSTANCES = _folded(_TABLE["circumstances"])
CHANNELS = {field: _folded(names) for field, names in _TABLE["channels"].items()}
TIMES, ANSWER_TIMES = _folded(_TABLE["times"]), _folded(_TABLE["answer_times"])


class KnownHeaders(frozenset[str]):
    """Headers that are known in any spelling; others are known as they are written."""

    def __contains__(self, header: object) -> bool:
        return fold_header(str(header)) in FIELD_BY_HEADER or super().__contains__(header)


def is_own_id(header: str) -> bool:
    """Tell whether a column holds ids of the advertiser's own."""
    return fold_header(header) in OWN_IDS


def holds_codes(header: str) -> bool:
    """Tell whether a column holds short codes, as `no` for Norway or Norwegian, or F for a sex."""
    return fold_header(header) in CODES


def find_country_columns(headers: Iterable[str]) -> list[str]:
    """Return the headers of columns that tell the country of national phone numbers, the best first."""
    columns = [header for header in headers if fold_header(header) in COUNTRY_RANKS]
    return sorted(columns, key=lambda header: COUNTRY_RANKS[fold_header(header)])


def is_status(header: str) -> bool:
    """Tell whether a column holds a status, which may be that of a subscription."""
    folded = fold_header(header)
    return folded in SUBSCRIPTIONS or any(part in folded for part in STATUSES)


def is_subscription(header: str) -> bool:
    """Tell whether a column holds a subscription, of which yes and no tell something too."""
    return fold_header(header) in SUBSCRIPTIONS


def is_answer_time(header: str) -> bool:
    """Tell whether a column of consent holds times, which tell by being there."""
    return fold_header(header).endswith(TIMES)


def consent_of_column(header: str) -> Consent | None:
    """Return whether a column says that people agreed to be contacted, or that they refused."""
    folded, consent = fold_header(header), _meaning_of_yes(header)
    if folded.endswith(CIRCUMSTANCES) and not folded.endswith(TIMES):
        return None
    is_only_time = consent is Consent.AGREED and folded.endswith(TIMES) and folded not in ANSWER_TIMES
    return None if is_only_time else consent


def channel_of_column(header: str) -> str:
    """Return the identifier by which people agreed to be reached, "" where a header tells none or several."""
    rests = [rest for _, rest in _from_each_word(header)]
    channels = [field for field, parts in CHANNELS.items() if any(rest.startswith(parts) for rest in rests)]
    return channels[0] if len(channels) == 1 else ""


def _meaning_of_yes(header: str) -> Consent | None:
    """Return what those say who say yes in a column, whatever else its header has."""
    folded = fold_header(header)
    if any(part in folded for part in REFUSALS):
        is_negated = any(NEGATED_REFUSAL.match(rest) for _, rest in _from_each_word(header))
        return Consent.AGREED if is_negated else Consent.REFUSED
    if not any(part in folded for part in CONSENTS):
        return None
    is_negated = any(
        NEGATED_CONSENT.match(rest) or (rest.startswith(WITHDRAWALS) and before not in NEGATIONS)
        for before, rest in _from_each_word(header)
    )
    return Consent.REFUSED if is_negated else Consent.AGREED


def _from_each_word(header: str) -> Iterator[tuple[str, str]]:
    """Yield the word before each word of a header, and the rest of the header from that word on."""
    choices = "/".join(map(str.strip, EITHER.split(header)))  # each choice is one word
    words = [word for text in BETWEEN_WORDS.split(choices) if (word := fold_header(text))]
    for at, before in enumerate(["", *words[:-1]]):
        yield before, "".join(words[at:])
