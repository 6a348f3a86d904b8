"""Generate ads_cli/audiences/countries.txt from phonenumbers and pycountry: `make data`.

The package needs names in many languages only where a list has a column of countries, and neither library
finds a country by its name fast.
"""

import gettext
from collections import defaultdict
from pathlib import Path

import pycountry
from phonenumbers import SUPPORTED_REGIONS
from phonenumbers.geodata.locale import LOCALE_DATA

from ads_cli.spelling import letters_and_digits

TARGET = Path(__file__).parent.parent / "ads_cli" / "audiences" / "countries.txt"
LANGUAGES = "en de fr es it pt nl sv da nb fi pl cs sk sl hr hu ro bg el tr ru uk lt lv et ca ja zh ko ar he"
WITHOUT_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
# What people write, and neither library knows.
OTHERS = {
    "AE": "UAE, Emirates, VAE",
    "CD": "Congo-Kinshasa, DR Congo, DRC",
    "CG": "Congo-Brazzaville",
    "CH": "Schweiz/Suisse/Svizzera, Swiss",
    "CI": "Ivory Coast",
    "CZ": "Czech Republic, Czechoslovakia",
    "DE": "BRD, Federal Republic of Germany",
    "GB": "UK, Great Britain, Britain, England, Scotland, Wales, Northern Ireland, Großbritannien,"
    " Grande-Bretagne, Gran Bretaña, Gran Bretagna, Angleterre, Inglaterra, Inghilterra",
    "GR": "EL, Hellas",
    "IE": "Eire, Republic of Ireland",
    "KR": "Korea, South Korea, Republic of Korea",
    "MK": "Macedonia",
    "NL": "Holland, The Netherlands",
    "RU": "Russia, Russian Federation",
    "US": "United States of America, America, Vereinigte Staaten von Amerika, États-Unis d'Amérique",
    "VN": "Vietnam",
    "XK": "Kosovo, XKX",
}


def table() -> str:
    """Return a line for each country: its code, and its folded names."""
    regions_of: dict[str, list[str]] = defaultdict(list)
    for region in sorted(SUPPORTED_REGIONS):
        for name in dict.fromkeys(letters_and_digits(name) for name in _names(region)):
            regions_of[name].append(region)
    names_of = defaultdict(list)
    for name, regions in regions_of.items():
        if name and len(regions) == 1:
            names_of[regions[0]].append(name)
    return "".join(f"{region} {' '.join(names)}\n" for region, names in sorted(names_of.items()))


def _names(region: str) -> list[str]:
    country = pycountry.countries.get(alpha_2=region)
    names = [region, *OTHERS.get(region, "").split(", ")]
    if country:
        english = [getattr(country, name) for name in ("name", "common_name") if hasattr(country, name)]
        names += [country.alpha_3, *english, getattr(country, "official_name", "")]
    for language in LANGUAGES.split():
        names.append(_display_name(region, "no" if language == "nb" else language))
        if country and language != "en":
            translate = gettext.translation("iso3166-1", pycountry.LOCALES_DIR, [_locale(language)]).gettext
            names += map(translate, english)
    return [*names, *(name.translate(WITHOUT_UMLAUTS) for name in names)]


def _display_name(region: str, language: str) -> str:
    names = LOCALE_DATA.get(region, {})
    name = str(names.get(language, ""))
    if name.startswith("*"):  # the name in another language, which is the same
        name = str(names.get(name[1:], ""))
    return name.removeprefix("*")


def _locale(language: str) -> str:
    return {"zh": "zh_CN", "nb": "nb_NO"}.get(language, language)


if __name__ == "__main__":
    TARGET.write_text(table(), encoding="utf-8")
