"""Mask secrets, and what identifies a person, in what is shown or written."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .encodings import (
    ENCODED,
    ENCODED_ASCII,
    ENCODED_TEXT,
    HEX,
    MIN_FOUND_ANYWHERE,
    Rewritten,
    decoded_character,
    plain_character,
)

MASK = "***"
# Tokens in responses, as fields of a form, a query or JSON; keys of others only in these, and not in words.
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
USER_IN_TEXT = r"(?P<scheme>(?:(?<![A-Za-z0-9+.-])(?i:sftp))?://)(?P<user>[^\s/?#]*)@"
# The value of a field, as --set, --default and --where have it: data of a product; its query is not a secret.
FIELD_VALUE = r"(?:--[\w-]+=)?[A-Za-z_]\w*\s*[!~<>]?="
QUERY_IN_TEXT = r"(?P<before>://[^\s?#]*+)(?P<query>[?#]\S*)?"
MIN_MASKED_BASE64 = 8  # characters; shorter fragments occur in ordinary text
MIN_MASKED_ECHO = 8  # characters; a shorter secret is left in answers, where it may be an id
MIN_MASKED_START = 8  # characters of a value that was cut
# Fields that hold a secret, or what belongs to a person, by words of their names; ids of users do not.
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
# In any text: e-mail addresses, international telephone numbers, device ids, digests (MD5, SHA).
LOCAL = r"\w.+%!#$&~^-"  # of an e-mail address, before its @; an apostrophe is between others
AT = r"@|\s@\s(?=[^\W\d])|\s?[\[({<]\s?(?i:at)\s?[\])}>]\s?"
DOT = r"[.\u3002]|\s?[\[({<]\s?(?i:dot)\s?[\])}>]\s?"
DOMAIN = rf"(?>[\w-]+)(?>(?:(?:{DOT})[\w-]+)+)|\[[\w:.]{{2,45}}\]"
NAME = rf"(?<![{LOCAL}])(?<![{LOCAL}]')(?>[{LOCAL}]+(?:'[{LOCAL}]+)*)|\"[^\"\r\n]{{1,64}}+\""
E_MAIL = f"(?:{NAME})(?:{AT})(?:{DOMAIN})"
# A comma and other ends of clauses are in a number where no blank follows, or where it begins as numbers do.
IN_NUMBER = r"\s./()\[\]|*~+'\u2019\u00b7\u2022\u2027\u2219\u30fb\u2010-\u2015\u2212_-"
BETWEEN_DIGITS = rf"(?:[{IN_NUMBER}]|[,;:!#](?!\s)){{0,4}}"
AFTER_ZERO = rf"[,;:!#{IN_NUMBER}]{{0,4}}"
# Only ASCII letters and digits make ids of digits; of a word, not those that stand before or after numbers.
NOT_AFTER_ID = r"(?<![\dA-Za-z_])"
PHONE_WORD = r"(?i:tel|telefon|telephone|fon|phone|mobile?|handy|cell|call|fax|whatsapp|wa|sms|hotline|nr|no)"
BEFORE_NUMBER = rf"{NOT_AFTER_ID}(?:{PHONE_WORD}|[A-Za-z]{{2,20}}(?=0))?|(?<=_)"
NOT_IN_ID = r"(?!-?[\dA-Za-z_])"
AFTER_NUMBER = rf"(?:{NOT_IN_ID}|(?=-?_?(?:(?i:x|ext|extension)\.?\d{{1,6}}|{PHONE_WORD}){NOT_IN_ID}))"
ABROAD = rf"(?:(?<![\d+])\+\s?|{NOT_AFTER_ID}(?<!\d:)00{BETWEEN_DIGITS})"
TELEPHONE = rf"{ABROAD}(?!0)\d(?:{BETWEEN_DIGITS}\d){{6,14}}(?!\d)"
DIGEST_NAME = r"(?:(?i:sha-?\d{1,3}|md5)[_:=/-]?)"
DIGEST = (
    rf"(?<![0-9A-Za-z]){DIGEST_NAME}?(?:[0\\][xX])?{HEX}{{32}}(?:{HEX}{{8}}|{HEX}{{24}}|{HEX}{{32}}|{HEX}{{64}}|{HEX}{{96}})?"
    r"(?![0-9A-Za-z])"
)
GROUPED_DIGEST = rf"(?=[\d\s:.-]{{0,40}}[A-Fa-f]){HEX}{{2}}(?:[\s:.-]?{HEX}{{2}}){{15,63}}"
UUID = rf"{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}"
MAC = (
    rf"{HEX}{{2}}(?:[:-]{HEX}{{2}}){{5}}|{HEX}{{4}}(?:\.{HEX}{{4}}){{2}}"
    rf"|(?=\d{{0,11}}[A-Fa-f])(?=[A-Fa-f]{{0,11}}\d){HEX}{{12}}"
)
DEVICE = rf"{UUID}|(?<![0-9A-Za-z])(?:{GROUPED_DIGEST}|{MAC})(?![0-9A-Za-z])"
PRIVATE_TEXT = f"{E_MAIL}|{TELEPHONE}|{DIGEST}|{DEVICE}"
# National telephone numbers, of 7 to 15 digits in groups, and what is looked for before them: dates and
# times, ids of runs, addresses of machines, amounts. Nothing tells a number of other digits from them.
DATE = (
    r"(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?(?:[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?)?(?:[+-]\d\d:?\d\d)?"
    r"|(?:19|20)\d\d[01]\d[0-3]\d(?:[T_-]?\d{6}(?:-[0-9a-f]{6}\b)?)?"
    r"|[0-3]?\d([./-])[01]?\d\1(?:19|20)\d\d|(?:19|20)\d\d\s?[/\u2010-\u2015-]\s?(?:19|20)\d\d"
)
OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
CURRENCY = (
    "[€$£¥%円元원₩₹]|(?:AED|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|SEK|SGD|TRY|USD|ZAR)"
    r"\b"
)
AMOUNT = (
    r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|[1-9]\d?(?:[ .]\d{3})+(?:,\d+)?|\d{3}(?:[ .]000)+|[1-9]\d*[.,]\d{1,2}"
    rf"|[1-9]\d*(?=\s?(?:{CURRENCY}))|(?<=[€$£¥])[1-9]\d*"
)
TIME = r"[012]?\d:[0-5]\d(?::[0-5]\d)?(?![:\d])"
MACHINE = rf"{OCTET}(?:\.{OCTET}){{3}}"
NATIONAL = (
    rf"{NOT_AFTER_ID}(?:(?:{DATE})(?!\d)|{TIME}|{MACHINE}:\d{{1,5}}(?!\d)"
    rf"|(?:{MACHINE}|{AMOUNT})(?![ .,/-]?\d))"
    rf"|(?:{BEFORE_NUMBER})(?<!\d[.,])(?P<number>(?:\((?=\d{{1,6}}\)))?"
    rf"(?:0\d(?:{AFTER_ZERO}\d){{5,13}}|\d(?:{BETWEEN_DIGITS}\d){{6,14}}){AFTER_NUMBER})"
)
# Fields whose numbers are no telephone numbers, by words of their names, also where a text names them.
NUMBER_WORDS = """
    id key micro amount budget bid count total limit cursor size byte line at time date since until start end
    expire job run version price quantity gtin mpn ean upc isbn sku"""
NUMBER_NAME = rf"(?i)(?:^|_)(?:{'|'.join(NUMBER_WORDS.split())})(?:e?s)?(?:_|$)"
# In a text, such a name is an option's, is quoted, of several words, or just before =: others are words.
NAME_BEFORE = (
    r"(?<![\w-])(?:--([\w-]++)[ =]|[\"']([\w-]++)[\"']\s?[=:]\s?"
    r"|((?=[^\W_]++[_-])[\w-]++)\s?[=:]\s?|([\w-]++)=)[\"']?\Z"
)
NAMED_NUMBER = r"[1-9]\d*+"  # neither in groups nor with a zero first
NAME_LENGTH = 60
MAX_DECODED = 10  # layers of such a text; what is encoded in more is masked
MAX_BASE64 = 3  # layers of that, which may hold the others
BASE64 = r"[A-Za-z0-9+/_-]{8,}={0,2}"
DIGEST_LENGTHS = (22, 27, 38, 43, 64, 86)  # in base64


def is_private_name(name: str) -> bool:
    """Tell whether a field or an option of this name holds a secret, or what belongs to a person."""
    return bool(re.search(PRIVATE_NAME, _parted(name)))


# Headers of a request that hold no secret, whoever has given them.
OPEN_HEADERS = (
    *("accept", "accept-charset", "accept-encoding", "accept-language", "connection"),
    *("content-encoding", "content-length", "content-type", "expect", "host"),
    *("if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"),
    *("range", "user-agent"),
)
# Options whose values nothing declares: those of `api`, and the command of --on-failure.
RAW_OPTION = r"(?s)(?P<option>--form(?:=|$)|-[A-Za-z]*?[HfF])(?P<value>.*)"
COMMAND_OPTION = r"(?s)(?P<option>--on-failure(?:=|$))(?P<value>.*)"
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
        found = re.fullmatch(COMMAND_OPTION, word) or (is_raw and re.fullmatch(RAW_OPTION, word))
        path, mark, _ = word.partition("?")
        if hide:
            shown.append(hide(word))
            hide = None
        elif found:
            hide = _name_only if found.re.pattern == RAW_OPTION else _program_only
            value = found["value"]
            shown.append(found["option"] + (hide(value) if value else ""))
            hide = None if value else hide
        else:
            shown.append(f"{path}?{MASK}" if is_raw and mark and word.startswith("/") else word)
    return shown


def _program_only(command: str) -> str:
    program, blank, arguments = command.partition(" ")
    return f"{program}{blank}{MASK if arguments else ''}"


def _name_only(text: str) -> str:
    found = re.match(FIELD, text)
    return f"{found['name']}{found['separator']}{MASK}" if found else MASK


def secret_words(words: Sequence[str]) -> Iterator[str]:
    """Yield, without their values, the words of a command line that seem to hold a secret."""
    for word, shown in zip(words, mask_undeclared(words), strict=True):
        header = re.search(r"(?<![\w-])([\w-]++):\*+$", shown)
        own = word.partition("=")[2] if word.startswith("--") else word
        found = map("".join, re.findall(NAMED_VALUE, own))
        names = (name for name in found if re.search(SECRET_NAME, _parted(name)))
        if shown != word and header and header[1].lower() not in OPEN_HEADERS:
            yield shown
        elif name := next(names, None):
            yield f"{name}={MASK}"


def _parted(name: str) -> str:
    return re.sub(BETWEEN_WORDS, "_", name)


def is_number_name(name: str) -> bool:
    """Tell whether a field of this name holds an id, a time or an amount: no telephone number."""
    return bool(re.search(NUMBER_NAME, re.sub(BETWEEN_WORDS, "_", name))) and not is_private_name(name)


def mask_people(text: str, *, numbers: bool = False) -> str:
    """Return a text without e-mail addresses, telephone numbers, digests and device ids, however encoded.

    National telephone numbers are masked where `numbers` says so: nothing tells them from other numbers.
    """
    return _without(text, _people(text, numbers=numbers))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept, end = [], 0
    for start, stop in sorted(spans):
        if start >= end:
            kept += [text[end:start], MASK]
        end = max(end, stop)
    return "".join([*kept, text[end:]])


def _people(text: str, *, numbers: bool, layers: int = MAX_BASE64) -> Iterator[tuple[int, int]]:
    """Yield where a text says what identifies a person."""
    layer = Rewritten(text)
    for _ in range(MAX_DECODED):
        spans = [found.span() for found in re.finditer(PRIVATE_TEXT, layer.text)]
        spans += _national_numbers(layer.text) if numbers else ()
        for found in re.finditer(BASE64, layer.text) if layers else ():
            if _is_private_base64(found[0], numbers=numbers, layers=layers - 1):
                spans.append(found.span())
        for start, stop in spans:
            yield layer.place(start, stop)
        decoded = layer.rewritten(ENCODED_TEXT, plain_character)
        if decoded is None or decoded.text == layer.text:
            return
        layer = decoded
    for word in re.finditer(r"\S+", layer.text):
        if re.search(ENCODED, word[0]):
            yield layer.place(*word.span())


def _national_numbers(text: str) -> Iterator[tuple[int, int]]:
    for found in re.finditer(NATIONAL, text):
        start, stop = found.span("number")
        if start >= 0:
            name = re.search(NAME_BEFORE, text[max(start - NAME_LENGTH, 0) : start])
            is_plain = re.fullmatch(NAMED_NUMBER, found["number"])
            if not (name and is_plain and is_number_name(name[name.lastindex or 0])):
                yield start, stop


def _is_private_base64(word: str, *, numbers: bool, layers: int) -> bool:
    """Tell whether base64 or hexadecimal digits hold a digest, or a text that identifies a person."""
    from base64 import b64decode

    plain = re.sub(f"^{DIGEST_NAME}", "", word).replace("-", "+").replace("_", "/")
    digits = plain.rstrip("=")
    if len(digits) in DIGEST_LENGTHS and (digits != plain or _is_mixed(digits)):
        return True
    octets = [bytes.fromhex(digits) for digits in re.findall(f"(?:{HEX}{HEX}){{7,}}", word)]
    if digits[1:] != digits[1:].lower():  # base64 of a text has capitals
        parts = (digits[offset:] for offset in range(4))  # it may begin at any character of a word
        octets += [b64decode(part[: len(part) // 4 * 4] + _padded(part)) for part in parts]
    # UTF-16 has zeros; what is no text separates.
    texts = (each.replace(b"\0", b"").decode(errors="replace").replace("\ufffd", " ") for each in octets)
    return any(True for text in texts for _ in _people(text, numbers=numbers, layers=layers))


def _padded(digits: str) -> str:
    """Return the last characters of base64 with their padding; one alone holds nothing."""
    rest = digits[len(digits) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _is_mixed(digits: str) -> bool:
    """Tell whether base64 looks random, as that of a digest does."""
    capitals, small = (sum(map(kind, digits)) for kind in (str.isupper, str.islower))
    return capitals >= 4 and small >= 4 and capitals + small < len(digits)


class PeopleMask:
    """Masks values of people, whole or cut, and what `mask_people` does: a service may quote them.

    The time that it takes is linear in the length of a text, however many values there are.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self._by_start: dict[str, set[str]] = {}
        for value in filter(None, values):
            self._by_start.setdefault(value[:MIN_MASKED_START], set()).add(value)
        self._sizes = {*map(len, self._by_start)}

    def __call__(self, text: str) -> str:
        """Return the text with every value masked."""
        masked = mask_people(text)
        found = {
            value
            for at in range(len(masked))
            for size in self._sizes
            for value in self._by_start.get(masked[at : at + size], ())
        }
        for value in sorted(found, key=len, reverse=True):
            bounds = r"\b" if len(value) < MIN_FOUND_ANYWHERE else ""
            masked = re.sub(f"{bounds}{re.escape(value)}{bounds}", MASK, masked)
        for value in found:
            for size in range(len(value) - 1, MIN_MASKED_START - 1, -1):
                masked = masked.replace(value[:size], MASK)
        return masked


