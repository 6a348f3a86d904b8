"""What an assistant is never shown: secrets, and what identifies a person."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ...console.invocation import Invocation
from ...errors import AdsctlError
from ...masking import MASK, address_passwords, is_private_name, mask_address
from ...output.text import safe
from ...people_masking import is_number_name, mask_people

FETCHED = "feed_url"  # whose query is often a secret
MAX_DEPTH = 100
# Of a record that is about a field: what names the field, and what has its values.
FIELD_NAMES, FIELD_VALUES = ("field", "column"), ("value", "values", "before", "after")
NUMBER = r"[\w.,:+-]*"  # of a field of numbers, such as an id or a time: without groups


class ProfileSecrets:
    """Reads the secrets of a profile, so that none is shown, wherever it comes from."""

    def __init__(self, call: Invocation) -> None:
        self._call = call
        self._are_known = False

    def learn(self) -> None:
        """Read what is not known; a sign-in that commands renew is read each time."""
        settings = self._call.settings
        if settings.is_local or (self._are_known and not settings.uses_grant):
            return
        with suppress(AdsctlError):  # the command will say so
            self._call.secrets.user()
            self._call.secrets.client_secret()
            self._are_known = True


def without_private(value: Any, mask: Callable[[str], str] = str, depth: int = 0) -> Any:
    """Return data without secrets and what identifies people, its texts escaped as `safe` does.

    `mask` hides the secrets that are known by value.
    """
    if isinstance(value, str):
        return private_text(value, mask)
    if depth > MAX_DEPTH:
        return MASK
    if isinstance(value, list):
        return [without_private(item, mask, depth + 1) for item in value]
    if isinstance(value, Mapping):
        field = next((value[name] for name in FIELD_NAMES if isinstance(value.get(name), str)), "")
        shown, numbers = dict[str, Any](), Counter[str]()
        for name, item in value.items():
            key = masked = private_text(str(name), mask)
            while key in shown:  # as of two that are masked
                numbers[masked] += 1
                key = f"{masked} {numbers[masked] + 1}"
            of_field = field if field and name in FIELD_VALUES else str(name)
            shown[key] = _of_field(of_field, item, mask, depth + 1)
        return shown
    return value


def private_text(text: str, mask: Callable[[str], str] = str, *, numbers: bool = True) -> str:
    """Return a text without secrets, e-mail addresses, telephone numbers, digests and device ids.

    Without `numbers`, what may be one is shown: for fields of ids, times and amounts.
    """
    masked = mask(text)
    for password in address_passwords(masked) if "@" in masked else ():
        masked = masked.replace(password, MASK)
    return safe(mask_people(masked, numbers=numbers))


def _of_field(name: str, value: Any, mask: Callable[[str], str], depth: int) -> Any:
    if is_private_name(name) and not isinstance(value, bool) and value not in (None, "", []):
        return MASK
    if name == FETCHED and isinstance(value, str):
        return private_text(mask_address(value), mask)
    if not is_number_name(name):
        return without_private(value, mask, depth)
    values = [
        private_text(item, mask, numbers=not re.fullmatch(NUMBER, item))
        if isinstance(item, str)
        else without_private(item, mask, depth)
        for item in (value if isinstance(value, list) else [value])
    ]
    return values if isinstance(value, list) else values[0]
