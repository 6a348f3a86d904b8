"""Spellings of this machine and its network, as browsers, proxies and resolvers understand them."""

from hypothesis import strategies as st

FULL_WIDTH = {ord(sign): ord(sign) + 0xFEE0 for sign in "0123456789abcdefghijklmnopqrstuvwxyz."}
SPELLINGS = (
    *("127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0x0.0.1", "017700000001"),
    *("0177.0.0.1", "127.0.0.1.", "0", "0.0.0.0", "0x7f.0.0.1.", "127.0.0.0x1", "1.2.3.0x", "10.0.0.5"),
    *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[fe80::1]", "::1"),
    *(
        "localhost",
        "LOCALHOST",
        "localhost.",
        "localhost..",
        "shop.localhost",
        "shop.localhost.",
        ".localhost",
    ),
    *("localhost.localdomain", "localhost6.localdomain6", "printer.local", "metadata.google.internal"),
    *("nas.lan", "router.home", "1.0.0.127.in-addr.arpa", "kubernetes.default.svc", "intranet", "x.test"),
    *("%6c%6fcalhost", "127%2e0.0.1", "%31%32%37.0.0.1", "shop.%6cocalhost", "127.0.0.1%00.example.com"),
    *(
        "127。0。0。1",
        "127．0．0．1",
        "127｡0｡0｡1",
        "localhost。",
        "①②⑦.⓪.⓪.①",
        "ⓛocalhost",
        "shop.ｌocalhost",
    ),
    *(
        "loc\u00adalhost",
        "loc\u200balhost",
        "shop.loca\u017fhost",
        "loca\u2028lhost",
        "lo\tcalhost",
        "127.0.0.1\n",
    ),
    *("xn--localhost-", "shop.xn--localhost-", "xn--127-", "a.xn--1-", "a.xn--"),
    *(
        "user@localhost",
        "images.example@localhost",
        "images.example:80@localhost",
        "images.example\\@localhost",
    ),
    *("localhost\\.images.example", "localhost#.images.example", "localhost?.images.example", ""),
)

# What urlsplit takes for a host of this machine, and another parser for another one.
ODD_AUTHORITIES = (
    *("[::1].evil.example", "[::1]evil.example", "[::1].evil.example:80", "evil.example[::1]", "[::1]:80:80"),
    *("[::1%25evil.example]", "[::1]]", "[localhost]", "127.0.0.1@evil.example", "evil.example@127.0.0.1"),
    *(
        "localhost:80@evil.example",
        "user:localhost@[::1]",
        "localhost/evil.example",
        "localhost?evil.example",
    ),
    *("localhost#evil.example", "localhost\\evil.example", "127.0.0.1:x", "localhost..", ""),
    *("127.0.0.1..", "0177.0.0.1", "0x7f.0.0.1", "127.1", "2130706433", "::1"),
)
LOCAL_AUTHORITIES = (
    "localhost",
    "localhost.:1",
    "shop.localhost:80",
    "127.0.0.1",
    "127.9.9.9:1",
    "[::1]",
    "[::1]:8976",
)


def percent_encoded(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


CHANGES = (
    str,
    lambda host: host.upper() if host.isascii() else host,  # that of a long s is another letter
    percent_encoded,
    lambda host: host.translate(FULL_WIDTH),
    lambda host: host + ".",
    lambda host: host.replace(".", "。"),
    lambda host: host[:1] + "\u00ad" + host[1:],
    lambda host: percent_encoded(host[:1]) + host[1:],
    lambda host: host[:-1] + percent_encoded(host[-1:]),
    lambda host: "shop." + host,
    lambda host: "images.example@" + host,
    lambda host: host + "\\.images.example",
)
# The number 127.0.0.1 in up to four parts, each decimal, octal or hexadecimal.
NUMBERS = st.tuples(
    st.sampled_from([[2130706433], [127, 1], [127, 0, 1], [127, 0, 0, 1], [10, 5], [169, 254, 169, 254]]),
    st.lists(
        st.sampled_from(["{}", "0x{:x}", "0X{:X}", "0{:o}", "00{:o}", "0x000{:x}"]), min_size=4, max_size=4
    ),
).map(lambda drawn: ".".join(form.format(part) for part, form in zip(*drawn, strict=False)))
private_hosts = st.tuples(
    st.sampled_from(SPELLINGS) | NUMBERS, st.lists(st.sampled_from(CHANGES), max_size=2)
).map(lambda drawn: _changed(*drawn))


def _changed(host: str, changes: list) -> str:
    for change in changes:
        host = change(host)
    return host
