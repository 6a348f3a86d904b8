"""Mask what identifies a person: e-mail addresses, telephone numbers, digests, ids of devices."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from .encodings import (
    ENCODED,
    ENCODED_TEXT,
    HEX,
    MIN_FOUND_ANYWHERE,
    Rewritten,
    plain_character,
)
from .masking import MASK, is_private_name, without_spans, words_of_name

LISTS, WHERE = "audiences", "--where"  # commands whose conditions may name anybody
MIN_MASKED_START = 8  # characters of a value that was cut
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
# National telephone numbers have 7 to 15 digits in groups. Dates and times, addresses of
# machines and amounts are looked for before them, since nothing else tells those from a number.
DATE = (
    r"(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?(?:[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?)?(?:[+-]\d\d:?\d\d)?"
    r"|(?:19|20)\d\d[01]\d[0-3]\d(?:[T_-]?\d{6})?"
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
OTHER_NUMBER = (
    rf"{NOT_AFTER_ID}(?:(?:{DATE})(?!\d)|{TIME}|{MACHINE}:\d{{1,5}}(?!\d)"
    rf"|(?:{MACHINE}|{AMOUNT})(?![ .,/-]?\d))"
)
NATIONAL = (
    rf"(?:{BEFORE_NUMBER})(?<!\d[.,])(?P<number>(?:\((?=\d{{1,6}}\)))?"
    rf"(?:0\d(?:{AFTER_ZERO}\d){{5,13}}|\d(?:{BETWEEN_DIGITS}\d){{6,14}}){AFTER_NUMBER})"
)
# Fields whose numbers are no telephone numbers, by words of their names, also where a text names them.
NUMBER_WORDS = """
    id key micro amount budget bid count total limit cursor size byte line at time date since until start end
    expire job run version price quantity gtin mpn ean upc isbn sku"""
NUMBER_NAME = rf"(?i)(?:^|_)(?:{'|'.join(NUMBER_WORDS.split())})(?:e?s)?(?:_|$)"
# In a text, such a name is that of an option, or is quoted, has several words, or precedes =. Others are
# words.
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


def is_number_name(name: str) -> bool:
    """Tell whether a field of this name holds an id, a time or an amount: no telephone number."""
    return bool(re.search(NUMBER_NAME, words_of_name(name))) and not is_private_name(name)


def mask_people(text: str, *, numbers: bool = False) -> str:
    """Return a text without e-mail addresses, telephone numbers, digests and device ids, however encoded.

    National telephone numbers are masked where `numbers` says so: nothing tells them from other numbers.
    """
    return without_spans(text, _people(text, numbers=numbers))


def without_people(words: Iterable[str]) -> list[str]:
    """Return a command line without words that may say who somebody is, which are to be typed again.

    A whole word is replaced, so that a command with such a word is refused, and takes nobody else.
    """
    words, kept = [*words], list[str]()
    hides_conditions = LISTS in words
    for word, before in zip(words, ("", *words), strict=False):
        option, equals, _ = word.partition("=")
        if hides_conditions and option == WHERE and equals:
            kept.append(f"{WHERE}={MASK}")
        elif (hides_conditions and before == WHERE) or mask_people(word) != word:
            kept.append(MASK)
        else:
            kept.append(word)
    return kept


def _people(text: str, *, numbers: bool, layers: int = MAX_BASE64) -> Iterator[tuple[int, int]]:
    """Yield where a text says what identifies a person."""
    layer = Rewritten(text)
    for _ in range(MAX_DECODED):
        parts = chain(
            re.finditer(E_MAIL, layer.text),
            re.finditer(TELEPHONE, layer.text),
            re.finditer(DIGEST, layer.text),
            re.finditer(DEVICE, layer.text),
        )
        spans = [part.span() for part in parts]
        spans += _national_numbers(layer.text) if numbers else ()
        for match in re.finditer(BASE64, layer.text) if layers else ():
            if _is_private_base64(match[0], numbers=numbers, layers=layers - 1):
                spans.append(match.span())
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
    next_number, next_other = re.compile(NATIONAL).search, re.compile(OTHER_NUMBER).search
    number, other = next_number(text), next_other(text)
    while number:
        start, stop = number.span("number")
        if other and other.start() <= number.start():  # a date, or the like: no number begins in it
            stop = other.end()
        else:
            name = re.search(NAME_BEFORE, text[max(start - NAME_LENGTH, 0) : start])
            is_plain = re.fullmatch(NAMED_NUMBER, number["number"])
            if not (name and is_plain and is_number_name(name[name.lastindex or 0])):
                yield start, stop
        if number.start() < stop:
            number = next_number(text, stop)
        if other and other.start() < stop:
            other = next_other(text, stop)


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
    texts = (octet.replace(b"\0", b"").decode(errors="replace").replace("\ufffd", " ") for octet in octets)
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
        values = {
            value
            for at in range(len(masked))
            for size in self._sizes
            for value in self._by_start.get(masked[at : at + size], ())
        }
        for value in sorted(values, key=len, reverse=True):
            bounds = r"\b" if len(value) < MIN_FOUND_ANYWHERE else ""
            masked = re.sub(f"{bounds}{re.escape(value)}{bounds}", MASK, masked)
        for value in values:
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
