"""Mask secrets, and what identifies a person, in what is shown or written."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from .encodings import (
    ENCODED,
    ENCODED_ASCII,
    Rewritten,
    decoded_character,
)

MASK = "***"
# Tokens in responses, as fields of a form, a query or JSON. Keys of others are matched in these only, not in
# words.
SECRET_FIELDS = (
    r'((?:oauth_token|oauth_token_secret|oauth_verifier|access_token|refresh_token|code_verifier)"?\s*[=:]\s*"?'
    r"|(?:api|access|session|private|signing)[_-]?key(?:=|\"\s*:\s*\")"
    r"|(?<![A-Za-z])(?:sig|signature|password|secret)(?:=|\"\s*:\s*\"))"
    r'[^&"\s]+'
)
MAX_LAYERS = 4  # of encodings: a signature's base string is encoded twice, and may be in JSON or a page
BACKSLASHES = r"\\+"  # JSON and Python's repr add them, once for each level of quoting
# An address, alone or as the value of an option: before its path, its credentials, and after it, its query.
# Blanks do not end it.
ADDRESS = (
    r"(?s)(?P<option>--[\w-]+=)?(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+://)(?:(?P<user>[^/?#]*)@)?(?P<path>[^?#]*)"
    r"(?P<query>[?#].*)?"
)
# In any other text, a blank ends an address.
USER_IN_TEXT = r"(?P<scheme>(?:(?<![A-Za-z0-9+.-])(?i:sftp|postgres(?:ql)?))?://)(?P<user>[^\s/?#]*)@"
LOGIN_SCHEMES = ("sftp://", "postgresql://", "postgres://")  # whose user names are no secrets
PASSWORD_IN_QUERY = r"[?&](?:ssl)?password=([^&#]+)"  # of an address of PostgreSQL
# The value of a field, as --set, --default and --where have it, is data of a product. Its query is not a
# secret.
FIELD_VALUE = r"(?:--[\w-]+=)?[A-Za-z_]\w*\s*[!~<>]?="
QUERY_IN_TEXT = r"(?P<before>://[^\s?#]*+)(?P<query>[?#]\S*)?"
MIN_MASKED_BASE64 = 8  # characters; shorter fragments occur in ordinary text
MIN_MASKED_ECHO = 8  # characters; a shorter secret is left in answers, where it may be an id
# Fields that have a secret, or data of a person, by words of their names. Ids of users are not among them.
SECRET_WORDS = (
    *("secret", "token", "password", "passwd", "pwd", "passphrase", "consumer_key", "api_key", "apikey"),
    *("access_key", "session", "session_key", "private_key", "signing_key", "credential"),
    *("sig", "signature", "cookie", "jwt", "bearer", "authorization"),
)
PRIVATE_WORDS = (
    *("email", "e_mail", "phone", "telephone", "street", "street1", "street2", "postal", "zip", "address"),
    *("first_name", "last_name", "full_name", "contact", "handle", "partner_user_id", "partner_client_id"),
    *("device_id", "msisdn", "fax", "idfa", "idfv", "adid", "gaid", "aaid", "advertising_id", "hashed"),
    *SECRET_WORDS,
)
SECRET_NAME = rf"(?i)(?:^|_)(?:{'|'.join(SECRET_WORDS)})(?:e?s)?(?:_|$)"
PRIVATE_NAME = rf"(?i)(?:^|_)(?:{'|'.join(PRIVATE_WORDS)})(?:e?s)?(?:_|$)"
BETWEEN_WORDS = r"-|(?<=[a-z0-9])(?=[A-Z])"  # as in contact-phone, contactPhone


def is_private_name(name: str) -> bool:
    """Tell whether a field or an option of this name holds a secret, or what belongs to a person."""
    return bool(re.search(PRIVATE_NAME, words_of_name(name)))


# Headers of a request that hold no secret, whoever has given them.
OPEN_HEADERS = (
    *("accept", "accept-charset", "accept-encoding", "accept-language", "connection"),
    *("content-encoding", "content-length", "content-type", "expect", "host"),
    *("if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"),
    *("range", "user-agent"),
)
# Options whose values nothing declares: those of `api`, and commands to run.
RAW_OPTION = r"(?s)(?P<option>--form(?:=|$)|-[A-Za-z]*?[HfF])(?P<value>.*)"
COMMAND_OPTION = r"(?s)(?P<option>--(?:on-failure|exec)(?:=|$))(?P<value>.*)"
FIELD = r"""(?P<name>[^\s=:"'{}]+)"?\s*(?P<separator>[=:])"""
NAMED_VALUE = (
    r"""(?<![\w.-])([\w.-]++)(?:=|["']\s*+:)"""
    r"""|(?<![\w-])((?=(?i:authorization|cookie)\s*+:|[^\W_]*+[-_])[\w-]++)\s*+:"""
)


def mask_header(name: str, value: str) -> str:
    """Return the value of a header of a request as it is shown."""
    return value if name.lower() in OPEN_HEADERS else MASK


def mask_undeclared(words: Sequence[str]) -> list[str]:
    """Return the words of a command line without what may be anything.

    That is the headers, fields and query of a raw request (`api`), and arguments of --on-failure.
    """
    shown, is_raw = list[str](), "api" in words
    hide: Callable[[str], str] | None = None  # of the value that the next word is
    for word in words:
        match = re.fullmatch(COMMAND_OPTION, word) or (is_raw and re.fullmatch(RAW_OPTION, word))
        path, mark, _ = word.partition("?")
        if hide:
            shown.append(hide(word))
            hide = None
        elif match:
            hide = _name_only if match.re.pattern == RAW_OPTION else _program_only
            value = match["value"]
            shown.append(match["option"] + (hide(value) if value else ""))
            hide = None if value else hide
        else:
            shown.append(f"{path}?{MASK}" if is_raw and mark and word.startswith("/") else word)
    return shown


def _program_only(command: str) -> str:
    program, blank, arguments = command.partition(" ")
    return f"{program}{blank}{MASK if arguments else ''}"


def _name_only(text: str) -> str:
    match = re.match(FIELD, text)
    return f"{match['name']}{match['separator']}{MASK}" if match else MASK


def secret_words(words: Sequence[str]) -> Iterator[str]:
    """Yield, without their values, the words of a command line that seem to hold a secret."""
    for word, shown in zip(words, mask_undeclared(words), strict=True):
        header = re.search(r"(?<![\w-])([\w-]++):\*+$", shown)
        own = word.partition("=")[2] if word.startswith("--") else word
        texts = map("".join, re.findall(NAMED_VALUE, own))
        names = (name for name in texts if re.search(SECRET_NAME, words_of_name(name)))
        if shown != word and header and header[1].lower() not in OPEN_HEADERS:
            yield shown
        elif name := next(names, None):
            yield f"{name}={MASK}"


def words_of_name(name: str) -> str:
    """Return the name of a field or an option with underscores between its words."""
    return re.sub(BETWEEN_WORDS, "_", name)


def without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with the mask in place of each of its parts, which may overlap."""
    kept, end = [], 0
    for start, stop in sorted(spans):
        if start >= end:
            kept += [text[end:start], MASK]
        end = max(end, stop)
    return "".join([*kept, text[end:]])


class Mask:
    """Replaces the secrets of a run by ***, in every encoding in which they may appear.

    The time that it takes is linear in the length of a text, whatever the text and the secrets are.
    """

    def __init__(self) -> None:
        self._texts: frozenset[str] = frozenset()

    def add(self, *secrets: str) -> None:
        """Mask these values from now on."""
        self._texts |= {text for secret in secrets if secret for text in _searched_texts(secret)}

    def __call__(self, text: str) -> str:
        """Return the text with every secret masked."""
        return re.sub(SECRET_FIELDS, rf"\1{MASK}", without_spans(text, self._find(text)))

    def values_in(self, content: bytes) -> bytes:
        """Return an answer of the service with every secret masked that it echoes."""
        searched = [text for text in self._texts if len(text) >= MIN_MASKED_ECHO]
        text = content.decode("utf-8", "surrogateescape")
        forms = _plain_forms(text, are_ascii="".join(searched).isascii())
        if not any(secret in form for form in forms for secret in searched):
            return content  # of many megabytes, mostly
        return without_spans(text, self._find(text)).encode("utf-8", "surrogateescape")

    def _find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets begin and end."""
        if not self._texts:
            return
        for layer in _layers(text):
            plain = layer.rewritten(BACKSLASHES, lambda _: "") or layer
            for searched in self._texts:
                for start, stop in plain.find(searched):
                    yield plain.place(start, stop)


def _searched_texts(secret: str) -> set[str]:
    """Return what is searched for a secret: itself, what it decodes to, and its base64.

    Base64 makes four characters of three bytes, so its text depends on the offset of the secret.
    """
    from base64 import b64encode, urlsafe_b64encode

    octets = secret.encode(errors="surrogatepass")
    texts = {layer.text for layer in _layers(secret)}
    for offset in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            encoded = encode(b" " * offset + octets)
            # Without the characters that hold bits of its neighbours: six bits make one.
            inner = encoded[-(-offset * 8 // 6) : (offset + len(octets)) * 8 // 6].decode()
            texts |= {inner} if len(inner) >= MIN_MASKED_BASE64 else set()
    return {re.sub(BACKSLASHES, "", text) for text in texts} - {""}


def _plain_forms(text: str, *, are_ascii: bool) -> Iterator[str]:
    """Yield a text, and what it decodes to, without backslashes, while that may hold what is searched."""
    yield text.replace("\\", "")
    for _ in range(1, MAX_LAYERS):
        if are_ascii and not re.search(ENCODED_ASCII, text):
            return
        text = re.sub(ENCODED, decoded_character, text)
        yield text.replace("\\", "")


def _layers(text: str) -> Iterator[Rewritten]:
    """Yield a text, and what it decodes to, layer by layer."""
    layer: Rewritten | None = Rewritten(text)
    for _ in range(MAX_LAYERS):
        if layer:
            yield layer
            layer = layer.rewritten(ENCODED, decoded_character)


def mask_address(text: str) -> str:
    """Return a text in which every address is without its credentials and its query."""
    match = re.fullmatch(ADDRESS, text)
    if not match:
        return _mask_in_text(text)
    option, scheme, user, path, query = match.groups()
    shown_user = "" if user is None else f"{_shown_user(scheme, user)}@"
    return f"{option or ''}{scheme}{shown_user}{_mask_in_text(path)}{f'?{MASK}' if query else ''}"


def _mask_in_text(text: str) -> str:
    text = re.sub(USER_IN_TEXT, lambda match: f"{match['scheme']}{_shown_user(*match.groups())}@", text)
    if re.match(FIELD_VALUE, text):
        return text
    return re.sub(QUERY_IN_TEXT, lambda query: query["before"] + (f"?{MASK}" if query["query"] else ""), text)


def address_passwords(text: str) -> list[str]:
    """Return the password of every address in a text, or the user name where one has no password."""
    whole = re.fullmatch(ADDRESS, text)
    users = [(match["scheme"], match["user"]) for match in re.finditer(USER_IN_TEXT, text)]
    if whole and whole["user"]:
        users.append((whole["scheme"], whole["user"]))
    parted = ((user.partition(":"), _is_login(scheme, user)) for scheme, user in users)
    secrets = [password if colon else name for (name, colon, password), is_login in parted if not is_login]
    if whole and whole["query"] and whole["scheme"].lower() in LOGIN_SCHEMES:
        secrets += re.findall(PASSWORD_IN_QUERY, whole["query"])
    return [*dict.fromkeys(filter(None, secrets))]


def address_secrets(text: str) -> list[str]:
    """Return the secrets of an address: its query, and its password or a user name without one."""
    from urllib.parse import unquote

    match = re.fullmatch(ADDRESS, text)
    query = (match["query"] or "")[1:] if match else ""
    passwords = address_passwords(text)
    return [*passwords, *map(unquote, passwords), *filter(None, [query])]


def _shown_user(scheme: str, user: str) -> str:
    return user if _is_login(scheme, user) else MASK


def _is_login(scheme: str, user: str) -> bool:
    """Whether a user name is only that: with SSH and a database, it is not a secret."""
    return scheme.lower() in LOGIN_SCHEMES and ":" not in user
