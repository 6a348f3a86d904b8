"""Customers of many countries: how they write their identifiers, and what those are.

The values that go out are known from how a person was made, and not read back by the code under test.
"""

import random
from functools import cache
from typing import NamedTuple

from tests.effort import tries

PEOPLE = tries(60, 240)
# First names, surnames; of phone numbers the country code, the trunk prefix, the first digits and how many
# follow; the name of the country.
COUNTRIES = {
    "DE": ("Jürgen Zoë Anneliese Özlem", "Müller Weiß Größmann", "49", "0", "151", 8, "Deutschland"),
    "AT": ("Sepp Gudrun", "Fröhlich Österreicher", "43", "0", "664", 7, "Österreich"),
    "FR": ("Éloïse François Chloé", "Lefèvre D'Aubigné", "33", "0", "6", 8, "France"),
    "ES": ("Íñigo Begoña", "Núñez Peña", "34", "", "612", 6, "España"),
    "IT": ("Niccolò Chiara", "D’Amico Rossi", "39", "", "347", 7, "Italia"),
    "GB": ("Siân Oliver", "O'Brien Smith-Jones", "44", "0", "7700", 6, "United Kingdom"),
    "PL": ("Łukasz Żaneta", "Wiśniewski Dąbrowska", "48", "", "601", 6, "Polska"),
    "JP": ("花子 太郎", "山田 佐藤", "81", "0", "90", 8, "日本"),
    "GR": ("Γιώργος Ελένη", "Παπαδόπουλος Νικολάου", "30", "", "697", 7, "Ελλάδα"),
    "SE": ("Åsa Björn", "Sjöström Lindqvist", "46", "0", "70", 7, "Sverige"),
}


class Person(NamedTuple):
    """A customer, and the identifiers in their normal form."""

    number: int
    first: str
    last: str
    country: str
    country_name: str
    email: str
    phone: str  # E.164
    dialed: str  # at home
    agreed: bool

    def spelled_email(self) -> str:
        """Write the address as people do."""
        return (self.email, self.email.upper(), f" {self.email} ", self.email.title())[self.number % 4]

    def spelled_phone(self) -> str:
        """Write the number with its country code."""
        code = self.phone[1 : -len(self.dialed.lstrip("0"))]
        rest = self.phone[1 + len(code) :]
        return (self.phone, f"+{code} {rest}", f"00{code}{rest}", f"+{code} ({rest[:2]}) {rest[2:]}")[
            self.number % 4
        ]


@cache
def people(seed: int) -> list[Person]:
    """Make the same people for the same seed."""
    random_ = random.Random(seed)
    made = []
    for number in range(PEOPLE):
        country = random_.choice([*COUNTRIES])
        firsts, lasts, code, trunk, begin, digits, name = COUNTRIES[country]
        rest = begin + "".join(random_.choices("123456789", k=digits))
        made.append(
            Person(
                number,
                random_.choice(firsts.split()),
                random_.choice(lasts.split()),
                country,
                name,
                f"kunde.{number}+{random_.randrange(10**6)}@shop{number % 7}.example",
                f"+{code}{rest}",
                trunk + rest,
                random_.random() < 0.7,
            )
        )
    return made