def people_in(value: Any, *, is_personal: bool = False) -> Iterator[str]:
    """Yield the texts of users and identifiers in JSON."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from people_in(member, is_personal=is_personal or name in ("users", "identifiers"))
    elif isinstance(value, list):
        for member in value:
            yield from people_in(member, is_personal=is_personal)
    elif is_personal and isinstance(value, str):
        yield value


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
        return re.sub(SECRET_FIELDS, rf"\1{MASK}", _without(text, self._find(text)))

    def values_in(self, content: bytes) -> bytes:
        """Return an answer of the service with every secret masked that it echoes."""
        searched = [text for text in self._texts if len(text) >= MIN_MASKED_ECHO]
        text = content.decode("utf-8", "surrogateescape")
        forms = _plain_forms(text, are_ascii="".join(searched).isascii())
        if not any(secret in form for form in forms for secret in searched):
            return content  # of many megabytes, mostly
        return _without(text, self._find(text)).encode("utf-8", "surrogateescape")

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
    found = {layer.text for layer in _layers(secret)}
    for offset in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            encoded = encode(b" " * offset + octets)
            # Without the characters that hold bits of its neighbours: six bits make one.
            inner = encoded[-(-offset * 8 // 6) : (offset + len(octets)) * 8 // 6].decode()
            found |= {inner} if len(inner) >= MIN_MASKED_BASE64 else set()
    return {re.sub(BACKSLASHES, "", text) for text in found} - {""}


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
    text = re.sub(USER_IN_TEXT, lambda found: f"{found['scheme']}{_shown_user(*found.groups())}@", text)
    if re.match(FIELD_VALUE, text):
        return text
    return re.sub(QUERY_IN_TEXT, lambda found: found["before"] + (f"?{MASK}" if found["query"] else ""), text)


def address_passwords(text: str) -> list[str]:
    """Return the password of every address in a text, or the user name where one has no password."""
    whole = re.fullmatch(ADDRESS, text)
    users = [(found["scheme"], found["user"]) for found in re.finditer(USER_IN_TEXT, text)]
    if whole and whole["user"]:
        users.append((whole["scheme"], whole["user"]))
    parted = ((user.partition(":"), _is_ssh_login(scheme, user)) for scheme, user in users)
    secrets = (password if colon else name for (name, colon, password), is_login in parted if not is_login)
    return [*dict.fromkeys(filter(None, secrets))]


def address_secrets(text: str) -> list[str]:
    """Return the secrets of an address: its password, or a user name without one, and its query."""
    from urllib.parse import unquote

    match = re.fullmatch(ADDRESS, text)
    query = (match["query"] or "")[1:] if match else ""
    passwords = address_passwords(text)
    return [*passwords, *map(unquote, passwords), *filter(None, [query])]


def _shown_user(scheme: str, user: str) -> str:
    return user if _is_ssh_login(scheme, user) else MASK


def _is_ssh_login(scheme: str, user: str) -> bool:
    """Whether a user name is only that: with SSH, it is not a secret."""
    return scheme.lower() == "sftp://" and ":" not in user
