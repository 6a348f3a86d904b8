"""Find the encoding of a text that is not UTF-8, from all lines that have letters beyond ASCII."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import BinaryIO, NamedTuple

BLOCK_BYTES = 64 * 1024
MAX_SEGMENT_BYTES = 1024 * 1024
MAX_SAMPLE_BYTES = 32 * 1024  # of 200 rows; more changes no decision on feeds in 31 languages
# Bytes that are never a part of a character of several bytes.
SEGMENT_ENDS, WORD_ENDS = re.compile(rb"[\r\n<>]+"), re.compile(rb'[\s,;"]+')
# Of those that decode a text alike, the first is named.
ENCODINGS = (
    *("cp1252", "euc_kr", "shift_jis_2004", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("cp1257", "cp1258", "cp874", "cp932", "cp949", "gb18030", "big5hkscs", "euc_jis_2004"),
    *("koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *(f"iso8859-{part}" for part in (1, 15, 2, 5, 6, 7, 8, 9, 13)),
)
# Chosen by chardet for texts in others too often: a file in one of these is left to a person.
RARE = ("mac-latin2", "mac-turkish", "mac-greek", "cp437", "cp850", "cp852", "cp866")
USUAL_NAMES = {
    "euc_kr": "euc-kr",
    "shift_jis_2004": "shift_jis",
    "big5hkscs": "big5",
    "euc_jis_2004": "euc-jp",
}
# By trial on 7,000 feeds in 31 languages, none of which is read in a wrong encoding.
MAX_SHARE = 0.8  # of the confidence in the best candidate, that the second may have
MIN_CONFIDENCE = 0.01
MAX_UTF_8 = 0.1  # of the words; in a text with more, some lines are UTF-8 and others are not
MAX_CANDIDATES = 3
MAX_EXCERPT_WORDS, MAX_EXCERPT = 3, 40

LETTER = "[^\\W\\d_\u00b2\u00b3\u00b9\u00bc-\u00be]"
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
IN_WORDS = "\u2018\u2019\u00b4\u00b7\u2010-\u2015\u2026\u00ad\u00a0\u200c\u200d"
LATIN, OTHERS = "A-Za-z\u00c0-\u024f", "\u0370-\u052f\u0590-\u06ff"
IMPLAUSIBLE = (
    re.compile("[\x7f-\x9f\ue000-\uf8ff]"),
    re.compile(
        f"(?<={LETTER})(?:[\u00b2\u00b3\u00b9\u00bc-\u00be]|[^\\x00-\\x7f\\w{MARKS}{IN_WORDS}])(?={LETTER})"
    ),
    re.compile(f"[{LATIN}][{OTHERS}]|[{OTHERS}][{LATIN}]"),
)
MAX_IMPLAUSIBLE = 0.02  # of the words
KANA = re.compile("[\u3041-\u30fe]")


class Candidate(NamedTuple):
    """An encoding that a text may be in."""

    name: str
    words: str  # of the text, those beyond ASCII

    def excerpt(self, others: Sequence["Candidate"]) -> str:
        """Return words, first those that candidates read in the most different ways."""
        words = self.words.split(" ")
        readings = zip(*(other.words.split(" ") for other in others), strict=False)
        count = [len({*reading}) for reading in readings]
        order = sorted(range(len(count)), key=lambda number: -count[number])
        return " ".join(words[number] for number in order[:MAX_EXCERPT_WORDS])[:MAX_EXCERPT]


Ranked = list[tuple[Candidate, float]]  # with the confidence in each, the best first


class Detection(NamedTuple):
    """What a text may be in, the most probable first."""

    candidates: Sequence[Candidate] = ()
    is_certain: bool = False  # of the first candidate
    is_mixed: bool = False  # some of its lines are UTF-8

    @property
    def encoding(self) -> str:
        """The encoding; empty where it is not certain."""
        return self.candidates[0].name if self.is_certain else ""

    @property
    def hint(self) -> str:
        """Say what to type."""
        if self.is_certain:
            return f"add --encoding {self.encoding}"
        return f"name its encoding{' with --encoding' if self.candidates else ', as in --encoding cp1252'}"

    def described(self, *, with_excerpts: bool) -> str:
        """Continue a sentence with the candidates, and what each reads; empty where there are none."""
        shown = self.candidates[:1] if self.is_certain else self.candidates
        if not with_excerpts:
            return f"; it may be {' or '.join(candidate.name for candidate in shown)}" if shown else ""
        read = " and ".join(
            f"as {candidate.name} it reads {candidate.excerpt(self.candidates)!r}" for candidate in shown
        )
        return f"; {read}" if read else ""


def detect(stream: BinaryIO) -> Detection:
    """Find the encoding of a text that is not UTF-8."""
    lines, words = _sample(stream)
    if sum(map(_is_utf_8, words)) > MAX_UTF_8 * len(words):
        return Detection(is_mixed=True)
    ranked = _ranked(b" ".join(words))
    is_certain = _is_certain(ranked, _ranked(b"\n".join(lines)))
    return Detection([candidate for candidate, _ in ranked[:MAX_CANDIDATES]], is_certain)


def _is_certain(in_words: Ranked, in_lines: Ranked) -> bool:
    """Tell whether the best candidate is far better than all others.

    Words alone tell most languages apart. Those of English that have accents may be of a language of cp1250,
    and the lines that they are in may not.
    """
    if not (in_words and in_lines and in_words[0][0].name == in_lines[0][0].name not in RARE):
        return False
    _, confidence = in_words[0]
    shares = [other / confidence for _, other in in_words[1:2]]
    shares += [other / in_lines[0][1] for rival, other in in_lines[1:] if rival.name == "cp1252"]
    return confidence >= MIN_CONFIDENCE and all(share <= MAX_SHARE for share in shares)


def _sample(stream: BinaryIO) -> tuple[list[bytes], list[bytes]]:
    """Return lines of a text that have new words beyond ASCII, and these words.

    Of a long text the later lines are those with a byte that no earlier one has.
    """
    lines, words, seen, size = list[bytes](), dict[bytes, None](), b"", 0
    for segment in _segments(stream):
        is_full = size > MAX_SAMPLE_BYTES
        if segment.isascii() or (is_full and segment.translate(None, seen).isascii()):
            continue
        new = [word for word in WORD_ENDS.split(segment) if not word.isascii() and word not in words]
        if new:
            words.update(dict.fromkeys(new))
            lines.append(segment)
            size += len(segment)
            seen = bytes({*seen, *b"".join(new)})
    return lines, [*words]


def _segments(stream: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(BLOCK_BYTES):
        *segments, rest = SEGMENT_ENDS.split(rest + block)
        yield from segments
        rest = rest if len(rest) < MAX_SEGMENT_BYTES else b""
    yield rest


def _is_utf_8(word: bytes) -> bool:
    return _decoded(word, "utf-8") is not None


def _decoded(text: bytes, encoding: str) -> str | None:
    with suppress(UnicodeDecodeError):
        return text.decode(encoding)
    return None


def _ranked(text: bytes) -> Ranked:
    """Return the candidates that read a text as one, with the confidence in them.

    Those that read it alike are one.
    """
    from chardet import detect_all

    confidence: dict[str, float] = {}  # by what is read
    for result in detect_all(
        text,
        ignore_threshold=True,
        max_bytes=len(text),
        compat_names=False,
        include_encodings=[*ENCODINGS, *RARE],
    ):
        encoding = result["encoding"]
        read = _decoded(text, encoding) if encoding else None
        if read is not None and _is_plausible(read, result["language"]):
            confidence.setdefault(read, result["confidence"])
    return [(Candidate(_name(text, read), read), trust) for read, trust in confidence.items()]


def _name(text: bytes, read: str) -> str:
    for encoding in (*ENCODINGS, *RARE):
        name = USUAL_NAMES.get(encoding, encoding)
        if read in (_decoded(text, name), _decoded(text, encoding)):
            return name if _decoded(text, name) == read else encoding
    raise AssertionError  # it was read in one of them


def _is_plausible(text: str, language: str | None) -> bool:
    """Tell whether words are such as people write: no signs, capitals or letters of other scripts in them."""
    if language == "ja" and not KANA.search(text):
        return False
    mistakes = sum(len(pattern.findall(text)) for pattern in IMPLAUSIBLE)
    mistakes += sum(
        not after.isascii() and after.isupper() and before.islower() for before, after in pairwise(text)
    )
    words = sum(not word.isascii() for word in text.split())
    return mistakes <= MAX_IMPLAUSIBLE * words
