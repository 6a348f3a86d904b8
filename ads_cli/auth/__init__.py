"""Secret stores (keyring, file, environment) and the sign-in flow."""

import msgspec

from ..errors import AdsctlError, StateError, UnavailableError

MAX_SECRET_LENGTH = 10_000
MAX_GRANT_LENGTH = 10 * MAX_SECRET_LENGTH  # two tokens, an id and scopes, each of which JSON may double
GRANT, CLIENT_SECRET = "oauth2_grant", "client_secret"  # names of secrets of OAuth 2.0
INVISIBLE = {
    "\ufeff": "a byte-order mark",
    "\0": "a NUL character",
    "\r": "a carriage return",
    "\n": "a second line",
    "\t": "a tab",
    " ": "a blank",
}


class Secret(msgspec.Struct, frozen=True):
    """A secret, the addresses it may be sent to, and its owner if known."""

    value: str
    addresses: tuple[str, ...] = ()
    owner: str = ""

    def __repr__(self) -> str:
        return "Secret(***)"


def check_secret(
    text: str,
    origin: str,
    error_type: type[AdsctlError] = StateError,
    *,
    max_length: int = MAX_SECRET_LENGTH,
) -> str:
    """Return a secret without its line end. Raise `error_type`, without the secret, if it is not valid."""
    value = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    if len(value) > max_length:
        raise error_type(f"{origin} holds more than {max_length:,} characters, which no secret does")
    if wrong := next((character for character in value if not "!" <= character <= "~"), None):
        what = INVISIBLE.get(wrong, "a control character" if wrong.isascii() else "a character beyond ASCII")
        raise error_type(f"{origin} holds {what}", hint="a secret is one line of visible ASCII characters")
    return value


def received_secret(body: object, field: str) -> str:
    """Return a secret of a response; raise UnavailableError if it has none that can be sent."""
    value = body.get(field) if isinstance(body, dict) else None
    if not (value and isinstance(value, str)):
        raise UnavailableError(f"the response has no {field}")
    return check_secret(value, f"{field} of the response", UnavailableError)
